//! Material that cannot force a win whatever it meets.

use super::material::{Material, ROOK};
use crate::types::PieceType;

const NN: Material = Material::of("NN");

/// A minor piece cannot mate.
const CANNOT_WIN: i32 = 0;
/// Two knights mate only with the other side's help, which a pawn that must move sometimes gives.
const TWO_KNIGHTS_FACTOR: i32 = 4;

/// How much of its advantage a side keeps that has too little to mate. The other side has more than its
/// king, pawns perhaps.
pub(super) fn limit(own: Material) -> Option<i32> {
    if own.has(PieceType::Pawn) || own == Material::NONE {
        None
    } else if own.worth() < ROOK {
        Some(CANNOT_WIN)
    } else {
        (own == NN).then_some(TWO_KNIGHTS_FACTOR)
    }
}
