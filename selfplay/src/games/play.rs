//! A game between two players, and the settings of a run of them.

use engine::search::Signals;
use engine::types::Color;

use super::record::{GameEnding, PlayedGame, PlayedPly};
use super::search::{Knowledge, SearchKind, think};
use super::{Game, full_name};
use crate::Outcome;
use crate::play::{Dice, GameError};

/// Somebody who plays.
#[derive(Clone)]
pub struct GamePlayer {
    /// How it searches.
    pub search: SearchKind,
    /// Nodes for each action.
    pub nodes: u64,
    /// What it has learned.
    pub knowledge: Knowledge,
}

/// How the games of a run are varied and ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variety {
    /// A game begins with up to so many random actions, all numbers equally likely.
    pub opening_plies: u32,
    /// The chance of each later action to be drawn at random, in millionths.
    pub explore: u32,
    /// A game of so many plies is drawn.
    pub max_plies: usize,
}

impl Variety {
    /// A random opening after which the game goes on: one that ends it is shortened.
    pub fn opening<G: Game>(&self, game: &G, dice: &mut Dice) -> Vec<u16> {
        let length = dice.below(u64::from(self.opening_plies) + 1);
        let mut state = game.start();
        let mut opening = Vec::new();
        for _ in 0..length {
            let action = game.random_action(&state, dice);
            game.apply(&mut state, action);
            if game.outcome(&state).is_some() {
                break;
            }
            opening.push(action);
        }
        opening
    }
}

/// The settings of a run as the header of its record has them.
pub fn settings_text<G: Game>(game: &G, player: &GamePlayer, variety: &Variety, book: &str) -> String {
    let Variety { opening_plies, explore, max_plies } = variety;
    format!(
        "game={}\nrules={}\nsearch={}\nnodes={}\nbook={book}\nopening_plies={opening_plies}\nexplore={explore}\n\
         max_plies={max_plies}\n",
        G::NAME,
        game.rules(),
        player.search.name(),
        player.nodes,
    )
}

/// Plays one game from an opening. `players` are White and Black. Also says how many nodes it took.
pub fn play_game<G: Game>(
    game: &G,
    id: u64,
    players: [&GamePlayer; 2],
    opening: Vec<u16>,
    variety: &Variety,
    dice: &mut Dice,
    signals: &Signals,
) -> Result<(PlayedGame, u64), GameError> {
    let mut state = game.start();
    opening.iter().for_each(|&action| game.apply(&mut state, action));
    let mut plies: Vec<PlayedPly> = Vec::new();
    let mut nodes = 0;
    let (outcome, ending) = loop {
        if let Some(outcome) = game.outcome(&state) {
            break (outcome, GameEnding::Rules);
        }
        if opening.len() + plies.len() >= variety.max_plies {
            break (Outcome::Draw, GameEnding::PlyLimit);
        }
        if signals.stopped() {
            return Err(GameError::Stopped);
        }
        let player = players[game.mover(&state).index()];
        let thought = think(game, &state, player.search, &player.knowledge, player.nodes, dice);
        nodes += thought.nodes;
        let explored = dice.happens(variety.explore);
        let action = if explored { game.random_action(&state, dice) } else { thought.action };
        let score_stm = thought.value_stm as i16;
        plies.push(PlayedPly { action, score_stm, depth: thought.depth, explored });
        game.apply(&mut state, action);
    };
    Ok((PlayedGame { id, opening, outcome, ending, plies }, nodes))
}

/// A name for a side of any game.
pub const fn side_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A fingerprint of how a game is searched: what short searches find from its beginning.
pub fn search_fingerprint<G: Game>(game: &G) -> u64 {
    let mut text = full_name(game);
    for (number, search) in [SearchKind::AlphaBeta, SearchKind::Mcts].into_iter().enumerate() {
        let mut dice = Dice::for_game(9, number as u64);
        let mut state = game.start();
        for _ in 0..3 {
            let action = game.random_action(&state, &mut dice);
            game.apply(&mut state, action);
            if game.outcome(&state).is_some() {
                break;
            }
            let thought = think(game, &state, search, &Knowledge::default(), 30, &mut dice);
            text += &format!(" {} {} {}", thought.action, thought.value_stm, thought.depth);
        }
    }
    xxhash_rust::xxh64::xxh64(text.as_bytes(), 0)
}
