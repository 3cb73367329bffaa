//! One record of the library.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::play::DeepLabels;
use crate::record::{Reader, RecordError, Start};

/// A record, known by its content.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Of all bytes of the file.
    pub hash: String,
    /// What kept it out of the library; empty: it is in it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dropped: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Games in it.
    pub games: u64,
    /// Games that did not begin with the initial position.
    pub other_starts: u64,
    /// Moves with a score that is meant to be learned from.
    pub labels: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// The hash of the weights that played.
    pub weights: String,
    /// The fingerprint of the engine that played.
    pub engine: String,
    /// The seed of its randomness.
    pub seed: u64,
    /// All other settings of the games, as the record has them.
    pub settings: String,
    /// Files with this content, as they were added.
    pub places: BTreeSet<String>,
}

/// What a record does not say itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// Seconds since 1970: newer games have newer labels.
    pub date: u64,
    /// The night that made it.
    pub night: String,
    /// The commit that the program was built from.
    pub commit: String,
    /// The champion of that time.
    pub champion: String,
}

/// The hash of a file's bytes.
pub fn content_hash(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

impl Entry {
    /// Reads all of a record; an error if any of it is damaged.
    pub fn read(path: &Path, origin: &Origin) -> Result<Entry, RecordError> {
        let bytes = std::fs::read(path).map_err(|source| RecordError::Io { path: path.into(), source })?;
        let (hash, length) = (content_hash(&bytes), bytes.len() as u64);
        let mut reader = Reader::from_bytes(path, bytes)?;
        if let Some(damage) = reader.take_damage() {
            return Err(damage);
        }
        let header = reader.header().clone();
        let deep = DeepLabels::of_settings(&header.settings);
        let (mut games, mut other_starts, mut labels) = (0, 0, 0);
        for game in reader.into_games() {
            let game = game?;
            games += 1;
            other_starts += u64::from(game.start != Start::Initial);
            labels += DeepLabels::count(deep, header.seed, &game);
        }
        Ok(Entry {
            hash,
            dropped: String::new(),
            origin: origin.clone(),
            games,
            other_starts,
            labels,
            bytes: length,
            weights: format!("{:016x}", header.weights),
            engine: format!("{:016x}", header.engine),
            seed: header.seed,
            settings: header.settings,
            places: BTreeSet::from([path.to_string_lossy().into_owned()]),
        })
    }

    /// What two entries of one record say together, whichever comes first.
    pub fn joined(self, other: Entry) -> Entry {
        let places: BTreeSet<String> = self.places.union(&other.places).cloned().collect();
        // Dropped in one place is dropped: of two entries the one with a reason counts, and of two reasons the lesser.
        let dropped =
            [&self.dropped, &other.dropped].into_iter().filter(|reason| !reason.is_empty()).min().cloned();
        let bare = |entry: Entry| Entry { dropped: String::new(), places: BTreeSet::new(), ..entry };
        let said = bare(self).min(bare(other));
        Entry { dropped: dropped.unwrap_or_default(), places, ..said }
    }

    /// Whether it may be taken.
    pub fn is_kept(&self) -> bool {
        self.dropped.is_empty()
    }

    /// The first of its places whose file still has its content; otherwise what is wrong with each of them.
    pub fn find(&self) -> Result<String, Vec<String>> {
        let mut faults = Vec::new();
        for place in &self.places {
            match std::fs::read(place) {
                Err(error) => faults.push(format!("{place}: {error}")),
                Ok(bytes) if content_hash(&bytes) != self.hash => {
                    faults.push(format!("{place}: not the bytes that were added ({})", self.hash));
                }
                Ok(_) => return Ok(place.clone()),
            }
        }
        Err(faults)
    }
}
