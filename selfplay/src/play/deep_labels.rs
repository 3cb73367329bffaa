//! Cheap moves, dear labels: most moves of a game are searched briefly, a share of them deeply, and only what a deep
//! search says is learned from.
//!
//! Which moves are searched deeply is decided by the seed, the game and the ply alone, so that a reader of a record
//! knows it again without a mark on every move.

use std::str::FromStr;

use xxhash_rust::xxh64::xxh64;

use crate::record::GameRecord;

/// The moves that are searched deeply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeepLabels {
    /// Their share, in millionths.
    pub share: u32,
    /// Nodes of their searches.
    pub nodes: u64,
}

/// Why a text says nothing about deep labels.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}': write share=0.15,nodes=5000 with a share above 0 and up to 1, and 1 node or more")]
pub struct DeepLabelsError(String);

impl FromStr for DeepLabels {
    type Err = DeepLabelsError;

    fn from_str(text: &str) -> Result<DeepLabels, DeepLabelsError> {
        let parse = || {
            let (share, nodes) = text.strip_prefix("share=")?.split_once(",nodes=")?;
            let share: f64 = share.parse().ok()?;
            let labels = DeepLabels { share: (share * 1e6).round() as u32, nodes: nodes.parse().ok()? };
            ((1..=1_000_000).contains(&labels.share) && share > 0.0 && labels.nodes > 0).then_some(labels)
        };
        parse().ok_or_else(|| DeepLabelsError(text.to_string()))
    }
}

impl DeepLabels {
    /// As the settings of a record have it.
    pub fn to_text(self) -> String {
        format!("share={},nodes={}", f64::from(self.share) / 1e6, self.nodes)
    }

    /// What a record's settings say; `None`: every move was searched alike, and all are labels.
    pub fn of_settings(settings: &str) -> Option<DeepLabels> {
        settings.lines().find_map(|line| line.strip_prefix("deep=")).and_then(|text| text.parse().ok())
    }

    /// Whether a move is searched deeply; `ply` counts from the first move that was searched.
    pub fn includes(self, seed: u64, game: u64, ply: usize) -> bool {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&game.to_le_bytes());
        bytes[16..].copy_from_slice(&(ply as u64).to_le_bytes());
        // The high half of a product, as dice do it.
        let lot = (u128::from(xxh64(&bytes, 4)) * 1_000_000) >> 64;
        lot < u128::from(self.share)
    }

    /// How many moves of a game are labels.
    pub fn count(labels: Option<DeepLabels>, seed: u64, game: &GameRecord) -> u64 {
        match labels {
            None => game.plies.len() as u64,
            Some(labels) => {
                (0..game.plies.len()).filter(|&ply| labels.includes(seed, game.id, ply)).count() as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_kept_and_the_choice_is_pinned() {
        let labels: DeepLabels = "share=0.15,nodes=5000".parse().unwrap();
        assert_eq!((labels.share, labels.nodes), (150_000, 5_000));
        let count = (0..1_000).map(|game| (0..100).filter(|&ply| labels.includes(7, game, ply)).count());
        assert!((14_600..15_400).contains(&count.sum::<usize>()));
        // Labels of old records are found again only while this stays.
        let first: Vec<usize> = (0..40).filter(|&ply| labels.includes(1, 2, ply)).collect();
        assert_eq!(first, [0, 3, 12, 14, 17, 24, 25]);
        let everything = DeepLabels { share: 1_000_000, ..labels };
        assert!((0..500).all(|ply| everything.includes(3, 3, ply)));
    }

    #[test]
    fn the_text_is_read_back_or_refused() {
        for labels in [DeepLabels { share: 1, nodes: 1 }, DeepLabels { share: 166_667, nodes: 5_000 }] {
            assert_eq!(labels.to_text().parse(), Ok(labels));
            let settings = format!("nodes=5\ndeep={}\nhash=1\n", labels.to_text());
            assert_eq!(DeepLabels::of_settings(&settings), Some(labels));
        }
        assert_eq!(DeepLabels::of_settings("nodes=5\n"), None);
        for text in [
            "",
            "share=0,nodes=5",
            "share=1.5,nodes=5",
            "share=0.5",
            "share=0.5,nodes=0",
            "share=nan,nodes=1",
        ] {
            assert!(text.parse::<DeepLabels>().is_err(), "{text}");
        }
    }
}
