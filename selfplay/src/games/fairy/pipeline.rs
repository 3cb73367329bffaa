//! The interpreter: what each modifier does to a move. Slow and general; it is the oracle of the compiled tables.

use super::geometry::{Bits, Cells, Geometry, Vector, piece_of};
use super::modifier::{Dirs, Line, Modifier, Order, PathModifier, Types, symmetric};

/// No ride is longer, whatever its modifiers say.
const LONGEST_PATH: usize = 64;
/// Jumps of a man in one move.
const MOST_JUMPS: usize = 10;

/// A square from which something may be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capture {
    /// Where.
    pub square: u8,
    /// Whether the move is not possible without it.
    pub necessary: bool,
}

/// What path modifiers remember.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Aux {
    /// To which hand a circle turns; 0 before it is chosen.
    pub hand: i8,
    /// The direction of the next step but one, for crooked rides.
    pub next: Option<Vector>,
}

/// A move on its way through a line.
#[derive(Clone, PartialEq, Debug)]
pub struct Move {
    /// From here.
    pub src: u8,
    /// To here.
    pub dest: u8,
    /// The direction of the next step.
    pub dir: Vector,
    /// Every square entered or leapt over, the destination last.
    pub path: Vec<u8>,
    /// What path modifiers remember.
    pub aux: Aux,
    /// The way so far, as if the board had no edges.
    pub travel: (i16, i16),
    /// What is taken.
    pub captures: Vec<Capture>,
    /// The board without the piece that moves and without what was taken.
    pub after: Cells,
    /// Squares that a pawn may enter to take this piece in passing; 255: none.
    pub passed: [u8; 2],
}

/// What modifiers ask of a position.
pub struct Scene<'a> {
    /// The board.
    pub geometry: Geometry,
    /// What stands where.
    pub cells: &'a Cells,
    /// The side that moves.
    pub side: u8,
    /// Squares that can be entered in passing, and who is taken; 255: none.
    pub passed: [u8; 2],
    /// See `passed`.
    pub victim: u8,
    /// The squares of the own royal pieces.
    pub royals: Bits,
}

/// Passes a piece's square through a line.
pub fn run_line(scene: &Scene, src: u8, line: &Line) -> Vec<Move> {
    let mut moves = vec![scene.beginning(src)];
    for modifier in line {
        moves = moves.into_iter().flat_map(|one| scene.modify(modifier, one)).collect();
    }
    moves
}

fn keep_if(keep: bool, one: Move) -> Vec<Move> {
    if keep { vec![one] } else { Vec::new() }
}

impl Scene<'_> {
    fn beginning(&self, src: u8) -> Move {
        let mut after = *self.cells;
        after[usize::from(src)] = 0;
        Move {
            src,
            dest: src,
            dir: (0, 0),
            path: Vec::new(),
            aux: Aux::default(),
            travel: (0, 0),
            captures: Vec::new(),
            after,
            passed: [255; 2],
        }
    }

    /// One modifier: no move if it is illegal, one, or its branches.
    pub fn modify(&self, modifier: &Modifier, one: Move) -> Vec<Move> {
        match modifier {
            Modifier::Leap(offsets, dirs) => self.leap(offsets, *dirs, &one),
            Modifier::Walk(a, b, order, dirs) => self.walk(*a, *b, *order, *dirs, &one),
            Modifier::Extend(most, path) => self.extend(*most, path, one),
            Modifier::AtLeast(steps) => keep_if(one.path.len() >= usize::from(*steps), one),
            Modifier::Ski => self.thin(one, |path| path.len() >= 2, |number| number > 0),
            Modifier::Skip => self.thin(one, |path| path.len().is_multiple_of(2), |number| number % 2 == 1),
            Modifier::Slip => self.thin(one, |path| path.len() % 2 == 1, |number| number.is_multiple_of(2)),
            Modifier::Rank(first, last) => {
                let rank = self.geometry.rank_for(one.src, self.side);
                keep_if((*first..=*last).contains(&rank), one)
            }
            Modifier::Zone(_, set) => keep_if(set.has(self.seen(one.dest)), one),
            Modifier::NoHop => keep_if(self.hurdles(&one) == 0, one),
            Modifier::Hop(least, most) => {
                keep_if((usize::from(*least)..=usize::from(*most)).contains(&self.hurdles(&one)), one)
            }
            Modifier::Behind => {
                let before = one.path.len().checked_sub(2).map(|place| one.path[place]);
                keep_if(before.is_some_and(|square| one.after[usize::from(square)] != 0), one)
            }
            Modifier::Replace(types) => self.replace(*types, one),
            Modifier::NoFriendly => self.no_friendly(one),
            Modifier::MoveOnly => {
                keep_if(one.captures.is_empty() && one.after[usize::from(one.dest)] == 0, one)
            }
            Modifier::CaptureOnly => keep_if(!one.captures.is_empty(), one),
            Modifier::Locust(types) => self.locust(*types, one),
            Modifier::Raze => self.raze(one),
            Modifier::Shoot => self.shoot(one),
            Modifier::Withdraw(types) => self.withdraw(*types, one),
            Modifier::Pincer(types) => self.pincer(*types, one),
            Modifier::Coordinate(types) => self.coordinate(*types, one),
            Modifier::LeapOver(types) => self.leap_over(*types, one),
            Modifier::Jumps(offsets, dirs) => self.jumps(offsets, *dirs, &one),
            Modifier::Passable => vec![self.passable(one)],
            Modifier::EnPassant => self.en_passant(one),
        }
    }

    /// A square as White would see it.
    fn seen(&self, square: u8) -> u8 {
        if self.side == 0 { square } else { self.geometry.mirrored(square) }
    }

    /// The offsets meant, turned for the side that moves.
    fn offsets<'a>(&self, offsets: &'a [(u8, u8)], dirs: Dirs) -> impl Iterator<Item = Vector> + use<'a> {
        let forward = if self.side == 0 { 1 } else { -1 };
        let meant = offsets.iter().flat_map(|&(a, b)| symmetric(a, b));
        meant.filter(move |offset| dirs.has(*offset)).map(move |(x, y)| (x, y * forward))
    }

    fn leap(&self, offsets: &[(u8, u8)], dirs: Dirs, one: &Move) -> Vec<Move> {
        let branch = |dir| Move { dir, aux: Aux::default(), ..one.clone() };
        self.offsets(offsets, dirs).map(branch).collect()
    }

    fn walk(&self, a: u8, b: u8, order: Order, dirs: Dirs, one: &Move) -> Vec<Move> {
        let mut walked = Vec::new();
        for (x, y) in self.offsets(&[(a, b)], dirs) {
            let (diagonal, straight) = (a.min(b), a.max(b) - a.min(b));
            let slant = (x.signum(), y.signum());
            let direct = if x.abs() > y.abs() { (x.signum(), 0) } else { (0, y.signum()) };
            for steps in orders(straight, diagonal, order) {
                let steps = steps.into_iter().map(|is_diagonal| if is_diagonal { slant } else { direct });
                walked.extend(self.walked(one.clone(), steps));
            }
        }
        walked
    }

    fn walked(&self, mut one: Move, steps: impl Iterator<Item = Vector>) -> Option<Move> {
        for dir in steps {
            one.dir = dir;
            one.dest = self.geometry.step(one.dest, dir)?;
            one.path.push(one.dest);
            one.travel.0 += i16::from(dir.0);
            one.travel.1 += i16::from(dir.1);
        }
        Some(one)
    }

    /// One step, and more until the number is reached, or the move stands where it was before, going the same way.
    fn extend(&self, most: Option<u8>, path: &[PathModifier], one: Move) -> Vec<Move> {
        let limit = most.map_or(LONGEST_PATH, |most| usize::from(most) + 1);
        let mut found = Vec::new();
        let mut ways = vec![(one, Vec::new())];
        for _ in 0..limit {
            let mut further = Vec::new();
            for (one, trail) in ways {
                for next in self.step(path, &one) {
                    let mark = (next.dest, next.dir, next.aux);
                    if !trail.contains(&mark) {
                        let mut trail: Vec<(u8, Vector, Aux)> = trail.clone();
                        trail.push(mark);
                        found.push(next.clone());
                        further.push((next, trail));
                    }
                }
            }
            ways = further;
        }
        found
    }

    /// A step in the direction of the move, and what the path modifiers make of it.
    fn step(&self, path: &[PathModifier], one: &Move) -> Vec<Move> {
        let (x, y, board) = self.geometry.place(one.dest);
        let dir = (i16::from(one.dir.0), i16::from(one.dir.1));
        let (mut x, y) = (x + dir.0, y + dir.1);
        let is_inward = dir.0 * one.travel.0 + dir.1 * one.travel.1 <= 0 && one.travel != (0, 0);
        if path.contains(&PathModifier::Outward) && is_inward {
            return Vec::new();
        }
        if path.contains(&PathModifier::Cylinder) {
            x = x.rem_euclid(i16::from(self.geometry.width));
        }
        let Some(dest) = self.geometry.square(x, y, board) else { return Vec::new() };
        let mut next = one.clone();
        next.dest = dest;
        next.path.push(dest);
        next.travel = (one.travel.0 + dir.0, one.travel.1 + dir.1);
        let mut branches = vec![next];
        for modifier in path {
            branches = branches
                .into_iter()
                .flat_map(|one| match modifier {
                    PathModifier::Circular => circular(one),
                    PathModifier::Crooked => crooked(one),
                    _ => vec![one],
                })
                .collect();
        }
        branches
    }

    /// Leaves only some squares on the path, and the move only if its length fits.
    fn thin(&self, mut one: Move, fits: fn(&[u8]) -> bool, stays: fn(usize) -> bool) -> Vec<Move> {
        if !fits(&one.path) {
            return Vec::new();
        }
        let mut number = 0;
        one.path.retain(|_| {
            number += 1;
            stays(number - 1)
        });
        vec![one]
    }

    /// Pieces on the way, the destination's not among them.
    fn hurdles(&self, one: &Move) -> usize {
        let way = &one.path[..one.path.len().saturating_sub(1)];
        way.iter().filter(|square| one.after[usize::from(**square)] != 0).count()
    }

    /// Whether something of a side that is one of some types stands there.
    fn stands(&self, one: &Move, square: u8, side: u8, types: Types) -> bool {
        let cell = one.after[usize::from(square)];
        cell != 0 && piece_of(cell).1 == side && types >> piece_of(cell).0 & 1 == 1
    }

    fn take(&self, one: &mut Move, square: u8, necessary: bool) {
        one.after[usize::from(square)] = 0;
        one.captures.push(Capture { square, necessary });
    }

    fn replace(&self, types: Types, mut one: Move) -> Vec<Move> {
        let cell = one.after[usize::from(one.dest)];
        if cell != 0 {
            if types >> piece_of(cell).0 & 1 == 0 {
                return Vec::new();
            }
            let dest = one.dest;
            self.take(&mut one, dest, true);
        }
        vec![one]
    }

    /// A necessary capture of an own piece ends the move, another one is undone.
    fn no_friendly(&self, mut one: Move) -> Vec<Move> {
        let is_own = |square: u8| piece_of(self.cells[usize::from(square)]).1 == self.side;
        if one.captures.iter().any(|capture| capture.necessary && is_own(capture.square)) {
            return Vec::new();
        }
        for capture in one.captures.iter().filter(|capture| is_own(capture.square)) {
            one.after[usize::from(capture.square)] = self.cells[usize::from(capture.square)];
        }
        one.captures.retain(|capture| !is_own(capture.square));
        vec![one]
    }

    fn locust(&self, types: Types, mut one: Move) -> Vec<Move> {
        let way = &one.path[..one.path.len().saturating_sub(1)];
        let on_way: Vec<u8> =
            way.iter().copied().filter(|square| one.after[usize::from(*square)] != 0).collect();
        let [victim] = on_way[..] else { return Vec::new() };
        if one.after[usize::from(one.dest)] != 0 || !self.stands(&one, victim, 1 - self.side, types) {
            return Vec::new();
        }
        self.take(&mut one, victim, true);
        vec![one]
    }

    fn raze(&self, mut one: Move) -> Vec<Move> {
        for square in one.path.clone() {
            if one.after[usize::from(square)] != 0 {
                let necessary = square == one.dest;
                self.take(&mut one, square, necessary);
            }
        }
        vec![one]
    }

    fn shoot(&self, mut one: Move) -> Vec<Move> {
        one.dest = one.src;
        vec![one]
    }

    fn withdraw(&self, types: Types, mut one: Move) -> Vec<Move> {
        let away = (-one.dir.0.signum(), -one.dir.1.signum());
        if let Some(square) = self.geometry.step(one.src, away)
            && self.any_stands(&one, square, types)
        {
            self.take(&mut one, square, false);
        }
        vec![one]
    }

    /// Of any side: `nofriendly` sorts out the own ones.
    fn any_stands(&self, one: &Move, square: u8, types: Types) -> bool {
        self.stands(one, square, 0, types) || self.stands(one, square, 1, types)
    }

    fn pincer(&self, types: Types, mut one: Move) -> Vec<Move> {
        for dir in [(1, 0), (0, 1), (-1, 0), (0, -1)] {
            if let Some(near) = self.geometry.step(one.dest, dir)
                && let Some(far) = self.geometry.step(near, dir)
                && self.stands(&one, near, 1 - self.side, types)
                && self.stands(&one, far, self.side, super::modifier::ANY)
            {
                self.take(&mut one, near, false);
            }
        }
        vec![one]
    }

    fn coordinate(&self, types: Types, mut one: Move) -> Vec<Move> {
        for royal in self.royals {
            let ((kx, ky, board), (x, y, _)) = (self.geometry.place(royal), self.geometry.place(one.dest));
            for corner in [self.geometry.square(x, ky, board), self.geometry.square(kx, y, board)] {
                if let Some(corner) = corner
                    && self.stands(&one, corner, 1 - self.side, types)
                {
                    self.take(&mut one, corner, false);
                }
            }
        }
        vec![one]
    }

    /// Every piece on the way is an enemy with an empty square behind it; there is one at least.
    fn leap_over(&self, types: Types, mut one: Move) -> Vec<Move> {
        let mut victims = Vec::new();
        for pair in one.path.windows(2) {
            if one.after[usize::from(pair[0])] == 0 {
                continue;
            }
            let gap = one.after[usize::from(pair[1])] == 0;
            if !gap || !self.stands(&one, pair[0], 1 - self.side, types) {
                return Vec::new();
            }
            victims.push(pair[0]);
        }
        if victims.is_empty() || one.after[usize::from(one.dest)] != 0 {
            return Vec::new();
        }
        victims.into_iter().for_each(|square| self.take(&mut one, square, true));
        vec![one]
    }

    fn jumps(&self, offsets: &[(u8, u8)], dirs: Dirs, one: &Move) -> Vec<Move> {
        let mut found: Vec<Move> = Vec::new();
        let mut ends = vec![one.clone()];
        for _ in 0..MOST_JUMPS {
            let further: Vec<Move> = ends
                .iter()
                .flat_map(|end| {
                    self.offsets(offsets, dirs)
                        .filter_map(|dir| self.jump(end.clone(), dir))
                        .collect::<Vec<Move>>()
                })
                .collect();
            found.extend(further.iter().cloned());
            ends = further;
        }
        found
    }

    fn jump(&self, mut one: Move, dir: Vector) -> Option<Move> {
        let over = self.geometry.step(one.dest, dir)?;
        let dest = self.geometry.step(over, dir)?;
        if !self.stands(&one, over, 1 - self.side, super::modifier::ANY) || one.after[usize::from(dest)] != 0
        {
            return None;
        }
        self.take(&mut one, over, true);
        one.path.extend([over, dest]);
        one.dir = dir;
        one.dest = dest;
        Some(one)
    }

    fn passable(&self, mut one: Move) -> Move {
        let way = &one.path[..one.path.len().saturating_sub(1)];
        for (place, square) in one.passed.iter_mut().zip(way) {
            *place = *square;
        }
        one
    }

    fn en_passant(&self, mut one: Move) -> Vec<Move> {
        let is_open = self.victim != 255 && self.passed.contains(&one.dest);
        if !is_open
            || one.after[usize::from(one.dest)] != 0
            || !self.stands(&one, self.victim, 1 - self.side, super::modifier::ANY)
        {
            return Vec::new();
        }
        self.take(&mut one, self.victim, true);
        vec![one]
    }
}

/// The orders in which straight and diagonal (`true`) steps can be taken.
fn orders(straight: u8, diagonal: u8, order: Order) -> Vec<Vec<bool>> {
    let of = |number: u8, is_diagonal| vec![is_diagonal; usize::from(number)];
    match order {
        Order::Straight => vec![[of(straight, false), of(diagonal, true)].concat()],
        Order::Diagonal => vec![[of(diagonal, true), of(straight, false)].concat()],
        Order::Any => {
            let steps = straight + diagonal;
            let chosen = (0u32..1 << steps).filter(|set| set.count_ones() == u32::from(diagonal));
            chosen.map(|set| (0..steps).map(|step| set >> step & 1 == 1).collect()).collect()
        }
    }
}

/// Turns to the next of the symmetric offsets: both ways at first, then always the same.
fn circular(mut one: Move) -> Vec<Move> {
    let circle = symmetric(one.dir.0.unsigned_abs(), one.dir.1.unsigned_abs());
    let place = circle.iter().position(|dir| *dir == one.dir).unwrap_or(0);
    let turned = |hand: i8| {
        let next = (place as isize + isize::from(hand)).rem_euclid(circle.len() as isize);
        circle[next as usize]
    };
    if one.aux.hand != 0 {
        one.dir = turned(one.aux.hand);
        return vec![one];
    }
    [1, -1]
        .into_iter()
        .map(|hand| Move { dir: turned(hand), aux: Aux { hand, ..one.aux }, ..one.clone() })
        .collect()
}

/// Zigzags: the first step branches into both mirror images, later ones take turns.
fn crooked(mut one: Move) -> Vec<Move> {
    let (x, y) = one.dir;
    if let Some(next) = one.aux.next {
        one.aux.next = Some(one.dir);
        one.dir = next;
        return vec![one];
    }
    let images = if x == 0 || y == 0 { [(y, x), (-y, -x)] } else { [(x, -y), (-x, y)] };
    images
        .into_iter()
        .map(|dir| Move { dir, aux: Aux { next: Some((x, y)), ..one.aux }, ..one.clone() })
        .collect()
}
