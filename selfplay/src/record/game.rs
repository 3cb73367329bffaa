//! A game as the record keeps it.

use engine::types::{Move, Value};
use engine::{Board, Setup};

use crate::Outcome;

/// A game that engines played, exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Its number: with the seed of its file, all that its randomness depends on.
    pub id: u64,
    /// Where it began.
    pub start: Start,
    /// Moves made before the engine took over, not searched by anyone.
    pub opening: Vec<Move>,
    /// Who won.
    pub outcome: Outcome,
    /// And why.
    pub ending: Ending,
    /// What the engine played after the opening.
    pub plies: Vec<Ply>,
}

impl GameRecord {
    /// The position in which the engine made its first move, with the history that led to it.
    pub fn first_searched(&self) -> Board {
        let mut board = self.start.board();
        for &m in &self.opening {
            board.make(m);
        }
        board
    }

    /// Half-moves, the opening's among them.
    pub fn length(&self) -> usize {
        self.opening.len() + self.plies.len()
    }
}

/// A move of the engine with what its search said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// What the search gave the position before the move, for the side to move, in the search's own
    /// numbers: centipawns, or a mate or tablebase distance ([`engine::types::value`]).
    pub score_stm: i16,
    /// The last depth that the search finished.
    pub depth: u8,
    /// Whether the move was drawn to see something new, and may not be the one the search preferred.
    pub explored: bool,
}

impl Ply {
    /// The score as the search's type.
    pub fn value_stm(&self) -> Value {
        Value::from(self.score_stm)
    }
}

/// The position that a game began with, before any opening moves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Start {
    /// The initial position of chess.
    #[default]
    Initial,
    /// Any other.
    Position(Box<Setup>),
}

impl Start {
    /// The position of a board, its history left out.
    pub fn of(board: &Board) -> Start {
        let setup = board.setup();
        match setup == Board::start().setup() {
            true => Start::Initial,
            false => Start::Position(Box::new(setup)),
        }
    }

    /// The position on a board.
    pub fn board(&self) -> Board {
        match self {
            Start::Initial => Board::start(),
            Start::Position(setup) => Board::from_setup(setup),
        }
    }
}

/// Why a game ended. The numbers are those of the file format: new ones go to the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Ending {
    /// Mate on the board.
    Checkmate = 0,
    /// No move, no check.
    Stalemate = 1,
    /// The same position for the third time.
    Repetition = 2,
    /// Fifty moves of each side without a capture or a pawn move.
    FiftyMoves = 3,
    /// Neither side can mate.
    InsufficientMaterial = 4,
    /// Called a win because the scores said so for long enough.
    AdjudicatedWin = 5,
    /// Called a draw because the scores said so for long enough.
    AdjudicatedDraw = 6,
    /// Decided by a tablebase.
    Tablebase = 7,
    /// Too long: a draw.
    PlyLimit = 8,
}

impl Ending {
    /// All of them, in the order of their numbers.
    pub const ALL: [Ending; 9] = [
        Ending::Checkmate,
        Ending::Stalemate,
        Ending::Repetition,
        Ending::FiftyMoves,
        Ending::InsufficientMaterial,
        Ending::AdjudicatedWin,
        Ending::AdjudicatedDraw,
        Ending::Tablebase,
        Ending::PlyLimit,
    ];

    /// The ending with a number of the file format.
    pub fn from_code(code: u8) -> Option<Ending> {
        Ending::ALL.get(usize::from(code)).copied()
    }

    /// Whether somebody stopped the game before the rules of chess did.
    pub const fn is_adjudicated(self) -> bool {
        matches!(
            self,
            Ending::AdjudicatedWin | Ending::AdjudicatedDraw | Ending::Tablebase | Ending::PlyLimit
        )
    }

    /// Whether a game that ended like this can have had this result.
    pub const fn allows(self, outcome: Outcome) -> bool {
        match self {
            Ending::Checkmate | Ending::AdjudicatedWin => !matches!(outcome, Outcome::Draw),
            Ending::Tablebase => true,
            _ => matches!(outcome, Outcome::Draw),
        }
    }

    /// A few words for people.
    pub const fn words(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::Repetition => "threefold repetition",
            Ending::FiftyMoves => "fifty moves",
            Ending::InsufficientMaterial => "insufficient material",
            Ending::AdjudicatedWin => "adjudicated win",
            Ending::AdjudicatedDraw => "adjudicated draw",
            Ending::Tablebase => "tablebase",
            Ending::PlyLimit => "ply limit",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_endings_are_those_of_the_format() {
        for (code, ending) in Ending::ALL.into_iter().enumerate() {
            assert_eq!(ending as usize, code);
            assert_eq!(Ending::from_code(code as u8), Some(ending));
        }
        assert_eq!(Ending::from_code(9), None);
    }
}
