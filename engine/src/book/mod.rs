//! Opening books: moves known before anything is searched, and how one of them is chosen.

pub mod experience;
pub mod game_log;
pub mod polyglot;
mod polyglot_keys;

use crate::board::zobrist::splitmix64;
use crate::types::Move;

/// A move that a book knows, and how much it thinks of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// Legal in the position that was asked about.
    pub m: Move,
    /// Only compared with the weights of the other moves; 0 means: known, and not to be played.
    pub weight: u32,
}

/// What a book says about a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BookAnswer {
    /// The legal ones, each once, in the order of the book.
    pub moves: Vec<BookMove>,
    /// Entries that are no legal move here: damage, or another position with the same key.
    pub skipped: usize,
}

/// How a move is chosen among those of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BookMode {
    /// By chance, in proportion to the weights.
    #[default]
    Weighted,
    /// The one with the greatest weight; of equals the first.
    Best,
    /// By chance, each as likely as the others.
    Uniform,
}

impl BookMode {
    /// The names, as the UCI option spells them.
    pub const NAMES: [&'static str; 3] = ["Weighted", "Best", "Uniform"];

    /// The mode of a name.
    pub fn named(name: &str) -> Option<BookMode> {
        match name {
            "Weighted" => Some(BookMode::Weighted),
            "Best" => Some(BookMode::Best),
            "Uniform" => Some(BookMode::Uniform),
            _ => None,
        }
    }
}

/// The chance in a choice: a stream of numbers that a seed determines.
#[derive(Clone, Debug)]
pub struct BookChance {
    state: u64,
}

impl BookChance {
    /// The stream of a seed.
    pub fn new(seed: u64) -> BookChance {
        BookChance { state: seed }
    }

    /// A number below `bound`, each equally likely. `bound` is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        // The high half of the product is even but for one part in 2^64 / bound: nothing that shows.
        ((u128::from(splitmix64(&mut self.state)) * u128::from(bound)) >> 64) as u64
    }

    /// Chooses a move; `None` if none is to be played.
    pub fn choose(&mut self, moves: &[BookMove], mode: BookMode) -> Option<BookMove> {
        let playable: Vec<BookMove> = moves.iter().copied().filter(|known| known.weight > 0).collect();
        if playable.is_empty() {
            return None;
        }
        match mode {
            // `max_by_key` would take the last of equals.
            BookMode::Best => playable.into_iter().rev().max_by_key(|known| known.weight),
            BookMode::Uniform => Some(playable[self.below(playable.len() as u64) as usize]),
            BookMode::Weighted => {
                let total: u64 = playable.iter().map(|known| u64::from(known.weight)).sum();
                let mut ticket = self.below(total);
                playable.into_iter().find(|known| {
                    let won = ticket < u64::from(known.weight);
                    ticket = ticket.saturating_sub(u64::from(known.weight));
                    won
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn with_weights(weights: &[u32]) -> Vec<BookMove> {
        let moves = Board::start().legal_moves();
        moves.iter().zip(weights).map(|(&m, &weight)| BookMove { m, weight }).collect()
    }

    /// How often each of the moves is chosen.
    fn counts(moves: &[BookMove], mode: BookMode, choices: usize) -> Vec<f64> {
        let mut chance = BookChance::new(2024);
        let mut counts = vec![0.0; moves.len()];
        for _ in 0..choices {
            let chosen = chance.choose(moves, mode).expect("there are moves");
            counts[moves.iter().position(|known| *known == chosen).expect("one of them")] += 1.0;
        }
        counts
    }

    /// Pearson's statistic against shares that add up to 1.
    fn chi_square(counts: &[f64], shares: &[f64]) -> f64 {
        let total: f64 = counts.iter().sum();
        let expected = shares.iter().map(|share| share * total);
        counts.iter().zip(expected).map(|(count, expected)| (count - expected).powi(2) / expected).sum()
    }

    /// The 99.9% point of chi-square with four degrees of freedom.
    const CRITICAL_4: f64 = 18.467;

    #[test]
    fn a_hundred_thousand_choices_follow_the_weights() {
        let weights = [10_439, 10_366, 2_146, 1_645, 102]; // of gm2001.bin in the initial position
        let total = f64::from(weights.iter().sum::<u32>());
        let counts = counts(&with_weights(&weights), BookMode::Weighted, 100_000);
        let statistic = chi_square(&counts, &weights.map(|weight| f64::from(weight) / total));
        println!("{counts:?}: chi-square {statistic:.2}, 99.9% of even choices are below {CRITICAL_4}");
        assert!(statistic < CRITICAL_4, "{counts:?}: {statistic}");
        // The test can fail: even choices do not follow these weights.
        assert!(chi_square(&[20_000.0; 5], &weights.map(|weight| f64::from(weight) / total)) > CRITICAL_4);
    }

    #[test]
    fn uniform_choices_ignore_the_weights() {
        let counts = counts(&with_weights(&[1, 60_000, 7, 7, 900]), BookMode::Uniform, 100_000);
        assert!(chi_square(&counts, &[0.2; 5]) < CRITICAL_4, "{counts:?}");
    }

    #[test]
    fn the_best_is_the_first_of_the_greatest() {
        let moves = with_weights(&[3, 9, 9, 1]);
        assert_eq!(BookChance::new(1).choose(&moves, BookMode::Best), Some(moves[1]));
    }

    #[test]
    fn a_weight_of_nothing_is_never_played() {
        let moves = with_weights(&[0, 5, 0]);
        for mode in [BookMode::Weighted, BookMode::Best, BookMode::Uniform] {
            let mut chance = BookChance::new(7);
            assert!((0..1000).all(|_| chance.choose(&moves, mode) == Some(moves[1])), "{mode:?}");
            assert_eq!(chance.choose(&with_weights(&[0, 0]), mode), None);
            assert_eq!(chance.choose(&[], mode), None);
        }
    }

    #[test]
    fn a_seed_determines_the_choices() {
        let moves = with_weights(&[5; 20]);
        let choices = |seed| -> Vec<BookMove> {
            let mut chance = BookChance::new(seed);
            (0..50).filter_map(|_| chance.choose(&moves, BookMode::Weighted)).collect()
        };
        assert_eq!(choices(3), choices(3));
        assert_ne!(choices(3), choices(4));
    }

    #[test]
    fn every_mode_has_its_name() {
        assert!(BookMode::NAMES.iter().all(|name| BookMode::named(name).is_some()));
        assert_eq!(BookMode::named("Random"), None);
    }
}
