//! The sequential test keeps its promise: 10,000 simulated matches at each hypothesis, wrong verdicts counted.

#[path = "common/simulated_pairs.rs"]
mod simulated_pairs;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use selfplay::arena::sprt::EloModel;
use selfplay::arena::stats::score_from_elo;
use selfplay::arena::{Pentanomial, Sprt, SprtState};
use simulated_pairs::{DRAWISH, distribution, draw};

const RUNS: u32 = 10_000;

/// Pairs below which every ratio is computed in full.
const FEW_PAIRS: u64 = 500;
/// So far from a bound the quick estimate must be to be believed.
const SCREEN: f64 = 0.5;

/// The ratio of normal distributions with the variance of the counts: quick, and near the real one when
/// there are many pairs.
fn estimated_llr(sprt: &Sprt, results: &Pentanomial) -> f64 {
    let [s0, s1] = [sprt.elo0, sprt.elo1].map(score_from_elo);
    let (mean, variance) = results.mean_and_variance().expect("there are pairs");
    results.pairs() as f64 * (s1 - s0) * (mean - (s0 + s1) / 2.0) / variance
}

/// The state after one more pair. Long matches have thousands of pairs that decide nothing: those are
/// passed over by the estimate, which is held against the real ratio now and then.
fn state(sprt: &Sprt, results: &Pentanomial) -> SprtState {
    let pairs = results.pairs();
    if pairs >= FEW_PAIRS {
        let estimate = estimated_llr(sprt, results);
        if pairs.is_multiple_of(997) {
            let apart = (sprt.llr(results) - estimate).abs();
            assert!(apart < SCREEN / 2.0, "{results:?}: the estimate is off by {apart}");
        }
        let (lower, upper) = sprt.bounds();
        if estimate > lower + SCREEN && estimate < upper - SCREEN {
            return SprtState::Running;
        }
    }
    sprt.state(results)
}

/// The share of matches that accept H1, and the mean number of pairs.
fn simulate(sprt: &Sprt, true_elo: f64, seed: u64) -> (f64, f64) {
    let shares = distribution(DRAWISH, true_elo);
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let (mut accepted, mut pairs) = (0, 0);
    for _ in 0..RUNS {
        let mut results = Pentanomial::default();
        let state = loop {
            results.add(draw(&shares, &mut random));
            match state(sprt, &results) {
                SprtState::Running => {}
                decided => break decided,
            }
        };
        accepted += u32::from(state == SprtState::AcceptH1);
        pairs += results.pairs();
    }
    (f64::from(accepted) / f64::from(RUNS), pairs as f64 / f64::from(RUNS))
}

/// How far the true rate may be from the promised one, as a share of it. The promise holds for many pairs; by
/// `sprt.rs`, which tells of simulations ten times as long, it is kept within a twentieth.
const SLACK: f64 = 0.1;
/// Standard deviations of the count beyond that: six rates are asked for, and with any seed all of them fall
/// within but once in a hundred thousand runs of the test.
const DEVIATIONS: f64 = 5.0;

/// Far below would be as wrong as above: the test would be playing more games than it needs.
fn assert_promised(what: &str, rate: f64, promised: f64) {
    let deviation = (promised * (1.0 - promised) / f64::from(RUNS)).sqrt();
    let off = (rate - promised).abs();
    assert!(off <= SLACK * promised + DEVIATIONS * deviation, "{what}: {rate}, promised {promised}");
}

/// Any seed will do; `TABULA_SEED` is another one.
fn seed() -> u64 {
    std::env::var("TABULA_SEED").ok().map_or(1, |text| text.parse().expect("TABULA_SEED is a number"))
}

fn errs_as_promised(elo1: f64) {
    let seed = seed();
    let sprt = Sprt { elo0: 0.0, elo1, alpha: 0.05, beta: 0.05, model: EloModel::Logistic };
    let (accepted, pairs) = simulate(&sprt, sprt.elo0, seed);
    println!("0 to {elo1}: at elo0 {:.2}% accept H1, {pairs:.0} pairs a match", 100.0 * accepted);
    assert_promised("false positives", accepted, sprt.alpha);
    let (accepted, pairs) = simulate(&sprt, sprt.elo1, seed + 1);
    println!("0 to {elo1}: at elo1 {:.2}% accept H0, {pairs:.0} pairs a match", 100.0 * (1.0 - accepted));
    assert_promised("false negatives", 1.0 - accepted, sprt.beta);
}

#[test]
fn errors_are_as_rare_as_promised_with_5_elo() {
    errs_as_promised(5.0);
}

#[test]
fn errors_are_as_rare_as_promised_with_15_elo() {
    errs_as_promised(15.0);
}

#[test]
fn errors_are_as_rare_as_promised_with_25_elo() {
    errs_as_promised(25.0);
}
