//! Rows in about a byte an entry.
//!
//! Neighbouring columns and small counts are the rule, so an entry is written as its distance from the
//! column before and its count, and the 255 commonest such pairs have a byte of their own. Any other is the
//! byte [`ESCAPE`] and four more. The pairs are learned from the first positions that are read.

use std::collections::HashMap;

use crate::columns::Entry;

/// The byte that says: distance and count follow in full.
const ESCAPE: u8 = 255;

/// Pairs outside of these bounds never get a byte of their own.
const WIDEST_GAP: usize = 256;
const COUNTS: std::ops::Range<i16> = -12..20;

/// The longest row: its length is one byte.
pub const LONGEST_ROW: usize = 255;

/// Which byte stands for which distance and count.
pub struct Codebook {
    /// `// [byte]` distance and count
    pairs: [(u16, f64); 256],
    /// `// [distance][count]` the byte, [`ESCAPE`] for none
    bytes: Vec<u8>,
}

impl Codebook {
    fn slot(gap: u16, count: i16) -> Option<usize> {
        let inside = usize::from(gap) < WIDEST_GAP && COUNTS.contains(&count);
        inside.then(|| usize::from(gap) * COUNTS.len() + (count - COUNTS.start) as usize)
    }

    /// Gives bytes to the pairs that are commonest in some rows.
    pub fn learn<'a>(rows: impl Iterator<Item = &'a [Entry]>) -> Codebook {
        let mut seen: HashMap<(u16, i16), u64> = HashMap::new();
        for row in rows {
            let mut before = 0;
            for &(column, count) in row {
                *seen.entry((column - before, count)).or_default() += 1;
                before = column;
            }
        }
        let mut ranked: Vec<_> =
            seen.into_iter().filter(|&((gap, count), _)| Codebook::slot(gap, count).is_some()).collect();
        ranked.sort_unstable_by_key(|&(pair, times)| (std::cmp::Reverse(times), pair));
        let mut book = Codebook { pairs: [(0, 0.0); 256], bytes: vec![ESCAPE; WIDEST_GAP * COUNTS.len()] };
        for (byte, ((gap, count), _)) in (0..ESCAPE).zip(ranked) {
            book.pairs[usize::from(byte)] = (gap, f64::from(count));
            if let Some(slot) = Codebook::slot(gap, count) {
                book.bytes[slot] = byte;
            }
        }
        book
    }

    /// Appends a row of at most [`LONGEST_ROW`] entries.
    pub fn write(&self, row: &[Entry], bytes: &mut Vec<u8>) {
        let mut before = 0;
        for &(column, count) in row {
            let gap = column - before;
            before = column;
            match Codebook::slot(gap, count).map_or(ESCAPE, |slot| self.bytes[slot]) {
                ESCAPE => {
                    let ([a, b], [c, d]) = (gap.to_le_bytes(), count.to_le_bytes());
                    bytes.extend([ESCAPE, a, b, c, d]);
                }
                byte => bytes.push(byte),
            }
        }
    }

    /// Reads the entry at the front of `bytes`: its distance from the column before, and its count.
    #[inline(always)]
    pub fn read(&self, bytes: &mut &[u8]) -> (u16, f64) {
        let &[byte, ref rest @ ..] = *bytes else { return (0, 0.0) };
        *bytes = rest;
        if byte == ESCAPE {
            return read_in_full(bytes);
        }
        self.pairs[usize::from(byte)]
    }
}

/// What follows an [`ESCAPE`].
#[cold]
fn read_in_full(bytes: &mut &[u8]) -> (u16, f64) {
    let &[a, b, c, d, ref rest @ ..] = *bytes else { return (0, 0.0) };
    *bytes = rest;
    (u16::from_le_bytes([a, b]), f64::from(i16::from_le_bytes([c, d])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_whether_their_pairs_were_learned_or_not() {
        let common: Vec<Entry> = vec![(0, 1), (3, -1), (4, 2), (90, 1)];
        let rare: Vec<Entry> = vec![(0, -32_768), (1, 19), (2, 20), (700, 32_767), (1_000, 1)];
        let book = Codebook::learn(std::iter::repeat_n(common.as_slice(), 3));
        for (row, least, most) in [(&common, 4, 4), (&rare, 9, 25), (&Vec::new(), 0, 0)] {
            let mut bytes = Vec::new();
            book.write(row, &mut bytes);
            assert!((least..=most).contains(&bytes.len()), "{} bytes", bytes.len());
            let (mut left, mut column) = (bytes.as_slice(), 0);
            let mut next = || {
                let (gap, count) = book.read(&mut left);
                column += gap;
                (column, count as i16)
            };
            let read: Vec<Entry> = (0..row.len()).map(|_| next()).collect();
            assert!(left.is_empty());
            assert_eq!(&read, row);
        }
    }
}
