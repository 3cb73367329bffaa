//! How the sums become one number: danger, initiative, scale, phase. The evaluation and
//! [`Coefficients::reconstruct`](super::coefficients::Coefficients::reconstruct) both end here, so they
//! cannot disagree.

use super::endgame::{Ending, SCALE_FULL};
use super::score::Score;
use crate::types::{Color, Value, value};

/// The phase of a board with every piece on it: minor pieces count 1, rooks 2, queens 4.
pub const FULL_PHASE: i32 = 24;

/// A danger of this many units is worth as many centipawns; twice as many, four times that.
pub const DANGER_UNIT: i32 = 1024;

/// The most units of danger that count: beyond, the king is lost anyway.
pub const DANGER_LIMIT: i32 = 1400;

/// The widest scale factor, in 64ths.
pub const SCALE_LIMIT: i32 = 2 * SCALE_FULL;

/// What a danger is worth in centipawns: its square, where it is positive. Each half by itself.
///
/// The derivative that a tuner needs is `2 d / DANGER_UNIT` between 0 and [`DANGER_LIMIT`], and 0
/// outside.
#[inline(always)]
pub fn danger_value(danger: Score) -> Score {
    let value = |half: i32| {
        let half = half.clamp(0, DANGER_LIMIT);
        half * half / DANGER_UNIT
    };
    Score::new(value(danger.mg()), value(danger.eg()))
}

/// The side that is ahead: in the endgame half, or in the other if that one is level.
#[inline(always)]
pub fn side_ahead(score_white: Score) -> Color {
    let (mg, eg) = (score_white.mg(), score_white.eg());
    if eg > 0 || (eg == 0 && mg > 0) { Color::White } else { Color::Black }
}

/// Moves each half by the initiative in the direction of its sign: never past zero, and never by more
/// than the half itself, so that a hair's breadth of an advantage does not become a large one.
#[inline(always)]
pub fn with_initiative(score_white: Score, initiative: Score) -> Score {
    let half =
        |score: i32, initiative: i32| score + score.signum() * initiative.clamp(-score.abs(), score.abs());
    Score::new(half(score_white.mg(), initiative.mg()), half(score_white.eg(), initiative.eg()))
}

/// Blends the halves by phase, each under its scale factor.
#[inline(always)]
pub fn tapered(score_white: Score, scale: Score, phase: i32) -> Value {
    let mg_scale = scale.mg().clamp(0, SCALE_LIMIT);
    let eg_scale = scale.eg().clamp(0, SCALE_LIMIT);
    let mg = score_white.mg() * mg_scale * phase;
    let eg = score_white.eg() * eg_scale * (FULL_PHASE - phase);
    (mg + eg) / (FULL_PHASE * SCALE_FULL)
}

/// What is left of a value when an ending is known, within the limit of an evaluation.
#[inline(always)]
pub fn with_ending(value_white: Value, ending: Option<Ending>) -> Value {
    let value_white = match ending {
        Some(Ending::Value(known_white)) => known_white,
        Some(Ending::Scale { factors }) => {
            let ahead = if value_white > 0 { Color::White } else { Color::Black };
            value_white * factors[ahead.index()] / SCALE_FULL
        }
        None => value_white,
    };
    value_white.clamp(-value::EVAL_LIMIT, value::EVAL_LIMIT)
}
