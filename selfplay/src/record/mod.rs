//! The game record `.tgr`: small, exact, reproducible, and checked byte by byte.
//!
//! [`GameRecord`] is what a game of chess is; `docs/2-formats.md` says what a file looks like. Other games have records
//! of version 2 ([`crate::games`]): the same file around other columns.
//!
//! Reading: [`games`] iterates over the games of many files in a stable order (files as given, games by
//! id); [`for_each_game`] and [`map_blocks`] do the same with the decoding on all cores. [`Reader`] opens
//! one file, gives its [`Header`] and says what is damaged. Writing: [`Writer`].

pub(crate) mod block;
mod bytes;
mod codec;
pub(crate) mod coder;
mod error;
pub mod export;
mod footer;
pub(crate) mod frame;
mod game;
mod header;
pub(crate) mod models;
pub mod order;
mod order_weights;
mod position;
mod reader;
pub mod statistics;
mod verify;
mod writer;

pub use block::Outline;
pub use codec::{BlockCodec, ChessCodec};
pub use error::RecordError;
pub use frame::{BLOCK_GAMES, BlockHead, COLUMNS};
pub use game::{Ending, GameRecord, Ply, Start};
pub use header::{Header, NEWEST_VERSION, VERSION};
pub use reader::{Reader, for_each_game, games, map_blocks, map_blocks_with_keys};
pub use statistics::Statistics;
pub use verify::{Verdict, replay, verify};
pub use writer::{Opened, WriteError, Writer, write_record};
