//! What is minimised: the mean squared error of the predicted score, and its slope along every weight.

use engine::eval::gradient::Pair;
use rayon::prelude::*;

use crate::columns::{TABLE, Table, empty_table};
use crate::sigmoid::Sigmoid;
use crate::store::Store;

/// Positions and the curve that makes scores of values.
#[derive(Clone, Copy)]
pub struct Objective<'a> {
    /// The positions.
    pub store: &'a Store,
    /// The curve.
    pub sigmoid: Sigmoid,
}

impl Objective<'_> {
    /// The mean squared error with these weights.
    pub fn loss(&self, weights: &[Pair]) -> f64 {
        let columns = &self.store.columns;
        let spread = columns.spread(weights);
        let losses: Vec<f64> = self
            .store
            .chunks()
            .par_iter()
            .map(|chunk| {
                let mut loss = 0.0;
                self.store.for_each(chunk, &spread, |row| {
                    let error = self.sigmoid.expected(row.slopes.value_white) - row.label;
                    loss += error * error;
                });
                loss
            })
            .collect();
        losses.iter().sum::<f64>() / self.store.len() as f64
    }

    /// The same with its slope along every weight, in one pass.
    pub fn loss_and_gradient(&self, weights: &[Pair]) -> (f64, Vec<Pair>) {
        let columns = &self.store.columns;
        let spread = columns.spread(weights);
        let steepness = self.sigmoid.steepness();
        let parts: Vec<(f64, Table)> = self
            .store
            .chunks()
            .par_iter()
            .map(|chunk| {
                let mut loss = 0.0;
                let mut gradient = empty_table();
                self.store.for_each(chunk, &spread, |row| {
                    let expected = self.sigmoid.expected(row.slopes.value_white);
                    let error = expected - row.label;
                    loss += error * error;
                    let by_value = 2.0 * error * expected * (1.0 - expected) * steepness;
                    let [mg, eg] = row.slopes.linear;
                    let linear = [by_value * mg, by_value * eg];
                    for counted in row.linear {
                        let sum = &mut gradient[usize::from(counted.column) % TABLE];
                        *sum = [sum[0] + linear[0] * counted.count, sum[1] + linear[1] * counted.count];
                    }
                    columns.other_slopes(row.others, &row.slopes, |counted, slope| {
                        let by_count = by_value * counted.count;
                        let sum = &mut gradient[usize::from(counted.column) % TABLE];
                        *sum = [sum[0] + by_count * slope[0], sum[1] + by_count * slope[1]];
                    });
                });
                (loss, gradient)
            })
            .collect();
        // In the order of the chunks, whoever was first.
        let mut loss = 0.0;
        let mut gradient = empty_table();
        for (part_loss, part) in parts {
            loss += part_loss;
            for (sum, part) in gradient.iter_mut().zip(part.iter()) {
                *sum = [sum[0] + part[0], sum[1] + part[1]];
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
        let parts: Vec<Vec<f32>> = store
            .chunks()
            .par_iter()
            .map(|chunk| {
                let mut values = Vec::with_capacity(chunk.len());
                store.for_each(chunk, &spread, |row| values.push(row.slopes.value_white as f32));
                values
            })
            .collect();
        parts.concat()
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
