//! Correction history: how wrong the static evaluation was lately in positions of the same kind.

use super::history::{Earlier, PieceTo};
use super::params::Numbers;
use crate::board::Board;
use crate::cpu::prefetch;
use crate::types::{Color, Value, value};

const SIZE: usize = 16_384;
/// Corrections are kept this much finer than a centipawn.
const GRAIN: i32 = 256;
const LIMIT: i32 = 96 * GRAIN;

const _: () = assert!(LIMIT <= i16::MAX as i32, "sixteen bits hold a correction");

/// `// [side to move][key]`
type ByKey = [[i16; SIZE]; 2];

/// All corrections of one thread.
pub struct Corrections {
    pawns: Box<ByKey>,
    /// `// [piece color]`
    pieces: Box<[ByKey; 2]>,
    /// `// [earlier move][last move]` by piece and target
    moves: Box<[i16]>,
}

/// What decides which corrections speak of a position.
#[derive(Clone, Copy)]
pub struct Occasion<'a> {
    /// The position.
    pub board: &'a Board,
    pub earlier: Earlier,
}

impl Corrections {
    /// Nothing is known to be wrong.
    pub fn new() -> Corrections {
        Corrections {
            pawns: super::zeroed_box!(ByKey),
            pieces: super::zeroed_box!([ByKey; 2]),
            moves: vec![0; PieceTo::COUNT * PieceTo::COUNT].into_boxed_slice(),
        }
    }

    /// By how much the evaluation was too low lately in positions with these pawns and these pieces,
    /// in centipawns for the side to move.
    #[inline(always)]
    pub fn of(&self, params: impl Numbers, occasion: Occasion) -> Value {
        let [pawns, white, black] = self.entries(occasion.board).map(|&entry| Value::from(entry));
        let mut sum = pawns * params.correction_pawns() + (white + black) * params.correction_pieces();
        if params.correction_moves() != 0 {
            sum += Value::from(self.moves[pair(&occasion.earlier)]) * params.correction_moves();
        }
        sum / (200 * GRAIN) * params.correction_weight() / 1024
    }

    /// Asks for the corrections of a board ahead of time.
    #[inline(always)]
    pub fn prefetch(&self, board: &Board) {
        self.entries(board).into_iter().for_each(|entry| prefetch(entry));
    }

    /// Those of the pawns, of White's pieces and of Black's.
    #[inline(always)]
    fn entries(&self, board: &Board) -> [&i16; 3] {
        let side = board.side_to_move().index();
        [
            &self.pawns[side][slot(board.pawn_key())],
            &self.pieces[0][side][slot(board.non_pawn_key(Color::White))],
            &self.pieces[1][side][slot(board.non_pawn_key(Color::Black))],
        ]
    }

    /// Learns from a search result: the evaluation was `error` too low, found at this depth.
    pub fn learn(&mut self, params: impl Numbers, occasion: Occasion, error: Value, depth: i32) {
        let board = occasion.board;
        let side = board.side_to_move().index();
        let weight = (depth + 1).min(params.correction_rate_max());
        let target = error.clamp(-params.correction_error_max(), params.correction_error_max()) * GRAIN;
        let learn = |entry: &mut i16| {
            let now = i32::from(*entry);
            let moved = now + (target - now * params.correction_leak() / 256) * weight / 256;
            *entry = moved.clamp(-LIMIT, LIMIT) as i16;
        };
        learn(&mut self.pawns[side][slot(board.pawn_key())]);
        learn(&mut self.pieces[0][side][slot(board.non_pawn_key(Color::White))]);
        learn(&mut self.pieces[1][side][slot(board.non_pawn_key(Color::Black))]);
        if params.correction_moves() != 0 {
            learn(&mut self.moves[pair(&occasion.earlier)]);
        }
    }
}

/// Where the correction of a pair of moves is: the last one and the one before.
#[inline(always)]
fn pair(&[last, before, _]: &Earlier) -> usize {
    before.index() * PieceTo::COUNT + last.index()
}

fn slot(key: u64) -> usize {
    key as usize % SIZE
}

/// The static evaluation after correction, kept out of the decided values.
#[inline(always)]
pub fn corrected(raw: Value, correction: Value) -> Value {
    (raw + correction).clamp(-value::EVAL_LIMIT, value::EVAL_LIMIT)
}
