//! Pairs of games drawn from a known distribution, to try statistics on.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use selfplay::arena::stats::{PAIR_SCORES, score_from_elo};

/// Pairs as long games between equal players have them.
pub const DRAWISH: [f64; 5] = [0.03, 0.20, 0.54, 0.20, 0.03];

/// A distribution of pairs, tilted to the score of an Elo difference.
pub fn distribution(base: [f64; 5], elo: f64) -> [f64; 5] {
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

/// The half points of one pair.
pub fn draw(shares: &[f64; 5], random: &mut Pcg64Mcg) -> u8 {
    let mut point: f64 = random.random();
    for (class, share) in shares.iter().enumerate() {
        point -= share;
        if point < 0.0 {
            return class as u8;
        }
    }
    4
}
