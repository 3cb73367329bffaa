//! What a player has learned: weights for what it sees, a book of what it has been through.

use std::path::Path;
use std::sync::Arc;

use engine::book::experience::{ExperienceBook, ExperienceError, Row};
use engine::types::Color;

use super::{DECIDED, WIN};
use crate::games::weights::Weights;
use crate::games::{Game, keys_of};

/// So many games of a book count as much as the weights.
const DOUBTS: i32 = 8;

/// What the searches ask. Nothing at all is a good answer: then positions are played out at random.
#[derive(Clone, Default)]
pub struct Knowledge {
    /// Of a linear evaluation.
    pub weights: Option<Arc<Weights>>,
    /// Of positions that were on the board before.
    pub book: Option<Arc<ExperienceBook<u16>>>,
}

/// Opens the book of a game; that of another one is refused by name.
pub fn open_book<G: Game>(game: &G, path: &Path) -> Result<ExperienceBook<u16>, ExperienceError> {
    ExperienceBook::open_keyed(path, keys_of(game))
}

impl Knowledge {
    /// What a position is worth to the side to move: what the book's best action there came to, what the weights say,
    /// or of both the mean, the book counting more the more games it has; `None` if neither speaks.
    pub fn value_stm<G: Game>(&self, game: &G, state: &G::State) -> Option<i32> {
        let learned = self.weights.as_ref().and_then(|weights| weights.value_white(game, state));
        let weighed = learned.or_else(|| game.judgement_white(state)).map(|value_white| {
            let value = (value_white * WIN as f32) as i32;
            if game.mover(state) == Color::White { value } else { -value }
        });
        let best = self.rows(game.key(state)).max_by_key(Row::score);
        let value = match (best, weighed) {
            (Some(row), Some(weighed)) => {
                let games = row.games.min(1000) as i32;
                (row.score() * games + weighed * DOUBTS) / (games + DOUBTS)
            }
            (Some(row), None) => row.score(),
            (None, weighed) => weighed?,
        };
        Some(value.clamp(-DECIDED + 1, DECIDED - 1))
    }

    /// The book's rows of a position.
    pub fn rows(&self, key: u64) -> impl Iterator<Item = Row<u16>> + '_ {
        self.book.iter().flat_map(move |book| book.lookup(key))
    }

    /// How likely each action is to be the best, before any search; they add up to one.
    pub fn priors<G: Game>(&self, game: &G, state: &G::State, actions: &[u16]) -> Vec<f32> {
        match &self.weights {
            Some(weights) if !weights.policy.is_empty() => weights.priors(game, state, actions),
            _ => vec![1.0 / actions.len() as f32; actions.len()],
        }
    }
}
