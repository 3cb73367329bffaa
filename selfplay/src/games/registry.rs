//! The games there are: a new one is a file beside this one and a line in [`with_game`].

use super::Game;
use super::dominions::Dominions;
use super::fairy::Fairy;
use super::nim::Nim;
use super::tictactoe::TicTacToe;

/// Names for people, with examples of rules.
pub const GAMES: &str =
    "nim:3-4-5, nim:1-3-5-7-misere, tictactoe, dominions, fairy:capablanca, fairy:FILE.toml";

/// Something to be done with a game that is known only when the program runs.
pub trait WithGame {
    /// What comes of it.
    type Output;
    /// Does it.
    fn run<G: Game>(self, game: G) -> Self::Output;
}

/// Why there is no such game.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownGame {
    /// A name that nobody has.
    #[error("there is no game '{0}'; there are {GAMES}, and chess, which is played without --game")]
    Name(String),
    /// A game, but not with these rules.
    #[error("{name}: {reason}")]
    Rules {
        /// The game.
        name: String,
        /// What is wrong, and what to write.
        reason: String,
    },
}

/// Does something with the game of a text such as `nim:3-4-5`.
pub fn with_game<W: WithGame>(text: &str, work: W) -> Result<W::Output, UnknownGame> {
    let (name, rules) = text.split_once(':').unwrap_or((text, ""));
    match name {
        Nim::NAME => Ok(work.run(game_with::<Nim>(rules)?)),
        TicTacToe::NAME => Ok(work.run(game_with::<TicTacToe>(rules)?)),
        Dominions::NAME => Ok(work.run(game_with::<Dominions>(rules)?)),
        Fairy::NAME => Ok(work.run(game_with::<Fairy>(rules)?)),
        _ => Err(UnknownGame::Name(name.to_string())),
    }
}

fn game_with<G: Game>(rules: &str) -> Result<G, UnknownGame> {
    G::with_rules(rules).map_err(|reason| UnknownGame::Rules { name: G::NAME.to_string(), reason })
}

/// Whether there is a game of this name with these rules.
pub fn check(text: &str) -> Result<(), UnknownGame> {
    struct Nothing;
    impl WithGame for Nothing {
        type Output = ();
        fn run<G: Game>(self, _game: G) {}
    }
    with_game(text, Nothing)
}
