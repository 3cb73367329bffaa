//! Hands out moves one at a time, most promising first, generating each kind only when its turn comes.

use std::mem::MaybeUninit;

use super::history::{Continuation, Earlier, Histories, taken_kind};
use super::params::Numbers;
use crate::board::{Board, EXCHANGE_VALUES, MoveSink};
use crate::tt::Table;
use crate::types::{Bitboard, Move, MoveKind, MoveList, Piece, PieceType, Square};

/// The most moves of one position (218) rounded up.
const CAPACITY: usize = 256;
/// So many rankings are compared at a time: the list is filled up to a multiple of it.
const LANE: usize = 8;
/// The ranking of a move that was handed out: below every other.
const TAKEN: i32 = i32::MIN;

/// Moves with a ranking each, on the stack.
///
/// A ranking is the score with the place in the list below it, so that the largest one names the move,
/// finding it is a plain maximum (which the compiler turns into vector instructions), and of equal moves
/// the one generated first wins.
struct RankedList {
    moves: [MaybeUninit<Move>; CAPACITY],
    rankings: [MaybeUninit<i32>; CAPACITY],
    len: usize,
    /// The largest ranking of a move that was not handed out; [`TAKEN`] if there is none.
    best: i32,
}

impl RankedList {
    #[inline(always)]
    fn new() -> RankedList {
        // (A repeat expression would be compiled to writing both arrays at every node.)
        // SAFETY: an array of MaybeUninit needs no initialisation.
        let moves = unsafe { MaybeUninit::<[MaybeUninit<Move>; CAPACITY]>::uninit().assume_init() };
        // SAFETY: as above.
        let rankings = unsafe { MaybeUninit::<[MaybeUninit<i32>; CAPACITY]>::uninit().assume_init() };
        RankedList { moves, rankings, len: 0, best: TAKEN }
    }

    #[inline(always)]
    fn push(&mut self, m: Move, score: i32) {
        debug_assert!(score.abs() < 1 << 22, "a score and a place fit into a ranking");
        // (No position fills the list; the remainder spares the check.)
        let place = self.len % CAPACITY;
        self.moves[place].write(m);
        self.rankings[place].write(score * CAPACITY as i32 + (CAPACITY - 1 - place) as i32);
        self.len += 1;
    }

    /// To be called when all moves are in.
    #[inline(always)]
    fn close(&mut self) {
        for filler in &mut self.rankings[self.len..self.len.next_multiple_of(LANE)] {
            filler.write(TAKEN);
        }
        self.find_best();
    }

    #[inline(always)]
    fn find_best(&mut self) {
        let filled = self.len.next_multiple_of(LANE);
        // SAFETY: `push` wrote the rankings below `len`, `close` those up to the multiple of a lane.
        let rankings = unsafe { self.rankings[..filled].assume_init_ref() };
        // (As whole lanes, so that the compiler knows that nothing is left over.)
        self.best = rankings.as_chunks::<LANE>().0.as_flattened().iter().copied().fold(TAKEN, i32::max);
    }

    /// The best move that is left.
    #[inline(always)]
    fn best(&self) -> Option<Move> {
        // SAFETY: a ranking that is not the one of a taken move was written by `push`, and names its place.
        (self.best != TAKEN).then(|| unsafe { self.moves.get_unchecked(self.best_place()).assume_init() })
    }

    #[inline(always)]
    fn best_place(&self) -> usize {
        CAPACITY - 1 - (self.best as usize % CAPACITY)
    }

    /// Takes the best move that is left, with its score.
    #[inline(always)]
    fn take_best(&mut self) -> Option<(Move, i32)> {
        let taken = self.best()?;
        let score = self.best >> CAPACITY.trailing_zeros();
        self.rankings[self.best_place()].write(TAKEN);
        self.find_best();
        Some((taken, score))
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
    pub earlier: Earlier,
    pub weights: OrderWeights,
    /// `// [kind]` from where it would give check, and what that is worth.
    pub check_squares: [Bitboard; 6],
    /// What a check is worth.
    pub check_bonus: i32,
}

/// How much each history says in the order of quiet moves, in 128ths.
#[derive(Clone, Copy)]
pub struct OrderWeights {
    plain: i32,
    /// `// [how long ago]`
    after: [i32; 3],
    pawns: i32,
}

impl OrderWeights {
    /// Those of the parameters.
    #[inline(always)]
    pub fn of(params: impl Numbers) -> OrderWeights {
        OrderWeights {
            plain: params.order_plain(),
            after: [params.order_after_1(), params.order_after_2(), params.order_after_4()],
            pawns: if params.pawn_history() != 0 { params.order_pawns() } else { 0 },
        }
    }
}

/// The picker of one node.
pub struct Picker<'a> {
    /// Asked ahead of time for what it knows about the positions that moves lead to.
    table: &'a Table,
    stage: Stage,
    scope: Scope,
    table_move: Option<Move>,
    killers: [Option<Move>; 2],
    counter_move: Option<Move>,
    /// First the tactical moves, then the quiet ones.
    list: RankedList,
    /// Losing captures, in order.
    bad: MoveList,
    next_bad: usize,
    /// Captures must win at least this much in exchange to count as good.
    good_threshold: i32,
    skip_quiets: bool,
}

impl<'a> Picker<'a> {
    /// All moves of a node. The table move is legal; the others are checked when their turn comes.
    #[inline]
    pub fn new(
        table: &'a Table,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        counter_move: Option<Move>,
    ) -> Picker<'a> {
        Picker::with_scope(table, Scope::All, table_move, killers, counter_move, 0)
    }

    /// Captures and promotions only, for quiescence and ProbCut. A table move, if tactical, is legal.
    #[inline]
    pub fn tacticals(table: &'a Table, table_move: Option<Move>, good_threshold: i32) -> Picker<'a> {
        let table_move = table_move.filter(|m| m.is_tactical());
        Picker::with_scope(table, Scope::Tacticals, table_move, [None; 2], None, good_threshold)
    }

    #[inline(always)]
    fn with_scope(
        table: &'a Table,
        scope: Scope,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        counter_move: Option<Move>,
        good_threshold: i32,
    ) -> Picker<'a> {
        Picker {
            table,
            stage: if table_move.is_some() { Stage::TableMove } else { Stage::GenerateTacticals },
            scope,
            table_move,
            killers,
            counter_move,
            list: RankedList::new(),
            bad: MoveList::new(),
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
                    while let Some((m, score)) = self.take_best(board) {
                        if board.see_ge(m, self.good_threshold - score / 64) && !is_underpromotion(m) {
                            return Some(m);
                        }
                        self.bad.push(m);
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
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some((m, _)) = self.take_best(board)
                    {
                        return Some(m);
                    }
                    self.stage = Stage::BadTacticals;
                }
                Stage::BadTacticals => {
                    if let Some(&m) = self.bad.get(self.next_bad) {
                        self.next_bad += 1;
                        self.fetch(board, m);
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Takes the best move of the list. While it is searched, the table fetches what the next one will ask for.
    #[inline(always)]
    fn take_best(&mut self, board: &Board) -> Option<(Move, i32)> {
        let taken = self.list.take_best();
        self.fetch_best(board);
        taken
    }

    #[inline(always)]
    fn fetch_best(&self, board: &Board) {
        if let Some(m) = self.list.best() {
            self.fetch(board, m);
        }
    }

    #[inline(always)]
    fn fetch(&self, board: &Board, m: Move) {
        self.table.prefetch(board.key_after(m));
    }

    #[inline(never)]
    fn quiet_refutation(&self, board: &Board, m: Option<Move>) -> Option<Move> {
        let m = m.filter(|&m| {
            !self.skip_quiets && self.table_move != Some(m) && m.is_quiet() && board.is_legal(m)
        })?;
        self.fetch(board, m);
        Some(m)
    }

    // Never inlined, as `generate_quiets`: the compiler would move what they need of the board to the
    // entry of `next`, and every call would pay for it.
    #[inline(never)]
    fn generate_tacticals(&mut self, board: &Board, histories: &Histories) {
        let list = &mut self.list;
        board.tacticals_into(&mut Tacticals { list, board, histories, table_move: self.table_move });
        self.list.close();
        self.fetch_best(board);
    }

    #[inline(never)]
    fn generate_quiets(&mut self, board: &Board, histories: &Histories, hints: &QuietHints) {
        self.list.len = 0;
        let handed_out = [self.table_move, self.killers[0], self.killers[1], self.counter_move];
        let mut sink = Quiets {
            list: &mut self.list,
            board,
            histories,
            threats: hints.threats,
            after: hints.earlier.map(|earlier| histories.after(earlier)),
            by_pawns: histories.with_pawns(board),
            weights: hints.weights,
            check_squares: hints.check_squares,
            check_bonus: hints.check_bonus,
            handed_out: FewMoves::new(handed_out),
        };
        // Out of check the threats are what the king must avoid.
        let attacked = (!board.in_check()).then_some(hints.threats);
        board.quiets_into(&mut sink, attacked);
        self.list.close();
        self.fetch_best(board);
    }
}

/// Ranks captures and promotions as they are generated.
struct Tacticals<'a> {
    list: &'a mut RankedList,
    board: &'a Board,
    histories: &'a Histories,
    table_move: Option<Move>,
}

impl Tacticals<'_> {
    #[inline(always)]
    fn add(&mut self, m: Move) {
        if self.table_move == Some(m) {
            return;
        }
        let taken = taken_kind(self.board, m);
        let gain = if m.is_capture() { EXCHANGE_VALUES[taken.index()] } else { 0 }
            + m.promotion().map_or(0, |kind| EXCHANGE_VALUES[kind.index()]);
        let history = self.histories.capture(self.board.expect_piece(m.from()), m.to(), taken);
        self.list.push(m, 16 * gain + history);
    }
}

impl MoveSink for Tacticals<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard, _: Bitboard) {
        for to in targets {
            self.add(Move::new(from, to, MoveKind::Capture));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, delta: i8, kind: MoveKind) {
        for to in targets {
            self.add(Move::new(to.offset(-delta), to, kind));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, delta: i8, capture: bool) {
        if targets.any() {
            // Rare, and through a list the code for a move is there only once more.
            let mut list = MoveList::new();
            list.promotions(targets, delta, capture);
            for &m in list.iter() {
                self.add(m);
            }
        }
    }

    #[inline(always)]
    fn one(&mut self, m: Move) {
        self.add(m);
    }
}

/// Ranks quiet moves as they are generated.
struct Quiets<'a> {
    list: &'a mut RankedList,
    board: &'a Board,
    histories: &'a Histories,
    threats: Bitboard,
    after: [Continuation<'a>; 3],
    by_pawns: Continuation<'a>,
    weights: OrderWeights,
    check_squares: [Bitboard; 6],
    check_bonus: i32,
    handed_out: FewMoves,
}

impl Quiets<'_> {
    /// Adds the moves of one piece from one square, or from as many as `from_of` says.
    #[inline(always)]
    fn add(&mut self, piece: Piece, targets: Bitboard, kind: MoveKind, from_of: impl Fn(Square) -> Square) {
        let weights = self.weights;
        let after = self.after.map(|history| history.of(piece));
        let color = self.board.side_to_move();
        let by_pawns = self.by_pawns.of(piece);
        let checks = self.check_squares[piece.kind().index()];
        for to in targets {
            let from = from_of(to);
            let m = Move::new(from, to, kind);
            if self.handed_out.contains(m) {
                continue;
            }
            let plain = self.histories.quiet_from(color, self.threats, from);
            let histories = weights.plain * plain[usize::from(self.threats.has(to))].get(to)
                + weights.pawns * by_pawns.get(to)
                + after
                    .iter()
                    .zip(weights.after)
                    .map(|(history, weight)| weight * history.get(to))
                    .sum::<i32>();
            let score = histories / 128 + if checks.has(to) { self.check_bonus } else { 0 };
            self.list.push(m, score);
        }
    }
}

impl MoveSink for Quiets<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard, _: Bitboard) {
        self.add(self.board.expect_piece(from), targets, MoveKind::Quiet, |_| from);
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, delta: i8, kind: MoveKind) {
        let pawn = Piece::new(self.board.side_to_move(), PieceType::Pawn);
        self.add(pawn, targets, kind, |to| to.offset(-delta));
    }

    #[inline(always)]
    fn promotions(&mut self, _: Bitboard, _: i8, _: bool) {}

    #[inline(always)]
    fn one(&mut self, m: Move) {
        self.add(self.board.expect_piece(m.from()), m.to().into(), m.kind(), |_| m.from());
    }
}

/// Up to four moves, packed so that one comparison looks for a move among all of them.
struct FewMoves(u64);

impl FewMoves {
    /// A one in the lowest bit of each of the four places.
    const ONES: u64 = 0x0001_0001_0001_0001;

    fn new(moves: [Option<Move>; 4]) -> FewMoves {
        FewMoves(moves.into_iter().fold(0, |packed, m| packed << 16 | u64::from(m.map_or(0, Move::bits))))
    }

    #[inline(always)]
    fn contains(&self, m: Move) -> bool {
        // The place of an equal move becomes zero, and only from zero does taking one away borrow the
        // highest bit where it was not set.
        let difference = self.0 ^ (u64::from(m.bits()) * Self::ONES);
        (difference.wrapping_sub(Self::ONES) & !difference & (Self::ONES << 15)) != 0
    }
}

fn is_underpromotion(m: Move) -> bool {
    m.promotion().is_some_and(|kind| kind != PieceType::Queen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_found_among_few() {
        let moves: Vec<Move> = crate::Board::start().legal_moves().to_vec();
        for chosen in moves.windows(3) {
            let few = FewMoves::new([Some(chosen[0]), None, Some(chosen[1]), Some(chosen[2])]);
            for &m in &moves {
                assert_eq!(few.contains(m), chosen.contains(&m), "{m:?} among {chosen:?}");
            }
        }
        assert!(!FewMoves::new([None; 4]).contains(moves[0]));
    }
}
