//! The arena: matches between engines, with proof.
//!
//! [`Tournament`] takes games from a [`Schedule`] and plays them on several threads. A game is played by
//! two [`Player`]s (our engine in process, or a UCI process) under a referee ([`game`]) that trusts
//! neither. What comes out goes to the [`Scoreboard`], which knows the statistics. A [`Suite`] asks one
//! player for its move in many positions.

pub mod adjudication;
pub mod engine_score;
pub mod engine_spec;
pub mod fault;
pub mod game;
pub mod gate;
pub mod journal;
mod leftovers;
pub mod limit;
pub mod opening;
pub mod pgn_writer;
pub mod player;
pub mod ratings;
pub mod schedule;
pub mod scoreboard;
pub mod self_player;
pub mod sprt;
pub mod stats;
pub mod suite;
pub mod tournament;
mod tree_player;
pub mod uci_player;
mod uci_process;

pub use adjudication::{Adjudication, DrawRule, ResignRule};
pub use engine_score::EngineScore;
pub use engine_spec::EngineSpec;
pub use fault::Fault;
pub use game::{Ending, FinishedGame};
pub use gate::{Trial, TrialState};
pub use journal::{Journal, MatchIdentity};
pub use limit::{MoveLimit, TimeControl};
pub use opening::{Opening, OpeningBook};
pub use player::Player;
pub use ratings::{Anchor, RatingList};
pub use schedule::{Format, Pairing, Schedule};
pub use scoreboard::{Encounter, GameSummary, Scoreboard};
pub use sprt::{Sprt, SprtState};
pub use stats::{Pentanomial, WinDrawLoss};
pub use suite::Suite;
pub use tournament::Tournament;
