//! Many games of any kind on many threads, one game a thread at a time, each saved when it is over.

use std::sync::{Mutex, mpsc};

use engine::search::Signals;

use super::game::GameError;
use crate::record::{BlockCodec, GameRecord, WriteError, Writer};

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A game could not be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A game could not be saved.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A game that was just played and saved.
pub struct Played<'a, R = GameRecord> {
    /// The game.
    pub game: &'a R,
    /// Nodes searched for it.
    pub nodes: u64,
}

/// Plays the games that the writer does not have yet; each thread has a player of its own, which plays the game with
/// a given number and says how many nodes that took. Returns early, with everything saved that was finished, when
/// `signals` say stop.
pub fn play_missing<C, P>(
    writer: &mut Writer<C>,
    threads: usize,
    signals: &Signals,
    player: impl Fn() -> P + Sync,
    on_game: &mut dyn FnMut(&Played<C::Game>),
) -> Result<(), GenerateError>
where
    C: BlockCodec,
    P: FnMut(u64) -> Result<(C::Game, u64), GameError>,
{
    let to_play = Mutex::new(writer.missing());
    // Few places: what is played should be saved soon, and memory does not grow.
    let (sender, receiver) = mpsc::sync_channel(2 * threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, to_play, player) = (sender.clone(), &to_play, &player);
            scope.spawn(move || work(player(), to_play, signals, &sender));
        }
        drop(sender);
        let mut outcome = Ok(());
        for result in receiver {
            let saved = result.map_err(GenerateError::from).and_then(|(game, nodes)| {
                let copy = C::Game::clone(&game);
                writer.add(copy)?;
                on_game(&Played { game: &game, nodes });
                Ok(())
            });
            match saved {
                Ok(()) | Err(GenerateError::Game(GameError::Stopped)) => {}
                Err(error) => {
                    // The first error counts; the others only follow from it.
                    signals.stop();
                    outcome = outcome.and(Err(error));
                }
            }
        }
        outcome
    })
}

fn work<R>(
    mut play: impl FnMut(u64) -> Result<(R, u64), GameError>,
    to_play: &Mutex<impl Iterator<Item = u64>>,
    signals: &Signals,
    sender: &mpsc::SyncSender<Result<(R, u64), GameError>>,
) {
    while !signals.stopped() {
        // Taking the next number cannot panic, so the lock is never poisoned.
        let Some(game) = to_play.lock().ok().and_then(|mut games| games.next()) else { return };
        let result = play(game);
        let failed = result.is_err();
        if sender.send(result).is_err() || failed {
            return;
        }
    }
}
