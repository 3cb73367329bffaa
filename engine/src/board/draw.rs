//! Draws without a move: repetition, the fifty-move rule, not enough material.

use super::Board;
use crate::types::{Bitboard, PieceType};

impl Board {
    /// How often this position stood on the board in this game, now included. The rules' meaning:
    /// three is a draw on claim, five is a draw.
    pub fn repetitions(&self) -> usize {
        1 + self.earlier_occurrences().count()
    }

    /// Whether the search may call this position a draw by repetition, `ply` plies from its root:
    /// once repeated inside the search (if it can be forced once it can be forced again), or twice
    /// in all when the earlier ones stood on the board before the root.
    pub fn is_search_repetition(&self, ply: usize) -> bool {
        let mut before_root = 0;
        for plies_ago in self.earlier_occurrences() {
            if plies_ago < ply {
                return true;
            }
            before_root += 1;
            if before_root == 2 {
                return true;
            }
        }
        false
    }

    /// Whether any position has come twice since the last capture or pawn move.
    pub fn has_repeated(&self) -> bool {
        let reach = usize::from(self.state.halfmove_clock).min(self.history.len());
        let since = &self.history[self.history.len() - reach..];
        let keys: Vec<_> = since.iter().chain([&self.state]).map(|state| state.key).collect();
        (1..keys.len()).any(|index| keys[..index].contains(&keys[index]))
    }

    /// How many plies ago the same position stood on the board, nearest first.
    fn earlier_occurrences(&self) -> impl Iterator<Item = usize> + '_ {
        let reach = usize::from(self.state.halfmove_clock.min(self.state.plies_from_null));
        let reach = reach.min(self.history.len());
        // The same side is to move only every second ply, and two plies cannot bring a position back.
        (4..=reach)
            .step_by(2)
            .filter(move |plies_ago| self.history[self.history.len() - plies_ago].key == self.state.key)
    }

    /// Whether fifty moves of each side have passed without a capture or a pawn move.
    /// Checkmate on the board outranks it: the caller looks for that first.
    #[inline(always)]
    pub fn fifty_moves_passed(&self) -> bool {
        self.state.halfmove_clock >= 100
    }

    /// Whether neither side can ever mate: bare kings, one minor piece, or bishops that all stand on
    /// squares of one colour.
    pub fn insufficient_material(&self) -> bool {
        let mating =
            self.by_kind(PieceType::Pawn) | self.by_kind(PieceType::Rook) | self.by_kind(PieceType::Queen);
        if mating.any() {
            return false;
        }
        let knights = self.by_kind(PieceType::Knight);
        let bishops = self.by_kind(PieceType::Bishop);
        if knights.any() {
            return (knights | bishops).count() == 1;
        }
        (bishops & Bitboard::DARK).is_empty() || (bishops & Bitboard::LIGHT).is_empty()
    }
}
