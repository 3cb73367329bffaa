//! What moves were worth in this search so far: the memory behind move ordering and pruning.

use super::params::Numbers;
use crate::board::Board;
use crate::types::{Bitboard, Color, Move, Piece, PieceType, Square};

/// No history goes beyond plus or minus this.
pub const HISTORY_MAX: i32 = 16_384;

/// A bounded running score.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
struct Counter(i16);

impl Counter {
    /// Moves towards the bonus; the nearer to the limit, the slower, so it never overflows and forgets.
    #[inline(always)]
    fn add(&mut self, bonus: i32) {
        self.add_within(bonus, HISTORY_MAX);
    }

    /// The same with a limit of its own, at most [`HISTORY_MAX`].
    #[inline(always)]
    fn add_within(&mut self, bonus: i32, limit: i32) {
        let bonus = bonus.clamp(-limit, limit);
        let now = i32::from(self.0);
        self.0 = (now + bonus - now * bonus.abs() / limit) as i16;
    }

    #[inline(always)]
    fn get(self) -> i32 {
        i32::from(self.0)
    }
}

/// A piece and the square it went to: what a continuation history is keyed by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// No move: the root's forerunners and null moves.
    pub const NONE: PieceTo = PieceTo(768);
    pub const COUNT: usize = 769;

    /// A piece going to a square.
    #[inline(always)]
    pub fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 64 + to.index()) as u16)
    }

    #[inline(always)]
    pub fn index(self) -> usize {
        // SAFETY: `new` and `NONE` are the only ways to make one.
        unsafe { std::hint::assert_unchecked(self.0 < Self::COUNT as u16) };
        self.0 as usize
    }
}

/// The moves one, two and four plies ago.
pub type Earlier = [PieceTo; 3];

/// Pawn structures that share a history of moves, by their key.
const PAWN_STRUCTURES: usize = 512;

/// `// [color][from is attacked][to is attacked][from][to]`
type QuietHistory = [[[[[Counter; 64]; 64]; 2]; 2]; 2];
/// `// [piece][to][kind taken]`
type CaptureHistory = [[[Counter; 6]; 64]; 12];

/// All histories of one thread.
pub struct Histories {
    quiet: Box<QuietHistory>,
    capture: Box<CaptureHistory>,
    /// `// [earlier piece and target][piece][to]`
    continuation: Box<[FollowUps]>,
    /// `// [pawn structure][piece][to]`
    by_pawns: Box<[FollowUps]>,
    /// `// [earlier piece and target]` the reply that refuted it last
    counter_moves: Box<[Option<Move>]>,
}

/// How well moves followed one earlier move: `// [piece][to]`.
type FollowUps = [[Counter; 64]; 12];

/// How well moves followed one earlier move.
#[derive(Clone, Copy)]
pub struct Continuation<'a>(&'a FollowUps);

impl<'a> Continuation<'a> {
    /// How well a piece did going to that square.
    #[inline(always)]
    pub fn get(self, piece: Piece, to: Square) -> i32 {
        self.of(piece).get(to)
    }

    /// How well one piece did.
    #[inline(always)]
    pub fn of(self, piece: Piece) -> Targets<'a> {
        Targets(&self.0[piece.index()])
    }
}

/// How well moves did by where they went: `// [to]`.
#[derive(Clone, Copy)]
pub struct Targets<'a>(&'a [Counter; 64]);

impl Targets<'_> {
    /// How well going to that square did.
    #[inline(always)]
    pub fn get(self, to: Square) -> i32 {
        self.0[to.index()].get()
    }
}

impl Histories {
    /// Empty histories.
    pub fn new() -> Histories {
        Histories {
            quiet: super::zeroed_box!(QuietHistory),
            capture: super::zeroed_box!(CaptureHistory),
            continuation: vec![[[Counter::default(); 64]; 12]; PieceTo::COUNT].into_boxed_slice(),
            by_pawns: vec![[[Counter::default(); 64]; 12]; PAWN_STRUCTURES].into_boxed_slice(),
            counter_moves: vec![None; PieceTo::COUNT].into_boxed_slice(),
        }
    }

    /// The plain history of a quiet move, given what the enemy attacks.
    #[inline(always)]
    pub fn quiet(&self, color: Color, threats: Bitboard, m: Move) -> i32 {
        let to = m.to();
        self.quiet_from(color, threats, m.from())[usize::from(threats.has(to))].get(to)
    }

    /// The plain history of the quiet moves from one square, given what the enemy attacks:
    /// `// [to is attacked]`.
    #[inline(always)]
    pub fn quiet_from(&self, color: Color, threats: Bitboard, from: Square) -> [Targets<'_>; 2] {
        let by_target = &self.quiet[color.index()][usize::from(threats.has(from))];
        [0, 1].map(|attacked: usize| Targets(&by_target[attacked][from.index()]))
    }

    /// How well moves followed an earlier one.
    #[inline(always)]
    pub fn after(&self, earlier: PieceTo) -> Continuation<'_> {
        Continuation(&self.continuation[earlier.index()])
    }

    /// How well moves did with these pawns.
    #[inline(always)]
    pub fn with_pawns(&self, board: &Board) -> Continuation<'_> {
        Continuation(&self.by_pawns[board.pawn_key() as usize % PAWN_STRUCTURES])
    }

    /// Rewards how a piece did with these pawns.
    pub fn add_with_pawns(&mut self, board: &Board, piece: Piece, to: Square, bonus: i32) {
        self.by_pawns[board.pawn_key() as usize % PAWN_STRUCTURES][piece.index()][to.index()].add(bonus);
    }

    /// Rewards a quiet move that has been made by the other side, from its own history alone.
    pub fn add_plain(&mut self, params: impl Numbers, color: Color, threats: Bitboard, m: Move, bonus: i32) {
        let (from, to) = (m.from(), m.to());
        self.quiet[color.index()][usize::from(threats.has(from))][usize::from(threats.has(to))][from.index()]
            [to.index()]
        .add_within(bonus, params.history_plain_max());
    }

    /// How well a piece did taking that kind on that square.
    #[inline(always)]
    pub fn capture(&self, piece: Piece, to: Square, taken: PieceType) -> i32 {
        self.capture[piece.index()][to.index()][taken.index()].get()
    }

    /// Rewards (or punishes, below zero) a quiet move and how it followed the moves before it.
    pub fn add_quiet(
        &mut self,
        params: impl Numbers,
        board: &Board,
        threats: Bitboard,
        earlier: &Earlier,
        m: Move,
        bonus: i32,
    ) {
        let Some(piece) = board.piece_at(m.from()) else { return };
        self.add_plain(params, board.side_to_move(), threats, m, bonus);
        self.add_continuation(earlier, piece, m.to(), bonus);
    }

    /// Rewards how a move followed the moves before it.
    pub fn add_continuation(&mut self, earlier: &Earlier, piece: Piece, to: Square, bonus: i32) {
        for &earlier in earlier {
            if earlier != PieceTo::NONE {
                self.continuation[earlier.index()][piece.index()][to.index()].add(bonus);
            }
        }
    }

    /// Rewards or punishes a capture.
    pub fn add_capture(&mut self, board: &Board, m: Move, bonus: i32) {
        let Some(piece) = board.piece_at(m.from()) else { return };
        self.capture[piece.index()][m.to().index()][taken_kind(board, m).index()].add(bonus);
    }

    /// The reply that last refuted a move.
    #[inline(always)]
    pub fn counter_move(&self, earlier: PieceTo) -> Option<Move> {
        self.counter_moves[earlier.index()]
    }

    /// Remembers the reply that refuted a move.
    pub fn set_counter_move(&mut self, earlier: PieceTo, reply: Move) {
        self.counter_moves[earlier.index()] = Some(reply);
    }
}

/// What a move takes; a promotion without capture counts as taking a pawn's worth.
#[inline(always)]
pub fn taken_kind(board: &Board, m: Move) -> PieceType {
    if m.is_en_passant() { PieceType::Pawn } else { board.kind_at(m.to()).unwrap_or(PieceType::Pawn) }
}

impl Default for Histories {
    fn default() -> Histories {
        Histories::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_stays_within_its_limit_and_forgets() {
        let mut counter = Counter::default();
        for _ in 0..10_000 {
            counter.add(2_000);
            assert!(counter.get() <= HISTORY_MAX);
        }
        assert!(counter.get() > HISTORY_MAX * 9 / 10);
        for _ in 0..10_000 {
            counter.add(-HISTORY_MAX);
            assert!(counter.get() >= -HISTORY_MAX);
        }
    }
}
