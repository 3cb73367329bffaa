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
/// e to the power of -n / 16, times 2^24, but never 0. `// [n]`
const POWERS: [u32; 256] = {
    let mut powers = [1 << 24; 256];
    let mut n = 1;
    while n < 256 {
        // 61565 / 65536 is e to the power of -1/16.
        let next = (powers[n - 1] as u64 * 61_565) >> 16;
        powers[n] = if next == 0 { 1 } else { next as u32 };
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

/// Keys are looked at by so many: whole vectors, without a rest.
const LANES: usize = 8;

/// The legal moves of a position, most likely first, each with how likely it is among those left. One is used for many positions: its arrays are large.
pub struct Candidates {
    /// `// [candidate]`
    moves: [Move; 256],
    /// The sum of the features above, what breaks ties below; zeros behind the last, up to a multiple of [`LANES`].
    /// `// [candidate]`
    keys: [u32; 256],
    left: usize,
    /// The largest sum.
    best: u32,
    /// The largest key, as long as nobody asked for it.
    top: Option<u32>,
    /// The sum of the powers of those that are left.
    whole: u64,
    journeys: &'static Journeys,
}

impl Candidates {
    /// Of no position yet.
    pub fn new() -> Candidates {
        let any = Move::new(Square::A1, Square::H8, MoveKind::Quiet);
        let (left, best, top, whole) = (0, 0, None, 0);
        Candidates { moves: [any; 256], keys: [0; 256], left, best, top, whole, journeys: &JOURNEYS }
    }

    /// Judges all moves of a position.
    #[inline(always)]
    pub fn judge(&mut self, board: &Board, trail: Trail) {
        self.left = 0;
        let glance = Glance::new(board, trail);
        board.legal_sets(&mut Judge::new(&glance, self));
        let rest = self.left.next_multiple_of(LANES).min(256);
        self.keys[self.left.min(rest)..rest].fill(0);
        let top = self.largest_key();
        self.top = Some(top);
        self.best = top >> 16;
        let keys = &self.keys[..self.left];
        self.whole = keys.iter().map(|&key| u64::from(power(self.best, key))).sum();
    }

    /// How many are left.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.left
    }

    /// 0 if there is none.
    #[inline(always)]
    fn largest_key(&self) -> u32 {
        let (chunks, _) = self.keys.as_chunks::<LANES>();
        let mut largest = [0; LANES];
        for chunk in &chunks[..self.left.div_ceil(LANES)] {
            largest = std::array::from_fn(|lane| largest[lane].max(chunk[lane]));
        }
        largest.into_iter().fold(0, u32::max)
    }

    /// Where a key is that is there.
    #[inline(always)]
    fn place_of(&self, key: u32) -> Option<usize> {
        let (chunks, _) = self.keys.as_chunks::<LANES>();
        for (number, chunk) in chunks[..self.left.div_ceil(LANES)].iter().enumerate() {
            // First whether, then where: the first question is one that vectors answer.
            if chunk.iter().fold(false, |found, &other| found | (other == key)) {
                return Some(number * LANES + chunk.iter().position(|&other| other == key)?);
            }
        }
        None
    }

    #[inline(always)]
    fn push(&mut self, m: Move, sum: i32, tie_break: u32) {
        // No position has as many moves: the remainder spares a check.
        self.keys[self.left % 256] = ((sum + (1 << 15)) as u32) << 16 | tie_break;
        self.moves[self.left % 256] = m;
        self.left += 1;
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
        let key = self.top.take().unwrap_or_else(|| self.largest_key());
        // No two keys are the same.
        let first = self.place_of(key)?;
        let found = self.moves[first];
        let part = power(self.best, key);
        let step = likelihood(part, self.whole);
        self.whole -= u64::from(part);
        self.left -= 1;
        self.keys[first] = self.keys[self.left];
        self.keys[self.left] = 0;
        self.moves[first] = self.moves[self.left];
        Some((found, step))
    }
}

impl Default for Candidates {
    fn default() -> Candidates {
        Candidates::new()
    }
}

#[inline(always)]
fn power(best: u32, key: u32) -> u32 {
    POWERS[(best - (key >> 16)).min(255) as usize]
}

/// Different for every move of a position; the same in all versions of the engine. Promotions count up from here.
#[inline(always)]
fn tie_break(from: Square, to: Square) -> u32 {
    (from.index() as u32) << 9 | (to.index() as u32) << 3
}

/// The move of a piece to a square that may be the enemy's.
#[inline(always)]
fn step(from: Square, to: Square, enemies: Bitboard) -> Move {
    Move::new(from, to, if enemies.has(to) { MoveKind::Capture } else { MoveKind::Quiet })
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
            let diagonal = attacks::bishop(square, occupied);
            add(1, attacks::knight(square));
            add(2, diagonal);
            if glance.prey[3].has(square) {
                let straight = attacks::rook(square, occupied);
                add(3, straight);
                if loose.has(square) {
                    add(4, diagonal | straight);
                    add(5, attacks::king(square));
                }
            }
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

/// Weights that always come together, added up.
struct Pairs {
    /// What is on the target and how safe both ends are. `// [kind][safety of the origin][safety of the target][what is taken]`
    ends: [[[[i16; 8]; 4]; 4]; 6],
    /// Threats and defence. `// [kind][threats + 4 * defends]`
    aims: [[i16; 8]; 6],
}

static PAIRS: Pairs = {
    let mut pairs = Pairs { ends: [[[[0; 8]; 4]; 4]; 6], aims: [[0; 8]; 6] };
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

/// Judges moves as they are generated.
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
    /// The enemy king as the side to move sees it.
    enemy_king: usize,
    /// What [`Glance::file`] says. `// [file]`
    files: [u8; 8],
    candidates: &'a mut Candidates,
}

impl<'a> Judge<'a> {
    #[inline(always)]
    fn new(glance: &'a Glance<'a>, candidates: &'a mut Candidates) -> Judge<'a> {
        let [on, home, other] = [0, 3, 6].map(|which| weight(at::AGAIN + which + glance.phase));
        let own = glance.trail.own;
        let other = if own.is_some() { other } else { 0 };
        let captured = glance.trail.last.is_some_and(|(_, captured)| captured);
        let enemy_king = glance.board.king(!glance.us).index() ^ glance.flip;
        Judge {
            glance,
            sights: Sight::of_kinds(glance),
            common: std::array::from_fn(|k| weight(at::CLOCK + k * 4 + glance.clock) + other),
            last_mover: own.map(|own| (own.to(), own.from())),
            again: [on - other, home - on],
            recapture: std::array::from_fn(|target| {
                weight(at::RECAPTURE + usize::from(captured) * 4 + target)
            }),
            enemy_king,
            files: std::array::from_fn(|file| glance.file(Square::from_index(file)) as u8),
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

    /// The moves of a piece that is no pawn and uncovers no check. `FILES`: it counts on which file they are.
    #[inline(always)]
    fn moves_of<const FILES: bool>(
        &mut self,
        kind: PieceType,
        from: Square,
        targets: Bitboard,
        enemies: Bitboard,
    ) {
        let glance = self.glance;
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
        // `// [target's file]`
        let files: [i32; 4] = match FILES {
            true => {
                let origin = glance.file(from);
                std::array::from_fn(|file| weight(at::FILE + (k - 3) * 9 + file.min(2) * 3 + origin))
            }
            false => [0; 4],
        };
        let journeys = self.journeys(k);
        let of_file = |judge: &Self, to: Square| match FILES {
            true => files[usize::from(judge.files[to.index() % 8]) % 4],
            false => 0,
        };
        let all_plain = standing + i32::from(PAIRS.ends[k][safety % 4][0][5]) + i32::from(PAIRS.aims[k][0]);
        for to in plain {
            let sum = all_plain + i32::from(journeys[to.index() ^ glance.flip]) + of_file(self, to);
            self.candidates.push(Move::new(from, to, MoveKind::Quiet), sum, tie_break(from, to));
        }
        for to in targets - plain {
            let aims = match looks_back {
                true => self.aims_through(kind, from, to),
                false => Self::aims(&sight, to),
            };
            let mut sum = standing + i32::from(journeys[to.index() ^ glance.flip]) + of_file(self, to);
            sum += self.doing(kind, safety, to, glance.twice, aims);
            if home.has(to) {
                sum += self.again[1];
            }
            self.candidates.push(step(from, to, enemies), sum, tie_break(from, to));
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
        defended: Bitboard,
        aims: usize,
    ) -> i32 {
        let glance = self.glance;
        let k = kind.index();
        let target = glance.safety(kind, to, defended) % 4;
        let taken = glance.board.kind_at(to).map_or(5, PieceType::index);
        let mut sum =
            i32::from(PAIRS.ends[k][origin_safety % 4][target][taken]) + i32::from(PAIRS.aims[k][aims % 8]);
        if glance.check_squares[k].has(to) {
            sum += weight(at::CHECK + target * 6 + k);
        }
        if glance.trail.last.is_some_and(|(last, _)| last.to() == to) {
            sum += self.recapture[target];
        }
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

    /// A move that is not simple.
    #[inline(never)]
    fn by_features(&mut self, m: Move) {
        let mut sum = 0;
        let origin = self.glance.origin(m.from(), |feature| sum += weight(feature));
        self.glance.features(&origin, m, |feature| sum += weight(feature));
        let promotion = m.promotion().map_or(0, |kind| kind.index() as u32);
        self.candidates.push(m, sum, tie_break(m.from(), m.to()) + promotion);
    }
}

impl MoveSink for Judge<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard, enemies: Bitboard) {
        if targets.is_empty() {
            return;
        }
        if self.glance.discoverers.has(from) {
            return targets.into_iter().for_each(|to| self.by_features(step(from, to, enemies)));
        }
        let kind = self.glance.board.kind_at(from).unwrap_or(PieceType::King);
        match kind {
            PieceType::Rook | PieceType::Queen => self.moves_of::<true>(kind, from, targets, enemies),
            _ => self.moves_of::<false>(kind, from, targets, enemies),
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, delta: i8, kind: MoveKind) {
        let glance = self.glance;
        let sight = self.sights[0];
        let defended = if kind == MoveKind::Capture { glance.twice } else { glance.once };
        let journeys = self.journeys(0);
        for to in targets {
            let from = to.offset(-delta);
            let m = Move::new(from, to, kind);
            if glance.discoverers.has(from) {
                self.by_features(m);
                continue;
            }
            let safety = glance.safety(PieceType::Pawn, from, glance.once);
            // Pawns never come back.
            let mut sum = self.coming_from(0, from).0 + i32::from(journeys[to.index() ^ glance.flip]);
            sum += match sight.plain.has(to) {
                true => i32::from(PAIRS.ends[0][safety % 4][0][5]) + i32::from(PAIRS.aims[0][0]),
                false => self.doing(PieceType::Pawn, safety, to, defended, Self::aims(&sight, to)),
            };
            if !glance.guarded.has(to) {
                sum += weight(at::PASSED + usize::from(to.relative_rank(glance.us)));
            }
            self.candidates.push(m, sum, tie_break(from, to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, delta: i8, capture: bool) {
        let mut list = MoveList::new();
        list.promotions(targets, delta, capture);
        list.iter().for_each(|&m| self.by_features(m));
    }

    #[inline(always)]
    fn one(&mut self, m: Move) {
        self.by_features(m);
    }
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
                    for (&m, key) in candidates.moves[..candidates.left].iter().zip(candidates.keys) {
                        let mut sum = 0;
                        let origin = glance.origin(m.from(), |feature| sum += weight(feature));
                        glance.features(&origin, m, |feature| sum += weight(feature));
                        assert_eq!((key >> 16) as i32 - (1 << 15), sum, "{m:?} in {}", board.fen());
                    }
                    if candidates.left() == 0 {
                        break;
                    }
                    let m = dice.choose(&candidates.moves[..candidates.left]);
                    trail = trail.followed_by(m);
                    board.make(m);
                }
            }
        }
    }
}
