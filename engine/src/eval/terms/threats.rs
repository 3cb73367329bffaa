//! Threats: enemy pieces that stand badly against what attacks them.

use super::{Position, side};
use crate::board::attacks;
use crate::eval::tally::Tally;
use crate::eval::trace::Trace;
use crate::types::{Bitboard, PieceType};

/// What can be threatened.
const VICTIMS: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// Counts one side's threats. The attack maps of both sides are complete.
#[inline(always)]
pub(in crate::eval) fn count<T: Trace, const WHITE: bool>(position: &Position, tally: &mut Tally<T>) {
    let us = side(WHITE);
    let them = !us;
    let (here, there) = (us.index(), them.index());
    let board = position.board;
    let p = tally.params;

    // A king in check is no victim: it will not be there when its turn has passed.
    let enemies = board.by_color(them) - board.pieces(them, PieceType::King);
    let enemy_pieces = enemies - board.pawns(them);
    let attacked = position.attacked[here];
    let defended = position.attacked[there];
    // A pawn guards it, or two defenders against one attacker.
    let strongly = position.by(them, PieceType::Pawn) | (position.twice[there] - position.twice[here]);
    let weak = (enemies - strongly) & attacked;

    let by_minors = position.by(us, PieceType::Knight) | position.by(us, PieceType::Bishop);
    let minors_victims = ((enemy_pieces & strongly) | weak) & by_minors;
    for (kind, weight) in VICTIMS.into_iter().zip(&p.threat_by_minor) {
        tally.add(weight, (minors_victims & board.by_kind(kind)).count() as i32);
    }
    if weak.any() {
        let rooks_victims = weak & position.by(us, PieceType::Rook);
        for (kind, weight) in VICTIMS.into_iter().zip(&p.threat_by_rook) {
            tally.add(weight, (rooks_victims & board.by_kind(kind)).count() as i32);
        }
        if (weak & position.by(us, PieceType::King)).any() {
            tally.add(&p.threat_by_king, 1);
        }
        let hanging = weak & (!defended | (enemy_pieces & position.twice[here]));
        tally.add(&p.threat_hanging, hanging.count() as i32);
        let overloaded = weak & enemy_pieces & (defended - position.twice[there]);
        tally.add(&p.threat_overloaded, overloaded.count() as i32);
        let by_queen = weak & position.by(them, PieceType::Queen);
        tally.add(&p.threat_guarded_by_queen, by_queen.count() as i32);
    }
    let restricted = defended & (attacked - strongly);
    tally.add(&p.threat_restricted, restricted.count() as i32);

    let safe = !defended | attacked;
    let safe_pawns = board.pawns(us) & safe;
    let by_pawns = attacks::pawns(us, safe_pawns) & enemy_pieces;
    tally.add(&p.threat_by_pawn, by_pawns.count() as i32);

    let empty = !position.occupied;
    let one_step = board.pawns(us).forward(us) & empty;
    let two_steps = (one_step & Bitboard::relative_rank(us, 2)).forward(us) & empty;
    let steps = ((one_step | two_steps) - position.by(them, PieceType::Pawn)) & safe;
    let by_pushes = attacks::pawns(us, steps) & enemy_pieces;
    tally.add(&p.threat_by_push, by_pushes.count() as i32);

    let queens = board.pieces(them, PieceType::Queen);
    if queens.any() && !queens.several() {
        let queen = queens.first_unchecked();
        let squares = position.area[here] - strongly;
        let knight_jumps = attacks::knight(queen) & position.by(us, PieceType::Knight) & squares;
        if knight_jumps.any() {
            tally.add(&p.threat_knight_on_queen, 1);
        }
        let slides = (attacks::bishop(queen, position.occupied) & position.by(us, PieceType::Bishop))
            | (attacks::rook(queen, position.occupied) & position.by(us, PieceType::Rook));
        let slides = slides & squares & position.twice[here];
        tally.add(&p.threat_slider_on_queen, slides.count() as i32);
    }
}
