//! Steps 12 to 18: the moves of a node, one after the other.

use super::history::taken_kind;
use super::node::Node;
use super::params::Numbers;
use super::pick::{Picker, QuietHints};
use super::thread::Thread;
use crate::board::CheckInfo;
use crate::eval::endgame::KNOWN_WIN;
use crate::tt::Bound;
use crate::types::{Color, Move, MoveList, Piece, Value, value};

/// What the moves of a node gave.
pub(super) struct Outcome {
    pub(super) best: Value,
    pub(super) best_move: Option<Move>,
    pub(super) bound: Bound,
    /// How many moves there were, pruned ones included.
    pub(super) move_count: i32,
    /// Searched, and not the best.
    pub(super) quiets_tried: MoveList,
    pub(super) captures_tried: MoveList,
    /// What orders the quiet moves here.
    pub(super) hints: QuietHints,
    /// Whether no move raised alpha.
    pub(super) failed_low: bool,
}

/// What is known of one move before it is searched.
pub(super) struct Candidate {
    pub(super) m: Move,
    pub(super) piece: Piece,
    pub(super) is_quiet: bool,
    /// What the histories say of it.
    pub(super) history: i32,
    /// Its number in the node, from 1.
    pub(super) number: i32,
    /// A killer or the counter-move.
    pub(super) is_refutation: bool,
    /// The reduction by depth and number, in 1024ths of a ply.
    pub(super) base_reduction: i32,
}

/// Whether to go on with a move.
#[derive(PartialEq, Eq)]
enum Verdict {
    Search,
    Skip,
    /// This one and all quiet ones after it.
    SkipQuiets,
}

/// Where the moves of a node come from.
struct MoveSource<'t> {
    picker: Picker<'t>,
    /// The next root move.
    root_number: usize,
    move_count: i32,
}

impl<'t, P: Numbers> Thread<'t, P> {
    /// What the moves of a node gave before any was tried, with what orders them.
    #[inline(always)]
    pub(super) fn no_outcome(&mut self, node: &Node) -> Outcome {
        let threats = self.board.attacked_by(!self.board.side_to_move());
        self.frame(node.ply).threats = threats;
        Outcome {
            best: node.least,
            best_move: None,
            // If no move is better than what the tablebases promise, that is the value.
            bound: if node.least > -value::INFINITE { Bound::Exact } else { Bound::Upper },
            move_count: 0,
            quiets_tried: MoveList::new(),
            captures_tried: MoveList::new(),
            hints: QuietHints { threats, ..self.quiet_hints(node.ply) },
            failed_low: false,
        }
    }

    /// Steps 12 to 18. Answers the value of a node that ended early.
    #[inline(always)]
    pub(super) fn search_moves<const PV: bool, const ROOT: bool>(
        &mut self,
        node: &mut Node,
        outcome: &mut Outcome,
    ) -> Option<Value> {
        // Step 12. The moves, most promising first.
        let ply = node.ply;
        let us = self.board.side_to_move();
        let killers = self.frame(ply).killers;
        let counter_move = self.memory.histories.counter_move(outcome.hints.earlier[0]);
        let picker = Picker::new(self.shared.table, node.table_move, killers, counter_move);
        let mut source = MoveSource { picker, root_number: self.line_index, move_count: 0 };
        let mut check_info = None;
        if self.params.order_check() != 0 {
            let info = check_info.get_or_insert_with(|| self.board.check_info());
            outcome.hints.check_squares = info.squares;
            outcome.hints.check_bonus = self.params.order_check();
        }
        let old_alpha = node.alpha;

        while let Some(m) = self.next_move::<ROOT>(node, &mut source, &outcome.hints) {
            if node.excluded == Some(m) {
                continue;
            }
            source.move_count += 1;
            if ROOT && let Some(handler) = &mut self.handler {
                let number = self.line_index as i32 + source.move_count;
                handler.current_move(self.root_depth as u32, m, number as u32);
            }
            let is_refutation = killers.contains(&Some(m)) || counter_move == Some(m);
            let candidate = self.candidate(node, m, source.move_count, us, &outcome.hints, is_refutation);

            // Step 13. Shallow pruning: late, quiet or losing moves that will hardly raise alpha.
            if node.guesses && !ROOT && outcome.best > -value::TB_WIN_IN_MAX && self.board.has_pieces(us) {
                match self.prune_move(node, &candidate, &mut check_info) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        source.picker.skip_quiets();
                        continue;
                    }
                }
            }

            // Step 14. Extensions: is the table move the only good one? Is it a check?
            let extension = match self.extension::<PV, ROOT>(node, m, &mut check_info) {
                Ok(extension) => extension,
                Err(v) => return Some(v),
            };
            let new_depth = node.depth - 1 + extension;

            let v = self.search_move::<PV, ROOT>(node, &candidate, outcome, new_depth);
            if self.must_stop() {
                return Some(value::DRAW);
            }
            if self.take_result::<PV, ROOT>(node, m, v, outcome) {
                break;
            }
        }
        outcome.move_count = source.move_count;
        outcome.failed_low = outcome.best <= old_alpha;
        None
    }

    /// The next move of a node: at the root from the list of root moves; else the book's moves after the table
    /// move, then the picker's.
    #[inline(always)]
    fn next_move<const ROOT: bool>(
        &mut self,
        node: &mut Node,
        source: &mut MoveSource<'t>,
        hints: &QuietHints,
    ) -> Option<Move> {
        if ROOT {
            let root = self.root_moves[..self.line_end].get(source.root_number)?;
            source.root_number += 1;
            node.opinion = root.opinion.map(|opinion| opinion.in_search_of(self.root_depth));
            return Some(root.m);
        }
        if (node.table_move.is_none() || source.move_count > 0)
            && let Some(m) = node.known_moves.take()
        {
            return Some(m);
        }
        loop {
            let m = source.picker.next(&self.board, &self.memory.histories, hints)?;
            if !(node.in_book && node.known_moves.contains(m)) {
                return Some(m);
            }
        }
    }

    #[inline(always)]
    fn candidate(
        &self,
        node: &Node,
        m: Move,
        number: i32,
        us: Color,
        hints: &QuietHints,
        is_refutation: bool,
    ) -> Candidate {
        let is_quiet = m.is_quiet();
        let piece = self.board.expect_piece(m.from());
        let histories = &self.memory.histories;
        let history = if is_quiet {
            histories.quiet(us, hints.threats, m)
                + histories.after(hints.earlier[0]).get(piece, m.to())
                + histories.after(hints.earlier[1]).get(piece, m.to())
                + if self.params.pawn_history() != 0 {
                    histories.with_pawns(&self.board).get(piece, m.to())
                } else {
                    0
                }
        } else {
            histories.capture(piece, m.to(), taken_kind(&self.board, m))
        };
        let base_reduction = self.base_reduction(node.depth, number, is_quiet);
        Candidate { m, piece, is_quiet, history, number, is_refutation, base_reduction }
    }

    /// Step 13 for one move.
    #[inline(always)]
    fn prune_move(&self, node: &Node, candidate: &Candidate, check_info: &mut Option<CheckInfo>) -> Verdict {
        let params = self.params;
        let &Candidate { m, history, .. } = candidate;
        let reduced_depth = (node.depth - 1 - candidate.base_reduction / 1024).max(0);
        if !candidate.is_quiet {
            let threshold = -params.see_capture() * node.depth - history / params.see_capture_history();
            return if params.see_pruning() != 0 && !self.board.see_ge(m, threshold) {
                Verdict::Skip
            } else {
                Verdict::Search
            };
        }
        // Late-move pruning: enough moves were tried.
        if params.lmp() != 0 && candidate.number > self.late_move_count(node) && !node.in_check {
            return Verdict::SkipQuiets;
        }
        // History pruning: moves like this one failed again and again.
        if params.history_pruning() != 0
            && reduced_depth <= params.history_prune_depth()
            && history < -params.history_prune() * node.depth
        {
            return Verdict::Skip;
        }
        // Futility: even a good quiet move would not reach alpha. The others are still asked for: one
        // of them may give check.
        if params.futility() != 0
            && !node.in_check
            && node.alpha < KNOWN_WIN
            && reduced_depth <= params.futility_depth()
            && node.static_eval
                + params.futility_base()
                + params.futility_slope() * reduced_depth
                + history * params.futility_history() / 8192
                <= node.alpha
            && !self.board.gives_check(check_info.get_or_insert_with(|| self.board.check_info()), m)
        {
            return Verdict::Skip;
        }
        // It loses material.
        if params.see_pruning() != 0
            && !self.board.see_ge(m, -params.see_quiet() * reduced_depth * reduced_depth)
        {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    /// So many moves are enough at this depth.
    #[inline(always)]
    fn late_move_count(&self, node: &Node) -> i32 {
        let params = self.params;
        let (base, slope) = if node.improving {
            (params.lmp_base(), params.lmp_slope())
        } else {
            (params.lmp_worse_base(), params.lmp_worse_slope())
        };
        (base + slope * node.depth * node.depth) / 100
    }

    /// Steps 15 to 17: makes the move, searches what follows, and takes it back.
    #[inline(always)]
    fn search_move<const PV: bool, const ROOT: bool>(
        &mut self,
        node: &mut Node,
        candidate: &Candidate,
        outcome: &Outcome,
        mut new_depth: i32,
    ) -> Value {
        let Candidate { m, number, .. } = *candidate;
        let ply = node.ply;
        let nodes_before = self.nodes;
        // At the root the book has a say in a move's value, so the window is the one for the value
        // before it spoke.
        let (low, high) = match node.opinion {
            Some(opinion) if ROOT => opinion.window(node.alpha, node.beta),
            _ => (node.alpha, node.beta),
        };
        self.make(m, ply);
        self.frame(ply).move_number = number;
        self.frame(ply).reduction = 0;

        let mut v = -value::INFINITE;
        if self.params.lmr() != 0 && node.depth >= 2 && number > 1 + i32::from(ROOT) {
            // Step 15. Late-move reductions: later moves are searched shallower first, and again
            // at full depth if they surprise.
            v = self.search_reduced::<PV>(node, candidate, outcome, (low, high), &mut new_depth);
        } else if !PV || number > 1 {
            // Step 16. Null window: enough to prove that a move is no better than the first.
            v = -self.search::<false, false>(-low - 1, -low, new_depth, ply + 1, !node.cut_node);
        }
        if PV && (number == 1 || v > low) {
            // Step 17. Full window: the first move, and any that may be better.
            self.frame(ply + 1).pv.clear();
            v = -self.search::<true, false>(-high, -low, new_depth, ply + 1, false);
        }
        self.unmake();
        if ROOT && !self.must_stop() {
            let searched = v;
            v = node.opinion.map_or(v, |opinion| opinion.blend(v));
            self.note_root_move(m, searched, v, number, (node.alpha, node.beta), nodes_before);
        }
        v
    }

    /// Step 18. A new best move, perhaps a cutoff: then `true`.
    #[inline(always)]
    fn take_result<const PV: bool, const ROOT: bool>(
        &mut self,
        node: &mut Node,
        m: Move,
        v: Value,
        outcome: &mut Outcome,
    ) -> bool {
        if v > outcome.best {
            outcome.best = v;
            if v > node.alpha {
                outcome.best_move = Some(m);
                if PV && !ROOT {
                    self.update_pv(node.ply, m);
                }
                if v >= node.beta {
                    outcome.bound = Bound::Lower;
                    self.frame(node.ply).cutoffs += 1;
                    return true;
                }
                outcome.bound = Bound::Exact;
                node.alpha = v;
                // Others will rarely be better still: search them a little shallower.
                let shallower = self.params.raised_min_depth()..self.params.raised_max_depth();
                if shallower.contains(&node.depth) && !value::is_decided(v) {
                    node.depth -= 1;
                }
            }
        }
        if Some(m) != outcome.best_move {
            if !m.is_quiet() {
                outcome.captures_tried.push(m);
            } else if outcome.quiets_tried.len() < 128 {
                outcome.quiets_tried.push(m);
            }
        }
        false
    }
}
