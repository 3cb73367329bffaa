//! A run of self-play.

use std::sync::Arc;

use engine::book::experience::ExperienceBook;
use engine::book::polyglot::PolyglotBook;
use engine::eval::Weights;
use engine::search::Signals;
use engine::syzygy::Tablebases;

use super::game::SelfPlay;
use super::opening::OpeningSource;
use super::pool::{GenerateError, Played, play_missing};
use super::settings::Settings;
use crate::record::Writer;

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

impl Generator {
    /// Plays the games that the writer does not have yet. Returns early, with everything saved that was
    /// finished, when `signals` say stop.
    pub fn run(
        &self,
        writer: &mut Writer,
        signals: &Signals,
        on_game: &mut dyn FnMut(&Played),
    ) -> Result<(), GenerateError> {
        let player = || {
            let mut player = SelfPlay::new(self, signals);
            move |game| {
                let before = player.nodes;
                let record = player.play(game)?;
                Ok((record, player.nodes - before))
            }
        };
        play_missing(writer, self.threads, signals, player, on_game)
    }
}
