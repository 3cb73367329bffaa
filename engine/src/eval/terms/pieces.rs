//! Knights, bishops, rooks and queens: what they attack, and how well they stand.

use super::{Position, side};
use crate::board::attacks;
use crate::eval::geometry::{CENTRE, CENTRE_FILES, LONG_DIAGONALS, steps};
use crate::eval::tally::Tally;
use crate::eval::trace::Trace;
use crate::types::{Bitboard, Color, PieceType, Square};

const KNIGHT: u8 = PieceType::Knight as u8;
const BISHOP: u8 = PieceType::Bishop as u8;
const ROOK: u8 = PieceType::Rook as u8;
const QUEEN: u8 = PieceType::Queen as u8;

/// Counts one side's pieces and draws their attack maps.
#[inline(always)]
pub(in crate::eval) fn count<T: Trace, const WHITE: bool>(position: &mut Position, tally: &mut Tally<T>) {
    count_kind::<T, WHITE, KNIGHT>(position, tally);
    count_kind::<T, WHITE, BISHOP>(position, tally);
    let bishops = position.board.pieces(side(WHITE), PieceType::Bishop);
    if (bishops & Bitboard::DARK).any() && (bishops & Bitboard::LIGHT).any() {
        tally.add(&tally.params.bishop_pair, 1);
    }
    count_kind::<T, WHITE, ROOK>(position, tally);
    count_kind::<T, WHITE, QUEEN>(position, tally);
}

#[inline(always)]
fn count_kind<T: Trace, const WHITE: bool, const KIND: u8>(position: &mut Position, tally: &mut Tally<T>) {
    let us = side(WHITE);
    let board = position.board;
    let p = tally.params;
    let kind = PieceType::ALL[KIND as usize];
    let king = position.king[us.index()];
    let queens = board.by_kind(PieceType::Queen);
    // Sliders see through the pieces that would back them up.
    let occupied = match KIND {
        BISHOP => position.occupied ^ queens,
        ROOK => position.occupied ^ queens ^ board.pieces(us, PieceType::Rook),
        _ => position.occupied,
    };
    let pinned = position.pinned[us.index()];
    let (area, ring) = (position.area[us.index()], position.ring[(!us).index()]);
    let mut all = position.attacked[us.index()];
    let mut twice = position.twice[us.index()];
    let mut by_kind = Bitboard::EMPTY;

    for square in board.pieces(us, kind) {
        let mut attacked = match KIND {
            KNIGHT => attacks::knight(square),
            BISHOP => attacks::bishop(square, occupied),
            ROOK => attacks::rook(square, occupied),
            _ => attacks::queen(square, occupied),
        };
        if pinned.has(square) {
            attacked &= attacks::line(king, square);
        }
        twice |= all & attacked;
        all |= attacked;
        by_kind |= attacked;

        // (Zero times a weight instead of a branch: nobody can guess it.)
        let on_ring = attacked & ring;
        position.ring_attackers[us.index()] += usize::from(on_ring.any());
        tally.add_danger(&p.king_attack_piece[KIND as usize - 1], i32::from(on_ring.any()));
        tally.add_danger(&p.king_attack_inner, on_ring.count() as i32);

        let mobility = (attacked & area).count() as usize;
        let weight = match KIND {
            KNIGHT => &p.mobility_knight[mobility.min(8)],
            BISHOP => &p.mobility_bishop[mobility.min(13)],
            ROOK => &p.mobility_rook[mobility.min(14)],
            _ => &p.mobility_queen[mobility.min(27)],
        };
        tally.add(weight, 1);

        match KIND {
            KNIGHT | BISHOP => minor::<T, WHITE, KIND>(position, tally, square, attacked),
            ROOK => rook::<T, WHITE>(position, tally, square, mobility),
            _ => queen::<T, WHITE>(position, tally, square),
        }
    }

    position.attacked[us.index()] = all;
    position.twice[us.index()] = twice;
    position.by_kind[us.index()][KIND as usize] = by_kind;
}

#[inline(always)]
fn minor<T: Trace, const WHITE: bool, const KIND: u8>(
    position: &Position,
    tally: &mut Tally<T>,
    square: Square,
    attacked: Bitboard,
) {
    let us = side(WHITE);
    let board = position.board;
    let p = tally.params;
    let minor = usize::from(KIND == BISHOP);
    let here = Bitboard::of(square);

    let outposts = outpost_squares::<WHITE>(position);
    let on_outpost = outposts.has(square);
    let reaches_one = (outposts & (attacked - board.by_color(us))).any();
    tally.add(&p.outpost[minor], i32::from(on_outpost));
    tally.add(&p.outpost_reachable[minor], i32::from(reaches_one & !on_outpost));
    let behind_pawn = (here.forward(us) & board.by_kind(PieceType::Pawn)).any();
    tally.add(&p.minor_behind_pawn[minor], i32::from(behind_pawn));
    tally.add(&p.minor_far_from_king[minor], steps(position.king[us.index()], square));

    if KIND == BISHOP {
        let ours = board.pawns(us);
        let same_color = if Bitboard::DARK.has(square) { Bitboard::DARK } else { Bitboard::LIGHT };
        let blocked = ours & position.occupied.forward(!us) & CENTRE_FILES;
        let bad = (ours & same_color).count() * (1 + blocked.count());
        tally.add(&p.bishop_bad, bad as i32);
        let on_diagonals = board.pawns(!us) & attacks::bishop_rays(square);
        tally.add(&p.bishop_pawns_on_diagonals, on_diagonals.count() as i32);
        if LONG_DIAGONALS.has(square)
            && (attacks::bishop(square, board.by_kind(PieceType::Pawn)) & CENTRE).several()
        {
            tally.add(&p.bishop_long_diagonal, 1);
        }
        if is_shut_in::<WHITE>(position, square) {
            tally.add(&p.bishop_trapped, 1);
        }
    }
}

/// Squares on the fourth to sixth rank that a pawn guards and no enemy pawn can come to attack.
#[inline(always)]
fn outpost_squares<const WHITE: bool>(position: &Position) -> Bitboard {
    let us = side(WHITE);
    let ranks =
        Bitboard::relative_rank(us, 3) | Bitboard::relative_rank(us, 4) | Bitboard::relative_rank(us, 5);
    (ranks & position.by(us, PieceType::Pawn)) - position.pawns.attack_span[(!us).index()]
}

/// A bishop that took the pawn on a7 or h7 (or the one beyond, on a6 or h6) and met b6 or g6 (b5, g5).
#[inline(always)]
fn is_shut_in<const WHITE: bool>(position: &Position, square: Square) -> bool {
    let us = side(WHITE);
    let rank = square.relative_rank(us);
    if !matches!(rank, 5 | 6) || !(Bitboard::FILE_A | Bitboard::FILE_H).has(square) {
        return false;
    }
    let theirs = position.board.pawns(!us);
    let jailer = Bitboard::of(square).sideways().forward(!us) & theirs;
    // The jailer must itself be guarded: from behind by a pawn.
    jailer.any() && (jailer.sideways().forward(us) & theirs).any()
}

#[inline(always)]
fn rook<T: Trace, const WHITE: bool>(
    position: &Position,
    tally: &mut Tally<T>,
    square: Square,
    mobility: usize,
) {
    let us = side(WHITE);
    let board = position.board;
    let p = tally.params;
    let file = Bitboard::file(square.file());

    let on_queen_file = (file & board.by_kind(PieceType::Queen)).any();
    tally.add(&p.rook_on_queen_file, i32::from(on_queen_file));
    if (file & board.pawns(us)).is_empty() {
        let open = (file & board.pawns(!us)).is_empty();
        tally.add(if open { &p.rook_open_file } else { &p.rook_half_open_file }, 1);
    } else if mobility <= 3 {
        let king = position.king[us.index()];
        let king_on_queen_side = king.file() < 4;
        if king_on_queen_side == (square.file() < king.file()) {
            let may_castle = board.castling_rights().any(us);
            tally.add(&p.rook_trapped, if may_castle { 1 } else { 2 });
        }
    }
    if square.relative_rank(us) == 6 {
        let enemy_king_is_home = position.king[(!us).index()].relative_rank(us) == 7;
        let prey = board.pawns(!us) & Bitboard::relative_rank(us, 6);
        if enemy_king_is_home || prey.any() {
            tally.add(&p.rook_on_seventh, 1);
        }
    }
}

#[inline(always)]
fn queen<T: Trace, const WHITE: bool>(position: &Position, tally: &mut Tally<T>, square: Square) {
    let them: Color = !side(WHITE);
    let board = position.board;
    let on_lines = (attacks::rook_rays(square) & board.pieces(them, PieceType::Rook))
        | (attacks::bishop_rays(square) & board.pieces(them, PieceType::Bishop));
    let exposed = on_lines.into_iter().any(|slider| {
        let between = attacks::between(square, slider) & position.occupied;
        between.any() && !between.several()
    });
    if exposed {
        tally.add(&tally.params.queen_exposed, 1);
    }
}
