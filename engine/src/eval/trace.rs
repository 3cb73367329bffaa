//! Who watches the evaluation count: nobody in a game, a [`Recorder`] when the tuner or a reader asks.

use std::cell::Cell;

use super::list::Role;
use super::params::EvalParams;
use crate::types::Color;

/// Learns of every weight that one side's terms count.
pub trait Trace: Copy {
    /// Whether anybody listens. Work that only a listener needs is left out otherwise.
    const RECORDING: bool;

    /// The weight with this flat index was counted `count` times.
    fn record(self, index: usize, count: i32);
}

/// Listens to nothing, and compiles to nothing.
#[derive(Clone, Copy)]
pub struct NoTrace;

impl Trace for NoTrace {
    const RECORDING: bool = false;

    #[inline(always)]
    fn record(self, _index: usize, _count: i32) {}
}

/// How many counts are looked at together: a bit for each in one word.
const GROUP: usize = 64;

/// Groups enough for every weight.
const GROUPS: usize = EvalParams::COUNT.div_ceil(GROUP);

/// How often each weight was counted. The lower half of a number is White's count less Black's, the upper half is
/// Black's, as in a [`Score`](super::score::Score): so recording is one addition, and whether a weight matters
/// shows in one place.
pub struct Sheet {
    /// `// [index]`, rounded up to whole groups
    counts: Box<[[Cell<i32>; GROUP]; GROUPS]>,
    /// Room for the indices of those that were counted.
    counted: Box<[u16; GROUPS * GROUP + AT_ONCE]>,
}

/// So many indices are noted at a time, wanted or not.
const AT_ONCE: usize = 8;

/// What is looked at: of linear weights only the difference, if that is all that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// Every weight that a side counted.
    All,
    /// Linear weights only where the sides differ.
    Differences,
}

/// `// [index]` the bits of a count that make a difference
static DIFFERENCES: [[i32; GROUP]; GROUPS] = {
    let mut bits = [[-1; GROUP]; GROUPS];
    let mut index = 0;
    while index < EvalParams::COUNT {
        if matches!(EvalParams::ROLES[index], Role::Linear) {
            bits[index / GROUP][index % GROUP] = 0xFFFF;
        }
        index += 1;
    }
    bits
};
static EVERYTHING: [[i32; GROUP]; GROUPS] = [[-1; GROUP]; GROUPS];
/// Writes one side's counts on a sheet.
#[derive(Clone, Copy)]
pub struct Recorder<'a> {
    sheet: &'a Sheet,
    /// What one more of this side's adds to a count.
    unit: i32,
}

impl Trace for Recorder<'_> {
    const RECORDING: bool = true;

    #[inline(always)]
    fn record(self, index: usize, count: i32) {
        let both = &self.sheet.counts.as_flattened()[index];
        both.set(both.get().wrapping_add(count.wrapping_mul(self.unit)));
    }
}

impl Sheet {
    /// Nothing counted.
    pub fn new() -> Sheet {
        Sheet {
            counts: Box::new([const { [const { Cell::new(0) }; GROUP] }; GROUPS]),
            counted: Box::new([0; GROUPS * GROUP + AT_ONCE]),
        }
    }

    /// A pen for one side.
    pub fn recorder(&self, color: Color) -> Recorder<'_> {
        Recorder { sheet: self, unit: if color == Color::White { 1 } else { (1 << 16) - 1 } }
    }

    /// White's count of a weight less Black's, which is forgotten with that: for whoever wants to see a weight
    /// together with one that comes earlier in the list.
    #[inline(always)]
    pub fn take_net(&self, index: usize) -> i16 {
        self.counts.as_flattened()[index % (GROUP * GROUPS)].replace(0) as i16
    }

    /// Shows every weight that was counted, in the order of the list, with White's and Black's counts, and
    /// forgets them. What is taken off the sheet meanwhile is not shown.
    #[inline(always)]
    pub fn drain(&mut self, sight: Sight, mut see: impl FnMut(&Sheet, usize, [i16; 2])) {
        let bits = match sight {
            Sight::All => &EVERYTHING,
            Sight::Differences => &DIFFERENCES,
        };
        // First their indices, eight at a time: how many a group has is nothing a processor could guess, and a loop that
        // ends with each group would be left at the wrong moment as often as there are groups.
        let mut length = 0;
        for (group, (counts, bits)) in self.counts.iter().zip(bits).enumerate() {
            let mut left = not_zero(counts, bits);
            let behind = length + left.count_ones() as usize;
            while length < behind {
                for place in &mut self.counted[length..length + AT_ONCE] {
                    *place = (group * GROUP) as u16 + left.trailing_zeros() as u16;
                    left &= left.wrapping_sub(1);
                }
                length += AT_ONCE;
            }
            length = behind;
        }
        for &index in &self.counted[..length] {
            let index = usize::from(index) % (GROUP * GROUPS);
            let both = self.counts.as_flattened()[index].get();
            if both == 0 {
                continue;
            }
            // A negative lower half borrowed one from the upper; the rounding gives it back.
            let black = (both.wrapping_add(0x8000) >> 16) as i16;
            see(self, index, [(both as i16).wrapping_add(black), black]);
        }
        self.counts.as_flattened().iter().for_each(|count| count.set(0));
    }
}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet::new()
    }
}

/// One bit for every count that is not zero in some of its bits.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn not_zero(counts: &[Cell<i32>; GROUP], bits: &[i32; GROUP]) -> u64 {
    use std::arch::x86_64::*;
    let (counts, bits): (*const __m128i, *const __m128i) = (counts.as_ptr().cast(), bits.as_ptr().cast());
    let mut seen = 0;
    for sixteen in 0..4 {
        // SAFETY: SSE2 is a part of x86-64, and sixteen times four numbers are there, in both.
        let zeros = unsafe {
            let (counts, bits) = (counts.add(4 * sixteen), bits.add(4 * sixteen));
            let four =
                |place| _mm_and_si128(_mm_loadu_si128(counts.add(place)), _mm_loadu_si128(bits.add(place)));
            let zero = _mm_setzero_si128();
            let low = _mm_packs_epi32(_mm_cmpeq_epi32(four(0), zero), _mm_cmpeq_epi32(four(1), zero));
            let high = _mm_packs_epi32(_mm_cmpeq_epi32(four(2), zero), _mm_cmpeq_epi32(four(3), zero));
            _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u64
        };
        seen |= (zeros ^ 0xFFFF) << (16 * sixteen);
    }
    seen
}

/// One bit for every count that is not zero in some of its bits.
#[cfg(not(target_arch = "x86_64"))]
fn not_zero(counts: &[Cell<i32>; GROUP], bits: &[i32; GROUP]) -> u64 {
    let seen = counts.iter().zip(bits).map(|(count, bits)| count.get() & bits != 0);
    seen.enumerate().fold(0, |all, (place, seen)| all | u64::from(seen) << place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_both_sides_come_back_in_order_and_once() {
        let mut sheet = Sheet::new();
        let recorded = [
            (EvalParams::COUNT - 1, [3, 3]),
            (0, [-1, 2]),
            (17, [-5, -7]),
            (15, [0, -300]),
            (16, [1, -1]),
            (19, [4, 4]),
            (40, [0, 0]),
        ];
        for sight in [Sight::All, Sight::Differences] {
            for (index, [white, black]) in recorded {
                sheet.recorder(Color::White).record(index, white);
                sheet.recorder(Color::Black).record(index, black - 1);
                sheet.recorder(Color::Black).record(index, 1);
            }
            let mut expected = recorded.to_vec();
            expected.retain(|(_, counts)| *counts != [0, 0]);
            if sight == Sight::Differences {
                expected.retain(|&(index, [white, black])| {
                    white != black || EvalParams::ROLES[index] != Role::Linear
                });
                assert_eq!(expected.len(), 5, "the last weight of the list is not linear");
            }
            expected.sort();
            let mut drained = Vec::new();
            sheet.drain(sight, |_, index, counts| drained.push((index, counts.map(i32::from))));
            assert_eq!(drained, expected);
            sheet.drain(Sight::All, |_, index, _| panic!("{index} was forgotten"));
        }
    }

    #[test]
    fn what_is_taken_off_the_sheet_is_not_shown() {
        let mut sheet = Sheet::new();
        for (index, white, black) in [(3, 2, 1), (3 + GROUP, 1, 4), (5 + GROUP, 1, 0)] {
            sheet.recorder(Color::White).record(index, white);
            sheet.recorder(Color::Black).record(index, black);
        }
        let mut shown = Vec::new();
        sheet.drain(Sight::All, |sheet, index, _| {
            shown.push(index);
            if index == 3 {
                assert_eq!(sheet.take_net(3 + GROUP), -3);
            }
        });
        assert_eq!(shown, [3, 5 + GROUP]);
    }
}
