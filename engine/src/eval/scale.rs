//! Scale factors: how much of an advantage can be turned into a win, in 64ths.

use super::accumulator::MaterialKey;
use super::geometry::QUEEN_SIDE;
use super::score::Score;
use super::tally::Tally;
use super::terms::Position;
use super::trace::Trace;
use crate::types::{Bitboard, Color, PieceType};

/// What a piece is worth when it is only asked whether a side has enough to win. Not weights: which
/// rule applies must not change while the weights are tuned.
const WORTH: [i32; 6] = [0, 320, 330, 500, 900, 0]; // [kind]

fn pieces_worth(material: MaterialKey, color: Color) -> i32 {
    PieceType::ALL.into_iter().map(|kind| material.count(color, kind) * WORTH[kind.index()]).sum()
}

/// Weighs what an advantage of the tally's side, `strong`, is worth. One of the rules applies.
#[inline(always)]
pub(super) fn weigh<T: Trace>(
    position: &Position,
    material: MaterialKey,
    strong: Color,
    tally: &mut Tally<T>,
) -> Score {
    let p = tally.params;
    let count = |color, kind| material.count(color, kind);
    let pawns = count(strong, PieceType::Pawn);
    if pawns == 0 {
        let (own, other) = (pieces_worth(material, strong), pieces_worth(material, !strong));
        if own - other <= WORTH[PieceType::Bishop.index()] {
            let has_rook = usize::from(own >= WORTH[PieceType::Rook.index()]);
            return tally.weigh(&p.scale_no_pawns[has_rook], 1);
        }
    }
    let bishops = position.board.by_kind(PieceType::Bishop);
    let one_each = Color::ALL.into_iter().all(|color| count(color, PieceType::Bishop) == 1);
    if one_each && (bishops & Bitboard::DARK).any() && (bishops & Bitboard::LIGHT).any() {
        let bishop = WORTH[PieceType::Bishop.index()];
        let alone = Color::ALL.into_iter().all(|color| pieces_worth(material, color) == bishop);
        if !alone {
            return tally.weigh(&p.scale_opposite_bishops_pieces, 1);
        }
        let passed = position.pawns.passed & position.board.by_color(strong);
        return tally.weigh(&p.scale_opposite_bishops, 1)
            + tally.weigh(&p.scale_opposite_bishops_passed, passed.count() as i32);
    }
    let rook = WORTH[PieceType::Rook.index()];
    let rook_each = Color::ALL
        .into_iter()
        .all(|color| count(color, PieceType::Rook) == 1 && pieces_worth(material, color) == rook);
    if rook_each && pawns - count(!strong, PieceType::Pawn) <= 1 {
        let all_pawns = position.board.by_kind(PieceType::Pawn);
        if (all_pawns & QUEEN_SIDE).is_empty() || (all_pawns - QUEEN_SIDE).is_empty() {
            return tally.weigh(&p.scale_rooks_one_flank, 1);
        }
    }
    tally.weigh(&p.scale_pawns[pawns.min(4) as usize], 1)
}
