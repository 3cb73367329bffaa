//! Upcoming repetitions: can the side to move reach a position that already stood on the board?
//!
//! Marcel van Kervinck's observation: if two positions in the history differ by one reversible move,
//! the xor of their keys is the key of that move. All such keys (a piece, two squares it can go
//! between) fit into a cuckoo table that is asked in constant time.

use std::sync::LazyLock;

use super::zobrist::{Key, ZOBRIST};
use super::{Board, attacks};
use crate::types::{Bitboard, Piece, PieceType, Square};

const SIZE: usize = 8192;

/// Reversible moves by the key they xor into a position.
struct Cuckoo {
    keys: [Key; SIZE],
    /// The two squares; A1 twice where there is nothing.
    moves: [(Square, Square); SIZE],
}

fn first_slot(key: Key) -> usize {
    key as usize % SIZE
}

fn second_slot(key: Key) -> usize {
    (key >> 16) as usize % SIZE
}

static CUCKOO: LazyLock<Cuckoo> = LazyLock::new(|| {
    let mut table = Cuckoo { keys: [0; SIZE], moves: [(Square::A1, Square::A1); SIZE] };
    for piece in Piece::ALL.into_iter().filter(|piece| piece.kind() != PieceType::Pawn) {
        for a in Square::all() {
            for b in reach(piece.kind(), a).into_iter().filter(|&b| b > a) {
                let mut key = ZOBRIST.piece(piece, a) ^ ZOBRIST.piece(piece, b) ^ ZOBRIST.black_to_move;
                let mut squares = (a, b);
                let mut slot = first_slot(key);
                // Each newcomer takes the slot, and whoever was there moves to its other one.
                loop {
                    std::mem::swap(&mut table.keys[slot], &mut key);
                    std::mem::swap(&mut table.moves[slot], &mut squares);
                    if key == 0 {
                        break;
                    }
                    slot ^= first_slot(key) ^ second_slot(key);
                }
            }
        }
    }
    table
});

fn reach(kind: PieceType, from: Square) -> Bitboard {
    match kind {
        PieceType::Knight => attacks::knight(from),
        PieceType::Bishop => attacks::bishop_rays(from),
        PieceType::Rook => attacks::rook_rays(from),
        PieceType::Queen => attacks::bishop_rays(from) | attacks::rook_rays(from),
        _ => attacks::king(from),
    }
}

impl Board {
    /// Whether the side to move has a move that repeats a position, `ply` plies from the search's root.
    /// Then it can count on a draw at least.
    pub fn upcoming_repetition(&self, ply: usize) -> bool {
        let reach = usize::from(self.state.halfmove_clock.min(self.state.plies_from_null));
        let reach = reach.min(self.history.len());
        if reach < 3 {
            return false;
        }
        let earlier = |plies_ago: usize| self.history[self.history.len() - plies_ago].key;
        // Everything between must cancel out: the other side's moves there have to be undone too.
        let mut others = self.state.key ^ earlier(1) ^ ZOBRIST.black_to_move;
        for plies_ago in (3..=reach).step_by(2) {
            others ^= earlier(plies_ago - 1) ^ earlier(plies_ago) ^ ZOBRIST.black_to_move;
            if others != 0 {
                continue;
            }
            let move_key = self.state.key ^ earlier(plies_ago);
            let mut slot = first_slot(move_key);
            if CUCKOO.keys[slot] != move_key {
                slot = second_slot(move_key);
                if CUCKOO.keys[slot] != move_key {
                    continue;
                }
            }
            let (a, b) = CUCKOO.moves[slot];
            if (attacks::between(a, b) & self.occupied()).any() {
                continue;
            }
            if plies_ago < ply {
                return true;
            }
            // Before the root it must be our own move back, and the position a repeated one already.
            let mover = if self.occupied().has(a) { self.piece_at(a) } else { self.piece_at(b) };
            if mover.is_some_and(|piece| piece.color() == self.side_to_move) && self.stood_twice(plies_ago) {
                return true;
            }
        }
        false
    }

    /// Whether the position `plies_ago` had itself occurred before.
    fn stood_twice(&self, plies_ago: usize) -> bool {
        let at = self.history.len() - plies_ago;
        let then = &self.history[at];
        let reach = usize::from(then.halfmove_clock.min(then.plies_from_null)).min(at);
        (4..=reach).step_by(2).any(|back| self.history[at - back].key == then.key)
    }
}

/// How many reversible moves there are: the table holds them all.
#[cfg(test)]
const REVERSIBLE_MOVES: usize = 3668;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::zobrist::splitmix64;

    #[test]
    fn every_reversible_move_has_its_slot() {
        assert_eq!(CUCKOO.keys.iter().filter(|&&key| key != 0).count(), REVERSIBLE_MOVES);
    }

    #[test]
    fn agrees_with_trying_all_moves() {
        let mut state = 21;
        let mut found = 0;
        for _ in 0..400 {
            let mut board = Board::start();
            for _ in 0..60 {
                let moves = board.legal_moves();
                // Mostly piece moves, so that positions come back.
                let quiet: Vec<_> = moves
                    .iter()
                    .copied()
                    .filter(|m| {
                        m.is_quiet() && !m.is_castle() && board.kind_at(m.from()) == Some(PieceType::Knight)
                    })
                    .collect();
                let pool = if quiet.is_empty() { &moves[..] } else { &quiet[..] };
                if pool.is_empty() {
                    break;
                }
                let m = pool[splitmix64(&mut state) as usize % pool.len()];
                board.make(m);
                let ply = 1000; // as if all of it were inside the search
                let by_trying = board.legal_moves().iter().any(|&m| {
                    let mut next = board.clone();
                    next.make(m);
                    next.is_search_repetition(ply)
                });
                assert_eq!(board.upcoming_repetition(ply), by_trying, "{board:?}");
                found += usize::from(by_trying);
            }
        }
        assert!(found > 500, "{found}");
    }
}
