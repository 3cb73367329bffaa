//! Random openings, for self-play and for matches: one place says what a fair beginning is.

use std::sync::Arc;

use engine::Board;
use engine::eval::Weights;
use engine::search::{Limits, Searcher, Signals, Silent};
use engine::types::{Color, Move, PieceType};

use crate::Dice;

/// A search needs no more than this for a few thousand nodes.
const HASH_MB: usize = 2;
/// Random plies of a match's opening: so many or one more.
const MATCH_PLIES: u64 = 8;
/// So many openings in a row that are too lopsided mean that the limit makes no sense.
pub(crate) const MOST_OPENINGS: u32 = 1_000;

/// What counts as level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Centipawns, for either side.
    pub limit: i32,
    /// Nodes of the search that says so.
    pub nodes: u64,
}

/// A search that says whether a position is level.
pub(crate) struct LevelSearch {
    level: Level,
    searcher: Searcher,
}

impl LevelSearch {
    pub(crate) fn new(level: Level, weights: &Arc<Weights>) -> LevelSearch {
        LevelSearch { level, searcher: Searcher::new(HASH_MB, Arc::clone(weights)) }
    }

    /// The answer depends on the position alone.
    pub(crate) fn is_level(&mut self, board: &Board) -> bool {
        self.searcher.new_game();
        let limits = Limits { nodes: Some(self.level.nodes), ..Limits::default() };
        let result = self.searcher.search(board, &limits, &Signals::new(), &mut Silent);
        result.best.is_some() && result.score.abs() <= self.level.limit
    }
}

/// The legal moves. The order in which they are generated may change; games must not.
pub(crate) fn moves_in_order(board: &Board) -> Vec<Move> {
    let mut moves = board.legal_moves().to_vec();
    moves.sort_unstable_by_key(|m| m.bits());
    moves
}

/// Random moves of which none loses material; at the end material is even and the side to move can
/// win none at once. The moves, and the position after them.
pub(crate) fn walk(mut board: Board, plies: u64, dice: &mut Dice) -> Option<(Vec<Move>, Board)> {
    const HALF_A_PAWN: i32 = 50;
    let mut opening = Vec::with_capacity(plies as usize);
    for _ in 0..plies {
        let mut sound = moves_in_order(&board);
        sound.retain(|&m| board.see_ge(m, 0));
        if sound.is_empty() {
            return None;
        }
        let m = dice.choose(&sound);
        board.make(m);
        opening.push(m);
    }
    let even = PieceType::ALL
        .into_iter()
        .all(|kind| board.pieces(Color::White, kind).count() == board.pieces(Color::Black, kind).count());
    let wins_material = |m: &Move| m.is_tactical() && board.see_ge(*m, HALF_A_PAWN);
    let moves = board.legal_moves();
    let quiet = !board.in_check() && !moves.is_empty() && !moves.iter().any(wins_material);
    (even && quiet).then_some((opening, board))
}

/// The random opening with this number: the same for the same seed, whatever was drawn before. Fails with the
/// limit if nothing is level.
pub(crate) fn random_opening(
    seed: u64,
    number: u64,
    level: Option<&(Level, Arc<Weights>)>,
) -> Result<Vec<Move>, i32> {
    let mut dice = Dice::for_game(seed, number);
    let mut search = level.map(|(level, weights)| LevelSearch::new(*level, weights));
    let mut lopsided = 0;
    loop {
        let plies = MATCH_PLIES + dice.below(2);
        let Some((moves, board)) = walk(Board::start(), plies, &mut dice) else { continue };
        let Some(search) = &mut search else { return Ok(moves) };
        if search.is_level(&board) {
            return Ok(moves);
        }
        lopsided += 1;
        if lopsided == MOST_OPENINGS {
            return Err(search.level.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::eval::EvalParams;

    use super::*;

    #[test]
    fn the_level_filter_refuses_what_a_search_finds_lopsided() {
        let weights = Arc::new(Weights::new(&EvalParams::embedded()));
        let level = (Level { limit: 40, nodes: 500 }, weights.clone());
        let mut search = LevelSearch::new(level.0, &weights);
        let mut redrawn = 0;
        for number in 0..60 {
            let (any, fair) = (random_opening(5, number, None), random_opening(5, number, Some(&level)));
            let mut board = Board::start();
            fair.as_ref().unwrap().iter().for_each(|&m| board.make(m));
            assert!(search.is_level(&board), "opening {number}");
            redrawn += u32::from(any != fair);
        }
        assert!((5..60).contains(&redrawn), "{redrawn} of 60 were drawn again");
        let nothing = (Level { limit: -1, nodes: 1 }, weights);
        assert_eq!(random_opening(5, 0, Some(&nothing)), Err(-1));
    }
}
