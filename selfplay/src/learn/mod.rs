//! Learning: games become an Experience Book.
//!
//! `episode` and `ledger` know nothing of chess: decisions, values, results. What they do is proven on Nim
//! (`selfplay/tests/nim.rs`), whose theory is known. `records` brings games to them and writes the book;
//! `tour` walks through one.

pub mod episode;
pub mod ledger;
pub mod records;
pub mod tour;

pub use episode::{Discount, Episode, Fate, Step};
pub use ledger::{Ledger, Place, Sums};
pub use records::{LearnError, LearnReport, Method, learn_records};
