//! Writing a book: into a file beside the old one, which it replaces only when it is whole and on disk.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::header::Layout;
use super::{Action, BLOCK_ROWS, CHECK, Header, INDEX_ENTRIES, ROW_BYTES, Row, checksum};
use crate::unfinished_file::{self, LockError};

/// Why a book could not be written. What stood there before still stands.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system refuses.
    #[error("cannot write {path}: {cause}; what was there before is untouched")]
    Io {
        /// The book.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Somebody else is at it.
    #[error("another process is writing {path}; wait for it, then run this again")]
    Busy {
        /// The book.
        path: PathBuf,
    },
    /// The rows came in the wrong order: a mistake of the caller.
    #[error("row {row} does not stand behind the one before it")]
    Order {
        /// Its number.
        row: u64,
    },
    /// The index counts rows in 32 bits.
    #[error("a book holds at most 4,294,967,295 rows: prune it, or learn into several")]
    TooMany,
}

/// The right to replace a book: only one process at a time has it. Whoever reads a book in order to write
/// a better one takes it before reading.
pub struct BookWriter {
    path: PathBuf,
    /// The new book grows here, under a lock.
    part: PathBuf,
    file: File,
}

impl BookWriter {
    /// Asks for the right to write the book at a path.
    pub fn new(path: &Path) -> Result<BookWriter, WriteError> {
        let error = |cause| WriteError::Io { path: path.to_path_buf(), cause };
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".part");
        let part = path.with_file_name(name);
        let file = unfinished_file::begin(&part).map_err(|cause| match cause {
            LockError::Busy => WriteError::Busy { path: path.to_path_buf() },
            LockError::Io(cause) => error(cause),
        })?;
        Ok(BookWriter { path: path.to_path_buf(), part, file })
    }

    /// Writes rows that come sorted by position and move, each once; they may come from the very book
    /// that is replaced. Says how many there were.
    pub fn write<A: Action>(
        mut self,
        header: &Header,
        rows: impl Iterator<Item = Row<A>>,
    ) -> Result<u64, WriteError> {
        let path = self.path.clone();
        let error = |cause| WriteError::Io { path: path.clone(), cause };
        let layout = match write_parts(&mut self.file, header, rows) {
            Ok(layout) => layout,
            Err(failure) => {
                let _ = fs::remove_file(&self.part);
                return Err(match failure {
                    Failure::Io(cause) => error(cause),
                    Failure::Order { row } => WriteError::Order { row },
                    Failure::TooMany => WriteError::TooMany,
                });
            }
        };
        self.file.sync_all().map_err(error)?;
        fs::rename(&self.part, &self.path).map_err(error)?;
        sync_directory(&self.path).map_err(error)?;
        Ok(layout.rows)
    }

    /// Gives the right back without writing.
    pub fn give_up(self) {
        let _ = fs::remove_file(&self.part);
    }
}

/// Writes a book of rows that come sorted by position and move, each once.
pub fn write_book<A: Action>(
    path: &Path,
    header: &Header,
    rows: impl Iterator<Item = Row<A>>,
) -> Result<u64, WriteError> {
    BookWriter::new(path)?.write(header, rows)
}

enum Failure {
    Io(io::Error),
    Order { row: u64 },
    TooMany,
}

impl From<io::Error> for Failure {
    fn from(cause: io::Error) -> Failure {
        Failure::Io(cause)
    }
}

/// Rows first, since nobody knows how many come; then the index, and the header at both ends.
fn write_parts<A: Action>(
    file: &mut File,
    header: &Header,
    rows: impl Iterator<Item = Row<A>>,
) -> Result<Layout, Failure> {
    let rows_at = Layout::new(header, 0, 0).rows_at;
    file.seek(SeekFrom::Start(rows_at))?;
    let mut out = BufWriter::with_capacity(1 << 20, &mut *file);
    let mut block = Vec::with_capacity(BLOCK_ROWS as usize * ROW_BYTES);
    let (mut count, mut positions) = (0_u64, 0_u64);
    let mut last: Option<Row<A>> = None;
    for row in rows {
        if let Some(last) = &last
            && row.place() <= last.place()
        {
            return Err(Failure::Order { row: count });
        }
        positions += u64::from(last.is_none_or(|last| last.key != row.key));
        last = Some(row);
        count += 1;
        if count > u64::from(u32::MAX) {
            return Err(Failure::TooMany);
        }
        block.extend(row.to_bytes());
        if count.is_multiple_of(BLOCK_ROWS) {
            write_block(&mut out, &block)?;
            block.clear();
        }
    }
    if !block.is_empty() {
        write_block(&mut out, &block)?;
    }
    out.flush()?;
    drop(out);

    let layout = Layout::new(header, count, positions);
    let index = build_index(file, &layout)?;
    file.seek(SeekFrom::Start(layout.index_at))?;
    let mut out = BufWriter::with_capacity(1 << 20, &mut *file);
    for block in index.chunks(4 * INDEX_ENTRIES as usize) {
        write_block(&mut out, block)?;
    }
    let header = header.to_bytes(&layout);
    out.write_all(&header)?;
    out.flush()?;
    drop(out);
    file.rewind()?;
    file.write_all(&header)?;
    Ok(layout)
}

fn write_block(out: &mut impl Write, block: &[u8]) -> io::Result<()> {
    out.write_all(block)?;
    out.write_all(&checksum(block).to_le_bytes())
}

/// For each bucket the number of its first row, and one more: the number of rows.
fn build_index(file: &mut File, layout: &Layout) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(layout.rows_at))?;
    let mut rows = io::BufReader::with_capacity(1 << 20, file);
    let mut index = Vec::with_capacity(4 * layout.index_entries() as usize);
    let mut buckets = 0_u64; // whose first row is known
    let mut bytes = [0; ROW_BYTES];
    for number in 0..layout.rows {
        rows.read_exact(&mut bytes)?;
        if (number + 1).is_multiple_of(BLOCK_ROWS) {
            rows.read_exact(&mut [0; CHECK as usize])?;
        }
        let key = u64::from_le_bytes(*bytes.first_chunk().unwrap_or(&[0; 8]));
        while buckets <= layout.bucket(key) {
            index.extend((number as u32).to_le_bytes());
            buckets += 1;
        }
    }
    while buckets <= 1 << layout.index_bits {
        index.extend((layout.rows as u32).to_le_bytes());
        buckets += 1;
    }
    Ok(index)
}

/// The rename itself must reach the disk.
fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    #[cfg(unix)]
    File::open(directory)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}
