//! What pieces a side has besides its king, as one number to compare and match on.

use crate::board::Board;
use crate::types::{Color, PieceType, Value};

/// Counts of a side's pawns, knights, bishops, rooks and queens, four bits each (no count passes 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Material(u32);

impl Material {
    pub const NONE: Material = Material(0);

    /// The material that a word of FEN letters names, such as `"RP"`.
    pub const fn of(letters: &str) -> Material {
        let letters = letters.as_bytes();
        let mut counts = 0;
        let mut i = 0;
        while i < letters.len() {
            let Some(kind) = PieceType::from_letter(letters[i] as char) else {
                panic!("not the letter of a piece");
            };
            counts += 1 << (4 * kind as u32);
            i += 1;
        }
        Material(counts)
    }

    /// What `color` has on the board.
    #[inline]
    pub fn count(board: &Board, color: Color) -> Material {
        let own = board.by_color(color);
        let nibble = |kind| (board.by_kind(kind) & own).count() << (4 * kind as u32);
        Material(
            nibble(PieceType::Pawn)
                | nibble(PieceType::Knight)
                | nibble(PieceType::Bishop)
                | nibble(PieceType::Rook)
                | nibble(PieceType::Queen),
        )
    }

    /// How many of one kind.
    pub const fn number(self, kind: PieceType) -> i32 {
        (self.0 >> (4 * kind as u32) & 15) as i32
    }

    /// Whether there is at least one of a kind.
    pub const fn has(self, kind: PieceType) -> bool {
        self.number(kind) != 0
    }

    /// The same without one kind.
    pub const fn without(self, kind: PieceType) -> Material {
        Material(self.0 & !(15 << (4 * kind as u32)))
    }

    /// The same without the pawns.
    pub const fn pieces(self) -> Material {
        self.without(PieceType::Pawn)
    }

    /// Worth in centipawns at the hand-set piece values. Endings must not move when the weights are
    /// tuned: their values only have to keep their order among each other.
    pub const fn worth(self) -> Value {
        PAWN * self.number(PieceType::Pawn)
            + KNIGHT * self.number(PieceType::Knight)
            + BISHOP * self.number(PieceType::Bishop)
            + ROOK * self.number(PieceType::Rook)
            + QUEEN * self.number(PieceType::Queen)
    }
}

pub(super) const PAWN: Value = 100;
pub(super) const KNIGHT: Value = 320;
pub(super) const BISHOP: Value = 330;
pub(super) const ROOK: Value = 500;
pub(super) const QUEEN: Value = 900;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_both_sides() {
        let board = Board::from_fen("4k3/2n1n3/8/3b4/8/8/PPP5/R3K2R w - - 0 1").expect("a position");
        assert_eq!(Material::count(&board, Color::White), Material::of("PPPRR"));
        assert_eq!(Material::count(&board, Color::Black), Material::of("BNN"));
        assert_eq!(Material::of("RPRPP").pieces(), Material::of("RR"));
        assert_eq!(Material::of("QNP").worth(), 1320);
        assert!(Material::of("Q").has(PieceType::Queen) && !Material::of("Q").has(PieceType::Rook));
    }
}
