//! How the loss curves, so that the minimiser can take steps of the right size in every direction.
//!
//! Near a minimum the loss of a least-squares problem curves like `H = 2 Σ g gᵀ / n`, with `g` the slope of a
//! position's prediction (Gauss and Newton). Its diagonal is summed over all positions. How weights go
//! together is learned from a sample of positions and kept as correlations, shrunk a little towards none, so
//! that directions the sample hardly knows stay tame. The minimiser then works on variables in which `H`
//! is nearly the identity.

use engine::cpu::{Work, widely};
use engine::eval::gradient::Pair;
use engine::eval::{EvalParams, Role};
use rayon::prelude::*;

use crate::columns::TABLE;
use crate::objective::{Objective, Pass};
use crate::random::splitmix;
use crate::store::Row;

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
        .map(|chunk| widely(Squares(Pass { objective: *objective, chunk, spread: &spread })))
        .collect();
    let mut survey =
        Survey { exercised: vec![0; EvalParams::COUNT], diagonal: vec![[0.0; 2]; EvalParams::COUNT] };
    let share = 2.0 / store.len() as f64;
    for part in parts {
        for (column, [mg, eg, times]) in part.into_iter().enumerate() {
            for weight in columns.weights(column) {
                let sum = &mut survey.diagonal[weight];
                *sum = [sum[0] + share * mg, sum[1] + share * eg];
                survey.exercised[weight] += times as u64;
            }
        }
    }
    survey
}

/// `// [column]` the squared slopes of a chunk's predictions, and in how many positions it was counted.
struct Squares<'a>(Pass<'a>);

impl Work for Squares<'_> {
    type Output = Vec<[f64; 3]>;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> Vec<[f64; 3]> {
        let mut sums = vec![[0.0; 3]; TABLE];
        let mut rows = self.0.rows();
        while let Some(row) = rows.next_row() {
            let by_value = by_value(&self.0.objective, row.slopes.value_white);
            row.for_each_column(|column, count, slope| {
                let by_count = by_value * count;
                let (mg, eg) = (by_count * slope[0], by_count * slope[1]);
                let sum = &mut sums[usize::from(column) % TABLE];
                *sum = [sum[0] + mg * mg, sum[1] + eg * eg, sum[2] + 1.0];
            });
        }
        sums
    }
}

/// How the predicted score moves with the value.
#[inline(always)]
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
                Preconditioner { variables, unit, root: widely(Cholesky { lower, size }) }
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

/// Numbers that are worked on side by side.
type Eight = [f64; 8];

#[inline(always)]
fn add_products(sums: &mut Eight, a: &Eight, b: &Eight) {
    for lane in 0..8 {
        sums[lane] += a[lane] * b[lane];
    }
}

/// Sums in lanes, and what is left of two rows when all eights are taken.
#[inline(always)]
fn total(sums: Eight, a: &[f64], b: &[f64]) -> f64 {
    sums.iter().sum::<f64>() + a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
}

/// The sum of products, eight at a time. `a` may be longer.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a[..b.len()].as_chunks(), b.as_chunks());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        add_products(&mut sums, a, b);
    }
    total(sums, a_rest, b_rest)
}

/// The same of one row with four others of one length.
#[inline(always)]
fn four_dots(a: &[f64], [b, c, d, e]: [&[f64]; 4]) -> [f64; 4] {
    let length = b.len();
    let (a, a_rest) = a[..length].as_chunks();
    let [(b, b_rest), (c, c_rest), (d, d_rest), (e, e_rest)] =
        [b, c, d, e].map(|other| other[..length].as_chunks());
    let [mut for_b, mut for_c, mut for_d, mut for_e] = [[0.0; 8]; 4];
    for ((((a, b), c), d), e) in a.iter().zip(b).zip(c).zip(d).zip(e) {
        add_products(&mut for_b, a, b);
        add_products(&mut for_c, a, c);
        add_products(&mut for_d, a, d);
        add_products(&mut for_e, a, e);
    }
    [
        total(for_b, a_rest, b_rest),
        total(for_c, a_rest, c_rest),
        total(for_d, a_rest, d_rest),
        total(for_e, a_rest, e_rest),
    ]
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
            for weight in store.columns.weights(column).filter(|&weight| slot[weight].is_some()) {
                *likely = likely.max(SEEN / exercised[weight].max(1) as f64);
            }
        }
        let likely = &likely;
        let (slot_of, spread) = (&slot, &spread);
        let parts: Vec<Vec<[f32; 4]>> = (0..PARTS)
            .into_par_iter()
            .map(|part| {
                widely(Products { objective: *objective, part, slot: slot_of, slots, least, likely, spread })
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

/// The sums of products of slopes over a part of the sample.
struct Products<'a> {
    objective: Objective<'a>,
    part: usize,
    /// `// [weight]`
    slot: &'a [Option<u16>],
    slots: usize,
    /// How likely any position is taken,
    least: f64,
    /// and one with a column, `// [column]`
    likely: &'a [f64; TABLE],
    spread: &'a [Pair; TABLE],
}

impl Work for Products<'_> {
    type Output = Vec<[f32; 4]>;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> Vec<[f32; 4]> {
        let store = self.objective.store;
        let mut sums = vec![[0.0; 4]; self.slots * (self.slots + 1) / 2];
        let mut batch = Batch::new(self.slots);
        for (place, chunk) in store.chunks().iter().enumerate().skip(self.part).step_by(PARTS) {
            let mut lot = place as u64;
            let mut rows = store.rows(chunk, self.spread);
            while let Some(row) = rows.next_row() {
                let mut share = self.least;
                for &place in row.places() {
                    share = share.max(self.likely[usize::from(place) % TABLE]);
                }
                lot = splitmix(lot);
                if lot as f64 <= share * u64::MAX as f64 {
                    batch.take(&self.objective, &row, self.slot, share.min(1.0).recip() as f32);
                    if batch.is_full() {
                        batch.add_products(&mut sums);
                    }
                }
            }
        }
        batch.add_products(&mut sums);
        sums
    }
}

/// The slopes of some positions' predictions. Their products are added up slot by slot, not position by position: a row of
/// the sums stays in the nearest cache then, which the whole triangle does not fit in.
struct Batch {
    /// Those that are not zero, position by position, in each by ascending slot.
    slopes: Vec<(u16, [f32; 2])>,
    /// `// [position]` where its slopes begin, and what it counts for
    positions: Vec<(u32, f32)>,
    /// `// [slot]` a buffer to merge the columns of a weight in
    by_slot: Vec<[f32; 2]>,
    /// `// [slot]` the positions with it, and where among the slopes it stands
    found: Vec<Vec<(u32, u32)>>,
}

impl Batch {
    /// How many positions it holds: their slopes fit in the second cache.
    const SIZE: usize = 512;

    fn new(slots: usize) -> Batch {
        Batch {
            slopes: Vec::new(),
            positions: Vec::new(),
            by_slot: vec![[0.0; 2]; slots],
            found: vec![Vec::new(); slots],
        }
    }

    fn is_full(&self) -> bool {
        self.positions.len() == Batch::SIZE
    }

    /// Takes a position that counts for `weight`.
    #[inline(always)]
    fn take(&mut self, objective: &Objective, row: &Row, slot: &[Option<u16>], weight: f32) {
        let (position, begin) = (self.positions.len() as u32, self.slopes.len());
        self.positions.push((begin as u32, weight));
        let columns = &objective.store.columns;
        let by_value = by_value(objective, row.slopes.value_white);
        let (slopes, by_slot) = (&mut self.slopes, &mut self.by_slot);
        row.for_each_column(|column, count, slope| {
            let by_count = by_value * count;
            let (mg, eg) = ((by_count * slope[0]) as f32, (by_count * slope[1]) as f32);
            for slot in columns.weights(usize::from(column)).filter_map(|weight| slot[weight]) {
                let sum = &mut by_slot[usize::from(slot)];
                if *sum == [0.0; 2] {
                    slopes.push((slot, [0.0; 2]));
                }
                *sum = [sum[0] + mg, sum[1] + eg];
            }
        });
        for (slot, slope) in &mut slopes[begin..] {
            *slope = std::mem::take(&mut by_slot[usize::from(*slot)]);
        }
        slopes[begin..].sort_unstable_by_key(|&(slot, _)| slot);
        for (place, &(slot, _)) in slopes.iter().enumerate().skip(begin) {
            self.found[usize::from(slot)].push((position, place as u32));
        }
    }

    /// Adds the products of all pairs of slopes of a position, and begins anew.
    #[inline(always)]
    fn add_products(&mut self, sums: &mut [[f32; 4]]) {
        for (slot, found) in self.found.iter_mut().enumerate() {
            let sums = &mut sums[slot * (slot + 1) / 2..][..slot + 1];
            for (position, place) in found.drain(..) {
                let (begin, weight) = self.positions[position as usize];
                let slopes = &self.slopes[begin as usize..=place as usize];
                let own = self.slopes[place as usize].1.map(|slope| slope * weight);
                for &(other_slot, other) in slopes {
                    let sum = &mut sums[usize::from(other_slot)];
                    *sum = [
                        sum[0] + own[0] * other[0],
                        sum[1] + own[0] * other[1],
                        sum[2] + own[1] * other[0],
                        sum[3] + own[1] * other[1],
                    ];
                }
            }
        }
        self.slopes.clear();
        self.positions.clear();
    }
}

/// The lower triangular root of a positive definite matrix, in its place.
struct Cholesky {
    /// The lower triangle, row by row.
    lower: Vec<f64>,
    size: usize,
}

/// So many rows of a root are computed side by side: each row above is then read once for all of them.
const ABREAST: usize = 4;

impl Work for Cholesky {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> Vec<f64> {
        let Cholesky { mut lower, size } = self;
        let begin = |row: usize| row * (row + 1) / 2;
        for first in (0..size).step_by(ABREAST) {
            let (above, rest) = lower.split_at_mut(begin(first));
            if first + ABREAST <= size {
                for column in 0..first {
                    let other = &above[begin(column)..][..column + 1];
                    let at: [usize; ABREAST] = std::array::from_fn(|row| begin(first + row) - begin(first));
                    let sums = four_dots(other, at.map(|at| &rest[at..][..column]));
                    for (at, sum) in at.into_iter().zip(sums) {
                        rest[at + column] = (rest[at + column] - sum) / other[column];
                    }
                }
            }
            // What is left of these rows: the corner where they meet, or all of them at the very end.
            for row in first..(first + ABREAST).min(size) {
                let done = if first + ABREAST <= size { first } else { 0 };
                let (above, rest) = lower.split_at_mut(begin(row));
                let own = &mut rest[..row + 1];
                for column in done..row {
                    let other = &above[begin(column)..][..column + 1];
                    let (before, entry) = own.split_at_mut(column);
                    entry[0] = (entry[0] - dot(other, before)) / other[column];
                }
                let square = own[row] - dot(own, &own[..row]);
                // Rounding may eat what the shrinkage left.
                own[row] = square.max(1e-9).sqrt();
            }
        }
        lower
    }
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
            root: Cholesky { lower: correlation, size: 3 }.run::<false>(),
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
