//! The quiet end of what a shallow search expects: captures that hang in the air are played out.

use std::sync::Arc;

use engine::Board;
use engine::eval::Weights;
use engine::search::{Limits, Searcher, Signals, Silent};

/// Finds such ends, with a search of its own.
pub struct LeafFinder {
    searcher: Searcher,
    signals: Signals,
}

impl LeafFinder {
    /// With a small table: the searches are tiny.
    pub fn new(weights: Arc<Weights>) -> LeafFinder {
        LeafFinder { searcher: Searcher::new(1, weights), signals: Signals::default() }
    }

    /// The position at the end of the principal variation of one ply and its captures; the position itself
    /// if that end is a check, or is over.
    pub fn leaf(&mut self, board: &Board) -> Board {
        // Every position by itself: what is found must not depend on what was searched before.
        self.searcher.new_game();
        let limits = Limits { depth: Some(1), ..Limits::default() };
        self.signals.reset();
        let found = self.searcher.search(board, &limits, &self.signals, &mut Silent);
        let mut leaf = board.clone();
        // Only the captures at the end are the search's; its first quiet move would change the position.
        for m in found.pv {
            if !leaf.is_legal(m) || !(m.is_capture() || m.is_promotion()) {
                break;
            }
            leaf.make(m);
        }
        if leaf.in_check() || leaf.count_legal_moves() == 0 { board.clone() } else { leaf }
    }
}
