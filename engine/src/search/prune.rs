//! Steps 7 to 11: ending a node, or searching it shallower, before any of its moves is tried.

use super::node::Node;
use super::params::Numbers;
use super::pick::Picker;
use super::thread::Thread;
use crate::eval::endgame::KNOWN_WIN;
use crate::tt::{Bound, Entry};
use crate::types::{Value, value};

impl<P: Numbers> Thread<'_, P> {
    /// Steps 7 to 11. `Some` holds the value of a node that needs no search of its moves.
    #[inline(always)]
    pub(super) fn prune_node<const PV: bool>(&mut self, node: &mut Node) -> Option<Value> {
        if node.guesses && !PV && !node.in_check && node.excluded.is_none() {
            if let Some(v) = self.reverse_futility(node) {
                return Some(v);
            }
            if let Some(v) = self.razor(node) {
                return Some(v);
            }
            if self.may_pass(node)
                && let Some(v) = self.try_null_move(node)
            {
                return Some(v);
            }
        }
        if self.must_stop() {
            return Some(value::DRAW);
        }

        // Step 10. Internal iterative reduction (IIR): without a table move the ordering is poor; a
        // shallower search now finds one for the next time.
        if self.params.iir() != 0
            && (PV || node.cut_node)
            && node.depth >= self.params.iir_depth()
            && node.table_move.is_none()
        {
            node.depth -= 1;
        }

        if node.guesses && !PV { self.probcut(node) } else { None }
    }

    /// Step 7. Reverse futility: so far above beta that a quiet move will hardly spoil it. Not in
    /// a known win: there everything is far above, and only searching finds the way to the mate.
    #[inline(always)]
    fn reverse_futility(&self, node: &Node) -> Option<Value> {
        let Node { eval, beta, depth, .. } = *node;
        let margin = self.params.rfp_margin() * depth
            - self.params.rfp_improving() * i32::from(node.improving)
            + self.params.rfp_correction() * node.correction.abs() / 100;
        (self.params.rfp() != 0
            && depth <= self.params.rfp_depth()
            && eval >= beta
            && eval < KNOWN_WIN
            && eval - margin >= beta
            && (self.params.rfp_off_pv() == 0 || !node.was_pv)
            && beta > -value::TB_WIN_IN_MAX)
            .then(|| {
                let share = self.params.rfp_blend();
                (eval * share + beta * (1024 - share)) / 1024
            })
    }

    /// Step 8. Razoring: so far below alpha that only captures could save it.
    #[inline(always)]
    fn razor(&mut self, node: &Node) -> Option<Value> {
        let Node { alpha, depth, ply, .. } = *node;
        let params = self.params;
        let margin = params.razor_base() + params.razor_slope() * depth * depth;
        if params.razor() == 0 || depth > params.razor_depth() || node.eval + margin >= alpha {
            return None;
        }
        let v = self.quiesce::<false>(alpha, alpha + 1, ply, params.qs_checks() != 0);
        (v <= alpha && !value::is_decided(v)).then_some(v)
    }

    /// Step 9. Null move: if even passing keeps us above beta, a real move will too. Not with
    /// pawns only, where passing is often best, and not in a known win: passing keeps it, and says
    /// nothing of the way to the mate.
    #[inline(always)]
    fn may_pass(&self, node: &Node) -> bool {
        self.params.nmp() != 0
            && node.depth >= 3
            && (self.params.nmp_cut_only() == 0 || node.cut_node)
            && (self.params.nmp_table_guard() == 0
                || node.table_value.is_none_or(|v| v >= node.beta)
                || node.stored.is_some_and(|entry| !entry.bound.is_upper()))
            && node.eval >= node.beta
            && node.eval < KNOWN_WIN
            && node.static_eval + self.params.nmp_slack() * node.depth - self.params.nmp_margin() >= node.beta
            && self.frame_before(node.ply, 1).current_move.is_some()
            && node.ply >= self.null_move_from
            && node.beta > -value::TB_WIN_IN_MAX
            && self.board.has_pieces(self.board.side_to_move())
    }

    fn try_null_move(&mut self, node: &Node) -> Option<Value> {
        let Node { beta, depth, ply, cut_node, .. } = *node;
        let above = ((node.eval - beta) / self.params.nmp_eval()).min(self.params.nmp_eval_max());
        let reduction = (self.params.nmp_base() + self.params.nmp_depth() * depth) / 1024 + above;
        self.make_null(ply);
        let v = -self.search::<false, false>(-beta, -beta + 1, depth - reduction, ply + 1, !cut_node);
        self.board.unmake_null();
        if v < beta || self.must_stop() {
            return None;
        }
        // A mate found by passing is not proven.
        let v = if value::is_decided(v) { beta } else { v };
        if self.null_move_from > 0 || depth < self.params.nmp_verify_depth() {
            return Some(v);
        }
        // Deep down a zugzwang would cost much: verify without null moves for a while.
        self.null_move_from = ply + 3 * (depth - reduction).max(0) as usize / 4;
        let verified = self.search::<false, false>(beta - 1, beta, depth - reduction, ply, false);
        self.null_move_from = 0;
        (verified >= beta).then_some(v)
    }

    /// Step 11. ProbCut: a good capture that holds well above beta at low depth will hold.
    #[inline(always)]
    fn probcut(&mut self, node: &Node) -> Option<Value> {
        let params = self.params;
        let margin = params.probcut_margin() - params.probcut_improving() * i32::from(node.improving);
        let probcut_beta = node.beta + margin;
        if params.probcut() == 0
            || node.in_check
            || node.excluded.is_some()
            || node.depth < params.probcut_depth()
            || value::is_decided(node.beta)
            || (node.stored.is_some_and(|entry| entry.depth >= node.depth - 3)
                && node.table_value.is_some_and(|v| v < probcut_beta))
        {
            return None;
        }
        self.try_probcut(node, probcut_beta)
    }

    fn try_probcut(&mut self, node: &Node, probcut_beta: Value) -> Option<Value> {
        let Node { depth, ply, .. } = *node;
        let threshold = probcut_beta - node.static_eval;
        let mut picker = Picker::tacticals(self.shared.table, node.table_move, threshold);
        let hints = self.quiet_hints(ply);
        while let Some(m) = picker.next(&self.board, &self.memory.histories, &hints) {
            if !self.board.see_ge(m, threshold) {
                continue;
            }
            self.make(m, ply);
            let (low, high) = (-probcut_beta, -probcut_beta + 1);
            let mut v = -self.quiesce::<false>(low, high, ply + 1, false);
            if v >= probcut_beta {
                v = -self.search::<false, false>(low, high, depth - 4, ply + 1, !node.cut_node);
            }
            self.unmake();
            if self.must_stop() {
                return None;
            }
            if v >= probcut_beta {
                let entry = Entry {
                    best: Some(m),
                    value: v,
                    eval: node.raw_eval,
                    depth: depth - 3,
                    bound: Bound::Lower,
                    was_pv: node.was_pv,
                };
                self.shared.table.store(self.board.key(), ply, entry);
                return Some(v);
            }
        }
        None
    }
}
