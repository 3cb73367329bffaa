//! Pawn structure and the king's shelter: what depends on pawns and kings alone, and is cached.

use super::side;
use crate::Board;
use crate::board::attacks;
use crate::board::zobrist::Key;
use crate::eval::geometry::{BESIDE, ahead, from_edge, passed_span};
use crate::eval::score::Score;
use crate::eval::tally::Tally;
use crate::eval::trace::{NoTrace, Trace};
use crate::eval::weights::Weights;
use crate::types::{Bitboard, Color, Square};

/// What is known about a pawn structure.
#[derive(Clone)]
#[repr(align(64))]
pub(in crate::eval) struct PawnEntry {
    key: Key,
    /// Passed pawns of both sides.
    pub passed: Bitboard,
    /// `// [color]` every square that a side's pawns attack or may come to attack
    pub attack_span: [Bitboard; 2],
    /// The structure's score, White's point of view.
    score_white: Score,
    /// The shelters' score for the kings below, White's point of view.
    shelter_white: Score,
    /// `// [color]` the kings that the shelter was computed for
    kings: [Square; 2],
    /// `// [color]` files before the king without an own pawn near
    pub gaps: [u8; 2],
    /// Whether `shelter_white` and `gaps` were computed for `kings`.
    has_shelter: bool,
}

const _: () = assert!(size_of::<PawnEntry>() == 64, "an entry fills one cache line");

impl PawnEntry {
    /// No pawns: every structure without any has the key 0, and this is its entry.
    const EMPTY: PawnEntry = PawnEntry {
        key: 0,
        passed: Bitboard::EMPTY,
        attack_span: [Bitboard::EMPTY; 2],
        score_white: Score::ZERO,
        shelter_white: Score::ZERO,
        kings: [Square::A1; 2],
        gaps: [0; 2],
        has_shelter: false,
    };

    /// Structure and shelter, White's point of view.
    #[inline(always)]
    pub fn score_white(&self) -> Score {
        self.score_white + self.shelter_white
    }

    /// Counts everything into the two sides' tallies, and leaves the entry's own scores at zero.
    #[inline(always)]
    pub fn count<T: Trace>(board: &Board, white: &mut Tally<T>, black: &mut Tally<T>) -> PawnEntry {
        let mut entry = PawnEntry { key: board.pawn_key(), ..PawnEntry::EMPTY };
        structure::<T, true>(board, &mut entry, white);
        structure::<T, false>(board, &mut entry, black);
        entry.gaps = [shelter::<T, true>(board, white), shelter::<T, false>(board, black)];
        entry
    }

    #[cold]
    fn compute(board: &Board, weights: &Weights) -> PawnEntry {
        let mut entry = PawnEntry { key: board.pawn_key(), ..PawnEntry::EMPTY };
        let mut white = Tally::<NoTrace>::new(weights.side(Color::White));
        let mut black = Tally::<NoTrace>::new(weights.side(Color::Black));
        structure::<NoTrace, true>(board, &mut entry, &mut white);
        structure::<NoTrace, false>(board, &mut entry, &mut black);
        entry.score_white = white.score - black.score;
        entry
    }

    fn refresh_shelter(&mut self, board: &Board, weights: &Weights) {
        let mut white = Tally::<NoTrace>::new(weights.side(Color::White));
        let mut black = Tally::<NoTrace>::new(weights.side(Color::Black));
        self.gaps =
            [shelter::<NoTrace, true>(board, &mut white), shelter::<NoTrace, false>(board, &mut black)];
        self.shelter_white = white.score - black.score;
        self.kings = Color::ALL.map(|color| board.king(color));
        self.has_shelter = true;
    }
}

/// A cache of pawn structures, one slot a key.
pub(in crate::eval) struct PawnTable {
    entries: Box<[PawnEntry]>,
}

impl PawnTable {
    /// 16,384 structures in one mebibyte: more than a search of a minute meets.
    const LENGTH: usize = 1 << 14;

    pub fn new() -> PawnTable {
        PawnTable { entries: vec![PawnEntry::EMPTY; Self::LENGTH].into_boxed_slice() }
    }

    pub fn clear(&mut self) {
        self.entries.fill(PawnEntry::EMPTY);
    }

    /// The entry of the board's pawns and kings, computed if it is not there.
    #[inline(always)]
    pub fn probe(&mut self, board: &Board, weights: &Weights) -> &PawnEntry {
        let entry = &mut self.entries[board.pawn_key() as usize % Self::LENGTH];
        if entry.key != board.pawn_key() {
            *entry = PawnEntry::compute(board, weights);
        }
        if !entry.has_shelter || entry.kings != Color::ALL.map(|color| board.king(color)) {
            entry.refresh_shelter(board, weights);
        }
        entry
    }
}

/// Counts one side's pawns, and notes its passed pawns and its attack span.
#[inline(always)]
fn structure<T: Trace, const WHITE: bool>(board: &Board, entry: &mut PawnEntry, tally: &mut Tally<T>) {
    let us = side(WHITE);
    let them = !us;
    let p = tally.params;
    let (ours, theirs) = (board.pawns(us), board.pawns(them));
    let our_attacks = attacks::pawns(us, ours);
    let their_attacks = attacks::pawns(them, theirs);
    entry.attack_span[us.index()] = our_attacks.forward_fill(us);

    for square in ours {
        let rank = usize::from(square.relative_rank(us)) - 1;
        let next = Bitboard::of(square.forward(us));
        let neighbours = ours & BESIDE[usize::from(square.file())];
        let beside = neighbours & Bitboard::rank(square.rank());
        let guards = ours & attacks::pawn(them, square);
        let opposed = (theirs & ahead(us, square)).any();
        let stoppers = theirs & passed_span(us, square);
        let captures = theirs & attacks::pawn(us, square);

        let weak = if neighbours.is_empty() {
            tally.add(&p.pawn_isolated, 1);
            true
        } else if (neighbours - passed_span(us, square)).is_empty() && (next & (theirs | their_attacks)).any()
        {
            tally.add(&p.pawn_backward, 1);
            true
        } else {
            false
        };
        if weak && !opposed {
            tally.add(&p.pawn_exposed, 1);
        }
        if (ours & Bitboard::of(square).forward(them)).any() {
            tally.add(&p.pawn_doubled, 1);
        }
        if beside.any() {
            tally.add(&p.pawn_phalanx[rank], 1);
        }
        if guards.any() {
            tally.add(&p.pawn_guarded[rank - 1], guards.count() as i32);
        }

        // A stopper that it can take stops nothing.
        if (ours & ahead(us, square)).any() {
            continue;
        }
        let sentries = stoppers - captures;
        if sentries.is_empty() {
            entry.passed |= square.into();
        } else if !opposed {
            let helpers = neighbours - passed_span(us, square);
            if helpers.count() >= sentries.count() {
                tally.add(&p.pawn_candidate[rank], 1);
            }
        }
    }

    let files = ours.file_fill().0 & 0xFF;
    let islands = (files & !(files << 1)).count_ones() as i32;
    tally.add(&p.pawn_islands, (islands - 1).max(0));
}

/// Counts the pawns before one side's king; answers how many files lack an own pawn near.
#[inline(always)]
fn shelter<T: Trace, const WHITE: bool>(board: &Board, tally: &mut Tally<T>) -> u8 {
    let us = side(WHITE);
    let p = tally.params;
    let king = board.king(us);
    let not_behind = Bitboard::rank(king.rank()).forward_fill(us);
    let (ours, theirs) = (board.pawns(us) & not_behind, board.pawns(!us) & not_behind);
    let centre = king.file().clamp(1, 6);
    let mut gaps = 0;
    for file in centre - 1..=centre + 1 {
        let our_rank = nearest_rank::<WHITE>(ours & Bitboard::file(file));
        let their_rank = nearest_rank::<WHITE>(theirs & Bitboard::file(file));
        let edge = from_edge(file);
        tally.add(&p.king_shelter[edge][our_rank], 1);
        if our_rank > 0 && their_rank == our_rank + 1 {
            tally.add(&p.king_storm_blocked[their_rank - 2], 1);
        } else {
            tally.add(&p.king_storm[edge][their_rank], 1);
        }
        gaps += u8::from(our_rank == 0 || our_rank > 2);
    }

    let pawns = board.pawns(us) | board.pawns(!us);
    if let Some(nearest) = pawns.into_iter().map(|pawn| king.distance(pawn)).min() {
        tally.add(&p.king_pawn_distance, i32::from(nearest));
    }
    gaps
}

/// The rank, as the side counts, of the pawn on a file that is nearest to its back rank; 0 for none.
#[inline(always)]
fn nearest_rank<const WHITE: bool>(on_file: Bitboard) -> usize {
    let nearest = if WHITE { on_file.first() } else { on_file.last() };
    nearest.map_or(0, |square| usize::from(square.relative_rank(side(WHITE))))
}
