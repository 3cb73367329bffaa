//! A position: what stands where, and all that later moves depend on.

use super::geometry::{Bits, Cells, MOST_CELLS, piece_of};
use super::ply::{MOST_CHANGES, Ply};
use super::variant::Variant;

/// What is not on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tail {
    /// Whose turn it is: 0 White, 1 Black.
    pub side: u8,
    /// Moves left in this turn, this one included.
    pub left: u8,
    /// A bit for each castling that is still allowed.
    pub rights: u16,
    /// Squares that can be entered in passing; 255: none.
    pub passed: [u8; 2],
    /// Who is taken then.
    pub victim: u8,
    /// The type that moved last, of each side; 255: none.
    pub last: [u8; 2],
    /// Checks given by each side.
    pub checks: [u8; 2],
    /// Moves without a capture, a promotion or a move of a piece that promotes.
    pub clock: u16,
    /// Half-moves before this one.
    pub number: u16,
    /// A hash of what stands where.
    pub board_key: u64,
}

/// See the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// What stands on each square.
    pub cells: Cells,
    /// The squares of each side.
    pub occupied: [Bits; 2],
    /// The squares of each side's royal pieces.
    pub royals: [Bits; 2],
    /// The rest.
    pub tail: Tail,
}

/// What a move destroyed.
#[derive(Clone, Copy)]
pub struct Undo {
    count: u8,
    cells: [(u8, u8); MOST_CHANGES],
    tail: Tail,
}

impl Position {
    /// An empty board, White to move.
    pub const fn empty() -> Position {
        Position {
            cells: [0; MOST_CELLS],
            occupied: [Bits::EMPTY; 2],
            royals: [Bits::EMPTY; 2],
            tail: Tail {
                side: 0,
                left: 1,
                rights: 0,
                passed: [255; 2],
                victim: 255,
                last: [255; 2],
                checks: [0; 2],
                clock: 0,
                number: 0,
                board_key: 0,
            },
        }
    }

    /// The side to move.
    pub const fn side(&self) -> u8 {
        self.tail.side
    }

    /// Replaces what stands on a square.
    pub fn put(&mut self, variant: &Variant, square: u8, cell: u8) {
        let old = self.cells[usize::from(square)];
        if old != 0 {
            let (piece, side) = piece_of(old);
            self.occupied[usize::from(side)].remove(square);
            if variant.royals >> piece & 1 == 1 {
                self.royals[usize::from(side)].remove(square);
            }
            self.tail.board_key ^= variant.key_of(square, old);
        }
        self.cells[usize::from(square)] = cell;
        if cell != 0 {
            let (piece, side) = piece_of(cell);
            self.occupied[usize::from(side)].add(square);
            if variant.royals >> piece & 1 == 1 {
                self.royals[usize::from(side)].add(square);
            }
            self.tail.board_key ^= variant.key_of(square, cell);
        }
    }

    /// Changes the board as a move says; nothing else.
    pub fn change(&mut self, variant: &Variant, ply: &Ply) -> Undo {
        let mut undo = Undo { count: 0, cells: [(0, 0); MOST_CHANGES], tail: self.tail };
        for &(square, cell) in ply.changes() {
            undo.cells[usize::from(undo.count)] = (square, self.cells[usize::from(square)]);
            undo.count += 1;
            self.put(variant, square, cell);
        }
        undo
    }

    /// Takes a move back.
    pub fn undo(&mut self, variant: &Variant, undo: &Undo) {
        for &(square, cell) in &undo.cells[..usize::from(undo.count)] {
            self.put(variant, square, cell);
        }
        self.tail = undo.tail;
    }

    /// A hash of everything that what may follow depends on, but for the clock.
    pub fn key(&self, variant: &Variant) -> u64 {
        let tail = &self.tail;
        let passed = if tail.victim == 255 { [255; 2] } else { tail.passed };
        let last = if variant.has_jokers { tail.last } else { [255; 2] };
        let words = [
            u64::from(tail.side) | u64::from(tail.left) << 1 | u64::from(tail.rights) << 16,
            u64::from_le_bytes([
                passed[0],
                passed[1],
                last[0],
                last[1],
                tail.checks[0],
                tail.checks[1],
                0,
                0,
            ]),
        ];
        words.iter().fold(tail.board_key, |key, word| (key ^ mix(*word ^ variant.salt)).rotate_left(17))
    }
}

/// Spreads a number over 64 bits (the finaliser of SplitMix64).
pub const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
