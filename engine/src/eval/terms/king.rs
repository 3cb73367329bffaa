//! The attack on the enemy king, and the own king's right to castle.
//!
//! An attack is worth more than the sum of its pieces, so its weights are added up to a *danger*
//! that is then squared: see [`danger_value`](crate::eval::blend::danger_value).

use super::{Position, side};
use crate::board::{Wing, attacks};
use crate::eval::geometry::{FLANK, OUTER_RING};
use crate::eval::tally::Tally;
use crate::eval::trace::Trace;
use crate::types::{Bitboard, PieceType};

/// Counts what one side's pieces do to the enemy king. The attack maps of both sides are complete.
#[inline(always)]
pub(in crate::eval) fn count<T: Trace, const WHITE: bool>(position: &Position, tally: &mut Tally<T>) {
    let us = side(WHITE);
    let them = !us;
    let (here, there) = (us.index(), them.index());
    let board = position.board;
    let p = tally.params;

    for wing in Wing::BOTH {
        let may_castle = board.castling_rights().has(us, wing);
        tally.add(&p.king_may_castle[wing as usize], i32::from(may_castle));
    }
    let own_flank = FLANK[usize::from(position.king[here].file())];
    if (board.by_kind(PieceType::Pawn) & own_flank).is_empty() {
        tally.add(&p.king_pawnless_flank, 1);
    }

    let king = position.king[there];
    let attacked = position.attacked[here];
    let defended = position.attacked[there];
    let by_their_king = position.by(them, PieceType::King);
    let by_their_queen = position.by(them, PieceType::Queen);
    let weak = (attacked - position.twice[there]) & (!defended | by_their_king | by_their_queen);

    tally.add_danger(&p.king_attack_base, 1);
    let attackers = position.ring_attackers[here];
    if attackers > 0 {
        tally.add_danger(&p.king_attack_number[attackers.min(4) - 1], 1);
    }
    tally.add_danger(&p.king_attack_outer, (attacked & OUTER_RING[king.index()]).count() as i32);
    tally.add_danger(&p.king_attack_weak, (weak & position.ring[there]).count() as i32);
    tally.add_danger(&p.king_attack_pinned, position.pinned[there].count() as i32);
    tally.add_danger(&p.king_attack_gap, i32::from(position.pawns.gaps[there]));
    let knight_guards = (position.by(them, PieceType::Knight) & position.ring[there]).any();
    tally.add_danger(&p.king_attack_knight_guards, i32::from(knight_guards));
    if board.pieces(us, PieceType::Queen).is_empty() {
        tally.add_danger(&p.king_attack_no_queen, 1);
    }

    // The king's flank as far as the fifth rank of its side.
    let far = Bitboard::relative_rank(them, 5)
        | Bitboard::relative_rank(them, 6)
        | Bitboard::relative_rank(them, 7);
    let flank = FLANK[usize::from(king.file())] - far;
    let on_flank = (attacked & flank).count() + (position.twice[here] & flank).count();
    tally.add_danger(&p.king_attack_flank, on_flank as i32);
    tally.add_danger(&p.king_attack_flank_defended, (defended & flank).count() as i32);

    count_checks::<T, WHITE>(position, tally, weak);
}

/// Squares from which a piece could check next move, safe ones by piece, the others together.
#[inline(always)]
fn count_checks<T: Trace, const WHITE: bool>(position: &Position, tally: &mut Tally<T>, weak: Bitboard) {
    let us = side(WHITE);
    let them = !us;
    let (here, there) = (us.index(), them.index());
    let board = position.board;
    let p = tally.params;
    let king = position.king[there];

    // The queen that stands beside its king does not stop a check through itself.
    let occupied = position.occupied ^ board.pieces(them, PieceType::Queen);
    let straight = attacks::rook(king, occupied);
    let diagonal = attacks::bishop(king, occupied);
    let reach = [
        attacks::knight(king) & position.by(us, PieceType::Knight),
        diagonal & position.by(us, PieceType::Bishop),
        straight & position.by(us, PieceType::Rook),
        (straight | diagonal) & position.by(us, PieceType::Queen),
    ];
    let free = !board.by_color(us);
    // Not defended, or only by king or queen while we attack it twice.
    let safe = free & (!position.attacked[there] | (weak & position.twice[here]));
    let mut unsafe_checks = Bitboard::EMPTY;
    for (kind, checks) in reach.into_iter().enumerate() {
        let mut safe_checks = checks & safe;
        if kind == 3 {
            // Where a queen could be exchanged she does not check.
            safe_checks -= position.by(them, PieceType::Queen);
        }
        let several = usize::from(safe_checks.several());
        tally.add_danger(&p.king_attack_safe_check[kind][several], i32::from(safe_checks.any()));
        if kind != 3 {
            unsafe_checks |= if safe_checks.any() { Bitboard::EMPTY } else { checks & free };
        }
    }
    tally.add_danger(&p.king_attack_unsafe_check, unsafe_checks.count() as i32);
}
