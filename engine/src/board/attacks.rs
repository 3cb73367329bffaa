//! Attack tables: what a piece on a square attacks, for any occupancy.
//!
//! Sliders use one table with two ways to index it, chosen at run time so that **one portable binary
//! runs everywhere and is fast where it can be**:
//!
//! - *magic*: multiply the relevant occupancy by a magic number, keep the high bits. Works on any CPU.
//! - *PEXT* (BMI2): one instruction gathers the relevant bits. Chosen when the CPU has BMI2 in
//!   hardware; AMD before Zen 3 has it in microcode, slower than a multiplication, and stays with magic.
//!
//! The choice is one well-predicted branch on a static byte (measured cost: see `docs/log.md`). A build
//! with `-C target-cpu=native` on a BMI2 machine knows the answer at compile time and has no branch.
//! Both tables are computed by the build script, so there is no start-up work and nothing to forget.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::magics::{BISHOP_MAGICS, ROOK_MAGICS};
use super::rays::*;
use crate::cpu;
use crate::types::{Bitboard, Color, Square};

const fn leaper(steps: &[(i8, i8); 8]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < 8 {
            let to = step(square, steps[i]);
            if to >= 0 {
                table[square].0 |= 1 << to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn rays(steps: &[(i8, i8); 4]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(walk(square, steps, 0));
        square += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] = leaper(&KNIGHT_STEPS);
static KING: [Bitboard; 64] = leaper(&KING_STEPS);
static ROOK_RAYS: [Bitboard; 64] = rays(&ROOK_STEPS);
static BISHOP_RAYS: [Bitboard; 64] = rays(&BISHOP_STEPS);

/// `// [color][square]`
static PAWN: [[Bitboard; 64]; 2] = {
    let mut table = [[Bitboard::EMPTY; 64]; 2];
    let mut square = 0;
    while square < 64 {
        let here = Bitboard(1 << square).sideways();
        table[0][square] = here.forward(Color::White);
        table[1][square] = here.forward(Color::Black);
        square += 1;
    }
    table
};

const fn lines_through(direction: (i8, i8)) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let back = (-direction.0, -direction.1);
        table[square] = Bitboard(one_ray(square, direction) | one_ray(square, back) | 1 << square);
        square += 1;
    }
    table
}

static DIAGONAL: [Bitboard; 64] = lines_through((1, 1));
static ANTI_DIAGONAL: [Bitboard; 64] = lines_through((1, -1));

static ROOK: [Slider; 64] = sliders(&ROOK_STEPS, &ROOK_MAGICS, 0);
static BISHOP: [Slider; 64] = sliders(&BISHOP_STEPS, &BISHOP_MAGICS, ROOK_ENTRIES);

/// A slider table as the build script wrote it, in the byte order of the target.
macro_rules! slider_table {
    ($file:literal) => {
        // SAFETY: a Bitboard is a u64, and any eight bytes are a u64.
        unsafe {
            std::mem::transmute::<[u8; SLIDER_ENTRIES * 8], [Bitboard; SLIDER_ENTRIES]>(*include_bytes!(
                concat!(env!("OUT_DIR"), "/", $file)
            ))
        }
    };
}

#[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
static BY_MAGIC: [Bitboard; SLIDER_ENTRIES] = slider_table!("by_magic.bin");
#[cfg(target_arch = "x86_64")]
static BY_PEXT: [Bitboard; SLIDER_ENTRIES] = slider_table!("by_pext.bin");

/// Whether to use PEXT. `false` is always right, only slower.
static USE_PEXT: AtomicBool = AtomicBool::new(false);

/// Looks at the CPU once and picks the faster way to index the slider tables.
/// Every board calls it when it is made, so nobody can forget to.
pub(crate) fn choose_fast_path() {
    static LOOK: Once = Once::new();
    LOOK.call_once(|| USE_PEXT.store(cpu::has_fast_pext(), Ordering::Relaxed));
}

/// The name of the way in use, for `bench` and bug reports.
pub fn fast_path() -> &'static str {
    choose_fast_path();
    if cfg!(all(target_arch = "x86_64", target_feature = "bmi2")) {
        "pext (compiled in)"
    } else if USE_PEXT.load(Ordering::Relaxed) {
        "pext (chosen at run time)"
    } else {
        "magic"
    }
}

/// Forces one way or the other, so that tests and benchmarks can compare the two.
#[doc(hidden)]
pub fn force_fast_path(pext: bool) {
    choose_fast_path();
    USE_PEXT.store(pext && cpu::has_bmi2(), Ordering::Relaxed);
}

impl Slider {
    #[inline(always)]
    fn attacks(&self, occupied: Bitboard) -> Bitboard {
        #[cfg(target_arch = "x86_64")]
        if cfg!(target_feature = "bmi2") || USE_PEXT.load(Ordering::Relaxed) {
            // SAFETY: BMI2 is compiled in, or `choose_fast_path` saw that the CPU has it.
            let gathered = unsafe { pext(occupied.0, self.mask) };
            // SAFETY: pext of an n-bit mask is below 2^n, the size of this square's part of the table.
            return unsafe { *BY_PEXT.get_unchecked(self.offset as usize + gathered as usize) };
        }
        // SAFETY: the shift keeps n bits, and offset + 2^n is within the table.
        unsafe { *BY_MAGIC.get_unchecked(self.magic_index(occupied.0)) }
    }
}

/// Gathers the bits of `source` that `mask` selects. In assembly, because the intrinsic cannot be
/// inlined into code that is compiled for CPUs without BMI2.
///
/// # Safety
/// The CPU has BMI2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn pext(source: u64, mask: u64) -> u64 {
    let gathered;
    // SAFETY: the caller vouches for the instruction; it reads and writes registers only.
    unsafe {
        std::arch::asm!("pext {}, {}, {}", lateout(reg) gathered, in(reg) source, in(reg) mask,
            options(pure, nomem, nostack, preserves_flags));
    }
    gathered
}

/// What a pawn of `color` attacks.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// What a set of pawns of `color` attacks.
#[inline(always)]
pub fn pawns(color: Color, pawns: Bitboard) -> Bitboard {
    pawns.sideways().forward(color)
}

/// What a knight attacks.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// What a king attacks.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// What a bishop attacks.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    BISHOP[square.index()].attacks(occupied)
}

/// What a rook attacks.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    ROOK[square.index()].attacks(occupied)
}

/// What a queen attacks.
#[inline(always)]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// What a bishop attacks on an empty board.
#[inline(always)]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// What a rook attacks on an empty board.
#[inline(always)]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

/// What a queen attacks on an empty board.
#[inline(always)]
pub fn queen_rays(square: Square) -> Bitboard {
    bishop_rays(square) | rook_rays(square)
}

/// The whole diagonal through a square in the direction a1–h8.
#[inline(always)]
pub fn diagonal(square: Square) -> Bitboard {
    DIAGONAL[square.index()]
}

/// The whole diagonal through a square in the direction h1–a8.
#[inline(always)]
pub fn anti_diagonal(square: Square) -> Bitboard {
    ANTI_DIAGONAL[square.index()]
}

/// `// [from][to]`
static BETWEEN: [[Bitboard; 64]; 64] = lines(false);
/// `// [a][b]`
static LINE: [[Bitboard; 64]; 64] = lines(true);

const fn lines(whole: bool) -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let there = KING_STEPS[direction];
            let back = (-there.0, -there.1);
            let ray = one_ray(from, there);
            let whole_line = ray | one_ray(from, back) | 1 << from;
            let mut between = 0;
            let mut to = step(from, there);
            while to >= 0 {
                table[from][to as usize] = Bitboard(if whole { whole_line } else { between });
                between |= 1 << to;
                to = step(to as usize, there);
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

/// The squares strictly between two squares on one rank, file or diagonal; else none.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole rank, file or diagonal through two squares, edge to edge; none if they share no line.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::zobrist::splitmix64;

    #[test]
    fn both_ways_to_index_agree_with_walking_the_rays() {
        let mut state = 7;
        for pext in [true, false] {
            force_fast_path(pext);
            for square in Square::all() {
                for _ in 0..2_000 {
                    let occupied = splitmix64(&mut state) & splitmix64(&mut state);
                    let here = square.index();
                    assert_eq!(rook(square, Bitboard(occupied)).0, walk(here, &ROOK_STEPS, occupied));
                    assert_eq!(bishop(square, Bitboard(occupied)).0, walk(here, &BISHOP_STEPS, occupied));
                }
            }
        }
    }

    #[test]
    fn lines_pass_through_both_squares_and_contain_what_is_between() {
        for a in Square::all() {
            for b in Square::all() {
                let (line, between) = (line(a, b), between(a, b));
                let aligned = a != b && queen(a, Bitboard::EMPTY).has(b);
                assert_eq!(line.any(), aligned);
                if aligned {
                    assert!(line.has(a) && line.has(b) && (between - line).is_empty());
                    assert_eq!(between.count() + 1, u32::from(a.distance(b)));
                } else {
                    assert!(between.is_empty());
                }
            }
        }
    }
}
