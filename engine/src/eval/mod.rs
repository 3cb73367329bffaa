//! The evaluation: how good a position is, in centipawns, without looking ahead.
//!
//! [`params`] lists the weights, [`terms`] counts them, [`blend`] makes one number of the sums.
//! An [`Evaluator`] does that for a search thread, with material and squares kept up to date move by
//! move and pawns cached; [`trace`] does it once for the tuner and for people, and tells what was counted.

mod accumulator;
pub mod blend;
mod coefficients;
mod defaults;
pub mod endgame;
pub mod explain;
mod geometry;
pub mod gradient;
mod initiative;
mod list;
mod material;
mod params;
mod scale;
mod score;
mod style;
mod tally;
mod temper;
mod terms;
mod text;
mod trace;
mod weights;
mod weights_file;

pub use accumulator::{Accumulator, MaterialKey};
pub use blend::FULL_PHASE;
pub use coefficients::{Assembly, Coefficient, Coefficients, CountedSums};
pub use list::{Field, Role, Shape, Weight};
pub use params::EvalParams;
pub use score::Score;
pub use style::{BookTaste, Style, StyleError};
pub use temper::Temper;
pub use text::LineError;
pub use trace::{Sheet, Sight};
pub use weights::Weights;
pub use weights_file::{Header, WeightsError, WeightsFile};

use std::sync::Arc;

use crate::Board;
use crate::cpu::{Work, widely};
use crate::types::value::EVAL_LIMIT;
use crate::types::{Color, MAX_PLY, Move, PieceType, Square, Value};
use blend::{danger_value, side_ahead, tapered, with_ending, with_initiative};
use endgame::Ending;
use material::{MaterialEntry, MaterialTable};
use tally::Tally;
use terms::Position;
use terms::pawns::{PawnEntry, PawnTable};
use trace::{NoTrace, Trace};
use weights::KingView;

/// Evaluates positions for one search thread.
pub struct Evaluator {
    weights: Arc<Weights>,
    /// One for the root and one for every move made since; the last is that of the board.
    accumulators: Vec<Accumulator>,
    materials: MaterialTable,
    pawns: PawnTable,
}

impl Evaluator {
    /// An evaluator of the start position: [`Evaluator::reset`] it for any other.
    pub fn new(weights: Arc<Weights>) -> Evaluator {
        let mut accumulators = Vec::with_capacity(MAX_PLY + 1);
        accumulators.push(Accumulator::of(&Board::start(), &weights));
        Evaluator { weights, accumulators, materials: MaterialTable::new(), pawns: PawnTable::new() }
    }

    /// The weights it reads.
    pub fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// Begins anew at a board.
    pub fn reset(&mut self, board: &Board) {
        self.accumulators.clear();
        self.accumulators.push(Accumulator::of(board, &self.weights));
    }

    /// Follows a move, called just before it is made on the board.
    #[inline(always)]
    pub fn make(&mut self, before: &Board, m: Move) {
        let next = self.current().after(before, m, &self.weights);
        self.accumulators.push(next);
    }

    /// Asks ahead of time for what it knows about the pawns of a board.
    #[inline(always)]
    pub fn prefetch(&self, board: &Board) {
        self.pawns.prefetch(board.pawn_key());
    }

    /// Follows taking the last move back.
    #[inline(always)]
    pub fn unmake(&mut self) {
        debug_assert!(self.accumulators.len() > 1, "unmake follows a make");
        self.accumulators.pop();
    }

    #[inline(always)]
    fn current(&self) -> Accumulator {
        self.accumulators[self.accumulators.len() - 1]
    }

    /// Forgets what was cached of earlier positions.
    pub fn clear(&mut self) {
        self.materials.clear();
        self.pawns.clear();
    }

    /// The value for the side to move as the style sees it that the weights are under: [`Evaluator::evaluate`],
    /// coloured by its temper.
    #[inline(always)]
    pub fn evaluate_in_style(&mut self, board: &Board) -> Value {
        let value = self.evaluate(board);
        match self.weights.temper {
            Some(temper) => self.colored(temper, value, board.side_to_move()),
            None => value,
        }
    }

    /// Apart, as most players have no temper.
    #[inline(never)]
    fn colored(&mut self, (temper, own): (Temper, Color), value: Value, side_to_move: Color) -> Value {
        let material = self.current().material;
        let phase = self.materials.probe(material, &self.weights).phase;
        let sign = if side_to_move == own { 1 } else { -1 };
        let colored = sign * temper.color(sign * value, material, phase, own);
        colored.clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The value for the side to move, tempo included, within ±[`EVAL_LIMIT`](crate::types::value::EVAL_LIMIT).
    pub fn evaluate(&mut self, board: &Board) -> Value {
        let Accumulator { score_white, material } = self.current();
        debug_assert_eq!(self.current(), Accumulator::of(board, &self.weights));
        let entry = self.materials.probe(material, &self.weights);
        let ending = if entry.may_be_known { endgame::recognise(board) } else { None };
        let value_white = if let Some(Ending::Value(_)) = ending {
            with_ending(0, ending)
        } else {
            let pawns = self.pawns.probe(board, &self.weights);
            let base_white = score_white + entry.score_white + pawns.score_white();
            let mut white = Tally::<NoTrace>::new(self.weights.side(Color::White));
            let mut black = Tally::<NoTrace>::new(self.weights.side(Color::Black));
            let facts = Facts { board, material, phase: entry.phase, pawns, base_white };
            with_ending(judge(&facts, &mut white, &mut black), ending)
        };
        match board.side_to_move() {
            Color::White => value_white,
            Color::Black => -value_white,
        }
    }
}

/// The evaluation of one position without an evaluator, from White's point of view.
pub fn evaluate_white(board: &Board, weights: &Weights) -> Value {
    let mut evaluator = Evaluator::new(Arc::new(weights.clone()));
    evaluator.reset(board);
    let value_stm = evaluator.evaluate(board);
    if board.side_to_move() == Color::White { value_stm } else { -value_stm }
}

/// The evaluation taken apart. Nothing is cached, so that everything is counted.
pub fn trace(board: &Board, weights: &Weights) -> Coefficients {
    let mut coefficients = Coefficients::default();
    Tracer::new().trace(board, weights, &mut coefficients);
    coefficients
}

/// Takes evaluations apart, one after the other in the same memory.
pub struct Tracer {
    sheet: Sheet,
}

/// An evaluation that was listened to, beside what was counted.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// The evaluation itself, White's point of view, as the terms added it up.
    pub value_white: Value,
    /// 0 to [`FULL_PHASE`].
    pub phase: i32,
    /// What is known about the ending, if anything.
    pub ending: Option<Ending>,
}

impl Tracer {
    /// A tracer of any weights.
    pub fn new() -> Tracer {
        Tracer { sheet: Sheet::new() }
    }

    /// What [`trace`] gives, written over `coefficients`; answers with the evaluation itself.
    pub fn trace(&mut self, board: &Board, weights: &Weights, coefficients: &mut Coefficients) -> Value {
        coefficients.counted.clear();
        let heard = self.listen(board, weights, Sight::All, |_, counted| coefficients.counted.push(counted));
        (coefficients.phase, coefficients.ending) = (heard.phase, heard.ending);
        heard.value_white
    }

    /// Evaluates a board, and shows every weight that was counted, in the order of the list, and the sheet that
    /// those which follow are still on.
    #[inline(always)]
    pub fn listen(
        &mut self,
        board: &Board,
        weights: &Weights,
        sight: Sight,
        mut see: impl FnMut(&Sheet, Coefficient),
    ) -> Heard {
        let heard = self.evaluate(board, weights);
        let counted = |sheet: &Sheet, index, [white, black]: [i16; 2]| {
            see(sheet, Coefficient { index: index as u16, white, black })
        };
        self.sheet.drain(sight, counted);
        heard
    }

    fn evaluate(&self, board: &Board, weights: &Weights) -> Heard {
        widely(Evaluation { tracer: self, board, weights })
    }

    #[inline(always)]
    fn evaluate_plainly(&self, board: &Board, weights: &Weights) -> Heard {
        let tally = |color| Tally::heard_by(self.sheet.recorder(color), weights.side(color));
        let (mut white, mut black) = (tally(Color::White), tally(Color::Black));
        count_squares(board, Color::White, &mut white);
        count_squares(board, Color::Black, &mut black);
        let material = MaterialKey::of(board);
        let entry = MaterialEntry::count(material, &mut white, &mut black);
        let pawns = PawnEntry::count(board, &mut white, &mut black);
        let facts = Facts { board, material, phase: entry.phase, pawns: &pawns, base_white: Score::ZERO };
        let value_white = judge(&facts, &mut white, &mut black);
        let ending = if entry.may_be_known { endgame::recognise(board) } else { None };
        Heard { value_white: with_ending(value_white, ending), phase: entry.phase, ending }
    }
}

/// One evaluation that is listened to.
struct Evaluation<'a> {
    tracer: &'a Tracer,
    board: &'a Board,
    weights: &'a Weights,
}

impl Work for Evaluation<'_> {
    type Output = Heard;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> Heard {
        self.tracer.evaluate_plainly(self.board, self.weights)
    }
}

impl Default for Tracer {
    fn default() -> Tracer {
        Tracer::new()
    }
}

/// Counts what the accumulator holds otherwise.
#[inline(always)]
fn count_squares<T: Trace>(board: &Board, color: Color, tally: &mut Tally<T>) {
    let p = tally.params;
    let view = KingView::of(board, color);
    for weight in p.square_weights(color, PieceType::King, view, board.king(color)) {
        tally.add(weight, 1);
    }
    // Seen from the other side, or mirrored, a square differs in the same bits whichever it is.
    let turn = view.table_square(color, Square::A1).index();
    for (kind, value) in PieceType::ALL.into_iter().zip(&p.piece_value) {
        let (squares, squares_apart) = (&p.psqt[kind.index()], &p.psqt_apart[kind.index()]);
        let pieces = board.pieces(color, kind);
        tally.add(value, pieces.count() as i32);
        for square in pieces {
            let place = (square.index() ^ turn) % 64;
            tally.add(&squares[place], 1);
            if view.is_apart() {
                tally.add(&squares_apart[place], 1);
            }
        }
    }
}

/// What is known of a position before its pieces are looked at.
struct Facts<'a> {
    board: &'a Board,
    material: MaterialKey,
    phase: i32,
    pawns: &'a PawnEntry,
    /// What was added up elsewhere: material, squares, pawns.
    base_white: Score,
}

/// Counts the terms and blends the sums. Known endings are the caller's matter.
#[inline(always)]
fn judge<T: Trace>(facts: &Facts, white: &mut Tally<T>, black: &mut Tally<T>) -> Value {
    let mut position = Position::new(facts.board, facts.pawns);
    terms::pieces::count::<T, true>(&mut position, white);
    terms::pieces::count::<T, false>(&mut position, black);
    terms::king::count::<T, true>(&position, white);
    terms::king::count::<T, false>(&position, black);
    terms::threats::count::<T, true>(&position, white);
    terms::threats::count::<T, false>(&position, black);
    terms::passed::count::<T, true>(&position, white);
    terms::passed::count::<T, false>(&position, black);
    if facts.phase >= terms::space::LEAST_PHASE {
        terms::space::count::<T, true>(&position, white);
        terms::space::count::<T, false>(&position, black);
    }
    match facts.board.side_to_move() {
        Color::White => white.add(&white.params.tempo, 1),
        Color::Black => black.add(&black.params.tempo, 1),
    }

    let sum_white = facts.base_white + white.score - black.score + danger_value(white.danger)
        - danger_value(black.danger);
    let mut weigh_initiative = |color| match color {
        Color::White => white.aside(|aside| initiative::weigh(&position, aside)),
        Color::Black => black.aside(|aside| initiative::weigh(&position, aside)),
    };
    let leader = side_ahead(sum_white);
    let score_white = with_initiative(sum_white, weigh_initiative(leader));
    if T::RECORDING {
        // With other weights the other side may be ahead.
        weigh_initiative(!leader);
    }
    let mut weigh_scale = |color| match color {
        Color::White => white.aside(|aside| scale::weigh(&position, facts.material, color, aside)),
        Color::Black => black.aside(|aside| scale::weigh(&position, facts.material, color, aside)),
    };
    let strong = side_ahead(score_white);
    let scale = weigh_scale(strong);
    if T::RECORDING {
        weigh_scale(!strong);
    }
    tapered(score_white, scale, facts.phase)
}

#[cfg(test)]
mod tests;
