//! Which games a fit should see: the newest ones, more of them the more there are.

use super::catalogue::Catalogue;
use super::entry::Entry;

/// How many games are taken.
///
/// All of them while there are at most `least`; beyond that `least · (all / least)^¾`. A young library has too few
/// games to leave any out: a fit is limited by games. Later the oldest come from the weakest players and have the
/// worst labels; the window then grows more slowly than the library, and yet never shrinks, so that each night's fit sees
/// more than the one before.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Window {
    /// Games of which all are taken.
    pub least: u64,
}

/// The power with which the window grows.
const GROWTH: f64 = 0.75;

impl Window {
    /// Games that are taken out of so many.
    pub fn games(&self, all: u64) -> u64 {
        if all <= self.least || self.least == 0 {
            return all.min(self.least);
        }
        let grown = self.least as f64 * libm::pow(all as f64 / self.least as f64, GROWTH);
        (grown.round() as u64).clamp(self.least, all)
    }

    /// Whole records, the newest first, until the window is full. What cannot be found is named and left out, and
    /// older records take its place.
    pub fn take<'a>(&self, catalogue: &'a Catalogue) -> Taken<'a> {
        let newest = catalogue.newest_first();
        let all = newest.iter().map(|entry| entry.games).sum();
        let mut taken = Taken { wanted: self.games(all), ..Taken::default() };
        for entry in newest {
            if taken.games >= taken.wanted {
                break;
            }
            match entry.find() {
                Ok(place) => {
                    taken.games += entry.games;
                    taken.records.push((entry, place));
                }
                Err(faults) => taken.faults.extend(faults),
            }
        }
        taken
    }
}

/// What a window holds.
#[derive(Default)]
pub struct Taken<'a> {
    /// Games that it should hold.
    pub wanted: u64,
    /// Games that it holds.
    pub games: u64,
    /// The newest first, each with a place where it lies.
    pub records: Vec<(&'a Entry, String)>,
    /// What was left out, and why.
    pub faults: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_with_the_library_and_never_faster() {
        let window = Window { least: 20_000 };
        assert_eq!([0, 1, 20_000].map(|all| window.games(all)), [0, 1, 20_000]);
        assert_eq!(window.games(320_000), 160_000);
        let mut before = (0, 0);
        for all in (0..3_000_000).step_by(777) {
            let games = window.games(all);
            assert!(games >= before.1 && games <= all && games - before.1 <= all - before.0);
            before = (all, games);
        }
        assert_eq!(Window { least: 0 }.games(5), 0);
    }
}
