//! A book that knows the same moves and nothing about them: the control of what a book's knowledge is worth.

use engine::book::experience::Row;

use crate::play::Dice;

/// What is left of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Which moves were played, not how often: their numbers of games are shuffled within each position.
    Moves,
    /// Which moves were played, and about how often.
    Counts,
}

/// Shuffles what rows in the order of a book say. Every row gets the sums of another one with about as many games
/// (the same number of binary digits), from anywhere in the book; so everything is there as before, as
/// certain as before, and about other moves. Within a position alone would not do: what a move is worth is read from
/// the positions behind it, which would still be as good as they were.
pub fn shuffle(rows: &mut [Row], kept: Kept, seed: u64) {
    let mut dice = Dice::for_game(seed, 0);
    if kept == Kept::Moves {
        for moves in rows.chunk_by_mut(|a, b| a.key == b.key) {
            let mut sums: Vec<Row> = moves.to_vec();
            permute(&mut sums, &mut dice);
            moves.iter_mut().zip(&sums).for_each(|(row, sums)| take(row, sums));
        }
    }
    for digits in 1..=u32::BITS {
        let alike: Vec<usize> =
            (0..rows.len()).filter(|&n| u32::BITS - rows[n].games.leading_zeros() == digits).collect();
        let mut sums: Vec<Row> = alike.iter().map(|&n| rows[n]).collect();
        permute(&mut sums, &mut dice);
        alike.iter().zip(&sums).for_each(|(&n, sums)| take(&mut rows[n], sums));
    }
}

/// Everything but the place.
fn take(row: &mut Row, sums: &Row) {
    *row = Row { key: row.key, m: row.m, ..*sums };
}

/// Every order is as likely as any other.
fn permute(rows: &mut [Row], dice: &mut Dice) {
    for end in (1..rows.len()).rev() {
        rows.swap(end, dice.below(end as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use engine::Board;

    use super::*;

    /// Positions with some moves each, all sums different.
    fn book() -> Vec<Row> {
        let moves = Board::start().legal_moves();
        let row = |n: u32| Row {
            key: u64::from(n / 5),
            m: moves[n as usize % 5],
            games: 1 + n % 40,
            wins: n % 40 / 2,
            draws: n % 3 % (1 + n % 40),
            depth_sum: n,
            score_sum: i64::from(n) * 1000,
        };
        (0..1000).map(row).collect()
    }

    fn sums(row: &Row) -> (u32, u32, u32, u32, i64) {
        (row.games, row.wins, row.draws, row.depth_sum, row.score_sum)
    }

    #[test]
    fn everything_is_there_and_nothing_in_its_place() {
        for kept in [Kept::Moves, Kept::Counts] {
            let (before, mut after) = (book(), book());
            shuffle(&mut after, kept, 7);
            assert!(before.iter().zip(&after).all(|(a, b)| a.place() == b.place()));
            let all = |rows: &[Row]| {
                let mut all: Vec<_> = rows.iter().map(sums).collect();
                all.sort_unstable();
                all
            };
            assert_eq!(all(&before), all(&after));
            let same = before.iter().zip(&after).filter(|(a, b)| a == b).count();
            assert!(same < 20, "{same} rows say what they said");
            let about_as_often =
                before.iter().zip(&after).filter(|(a, b)| a.games.ilog2() == b.games.ilog2());
            assert_eq!(about_as_often.count() == before.len(), kept == Kept::Counts);
            let mut again = book();
            shuffle(&mut again, kept, 7);
            assert_eq!(again, after);
            shuffle(&mut again, kept, 8);
            assert_ne!(again, after);
        }
    }
}
