//! Initiative: how winnable a position is. An advantage is worth more with pawns on both wings and a
//! king that gets through, and less where everything is locked or gone.

use super::geometry::QUEEN_SIDE;
use super::score::Score;
use super::tally::Tally;
use super::terms::Position;
use super::trace::Trace;
use crate::types::{Color, PieceType};

/// Weighs the position for the side that is ahead. All it counts is the same for both sides.
#[inline(always)]
pub(super) fn weigh<T: Trace>(position: &Position, tally: &mut Tally<T>) -> Score {
    let board = position.board;
    let p = tally.params;
    let pawns = board.by_kind(PieceType::Pawn);
    let [white, black] = position.king;
    let files = i32::from(white.file().abs_diff(black.file()));
    let ranks = i32::from(white.rank().abs_diff(black.rank()));
    let outflanking = files - ranks;
    let both_flanks = (pawns & QUEEN_SIDE).any() && (pawns - QUEEN_SIDE).any();
    let infiltration = white.rank() > 3 || black.rank() < 4;
    let pawn_ending = Color::ALL.into_iter().all(|color| !board.has_pieces(color));
    let almost_unwinnable = outflanking < 0 && !both_flanks;

    let mut sum = tally.weigh(&p.initiative_base, 1);
    sum += tally.weigh(&p.initiative_pawn, pawns.count() as i32);
    sum += tally.weigh(&p.initiative_passed, position.pawns.passed.count() as i32);
    sum += tally.weigh(&p.initiative_outflanking, outflanking);
    sum += tally.weigh(&p.initiative_both_flanks, i32::from(both_flanks));
    sum += tally.weigh(&p.initiative_infiltration, i32::from(infiltration));
    sum += tally.weigh(&p.initiative_pawn_ending, i32::from(pawn_ending));
    sum += tally.weigh(&p.initiative_almost_unwinnable, i32::from(almost_unwinnable));
    sum
}
