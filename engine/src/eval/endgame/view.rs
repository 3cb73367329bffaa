//! The board as the stronger side of an ending sees it, so that every rule is written once, for White.

use super::{Ending, SCALE_FULL};
use crate::board::Board;
use crate::types::{Bitboard, Color, PieceType, Square, Value};

/// A board turned so that the strong side plays up it.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub board: &'a Board,
    pub strong: Color,
}

impl View<'_> {
    /// Whether it is the strong side's turn.
    pub fn strong_to_move(self) -> bool {
        self.board.side_to_move() == self.strong
    }

    /// Whose turn it is on the turned board, where the strong side is White.
    pub fn to_move(self) -> Color {
        if self.strong_to_move() { Color::White } else { Color::Black }
    }

    /// Where the strong side's king stands.
    pub fn strong_king(self) -> Square {
        self.board.king(self.strong).relative(self.strong)
    }

    /// Where the weak side's king stands.
    pub fn weak_king(self) -> Square {
        self.board.king(!self.strong).relative(self.strong)
    }

    /// The strong side's pieces of a kind.
    pub fn strong_set(self, kind: PieceType) -> Bitboard {
        self.turned(self.board.pieces(self.strong, kind))
    }

    /// The weak side's pieces of a kind.
    pub fn weak_set(self, kind: PieceType) -> Bitboard {
        self.turned(self.board.pieces(!self.strong, kind))
    }

    /// The strong side's only (or lowest) piece of a kind that the material says it has.
    pub fn strong_one(self, kind: PieceType) -> Square {
        self.strong_set(kind).first_unchecked()
    }

    /// The weak side's only (or lowest) piece of a kind that the material says it has.
    pub fn weak_one(self, kind: PieceType) -> Square {
        self.weak_set(kind).first_unchecked()
    }

    /// All pieces.
    pub fn occupied(self) -> Bitboard {
        self.turned(self.board.occupied())
    }

    /// An ending worth `value_strong` to the strong side.
    pub fn value(self, value_strong: Value) -> Ending {
        Ending::Value(match self.strong {
            Color::White => value_strong,
            Color::Black => -value_strong,
        })
    }

    /// An ending in which the strong side's advantage counts for `factor` of 64.
    pub fn scale(self, factor: i32) -> Ending {
        let mut factors = [SCALE_FULL; 2];
        factors[self.strong.index()] = factor;
        Ending::Scale { factors }
    }

    fn turned(self, set: Bitboard) -> Bitboard {
        match self.strong {
            Color::White => set,
            Color::Black => set.flip_ranks(),
        }
    }
}

/// How far a king is driven from the centre: 0 on the four centre squares, 90 in a corner.
pub(super) fn towards_edge(square: Square) -> Value {
    let from_centre = |line: u8| Value::from(if line < 4 { 3 - line } else { line - 4 });
    let (files, ranks) = (from_centre(square.file()), from_centre(square.rank()));
    10 * (files + ranks + files.max(ranks))
}

/// How close two pieces stand: 60 side by side, 0 from edge to edge.
pub(super) fn closeness(a: Square, b: Square) -> Value {
    10 * (7 - Value::from(a.distance(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_point_to_the_edge_and_to_each_other() {
        assert_eq!(towards_edge(Square::at(3, 3)), 0);
        assert!(towards_edge(Square::at(3, 0)) > towards_edge(Square::at(3, 1)));
        for corner in [Square::A1, Square::H1, Square::A8, Square::H8] {
            assert_eq!(towards_edge(corner), 90);
        }
        assert_eq!((closeness(Square::A1, Square::B1), closeness(Square::A1, Square::H8)), (60, 0));
    }
}
