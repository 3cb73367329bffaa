//! A queen or rook against one piece or pawn.
//!
//! The limits in these rules were chosen by counting outcomes in the Syzygy tables, rule by rule, over
//! quiet positions; the tests count again and hold the rates.

use super::Ending;
use super::material::{BISHOP, KNIGHT, Material, PAWN, QUEEN, ROOK};
use super::view::{View, closeness, towards_edge};
use crate::types::{Bitboard, PieceType, Square, Value, value};

const P: Material = Material::of("P");
const N: Material = Material::of("N");
const B: Material = Material::of("B");
const R: Material = Material::of("R");
const Q: Material = Material::of("Q");

/// Judges a queen or a rook against one other man.
pub(super) fn judge(view: View, own: Material, other: Material) -> Option<Ending> {
    match (own, other) {
        (Q, R) => Some(hunt(view, QUEEN - ROOK)),
        (Q, B) => Some(hunt(view, QUEEN - BISHOP)),
        (Q, N) => Some(hunt(view, QUEEN - KNIGHT)),
        (Q, P) => Some(queen_against_pawn(view)),
        (R, B) => Some(rook_against_bishop(view)),
        (R, N) => Some(rook_against_knight(view)),
        (R, P) => Some(rook_against_pawn(view)),
        (Q, Q) | (R, R) => Some(view.value(value::DRAW)),
        _ => None,
    }
}

/// A queen against one piece: the win is to drive the king to the edge with the help of one's own, and
/// then to win the piece by a double attack, which the search sees.
fn hunt(view: View, lead: Value) -> Ending {
    view.value(lead + towards_edge(view.weak_king()) + closeness(view.strong_king(), view.weak_king()))
}

/// The queen wins unless a rook or bishop pawn stands on its seventh rank with its king at hand, for
/// then there is stalemate in the corner; our own king must be near to break it.
fn queen_against_pawn(view: View) -> Ending {
    let pawn = view.weak_one(PieceType::Pawn);
    let promotion = Square::at(pawn.file(), 0);
    let king_distance = view.strong_king().distance(promotion);
    let too_far = match (pawn.file(), view.strong_to_move()) {
        (0 | 7, _) | (2 | 5, true) => king_distance >= 5,
        (2 | 5, false) => king_distance >= 3,
        _ => false,
    };
    if pawn.rank() == 1 && too_far && view.weak_king().distance(promotion) <= 1 {
        return view.value(closeness(view.strong_king(), promotion) / 4);
    }
    view.value(QUEEN - PAWN + closeness(view.strong_king(), promotion) - 10 * (7 - Value::from(pawn.rank())))
}

/// A race to the promotion square: the rook holds the pawn up, the kings decide.
fn rook_against_pawn(view: View) -> Ending {
    let pawn = view.weak_one(PieceType::Pawn);
    let promotion = Square::at(pawn.file(), 0);
    let (king, weak_king) = (view.strong_king(), view.weak_king());
    let tempo = Value::from(view.strong_to_move());

    let king_in_front = king.file() == pawn.file() && king.rank() < pawn.rank();
    let pawn_left_alone = Value::from(weak_king.distance(pawn)) > 3 - tempo;
    // Moves the pawn and its king need, less those our king needs to meet them.
    let race = Value::from(weak_king.distance(promotion)) + Value::from(pawn.rank())
        - Value::from(king.distance(promotion))
        + tempo;
    // A pawn without its king costs the weak side about three moves more.
    let margin = race + if pawn_left_alone { 3 } else { 0 };
    let value_strong = match margin {
        _ if king_in_front => ROOK - PAWN + 10 * race.max(0),
        3.. => ROOK - PAWN + 10 * margin,
        0..3 => 20 + 70 * margin,
        _ => 20,
    };
    view.value(value_strong)
}

/// A draw, and least safe in a corner of the bishop's own colour, where it cannot shelter its king.
fn rook_against_bishop(view: View) -> Ending {
    let weak_king = view.weak_king();
    let bishop_is_dark = Bitboard::DARK.has(view.weak_one(PieceType::Bishop));
    let in_corner = [Square::A1, Square::H1, Square::A8, Square::H8].contains(&weak_king);
    let wrong_corner = in_corner && Bitboard::DARK.has(weak_king) == bishop_is_dark;
    view.value(towards_edge(weak_king) / 3 + if wrong_corner { 30 } else { 0 })
}

/// A draw while the knight stays with its king.
fn rook_against_knight(view: View) -> Ending {
    let weak_king = view.weak_king();
    let strayed = Value::from(weak_king.distance(view.weak_one(PieceType::Knight)));
    view.value(towards_edge(weak_king) / 3 + 15 * (strayed - 1))
}
