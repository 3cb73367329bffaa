//! Passed pawns: how far, how free, and who is near.

use super::{Position, side};
use crate::eval::geometry::{ahead, from_edge, steps};
use crate::eval::tally::Tally;
use crate::eval::trace::Trace;
use crate::types::{Color, PieceType, Square};

/// Counts one side's passed pawns. The attack maps of both sides are complete.
#[inline(always)]
pub(in crate::eval) fn count<T: Trace, const WHITE: bool>(position: &Position, tally: &mut Tally<T>) {
    let us = side(WHITE);
    for pawn in position.pawns.passed & position.board.by_color(us) {
        count_pawn::<T, WHITE>(position, tally, pawn);
    }
}

#[inline(always)]
fn count_pawn<T: Trace, const WHITE: bool>(position: &Position, tally: &mut Tally<T>, pawn: Square) {
    let us = side(WHITE);
    let them = !us;
    let board = position.board;
    let p = tally.params;
    let rank = usize::from(pawn.relative_rank(us)) - 1;
    let next = pawn.forward(us);
    let path = ahead(us, pawn);

    tally.add(&p.passed_rank[rank], 1);
    tally.add(&p.passed_file[from_edge(pawn.file())], 1);

    let near = |color: Color| steps(position.king[color.index()], next).min(5);
    tally.add(&p.passed_own_king[rank], near(us));
    tally.add(&p.passed_enemy_king[rank], near(them));

    let rooks_behind = ahead(them, pawn) & board.by_kind(PieceType::Rook);
    // An attack from behind along the file reaches the whole path.
    let mut enemy_control = position.attacked[them.index()];
    if rooks_behind.any() {
        if (rooks_behind & board.by_color(us)).any() {
            tally.add(&p.passed_rook_behind, 1);
        }
        if (rooks_behind & board.by_color(them)).any() {
            tally.add(&p.passed_enemy_rook_behind, 1);
            enemy_control |= path;
        }
    }

    if board.by_color(them).has(next) {
        tally.add(&p.passed_blocked[rank], 1);
    } else {
        if !enemy_control.has(next) {
            tally.add(&p.passed_safe_step[rank], 1);
        }
        if position.attacked[us.index()].has(next) {
            tally.add(&p.passed_guarded[rank], 1);
        }
        if (path & (enemy_control | position.occupied)).is_empty() {
            tally.add(&p.passed_free_path[rank], 1);
        }
    }

    if !board.has_pieces(them)
        && (path & position.occupied).is_empty()
        && outruns_king::<WHITE>(position, pawn)
    {
        tally.add(&p.passed_unstoppable, 1);
    }
}

/// The rule of the square: the enemy king needs more moves to the promotion square than the pawn.
fn outruns_king<const WHITE: bool>(position: &Position, pawn: Square) -> bool {
    let us = side(WHITE);
    let goal = Square::at(pawn.file(), 7 * (!us) as u8);
    // From its first square a pawn saves a move.
    let moves = (7 - pawn.relative_rank(us)).min(5);
    let king_moves = position.king[(!us).index()].distance(goal);
    let king_is_first = position.board.side_to_move() != us;
    king_moves > moves + u8::from(king_is_first)
}
