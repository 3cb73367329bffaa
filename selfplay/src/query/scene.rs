//! Where a question is asked: a position, its game, what was found out about it.

use std::cell::Cell;
use std::sync::{Arc, LazyLock};

use engine::Board;
use engine::eval::{EvalParams, Weights};
use engine::types::{Bitboard, Color, Move};

use super::game::{Game, Thought, Visited};
use super::value::Value;
use crate::record::Start;

/// Squares that `some`, `every` and `those` may name within each other.
pub const MOST_VARIABLES: usize = 8;

/// The weights that the engine plays with.
static WEIGHTS: LazyLock<Arc<Weights>> = LazyLock::new(|| Arc::new(Weights::new(&EvalParams::embedded())));

/// The weights for searches and evaluations.
pub fn embedded_weights() -> &'static Arc<Weights> {
    &WEIGHTS
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The side that it thought for.
    pub side: Color,
    /// Its score for that side.
    pub value_stm: i32,
    /// 1 for the best line.
    pub rank: u32,
    /// The depth it finished.
    pub depth: u32,
    /// The nodes it took.
    pub nodes: u64,
    /// The line.
    pub line: Vec<Move>,
    /// Its first move.
    pub best_san: String,
    /// All of it.
    pub line_san: String,
}

/// A position with all that can be asked about it.
pub struct Scene<'a> {
    /// The game.
    pub game: &'a Game,
    /// Half-moves made.
    pub ply: usize,
    /// The board; the initial position's where the plan needs none.
    pub board: &'a Board,
    /// Where the pieces have been, if anybody asks.
    pub visited: Option<&'a Visited>,
    /// `// [track][ply]` what was worked out for the whole game
    pub tracks: &'a [Vec<Value>],
    /// Moves made beyond the game.
    pub beyond: &'a [Move],
    /// What a search said.
    pub found: Option<&'a Found>,
    /// What perft said.
    pub leaves: Option<u64>,
    /// Keys and aggregates of a group.
    pub slots: &'a [Value],
    /// The squares that have names now.
    pub variables: [Cell<Bitboard>; MOST_VARIABLES],
}

impl<'a> Scene<'a> {
    /// A position of a game.
    pub fn new(game: &'a Game, ply: usize, board: &'a Board) -> Scene<'a> {
        Scene {
            game,
            ply,
            board,
            visited: None,
            tracks: &[],
            beyond: &[],
            found: None,
            leaves: None,
            slots: &[],
            variables: Default::default(),
        }
    }

    /// The same position, known better or gone on from.
    pub fn with<'b>(&'b self, board: &'b Board, beyond: &'b [Move], found: Option<&'b Found>) -> Scene<'b>
    where
        'a: 'b,
    {
        Scene {
            game: self.game,
            ply: self.ply - self.beyond.len() + beyond.len(),
            board,
            visited: None,
            tracks: self.tracks,
            beyond,
            found,
            leaves: None,
            slots: &[],
            variables: Default::default(),
        }
    }

    /// The side to move: known without a board.
    pub fn side(&self) -> Color {
        let first = match &self.game.start {
            Start::Initial => Color::White,
            Start::Position(setup) => setup.side_to_move,
        };
        if self.ply.is_multiple_of(2) { first } else { !first }
    }

    /// The move played here in the game.
    pub fn played(&self) -> Option<Move> {
        if self.beyond.is_empty() { self.game.moves.get(self.ply).copied() } else { None }
    }

    /// What was thought here in the game.
    pub fn thought(&self) -> Option<&'a Thought> {
        if self.beyond.is_empty() { self.game.thoughts.get(self.ply)?.as_ref() } else { None }
    }

    /// The line that was found, or the moves made beyond the game.
    pub fn line(&self) -> Option<String> {
        if let Some(found) = self.found {
            return Some(found.line_san.clone());
        }
        let mut board = self.game.start.board();
        let at = self.ply - self.beyond.len();
        self.game.moves.iter().take(at).for_each(|&m| board.make(m));
        (!self.beyond.is_empty()).then(|| san_line(board, self.beyond))
    }

    /// The weights of the evaluation.
    pub fn weights(&self) -> &'static Weights {
        &WEIGHTS
    }
}

/// Moves in algebraic notation.
pub fn san_line(mut board: Board, moves: &[Move]) -> String {
    let mut words = Vec::with_capacity(moves.len());
    for &m in moves {
        words.push(board.san(m));
        board.make(m);
    }
    words.join(" ")
}
