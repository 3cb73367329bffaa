//! Learning: what games say about each decision, added up.
//!
//! Nothing here knows of chess: decisions, values, results. What it does is proven on Nim
//! (`selfplay/tests/nim.rs`), whose theory is known.

pub mod episode;
pub mod ledger;

pub use episode::{Discount, Episode, Fate, Step};
pub use ledger::{Ledger, Place, Sums};
