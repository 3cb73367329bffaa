//! A game of any kind as its record keeps it.

use rayon::prelude::*;

use super::codec::GameCodec;
use super::{Game, full_name};
use crate::Outcome;
use crate::record::{Reader, RecordError, Verdict};

/// A game that was played, exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// Its number: with the seed of its file, all that its randomness depends on.
    pub id: u64,
    /// Drawn at random before anybody thought.
    pub opening: Vec<u16>,
    /// Who won.
    pub outcome: Outcome,
    /// And why.
    pub ending: GameEnding,
    /// What was played after the opening.
    pub plies: Vec<PlayedPly>,
}

/// An action with what the search said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedPly {
    /// What was done.
    pub action: u16,
    /// What the search gave the position before, for the side to move: ±10,000 is a win.
    pub score_stm: i16,
    /// How deep it looked.
    pub depth: u8,
    /// Whether the action was drawn at random, whatever the search preferred.
    pub explored: bool,
}

/// Why a game ended. The numbers are those of the file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum GameEnding {
    /// By its rules.
    Rules = 0,
    /// Too long: a draw.
    PlyLimit = 1,
}

impl GameEnding {
    /// A few words for people.
    pub const fn words(self) -> &'static str {
        match self {
            GameEnding::Rules => "by the rules",
            GameEnding::PlyLimit => "ply limit",
        }
    }
}

impl PlayedGame {
    /// Everything that was done, the opening included.
    pub fn actions(&self) -> impl Iterator<Item = u16> + '_ {
        self.opening.iter().copied().chain(self.plies.iter().map(|ply| ply.action))
    }

    /// Half-moves, the opening's among them.
    pub fn length(&self) -> usize {
        self.opening.len() + self.plies.len()
    }

    /// Each position in which somebody thought, with what was played in it.
    pub fn for_each_position<G: Game>(&self, game: &G, mut see: impl FnMut(&G::State, &PlayedPly)) {
        let mut state = game.start();
        self.opening.iter().for_each(|&action| game.apply(&mut state, action));
        for ply in &self.plies {
            see(&state, ply);
            game.apply(&mut state, ply.action);
        }
    }

    /// Plays the game again: it must not go on after its end, and must have ended as it says. That every action is
    /// allowed is a matter of course: they are kept as ranks among those that are.
    fn replay<G: Game>(&self, game: &G) -> Result<(), String> {
        let mut state = game.start();
        for (ply, action) in self.actions().enumerate() {
            if game.outcome(&state).is_some() {
                return Err(format!("it goes on at ply {ply}, where the rules end it"));
            }
            game.apply(&mut state, action);
        }
        match (self.ending, game.outcome(&state)) {
            (GameEnding::Rules, Some(outcome)) if outcome == self.outcome => Ok(()),
            (GameEnding::PlyLimit, None) if self.outcome == Outcome::Draw => Ok(()),
            (ending, found) => {
                let found = found.map_or("that it goes on", Outcome::pgn);
                Err(format!("it says {} {}, the rules say {found}", self.outcome.pgn(), ending.words()))
            }
        }
    }
}

/// Checks every byte and replays every game of an open file.
pub fn verify<G: Game>(game: &G, reader: &Reader) -> Verdict {
    let codec = GameCodec(game.clone());
    let numbers: Vec<usize> = (0..reader.blocks().len()).collect();
    let blocks: Vec<Result<Vec<PlayedGame>, RecordError>> =
        numbers.par_iter().map(|&number| reader.decode_by(&codec, number)).collect();
    let mut verdict = Verdict::default();
    for block in blocks {
        match block {
            Err(error) => verdict.faults.push(error.to_string()),
            Ok(games) => {
                verdict.blocks += 1;
                verdict.games += games.len() as u64;
                verdict.positions += games.iter().map(|game| game.plies.len() as u64).sum::<u64>();
                let path = reader.path().display();
                verdict.faults.extend(games.iter().filter_map(|played| {
                    played.replay(game).err().map(|fault| format!("{path}: game {}: {fault}", played.id))
                }));
            }
        }
    }
    verdict.faults.extend(reader.damage().iter().map(RecordError::to_string));
    verdict
}

/// Opens a record of this game; one of another game is refused by name.
pub fn open<G: Game>(game: &G, path: &std::path::Path) -> Result<Reader, RecordError> {
    Reader::open_any(path)?.of_game(&full_name(game))
}

/// All games of records of this game, in the order of the files and of their ids. The first damage ends it.
pub fn games_of<G: Game>(game: &G, files: &[std::path::PathBuf]) -> Result<Vec<PlayedGame>, RecordError> {
    let codec = GameCodec(game.clone());
    let mut games = Vec::new();
    for file in files {
        let reader = open(game, file)?;
        let numbers: Vec<usize> = (0..reader.blocks().len()).collect();
        let blocks: Vec<_> = numbers.par_iter().map(|&number| reader.decode_by(&codec, number)).collect();
        for block in blocks {
            games.extend(block?);
        }
        if let Some(damage) = reader.into_damage().into_iter().next() {
            return Err(damage);
        }
    }
    Ok(games)
}
