//! The evaluation: how good a position is, in centipawns, without looking ahead.

mod accumulator;
mod defaults;
mod list;
mod params;
mod score;
mod weights;

pub use accumulator::{Accumulator, MaterialKey};
pub use list::{Field, Role, Shape, Weight};
pub use params::EvalParams;
pub use score::Score;
pub use weights::Weights;

use std::sync::Arc;

use crate::Board;
use crate::types::{Color, MAX_PLY, Move, PieceType, Value, value};

/// The phase of a board with every piece on it.
pub const FULL_PHASE: i32 = 24;

/// Evaluates positions for one search thread.
pub struct Evaluator {
    weights: Arc<Weights>,
    /// One for the root and one for every move made since; the last is that of the board.
    accumulators: Vec<Accumulator>,
}

impl Evaluator {
    /// An evaluator of the start position: [`Evaluator::reset`] it for any other.
    pub fn new(weights: Arc<Weights>) -> Evaluator {
        let mut accumulators = Vec::with_capacity(MAX_PLY + 1);
        accumulators.push(Accumulator::of(&Board::start(), &weights));
        Evaluator { weights, accumulators }
    }

    /// The weights it reads.
    pub fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// Begins anew at a board.
    pub fn reset(&mut self, board: &Board) {
        self.accumulators.clear();
        self.accumulators.push(Accumulator::of(board, &self.weights));
    }

    /// Follows a move, called just before it is made on the board.
    #[inline(always)]
    pub fn make(&mut self, before: &Board, m: Move) {
        let next = self.current().after(before, m, &self.weights);
        self.accumulators.push(next);
    }

    /// Follows taking the last move back.
    #[inline(always)]
    pub fn unmake(&mut self) {
        debug_assert!(self.accumulators.len() > 1, "unmake follows a make");
        self.accumulators.pop();
    }

    #[inline(always)]
    fn current(&self) -> Accumulator {
        self.accumulators[self.accumulators.len() - 1]
    }

    /// Forgets what was cached of earlier positions.
    pub fn clear(&mut self) {}

    /// The value for the side to move, tempo included, within ±[`value::EVAL_LIMIT`].
    pub fn evaluate(&mut self, board: &Board) -> Value {
        let accumulator = self.current();
        debug_assert_eq!(accumulator, Accumulator::of(board, &self.weights));
        let us = board.side_to_move();
        let mut score_stm = accumulator.score_white;
        if us == Color::Black {
            score_stm = -score_stm;
        }
        score_stm += self.weights.side(us).tempo;
        let count = |kind| {
            accumulator.material.count(Color::White, kind) + accumulator.material.count(Color::Black, kind)
        };
        let phase = (count(PieceType::Knight)
            + count(PieceType::Bishop)
            + 2 * count(PieceType::Rook)
            + 4 * count(PieceType::Queen))
        .min(FULL_PHASE);
        let value = (score_stm.mg() * phase + score_stm.eg() * (FULL_PHASE - phase)) / FULL_PHASE;
        value.clamp(-value::EVAL_LIMIT, value::EVAL_LIMIT)
    }
}

#[cfg(test)]
mod tests;
