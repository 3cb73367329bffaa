//! Step 20: what a node teaches the histories.

use super::history::PieceTo;
use super::move_loop::Outcome;
use super::node::Node;
use super::params::Numbers;
use super::thread::{Frame, Thread};
use crate::types::{Move, value};

impl<P: Numbers> Thread<'_, P> {
    /// Step 20. Learn: what cut off, and what was tried before it in vain.
    #[inline(always)]
    pub(super) fn learn<const ROOT: bool>(&mut self, node: &Node, outcome: &Outcome) {
        if outcome.best >= node.beta
            && let Some(m) = outcome.best_move
        {
            let clearly = outcome.best > node.beta + self.params.bonus_margin();
            self.reward(m, node.depth + i32::from(clearly), node.ply, outcome);
        } else if !outcome.failed_low && self.params.learn_exact() != 0 {
            if let Some(m) = outcome.best_move {
                self.reward(m, node.depth, node.ply, outcome);
            }
        } else if outcome.failed_low
            && node.ply > 0
            && !ROOT
            && (self.params.refuted_deep() == 0 || (node.depth >= 3 && node.excluded.is_none()))
        {
            self.reward_refutation(node.depth, node.ply);
        }
    }

    /// Rewards the move that cut off, and punishes those tried before it.
    fn reward(&mut self, m: Move, depth: i32, ply: usize, outcome: &Outcome) {
        let (bonus, malus, params) = (self.bonus(depth), -self.malus(depth), self.params);
        if params.refuted_malus() != 0 {
            self.punish_refuted(malus, ply);
        }
        let (board, histories, hints) = (&self.board, &mut self.memory.histories, &outcome.hints);
        if m.is_quiet() {
            // A cutoff after one move at low depth says little.
            let few = if params.learn_single() != 0 { 0 } else { 1 };
            let with_pawns = params.pawn_history() != 0;
            if depth > 3 || outcome.quiets_tried.len() > few {
                histories.add_quiet(params, board, hints.threats, &hints.earlier, m, bonus);
                if with_pawns {
                    histories.add_with_pawns(board, board.expect_piece(m.from()), m.to(), bonus);
                }
            }
            for &tried in outcome.quiets_tried.iter() {
                histories.add_quiet(params, board, hints.threats, &hints.earlier, tried, malus);
                if with_pawns {
                    histories.add_with_pawns(board, board.expect_piece(tried.from()), tried.to(), malus);
                }
            }
            histories.set_counter_move(hints.earlier[0], m);
        } else {
            histories.add_capture(board, m, bonus);
        }
        for &tried in outcome.captures_tried.iter() {
            histories.add_capture(board, tried, malus);
        }
        if m.is_quiet() {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != Some(m) {
                *killers = [Some(m), killers[0]];
            }
        }
    }

    /// Every reply failed: the quiet move that led here was a good one.
    fn reward_refutation(&mut self, depth: i32, ply: usize) {
        let before = self.frame_before(ply, 1);
        let (Some(m), moved) = (before.current_move, before.moved) else { return };
        if m.is_quiet() && moved != PieceTo::NONE {
            let earlier = self.earlier_moves(ply - 1);
            if let Some(piece) = self.board.piece_at(m.to()) {
                let bonus = self.bonus(depth) * self.params.refuted_share() / 100;
                self.memory.histories.add_continuation(&earlier, piece, m.to(), bonus);
            }
        }
    }

    /// The first quiet move of the node before was refuted at once: it was a bad one.
    pub(super) fn punish_refuted(&mut self, malus: i32, ply: usize) {
        let Some(before) = ply.checked_sub(1) else { return };
        let &Frame { current_move, move_number, .. } = self.frame_before(ply, 1);
        let Some(m) = current_move.filter(|m| m.is_quiet()) else { return };
        if move_number <= 2
            && let Some(piece) = self.board.piece_at(m.to())
        {
            let earlier = self.earlier_moves(before);
            self.memory.histories.add_continuation(&earlier, piece, m.to(), malus);
        }
    }

    /// The quiet move before made the evaluation better or worse for who played it.
    #[inline(always)]
    pub(super) fn reward_by_evaluation(&mut self, node: &Node) {
        let &Frame { current_move, static_eval, threats, .. } = self.frame_before(node.ply, 1);
        let Some(m) = current_move.filter(|m| m.is_quiet()) else { return };
        if static_eval == value::NONE || node.in_check || node.excluded.is_some() {
            return;
        }
        let most = self.params.eval_bonus_max();
        let bonus = (-self.params.eval_bonus_slope() * (static_eval + node.static_eval)).clamp(-most, most);
        self.memory.histories.add_plain(self.params, !self.board.side_to_move(), threats, m, bonus);
    }

    /// What a cutoff at this depth is worth to a history.
    #[inline(always)]
    pub(super) fn bonus(&self, depth: i32) -> i32 {
        (self.params.bonus_slope() * depth).min(self.params.bonus_max())
    }

    /// What a vain try at this depth costs.
    #[inline(always)]
    pub(super) fn malus(&self, depth: i32) -> i32 {
        (self.params.malus_slope() * depth).min(self.params.malus_max())
    }
}
