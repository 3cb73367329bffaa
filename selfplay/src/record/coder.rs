//! An adaptive binary arithmetic coder: bits go in with their probabilities and come out smaller.
//!
//! Integer arithmetic only, so that the bytes are the same on every machine. Encoding and decoding run
//! through the same model code: [`Coder::code`] takes the bit to be written when it encodes, and
//! returns the bit that was read when it decodes.

/// How likely a bit is to be one, learned from the bits seen: the mean of two averages, of all bits so far
/// until there are many, then of the last few dozen and of the last few hundred.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct Chance {
    /// `// [quick, slow]` in 65536ths
    estimates: [u16; 2],
    /// Bits seen, up to the slow estimate's memory.
    seen: u16,
}

impl Chance {
    /// Knows nothing yet.
    pub const EVEN: Chance = Chance { estimates: [1 << 15; 2], seen: 0 };
    /// How many bits each estimate remembers. `// [quick, slow]`
    const MEMORY: [u16; 2] = [40, 400];
    /// Chances stay this far from certainty, in 65536ths.
    const MARGIN: u32 = 32;
    /// 65536 / (n + 1.5): the share of a new bit in an average of n, the first ones counting more. As long as a power
    /// of two, so that masking keeps an index inside. `// [bits seen][quick, slow]`
    const SHARES: [[u16; 2]; 512] = {
        let mut shares = [[0; 2]; 512];
        let mut seen = 0;
        while seen < 512 {
            let mut which = 0;
            while which < 2 {
                let memory = Chance::MEMORY[which] as usize;
                let n = if seen < memory { seen } else { memory };
                shares[seen][which] = (131_072 / (2 * n + 3)) as u16;
                which += 1;
            }
            seen += 1;
        }
        shares
    };

    /// Begins with a guess, in 65536ths, that counts as some bits seen.
    pub const fn guess(one: u16) -> Chance {
        Chance { estimates: [one; 2], seen: 12 }
    }

    /// In 65536ths, never 0 or all.
    #[inline(always)]
    pub fn of_one(self) -> u32 {
        let mean = (u32::from(self.estimates[0]) + u32::from(self.estimates[1])) >> 1;
        mean.clamp(Chance::MARGIN, (1 << 16) - Chance::MARGIN)
    }

    #[inline(always)]
    fn learn(&mut self, bit: bool) {
        Chance::all_learn([self], bit);
    }

    /// Several chances learn the same bit, all estimates side by side: an estimate moves by
    /// (target - estimate) * share >> 16, rounded down whichever way it goes.
    #[inline(always)]
    fn all_learn<const N: usize>(chances: [&mut Chance; N], bit: bool) {
        const { assert!(N <= 4) };
        let (mut estimates, mut shares) = ([[0; 2]; 4], [[0; 2]; 4]);
        for n in 0..N {
            estimates[n] = chances[n].estimates;
            shares[n] = Chance::SHARES[usize::from(chances[n].seen) % Chance::SHARES.len()];
        }
        let estimates = moved(estimates, shares, bit);
        for n in 0..N {
            chances[n].estimates = estimates[n];
            chances[n].seen += u16::from(chances[n].seen < Chance::MEMORY[1]);
        }
    }
}

/// Estimates after a bit. The distance from the target shrinks by the upper half of its product with the share, and by
/// one more where something is lost on the way down: what fits into the sixteen bits of a vector's lanes.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn moved(estimates: [[u16; 2]; 4], shares: [[u16; 2]; 4], bit: bool) -> [[u16; 2]; 4] {
    use std::arch::x86_64::*;
    // SAFETY: SSE2 is compiled in; eight numbers of sixteen bits are a vector and a vector is eight such numbers.
    unsafe {
        let estimates: __m128i = std::mem::transmute(estimates);
        let shares: __m128i = std::mem::transmute(shares);
        let turn = _mm_set1_epi32(-i32::from(bit));
        let lost = _mm_andnot_si128(turn, _mm_set1_epi16(1));
        let distance = _mm_xor_si128(estimates, turn);
        let upper = _mm_mulhi_epu16(distance, shares);
        let exact = _mm_cmpeq_epi16(_mm_mullo_epi16(distance, shares), _mm_setzero_si128());
        let step = _mm_add_epi16(upper, _mm_andnot_si128(exact, lost));
        std::mem::transmute(_mm_xor_si128(_mm_sub_epi16(distance, step), turn))
    }
}

/// As above, number by number.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "sse2"), allow(dead_code))]
#[inline(always)]
fn moved_one_by_one(estimates: [[u16; 2]; 4], shares: [[u16; 2]; 4], bit: bool) -> [[u16; 2]; 4] {
    let target = if bit { i64::from(u16::MAX) } else { 0 };
    std::array::from_fn(|n| {
        std::array::from_fn(|which| {
            let now = i64::from(estimates[n][which]);
            (now + (((target - now) * i64::from(shares[n][which])) >> 16)) as u16
        })
    })
}
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use moved_one_by_one as moved;

/// Chances in 4096ths to 256ths of their log odds and back, both for [`Mixer`].
mod logistic {
    /// 4096 / (1 + e to the power of -x / 256), at multiples of 128 from -2047 on. Computed once and
    /// written down, so that no machine's floating point can differ.
    const SQUASHED: [i32; 33] = [
        1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348, 3607,
        3785, 3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
    ];

    /// From log odds to a chance.
    #[inline(always)]
    pub fn squash(odds: i32) -> i32 {
        /// `// [odds + 2048]`
        static ALL: [i16; 4097] = {
            let mut all = [0; 4097];
            let mut place = 0;
            while place < 4097 {
                all[place] = between(place as i32 - 2048) as i16;
                place += 1;
            }
            all
        };
        i32::from(ALL[(odds.clamp(-2048, 2048) + 2048) as usize])
    }

    /// Straight lines between the numbers above.
    const fn between(odds: i32) -> i32 {
        if odds > 2047 {
            return 4095;
        }
        if odds < -2047 {
            return 1;
        }
        let part = odds & 127;
        let place = ((odds >> 7) + 16) as usize;
        (SQUASHED[place] * (128 - part) + SQUASHED[place + 1] * part + 64) >> 7
    }

    /// From a chance to its log odds: the inverse of [`squash`]. Chances are kept from the ends as
    /// [`super::Chance::of_one`] does. `// [chance]`
    pub static STRETCHED: [i16; 4096] = {
        let mut table = [0; 4096];
        let mut next = 0;
        let mut odds = -2047;
        while odds <= 2047 {
            let chance = between(odds);
            while next <= chance {
                table[next as usize] = odds as i16;
                next += 1;
            }
            odds += 1;
        }
        while next < 4096 {
            table[next as usize] = 2047;
            next += 1;
        }
        let nearest = (super::Chance::MARGIN >> 4) as usize;
        let mut n = 0;
        while n < nearest {
            table[n] = table[nearest];
            n += 1;
        }
        // 65536 less the margin, in 4096ths.
        let mut n = 4096 - nearest;
        while n < 4096 {
            table[n] = table[4096 - nearest];
            n += 1;
        }
        table
    };
}

/// Several chances for the same bit become one: a weighted sum of their log odds, whose weights learn
/// which of them to believe.
#[derive(Clone, Copy, Debug)]
pub struct Mixer<const N: usize> {
    /// In 65536ths.
    weights: [i32; N],
}

impl<const N: usize> Mixer<N> {
    /// How fast the weights learn.
    const RATE: i32 = 6;

    /// Believes all of them alike, and a little more than their mean: they know different things.
    pub const fn new() -> Mixer<N> {
        Mixer { weights: [(1 << 16) * 5 / 4 / N as i32; N] }
    }

    /// Codes one bit under all these chances. Everybody learns from it.
    #[inline(always)]
    pub fn code(&mut self, coder: &mut impl Coder, chances: [&mut Chance; N], bit: bool) -> bool {
        // Loops, since `map` and `from_fn` are not always inlined into code for newer processors.
        let (mut odds, mut sum) = ([0; N], 0);
        for n in 0..N {
            let [quick, slow] = chances[n].estimates;
            odds[n] = i32::from(logistic::STRETCHED[(usize::from(quick) + usize::from(slow)) >> 5]);
            sum += i64::from(self.weights[n]) * i64::from(odds[n]);
        }
        let chance = logistic::squash((sum >> 16) as i32);
        let bit = coder.code_at(chance as u32 * 16, bit);
        let error = (i32::from(bit) * 4095 - chance) * Mixer::<N>::RATE;
        for (weight, odds) in self.weights.iter_mut().zip(&odds) {
            *weight += (odds * error + (1 << 13)) >> 14;
        }
        Chance::all_learn(chances, bit);
        bit
    }
}

/// Either direction.
pub trait Coder {
    /// Codes one bit whose chance of being one is this, in 65536ths.
    fn code_at(&mut self, one: u32, bit: bool) -> bool;
    /// Codes one bit under its chance, which learns from it.
    fn code(&mut self, chance: &mut Chance, bit: bool) -> bool;
}

/// Writes.
pub struct Encoder {
    low: u32,
    high: u32,
    bytes: Vec<u8>,
}

impl Encoder {
    /// Nothing written yet.
    pub fn new() -> Encoder {
        Encoder { low: 0, high: u32::MAX, bytes: Vec::new() }
    }

    #[inline(always)]
    fn narrow(&mut self, one: u32, bit: bool) {
        let middle = self.low + (((u64::from(self.high - self.low)) * u64::from(one)) >> 16) as u32;
        match bit {
            true => self.high = middle,
            false => self.low = middle + 1,
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.bytes.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
        }
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        // One byte is enough to lie between the two ends, which differ in theirs: missing bytes are
        // read as zeros.
        self.bytes.push((self.low >> 24) as u8 + 1);
        self.bytes
    }
}

impl Coder for Encoder {
    #[inline(always)]
    fn code_at(&mut self, one: u32, bit: bool) -> bool {
        self.narrow(one, bit);
        bit
    }

    #[inline(always)]
    fn code(&mut self, chance: &mut Chance, bit: bool) -> bool {
        self.narrow(chance.of_one(), bit);
        chance.learn(bit);
        bit
    }
}

/// Reads. Never fails: bytes that are damaged or missing give other bits, and what is made of them is
/// checked where it means something.
pub struct Decoder<'a> {
    low: u32,
    high: u32,
    value: u32,
    rest: std::slice::Iter<'a, u8>,
    /// How many bytes beyond the end were read as zeros.
    missing: usize,
}

impl<'a> Decoder<'a> {
    /// The decoder looks at four bytes where the encoder ends with one.
    const AHEAD: usize = 3;

    /// From the first byte.
    pub fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { low: 0, high: u32::MAX, value: 0, rest: bytes.iter(), missing: 0 };
        for _ in 0..4 {
            decoder.value = decoder.value << 8 | decoder.byte();
        }
        decoder
    }

    #[inline(always)]
    fn byte(&mut self) -> u32 {
        match self.rest.next() {
            Some(&byte) => u32::from(byte),
            None => {
                self.missing += 1;
                0
            }
        }
    }

    #[inline(always)]
    fn narrow(&mut self, one: u32) -> bool {
        let middle = self.low + (((u64::from(self.high - self.low)) * u64::from(one)) >> 16) as u32;
        let bit = self.value <= middle;
        match bit {
            true => self.high = middle,
            false => self.low = middle + 1,
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
            self.value = self.value << 8 | self.byte();
        }
        bit
    }

    /// Whether more was read than there can have been: the bytes are not what was written.
    pub fn is_exhausted(&self) -> bool {
        self.missing > Decoder::AHEAD
    }

    /// Whether all was read that was written, and no more.
    pub fn is_finished(&self) -> bool {
        self.missing == Decoder::AHEAD
    }
}

impl Coder for Decoder<'_> {
    #[inline(always)]
    fn code_at(&mut self, one: u32, _bit: bool) -> bool {
        self.narrow(one)
    }

    #[inline(always)]
    fn code(&mut self, chance: &mut Chance, _bit: bool) -> bool {
        let bit = self.narrow(chance.of_one());
        chance.learn(bit);
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Dice;

    #[test]
    fn both_ways_to_learn_agree() {
        let mut dice = Dice::for_game(5, 0);
        for trial in 0..100_000 {
            let mut numbers = || {
                let any = |dice: &mut Dice| {
                    [0, 1, 0x8000, 0xFFFF, dice.below(65_536) as u16][dice.below(5) as usize]
                };
                std::array::from_fn(|_| std::array::from_fn(|_| any(&mut dice)))
            };
            let (estimates, shares) = (numbers(), numbers());
            for bit in [false, true] {
                assert_eq!(
                    moved(estimates, shares, bit),
                    moved_one_by_one(estimates, shares, bit),
                    "{trial}"
                );
            }
        }
    }

    #[test]
    fn bits_come_back_and_take_little_room() {
        for seed in 0..300 {
            let mut dice = Dice::for_game(seed, 0);
            let count = dice.below(400) as usize;
            let rare = 1 + dice.below(60);
            let bits: Vec<(usize, bool)> =
                (0..count).map(|_| (dice.below(3) as usize, dice.below(rare) == 0)).collect();
            let mut encoder = Encoder::new();
            let mut chances = [Chance::EVEN; 2];
            for &(which, bit) in &bits {
                match chances.get_mut(which) {
                    Some(chance) => encoder.code(chance, bit),
                    None => encoder.code_at(1 << 15, bit),
                };
            }
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            let mut chances = [Chance::EVEN; 2];
            for &(which, bit) in &bits {
                let read = match chances.get_mut(which) {
                    Some(chance) => decoder.code(chance, false),
                    None => decoder.code_at(1 << 15, false),
                };
                assert_eq!(read, bit);
            }
            assert!(decoder.is_finished());
        }
        let mut encoder = Encoder::new();
        let mut chance = Chance::EVEN;
        (0..10_000).for_each(|n| {
            encoder.code(&mut chance, n % 100 == 0);
        });
        let bytes = encoder.finish().len();
        assert!((95..130).contains(&bytes), "{bytes} bytes; the entropy is 101");
    }
}
