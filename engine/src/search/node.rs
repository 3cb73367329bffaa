//! Alpha-beta for one node, as numbered steps: here what a node is, how it begins and how it ends.
//! Steps 7 to 11 are in `prune`, 12 to 18 in `move_loop`, 14 in `extend`, 15 in `reduce`, 20 in `reward`.

use super::correction::Occasion;
use super::experience::{KnownMoves, Opinion};
use super::move_loop::Outcome;
use super::params::Numbers;
use super::thread::Thread;
use crate::tt::{Bound, Entry};
use crate::types::{MAX_PLY, Move, Value, value};

/// Where a move is worth only so much, draws this close to the fifty-move limit are not trusted to the
/// table: the table knows nothing of the clock.
const TABLE_TRUSTS_CLOCK_BELOW: u16 = 90;
/// The depth of an entry that holds nothing but a static evaluation.
const EVALUATION_DEPTH: i32 = -5;

/// What a node knows of itself, gathered step by step.
pub(super) struct Node {
    pub(super) alpha: Value,
    pub(super) beta: Value,
    pub(super) depth: i32,
    pub(super) ply: usize,
    /// We expect it to fail high.
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    /// The move left out while finding out whether it is singular.
    pub(super) excluded: Option<Move>,
    /// What the table knows (`ttEntry`), its move (`ttMove`) and its value (`ttValue`).
    pub(super) stored: Option<Entry>,
    pub(super) table_move: Option<Move>,
    pub(super) table_value: Option<Value>,
    /// It is or was on a principal variation (`ttPv`).
    pub(super) was_pv: bool,
    /// What tablebases promise at least and at most.
    pub(super) least: Value,
    pub(super) most: Value,
    /// What the Experience Book thinks of the position, and its moves.
    pub(super) opinion: Option<Opinion>,
    pub(super) known_moves: KnownMoves,
    pub(super) in_book: bool,
    /// The evaluation as it came from the weights; `value::NONE` in check.
    pub(super) raw_eval: Value,
    /// Corrected (`static_eval`); `value::NONE` in check.
    pub(super) static_eval: Value,
    /// The best guess of the value without a search: the table's if it says more.
    pub(super) eval: Value,
    /// By how much searches of similar positions found the evaluation too low.
    pub(super) correction: Value,
    /// Whether our position got better since our last move: then failing high is likelier, and
    /// pruning on the low side deserves more care.
    pub(super) improving: bool,
    /// Whether guesses may replace a search: see [`Thread::may_guess`].
    pub(super) guesses: bool,
}

impl<P: Numbers> Thread<'_, P> {
    /// The value of the root position within the window.
    pub(super) fn search_root(&mut self, alpha: Value, beta: Value, depth: i32) -> Value {
        self.search::<true, true>(alpha, beta, depth, 0, false)
    }

    /// The value of the node within the window, for the side to move. `PV`: the window is open and the
    /// line matters. `cut_node`: we expect this node to fail high.
    pub(super) fn search<const PV: bool, const ROOT: bool>(
        &mut self,
        alpha: Value,
        beta: Value,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Value {
        // Step 1. Horizon: from here on only captures, and checks at first.
        if depth <= 0 {
            return self.quiesce::<PV>(alpha, beta, ply, self.params.qs_checks() != 0);
        }
        if PV {
            self.frame(ply).pv.clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.must_stop() {
            return value::DRAW;
        }
        let mut node = match self.enter::<PV, ROOT>(alpha, beta, depth, ply, cut_node) {
            Ok(node) => node,
            Err(v) => return v,
        };
        self.judge(&mut node);
        self.prepare_children::<ROOT>(ply);
        if self.params.eval_bonus() != 0 {
            self.reward_by_evaluation(&node);
        }
        if self.params.hindsight() != 0 && !ROOT && node.excluded.is_none() {
            self.look_back(&mut node);
        }
        if let Some(v) = self.prune_node::<PV>(&mut node) {
            return v;
        }
        if self.must_stop() {
            return value::DRAW;
        }
        // Filled in place: it is large, and moving it costs.
        let mut outcome = self.no_outcome(&node);
        match self.search_moves::<PV, ROOT>(&mut node, &mut outcome) {
            None => self.conclude::<PV, ROOT>(&node, &mut outcome),
            Some(v) => v,
        }
    }

    /// Steps 2 to 5: what needs no search and no evaluation. `Err` holds the value of a node that is settled.
    #[inline(always)]
    fn enter<const PV: bool, const ROOT: bool>(
        &mut self,
        mut alpha: Value,
        mut beta: Value,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Result<Node, Value> {
        let in_check = self.board.in_check();
        let excluded = self.frame(ply).excluded;
        if !ROOT {
            // Steps 2 and 3. Draws by rule or by force, and lines too long to follow.
            if let Some(v) = self.settled(&mut alpha, beta, ply, in_check) {
                return Err(v);
            }
            // Step 4. Mate distance: a shorter mate already found elsewhere decides this node.
            alpha = alpha.max(value::mated_in(ply));
            beta = beta.min(value::mate_in(ply + 1));
            if alpha >= beta {
                return Err(alpha);
            }
        }

        // Step 5. What the table knows.
        let stored = match excluded {
            Some(_) => None,
            None => self.shared.table.probe(self.board.key(), ply),
        };
        let table_move = if ROOT {
            Some(self.root_moves[self.line_index].m)
        } else {
            stored.and_then(|entry| entry.best).filter(|&m| self.board.is_legal(m))
        };
        let table_value = stored.filter(|entry| entry.bound != Bound::None).map(|entry| entry.value);
        let mut node = Node {
            alpha,
            beta,
            depth,
            ply,
            cut_node,
            in_check,
            excluded,
            stored,
            table_move,
            table_value,
            was_pv: PV || stored.is_some_and(|entry| entry.was_pv),
            least: -value::INFINITE,
            most: value::INFINITE,
            opinion: None,
            known_moves: KnownMoves::NONE,
            in_book: false,
            raw_eval: value::NONE,
            static_eval: value::NONE,
            eval: value::NONE,
            correction: 0,
            improving: false,
            guesses: self.may_guess(),
        };
        if !PV && let Some(v) = self.table_cutoff(&node) {
            return Err(v);
        }
        self.frame(ply).was_pv = node.was_pv;
        if !ROOT && let Some(v) = self.ask_tablebases::<PV>(&mut node) {
            return Err(v);
        }
        self.ask_experience::<ROOT>(&mut node);

        // What the moves that come first will ask the table for: after the evaluation it is there.
        if let Some(m) = table_move {
            self.shared.table.prefetch(self.board.key_after(m));
        }
        if !PV && !in_check && depth >= 3 {
            self.shared.table.prefetch(self.board.key_after_null());
        }
        Ok(node)
    }

    /// Who asks for a mate wants every defence tried: a guess from the evaluation, or from what passing would
    /// give, hides the quiet moves and the zugzwangs that such problems are made of.
    #[inline(always)]
    fn may_guess(&self) -> bool {
        self.shared.limits.mate.is_none()
    }

    /// Step 5. A bound of the table that is deep enough ends the node.
    #[inline(always)]
    fn table_cutoff(&mut self, node: &Node) -> Option<Value> {
        let (entry, v) = (node.stored.as_ref()?, node.table_value?);
        let bound_holds = if v >= node.beta { entry.bound.is_lower() } else { entry.bound.is_upper() };
        if entry.depth < node.depth || !bound_holds || self.board.halfmove_clock() >= TABLE_TRUSTS_CLOCK_BELOW
        {
            return None;
        }
        // A quiet move that cuts off here is good in general.
        if v >= node.beta && self.params.cut_malus() != 0 {
            self.punish_refuted(-self.malus(node.depth), node.ply);
        }
        if v >= node.beta
            && let Some(m) = node.table_move
            && m.is_quiet()
        {
            let earlier = self.earlier_moves(node.ply);
            let threats = self.board.attacked_by(!self.board.side_to_move());
            let bonus = self.bonus(node.depth);
            self.memory.histories.add_quiet(self.params, &self.board, threats, &earlier, m, bonus);
        }
        Some(v)
    }

    /// Step 5, continued. What the tablebases know, if so few men are left.
    #[inline(always)]
    fn ask_tablebases<const PV: bool>(&mut self, node: &mut Node) -> Option<Value> {
        if self.board.occupied().count() > self.shared.tables.most_men || node.excluded.is_some() {
            return None;
        }
        let known = self.probe_tables(node.depth, node.ply)?;
        if known.settles(node.alpha, node.beta) {
            self.remember_probe(&known, node.depth, node.ply, node.was_pv);
            return Some(known.value);
        }
        if PV && known.bound == Bound::Lower {
            node.least = known.value;
            node.alpha = node.alpha.max(known.value);
        } else if PV {
            node.most = known.value;
        }
        None
    }

    /// Step 5, concluded. What the Experience Book knows, if the position before this one is in it.
    #[inline(always)]
    fn ask_experience<const ROOT: bool>(&mut self, node: &mut Node) {
        if ROOT {
            node.in_book = self.root_in_book;
        } else if self.frame_before(node.ply, 1).leads_into_book()
            && let Some((of_position, of_moves)) = self.consult_experience(node.table_move)
        {
            (node.opinion, node.known_moves) = (Some(of_position), of_moves);
            node.in_book = true;
        }
        self.frame(node.ply).in_book = node.in_book;
    }

    /// Step 6. Static evaluation. In check it means nothing.
    #[inline(always)]
    fn judge(&mut self, node: &mut Node) {
        let ply = node.ply;
        if node.in_check {
            self.frame(ply).static_eval = value::NONE;
            return;
        }
        if node.excluded.is_some() {
            node.eval = self.frame(ply).static_eval;
            node.static_eval = node.eval;
            node.correction = self.correction(ply);
        } else {
            self.judge_whole_node(node);
        }
        let before = [2, 4]
            .map(|back| self.frame_before(ply, back).static_eval)
            .into_iter()
            .find(|&eval| eval != value::NONE);
        node.improving = before.is_none_or(|before| node.static_eval > before);
    }

    #[inline(always)]
    fn judge_whole_node(&mut self, node: &mut Node) {
        node.raw_eval = match node.stored {
            Some(entry) if entry.eval != value::NONE => entry.eval,
            _ => self.evaluate(),
        };
        node.correction = self.correction(node.ply);
        node.eval = self.correct(node.raw_eval, node.correction);
        if let Some(opinion) = node.opinion {
            node.eval = opinion.blend(node.eval);
        }
        node.static_eval = node.eval;
        self.frame(node.ply).static_eval = node.eval;
        match (&node.stored, node.table_value) {
            // A searched bound is a better guess than the evaluation.
            (Some(entry), Some(v))
                if !value::is_decided(v)
                    && (if v > node.eval { entry.bound.is_lower() } else { entry.bound.is_upper() }) =>
            {
                node.eval = v;
            }
            (None, _) => {
                let entry = Entry {
                    best: None,
                    value: value::NONE,
                    eval: node.raw_eval,
                    depth: EVALUATION_DEPTH,
                    bound: Bound::None,
                    was_pv: node.was_pv,
                };
                self.shared.table.store(self.board.key(), node.ply, entry);
            }
            _ => {}
        }
    }

    /// Hindsight: the parent reduced this node by guess; its evaluation tells whether that was right.
    #[inline(always)]
    fn look_back(&mut self, node: &mut Node) {
        let before = self.frame_before(node.ply, 1);
        if node.in_check || before.static_eval == value::NONE {
            return;
        }
        let sum = node.static_eval + before.static_eval;
        // Reduced a lot, and the opponent's evaluation did not get worse for him: worth another ply.
        if before.reduction >= 3 * 1024 && sum <= 0 {
            node.depth += 1;
        } else if before.reduction >= 1024 && node.depth >= 2 && sum > self.params.hindsight_margin() {
            node.depth -= 1;
        }
    }

    /// What children and grandchildren find in their frames.
    #[inline(always)]
    fn prepare_children<const ROOT: bool>(&mut self, ply: usize) {
        self.frame(ply + 1).excluded = None;
        self.frame(ply + 1).killers = [None; 2];
        self.frame(ply + 2).cutoffs = 0;
        if !ROOT {
            self.frame(ply).double_extensions = self.frame_before(ply, 1).double_extensions;
        }
    }

    /// Steps 19 to 22: the value of the node, and what is learned from it.
    #[inline(always)]
    fn conclude<const PV: bool, const ROOT: bool>(&mut self, node: &Node, outcome: &mut Outcome) -> Value {
        // Step 19. No move: mate or stalemate (or nothing but the excluded one).
        if outcome.move_count == 0 {
            return if node.excluded.is_some() {
                node.alpha
            } else if node.in_check {
                value::mated_in(node.ply)
            } else {
                self.style_draw()
            };
        }
        outcome.best = outcome.best.min(node.most);

        // Step 20. Learn: what cut off, and what was tried before it in vain.
        self.learn::<ROOT>(node, outcome);

        // Step 21. Remember.
        let &mut Outcome { best, best_move, bound, .. } = outcome;
        if node.excluded.is_none() && !(ROOT && self.line_index > 0) {
            let spread = self.params.spread_pv() != 0
                && outcome.failed_low
                && node.depth > 3
                && !ROOT
                && self.frame_before(node.ply, 1).was_pv;
            let (eval, depth, was_pv) = (node.raw_eval, node.depth, node.was_pv || spread);
            let entry = Entry { best: best_move, value: best, eval, depth, bound, was_pv };
            self.shared.table.store(self.board.key(), node.ply, entry);
        }
        // Step 22. Correct the evaluation of positions like this one, where the search can judge it.
        if !node.in_check
            && node.excluded.is_none()
            && best_move.is_none_or(Move::is_quiet)
            && !value::is_decided(best)
            && !(bound == Bound::Lower && best <= node.static_eval)
            && !(bound == Bound::Upper && best >= node.static_eval)
        {
            let residual = self.params.correction_residual() != 0;
            let error = best - if residual { node.static_eval } else { self.fading(node.raw_eval) };
            let occasion = Occasion { board: &self.board, earlier: self.earlier_moves(node.ply) };
            self.memory.corrections.learn(self.params, occasion, error, node.depth);
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
}
