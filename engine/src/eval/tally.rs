//! One side's sum in the making.

use super::params::EvalParams;
use super::score::Score;
use super::trace::{NoTrace, Trace};

/// Adds up what one side's terms count, and tells the trace.
pub(super) struct Tally<'a, T> {
    /// The weights of this side.
    pub params: &'a EvalParams,
    /// What is added as it is.
    pub score: Score,
    /// The danger this side is to the enemy king, before [`danger_value`](super::blend::danger_value).
    pub danger: Score,
    /// Who listens.
    pub trace: T,
}

impl<'a> Tally<'a, NoTrace> {
    /// One that nobody listens to.
    pub fn new(params: &'a EvalParams) -> Tally<'a, NoTrace> {
        Tally::heard_by(NoTrace, params)
    }
}

impl<'a, T: Trace> Tally<'a, T> {
    pub fn heard_by(trace: T, params: &'a EvalParams) -> Tally<'a, T> {
        Tally { params, score: Score::ZERO, danger: Score::ZERO, trace }
    }

    /// A weight, `count` times.
    #[inline(always)]
    pub fn weigh(&mut self, weight: &Score, count: i32) -> Score {
        #[cfg(not(untraced))] // see `examples/trace_cost.rs`
        if T::RECORDING {
            self.trace.record(self.params.index_of(weight), count);
        }
        *weight * count
    }

    /// Lets a function weigh with this side's weights, beside its score: so the score may stay in a
    /// register.
    #[inline(always)]
    pub fn aside(&mut self, weigh: impl FnOnce(&mut Tally<'a, T>) -> Score) -> Score {
        weigh(&mut Tally::heard_by(self.trace, self.params))
    }

    /// Adds a weight, `count` times.
    #[inline(always)]
    pub fn add(&mut self, weight: &Score, count: i32) {
        let weighed = self.weigh(weight, count);
        self.score += weighed;
    }

    /// Adds a weight to the danger, `count` times.
    #[inline(always)]
    pub fn add_danger(&mut self, weight: &Score, count: i32) {
        let weighed = self.weigh(weight, count);
        self.danger += weighed;
    }
}
