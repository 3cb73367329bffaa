//! What results prove: Elo with its error, normalised Elo, the likelihood of superiority.
//!
//! Games come in pairs (one opening, colours reversed), and the two games of a pair are not independent:
//! a lopsided opening gives 1-1 pairs with certainty. So the variance is that of pairs, counted in five
//! classes (the pentanomial), which is smaller than that of single games and true.

use serde::Serialize;

/// The two-sided 95% quantile of the normal distribution.
pub const NORMAL_95: f64 = 1.959_963_984_540_054;
/// Elo per unit of normalised advantage: `800 / ln 10`.
pub const ELO_PER_T: f64 = 800.0 / std::f64::consts::LN_10;

/// Single games, from one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct WinDrawLoss {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl WinDrawLoss {
    /// Counts a game by its half points.
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game, 0 to 1; `None` without a game.
    pub fn score(&self) -> Option<f64> {
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        (self.games() > 0).then(|| points / self.games() as f64)
    }

    /// The share of draws; `None` without a game.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }
}

/// Pairs of games by the half points that the first engine made in them. `// [half points, 0 to 4]`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Pentanomial(pub [u64; 5]);

/// An estimate with its 95% interval. Ends may be infinite: a side that wins everything has no finite Elo.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Interval {
    /// The most likely value.
    pub value: f64,
    /// The 2.5% quantile.
    pub low: f64,
    /// The 97.5% quantile.
    pub high: f64,
}

impl Interval {
    /// Half of the interval's width, the number after ±.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

impl Pentanomial {
    /// Counts a pair by the half points of both games.
    pub fn add(&mut self, half_points: u8) {
        self.0[usize::from(half_points.min(4))] += 1;
    }

    /// All pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean and variance of the score (0 to 1 per game) of a pair; `None` without a pair.
    pub fn mean_and_variance(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return None;
        }
        let weighted = || self.0.iter().zip(PAIR_SCORES).map(|(&count, score)| (count as f64 / pairs, score));
        let mean: f64 = weighted().map(|(share, score)| share * score).sum();
        let variance = weighted().map(|(share, score)| share * (score - mean).powi(2)).sum();
        Some((mean, variance))
    }

    /// Logistic Elo of the first engine.
    pub fn elo(&self) -> Option<Interval> {
        self.interval_of_score().map(|score| Interval {
            value: elo_from_score(score.value),
            low: elo_from_score(score.low),
            high: elo_from_score(score.high),
        })
    }

    /// Normalised Elo: the advantage in standard deviations of a single game, on Elo's scale. It says
    /// how many games a proof needs, whatever the book and the time control.
    pub fn normalised_elo(&self) -> Option<Interval> {
        let (_, variance) = self.mean_and_variance()?;
        let score = self.interval_of_score()?;
        // A pair's score is the mean of two games, so a game's variance is twice that of a pair.
        let deviation = (2.0 * variance).sqrt();
        let normalise = |score: f64| match score - 0.5 {
            0.0 => 0.0,
            advantage => advantage / deviation * ELO_PER_T,
        };
        Some(Interval {
            value: normalise(score.value),
            low: normalise(score.low),
            high: normalise(score.high),
        })
    }

    /// How likely the first engine is the stronger one, 0 to 1.
    pub fn likelihood_of_superiority(&self) -> Option<f64> {
        let (mean, variance) = self.mean_and_variance()?;
        if variance == 0.0 {
            return Some(if mean > 0.5 {
                1.0
            } else if mean < 0.5 {
                0.0
            } else {
                0.5
            });
        }
        let error = (variance / self.pairs() as f64).sqrt();
        Some(normal_cdf((mean - 0.5) / error))
    }

    /// The share of pairs that ended 1-1: what the opening book leaves undecided.
    pub fn level_pairs(&self) -> Option<f64> {
        (self.pairs() > 0).then(|| self.0[2] as f64 / self.pairs() as f64)
    }

    fn interval_of_score(&self) -> Option<Interval> {
        let (mean, variance) = self.mean_and_variance()?;
        let error = NORMAL_95 * (variance / self.pairs() as f64).sqrt();
        Some(Interval { value: mean, low: mean - error, high: mean + error })
    }
}

/// The scores of a pair's classes. `// [half points, 0 to 4]`
pub const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Elo of an expected score; infinite at 0 and 1 and beyond.
pub fn elo_from_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        // Written so that an even score gives 0, not -0.
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// Expected score of an Elo difference.
pub fn score_from_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The normal distribution function.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_counts_do_not_break() {
        assert!(Pentanomial::default().elo().is_none());
        let all_won = Pentanomial([0, 0, 0, 0, 9]);
        assert_eq!(all_won.elo().unwrap().value, f64::INFINITY);
        assert_eq!(all_won.likelihood_of_superiority(), Some(1.0));
        let all_level = Pentanomial([0, 0, 9, 0, 0]);
        assert_eq!(all_level.elo().unwrap(), Interval { value: 0.0, low: 0.0, high: 0.0 });
        assert_eq!(all_level.normalised_elo().unwrap().value, 0.0);
        assert_eq!(all_level.likelihood_of_superiority(), Some(0.5));
    }

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-700.0, -35.5, 0.0, 1.0, 400.0] {
            assert!((elo_from_score(score_from_elo(elo)) - elo).abs() < 1e-9);
        }
    }
}
