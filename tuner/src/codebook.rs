//! Rows in about a byte an entry.
//!
//! Each byte of a row goes forward by some columns and adds a count to the one it comes to: what it does is
//! learned from the first positions that are read, so that most entries are one byte. Any other is spelled with
//! several: as bytes add up, `+5` may be `+4` and, staying there, `+1`, and a wide gap is crossed by bytes that add
//! nothing. Whoever reads a row need not know: every byte is read alike, without a branch that could be
//! guessed wrong.

use std::collections::HashMap;

use crate::columns::Entry;

/// What a byte does: columns forward, and how much is added there.
type Stride = (u16, i16);

/// With these any gap and any count can be spelled.
const ALPHABET: [Stride; 18] = [
    (0, 1),
    (0, -1),
    (0, 2),
    (0, -2),
    (0, 4),
    (0, -4),
    (0, 8),
    (0, -8),
    (0, 16),
    (0, -16),
    (0, 32),
    (0, -32),
    (1, 0),
    (4, 0),
    (16, 0),
    (64, 0),
    (128, 0),
    (256, 0),
];

/// Entries within these bounds have their spelling looked up; the others, which are rare, are spelled out.
const WIDEST_GAP: usize = 256;
const LARGEST_COUNT: i16 = 32;
const COUNTS: usize = 2 * LARGEST_COUNT as usize + 1;

/// The most bytes of each part of a row: its length is one byte.
pub const LONGEST_PART: usize = 255;

/// How an entry is written: its bytes from the lowest on, and above them how many.
#[derive(Clone, Copy)]
struct Spelling(u64);

impl Spelling {
    /// Of an entry that has none.
    const NONE: Spelling = Spelling(0);
    /// The most bytes.
    const LONGEST: usize = 7;

    const fn length(self) -> usize {
        (self.0 >> (8 * Spelling::LONGEST)) as usize
    }

    const fn with(self, byte: u8) -> Spelling {
        Spelling((self.0 | (byte as u64) << (8 * self.length())) + (1 << (8 * Spelling::LONGEST)))
    }
}

/// Which byte does what.
pub struct Codebook {
    /// `// [byte]` columns forward
    gaps: [u16; 256],
    /// `// [byte]` how much is added there
    counts: [f64; 256],
    /// `// [distance][count]`
    spellings: Vec<Spelling>,
}

fn slot(gap: usize, count: i16) -> Option<usize> {
    let inside = gap < WIDEST_GAP && count.unsigned_abs() <= LARGEST_COUNT as u16;
    inside.then(|| gap * COUNTS + (count + LARGEST_COUNT) as usize)
}

impl Codebook {
    /// Gives bytes to what is commonest in some rows.
    pub fn learn<'a>(rows: impl Iterator<Item = &'a [Entry]>) -> Codebook {
        let mut seen: HashMap<Stride, u64> = HashMap::new();
        for row in rows {
            let mut before = 0;
            for &(column, count) in row {
                *seen.entry((column - before, count)).or_default() += 1;
                before = column;
            }
        }
        let mut ranked: Vec<(Stride, u64)> = seen
            .into_iter()
            .filter(|&(stride, _)| slot(stride.0.into(), stride.1).is_some() && !ALPHABET.contains(&stride))
            .collect();
        ranked.sort_unstable_by_key(|&(stride, times)| (std::cmp::Reverse(times), stride));
        let strides: Vec<Stride> =
            ALPHABET.into_iter().chain(ranked.into_iter().map(|(stride, _)| stride)).take(256).collect();
        let mut book = Codebook {
            gaps: [0; 256],
            counts: [0.0; 256],
            spellings: vec![Spelling::NONE; WIDEST_GAP * COUNTS],
        };
        for (byte, &(gap, count)) in strides.iter().enumerate() {
            (book.gaps[byte], book.counts[byte]) = (gap, f64::from(count));
            if let Some(slot) = slot(gap.into(), count) {
                book.spellings[slot] = Spelling::NONE.with(byte as u8);
            }
        }
        // Whatever one byte more makes of what is spelled already, until nothing new is spelled.
        let mut spelled: Vec<Stride> = strides;
        while !spelled.is_empty() {
            let mut next = Vec::new();
            for first in std::mem::take(&mut spelled) {
                book.extend(first, &mut next);
            }
            spelled = next;
        }
        book
    }

    /// Spells what is one byte longer than `first` and was not spelled before. Once something was added there is
    /// no going forward: it would have been added too early.
    fn extend(&mut self, (gap, count): Stride, new: &mut Vec<Stride>) {
        let Some(first) = slot(gap.into(), count).map(|slot| self.spellings[slot]) else { return };
        if first.length() == Spelling::LONGEST {
            return;
        }
        for byte in 0..=255 {
            let forward = self.gap(byte) as u16;
            if forward > 0 && count != 0 {
                continue;
            }
            let longer = (gap + forward, count + self.count(byte) as i16);
            let Some(slot) = slot(longer.0.into(), longer.1) else { continue };
            if self.spellings[slot].length() == 0 {
                self.spellings[slot] = first.with(byte);
                new.push(longer);
            }
        }
    }

    /// Writes an entry `gap` columns further on at a place of a buffer; answers with the place behind. What the
    /// buffer has no room for is lost, which that place shows.
    #[inline(always)]
    pub fn write<const ROOM: usize>(
        &self,
        gap: u16,
        count: i16,
        buffer: &mut [u8; ROOM],
        at: usize,
    ) -> usize {
        let spelling = slot(gap.into(), count).map_or(Spelling::NONE, |slot| self.spellings[slot]);
        if spelling.length() == 0 {
            return self.spell_out(gap, count, buffer, at);
        }
        let place = at.min(ROOM - 8);
        buffer[place..place + 8].copy_from_slice(&spelling.0.to_le_bytes());
        at + spelling.length()
    }

    #[cold]
    fn spell_out(&self, mut gap: u16, mut count: i16, buffer: &mut [u8], mut at: usize) -> usize {
        let mut put = |byte: u8| {
            if let Some(place) = buffer.get_mut(at) {
                *place = byte;
            }
            at += 1;
        };
        // From behind: first the way, then what is added, the large before the small.
        for (byte, &(wide, much)) in ALPHABET.iter().enumerate().rev() {
            while wide > 0 && gap >= wide {
                gap -= wide;
                put(byte as u8);
            }
            while much != 0 && count.signum() == much.signum() && count.unsigned_abs() >= much.unsigned_abs()
            {
                count -= much;
                put(byte as u8);
            }
        }
        at
    }

    /// How many columns a byte goes forward.
    #[inline(always)]
    pub fn gap(&self, byte: u8) -> usize {
        usize::from(self.gaps[usize::from(byte)])
    }

    /// How much it adds there.
    #[inline(always)]
    pub fn count(&self, byte: u8) -> f64 {
        self.counts[usize::from(byte)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_whether_their_entries_were_learned_or_not() {
        let common: Vec<Entry> = vec![(0, 1), (3, -1), (4, 2), (90, 1)];
        let rare: Vec<Entry> = vec![(0, -32_768), (1, 19), (2, 33), (700, 32_767), (1_000, -1), (1_001, 77)];
        // More than have a byte of their own.
        let mut column = 0;
        let many: Vec<Entry> = (0..300u16)
            .map(|place| {
                column += 1 + place / 30;
                (column, if place % 30 == 11 { 30 } else { place as i16 % 30 - 11 })
            })
            .collect();
        let rows = [&common, &common, &common, &many, &many].map(Vec::as_slice);
        let book = Codebook::learn(rows.into_iter());
        for (row, least, most) in [(&common, 4, 4), (&rare, 9, 2_100), (&many, 310, 500), (&Vec::new(), 0, 0)]
        {
            let (mut buffer, mut at, mut before) = ([0; 4_096], 0, 0);
            for &(column, count) in row {
                at = book.write(column - before, count, &mut buffer, at);
                before = column;
            }
            assert!((least..=most).contains(&at), "{at} bytes");
            let (mut column, mut sums) = (0, std::collections::BTreeMap::new());
            for &byte in &buffer[..at] {
                column += book.gap(byte);
                *sums.entry(column as u16).or_insert(0.0) += book.count(byte);
            }
            let read: Vec<Entry> = sums
                .into_iter()
                .filter(|&(_, count)| count != 0.0)
                .map(|(c, count)| (c, count as i16))
                .collect();
            assert_eq!(&read, row);
        }
        let mut small = [0; 16];
        let at = many.iter().fold(0, |at, &(_, count)| book.write(1, count, &mut small, at));
        assert!(at > small.len(), "what had no room shows");
    }
}
