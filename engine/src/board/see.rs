//! Static exchange evaluation: does a capture pay once everybody has taken back?

use super::{Board, attacks};
use crate::types::{Bitboard, Color, Move, PieceType, Square, Value};

/// What a piece is worth in an exchange. Round numbers on purpose: the exchange asks who wins
/// material, not how much it matters. `// [kind]`
pub const EXCHANGE_VALUES: [Value; 6] = [100, 320, 330, 500, 900, 0];

impl Board {
    /// Whether the exchange that `m` begins wins at least `threshold`, both sides taking with their
    /// cheapest piece and stopping when it pays to stop.
    pub fn see_ge(&self, m: Move, threshold: Value) -> bool {
        if m.is_castle() {
            return threshold <= 0;
        }
        let (from, to) = (m.from(), m.to());
        let mut us = self.side_to_move;

        // After the first move: ahead by this much over the threshold.
        let mut balance = self.gain(m) - threshold;
        if balance < 0 {
            return false;
        }
        // In the worst case the moved piece is lost.
        let moved = m.promotion().unwrap_or(self.expect_piece(from).kind());
        balance -= EXCHANGE_VALUES[moved.index()];
        if balance >= 0 {
            return true;
        }

        let mut occupied = (self.occupied() ^ from.into()) | to.into();
        if m.is_en_passant() {
            occupied ^= to.forward(!us).into();
        }
        let diagonal = self.by_kind(PieceType::Bishop) | self.by_kind(PieceType::Queen);
        let straight = self.by_kind(PieceType::Rook) | self.by_kind(PieceType::Queen);
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut us_wins = true;

        loop {
            us = !us;
            attackers &= occupied;
            let mut mine = attackers & self.by_color(us);
            // Whoever is pinned stands on a line of its king: mostly none of these does.
            let king = self.king(us);
            if (mine & attacks::queen_rays(king)).any() {
                // A pinned piece takes part only while nothing that pins it has left the board.
                let (pinned, pinners) = self.exchange_pins(us);
                if (pinners & occupied) == pinners {
                    mine -= pinned - attacks::line(king, to);
                }
            }
            if mine.is_empty() {
                return us_wins;
            }
            us_wins = !us_wins;

            let (kind, square) = self.cheapest(mine);
            if kind == PieceType::King {
                // A king may take last only: if the other side still attacks, it could not take at all.
                return if (attackers & self.by_color(!us)).any() { !us_wins } else { us_wins };
            }
            // Negamax with a null window: the side to move must get its balance back above zero.
            balance = -balance - 1 - EXCHANGE_VALUES[kind.index()];
            if balance >= 0 {
                return us_wins;
            }
            occupied ^= square.into();
            if matches!(kind, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(kind, PieceType::Rook | PieceType::Queen) {
                attackers |= attacks::rook(to, occupied) & straight;
            }
        }
    }

    /// Whether a move leaves the other side an exchange that wins at least a pawn more than the move itself took.
    pub fn offers_material(&self, m: Move) -> bool {
        let least = self.gain(m) + EXCHANGE_VALUES[PieceType::Pawn.index()];
        let mut after = self.clone();
        after.make(m);
        after.legal_moves().iter().any(|&reply| reply.is_capture() && after.see_ge(reply, least))
    }

    /// What a move wins at once: the piece taken and what a promotion adds.
    #[inline(always)]
    fn gain(&self, m: Move) -> Value {
        let taken = if m.is_en_passant() {
            EXCHANGE_VALUES[PieceType::Pawn.index()]
        } else {
            self.kind_at(m.to()).map_or(0, |kind| EXCHANGE_VALUES[kind.index()])
        };
        match m.promotion() {
            Some(kind) => taken + EXCHANGE_VALUES[kind.index()] - EXCHANGE_VALUES[PieceType::Pawn.index()],
            None => taken,
        }
    }

    #[inline(always)]
    fn cheapest(&self, among: Bitboard) -> (PieceType, Square) {
        for kind in PieceType::ALL {
            if let Some(square) = (among & self.by_kind(kind)).first() {
                return (kind, square);
            }
        }
        unreachable!("the set is not empty")
    }

    /// A side's pinned pieces and the enemy sliders that pin them.
    fn exchange_pins(&self, color: Color) -> (Bitboard, Bitboard) {
        let (mut pinned, mut pinners) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for (slider, standing_between) in self.sliders_on_lines(self.king(color), !color) {
            if !standing_between.several() && (standing_between & self.by_color(color)).any() {
                pinned |= standing_between;
                pinners |= slider.into();
            }
        }
        (pinned, pinners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact exchange value by plain recursion over legal captures on one square.
    fn exchange_by_playing(board: &mut Board, m: Move) -> Value {
        let gain = board.gain(m);
        let to = m.to();
        board.make(m);
        let mut best_reply = 0;
        // Only the cheapest legal recapture, as the exchange is defined; promotions count as queens.
        let reply = board
            .legal_moves()
            .iter()
            .copied()
            .filter(|r| r.to() == to && r.is_capture() && !r.is_en_passant())
            .filter(|r| r.promotion().is_none())
            .min_by_key(|r| board.expect_piece(r.from()).kind());
        if let Some(reply) = reply {
            best_reply = exchange_by_playing(board, reply).max(0);
        }
        board.unmake();
        gain - best_reply
    }

    #[test]
    fn what_is_an_offer() {
        for (fen, text, offers) in [
            // A bishop for a pawn; the same where the bishop is taken for nothing; a pawn for a pawn.
            ("rnbq1rk1/pppnbppp/4p3/3pP3/3P4/2NB1N2/PPP2PPP/R1BQK2R w KQ - 0 1", "d3h7", true),
            ("4k3/8/4p3/8/8/8/8/4KB2 w - - 0 1", "f1a6", false),
            ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", false),
            // A knight under attack: to stay is to offer it, to go is not.
            ("4k3/8/8/3p4/4N3/8/P7/4K3 w - - 0 1", "a2a3", true),
            ("4k3/8/8/3p4/4N3/8/P7/4K3 w - - 0 1", "e4g3", false),
            // Defended by its equal: an exchange.
            ("4k3/8/5n2/8/4N3/3P4/P7/4K3 w - - 0 1", "a2a3", false),
            // A rook for a bishop.
            ("4k3/8/3p4/4b3/8/8/8/4R1K1 w - - 0 1", "e1e5", true),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let m = board.parse_uci(text).unwrap();
            assert_eq!(board.offers_material(m), offers, "{fen} {text}");
        }
    }

    #[test]
    fn known_exchanges() {
        for (fen, text, value) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
            ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
            ("3r2k1/8/8/3p4/8/8/8/3Q2K1 w - - 0 1", "d1d5", -800),
            ("3rk3/3r4/8/3p4/8/3R4/3R4/3QK3 w - - 0 1", "d3d5", 100),
            ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3", 100),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let m = *board.legal_moves().iter().find(|m| format!("{m:?}") == text).unwrap();
            assert!(board.see_ge(m, value), "{fen} {text} reaches {value}");
            assert!(!board.see_ge(m, value + 1), "{fen} {text} stays below {}", value + 1);
        }
    }

    #[test]
    fn agrees_with_playing_the_captures_out() {
        let mut state = 11;
        let (mut seen, mut differ) = (0, 0);
        for _ in 0..300 {
            let mut board = Board::start();
            for _ in 0..80 {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for &m in moves.iter().filter(|m| m.is_capture() && !m.is_promotion()) {
                    let value = exchange_by_playing(&mut board, m);
                    seen += 1;
                    differ += usize::from(!board.see_ge(m, value) || board.see_ge(m, value + 1));
                }
                let pick = crate::board::zobrist::splitmix64(&mut state) as usize % moves.len();
                board.make(moves[pick]);
            }
        }
        // Playing out knows of checks, of pins that appear or end during the exchange and of pawns that
        // take onto the last rank; the static form does not. They must be rare.
        assert!(seen > 10_000, "{seen}");
        assert!(differ * 100 < seen * 3, "{differ} of {seen} differ");
        println!("{differ} of {seen} differ");
    }
}
