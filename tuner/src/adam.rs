//! Adam with full batches and the settings that texel tuners usually ship with: what L-BFGS is measured
//! against.

use crate::curvature::Variable;
use crate::fit::{Descent, Ended, Fit, FitOptions, Watch};

/// In centipawns.
const LEARNING_RATE: f64 = 1.0;
const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// Descends until somebody says stop.
pub(crate) fn descend(
    descent: &Descent,
    variables: &[Variable],
    options: &FitOptions,
    mut watch: Watch,
) -> Fit {
    let mut weights = descent.from.to_vec();
    let mut momentum = vec![0.0; variables.len()];
    let mut velocity = vec![0.0; variables.len()];
    let mut passes = 0;
    let ridge = options.ridge();
    for epoch in 0..=options.max_iters {
        let (loss, gradient) = descent.penalised(&weights, &ridge);
        passes += 1;
        // Adam has no idea of how much is left: only the other ways to end apply.
        if let Some(ended) = watch.look(&weights, loss, f64::INFINITY) {
            return watch.finish(ended, passes, &weights);
        }
        let correction_1 = 1.0 - BETA_1.powf(epoch as f64 + 1.0);
        let correction_2 = 1.0 - BETA_2.powf(epoch as f64 + 1.0);
        for (place, &(weight, half)) in variables.iter().enumerate() {
            let slope = gradient[weight][half];
            momentum[place] = BETA_1 * momentum[place] + (1.0 - BETA_1) * slope;
            velocity[place] = BETA_2 * velocity[place] + (1.0 - BETA_2) * slope * slope;
            let step = momentum[place] / correction_1 / ((velocity[place] / correction_2).sqrt() + EPSILON);
            weights[weight][half] -= LEARNING_RATE * step;
        }
    }
    watch.finish(Ended::OutOfIterations, passes, &weights)
}
