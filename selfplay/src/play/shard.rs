//! A shard: a range of the games of a run, told by its number.

use std::ops::Range;
use std::str::FromStr;

/// Shard `index` of `count`, both as people write them: `1/4` is the first of four.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    index: u64,
    count: u64,
}

/// Why a shard was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no shard; write i/n with 1 ≤ i ≤ n, as in 3/8")]
pub struct ShardError(String);

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let refused = || ShardError(text.to_string());
        let (index, count) = text.split_once('/').ok_or_else(refused)?;
        let (index, count) = (index.parse().map_err(|_| refused())?, count.parse().map_err(|_| refused())?);
        match (1..=count).contains(&index) {
            true => Ok(Shard { index, count }),
            false => Err(refused()),
        }
    }
}

impl Shard {
    /// The whole run.
    pub const ALL: Shard = Shard { index: 1, count: 1 };

    /// From 1.
    pub fn index(self) -> u64 {
        self.index
    }

    /// How many there are.
    pub fn count(self) -> u64 {
        self.count
    }

    /// Its part of so many games; empty if there are more shards than games.
    pub fn range(self, games: u64) -> Range<u64> {
        let bound = |index: u64| (u128::from(games) * u128::from(index) / u128::from(self.count)) as u64;
        bound(self.index - 1)..bound(self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_all_games_once() {
        for (games, count) in [(100, 1), (100, 3), (7, 4), (2, 5), (u64::MAX, 9)] {
            let mut next = 0;
            for index in 1..=count {
                let range = format!("{index}/{count}").parse::<Shard>().unwrap().range(games);
                assert_eq!(range.start, next);
                next = range.end;
            }
            assert_eq!(next, games);
        }
    }

    #[test]
    fn senseless_shards_are_refused() {
        for text in ["0/4", "5/4", "1", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
