//! Rays on a bare board, and how the slider tables are laid out. Shared by the engine and its build
//! script, so it speaks in plain numbers.

pub const ROOK_STEPS: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
pub const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
pub const KNIGHT_STEPS: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
pub const KING_STEPS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// One square in a direction, or -1 off the board.
pub const fn step(square: usize, (files, ranks): (i8, i8)) -> i8 {
    let file = (square % 8) as i8 + files;
    let rank = (square / 8) as i8 + ranks;
    if file < 0 || file > 7 || rank < 0 || rank > 7 { -1 } else { rank * 8 + file }
}

/// Every square on the four rays, up to and including the first occupied one.
pub const fn walk(square: usize, steps: &[(i8, i8); 4], occupied: u64) -> u64 {
    let mut attacks = 0;
    let mut direction = 0;
    while direction < 4 {
        let mut at = step(square, steps[direction]);
        while at >= 0 {
            attacks |= 1 << at;
            if occupied & (1 << at) != 0 {
                break;
            }
            at = step(at as usize, steps[direction]);
        }
        direction += 1;
    }
    attacks
}

/// The relevant occupancy: a ray's last square never changes what is attacked.
pub const fn relevant(square: usize, steps: &[(i8, i8); 4]) -> u64 {
    let mut mask = 0;
    let mut direction = 0;
    while direction < 4 {
        let mut at = step(square, steps[direction]);
        while at >= 0 {
            let next = step(at as usize, steps[direction]);
            if next >= 0 {
                mask |= 1 << at;
            }
            at = next;
        }
        direction += 1;
    }
    mask
}

pub const fn one_ray(from: usize, direction: (i8, i8)) -> u64 {
    let mut ray = 0;
    let mut at = step(from, direction);
    while at >= 0 {
        ray |= 1 << at;
        at = step(at as usize, direction);
    }
    ray
}

/// How many entries the rooks of all squares need.
pub const ROOK_ENTRIES: u32 = 102_400;
/// Rooks and bishops together.
pub const SLIDER_ENTRIES: usize = 107_648;

/// How to index the slider tables for one square and one kind of slider.
pub struct Slider {
    /// The squares whose occupancy matters: the rays without their last square.
    pub mask: u64,
    pub magic: u64,
    pub shift: u32,
    /// Where this square's attacks begin in the tables.
    pub offset: u32,
}

impl Slider {
    #[inline(always)]
    pub const fn magic_index(&self, occupied: u64) -> usize {
        self.offset as usize + ((occupied & self.mask).wrapping_mul(self.magic) >> self.shift) as usize
    }
}

/// The index data of all 64 squares, the first one's entries beginning at `offset`.
pub const fn sliders(steps: &[(i8, i8); 4], magics: &[u64; 64], mut offset: u32) -> [Slider; 64] {
    let mut table = [const { Slider { mask: 0, magic: 0, shift: 0, offset: 0 } }; 64];
    let mut square = 0;
    while square < 64 {
        let mask = relevant(square, steps);
        let bits = mask.count_ones();
        table[square] = Slider { mask, magic: magics[square], shift: 64 - bits, offset };
        offset += 1 << bits;
        square += 1;
    }
    table
}
