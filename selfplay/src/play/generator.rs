//! Many games on many threads, one game a thread at a time.

use std::sync::{Arc, Mutex, mpsc};

use engine::book::experience::ExperienceBook;
use engine::book::polyglot::PolyglotBook;
use engine::eval::Weights;
use engine::search::Signals;
use engine::syzygy::Tablebases;

use super::game::{GameError, SelfPlay};
use super::opening::OpeningSource;
use super::settings::Settings;
use crate::record::{GameRecord, WriteError, Writer};

/// A run of self-play.
pub struct Generator {
    /// How games are played.
    pub settings: Settings,
    /// Where they begin.
    pub openings: OpeningSource,
    /// What goes on with an opening.
    pub book: Option<PolyglotBook>,
    /// What the searches ask about moves that were played before.
    pub experience: Option<Arc<ExperienceBook>>,
    /// What knows the end.
    pub tablebases: Option<Arc<Tablebases>>,
    /// The seed of all randomness.
    pub seed: u64,
    /// `// [color]` the weights for playing that side; the same pointer if no style tells them apart
    pub weights: [Arc<Weights>; 2],
    /// Games at the same time.
    pub threads: usize,
}

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
pub struct Played<'a> {
    /// The game.
    pub game: &'a GameRecord,
    /// Nodes searched for it.
    pub nodes: u64,
}

impl Generator {
    /// Plays the games that the writer does not have yet. Returns early, with everything saved that was
    /// finished, when `signals` say stop.
    pub fn run(
        &self,
        writer: &mut Writer,
        signals: &Signals,
        on_game: &mut dyn FnMut(&Played),
    ) -> Result<(), GenerateError> {
        let to_play = Mutex::new(writer.missing());
        // Few places: what is played should be saved soon, and memory does not grow.
        let (sender, receiver) = mpsc::sync_channel(2 * self.threads);
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                let (sender, to_play) = (sender.clone(), &to_play);
                scope.spawn(move || self.work(to_play, signals, &sender));
            }
            drop(sender);
            let mut outcome = Ok(());
            for result in receiver {
                let saved = result.map_err(GenerateError::from).and_then(|(game, nodes)| {
                    let copy = GameRecord::clone(&game);
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

    fn work(
        &self,
        to_play: &Mutex<impl Iterator<Item = u64>>,
        signals: &Signals,
        sender: &mpsc::SyncSender<Result<(GameRecord, u64), GameError>>,
    ) {
        let mut player = SelfPlay::new(self, signals);
        while !signals.stopped() {
            // Taking the next number cannot panic, so the lock is never poisoned.
            let Some(game) = to_play.lock().ok().and_then(|mut games| games.next()) else { return };
            let before = player.nodes;
            let result = player.play(game);
            let failed = result.is_err();
            if sender.send(result.map(|record| (record, player.nodes - before))).is_err() || failed {
                return;
            }
        }
    }
}
