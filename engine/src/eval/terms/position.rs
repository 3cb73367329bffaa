//! What the terms share: attack maps, computed once.

use super::pawns::PawnEntry;
use crate::Board;
use crate::board::attacks;
use crate::eval::geometry::INNER_RING;
use crate::types::{Bitboard, Color, PieceType, Square};

/// A board with its attack maps. [`pieces`](super::pieces) fills in those of the pieces; the terms
/// after it may read them all.
pub(in crate::eval) struct Position<'a> {
    pub board: &'a Board,
    pub pawns: &'a PawnEntry,
    pub occupied: Bitboard,
    /// `// [color]`
    pub king: [Square; 2],
    /// `// [color][kind]` what the pieces of a kind attack together
    pub by_kind: [[Bitboard; 6]; 2],
    /// `// [color]`
    pub attacked: [Bitboard; 2],
    /// `// [color]` attacked by two pieces or more
    pub twice: [Bitboard; 2],
    /// `// [color]` where a move of a piece counts as mobility
    pub area: [Bitboard; 2],
    /// `// [color]` pieces that may not leave the line to their own king
    pub pinned: [Bitboard; 2],
    /// `// [color]` the squares around that side's king that an attack is counted on
    pub ring: [Bitboard; 2],
    /// `// [color]` how many pieces of that side attack the enemy king's ring
    pub ring_attackers: [usize; 2],
}

impl<'a> Position<'a> {
    #[inline(always)]
    pub fn new(board: &'a Board, pawns: &'a PawnEntry) -> Position<'a> {
        let mut position = Position {
            board,
            pawns,
            occupied: board.occupied(),
            king: Color::ALL.map(|color| board.king(color)),
            by_kind: [[Bitboard::EMPTY; 6]; 2],
            attacked: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
            area: [Bitboard::EMPTY; 2],
            pinned: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            ring_attackers: [0; 2],
        };
        let mut twice_by_pawns = [Bitboard::EMPTY; 2];
        for us in Color::ALL {
            let pawns = board.pawns(us);
            let (west, east) = (pawns.west().forward(us), pawns.east().forward(us));
            twice_by_pawns[us.index()] = west & east;
            let by_pawns = west | east;
            let by_king = attacks::king(position.king[us.index()]);
            position.by_kind[us.index()][PieceType::Pawn.index()] = by_pawns;
            position.by_kind[us.index()][PieceType::King.index()] = by_king;
            position.attacked[us.index()] = by_pawns | by_king;
            position.twice[us.index()] = twice_by_pawns[us.index()] | (by_pawns & by_king);
        }
        for us in Color::ALL {
            let (here, there) = (us.index(), (!us).index());
            let ours = board.by_color(us);
            let king = position.king[here];
            position.pinned[here] = if us == board.side_to_move() {
                board.pinned()
            } else {
                board.blockers_for(king, !us) & ours
            };
            // A pawn that cannot move, or has not yet, is in the way for long.
            let low = Bitboard::relative_rank(us, 1) | Bitboard::relative_rank(us, 2);
            let stuck = board.pawns(us) & (position.occupied.forward(!us) | low);
            let own_heavy = board.pieces(us, PieceType::King) | board.pieces(us, PieceType::Queen);
            position.area[here] = !(stuck | own_heavy | position.pinned[here] | position.by_kind[there][0]);
            // A square that two pawns guard is no square to attack.
            position.ring[here] = INNER_RING[king.index()] - twice_by_pawns[here];
        }
        position
    }

    /// What one kind of a side's pieces attacks.
    #[inline(always)]
    pub fn by(&self, color: Color, kind: PieceType) -> Bitboard {
        self.by_kind[color.index()][kind.index()]
    }
}
