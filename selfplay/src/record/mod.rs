//! The game record `.tgr`: small, exact, reproducible, and checked byte by byte.
//!
//! [`GameRecord`] is what a game is. `docs/2-formats.md` says what a file looks like.
//!
//! Reading: [`games`] iterates over the games of many files in a stable order (files as given, games by
//! id); [`map_blocks`] does the same on all cores. [`Reader`] opens one file and gives its [`Header`].

mod bytes;
mod error;
mod game;
mod header;

pub use error::RecordError;
pub use game::{Ending, GameRecord, Ply, Start};
pub use header::Header;
