//! Positions as the fit needs them, in less than a hundred bytes each.
//!
//! They stand in chunks of a fixed number, one after the other in one buffer. Work goes chunk by chunk and
//! results are added up in the order of the chunks, so that they are the same on any number of threads.

use std::sync::Arc;

use engine::eval::endgame::Ending;
use engine::eval::gradient::{Pair, Slopes, Sums};

use crate::codebook::{Codebook, LONGEST_ROW};
use crate::columns::{Columns, Counted, TABLE};

/// How many positions a chunk holds.
pub const CHUNK: usize = 8_192;

/// Above the phase in a position's third byte: what is known of its ending.
const ENDING_BITS: u8 = 0xC0;
const ENDING_VALUE: u8 = 0x40;
const ENDING_SCALE: u8 = 0x80;

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
#[derive(Clone, Default)]
pub struct Chunk {
    /// Each: lengths, phase and ending, row.
    bytes: Vec<u8>,
    /// What the evaluation is to predict: White's expected score, 0 to 1.
    labels: Vec<f32>,
}

/// One position, read and evaluated.
pub struct Row<'a> {
    /// The entries that are linear, by column.
    pub linear: &'a [Counted],
    /// The others, by column.
    pub others: &'a [Counted],
    /// Its value with some weights, and how it moves with them.
    pub slopes: Slopes,
    /// 0 to 24.
    pub phase: i32,
    /// White's expected score.
    pub label: f64,
}

impl Row<'_> {
    /// All entries.
    #[inline(always)]
    pub fn entries(&self) -> impl Iterator<Item = &Counted> {
        self.linear.iter().chain(self.others)
    }

    /// Shows how the value moves with each entry, without the count.
    #[inline(always)]
    pub fn for_each_slope(&self, columns: &Columns, mut see: impl FnMut(&Counted, Pair)) {
        for counted in self.linear {
            see(counted, self.slopes.linear);
        }
        columns.other_slopes(self.others, &self.slopes, see);
    }
}

/// Writes the head of a position: how many of its entries are linear and how many are not, its phase and
/// ending. The row follows.
pub fn write_head(lengths: [usize; 2], phase: i32, ending: Option<Ending>, bytes: &mut Vec<u8>) {
    debug_assert!(lengths[0] + lengths[1] <= LONGEST_ROW && (0..64).contains(&phase));
    bytes.extend([lengths[0] as u8, lengths[1] as u8]);
    match ending {
        None => bytes.push(phase as u8),
        Some(Ending::Value(value)) => {
            bytes.push(phase as u8 | ENDING_VALUE);
            bytes.extend(value.to_le_bytes());
        }
        Some(Ending::Scale { factors }) => {
            bytes.push(phase as u8 | ENDING_SCALE);
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

    /// Evaluates every position with weights that were spread over the columns, and shows them in order.
    #[inline(always)]
    fn for_each(
        &self,
        columns: &Columns,
        book: &Codebook,
        spread: &[Pair; TABLE],
        mut see: impl FnMut(&Row),
    ) {
        let mut entries = [Counted::default(); LONGEST_ROW];
        let mut rest = self.bytes.as_slice();
        for &label in &self.labels {
            let ([linear, others, phase], ending) = read_head(&mut rest);
            let (linear, others, phase) = (usize::from(linear), usize::from(others), i32::from(phase));
            let (for_linear, left) = entries.split_at_mut(linear);
            let for_others = &mut left[..others];
            let mut column = 0;
            // Two sums side by side, so that one addition need not wait for the other.
            let (mut even, mut odd) = ([0.0; 2], [0.0; 2]);
            for entry in &mut *for_linear {
                let (gap, count) = book.read(&mut rest);
                column += gap;
                *entry = Counted { count, column };
                let weight = spread[usize::from(column) % TABLE];
                (even, odd) = (odd, [even[0] + weight[0] * count, even[1] + weight[1] * count]);
            }
            for entry in &mut *for_others {
                let (gap, count) = book.read(&mut rest);
                column += gap;
                *entry = Counted { count, column };
            }
            let sum = [even[0] + odd[0], even[1] + odd[1]];
            let sums = Sums { phase, ending, ..columns.sums(sum, for_others, spread) };
            see(&Row {
                linear: for_linear,
                others: for_others,
                slopes: sums.value_and_slopes(),
                phase,
                label: f64::from(label),
            });
        }
    }
}

/// Takes a head off the front: lengths and phase, and the ending.
#[inline(always)]
fn read_head(rest: &mut &[u8]) -> ([u8; 3], Option<Ending>) {
    let bytes = *rest;
    let phase = bytes[2] & !ENDING_BITS;
    let (length, ending) = match bytes[2] & ENDING_BITS {
        ENDING_VALUE => {
            (7, Some(Ending::Value(i32::from_le_bytes([bytes[3], bytes[4], bytes[5], bytes[6]]))))
        }
        ENDING_SCALE => (5, Some(Ending::Scale { factors: [i32::from(bytes[3]), i32::from(bytes[4])] })),
        _ => (3, None),
    };
    *rest = &bytes[length..];
    ([bytes[0], bytes[1], phase], ending)
}

impl Store {
    /// An empty one.
    pub fn new(columns: Arc<Columns>, book: Arc<Codebook>) -> Store {
        Store { columns, book, chunks: Vec::new() }
    }

    /// Appends a position that was written by [`write_head`] and the codebook.
    pub fn push(&mut self, position: &[u8], label: f32) {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            if let Some(full) = self.chunks.last_mut() {
                Arc::make_mut(full).bytes.shrink_to_fit();
            }
            self.chunks.push(Arc::new(Chunk::default()));
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

    /// Gives every position from `first` on its label anew.
    pub fn relabel(&mut self, first: usize, labels: &[f32]) {
        for (place, &label) in (first..).zip(labels) {
            Arc::make_mut(&mut self.chunks[place / CHUNK]).labels[place % CHUNK] = label;
        }
    }

    /// Evaluates every position of a chunk, see [`Chunk::for_each`].
    #[inline(always)]
    pub fn for_each(&self, chunk: &Chunk, spread: &[Pair; TABLE], see: impl FnMut(&Row)) {
        chunk.for_each(&self.columns, &self.book, spread, see);
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
