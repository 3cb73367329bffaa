//! Searches for any game: limited by nodes, and the same for the same dice.
//!
//! [`alphabeta`] where few actions are possible, [`mcts`] where there are hundreds. Both ask the same [`Knowledge`].

pub mod alphabeta;
pub mod knowledge;
pub mod mcts;

use std::str::FromStr;

pub use knowledge::Knowledge;

use super::Game;
use crate::Outcome;
use crate::learn::episode::TERMINAL;
use crate::play::Dice;
use engine::types::Color;

/// A won game, for the side that won it: the learner's own number.
pub const WIN: i32 = TERMINAL as i32;
/// Beyond this a value is no opinion: somebody wins by force.
pub const DECIDED: i32 = WIN - 1000;

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thought {
    /// What to do.
    pub action: u16,
    /// What that is worth to the side to move, ±[`WIN`].
    pub value_stm: i32,
    /// How deep it looked.
    pub depth: u8,
    /// Positions looked at.
    pub nodes: u64,
}

/// Which search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// Every action, as deep as the nodes last.
    AlphaBeta,
    /// The promising actions, deeper and deeper.
    Mcts,
    /// None: any action.
    Random,
}

impl SearchKind {
    /// As the command line writes it.
    pub const fn name(self) -> &'static str {
        match self {
            SearchKind::AlphaBeta => "alphabeta",
            SearchKind::Mcts => "mcts",
            SearchKind::Random => "random",
        }
    }

    /// What suits a game: Monte-Carlo tree search where the first move is one of very many.
    pub fn usual<G: Game>(game: &G) -> SearchKind {
        let mut actions = Vec::new();
        game.actions(&game.start(), &mut actions);
        if actions.len() > 64 && !G::HAS_OWN_SEARCH { SearchKind::Mcts } else { SearchKind::AlphaBeta }
    }
}

impl FromStr for SearchKind {
    type Err = String;

    fn from_str(text: &str) -> Result<SearchKind, String> {
        let all = [SearchKind::AlphaBeta, SearchKind::Mcts, SearchKind::Random];
        let found = all.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("'{text}' is no search; there are alphabeta, mcts and random"))
    }
}

/// Looks for the best action in a position that is not the end of a game.
pub fn think<G: Game>(
    game: &G,
    state: &G::State,
    kind: SearchKind,
    knowledge: &Knowledge,
    nodes: u64,
    dice: &mut Dice,
) -> Thought {
    match kind {
        SearchKind::AlphaBeta => game
            .own_search(state, knowledge, nodes, dice)
            .unwrap_or_else(|| alphabeta::AlphaBeta::new(game, knowledge, nodes).think(state, dice)),
        SearchKind::Mcts => mcts::Tree::new(game, knowledge).think(state, nodes, dice),
        SearchKind::Random => {
            Thought { action: game.random_action(state, dice), value_stm: 0, depth: 0, nodes: 1 }
        }
    }
}

/// What an outcome is worth to a side.
pub fn value_of(outcome: Outcome, of: Color) -> i32 {
    (i32::from(outcome.half_points(of)) - 1) * WIN
}
