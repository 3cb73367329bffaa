//! What a champion's weights were fitted to, as far as the next fit must know it: how firmly each weight was held.
//!
//! Near its minimum a loss curves like the Gauss-Newton matrix; its diagonal, summed over the positions of a fit, says how
//! much each weight was seen. Taken as the precision of a prior around the old weights, it lets weights that were rarely
//! seen move with the new positions, and holds those that many positions agreed on. Sums add: over nights, and over parts
//! of one night.

use std::path::Path;

use engine::eval::EvalParams;
use engine::eval::gradient::Pair;
use serde::{Deserialize, Serialize};

use crate::curvature::Survey;

/// Sums over positions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// How many positions, older ones counting for less.
    pub positions: f64,
    /// `// [weight]` the curvature of their loss
    pub curvature: Vec<Pair>,
}

/// Why there is no evidence in a file.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The file.
    #[error("evidence {file}: {error}")]
    Io {
        /// Its name.
        file: String,
        /// Why.
        error: std::io::Error,
    },
    /// Its text.
    #[error("evidence {file}: {error}: it is damaged; fit without --prior, or restore it")]
    Damaged {
        /// Its name.
        file: String,
        /// Why.
        error: serde_json::Error,
    },
    /// It belongs to another list of weights, or is no sum of squares.
    #[error("evidence {file}: {reason}; fit without --prior")]
    Nonsense {
        /// Its name.
        file: String,
        /// What is wrong.
        reason: String,
    },
}

impl Evidence {
    /// What a survey of so many positions tells.
    pub fn of(survey: &Survey, positions: usize) -> Evidence {
        let positions = positions as f64;
        let curvature = survey.diagonal.iter().map(|pair| pair.map(|mean| mean * positions)).collect();
        Evidence { positions, curvature }
    }

    /// With other evidence, of which only a share counts: games of one night are fitted again by the next ones, and
    /// must not count in full each time.
    pub fn with(mut self, older: &Evidence, share: f64) -> Evidence {
        self.positions += share * older.positions;
        for (sum, old) in self.curvature.iter_mut().zip(&older.curvature) {
            *sum = [sum[0] + share * old[0], sum[1] + share * old[1]];
        }
        self
    }

    /// `// [weight]` The precision that a share of it adds to the mean loss of so many positions.
    pub fn precision(&self, share: f64, positions: usize) -> Vec<Pair> {
        let scale = share / positions.max(1) as f64;
        self.curvature.iter().map(|pair| pair.map(|sum| sum * scale)).collect()
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Evidence, EvidenceError> {
        let file = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| EvidenceError::Io { file: file.clone(), error })?;
        let evidence: Evidence = serde_json::from_str(&text)
            .map_err(|error| EvidenceError::Damaged { file: file.clone(), error })?;
        let found = evidence.curvature.len();
        if found != EvalParams::COUNT {
            let reason = format!("it knows {found} weights and this version has {}", EvalParams::COUNT);
            return Err(EvidenceError::Nonsense { file, reason });
        }
        let sums = evidence.curvature.iter().flatten().chain([&evidence.positions]);
        if sums.into_iter().any(|&sum| !sum.is_finite() || sum < 0.0) {
            let reason = "a sum of squares in it is negative".to_string();
            return Err(EvidenceError::Nonsense { file, reason });
        }
        Ok(evidence)
    }

    /// Its text.
    pub fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|text| text + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_adds_and_is_read_back() {
        let survey = |value: f64| Survey {
            exercised: vec![1; EvalParams::COUNT],
            diagonal: vec![[value, 2.0 * value]; EvalParams::COUNT],
        };
        let older = Evidence::of(&survey(0.5), 100);
        let both = Evidence::of(&survey(0.25), 200).with(&older, 0.5);
        assert_eq!((both.positions, both.curvature[3]), (250.0, [75.0, 150.0]));
        // Half of 100 positions with curvature 0.5 weigh on 200 new ones like this.
        assert_eq!(older.precision(0.5, 200)[0], [0.125, 0.25]);

        let folder = std::env::temp_dir().join(format!("tabula-evidence-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("evidence.json");
        let text = both.to_text().unwrap();
        std::fs::write(&path, &text).unwrap();
        assert_eq!(Evidence::load(&path).unwrap(), both);
        for wrong in [
            "",
            "{}",
            &text[..text.len() / 2],
            "{\"positions\":1,\"curvature\":[[1,2]]}",
            &text.replacen("[75.0", "[-75.0", 1),
        ] {
            std::fs::write(&path, wrong).unwrap();
            assert!(Evidence::load(&path).is_err(), "{}", &wrong[..wrong.len().min(40)]);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
