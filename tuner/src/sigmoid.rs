//! From centipawns to winning chances: `1 / (1 + 10^(-K v / 400))`.

use rayon::prelude::*;

/// Centipawns that, at K = 1, make the odds of winning ten to one.
const UNIT: f64 = 400.0;

/// K where there is nothing to fit it to.
pub const DEFAULT_K: f64 = 1.0;

/// Where the search for K begins.
const FIRST_GUESS: Sigmoid = Sigmoid { k: 0.5 };

/// With many values every so many-th gives the K to begin with.
const THINNED: usize = 16;

/// How many numbers are added up at a time, so that the order of additions is always the same.
const BATCH: usize = 16_384;

/// The curve with its one parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sigmoid {
    /// The larger, the more a centipawn is worth.
    pub k: f64,
}

/// Labels of one value.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Group {
    /// The value, in centipawns.
    pub value: f64,
    /// How many labels.
    pub number: f64,
    /// Their sum.
    pub labels: f64,
    /// The sum of their squares.
    pub squares: f64,
}

impl Sigmoid {
    /// The slope at zero, in natural units.
    #[inline(always)]
    pub fn steepness(self) -> f64 {
        self.k * std::f64::consts::LN_10 / UNIT
    }

    /// The expected score, 0 to 1.
    #[inline(always)]
    pub fn expected(self, centipawns: f64) -> f64 {
        1.0 / (1.0 + (-self.steepness() * centipawns).exp())
    }

    /// The curve that predicts `labels` from `values` with the least squared error; `None` if there is nothing to
    /// learn from. A negative K says that the labels mean the opposite.
    pub fn fit(values: &[f32], labels: &[f32]) -> Option<Sigmoid> {
        let mut start = FIRST_GUESS;
        if values.len() > THINNED * BATCH {
            // A part of them comes near at less cost.
            let thin = |all: &[f32]| -> Vec<f32> { all.iter().copied().step_by(THINNED).collect() };
            let (values, labels) = (thin(values), thin(labels));
            start = Sigmoid::descend(start, |sigmoid| sigmoid.loss_and_step(&values, &labels))?;
        }
        Sigmoid::descend(start, |sigmoid| sigmoid.loss_and_step(values, labels))
    }

    /// The same for values that many labels share.
    pub fn fit_groups(groups: &[Group]) -> Option<Sigmoid> {
        Sigmoid::descend(FIRST_GUESS, |sigmoid| sigmoid.loss_and_step_of_groups(groups))
    }

    /// Gauss-Newton in one dimension.
    fn descend(
        mut sigmoid: Sigmoid,
        loss_and_step: impl Fn(Sigmoid) -> Option<(f64, f64)>,
    ) -> Option<Sigmoid> {
        let mut loss = loss_and_step(sigmoid)?;
        for _ in 0..60 {
            let step = loss.1;
            let mut factor = 1.0;
            loop {
                let next = Sigmoid { k: sigmoid.k + factor * step };
                let next_loss = loss_and_step(next)?;
                if next_loss.0 <= loss.0 {
                    (sigmoid, loss) = (next, next_loss);
                    break;
                }
                factor /= 2.0;
                if factor < 1e-6 {
                    return Some(sigmoid);
                }
            }
            if (factor * step).abs() < 1e-7 {
                break;
            }
        }
        Some(sigmoid)
    }

    /// The squared error, and the step of K towards less, for values that many labels share.
    fn loss_and_step_of_groups(self, groups: &[Group]) -> Option<(f64, f64)> {
        let [mut loss, mut gradient, mut curvature] = [0.0; 3];
        for &Group { value, number, labels, squares } in groups {
            let expected = self.expected(value);
            let slope = expected * (1.0 - expected) * value * std::f64::consts::LN_10 / UNIT;
            loss += (number * expected - 2.0 * labels) * expected + squares;
            gradient += (number * expected - labels) * slope;
            curvature += number * slope * slope;
        }
        (curvature > 0.0).then(|| (loss, -gradient / curvature))
    }

    /// The squared error, and the step of K towards less.
    fn loss_and_step(self, values: &[f32], labels: &[f32]) -> Option<(f64, f64)> {
        let sums: Vec<[f64; 3]> = values
            .par_chunks(BATCH)
            .zip(labels.par_chunks(BATCH))
            .map(|(values, labels)| {
                let mut sums = [0.0; 3];
                for (&value, &label) in values.iter().zip(labels) {
                    let value = f64::from(value);
                    let expected = self.expected(value);
                    let error = expected - f64::from(label);
                    let slope = expected * (1.0 - expected) * value * std::f64::consts::LN_10 / UNIT;
                    sums = [sums[0] + error * error, sums[1] + error * slope, sums[2] + slope * slope];
                }
                sums
            })
            .collect();
        let [loss, gradient, curvature] = sums
            .into_iter()
            .fold([0.0; 3], |sum, part| [sum[0] + part[0], sum[1] + part[1], sum[2] + part[2]]);
        (curvature > 0.0).then(|| (loss, -gradient / curvature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_curve_that_made_the_labels() {
        for k in [-1.3, 0.4, 1.0, 2.2] {
            let values: Vec<f32> = (-600..=600).map(|value| value as f32).collect();
            let labels: Vec<f32> =
                values.iter().map(|&value| Sigmoid { k }.expected(f64::from(value)) as f32).collect();
            let fitted = Sigmoid::fit(&values, &labels).expect("there is something to learn");
            assert!((fitted.k - k).abs() < 1e-3, "{k}: {fitted:?}");
            // Groups of one, and of two that are the same.
            let groups: Vec<Group> = values
                .iter()
                .zip(&labels)
                .map(|(&value, &label)| {
                    let (number, label) = (if value < 100.0 { 1.0 } else { 2.0 }, f64::from(label));
                    Group {
                        value: value.into(),
                        number,
                        labels: number * label,
                        squares: number * label * label,
                    }
                })
                .collect();
            let grouped = Sigmoid::fit_groups(&groups).expect("there is something to learn");
            assert!((grouped.k - k).abs() < 1e-3, "{k}: {grouped:?}");
        }
        assert_eq!(Sigmoid::fit(&[], &[]), None);
        assert_eq!(Sigmoid::fit(&[0.0, 0.0], &[1.0, 0.0]), None);
    }
}
