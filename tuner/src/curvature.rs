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
const SAMPLED_PER_WEIGHT: usize = 40;

/// In so many positions of the sample each weight is seen, as far as there are as many: positions with rare weights
/// are taken more often, and count for less. From two or three positions a weight would look as if it went
/// together with everything else in them.
const SEEN: f64 = 50.0;

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
    /// adds to each weight; `shrinkage` makes correlations smaller, so that directions that the sample
    /// hardly knows, or that bend soon, stay tame.
    pub fn new(
        objective: &Objective,
        weights: &[Pair],
        survey: &Survey,
        free: &[bool],
        ridge: &[Pair],
        scaling: Scaling,
        shrinkage: f64,
    ) -> Preconditioner {
        let candidates = (0..EvalParams::COUNT)
            .filter(|&weight| free[weight])
            .flat_map(|weight| [(weight, 0), (weight, 1)])
            .filter(|&variable| !jumps(variable));
        let added = |&(weight, half): &Variable| ridge[weight][half];
        match scaling {
            Scaling::Diagonal => {
                let curvature = |&(weight, half): &Variable| survey.diagonal[weight][half];
                let variables: Vec<Variable> = candidates.filter(|v| curvature(v) > 0.0).collect();
                let unit = variables.iter().map(|v| (curvature(v) + added(v)).sqrt().recip()).collect();
                Preconditioner { variables, unit, root: Vec::new() }
            }
            Scaling::Full => {
                let sample = Sample::draw(objective, weights, free, &survey.exercised);
                let variables: Vec<Variable> = candidates.filter(|&v| sample.curvature(v, v) > 0.0).collect();
                // Scaled by what the sample itself says: shifting the value of a piece to its squares and back
                // changes nothing, and scales from elsewhere would hide that.
                let unit: Vec<f64> =
                    variables.iter().map(|v| (sample.curvature(*v, *v) + added(v)).sqrt().recip()).collect();
                let mut lower = Vec::with_capacity(begin(variables.len()));
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
        &self.root[begin(row)..][..row + 1]
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
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a[..b.len()].as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
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
                let products = &self.products[begin(row) + column];
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
        let mut sums = vec![[0.0; 4]; begin(self.slots)];
        let mut batch = Batch::new(self.slots);
        for (place, chunk) in store.chunks().iter().enumerate().skip(self.part).step_by(PARTS) {
            let mut lot = place as u64;
            let mut rows = Pass { objective: self.objective, chunk, spread: self.spread }.rows();
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
    /// The slots whose slopes are not zero, position by position, in each ascending,
    slots: Vec<u16>,
    /// and the slopes themselves: mg, eg, mg, eg.
    slopes: Vec<[f32; 4]>,
    /// `// [position]` where its slopes begin, and what it counts for
    positions: Vec<(u32, f32)>,
    /// `// [slot]` a buffer to merge the columns of a weight in,
    by_slot: Vec<[f32; 2]>,
    /// and a bit for each that is used.
    used: Vec<u64>,
    /// `// [slot]` the positions with it, and where among the slopes it stands
    found: Vec<Vec<(u32, u32)>>,
}

impl Batch {
    /// How many positions it holds: their slopes fit in the second cache.
    const SIZE: usize = 512;

    fn new(slots: usize) -> Batch {
        Batch {
            slots: Vec::new(),
            slopes: Vec::new(),
            positions: Vec::new(),
            by_slot: vec![[0.0; 2]; slots],
            used: vec![0; slots.div_ceil(64)],
            found: vec![Vec::new(); slots],
        }
    }

    fn is_full(&self) -> bool {
        self.positions.len() == Batch::SIZE
    }

    /// Takes a position that counts for `weight`.
    #[inline(always)]
    fn take(&mut self, objective: &Objective, row: &Row, slot: &[Option<u16>], weight: f32) {
        let position = self.positions.len() as u32;
        self.positions.push((self.slopes.len() as u32, weight));
        let columns = &objective.store.columns;
        let by_value = by_value(objective, row.slopes.value_white);
        let (by_slot, used) = (&mut self.by_slot, &mut self.used);
        row.for_each_column(|column, count, slope| {
            let by_count = by_value * count;
            let (mg, eg) = ((by_count * slope[0]) as f32, (by_count * slope[1]) as f32);
            for slot in columns.weights(usize::from(column)).filter_map(|weight| slot[weight]) {
                let sum = &mut by_slot[usize::from(slot)];
                *sum = [sum[0] + mg, sum[1] + eg];
                used[usize::from(slot) / 64] |= 1 << (slot % 64);
            }
        });
        for (word, used) in self.used.iter_mut().enumerate() {
            let mut bits = std::mem::take(used);
            while bits != 0 {
                let slot = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let [mg, eg] = std::mem::take(&mut self.by_slot[slot]);
                self.found[slot].push((position, self.slots.len() as u32));
                self.slots.push(slot as u16);
                self.slopes.push([mg, eg, mg, eg]);
            }
        }
    }

    /// Adds the products of all pairs of slopes of a position, and begins anew.
    #[inline(always)]
    fn add_products(&mut self, sums: &mut [[f32; 4]]) {
        for (slot, found) in self.found.iter_mut().enumerate() {
            let sums = &mut sums[begin(slot)..][..slot + 1];
            for (position, place) in found.drain(..) {
                let (first, weight) = self.positions[position as usize];
                let pairs = first as usize..place as usize + 1;
                let [mg, eg, ..] = self.slopes[place as usize];
                let own = [weight * mg, weight * mg, weight * eg, weight * eg];
                for (&other_slot, other) in self.slots[pairs.clone()].iter().zip(&self.slopes[pairs]) {
                    let sum = &mut sums[usize::from(other_slot)];
                    for entry in 0..4 {
                        sum[entry] += own[entry] * other[entry];
                    }
                }
            }
        }
        self.slots.clear();
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

impl Cholesky {
    /// So many rows are multiplied with so many others at a time: as many products as there are registers for.
    const ROWS: usize = 6;
    const OTHERS: usize = 8;
    /// So many rows are finished before the next: they stay in the second cache.
    const BLOCK: usize = 48;
    /// So many columns at a time: those of the others stay in the first cache.
    const PANEL: usize = 256;
}

const _: () = assert!(Cholesky::BLOCK.is_multiple_of(Cholesky::ROWS * Cholesky::OTHERS));

/// Where a row of a lower triangle begins.
fn begin(row: usize) -> usize {
    row * (row + 1) / 2
}

impl Work for Cholesky {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> Vec<f64> {
        let Cholesky { mut lower, size } = self;
        // Rows of a unit matrix behind the others make whole blocks of them, and change nothing.
        let padded = size.next_multiple_of(Cholesky::BLOCK);
        for row in size..padded {
            lower.resize(begin(row) + row, 0.0);
            lower.push(1.0);
        }
        let mut turned = [[0.0; Cholesky::OTHERS]; Cholesky::PANEL];
        for first in (0..padded).step_by(Cholesky::BLOCK) {
            let end = first + Cholesky::BLOCK;
            for other in (0..end).step_by(Cholesky::OTHERS) {
                // Of the rows' products with the others, first what lies before the square where they meet.
                let mut sums = [[0.0; Cholesky::OTHERS]; Cholesky::BLOCK];
                let top = first.max(other / Cholesky::ROWS * Cholesky::ROWS);
                for from in (0..other).step_by(Cholesky::PANEL) {
                    let columns = from..(from + Cholesky::PANEL).min(other);
                    let turned = &mut turned[..columns.len()];
                    for place in 0..Cholesky::OTHERS {
                        let row = &lower[begin(other + place)..][columns.clone()];
                        turned.iter_mut().zip(row).for_each(|(turned, &entry)| turned[place] = entry);
                    }
                    for row in (top..end).step_by(Cholesky::ROWS) {
                        let mut rows: [&[f64]; Cholesky::ROWS] = [&[]; Cholesky::ROWS];
                        for (place, own) in rows.iter_mut().enumerate() {
                            *own = &lower[begin(row + place)..][columns.clone()];
                        }
                        add_products(rows, turned, &mut sums[row - first..]);
                    }
                }
                // Then that square, entry by entry: each needs the one before.
                for row in first.max(other)..end {
                    for place in 0..Cholesky::OTHERS.min(row + 1 - other) {
                        let column = other + place;
                        let above = &lower[begin(column) + other..];
                        let before: f64 =
                            lower[begin(row) + other..][..place].iter().zip(above).map(|(a, b)| a * b).sum();
                        let left = lower[begin(row) + column] - sums[row - first][place] - before;
                        lower[begin(row) + column] = if column < row {
                            left / lower[begin(column) + column]
                        } else {
                            // Rounding may eat what the shrinkage left.
                            left.max(1e-9).sqrt()
                        };
                    }
                }
            }
        }
        lower.truncate(begin(size));
        lower
    }
}

/// Adds the sums of products of every row with every other, which are given column by column.
#[inline(always)]
fn add_products<const ROWS: usize, const OTHERS: usize>(
    mut rows: [&[f64]; ROWS],
    others: &[[f64; OTHERS]],
    sums: &mut [[f64; OTHERS]],
) {
    for row in &mut rows {
        *row = &row[..others.len()];
    }
    let mut products = [[0.0; OTHERS]; ROWS];
    for (column, others) in others.iter().enumerate() {
        for row in 0..ROWS {
            let own = rows[row][column];
            for other in 0..OTHERS {
                products[row][other] += own * others[other];
            }
        }
    }
    for (sums, products) in sums.iter_mut().zip(products) {
        for (sum, product) in sums.iter_mut().zip(products) {
            *sum += product;
        }
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

    #[test]
    fn a_root_times_itself_is_the_matrix_whatever_its_size() {
        for size in [1, 7, 48, 49, 131, 600] {
            // Correlations that fade with distance, and a few that do not.
            let entry = |row: usize, column: usize| match row - column {
                0 => 1.0,
                apart if apart % 50 == 0 => 0.05,
                apart => 0.3 / apart as f64 * if apart % 2 == 0 { 1.0 } else { -1.0 },
            };
            let lower = (0..size).flat_map(|row| (0..=row).map(move |column| entry(row, column))).collect();
            let root = Cholesky { lower, size }.run::<false>();
            assert_eq!(root.len(), begin(size));
            for row in 0..size {
                for column in 0..=row {
                    let product = dot(&root[begin(row)..], &root[begin(column)..][..=column]);
                    assert!((product - entry(row, column)).abs() < 1e-12, "{size}: {row} {column} {product}");
                }
            }
        }
    }
}
