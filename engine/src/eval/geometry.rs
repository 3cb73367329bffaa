//! Sets of squares that the terms ask for by square or file, computed at compile time.

use crate::types::{Bitboard, Color, File, Square};

/// The four squares in the middle.
pub(super) const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);
/// The files c to f.
pub(super) const CENTRE_FILES: Bitboard = Bitboard(0x3C3C_3C3C_3C3C_3C3C);
/// The files a to d.
pub(super) const QUEEN_SIDE: Bitboard = Bitboard(0x0F0F_0F0F_0F0F_0F0F);
/// The two longest diagonals.
pub(super) const LONG_DIAGONALS: Bitboard = Bitboard(0x8142_2418_1824_4281);

/// The squares around and under a king. A king on the edge is taken to stand one step inside, so
/// that every king has nine squares to be attacked on.
pub(super) static INNER_RING: [Bitboard; 64] = rings(1);
/// The sixteen squares around the inner ring, as far as they are on the board.
pub(super) static OUTER_RING: [Bitboard; 64] = rings(2);

const fn rings(radius: i32) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut king = 0;
    while king < 64 {
        let (file, rank) = (inside(king % 8), inside(king / 8));
        let mut square = 0;
        while square < 64 {
            let files = (square % 8 - file).abs();
            let ranks = (square / 8 - rank).abs();
            let distance = if files > ranks { files } else { ranks };
            if distance == radius || (radius == 1 && distance == 0) {
                table[king as usize].0 |= 1 << square;
            }
            square += 1;
        }
        king += 1;
    }
    table
}

const fn inside(line: i32) -> i32 {
    if line < 1 {
        1
    } else if line > 6 {
        6
    } else {
        line
    }
}

/// `// [file]` the files beside a file
pub(super) static BESIDE: [Bitboard; 8] = {
    let mut table = [Bitboard::EMPTY; 8];
    let mut file = 0;
    while file < 8 {
        table[file as usize] = Bitboard::file(file).sideways();
        file += 1;
    }
    table
};

/// `// [file of the king]` the part of the board where an attack on it is fought out
pub(super) static FLANK: [Bitboard; 8] = {
    let mut table = [Bitboard::EMPTY; 8];
    let mut file = 0;
    while file < 8 {
        table[file] = match file {
            0 => Bitboard(0x0707_0707_0707_0707),
            1 | 2 => QUEEN_SIDE,
            3 | 4 => CENTRE_FILES,
            5 | 6 => Bitboard(!QUEEN_SIDE.0),
            _ => Bitboard(0xE0E0_E0E0_E0E0_E0E0),
        };
        file += 1;
    }
    table
};

/// `// [color][square]` the squares ahead on the same file
static AHEAD: [[Bitboard; 64]; 2] = spans(false);
/// `// [color][square]` the squares ahead on the same file and the files beside it
static PASSED_SPAN: [[Bitboard; 64]; 2] = spans(true);

const fn spans(with_neighbours: bool) -> [[Bitboard; 64]; 2] {
    let mut table = [[Bitboard::EMPTY; 64]; 2];
    let mut square = 0;
    while square < 64 {
        let here = Bitboard(1 << square);
        let sides = if with_neighbours { here.sideways().0 } else { 0 };
        let here = Bitboard(here.0 | sides);
        table[0][square] = here.forward(Color::White).forward_fill(Color::White);
        table[1][square] = here.forward(Color::Black).forward_fill(Color::Black);
        square += 1;
    }
    table
}

/// The squares ahead of a square on its file, as `color` sees it.
#[inline(always)]
pub(super) fn ahead(color: Color, square: Square) -> Bitboard {
    AHEAD[color.index()][square.index()]
}

/// The squares where an enemy pawn could still stop a pawn from passing.
#[inline(always)]
pub(super) fn passed_span(color: Color, square: Square) -> Bitboard {
    PASSED_SPAN[color.index()][square.index()]
}

/// `// [square][square]` king steps: two lines of this table, those of the kings, are all that an evaluation reads
static DISTANCE: [[u8; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut place = 0;
    while place < 64 * 64 {
        let (a, b) = (Square::from_index(place / 64), Square::from_index(place));
        table[place / 64][place % 64] = a.distance(b);
        place += 1;
    }
    table
};

/// King steps between a king and another square.
#[inline(always)]
pub(super) fn steps(king: Square, other: Square) -> i32 {
    i32::from(DISTANCE[king.index()][other.index()])
}

/// How far a file is from the edge of the board: 0 to 3.
#[inline(always)]
pub(super) fn from_edge(file: File) -> usize {
    usize::from(file.min(7 - file))
}

/// Every square and all squares behind it on its file, as `color` sees it, two ranks back.
#[inline(always)]
pub(super) fn shadow(color: Color, pawns: Bitboard) -> Bitboard {
    let one = pawns | pawns.forward(!color);
    one | one.forward(!color)
}
