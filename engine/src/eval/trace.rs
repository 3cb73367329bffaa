//! Who watches the evaluation count: nobody in a game, [`Counts`] when the tuner or a reader asks.

use super::params::EvalParams;

/// Learns of every weight that one side's terms count.
pub trait Trace: Default {
    /// Whether anybody listens. Work that only a listener needs is left out otherwise.
    const RECORDING: bool;

    /// The weight with this flat index was counted `count` times.
    fn record(&mut self, index: usize, count: i32);
}

/// Listens to nothing, and compiles to nothing.
#[derive(Default)]
pub struct NoTrace;

impl Trace for NoTrace {
    const RECORDING: bool = false;

    #[inline(always)]
    fn record(&mut self, _index: usize, _count: i32) {}
}

/// How many words a set of weights fills.
const WORDS: usize = EvalParams::COUNT.div_ceil(64);

/// How often one side counted each weight. The default has room for nothing and costs nothing: it stands
/// in where [`Tally::aside`](super::tally::Tally::aside) lends the real one on.
#[derive(Default)]
pub struct Counts {
    /// `// [index]`
    counts: Vec<i32>,
    /// The weights counted at all, so that reading and clearing need not walk all the others.
    touched: [u64; WORDS],
}

impl Trace for Counts {
    const RECORDING: bool = true;

    #[inline(always)]
    fn record(&mut self, index: usize, count: i32) {
        self.counts[index] += count;
        self.touched[index / 64] |= 1 << (index % 64);
    }
}

impl Counts {
    /// Room for every weight, nothing counted.
    pub fn new() -> Counts {
        Counts { counts: vec![0; EvalParams::COUNT], touched: [0; WORDS] }
    }

    /// Shows every weight that one of two sides counted, in the order of the list, with the counts of
    /// both, and forgets them.
    pub fn drain(white: &mut Counts, black: &mut Counts, mut see: impl FnMut(usize, [i32; 2])) {
        for word in 0..WORDS {
            let mut touched =
                std::mem::take(&mut white.touched[word]) | std::mem::take(&mut black.touched[word]);
            while touched != 0 {
                let index = word * 64 + touched.trailing_zeros() as usize;
                touched &= touched - 1;
                let counts = [white.counts[index], black.counts[index]];
                (white.counts[index], black.counts[index]) = (0, 0);
                see(index, counts);
            }
        }
    }
}
