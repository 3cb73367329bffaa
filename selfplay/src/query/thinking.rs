//! What costs: searches and perft, within limits.

use engine::Board;
use engine::search::{Bound, Handler, Limits as SearchLimits, SearchReport, Searcher, Signals};

use super::limits::{Halt, Limits};
use super::scene::{Found, embedded_weights, san_line};
use super::syntax::SearchLimit;

/// Enough for searches of some hundred thousand nodes, and soon emptied.
const HASH_MB: usize = 4;
/// No single search takes more nodes: a depth may be out of reach.
const MOST_NODES: u64 = 100_000_000;
/// Perft below this depth runs without looking up.
const PERFT_AT_ONCE: u32 = 3;

/// Keeps the last whole line of each rank, and stops the search when asked to.
struct Lines<'a> {
    /// `// [rank - 1]`
    found: Vec<Option<SearchReport>>,
    limits: &'a Limits,
    signals: &'a Signals,
}

impl Handler for Lines<'_> {
    fn report(&mut self, report: &SearchReport) {
        if let Some(place) = self.found.get_mut(report.multipv.saturating_sub(1) as usize)
            && report.bound == Bound::Exact
        {
            *place = Some(report.clone());
        }
        if self.limits.check().is_err() {
            self.signals.stop();
        }
    }
}

/// Searches a position; every search begins knowing nothing, so that the answer depends on the position alone.
pub fn search(
    searcher: &mut Option<Searcher>,
    board: &Board,
    limit: SearchLimit,
    lines: u64,
    limits: &Limits,
) -> Result<Vec<Found>, Halt> {
    limits.check()?;
    let legal = board.count_legal_moves();
    if legal == 0 {
        return Ok(Vec::new());
    }
    let searcher = searcher.get_or_insert_with(|| Searcher::new(HASH_MB, embedded_weights().clone()));
    searcher.new_game();
    searcher.options.multipv = lines.min(legal) as usize;
    let most = MOST_NODES.min(limits.left().max(1));
    let asked = match limit {
        SearchLimit::Depth(depth) => {
            SearchLimits { depth: Some(depth.max(1) as u32), nodes: Some(most), ..SearchLimits::default() }
        }
        SearchLimit::Nodes(nodes) => {
            SearchLimits { nodes: Some(nodes.clamp(1, most)), ..SearchLimits::default() }
        }
    };
    let signals = Signals::new();
    let mut heard = Lines { found: vec![None; searcher.options.multipv], limits, signals: &signals };
    let result = searcher.search(board, &asked, &signals, &mut heard);
    limits.spend(result.nodes)?;
    let mut found = Vec::new();
    for (number, report) in heard.found.into_iter().enumerate() {
        let (value_stm, depth, line) = match report {
            // The first line is what the search would play, also when it was cut short.
            Some(_) | None if number == 0 && lines == 1 => (result.score, result.depth, result.pv.clone()),
            Some(report) => (report.score, report.depth, report.pv),
            None => continue,
        };
        found.push(Found {
            side: board.side_to_move(),
            value_stm,
            rank: number as u32 + 1,
            depth,
            nodes: result.nodes,
            best_san: line.first().map(|&m| board.san(m)).unwrap_or_default(),
            line_san: san_line(board.clone(), &line),
            line,
        });
    }
    Ok(found)
}

/// Counts the leaves of the tree of moves, looking up now and then.
pub fn perft(board: &mut Board, depth: u32, limits: &Limits) -> Result<u64, Halt> {
    if depth <= PERFT_AT_ONCE {
        let leaves = board.perft(depth);
        limits.spend(leaves)?;
        return Ok(leaves);
    }
    let mut leaves = 0;
    for &m in board.legal_moves().iter() {
        board.make(m);
        let counted = perft(board, depth - 1, limits);
        board.unmake();
        leaves += counted?;
    }
    Ok(leaves)
}
