//! Hands out moves one at a time, most promising first, generating each kind only when its turn comes.

use std::mem::MaybeUninit;

use super::history::{Histories, PieceTo, taken_kind};
use crate::board::{Board, EXCHANGE_VALUES};
use crate::types::{Bitboard, Move, MoveList, PieceType};

/// Moves with a score each, on the stack.
struct ScoredList {
    moves: [MaybeUninit<(Move, i32)>; 256],
    len: usize,
}

impl ScoredList {
    #[inline(always)]
    fn new() -> ScoredList {
        // SAFETY: an array of MaybeUninit needs no initialisation. (A repeat expression would be compiled
        // to writing two kilobytes at every node.)
        let moves = unsafe { MaybeUninit::<[MaybeUninit<(Move, i32)>; 256]>::uninit().assume_init() };
        ScoredList { moves, len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, m: Move, score: i32) {
        self.moves[self.len].write((m, score));
        self.len += 1;
    }

    #[inline(always)]
    fn get(&self, index: usize) -> (Move, i32) {
        debug_assert!(index < self.len);
        // SAFETY: entries below `len` were written by `push`, and every caller stays below it.
        unsafe { self.moves[index].assume_init() }
    }

    /// Brings the best move from `start` on to `start`, and returns it.
    #[inline(always)]
    fn select(&mut self, start: usize) -> (Move, i32) {
        let mut best = start;
        let mut best_score = self.get(start).1;
        for index in start + 1..self.len {
            let score = self.get(index).1;
            if score > best_score {
                (best, best_score) = (index, score);
            }
        }
        self.moves.swap(start, best);
        self.get(start)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    TableMove,
    GenerateTacticals,
    GoodTacticals,
    Killer1,
    Killer2,
    CounterMove,
    GenerateQuiets,
    Quiets,
    BadTacticals,
    Done,
}

/// What the picker hands out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Every legal move.
    All,
    /// Captures and promotions only.
    Tacticals,
}

/// What is known about the node that helps ordering its quiet moves.
pub struct QuietHints {
    /// Squares the enemy attacks.
    pub threats: Bitboard,
    /// The moves one, two and four plies ago.
    pub earlier: [PieceTo; 3],
}

/// The picker of one node.
pub struct Picker {
    stage: Stage,
    scope: Scope,
    table_move: Option<Move>,
    killers: [Option<Move>; 2],
    counter_move: Option<Move>,
    tacticals: ScoredList,
    quiets: ScoredList,
    next: usize,
    /// Losing captures, kept (in order) at the front of `tacticals`.
    bad: usize,
    next_bad: usize,
    /// Captures must win at least this much in exchange to count as good.
    good_threshold: i32,
    skip_quiets: bool,
}

impl Picker {
    /// All moves of a node.
    #[inline]
    pub fn new(
        board: &Board,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        counter_move: Option<Move>,
    ) -> Picker {
        Picker::with_scope(board, Scope::All, table_move, killers, counter_move, 0)
    }

    /// Captures and promotions only, for quiescence and ProbCut.
    #[inline]
    pub fn tacticals(board: &Board, table_move: Option<Move>, good_threshold: i32) -> Picker {
        let table_move = table_move.filter(|m| m.is_tactical());
        Picker::with_scope(board, Scope::Tacticals, table_move, [None; 2], None, good_threshold)
    }

    #[inline(always)]
    fn with_scope(
        board: &Board,
        scope: Scope,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        counter_move: Option<Move>,
        good_threshold: i32,
    ) -> Picker {
        let table_move = table_move.filter(|&m| board.is_legal(m));
        Picker {
            stage: if table_move.is_some() { Stage::TableMove } else { Stage::GenerateTacticals },
            scope,
            table_move,
            killers,
            counter_move,
            tacticals: ScoredList::new(),
            quiets: ScoredList::new(),
            next: 0,
            bad: 0,
            next_bad: 0,
            good_threshold,
            skip_quiets: false,
        }
    }

    /// From now on no quiet move is handed out.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move, or `None` when there is no more.
    pub fn next(&mut self, board: &Board, histories: &Histories, hints: &QuietHints) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateTacticals;
                    if !(self.skip_quiets && self.table_move.is_some_and(Move::is_quiet)) {
                        return self.table_move;
                    }
                }
                Stage::GenerateTacticals => {
                    self.generate_tacticals(board, histories);
                    self.stage = Stage::GoodTacticals;
                }
                Stage::GoodTacticals => {
                    while self.next < self.tacticals.len {
                        let (m, score) = self.tacticals.select(self.next);
                        self.next += 1;
                        if board.see_ge(m, self.good_threshold - score / 64) && !is_underpromotion(m) {
                            return Some(m);
                        }
                        self.tacticals.moves.swap(self.bad, self.next - 1);
                        self.bad += 1;
                    }
                    self.stage = if self.scope == Scope::Tacticals { Stage::Done } else { Stage::Killer1 };
                }
                Stage::Killer1 => {
                    self.stage = Stage::Killer2;
                    if let Some(m) = self.quiet_refutation(board, self.killers[0]) {
                        return Some(m);
                    }
                    self.killers[0] = None;
                }
                Stage::Killer2 => {
                    self.stage = Stage::CounterMove;
                    if let Some(m) = self.quiet_refutation(board, self.killers[1]) {
                        return Some(m);
                    }
                    self.killers[1] = None;
                }
                Stage::CounterMove => {
                    self.stage = Stage::GenerateQuiets;
                    self.counter_move = self.counter_move.filter(|m| !self.killers.contains(&Some(*m)));
                    if let Some(m) = self.quiet_refutation(board, self.counter_move) {
                        return Some(m);
                    }
                    self.counter_move = None;
                }
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        self.generate_quiets(board, histories, hints);
                    }
                    self.next = 0;
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets && self.next < self.quiets.len {
                        let (m, _) = self.quiets.select(self.next);
                        self.next += 1;
                        return Some(m);
                    }
                    self.stage = Stage::BadTacticals;
                }
                Stage::BadTacticals => {
                    if self.next_bad < self.bad {
                        let (m, _) = self.tacticals.get(self.next_bad);
                        self.next_bad += 1;
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn quiet_refutation(&self, board: &Board, m: Option<Move>) -> Option<Move> {
        m.filter(|&m| !self.skip_quiets && self.table_move != Some(m) && m.is_quiet() && board.is_legal(m))
    }

    fn generate_tacticals(&mut self, board: &Board, histories: &Histories) {
        let mut list = MoveList::new();
        board.tacticals(&mut list);
        for &m in list.iter().filter(|&&m| self.table_move != Some(m)) {
            let taken = taken_kind(board, m);
            let gain = if m.is_capture() { EXCHANGE_VALUES[taken.index()] } else { 0 }
                + m.promotion().map_or(0, |kind| EXCHANGE_VALUES[kind.index()]);
            let history = board.piece_at(m.from()).map_or(0, |piece| histories.capture(piece, m.to(), taken));
            self.tacticals.push(m, 16 * gain + history);
        }
    }

    fn generate_quiets(&mut self, board: &Board, histories: &Histories, hints: &QuietHints) {
        let mut list = MoveList::new();
        board.quiets(&mut list);
        let color = board.side_to_move();
        let handed_out = [self.table_move, self.killers[0], self.killers[1], self.counter_move];
        for &m in list.iter().filter(|&&m| !handed_out.contains(&Some(m))) {
            let Some(piece) = board.piece_at(m.from()) else { continue };
            let to = m.to();
            let mut score = 2 * histories.quiet(color, hints.threats, m);
            score += 2 * histories.continuation(hints.earlier[0], piece, to);
            score += histories.continuation(hints.earlier[1], piece, to);
            score += histories.continuation(hints.earlier[2], piece, to);
            self.quiets.push(m, score);
        }
    }
}

fn is_underpromotion(m: Move) -> bool {
    m.promotion().is_some_and(|kind| kind != PieceType::Queen)
}
