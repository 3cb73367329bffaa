//! A number that says how the engine plays, whatever it was built with.

use std::sync::Arc;

use engine::Board;
use engine::eval::{EvalParams, Weights};
use engine::search::{Limits, Searcher, Signals, Silent};
use engine::tools::bench::POSITIONS;
use xxhash_rust::xxh64::Xxh64;

/// Nodes of each search: together they take a few hundredths of a second.
const NODES: u64 = 1_000;

/// A hash of what short searches find in the positions of the benchmark. A change to the search, the
/// evaluation or the rules changes it; another compiler or processor does not. The weights have a hash of
/// their own, so the ones written in the source are used here.
pub fn engine_fingerprint() -> u64 {
    let mut searcher = Searcher::new(1, Arc::new(Weights::new(&EvalParams::default())));
    let limits = Limits { soft_nodes: Some(NODES), nodes: Some(8 * NODES), ..Limits::default() };
    let mut hash = Xxh64::new(0);
    for (fen, _) in POSITIONS {
        let Ok(board) = Board::from_fen(fen) else { continue };
        searcher.new_game();
        let result = searcher.search(&board, &limits, &Signals::new(), &mut Silent);
        hash.update(&result.best.map_or(0, |best| best.bits()).to_le_bytes());
        hash.update(&result.score.to_le_bytes());
        hash.update(&result.nodes.to_le_bytes());
    }
    hash.digest()
}
