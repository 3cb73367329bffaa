//! Positions as the fit needs them, in less than a hundred bytes each.
//!
//! They stand in chunks of a fixed number, one after the other in one buffer. Work goes chunk by chunk and
//! results are added up in the order of the chunks, so that they are the same on any number of threads.

use std::sync::Arc;

use engine::eval::endgame::Ending;
use engine::eval::gradient::{Pair, Slopes, Sums};

use crate::codebook::{Codebook, LONGEST_PART};
use crate::columns::{Bank, Columns, GROUPS, PARTS, TABLE};

/// How many positions a chunk holds.
pub const CHUNK: usize = 8_192;

/// Above the phase in a position's head: what is known of its ending.
const ENDING_BITS: u8 = 0xC0;
const ENDING_VALUE: u8 = 0x40;
const ENDING_SCALE: u8 = 0x80;
/// And whether its row uses the second bank of columns.
const PAIRED: u8 = 0x20;

/// The bytes of a head without an ending: the length of each part of the row, and the phase.
const HEAD: usize = PARTS + 1;

/// The longest row.
const LONGEST_ROW: usize = PARTS * LONGEST_PART;

/// Some positions with labels.
#[derive(Clone)]
pub struct Store {
    /// What the columns mean.
    pub columns: Arc<Columns>,
    /// What the bytes mean.
    pub book: Arc<Codebook>,
    chunks: Vec<Arc<Chunk>>,
}

/// A fixed number of positions, the last chunk fewer.
#[derive(Clone)]
pub struct Chunk {
    /// Each: head, row.
    bytes: Vec<u8>,
    /// What the evaluation is to predict: White's expected score, 0 to 1.
    labels: Vec<f32>,
}

/// One position, read and evaluated.
pub struct Row<'a> {
    /// What its bytes mean.
    book: &'a Codebook,
    /// What its columns mean.
    columns: &'a Columns,
    bytes: &'a [u8],
    /// `// [byte]` the column that each byte comes to
    places: &'a [u16],
    /// How many of them are linear.
    linear: usize,
    /// Its value with some weights, and how it moves with them.
    pub slopes: Slopes,
    /// 0 to 24.
    pub phase: i32,
    /// White's expected score.
    pub label: f64,
}

impl Row<'_> {
    /// The columns that its bytes come to, in order; some more than once, and some where nothing is added.
    #[inline(always)]
    pub fn places(&self) -> &[u16] {
        self.places
    }

    /// Adds, to every column's sum, how much `by_value` times the value moves with its weight.
    #[inline(always)]
    pub fn add_slopes(&self, by_value: f64, sums: &mut [Pair; TABLE]) {
        let (linear, others) = self.places.split_at(self.linear);
        let (linear_bytes, other_bytes) = self.bytes.split_at(self.linear);
        let [mg, eg] = self.slopes.linear;
        let slope = [by_value * mg, by_value * eg];
        for (&place, &byte) in linear.iter().zip(linear_bytes) {
            let (sum, count) = (&mut sums[usize::from(place) % TABLE], self.book.count(byte));
            *sum = [sum[0] + slope[0] * count, sum[1] + slope[1] * count];
        }
        let mut slopes = Columns::group_slopes(&self.slopes);
        slopes.iter_mut().for_each(|slope| *slope = [by_value * slope[0], by_value * slope[1]]);
        for (&place, &byte) in others.iter().zip(other_bytes) {
            let slope = slopes[self.columns.group(place)];
            let (sum, count) = (&mut sums[usize::from(place) % TABLE], self.book.count(byte));
            *sum = [sum[0] + slope[0] * count, sum[1] + slope[1] * count];
        }
    }

    /// Shows every column that was counted, once, with its count and how the value moves with one more and a
    /// weight of one.
    #[inline(always)]
    pub fn for_each_column(&self, mut see: impl FnMut(u16, f64, Pair)) {
        let slopes = Columns::group_slopes(&self.slopes);
        let mut entries =
            self.places.iter().zip(self.bytes).map(|(&place, &byte)| (place, self.book.count(byte)));
        let Some((mut column, mut count)) = entries.next() else { return };
        for (place, more) in entries {
            if place == column {
                count += more;
                continue;
            }
            if count != 0.0 {
                see(column, count, slopes[self.columns.group(column)]);
            }
            (column, count) = (place, more);
        }
        if count != 0.0 {
            see(column, count, slopes[self.columns.group(column)]);
        }
    }
}

/// Writes the head of a position: the lengths of the parts of its row, its phase, bank and ending. The row follows.
pub fn write_head(
    lengths: [usize; PARTS],
    phase: i32,
    bank: Bank,
    ending: Option<Ending>,
    bytes: &mut Vec<u8>,
) {
    debug_assert!(lengths.iter().all(|&length| length <= LONGEST_PART) && (0..32).contains(&phase));
    let phase = phase as u8 | if bank == Bank::Paired { PAIRED } else { 0 };
    let [a, b, c, d, e] = lengths;
    bytes.extend_from_slice(&[a as u8, b as u8, c as u8, d as u8, e as u8]);
    match ending {
        None => bytes.push(phase),
        Some(Ending::Value(value)) => {
            bytes.push(phase | ENDING_VALUE);
            bytes.extend(value.to_le_bytes());
        }
        Some(Ending::Scale { factors }) => {
            bytes.push(phase | ENDING_SCALE);
            bytes.extend(factors.map(|factor| factor as u8));
        }
    }
}

impl Chunk {
    /// How many positions it holds.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The labels, in order.
    pub fn labels(&self) -> &[f32] {
        &self.labels
    }
}

/// The positions of a chunk, one after the other, evaluated with weights that were spread over the columns.
pub struct Rows<'a> {
    columns: &'a Columns,
    book: &'a Codebook,
    spread: &'a [Pair; TABLE],
    /// What was not read yet.
    bytes: &'a [u8],
    labels: std::slice::Iter<'a, f32>,
    places: [u16; LONGEST_ROW],
    /// How wide kinks are rounded.
    softness: f64,
}

impl Rows<'_> {
    /// The next position. (No iterator: a row is gone when the next one comes.)
    #[inline(always)]
    pub fn next_row(&mut self) -> Option<Row<'_>> {
        let label = f64::from(*self.labels.next()?);
        let (lengths, phase, bank, ending) = read_head(&mut self.bytes);
        let linear = usize::from(lengths[0]);
        let total: usize = lengths.iter().map(|&length| usize::from(length)).sum();
        let (bytes, after) = self.bytes.split_at(total);
        self.bytes = after;
        let places = &mut self.places[..total];
        let mut reader = Reader { book: self.book, spread: self.spread, column: bank.first() };
        let mut groups = [[0.0; 2]; GROUPS];
        let mut at = 0;
        // All parts but the last are a group each.
        for part in 0..PARTS - 1 {
            let end = at + usize::from(lengths[part]);
            groups[part] = reader.sum(&bytes[at..end], &mut places[at..end]);
            at = end;
        }
        for (&byte, place) in bytes[at..].iter().zip(&mut places[at..]) {
            let [mg, eg] = reader.next(byte, place);
            let sum = &mut groups[self.columns.group(*place)];
            *sum = [sum[0] + mg, sum[1] + eg];
        }
        let slopes =
            Sums { phase, ending, softness: self.softness, ..Columns::sums(&groups) }.value_and_slopes();
        Some(Row { book: self.book, columns: self.columns, bytes, places, linear, slopes, phase, label })
    }
}

/// Reads a row byte by byte.
struct Reader<'a> {
    book: &'a Codebook,
    spread: &'a [Pair; TABLE],
    column: usize,
}

impl Reader<'_> {
    /// What a byte adds; notes the column it came to.
    #[inline(always)]
    fn next(&mut self, byte: u8, place: &mut u16) -> Pair {
        self.column += self.book.gap(byte);
        *place = self.column as u16;
        let (weight, count) = (self.spread[self.column % TABLE], self.book.count(byte));
        [weight[0] * count, weight[1] * count]
    }

    /// The sum of what some bytes add.
    #[inline(always)]
    fn sum(&mut self, bytes: &[u8], places: &mut [u16]) -> Pair {
        // Four sums side by side, so that one addition need not wait for the other.
        let mut sums = [[0.0; 2]; 4];
        let ((fours, rest), (four_places, rest_places)) =
            (bytes.as_chunks::<4>(), places.as_chunks_mut::<4>());
        for (bytes, places) in fours.iter().zip(four_places) {
            for (sum, (&byte, place)) in sums.iter_mut().zip(bytes.iter().zip(places)) {
                let [mg, eg] = self.next(byte, place);
                *sum = [sum[0] + mg, sum[1] + eg];
            }
        }
        for (sum, (&byte, place)) in sums.iter_mut().zip(rest.iter().zip(rest_places)) {
            let [mg, eg] = self.next(byte, place);
            *sum = [sum[0] + mg, sum[1] + eg];
        }
        let [a, b, c, d] = sums;
        [(a[0] + b[0]) + (c[0] + d[0]), (a[1] + b[1]) + (c[1] + d[1])]
    }
}

/// Takes a head off the front: lengths, phase, bank and ending.
#[inline(always)]
fn read_head(rest: &mut &[u8]) -> ([u8; PARTS], i32, Bank, Option<Ending>) {
    let &[a, b, c, d, e, phase, ref bytes @ ..] = *rest else { return ([0; PARTS], 0, Bank::Single, None) };
    let bank = if phase & PAIRED != 0 { Bank::Paired } else { Bank::Single };
    let (length, ending) = match phase & ENDING_BITS {
        ENDING_VALUE => {
            (HEAD + 4, Some(Ending::Value(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))))
        }
        ENDING_SCALE => {
            (HEAD + 2, Some(Ending::Scale { factors: [i32::from(bytes[0]), i32::from(bytes[1])] }))
        }
        _ => (HEAD, None),
    };
    *rest = &rest[length..];
    ([a, b, c, d, e], i32::from(phase & !(ENDING_BITS | PAIRED)), bank, ending)
}

impl Store {
    /// An empty one.
    pub fn new(columns: Arc<Columns>, book: Arc<Codebook>) -> Store {
        Store { columns, book, chunks: Vec::new() }
    }

    /// Appends a position that was written by [`write_head`] and the codebook.
    pub fn push(&mut self, position: &[u8], label: f32) {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            // A full chunk moves to memory of its own size, and the next one grows where it grew: chunks that
            // were given back half of their memory each would leave holes.
            let mut bytes = Vec::new();
            if let Some(full) = self.chunks.last_mut() {
                let full = Arc::make_mut(full);
                let exact = full.bytes.as_slice().to_vec();
                bytes = std::mem::replace(&mut full.bytes, exact);
                bytes.clear();
            }
            self.chunks.push(Arc::new(Chunk { bytes, labels: Vec::with_capacity(CHUNK) }));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            let chunk = Arc::make_mut(chunk);
            chunk.bytes.extend_from_slice(position);
            chunk.labels.push(label);
        }
    }

    /// Every so many-th chunk, shared with this store.
    pub fn thinned(&self, every: usize) -> Store {
        let chunks = self.chunks.iter().step_by(every).cloned().collect();
        Store { columns: self.columns.clone(), book: self.book.clone(), chunks }
    }

    /// Changes the labels of all positions from `first` on.
    pub fn relabel(&mut self, first: usize, mut change: impl FnMut(f32) -> f32) {
        for place in first..self.len() {
            let label = &mut Arc::make_mut(&mut self.chunks[place / CHUNK]).labels[place % CHUNK];
            *label = change(*label);
        }
    }

    /// The positions of a chunk, evaluated with weights that were spread over the columns and with kinks rounded by
    /// [`Sums::softness`].
    #[inline(always)]
    pub fn rows<'a>(&'a self, chunk: &'a Chunk, spread: &'a [Pair; TABLE], softness: f64) -> Rows<'a> {
        let (bytes, labels) = (chunk.bytes.as_slice(), chunk.labels.iter());
        Rows {
            columns: &self.columns,
            book: &self.book,
            spread,
            bytes,
            labels,
            places: [0; LONGEST_ROW],
            softness,
        }
    }

    /// The chunks, in order.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// How many positions it holds.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The bytes it fills, room to grow included.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.capacity() + 4 * chunk.labels.capacity()).sum()
    }
}
