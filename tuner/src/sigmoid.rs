//! From centipawns to winning chances: `1 / (1 + 10^(-K v / 400))`.

use rayon::prelude::*;

/// Centipawns that, at K = 1, make the odds of winning ten to one.
const UNIT: f64 = 400.0;

/// K where there is nothing to fit it to.
pub const DEFAULT_K: f64 = 1.0;

/// How many numbers are added up at a time, so that the order of additions is always the same.
const BATCH: usize = 16_384;

/// The curve with its one parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sigmoid {
    /// The larger, the more a centipawn is worth.
    pub k: f64,
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

    /// The curve that predicts `labels` from `values` with the least squared error. Gauss-Newton in one
    /// dimension; `None` if there is nothing to learn from. A negative K says that the labels mean the
    /// opposite.
    pub fn fit(values: &[f32], labels: &[f32]) -> Option<Sigmoid> {
        let mut sigmoid = Sigmoid { k: 0.5 };
        let mut loss = sigmoid.loss_and_step(values, labels)?;
        for _ in 0..60 {
            let step = loss.1;
            let mut factor = 1.0;
            loop {
                let next = Sigmoid { k: sigmoid.k + factor * step };
                let next_loss = next.loss_and_step(values, labels)?;
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
        }
        assert_eq!(Sigmoid::fit(&[], &[]), None);
        assert_eq!(Sigmoid::fit(&[0.0, 0.0], &[1.0, 0.0]), None);
    }
}
