//! Fortresses: the stronger side is ahead and cannot make progress.

use super::kpk;
use super::material::Material;
use super::view::View;
use crate::board::attacks;
use crate::types::{Bitboard, Color, PieceType, Square};

const P: Material = Material::of("P");
const NP: Material = Material::of("NP");
const BP: Material = Material::of("BP");
const BPP: Material = Material::of("BPP");
const B: Material = Material::of("B");
const RP: Material = Material::of("RP");
const R: Material = Material::of("R");
const Q: Material = Material::of("Q");

/// No progress is possible.
const DEAD_DRAW: i32 = 0;
/// A rook ending that the books call drawn; the search may still find a slip.
const ROOK_ENDING_FACTOR: i32 = 8;

/// How much of its advantage the strong side keeps where a fortress is known. The weak side has more than
/// its king.
pub(super) fn limit(view: View, own: Material, other: Material) -> Option<i32> {
    match (own, other) {
        (P, P) => pawn_against_pawn(view),
        (BP, B) => bishop_and_pawn_against_bishop(view),
        (BPP, B) => bishop_and_two_pawns_against_bishop(view),
        (RP, R) => rook_and_pawn_against_rook(view),
        (Q, _) if other.pieces() == R => queen_against_guarded_rook(view),
        _ => rook_pawns_held_in_corner(view, own),
    }
}

/// A pawn that would not win against a bare king does not win against a king with a pawn.
fn pawn_against_pawn(view: View) -> Option<i32> {
    let pawn = view.strong_one(PieceType::Pawn);
    (!kpk::wins(Color::White, view.strong_king(), pawn, view.weak_king(), view.to_move()))
        .then_some(DEAD_DRAW)
}

/// Rook pawns whose corner is held, and which have nothing to take: a capture would leave the file.
fn rook_pawns_held_in_corner(view: View, own: Material) -> Option<i32> {
    let reach = view.strong_set(PieceType::Pawn).forward_fill(Color::White);
    let to_take = attacks::pawns(Color::White, reach) & view.weak_set(PieceType::Pawn);
    (holds_corner(view, own) && to_take.is_empty()).then_some(DEAD_DRAW)
}

/// Whether the weak king holds the corner in which all strong pawns must promote. That is a draw with
/// no help at all: it cannot be driven out, and taking its squares away is stalemate.
pub(super) fn holds_corner(view: View, own: Material) -> bool {
    let weak_king = view.weak_king();
    if let Some(corner) = wrong_corner(view, own) {
        return weak_king.distance(corner) <= 1;
    }
    // A knight cannot help a rook pawn already on the seventh either: the corner square stays open.
    let pawn = view.strong_set(PieceType::Pawn);
    let corner = if pawn == Bitboard::of(Square::at(0, 6)) {
        Square::A8
    } else if pawn == Bitboard::of(Square::at(7, 6)) {
        Square::H8
    } else {
        return false;
    };
    own == NP && weak_king.distance(corner) <= 1
}

/// The corner in which all strong pawns must promote, if the strong side has nothing else but bishops
/// that do not control it.
pub(super) fn wrong_corner(view: View, own: Material) -> Option<Square> {
    let pawns = view.strong_set(PieceType::Pawn);
    if pawns.is_empty() || own.pieces().without(PieceType::Bishop) != Material::NONE {
        return None;
    }
    let corner = if (pawns - Bitboard::FILE_A).is_empty() {
        Square::A8
    } else if (pawns - Bitboard::FILE_H).is_empty() {
        Square::H8
    } else {
        return None;
    };
    (view.strong_set(PieceType::Bishop) & same_color_squares(corner)).is_empty().then_some(corner)
}

/// All squares of the colour of one.
fn same_color_squares(square: Square) -> Bitboard {
    if Bitboard::DARK.has(square) { Bitboard::DARK } else { Bitboard::LIGHT }
}

/// The squares ahead of a strong pawn, up to the promotion square.
fn path(pawn: Square) -> Bitboard {
    Bitboard::of(pawn).forward_fill(Color::White) - pawn.into()
}

/// The king in front of the pawn where the bishop cannot reach it holds against bishops of any colour.
/// With opposite bishops it is enough that the bishop bars the path: it can never be driven off it.
fn bishop_and_pawn_against_bishop(view: View) -> Option<i32> {
    let pawn = view.strong_one(PieceType::Pawn);
    let (bishop, weak_bishop) = (view.strong_one(PieceType::Bishop), view.weak_one(PieceType::Bishop));
    let path = path(pawn);
    if (path - same_color_squares(bishop)).has(view.weak_king()) {
        return Some(DEAD_DRAW);
    }
    if same_color_squares(bishop).has(weak_bishop) {
        return None;
    }
    let covered = attacks::bishop(weak_bishop, view.occupied()) | weak_bishop.into();
    (covered & path).any().then_some(DEAD_DRAW)
}

/// Opposite bishops and two pawns: the blockades that the strong side cannot break.
fn bishop_and_two_pawns_against_bishop(view: View) -> Option<i32> {
    let (bishop, weak_bishop) = (view.strong_one(PieceType::Bishop), view.weak_one(PieceType::Bishop));
    if same_color_squares(bishop).has(weak_bishop) {
        return None;
    }
    let pawns = view.strong_set(PieceType::Pawn);
    let (rear, front) = (pawns.first()?, pawns.last()?);
    let weak_king = view.weak_king();
    let out_of_reach = !same_color_squares(bishop).has(weak_king);
    let held = match rear.file().abs_diff(front.file()) {
        // Doubled pawns are one pawn.
        0 => out_of_reach && path(front).has(weak_king),
        // Neighbours: the king stands before one, the bishop bars the other at once.
        1 => {
            let covered = attacks::bishop(weak_bishop, view.occupied()) | weak_bishop.into();
            let blocked = |by_king: Square, by_bishop: Square| {
                by_king.forward(Color::White) == weak_king && covered.has(by_bishop.forward(Color::White))
            };
            out_of_reach && (blocked(rear, front) || blocked(front, rear))
        }
        _ => false,
    };
    held.then_some(DEAD_DRAW)
}

/// Rook and pawn against rook, where the weak king is in front of the pawn. Winning positions, such as a
/// king cut off from a pawn on the seventh, are left to the evaluation.
fn rook_and_pawn_against_rook(view: View) -> Option<i32> {
    let pawn = view.strong_one(PieceType::Pawn);
    let (king, weak_king) = (view.strong_king(), view.weak_king());
    let (rook, weak_rook) = (view.strong_one(PieceType::Rook), view.weak_one(PieceType::Rook));
    let promotion = Square::at(pawn.file(), 7);
    let in_front = weak_king.distance(promotion) <= 1;

    // The third-rank defence: the rook keeps our king off the sixth until the pawn goes there.
    let third_rank = in_front && pawn.rank() <= 4 && king.rank() <= 4 && weak_rook.rank() == 5;
    // Its second half: the pawn stands on the sixth and shelters our king no more, the rook checks from
    // behind with at least three ranks between them.
    let from_behind = in_front
        && pawn.rank() == 5
        && weak_rook.rank() <= 1
        && king.rank() <= 5
        && weak_rook.file() != pawn.file()
        && (!view.strong_to_move() || king.rank() < 5);
    // A rook pawn on the seventh with our rook in front of it: the weak rook stays behind the pawn, the
    // weak king on the far end of the seventh, out of reach of a discovered check.
    let far_end = weak_king.rank() == 6 && weak_king.file().abs_diff(pawn.file()) >= 6;
    let rook_in_front = matches!(pawn.file(), 0 | 7)
        && pawn.rank() == 6
        && rook == promotion
        && weak_rook.file() == pawn.file()
        && weak_rook.rank() <= 3
        && far_end;
    (third_rank || from_behind || rook_in_front).then_some(ROOK_ENDING_FACTOR)
}

/// A queen cannot break a rook on its third rank that a pawn guards, with the king next to that pawn,
/// while her own king is shut out behind the rook's rank.
fn queen_against_guarded_rook(view: View) -> Option<i32> {
    let (king, weak_king, rook) = (view.strong_king(), view.weak_king(), view.weak_one(PieceType::Rook));
    let guards = attacks::pawn(Color::White, rook) & view.weak_set(PieceType::Pawn);
    let held = rook.rank() == 5
        && king.rank() < 5
        && weak_king.rank() >= 6
        && (guards & attacks::king(weak_king)).any();
    held.then_some(ROOK_ENDING_FACTOR)
}
