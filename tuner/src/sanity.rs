//! What a careful reader would notice about a fit.

use std::fmt;

use engine::eval::gradient::Pair;
use engine::eval::{EvalParams, Role};

use crate::curvature::Survey;

/// Fewer positions for a free weight than this are few.
const ENOUGH_POSITIONS: u64 = 100;

/// Pieces dearer or cheaper by more than this factor have drifted.
const DRIFT: f64 = 1.35;

/// The range of a scale factor that has an effect, in 64ths.
const SCALE_RANGE: std::ops::RangeInclusive<f64> = 0.0..=128.0;

/// Something to know.
#[derive(Clone, PartialEq, Debug)]
pub enum Warning {
    /// Weights that no position counted stay as they were.
    NeverExercised(Vec<usize>),
    /// Weights that the engine could not hold, or that have no effect any more out there.
    AtBound(Vec<usize>),
    /// A piece worth nothing or less, or less than a smaller one.
    PieceOrder(String),
    /// Hardly any positions for so many weights.
    FewPositions {
        /// Positions to learn from.
        positions: u64,
        /// Weights that may move.
        weights: usize,
    },
    /// The king danger had to be woken.
    DangerWoken,
    /// The pieces came out much dearer or cheaper than they were.
    Drift {
        /// Their mean worth after, as a share of that before.
        share: f64,
    },
}

/// Names, with neighbours of one line of the list counted together.
fn names(weights: &[usize]) -> String {
    let mut lines: Vec<(&str, Vec<usize>)> = Vec::new();
    for &index in weights {
        let name = EvalParams::field(index).name;
        match lines.last_mut() {
            Some((last, indices)) if *last == name => indices.push(index),
            _ => lines.push((name, vec![index])),
        }
    }
    let shown = lines.into_iter().map(|(name, indices)| match indices.as_slice() {
        [one] => EvalParams::name(*one),
        several if several.len() == EvalParams::field(several[0]).count => name.to_owned(),
        several => format!("{name} ({} of {})", several.len(), EvalParams::field(several[0]).count),
    });
    shown.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::NeverExercised(weights) => write!(
                f,
                "{} weights are counted in no position and stay as they were: {}",
                weights.len(),
                names(weights)
            ),
            Warning::AtBound(weights) => write!(
                f,
                "{} weights ran into a bound: {}; hold them with --l2, or --freeze them",
                weights.len(),
                names(weights)
            ),
            Warning::PieceOrder(text) => write!(f, "{text}: are the labels right?"),
            Warning::FewPositions { positions, weights } => write!(
                f,
                "{positions} positions are few for {weights} weights: tune fewer of them with --only, or raise --l2"
            ),
            Warning::Drift { share } => write!(
                f,
                "the pieces came out at {:.0}% of what they were worth: a centipawn means something else now; \
                 start from weights whose values of the pieces are nearer, or give --k",
                share * 100.0
            ),
            Warning::DangerWoken => f.write_str(
                "all king attack weights of the start are zero, where their slope is zero too: \
                 they begin with a little instead",
            ),
        }
    }
}

/// What is known before the descent.
pub fn before(survey: &Survey, free: &[bool], positions: u64) -> Vec<Warning> {
    let mut warnings = Vec::new();
    // Squares that no pawn can stand on are no news.
    let impossible = |index: usize| {
        let psqt = EvalParams::FIELDS.iter().find(|field| field.name == "psqt");
        psqt.is_some_and(|field| {
            let square = index.wrapping_sub(field.first);
            square < 8 || (56..64).contains(&square)
        })
    };
    let idle: Vec<usize> = (0..EvalParams::COUNT)
        .filter(|&index| free[index] && survey.exercised[index] == 0 && !impossible(index))
        .collect();
    if !idle.is_empty() {
        warnings.push(Warning::NeverExercised(idle));
    }
    let weights = free.iter().filter(|&&free| free).count();
    if positions < ENOUGH_POSITIONS * weights as u64 {
        warnings.push(Warning::FewPositions { positions, weights });
    }
    warnings
}

/// What is known after it; `cut` are weights that had to be cut to fit the engine.
pub fn after(
    before: &[Pair],
    weights: &[Pair],
    survey: &Survey,
    free: &[bool],
    cut: &[usize],
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let outside = |index: usize| {
        EvalParams::ROLES[index] == Role::Scale
            && free[index]
            && survey.exercised[index] > 0
            // This one is an addition to a factor.
            && EvalParams::field(index).name != "scale_opposite_bishops_passed"
            && weights[index].iter().any(|half| !SCALE_RANGE.contains(half))
    };
    let bound: Vec<usize> =
        (0..EvalParams::COUNT).filter(|&index| cut.contains(&index) || outside(index)).collect();
    if !bound.is_empty() {
        warnings.push(Warning::AtBound(bound));
    }
    let names = ["a pawn", "a knight", "a bishop", "a rook", "a queen"];
    let worth: Vec<f64> = piece_values(weights, survey);
    for (name, worth) in names.iter().zip(&worth) {
        if *worth <= 0.0 {
            warnings.push(Warning::PieceOrder(format!("{name} came out at {worth:.0} centipawns")));
        }
    }
    // Pawns are left out: their worth is spread over many weights.
    let mean = |worth: &[f64]| worth[1..].iter().sum::<f64>();
    let share = mean(&worth) / mean(&piece_values(before, survey)).max(1.0);
    if !(1.0 / DRIFT..DRIFT).contains(&share) {
        warnings.push(Warning::Drift { share });
    }
    for (lesser, greater) in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)] {
        if worth[lesser] > worth[greater] && worth[lesser] > 0.0 && worth[greater] > 0.0 {
            let text = format!(
                "{} ({:.0}) came out above {} ({:.0})",
                names[lesser], worth[lesser], names[greater], worth[greater]
            );
            warnings.push(Warning::PieceOrder(text));
        }
    }
    warnings
}

/// What each piece is worth, its mean square and mobility included, halves alike: the three can be shifted
/// against each other without any effect.
pub fn piece_values(weights: &[Pair], survey: &Survey) -> Vec<f64> {
    let mean = |pair: Pair| (pair[0] + pair[1]) / 2.0;
    let average = |first: usize, count: usize| {
        let (mut sum, mut times) = (0.0, 0.0);
        for (weight, &exercised) in weights.iter().zip(&survey.exercised).skip(first).take(count) {
            sum += mean(*weight) * exercised as f64;
            times += exercised as f64;
        }
        if times > 0.0 { sum / times } else { 0.0 }
    };
    let field = |name: &str| EvalParams::FIELDS.iter().find(|field| field.name == name);
    let mobility = ["", "mobility_knight", "mobility_bishop", "mobility_rook", "mobility_queen"];
    (0..5)
        .map(|kind| {
            let own = field("piece_value").map_or(0.0, |field| mean(weights[field.first + kind]));
            let square = field("psqt").map_or(0.0, |field| average(field.first + 64 * kind, 64));
            let moves = field(mobility[kind]).map_or(0.0, |field| average(field.first, field.count));
            own + square + moves
        })
        .collect()
}
