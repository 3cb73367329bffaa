//! What can be wrong with a game record.

use std::path::PathBuf;

/// Why a record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system would not.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Not one of ours.
    #[error("{path}: not a game record: it does not begin with the magic bytes of .tgr")]
    NotARecord {
        /// The file.
        path: PathBuf,
    },
    /// Written by a later program.
    #[error("{path}: version {version} of the format; this program reads up to {newest}: use a newer one")]
    Version {
        /// The file.
        path: PathBuf,
        /// What the file says.
        version: u16,
        /// What we read.
        newest: u16,
    },
    /// Games of another kind.
    #[error("{path}: games of {found}, not of {wanted}; give --game {found}")]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// What the file says.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The header is not what was written.
    #[error("{path}: the header is damaged ({reason}); the games behind it cannot be trusted")]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A block is not what was written.
    #[error(
        "{path}: the block at byte {offset} is damaged ({reason}); `selfplay verify` lists what is whole, \
         `selfplay generate` with the same settings plays the games again"
    )]
    Block {
        /// The file.
        path: PathBuf,
        /// Where the block begins.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// The file ends before its footer, or bytes are where none belong.
    #[error(
        "{path}: {reason} at byte {offset}: the file was cut off or is still being written; its whole \
         blocks can be read"
    )]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What is missing or too much.
        reason: String,
    },
}
