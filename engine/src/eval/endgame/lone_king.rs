//! A lone king against anything.

use super::material::Material;
use super::view::{View, closeness, towards_edge};
use super::{Ending, KNOWN_WIN, fortress, kpk};
use crate::board::attacks;
use crate::types::{Bitboard, Color, PieceType, Square, Value, value};

const P: Material = Material::of("P");
const BN: Material = Material::of("BN");

/// Pawns that would not win alone, all on one rook file: 19 of 20 such positions are drawn.
const ROOK_FILE_FACTOR: i32 = 8;
/// Pawns that would not win alone, all on one other file: more than half are drawn.
const ONE_FILE_FACTOR: i32 = 32;
/// Rook pawns and the wrong bishop, the weak king nearer to the corner: 19 of 20 are drawn.
const NEAR_CORNER_FACTOR: i32 = 4;

/// Judges any material against a lone king.
pub(super) fn judge(view: View, own: Material) -> Option<Ending> {
    if is_stalemate(view) {
        return Some(view.value(value::DRAW));
    }
    if mates_without_pawns(view, own) {
        let corner = if own == BN { towards_bishops_corner(view) } else { 0 };
        let progress = towards_edge(view.weak_king()) + closeness(view.strong_king(), view.weak_king());
        return Some(known_win(view, own, corner + progress));
    }
    if !own.has(PieceType::Pawn) || fortress::holds_corner(view, own) {
        return Some(view.value(value::DRAW));
    }
    let pawns = view.strong_set(PieceType::Pawn);
    if pawns.into_iter().any(|pawn| wins_alone(view, pawn)) {
        return Some(known_win(view, own, advancement(pawns)));
    }
    if own.pieces() == Material::NONE { held_pawns(view, own) } else { minors_and_pawns(view, own) }
}

/// A win: more material first, so that promoting and keeping pieces pays, then the way to the mate.
fn known_win(view: View, own: Material, progress: Value) -> Ending {
    view.value((KNOWN_WIN + own.worth() + progress).min(value::EVAL_LIMIT))
}

/// The lone king is to move and cannot, without being in check. The search would see it only one ply
/// further on than the evaluation that calls it a win.
fn is_stalemate(view: View) -> bool {
    let board = view.board;
    if view.strong_to_move() || board.in_check() {
        return false;
    }
    let king = board.king(!view.strong);
    let occupied = board.occupied() ^ king.into();
    attacks::king(king).into_iter().all(|to| board.is_attacked(to, view.strong, occupied))
}

/// Whether the pieces can force mate by themselves.
fn mates_without_pawns(view: View, own: Material) -> bool {
    let bishops = view.strong_set(PieceType::Bishop);
    let both_bishops = (bishops & Bitboard::DARK).any() && (bishops & Bitboard::LIGHT).any();
    own.has(PieceType::Queen)
        || own.has(PieceType::Rook)
        || both_bishops
        || (bishops.any() && own.has(PieceType::Knight))
        || own.number(PieceType::Knight) >= 3
}

/// Bishop and knight mate only in a corner of the bishop's colour. The value rises with the distance
/// from the diagonal between the two wrong corners, so that it also shows the way along an edge, and as
/// the knight comes near: without that a shallow search leaves it standing where it does not help.
fn towards_bishops_corner(view: View) -> Value {
    let weak_king = view.weak_king();
    let dark = Bitboard::DARK.has(view.strong_one(PieceType::Bishop));
    // Mirrored for a light bishop, the right corners are always a1 and h8.
    let king = if dark { weak_king } else { weak_king.flip_file() };
    let from_wrong_diagonal = (7 - Value::from(king.file()) - Value::from(king.rank())).abs();
    60 * from_wrong_diagonal + closeness(view.strong_one(PieceType::Knight), weak_king)
}

/// Whether a pawn would win if it and the kings were alone on the board. More of one's own men are no
/// hindrance: for a single pawn this is exact, beside other men it fails about twice in a thousand.
fn wins_alone(view: View, pawn: Square) -> bool {
    kpk::wins(Color::White, view.strong_king(), pawn, view.weak_king(), view.to_move())
}

/// Pawns alone, none of which would win by itself.
fn held_pawns(view: View, own: Material) -> Option<Ending> {
    if own == P {
        return Some(view.value(value::DRAW));
    }
    let pawns = view.strong_set(PieceType::Pawn);
    let file = Bitboard::file(pawns.first_unchecked().file());
    if (pawns - file).any() {
        return None;
    }
    let on_edge = (file & (Bitboard::FILE_A | Bitboard::FILE_H)).any();
    Some(view.scale(if on_edge { ROOK_FILE_FACTOR } else { ONE_FILE_FACTOR }))
}

/// Knights, or bishops of one colour, with pawns of which none would win by itself: the question is
/// whether the last pawn can be kept.
fn minors_and_pawns(view: View, own: Material) -> Option<Ending> {
    let (king, weak_king) = (view.strong_king(), view.weak_king());
    if let Some(corner) = fortress::wrong_corner(view, own) {
        let near = weak_king.distance(corner) < king.distance(corner);
        return near.then(|| view.scale(NEAR_CORNER_FACTOR));
    }
    let pawns = view.strong_set(PieceType::Pawn);
    let bishops = view.strong_set(PieceType::Bishop);
    let guarded_by_bishop =
        bishops.into_iter().fold(Bitboard::EMPTY, |set, at| set | attacks::bishop(at, view.occupied()))
            & pawns;
    let tempo = u8::from(!view.strong_to_move());
    let our_king_is_nearer = |pawn: Square| king.distance(pawn) + tempo <= weak_king.distance(pawn);
    let keeps_a_pawn = guarded_by_bishop.any() || pawns.into_iter().any(our_king_is_nearer);
    keeps_a_pawn.then(|| known_win(view, own, advancement(pawns)))
}

/// How far the foremost pawn has come.
fn advancement(pawns: Bitboard) -> Value {
    pawns.last().map_or(0, |foremost| 10 * Value::from(foremost.rank()))
}
