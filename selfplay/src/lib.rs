//! Tabula plays: matches against itself and against anyone who speaks UCI.
#![deny(missing_docs)]

pub mod arena;
pub mod calendar;
pub mod games;
pub mod learn;
mod outcome;
pub mod pgn;
pub mod pipe;
pub mod play;
pub mod record;
pub mod spsa;
pub mod style;

pub use outcome::Outcome;
