//! What a side has on the board, counted.

use engine::Board;
use engine::types::{Color, PieceType};

/// The pieces of one side; knights and bishops are one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Material {
    /// Queens.
    pub queens: u32,
    /// Rooks.
    pub rooks: u32,
    /// Knights and bishops.
    pub minors: u32,
    /// Pawns.
    pub pawns: u32,
}

impl Material {
    /// What this side has.
    pub fn of(board: &Board, color: Color) -> Material {
        let count = |kind| board.pieces(color, kind).count();
        Material {
            queens: count(PieceType::Queen),
            rooks: count(PieceType::Rook),
            minors: count(PieceType::Knight) + count(PieceType::Bishop),
            pawns: count(PieceType::Pawn),
        }
    }

    /// In pawns, as beginners learn it.
    pub fn value(&self) -> i32 {
        (9 * self.queens + 5 * self.rooks + 3 * self.minors + self.pawns) as i32
    }

    /// Whether both have the same pieces, pawns aside.
    pub fn same_pieces(&self, other: &Material) -> bool {
        (self.queens, self.rooks, self.minors) == (other.queens, other.rooks, other.minors)
    }

    /// What it has more than the other, kind by kind: queens, rooks, minor pieces, pawns. Where the pieces
    /// differ, a pawn more and several pawns more are the same.
    pub fn surplus_over(&self, other: &Material) -> [i32; 4] {
        let more = |own: u32, other: u32| own as i32 - other as i32;
        let pawns = more(self.pawns, other.pawns);
        [
            more(self.queens, other.queens),
            more(self.rooks, other.rooks),
            more(self.minors, other.minors),
            if self.same_pieces(other) { pawns } else { pawns.min(1) },
        ]
    }

    /// Whether so few pieces are left that the side is in an endgame: two or three besides the king.
    fn is_reduced(&self) -> bool {
        match (self.queens, self.rooks, self.minors) {
            (0, 0, minors) => minors <= 4,
            (0, 1, minors) => minors <= 2,
            (0, 2, minors) => minors <= 1,
            (1, 0, minors) => minors <= 2,
            (1, 1, minors) => minors == 0,
            _ => false,
        }
    }

    /// Whether a position with this material on both sides is an endgame, for the question whether a draw
    /// was agreed on too early: both sides reduced, or few pawns left to play for.
    pub fn is_endgame(white: &Material, black: &Material) -> bool {
        let few_pawns = |side: &Material| side.pawns <= 3 || (side.queens == 0 && side.pawns <= 4);
        (white.is_reduced() && black.is_reduced()) || (few_pawns(white) && few_pawns(black))
    }
}
