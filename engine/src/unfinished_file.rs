//! A file that grows under a name of its own beside the one it will replace.
//!
//! One process at a time has it: the lock goes with the process, however it ends, and what a killed one left is taken
//! over. Its name can be guessed, so a link in its place is refused: it would lead the writing elsewhere.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Why it cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("another process is writing it; wait for it, then run this again")]
    Busy,
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<LockError> for io::Error {
    fn from(error: LockError) -> io::Error {
        match error {
            LockError::Busy => io::Error::new(io::ErrorKind::ResourceBusy, error.to_string()),
            LockError::Io(cause) => cause,
        }
    }
}

/// Opens an unfinished file, or makes it, and locks it. What is in it stays.
pub fn take_over(path: &Path) -> Result<File, LockError> {
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::Busy),
            Err(TryLockError::Error(cause)) => return Err(cause.into()),
        }
        // Between opening and locking, another process may have finished this very file.
        if is_same_file(&file, path)? {
            return Ok(file);
        }
    }
}

/// As [`take_over`], without what is in it.
pub fn begin(path: &Path) -> Result<File, LockError> {
    let file = take_over(path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Writes a file that is whole or not there: beside it, to the disk, and then in its place.
pub fn write_whole(path: &Path, ending: &str, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(ending);
    let mut file = begin(Path::new(&beside))?;
    io::Write::write_all(&mut file, bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    sync_folder_of(path)
}

/// After a rename: that the new name is on the disk too.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder cannot be opened as a file.
#[cfg(not(unix))]
fn sync_folder_of(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// Elsewhere a file that is open cannot be renamed.
#[cfg(not(unix))]
fn is_same_file(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_no_link_is_followed() {
        let place = std::env::temp_dir().join(format!("tabula unfinished {}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        let (path, precious) = (place.join("book.part"), place.join("precious"));
        fs::write(&path, b"left by a killed process").unwrap();
        let file = take_over(&path).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 24);
        assert!(matches!(take_over(&path), Err(LockError::Busy)));
        drop(file);
        assert_eq!(begin(&path).unwrap().metadata().unwrap().len(), 0);
        write_whole(&precious, ".new", b"kept").unwrap();
        fs::remove_file(&path).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&precious, &path).unwrap();
            assert!(matches!(begin(&path), Err(LockError::Io(_))));
        }
        assert_eq!(fs::read(&precious).unwrap(), b"kept");
        fs::remove_dir_all(&place).unwrap();
    }
}
