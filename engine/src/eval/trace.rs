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

/// How often one side counted each weight.
pub struct Counts(Box<[i32]>);

impl Default for Counts {
    fn default() -> Counts {
        Counts(vec![0; EvalParams::COUNT].into_boxed_slice())
    }
}

impl Trace for Counts {
    const RECORDING: bool = true;

    fn record(&mut self, index: usize, count: i32) {
        self.0[index] += count;
    }
}

impl Counts {
    /// The count of every weight, in the order of the list.
    pub fn as_slice(&self) -> &[i32] {
        &self.0
    }
}
