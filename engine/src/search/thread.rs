//! One thread of a search, and what all threads of it share.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::correction::{Occasion, corrected};
use super::experience::{ExperienceUse, Opinion};
use super::history::{Earlier, PieceTo};
use super::params::Numbers;
use super::pick::{OrderWeights, QuietHints};
use super::tables::TableUse;
use super::time::TimeManager;
use super::{Handler, Limits, Memory, SearchOptions, SearchResult, Signals};
use crate::board::Board;
use crate::eval::endgame::KNOWN_WIN;
use crate::syzygy::RankedMove;
use crate::tt::{Bound, Table};
use crate::types::{Bitboard, MAX_PLY, Move, Value, value};

/// A counter on a cache line of its own, so that threads do not slow each other down.
#[repr(align(128))]
#[derive(Default)]
struct PaddedCounter(AtomicU64);

/// What is known without a search.
pub(super) struct Knowledge<'a> {
    pub(super) tables: TableUse<'a>,
    pub(super) experience: ExperienceUse<'a>,
}

/// What the threads of one search share.
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    pub(super) tables: TableUse<'a>,
    pub(super) experience: ExperienceUse<'a>,
    pub(super) limits: &'a Limits,
    pub(super) options: &'a SearchOptions,
    pub(super) time: TimeManager,
    signals: &'a Signals,
    stopped: AtomicBool,
    /// `// [thread]` published now and then
    node_counts: Vec<PaddedCounter>,
    /// Milliseconds thought before the ponder hit, plus one; 0 while there was none.
    pondered: AtomicU64,
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        table: &'a Table,
        Knowledge { tables, experience }: Knowledge<'a>,
        limits: &'a Limits,
        signals: &'a Signals,
        options: &'a SearchOptions,
        time: TimeManager,
        threads: usize,
    ) -> Shared<'a> {
        Shared {
            table,
            tables,
            experience,
            limits,
            options,
            time,
            signals,
            stopped: AtomicBool::new(false),
            node_counts: (0..threads).map(|_| PaddedCounter::default()).collect(),
            pondered: AtomicU64::new(0),
        }
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Nodes of all threads, as far as they are published.
    pub(super) fn nodes(&self) -> u64 {
        self.node_counts.iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
    }

    /// Whether the clock is not ours yet, or never will be.
    pub(super) fn untimed(&self) -> bool {
        if self.limits.infinite {
            return true;
        }
        if self.limits.ponder && self.pondered.load(Ordering::Relaxed) == 0 {
            if !self.signals.was_ponderhit() {
                return true;
            }
            self.pondered.store(self.time.elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
        }
        false
    }

    /// The main thread looks up now and then: is it time to stop?
    fn check(&self) {
        let pondered = Duration::from_millis(self.pondered.load(Ordering::Relaxed).saturating_sub(1));
        if self.signals.stopped()
            || (!self.untimed() && self.time.must_stop(pondered))
            || self.limits.nodes.is_some_and(|limit| self.node_counts.len() > 1 && self.nodes() >= limit)
        {
            self.stop();
        }
    }
}

/// A line of moves.
#[derive(Clone, Copy)]
pub(super) struct Line {
    moves: [Option<Move>; MAX_PLY + 1],
    len: usize,
}

impl Line {
    const EMPTY: Line = Line { moves: [None; MAX_PLY + 1], len: 0 };

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    fn set(&mut self, first: Move, rest: &Line) {
        let len = rest.len.min(MAX_PLY);
        self.moves[0] = Some(first);
        self.moves[1..=len].copy_from_slice(&rest.moves[..len]);
        self.len = len + 1;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().flatten().copied()
    }
}

/// What a node leaves for its children, its siblings and the nodes after it.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) pv: Line,
    /// The piece and target of the move being searched.
    pub(super) moved: PieceTo,
    pub(super) current_move: Option<Move>,
    /// Left out while finding out whether it is singular.
    pub(super) excluded: Option<Move>,
    pub(super) killers: [Option<Move>; 2],
    /// The corrected static evaluation; `value::NONE` in check.
    pub(super) static_eval: Value,
    /// How many double extensions led here.
    pub(super) double_extensions: u8,
    /// How many nodes at this ply failed high since their grandparent began (`cutoffCnt`).
    pub(super) cutoffs: u16,
    pub(super) was_pv: bool,
    /// The number of the move being searched, and its reduction in 1024ths of a ply.
    pub(super) move_number: i32,
    pub(super) reduction: i32,
    /// What the enemy attacked when the moves of this node were made.
    pub(super) threats: Bitboard,
    /// Whether the Experience Book knows the position.
    pub(super) in_book: bool,
}

impl Frame {
    /// Whether the position after the move being searched may be in the Experience Book: passing is no move.
    #[inline(always)]
    pub(super) fn leads_into_book(&self) -> bool {
        self.in_book && self.current_move.is_some()
    }

    const EMPTY: Frame = Frame {
        pv: Line::EMPTY,
        moved: PieceTo::NONE,
        current_move: None,
        excluded: None,
        killers: [None; 2],
        static_eval: value::NONE,
        double_extensions: 0,
        cutoffs: 0,
        was_pv: false,
        move_number: 0,
        reduction: 0,
        threats: Bitboard::EMPTY,
        in_book: false,
    };
}

/// The score of a root move that was not searched, or not found to be better than another.
const UNKNOWN: Value = -value::INFINITE;

/// A move at the root and what is known about it.
#[derive(Clone)]
pub(super) struct RootMove {
    pub(super) m: Move,
    /// From this iteration, or [`UNKNOWN`]; with the book's say, if it has one.
    pub(super) score: Value,
    /// What the search alone found, when it last found the move better than the others.
    pub(super) searched: Value,
    /// From the iteration before.
    pub(super) previous_score: Value,
    pub(super) bound: Bound,
    pub(super) seldepth: u32,
    pub(super) nodes: u64,
    pub(super) pv: Vec<Move>,
    /// By tablebases: moves of a higher rank are better for certain. All alike if nothing is known.
    pub(super) table_rank: i32,
    /// What tablebases say it leads to.
    pub(super) table_score: Option<Value>,
    /// What the Experience Book thinks of it.
    pub(super) opinion: Option<Opinion>,
}

impl RootMove {
    fn new(m: Move) -> RootMove {
        RootMove {
            m,
            score: UNKNOWN,
            searched: UNKNOWN,
            previous_score: UNKNOWN,
            bound: Bound::None,
            seldepth: 0,
            nodes: 0,
            pv: vec![m],
            table_rank: 0,
            table_score: None,
            opinion: None,
        }
    }

    /// What to say of a searched score: the tablebases know better, unless a mate was found.
    pub(super) fn told(&self, score: Value) -> Value {
        self.table_score.filter(|_| !value::is_mate(score)).unwrap_or(score)
    }

    /// The newest score there is.
    fn known_score(&self) -> Option<Value> {
        [self.score, self.previous_score].into_iter().find(|&score| score != UNKNOWN)
    }
}

/// The moves to search at the root.
pub(super) fn root_moves(board: &Board, limits: &Limits) -> Vec<Move> {
    let wanted = &limits.searchmoves;
    board.legal_moves().iter().copied().filter(|m| wanted.is_empty() || wanted.contains(m)).collect()
}

/// Frames before the root, so that nobody has to ask whether there was a move two plies ago.
const FRAMES_BEFORE: usize = 6;

/// One thread of a search.
pub(super) struct Thread<'a, P: Numbers> {
    /// The numbers of the search.
    pub(super) params: P,
    pub(super) board: Board,
    pub(super) shared: &'a Shared<'a>,
    pub(super) memory: &'a mut Memory,
    /// Who hears of it: the main thread's alone.
    pub(super) handler: Option<&'a mut dyn Handler>,
    pub(super) index: usize,
    frames: Vec<Frame>,
    pub(super) root_moves: Vec<RootMove>,
    /// Whether the Experience Book knows the root.
    pub(super) root_in_book: bool,
    /// Which of several best lines is being searched, from 0.
    pub(super) line_index: usize,
    /// Where the root moves end that tablebases rank as high as this line's: the others do not compete.
    pub(super) line_end: usize,
    pub(super) nodes: u64,
    /// Of this thread alone; exact with one thread.
    node_limit: u64,
    pub(super) root_depth: i32,
    pub(super) finished_depth: u32,
    pub(super) seldepth: usize,
    /// No null move for either side before this ply, while one is verified.
    pub(super) null_move_from: usize,
    /// Natural logarithms in 1024ths. `// [n]`
    pub(super) logarithms: &'static [i32; 64],
}

static LOGARITHMS: LazyLock<[i32; 64]> =
    LazyLock::new(|| std::array::from_fn(|n| ((n.max(1) as f64).ln() * 1024.0).round() as i32));

impl<'a, P: Numbers> Thread<'a, P> {
    pub(super) fn new(
        params: P,
        board: &Board,
        root_moves: &[Move],
        shared: &'a Shared<'a>,
        memory: &'a mut Memory,
        handler: Option<&'a mut dyn Handler>,
        index: usize,
    ) -> Thread<'a, P> {
        let ranking = &shared.tables.ranking;
        let mut root_in_book = false;
        let root_moves: Vec<RootMove> = if ranking.is_empty() {
            let opinions = shared.experience.root_opinions(board, root_moves);
            root_in_book = !opinions.is_empty();
            let taste = memory.evaluator.weights().taste_for_offers(board);
            let with_opinion = |&m: &Move| {
                let known = opinions.iter().find(|(known, _)| *known == m);
                let taste = if taste != 0 && board.offers_material(m) { taste } else { 0 };
                let opinion = Opinion::with_taste(known.map(|&(_, opinion)| opinion), taste);
                RootMove { opinion, ..RootMove::new(m) }
            };
            let mut root_moves: Vec<RootMove> = root_moves.iter().map(with_opinion).collect();
            // What is known comes first, the most promising at the head.
            root_moves.sort_by_key(|root| {
                opinions.iter().position(|(known, _)| *known == root.m).unwrap_or(opinions.len())
            });
            root_moves
        } else {
            let with_rank = |ranked: &RankedMove| RootMove {
                table_rank: ranked.rank,
                table_score: Some(ranked.score),
                ..RootMove::new(ranked.m)
            };
            ranking.iter().map(with_rank).collect()
        };
        memory.evaluator.reset(board);
        Thread {
            params,
            board: board.clone(),
            shared,
            memory,
            handler,
            index,
            frames: vec![Frame::EMPTY; MAX_PLY + FRAMES_BEFORE + 4],
            line_end: root_moves.len(),
            root_moves,
            root_in_book,
            line_index: 0,
            nodes: 0,
            node_limit: shared.limits.nodes.unwrap_or(u64::MAX),
            root_depth: 0,
            finished_depth: 0,
            seldepth: 0,
            null_move_from: 0,
            logarithms: &LOGARITHMS,
        }
    }

    /// Begins the search of one of several best lines.
    pub(super) fn begin_line(&mut self, line: usize) {
        self.line_index = line;
        let rank = self.root_moves[line].table_rank;
        let ranked_alike = self.root_moves[line..].iter().take_while(|root| root.table_rank == rank);
        self.line_end = line + ranked_alike.count();
    }

    #[inline(always)]
    pub(super) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + FRAMES_BEFORE]
    }

    /// The frame `back` plies before `ply`, reaching back before the root.
    #[inline(always)]
    pub(super) fn frame_before(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + FRAMES_BEFORE - back]
    }

    /// The moves before this node's own.
    #[inline(always)]
    pub(super) fn earlier_moves(&self, ply: usize) -> Earlier {
        [1, 2, 4].map(|back| self.frame_before(ply, back).moved)
    }

    /// What orders the quiet moves of a node; who needs to know what is attacked finds it out.
    #[inline(always)]
    pub(super) fn quiet_hints(&self, ply: usize) -> QuietHints {
        QuietHints {
            threats: Bitboard::EMPTY,
            earlier: self.earlier_moves(ply),
            check_squares: [Bitboard::EMPTY; 6],
            check_bonus: 0,
            weights: OrderWeights::of(self.params),
        }
    }

    /// Makes the line of this ply the move and the line of the next ply.
    pub(super) fn update_pv(&mut self, ply: usize, m: Move) {
        let at = ply + FRAMES_BEFORE;
        let (here, below) = self.frames.split_at_mut(at + 1);
        here[at].pv.set(m, &below[0].pv);
    }

    /// Plays a move on the board and in the evaluation.
    #[inline(always)]
    pub(super) fn make(&mut self, m: Move, ply: usize) {
        let piece = self.board.expect_piece(m.from());
        let frame = self.frame(ply);
        frame.current_move = Some(m);
        frame.moved = PieceTo::new(piece, m.to());
        self.memory.evaluator.make(&self.board, m);
        self.board.make(m);
        self.memory.evaluator.prefetch(&self.board);
        self.memory.corrections.prefetch(&self.board);
        self.count_node();
    }

    #[inline(always)]
    pub(super) fn unmake(&mut self) {
        self.board.unmake();
        self.memory.evaluator.unmake();
    }

    /// Passes the turn.
    #[inline(always)]
    pub(super) fn make_null(&mut self, ply: usize) {
        let frame = self.frame(ply);
        frame.current_move = None;
        frame.moved = PieceTo::NONE;
        self.board.make_null();
        self.shared.table.prefetch(self.board.key());
        self.count_node();
    }

    #[inline(always)]
    fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) {
            self.publish_nodes();
            if self.index == 0 {
                self.shared.check();
            }
        }
    }

    pub(super) fn publish_nodes(&self) {
        self.shared.node_counts[self.index].0.store(self.nodes, Ordering::Relaxed);
    }

    /// Whether to drop everything. With one thread a node limit is kept to the node.
    #[inline(always)]
    pub(super) fn must_stop(&self) -> bool {
        self.shared.is_stopped() || self.nodes >= self.node_limit
    }

    /// What a draw is worth to the side to move by the style.
    #[inline(always)]
    pub(super) fn style_draw(&self) -> Value {
        self.memory.evaluator.weights().draw_value(self.board.side_to_move())
    }

    /// The value of a draw for the side to move: the style's contempt, and a little noise so that the
    /// search does not settle for the first of many draws.
    #[inline(always)]
    pub(super) fn draw_value(&self) -> Value {
        let noise = 1 - (self.nodes as Value & 2);
        self.style_draw() + noise
    }

    /// The static evaluation of the position from nothing but the weights and the style.
    #[inline(always)]
    pub(super) fn evaluate(&mut self) -> Value {
        self.memory.evaluator.evaluate_in_style(&self.board)
    }

    /// The static evaluation corrected by what searches of similar positions found, and pulled to a
    /// draw as the fifty-move limit comes near. What is known to be won needs no correction.
    #[inline(always)]
    pub(super) fn correct(&self, raw: Value, correction: Value) -> Value {
        let fading = self.fading(raw);
        if raw.abs() >= KNOWN_WIN { fading } else { corrected(fading, correction) }
    }

    /// By how much the evaluation is too low here, as far as searches of similar positions tell.
    #[inline(always)]
    pub(super) fn correction(&self, ply: usize) -> Value {
        self.memory.corrections.of(self.params, self.occasion(ply))
    }

    /// What decides which corrections speak of this node.
    #[inline(always)]
    pub(super) fn occasion(&self, ply: usize) -> Occasion<'_> {
        Occasion { board: &self.board, earlier: self.earlier_moves(ply) }
    }

    /// An evaluation that nothing was done about for long is worth less and less. A known win loses so
    /// little that a step towards the mate counts for more.
    #[inline(always)]
    pub(super) fn fading(&self, raw: Value) -> Value {
        let clock = Value::from(self.board.halfmove_clock().min(100));
        if raw.abs() >= KNOWN_WIN { raw - raw.signum() * clock } else { raw * (200 - clock) / 200 }
    }

    /// Writes down what a root move gave: what the search found, and what that is with the book's say.
    pub(super) fn note_root_move(
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

    /// The best root move.
    fn best(&self) -> Option<&RootMove> {
        self.root_moves.first()
    }

    /// The root moves and their scores, as far as they have any.
    pub(super) fn scored_moves(&self) -> Vec<(Move, Option<Value>)> {
        self.root_moves.iter().map(|root| (root.m, root.known_score())).collect()
    }

    /// What this thread found; the move to play is the root move with this index.
    pub(super) fn result(&self, index: usize, nodes: u64) -> SearchResult {
        let root = self.root_moves.get(index);
        let pv = root.map_or(Vec::new(), |root| root.pv.clone());
        SearchResult {
            best: root.map(|root| root.m),
            ponder: pv.get(1).copied(),
            score: root.map_or(
                if self.board.in_check() { value::mated_in(0) } else { value::DRAW },
                // Without the book's say, which must not be learned again as if a search had found it.
                // Stopped before the first move was searched: nothing is known.
                |root| root.told(if root.searched == UNKNOWN { value::DRAW } else { root.searched }),
            ),
            depth: self.finished_depth,
            nodes,
            pv,
        }
    }
}

/// Which thread to believe: the move that many threads chose, at great depth and with a good score.
pub(super) fn vote<'t, 'a, P: Numbers>(threads: &'t [Thread<'a, P>]) -> &'t Thread<'a, P> {
    let main = &threads[0];
    let candidates: Vec<(&Thread<P>, &RootMove)> = threads
        .iter()
        .filter(|thread| thread.finished_depth > 0)
        .filter_map(|thread| thread.best().map(|best| (thread, best)))
        .collect();
    if threads.len() == 1 || candidates.is_empty() || main.shared.options.multipv > 1 {
        return main;
    }
    let lowest = candidates.iter().map(|(_, root)| root.score).min().unwrap_or(0);
    let weight = |thread: &Thread<P>, root: &RootMove| {
        i64::from(root.score - lowest + 10) * i64::from(thread.finished_depth)
    };
    let votes_for = |m: Move| -> i64 {
        candidates.iter().filter(|(_, root)| root.m == m).map(|(thread, root)| weight(thread, root)).sum()
    };
    let mut chosen = candidates[0];
    for &(thread, root) in &candidates[1..] {
        let better = if value::is_mate(chosen.1.score) && chosen.1.score > 0 {
            root.score > chosen.1.score // the shorter mate
        } else if value::is_mate(root.score) {
            root.score > 0
        } else {
            let (new, old) = (votes_for(root.m), votes_for(chosen.1.m));
            new > old || (new == old && weight(thread, root) > weight(chosen.0, chosen.1))
        };
        if better {
            chosen = (thread, root);
        }
    }
    chosen.0
}
