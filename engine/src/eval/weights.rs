//! What the evaluator reads: the weights bound to the two sides.

use super::accumulator::MaterialKey;
use super::params::EvalParams;
use super::score::Score;
use super::style::Style;
use super::temper::Temper;
use crate::Board;
use crate::types::{Bitboard, Color, Piece, PieceType, Square, Value};

/// The weights of each side and the tables that follow from them.
#[derive(Clone, Debug)]
pub struct Weights {
    /// `// [color]` the same for both unless a style tells the sides apart
    sides: [EvalParams; 2],
    /// `// [color]` where in `sides` its weights are: if they are the same for both, in one place, so that they
    /// need room in the cache only once
    place: [usize; 2],
    /// `// [kings as its side sees them][piece][square]` material and square together, from White's point
    /// of view
    pub(super) psqt: [[[Score; 64]; 12]; KingView::COUNT],
    /// `// [side to move]` what a draw is worth to it
    draw_value: [Value; 2],
    /// A style's temper, and whose it is.
    pub(super) temper: Option<(Temper, Color)>,
}

/// What one side's tables of squares depend on: the wing of its own king, and whether the other king is on
/// the other wing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KingView(u8);

impl KingView {
    const COUNT: usize = 4;
    const MIRRORED: u8 = 1;
    const APART: u8 = 2;

    /// The view of the side whose king is `own`.
    #[inline(always)]
    pub fn new(own: Square, other: Square) -> KingView {
        let on_queen_side = |king: Square| u8::from(king.file() < 4);
        let mirrored = on_queen_side(own);
        KingView(mirrored * Self::MIRRORED + (mirrored ^ on_queen_side(other)) * Self::APART)
    }

    /// The view of one side on a board.
    #[inline(always)]
    pub fn of(board: &Board, color: Color) -> KingView {
        KingView::new(board.king(color), board.king(!color))
    }

    fn all() -> impl Iterator<Item = KingView> {
        (0..Self::COUNT as u8).map(KingView)
    }

    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    #[inline(always)]
    pub const fn is_apart(self) -> bool {
        self.0 & Self::APART != 0
    }

    /// The square as the tables count: seen from the side of `color`, mirrored with its king.
    #[inline(always)]
    pub fn table_square(self, color: Color, square: Square) -> Square {
        let square = square.relative(color);
        if self.0 & Self::MIRRORED != 0 { square.flip_file() } else { square }
    }
}

impl EvalParams {
    /// The weights that stand for a piece being on a square.
    #[inline(always)]
    pub(super) fn square_weights(
        &self,
        color: Color,
        kind: PieceType,
        view: KingView,
        square: Square,
    ) -> impl Iterator<Item = &Score> {
        let square = view.table_square(color, square);
        let (material, place, apart) = match kind {
            // The king's own mirroring leaves it only the files e to h, save in the tables built for
            // the half it is not on, which no position reads.
            PieceType::King => {
                (None, &self.king_square[square.rank() as usize * 4 + square.file() as usize % 4], None)
            }
            _ => {
                let (kind, square) = (kind.index(), square.index());
                let apart = view.is_apart().then(|| &self.psqt_apart[kind][square]);
                (Some(&self.piece_value[kind]), &self.psqt[kind][square], apart)
            }
        };
        [material, Some(place), apart].into_iter().flatten()
    }
}

impl Weights {
    /// The same weights for both sides.
    pub fn new(params: &EvalParams) -> Weights {
        Weights::for_sides([params.clone(), params.clone()])
    }

    /// The weights under a style of the engine's, which plays `own`.
    pub fn with_style(params: &EvalParams, style: &Style, own: Color) -> Weights {
        let (ours, theirs) = style.apply(params);
        let sides = if own == Color::White { [ours, theirs] } else { [theirs, ours] };
        let mut weights = Weights::for_sides(sides);
        weights.draw_value[own.index()] = -style.contempt;
        weights.draw_value[(!own).index()] = style.contempt;
        weights.temper = (style.temper != Temper::default()).then_some((style.temper, own));
        weights
    }

    /// What a draw is worth to the side to move: less than nothing to the engine's side if its style
    /// has contempt, and as much more to the other. No evaluation holds it; the search asks for it.
    #[inline(always)]
    pub fn draw_value(&self, side_to_move: Color) -> Value {
        self.draw_value[side_to_move.index()]
    }

    /// What a move that offers material is worth beyond its value, to the side to move. Nothing to who is behind
    /// already: one offer at a time.
    pub(crate) fn taste_for_offers(&self, board: &Board) -> Value {
        let side = board.side_to_move();
        let is_mine = |(_, own): &(Temper, Color)| *own == side;
        let is_behind = || Temper::pawns_behind(MaterialKey::of(board), side) > 0;
        let taste = self.temper.filter(is_mine).map_or(0, |(temper, _)| temper.offer);
        if taste == 0 || is_behind() { 0 } else { taste }
    }

    fn for_sides(sides: [EvalParams; 2]) -> Weights {
        let mut psqt = [[[Score::ZERO; 64]; 12]; KingView::COUNT];
        for view in KingView::all() {
            for piece in Piece::ALL {
                let (color, kind) = (piece.color(), piece.kind());
                let params = &sides[color.index()];
                for square in Square::all() {
                    let weights = params.square_weights(color, kind, view, square);
                    let score = weights.fold(Score::ZERO, |sum, weight| sum + *weight);
                    psqt[view.index()][piece.index()][square.index()] =
                        if color == Color::White { score } else { -score };
                }
            }
        }
        let place = [0, usize::from(sides[0] != sides[1])];
        Weights { sides, place, psqt, draw_value: [0; 2], temper: None }
    }

    /// The weights of one side.
    #[inline(always)]
    pub fn side(&self, color: Color) -> &EvalParams {
        &self.sides[self.place[color.index()]]
    }

    /// Material and squares of a set of pieces, White's point of view.
    pub(super) fn sum(&self, pieces: impl Iterator<Item = (Piece, Square)>, view: KingView) -> Score {
        let table = &self.psqt[view.index()];
        pieces.fold(Score::ZERO, |sum, (piece, square)| sum + table[piece.index()][square.index()])
    }
}

/// A set of squares is a set of pieces on a board.
pub(super) fn pieces_on(board: &Board, squares: Bitboard) -> impl Iterator<Item = (Piece, Square)> + '_ {
    squares.into_iter().filter_map(|square| board.piece_at(square).map(|piece| (piece, square)))
}
