//! The Experience Book: what self-play taught, kept in a file that opens at once however large it is.
//!
//! The file is mapped, not read: header, rows sorted by position and move, an index of the rows by the
//! first bits of the key, and the header again. Rows and index lie in blocks, each with its checksum behind
//! it. A block is verified when it is first touched; a damaged one knows nothing, and everything else stays
//! usable. `docs/2-formats.md` has the layout byte by byte.

mod header;
mod merge;
mod row;
mod span;
mod verify;
mod writer;

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

pub use header::{Header, Rule};
pub use merge::{MergeError, merge, merge_sorted};
pub use row::{Action, ExperienceEntry, ROW_BYTES, Row, SCORE_GRAIN};
pub use span::{Learned, Span};
pub use verify::Verification;
pub use writer::{BookWriter, WriteError, write_book};

use crate::board::zobrist::{Key, ZOBRIST};
use crate::mapped_file::MappedFile;
use crate::types::Move;
use header::Layout;

/// Rows under one checksum: some pages, verified in a few microseconds.
const BLOCK_ROWS: u64 = 512;
/// Entries of the index under one checksum.
const INDEX_ENTRIES: u64 = 4096;
/// Bytes of a checksum.
const CHECK: u64 = 8;
/// The index never has more buckets than 2 to this power.
const MOST_INDEX_BITS: u8 = 26;

/// Of a header, a block of rows or a block of the index.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// Why a file cannot be opened as a book.
#[derive(Debug, thiserror::Error)]
pub enum ExperienceError {
    /// The system refuses.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Nothing, or the beginning of a header.
    #[error("{len} bytes are no Experience Book; it was cut off, or never written")]
    TooShort {
        /// Bytes in the file.
        len: u64,
    },
    /// Something else.
    #[error("this is no Experience Book (it does not begin with TABULAEX)")]
    NotABook,
    /// Written by a later version.
    #[error("the book has format version {found}; this program knows {known}: use a newer one")]
    Version {
        /// In the file.
        found: u32,
        /// The newest we read.
        known: u32,
    },
    /// Its checksum, or its length, is wrong.
    #[error("the header is damaged; `selfplay book repair` saves the rows that are whole")]
    HeaderDamaged,
    /// The header and its copy at the end are both damaged, and not even the two together make a whole one.
    #[error(
        "the header is damaged at the beginning of the file and at its end, so nobody can say where its rows \
         are: learn the book again from its games"
    )]
    HeaderLost,
    /// Keyed by other numbers.
    #[error("{}", other_keys(*found, *ours, style))]
    OtherKeys {
        /// What the book says it is for: a style of chess, or another game.
        style: String,
        /// In the file.
        found: u64,
        /// Of this program.
        ours: u64,
    },
    /// Parts of it are missing.
    #[error(
        "the file has {found} bytes and should have {wanted}: it was cut off; \
         `selfplay book repair` saves the rows that are whole"
    )]
    Cut {
        /// Bytes there.
        found: u64,
        /// Bytes that the header speaks of.
        wanted: u64,
    },
}

/// What [`Header::style`] of another game's book begins with; the game's name follows.
pub const GAME_STYLE: &str = "game ";

fn other_keys(found: u64, ours: u64, style: &str) -> String {
    match style.strip_prefix(GAME_STYLE) {
        Some(game) if ours == ZOBRIST.fingerprint() => {
            format!("this is a book of the game {game}, not of chess")
        }
        Some(game) => format!(
            "this is a book of the game {game}, or of other rules of it ({found:016x}, not {ours:016x})"
        ),
        None if ours == ZOBRIST.fingerprint() => {
            format!("the book is keyed by other Zobrist numbers ({found:016x}, ours are {ours:016x})")
        }
        None => "this is a book of chess".to_string(),
    }
}

/// An open book, of chess unless its moves are said to be others.
pub struct ExperienceBook<A = Move> {
    path: PathBuf,
    map: MappedFile,
    header: Header,
    layout: Layout,
    /// For each block, rows first and the index after them: [`UNSEEN`], [`WHOLE`] or [`DAMAGED`].
    blocks: Box<[AtomicU8]>,
    moves: PhantomData<fn() -> A>,
}

const UNSEEN: u8 = 0;
const WHOLE: u8 = 1;
const DAMAGED: u8 = 2;

impl ExperienceBook {
    /// Opens a book of chess without reading more than its header.
    pub fn open(path: &Path) -> Result<ExperienceBook, ExperienceError> {
        ExperienceBook::open_keyed(path, ZOBRIST.fingerprint())
    }

    /// Opens what is left of a damaged book: the header may be the copy at its end, or put together from both,
    /// and the end may be missing. Its rows are the whole blocks that are there; looking up needs an index and may find nothing.
    pub fn salvage(path: &Path) -> Result<ExperienceBook, ExperienceError> {
        ExperienceBook::open_with(path, ZOBRIST.fingerprint(), |map| {
            let lost = |error| match error {
                ExperienceError::HeaderDamaged => ExperienceError::HeaderLost,
                other => other,
            };
            let (header, layout) = Header::parse(map)
                .or_else(|error| Header::parse_copy(map).or_else(|| Header::mend(map)).ok_or(error))
                .map_err(lost)?;
            match layout.check(&header, map.len() as u64) {
                Ok(()) | Err(ExperienceError::Cut { .. }) => Ok((header, layout)),
                Err(error) => Err(lost(error)),
            }
        })
    }
}

impl<A: Action> ExperienceBook<A> {
    /// Opens a book whose positions are keyed by these numbers, without reading more than its header.
    pub fn open_keyed(path: &Path, keys: u64) -> Result<ExperienceBook<A>, ExperienceError> {
        ExperienceBook::open_with(path, keys, |map| {
            let (header, layout) = Header::parse(map)?;
            layout.check(&header, map.len() as u64)?;
            Ok((header, layout))
        })
    }

    fn open_with(
        path: &Path,
        keys: u64,
        parse: impl FnOnce(&[u8]) -> Result<(Header, Layout), ExperienceError>,
    ) -> Result<ExperienceBook<A>, ExperienceError> {
        // Books are replaced by renaming, never written in place. If somebody else changes the file meanwhile,
        // we read other bytes: every block was verified or is treated as unknown, and no number in it is
        // trusted as an index without a check.
        let map = MappedFile::open(path)?;
        map.advise_random();
        let (header, layout) = parse(&map)?;
        if header.keys != keys {
            return Err(ExperienceError::OtherKeys { style: header.style, found: header.keys, ours: keys });
        }
        let blocks = layout.row_blocks() + layout.index_blocks();
        let blocks = (0..blocks).map(|_| AtomicU8::new(UNSEEN)).collect();
        Ok(ExperienceBook { path: path.to_path_buf(), map, header, layout, blocks, moves: PhantomData })
    }

    /// Where it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True once, after its file has become shorter. What is gone is not known any more.
    pub fn is_newly_cut(&self) -> bool {
        self.map.is_newly_cut()
    }

    /// What it says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Rows in it.
    pub fn len(&self) -> u64 {
        self.layout.rows
    }

    /// Whether it knows nothing.
    pub fn is_empty(&self) -> bool {
        self.layout.rows == 0
    }

    /// Positions in it.
    pub fn positions(&self) -> u64 {
        self.layout.positions
    }

    /// All moves known in a position, in the order of their codes. They are not checked for legality:
    /// another position may have the same key.
    pub fn lookup(&self, key: Key) -> Moves<'_, A> {
        let bucket = self.layout.bucket(key);
        let (Some(first), Some(end)) = (self.index_entry(bucket), self.index_entry(bucket + 1)) else {
            return Moves { book: self, key, next: 0, end: 0 };
        };
        let end = u64::from(end).min(self.layout.rows);
        let mut next = u64::from(first);
        // Buckets hold a few rows: a walk is as quick as a search.
        while next < end && self.key_at(next) < key {
            next += 1;
        }
        Moves { book: self, key, next, end }
    }

    /// What is known about a position, all its moves together.
    pub fn entry(&self, key: Key) -> Option<ExperienceEntry> {
        let rows: Vec<Row<A>> = self.lookup(key).collect();
        ExperienceEntry::of(&rows)
    }

    /// Every row in order, and every block of rows that is damaged.
    pub fn rows(&self) -> impl Iterator<Item = Result<Row<A>, DamagedBlock>> + '_ {
        (0..self.layout.row_blocks()).flat_map(move |block| {
            let first = block * BLOCK_ROWS;
            let end = (first + BLOCK_ROWS).min(self.layout.rows);
            let whole = self.is_whole(block);
            let rows = whole.then(|| (first..end).filter_map(|at| self.row_at(at)).map(Ok));
            let damage = (!whole).then_some(Err(DamagedBlock { first, rows: end - first }));
            rows.into_iter().flatten().chain(damage)
        })
    }

    #[inline]
    fn bytes_at<const N: usize>(&self, at: u64) -> Option<&[u8; N]> {
        self.map.get(at as usize..)?.first_chunk()
    }

    #[inline]
    fn key_at(&self, row: u64) -> Key {
        self.bytes_at(self.layout.row_at(row)).map_or(Key::MAX, |bytes| Key::from_le_bytes(*bytes))
    }

    fn row_at(&self, row: u64) -> Option<Row<A>> {
        self.bytes_at(self.layout.row_at(row)).and_then(Row::from_bytes)
    }

    fn index_entry(&self, bucket: u64) -> Option<u32> {
        if !self.is_whole(self.layout.row_blocks() + bucket / INDEX_ENTRIES) {
            return None;
        }
        self.bytes_at(self.layout.index_entry_at(bucket)).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// Whether a block is what was written. Looked at once.
    #[inline]
    fn is_whole(&self, block: u64) -> bool {
        match self.blocks[block as usize].load(Ordering::Relaxed) {
            UNSEEN => self.look_at(block),
            seen => seen == WHOLE,
        }
    }

    #[cold]
    fn look_at(&self, block: u64) -> bool {
        let (from, to) = self.layout.block_bytes(block);
        let bytes = self.map.get(from as usize..to as usize);
        let whole = bytes.is_some_and(|bytes| {
            self.bytes_at(to).is_some_and(|check| checksum(bytes).to_le_bytes() == *check)
        });
        self.blocks[block as usize].store(if whole { WHOLE } else { DAMAGED }, Ordering::Relaxed);
        whole
    }
}

impl Layout {
    /// A bucket for every row or two: about half of them are empty, so that a position the book does not know
    /// is mostly told by the index alone, and one it knows is found without a walk. Twice as many made misses
    /// no quicker and hits slower (the index leaves the caches).
    fn bits_for(rows: u64) -> u8 {
        (rows.max(1).ilog2() as u8).min(MOST_INDEX_BITS)
    }

    /// Where everything lies in a book of so many rows.
    fn new(header: &Header, rows: u64, positions: u64) -> Layout {
        Layout::with_index_bits(header, rows, positions, Layout::bits_for(rows))
    }

    fn with_index_bits(header: &Header, rows: u64, positions: u64, index_bits: u8) -> Layout {
        let rows_at = (header.len() as u64).next_multiple_of(64);
        let mut layout = Layout { rows, positions, index_bits, rows_at, index_at: 0, copy_at: 0 };
        layout.index_at = rows_at + rows * ROW_BYTES as u64 + CHECK * layout.row_blocks();
        layout.copy_at = layout.index_at + 4 * layout.index_entries() + CHECK * layout.index_blocks();
        layout
    }

    /// A header whose checksum is right may still not fit the file. Any size of the index is read, whatever
    /// size is written today.
    fn check(&self, header: &Header, found: u64) -> Result<(), ExperienceError> {
        if self.rows > u64::from(u32::MAX) || self.index_bits > MOST_INDEX_BITS {
            return Err(ExperienceError::HeaderDamaged);
        }
        if *self != Layout::with_index_bits(header, self.rows, self.positions, self.index_bits) {
            return Err(ExperienceError::HeaderDamaged);
        }
        let wanted = self.end(header);
        if found < wanted { Err(ExperienceError::Cut { found, wanted }) } else { Ok(()) }
    }

    /// One for the first row of each bucket, and one for the end.
    fn index_entries(&self) -> u64 {
        (1 << self.index_bits) + 1
    }

    fn row_blocks(&self) -> u64 {
        self.rows.div_ceil(BLOCK_ROWS)
    }

    fn index_blocks(&self) -> u64 {
        self.index_entries().div_ceil(INDEX_ENTRIES)
    }

    #[inline]
    fn row_at(&self, row: u64) -> u64 {
        self.rows_at + row * ROW_BYTES as u64 + row / BLOCK_ROWS * CHECK
    }

    #[inline]
    fn index_entry_at(&self, bucket: u64) -> u64 {
        self.index_at + 4 * bucket + bucket / INDEX_ENTRIES * CHECK
    }

    /// From where to where a block reaches, rows first and the index after them; its checksum follows.
    fn block_bytes(&self, block: u64) -> (u64, u64) {
        let row_blocks = self.row_blocks();
        if block < row_blocks {
            let first = block * BLOCK_ROWS;
            let rows = BLOCK_ROWS.min(self.rows - first);
            let from = self.row_at(first);
            (from, from + rows * ROW_BYTES as u64)
        } else {
            let first = (block - row_blocks) * INDEX_ENTRIES;
            let entries = INDEX_ENTRIES.min(self.index_entries() - first);
            let from = self.index_entry_at(first);
            (from, from + 4 * entries)
        }
    }

    #[inline]
    fn bucket(&self, key: Key) -> u64 {
        // In two steps: with no bits at all the shift would be by 64.
        key >> 1 >> (63 - self.index_bits)
    }
}

/// The moves known in one position.
pub struct Moves<'a, A = Move> {
    book: &'a ExperienceBook<A>,
    key: Key,
    next: u64,
    end: u64,
}

impl<A: Action> Iterator for Moves<'_, A> {
    type Item = Row<A>;

    fn next(&mut self) -> Option<Row<A>> {
        if self.next >= self.end || self.book.key_at(self.next) != self.key {
            return None;
        }
        if !self.book.is_whole(self.next / BLOCK_ROWS) {
            return None;
        }
        let row = self.book.row_at(self.next)?;
        self.next += 1;
        Some(row)
    }
}

/// Rows that are lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("rows {first} to {} are damaged", first + rows - 1)]
pub struct DamagedBlock {
    /// The number of the first of them.
    pub first: u64,
    /// How many.
    pub rows: u64,
}

#[cfg(test)]
mod tests;
