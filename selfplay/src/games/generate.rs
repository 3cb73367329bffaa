//! A run of self-play of any game, into a record that survives kill -9.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use engine::search::Signals;
use xxhash_rust::xxh64::xxh64;

use super::Game;
use super::codec::GameCodec;
use super::play::{GamePlayer, Variety, play_game, search_fingerprint, settings_text};
use super::record::PlayedGame;
use crate::play::{Dice, GenerateError, Played, play_missing};
use crate::record::{Header, NEWEST_VERSION, Opened, WriteError, Writer};

/// A run: a player against itself.
pub struct GameRun {
    /// Who plays both sides.
    pub player: GamePlayer,
    /// The name of its book and a hash of its bytes, `none` without one.
    pub book_name: String,
    /// How games differ and end.
    pub variety: Variety,
    /// The seed of all randomness.
    pub seed: u64,
    /// The ids of the games.
    pub games: Range<u64>,
    /// Games at the same time.
    pub threads: usize,
}

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no place for its record.
    #[error("cannot make the directory {path}: {source}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It could not be played or saved.
    #[error(transparent)]
    Generate(#[from] GenerateError),
}

impl From<WriteError> for RunError {
    fn from(error: WriteError) -> RunError {
        RunError::Generate(error.into())
    }
}

/// How a run went.
pub struct RunReport {
    /// The record.
    pub path: PathBuf,
    /// Whether all its games are there.
    pub finished: bool,
    /// Games saved, those of earlier runs among them.
    pub saved: u64,
}

impl GameRun {
    fn header<G: Game>(&self, game: &G) -> Header {
        let weights = &self.player.knowledge.weights;
        Header {
            version: NEWEST_VERSION,
            engine: search_fingerprint(game),
            weights: weights.as_ref().map_or(0, |weights| weights.hash()),
            seed: self.seed,
            games: self.games.clone(),
            settings: settings_text(game, &self.player, &self.variety, &self.book_name),
        }
    }

    /// Plays the games that are not there yet, and publishes the record when all are.
    pub fn run<G: Game>(
        &self,
        game: &G,
        out: &Path,
        signals: &Signals,
        on_game: &mut dyn FnMut(u64, &Played<PlayedGame>),
    ) -> Result<RunReport, RunError> {
        fs::create_dir_all(out).map_err(|source| RunError::Directory { path: out.to_path_buf(), source })?;
        let header = self.header(game);
        let path = out.join(header.file_name());
        let total = self.games.end - self.games.start;
        let mut writer = match Writer::open_with(&path, &header, GameCodec(game.clone()))? {
            Opened::Finished => return Ok(RunReport { path, finished: true, saved: total }),
            Opened::Going(writer) => writer,
        };
        let mut done = writer.saved();
        let player = || {
            |id| {
                let mut dice = Dice::for_game(self.seed, id);
                let opening = self.variety.opening(game, &mut dice);
                play_game(game, id, [&self.player; 2], opening, &self.variety, &mut dice, signals)
            }
        };
        play_missing(&mut writer, self.threads, signals, player, &mut |played| {
            done += 1;
            on_game(done, played);
        })?;
        let saved = writer.saved();
        if saved == total {
            writer.finish()?;
        }
        Ok(RunReport { path, finished: saved == total, saved })
    }
}

/// What a file is called and a hash of its bytes, for the header.
pub fn name_and_hash(path: &Path) -> std::io::Result<String> {
    let bytes = fs::read(path)?;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(format!("{file} {:016x}", xxh64(&bytes, 0)))
}
