//! One part of a gate: a sequential test whose verdict depends on the games alone.
//!
//! Pairs of games are numbered, and the test looks at them in that order, whatever order they were played in and
//! whichever process played them. The verdict is that of the first pair after which the test is decided; games beyond
//! it do not count. So two runs that play the same games give the same verdict, on one machine or on a hundred.

use serde::Serialize;

use super::sprt::{Sprt, SprtState};
use super::stats::{Pentanomial, WinDrawLoss};

/// Where a trial stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TrialState {
    /// Games are missing.
    Running,
    /// The candidate is as strong as the test asks for.
    Passed,
    /// It is not.
    Failed,
    /// All games were played and decide nothing.
    Undecided,
}

/// The games of a trial, as far as they are known.
#[derive(Clone, Debug)]
pub struct Trial {
    test: Sprt,
    /// Half points of the candidate in both games. `// [pair]`
    known: Vec<[Option<u8>; 2]>,
    /// Pairs that the test has looked at: all before this one.
    counted: usize,
    games: WinDrawLoss,
    pairs: Pentanomial,
    state: TrialState,
}

impl Trial {
    /// A trial of at most so many pairs, none of them played yet.
    pub fn new(test: Sprt, most_pairs: usize) -> Trial {
        Trial {
            test,
            known: vec![[None; 2]; most_pairs],
            counted: 0,
            games: WinDrawLoss::default(),
            pairs: Pentanomial::default(),
            state: if most_pairs == 0 { TrialState::Undecided } else { TrialState::Running },
        }
    }

    /// Adds a game by its number in the schedule. A game that is known already changes nothing, nor does one
    /// beyond the last pair.
    pub fn add(&mut self, game: usize, half_points: u8) {
        if let Some(pair) = self.known.get_mut(game / 2) {
            pair[game % 2].get_or_insert(half_points);
        }
        while self.state == TrialState::Running
            && let Some([Some(first), Some(second)]) = self.known.get(self.counted).copied()
        {
            self.count(first, second);
        }
    }

    fn count(&mut self, first: u8, second: u8) {
        self.games.add(first);
        self.games.add(second);
        self.pairs.add(first + second);
        self.counted += 1;
        self.state = match self.test.state(&self.pairs) {
            SprtState::AcceptH1 => TrialState::Passed,
            SprtState::AcceptH0 => TrialState::Failed,
            SprtState::Running if self.counted == self.known.len() => TrialState::Undecided,
            SprtState::Running => TrialState::Running,
        };
    }

    /// Whether the game with this number is known.
    pub fn knows(&self, game: usize) -> bool {
        self.known.get(game / 2).is_some_and(|pair| pair[game % 2].is_some())
    }

    /// The test.
    pub fn test(&self) -> &Sprt {
        &self.test
    }

    /// The verdict so far.
    pub fn state(&self) -> TrialState {
        self.state
    }

    /// The games that count, from the candidate's side.
    pub fn games(&self) -> &WinDrawLoss {
        &self.games
    }

    /// The pairs that count, from the candidate's side.
    pub fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// The log-likelihood ratio of the games that count.
    pub fn llr(&self) -> f64 {
        self.test.llr(&self.pairs)
    }

    /// Games that may still be needed, at most.
    pub fn most_games_left(&self) -> usize {
        if self.state == TrialState::Running { 2 * (self.known.len() - self.counted) } else { 0 }
    }

    /// Games that will be needed if the ratio goes on as it did so far; `None` while it stands still.
    pub fn likely_games_left(&self) -> Option<usize> {
        if self.state != TrialState::Running {
            return Some(0);
        }
        let (lower, upper) = self.test.bounds();
        let llr = self.llr();
        let slope = llr / self.counted.max(1) as f64;
        let bound = if slope > 0.0 { upper } else { lower };
        let pairs = (bound - llr) / slope;
        pairs.is_finite().then(|| (2 * pairs.ceil() as usize).min(self.most_games_left()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test() -> Sprt {
        "elo0=0,elo1=50".parse().unwrap()
    }

    #[test]
    fn the_order_of_games_says_nothing() {
        let points = |game: usize| [2, 1, 2, 1, 1, 2, 0, 2, 2, 0][game % 10];
        let mut in_order = Trial::new(test(), 300);
        (0..600).for_each(|game| in_order.add(game, points(game)));
        let mut backwards = Trial::new(test(), 300);
        (0..600).rev().for_each(|game| backwards.add(game, points(game)));
        assert_eq!(in_order.state(), TrialState::Passed);
        assert!(in_order.pairs().pairs() < 300, "decided before the end");
        assert_eq!(in_order.pairs(), backwards.pairs());
        assert_eq!(in_order.games(), backwards.games());
    }

    #[test]
    fn a_hole_holds_the_verdict_back() {
        let mut trial = Trial::new(test(), 300);
        (0..600).filter(|&game| game != 7).for_each(|game| trial.add(game, 2 - (game % 3 == 0) as u8));
        assert_eq!((trial.state(), trial.pairs().pairs()), (TrialState::Running, 3));
        assert!(trial.knows(6) && !trial.knows(7));
        trial.add(7, 1);
        assert_eq!(trial.state(), TrialState::Passed);
        assert_eq!((trial.most_games_left(), trial.likely_games_left()), (0, Some(0)));
    }

    #[test]
    fn level_pairs_fail_and_too_few_decide_nothing() {
        let mut trial = Trial::new(test(), 400);
        (0..800).for_each(|game| trial.add(game, 2 * (game % 2) as u8));
        assert_eq!(trial.state(), TrialState::Failed, "nothing but level pairs");
        let mut trial = Trial::new(test(), 4);
        [2, 2, 0, 0, 2, 1, 0, 1].into_iter().enumerate().for_each(|(game, points)| trial.add(game, points));
        assert_eq!(trial.state(), TrialState::Undecided);
        trial.add(8, 2);
        assert_eq!(trial.pairs().pairs(), 4, "a game beyond the last pair is not counted");
    }
}
