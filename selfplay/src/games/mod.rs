//! Any game of perfect information for two players, through the pipeline of chess: play, record, verify, learn, match.
//!
//! [`Game`] is all that a game has to say; [`registry`] is the list of games. `docs/11-games.md` adds one step by step.
//! Chess itself is not played through this trait: it has a path of its own, which is faster.

pub mod chess;
pub mod codec;
pub mod dominions;
pub mod fairy;
pub mod fit;
pub mod generate;
pub mod lessons;
pub mod matches;
pub mod night;
pub mod nim;
pub mod play;
pub mod player_spec;
pub mod record;
pub mod registry;
pub mod search;
pub mod tictactoe;
pub mod weights;

use engine::types::Color;
use xxhash_rust::xxh64::xxh64;

use crate::Outcome;
use crate::play::Dice;

/// A game with its rules: what positions there are, what can be done in them, and who wins. White moves first.
///
/// The smallest example is [`nim`]. The order of [`Game::actions`], the numbers of actions and [`Game::key`] are part of
/// the files that are written: they must never change.
pub trait Game: Clone + Send + Sync + 'static {
    /// A position with everything that what may follow depends on.
    type State: Clone + Send;
    /// What the command line and the files call it.
    const NAME: &'static str;
    /// The rules from the text behind the colon of `NAME:RULES`, empty without one; an error says what to write.
    fn with_rules(rules: &str) -> Result<Self, String>;
    /// The rules as text, always the same for the same rules.
    fn rules(&self) -> String;
    /// Where a game begins.
    fn start(&self) -> Self::State;
    /// Whose turn it is. A side may move twice.
    fn mover(&self, state: &Self::State) -> Color;
    /// Who has won, if the game is over.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;
    /// Adds all that can be done; something, unless the game is over.
    fn actions(&self, state: &Self::State, actions: &mut Vec<u16>);
    /// Does it. The action is one of [`Game::actions`].
    fn apply(&self, state: &mut Self::State, action: u16);
    /// A hash of the position: equal positions have equal ones, others almost surely not.
    fn key(&self, state: &Self::State) -> u64;
    /// An action as people write it.
    fn action_text(&self, state: &Self::State, action: u16) -> String;
    /// The position for a terminal.
    fn diagram(&self, state: &Self::State) -> String;

    /// What people wrote, as an action; an error says what is wrong with it.
    fn parse_action(&self, state: &Self::State, text: &str) -> Result<u16, String> {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        let found = actions.into_iter().find(|&action| self.action_text(state, action) == text.trim());
        found.ok_or_else(|| format!("'{text}' cannot be played here"))
    }

    /// Other ways to draw a position, by name; the first is [`Game::diagram`].
    const VIEWS: &'static [&'static str] = &["board"];
    /// Draws a position in one of [`Game::VIEWS`].
    fn view(&self, state: &Self::State, _name: &str) -> String {
        self.diagram(state)
    }

    /// Some action, for playing positions out: any of them, unless a game knows a quicker or a more sensible way.
    fn random_action(&self, state: &Self::State, dice: &mut Dice) -> u16 {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        dice.choose(&actions)
    }

    /// What a position is worth to White, from -1 to 1, where a game has an evaluation that is not learned here.
    fn judgement_white(&self, _state: &Self::State) -> Option<f32> {
        None
    }

    /// Names of what a linear evaluation counts in a position; none: only a book can be learned.
    const FEATURES: &'static [&'static str] = &[];
    /// The same where they depend on the rules.
    fn feature_names(&self) -> Vec<String> {
        Self::FEATURES.iter().map(|name| (*name).to_string()).collect()
    }
    /// Counts them, White's less Black's. The slice has their number and begins with zeros.
    fn features(&self, _state: &Self::State, _counts: &mut [f32]) {}
    /// Names of what speaks for or against an action before it is searched.
    const ACTION_FEATURES: &'static [&'static str] = &[];
    /// Counts them. The slice has their number and begins with zeros.
    fn action_features(&self, _state: &Self::State, _action: u16, _counts: &mut [f32]) {}

    /// Whether it has an alpha-beta of its own, which is then the usual search.
    const HAS_OWN_SEARCH: bool = false;
    /// The best action by that search.
    fn own_search(
        &self,
        _state: &Self::State,
        _knowledge: &search::Knowledge,
        _nodes: u64,
        _dice: &mut Dice,
    ) -> Option<search::Thought> {
        None
    }
}

/// The game with its rules as the command line writes it: `nim:3-4-5`.
pub fn full_name<G: Game>(game: &G) -> String {
    match game.rules().as_str() {
        "" => G::NAME.to_string(),
        rules => format!("{}:{rules}", G::NAME),
    }
}

/// What a book of this game is keyed by: its name and its rules.
pub fn keys_of<G: Game>(game: &G) -> u64 {
    xxh64(full_name(game).as_bytes(), 0)
}
