//! Squares, files and ranks. A1 = 0, B1 = 1, … H8 = 63.

use std::fmt;
use std::str::FromStr;

use super::Color;

/// A square of the board, always in `0..64`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

/// A file, `0` (a) to `7` (h).
pub type File = u8;

/// A rank, `0` (the first) to `7` (the eighth).
pub type Rank = u8;

#[allow(missing_docs)]
impl Square {
    pub const A1: Square = Square(0);
    pub const B1: Square = Square(1);
    pub const C1: Square = Square(2);
    pub const D1: Square = Square(3);
    pub const E1: Square = Square(4);
    pub const F1: Square = Square(5);
    pub const G1: Square = Square(6);
    pub const H1: Square = Square(7);
    pub const A8: Square = Square(56);
    pub const C8: Square = Square(58);
    pub const D8: Square = Square(59);
    pub const E8: Square = Square(60);
    pub const F8: Square = Square(61);
    pub const G8: Square = Square(62);
    pub const H8: Square = Square(63);
}

impl Square {
    /// The square with this index, or `None` when it is off the board.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The square with this index. Only the low six bits count.
    pub const fn from_index(index: usize) -> Square {
        Square((index & 63) as u8)
    }

    /// The square where a file and a rank meet.
    pub const fn at(file: File, rank: Rank) -> Square {
        Square(((rank & 7) << 3) | (file & 7))
    }

    /// The index, `0..64`, for use in tables.
    #[inline(always)]
    pub const fn index(self) -> usize {
        // SAFETY: every constructor keeps the number below 64.
        unsafe { std::hint::assert_unchecked(self.0 < 64) };
        self.0 as usize
    }

    /// The file, `0` for a.
    #[inline(always)]
    pub const fn file(self) -> File {
        self.0 & 7
    }

    /// The rank, `0` for the first.
    #[inline(always)]
    pub const fn rank(self) -> Rank {
        self.0 >> 3
    }

    /// The rank as `color` counts it: `0` is its own back rank.
    #[inline(always)]
    pub const fn relative_rank(self, color: Color) -> Rank {
        self.rank() ^ (7 * color as u8)
    }

    /// The same square seen from the other side of the board (a1 ↔ a8).
    #[inline(always)]
    pub const fn flip_rank(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// The square mirrored left to right (a1 ↔ h1).
    #[inline(always)]
    pub const fn flip_file(self) -> Square {
        Square(self.0 ^ 7)
    }

    /// The square as `color` sees it: unchanged for White, flipped for Black.
    #[inline(always)]
    pub const fn relative(self, color: Color) -> Square {
        Square(self.0 ^ (56 * color as u8))
    }

    /// Moves by a signed number of squares. The caller knows that the result is on the board.
    #[inline(always)]
    pub const fn offset(self, delta: i8) -> Square {
        let to = self.0.wrapping_add_signed(delta);
        debug_assert!(to < 64);
        Square(to & 63)
    }

    /// The square one step ahead of a pawn of `color`. The caller knows that there is one.
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Square {
        self.offset(match color {
            Color::White => 8,
            Color::Black => -8,
        })
    }

    /// King steps between two squares (Chebyshev distance).
    pub const fn distance(self, other: Square) -> u8 {
        let files = self.file().abs_diff(other.file());
        let ranks = self.rank().abs_diff(other.rank());
        if files > ranks { files } else { ranks }
    }

    /// All 64 squares, A1 first.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64u8).map(Square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, (b'1' + self.rank()) as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ();

    fn from_str(text: &str) -> Result<Square, ()> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Square::at(file - b'a', rank - b'1')),
            _ => Err(()),
        }
    }
}
