//! The fit itself: slopes, optimum, threads.

mod common;

use std::sync::atomic::AtomicBool;

use common::{epd, samples, shared, write};
use engine::eval::EvalParams;
use engine::eval::gradient::Pair;
use tuner::curvature::{Scaling, survey};
use tuner::evidence::Evidence;
use tuner::fit::{Descent, FitOptions, Optimizer};
use tuner::load::{Dataset, LoadOptions, load};
use tuner::objective::{Objective, labels};
use tuner::sigmoid::Sigmoid;
use tuner::starts;

fn dataset(positions: usize, options: &LoadOptions) -> Dataset {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = write(directory.path(), "positions.epd", epd(&samples(positions, 7)));
    load(&[path], &EvalParams::embedded(), options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_gradient_is_what_small_steps_measure() {
    let data = dataset(3_000, &LoadOptions { holdout: 0.0, ..LoadOptions::default() });
    let mut weights = starts::pairs(&EvalParams::embedded());
    // Off the round numbers, where sums meet the kinks of the evaluation exactly.
    for (index, weight) in weights.iter_mut().enumerate() {
        weight[0] += 0.37 + 0.001 * index as f64;
        weight[1] -= 0.21 + 0.001 * index as f64;
    }
    let objective = Objective::exact(&data.train, Sigmoid { k: 0.8 });
    let (loss, gradient) = objective.loss_and_gradient(&weights);
    assert!((loss - objective.loss(&weights)).abs() < 1e-15);
    let largest = gradient.iter().flatten().fold(0.0f64, |largest, slope| largest.max(slope.abs()));
    let (mut compared, mut apart) = (0, 0);
    let mut roles = Vec::new();
    for index in 0..EvalParams::COUNT {
        for half in 0..2 {
            let slope = gradient[index][half];
            if slope == 0.0 {
                continue;
            }
            let step = 1e-4;
            let kept = weights[index][half];
            let mut at = |weight: f64| {
                weights[index][half] = weight;
                objective.loss(&weights)
            };
            let measured = (at(kept + step) - at(kept - step)) / (2.0 * step);
            weights[index][half] = kept;
            compared += 1;
            let role = EvalParams::ROLES[index];
            if !roles.contains(&role) {
                roles.push(role);
            }
            // A position at a kink within the step may spoil one.
            if (measured - slope).abs() > 1e-6 * largest + 1e-4 * slope.abs() {
                apart += 1;
            }
        }
    }
    assert!(compared > 600, "{compared} slopes");
    assert!(apart * 200 <= compared, "{apart} of {compared} slopes differ");
    assert_eq!(roles.len(), 4, "every role has slopes: {roles:?}");
}

/// Fits from `start` with everything free, or only what `only` says.
fn fit(data: &Dataset, start: &[Pair], free: &[bool], options: &FitOptions) -> (tuner::fit::Fit, f64) {
    let values = Objective::values(&data.train, start);
    let sigmoid = Sigmoid::fit(&values, &labels(&data.train)).expect("something to learn");
    let stop = AtomicBool::new(false);
    let descent = Descent {
        objective: Objective::exact(&data.train, sigmoid),
        holdout: (!data.holdout.is_empty()).then_some(Objective::exact(&data.holdout, sigmoid)),
        anchor: start,
        from: start,
        free,
        stop: &stop,
    };
    (descent.run(options, &mut |_, _| {}), sigmoid.k)
}

#[test]
fn finds_what_the_pieces_are_worth() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // Expected scores instead of results: then there is one right answer.
    let lines: String = samples(20_000, 3)
        .iter()
        .map(|sample| format!("{} [{:.6}]\n", common::fields(&sample.board), sample.expected))
        .collect();
    let path = write(directory.path(), "positions.epd", lines);
    let mut start = starts::material_only();
    start.piece_value[1] = engine::eval::Score::new(150, 500);
    start.piece_value[4] = engine::eval::Score::new(600, 1_400);
    let options = LoadOptions { holdout: 0.0, ..LoadOptions::default() };
    let data = load(&[path], &start, &options).unwrap_or_else(|error| panic!("{error}"));
    let free: Vec<bool> =
        (0..EvalParams::COUNT).map(|index| EvalParams::field(index).name == "piece_value").collect();
    let from = starts::pairs(&start);
    let options = FitOptions { tolerance: 1e-14, l2: 0.0, ..FitOptions::default() };
    let (found, k) = fit(&data, &from, &free, &options);
    // K says how long a centipawn is; the proportions must be those of the labels.
    for (index, worth) in common::WORTH.into_iter().enumerate() {
        for half in 0..2 {
            let expected = f64::from(worth) / k;
            let got = found.weights[index][half];
            assert!(
                (got - expected).abs() < 0.03 * expected + 2.0,
                "piece {index}: {got} for {expected}, K {k}"
            );
        }
    }
    assert!(found.weights[5..] == from[5..], "the others may not move");
}

#[test]
fn both_minimisers_go_to_the_same_place_and_early_stopping_keeps_the_best() {
    let data = dataset(6_000, &LoadOptions { holdout: 0.2, lambda: 1.0, ..LoadOptions::default() });
    // Material alone: without kinks there is one bottom, and everyone must find it.
    let start = starts::pairs(&starts::material_only());
    let free: Vec<bool> =
        (0..EvalParams::COUNT).map(|index| EvalParams::field(index).section == "Material").collect();
    let judged_by_itself =
        FitOptions { patience: u64::MAX, l2: 1e-5, tolerance: 1e-12, ..FitOptions::default() };
    let by = |optimizer, scaling, max_iters| {
        let options = FitOptions { optimizer, scaling, max_iters, ..judged_by_itself.clone() };
        fit(&data, &start, &free, &options).0
    };
    let full = by(Optimizer::Lbfgs, Scaling::Full, 200);
    let diagonal = by(Optimizer::Lbfgs, Scaling::Diagonal, 400);
    let adam = by(Optimizer::Adam, Scaling::Diagonal, 3_000);
    let least = |fit: &tuner::fit::Fit| fit.curve.iter().map(|step| step.loss).fold(f64::INFINITY, f64::min);
    let (full_least, diagonal_least, adam_least) = (least(&full), least(&diagonal), least(&adam));
    assert!(full_least < full.curve[0].loss - 1e-4, "something was learned");
    assert!((full_least - diagonal_least).abs() < 1e-6, "{full_least} {diagonal_least}");
    assert!((full_least - adam_least).abs() < 1e-5, "{full_least} {adam_least}");
    for fit in [full, diagonal, adam] {
        let best = fit
            .curve
            .iter()
            .min_by(|a, b| a.holdout.partial_cmp(&b.holdout).expect("numbers"))
            .expect("steps");
        assert_eq!(best.iteration, fit.best_iteration);
    }
}

#[test]
fn the_survey_counts_every_weight_once_a_position() {
    let data = dataset(500, &LoadOptions { holdout: 0.0, ..LoadOptions::default() });
    let weights = starts::pairs(&EvalParams::embedded());
    let found = survey(&Objective::exact(&data.train, Sigmoid { k: 1.0 }), &weights);
    let index =
        |name: &str| EvalParams::FIELDS.iter().find(|field| field.name == name).expect("a name").first;
    assert_eq!(found.exercised[index("tempo")], 500);
    assert_eq!(found.exercised[index("initiative_base")], 500);
    assert_eq!(found.exercised[index("psqt")], 0, "no pawn stands on a1");
}

#[test]
fn what_was_seen_before_is_held_and_the_rest_moves() {
    let data = dataset(4_000, &LoadOptions { lambda: 1.0, ..LoadOptions::default() });
    let start = starts::pairs(&starts::material_only());
    let free: Vec<bool> =
        (0..EvalParams::COUNT).map(|index| EvalParams::field(index).section == "Material").collect();
    let options = FitOptions { l2: 1e-5, ..FitOptions::default() };
    let freely = fit(&data, &start, &free, &options).0;
    let objective = Objective::exact(&data.train, Sigmoid { k: 1.0 });
    let mut evidence = Evidence::of(&survey(&objective, &start), 1_000_000_000);
    let moved = |fit: &tuner::fit::Fit, weight: usize| (fit.weights[weight][1] - start[weight][1]).abs();
    let tuned: Vec<usize> = (0..EvalParams::COUNT).filter(|&index| moved(&freely, index) > 5.0).collect();
    assert!(tuned.len() >= 2, "{tuned:?}");
    // Nothing was known of the first of them.
    evidence.curvature[tuned[0]] = [0.0; 2];
    let prior = Some(evidence.precision(1.0, data.train.len()));
    let held = fit(&data, &start, &free, &FitOptions { prior, ..options }).0;
    assert!(moved(&held, tuned[0]) > 1.0, "{}", moved(&held, tuned[0]));
    assert!(tuned[1..].iter().all(|&index| moved(&held, index) < 0.1));
}

#[test]
fn real_positions_teach_something() {
    let Some(path) = shared("texel/mix_20k.epd") else { return };
    // To the champion these few need not be news.
    let start = starts::material_only();
    let data = load(&[path], &start, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let free = vec![true; EvalParams::COUNT];
    let (found, _) =
        fit(&data, &starts::pairs(&start), &free, &FitOptions { l2: 1e-5, ..FitOptions::default() });
    let (first, best) = (found.curve[0], found.curve[found.best_iteration as usize]);
    assert!(best.loss < first.loss && best.holdout < first.holdout, "{first:?} {best:?}");
}
