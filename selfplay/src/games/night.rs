//! A night of any game: play, learn, fit, gate, round after round. Each round's games are played by the champion; what is
//! learned from them must beat it to take its place.
//!
//! Everything is in one folder, and what is finished is a file that is whole: after a kill the same night goes on.

use std::fs;
use std::path::{Path, PathBuf};

use engine::search::Signals;
use engine::unfinished_file;
use serde::{Deserialize, Serialize};

use super::fit::fit;
use super::generate::{GameRun, RunError, name_and_hash};
use super::lessons::learn_records;
use super::matches::{GameMatch, MatchError};
use super::play::{GamePlayer, Variety};
use super::player_spec::{PlayerError, PlayerSpec};
use super::record::games_of;
use super::{Game, full_name};
use crate::arena::{Sprt, SprtState};
use crate::learn::{LearnError, Method};
use crate::record::RecordError;

/// Everything that decides what a night gives.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NightSettings {
    /// The game with its rules.
    pub game: String,
    /// Rounds of play, learn, fit and gate.
    pub rounds: u32,
    /// Games of self-play a round.
    pub games: u64,
    /// Nodes for each action, in self-play and in matches.
    pub nodes: u64,
    /// Games of a gate at most.
    pub gate_games: usize,
    /// The test of a gate.
    pub sprt: String,
    /// Random actions at the beginning.
    pub opening_plies: u32,
    /// The chance of a random action in self-play, in millionths.
    pub explore: u32,
    /// A game of so many plies is drawn.
    pub max_plies: usize,
    /// The seed of everything.
    pub seed: u64,
}

/// How a round's match against the champion ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Gate {
    /// Whether the round's player is the champion now.
    pub passed: bool,
    /// Its wins, draws and losses.
    pub results: [u64; 3],
    /// Its share of the points.
    pub score: f64,
    /// The log-likelihood ratio of the test.
    pub llr: f64,
}

/// Why a night ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum NightError {
    /// The system would not.
    #[error("cannot {action} {path}: {source}; the same command goes on")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The folder has another night.
    #[error(
        "{path} is the folder of a night with other settings ({difference}); give the same ones, or another folder"
    )]
    OtherNight {
        /// The folder.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
    /// A file of the night cannot be understood.
    #[error("{path}: {reason}; remove it and the same command makes it again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The test is none.
    #[error("{0}")]
    Sprt(#[from] crate::arena::sprt::SprtError),
    /// Playing failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Learning failed.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// A record cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// What was learned cannot be opened.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The match failed.
    #[error(transparent)]
    Match(#[from] MatchError),
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> NightError {
    move |source| NightError::Io { action, path: path.to_path_buf(), source }
}

/// Writes a file that is whole or not there.
pub fn write_whole(path: &Path, text: &str) -> Result<(), NightError> {
    unfinished_file::write_whole(path, ".part", text.as_bytes()).map_err(io_error("write", path))
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>, NightError> {
    match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| NightError::Damaged { path: path.to_path_buf(), reason: error.to_string() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("read", path)(error)),
    }
}

/// A night in its folder.
pub struct Night<'a, G: Game> {
    game: &'a G,
    folder: PathBuf,
    settings: NightSettings,
    sprt: Sprt,
    method: Method,
    threads: usize,
}

impl<'a, G: Game> Night<'a, G> {
    /// Begins a night, or goes on with it.
    pub fn open(
        game: &'a G,
        folder: &Path,
        settings: NightSettings,
        method: Method,
        threads: usize,
    ) -> Result<Night<'a, G>, NightError> {
        let sprt = settings.sprt.parse()?;
        fs::create_dir_all(folder).map_err(io_error("make the directory", folder))?;
        let manifest = folder.join("night.json");
        match read_json::<NightSettings>(&manifest)? {
            Some(there) if there == settings => {}
            Some(there) => {
                let path = folder.to_path_buf();
                return Err(NightError::OtherNight { path, difference: difference(&there, &settings) });
            }
            None => write_whole(&manifest, &pretty(&settings))?,
        }
        Ok(Night { game, folder: folder.to_path_buf(), settings, sprt, method, threads })
    }

    /// The folder of a round, from 1.
    pub fn round_folder(&self, round: u32) -> PathBuf {
        self.folder.join(format!("round-{round}"))
    }

    /// The player of a round; round 0 is the one that has learned nothing.
    pub fn player_of(&self, round: u32) -> PlayerSpec {
        let folder = self.round_folder(round);
        let there = |name: &str| Some(folder.join(name)).filter(|path| round > 0 && path.exists());
        let name = if round == 0 { "untrained".to_string() } else { format!("round-{round}") };
        PlayerSpec { name, weights: there("weights.toml"), book: there("book.exp"), ..PlayerSpec::default() }
    }

    /// The last round whose player passed its gate; 0 if none did.
    pub fn champion(&self) -> Result<u32, NightError> {
        for round in (1..=self.settings.rounds).rev() {
            let gate: Option<Gate> = read_json(&self.round_folder(round).join("gate.json"))?;
            if gate.is_some_and(|gate| gate.passed) {
                return Ok(round);
            }
        }
        Ok(0)
    }

    /// Does what is left to do. Returns early, with everything saved, when `signals` say stop; `say` hears what happens.
    pub fn run(&self, signals: &Signals, say: &mut dyn FnMut(&str)) -> Result<(), NightError> {
        for round in 1..=self.settings.rounds {
            let folder = self.round_folder(round);
            let gate_path = folder.join("gate.json");
            if let Some(gate) = read_json::<Gate>(&gate_path)? {
                say(&format!("round {round}: done before; {}", gate_text(&gate)));
                continue;
            }
            let champion = self.champion()?;
            if !self.play(round, champion, signals, say)? {
                return Ok(());
            }
            self.learn(round, say)?;
            let Some(gate) = self.gate(round, champion, signals, say)? else { return Ok(()) };
            write_whole(&gate_path, &pretty(&gate))?;
            say(&format!("round {round}: {}", gate_text(&gate)));
        }
        let champion = self.player_of(self.champion()?);
        let line = serde_json::json!({
            "player": champion.name, "weights": champion.weights, "book": champion.book,
        });
        write_whole(&self.folder.join("champion.json"), &pretty(&line))
    }

    fn variety(&self) -> Variety {
        let NightSettings { opening_plies, explore, max_plies, .. } = self.settings;
        Variety { opening_plies, explore, max_plies }
    }

    fn load(&self, round: u32) -> Result<GamePlayer, NightError> {
        Ok(self.player_of(round).load(self.game, self.settings.nodes)?)
    }

    /// Whether all games of the round are there now.
    fn play(
        &self,
        round: u32,
        champion: u32,
        signals: &Signals,
        say: &mut dyn FnMut(&str),
    ) -> Result<bool, NightError> {
        let spec = self.player_of(champion);
        let book_name = match &spec.book {
            Some(path) => name_and_hash(path).map_err(io_error("read", path))?,
            None => "none".to_string(),
        };
        let games = u64::from(round - 1) * self.settings.games..u64::from(round) * self.settings.games;
        let run = GameRun {
            player: self.load(champion)?,
            book_name,
            variety: self.variety(),
            seed: self.settings.seed,
            games,
            threads: self.threads,
        };
        let total = self.settings.games;
        let report =
            run.run(self.game, &self.round_folder(round).join("games"), signals, &mut |done, _| {
                if done.is_multiple_of((total / 10).max(1)) {
                    say(&format!("round {round}: {done} of {total} games played by {}", spec.name));
                }
            })?;
        Ok(report.finished)
    }

    /// The records of a round.
    fn records(&self, round: u32) -> Result<Vec<PathBuf>, NightError> {
        let folder = self.round_folder(round).join("games");
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).map_err(io_error("read", &folder))? {
            let path = entry.map_err(io_error("read", &folder))?.path();
            files.extend(Some(path).filter(|path| path.extension().is_some_and(|ending| ending == "tgr")));
        }
        files.sort();
        Ok(files)
    }

    /// The book of all rounds so far; weights from the games of this round and the one before, if the game has features.
    fn learn(&self, round: u32, say: &mut dyn FnMut(&str)) -> Result<(), NightError> {
        let mut all = Vec::new();
        for earlier in 1..=round {
            all.extend(self.records(earlier)?);
        }
        let folder = self.round_folder(round);
        let report = learn_records(self.game, &folder.join("book.exp"), &all, &self.method)?;
        say(&format!("round {round}: a book of {} rows", report.rows));
        let weights_path = folder.join("weights.toml");
        if weights_path.exists() || (self.game.feature_names().is_empty() && G::ACTION_FEATURES.is_empty()) {
            return Ok(());
        }
        let mut recent = self.records(round)?;
        if round > 1 {
            recent.extend(self.records(round - 1)?);
        }
        let (weights, report) = fit(self.game, &games_of(self.game, &recent)?);
        say(&format!(
            "round {round}: {} positions, loss {:.4} to {:.4}; {} choices, loss {:.4} to {:.4}",
            report.positions,
            report.value_loss[0],
            report.value_loss[1],
            report.choices,
            report.policy_loss[0],
            report.policy_loss[1]
        ));
        write_whole(&weights_path, &weights.to_text(self.game))
    }

    /// The round's player against the champion; `None` if it was stopped.
    fn gate(
        &self,
        round: u32,
        champion: u32,
        signals: &Signals,
        say: &mut dyn FnMut(&str),
    ) -> Result<Option<Gate>, NightError> {
        let gate = GameMatch {
            players: [self.load(round)?, self.load(champion)?],
            games: self.settings.gate_games,
            variety: Variety { explore: 0, ..self.variety() },
            seed: self.settings.seed.wrapping_add(u64::from(round)),
            sprt: Some(self.sprt),
            threads: self.threads,
        };
        let identity = vec![
            ("night".to_string(), pretty(&self.settings)),
            ("round".to_string(), round.to_string()),
            ("champion".to_string(), champion.to_string()),
        ];
        let journal = self.round_folder(round).join("gate.journal");
        let board = gate.run(self.game, Some((&journal, &identity)), signals, &mut |board| {
            if board.games().is_multiple_of(20) {
                say(&format!("round {round}: {} games of the gate", board.games()));
            }
        })?;
        if signals.stopped() {
            return Ok(None);
        }
        let encounter = &board.encounters()[0];
        let games = &encounter.games;
        Ok(Some(Gate {
            passed: self.sprt.state(&encounter.pairs) == SprtState::AcceptH1,
            results: [games.wins, games.draws, games.losses],
            score: games.score().unwrap_or(0.5),
            llr: self.sprt.llr(&encounter.pairs),
        }))
    }
}

fn gate_text(gate: &Gate) -> String {
    let [wins, draws, losses] = gate.results;
    let verdict = if gate.passed { "passed: it is the champion" } else { "not passed: the champion stays" };
    format!("gate +{wins} ={draws} -{losses}, {:.1}%, LLR {:.2}: {verdict}", gate.score * 100.0, gate.llr)
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// The first line in which two settings differ.
fn difference(there: &NightSettings, ours: &NightSettings) -> String {
    let (there, ours) = (pretty(there), pretty(ours));
    let lines = there.lines().zip(ours.lines()).find(|(there, ours)| there != ours);
    lines.map_or(String::new(), |(there, ours)| {
        let text = |line: &str| line.trim().trim_end_matches(',').to_string();
        format!("it has {}, not {}", text(there), text(ours))
    })
}

/// Settings of a night of this game with everything usual.
pub fn usual_settings<G: Game>(game: &G) -> NightSettings {
    NightSettings {
        game: full_name(game),
        rounds: 2,
        games: 200,
        nodes: 100,
        gate_games: 400,
        sprt: "elo0=0,elo1=50,alpha=0.05,beta=0.05".to_string(),
        opening_plies: 4,
        explore: 50_000,
        max_plies: 400,
        seed: 1,
    }
}
