//! The frozen order of moves: how likely each legal move is to be played, judged by a glance.
//!
//! A record keeps a move as its rank in this order, so the order must never change: it has tables and
//! code of its own and asks the engine for nothing but the rules of chess (legal moves, attacks, checks).
//! It is a log-linear model: every move has some features, every feature a weight ([`super::order_weights`]),
//! and a move's chance is proportional to e to the power of its sum / 16.

mod candidates;

use engine::Board;
use engine::board::{Wing, attacks};
use engine::types::{Bitboard, Color, Move, MoveKind, PieceType, Square};

pub use self::candidates::{Candidates, LIKELIHOODS, chance_of_likelihood};
use super::order_weights::WEIGHTS;

/// The moves that led to a position, as far as they say what comes next.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trail {
    /// The opponent's last move, and whether it took something.
    pub last: Option<(Move, bool)>,
    /// The last move of the side to move.
    pub own: Option<Move>,
}

impl Trail {
    /// The trail after one more move.
    pub fn followed_by(self, m: Move) -> Trail {
        Trail { last: Some((m, m.is_capture())), own: self.last.map(|(m, _)| m) }
    }
}

/// Where the weights of a family of features begin, and by what they are told apart.
mod at {
    /// `[phase][kind][square]` relative to the side to move
    pub const TO: usize = 0;
    /// `[phase][kind][square]` likewise
    pub const FROM: usize = TO + 3 * 6 * 64;
    /// `[kind][safety of the target][what is taken, 5: nothing]`
    pub const TARGET: usize = FROM + 3 * 6 * 64;
    /// `[kind][safety of the target][safety of the origin]`
    pub const FLIGHT: usize = TARGET + 6 * 4 * 6;
    /// `[safety of the target][kind]`
    pub const CHECK: usize = FLIGHT + 6 * 4 * 4;
    /// `[last move was a capture][safety of the target]`
    pub const RECAPTURE: usize = CHECK + 4 * 6;
    /// `[0: the same piece as before, 1: back to where it came from, 2: another piece][phase]`
    pub const AGAIN: usize = RECAPTURE + 2 * 4;
    /// `[kind][more valuable or loose enemies attacked from the target: 0, 1, 2 and more]`
    pub const THREATS: usize = AGAIN + 3 * 3;
    /// `[kind][whether it defends a piece of ours in danger]`
    pub const DEFENDS: usize = THREATS + 6 * 3;
    /// `[phase][kind][distance to the enemy king]`
    pub const ENEMY_KING: usize = DEFENDS + 6 * 2;
    /// `[wing]`
    pub const CASTLE: usize = ENEMY_KING + 3 * 6 * 8;
    /// `[kind promoted to]`
    pub const PROMOTE: usize = CASTLE + 2;
    /// `[relative rank]` a pawn with no enemy pawn in its way
    pub const PASSED: usize = PROMOTE + 4;
    /// `[rook, queen][target's file][origin's file]`, each 0: no pawn on it, 1: only theirs, 2: ours
    pub const FILE: usize = PASSED + 8;
    /// `[kind][how long without a capture or a pawn move]`
    pub const CLOCK: usize = FILE + 2 * 9;
    pub const COUNT: usize = CLOCK + 6 * 4;
}

/// How many weights there are.
pub const FEATURES: usize = at::COUNT;

/// How far the game has got, by the pieces that are left: 0 opening, 1 middlegame, 2 endgame.
#[inline(always)]
pub fn phase(board: &Board) -> usize {
    let men = board.occupied() - board.by_kind(PieceType::Pawn) - board.by_kind(PieceType::King);
    match men.count() {
        11.. => 0,
        6..=10 => 1,
        _ => 2,
    }
}

/// Steps of a king from square to square. `// [square][square]`
static DISTANCES: [[u8; 64]; 64] = {
    let mut distances = [[0; 64]; 64];
    let mut pair = 0;
    while pair < 64 * 64 {
        let (a, b) = (pair / 64, pair % 64);
        distances[a][b] = Square::from_index(a).distance(Square::from_index(b));
        pair += 1;
    }
    distances
};

/// The weight of a feature. The table is as long as a power of two, so that masking keeps an index inside.
#[inline(always)]
fn weight(feature: usize) -> i32 {
    const LENGTH: usize = FEATURES.next_power_of_two();
    static PADDED: [i8; LENGTH] = {
        let mut padded = [0; LENGTH];
        let mut n = 0;
        while n < FEATURES {
            padded[n] = WEIGHTS[n];
            n += 1;
        }
        padded
    };
    i32::from(PADDED[feature & (LENGTH - 1)])
}

/// What all moves of a position are judged by.
pub struct Glance<'a> {
    board: &'a Board,
    trail: Trail,
    us: Color,
    phase: usize,
    /// How long without a capture or a pawn move, in four steps.
    clock: usize,
    /// `// [square]` how far each square is from the enemy king
    king_distances: &'static [u8; 64],
    /// Turns squares to the point of view of the side to move.
    flip: usize,
    /// `// [kind]` from where a piece of this kind gives check
    check_squares: [Bitboard; 6],
    /// Our pieces that uncover a check when they leave their line.
    discoverers: Bitboard,
    /// `// [kind]` what the enemy attacks with pieces worth less than this kind
    by_lesser: [Bitboard; 6],
    /// What the enemy attacks.
    attacked: Bitboard,
    /// What we attack.
    once: Bitboard,
    /// What we attack at least twice: still defended when one of ours has moved there.
    twice: Bitboard,
    /// Our pieces in danger.
    endangered: Bitboard,
    /// `// [kind]` enemies that are worth attacking with this kind: more valuable or loose
    prey: [Bitboard; 6],
    /// Where an enemy pawn is in the way of a pawn of ours.
    guarded: Bitboard,
    /// Files with pawns. `// [ours, theirs]`
    pawn_files: [Bitboard; 2],
}

/// Where a piece comes from, once for all of its moves.
pub struct Origin {
    square: Square,
    kind: PieceType,
    safety: usize,
    file: usize,
    /// If it is the piece that moved last: where it came from then.
    came_from: Option<Square>,
}

impl<'a> Glance<'a> {
    /// Looks at a position once, for all of its moves.
    #[inline(always)]
    pub fn new(board: &'a Board, trail: Trail) -> Glance<'a> {
        use PieceType::*;
        let us = board.side_to_move();
        let them = !us;
        let theirs = Attacks::of(board, them);
        let ours = Attacks::of(board, us);
        let [pawn, knight, bishop, rook] = theirs.by_kind;
        let minor = pawn | knight | bishop;
        let by_lesser = [Bitboard::EMPTY, pawn, pawn, minor, minor | rook, Bitboard::EMPTY];
        let kings = board.by_kind(King);
        let mut endangered = board.by_color(us) & theirs.once & !ours.once;
        for kind in [Knight, Bishop, Rook, Queen] {
            endangered |= board.pieces(us, kind) & by_lesser[kind.index()];
        }
        let loose = (board.by_color(them) & !theirs.once) - kings;
        let queens = board.pieces(them, Queen);
        let rooks = board.pieces(them, Rook) | queens;
        let minors = board.pieces(them, Knight) | board.pieces(them, Bishop) | rooks;
        let guards = board.pawns(them);
        let enemy_king = board.king(them);
        let occupied = board.occupied();
        let (diagonal, straight) =
            (attacks::bishop(enemy_king, occupied), attacks::rook(enemy_king, occupied));
        let check_squares = [
            attacks::pawn(them, enemy_king),
            attacks::knight(enemy_king),
            diagonal,
            straight,
            diagonal | straight,
            Bitboard::EMPTY,
        ];
        Glance {
            board,
            trail,
            us,
            phase: phase(board),
            clock: match board.halfmove_clock() {
                0..=7 => 0,
                8..=19 => 1,
                20..=49 => 2,
                _ => 3,
            },
            king_distances: &DISTANCES[enemy_king.index()],
            flip: if us == Color::White { 0 } else { 56 },
            check_squares,
            discoverers: board.blockers_for(enemy_king, us) & board.by_color(us),
            by_lesser,
            attacked: theirs.once,
            once: ours.once,
            twice: ours.twice,
            endangered: endangered - kings,
            prey: [minors, rooks | loose, rooks | loose, queens | loose, loose, loose],
            guarded: (guards | guards.sideways()).forward_fill(them),
            pawn_files: [board.pawns(us).file_fill(), guards.file_fill()],
        }
    }

    /// How safe a piece of a kind is on each square. `// [lower, upper bit]` of 0: not attacked; 1: attacked and
    /// defended; 2: attacked and loose; 3: attacked by something less.
    #[inline(always)]
    fn safeties(&self, kind: PieceType, defended: Bitboard) -> [Bitboard; 2] {
        let by_lesser = self.by_lesser[kind.index()];
        [self.attacked & (by_lesser | defended), self.attacked & (by_lesser | !defended)]
    }

    /// The same for one square.
    #[inline(always)]
    fn safety(&self, kind: PieceType, square: Square, defended: Bitboard) -> usize {
        Glance::safety_on(self.safeties(kind, defended), square)
    }

    /// No branch, since nobody could foretell it.
    #[inline(always)]
    fn safety_on([lower, upper]: [Bitboard; 2], square: Square) -> usize {
        ((lower.0 >> square.index() & 1) + 2 * (upper.0 >> square.index() & 1)) as usize
    }

    #[inline(always)]
    fn gives_check(&self, origin: &Origin, m: Move) -> bool {
        let is_simple = matches!(m.kind(), MoveKind::Quiet | MoveKind::DoublePush | MoveKind::Capture);
        if is_simple && !self.discoverers.has(origin.square) {
            return self.check_squares[origin.kind.index()].has(m.to());
        }
        self.board.gives_check(&self.board.check_info(), m)
    }

    #[inline(always)]
    fn file(&self, square: Square) -> usize {
        match self.pawn_files[0].has(square) {
            true => 2,
            false => usize::from(self.pawn_files[1].has(square)),
        }
    }

    /// Looks at a piece, and names the features that all of its moves have.
    #[inline(always)]
    pub fn origin(&self, square: Square, mut has: impl FnMut(usize)) -> Origin {
        let kind = self.board.kind_at(square).unwrap_or(PieceType::King);
        let k = kind.index();
        has(at::FROM + (self.phase * 6 + k) * 64 + (square.index() ^ self.flip));
        has(at::CLOCK + k * 4 + self.clock);
        let moved_last = self.trail.own.filter(|own| own.to() == square);
        if self.trail.own.is_some() && moved_last.is_none() {
            has(at::AGAIN + 2 * 3 + self.phase);
        }
        Origin {
            square,
            kind,
            safety: self.safety(kind, square, self.once),
            file: self.file(square),
            came_from: moved_last.map(Move::from),
        }
    }

    /// Names the other features of a legal move.
    #[inline(always)]
    pub fn features(&self, origin: &Origin, m: Move, mut has: impl FnMut(usize)) {
        let board = self.board;
        let (from, to) = (origin.square, m.to());
        let kind = origin.kind;
        let k = kind.index();
        if m.is_castle() {
            return has(at::CASTLE + Wing::of(m) as usize);
        }
        has(at::TO + (self.phase * 6 + k) * 64 + (to.index() ^ self.flip));

        // A piece that moves to a square no longer defends it, except a pawn that goes straight ahead.
        let defended = if kind == PieceType::Pawn && !m.is_capture() { self.once } else { self.twice };
        let target = self.safety(kind, to, defended);
        let taken = match board.kind_at(to) {
            Some(taken) => taken.index(),
            None if m.is_en_passant() => PieceType::Pawn.index(),
            None => 5,
        };
        has(at::TARGET + (k * 4 + target) * 6 + taken);
        has(at::FLIGHT + (k * 4 + target) * 4 + origin.safety);
        if self.gives_check(origin, m) {
            has(at::CHECK + target * 6 + k);
        }
        if let Some((last, captured)) = self.trail.last
            && last.to() == to
        {
            has(at::RECAPTURE + usize::from(captured) * 4 + target);
        }
        if let Some(came_from) = origin.came_from {
            has(at::AGAIN + usize::from(came_from == to) * 3 + self.phase);
        }
        let occupied = board.occupied() ^ from.into();
        let reach = match kind {
            PieceType::Pawn => attacks::pawn(self.us, to),
            PieceType::Knight => attacks::knight(to),
            PieceType::Bishop => attacks::bishop(to, occupied),
            PieceType::Rook => attacks::rook(to, occupied),
            PieceType::Queen => attacks::queen(to, occupied),
            PieceType::King => attacks::king(to),
        };
        let prey = reach & self.prey[k];
        has(at::THREATS + k * 3 + usize::from(prey.any()) + usize::from(prey.several()));
        has(at::DEFENDS + k * 2 + usize::from((reach & self.endangered).any()));
        has(at::ENEMY_KING + (self.phase * 6 + k) * 8 + usize::from(self.king_distances[to.index()]));
        match kind {
            PieceType::Rook | PieceType::Queen => {
                has(at::FILE + (k - 3) * 9 + self.file(to) * 3 + origin.file);
            }
            PieceType::Pawn => {
                if let Some(promoted) = m.promotion() {
                    has(at::PROMOTE + promoted.index() - 1);
                }
                if !self.guarded.has(to) {
                    has(at::PASSED + usize::from(to.relative_rank(self.us)));
                }
            }
            _ => {}
        }
    }
}

/// What a side attacks.
struct Attacks {
    once: Bitboard,
    twice: Bitboard,
    /// `// [kind]` pawns to rooks
    by_kind: [Bitboard; 4],
}

impl Attacks {
    #[inline(always)]
    fn of(board: &Board, color: Color) -> Attacks {
        let occupied = board.occupied();
        let none = Bitboard::EMPTY;
        let mut all = Attacks { once: none, twice: none, by_kind: [none; 4] };
        let pawns = board.pawns(color).forward(color);
        all.add(pawns.east());
        all.add(pawns.west());
        all.by_kind[0] = all.once;
        for square in board.pieces(color, PieceType::Knight) {
            all.add_of(1, attacks::knight(square));
        }
        for square in board.pieces(color, PieceType::Bishop) {
            all.add_of(2, attacks::bishop(square, occupied));
        }
        for square in board.pieces(color, PieceType::Rook) {
            all.add_of(3, attacks::rook(square, occupied));
        }
        for square in board.pieces(color, PieceType::Queen) {
            all.add(attacks::queen(square, occupied));
        }
        all.add(attacks::king(board.king(color)));
        all
    }

    #[inline(always)]
    fn add_of(&mut self, kind: usize, reach: Bitboard) {
        self.by_kind[kind] |= reach;
        self.add(reach);
    }

    #[inline(always)]
    fn add(&mut self, reach: Bitboard) {
        self.twice |= self.once & reach;
        self.once |= reach;
    }
}

#[cfg(test)]
mod tests {
    use engine::tools::bench::POSITIONS;
    use xxhash_rust::xxh64::Xxh64;

    use super::*;
    use crate::play::Dice;

    /// The order in some thousand positions, as one number. If it changes, old records cannot be read:
    /// a new order is a new version of the format beside this one.
    #[test]
    fn the_order_is_frozen() {
        let mut hash = Xxh64::new(0);
        let mut candidates = Candidates::new();
        for (number, (fen, _)) in POSITIONS.iter().enumerate() {
            let mut board = Board::from_fen(fen).unwrap();
            let mut dice = Dice::for_game(1, number as u64);
            let mut trail = Trail::default();
            for _ in 0..40 {
                candidates.judge(&board, trail);
                let mut moves = Vec::new();
                for (m, likelihood) in candidates.by_ref() {
                    hash.update(&[m.from().index() as u8, m.to().index() as u8, likelihood as u8]);
                    hash.update(&[m.promotion().map_or(0, |kind| kind.index() as u8)]);
                    moves.push(m);
                }
                if moves.is_empty() {
                    break;
                }
                let m = dice.choose(&moves);
                trail = trail.followed_by(m);
                board.make(m);
            }
        }
        assert_eq!(hash.digest(), 0xf1c9_62da_c669_40b2, "{:#018x}", hash.digest());
    }

    #[test]
    fn every_legal_move_comes_once() {
        let mut candidates = Candidates::new();
        for (fen, name) in POSITIONS {
            let board = Board::from_fen(fen).unwrap();
            candidates.judge(&board, Trail::default());
            let mut ordered: Vec<u16> = candidates.by_ref().map(|(m, _)| m.bits()).collect();
            let mut legal: Vec<u16> = board.legal_moves().iter().map(|m| m.bits()).collect();
            ordered.sort_unstable();
            legal.sort_unstable();
            assert_eq!(ordered, legal, "{name}");
        }
    }

    #[test]
    fn checks_are_those_of_the_board() {
        for (fen, name) in POSITIONS {
            let board = Board::from_fen(fen).unwrap();
            let glance = Glance::new(&board, Trail::default());
            let info = board.check_info();
            for &m in board.legal_moves().iter() {
                let origin = glance.origin(m.from(), |_| {});
                assert_eq!(glance.gives_check(&origin, m), board.gives_check(&info, m), "{name}: {m:?}");
            }
        }
    }
}
