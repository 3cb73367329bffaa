//! The ways to begin: every line of a few plies from the initial position that a search finds level.
//!
//! A book of openings of our own making, small enough that all of it can be learned by heart.

use std::collections::HashSet;
use std::sync::Arc;

use engine::Board;
use engine::eval::Weights;

use crate::random_opening::{Level, LevelSearch, moves_in_order};

/// The positions after 0, 1, … `plies` moves that are level, the shortest lines first. Lines go on from level
/// positions alone: what a blunder leads to is not how games begin.
pub fn level_beginnings(
    plies: u32,
    level: Level,
    weights: &Arc<Weights>,
    mut found: impl FnMut(&Board),
) -> usize {
    let mut search = LevelSearch::new(level, weights);
    let mut seen = HashSet::from([Board::start().key()]);
    let mut frontier = vec![Board::start()];
    let mut count = 0;
    for ply in 0..=plies {
        frontier.retain(|board| search.is_level(board));
        for board in &frontier {
            found(board);
            count += 1;
        }
        if ply < plies {
            frontier =
                frontier.iter().flat_map(successors).filter(|board| seen.insert(board.key())).collect();
        }
    }
    count
}

/// The positions after each legal move.
fn successors(board: &Board) -> Vec<Board> {
    let after = |m| {
        let mut next = board.clone();
        next.make(m);
        next
    };
    moves_in_order(board).into_iter().map(after).collect()
}

#[cfg(test)]
mod tests {
    use engine::eval::EvalParams;

    use super::*;

    fn beginnings(plies: u32, limit: i32) -> Vec<String> {
        let weights = Arc::new(Weights::new(&EvalParams::embedded()));
        let mut fens = Vec::new();
        level_beginnings(plies, Level { limit, nodes: 200 }, &weights, |board| fens.push(board.fen()));
        fens
    }

    #[test]
    fn with_no_limit_all_lines_are_there_once() {
        let fens = beginnings(2, 30_000);
        assert_eq!(fens.len(), 1 + 20 + 400);
        assert_eq!(fens[0], Board::start().fen());
        assert_eq!(fens.iter().collect::<HashSet<_>>().len(), fens.len());
    }

    #[test]
    fn a_limit_leaves_out_what_is_lopsided() {
        let (all, level) = (beginnings(2, 30_000), beginnings(2, 40));
        assert!(!level.is_empty() && level.len() < all.len(), "{} of {}", level.len(), all.len());
        assert!(level.iter().all(|fen| all.contains(fen)));
        // 1. e4 g5 gives White too much.
        assert!(!level.iter().any(|fen| fen.starts_with("rnbqkbnr/pppppp1p/8/6p1/4P3/8/PPPP1PPP/RNBQKBNR")));
    }
}
