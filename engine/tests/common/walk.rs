//! Random games: where they start and which move comes next.

use engine::Board;
use engine::types::{Move, MoveKind, PieceType};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Which chess is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    Standard,
    /// Chess960, every second game with different back ranks for the two sides.
    Chess960,
}

/// Positions where rare moves are near: castling through attacks, pinned en passant captures,
/// promotions, many pieces of one kind, few pieces.
const SHARP_STARTS: [&str; 9] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/8/8/1N3N2/8/1N3N2/8/Q1Q1K1Q1 w - - 0 1",
    "8/pppppppp/8/k7/7K/8/PPPPPPPP/8 w - - 0 1",
    "8/8/4kb2/8/8/2BK4/8/8 w - - 0 1",
    "8/8/3kn3/8/8/3K4/6p1/8 b - - 0 1",
];

/// How many half-moves a random game lasts at most: short ones for castling, long ones for endgames.
pub fn length(rng: &mut Pcg64) -> usize {
    [12, 40, 100, 300][rng.random_range(0..4)]
}

/// The start of a random game, as a FEN.
pub fn start(rules: Rules, rng: &mut Pcg64) -> String {
    match rules {
        Rules::Standard if rng.random_bool(0.5) => Board::start().fen(),
        Rules::Standard => SHARP_STARTS[rng.random_range(0..SHARP_STARTS.len())].to_string(),
        Rules::Chess960 => {
            // Without some of the other pieces castling comes soon, often through attacked squares.
            let missing = [0.0, 0.4, 0.8][rng.random_range(0..3)];
            let mut back_rank = || {
                let board = shakmaty::Board::chess960(rng.random_range(0..960));
                shakmaty::Square::ALL[..8]
                    .iter()
                    .filter_map(|&square| board.piece_at(square))
                    .map(|piece| match piece.role.upper_char() {
                        'N' | 'B' | 'Q' if rng.random_bool(missing) => '1',
                        letter => letter,
                    })
                    .collect::<String>()
            };
            let white = back_rank();
            let other = back_rank();
            let black = if rng.random_bool(0.5) { other } else { white.clone() }.to_lowercase();
            let (black_pawns, white_pawns) = match rng.random_range(0..4) {
                0 => ("p1pp1pp1", "1PP1PP1P"),
                1 => ("p6p", "P6P"),
                _ => ("pppppppp", "PPPPPPPP"),
            };
            let fen = format!("{black}/{black_pawns}/8/8/8/8/{white_pawns}/{white} w KQkq - 0 1");
            match Board::from_fen(&fen) {
                Ok(board) => board.fen(),
                // Open lines may leave a king en prise: then with all pawns.
                Err(_) => format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"),
            }
        }
    }
}

/// A random legal move; rare kinds come more often than chance would have it, and so does taking the
/// side's last move back, which makes repetitions. `None` when the game is over.
pub fn next_move(board: &Board, earlier: &[Move], rng: &mut Pcg64) -> Option<Move> {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return None;
    }
    let any = moves[rng.random_range(0..moves.len())];
    match rng.random_range(0..8) {
        0 | 1 => {
            let rare =
                |m: &&Move| m.is_promotion() || matches!(m.kind(), MoveKind::Castle | MoveKind::EnPassant);
            Some(moves.iter().find(rare).copied().unwrap_or(any))
        }
        2 => {
            // Pawn's double steps beside enemy pawns are where en passant comes from.
            let doubles: Vec<Move> =
                moves.iter().copied().filter(|m| m.kind() == MoveKind::DoublePush).collect();
            Some(if doubles.is_empty() { any } else { doubles[rng.random_range(0..doubles.len())] })
        }
        3 | 4 => {
            let own_last = earlier.len().checked_sub(2).map(|index| earlier[index]);
            let back = |m: &&Move| {
                own_last.is_some_and(|last| m.from() == last.to() && m.to() == last.from())
                    && m.kind() == MoveKind::Quiet
                    && board.kind_at(m.from()) != Some(PieceType::Pawn)
            };
            Some(moves.iter().find(back).copied().unwrap_or(any))
        }
        _ => Some(any),
    }
}
