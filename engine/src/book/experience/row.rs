//! One row of the book: a move in a position, and all that was learned about it.

use crate::board::zobrist::Key;
use crate::types::{Move, Value};

/// Bytes of a row in the file.
pub const ROW_BYTES: usize = 36;

/// Scores are summed this much finer than a centipawn, so that discounting loses nothing that matters.
pub const SCORE_GRAIN: i64 = 256;

/// A move as a book keeps it: sixteen bits. Chess has [`Move`]; other games number their moves (`u16`).
pub trait Action: Copy + Eq + std::fmt::Debug {
    /// The bits.
    fn to_bits(self) -> u16;
    /// The move of these bits; `None` if there is none.
    fn of_bits(bits: u16) -> Option<Self>;
}

impl Action for Move {
    #[inline(always)]
    fn to_bits(self) -> u16 {
        self.bits()
    }

    #[inline(always)]
    fn of_bits(bits: u16) -> Option<Move> {
        Move::from_bits(bits)
    }
}

impl Action for u16 {
    fn to_bits(self) -> u16 {
        self
    }

    fn of_bits(bits: u16) -> Option<u16> {
        Some(bits)
    }
}

/// What was learned about a move in a position. Every field but the first two is a sum, so two rows of
/// the same move are merged by addition, in any order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row<A = Move> {
    /// The position before the move.
    pub key: Key,
    /// The move.
    pub m: A,
    /// Games in which it was played.
    pub games: u32,
    /// Of these, won by the side that played it.
    pub wins: u32,
    /// Of these, drawn.
    pub draws: u32,
    /// The depths it was searched to, added up.
    pub depth_sum: u32,
    /// What it was found to be worth to the side that plays it, added up over the games, in
    /// 1/[`SCORE_GRAIN`] of a centipawn.
    pub score_sum: i64,
}

const _: () = assert!(ROW_BYTES == 8 + 2 + 2 + 4 * 4 + 8);

impl<A: Action> Row<A> {
    /// The order of rows in a book.
    #[inline]
    pub fn place(&self) -> (Key, u16) {
        (self.key, self.m.to_bits())
    }

    /// The mean score in centipawns for the side that plays the move.
    pub fn score(&self) -> Value {
        let units = SCORE_GRAIN * i64::from(self.games.max(1));
        // Rounded half away from zero, so that a mirrored game gives the mirrored score.
        let size = self.score_sum.saturating_abs().saturating_add(units / 2) / units;
        (size.min(i64::from(Value::MAX)) * self.score_sum.signum()) as Value
    }

    /// The mean depth.
    pub fn avg_depth(&self) -> u32 {
        self.depth_sum / self.games.max(1)
    }

    /// Games lost by the side that played it.
    pub fn losses(&self) -> u32 {
        self.games.saturating_sub(self.wins).saturating_sub(self.draws)
    }

    /// Adds what another row knows about the same move in the same position. Counts stay at their
    /// greatest number instead of wrapping round.
    pub fn absorb(&mut self, other: &Row<A>) {
        debug_assert_eq!(self.place(), other.place());
        self.games = self.games.saturating_add(other.games);
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.depth_sum = self.depth_sum.saturating_add(other.depth_sum);
        self.score_sum = self.score_sum.saturating_add(other.score_sum);
    }

    /// As the file has it.
    pub fn to_bytes(&self) -> [u8; ROW_BYTES] {
        let mut bytes = [0; ROW_BYTES];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.m.to_bits().to_le_bytes());
        // Two bytes in reserve.
        bytes[12..16].copy_from_slice(&self.games.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.wins.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.draws.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.depth_sum.to_le_bytes());
        bytes[28..].copy_from_slice(&self.score_sum.to_le_bytes());
        bytes
    }

    /// From the file's bytes; `None` if they hold no move, or more wins and draws than games.
    #[inline]
    pub fn from_bytes(bytes: &[u8; ROW_BYTES]) -> Option<Row<A>> {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let row = Row {
            key: long(0),
            m: A::of_bits(u16::from_le_bytes([bytes[8], bytes[9]]))?,
            games: word(12),
            wins: word(16),
            draws: word(20),
            depth_sum: word(24),
            score_sum: long(28) as i64,
        };
        let decided = u64::from(row.wins) + u64::from(row.draws);
        (row.games > 0 && decided <= u64::from(row.games)).then_some(row)
    }
}

/// What the book knows about a position: all its moves together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExperienceEntry {
    /// The mean score of the moves played, in centipawns for the side to move.
    pub score: Value,
    /// Games that passed through the position.
    pub games_played: u32,
    /// Of these, won by the side to move.
    pub wins: u32,
    /// Of these, drawn.
    pub draws: u32,
    /// The mean depth of the searches.
    pub avg_depth: u32,
}

impl ExperienceEntry {
    /// All rows of a position together; `None` if there are none.
    pub fn of<A: Action>(rows: &[Row<A>]) -> Option<ExperienceEntry> {
        let mut all = *rows.first()?;
        for row in &rows[1..] {
            all.absorb(&Row { key: all.key, m: all.m, ..*row });
        }
        Some(ExperienceEntry {
            score: all.score(),
            games_played: all.games,
            wins: all.wins,
            draws: all.draws,
            avg_depth: all.avg_depth(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn row(games: u32, wins: u32, draws: u32, score_sum: i64) -> Row {
        let board = Board::start();
        Row {
            key: board.key(),
            m: board.legal_moves()[3],
            games,
            wins,
            draws,
            depth_sum: games.saturating_mul(9),
            score_sum,
        }
    }

    #[test]
    fn bytes_round_trip() {
        for row in [row(1, 0, 0, -5), row(u32::MAX, 7, 9, i64::MIN / 3), row(12, 6, 6, 0)] {
            assert_eq!(Row::from_bytes(&row.to_bytes()), Some(row));
        }
    }

    #[test]
    fn nonsense_is_no_row() {
        assert_eq!(Row::<Move>::from_bytes(&[0; ROW_BYTES]), None);
        assert_eq!(Row::<Move>::from_bytes(&row(3, 2, 2, 0).to_bytes()), None, "more results than games");
        assert_eq!(Row::<Move>::from_bytes(&row(0, 0, 0, 0).to_bytes()), None, "no games");
    }

    #[test]
    fn scores_are_rounded_alike_for_both_sides() {
        for sum in [0, 1, 127, 128, 129, 383, 384, 1_000_003] {
            assert_eq!(row(3, 0, 0, sum).score(), -row(3, 0, 0, -sum).score());
        }
        assert_eq!(row(2, 0, 0, 2 * 256 * 35).score(), 35);
    }

    #[test]
    fn sums_that_no_games_give_are_scores_all_the_same() {
        assert_eq!(row(1, 0, 0, i64::MAX).score(), Value::MAX);
        assert_eq!(row(1, 0, 0, i64::MIN).score(), -Value::MAX);
    }

    #[test]
    fn a_position_is_the_sum_of_its_moves() {
        let other = Row { m: Board::start().legal_moves()[5], ..row(1, 0, 1, -256 * 10) };
        let entry = ExperienceEntry::of(&[row(3, 3, 0, 3 * 256 * 50), other]).unwrap();
        assert_eq!((entry.games_played, entry.wins, entry.draws, entry.avg_depth), (4, 3, 1, 9));
        assert_eq!(entry.score, 35);
        assert_eq!(ExperienceEntry::of::<Move>(&[]), None);
    }
}
