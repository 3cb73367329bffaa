//! Elementary endings: what is known about them without searching.

pub mod kpk;

use crate::Board;
use crate::types::{Color, Value};

/// What is known about an ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The value of the position, in centipawns from White's view: it replaces the evaluation.
    Value(Value),
    /// The evaluation stands, but where it favours `strong` only `factor` of [`SCALE_FULL`] of it
    /// counts. Where it favours the other side it stays as it is.
    Scale {
        /// The side whose advantage is hard to turn into a win.
        strong: Color,
        /// How much of the advantage counts: 0 is a dead draw.
        factor: i32,
    },
}

/// The factor of an advantage that counts in full.
pub const SCALE_FULL: i32 = 64;

/// What is known about the position, if it is one of the elementary endings.
#[inline]
pub fn recognise(_board: &Board) -> Option<Ending> {
    None
}
