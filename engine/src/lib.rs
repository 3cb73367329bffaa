//! Tabula's engine: board, evaluation, search and the UCI protocol.
#![deny(missing_docs)]

pub mod board;
pub mod book;
pub mod cpu;
pub mod eval;
pub mod mapped_file;
pub mod regular_file;
pub mod search;
pub mod syzygy;
pub mod tools;
pub mod tt;
pub mod types;
pub mod uci;
pub mod unfinished_file;

pub use board::{Board, Setup};
