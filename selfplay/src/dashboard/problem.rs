//! Why a request has no answer, in words for the page that asked.

use std::path::PathBuf;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// Nothing has this name.
    #[error("{0}")]
    Unknown(String),
    /// The request makes no sense, or asks for more than is given.
    #[error("{0}")]
    Refused(String),
    /// Too much is asked at once.
    #[error("{0}; try again in a moment")]
    Busy(String),
    /// A file that should be there cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl Problem {
    /// A file's fault.
    pub fn of_file(path: &std::path::Path, reason: impl ToString) -> Problem {
        Problem::File { path: path.to_path_buf(), reason: reason.to_string() }
    }

    /// The status of the answer.
    pub fn status(&self) -> u16 {
        match self {
            Problem::Unknown(_) => 404,
            Problem::Refused(_) => 400,
            Problem::Busy(_) => 503,
            Problem::File { .. } => 500,
        }
    }
}
