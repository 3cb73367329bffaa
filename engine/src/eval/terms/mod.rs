//! The terms: each file counts the weights of one family for one side.
//!
//! A term reads the [`Position`] and adds to its side's [`Tally`](super::tally::Tally). Which side is
//! known at compile time (`const WHITE: bool`), so that every shift and every table has its direction
//! built in.

pub(super) mod king;
pub(super) mod passed;
pub(super) mod pawns;
pub(super) mod pieces;
pub(super) mod position;
pub(super) mod space;
pub(super) mod threats;

pub(super) use position::Position;

use crate::types::Color;

/// The side a term is compiled for.
#[inline(always)]
const fn side(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}
