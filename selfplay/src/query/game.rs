//! A game as queries see it, whatever file it is from.

use std::sync::Arc;

use engine::Board;
use engine::board::Wing;
use engine::types::{Bitboard, Move, Square};

use crate::Outcome;
use crate::pgn::PgnGame;
use crate::record::{Ending, GameRecord, Start};

/// A game, or what is known of it so far.
#[derive(Clone, Debug, Default)]
pub struct Game {
    /// Its id in a record; counted from 1 in other files.
    pub number: u64,
    /// The file.
    pub file: Arc<str>,
    /// Who won.
    pub outcome: Option<Outcome>,
    /// And why.
    pub ending: Option<Ending>,
    /// Names and values: tags of PGN, operations of EPD.
    pub tags: Vec<(String, String)>,
    /// The first position.
    pub start: Start,
    /// All moves.
    pub moves: Vec<Move>,
    /// What was thought before each of them; the end may be missing.
    pub thoughts: Vec<Option<Thought>>,
    /// Plies: known before the moves are.
    pub length: usize,
    /// Positions before this ply are another game's: a variation begins here.
    pub first_ply: usize,
}

/// What a search said of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thought {
    /// For the side to move.
    pub score_stm: i32,
    /// The depth it finished.
    pub depth: u8,
    /// Whether the move was drawn to see something new.
    pub explored: bool,
}

impl Game {
    /// A game of a record.
    pub fn from_record(file: &Arc<str>, record: GameRecord) -> Game {
        let opening = record.opening.len();
        let mut thoughts = vec![None; opening];
        thoughts.extend(record.plies.iter().map(|ply| {
            let score_stm = i32::from(ply.score_stm);
            Some(Thought { score_stm, depth: ply.depth, explored: ply.explored })
        }));
        let mut moves = record.opening;
        moves.extend(record.plies.iter().map(|ply| ply.played));
        Game {
            number: record.id,
            file: file.clone(),
            outcome: Some(record.outcome),
            ending: Some(record.ending),
            tags: Vec::new(),
            start: record.start,
            length: moves.len(),
            moves,
            thoughts,
            first_ply: 0,
        }
    }

    /// A game of PGN.
    pub fn from_pgn(file: &Arc<str>, number: u64, pgn: PgnGame) -> Game {
        let thought = |thought: crate::pgn::Thought| Thought {
            score_stm: thought.value_mover,
            depth: thought.depth,
            explored: false,
        };
        let start = pgn.first_fen.as_deref().and_then(|fen| Board::from_fen(fen).ok());
        Game {
            number,
            file: file.clone(),
            outcome: pgn.outcome,
            ending: None,
            start: start.map_or(Start::Initial, |board| Start::of(&board)),
            length: pgn.moves.len(),
            thoughts: pgn.thoughts.into_iter().map(|found| found.map(thought)).collect(),
            tags: pgn.tags,
            moves: pgn.moves,
            first_ply: 0,
        }
    }

    /// One position and no moves.
    pub fn from_board(file: &Arc<str>, number: u64, board: &Board) -> Game {
        Game { number, file: file.clone(), start: Start::of(board), ..Game::default() }
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The name of a player; records know none.
pub fn fullest_name<'a>(game: &'a Game, tag: &str) -> Option<&'a str> {
    game.tag(tag).filter(|name| !name.is_empty() && *name != "?")
}

/// Goes through a game, forwards, as far as somebody looks.
pub struct Walker<'a> {
    game: &'a Game,
    board: Board,
    ply: usize,
    /// `// [square]` where the piece on it has stood, if anybody asks
    visited: Option<Box<Visited>>,
}

/// `// [square]` the squares where the piece that stands there has been
pub type Visited = [Bitboard; 64];

impl<'a> Walker<'a> {
    /// At the beginning.
    pub fn new(game: &'a Game, with_paths: bool) -> Walker<'a> {
        let board = game.start.board();
        let visited = with_paths.then(|| {
            let occupied = board.occupied();
            let mut visited = Box::new([Bitboard::EMPTY; 64]);
            occupied.into_iter().for_each(|square| visited[square.index()] = Bitboard::of(square));
            visited
        });
        Walker { game, board, ply: 0, visited }
    }

    /// Goes to a ply that is not behind.
    pub fn go_to(&mut self, ply: usize) -> &Board {
        while self.ply < ply {
            let Some(&m) = self.game.moves.get(self.ply) else { break };
            if let Some(visited) = &mut self.visited {
                follow(visited, &self.board, m);
            }
            self.board.make(m);
            self.ply += 1;
        }
        &self.board
    }

    /// Where it is.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Where the pieces have been.
    pub fn visited(&self) -> Option<&Visited> {
        self.visited.as_deref()
    }
}

/// Takes a piece's path along with it.
fn follow(visited: &mut Visited, board: &Board, m: Move) {
    let side = board.side_to_move();
    let mut carry = |paths: &[(Square, Square)]| {
        // All are lifted before any is put down: in Chess960 the king may go where the rook stood.
        let lifted: Vec<Bitboard> =
            paths.iter().map(|(from, _)| std::mem::take(&mut visited[from.index()])).collect();
        for (path, (_, to)) in lifted.into_iter().zip(paths) {
            visited[to.index()] = path | Bitboard::of(*to);
        }
    };
    if m.is_castle() {
        let wing = Wing::of(m);
        carry(&[(m.from(), wing.king_target(side)), (m.to(), wing.rook_target(side))]);
        return;
    }
    carry(&[(m.from(), m.to())]);
    if m.is_en_passant() {
        visited[m.to().forward(!side).index()] = Bitboard::EMPTY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_take_their_paths_along() {
        let pgn =
            PgnGame::parse("1. Nf3 a6 2. g3 a5 3. Bg2 a4 4. O-O a3 5. Ne5 axb2 6. Nc6 bxa1=Q *").unwrap();
        let game = Game::from_pgn(&"x".into(), 1, pgn);
        let mut walker = Walker::new(&game, true);
        walker.go_to(game.length);
        let visited = walker.visited().unwrap();
        let at = |square: &str| visited[square.parse::<Square>().unwrap().index()];
        let squares = |text: &str| -> Bitboard {
            text.split(' ').map(|square| square.parse::<Square>().unwrap()).collect()
        };
        assert_eq!(at("c6"), squares("g1 f3 e5 c6"));
        assert_eq!(at("g1"), squares("e1 g1"));
        assert_eq!(at("f1"), squares("h1 f1"));
        assert_eq!(at("a1"), squares("a7 a6 a5 a4 a3 b2 a1"));
        assert_eq!(at("b2"), Bitboard::EMPTY);
    }
}
