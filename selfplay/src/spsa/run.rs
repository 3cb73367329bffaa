//! Plays the pairs of a run on several threads and applies their results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::state::Players;
use super::{Journal, State};
use crate::Outcome;
use crate::arena::engine_spec::SelfSpec;
use crate::arena::fault::NoMove;
use crate::arena::game::{self, GameRules};
use crate::arena::self_player::SelfPlayer;
use crate::arena::{Adjudication, MoveLimit, Opening, OpeningBook};

/// How the games of a run are played.
pub struct Match {
    /// What both players have in common.
    pub spec: SelfSpec,
    /// Where games begin.
    pub book: OpeningBook,
    /// How long both may think.
    pub limit: MoveLimit,
    /// When to end decided games.
    pub adjudication: Adjudication,
    /// Pairs at the same time.
    pub threads: usize,
}

/// What the threads share.
struct Progress<'a> {
    state: &'a mut State,
    journal: &'a mut Journal,
    next_pair: usize,
    /// Played before their turn: the results of later pairs.
    waiting: BTreeMap<usize, u8>,
    failure: Option<anyhow::Error>,
}

/// Plays until the end or until `stop`. `observe` sees the state after every pair.
pub fn play(
    games: &Match,
    state: &mut State,
    journal: &mut Journal,
    stop: &Arc<AtomicBool>,
    observe: &(dyn Fn(&State) + Sync),
) -> anyhow::Result<()> {
    let next_pair = state.applied();
    let progress =
        Mutex::new(Progress { state, journal, next_pair, waiting: BTreeMap::new(), failure: None });
    let moved_on = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..games.threads {
            scope.spawn(|| {
                if let Err(error) = work(games, &progress, &moved_on, stop, observe) {
                    lock(&progress).failure.get_or_insert(error);
                    stop.store(true, Ordering::Relaxed);
                }
                moved_on.notify_all();
            });
        }
    });
    let failure = lock(&progress).failure.take();
    failure.map_or(Ok(()), Err)
}

fn lock<'m, 'p>(progress: &'m Mutex<Progress<'p>>) -> MutexGuard<'m, Progress<'p>> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One thread: pair after pair.
fn work(
    games: &Match,
    progress: &Mutex<Progress>,
    moved_on: &Condvar,
    stop: &Arc<AtomicBool>,
    observe: &(dyn Fn(&State) + Sync),
) -> anyhow::Result<()> {
    let mut seats =
        [SelfPlayer::new(&games.spec, stop.clone())?, SelfPlayer::new(&games.spec, stop.clone())?];
    while let Some((pair, players)) = next_pair(progress, moved_on, stop) {
        let Some(half_points) = play_pair(games, &mut seats, pair, players)? else { return Ok(()) };
        let mut progress = lock(progress);
        progress.waiting.insert(pair, half_points);
        let Progress { state, journal, waiting, .. } = &mut *progress;
        while let Some(half_points) = waiting.remove(&state.applied()) {
            journal.add(half_points)?;
            state.apply(half_points);
            observe(state);
        }
        moved_on.notify_all();
    }
    Ok(())
}

/// The next pair to play, as soon as its values are known; `None`: there is none, or the run was stopped.
fn next_pair(progress: &Mutex<Progress>, moved_on: &Condvar, stop: &AtomicBool) -> Option<(usize, Players)> {
    let mut progress = lock(progress);
    loop {
        let pair = progress.next_pair;
        if stop.load(Ordering::Relaxed) || pair >= progress.state.settings().pairs {
            return None;
        }
        if progress.state.knows(pair) {
            progress.next_pair += 1;
            return Some((pair, progress.state.players(pair)));
        }
        // (With a time limit, because a signal may come that nobody announces.)
        let waited = moved_on.wait_timeout(progress, Duration::from_millis(200));
        progress = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// The half points of *plus* in two games from one opening; `None`: stopped meanwhile.
fn play_pair(
    games: &Match,
    [plus, minus]: &mut [SelfPlayer; 2],
    pair: usize,
    players: Players,
) -> anyhow::Result<Option<u8>> {
    plus.set_params(players.plus);
    minus.set_params(players.minus);
    let opening = games.book.opening(pair)?;
    let Some(as_white) = play_game(games, plus, minus, opening.clone()) else { return Ok(None) };
    let Some(as_black) = play_game(games, minus, plus, opening) else { return Ok(None) };
    let half_points = |outcome, win| match outcome {
        Outcome::Draw => 1,
        outcome if outcome == win => 2,
        _ => 0,
    };
    Ok(Some(half_points(as_white, Outcome::WhiteWins) + half_points(as_black, Outcome::BlackWins)))
}

fn play_game(
    games: &Match,
    white: &mut SelfPlayer,
    black: &mut SelfPlayer,
    opening: Opening,
) -> Option<Outcome> {
    let rules = GameRules {
        limits: [games.limit; 2],
        margin: Duration::from_millis(50),
        adjudication: games.adjudication.clone(),
    };
    match game::play([white, black], opening, &rules) {
        Ok(game) => Some(game.outcome),
        Err(NoMove::Stopped | NoMove::Fault(_)) => None,
    }
}
