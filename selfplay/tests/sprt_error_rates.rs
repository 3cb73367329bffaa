//! The sequential test keeps its promise: 10,000 simulated matches at each hypothesis, wrong verdicts counted.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use selfplay::arena::sprt::EloModel;
use selfplay::arena::stats::{PAIR_SCORES, score_from_elo};
use selfplay::arena::{Pentanomial, Sprt, SprtState};

const RUNS: u32 = 10_000;

/// A distribution of pairs as matches have it, tilted to the score of an Elo difference.
fn distribution(elo: f64) -> [f64; 5] {
    let base = [0.03, 0.20, 0.54, 0.20, 0.03];
    let tilted = |tilt: f64| {
        let weights: [f64; 5] = std::array::from_fn(|class| base[class] * (tilt * PAIR_SCORES[class]).exp());
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    };
    let mean = |shares: [f64; 5]| -> f64 { shares.iter().zip(PAIR_SCORES).map(|(p, s)| p * s).sum() };
    let (mut low, mut high) = (-20.0, 20.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if mean(tilted(middle)) < score_from_elo(elo) { low = middle } else { high = middle }
    }
    tilted(low)
}

fn draw(shares: &[f64; 5], random: &mut Pcg64Mcg) -> u8 {
    let mut point: f64 = random.random();
    for (class, share) in shares.iter().enumerate() {
        point -= share;
        if point < 0.0 {
            return class as u8;
        }
    }
    4
}

/// The share of matches that accept H1, and the mean number of pairs.
fn simulate(sprt: &Sprt, true_elo: f64, seed: u64) -> (f64, f64) {
    let shares = distribution(true_elo);
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let (mut accepted, mut pairs) = (0, 0);
    for _ in 0..RUNS {
        let mut results = Pentanomial::default();
        let state = loop {
            results.add(draw(&shares, &mut random));
            match sprt.state(&results) {
                SprtState::Running => {}
                decided => break decided,
            }
        };
        accepted += u32::from(state == SprtState::AcceptH1);
        pairs += results.pairs();
    }
    (f64::from(accepted) / f64::from(RUNS), pairs as f64 / f64::from(RUNS))
}

/// Ten thousand matches give a rate within three standard deviations. Far below would be as wrong as above:
/// the test would be playing more games than it needs.
fn assert_promised(what: &str, rate: f64, promised: f64) {
    let deviation = (promised * (1.0 - promised) / f64::from(RUNS)).sqrt();
    assert!(rate <= promised + 3.0 * deviation, "{what}: {rate}, promised {promised}");
    assert!(rate >= promised * 0.7, "{what}: {rate}, suspiciously few for {promised}");
}

const SPRT: Sprt = Sprt { elo0: 0.0, elo1: 15.0, alpha: 0.05, beta: 0.05, model: EloModel::Logistic };

#[test]
fn false_positives_are_as_rare_as_promised() {
    let (rate, pairs) = simulate(&SPRT, SPRT.elo0, 1);
    println!("at elo0: {rate:.4} accept H1, {pairs:.0} pairs a match");
    assert_promised("false positives", rate, SPRT.alpha);
}

#[test]
fn false_negatives_are_as_rare_as_promised() {
    let (power, pairs) = simulate(&SPRT, SPRT.elo1, 2);
    println!("at elo1: {:.4} accept H0, {pairs:.0} pairs a match", 1.0 - power);
    assert_promised("false negatives", 1.0 - power, SPRT.beta);
}
