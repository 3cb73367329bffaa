//! The game record `.tgr`: small, exact, reproducible, and checked byte by byte.
//!
//! [`GameRecord`] is what a game is; `docs/2-formats.md` says what a file looks like.
//!
//! Reading: [`games`] iterates over the games of many files in a stable order (files as given, games by
//! id); [`for_each_game`] and [`map_blocks`] do the same with the decoding on all cores. [`Reader`] opens
//! one file, gives its [`Header`] and says what is damaged. Writing: [`Writer`].

mod block;
mod bytes;
mod coder;
mod error;
pub mod export;
mod footer;
mod game;
mod header;
mod models;
pub mod order;
mod order_weights;
mod position;
mod reader;
pub mod statistics;
mod verify;
mod writer;

pub use block::{BLOCK_GAMES, BlockHead, COLUMNS, Outline};
pub use error::RecordError;
pub use game::{Ending, GameRecord, Ply, Start};
pub use header::{Header, VERSION};
pub use reader::{Reader, for_each_game, games, map_blocks, map_blocks_with_keys};
pub use statistics::Statistics;
pub use verify::{Verdict, replay, verify};
pub use writer::{Opened, WriteError, Writer, write_record};
