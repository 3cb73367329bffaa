//! Moves as people write them (standard algebraic notation).
//!
//! Writing is exact: the shortest disambiguation, `+` and `#`. Reading is forgiving, as score sheets
//! are written by many hands: `0-0`, `e8Q`, `e8=q`, `Ng1-f3`, `Ngf3`, `Pe4`, `exd6e.p.`, missing or wrong check
//! signs and annotations like `!?` are all understood. What stays refused is what could mean two moves or none.

use super::fen_error::quoted;
use super::{Board, MoveError, MoveFault, Wing, attacks};
use crate::types::{Bitboard, File, Move, MoveKind, PieceType, Rank, Square};

impl Board {
    /// The legal move that a text in algebraic notation means here.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        self.read_san(text).map_err(|fault| MoveError { token: quoted(text), fault })
    }

    /// A legal move in algebraic notation. One that is not legal here is written as UCI would.
    pub fn san(&self, m: Move) -> String {
        if !self.is_legal(m) {
            return self.uci(m, true);
        }
        let mut text = self.san_without_check(m);
        if self.gives_check(&self.check_info(), m) {
            // The game's history does not matter for this, and copying it would cost.
            let mut after = Board::from_setup(&self.setup());
            after.make(m);
            text.push(if after.count_legal_moves() == 0 { '#' } else { '+' });
        }
        text
    }

    fn san_without_check(&self, m: Move) -> String {
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            return String::from(if to > from { "O-O" } else { "O-O-O" });
        }
        let mut text = String::with_capacity(8);
        match self.kind_at(from) {
            None | Some(PieceType::Pawn) => {
                if m.is_capture() {
                    text.push(file_letter(from.file()));
                }
            }
            Some(kind) => {
                text.push(kind.letter().to_ascii_uppercase());
                self.push_disambiguation(&mut text, m, kind);
            }
        }
        if m.is_capture() {
            text.push('x');
        }
        text.push_str(&to.to_string());
        if let Some(kind) = m.promotion() {
            text.push('=');
            text.push(kind.letter().to_ascii_uppercase());
        }
        text
    }

    /// As little as tells the piece from the others of its kind that can go there: its file, else its
    /// rank, else both.
    fn push_disambiguation(&self, text: &mut String, m: Move, kind: PieceType) {
        let from = m.from();
        let rivals: Bitboard = self
            .legal_moves()
            .iter()
            .filter(|other| other.to() == m.to() && !other.is_castle() && other.from() != from)
            .map(|other| other.from())
            .filter(|&square| self.kind_at(square) == Some(kind))
            .collect();
        if rivals.is_empty() {
            return;
        }
        let on_file = (rivals & Bitboard::file(from.file())).any();
        let on_rank = (rivals & Bitboard::rank(from.rank())).any();
        if !on_file || on_rank {
            text.push(file_letter(from.file()));
        }
        if on_file {
            text.push(rank_digit(from.rank()));
        }
    }

    fn read_san(&self, text: &str) -> Result<Move, MoveFault> {
        let wanted = match Pattern::read(text).ok_or(MoveFault::NotSan)? {
            Pattern::Castle(wing) => return self.castle_towards(wing),
            Pattern::Walk(walk) => walk,
        };
        if let Some(PieceType::Pawn | PieceType::King) = wanted.promotion {
            return Err(MoveFault::NotSan);
        }
        match self.only_candidate(&wanted) {
            Some(m) => Ok(m),
            None => self.candidate_of_all(&wanted),
        }
    }

    /// The move where one man alone can be meant: most moves of most games, found without generating all.
    fn only_candidate(&self, wanted: &Walk) -> Option<Move> {
        let (us, to, occupied) = (self.side_to_move(), wanted.to, self.occupied());
        let takes = self.by_color(!us).has(to);
        let kind = if takes { MoveKind::Capture } else { MoveKind::Quiet };
        let (starts, kind) = match wanted.kind {
            PieceType::Knight => (attacks::knight(to), kind),
            PieceType::Bishop => (attacks::bishop(to, occupied), kind),
            PieceType::Rook => (attacks::rook(to, occupied), kind),
            PieceType::Queen => (attacks::queen(to, occupied), kind),
            PieceType::King => (attacks::king(to), kind),
            // Promotions and captures in passing are rare.
            PieceType::Pawn if self.en_passant() == Some(to) => return None,
            PieceType::Pawn if !(2..7).contains(&to.relative_rank(us)) => return None,
            PieceType::Pawn if takes => (attacks::pawn(!us, to), kind),
            PieceType::Pawn => {
                let behind = to.forward(!us);
                match to.relative_rank(us) == 3 && !occupied.has(behind) {
                    true => (Bitboard::of(behind.forward(!us)), MoveKind::DoublePush),
                    false => (Bitboard::of(behind), kind),
                }
            }
        };
        if wanted.promotion.is_some() {
            return None;
        }
        let starts = (starts & self.pieces(us, wanted.kind)).into_iter();
        let mut candidates = starts
            .filter(|&from| wanted.starts_from(from))
            .map(|from| Move::new(from, to, kind))
            .filter(|&m| self.is_legal(m));
        candidates.next().filter(|_| candidates.next().is_none())
    }

    /// The move that a text means among all legal ones, or why there is none.
    fn candidate_of_all(&self, wanted: &Walk) -> Result<Move, MoveFault> {
        let moves = self.legal_moves();
        let matching = |m: &&Move| {
            !m.is_castle()
                && m.to() == wanted.to
                && self.kind_at(m.from()) == Some(wanted.kind)
                && wanted.starts_from(m.from())
                && m.promotion() == wanted.promotion
        };
        let mut candidates = moves.iter().filter(matching);
        match (candidates.next(), candidates.next()) {
            (Some(&m), None) => Ok(m),
            (Some(_), Some(_)) => {
                let names: Vec<String> = moves.iter().filter(matching).map(|&m| self.san(m)).collect();
                Err(MoveFault::Ambiguous { candidates: names.join(", ") })
            }
            (None, _) => Err(self.why_no_candidate(wanted)),
        }
    }

    fn why_no_candidate(&self, wanted: &Walk) -> MoveFault {
        let mover = self.side_to_move();
        let mut starts =
            self.pieces(mover, wanted.kind).into_iter().filter(|&square| wanted.starts_from(square));
        match (starts.next(), starts.next()) {
            // With one piece that it can be, there is one reason.
            (Some(from), None) => self.why_illegal(from, wanted.to, wanted.promotion),
            _ if wanted.promotion.is_some() && wanted.to.relative_rank(mover) != 7 => {
                MoveFault::PromotionUnexpected
            }
            _ => MoveFault::Unreachable { kind: wanted.kind, mover, to: wanted.to },
        }
    }
}

fn file_letter(file: File) -> char {
    char::from(b'a' + file)
}

fn rank_digit(rank: Rank) -> char {
    char::from(b'1' + rank)
}

/// What a text in algebraic notation asks for.
enum Pattern {
    Castle(Wing),
    Walk(Walk),
}

/// A piece of a kind that goes to a square.
struct Walk {
    kind: PieceType,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to: Square,
    promotion: Option<PieceType>,
}

impl Walk {
    fn starts_from(&self, square: Square) -> bool {
        self.from_file.is_none_or(|file| file == square.file())
            && self.from_rank.is_none_or(|rank| rank == square.rank())
    }
}

impl Pattern {
    /// `None` when the text has not the form of a move.
    fn read(text: &str) -> Option<Pattern> {
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        let text = text.strip_suffix("e.p.").unwrap_or(text);
        match text {
            "O-O" | "0-0" | "o-o" => return Some(Pattern::Castle(Wing::King)),
            "O-O-O" | "0-0-0" | "o-o-o" => return Some(Pattern::Castle(Wing::Queen)),
            _ => {}
        }
        let (kind, rest) = match text.chars().next()? {
            letter @ ('P' | 'N' | 'B' | 'R' | 'Q' | 'K') => (PieceType::from_letter(letter)?, &text[1..]),
            _ => (PieceType::Pawn, text),
        };
        let (rest, promotion) = split_promotion(rest)?;
        let (start, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to: Square = to.parse().ok()?;
        let takes = start.ends_with(['x', ':']);
        let start = start.strip_suffix(['x', ':', '-']).unwrap_or(start);
        let (mut from_file, mut from_rank) = (None, None);
        for byte in start.bytes() {
            match byte {
                b'a'..=b'h' if from_file.is_none() && from_rank.is_none() => from_file = Some(byte - b'a'),
                b'1'..=b'8' if from_rank.is_none() => from_rank = Some(byte - b'1'),
                _ => return None,
            }
        }
        if kind == PieceType::Pawn && from_file.is_none() && !takes {
            from_file = Some(to.file());
        }
        Some(Pattern::Walk(Walk { kind, from_file, from_rank, to, promotion }))
    }
}

/// Cuts a promotion (`=Q`, `Q`, `q`, `(Q)`, `/Q`) off the end of a move.
fn split_promotion(text: &str) -> Option<(&str, Option<PieceType>)> {
    let bare = text.strip_suffix(')').unwrap_or(text);
    let last = bare.chars().next_back()?;
    let Some(kind) = PieceType::from_letter(last) else {
        // No promotion; a bracket without one is no move.
        return (bare.len() == text.len()).then_some((text, None));
    };
    let front = &bare[..bare.len() - 1];
    let front = if bare.len() < text.len() {
        front.strip_suffix('(')?
    } else {
        front.strip_suffix(['=', '/']).unwrap_or(front)
    };
    Some((front, Some(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).unwrap()
    }

    #[test]
    fn many_hands_write_one_move() {
        for (fen, uci, san, spellings) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "g1f3",
                "Nf3",
                &["Nf3", "Ngf3", "N1f3", "Ng1f3", "Ng1-f3", "Nf3!?", "Nf3+", "Nxf3"][..],
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "e2e4",
                "e4",
                &["e4", "e2e4", "e2-e4", "Pe4", "ee4", "e4!!"][..],
            ),
            (
                "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
                "e1g1",
                "O-O",
                &["O-O", "0-0", "o-o", "O-O+!?", "0-0#"][..],
            ),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", "O-O-O", &["O-O-O", "0-0-0", "O-O-O!"][..]),
            (
                "k2r4/4P3/8/8/8/8/8/4K3 w - - 0 1",
                "e7d8q",
                "exd8=Q+",
                &["exd8=Q+", "exd8=Q", "ed8Q", "exd8q", "exd8(Q)", "exd8/Q", "e7xd8=Q", "e7d8q", "xd8=Q"][..],
            ),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
                "e5d6",
                "exd6",
                &["exd6", "exd6e.p.", "ed6", "e5xd6", "e:d6"][..],
            ),
        ] {
            let board = board(fen);
            let m = board.parse_uci(uci).unwrap();
            assert_eq!(board.san(m), san);
            for spelling in spellings {
                assert_eq!(board.parse_san(spelling), Ok(m), "{spelling}");
            }
        }
    }

    /// The short way gives what the long way gives, for every square and every kind of man.
    #[test]
    fn one_candidate_is_the_one_of_all() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/2P1P3/8/8/7b/8/3N1N2/3RKR2 w - - 0 1",
            "8/8/8/8/4Q2Q/8/k1K5/7Q w - - 0 1",
        ] {
            let board = board(fen);
            let (mut found, all) = (0, board.legal_moves().len());
            for (kind, to) in
                PieceType::ALL.into_iter().flat_map(|kind| Square::all().map(move |to| (kind, to)))
            {
                let from_files = (0..8).map(Some).chain([None]);
                for (from_file, from_rank) in
                    from_files.flat_map(|file| [(file, None), (file, Some(1)), (file, Some(4))])
                {
                    let wanted = Walk { kind, from_file, from_rank, to, promotion: None };
                    if let Some(m) = board.only_candidate(&wanted) {
                        found += 1;
                        assert_eq!(board.candidate_of_all(&wanted).ok(), Some(m), "{fen} {kind:?} {to}");
                    }
                }
            }
            assert!(found > all, "{fen}: {found}");
        }
    }

    #[test]
    fn disambiguation_is_as_short_as_can_be() {
        // Queens on e4, h4 and h1 all reach e1: the corner one needs file and rank.
        let queens = board("8/8/8/8/4Q2Q/8/k1K5/7Q w - - 0 1");
        for (uci, san) in [("e4e1", "Qee1"), ("h1e1", "Q1e1"), ("h4e1", "Qh4e1")] {
            assert_eq!(queens.san_without_check(queens.parse_uci(uci).unwrap()), san);
        }
        // A pinned rival does not count.
        let pinned = board("4r1k1/8/8/8/8/8/4N3/1N2K3 w - - 0 1");
        assert_eq!(pinned.san(pinned.parse_uci("b1c3").unwrap()), "Nc3");
        let mate = board("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
        assert_eq!(mate.san(mate.parse_uci("a1a8").unwrap()), "Ra8#");
    }

    #[test]
    fn errors_name_the_token_and_the_reason() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let twins = "4k3/8/8/8/8/8/3K4/N3N3 w - - 0 1";
        let promotion = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        for (fen, token, message) in [
            (start, "", "move '': expected a move like e4, Nf3, exd5, R1a3, e8=Q or O-O"),
            (start, "Nf9", "move 'Nf9': expected a move like e4, Nf3, exd5, R1a3, e8=Q or O-O"),
            (start, "Ñf3", "move 'Ñf3': expected a move like e4, Nf3, exd5, R1a3, e8=Q or O-O"),
            (start, "Nd4", "move 'Nd4': no knight of White can legally go to d4"),
            (start, "Ngd4", "move 'Ngd4': a knight does not move from g1 to d4"),
            (start, "Qd3", "move 'Qd3': the way from d1 to d3 is blocked"),
            (start, "exd3", "move 'exd3': the pawn on e2 has nothing to take on d3"),
            (start, "O-O", "move 'O-O': castling king side (O-O) is blocked"),
            (start, "e4=Q", "move 'e4=Q': only a pawn that reaches the last rank promotes"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "Kg1", "move 'Kg1': a king does not move from e1 to g1"),
            (twins, "Nc2", "move 'Nc2': it can be any of Nac2, Nec2"),
            (
                promotion,
                "a8",
                "move 'a8': a pawn that reaches the last rank needs its promotion: one of q, r, b, n",
            ),
            (promotion, "a8=K", "move 'a8=K': expected a move like e4, Nf3, exd5, R1a3, e8=Q or O-O"),
        ] {
            assert_eq!(board(fen).parse_san(token).unwrap_err().to_string(), message, "{fen} {token}");
        }
    }
}
