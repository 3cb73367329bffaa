//! Alpha-beta for one node, as numbered steps with a reason each.

use super::experience::KnownMoves;
use super::history::taken_kind;
use super::params;
use super::pick::{Picker, QuietHints};
use super::thread::Thread;
use crate::eval::endgame::KNOWN_WIN;
use crate::tt::{Bound, Entry};
use crate::types::{MAX_PLY, Move, MoveList, Value, value};

/// Where a move is worth only so much, draws this close to the fifty-move limit are not trusted to the
/// table: the table knows nothing of the clock.
const TABLE_TRUSTS_CLOCK_BELOW: u16 = 90;

impl Thread<'_> {
    /// The value of the root position within the window.
    pub(super) fn search_root(&mut self, alpha: Value, beta: Value, depth: i32) -> Value {
        self.search::<true, true>(alpha, beta, depth, 0, false)
    }

    /// The value of the node within the window, for the side to move. `PV`: the window is open and the
    /// line matters. `cut_node`: we expect this node to fail high.
    pub(super) fn search<const PV: bool, const ROOT: bool>(
        &mut self,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Value {
        // Step 1. Horizon: from here on only captures.
        if depth <= 0 {
            return self.quiesce::<PV>(alpha, beta, ply);
        }
        if PV {
            self.frame(ply).pv.clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.must_stop() {
            return value::DRAW;
        }

        let in_check = self.board.in_check();
        let excluded = self.frame(ply).excluded;

        if !ROOT {
            // Steps 2 and 3. Draws by rule or by force, and lines too long to follow.
            if let Some(v) = self.settled(&mut alpha, beta, ply, in_check) {
                return v;
            }
            // Step 4. Mate distance: a shorter mate already found elsewhere decides this node.
            alpha = alpha.max(value::mated_in(ply));
            beta = beta.min(value::mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 5. What the table knows.
        let key = self.board.key();
        let stored = if excluded.is_some() { None } else { self.shared.table.probe(key, ply) };
        let table_move = if ROOT {
            Some(self.root_moves[self.line_index].m)
        } else {
            stored.and_then(|entry| entry.best).filter(|&m| self.board.is_legal(m))
        };
        let table_value = stored.filter(|entry| entry.bound != Bound::None).map(|entry| entry.value);
        if !PV
            && let (Some(entry), Some(v)) = (&stored, table_value)
            && entry.depth >= depth
            && (if v >= beta { entry.bound.is_lower() } else { entry.bound.is_upper() })
            && self.board.halfmove_clock() < TABLE_TRUSTS_CLOCK_BELOW
        {
            // A quiet move that cuts off here is good in general.
            if v >= beta
                && let Some(m) = table_move
                && m.is_quiet()
            {
                let earlier = self.earlier_moves(ply);
                let threats = self.board.attacked_by(!self.board.side_to_move());
                self.memory.histories.add_quiet(&self.board, threats, &earlier, m, bonus(depth));
            }
            return v;
        }
        let was_pv = PV || stored.is_some_and(|entry| entry.was_pv);
        self.frame(ply).was_pv = was_pv;

        // Step 5, continued. What the tablebases know, if so few men are left.
        let (mut least, mut most) = (-value::INFINITE, value::INFINITE);
        if !ROOT
            && self.board.occupied().count() <= self.shared.tables.most_men
            && excluded.is_none()
            && let Some(known) = self.probe_tables(depth, ply)
        {
            if known.settles(alpha, beta) {
                self.remember_probe(&known, depth, ply, was_pv);
                return known.value;
            }
            if PV && known.bound == Bound::Lower {
                least = known.value;
                alpha = alpha.max(least);
            } else if PV {
                most = known.value;
            }
        }

        // Step 5, concluded. What the Experience Book knows, if the position before this one is in it.
        let mut opinion = None;
        let mut known_moves = KnownMoves::NONE;
        let in_book = if ROOT {
            self.root_in_book
        } else if self.frame_before(ply, 1).leads_into_book()
            && let Some((of_position, of_moves)) = self.consult_experience(table_move)
        {
            (opinion, known_moves) = (Some(of_position), of_moves);
            true
        } else {
            false
        };
        self.frame(ply).in_book = in_book;

        // What the moves that come first will ask the table for: after the evaluation it is there.
        if let Some(m) = table_move {
            self.shared.table.prefetch(self.board.key_after(m));
        }
        if !PV && !in_check && depth >= 3 {
            self.shared.table.prefetch(self.board.key_after_null());
        }

        // Step 6. Static evaluation. In check it means nothing.
        let mut raw_eval = value::NONE;
        let mut eval = value::NONE;
        if in_check {
            self.frame(ply).static_eval = value::NONE;
        } else if excluded.is_some() {
            eval = self.frame(ply).static_eval;
        } else {
            raw_eval = match stored {
                Some(entry) if entry.eval != value::NONE => entry.eval,
                _ => self.evaluate(),
            };
            eval = self.correct(raw_eval);
            if let Some(opinion) = opinion {
                eval = opinion.blend(eval);
            }
            self.frame(ply).static_eval = eval;
            match (&stored, table_value) {
                // A searched bound is a better guess than the evaluation.
                (Some(entry), Some(v))
                    if !value::is_decided(v)
                        && (if v > eval { entry.bound.is_lower() } else { entry.bound.is_upper() }) =>
                {
                    eval = v;
                }
                (None, _) => {
                    let entry = Entry {
                        best: None,
                        value: value::NONE,
                        eval: raw_eval,
                        depth: -5,
                        bound: Bound::None,
                        was_pv,
                    };
                    self.shared.table.store(key, ply, entry);
                }
                _ => {}
            }
        }
        let static_eval = self.frame(ply).static_eval;
        // Whether our position got better since our last move: then failing high is likelier, and
        // pruning on the low side deserves more care.
        let improving = !in_check && {
            let before = [2, 4]
                .map(|back| self.frame_before(ply, back).static_eval)
                .into_iter()
                .find(|&eval| eval != value::NONE);
            before.is_none_or(|before| static_eval > before)
        };

        let next = self.frame(ply + 1);
        next.excluded = None;
        next.killers = [None; 2];
        self.frame(ply + 2).cutoffs = 0;
        if !ROOT {
            self.frame(ply).double_extensions = self.frame_before(ply, 1).double_extensions;
        }

        // Who asks for a mate wants every defence tried: a guess from the evaluation, or from what passing would give,
        // hides the quiet moves and the zugzwangs that such problems are made of.
        let guesses = self.shared.limits.mate.is_none();
        if guesses && !PV && !in_check && excluded.is_none() {
            // Step 7. Reverse futility: so far above beta that a quiet move will hardly spoil it. Not in
            // a known win: there everything is far above, and only searching finds the way to the mate.
            if depth <= params::rfp_depth()
                && eval >= beta
                && eval < KNOWN_WIN
                && eval - (params::rfp_margin() * depth - params::rfp_improving() * i32::from(improving))
                    >= beta
                && beta > -value::TB_WIN_IN_MAX
            {
                return (eval + beta) / 2;
            }

            // Step 8. Razoring: so far below alpha that only captures could save it.
            if depth <= 4 && eval + params::razor_base() + params::razor_slope() * depth * depth < alpha {
                let v = self.quiesce::<false>(alpha, alpha + 1, ply);
                if v <= alpha && !value::is_decided(v) {
                    return v;
                }
            }

            // Step 9. Null move: if even passing keeps us above beta, a real move will too. Not with
            // pawns only, where passing is often best, and not in a known win: passing keeps it, and says
            // nothing of the way to the mate.
            if depth >= 3
                && eval >= beta
                && eval < KNOWN_WIN
                && static_eval + params::nmp_slack() * depth - 120 >= beta
                && self.frame_before(ply, 1).current_move.is_some()
                && ply >= self.null_move_from
                && beta > -value::TB_WIN_IN_MAX
                && self.board.has_pieces(self.board.side_to_move())
                && let Some(v) = self.try_null_move(beta, depth, ply, eval, cut_node)
            {
                return v;
            }
        }
        if self.must_stop() {
            return value::DRAW;
        }

        // Step 10. Internal iterative reduction: without a table move the ordering is poor; a
        // shallower search now finds one for the next time.
        if (PV || cut_node) && depth >= 4 && table_move.is_none() {
            depth -= 1;
        }

        // Step 11. ProbCut: a good capture that holds well above beta at low depth will hold.
        let probcut_beta =
            beta + params::probcut_margin() - params::probcut_improving() * i32::from(improving);
        if guesses
            && !PV
            && !in_check
            && excluded.is_none()
            && depth >= 5
            && !value::is_decided(beta)
            && (stored.is_none_or(|entry| entry.depth < depth - 3)
                || table_value.is_none_or(|v| v >= probcut_beta))
            && let Some(v) = self.try_probcut(probcut_beta, depth, ply, table_move, raw_eval, cut_node)
        {
            return v;
        }
        if self.must_stop() {
            return value::DRAW;
        }

        // Step 12. The moves, most promising first.
        let us = self.board.side_to_move();
        let hints = QuietHints { threats: self.board.attacked_by(!us), earlier: self.earlier_moves(ply) };
        let killers = self.frame(ply).killers;
        let counter_move = self.memory.histories.counter_move(hints.earlier[0]);
        let mut check_info = None;
        let mut picker = Picker::new(self.shared.table, table_move, killers, counter_move);
        let mut root_number = self.line_index;
        let table_move_is_capture = table_move.is_some_and(Move::is_capture);

        let (mut best, mut best_move) = (least, None);
        // If no move is better than what the tablebases promise, that is the value.
        let mut bound = if least > -value::INFINITE { Bound::Exact } else { Bound::Upper };
        let mut move_count = 0;
        let mut quiets_tried = MoveList::new();
        let mut captures_tried = MoveList::new();
        let old_alpha = alpha;

        loop {
            let m = if ROOT {
                let Some(root) = self.root_moves[..self.line_end].get(root_number) else { break };
                root_number += 1;
                opinion = root.opinion.map(|opinion| opinion.in_search_of(self.root_depth));
                root.m
            } else if (table_move.is_none() || move_count > 0)
                && let Some(m) = known_moves.take()
            {
                m
            } else {
                let Some(m) = picker.next(&self.board, &self.memory.histories, &hints) else { break };
                if in_book && known_moves.contains(m) {
                    continue;
                }
                m
            };
            if excluded == Some(m) {
                continue;
            }
            move_count += 1;
            if ROOT && let Some(handler) = &mut self.handler {
                handler.current_move(self.root_depth as u32, m, (self.line_index as i32 + move_count) as u32);
            }
            let is_quiet = m.is_quiet();
            let piece = self.board.expect_piece(m.from());
            let history = if is_quiet {
                let histories = &self.memory.histories;
                histories.quiet(us, hints.threats, m)
                    + histories.after(hints.earlier[0]).get(piece, m.to())
                    + histories.after(hints.earlier[1]).get(piece, m.to())
            } else {
                self.memory.histories.capture(piece, m.to(), taken_kind(&self.board, m))
            };
            let mut new_depth = depth - 1;
            let mut reduction = self.base_reduction(depth, move_count, is_quiet);

            // Step 13. Shallow pruning: late, quiet or losing moves that will hardly raise alpha.
            if guesses && !ROOT && best > -value::TB_WIN_IN_MAX && self.board.has_pieces(us) {
                let reduced_depth = (new_depth - reduction / 1024).max(0);
                if is_quiet {
                    // Enough moves were tried.
                    let late = (params::lmp_base() + depth * depth) / if improving { 1 } else { 2 };
                    if move_count > late && !in_check {
                        picker.skip_quiets();
                        continue;
                    }
                    // Moves like this one failed again and again.
                    if reduced_depth <= 4 && history < -params::history_prune() * depth {
                        continue;
                    }
                    // Even a good quiet move would not reach alpha. The others are still asked for: one
                    // of them may give check.
                    if !in_check
                        && alpha < KNOWN_WIN
                        && reduced_depth <= 8
                        && static_eval + params::futility_base() + params::futility_slope() * reduced_depth
                            <= alpha
                        && !self
                            .board
                            .gives_check(check_info.get_or_insert_with(|| self.board.check_info()), m)
                    {
                        continue;
                    }
                    // It loses material.
                    if !self.board.see_ge(m, -params::see_quiet() * reduced_depth * reduced_depth) {
                        continue;
                    }
                } else if !self.board.see_ge(m, -params::see_capture() * depth - history / 64) {
                    continue;
                }
            }

            // Step 14. Extensions: is the table move the only good one?
            let mut extension = 0;
            if !ROOT
                && depth >= 6
                && Some(m) == table_move
                && excluded.is_none()
                && ply < 2 * self.root_depth as usize
                && let (Some(entry), Some(v)) = (&stored, table_value)
                && entry.depth >= depth - 3
                && entry.bound.is_lower()
                && !value::is_decided(v)
            {
                let singular_beta = v - params::singular_margin() * depth / 16;
                self.frame(ply).excluded = Some(m);
                let without = self.search::<false, false>(
                    singular_beta - 1,
                    singular_beta,
                    (depth - 1) / 2,
                    ply,
                    cut_node,
                );
                self.frame(ply).excluded = None;
                if self.must_stop() {
                    return value::DRAW;
                }
                if without < singular_beta {
                    extension = 1;
                    if !PV
                        && without < singular_beta - params::double_margin()
                        && self.frame(ply).double_extensions < 8
                    {
                        extension = 2;
                        self.frame(ply).double_extensions += 1;
                    }
                } else if singular_beta >= beta {
                    // Multi-cut: even without its best move the node fails high.
                    return singular_beta;
                } else if v >= beta {
                    // Others may fail high as well: spend less here.
                    extension = -2;
                } else if cut_node {
                    extension = -1;
                }
            }
            new_depth += extension;

            let nodes_before = self.nodes;
            // At the root the book has a say in a move's value, so the window is the one for the value
            // before it spoke.
            let (low, high) = match opinion {
                Some(opinion) if ROOT => opinion.window(alpha, beta),
                _ => (alpha, beta),
            };
            self.make(m, ply);

            // Step 15. Late-move reductions: later moves are searched shallower first, and again
            // at full depth if they surprise.
            let mut v = -value::INFINITE;
            if depth >= 2 && move_count > 1 + usize::from(ROOT) as i32 {
                reduction += 1024 * i32::from(!improving);
                reduction += 1024 * i32::from(cut_node) * if is_quiet { 2 } else { 1 };
                reduction += 1024 * i32::from(table_move_is_capture && is_quiet);
                reduction += 1024 * i32::from(self.frame(ply + 1).cutoffs > 3);
                reduction -= 1024 * i32::from(PV);
                reduction -= 1024 * i32::from(was_pv);
                reduction -= 1024 * i32::from(self.board.in_check()); // it gives check
                reduction -= 1024 * i32::from(in_check);
                reduction -= 1024 * i32::from(killers.contains(&Some(m)) || counter_move == Some(m));
                reduction -= history * 1024 / params::lmr_history();
                let reduced = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
                v = -self.search::<false, false>(-low - 1, -low, reduced, ply + 1, true);
                if v > low && reduced < new_depth {
                    // How much it surprised says how deep to look again.
                    new_depth += i32::from(v > best + params::deeper_margin()) - i32::from(v < best + 8);
                    if reduced < new_depth {
                        v = -self.search::<false, false>(-low - 1, -low, new_depth, ply + 1, !cut_node);
                    }
                    // The reply it refutes says something about the move itself.
                    if is_quiet {
                        let outcome = if v <= low {
                            -malus(new_depth)
                        } else if v >= high {
                            bonus(new_depth)
                        } else {
                            0
                        };
                        self.memory.histories.add_continuation(&hints.earlier, piece, m.to(), outcome);
                    }
                }
            } else if !PV || move_count > 1 {
                // Step 16. Null window: enough to prove that a move is no better than the first.
                v = -self.search::<false, false>(-low - 1, -low, new_depth, ply + 1, !cut_node);
            }
            if PV && (move_count == 1 || v > low) {
                // Step 17. Full window: the first move, and any that may be better.
                self.frame(ply + 1).pv.clear();
                v = -self.search::<true, false>(-high, -low, new_depth, ply + 1, false);
            }
            self.unmake();
            if self.must_stop() {
                return value::DRAW;
            }

            if ROOT {
                let searched = v;
                v = opinion.map_or(v, |opinion| opinion.blend(v));
                self.note_root_move(m, searched, v, move_count, (alpha, beta), nodes_before);
            }

            // Step 18. A new best move, perhaps a cutoff.
            if v > best {
                best = v;
                if v > alpha {
                    best_move = Some(m);
                    if PV && !ROOT {
                        self.update_pv(ply, m);
                    }
                    if v >= beta {
                        bound = Bound::Lower;
                        self.frame(ply).cutoffs += 1;
                        break;
                    }
                    bound = Bound::Exact;
                    alpha = v;
                    // Others will rarely be better still: search them a little shallower.
                    if (3..12).contains(&depth) && !value::is_decided(v) {
                        depth -= 1;
                    }
                }
            }
            if Some(m) != best_move {
                if is_quiet {
                    if quiets_tried.len() < 128 {
                        quiets_tried.push(m);
                    }
                } else {
                    captures_tried.push(m);
                }
            }
        }

        // Step 19. No move: mate or stalemate (or nothing but the excluded one).
        if move_count == 0 {
            return if excluded.is_some() {
                alpha
            } else if in_check {
                value::mated_in(ply)
            } else {
                self.style_draw()
            };
        }

        best = best.min(most);

        // Step 20. Learn: what cut off, and what was tried before it in vain.
        if best >= beta
            && let Some(m) = best_move
        {
            self.reward(m, depth + i32::from(best > beta + 80), ply, &hints, &quiets_tried, &captures_tried);
        } else if best <= old_alpha && ply > 0 && !ROOT {
            self.reward_refutation(depth, ply);
        }

        // Step 21. Remember.
        if excluded.is_none() && !(ROOT && self.line_index > 0) {
            let entry = Entry { best: best_move, value: best, eval: raw_eval, depth, bound, was_pv };
            self.shared.table.store(key, ply, entry);
        }
        // Step 22. Correct the evaluation of positions like this one, where the search can judge it.
        if !in_check
            && excluded.is_none()
            && best_move.is_none_or(Move::is_quiet)
            && !value::is_decided(best)
            && !(bound == Bound::Lower && best <= static_eval)
            && !(bound == Bound::Upper && best >= static_eval)
        {
            let error = best - self.fading(raw_eval);
            self.memory.histories.learn_correction(&self.board, error, depth);
        }
        best
    }

    /// What needs no search, in a node or in quiescence: draws by rule, lines too long to follow; and a
    /// repetition that we can force, which makes a draw the least we get.
    #[inline(always)]
    pub(super) fn settled(
        &mut self,
        alpha: &mut Value,
        beta: Value,
        ply: usize,
        in_check: bool,
    ) -> Option<Value> {
        if self.is_draw_by_rule(ply, in_check) {
            return Some(self.draw_value());
        }
        if ply >= MAX_PLY {
            return Some(if in_check { self.draw_value() } else { self.evaluate() });
        }
        if *alpha < self.style_draw() && self.board.upcoming_repetition(ply) {
            *alpha = self.draw_value();
            if *alpha >= beta {
                return Some(*alpha);
            }
        }
        None
    }

    /// Repetition, fifty moves (unless mated), dead positions.
    #[inline(always)]
    fn is_draw_by_rule(&self, ply: usize, in_check: bool) -> bool {
        let board = &self.board;
        board.is_search_repetition(ply)
            || (board.fifty_moves_passed() && (!in_check || board.count_legal_moves() > 0))
            || (board.occupied().count() <= 4 && board.insufficient_material())
    }

    /// Step 9 in full.
    fn try_null_move(
        &mut self,
        beta: Value,
        depth: i32,
        ply: usize,
        eval: Value,
        cut_node: bool,
    ) -> Option<Value> {
        let reduction =
            params::nmp_base() + depth / params::nmp_divisor() + ((eval - beta) / params::nmp_eval()).min(3);
        self.make_null(ply);
        let v = -self.search::<false, false>(-beta, -beta + 1, depth - reduction, ply + 1, !cut_node);
        self.board.unmake_null();
        if v < beta || self.must_stop() {
            return None;
        }
        // A mate found by passing is not proven.
        let v = if value::is_decided(v) { beta } else { v };
        if self.null_move_from > 0 || depth < 14 {
            return Some(v);
        }
        // Deep down a zugzwang would cost much: verify without null moves for a while.
        self.null_move_from = ply + 3 * (depth - reduction).max(0) as usize / 4;
        let verified = self.search::<false, false>(beta - 1, beta, depth - reduction, ply, false);
        self.null_move_from = 0;
        (verified >= beta).then_some(v)
    }

    /// Step 11 in full.
    fn try_probcut(
        &mut self,
        probcut_beta: Value,
        depth: i32,
        ply: usize,
        table_move: Option<Move>,
        raw_eval: Value,
        cut_node: bool,
    ) -> Option<Value> {
        let static_eval = self.frame(ply).static_eval;
        let mut picker = Picker::tacticals(self.shared.table, table_move, probcut_beta - static_eval);
        let hints = QuietHints { threats: Default::default(), earlier: self.earlier_moves(ply) };
        while let Some(m) = picker.next(&self.board, &self.memory.histories, &hints) {
            if !self.board.see_ge(m, probcut_beta - static_eval) {
                continue;
            }
            self.make(m, ply);
            let mut v = -self.quiesce::<false>(-probcut_beta, -probcut_beta + 1, ply + 1);
            if v >= probcut_beta {
                v = -self.search::<false, false>(
                    -probcut_beta,
                    -probcut_beta + 1,
                    depth - 4,
                    ply + 1,
                    !cut_node,
                );
            }
            self.unmake();
            if self.must_stop() {
                return None;
            }
            if v >= probcut_beta {
                let entry = Entry {
                    best: Some(m),
                    value: v,
                    eval: raw_eval,
                    depth: depth - 3,
                    bound: Bound::Lower,
                    was_pv: self.frame(ply).was_pv,
                };
                self.shared.table.store(self.board.key(), ply, entry);
                return Some(v);
            }
        }
        None
    }

    /// The reduction of a move by depth and number, in 1024ths of a ply.
    #[inline(always)]
    fn base_reduction(&self, depth: i32, move_count: i32, is_quiet: bool) -> i32 {
        let ln = |n: i32| self.logarithms[n.clamp(1, 63) as usize];
        let product = ln(depth) * ln(move_count) / 1024;
        if is_quiet {
            params::lmr_base() + product * params::lmr_factor() / 1024
        } else {
            params::lmr_capture_base() + product * params::lmr_capture_factor() / 1024
        }
    }

    /// Writes down what a root move gave: what the search found, and what that is with the book's say.
    fn note_root_move(
        &mut self,
        m: Move,
        searched: Value,
        v: Value,
        move_count: i32,
        (alpha, beta): (Value, Value),
        nodes_before: u64,
    ) {
        let nodes = self.nodes - nodes_before;
        let seldepth = self.seldepth as u32;
        let line: Option<Vec<Move>> = (move_count == 1 || v > alpha)
            .then(|| std::iter::once(m).chain(self.frame(1).pv.iter()).collect());
        let Some(root) = self.root_moves.iter_mut().find(|root| root.m == m) else { return };
        root.nodes += nodes;
        match line {
            Some(line) => {
                root.score = v;
                root.searched = searched;
                root.seldepth = seldepth;
                root.bound = if v >= beta {
                    Bound::Lower
                } else if v <= alpha {
                    Bound::Upper
                } else {
                    Bound::Exact
                };
                root.pv = line;
            }
            // Not better than the best: keep the order of the iteration before.
            None => root.score = -value::INFINITE,
        }
    }

    /// Rewards the move that cut off, and punishes those tried before it.
    fn reward(
        &mut self,
        m: Move,
        depth: i32,
        ply: usize,
        hints: &QuietHints,
        quiets_tried: &MoveList,
        captures_tried: &MoveList,
    ) {
        let (bonus, malus) = (bonus(depth), -malus(depth));
        let (board, histories) = (&self.board, &mut self.memory.histories);
        if m.is_quiet() {
            // A cutoff after one move at low depth says little.
            if depth > 3 || quiets_tried.len() > 1 {
                histories.add_quiet(board, hints.threats, &hints.earlier, m, bonus);
            }
            for &tried in quiets_tried.iter() {
                histories.add_quiet(board, hints.threats, &hints.earlier, tried, malus);
            }
            histories.set_counter_move(hints.earlier[0], m);
        } else {
            histories.add_capture(board, m, bonus);
        }
        for &tried in captures_tried.iter() {
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
        if m.is_quiet() && moved != super::history::PieceTo::NONE {
            let earlier = self.earlier_moves(ply - 1);
            if let Some(piece) = self.board.piece_at(m.to()) {
                self.memory.histories.add_continuation(&earlier, piece, m.to(), bonus(depth) / 2);
            }
        }
    }
}

/// What a cutoff at this depth is worth to a history.
#[inline(always)]
fn bonus(depth: i32) -> i32 {
    (params::bonus_slope() * depth).min(params::bonus_max())
}

/// What a vain try at this depth costs.
#[inline(always)]
fn malus(depth: i32) -> i32 {
    (params::malus_slope() * depth).min(params::malus_max())
}
