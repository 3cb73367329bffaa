//! Writes positions for `tune --texel`: see docs/2-formats.md.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use engine::unfinished_file;

use crate::packed::PackedPosition;

/// What went wrong, with the file.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {file}: {error}")]
pub struct OutputError {
    file: String,
    error: io::Error,
}

/// Writes a file whole or not at all.
pub fn write_packed(path: &Path, positions: &[PackedPosition]) -> Result<(), OutputError> {
    write(path, positions).map_err(|error| OutputError { file: path.display().to_string(), error })
}

fn write(path: &Path, positions: &[PackedPosition]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = BufWriter::new(unfinished_file::begin(Path::new(&beside))?);
    file.write_all(&PackedPosition::header())?;
    let mut encoder = zstd::Encoder::new(file, 6)?;
    // Off by default, and without it most flipped bits go unnoticed.
    encoder.include_checksum(true)?;
    for position in positions {
        encoder.write_all(&position.pack())?;
    }
    let mut file = encoder.finish()?;
    file.flush()?;
    file.get_ref().sync_all()?;
    drop(file);
    std::fs::rename(&beside, path)
}
