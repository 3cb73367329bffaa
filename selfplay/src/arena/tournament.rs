//! Playing a schedule on several threads.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use super::adjudication::Adjudication;
use super::engine_spec::{EngineKind, EngineSpec};
use super::fault::NoMove;
use super::game::{self, Ending, FinishedGame, GameRules};
use super::limit::MoveLimit;
use super::opening::{OpeningBook, OpeningError};
use super::player::{Player, start_player};
use super::schedule::{Pairing, Schedule};
use super::self_player::SelfPlayer;
use super::uci_player::{Patience, StartError, UciPlayer};
use crate::Outcome;

/// How often an engine that does not start is tried before the match ends.
const START_ATTEMPTS: u32 = 10;

/// Everything that a tournament needs to know.
pub struct Tournament {
    /// Who plays.
    pub engines: Vec<EngineSpec>,
    /// Who plays whom.
    pub schedule: Schedule,
    /// Where games begin.
    pub book: OpeningBook,
    /// For engines without a limit of their own.
    pub limit: MoveLimit,
    /// A limit on nodes grows by so many percent each time the openings come round again: engines that are given the
    /// same nodes from the same opening play the same game.
    pub growth_percent: u32,
    /// How much too late is not too late.
    pub margin: Duration,
    /// When to end decided games.
    pub adjudication: Adjudication,
    /// Games at the same time.
    pub concurrency: usize,
    /// With processes.
    pub patience: Patience,
    /// Whether castling follows Chess960.
    pub chess960: bool,
    /// Where faults and the engines' standard errors are kept.
    pub log_directory: Option<PathBuf>,
}

/// Why a tournament could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// An engine does not start.
    #[error("engine {name}")]
    Start {
        /// Its name.
        name: String,
        /// Why.
        source: StartError,
    },
    /// An opening cannot be played.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// A log file cannot be written.
    #[error("cannot write the log {path}")]
    Log {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Whoever takes the results cannot.
    #[error(transparent)]
    Observer(#[from] std::io::Error),
}

/// Called with every finished game, in the order in which they end, on the caller's thread.
/// `Break` ends the tournament; games in progress are then given up.
pub type Observer<'a> = dyn FnMut(&Pairing, &FinishedGame) -> std::io::Result<ControlFlow<()>> + 'a;

type Report = Result<(Pairing, FinishedGame), TournamentError>;

impl Tournament {
    /// Starts each engine once, so that a wrong command or option is said before the first game.
    /// Gives what the engines call themselves.
    pub fn try_engines(&self, stop: &Arc<AtomicBool>) -> Result<Vec<Option<String>>, TournamentError> {
        if let Some(directory) = &self.log_directory {
            std::fs::create_dir_all(directory)
                .map_err(|source| TournamentError::Log { path: directory.clone(), source })?;
        }
        let mut names = Vec::new();
        for spec in &self.engines {
            names.push(match &spec.kind {
                EngineKind::Process(process) => {
                    let stderr_file = self.stderr_file(&spec.name, 0);
                    let player =
                        UciPlayer::start(process, stderr_file, self.patience, self.chess960, stop.clone());
                    let player = player
                        .map_err(|source| TournamentError::Start { name: spec.name.clone(), source })?;
                    player.reported_name().map(str::to_string)
                }
                EngineKind::InProcess(own) => {
                    SelfPlayer::new(own, stop.clone()).map_err(|error| TournamentError::Start {
                        name: spec.name.clone(),
                        source: error.into(),
                    })?;
                    None
                }
            });
        }
        Ok(names)
    }

    /// Plays all games that are not in `done`, until the end, a `Break` or the stop flag.
    pub fn run(
        &self,
        done: &HashSet<usize>,
        stop: &Arc<AtomicBool>,
        observer: &mut Observer,
    ) -> Result<(), TournamentError> {
        let next_game = AtomicUsize::new(0);
        let (sender, reports) = channel::<Report>();
        std::thread::scope(|scope| {
            for number in 1..=self.concurrency {
                let sender = sender.clone();
                let worker = Worker { tournament: self, number, next_game: &next_game, done, stop };
                scope.spawn(move || worker.work(&sender));
            }
            drop(sender);
            let mut outcome = Ok(());
            for report in reports {
                // After the end was decided, games still coming in do not count.
                if outcome.is_err() || stop.load(Ordering::Relaxed) {
                    continue;
                }
                let verdict = report.and_then(|(pairing, game)| Ok(observer(&pairing, &game)?));
                match verdict {
                    Ok(ControlFlow::Continue(())) => continue,
                    Ok(ControlFlow::Break(())) => {}
                    Err(error) => outcome = Err(error),
                }
                stop.store(true, Ordering::Relaxed);
            }
            outcome
        })
    }

    /// The limit of an engine.
    pub fn limit_of(&self, engine: usize) -> MoveLimit {
        self.engines[engine].limit.unwrap_or(self.limit)
    }

    /// The limit of an engine in one game.
    fn limit_in(&self, engine: usize, pairing: &Pairing) -> MoveLimit {
        let round = self.book.len().map_or(0, |openings| pairing.opening() / openings.max(1));
        self.limit_of(engine).grown(u64::from(self.growth_percent) * round as u64)
    }

    fn stderr_file(&self, name: &str, worker: usize) -> Option<PathBuf> {
        let safe: String =
            name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
        self.log_directory.as_ref().map(|directory| directory.join(format!("{safe}-{worker}.stderr.log")))
    }
}

/// One thread that plays games.
struct Worker<'a> {
    tournament: &'a Tournament,
    number: usize,
    next_game: &'a AtomicUsize,
    done: &'a HashSet<usize>,
    stop: &'a Arc<AtomicBool>,
}

impl Worker<'_> {
    fn work(&self, reports: &Sender<Report>) {
        let mut players: HashMap<usize, Box<dyn Player>> = HashMap::new();
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next_game.fetch_add(1, Ordering::Relaxed);
            let Some(pairing) = self.tournament.schedule.pairing(number) else { return };
            if self.done.contains(&number) {
                continue;
            }
            let report = match self.play(&pairing, &mut players) {
                Ok(Some(game)) => Ok((pairing, game)),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            let failed = report.is_err();
            if reports.send(report).is_err() || failed {
                return;
            }
        }
    }

    /// Plays one game; `None`: the match was stopped meanwhile.
    fn play(
        &self,
        pairing: &Pairing,
        players: &mut HashMap<usize, Box<dyn Player>>,
    ) -> Result<Option<FinishedGame>, TournamentError> {
        let tournament = self.tournament;
        let opening = tournament.book.opening(pairing.opening())?;
        let by_color = pairing.by_color();
        // Engines that are not in this game need not hold memory.
        players.retain(|engine, _| by_color.contains(engine));
        let mut seat = |engine: usize| -> Result<Option<Box<dyn Player>>, TournamentError> {
            match players.remove(&engine) {
                Some(player) => Ok(Some(player)),
                None => self.start(engine),
            }
        };
        let [Some(mut white), Some(mut black)] = [seat(by_color[0])?, seat(by_color[1])?] else {
            return Ok(None);
        };
        let rules = GameRules {
            limits: by_color.map(|engine| tournament.limit_in(engine, pairing)),
            margin: tournament.margin,
            adjudication: tournament.adjudication.clone(),
        };
        let game = match game::play([white.as_mut(), black.as_mut()], opening, &rules) {
            Ok(game) => game,
            Err(NoMove::Stopped) => return Ok(None),
            // The referee turns faults into results.
            Err(NoMove::Fault(_)) => return Ok(None),
        };
        let failed = match (&game.ending, game.outcome) {
            (Ending::Fault(_) | Ending::TimeForfeit(_), Outcome::WhiteWins) => Some(1),
            (Ending::Fault(_) | Ending::TimeForfeit(_), Outcome::BlackWins) => Some(0),
            _ => None,
        };
        if let Some(loser) = failed {
            let player = if loser == 0 { &white } else { &black };
            self.log_failure(pairing, by_color[loser], &game, &player.recent_traffic())?;
        }
        for (color, player) in [white, black].into_iter().enumerate() {
            // Dropping a player ends its process; the next game starts a new one.
            if failed != Some(color) {
                players.insert(by_color[color], player);
            }
        }
        Ok(Some(game))
    }

    /// Starts an engine, several times if it must be; `None`: the match was stopped meanwhile.
    fn start(&self, engine: usize) -> Result<Option<Box<dyn Player>>, TournamentError> {
        let tournament = self.tournament;
        let spec = &tournament.engines[engine];
        let mut attempt = 1;
        loop {
            let stderr_file = tournament.stderr_file(&spec.name, self.number);
            let started =
                start_player(spec, stderr_file, tournament.patience, tournament.chess960, self.stop);
            match started {
                Ok(player) => return Ok(Some(player)),
                Err(StartError::Stopped) => return Ok(None),
                Err(_) if attempt < START_ATTEMPTS => {
                    attempt += 1;
                    std::thread::sleep(Duration::from_millis(200));
                }
                Err(source) => return Err(TournamentError::Start { name: spec.name.clone(), source }),
            }
        }
    }

    /// Appends a failed game to `faults.log`, with what was said last.
    fn log_failure(
        &self,
        pairing: &Pairing,
        engine: usize,
        game: &FinishedGame,
        traffic: &str,
    ) -> Result<(), TournamentError> {
        let Some(directory) = &self.tournament.log_directory else { return Ok(()) };
        let text = format!(
            "game {}, ply {}: {}: {}\n{traffic}\n",
            pairing.game + 1,
            game.plies() + 1,
            self.tournament.engines[engine].name,
            game.ending.describe(game.outcome),
        );
        let path = directory.join("faults.log");
        append(&path, &text).map_err(|source| TournamentError::Log { path, source })
    }
}

/// One write, so that the entries of several threads do not mix.
fn append(path: &Path, text: &str) -> std::io::Result<()> {
    File::options().create(true).append(true).open(path)?.write_all(text.as_bytes())
}
