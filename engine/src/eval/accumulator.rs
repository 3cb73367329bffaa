//! Material and piece squares, kept up to date move by move.

use super::score::Score;
use super::weights::{KingView, Weights, pieces_on};
use crate::Board;
use crate::board::Wing;
use crate::types::{Bitboard, Color, Move, Piece, PieceType, Square};

/// How many pieces of each kind each side has, four bits each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MaterialKey(pub u64);

impl MaterialKey {
    #[inline(always)]
    const fn one(piece: Piece) -> u64 {
        1 << (piece as u32 * 4)
    }

    /// How many of them there are.
    #[inline(always)]
    pub const fn count(self, color: Color, kind: PieceType) -> i32 {
        (self.0 >> (Piece::new(color, kind) as u32 * 4) & 15) as i32
    }

    /// The key of a board, from nothing.
    pub fn of(board: &Board) -> MaterialKey {
        let all = |piece: Piece| u64::from(board.pieces(piece.color(), piece.kind()).count());
        MaterialKey(Piece::ALL.into_iter().map(|piece| MaterialKey::one(piece) * all(piece)).sum())
    }
}

/// What a position's pieces are worth by themselves and by where they stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accumulator {
    /// Material and squares, White's point of view.
    pub score_white: Score,
    /// The count of each piece.
    pub material: MaterialKey,
}

impl Accumulator {
    /// From nothing: what the incremental one must equal.
    pub fn of(board: &Board, weights: &Weights) -> Accumulator {
        let side = |color| weights.sum(pieces_on(board, board.by_color(color)), KingView::of(board, color));
        Accumulator { score_white: side(Color::White) + side(Color::Black), material: MaterialKey::of(board) }
    }

    /// The one after a move that is about to be made on `before`.
    #[inline(always)]
    pub fn after(mut self, before: &Board, m: Move, weights: &Weights) -> Accumulator {
        let us = before.side_to_move();
        let (from, to) = (m.from(), m.to());
        let Some(piece) = before.piece_at(from) else { return self };

        if m.is_capture() {
            let place = if m.is_en_passant() { to.forward(!us) } else { to };
            if let Some(taken) = before.piece_at(place) {
                let their_view = KingView::of(before, !us).index();
                self.score_white -= weights.psqt[their_view][taken.index()][place.index()];
                self.material.0 -= MaterialKey::one(taken);
            }
        }
        if piece.kind() == PieceType::King {
            return self.after_king_move(before, m, weights);
        }
        let arrives = match m.promotion() {
            Some(kind) => Piece::new(us, kind),
            None => piece,
        };
        let table = &weights.psqt[KingView::of(before, us).index()];
        self.score_white += table[arrives.index()][to.index()] - table[piece.index()][from.index()];
        self.material.0 = self.material.0 + MaterialKey::one(arrives) - MaterialKey::one(piece);
        self
    }

    /// A king move may take the rook along. From one wing to the other it changes the tables of both sides.
    fn after_king_move(mut self, before: &Board, m: Move, weights: &Weights) -> Accumulator {
        let us = before.side_to_move();
        let (from, to) = (m.from(), m.to());
        let (king, rook) = (Piece::new(us, PieceType::King), Piece::new(us, PieceType::Rook));
        let mut moved: [Option<(Piece, Square, Square)>; 2] = [Some((king, from, to)), None];
        if m.is_castle() {
            let wing = if to > from { Wing::King } else { Wing::Queen };
            moved = [Some((king, from, wing.king_target(us))), Some((rook, to, wing.rook_target(us)))];
        }
        let king_arrives = moved[0].map_or(to, |(_, _, to)| to);
        let their_king = before.king(!us);
        let views = [KingView::new(from, their_king), KingView::new(king_arrives, their_king)];
        let [view, new_view] = views.map(KingView::index);
        let mut staying = before.by_color(us);
        for (piece, from, to) in moved.into_iter().flatten() {
            self.score_white += weights.psqt[new_view][piece.index()][to.index()]
                - weights.psqt[view][piece.index()][from.index()];
            staying -= Bitboard::of(from);
        }
        if view != new_view {
            let mut change = |pieces: Bitboard, [from, to]: [KingView; 2]| {
                self.score_white +=
                    weights.sum(pieces_on(before, pieces), to) - weights.sum(pieces_on(before, pieces), from);
            };
            change(staying, views);
            let captured = if m.is_capture() { Bitboard::of(to) } else { Bitboard::EMPTY };
            let their_views = [KingView::new(their_king, from), KingView::new(their_king, king_arrives)];
            change(before.by_color(!us) - captured, their_views);
        }
        self
    }
}
