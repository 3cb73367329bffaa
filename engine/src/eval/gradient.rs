//! The evaluation as a smooth function of its weights, with its derivative: what a tuner descends on.
//!
//! The same steps as [`Coefficients::assemble`], in floating point and without rounding.

use super::blend::{DANGER_LIMIT, DANGER_UNIT, FULL_PHASE, SCALE_LIMIT};
use super::coefficients::Coefficients;
use super::endgame::{Ending, SCALE_FULL};
use super::list::Role;
use super::params::EvalParams;
use crate::types::Color;

/// A weight in floating point: middlegame, endgame.
pub type Pair = [f64; 2];

impl Coefficients {
    /// The value from White's point of view, in centipawns, and through `see(index, [mg, eg])` how it
    /// changes with every weight that was counted.
    pub fn value_and_gradient(&self, weights: &[Pair], mut see: impl FnMut(usize, Pair)) -> f64 {
        let mut sums = Sums { phase: self.phase, ending: self.ending, ..Sums::default() };
        for coefficient in &self.counted {
            let index = usize::from(coefficient.index);
            let weight = weights[index];
            let by_color = match EvalParams::ROLES[index] {
                Role::Linear => {
                    let net = f64::from(coefficient.net());
                    sums.linear = [sums.linear[0] + weight[0] * net, sums.linear[1] + weight[1] * net];
                    continue;
                }
                Role::Danger => &mut sums.dangers,
                Role::Initiative => &mut sums.initiatives,
                Role::Scale => &mut sums.scales,
            };
            for color in Color::ALL {
                for half in 0..2 {
                    by_color[color.index()][half] += weight[half] * f64::from(coefficient.of(color));
                }
            }
        }
        let slopes = sums.value_and_slopes();
        for coefficient in &self.counted {
            let index = usize::from(coefficient.index);
            let by_color = match EvalParams::ROLES[index] {
                Role::Linear => {
                    see(index, slopes.linear.map(|slope| slope * f64::from(coefficient.net())));
                    continue;
                }
                Role::Danger => slopes.dangers,
                Role::Initiative => slopes.initiatives,
                Role::Scale => slopes.scales,
            };
            let [white, black] = Color::ALL.map(|color| f64::from(coefficient.of(color)));
            see(index, std::array::from_fn(|half| by_color[0][half] * white + by_color[1][half] * black));
        }
        slopes.value_white
    }
}

/// The sums of weights times counts that an evaluation is made of, in floating point.
#[derive(Clone, Copy, Default, Debug)]
pub struct Sums {
    /// Over [`Role::Linear`], White's less Black's.
    pub linear: Pair,
    /// `// [color][half]` over [`Role::Danger`]
    pub dangers: [Pair; 2],
    /// `// [color][half]` over [`Role::Initiative`]
    pub initiatives: [Pair; 2],
    /// `// [color][half]` over [`Role::Scale`]
    pub scales: [Pair; 2],
    /// 0 to [`FULL_PHASE`]
    pub phase: i32,
    /// What is known about the ending.
    pub ending: Option<Ending>,
    /// How wide the kinks of the initiative are rounded, in centipawns; 0 is the evaluation itself. With kinks, where it
    /// counts no further than the advantage, the loss of many positions has more local minima than anybody could visit.
    pub softness: f64,
}

/// The value that [`Sums`] give, and how it moves with each of them.
#[derive(Clone, Copy, Default, Debug)]
pub struct Slopes {
    /// In centipawns.
    pub value_white: f64,
    /// Along [`Sums::linear`].
    pub linear: Pair,
    /// `// [color][half]` along [`Sums::dangers`]
    pub dangers: [Pair; 2],
    /// `// [color][half]` along [`Sums::initiatives`]
    pub initiatives: [Pair; 2],
    /// `// [color][half]` along [`Sums::scales`]
    pub scales: [Pair; 2],
}

impl Sums {
    /// The steps of [`Coefficients::assemble`] forwards, then backwards.
    #[inline(always)]
    pub fn value_and_slopes(&self) -> Slopes {
        let unit = f64::from(DANGER_UNIT);
        let limit = f64::from(DANGER_LIMIT);
        let danger_value = |danger: f64| {
            let danger = danger.clamp(0.0, limit);
            danger * danger / unit
        };
        let danger_slope =
            |danger: f64| if danger > 0.0 && danger < limit { 2.0 * danger / unit } else { 0.0 };
        let [white_danger, black_danger] = self.dangers;
        let sum: Pair = std::array::from_fn(|half| {
            self.linear[half] + danger_value(white_danger[half]) - danger_value(black_danger[half])
        });
        let leader = side_ahead(sum);
        let initiative = self.initiatives[leader.index()];
        let (mut moved, mut moved_by_sum, mut moved_by_initiative) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        for half in 0..2 {
            (moved[half], moved_by_sum[half], moved_by_initiative[half]) =
                with_initiative(sum[half], initiative[half], self.softness);
        }
        let strong = side_ahead(moved);
        let scale = self.scales[strong.index()];
        let phase = f64::from(self.phase) / f64::from(FULL_PHASE);
        let share: Pair = [phase, 1.0 - phase];
        let full = f64::from(SCALE_FULL);
        let top = f64::from(SCALE_LIMIT);
        let value: f64 =
            (0..2).map(|half| moved[half] * scale[half].clamp(0.0, top) / full * share[half]).sum();
        let kept = match self.ending {
            Some(Ending::Value(known_white)) => {
                return Slopes { value_white: f64::from(known_white), ..Slopes::default() };
            }
            Some(Ending::Scale { factors }) => {
                let ahead = if value > 0.0 { Color::White } else { Color::Black };
                f64::from(factors[ahead.index()]) / full
            }
            None => 1.0,
        };

        let by_moved: Pair =
            std::array::from_fn(|half| kept * scale[half].clamp(0.0, top) / full * share[half]);
        let by_sum: Pair = std::array::from_fn(|half| by_moved[half] * moved_by_sum[half]);
        let mut slopes = Slopes { value_white: value * kept, linear: by_sum, ..Slopes::default() };
        for half in 0..2 {
            slopes.dangers[0][half] = by_sum[half] * danger_slope(white_danger[half]);
            slopes.dangers[1][half] = -by_sum[half] * danger_slope(black_danger[half]);
            slopes.initiatives[leader.index()][half] = by_moved[half] * moved_by_initiative[half];
            if scale[half] > 0.0 && scale[half] < top {
                slopes.scales[strong.index()][half] = kept * moved[half] / full * share[half];
            }
        }
        slopes
    }
}

/// A half with its initiative, and how that moves with each of the two. The initiative counts only up to the size of the half
/// itself, either way.
#[inline(always)]
fn with_initiative(sum: f64, initiative: f64, softness: f64) -> (f64, f64, f64) {
    if softness == 0.0 {
        let sign = if sum == 0.0 { 0.0 } else { sum.signum() };
        let size = sum.abs();
        let moved = sum + sign * initiative.clamp(-size, size);
        return match initiative.abs() < size {
            true => (moved, 1.0, sign),
            false => (moved, if initiative > 0.0 { 2.0 } else { 0.0 }, 0.0),
        };
    }
    // The same as a difference of two absolute values, whose kinks are rounded.
    let rounded = |number: f64| {
        let size = (number * number + softness * softness).sqrt();
        (size / 2.0, number / size / 2.0)
    };
    let ((with, slope_with), (without, slope_without)) =
        (rounded(sum + initiative), rounded(sum - initiative));
    (sum + with - without, 1.0 + slope_with - slope_without, slope_with + slope_without)
}

fn side_ahead(sum_white: Pair) -> Color {
    let [mg, eg] = sum_white;
    if eg > 0.0 || (eg == 0.0 && mg > 0.0) { Color::White } else { Color::Black }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Board;
    use crate::eval::{Weights, trace};

    const POSITIONS: [&str; 6] = [
        "r4rk1/pppn1qbp/3p2p1/3Pnp2/2P1p3/2N1B2P/PP1QBPP1/2KR3R w - - 0 16",
        "r1b1k2r/1pqnbppp/p2ppn2/6B1/3NPP2/2N2Q2/PPP3PP/2KR1B1R w kq - 4 10",
        "r5k1/2p2ppp/1p6/p2rPb2/P1NR4/2P3P1/1P3P1P/3R2K1 b - - 2 26",
        "8/5kp1/4bp1p/3p4/1P1B1P2/4K1P1/7P/8 w - - 4 41",
        "8/p4pk1/1p4p1/2pr3p/2R4P/PP2K1P1/5P2/8 b - - 3 36",
        "3q1rk1/1b3pp1/p3p2p/1p2n3/3BP3/P2Q1P2/1P2B1PP/4R1K1 b - - 3 24",
    ];

    fn flat(params: &EvalParams) -> Vec<Pair> {
        params.to_vec().iter().map(|weight| [f64::from(weight.mg()), f64::from(weight.eg())]).collect()
    }

    #[test]
    fn the_smooth_value_is_the_evaluation_but_for_rounding() {
        let params = EvalParams::default();
        let weights = flat(&params);
        for fen in POSITIONS {
            let board = Board::from_fen(fen).unwrap();
            let coefficients = trace(&board, &Weights::new(&params));
            let smooth = coefficients.value_and_gradient(&weights, |_, _| {});
            let exact = f64::from(coefficients.reconstruct(&params));
            // The danger of each side and half loses less than one, and so does the blend.
            assert!((smooth - exact).abs() < 3.0, "{fen}: {smooth} {exact}");
        }
    }

    #[test]
    fn the_gradient_is_what_small_steps_measure() {
        let mut weights = flat(&EvalParams::default());
        let mut kinds_seen = Vec::new();
        for fen in POSITIONS {
            let board = Board::from_fen(fen).unwrap();
            let coefficients = trace(&board, &Weights::new(&EvalParams::default()));
            let mut gradient = Vec::new();
            coefficients.value_and_gradient(&weights, |index, slope| gradient.push((index, slope)));
            for (index, slope) in gradient {
                for half in 0..2 {
                    let step = 1e-3;
                    let kept = weights[index][half];
                    let mut value_at = |weight: f64| {
                        weights[index][half] = weight;
                        coefficients.value_and_gradient(&weights, |_, _| {})
                    };
                    let measured = (value_at(kept + step) - value_at(kept - step)) / (2.0 * step);
                    weights[index][half] = kept;
                    let name = EvalParams::name(index);
                    assert!((measured - slope[half]).abs() < 1e-4, "{fen} {name}: {measured} {slope:?}");
                    if slope[half] != 0.0 && !kinds_seen.contains(&EvalParams::ROLES[index]) {
                        kinds_seen.push(EvalParams::ROLES[index]);
                    }
                }
            }
        }
        assert_eq!(kinds_seen.len(), 4, "every role has a slope somewhere: {kinds_seen:?}");
    }

    #[test]
    fn rounded_kinks_have_the_slope_that_small_steps_measure() {
        // On both sides of the kinks at ±20, and where the initiative makes more of an advantage.
        for (linear, initiative) in
            [(-60.0, -20.0), (-21.0, -20.0), (5.0, -20.0), (19.0, -20.0), (15.0, 20.0), (90.0, 20.0)]
        {
            let at = |linear: f64, initiative: f64, softness: f64| {
                let scales = [[64.0; 2]; 2];
                Sums {
                    linear: [linear; 2],
                    initiatives: [[initiative; 2]; 2],
                    scales,
                    phase: 10,
                    softness,
                    ..Sums::default()
                }
                .value_and_slopes()
            };
            let soft = at(linear, initiative, 4.0);
            let step = 1e-4;
            let measured = |more: [f64; 2]| {
                let [after, before] = [step, -step]
                    .map(|step| at(linear + step * more[0], initiative + step * more[1], 4.0).value_white);
                (after - before) / (2.0 * step)
            };
            let slopes = [soft.linear.iter().sum::<f64>(), soft.initiatives.iter().flatten().sum()];
            for (slope, measured) in slopes.into_iter().zip([measured([1.0, 0.0]), measured([0.0, 1.0])]) {
                assert!((slope - measured).abs() < 1e-6, "{linear} {initiative}: {slope} {measured}");
            }
            let exact = at(linear, initiative, 0.0).value_white;
            let moved = linear + linear.signum() * initiative.clamp(-linear.abs(), linear.abs());
            assert!((exact - moved).abs() < 1e-9, "{linear} {initiative}: {exact}");
            assert!((soft.value_white - exact).abs() < 4.0, "{linear} {initiative}");
        }
    }
}
