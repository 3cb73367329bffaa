//! Moves in sixteen bits, and a list of them that lives on the stack.

use std::fmt;
use std::mem::MaybeUninit;
use std::num::NonZeroU16;
use std::ops::{Deref, DerefMut};

use super::{PieceType, Square};

/// What a move does besides going from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum MoveKind {
    /// To an empty square, nothing special.
    Quiet = 0,
    /// A pawn's two steps.
    DoublePush = 1,
    /// Castling, written as the king taking its own rook (so that Chess960 needs no second form).
    Castle = 2,
    /// Takes what stands on the target.
    Capture = 4,
    /// Takes a pawn in passing.
    EnPassant = 5,
    /// Promotion to a knight; the next three follow to the queen.
    PromoteKnight = 8,
    /// Promotion to a bishop.
    PromoteBishop = 9,
    /// Promotion to a rook.
    PromoteRook = 10,
    /// Promotion to a queen.
    PromoteQueen = 11,
    /// Takes and promotes to a knight.
    CapturePromoteKnight = 12,
    /// Takes and promotes to a bishop.
    CapturePromoteBishop = 13,
    /// Takes and promotes to a rook.
    CapturePromoteRook = 14,
    /// Takes and promotes to a queen.
    CapturePromoteQueen = 15,
}

/// A move: six bits from, six bits to, four bits kind. Zero (a1a1) is no move, so `Option<Move>` is
/// sixteen bits too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

impl Move {
    const CAPTURE_BIT: u16 = 4 << 12;
    const PROMOTION_BIT: u16 = 8 << 12;

    /// Puts a move together. `from` and `to` differ.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        debug_assert!(from.index() != to.index());
        let bits = from.index() as u16 | (to.index() as u16) << 6 | (kind as u16) << 12;
        // SAFETY: from and to differ, so at least one of the twelve square bits is set.
        Move(unsafe { NonZeroU16::new_unchecked(bits) })
    }

    /// The sixteen bits.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// A move from sixteen bits that came from a table or a file: `None` if they cannot be one.
    /// Whether it is legal on a board is another question: [`crate::Board::is_legal`].
    pub const fn from_bits(bits: u16) -> Option<Move> {
        let kind = bits >> 12;
        let same_square = bits & 63 == (bits >> 6) & 63;
        if same_square || matches!(kind, 3 | 6 | 7) {
            return None;
        }
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }

    /// Where the piece comes from.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_index(self.0.get() as usize & 63)
    }

    /// Where it goes; for castling the square of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index((self.0.get() >> 6) as usize & 63)
    }

    /// The kind.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        // SAFETY: both constructors keep the top four bits to one of the discriminants.
        unsafe { std::mem::transmute::<u8, MoveKind>((self.0.get() >> 12) as u8) }
    }

    /// Whether it takes something (en passant included).
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        self.0.get() & Self::CAPTURE_BIT != 0
    }

    /// Whether it promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0.get() & Self::PROMOTION_BIT != 0
    }

    /// Whether it changes the material balance: a capture or a promotion.
    #[inline(always)]
    pub const fn is_tactical(self) -> bool {
        self.0.get() & (Self::CAPTURE_BIT | Self::PROMOTION_BIT) != 0
    }

    /// Whether it is neither a capture nor a promotion.
    #[inline(always)]
    pub const fn is_quiet(self) -> bool {
        !self.is_tactical()
    }

    /// Whether it castles.
    #[inline(always)]
    pub const fn is_castle(self) -> bool {
        self.0.get() >> 12 == MoveKind::Castle as u16
    }

    /// Whether it takes in passing.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.0.get() >> 12 == MoveKind::EnPassant as u16
    }

    /// The piece it promotes to.
    #[inline(always)]
    pub const fn promotion(self) -> Option<PieceType> {
        if !self.is_promotion() {
            return None;
        }
        Some(match (self.0.get() >> 12) & 3 {
            0 => PieceType::Knight,
            1 => PieceType::Bishop,
            2 => PieceType::Rook,
            _ => PieceType::Queen,
        })
    }
}

impl fmt::Debug for Move {
    /// From, to and promotion; castling as king takes rook. For text that a GUI reads, ask the board.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(kind) => write!(f, "{}", kind.letter()),
            None => Ok(()),
        }
    }
}

/// A list of moves on the stack. No legal position has more than 218 moves, so 256 always fit.
pub struct MoveList {
    moves: [MaybeUninit<Move>; 256],
    len: usize,
}

impl MoveList {
    /// An empty list.
    #[inline(always)]
    pub const fn new() -> MoveList {
        // SAFETY: an array of MaybeUninit needs no initialisation. (A repeat expression would be compiled
        // to writing half a kilobyte each time.)
        let moves = unsafe { MaybeUninit::<[MaybeUninit<Move>; 256]>::uninit().assume_init() };
        MoveList { moves, len: 0 }
    }

    /// Adds a move.
    #[inline(always)]
    pub fn push(&mut self, m: Move) {
        self.moves[self.len].write(m);
        self.len += 1;
    }

    /// Empties the list.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline(always)]
    fn deref(&self) -> &[Move] {
        // SAFETY: the first `len` entries were written by `push`, and MaybeUninit<Move> has Move's layout.
        unsafe { std::slice::from_raw_parts(self.moves.as_ptr().cast::<Move>(), self.len) }
    }
}

impl DerefMut for MoveList {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Move] {
        // SAFETY: as in `deref`, and the list is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.moves.as_mut_ptr().cast::<Move>(), self.len) }
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
