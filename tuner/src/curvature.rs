//! How the loss curves, so that the minimiser can take steps of the right size in every direction.
//!
//! Near a minimum the loss of a least-squares problem curves like `H = 2 Σ g gᵀ / n`, with `g` the slope of a
//! position's prediction (Gauss and Newton). Its diagonal is summed over all positions. How weights go
//! together is learned from a sample of positions and kept as correlations, shrunk a little towards none, so
//! that directions the sample hardly knows stay tame. The minimiser then works on variables in which `H`
//! is nearly the identity.

use engine::eval::gradient::Pair;
use engine::eval::{EvalParams, Role};
use rayon::prelude::*;

use crate::columns::TABLE;
use crate::objective::Objective;
use crate::random::splitmix;
use crate::store::Row;
use crate::vector::widely;

/// Positions in the sample for correlations, a weight.
const SAMPLED_PER_WEIGHT: usize = 60;

/// In so many positions of the sample each weight is seen, as far as there are as many: positions with rare weights
/// are taken more often, and count for less. From two or three positions a weight would look as if it went
/// together with everything else in them.
const SEEN: f64 = 100.0;

/// The sample is summed in so many parts, always, so that the sums are the same on any number of threads.
const PARTS: usize = 2;

/// How variables are rescaled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Scaling {
    /// Each weight by its own curvature
    Diagonal,
    /// With correlations between weights
    Full,
}

/// One variable of the fit: a weight and a half of it.
pub type Variable = (usize, usize);

/// Whether a variable makes the evaluation jump. The side that is ahead at the end is the one whose factors
/// apply, to the middlegame half as well: if those differed, a position's value would jump where its endgame
/// half passes zero, and no slope tells of a jump. So the middlegame factors stay as they are.
fn jumps((weight, half): Variable) -> bool {
    EvalParams::ROLES[weight] == Role::Scale && half == 0
}

/// The change of variables.
pub struct Preconditioner {
    /// The variables that have a slope anywhere, in order.
    pub variables: Vec<Variable>,
    /// `// [variable]` one over the root of its curvature
    unit: Vec<f64>,
    /// The lower triangle of the correlations' root, row by row; empty for [`Scaling::Diagonal`].
    root: Vec<f64>,
}

/// What a look at all positions tells about the weights.
pub struct Survey {
    /// `// [weight]` in how many positions each was counted
    pub exercised: Vec<u64>,
    /// `// [weight]` the diagonal of the curvature
    pub diagonal: Vec<Pair>,
}

/// Surveys the positions at these weights.
pub fn survey(objective: &Objective, weights: &[Pair]) -> Survey {
    let store = objective.store;
    let columns = &store.columns;
    let spread = columns.spread(weights);
    let parts: Vec<Vec<[f64; 3]>> = store
        .chunks()
        .par_iter()
        .map(|chunk| {
            let mut sums = vec![[0.0; 3]; TABLE];
            store.for_each(chunk, &spread, |row| {
                let by_value = by_value(objective, row.slopes.value_white);
                row.for_each_column(|column, count, slope| {
                    let by_count = by_value * count;
                    let (mg, eg) = (by_count * slope[0], by_count * slope[1]);
                    let sum = &mut sums[usize::from(column) % TABLE];
                    *sum = [sum[0] + mg * mg, sum[1] + eg * eg, sum[2] + 1.0];
                });
            });
            sums
        })
        .collect();
    let mut survey =
        Survey { exercised: vec![0; EvalParams::COUNT], diagonal: vec![[0.0; 2]; EvalParams::COUNT] };
    let share = 2.0 / store.len() as f64;
    for part in parts {
        for (column, [mg, eg, times]) in part.into_iter().enumerate() {
            let Some(weight) = columns.weight(column) else { break };
            let sum = &mut survey.diagonal[weight];
            *sum = [sum[0] + share * mg, sum[1] + share * eg];
            survey.exercised[weight] += times as u64;
        }
    }
    survey
}

/// How the predicted score moves with the value.
fn by_value(objective: &Objective, value_white: f64) -> f64 {
    let expected = objective.sigmoid.expected(value_white);
    expected * (1.0 - expected) * objective.sigmoid.steepness()
}

impl Preconditioner {
    /// The change of variables for weights that are free to move. `ridge` is the curvature that a penalty
    /// adds to every variable; `shrinkage` makes correlations smaller, so that directions that the sample
    /// hardly knows, or that bend soon, stay tame.
    pub fn new(
        objective: &Objective,
        weights: &[Pair],
        survey: &Survey,
        free: &[bool],
        ridge: f64,
        scaling: Scaling,
        shrinkage: f64,
    ) -> Preconditioner {
        let candidates = (0..EvalParams::COUNT)
            .filter(|&weight| free[weight])
            .flat_map(|weight| [(weight, 0), (weight, 1)])
            .filter(|&variable| !jumps(variable));
        match scaling {
            Scaling::Diagonal => {
                let curvature = |&(weight, half): &Variable| survey.diagonal[weight][half];
                let variables: Vec<Variable> = candidates.filter(|v| curvature(v) > 0.0).collect();
                let unit = variables.iter().map(|v| (curvature(v) + ridge).sqrt().recip()).collect();
                Preconditioner { variables, unit, root: Vec::new() }
            }
            Scaling::Full => {
                let sample = Sample::draw(objective, weights, free, &survey.exercised);
                let variables: Vec<Variable> = candidates.filter(|&v| sample.curvature(v, v) > 0.0).collect();
                // Scaled by what the sample itself says: shifting the value of a piece to its squares and back
                // changes nothing, and scales from elsewhere would hide that.
                let unit: Vec<f64> =
                    variables.iter().map(|&v| (sample.curvature(v, v) + ridge).sqrt().recip()).collect();
                let mut lower = Vec::with_capacity(variables.len() * (variables.len() + 1) / 2);
                for (row, &variable) in variables.iter().enumerate() {
                    let before = variables[..row].iter().zip(&unit);
                    lower.extend(before.map(|(&other, other_unit)| {
                        (1.0 - shrinkage) * sample.curvature(variable, other) * unit[row] * other_unit
                    }));
                    lower.push(1.0);
                }
                let size = variables.len();
                drop(sample);
                Preconditioner { variables, unit, root: widely(|| cholesky(lower, size)) }
            }
        }
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether nothing may move.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.root[row * (row + 1) / 2..][..row + 1]
    }

    /// A step of weights from one of the variables.
    pub fn step(&self, variables: &[f64]) -> Vec<f64> {
        let mut step = variables.to_vec();
        if !self.root.is_empty() {
            for row in (0..step.len()).rev() {
                let entries = self.row(row);
                step[row] /= entries[row];
                let solved = step[row];
                for (other, entry) in step[..row].iter_mut().zip(entries) {
                    *other -= entry * solved;
                }
            }
        }
        step.iter().zip(&self.unit).map(|(step, unit)| step * unit).collect()
    }

    /// The slope along the variables from that along the weights, `// [weight]`.
    pub fn slope(&self, gradient: &[Pair]) -> Vec<f64> {
        let of = |(&(weight, half), unit): (&Variable, &f64)| gradient[weight][half] * unit;
        let mut slope: Vec<f64> = self.variables.iter().zip(&self.unit).map(of).collect();
        if !self.root.is_empty() {
            for row in 0..slope.len() {
                let entries = self.row(row);
                let (solved, rest) = slope.split_at_mut(row);
                rest[0] = (rest[0] - dot(entries, solved)) / entries[row];
            }
        }
        slope
    }
}

/// The sum of products, eight at a time. `a` may be longer.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let a = &a[..b.len()];
    let (mut eights_a, mut eights_b) = (a.chunks_exact(8), b.chunks_exact(8));
    for (a, b) in eights_a.by_ref().zip(eights_b.by_ref()) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = eights_a.remainder().iter().zip(eights_b.remainder()).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// The curvature as a sample of positions tells it.
struct Sample {
    /// `// [weight]` its row and column, if it is free
    slot: Vec<Option<u16>>,
    /// The lower triangle, row by row: mg·mg, mg·eg, eg·mg, eg·eg
    products: Vec<[f32; 4]>,
    /// What makes curvature of a sum of products.
    share: f64,
}

impl Sample {
    fn draw(objective: &Objective, weights: &[Pair], free: &[bool], exercised: &[u64]) -> Sample {
        let store = objective.store;
        let mut slots = 0usize;
        let slot: Vec<Option<u16>> = free
            .iter()
            .map(|&free| {
                slots += usize::from(free);
                free.then(|| slots as u16 - 1)
            })
            .collect();
        let spread = store.columns.spread(weights);
        let least = (SAMPLED_PER_WEIGHT * slots) as f64 / store.len() as f64;
        // [column] how likely a position with it is taken
        let mut likely = [0.0f64; TABLE];
        for (column, likely) in likely.iter_mut().enumerate() {
            if let Some(weight) = store.columns.weight(column).filter(|&weight| slot[weight].is_some()) {
                *likely = SEEN / exercised[weight].max(1) as f64;
            }
        }
        let triangle = slots * (slots + 1) / 2;
        let parts: Vec<Vec<[f32; 4]>> = (0..PARTS)
            .into_par_iter()
            .map(|part| {
                let mut sums = vec![[0.0; 4]; triangle];
                let mut gradient = RowGradient::new(slots);
                for (place, chunk) in store.chunks().iter().enumerate().skip(part).step_by(PARTS) {
                    let mut lot = place as u64;
                    store.for_each(chunk, &spread, |row| {
                        let mut share = least;
                        row.for_each_column(|column, _, _| {
                            share = share.max(likely[usize::from(column) % TABLE]);
                        });
                        lot = splitmix(lot);
                        if lot as f64 <= share * u64::MAX as f64 {
                            gradient.take(objective, row, &slot);
                            gradient.add_products(&mut sums, share.min(1.0).recip() as f32);
                        }
                    });
                }
                sums
            })
            .collect();
        // In the order of the parts, whoever was first.
        let mut parts = parts.into_iter();
        let mut products = parts.next().unwrap_or_default();
        for part in parts {
            for (sum, part) in products.iter_mut().zip(part) {
                for entry in 0..4 {
                    sum[entry] += part[entry];
                }
            }
        }
        Sample { slot, products, share: 2.0 / store.len() as f64 }
    }

    /// The curvature along two variables, the second no later than the first.
    fn curvature(&self, (weight, half): Variable, (other, other_half): Variable) -> f64 {
        match (self.slot[weight], self.slot[other]) {
            (Some(row), Some(column)) => {
                let (row, column) = (usize::from(row), usize::from(column));
                let products = &self.products[row * (row + 1) / 2 + column];
                f64::from(products[2 * half + other_half]) * self.share
            }
            _ => 0.0,
        }
    }
}

/// The slopes of one position's prediction.
struct RowGradient {
    /// Those that are not zero, by ascending slot.
    slopes: Vec<(u16, [f32; 2])>,
    /// `// [slot]` a buffer to merge the columns of a weight in
    by_slot: Vec<[f32; 2]>,
}

impl RowGradient {
    fn new(slots: usize) -> RowGradient {
        RowGradient { slopes: Vec::new(), by_slot: vec![[0.0; 2]; slots] }
    }

    fn take(&mut self, objective: &Objective, row: &Row, slot: &[Option<u16>]) {
        self.slopes.clear();
        let columns = &objective.store.columns;
        let by_value = by_value(objective, row.slopes.value_white);
        row.for_each_column(|column, count, slope| {
            let weight = columns.weight(usize::from(column));
            let Some(slot) = weight.and_then(|weight| slot[weight]) else { return };
            let by_count = by_value * count;
            let (mg, eg) = ((by_count * slope[0]) as f32, (by_count * slope[1]) as f32);
            let sum = &mut self.by_slot[usize::from(slot)];
            if *sum == [0.0; 2] {
                self.slopes.push((slot, [0.0; 2]));
            }
            *sum = [sum[0] + mg, sum[1] + eg];
        });
        for (slot, slope) in &mut self.slopes {
            *slope = std::mem::take(&mut self.by_slot[usize::from(*slot)]);
        }
        self.slopes.sort_unstable_by_key(|&(slot, _)| slot);
    }

    /// Adds the products of all pairs, times `weight`.
    fn add_products(&self, sums: &mut [[f32; 4]], weight: f32) {
        for (place, &(slot, own)) in self.slopes.iter().enumerate() {
            let own = own.map(|slope| slope * weight);
            let first = usize::from(slot) * (usize::from(slot) + 1) / 2;
            for &(other_slot, other) in &self.slopes[..=place] {
                let sum = &mut sums[first + usize::from(other_slot)];
                *sum = [
                    sum[0] + own[0] * other[0],
                    sum[1] + own[0] * other[1],
                    sum[2] + own[1] * other[0],
                    sum[3] + own[1] * other[1],
                ];
            }
        }
    }
}

/// The lower triangular root of a positive definite matrix, in its place.
#[inline(always)]
fn cholesky(mut lower: Vec<f64>, size: usize) -> Vec<f64> {
    for row in 0..size {
        let (above, rest) = lower.split_at_mut(row * (row + 1) / 2);
        let own = &mut rest[..row + 1];
        for column in 0..row {
            let other = &above[column * (column + 1) / 2..][..column + 1];
            let (before, entry) = own.split_at_mut(column);
            entry[0] = (entry[0] - dot(other, before)) / other[column];
        }
        let square = own[row] - dot(own, &own[..row]);
        // Rounding may eat what the shrinkage left.
        own[row] = square.max(1e-9).sqrt();
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_and_a_slope_undo_the_curvature() {
        // H = D R D with D = diag(2, 4, 5): P = H^(-1/2), so Pᵀ H P = 1.
        let correlation = vec![1.0, 0.5, 1.0, -0.3, 0.1, 1.0];
        let (d, r) = ([2.0, 4.0, 5.0], [[1.0, 0.5, -0.3], [0.5, 1.0, 0.1], [-0.3, 0.1, 1.0]]);
        let preconditioner = Preconditioner {
            variables: vec![(0, 0), (0, 1), (1, 0)],
            unit: vec![0.5, 0.25, 0.2],
            root: cholesky(correlation, 3),
        };
        for variable in 0..3 {
            let mut one = vec![0.0; 3];
            one[variable] = 1.0;
            let step = preconditioner.step(&one);
            let curved: Vec<f64> = (0..3)
                .map(|row| (0..3).map(|column| d[row] * r[row][column] * d[column] * step[column]).sum())
                .collect();
            let slope = preconditioner.slope(&[[curved[0], curved[1]], [curved[2], 0.0]]);
            for (place, slope) in slope.iter().enumerate() {
                assert!((slope - one[place]).abs() < 1e-12, "{slope} {one:?}");
            }
        }
    }
}
