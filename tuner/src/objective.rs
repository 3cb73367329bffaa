//! What is minimised: the mean squared error of the predicted score, and its slope along every weight.

use engine::cpu::{Work, widely};
use engine::eval::gradient::Pair;
use rayon::prelude::*;

use crate::columns::{TABLE, Table, empty_table};
use crate::sigmoid::Sigmoid;
use crate::store::{CHUNK, Chunk, Rows, Store};

/// How many chunks are passed over before their sums are added up.
const AT_ONCE: usize = 16;

/// Positions and the curve that makes scores of values.
#[derive(Clone, Copy)]
pub struct Objective<'a> {
    /// The positions.
    pub store: &'a Store,
    /// The curve.
    pub sigmoid: Sigmoid,
    /// How wide the evaluation's kinks are rounded, in centipawns; 0 is the evaluation itself.
    pub softness: f64,
}

impl<'a> Objective<'a> {
    /// Of the evaluation as it is, kinks and all.
    pub fn exact(store: &'a Store, sigmoid: Sigmoid) -> Objective<'a> {
        Objective { store, sigmoid, softness: 0.0 }
    }

    /// The mean squared error with these weights.
    pub fn loss(&self, weights: &[Pair]) -> f64 {
        let columns = &self.store.columns;
        let spread = columns.spread(weights);
        let losses: Vec<f64> = self
            .store
            .chunks()
            .par_iter()
            .map(|chunk| widely(Losses(Pass { objective: *self, chunk, spread: &spread })))
            .collect();
        losses.iter().sum::<f64>() / self.store.len() as f64
    }

    /// The same with its slope along every weight, in one pass.
    pub fn loss_and_gradient(&self, weights: &[Pair]) -> (f64, Vec<Pair>) {
        let columns = &self.store.columns;
        let spread = columns.spread(weights);
        let mut loss = 0.0;
        let mut gradient = empty_table();
        // A few chunks at a time, or their tables would take memory as positions do.
        for chunks in self.store.chunks().chunks(AT_ONCE) {
            let parts: Vec<(f64, Table)> = chunks
                .par_iter()
                .map(|chunk| widely(Slopes(Pass { objective: *self, chunk, spread: &spread })))
                .collect();
            // In the order of the chunks, whoever was first.
            for (part_loss, part) in parts {
                loss += part_loss;
                for (sum, part) in gradient.iter_mut().zip(part.iter()) {
                    *sum = [sum[0] + part[0], sum[1] + part[1]];
                }
            }
        }
        let share = 1.0 / self.store.len() as f64;
        let gradient =
            columns.gather(&gradient).into_iter().map(|pair| pair.map(|sum| sum * share)).collect();
        (loss * share, gradient)
    }

    /// The evaluations with these weights in the order of the store, White's point of view.
    pub fn values(store: &Store, weights: &[Pair]) -> Vec<f32> {
        let spread = store.columns.spread(weights);
        let mut values = vec![0.0; store.len()];
        // Every chunk but the last is full.
        values.par_chunks_mut(CHUNK).zip(store.chunks()).for_each(|(values, chunk)| {
            let mut rows = store.rows(chunk, &spread, 0.0);
            for value in values {
                if let Some(row) = rows.next_row() {
                    *value = row.slopes.value_white as f32;
                }
            }
        });
        values
    }
}

/// A chunk of positions and what they are evaluated with.
pub(crate) struct Pass<'a> {
    pub objective: Objective<'a>,
    pub chunk: &'a Chunk,
    /// `// [column]` the weights
    pub spread: &'a [Pair; TABLE],
}

impl<'a> Pass<'a> {
    #[inline(always)]
    pub fn rows(&self) -> Rows<'a> {
        self.objective.store.rows(self.chunk, self.spread, self.objective.softness)
    }
}

/// The squared errors of a chunk.
struct Losses<'a>(Pass<'a>);

impl Work for Losses<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> f64 {
        let sigmoid = self.0.objective.sigmoid;
        let mut rows = self.0.rows();
        let mut loss = 0.0;
        while let Some(row) = rows.next_row() {
            let error = sigmoid.expected(row.slopes.value_white) - row.label;
            loss += error * error;
        }
        loss
    }
}

/// The same with its slope along every column.
struct Slopes<'a>(Pass<'a>);

impl Work for Slopes<'_> {
    type Output = (f64, Table);

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> (f64, Table) {
        let sigmoid = self.0.objective.sigmoid;
        let steepness = sigmoid.steepness();
        let mut rows = self.0.rows();
        let mut loss = 0.0;
        let mut gradient = empty_table();
        while let Some(row) = rows.next_row() {
            let expected = sigmoid.expected(row.slopes.value_white);
            let error = expected - row.label;
            loss += error * error;
            row.add_slopes(2.0 * error * expected * (1.0 - expected) * steepness, &mut gradient);
        }
        (loss, gradient)
    }
}

/// The labels of a store, in order.
pub fn labels(store: &Store) -> Vec<f32> {
    let mut labels = Vec::with_capacity(store.len());
    for chunk in store.chunks() {
        labels.extend_from_slice(chunk.labels());
    }
    labels
}
