//! Is everything in a record what it should be? Checksums are one half of the answer; the other is to
//! play every game again.

use rayon::prelude::*;

use super::error::RecordError;
use super::game::{Ending, GameRecord};
use super::reader::Reader;
use crate::arena::game::{Ending as RuleEnding, end_by_rules};

/// What was found in a file.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Blocks that are whole.
    pub blocks: usize,
    /// Games in them.
    pub games: u64,
    /// Positions in them.
    pub positions: u64,
    /// Everything that is wrong, in the order of the file.
    pub faults: Vec<String>,
}

/// Checks every byte and replays every game of an open file.
pub fn verify(reader: &Reader) -> Verdict {
    let numbers: Vec<usize> = (0..reader.blocks().len()).collect();
    let mut verdict = Verdict::default();
    for block in numbers.par_iter().map(|&number| verify_block(reader, number)).collect::<Vec<Verdict>>() {
        verdict.blocks += block.blocks;
        verdict.games += block.games;
        verdict.positions += block.positions;
        verdict.faults.extend(block.faults);
    }
    verdict.faults.extend(reader.damage().iter().map(RecordError::to_string));
    verdict
}

fn verify_block(reader: &Reader, number: usize) -> Verdict {
    let games = match reader.decode(number) {
        Ok(games) => games,
        Err(error) => return Verdict { faults: vec![error.to_string()], ..Verdict::default() },
    };
    let path = reader.path().display();
    let fault =
        |game: &GameRecord| replay(game).err().map(|fault| format!("{path}: game {}: {fault}", game.id));
    Verdict {
        blocks: 1,
        games: games.len() as u64,
        positions: games.iter().map(|game| game.plies.len() as u64).sum(),
        faults: games.iter().filter_map(fault).collect(),
    }
}

/// Plays a game again: every move must be legal, the game must not go on after its end, and it must
/// have ended as the record says.
pub fn replay(game: &GameRecord) -> Result<(), String> {
    let mut board = game.start.board();
    let moves = game.opening.iter().copied().chain(game.plies.iter().map(|ply| ply.played));
    for (ply, m) in moves.enumerate() {
        if !board.is_legal(m) {
            return Err(format!("move {m:?} at ply {ply} is not legal"));
        }
        if ply >= game.opening.len() && end_by_rules(&board).is_some() {
            return Err(format!("it goes on at ply {ply}, where the rules of chess end it"));
        }
        board.make(m);
    }
    if !game.ending.allows(game.outcome) {
        return Err(format!("{} cannot be {}", game.ending.words(), game.outcome.pgn()));
    }
    let by_rules = end_by_rules(&board).map(|(outcome, ending)| (outcome, Ending::by_rules(&ending)));
    let recorded = (game.outcome, game.ending);
    match by_rules {
        Some((outcome, Some(ending))) if (outcome, ending) != recorded => {
            Err(format!("it says {}, the board says {}", game.ending.words(), ending.words()))
        }
        None if !game.ending.is_adjudicated() => {
            Err(format!("it says {}, the board says that it goes on", game.ending.words()))
        }
        _ => Ok(()),
    }
}

impl Ending {
    /// The same in our words, if the rules of chess know of such an end.
    pub fn by_rules(ending: &RuleEnding) -> Option<Ending> {
        Some(match ending {
            RuleEnding::Checkmate => Ending::Checkmate,
            RuleEnding::Stalemate => Ending::Stalemate,
            RuleEnding::Threefold => Ending::Repetition,
            RuleEnding::FiftyMoves => Ending::FiftyMoves,
            RuleEnding::InsufficientMaterial => Ending::InsufficientMaterial,
            RuleEnding::Adjudicated | RuleEnding::TimeForfeit(_) | RuleEnding::Fault(_) => return None,
        })
    }
}
