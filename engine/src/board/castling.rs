//! Castling: rights as rook squares, so that Chess960 and double Chess960 need no special case.

use super::attacks;
use super::zobrist::{Key, ZOBRIST};
use crate::types::{Bitboard, Color, Move, Square};

/// Towards which side a king castles. In Chess960 it is told by where the king ends, not how it walks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Wing {
    /// King to g, rook to f.
    King = 0,
    /// King to c, rook to d.
    Queen = 1,
}

impl Wing {
    /// Both wings, king side first.
    pub const BOTH: [Wing; 2] = [Wing::King, Wing::Queen];

    /// The wing of a castling move: where the rook stands from the king.
    #[inline(always)]
    pub fn of(castling: Move) -> Wing {
        if castling.to() > castling.from() { Wing::King } else { Wing::Queen }
    }

    /// Where the king of `color` ends.
    #[inline(always)]
    pub const fn king_target(self, color: Color) -> Square {
        let file = match self {
            Wing::King => 6,
            Wing::Queen => 2,
        };
        Square::at(file, 7 * color as u8)
    }

    /// Where the rook of `color` ends.
    #[inline(always)]
    pub const fn rook_target(self, color: Color) -> Square {
        let file = match self {
            Wing::King => 5,
            Wing::Queen => 3,
        };
        Square::at(file, 7 * color as u8)
    }
}

/// The rights that are left: four bits, one a colour and wing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// None left.
    pub const NONE: CastlingRights = CastlingRights(0);

    #[inline(always)]
    const fn bit(color: Color, wing: Wing) -> u8 {
        1 << (color as u8 * 2 + wing as u8)
    }

    /// Whether `color` may still castle on `wing` (the way may be blocked for now).
    #[inline(always)]
    pub const fn has(self, color: Color, wing: Wing) -> bool {
        self.0 & Self::bit(color, wing) != 0
    }

    /// Whether `color` may still castle at all.
    #[inline(always)]
    pub const fn any(self, color: Color) -> bool {
        self.0 & (3 << (color as u8 * 2)) != 0
    }
}

/// What castling needs to know about a game and that never changes during it: which rooks take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastlingSetup {
    /// `// [color][wing]` meaningful where the right exists
    rook: [[Square; 2]; 2],
    /// `// [color][wing]` squares that must be empty but for the king and the rook
    must_be_empty: [[Bitboard; 2]; 2],
    /// `// [color][wing]` squares the king crosses or reaches: none may be attacked
    king_path: [[Bitboard; 2]; 2],
    /// `// [square]` the rights that remain when a piece leaves or arrives here
    remain: [u8; 64],
    /// `// [rights]`
    keys: [Key; 16],
}

impl CastlingSetup {
    pub(super) const NONE: CastlingSetup = CastlingSetup {
        rook: [[Square::H1, Square::A1], [Square::H8, Square::A8]],
        must_be_empty: [[Bitboard::EMPTY; 2]; 2],
        king_path: [[Bitboard::EMPTY; 2]; 2],
        remain: [0b1111; 64],
        keys: [0; 16],
    };

    /// Works the tables out, and the rights to begin with.
    pub(super) fn new(
        kings: [Square; 2],
        rooks: [[Option<Square>; 2]; 2],
    ) -> (CastlingSetup, CastlingRights) {
        let mut setup = CastlingSetup::NONE;
        let mut rights = 0;
        for color in Color::ALL {
            for wing in Wing::BOTH {
                let Some(rook) = rooks[color.index()][wing as usize] else { continue };
                let king = kings[color.index()];
                let bit = CastlingRights::bit(color, wing);
                rights |= bit;
                setup.remain[king.index()] &= !bit;
                setup.remain[rook.index()] &= !bit;
                setup.rook[color.index()][wing as usize] = rook;
                let walk = |from, to| attacks::between(from, to) | Bitboard::of(to);
                let king_path = walk(king, wing.king_target(color));
                let rook_path = walk(rook, wing.rook_target(color));
                setup.king_path[color.index()][wing as usize] = king_path | king.into();
                setup.must_be_empty[color.index()][wing as usize] =
                    (king_path | rook_path) - Bitboard::of(king) - Bitboard::of(rook);
                for (index, key) in setup.keys.iter_mut().enumerate() {
                    if index as u8 & bit != 0 {
                        *key ^= ZOBRIST.castling_rook(rook);
                    }
                }
            }
        }
        (setup, CastlingRights(rights))
    }

    /// The rook that castles with the king of `color` on `wing`.
    #[inline(always)]
    pub fn rook(&self, color: Color, wing: Wing) -> Square {
        self.rook[color.index()][wing as usize]
    }

    #[inline(always)]
    pub(super) fn must_be_empty(&self, color: Color, wing: Wing) -> Bitboard {
        self.must_be_empty[color.index()][wing as usize]
    }

    #[inline(always)]
    pub(super) fn king_path(&self, color: Color, wing: Wing) -> Bitboard {
        self.king_path[color.index()][wing as usize]
    }

    /// The rights that are left after something moved from or to these squares.
    #[inline(always)]
    pub(super) fn after(&self, rights: CastlingRights, from: Square, to: Square) -> CastlingRights {
        CastlingRights(rights.0 & self.remain[from.index()] & self.remain[to.index()])
    }

    /// The part of the Zobrist key that stands for these rights.
    #[inline(always)]
    pub(super) fn key(&self, rights: CastlingRights) -> Key {
        self.keys[rights.0 as usize & 15]
    }

    /// `// [color][wing]` the rooks behind the rights that are left.
    pub fn rooks(&self, rights: CastlingRights) -> [[Option<Square>; 2]; 2] {
        Color::ALL.map(|color| Wing::BOTH.map(|wing| rights.has(color, wing).then(|| self.rook(color, wing))))
    }
}
