//! Where a descent stands, kept on the disk after every iteration so that it can go on after anything.

use std::path::Path;

use engine::eval::EvalParams;
use engine::eval::gradient::Pair;
use engine::unfinished_file;
use serde::{Deserialize, Serialize};

/// A place on the way down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// How many iterations led here, those of earlier runs included.
    pub iteration: u64,
    /// The curve's K.
    pub k: f64,
    /// The loss here.
    pub loss: f64,
    /// And on the positions held out.
    pub holdout: Option<f64>,
    /// The hash of the data.
    pub data_hash: String,
    /// `// [weight]` not rounded
    pub weights: Vec<Pair>,
}

/// Why there is nothing to go on from.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file.
    #[error("checkpoint {file}: {error}")]
    Io {
        /// Its name.
        file: String,
        /// Why.
        error: std::io::Error,
    },
    /// Its text.
    #[error("checkpoint {file}: {error}: it is damaged; start again without --resume")]
    Damaged {
        /// Its name.
        file: String,
        /// Why.
        error: serde_json::Error,
    },
    /// It belongs to another list of weights.
    #[error(
        "checkpoint {file}: it holds {found} weights and this version has {}; start again without --resume",
        EvalParams::COUNT
    )]
    OtherWeights {
        /// Its name.
        file: String,
        /// How many.
        found: usize,
    },
}

impl Checkpoint {
    /// Writes it whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let fail = |error| CheckpointError::Io { file: path.display().to_string(), error };
        let text = serde_json::to_string(self)
            .map_err(|error| CheckpointError::Damaged { file: path.display().to_string(), error })?;
        unfinished_file::write_whole(path, ".new", text.as_bytes()).map_err(fail)
    }

    /// Reads one.
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let file = || path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| CheckpointError::Io { file: file(), error })?;
        let checkpoint: Checkpoint =
            serde_json::from_str(&text).map_err(|error| CheckpointError::Damaged { file: file(), error })?;
        if checkpoint.weights.len() != EvalParams::COUNT {
            return Err(CheckpointError::OtherWeights { file: file(), found: checkpoint.weights.len() });
        }
        Ok(checkpoint)
    }
}
