//! The results of a run, on disk: after a kill the same command goes on.
//!
//! The first line names the run; then a line a pair in order, each with its checksum:
//!
//! ```text
//! tabula-spsa 1 {"run":[["--params","rfp_margin,…"],…]}
//! 0 3 9c1d2f4a
//! 1 2 0b77e1c3
//! ```
//!
//! A last line that was cut off is forgotten: that pair is played again.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const FIRST_WORDS: &str = "tabula-spsa 1 ";

/// Why a journal was refused.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Reading or writing failed.
    #[error("the journal {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Two commands at once.
    #[error("the journal {0} is in use: another process is at this run")]
    InUse(PathBuf),
    /// It belongs to another run, or is no journal.
    #[error(
        "the journal {path} is not of this run (it begins with '{found}'); give the same command to go on, or another --out"
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// How it begins.
        found: String,
    },
    /// A line in its middle is damaged.
    #[error(
        "the journal {path}, line {line}: damaged; delete this line and all after it to play those pairs again"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
    },
}

/// What decides a run: names and values.
pub type Identity = Vec<(String, String)>;

/// The journal of a run, open for more pairs.
pub struct Journal {
    path: PathBuf,
    file: File,
    pairs: usize,
}

impl Journal {
    /// Opens or begins the journal of a run; gives the half points of the pairs that it knows.
    pub fn open(path: &Path, identity: &[(String, String)]) -> Result<(Journal, Vec<u8>), JournalError> {
        let io_error = |source| JournalError::Io { path: path.to_path_buf(), source };
        let mut file = File::options().create(true).read(true).append(true).open(path).map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(path.to_path_buf())),
            Err(TryLockError::Error(source)) => return Err(io_error(source)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io_error)?;
        let run = serde_json::json!({ "run": identity });
        let first = format!("{FIRST_WORDS}{run}\n");
        if first.starts_with(&text) {
            // Nothing yet, or not even the first line.
            file.set_len(0).map_err(io_error)?;
            file.write_all(first.as_bytes()).map_err(io_error)?;
            return Ok((Journal { path: path.to_path_buf(), file, pairs: 0 }, Vec::new()));
        }
        let Some(lines) = text.strip_prefix(&first) else {
            let found = text.lines().next().unwrap_or_default().chars().take(200).collect();
            return Err(JournalError::Other { path: path.to_path_buf(), found });
        };
        let (results, whole) = read_lines(path, lines)?;
        file.set_len((first.len() + whole) as u64).map_err(io_error)?;
        Ok((Journal { path: path.to_path_buf(), file, pairs: results.len() }, results))
    }

    /// What any journal says of its run, and the half points of its pairs. Nothing is locked or changed.
    pub fn look(path: &Path) -> Result<(Identity, Vec<u8>), JournalError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| JournalError::Io { path: path.to_path_buf(), source })?;
        let found = || text.lines().next().unwrap_or_default().chars().take(200).collect();
        let other = || JournalError::Other { path: path.to_path_buf(), found: found() };
        let (first, lines) = text.split_once('\n').ok_or_else(other)?;
        let run: serde_json::Value = first
            .strip_prefix(FIRST_WORDS)
            .and_then(|run| serde_json::from_str(run).ok())
            .ok_or_else(other)?;
        let identity = serde_json::from_value(run["run"].clone()).map_err(|_| other())?;
        Ok((identity, read_lines(path, lines)?.0))
    }

    /// Adds the result of the next pair, to the system at once.
    pub fn add(&mut self, half_points: u8) -> Result<(), JournalError> {
        let io_error = |source| JournalError::Io { path: self.path.clone(), source };
        self.file.write_all(line(self.pairs, half_points).as_bytes()).map_err(io_error)?;
        self.pairs += 1;
        Ok(())
    }
}

/// The results of whole lines, and how many bytes these are.
fn read_lines(path: &Path, text: &str) -> Result<(Vec<u8>, usize), JournalError> {
    let mut results = Vec::new();
    let mut whole = 0;
    for found in text.split_inclusive('\n') {
        let pair = results.len();
        let result = (0..=4).find(|&half_points| line(pair, half_points) == found);
        match result {
            Some(half_points) => results.push(half_points),
            None if whole + found.len() == text.len() && !found.ends_with('\n') => break,
            None => return Err(JournalError::Damaged { path: path.to_path_buf(), line: pair + 2 }),
        }
        whole += found.len();
    }
    Ok((results, whole))
}

fn line(pair: usize, half_points: u8) -> String {
    let content = format!("{pair} {half_points}");
    format!("{content} {:08x}\n", crc32fast::hash(content.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_of_a_journal_goes_on_and_every_flip_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let identity = vec![("--seed".to_string(), "1".to_string())];
        let (mut journal, before) = Journal::open(&path, &identity).unwrap();
        assert!(before.is_empty());
        let results = [0, 4, 2, 3, 1, 2];
        results.iter().for_each(|&result| journal.add(result).unwrap());
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, before) = Journal::open(&path, &identity).unwrap();
            assert_eq!(before, results[..before.len()]);
            results[before.len()..].iter().for_each(|&result| journal.add(result).unwrap());
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {length}");
        }
        for place in 0..whole.len() - 1 {
            let mut flipped = whole.clone();
            flipped[place] ^= 1;
            std::fs::write(&path, &flipped).unwrap();
            assert!(Journal::open(&path, &identity).is_err(), "a flip at {place} was not seen");
        }
        let other = vec![("--seed".to_string(), "2".to_string())];
        std::fs::write(&path, &whole).unwrap();
        assert!(matches!(Journal::open(&path, &other), Err(JournalError::Other { .. })));
    }
}
