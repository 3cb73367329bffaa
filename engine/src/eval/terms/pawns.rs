//! Pawn structure and the king's shelter: what depends on pawns and kings alone, and is cached.

use super::side;
use crate::Board;
use crate::board::attacks;
use crate::board::zobrist::Key;
use crate::cpu::prefetch;
use crate::eval::geometry::{BESIDE, ahead, from_edge, passed_span};
use crate::eval::score::Score;
use crate::eval::tally::Tally;
use crate::eval::trace::{NoTrace, Trace};
use crate::eval::weights::Weights;
use crate::types::{Bitboard, Color, PieceType, Square};

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
    /// `// [color]` the king that shelter and gaps were computed for, if they were
    sheltered: [Option<Square>; 2],
    /// `// [color]` the score of that king's shelter, its own point of view
    shelter: [Score; 2],
    /// `// [color]` files before the king without an own pawn near
    pub gaps: [u8; 2],
}

const _: () = assert!(size_of::<PawnEntry>() == 64, "an entry fills one cache line");

impl PawnEntry {
    /// No pawns: every structure without any has the key 0, and this is its entry.
    const EMPTY: PawnEntry = PawnEntry {
        key: 0,
        passed: Bitboard::EMPTY,
        attack_span: [Bitboard::EMPTY; 2],
        score_white: Score::ZERO,
        sheltered: [None; 2],
        shelter: [Score::ZERO; 2],
        gaps: [0; 2],
    };

    /// Structure and shelter, White's point of view.
    #[inline(always)]
    pub fn score_white(&self) -> Score {
        let [white, black] = self.shelter;
        self.score_white + white - black
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

    /// Knows the shelter of one side's king where it stands now. A king that moves leaves the other's as it was.
    #[inline(always)]
    fn know_shelter<const WHITE: bool>(&mut self, board: &Board, weights: &Weights) {
        let us = side(WHITE);
        let king = Some(board.king(us));
        if self.sheltered[us.index()] != king {
            let mut tally = Tally::<NoTrace>::new(weights.side(us));
            self.gaps[us.index()] = shelter::<NoTrace, WHITE>(board, &mut tally);
            self.shelter[us.index()] = tally.score;
            self.sheltered[us.index()] = king;
        }
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

    /// Asks for the entry of these pawns ahead of time.
    #[inline(always)]
    pub fn prefetch(&self, pawn_key: Key) {
        prefetch(&self.entries[pawn_key as usize % Self::LENGTH]);
    }

    /// The entry of the board's pawns and kings, computed if it is not there.
    #[inline(always)]
    pub fn probe(&mut self, board: &Board, weights: &Weights) -> &PawnEntry {
        let entry = &mut self.entries[board.pawn_key() as usize % Self::LENGTH];
        if entry.key != board.pawn_key() {
            *entry = PawnEntry::compute(board, weights);
        }
        entry.know_shelter::<true>(board, weights);
        entry.know_shelter::<false>(board, weights);
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

    let pawns = board.by_kind(PieceType::Pawn);
    if pawns.any() {
        tally.add(&p.king_pawn_distance, steps_to_nearest(king, pawns));
    }
    gaps
}

/// King steps to the nearest square of a set that is not empty.
#[inline(always)]
fn steps_to_nearest(king: Square, goals: Bitboard) -> i32 {
    let mut within_reach = Bitboard::of(king);
    let mut steps = 0;
    while (within_reach & goals).is_empty() {
        within_reach = within_reach.grown();
        steps += 1;
    }
    steps
}

/// The rank, as the side counts, of the pawn on a file that is nearest to its back rank; 0 for none.
#[inline(always)]
fn nearest_rank<const WHITE: bool>(on_file: Bitboard) -> usize {
    let nearest = if WHITE { on_file.first() } else { on_file.last() };
    nearest.map_or(0, |square| usize::from(square.relative_rank(side(WHITE))))
}
