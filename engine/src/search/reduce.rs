//! Step 15: late-move reductions (LMR).

use super::move_loop::{Candidate, Outcome};
use super::node::Node;
use super::params::Numbers;
use super::thread::Thread;
use crate::types::{Move, Value};

impl<P: Numbers> Thread<'_, P> {
    /// The reduction of a move by depth and number, in 1024ths of a ply.
    #[inline(always)]
    pub(super) fn base_reduction(&self, depth: i32, move_count: i32, is_quiet: bool) -> i32 {
        let ln = |n: i32| self.logarithms[n.clamp(1, 63) as usize];
        let product = ln(depth) * ln(move_count) / 1024;
        let params = self.params;
        if is_quiet {
            params.lmr_base() + product * params.lmr_factor() / 1024
        } else {
            params.lmr_capture_base() + product * params.lmr_capture_factor() / 1024
        }
    }

    /// The whole reduction of a move that has been made, in 1024ths of a ply.
    #[inline(always)]
    fn reduction<const PV: bool>(&mut self, node: &Node, candidate: &Candidate) -> i32 {
        let params = self.params;
        let is_quiet = candidate.is_quiet;
        let when = |condition: bool, plies: i32| plies * i32::from(condition);
        let table_move_is_capture = node.table_move.is_some_and(Move::is_capture);
        let cutoffs = i32::from(self.frame(node.ply + 1).cutoffs);
        let more = when(!node.improving, params.lmr_worse())
            + when(node.cut_node && is_quiet, params.lmr_cut_quiet())
            + when(node.cut_node && !is_quiet, params.lmr_cut_capture())
            + when(table_move_is_capture && is_quiet, params.lmr_table_capture())
            + when(cutoffs > params.lmr_cutoffs_many(), params.lmr_cutoffs());
        let less = when(PV, params.lmr_pv())
            + when(node.was_pv, params.lmr_was_pv())
            + when(self.board.in_check(), params.lmr_gives_check())
            + when(node.in_check, params.lmr_in_check())
            + when(candidate.is_refutation, params.lmr_refutation());
        candidate.base_reduction + more
            - less
            - (candidate.history - when(is_quiet, params.lmr_history_offset())) * 1024 / params.lmr_history()
    }

    /// Searches a move that has been made, shallower first, and deeper if it surprises: how much it surprised says
    /// how deep, and `new_depth` tells the caller.
    #[inline(always)]
    pub(super) fn search_reduced<const PV: bool>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        outcome: &Outcome,
        (low, high): (Value, Value),
        new_depth: &mut i32,
    ) -> Value {
        let ply = node.ply;
        let reduction = self.reduction::<PV>(node, candidate);
        let most = *new_depth + i32::from(self.params.lmr_extend() != 0 && candidate.number <= 8);
        let reduced = (*new_depth - reduction / 1024).clamp(1, most.max(1));
        self.frame(ply).reduction = (*new_depth - reduced) * 1024;
        let mut v = -self.search::<false, false>(-low - 1, -low, reduced, ply + 1, true);
        self.frame(ply).reduction = 0;
        if v <= low || reduced >= *new_depth {
            return v;
        }
        *new_depth += i32::from(v > outcome.best + self.params.deeper_margin())
            - i32::from(v < outcome.best + self.params.shallower_margin());
        if reduced < *new_depth {
            v = -self.search::<false, false>(-low - 1, -low, *new_depth, ply + 1, !node.cut_node);
        }
        // The reply it refutes says something about the move itself.
        if candidate.is_quiet {
            let change = if v <= low {
                -self.malus(*new_depth)
            } else if v >= high {
                self.bonus(*new_depth)
            } else {
                0
            };
            let (piece, to) = (candidate.piece, candidate.m.to());
            self.memory.histories.add_continuation(&outcome.hints.earlier, piece, to, change);
        }
        v
    }
}
