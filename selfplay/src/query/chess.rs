//! Questions about a board that the language has words for and the engine has not.

use engine::Board;
use engine::board::attacks;
use engine::types::{Bitboard, Color, PieceType, Square};

/// `// [kind]` points as players count; the king is worth more than everything.
const POINTS: [f64; 6] = [1.0, 3.0, 3.0, 5.0, 9.0, 100.0];

/// A side's material without its king.
pub fn points(board: &Board, side: Color) -> f64 {
    let count = |kind| f64::from(board.pieces(side, kind).count()) * POINTS[kind.index()];
    PieceType::ALL[..5].iter().copied().map(count).sum()
}

/// Minor pieces 1, rooks 2, queens 4: 24 in the initial position.
pub fn phase(board: &Board) -> &'static str {
    let count = |kind| board.by_kind(kind).count();
    let minors = count(PieceType::Knight) + count(PieceType::Bishop);
    let sum = minors + 2 * count(PieceType::Rook) + 4 * count(PieceType::Queen);
    match sum {
        0..=8 => "endgame",
        20.. if board.fullmove_number() <= 10 => "opening",
        _ => "middlegame",
    }
}

/// The material like `KRPvKR`, White's first.
pub fn signature(board: &Board) -> String {
    let side = |color| {
        let letters = PieceType::ALL.iter().rev().map(move |&kind| {
            let letter = kind.letter().to_ascii_uppercase().to_string();
            letter.repeat(board.pieces(color, kind).count() as usize)
        });
        letters.collect::<String>()
    };
    format!("{}v{}", side(Color::White), side(Color::Black))
}

/// What the piece on a square attacks; nothing from an empty one.
pub fn attacks_from(board: &Board, square: Square) -> Bitboard {
    let Some(piece) = board.piece_at(square) else { return Bitboard::EMPTY };
    let occupied = board.occupied();
    match piece.kind() {
        PieceType::Pawn => attacks::pawn(piece.color(), square),
        PieceType::Knight => attacks::knight(square),
        PieceType::Bishop => attacks::bishop(square, occupied),
        PieceType::Rook => attacks::rook(square, occupied),
        PieceType::Queen => attacks::queen(square, occupied),
        PieceType::King => attacks::king(square),
    }
}

/// What the pieces on a set attack.
pub fn attacks_of(board: &Board, set: Bitboard) -> Bitboard {
    let standing = (set & board.occupied()).into_iter();
    standing.fold(Bitboard::EMPTY, |all, square| all | attacks_from(board, square))
}

/// The pieces of a side that attack a square of a set.
pub fn attackers(board: &Board, side: Color, set: Bitboard) -> Bitboard {
    let hits = set.into_iter();
    hits.fold(Bitboard::EMPTY, |all, square| all | board.attackers_to(square, board.occupied()))
        & board.by_color(side)
}

/// A side's pieces that may not leave the line to their king.
pub fn pinned(board: &Board, side: Color) -> Bitboard {
    board.blockers_for(board.king(side), !side) & board.by_color(side)
}

fn worth(board: &Board, square: Square) -> f64 {
    board.kind_at(square).map_or(0.0, |kind| POINTS[kind.index()])
}

/// Pieces of a side that attack two men or more of which each is worth more than the piece itself, or
/// is a piece that nobody guards.
pub fn forks(board: &Board, side: Color) -> Bitboard {
    let enemies = board.by_color(!side);
    let is_prey = |from: Square, square: Square| {
        let unguarded = || !board.is_attacked(square, !side, board.occupied());
        worth(board, square) > worth(board, from)
            || (board.kind_at(square) != Some(PieceType::Pawn) && unguarded())
    };
    let forking = board.by_color(side).into_iter().filter(|&from| {
        let attacked = attacks_from(board, from) & enemies;
        attacked.several() && attacked.into_iter().filter(|&square| is_prey(from, square)).count() >= 2
    });
    forking.collect()
}

/// Line pieces of a side that attack a man behind which, on the same line, the next man is of the same
/// side, worth less, and no pawn.
pub fn skewers(board: &Board, side: Color) -> Bitboard {
    let enemies = board.by_color(!side);
    let lines = board.diagonal_sliders(side) | board.straight_sliders(side);
    let skewering = lines.into_iter().filter(|&from| {
        let front = attacks_from(board, from) & enemies;
        front.into_iter().any(|first| match behind(board, from, first) {
            Some(second) => {
                enemies.has(second)
                    && board.kind_at(second) != Some(PieceType::Pawn)
                    && worth(board, first) > worth(board, second)
            }
            None => false,
        })
    });
    skewering.collect()
}

/// The next man beyond `first` on the line that comes from `from`.
fn behind(board: &Board, from: Square, first: Square) -> Option<Square> {
    let occupied = board.occupied() ^ first.into();
    let beyond = attacks::line(from, first) & !attacks::between(from, first) & occupied;
    let beyond = beyond - Bitboard::of(from);
    // On the far side of `first`: it lies between `from` and such a square.
    let mut far = beyond.into_iter().filter(|&square| attacks::between(from, square).has(first));
    far.find(|&square| (attacks::between(first, square) & occupied).is_empty())
}

/// Men of a side, its king aside, that are attacked and not guarded.
pub fn hanging(board: &Board, side: Color) -> Bitboard {
    let men = board.by_color(side) & board.attacked_by(!side);
    (men - board.by_kind(PieceType::King)) - board.attacked_by(side)
}

/// Pawns of a side with no enemy pawn ahead on their file or beside it.
pub fn passed(board: &Board, side: Color) -> Bitboard {
    let enemies = board.pawns(!side);
    // Whatever lies ahead of an enemy pawn, as it goes, it stops.
    let stopped = (enemies | enemies.sideways()).forward(!side).forward_fill(!side);
    board.pawns(side) - stopped
}

/// Pawns of a side without an own pawn on the files beside.
pub fn isolated(board: &Board, side: Color) -> Bitboard {
    board.pawns(side) - board.pawns(side).file_fill().sideways()
}

/// Pawns of a side with an own pawn ahead on their file.
pub fn doubled(board: &Board, side: Color) -> Bitboard {
    let pawns = board.pawns(side);
    pawns & pawns.forward(!side).forward_fill(!side)
}

/// Squares strictly between two squares of a line.
pub fn between(a: Bitboard, b: Bitboard) -> Bitboard {
    let pairs = a.into_iter().flat_map(|first| b.into_iter().map(move |second| (first, second)));
    pairs.fold(Bitboard::EMPTY, |all, (first, second)| match first == second {
        true => all,
        false => all | attacks::between(first, second),
    })
}

/// King steps between the nearest squares of two sets.
pub fn distance(a: Bitboard, b: Bitboard) -> Option<u8> {
    a.into_iter().flat_map(|first| b.into_iter().map(move |second| first.distance(second))).min()
}

/// All ranks that have a square in the set.
pub fn rank_fill(set: Bitboard) -> Bitboard {
    let touched = (0..8).map(Bitboard::rank).filter(|&rank| (rank & set).any());
    touched.fold(Bitboard::EMPTY, |all, rank| all | rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(text: &str) -> Bitboard {
        text.split_whitespace().map(|square| square.parse::<Square>().unwrap()).collect()
    }

    #[test]
    fn motifs_in_positions_made_for_them() {
        let fork = Board::from_fen("r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1").unwrap();
        assert_eq!(forks(&fork, Color::White), squares("c7"));
        assert_eq!(forks(&fork, Color::Black), Bitboard::EMPTY);
        let skewer = Board::from_fen("r7/8/8/3k4/8/8/6B1/4K3 b - - 0 1").unwrap();
        assert_eq!(skewers(&skewer, Color::White), squares("g2"));
        let pin = Board::from_fen("4k3/4n3/8/8/8/8/4R3/4K3 b - - 0 1").unwrap();
        assert_eq!(pinned(&pin, Color::Black), squares("e7"));
        assert_eq!(skewers(&pin, Color::White), Bitboard::EMPTY, "the lesser piece stands in front");
        assert_eq!(hanging(&pin, Color::White), Bitboard::EMPTY);
    }

    #[test]
    fn pawns_of_every_kind() {
        let board = Board::from_fen("4k3/p7/8/3pP3/8/2P4P/2P5/4K3 w - - 0 1").unwrap();
        assert_eq!(passed(&board, Color::White), squares("e5 h3"));
        assert_eq!(passed(&board, Color::Black), squares("a7"));
        assert_eq!(isolated(&board, Color::White), squares("c2 c3 e5 h3"));
        assert_eq!(doubled(&board, Color::White), squares("c2"));
        assert_eq!(signature(&board), "KPPPPvKPP");
    }
}
