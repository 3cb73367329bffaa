//! A move as it is played: what changes on the board. Two are equal if the boards after them are.

/// Squares that one move may change.
pub const MOST_CHANGES: usize = 16;

/// What kind of move it is, for ordering and for the clock.
pub mod flags {
    /// Something of the other side vanishes.
    pub const TAKES: u8 = 1;
    /// A piece becomes another one.
    pub const PROMOTES: u8 = 2;
    /// King and rook.
    pub const CASTLES: u8 = 4;
}

/// A move that can be played and taken back.
#[derive(Clone, Copy, Debug)]
pub struct Ply {
    /// From here.
    pub src: u8,
    /// To here.
    pub dest: u8,
    /// The type of piece it moved like (that of another one for a joker).
    pub piece: u8,
    /// See [`flags`].
    pub flags: u8,
    /// Squares passed by a double step; 255: none.
    pub passed: [u8; 2],
    count: u8,
    changes: [(u8, u8); MOST_CHANGES],
}

impl Ply {
    /// Changes nothing yet.
    pub const fn new(src: u8, dest: u8, piece: u8) -> Ply {
        Ply { src, dest, piece, flags: 0, passed: [255; 2], count: 0, changes: [(0, 0); MOST_CHANGES] }
    }

    /// Squares and what they hold afterwards, in the order of the squares.
    pub fn changes(&self) -> &[(u8, u8)] {
        &self.changes[..usize::from(self.count)]
    }

    /// A square's new cell, in its place among the others; the last word on a square counts. `false` if there is no room.
    pub fn set(&mut self, square: u8, cell: u8) -> bool {
        let count = usize::from(self.count);
        let place = self.changes[..count].iter().position(|change| change.0 >= square).unwrap_or(count);
        if place < count && self.changes[place].0 == square {
            self.changes[place].1 = cell;
            return true;
        }
        if count == MOST_CHANGES {
            return false;
        }
        self.changes.copy_within(place..count, place + 1);
        self.changes[place] = (square, cell);
        self.count += 1;
        true
    }

    /// What orders moves, so that their numbers are always the same.
    pub fn rank(&self) -> (u8, u8, &[(u8, u8)]) {
        (self.src, self.dest, self.changes())
    }
}

impl PartialEq for Ply {
    fn eq(&self, other: &Ply) -> bool {
        self.changes() == other.changes()
    }
}

impl Eq for Ply {}
