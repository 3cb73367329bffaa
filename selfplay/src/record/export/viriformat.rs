//! Viriformat, which several trainers read: a position of 32 bytes, then four bytes a move (the move and
//! White's score), then four zeros. It has no room for depths, and no checksum.

use engine::Board;
use engine::types::{Color, Move, MoveKind, PieceType};

use crate::Outcome;
use crate::record::GameRecord;

/// The code of a rook that may still castle.
const UNMOVED_ROOK: u8 = 6;
const BLACK: u8 = 8;
/// The en passant square where there is none.
const NO_SQUARE: u8 = 64;

/// The bytes of one game. It begins where the engine began: the format wants a score for each move.
pub fn viriformat(game: &GameRecord) -> Vec<u8> {
    let mut board = game.first_searched();
    let mut bytes = Vec::with_capacity(36 + 4 * game.plies.len());
    bytes.extend(packed_position(&board, game.outcome));
    for ply in &game.plies {
        let score_white = match board.side_to_move() {
            Color::White => ply.score_stm,
            Color::Black => -ply.score_stm,
        };
        bytes.extend(move_bits(ply.played).to_le_bytes());
        bytes.extend(score_white.to_le_bytes());
        board.make(ply.played);
    }
    bytes.extend([0; 4]);
    bytes
}

/// Occupancy, a nibble for each piece in the order of the squares, side and en passant, clocks, a score
/// that nobody uses, the result.
fn packed_position(board: &Board, outcome: Outcome) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&board.occupied().0.to_le_bytes());
    let setup = board.setup();
    let castles = |square| setup.castling_rooks.iter().flatten().any(|&rook| rook == Some(square));
    for (place, square) in board.occupied().into_iter().take(32).enumerate() {
        let Some(piece) = board.piece_at(square) else { continue };
        let kind = match piece.kind() {
            PieceType::Rook if castles(square) => UNMOVED_ROOK,
            kind => kind.index() as u8,
        };
        let code = kind | if piece.color() == Color::Black { BLACK } else { 0 };
        bytes[8 + place / 2] |= code << (place % 2 * 4);
    }
    let side = if board.side_to_move() == Color::Black { 1 << 7 } else { 0 };
    bytes[24] = side | board.en_passant().map_or(NO_SQUARE, |square| square.index() as u8);
    bytes[25] = board.halfmove_clock().min(255) as u8;
    bytes[26..28].copy_from_slice(&board.fullmove_number().to_le_bytes());
    bytes[30] = outcome.half_points(Color::White);
    bytes
}

/// From, to, the piece promoted to, and the kind of move. Castling takes the own rook, as with us.
fn move_bits(m: Move) -> u16 {
    let kind: u16 = match m.kind() {
        MoveKind::EnPassant => 1,
        MoveKind::Castle => 2,
        _ if m.is_promotion() => 3,
        _ => 0,
    };
    let promoted = m.promotion().map_or(0, |kind| kind.index() as u16 - 1);
    m.from().index() as u16 | (m.to().index() as u16) << 6 | promoted << 12 | kind << 14
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Ending, Ply, Start};

    #[test]
    fn a_game_by_hand() {
        let board = Board::from_fen("r3k3/1P6/8/8/8/8/8/4K2R w Kq - 3 40").unwrap();
        let plies = [("b7a8r", 700), ("e8d7", -650), ("e1h1", 800)];
        let mut replayed = board.clone();
        let plies = plies.map(|(text, score_stm)| {
            let played = replayed.parse_uci(text).unwrap();
            replayed.make(played);
            Ply { played, score_stm, depth: 9, explored: false }
        });
        let game = GameRecord {
            id: 0,
            start: Start::of(&board),
            opening: Vec::new(),
            outcome: Outcome::WhiteWins,
            ending: Ending::AdjudicatedWin,
            plies: plies.to_vec(),
        };
        let bytes = viriformat(&game);
        // e1 K, h1 R that may castle, b7 P, a8 r that may castle, e8 k.
        let occupied: u64 = 1 << 4 | 1 << 7 | 1 << 49 | 1 << 56 | 1 << 60;
        assert_eq!(bytes[..8], occupied.to_le_bytes());
        assert_eq!(bytes[8..11], [0x65, 0xE0, 0x0D]);
        assert_eq!(bytes[24..32], [64, 3, 40, 0, 0, 0, 2, 0]);
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        // Promotion, to a rook, a8, b7.
        assert_eq!(word(32), 3 << 14 | 2 << 12 | 56 << 6 | 49);
        assert_eq!([word(34) as i16, word(38) as i16, word(42) as i16], [700, 650, 800]);
        // Castling: the king of e1 takes the rook of h1.
        assert_eq!(word(40), 2 << 14 | 7 << 6 | 4);
        assert_eq!(bytes[44..], [0; 4]);
    }
}
