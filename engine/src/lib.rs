//! Tabula's engine: board, evaluation, search and the UCI protocol.
#![deny(missing_docs)]

pub mod board;
pub mod book;
pub mod cpu;
pub mod eval;
pub mod search;
pub mod syzygy;
pub mod tools;
pub mod tt;
pub mod types;
pub mod uci;

pub use board::{Board, Setup};
