//! Tabula plays: matches against itself and against anyone who speaks UCI.
#![deny(missing_docs)]

pub mod arena;
pub mod calendar;
pub mod dashboard;
mod dice;
pub mod games;
pub mod learn;
pub mod library;
mod outcome;
pub mod pgn;
pub mod pipe;
pub mod play;
pub mod query;
mod random_opening;
pub mod record;
pub mod spsa;
pub mod style;

pub use dice::Dice;
pub use outcome::Outcome;
pub use random_opening::Level;
