//! Moves as UCI writes them: two squares and a promotion letter.
//!
//! Castling has two spellings: the king's own walk (`e1g1`), which GUIs use in standard chess, and king
//! takes rook (`e1h1`), which they use in Chess960. Both are read everywhere; the second wins where
//! they could be confused.

use super::fen_error::quoted;
use super::{Board, MoveError, MoveFault, Wing, attacks};
use crate::types::{Bitboard, Color, Move, PieceType, Square};

impl Board {
    /// The legal move that a UCI text means here.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        self.read_uci(text).map_err(|fault| MoveError { token: quoted(text), fault })
    }

    /// A move as UCI text. Castling is the king's own walk (`e1g1`) where both king and rook stand as in
    /// standard chess and `chess960` is off; otherwise king takes rook.
    pub fn uci(&self, m: Move, chess960: bool) -> String {
        if m.is_castle() && !chess960 && m.from().file() == 4 && matches!(m.to().file(), 0 | 7) {
            let color = if m.from().rank() == 0 { Color::White } else { Color::Black };
            return format!("{}{}", m.from(), castling_wing(m).king_target(color));
        }
        match m.promotion() {
            Some(kind) => format!("{}{}{}", m.from(), m.to(), kind.letter()),
            None => format!("{}{}", m.from(), m.to()),
        }
    }

    fn read_uci(&self, text: &str) -> Result<Move, MoveFault> {
        if text == "0000" {
            return Err(MoveFault::Null);
        }
        let (Some(from), Some(to)) = (text.get(0..2), text.get(2..4)) else {
            return Err(MoveFault::NotCoordinates);
        };
        let (Ok(from), Ok(to)) = (from.parse::<Square>(), to.parse::<Square>()) else {
            return Err(MoveFault::NotCoordinates);
        };
        let mut rest = text[4..].chars();
        let promotion = match (rest.next(), rest.next()) {
            (None, _) => None,
            (Some(letter), None) => match PieceType::from_letter(letter) {
                Some(PieceType::Pawn | PieceType::King) | None => {
                    return Err(MoveFault::PromotionLetter { letter: quoted(&letter.to_string()) });
                }
                kind => kind,
            },
            _ => return Err(MoveFault::NotCoordinates),
        };
        let moves = self.legal_moves();
        let exact = moves.iter().find(|m| m.from() == from && m.to() == to && m.promotion() == promotion);
        // A king never walks two squares but to castle.
        let walked = || {
            moves.iter().find(|m| {
                m.is_castle()
                    && m.from() == from
                    && castling_wing(**m).king_target(self.side_to_move()) == to
                    && from.distance(to) > 1
                    && promotion.is_none()
            })
        };
        match exact.or_else(walked) {
            Some(&m) => Ok(m),
            None => Err(self.why_illegal(from, to, promotion)),
        }
    }

    /// The reason why no legal move goes from one square to the other.
    pub(super) fn why_illegal(&self, from: Square, to: Square, promotion: Option<PieceType>) -> MoveFault {
        let mover = self.side_to_move();
        let Some(piece) = self.piece_at(from) else { return MoveFault::EmptySquare { from } };
        let kind = piece.kind();
        if piece.color() != mover {
            return MoveFault::NotTheMovers { from, kind, mover };
        }
        if kind == PieceType::King
            && let Some(wing) = self.castling_meant(from, to)
        {
            return match self.castle_towards(wing) {
                Err(fault) => fault,
                Ok(_) if promotion.is_some() => MoveFault::PromotionUnexpected,
                Ok(_) => MoveFault::OtherwiseMoving { kind, from, to }, // castling, misspelt as a king's move
            };
        }
        if self.by_color(mover).has(to) {
            return MoveFault::OwnPiece { to };
        }
        let enemies = self.by_color(!mover);
        if kind == PieceType::Pawn && attacks::pawn(mover, from).has(to) {
            if !enemies.has(to) && self.en_passant() != Some(to) {
                return MoveFault::NothingToTake { from, to };
            }
        } else {
            let (unhindered, reachable) = self.reach(kind, from);
            if !unhindered.has(to) {
                return MoveFault::OtherwiseMoving { kind, from, to };
            }
            if !reachable.has(to) {
                return MoveFault::Blocked { from, to };
            }
        }
        let promotes = kind == PieceType::Pawn && to.relative_rank(mover) == 7;
        match promotion {
            None if promotes => return MoveFault::PromotionMissing,
            Some(_) if !promotes => return MoveFault::PromotionUnexpected,
            _ => {}
        }
        if kind == PieceType::King {
            MoveFault::KingLeftAttacked { king: to }
        } else if self.in_check() {
            MoveFault::CheckUnanswered { mover }
        } else {
            MoveFault::KingLeftAttacked { king: self.king(mover) }
        }
    }

    /// Where a piece could go (captures of pawns aside) on an empty board, and on this one.
    fn reach(&self, kind: PieceType, from: Square) -> (Bitboard, Bitboard) {
        let occupied = self.occupied();
        match kind {
            PieceType::Knight => (attacks::knight(from), attacks::knight(from)),
            PieceType::King => (attacks::king(from), attacks::king(from)),
            PieceType::Bishop => (attacks::bishop(from, Bitboard::EMPTY), attacks::bishop(from, occupied)),
            PieceType::Rook => (attacks::rook(from, Bitboard::EMPTY), attacks::rook(from, occupied)),
            PieceType::Queen => (attacks::queen(from, Bitboard::EMPTY), attacks::queen(from, occupied)),
            PieceType::Pawn => {
                let mover = self.side_to_move();
                let pushes = |empty: Bitboard| {
                    let one = Bitboard::of(from).forward(mover) & empty;
                    let two = (one & Bitboard::relative_rank(mover, 2)).forward(mover) & empty;
                    one | two
                };
                (pushes(Bitboard::ALL), pushes(!occupied))
            }
        }
    }

    /// The wing that a king's move would castle to, in either spelling.
    fn castling_meant(&self, from: Square, to: Square) -> Option<Wing> {
        let mover = self.side_to_move();
        let own_rook = self.pieces(mover, PieceType::Rook).has(to);
        let walks = from.distance(to) > 1 && Wing::BOTH.iter().any(|wing| wing.king_target(mover) == to);
        let at_home = from.relative_rank(mover) == 0 && to.relative_rank(mover) == 0;
        (at_home && (own_rook || walks)).then_some(if to > from { Wing::King } else { Wing::Queen })
    }

    /// Castling to this wing, or why it is not legal.
    pub(super) fn castle_towards(&self, wing: Wing) -> Result<Move, MoveFault> {
        let moves = self.legal_moves();
        let castle = moves.iter().find(|m| m.is_castle() && castling_wing(**m) == wing);
        castle.copied().ok_or_else(|| self.why_no_castling(wing))
    }

    /// The reason why castling to this wing, known not to be legal, is not.
    fn why_no_castling(&self, wing: Wing) -> MoveFault {
        let mover = self.side_to_move();
        if !self.castling_rights().has(mover, wing) {
            MoveFault::NoCastlingRight { mover, wing }
        } else if self.in_check() {
            MoveFault::CheckUnanswered { mover }
        } else if (self.castling_setup.must_be_empty(mover, wing) & self.occupied()).any() {
            MoveFault::CastlingBlocked { wing }
        } else {
            MoveFault::CastlingAttacked { wing }
        }
    }
}

fn castling_wing(castle: Move) -> Wing {
    if castle.to() > castle.from() { Wing::King } else { Wing::Queen }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).unwrap()
    }

    #[test]
    fn both_castling_spellings_are_read() {
        let standard = board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        for (walk, takes_rook) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
            let m = standard.parse_uci(walk).unwrap();
            assert!(m.is_castle());
            assert_eq!(standard.parse_uci(takes_rook).unwrap(), m);
            assert_eq!(standard.uci(m, false), walk);
            assert_eq!(standard.uci(m, true), takes_rook);
        }
    }

    #[test]
    fn a_king_step_is_no_castling() {
        let chess960 = board("4k3/8/8/8/8/8/8/5K1R w K - 0 1");
        assert!(!chess960.parse_uci("f1g1").unwrap().is_castle());
        let castle = chess960.parse_uci("f1h1").unwrap();
        assert!(castle.is_castle());
        // The king's walk would be f1g1, which is the step: so the rook's square is written always.
        assert_eq!(chess960.uci(castle, false), "f1h1");
    }

    #[test]
    fn errors_name_the_token_and_the_reason() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let promotion = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        let pinned = "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1";
        let checked = "4r1k1/8/8/8/8/8/3N4/R3K2R w KQ - 0 1";
        let crossing = "5rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        for (fen, token, message) in [
            (
                start,
                "e9e4",
                "move 'e9e4': expected two squares and a promotion letter where one is due, like e2e4 or e7e8q",
            ),
            (
                start,
                "",
                "move '': expected two squares and a promotion letter where one is due, like e2e4 or e7e8q",
            ),
            (
                start,
                "e2é4",
                "move 'e2é4': expected two squares and a promotion letter where one is due, like e2e4 or e7e8q",
            ),
            (
                start,
                "e2e4qq",
                "move 'e2e4qq': expected two squares and a promotion letter where one is due, like e2e4 or e7e8q",
            ),
            (start, "0000", "move '0000': the null move is not legal"),
            (start, "e3e4", "move 'e3e4': there is no piece on e3"),
            (start, "e7e5", "move 'e7e5': the pawn on e7 is not White's, whose turn it is"),
            (start, "b1d2", "move 'b1d2': an own piece stands on d2"),
            (start, "b1b3", "move 'b1b3': a knight does not move from b1 to b3"),
            (start, "a1a3", "move 'a1a3': the way from a1 to a3 is blocked"),
            (start, "e2d3", "move 'e2d3': the pawn on e2 has nothing to take on d3"),
            (start, "e2e5", "move 'e2e5': a pawn does not move from e2 to e5"),
            (start, "e2e4q", "move 'e2e4q': only a pawn that reaches the last rank promotes"),
            (start, "e1g1", "move 'e1g1': castling king side (O-O) is blocked"),
            (
                promotion,
                "a7a8",
                "move 'a7a8': a pawn that reaches the last rank needs its promotion: one of q, r, b, n",
            ),
            (promotion, "a7a8k", "move 'a7a8k': 'k' is no promotion; expected one of q, r, b, n"),
            (
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                "e1g1q",
                "move 'e1g1q': only a pawn that reaches the last rank promotes",
            ),
            (promotion, "e1g1", "move 'e1g1': White has no right to castle king side (O-O)"),
            (pinned, "e2c3", "move 'e2c3': it would leave the king on e1 attacked"),
            (checked, "d2b3", "move 'd2b3': White is in check and this does not answer it"),
            (checked, "e1a1", "move 'e1a1': White is in check and this does not answer it"),
            (checked, "e1e2", "move 'e1e2': it would leave the king on e2 attacked"),
            (
                crossing,
                "e1g1",
                "move 'e1g1': castling king side (O-O): the king would cross or reach an attacked square",
            ),
        ] {
            assert_eq!(board(fen).parse_uci(token).unwrap_err().to_string(), message, "{fen} {token}");
        }
    }
}
