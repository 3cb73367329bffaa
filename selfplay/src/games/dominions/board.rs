//! Tiles on the board, in groups that are kept up to date with every tile.
//!
//! A group is what one side controls and connected sides join. Each knows its cells, its liberties (empty cells that a
//! connected side faces) and its foes (cells of the other side that are connected to it). A section, connected whoever
//! controls it, is never kept: it is what one reaches from group to group over foes.

use engine::types::Color;

use super::cells::{AROUND, CELLS, CellSet, NEIGHBOURS, OUTSIDE, opposite};

/// The sides of a tile that connect, a bit each.
pub const SIDES: u8 = 0b11_1111;
/// Set in a tile that Black brought.
pub const OWNED_BY_BLACK: u8 = 1 << 6;
/// Set in a tile that Black controls.
pub const HELD_BY_BLACK: u8 = 1 << 7;
/// All 63 tiles of a hand: the blank one is not in the game.
const FULL_HAND: u64 = !1;

/// Tiles that fit: those whose sides agree with `must` wherever `care` says that it matters. `// [care][must]`
static FITTING: [[u64; 64]; 64] = {
    let mut all = [[0; 64]; 64];
    let mut care = 0;
    while care < 64 {
        let mut must = 0;
        while must < 64 {
            let mut tile = 1;
            while tile < 64 {
                if tile & care == must {
                    all[care][must] |= 1 << tile;
                }
                tile += 1;
            }
            must += 1;
        }
        care += 1;
    }
    all
};

/// A group; see the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// Its cells.
    pub members: CellSet,
    /// Empty cells that it reaches.
    pub liberties: CellSet,
    /// Cells of the other side that are connected to it. None: the group is a whole section.
    pub foes: CellSet,
}

impl Group {
    fn absorb(&mut self, other: &Group) {
        self.members = self.members.union(other.members);
        self.liberties = self.liberties.union(other.liberties);
        self.foes = self.foes.union(other.foes);
    }
}

/// What a placement did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Resolution {
    /// Tiles that the mover took over.
    pub captured: u32,
    /// Tiles that the mover lost, the new one among them.
    pub given_up: u32,
}

/// Why a tile cannot go somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IllegalPlacement {
    /// Played already.
    #[error("the tile has been played already")]
    NotInHand,
    /// A tile is there.
    #[error("the cell is occupied")]
    Occupied,
    /// Away from everything.
    #[error(
        "the cell is neither next to a tile of the other side nor a liberty of an own group that is a whole section"
    )]
    Away,
    /// A side differs from its neighbour.
    #[error("its sides do not match those of the tiles around, or point over the edge")]
    Unmatched,
    /// The section would have no liberty.
    #[error("its section would be left without a liberty (oscillation)")]
    Oscillation,
}

/// A position of Dominions.
#[derive(Clone, Debug)]
pub struct Board {
    /// 0 for an empty cell. `// [cell]`
    tiles: [u8; CELLS],
    /// The number of its group, 0 for an empty cell. `// [cell]`
    group_of: [u8; CELLS],
    /// Number 0 is no group.
    groups: Vec<Group>,
    unused: Vec<u8>,
    /// `// [color]`
    held: [CellSet; 2],
    /// A bit for each tile not yet played. `// [color]`
    hands: [u64; 2],
    mover: Color,
    passes: u8,
    key: u64,
}

/// A random number for each tile and owner on each cell, and one more for who controls it.
fn number(cell: u8, what: u8) -> u64 {
    let mut z = (u64::from(cell) << 8 | u64::from(what)).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

impl Board {
    /// Empty, White to move.
    pub fn start() -> Board {
        Board {
            tiles: [0; CELLS],
            group_of: [0; CELLS],
            groups: vec![Group::default()],
            unused: Vec::new(),
            held: [CellSet::EMPTY; 2],
            hands: [FULL_HAND; 2],
            mover: Color::White,
            passes: 0,
            key: 0,
        }
    }

    /// Who moves.
    pub fn mover(&self) -> Color {
        self.mover
    }

    /// Passes in a row.
    pub fn passes(&self) -> u8 {
        self.passes
    }

    /// The tile of a cell with its owner and controller; 0 for none.
    pub fn tile(&self, cell: u8) -> u8 {
        self.tiles[usize::from(cell)]
    }

    /// The number of the group of a cell; 0 for none.
    pub fn group_number(&self, cell: u8) -> u8 {
        self.group_of[usize::from(cell)]
    }

    /// The group of an occupied cell.
    pub fn group(&self, cell: u8) -> &Group {
        &self.groups[usize::from(self.group_of[usize::from(cell)])]
    }

    /// All groups of a side.
    pub fn groups(&self, of: Color) -> impl Iterator<Item = &Group> {
        let held = self.held[of.index()];
        let is_his =
            move |group: &&Group| group.members.iter().next().is_some_and(|cell| held.contains(cell));
        self.groups[1..].iter().filter(is_his)
    }

    /// Cells that a side controls.
    pub fn held(&self, by: Color) -> CellSet {
        self.held[by.index()]
    }

    /// Tiles that a side has not played, a bit each.
    pub fn hand(&self, of: Color) -> u64 {
        self.hands[of.index()]
    }

    /// Tiles that a side controls less those in its hand.
    pub fn score(&self, of: Color) -> i32 {
        self.held[of.index()].len() as i32 - self.hands[of.index()].count_ones() as i32
    }

    /// Tiles on the board.
    pub fn placed(&self) -> u32 {
        126 - self.hands[0].count_ones() - self.hands[1].count_ones()
    }

    /// The hash of the position.
    pub fn key(&self) -> u64 {
        let turn = if self.mover == Color::White { 0 } else { 0x5851_F42D_4C95_7F2D };
        // An empty board is no reason for the key of nothing.
        self.key ^ turn ^ u64::from(self.passes + 1).wrapping_mul(0xD134_2543_DE82_EF95)
    }

    fn empty(&self) -> CellSet {
        CellSet::ALL.without(self.held[0]).without(self.held[1])
    }

    /// Cells that the mover may put a tile on if it fits.
    pub fn candidates(&self) -> CellSet {
        let [own, other] = [self.mover, !self.mover].map(Color::index);
        if self.held[0].is_empty() && self.held[1].is_empty() {
            return CellSet::ALL;
        }
        let near =
            self.held[other].iter().fold(CellSet::EMPTY, |near, cell| near.union(AROUND[usize::from(cell)]));
        let held = self.held[own];
        let own_sections = self.groups[1..].iter().filter(|group| group.foes.is_empty());
        let extensible = own_sections
            .filter(|group| group.members.iter().next().is_some_and(|cell| held.contains(cell)))
            .fold(CellSet::EMPTY, |all, group| all.union(group.liberties));
        let occupied = self.held[0].union(self.held[1]);
        near.union(extensible).without(occupied)
    }

    /// The sides of a tile on this cell that matter, and of these the ones that must connect.
    pub fn demands(&self, cell: u8) -> (u8, u8) {
        let (mut care, mut must) = (0, 0);
        for (side, &next) in NEIGHBOURS[usize::from(cell)].iter().enumerate() {
            let neighbour = if next == OUTSIDE { 0 } else { self.tiles[usize::from(next)] };
            care |= u8::from(next == OUTSIDE || neighbour != 0) << side;
            must |= (neighbour >> opposite(side) & 1) << side;
        }
        (care, must)
    }

    /// The mover's tiles that fit on a cell, a bit each, also those that would oscillate.
    pub fn fitting(&self, cell: u8) -> u64 {
        let (care, must) = self.demands(cell);
        self.hands[self.mover.index()] & FITTING[usize::from(care)][usize::from(must)]
    }

    /// The mover's tiles that may be put on a cell, which is one of [`Board::candidates`].
    pub fn allowed(&self, cell: u8) -> u64 {
        let tiles = self.fitting(cell);
        // A tile with a side of its own to an empty cell brings a liberty along.
        let (_, must) = self.demands(cell);
        let closed = 1u64 << must;
        if tiles & closed != 0 && self.oscillates(cell, must) { tiles & !closed } else { tiles }
    }

    /// Whether a tile that reaches no empty cell would leave its section without a liberty.
    pub fn oscillates(&self, cell: u8, sides: u8) -> bool {
        let mut seen = [false; 256];
        let mut waiting: Vec<u8> = self.connected(cell, sides).map(|next| self.group_number(next)).collect();
        while let Some(number) = waiting.pop() {
            if std::mem::replace(&mut seen[usize::from(number)], true) {
                continue;
            }
            let group = &self.groups[usize::from(number)];
            let mut liberties = group.liberties;
            liberties.remove(cell);
            if !liberties.is_empty() {
                return false;
            }
            waiting.extend(group.foes.iter().map(|foe| self.group_number(foe)));
        }
        true
    }

    /// Occupied cells that a tile with these sides is connected to.
    fn connected(&self, cell: u8, sides: u8) -> impl Iterator<Item = u8> + '_ {
        let next = &NEIGHBOURS[usize::from(cell)];
        (0..6)
            .filter(move |side| sides >> side & 1 != 0)
            .map(|side| next[side])
            .filter(|&next| next != OUTSIDE && self.tiles[usize::from(next)] != 0)
    }

    /// Whether the mover may put a tile somewhere; else why not.
    pub fn check(&self, cell: u8, sides: u8) -> Result<(), IllegalPlacement> {
        let reasons = [
            (self.hands[self.mover.index()] >> sides & 1 == 0, IllegalPlacement::NotInHand),
            (!self.empty().contains(cell), IllegalPlacement::Occupied),
            (!self.candidates().contains(cell), IllegalPlacement::Away),
            (self.fitting(cell) >> sides & 1 == 0, IllegalPlacement::Unmatched),
            (self.allowed(cell) >> sides & 1 == 0, IllegalPlacement::Oscillation),
        ];
        reasons.into_iter().find(|(is_so, _)| *is_so).map_or(Ok(()), |(_, reason)| Err(reason))
    }

    /// Passes.
    pub fn pass(&mut self) {
        self.passes += 1;
        self.mover = !self.mover;
    }

    /// Puts a tile down, which must be allowed: joins own groups, takes over enemy groups without liberties, and gives
    /// the own one up if it has none even then.
    pub fn place(&mut self, cell: u8, sides: u8) -> Resolution {
        let (own, other) = (self.mover, !self.mover);
        let mut resolution = Resolution::default();
        self.put(cell, sides, own);
        let number = self.found(cell, sides);
        for next in self.neighbours_of(cell, sides, own) {
            self.join(number, self.group_number(next));
        }
        for next in self.neighbours_of(cell, sides, other) {
            let enemy = self.group_number(next);
            // The same group may touch the tile twice, and be ours by now.
            if self.held[other.index()].contains(next) && self.groups[usize::from(enemy)].liberties.is_empty()
            {
                resolution.captured += self.groups[usize::from(enemy)].members.len();
                self.turn(enemy, own);
                self.join_all_around(number, enemy);
            }
        }
        if self.groups[usize::from(number)].liberties.is_empty() {
            resolution.given_up = self.groups[usize::from(number)].members.len();
            self.turn(number, other);
            self.join_all_around(number, number);
        }
        self.passes = 0;
        self.mover = other;
        resolution
    }

    fn put(&mut self, cell: u8, sides: u8, by: Color) {
        let marks = if by == Color::White { 0 } else { OWNED_BY_BLACK | HELD_BY_BLACK };
        self.tiles[usize::from(cell)] = sides | marks;
        self.held[by.index()].insert(cell);
        self.hands[by.index()] &= !(1 << sides);
        self.key ^= number(cell, sides | marks & OWNED_BY_BLACK);
        if by == Color::Black {
            self.key ^= number(cell, HELD_BY_BLACK);
        }
    }

    fn neighbours_of(&self, cell: u8, sides: u8, held_by: Color) -> impl Iterator<Item = u8> + use<> {
        let held = self.held[held_by.index()];
        let next = NEIGHBOURS[usize::from(cell)];
        (0..6)
            .filter(move |side| sides >> side & 1 != 0)
            .map(move |side| next[side])
            .filter(move |&next| next != OUTSIDE && held.contains(next))
    }

    /// A new group of one tile, entered everywhere before anybody is joined to it.
    fn found(&mut self, cell: u8, sides: u8) -> u8 {
        let own = self.mover;
        let mut group = Group::default();
        group.members.insert(cell);
        for (side, &next) in NEIGHBOURS[usize::from(cell)].iter().enumerate() {
            if sides >> side & 1 == 0 || next == OUTSIDE {
                continue;
            }
            let neighbour = self.group_of[usize::from(next)];
            if neighbour == 0 {
                group.liberties.insert(next);
                continue;
            }
            let is_own = self.held[own.index()].contains(next);
            let neighbour = &mut self.groups[usize::from(neighbour)];
            neighbour.liberties.remove(cell);
            if !is_own {
                neighbour.foes.insert(cell);
                group.foes.insert(next);
            }
        }
        let number = self.unused.pop().unwrap_or_else(|| {
            self.groups.push(Group::default());
            (self.groups.len() - 1) as u8
        });
        self.groups[usize::from(number)] = group;
        self.group_of[usize::from(cell)] = number;
        number
    }

    /// One group of two.
    fn join(&mut self, into: u8, from: u8) {
        if into == from {
            return;
        }
        let group = std::mem::take(&mut self.groups[usize::from(from)]);
        self.groups[usize::from(into)].absorb(&group);
        group.members.iter().for_each(|cell| self.group_of[usize::from(cell)] = into);
        self.unused.push(from);
    }

    /// Gives a group to the other side.
    fn turn(&mut self, number: u8, to: Color) {
        let members = self.groups[usize::from(number)].members;
        for cell in members.iter() {
            self.tiles[usize::from(cell)] ^= HELD_BY_BLACK;
            self.key ^= self::number(cell, HELD_BY_BLACK);
            self.held[to.index()].insert(cell);
            self.held[(!to).index()].remove(cell);
        }
    }

    /// After a group has changed sides its foes are its friends: all of them become one group.
    fn join_all_around(&mut self, into: u8, turned: u8) {
        let friends = self.groups[usize::from(turned)].foes;
        for friend in friends.iter() {
            let number = self.group_number(friend);
            self.join(into, number);
        }
        self.join(into, turned);
        let group = &mut self.groups[usize::from(into)];
        group.foes = group.foes.without(group.members);
    }
}
