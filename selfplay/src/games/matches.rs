//! A match of two players of any game: pairs of games from the same opening with colours reversed.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, mpsc};

use engine::search::Signals;

use super::Game;
use super::play::{GamePlayer, Variety, play_game};
use crate::arena::journal::{JournalError, MatchIdentity};
use crate::arena::scoreboard::GameSummary;
use crate::arena::{Format, Journal, Schedule, Scoreboard, Sprt, SprtState};
use crate::games::record::{GameEnding, PlayedGame};
use crate::play::Dice;

/// The openings of a match are not those of self-play with the same seed.
const MATCH_SALT: u64 = 0x6D61_7463_6800;

/// A match.
pub struct GameMatch {
    /// The two.
    pub players: [GamePlayer; 2],
    /// Games at most, an even number.
    pub games: usize,
    /// How games begin and end; nothing is drawn at random afterwards.
    pub variety: Variety,
    /// Decides the openings.
    pub seed: u64,
    /// When to stop earlier.
    pub sprt: Option<Sprt>,
    /// Games at the same time.
    pub threads: usize,
}

/// Why a match could not be played or kept.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// Its journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A result could not be kept.
    #[error("cannot write the journal: {0}; the same command goes on where it stopped")]
    Write(#[from] std::io::Error),
}

impl GameMatch {
    /// Plays the games that the journal, if there is one, does not have yet. Each is kept at once: after kill -9 the same
    /// call goes on. Ends early when the test has its answer or `signals` say stop.
    pub fn run<G: Game>(
        &self,
        game: &G,
        journal: Option<(&Path, &MatchIdentity)>,
        signals: &Signals,
        on_game: &mut dyn FnMut(&Scoreboard),
    ) -> Result<Scoreboard, MatchError> {
        let schedule = Schedule::new(Format::Gauntlet, 2, self.games / 2);
        let mut board = Scoreboard::new(schedule.encounters(), 2);
        let mut done = HashSet::new();
        let mut journal = match journal {
            None => None,
            Some((path, identity)) => {
                let (opened, before) = Journal::open(path, identity, None)?;
                for (number, summary) in &before.games {
                    if let Some(pairing) = schedule.pairing(*number) {
                        board.record(&pairing, summary);
                    }
                }
                done = before.numbers();
                Some(opened)
            }
        };
        let begun = std::time::Instant::now();
        self.play(game, &schedule, &done, signals, |number, played| {
            let summary = GameSummary {
                outcome: played.outcome,
                plies: played.length() as u32,
                failure: None,
                adjudicated: played.ending == GameEnding::PlyLimit,
            };
            if let Some(journal) = &mut journal {
                journal.record(number, &summary, "", begun.elapsed().as_secs_f64())?;
            }
            if let Some(pairing) = schedule.pairing(number) {
                board.record(&pairing, &summary);
            }
            on_game(&board);
            Ok(if self.is_decided(&board) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if let Some(journal) = &mut journal
            && (self.is_decided(&board) || board.games() == self.games as u64)
        {
            journal.finish()?;
        }
        Ok(board)
    }

    /// Whether the test, if there is one, has its answer.
    pub fn is_decided(&self, board: &Scoreboard) -> bool {
        let pairs = board.encounters()[0].pairs;
        self.sprt.is_some_and(|sprt| sprt.state(&pairs) != SprtState::Running)
    }

    /// Plays what is missing on all threads; results come in the order of the schedule, so that a test that stops early
    /// stops at the same game however many threads there are.
    fn play<G: Game>(
        &self,
        game: &G,
        schedule: &Schedule,
        done: &HashSet<usize>,
        signals: &Signals,
        mut on_game: impl FnMut(usize, &PlayedGame) -> std::io::Result<ControlFlow<()>>,
    ) -> std::io::Result<()> {
        let missing: Vec<usize> = (0..schedule.games()).filter(|number| !done.contains(number)).collect();
        let next = Mutex::new(missing.iter().copied());
        let stop = Signals::new();
        let (sender, receiver) = mpsc::sync_channel(2 * self.threads);
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                let (sender, next, stop) = (sender.clone(), &next, &stop);
                scope.spawn(move || {
                    while !signals.stopped() && !stop.stopped() {
                        let Some(number) = next.lock().ok().and_then(|mut next| next.next()) else { return };
                        let Some(played) = self.one(game, schedule, number, signals) else { return };
                        if sender.send((number, played)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting = std::collections::BTreeMap::new();
            let mut in_order = missing.iter();
            let mut expected = in_order.next();
            let mut result = Ok(());
            for (number, played) in receiver {
                waiting.insert(number, played);
                while let Some(number) = expected
                    && let Some(played) = waiting.remove(number)
                    && result.is_ok()
                    && !stop.stopped()
                {
                    expected = in_order.next();
                    match on_game(*number, &played) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(ControlFlow::Break(())) => stop.stop(),
                        Err(error) => {
                            result = Err(error);
                            stop.stop();
                        }
                    }
                }
            }
            result
        })
    }

    /// One game of the schedule; `None` if it was stopped.
    fn one<G: Game>(
        &self,
        game: &G,
        schedule: &Schedule,
        number: usize,
        signals: &Signals,
    ) -> Option<PlayedGame> {
        let pairing = schedule.pairing(number)?;
        let opening =
            self.variety.opening(game, &mut Dice::for_game(self.seed ^ MATCH_SALT, pairing.pair as u64));
        let mut dice = Dice::for_game(self.seed ^ MATCH_SALT ^ 1, number as u64);
        let players = pairing.by_color().map(|player| &self.players[player]);
        let played = play_game(game, number as u64, players, opening, &self.variety, &mut dice, signals);
        played.ok().map(|(played, _)| played)
    }
}
