//! The board: a hexagon of side 9, its 217 cells, and sets of them.
//!
//! Cells have axial coordinates (q, r) with |q|, |r|, |q + r| ≤ 8; r grows downwards, q to the right. They are numbered
//! row by row from the top.

/// Cells of the board.
pub const CELLS: usize = 217;
const RADIUS: i32 = 8;
/// The number of the first cell of each row. `// [r + 8]`
const ROW_OFFSETS: [i32; 17] = [0, 9, 19, 30, 42, 55, 69, 84, 100, 117, 133, 148, 162, 175, 187, 198, 208];
/// Where each side of a tile leads, in the order of its bits: clockwise from the top right one. `// [side]`
const STEPS: [(i32, i32); 6] = [(1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)];
/// No cell: beyond the edge.
pub const OUTSIDE: u8 = u8::MAX;

/// The side that faces a side.
pub const fn opposite(side: usize) -> usize {
    (side + 3) % 6
}

/// The number of the cell at these coordinates, if it is on the board.
pub const fn cell_at(q: i32, r: i32) -> Option<u8> {
    if q.abs() > RADIUS || r.abs() > RADIUS || (q + r).abs() > RADIUS {
        return None;
    }
    let before = if r < 0 { -r } else { 0 };
    Some((ROW_OFFSETS[(r + RADIUS) as usize] + q + RADIUS - before) as u8)
}

/// The coordinates of a cell. `// [cell]`
pub static COORDINATES: [(i32, i32); CELLS] = {
    let mut all = [(0, 0); CELLS];
    let mut r = -RADIUS;
    while r <= RADIUS {
        let mut q = -RADIUS;
        while q <= RADIUS {
            if let Some(cell) = cell_at(q, r) {
                all[cell as usize] = (q, r);
            }
            q += 1;
        }
        r += 1;
    }
    all
};

/// The cell next to a cell, or [`OUTSIDE`]. `// [cell][side]`
pub static NEIGHBOURS: [[u8; 6]; CELLS] = {
    let mut all = [[OUTSIDE; 6]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (q, r) = COORDINATES[cell];
        let mut side = 0;
        while side < 6 {
            if let Some(next) = cell_at(q + STEPS[side].0, r + STEPS[side].1) {
                all[cell][side] = next;
            }
            side += 1;
        }
        cell += 1;
    }
    all
};

/// All cells next to a cell. `// [cell]`
pub static AROUND: [CellSet; CELLS] = {
    let mut all = [CellSet::EMPTY; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut side = 0;
        while side < 6 {
            let next = NEIGHBOURS[cell][side];
            if next != OUTSIDE {
                all[cell].0[next as usize / 64] |= 1 << (next % 64);
            }
            side += 1;
        }
        cell += 1;
    }
    all
};

/// A set of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellSet([u64; 4]);

impl CellSet {
    /// No cell.
    pub const EMPTY: CellSet = CellSet([0; 4]);
    /// Every cell.
    pub const ALL: CellSet = CellSet([u64::MAX, u64::MAX, u64::MAX, (1 << (CELLS - 192)) - 1]);

    /// Puts a cell in.
    pub fn insert(&mut self, cell: u8) {
        self.0[usize::from(cell / 64)] |= 1 << (cell % 64);
    }

    /// Takes a cell out.
    pub fn remove(&mut self, cell: u8) {
        self.0[usize::from(cell / 64)] &= !(1 << (cell % 64));
    }

    /// Whether a cell is in it.
    pub fn contains(&self, cell: u8) -> bool {
        self.0[usize::from(cell / 64)] >> (cell % 64) & 1 != 0
    }

    /// Cells of either.
    pub fn union(self, other: CellSet) -> CellSet {
        CellSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Cells of this one that are not in the other.
    pub fn without(self, other: CellSet) -> CellSet {
        CellSet(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// How many cells.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The cells, rising.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..4u8).flat_map(move |word| {
            let mut rest = self.0[usize::from(word)];
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as u8)?;
                rest &= rest - 1;
                Some(word * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbered_row_by_row_and_neighbours_see_each_other() {
        let mut next = 0;
        for r in -8..=8 {
            for q in -8..=8 {
                if let Some(cell) = cell_at(q, r) {
                    assert_eq!((cell, COORDINATES[usize::from(cell)]), (next, (q, r)));
                    next += 1;
                }
            }
        }
        assert_eq!(usize::from(next), CELLS);
        for (cell, sides) in NEIGHBOURS.iter().enumerate() {
            for (side, &other) in sides.iter().enumerate().filter(|(_, other)| **other != OUTSIDE) {
                assert_eq!(usize::from(NEIGHBOURS[usize::from(other)][opposite(side)]), cell);
                assert!(AROUND[cell].contains(other));
            }
        }
        assert_eq!(CellSet::ALL.iter().count(), CELLS);
    }
}
