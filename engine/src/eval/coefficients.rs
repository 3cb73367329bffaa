//! An evaluation taken apart: how often each weight was counted, so that the value can be computed
//! again from any weights without the board. This is what the tuner works on.
//!
//! With `n[i]` the counts and `w[i]` the weights, both halves alike:
//!
//! 1. `linear` = Σ over [`Role::Linear`] of `w[i] · (white n[i] − black n[i])`
//! 2. per side `danger` = Σ over [`Role::Danger`] of `w[i] · n[i]`; White's [`danger_value`] less Black's
//!    is added to `linear`
//! 3. the side ahead decides whose counts of [`Role::Initiative`] and then of [`Role::Scale`] are summed
//!    (the counts are those that apply if that side is ahead)
//! 4. [`with_initiative`], then [`tapered`] with the scale and the phase, then a known ending
//!
//! Every step has a derivative almost everywhere, see [`gradient`](super::gradient).

use super::blend::{danger_value, side_ahead, tapered, with_ending, with_initiative};
use super::endgame::Ending;
use super::list::Role;
use super::params::EvalParams;
use super::score::Score;
use crate::types::{Color, Value};

/// How often the two sides counted one weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coefficient {
    /// The weight's flat index.
    pub index: u16,
    /// White's count.
    pub white: i16,
    /// Black's count.
    pub black: i16,
}

impl Coefficient {
    /// One side's count.
    #[inline(always)]
    pub fn of(&self, color: Color) -> i32 {
        i32::from(match color {
            Color::White => self.white,
            Color::Black => self.black,
        })
    }

    /// White's count less Black's: all that matters for a linear weight.
    #[inline(always)]
    pub fn net(&self) -> i32 {
        i32::from(self.white) - i32::from(self.black)
    }
}

const _: () = assert!(EvalParams::COUNT <= u16::MAX as usize);

/// A position as the weights see it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coefficients {
    /// The weights that were counted, in the order of the list. Each enters by its [`Role`].
    pub counted: Vec<Coefficient>,
    /// 0 to [`FULL_PHASE`](super::FULL_PHASE): how much the middlegame half counts.
    pub phase: i32,
    /// What is known about the ending, if anything: no weight changes it.
    pub ending: Option<Ending>,
}

impl Coefficients {
    /// The evaluation with these weights, from White's point of view: the very number that
    /// [`evaluate_white`](super::evaluate_white) gives with them.
    pub fn reconstruct(&self, params: &EvalParams) -> Value {
        self.assemble(&params.to_vec()).value_white
    }

    /// The same step by step, from weights as a vector in the order of the list.
    pub fn assemble(&self, weights: &[Score]) -> Assembly {
        self.assemble_sides(weights, weights)
    }

    /// The same with each side's own weights, as a style gives them.
    pub fn assemble_sides(&self, white: &[Score], black: &[Score]) -> Assembly {
        let [mut linear, mut initiatives, mut scales, mut dangers] = [[Score::ZERO; 2]; 4];
        for coefficient in &self.counted {
            let index = usize::from(coefficient.index);
            let sums = match EvalParams::ROLES[index] {
                Role::Linear => &mut linear,
                Role::Danger => &mut dangers,
                Role::Initiative => &mut initiatives,
                Role::Scale => &mut scales,
            };
            sums[0] += white[index] * coefficient.of(Color::White);
            sums[1] += black[index] * coefficient.of(Color::Black);
        }
        CountedSums { linear: linear[0] - linear[1], dangers, initiatives, scales }
            .assemble(self.phase, self.ending)
    }
}

/// The sums of weights times counts that an evaluation is made of.
#[derive(Clone, Copy, Default, Debug)]
pub struct CountedSums {
    /// Over [`Role::Linear`], White's less Black's.
    pub linear: Score,
    /// `// [color]` over [`Role::Danger`]
    pub dangers: [Score; 2],
    /// `// [color]` over [`Role::Initiative`]
    pub initiatives: [Score; 2],
    /// `// [color]` over [`Role::Scale`]
    pub scales: [Score; 2],
}

impl CountedSums {
    /// The steps from these sums to the value.
    #[inline]
    pub fn assemble(&self, phase: i32, ending: Option<Ending>) -> Assembly {
        let danger_values = self.dangers.map(danger_value);
        let sum_white = self.linear + danger_values[0] - danger_values[1];
        let leader = side_ahead(sum_white);
        let initiative = self.initiatives[leader.index()];
        let with_initiative_white = with_initiative(sum_white, initiative);
        let strong = side_ahead(with_initiative_white);
        let scale = self.scales[strong.index()];
        let tapered_white = tapered(with_initiative_white, scale, phase);
        Assembly {
            dangers: self.dangers,
            sum_white,
            initiative,
            with_initiative_white,
            strong,
            scale,
            tapered_white,
            value_white: with_ending(tapered_white, ending),
        }
    }
}

/// The steps from sums to a value.
#[derive(Clone, Copy, Debug)]
pub struct Assembly {
    /// `// [color]` each side's danger to the enemy king, before [`danger_value`]
    pub dangers: [Score; 2],
    /// Linear terms and danger, White's point of view.
    pub sum_white: Score,
    /// How winnable the position is for the side ahead.
    pub initiative: Score,
    /// After the initiative, White's point of view.
    pub with_initiative_white: Score,
    /// The side whose advantage is scaled.
    pub strong: Color,
    /// Its scale factors in 64ths.
    pub scale: Score,
    /// After scale and phase, White's point of view.
    pub tapered_white: Value,
    /// After a known ending: the evaluation, White's point of view.
    pub value_white: Value,
}
