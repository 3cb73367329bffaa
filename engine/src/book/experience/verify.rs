//! A look at every byte of a book.

use super::{ExperienceBook, Layout};
use crate::board::zobrist::Key;

/// What it found. Every byte of the file belongs to one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verification {
    /// Blocks of rows in the book.
    pub row_blocks: u64,
    /// Of these, with a wrong checksum.
    pub damaged_row_blocks: u64,
    /// Parts of the index with a wrong checksum.
    pub damaged_index_blocks: u64,
    /// Rows that stand before one they should stand behind.
    pub out_of_order: u64,
    /// Rows in whole blocks that no book writes: without games, or with more results than games.
    pub impossible_rows: u64,
    /// Entries of a whole index that do not lead to their rows.
    pub wrong_index_entries: u64,
    /// By how many the header counts the positions wrongly, if all rows are whole.
    pub miscounted_positions: u64,
    /// Bytes of the header's copy at the end that differ from the header.
    pub damaged_copy_bytes: u64,
    /// Bytes between the header and the rows that are not zero.
    pub damaged_padding_bytes: u64,
    /// Bytes behind the end of the book.
    pub bytes_behind: u64,
}

impl Verification {
    /// What is wrong, a few words each; nothing if all is well.
    pub fn damage(&self) -> Vec<String> {
        let row_blocks = format!("of {} blocks of rows are damaged", self.row_blocks);
        [
            (self.damaged_row_blocks, row_blocks.as_str()),
            (self.damaged_index_blocks, "blocks of the index are damaged"),
            (self.out_of_order, "rows are out of order"),
            (self.impossible_rows, "rows have no games, or more results than games"),
            (self.wrong_index_entries, "entries of the index do not lead to their rows"),
            (self.miscounted_positions, "positions too many or too few are counted in the header"),
            (self.damaged_copy_bytes, "bytes of the header's copy at the end are damaged"),
            (self.damaged_padding_bytes, "bytes between the header and the rows are damaged"),
            (self.bytes_behind, "bytes stand behind the end of the book"),
        ]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
    }

    /// Whether all is well.
    pub fn is_whole(&self) -> bool {
        self.damage().is_empty()
    }
}

impl ExperienceBook {
    /// Looks at every byte.
    pub fn verify(&self) -> Verification {
        let row_blocks = self.layout.row_blocks();
        let damaged =
            |blocks: std::ops::Range<u64>| blocks.filter(|&block| !self.is_whole(block)).count() as u64;
        let damaged_row_blocks = damaged(0..row_blocks);
        let damaged_index_blocks = damaged(row_blocks..self.blocks.len() as u64);
        let (mut out_of_order, mut readable, mut lost, mut positions) = (0, 0, 0, 0);
        let mut last: Option<(Key, u16)> = None;
        for row in self.rows() {
            match row {
                Ok(row) => {
                    out_of_order += u64::from(last.is_some_and(|last| row.place() <= last));
                    positions += u64::from(last.is_none_or(|(key, _)| row.key != key));
                    last = Some(row.place());
                    readable += 1;
                }
                Err(damage) => lost += damage.rows,
            }
        }
        let rows_are_whole = damaged_row_blocks == 0 && out_of_order == 0 && readable == self.len();
        let index_is_whole = rows_are_whole && damaged_index_blocks == 0;
        Verification {
            row_blocks,
            damaged_row_blocks,
            damaged_index_blocks,
            out_of_order,
            impossible_rows: self.len() - readable - lost,
            wrong_index_entries: if index_is_whole { self.wrong_index_entries() } else { 0 },
            miscounted_positions: if rows_are_whole { self.positions().abs_diff(positions) } else { 0 },
            damaged_copy_bytes: self.damaged_copy_bytes(),
            damaged_padding_bytes: self.damaged_padding_bytes(),
            bytes_behind: (self.map.len() as u64).saturating_sub(self.layout.end(&self.header)),
        }
    }

    /// Every entry should be the number of the first row of its bucket, or of a later one if it has none.
    fn wrong_index_entries(&self) -> u64 {
        let mut row = 0;
        let mut wrong = 0;
        for bucket in 0..self.layout.index_entries() {
            while row < self.layout.rows && self.layout.bucket(self.key_at(row)) < bucket {
                row += 1;
            }
            wrong += u64::from(self.index_entry(bucket).map(u64::from) != Some(row));
        }
        wrong
    }

    fn damaged_copy_bytes(&self) -> u64 {
        let len = self.header.len();
        let copy = self.map.get(self.layout.copy_at as usize..).unwrap_or_default();
        let pairs = self.map.iter().take(len).zip(copy);
        // A book that was opened by its copy has its damage at the beginning; it is damage all the same.
        let differing = pairs.filter(|(one, other)| one != other).count();
        (differing + len.saturating_sub(copy.len())) as u64
    }

    fn damaged_padding_bytes(&self) -> u64 {
        let between = self.header.len()..self.layout.rows_at as usize;
        self.map.get(between).unwrap_or_default().iter().filter(|&&byte| byte != 0).count() as u64
    }
}

impl Layout {
    /// The length of the whole file.
    pub(super) fn end(&self, header: &super::Header) -> u64 {
        self.copy_at + header.len() as u64
    }
}
