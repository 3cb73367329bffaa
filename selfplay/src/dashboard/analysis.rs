//! Searches that a page asks for: one at a time, with a bound on nodes, lines and memory, at an end when nobody listens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::Board;
use engine::search::strength::Strength;
use engine::search::{Bound, Handler, Limits, SearchReport, Searcher, Signals};
use engine::types::Color;
use engine::uci::report::Wdl;
use serde_json::{Value, json};

use super::position::Judge;
use super::problem::Problem;
use crate::arena::EngineScore;

/// Megabytes of the search's table.
const HASH_MB: usize = 16;
/// Lines shown at once.
pub const MOST_LINES: usize = 5;

/// What the server gives away.
pub struct Analysis {
    /// The most nodes of one search.
    pub most_nodes: u64,
    busy: AtomicBool,
}

/// The right to search; others may when it is dropped.
pub struct Turn<'a>(&'a AtomicBool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Analysis {
    /// Searches of at most so many nodes.
    pub fn new(most_nodes: u64) -> Analysis {
        Analysis { most_nodes, busy: AtomicBool::new(false) }
    }

    /// The right to search, if nobody has it.
    pub fn turn(&self) -> Result<Turn<'_>, Problem> {
        match self.busy.swap(true, Ordering::Acquire) {
            false => Ok(Turn(&self.busy)),
            true => Err(Problem::Busy("the engine is thinking about another position".to_string())),
        }
    }

    /// Searches a position; `hear` gets every iteration and says whether anybody still listens.
    pub fn search(
        &self,
        _turn: &Turn,
        board: &Board,
        judge: &Judge,
        nodes: u64,
        lines: usize,
        mut hear: impl FnMut(Value) -> bool + Send,
    ) -> Value {
        let mut searcher = searcher(judge);
        searcher.options.multipv = lines.clamp(1, MOST_LINES);
        let signals = Signals::new();
        let limits = Limits { nodes: Some(nodes.min(self.most_nodes).max(1)), ..Limits::default() };
        let mut listener = Listener { board, hear: &mut hear, signals: &signals };
        let result = searcher.search(board, &limits, &signals, &mut listener);
        json!({"best": result.best.map(|m| board.san(m)), "nodes": result.nodes, "depth": result.depth})
    }

    /// The engine's move at a level (none: full strength): its move and its score for the side to move.
    pub fn reply(
        &self,
        _turn: &Turn,
        board: &Board,
        judge: &Judge,
        level: Option<u32>,
        nodes: u64,
        seed: u64,
    ) -> Option<(engine::types::Move, i32, u32)> {
        let mut searcher = searcher(judge);
        searcher.options.strength = level.map(|elo| Strength::of_elo(elo, seed));
        let limits = Limits { nodes: Some(nodes.min(self.most_nodes).max(1)), ..Limits::default() };
        let result = searcher.search(board, &limits, &Signals::new(), &mut engine::search::Silent);
        result.best.map(|best| (best, result.score, result.depth))
    }
}

fn searcher(judge: &Judge) -> Searcher {
    let mut searcher = Searcher::new(1, judge.weights.clone());
    // On an error the small table stays: the search is slower, not wrong.
    let _ = searcher.set_hash(HASH_MB);
    searcher.set_experience(judge.book.clone());
    searcher
}

struct Listener<'a> {
    board: &'a Board,
    hear: &'a mut (dyn FnMut(Value) -> bool + Send),
    signals: &'a Signals,
}

impl Handler for Listener<'_> {
    fn report(&mut self, report: &SearchReport) {
        if report.bound != Bound::Exact {
            return;
        }
        let white = if self.board.side_to_move() == Color::White { report.score } else { -report.score };
        let Wdl { win, draw, loss } = Wdl::of(white);
        let mut board = self.board.clone();
        let mut line = Vec::new();
        for &m in &report.pv {
            line.push(board.san(m));
            board.make(m);
        }
        let first = report.pv.first().map(|&m| self.board.uci(m, false));
        let told = json!({
            "depth": report.depth, "seldepth": report.seldepth, "line": report.multipv, "cp": white,
            "says": EngineScore::from_value(white).to_string(), "wdl": [win, draw, loss], "nodes": report.nodes,
            "milliseconds": report.time.as_millis() as u64, "moves": line, "first": first,
        });
        if !(self.hear)(told) {
            self.signals.stop();
        }
    }
}

/// Shared by the threads of the server.
pub type SharedAnalysis = Arc<Analysis>;
