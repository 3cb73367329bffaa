//! What the evaluator reads: the weights bound to the two sides.

use super::params::EvalParams;
use super::score::Score;
use super::style::Style;
use crate::types::{Bitboard, Color, Piece, PieceType, Square, Value};

/// The weights of each side and the tables that follow from them.
#[derive(Clone, Debug)]
pub struct Weights {
    /// `// [color]` the same for both unless a style tells the sides apart
    pub(super) sides: [EvalParams; 2],
    /// `// [half of the board of its king][piece][square]` material and square together, from White's
    /// point of view
    pub(super) psqt: [[[Score; 64]; 12]; 2],
    /// `// [side to move]` what a draw is worth to it
    draw_value: [Value; 2],
}

/// Which half of the board a king stands on: 0 for the files e to h, 1 for a to d.
#[inline(always)]
pub(super) fn king_half(king: Square) -> usize {
    usize::from(king.file() < 4)
}

/// The square as the tables count: seen from the side of `color`, mirrored with its king.
#[inline(always)]
pub(super) fn table_square(color: Color, half: usize, square: Square) -> Square {
    let square = square.relative(color);
    if half == 1 { square.flip_file() } else { square }
}

impl EvalParams {
    /// The weight that stands for a piece being on a square.
    pub(super) fn square_weight(&self, color: Color, kind: PieceType, half: usize, square: Square) -> &Score {
        let square = table_square(color, half, square);
        match kind {
            // The king's own mirroring leaves it only the files e to h, save in the tables built for
            // the half it is not on, which no position reads.
            PieceType::King => &self.king_square[square.rank() as usize * 4 + square.file() as usize % 4],
            _ => &self.psqt[kind.index()][square.index()],
        }
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
        weights
    }

    /// What a draw is worth to the side to move: less than nothing to the engine's side if its style
    /// has contempt, and as much more to the other. No evaluation holds it; the search asks for it.
    #[inline(always)]
    pub fn draw_value(&self, side_to_move: Color) -> Value {
        self.draw_value[side_to_move.index()]
    }

    fn for_sides(sides: [EvalParams; 2]) -> Weights {
        let mut psqt = [[[Score::ZERO; 64]; 12]; 2];
        for (half, table) in psqt.iter_mut().enumerate() {
            for piece in Piece::ALL {
                let (color, kind) = (piece.color(), piece.kind());
                let params = &sides[color.index()];
                for square in Square::all() {
                    let mut score = *params.square_weight(color, kind, half, square);
                    if kind != PieceType::King {
                        score += params.piece_value[kind.index()];
                    }
                    table[piece.index()][square.index()] = if color == Color::White { score } else { -score };
                }
            }
        }
        Weights { sides, psqt, draw_value: [0; 2] }
    }

    /// The weights of one side.
    #[inline(always)]
    pub fn side(&self, color: Color) -> &EvalParams {
        &self.sides[color.index()]
    }

    /// Material and squares of a set of pieces, White's point of view.
    pub(super) fn sum(&self, pieces: impl Iterator<Item = (Piece, Square)>, half: usize) -> Score {
        pieces.fold(Score::ZERO, |sum, (piece, square)| sum + self.psqt[half][piece.index()][square.index()])
    }
}

/// A set of squares is a set of pieces on a board.
pub(super) fn pieces_on(
    board: &crate::Board,
    squares: Bitboard,
) -> impl Iterator<Item = (Piece, Square)> + '_ {
    squares.into_iter().filter_map(|square| board.piece_at(square).map(|piece| (piece, square)))
}
