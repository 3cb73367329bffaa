//! What follows from the number of pieces alone, cached: imbalance, phase, and whether the ending may
//! be a known one.

use super::accumulator::MaterialKey;
use super::blend::FULL_PHASE;
use super::params::EvalParams;
use super::score::Score;
use super::tally::Tally;
use super::trace::{NoTrace, Trace};
use super::weights::Weights;
use crate::types::{Color, PieceType};

/// With more pieces than this (pawns and kings aside) no ending is known, unless one side has nothing
/// but its king.
const MOST_PIECES_OF_KNOWN_ENDING: i32 = 4;

/// What is known about a material distribution.
#[derive(Clone, Copy)]
pub(super) struct MaterialEntry {
    key: MaterialKey,
    /// The imbalance, White's point of view.
    pub score_white: Score,
    /// 0 to [`FULL_PHASE`].
    pub phase: i32,
    /// Whether to ask [`endgame::recognise`](super::endgame::recognise).
    pub may_be_known: bool,
}

impl MaterialEntry {
    const EMPTY: MaterialEntry =
        MaterialEntry { key: MaterialKey(0), score_white: Score::ZERO, phase: 0, may_be_known: true };

    /// Counts the imbalance into the two sides' tallies, and leaves the entry's own score at zero.
    #[inline(always)]
    pub fn count<T: Trace>(key: MaterialKey, white: &mut Tally<T>, black: &mut Tally<T>) -> MaterialEntry {
        imbalance(key, Color::White, white);
        imbalance(key, Color::Black, black);
        let pieces = |color| {
            [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
                .map(|kind| key.count(color, kind))
        };
        let [knights, bishops, rooks, queens] =
            std::array::from_fn(|kind| pieces(Color::White)[kind] + pieces(Color::Black)[kind]);
        let lone_king = |color| pieces(color).iter().sum::<i32>() + key.count(color, PieceType::Pawn) == 0;
        MaterialEntry {
            key,
            score_white: Score::ZERO,
            phase: (knights + bishops + 2 * rooks + 4 * queens).min(FULL_PHASE),
            may_be_known: knights + bishops + rooks + queens <= MOST_PIECES_OF_KNOWN_ENDING
                || lone_king(Color::White)
                || lone_king(Color::Black),
        }
    }

    #[cold]
    fn compute(key: MaterialKey, weights: &Weights) -> MaterialEntry {
        let mut white = Tally::<NoTrace>::new(weights.side(Color::White));
        let mut black = Tally::<NoTrace>::new(weights.side(Color::Black));
        let entry = MaterialEntry::count(key, &mut white, &mut black);
        MaterialEntry { score_white: white.score - black.score, ..entry }
    }
}

/// Counts how one side's pieces get on with each other and with the enemy's. (Bishops on both colours
/// need the board, and are counted with the pieces.)
#[inline(always)]
fn imbalance<T: Trace>(key: MaterialKey, us: Color, tally: &mut Tally<T>) {
    let p: &EvalParams = tally.params;
    let (mut ours, mut theirs) = ([0; 5], [0; 5]);
    for (kind, (own, other)) in PieceType::ALL.into_iter().zip(ours.iter_mut().zip(&mut theirs)) {
        (*own, *other) = (key.count(us, kind), key.count(!us, kind));
    }
    for (place, kind) in [PieceType::Knight, PieceType::Rook, PieceType::Queen].into_iter().enumerate() {
        tally.add(&p.material_pair[place], (key.count(us, kind) - 1).max(0));
    }
    let mut pair = 0;
    for first in 1..5 {
        for second in 0..first {
            tally.add(&p.material_with[pair], ours[first] * ours[second]);
            tally.add(&p.material_against[pair], ours[first] * theirs[second]);
            pair += 1;
        }
    }
}

/// A cache of material distributions, one slot a key.
pub(super) struct MaterialTable {
    entries: Box<[MaterialEntry]>,
}

impl MaterialTable {
    const BITS: u32 = 11;

    pub fn new() -> MaterialTable {
        MaterialTable { entries: vec![MaterialEntry::EMPTY; 1 << Self::BITS].into_boxed_slice() }
    }

    pub fn clear(&mut self) {
        self.entries.fill(MaterialEntry::EMPTY);
    }

    /// The entry of a distribution, computed if it is not there.
    #[inline(always)]
    pub fn probe(&mut self, key: MaterialKey, weights: &Weights) -> &MaterialEntry {
        // Any odd number with its bits well mixed spreads the counts over the high bits.
        let slot = key.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - Self::BITS);
        let entry = &mut self.entries[slot as usize];
        if entry.key != key {
            *entry = MaterialEntry::compute(key, weights);
        }
        entry
    }
}
