//! What the search makes of tablebases: at the root they say which moves keep the result, inside the tree
//! they end a line as soon as a capture or a pawn move has led to a position they know.

use std::sync::atomic::{AtomicU64, Ordering};

use super::params::Numbers;
use super::thread::Thread;
use crate::board::Board;
use crate::syzygy::{CURSED_WIN, MAX_MEN, RankedMove, Tablebases, Wdl};
use crate::tt::{Bound, Entry};
use crate::types::{MAX_PLY, Move, Value, value};

/// Settings of the tablebases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyzygyOptions {
    /// With as many men as the largest tables have, ask only at this depth or more: they are slow to read.
    pub probe_depth: i32,
    /// Ask about no more men than this.
    pub probe_limit: u32,
    /// A win that takes more than fifty moves without a capture or a pawn move is a draw.
    pub fifty_move_rule: bool,
}

impl Default for SyzygyOptions {
    fn default() -> SyzygyOptions {
        SyzygyOptions { probe_depth: 1, probe_limit: MAX_MEN, fifty_move_rule: true }
    }
}

/// What found values are worth more than searched ones, in plies: they are exact, so the hash table should
/// keep them longer.
const PROBED_DEPTH_BONUS: i32 = 6;

/// The tablebases of one search.
pub(super) struct TableUse<'a> {
    tables: Option<&'a Tablebases>,
    /// The most men to ask about inside the tree; 0: never ask.
    pub(super) most_men: u32,
    /// At this depth or more, with that many men; with fewer always.
    probe_depth: i32,
    fifty_move_rule: bool,
    hits: AtomicU64,
    /// What is known of the root moves; empty: nothing.
    pub(super) ranking: Vec<RankedMove>,
}

impl<'a> TableUse<'a> {
    /// Looks at the root, and decides whether to ask inside the tree.
    pub(super) fn new(
        tables: Option<&'a Tablebases>,
        options: SyzygyOptions,
        root: &Board,
        moves: &[Move],
    ) -> TableUse<'a> {
        let SyzygyOptions { mut probe_depth, probe_limit, fifty_move_rule } = options;
        let largest = tables.map_or(0, Tablebases::max_pieces);
        let mut most_men = largest.min(probe_limit);
        if probe_limit > largest {
            // The largest tables there are lie below the limit: none of them is meant to be spared.
            probe_depth = 0;
        }
        let ranking = tables
            .filter(|_| root.occupied().count() <= most_men)
            .and_then(|tables| tables.rank_root_moves(root, moves, fifty_move_rule));
        // Once the root is known, its ranks guard the result, and the search is to find a short way on
        // the board itself: if every leaf were "won", none would be nearer to the mate. Only a win whose
        // distance is not known needs the tables for its next step.
        if let Some(ranking) = &ranking
            && (ranking.by_distance || !ranking.is_won())
        {
            most_men = 0;
        }
        let ranking = ranking.map_or(Vec::new(), |ranking| ranking.moves);
        let hits = AtomicU64::new(ranking.len() as u64);
        TableUse { tables, most_men, probe_depth, fifty_move_rule, hits, ranking }
    }

    /// How many positions were found.
    pub(super) fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }
}

/// What the tables say of a node.
pub(super) struct Known {
    pub(super) value: Value,
    pub(super) bound: Bound,
}

impl Known {
    /// Whether the node needs no search within this window.
    pub(super) fn settles(&self, alpha: Value, beta: Value) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            _ => self.value <= alpha,
        }
    }
}

impl<P: Numbers> Thread<'_, P> {
    /// Asks the tables about a node that has few enough men. Kept out of line: it is rare, and costs
    /// microseconds when it comes.
    #[cold]
    #[inline(never)]
    pub(super) fn probe_tables(&self, depth: i32, ply: usize) -> Option<Known> {
        let TableUse { tables: Some(tables), most_men, probe_depth, fifty_move_rule, hits, .. } =
            &self.shared.tables
        else {
            return None;
        };
        // The tables count the fifty moves from here; with a running count they might be wrong.
        if self.board.halfmove_clock() != 0
            || (self.board.occupied().count() == *most_men && depth < *probe_depth)
        {
            return None;
        }
        let wdl = tables.probe_wdl(&self.board)?;
        hits.fetch_add(1, Ordering::Relaxed);
        let won = match wdl {
            Wdl::Win => true,
            Wdl::Loss => false,
            Wdl::CursedWin if !fifty_move_rule => true,
            Wdl::BlessedLoss if !fifty_move_rule => false,
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => {
                let draw = self.style_draw();
                return Some(Known { value: draw + CURSED_WIN * wdl as Value, bound: Bound::Exact });
            }
        };
        // A win is at least a win: the search may still find that it is a mate.
        Some(match won {
            true => Known { value: value::tb_win_in(ply), bound: Bound::Lower },
            false => Known { value: -value::tb_win_in(ply), bound: Bound::Upper },
        })
    }

    /// Keeps in the hash table what the tables said.
    pub(super) fn remember_probe(&self, known: &Known, depth: i32, ply: usize, was_pv: bool) {
        let entry = Entry {
            best: None,
            value: known.value,
            eval: value::NONE,
            depth: (depth + PROBED_DEPTH_BONUS).min(MAX_PLY as i32 - 1),
            bound: known.bound,
            was_pv,
        };
        self.shared.table.store(self.board.key(), ply, entry);
    }
}
