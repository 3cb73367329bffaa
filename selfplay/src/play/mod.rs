//! The engine plays itself, in process.
//!
//! [`SelfPlay`] plays the game with a given number; the result depends on that number and the seed alone.
//! [`Generator`] does so on many threads and hands the games to a [`crate::record::Writer`].

mod deep_labels;
mod fingerprint;
mod first_moves;
mod game;
mod generator;
mod opening;
mod pool;
mod settings;
mod shard;

pub use crate::Dice;
pub use deep_labels::{DeepLabels, DeepLabelsError};
pub use fingerprint::engine_fingerprint;
pub use first_moves::level_beginnings;
pub use game::{GameError, SelfPlay};
pub use generator::Generator;
pub use opening::{GameStart, OpeningSource};
pub use pool::{GenerateError, Played, play_missing};
pub use settings::{EndRules, Exploration, ExplorationError, Judge, JudgeError, Settings};
pub use shard::{Shard, ShardError};
