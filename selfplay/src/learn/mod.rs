//! Learning: games become an Experience Book.
//!
//! `episode` and `ledger` know nothing of chess: decisions, values, results. What they do is proven on Nim
//! (`selfplay/tests/nim.rs`), whose theory is known. `material` brings games to them, `records` writes the book;
//! `tour` walks through one, `shuffle` makes a control of it.

pub mod episode;
pub mod ledger;
mod material;
pub mod records;
pub mod shuffle;
pub mod tour;

pub use episode::{Discount, Episode, Fate, Step};
pub use ledger::{Ledger, Place, Sums};
pub use material::{episode_of, fate, span_of};
pub use records::{LearnError, LearnReport, Method, learn_files};
pub use shuffle::{Kept, shuffle};
