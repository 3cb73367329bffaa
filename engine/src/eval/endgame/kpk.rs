//! King and pawn against king, solved: 24 KB that say for every position whether the pawn wins.
//!
//! One word holds the answers for all 64 squares of the weak king, so that a whole row of positions is
//! solved with a few set operations, and the table is ready in about a millisecond when it is first
//! asked. It is the least fixed point: nothing is won until a pawn promotes to a piece that stays, and
//! a position is won from then on if the strong side can go to a won one, or the weak side must.

use std::sync::LazyLock;

use crate::board::attacks;
use crate::types::{Bitboard, Color, File, Rank, Square};

/// Whether the side with the pawn wins. The position is legal; squares are as they stand on the board.
pub fn wins(strong: Color, king: Square, pawn: Square, weak_king: Square, to_move: Color) -> bool {
    let file_mirror = if pawn.file() > 3 { 7 } else { 0 };
    let normal = |square: Square| Square::from_index(square.relative(strong).index() ^ file_mirror);
    let table = if to_move == strong { &BITBASE.strong_to_move } else { &BITBASE.weak_to_move };
    table[pawn_index(normal(pawn))][normal(king).index()].has(normal(weak_king))
}

/// White has the pawn, on files a to d (the rest is a mirror image) and ranks 2 to 7.
const PAWNS: usize = 4 * 6;

/// Sets of weak kings against which the pawn wins.
type Wins = [[Bitboard; 64]; PAWNS]; // [pawn][strong king]

struct Bitbase {
    strong_to_move: Wins,
    weak_to_move: Wins,
}

static BITBASE: LazyLock<Bitbase> = LazyLock::new(Bitbase::solve);

/// The row of a pawn on files a to d and ranks 2 to 7.
fn pawn_index(pawn: Square) -> usize {
    debug_assert!(pawn.file() < 4 && (1..7).contains(&pawn.rank()));
    usize::from(pawn.file()) * 6 + usize::from(pawn.rank()) - 1
}

impl Bitbase {
    fn solve() -> Bitbase {
        let mut solved = Bitbase {
            strong_to_move: [[Bitboard::EMPTY; 64]; PAWNS],
            weak_to_move: [[Bitboard::EMPTY; 64]; PAWNS],
        };
        // A pawn only goes forward: with the ranks ahead of it solved, only king moves go in circles.
        for rank in (1..7).rev() {
            for file in 0..4 {
                while solved.improve(file, rank) {}
            }
        }
        solved
    }

    /// One round over all kings for one pawn; false when it found no new win.
    fn improve(&mut self, file: File, rank: Rank) -> bool {
        let pawn = Square::at(file, rank);
        let row = pawn_index(pawn);
        let mut found = false;
        for king in Square::all().filter(|&king| king != pawn) {
            let strong_wins = self.strong_to_move_wins(pawn, king);
            found |= self.strong_to_move[row][king.index()] != strong_wins;
            self.strong_to_move[row][king.index()] = strong_wins;

            let weak_loses = self.weak_to_move_losses(pawn, king);
            found |= self.weak_to_move[row][king.index()] != weak_loses;
            self.weak_to_move[row][king.index()] = weak_loses;
        }
        found
    }

    /// The weak kings that lose if the strong side moves, from what is known so far.
    fn strong_to_move_wins(&self, pawn: Square, king: Square) -> Bitboard {
        let row = &self.weak_to_move[pawn_index(pawn)];
        let steps = attacks::king(king) - Bitboard::of(pawn);
        let mut wins = steps.into_iter().fold(Bitboard::EMPTY, |wins, to| wins | row[to.index()]);

        let ahead = pawn.forward(Color::White);
        if ahead != king {
            if ahead.rank() == 7 {
                wins |= promotion_wins(ahead, king);
            } else {
                wins |= self.weak_to_move[pawn_index(ahead)][king.index()];
                let two_ahead = ahead.forward(Color::White);
                if pawn.rank() == 1 && two_ahead != king {
                    let free = self.weak_to_move[pawn_index(two_ahead)][king.index()];
                    wins |= free - Bitboard::of(ahead);
                }
            }
        }
        // A king next to ours, on an occupied square, or in check when it is not its turn is no position.
        wins - attacks::king(king) - attacks::pawn(Color::White, pawn) - pawn.into() - king.into()
    }

    /// The weak kings that lose if they must move, from what is known so far.
    fn weak_to_move_losses(&self, pawn: Square, king: Square) -> Bitboard {
        let guarded = attacks::king(king) | attacks::pawn(Color::White, pawn) | king.into();
        // The pawn's own square is open too when nothing guards it, and no won position has the weak
        // king there: taking it draws.
        let open = !guarded;
        let escapes = open - self.strong_to_move[pawn_index(pawn)][king.index()];
        let can_move_or_is_mated = neighbours(open) | attacks::pawn(Color::White, pawn);
        (can_move_or_is_mated - neighbours(escapes)) - attacks::king(king) - pawn.into() - king.into()
    }
}

/// The weak kings, to move, that lose against a piece just promoted on `at`: they cannot take it and it
/// does not stalemate them. The rook is tried too: it wins where the queen would stalemate.
fn promotion_wins(at: Square, king: Square) -> Bitboard {
    let lost = |weak_king: &Square| {
        [attacks::queen as fn(Square, Bitboard) -> Bitboard, attacks::rook].into_iter().any(|piece| {
            let reach = piece(at, Bitboard::of(king));
            let escapes = attacks::king(*weak_king) - attacks::king(king) - reach;
            let in_check = reach.has(*weak_king);
            // An unguarded promoted piece is itself among the escapes.
            if escapes.any() { !escapes.has(at) } else { in_check }
        })
    };
    Square::all().filter(|square| *square != at && *square != king).filter(lost).collect()
}

/// All squares a king's step away from the set, which may overlap it.
fn neighbours(set: Bitboard) -> Bitboard {
    let rows = set | set.sideways();
    set.sideways() | rows.forward(Color::White) | rows.forward(Color::Black)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wins and legal positions for one side to move, over both wings of the board.
    fn count(to_move: Color) -> (usize, usize) {
        let (mut won, mut legal) = (0, 0);
        for pawn in Square::all().filter(|pawn| (1..7).contains(&pawn.rank())) {
            for king in Square::all().filter(|&king| king != pawn) {
                for weak_king in Square::all().filter(|&weak| weak != king && weak != pawn) {
                    let in_check = attacks::pawn(Color::White, pawn).has(weak_king);
                    if king.distance(weak_king) < 2 || (to_move == Color::White && in_check) {
                        continue;
                    }
                    legal += 1;
                    won += usize::from(wins(Color::White, king, pawn, weak_king, to_move));
                }
            }
        }
        (won, legal)
    }

    #[test]
    fn as_many_wins_as_the_literature_counts() {
        assert_eq!(count(Color::White), (124_960, 163_328));
        assert_eq!(count(Color::Black), (97_604, 168_024));
    }

    #[test]
    fn textbook_positions() {
        let square = |text: &str| text.parse::<Square>().expect("a square");
        let white = |king, pawn, weak_king, to_move| {
            wins(Color::White, square(king), square(pawn), square(weak_king), to_move)
        };
        // The opposition decides: whoever must move gives way.
        assert!(!white("e4", "e3", "e6", Color::White));
        assert!(white("e4", "e3", "e6", Color::Black));
        // A king on the sixth ahead of its pawn wins with either side to move; a rook pawn does not.
        assert!(white("e6", "e5", "e8", Color::White) && white("e6", "e5", "e8", Color::Black));
        assert!(!white("a6", "a5", "a8", Color::White) && !white("h6", "h5", "h8", Color::Black));
        // Stalemate on the back rank.
        assert!(!white("e6", "e7", "e8", Color::Black));
        // Outside the square of the pawn, then inside it.
        assert!(white("a1", "h5", "c5", Color::Black) && !white("a1", "h5", "d5", Color::Black));
        // Promoting to a queen would stalemate: the rook wins.
        assert!(white("c6", "c7", "a7", Color::White));
        // The same board upside down, for Black.
        assert!(wins(Color::Black, square("e5"), square("e6"), square("e3"), Color::White));
        assert!(!wins(Color::Black, square("e5"), square("e6"), square("e3"), Color::Black));
    }
}
