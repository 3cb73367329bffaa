//! Rows in about a byte an entry.
//!
//! Neighbouring columns and small counts are the rule, so an entry is written as its distance from the
//! column before and its count, and the 255 commonest such pairs have a byte of their own. The next 255 are the
//! byte [`ESCAPE`] and one more, any other is twice that byte and four more. The pairs are learned from the first
//! positions that are read.

use std::collections::HashMap;

use crate::columns::Entry;

/// The byte that says: this is none of the commonest pairs.
const ESCAPE: u8 = 255;

/// Pairs with one or two bytes of their own; the numbers from 256 on are those with two.
const PAIRS: usize = 511;

/// Pairs outside of these bounds never get a byte of their own.
const WIDEST_GAP: usize = 256;
const COUNTS: std::ops::Range<i16> = -12..20;

/// The longest row: its length is one byte.
pub const LONGEST_ROW: usize = 255;

/// Which byte stands for which distance and count.
pub struct Codebook {
    /// `// [byte, or 256 + second byte]` distance and count
    pairs: [(u16, f64); 512],
    /// `// [distance][count]` the number of the pair, [`ESCAPE`] for none
    numbers: Vec<u16>,
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
        let none = u16::from(ESCAPE);
        let mut book = Codebook { pairs: [(0, 0.0); 512], numbers: vec![none; WIDEST_GAP * COUNTS.len()] };
        let numbers = (0..PAIRS as u16).filter(|&number| number != none);
        for (number, ((gap, count), _)) in numbers.zip(ranked) {
            book.pairs[usize::from(number)] = (gap, f64::from(count));
            if let Some(slot) = Codebook::slot(gap, count) {
                book.numbers[slot] = number;
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
            match Codebook::slot(gap, count).map(|slot| self.numbers[slot].to_le_bytes()) {
                Some([byte, 0]) if byte != ESCAPE => bytes.push(byte),
                Some([byte, 1]) => bytes.extend([ESCAPE, byte]),
                _ => {
                    let ([a, b], [c, d]) = (gap.to_le_bytes(), count.to_le_bytes());
                    bytes.extend([ESCAPE, ESCAPE, a, b, c, d]);
                }
            }
        }
    }

    /// Reads the entry at the front of `bytes`: its distance from the column before, and its count.
    #[inline(always)]
    pub fn read(&self, bytes: &mut &[u8]) -> (u16, f64) {
        let &[byte, ref rest @ ..] = *bytes else { return (0, 0.0) };
        *bytes = rest;
        if byte == ESCAPE {
            return match **bytes {
                [ESCAPE, ..] | [] => read_in_full(bytes),
                [second, ref rest @ ..] => {
                    *bytes = rest;
                    self.pairs[256 + usize::from(second)]
                }
            };
        }
        self.pairs[usize::from(byte)]
    }
}

/// What follows the first of two [`ESCAPE`]s.
#[cold]
fn read_in_full(bytes: &mut &[u8]) -> (u16, f64) {
    let &[_, a, b, c, d, ref rest @ ..] = *bytes else { return (0, 0.0) };
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
        // More pairs than have a byte of their own.
        let mut column = 0;
        let many: Vec<Entry> = (0..300u16)
            .map(|place| {
                column += 1 + place / 30;
                (column, place as i16 % 30 - 11)
            })
            .collect();
        let rows = [&common, &common, &common, &many, &many].map(Vec::as_slice);
        let book = Codebook::learn(rows.into_iter());
        for (row, least, most) in [(&common, 4, 4), (&rare, 9, 30), (&many, 310, 400), (&Vec::new(), 0, 0)] {
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
