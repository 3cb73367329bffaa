//! The legal moves of a position in the frozen order, worked out quickly.
//!
//! [`Glance::features`] says what a move's sum is made of; here the same sums are had for less, since most of a
//! position's moves share most of what there is to know. What can be asked of all squares at once (where would a
//! rook give check, or attack something loose?) is a set; most moves are in none of the sets and differ by where they
//! go only. What is left, rare moves, is judged by its features one by one.

use std::sync::LazyLock;

use engine::Board;
use engine::board::{MoveSink, attacks};
use engine::types::{Bitboard, Move, MoveKind, MoveList, PieceType, Square};

use super::{DISTANCES, Glance, Trail, WEIGHTS, at, weight};

/// Chances are told apart in this many steps, four to each halving of the chance or of its opposite.
pub const LIKELIHOODS: usize = 73;
/// e to the power of -n / 16, times 2^24, but never 0; from 255 on all the same. As long as no two sums differ by more,
/// so that nobody has to ask. `// [n]`
static POWERS: [u32; 4096] = {
    // A move has a weight of eight bits from each of 13 families at most: 13 * 255 is less than 4096.
    let mut powers = [1 << 24; 4096];
    let mut n = 1;
    while n < 4096 {
        // 61565 / 65536 is e to the power of -1/16.
        let next = (powers[n - 1] as u64 * 61_565) >> 16;
        powers[n] = if n > 255 || next == 0 { powers[n - 1] } else { next as u32 };
        n += 1;
    }
    powers
};

/// Which step a chance of `part` in `whole` belongs to; 0 is the least likely.
#[inline(always)]
fn likelihood(part: u32, whole: u64) -> usize {
    // In 65536ths.
    let chance = ((u64::from(part) << 16) / whole) as u32;
    let steps = |chance: u32| {
        // Four steps to each halving: the position of the first bit, and the two bits below it.
        let chance = chance.max(64);
        let first = 31 - chance.leading_zeros();
        ((first - 6) * 4 + (chance >> (first - 2) & 3)) as usize
    };
    // Below a half, 0 to 35; above, counted down from the end.
    if chance < 1 << 15 { steps(chance) } else { LIKELIHOODS - 1 - steps((1 << 16) - chance) }
}

/// A chance in 65536ths that belongs to a step.
pub fn chance_of_likelihood(step: usize) -> u16 {
    let chance = |step: usize| ((4 + step % 4) << (step / 4 + 4)) as u16;
    if step < 36 { chance(step) } else { u16::MAX - chance(LIKELIHOODS - 1 - step) }
}

/// Keys are looked at by so many: whole vectors, without a rest, and as often in most positions.
const LANES: usize = 16;

/// The legal moves of a position, most likely first, each with how likely it is among those left. One is used for many positions: its arrays are large.
pub struct Candidates {
    /// What a move is known by: see [`key`]. [`i32::MIN`] behind the last, up to a multiple of [`LANES`].
    /// `// [candidate]`
    keys: [i32; 256],
    /// How many keys there are.
    count: usize,
    left: usize,
    /// The largest sum.
    best: i32,
    /// The largest key, as long as nobody asked for it.
    top: Option<i32>,
    /// The key that was handed out last: those above it were before.
    last: i32,
    /// The sum of the powers of those that are left.
    whole: u64,
    /// Where the pieces of the position can go.
    sets: Sets,
    journeys: &'static Journeys,
}

impl Candidates {
    /// Of no position yet.
    pub fn new() -> Candidates {
        Candidates {
            keys: [i32::MIN; 256],
            count: 0,
            left: 0,
            best: 0,
            top: None,
            last: i32::MAX,
            whole: 0,
            sets: Sets::new(),
            journeys: &JOURNEYS,
        }
    }

    /// Judges all moves of a position.
    #[inline(always)]
    pub fn judge(&mut self, board: &Board, trail: Trail) {
        let glance = Glance::new(board, trail);
        // Out of check no slider looks through our king, so that what the enemy attacks is what his steps need.
        let attacked = (!board.in_check()).then_some(glance.attacked);
        self.sets.clear();
        board.legal_sets(&mut self.sets, attacked);
        Judge::new(&glance, self).judge();
        self.left = self.count;
        let rest = self.count.next_multiple_of(LANES).min(256);
        self.keys[self.count.min(rest)..rest].fill(i32::MIN);
        let top = self.largest_key_below(i32::MAX);
        self.top = Some(top);
        self.best = top >> 16;
        // All in whole vectors, too, so what is behind the last is added and taken away again.
        let mut whole = 0;
        for chunk in self.chunks() {
            for &key in chunk {
                whole += u64::from(power(self.best, key));
            }
        }
        let behind = (rest - self.count.min(rest)) as u64;
        self.whole = whole - behind * u64::from(power(self.best, i32::MIN));
    }

    /// How many are left.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.left
    }

    #[inline(always)]
    fn chunks(&self) -> &[[i32; LANES]] {
        let (chunks, _) = self.keys.as_chunks::<LANES>();
        &chunks[..self.count.div_ceil(LANES).min(256 / LANES)]
    }

    /// Keys are never taken out: whoever was handed out has one that is not below the last.
    #[inline(always)]
    fn largest_key_below(&self, bound: i32) -> i32 {
        let mut largest = [i32::MIN; LANES];
        for chunk in self.chunks() {
            for lane in 0..LANES {
                let key = if chunk[lane] < bound { chunk[lane] } else { i32::MIN };
                largest[lane] = largest[lane].max(key);
            }
        }
        let mut lanes = LANES / 2;
        while lanes > 0 {
            for lane in 0..lanes {
                largest[lane] = largest[lane].max(largest[lane + lanes]);
            }
            lanes /= 2;
        }
        largest[0]
    }
}

impl Iterator for Candidates {
    type Item = (Move, usize);

    /// The most likely of those that are left, and how likely it is among them.
    #[inline(always)]
    fn next(&mut self) -> Option<(Move, usize)> {
        if self.left == 0 {
            return None;
        }
        let key = self.top.take().unwrap_or_else(|| self.largest_key_below(self.last));
        self.last = key;
        let part = power(self.best, key);
        let step = likelihood(part, self.whole);
        self.whole -= u64::from(part);
        self.left -= 1;
        Some((move_of(key)?, step))
    }
}

impl Default for Candidates {
    fn default() -> Candidates {
        Candidates::new()
    }
}

#[inline(always)]
fn power(best: i32, key: i32) -> u32 {
    POWERS[(best - (key >> 16)) as usize % POWERS.len()]
}

/// What a move is known by: the sum of its features above, what breaks ties below. That is different for every move of a
/// position and the same in all versions of the engine: where it comes from, where it goes, what it
/// promotes to. It is the whole move, so nothing else needs to be kept.
#[inline(always)]
fn key(sum: i32, from: Square, to: Square, kind: MoveKind) -> i32 {
    sum << 16 | (from.index() as i32) << 10 | (to.index() as i32) << 4 | kind as i32
}

/// The move of a key.
#[inline(always)]
fn move_of(key: i32) -> Option<Move> {
    let bits = key as u16;
    Move::from_bits(bits >> 10 | (bits >> 4 & 63) << 6 | bits << 12)
}

/// What a piece does that goes to a square that may be the enemy's.
#[inline(always)]
fn kind_of_step(to: Square, enemies: Bitboard) -> MoveKind {
    if enemies.has(to) { MoveKind::Capture } else { MoveKind::Quiet }
}

/// All squares or none: what a branch would do that nobody could foretell.
#[inline(always)]
fn all_if(condition: bool) -> Bitboard {
    Bitboard(u64::from(condition).wrapping_neg())
}

/// From which squares something of one kind would do something.
#[derive(Clone, Copy)]
struct Sight {
    /// Attack a piece worth attacking.
    one: Bitboard,
    /// Attack several of them.
    several: Bitboard,
    /// Defend a piece of ours in danger.
    defends: Bitboard,
    /// Nothing of all that and more: no check, no capture, not attacked there.
    plain: Bitboard,
}

impl Sight {
    const NOTHING: Sight = Sight {
        one: Bitboard::EMPTY,
        several: Bitboard::EMPTY,
        defends: Bitboard::EMPTY,
        plain: Bitboard::EMPTY,
    };

    /// For all kinds: attacks are mutual, so it is enough to look back from what would be attacked.
    /// `// [kind]`
    #[inline(always)]
    fn of_kinds(glance: &Glance) -> [Sight; 6] {
        let board = glance.board;
        let occupied = board.occupied();
        let mut sights = [Sight::NOTHING; 6];
        let back = |set: Bitboard| set.forward(!glance.us);
        let prey = back(glance.prey[0]);
        sights[0].one = prey.east() | prey.west();
        sights[0].several = prey.east() & prey.west();
        sights[0].defends = back(glance.endangered).sideways();

        let mut add = |k: usize, reach: Bitboard| {
            sights[k].several |= sights[k].one & reach;
            sights[k].one |= reach;
        };
        // What all kinds want, then what only lesser ones want.
        let loose = glance.prey[5];
        for square in glance.prey[1] {
            let (diagonal, straight) = (attacks::bishop(square, occupied), attacks::rook(square, occupied));
            add(1, attacks::knight(square));
            add(2, diagonal);
            add(3, straight & all_if(glance.prey[3].has(square)));
            let is_loose = all_if(loose.has(square));
            add(4, (diagonal | straight) & is_loose);
            add(5, attacks::king(square) & is_loose);
        }
        for square in glance.endangered {
            let (diagonal, straight) = (attacks::bishop(square, occupied), attacks::rook(square, occupied));
            sights[1].defends |= attacks::knight(square);
            sights[2].defends |= diagonal;
            sights[3].defends |= straight;
            sights[4].defends |= diagonal | straight;
            sights[5].defends |= attacks::king(square);
        }

        let recapture = glance.trail.last.map_or(Bitboard::EMPTY, |(last, _)| last.to().into());
        let common = glance.attacked | board.by_color(!glance.us) | recapture;
        for (sight, checks) in sights.iter_mut().zip(glance.check_squares) {
            sight.plain = !(common | sight.one | sight.defends | checks);
        }
        sights
    }
}

/// Where the pieces of a position can go, a set after the other. Sets are kept and judged one after the other in
/// a loop, not where they are generated: there are a dozen places for that, and a judge in each of them would be more
/// code than a processor keeps at hand.
struct Sets {
    /// No more than two for each square: a queen comes twice. `// [set]`
    pieces: [(Square, Bitboard); 128],
    piece_sets: usize,
    /// Targets, how far behind them the pawns stand, what they do. `// [set]`
    pawns: [(Bitboard, i8, MoveKind); 4],
    pawn_sets: usize,
    /// Castling, promotions, taking in passing.
    others: MoveList,
}

impl Sets {
    fn new() -> Sets {
        Sets {
            pieces: [(Square::A1, Bitboard::EMPTY); 128],
            piece_sets: 0,
            pawns: [(Bitboard::EMPTY, 0, MoveKind::Quiet); 4],
            pawn_sets: 0,
            others: MoveList::new(),
        }
    }

    #[inline(always)]
    fn clear(&mut self) {
        (self.piece_sets, self.pawn_sets) = (0, 0);
        self.others.clear();
    }
}

impl MoveSink for Sets {
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard, _enemies: Bitboard) {
        self.pieces[self.piece_sets % 128] = (from, targets);
        self.piece_sets += usize::from(targets.any());
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, delta: i8, kind: MoveKind) {
        self.pawns[self.pawn_sets % 4] = (targets, delta, kind);
        self.pawn_sets += usize::from(targets.any());
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, delta: i8, capture: bool) {
        self.others.promotions(targets, delta, capture);
    }

    #[inline(always)]
    fn one(&mut self, m: Move) {
        self.others.push(m);
    }
}

/// Weights that always come together, added up.
struct Pairs {
    /// What is on the target and how safe both ends are. `// [kind][safety of the origin][safety of the target][what is taken]`
    ends: [[[[i16; 8]; 4]; 4]; 6],
    /// Threats and defence. `// [kind][threats + 4 * defends]`
    aims: [[i16; 8]; 6],
    /// Nothing but for rooks and queens. `// [kind][origin's file][target's file]`
    files: [[[i16; 4]; 4]; 6],
}

static PAIRS: Pairs = {
    let mut pairs = Pairs { ends: [[[[0; 8]; 4]; 4]; 6], aims: [[0; 8]; 6], files: [[[0; 4]; 4]; 6] };
    let mut n = 0;
    while n < 6 * 4 * 4 * 6 {
        let (kind, origin, target, taken) = (n / 96, n / 24 % 4, n / 6 % 4, n % 6);
        pairs.ends[kind][origin][target][taken] = WEIGHTS[at::TARGET + (kind * 4 + target) * 6 + taken]
            as i16
            + WEIGHTS[at::FLIGHT + (kind * 4 + target) * 4 + origin] as i16;
        n += 1;
    }
    let mut n = 0;
    while n < 6 * 3 * 2 {
        let (kind, threats, defends) = (n / 6, n / 2 % 3, n % 2);
        pairs.aims[kind][threats + 4 * defends] = WEIGHTS[at::THREATS + kind * 3 + threats] as i16
            + WEIGHTS[at::DEFENDS + kind * 2 + defends] as i16;
        n += 1;
    }
    let mut n = 0;
    while n < 2 * 9 {
        let (kind, target, origin) = (n / 9 + 3, n / 3 % 3, n % 3);
        pairs.files[kind][origin][target] = WEIGHTS[at::FILE + n] as i16;
        n += 1;
    }
    pairs
};

/// The weights of where a move goes and how near the enemy king that is.
/// `// [phase][kind][enemy king][target]`, squares relative to the side to move
type Journeys = [[[[i16; 64]; 64]; 6]; 3];

static JOURNEYS: LazyLock<Box<Journeys>> = LazyLock::new(|| {
    let mut journeys = Box::new([[[[0; 64]; 64]; 6]; 3]);
    for (phase, kinds) in journeys.iter_mut().enumerate() {
        for (k, kings) in kinds.iter_mut().enumerate() {
            for (king, targets) in kings.iter_mut().enumerate() {
                for (to, sum) in targets.iter_mut().enumerate() {
                    let distance = usize::from(DISTANCES[king][to]);
                    *sum = (weight(at::TO + (phase * 6 + k) * 64 + to)
                        + weight(at::ENEMY_KING + (phase * 6 + k) * 8 + distance))
                        as i16;
                }
            }
        }
    }
    journeys
});

/// What [`Glance::file`] says of each file.
#[inline(always)]
fn files_of(pawn_files: [Bitboard; 2]) -> [u8; 8] {
    /// A byte for each bit. `// [bits]`
    static BYTES: [u64; 256] = {
        let mut bytes = [0; 256];
        let mut n = 0;
        while n < 256 * 8 {
            bytes[n / 8] |= ((n as u64 / 8) >> (n % 8) & 1) << (8 * (n % 8));
            n += 1;
        }
        bytes
    };
    let (ours, theirs) = (pawn_files[0].0 as u8, pawn_files[1].0 as u8);
    (2 * BYTES[usize::from(ours)] + BYTES[usize::from(theirs & !ours)]).to_le_bytes()
}

/// Judges the moves of a position.
struct Judge<'a> {
    glance: &'a Glance<'a>,
    /// `// [kind]`
    sights: [Sight; 6],
    /// What every move of a kind has, if another piece moved last. `// [kind]`
    common: [i32; 6],
    /// The piece that moved last, and where it came from.
    last_mover: Option<(Square, Square)>,
    /// What a move of that piece has more than `common`; what it has more still if it goes back.
    again: [i32; 2],
    /// The weight of taking back. `// [safety of the target]`
    recapture: [i32; 4],
    /// Where the last move went.
    recaptured: Bitboard,
    /// The enemy king as the side to move sees it.
    enemy_king: usize,
    /// What [`Glance::file`] says. `// [file]`
    files: [u8; 8],
    /// How many are judged.
    count: usize,
    candidates: &'a mut Candidates,
}

impl<'a> Judge<'a> {
    #[inline(always)]
    fn new(glance: &'a Glance<'a>, candidates: &'a mut Candidates) -> Judge<'a> {
        let again = |which: usize| weight(at::AGAIN + which * 3 + glance.phase);
        let (on, home, other) = (again(0), again(1), again(2));
        let own = glance.trail.own;
        let other = if own.is_some() { other } else { 0 };
        let captured = glance.trail.last.is_some_and(|(_, captured)| captured);
        let enemy_king = glance.board.king(!glance.us).index() ^ glance.flip;
        let (mut common, mut recapture) = ([0; 6], [0; 4]);
        for (k, sum) in common.iter_mut().enumerate() {
            *sum = weight(at::CLOCK + k * 4 + glance.clock) + other;
        }
        for (target, sum) in recapture.iter_mut().enumerate() {
            *sum = weight(at::RECAPTURE + usize::from(captured) * 4 + target);
        }
        Judge {
            glance,
            sights: Sight::of_kinds(glance),
            common,
            last_mover: own.map(|own| (own.to(), own.from())),
            again: [on - other, home - on],
            recapture,
            recaptured: glance.trail.last.map_or(Bitboard::EMPTY, |(last, _)| last.to().into()),
            enemy_king,
            files: files_of(glance.pawn_files),
            count: 0,
            candidates,
        }
    }

    /// One bit of a set as a number.
    #[inline(always)]
    fn bit(set: Bitboard, square: Square) -> usize {
        (set.0 >> square.index() & 1) as usize
    }

    /// The weights of where a piece comes from; where it came from before, if it moved last.
    #[inline(always)]
    fn coming_from(&self, k: usize, from: Square) -> (i32, Option<Square>) {
        let glance = self.glance;
        let sum =
            weight(at::FROM + (glance.phase * 6 + k) * 64 + (from.index() ^ glance.flip)) + self.common[k];
        match self.last_mover {
            Some((mover, came_from)) if mover == from => (sum + self.again[0], Some(came_from)),
            _ => (sum, None),
        }
    }

    /// The weights that moves of a kind have for where they go: `// [target, as the side to move sees it]`
    #[inline(always)]
    fn journeys(&self, k: usize) -> &'static [i16; 64] {
        &self.candidates.journeys[self.glance.phase % 3][k % 6][self.enemy_king % 64]
    }

    /// What a move aims at from its target: threats + 4 * defends.
    #[inline(always)]
    fn aims(sight: &Sight, to: Square) -> usize {
        Self::bit(sight.one, to) + Self::bit(sight.several, to) + 4 * Self::bit(sight.defends, to)
    }

    /// All moves.
    #[inline(always)]
    fn judge(&mut self) {
        for number in 0..self.candidates.sets.piece_sets.min(128) {
            let (from, targets) = self.candidates.sets.pieces[number];
            self.piece(from, targets);
        }
        for number in 0..self.candidates.sets.pawn_sets.min(4) {
            let (targets, delta, kind) = self.candidates.sets.pawns[number];
            self.pawns(targets, delta, kind);
        }
        for number in 0..self.candidates.sets.others.len() {
            self.by_features(self.candidates.sets.others[number]);
        }
        self.candidates.count = self.count;
    }

    #[inline(always)]
    fn push(&mut self, key: i32) {
        // No position has as many moves: the remainder spares a check.
        self.candidates.keys[self.count % 256] = key;
        self.count += 1;
    }

    /// The moves of a piece that is no pawn.
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        let glance = self.glance;
        let enemies = glance.board.by_color(!glance.us);
        if glance.discoverers.has(from) {
            let step = |to| Move::new(from, to, kind_of_step(to, enemies));
            return targets.into_iter().for_each(|to| self.by_features(step(to)));
        }
        let kind = glance.board.kind_at(from).unwrap_or(PieceType::King);
        let k = kind.index();
        let (standing, came_from) = self.coming_from(k, from);
        let safety = glance.safety(kind, from, glance.once);
        let sight = self.sights[k];
        let home = came_from.map_or(Bitboard::EMPTY, Bitboard::of);
        let mut plain = (targets & sight.plain) - home;
        // A slider that moves away from what it attacks still attacks it, through the square that it left: the
        // sets, which know only the squares as they are, do not say so.
        let is_slider = (2..=4).contains(&k);
        let looks_back = is_slider && (sight.one | sight.defends).has(from);
        if looks_back {
            plain = Bitboard::EMPTY;
        }
        let file = |judge: &Self, square: Square| usize::from(judge.files[square.index() % 8]) % 4;
        // `// [target's file]`
        let files = &PAIRS.files[k][file(self, from)];
        let journeys = self.journeys(k);
        let of_file = |judge: &Self, to: Square| i32::from(files[file(judge, to)]);
        let all_plain = standing + i32::from(PAIRS.ends[k][safety % 4][0][5]) + i32::from(PAIRS.aims[k][0]);
        for to in plain {
            let sum = all_plain + i32::from(journeys[to.index() ^ glance.flip]) + of_file(self, to);
            self.push(key(sum, from, to, MoveKind::Quiet));
        }
        let safeties = glance.safeties(kind, glance.twice);
        for to in targets - plain {
            let aims = match looks_back {
                true => self.aims_through(kind, from, to),
                false => Self::aims(&sight, to),
            };
            let mut sum = standing + i32::from(journeys[to.index() ^ glance.flip]) + of_file(self, to);
            sum += self.doing(kind, safety, to, safeties, aims);
            if home.has(to) {
                sum += self.again[1];
            }
            self.push(key(sum, from, to, kind_of_step(to, enemies)));
        }
    }

    /// The weights of what a simple move does where it goes: takes, is safe, gives check, takes back, aims at.
    /// `aims`: threats + 4 * defends.
    #[inline(always)]
    fn doing(
        &self,
        kind: PieceType,
        origin_safety: usize,
        to: Square,
        safeties: [Bitboard; 2],
        aims: usize,
    ) -> i32 {
        let glance = self.glance;
        let k = kind.index();
        let target = Glance::safety_on(safeties, to);
        let taken = glance.board.kind_at(to).map_or(5, PieceType::index);
        let mut sum =
            i32::from(PAIRS.ends[k][origin_safety % 4][target][taken]) + i32::from(PAIRS.aims[k][aims % 8]);
        // No branches, since nobody could foretell them.
        sum += weight(at::CHECK + target * 6 + k) * Self::bit(glance.check_squares[k], to) as i32;
        sum += self.recapture[target] * Self::bit(self.recaptured, to) as i32;
        sum
    }

    /// What a slider aims at from its target, also through the square it left.
    #[inline(always)]
    fn aims_through(&self, kind: PieceType, from: Square, to: Square) -> usize {
        let glance = self.glance;
        let occupied = glance.board.occupied() ^ from.into();
        let reach = match kind {
            PieceType::Bishop => attacks::bishop(to, occupied),
            PieceType::Rook => attacks::rook(to, occupied),
            _ => attacks::queen(to, occupied),
        };
        let prey = reach & glance.prey[kind.index()];
        let threats = usize::from(prey.any()) + usize::from(prey.several());
        threats + 4 * usize::from((reach & glance.endangered).any())
    }

    /// The moves of pawns that neither promote nor take in passing.
    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, delta: i8, kind: MoveKind) {
        let glance = self.glance;
        let sight = self.sights[0];
        let standing = glance.safeties(PieceType::Pawn, glance.once);
        let arriving = match kind {
            MoveKind::Capture => glance.safeties(PieceType::Pawn, glance.twice),
            _ => standing,
        };
        let journeys = self.journeys(0);
        for to in targets {
            let from = to.offset(-delta);
            if glance.discoverers.has(from) {
                self.by_features(Move::new(from, to, kind));
                continue;
            }
            let safety = Glance::safety_on(standing, from);
            // Pawns never come back.
            let mut sum = self.coming_from(0, from).0 + i32::from(journeys[to.index() ^ glance.flip]);
            sum += match sight.plain.has(to) {
                true => i32::from(PAIRS.ends[0][safety % 4][0][5]) + i32::from(PAIRS.aims[0][0]),
                false => self.doing(PieceType::Pawn, safety, to, arriving, Self::aims(&sight, to)),
            };
            if !glance.guarded.has(to) {
                sum += weight(at::PASSED + usize::from(to.relative_rank(glance.us)));
            }
            self.push(key(sum, from, to, kind));
        }
    }

    /// A move that is not simple.
    #[inline(always)]
    fn by_features(&mut self, m: Move) {
        self.push(key(sum_of_features(self.glance, m), m.from(), m.to(), m.kind()));
    }
}

/// Out of line, and without the judge, so that what he knows can stay in registers.
#[inline(never)]
fn sum_of_features(glance: &Glance, m: Move) -> i32 {
    let mut sum = 0;
    let origin = glance.origin(m.from(), |feature| sum += weight(feature));
    glance.features(&origin, m, |feature| sum += weight(feature));
    sum
}

#[cfg(test)]
mod tests {
    use engine::tools::bench::POSITIONS;

    use super::*;
    use crate::play::Dice;

    #[test]
    fn likelihoods_rise_with_the_chance() {
        let steps: Vec<usize> = (0..=1000).map(|part| likelihood(part, 1000)).collect();
        assert!(steps.is_sorted() && steps[0] == 0 && steps[1000] == LIKELIHOODS - 1, "{steps:?}");
        for step in 0..LIKELIHOODS {
            let chance = u32::from(chance_of_likelihood(step));
            let back = likelihood(chance, 1 << 16);
            assert!(back.abs_diff(step) <= 1, "{step} is {chance}, which is {back}");
        }
    }

    /// The sums are those of the features, also where kings and rooks begin anywhere.
    #[test]
    fn sums_are_those_of_the_features() {
        let shuffled = [
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
            "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
        ];
        let fens = POSITIONS.iter().map(|&(fen, _)| fen).chain(shuffled);
        let mut candidates = Candidates::new();
        for (number, fen) in fens.enumerate() {
            for game in 0..8 {
                let mut board = Board::from_fen(fen).unwrap();
                let mut dice = Dice::for_game(game, number as u64);
                let mut trail = Trail::default();
                for _ in 0..60 {
                    candidates.judge(&board, trail);
                    let glance = Glance::new(&board, trail);
                    assert_eq!(candidates.left(), board.legal_moves().len());
                    let keys = &candidates.keys[..candidates.count];
                    let moves: Vec<Move> = keys.iter().filter_map(|&key| move_of(key)).collect();
                    assert_eq!(moves.len(), keys.len());
                    for (&m, &key) in moves.iter().zip(keys) {
                        let mut sum = 0;
                        let origin = glance.origin(m.from(), |feature| sum += weight(feature));
                        glance.features(&origin, m, |feature| sum += weight(feature));
                        assert_eq!(key >> 16, sum, "{m:?} in {}", board.fen());
                    }
                    if candidates.left() == 0 {
                        break;
                    }
                    let m = dice.choose(&moves);
                    trail = trail.followed_by(m);
                    board.make(m);
                }
            }
        }
    }
}
