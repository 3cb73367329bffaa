//! Space: safe room behind the own pawns, which many pieces need more than few.

use super::{Position, side};
use crate::eval::geometry::{CENTRE_FILES, shadow};
use crate::eval::tally::Tally;
use crate::eval::trace::Trace;
use crate::types::Bitboard;

/// Below this phase the board is empty enough for everyone.
pub(in crate::eval) const LEAST_PHASE: i32 = 14;

/// Counts one side's space. The attack maps of both sides are complete.
///
/// The unit: safe squares on the files c to f and the second to fourth rank, those behind an own pawn
/// and out of the enemy's reach counted twice, times the square of the number of own men (and of
/// blocked pawns, which keep them in), divided so that the opening has some ten units.
#[inline(always)]
pub(in crate::eval) fn count<T: Trace, const WHITE: bool>(position: &Position, tally: &mut Tally<T>) {
    let us = side(WHITE);
    let them = !us;
    let board = position.board;
    let ours = board.pawns(us);
    let ranks =
        Bitboard::relative_rank(us, 1) | Bitboard::relative_rank(us, 2) | Bitboard::relative_rank(us, 3);
    let safe = (CENTRE_FILES & ranks) - ours - position.by_kind[them.index()][0];
    let behind = (shadow(us, ours).forward(them) & safe) - position.attacked[them.index()];
    let squares = (safe.count() + behind.count()) as i32;
    let blocked = (ours & board.pawns(them).forward(them)).count() as i32;
    let need = (board.by_color(us).count() as i32 - 3 + blocked).max(0);
    tally.add(&tally.params.space, squares * need * need / 128);
}
