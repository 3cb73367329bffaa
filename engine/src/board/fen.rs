//! FEN in and out: standard, X-FEN and Shredder castling.
//!
//! The fields are read here, so that an error can name its field; whether the position they describe
//! is a possible one is shakmaty's judgement. What is forgiven, because programs send it:
//! - missing clocks (0 and 1 are taken) and a move number of 0 (read as 1);
//! - an en passant square that cannot be used is dropped, with or without a pawn in front of it;
//! - more pieces than promotions can explain, as long as the board can deal with them: at most sixteen
//!   men and eight pawns a side, and at most nine queens and pawns together. The last bound keeps
//!   the moves of a position below the 256 that a move list holds: simulated annealing over such armies
//!   found 227 at most, a legal game has 218.
//!
//! Everything else is refused: a right to castle without its rook, a side that could take the king.

use std::fmt::Write;

use shakmaty::{CastlingMode, Chess, FromSetup, PositionErrorKinds};

use super::fen_error::{FenError, FenField, quoted};
use super::{Board, Setup, State, Wing, attacks};
use crate::types::{Bitboard, Color, Piece, PieceType, Square};

/// Both clocks of a FEN stop here: far beyond any game, and far from overflowing the board's counters.
const LARGEST_CLOCK: u16 = 9_999;

impl Board {
    /// Reads a FEN of four, five or six fields.
    pub fn from_fen(text: &str) -> Result<Board, FenError> {
        let mut fields = text.split_ascii_whitespace();
        let position = PositionFields::take(&mut fields)?;
        let halfmove_clock = match fields.next() {
            Some(clock) => read_clock(clock, FenField::HalfmoveClock)?,
            None => 0,
        };
        let fullmove_number = match fields.next() {
            Some(number) => read_clock(number, FenField::MoveNumber)?.max(1),
            None => 1,
        };
        if let Some(more) = fields.next() {
            return Err(FenError::TrailingText { found: quoted(more) });
        }
        position.board(halfmove_clock, fullmove_number, Board::new_history())
    }

    /// The FEN of the position. Castling rights are written `KQkq`; where such a letter would not name
    /// the right rook (Chess960 with another rook further out), by the rook's file, as X-FEN has it.
    pub fn fen(&self) -> String {
        self.write_fen(|board, color, wing| board.x_fen_letter(color, wing))
    }

    /// The FEN of the position with the castling rights as files of the rooks (`HAha`).
    pub fn shredder_fen(&self) -> String {
        self.write_fen(|board, color, wing| file_letter(color, board.castling_setup.rook(color, wing).file()))
    }

    fn write_fen(&self, letter: fn(&Board, Color, Wing) -> char) -> String {
        let mut fen = self.write_position(letter);
        // Writing to a String cannot fail.
        let _ = write!(fen, " {} {}", self.halfmove_clock(), self.fullmove_number());
        fen
    }

    /// The first four fields, which FEN and EPD share.
    pub(super) fn write_position(&self, letter: fn(&Board, Color, Wing) -> char) -> String {
        let mut text = String::with_capacity(96);
        for rank in (0..8).rev() {
            let mut empty = 0u8;
            for file in 0..8 {
                let Some(piece) = self.piece_at(Square::at(file, rank)) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text.push(char::from(b'0' + empty));
                    empty = 0;
                }
                text.push(piece.letter());
            }
            if empty > 0 {
                text.push(char::from(b'0' + empty));
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text.push_str(match self.side_to_move() {
            Color::White => " w ",
            Color::Black => " b ",
        });
        let before_castling = text.len();
        for color in Color::ALL {
            for wing in Wing::BOTH {
                if self.castling_rights().has(color, wing) {
                    text.push(letter(self, color, wing));
                }
            }
        }
        if text.len() == before_castling {
            text.push('-');
        }
        text.push(' ');
        match self.en_passant() {
            Some(square) => text.push_str(&square.to_string()),
            None => text.push('-'),
        }
        text
    }

    /// `K` or `Q` (in the side's case) where that means the right rook, its file otherwise.
    pub(super) fn x_fen_letter(&self, color: Color, wing: Wing) -> char {
        let rook = self.castling_setup.rook(color, wing);
        if outermost_rook(self.pieces(color, PieceType::Rook), self.king(color), color, wing) != Some(rook) {
            return file_letter(color, rook.file());
        }
        match (color, wing) {
            (Color::White, Wing::King) => 'K',
            (Color::White, Wing::Queen) => 'Q',
            (Color::Black, Wing::King) => 'k',
            (Color::Black, Wing::Queen) => 'q',
        }
    }
}

impl std::str::FromStr for Board {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Board, FenError> {
        Board::from_fen(text)
    }
}

/// The rook nearest to the edge on one side of its king: the one `K` and `Q` mean.
fn outermost_rook(rooks: Bitboard, king: Square, color: Color, wing: Wing) -> Option<Square> {
    let at_home = rooks & Bitboard::relative_rank(color, 0);
    match wing {
        Wing::King => at_home.last().filter(|&rook| rook > king),
        Wing::Queen => at_home.first().filter(|&rook| rook < king),
    }
}

fn file_letter(color: Color, file: u8) -> char {
    char::from(match color {
        Color::White => b'A' + file,
        Color::Black => b'a' + file,
    })
}

pub(super) fn read_clock(text: &str, field: FenField) -> Result<u16, FenError> {
    // `parse` alone would take a leading plus.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<u16>() {
        Ok(clock) if digits && clock <= LARGEST_CLOCK => Ok(clock),
        _ => Err(FenError::Unreadable { field, found: quoted(text) }),
    }
}

/// What the first four fields say, each read for itself. FEN and EPD share them.
pub(super) struct PositionFields<'a> {
    men: Men,
    side_to_move: Color,
    castling: &'a str,
    en_passant: Option<Square>,
}

impl<'a> PositionFields<'a> {
    /// Takes four fields off the front.
    #[inline(always)]
    pub(super) fn take(fields: &mut impl Iterator<Item = &'a str>) -> Result<PositionFields<'a>, FenError> {
        let men = read_men(fields.next().ok_or(FenError::MissingField { field: FenField::Pieces })?)?;
        PositionFields::take_after(men, fields)
    }

    /// The same where the first field was read already.
    #[inline(always)]
    pub(super) fn take_after(
        men: Men,
        fields: &mut impl Iterator<Item = &'a str>,
    ) -> Result<PositionFields<'a>, FenError> {
        let mut next = |field| fields.next().ok_or(FenError::MissingField { field });
        let unreadable = |field, text| FenError::Unreadable { field, found: quoted(text) };
        let side_to_move = match next(FenField::SideToMove)? {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(unreadable(FenField::SideToMove, other)),
        };
        let castling = next(FenField::Castling)?;
        let is_right = |letter: u8| matches!(letter.to_ascii_lowercase(), b'a'..=b'h' | b'k' | b'q');
        if castling != "-" && !castling.bytes().all(is_right) {
            return Err(unreadable(FenField::Castling, castling));
        }
        let en_passant = match next(FenField::EnPassant)? {
            "-" => None,
            text => match text.parse::<Square>() {
                Ok(square) if matches!(square.rank(), 2 | 5) => Some(square),
                Ok(square) => return Err(FenError::EnPassantRank { square }),
                Err(()) => return Err(unreadable(FenField::EnPassant, text)),
            },
        };
        Ok(PositionFields { men, side_to_move, castling, en_passant })
    }

    /// The board they describe, if it is possible: seen at a glance, or else by shakmaty's judgement.
    /// `history` is memory for its moves.
    #[inline(always)]
    pub(super) fn board(
        self,
        halfmove_clock: u16,
        fullmove_number: u16,
        history: Vec<State>,
    ) -> Result<Board, FenError> {
        let men = &self.men;
        // An error of the pieces explains one of the castling field and goes first.
        let (castling_rooks, castling_error) = match self.castling_rooks(men) {
            Ok(rooks) => (rooks, None),
            Err(error) => ([[None; 2]; 2], Some(error)),
        };
        let setup = Setup {
            pieces: men.pieces,
            side_to_move: self.side_to_move,
            castling_rooks,
            en_passant: self.en_passant,
            halfmove_clock,
            fullmove_number,
        };
        if castling_error.is_none() && self.is_plainly_possible(men) {
            return Ok(Board::from_sets(&setup, men.sets(), history));
        }
        self.judged(setup, castling_error, history)
    }

    /// The same by shakmaty's judgement.
    #[cold]
    fn judged(
        &self,
        mut setup: Setup,
        castling_error: Option<FenError>,
        history: Vec<State>,
    ) -> Result<Board, FenError> {
        let men = &self.men;
        let mut faults = men.faults(&setup);
        let of_en_passant = PositionErrorKinds::INVALID_EP_SQUARE | PositionErrorKinds::IMPOSSIBLE_CHECK;
        if setup.en_passant.is_some() && faults.intersects(of_en_passant) {
            // No pawn went over that square, or the check shows that the last move was another one.
            setup.en_passant = None;
            faults = men.faults(&setup);
        }
        if let Some(error) = self.error_for(faults, men) {
            return Err(error);
        }
        men.too_many()?;
        match castling_error {
            Some(error) => Err(error),
            None => Ok(Board::from_sets(&setup, men.sets(), history)),
        }
    }

    /// Whether nothing about the position needs a judge: millions of positions are read for tuning, and
    /// asking shakmaty takes ten times as long as all the rest. Where this says no, shakmaty decides, so
    /// it may be strict; a test holds it against shakmaty where it says yes. Castling rights that could be
    /// read were found with their rook and king at home.
    #[inline(always)]
    fn is_plainly_possible(&self, men: &Men) -> bool {
        let standard = |letter: u8| matches!(letter, b'K' | b'Q' | b'k' | b'q' | b'-');
        if self.en_passant.is_some() || !self.castling.bytes().all(standard) {
            return false;
        }
        let kings = Color::ALL.map(|color| men.of(color, PieceType::King));
        if kings.iter().any(|king| king.count() != 1) || men.too_many().is_err() {
            return false;
        }
        let [white, black] = kings.map(Bitboard::first_unchecked);
        let (own, other) = if self.side_to_move == Color::White { (white, black) } else { (black, white) };
        men.pawn_on_back_rank().is_none()
            && white.distance(black) > 1
            && men.attackers(other, self.side_to_move).is_empty()
            && !men.attackers(own, !self.side_to_move).several()
    }

    /// `// [color][wing]` the rooks that the castling field means.
    fn castling_rooks(&self, men: &Men) -> Result<[[Option<Square>; 2]; 2], FenError> {
        let mut castling_rooks = [[None; 2]; 2];
        if self.castling == "-" {
            return Ok(castling_rooks);
        }
        for letter in self.castling.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let Some(king) = men.of(color, PieceType::King).first() else {
                return Err(FenError::MissingKing { color });
            };
            if king.relative_rank(color) != 0 {
                return Err(FenError::CastlingKingMoved { letter, color, king });
            }
            let rooks = men.of(color, PieceType::Rook);
            let (wing, rook) = match letter.to_ascii_lowercase() {
                side @ ('k' | 'q') => {
                    let wing = if side == 'k' { Wing::King } else { Wing::Queen };
                    let rook = outermost_rook(rooks, king, color, wing)
                        .ok_or(FenError::CastlingRookMissing { letter, color, wing, king })?;
                    (wing, rook)
                }
                file => {
                    let square = Square::at(file as u8 - b'a', king.rank());
                    if !rooks.has(square) {
                        return Err(FenError::CastlingFileEmpty { letter, color, square });
                    }
                    (if square > king { Wing::King } else { Wing::Queen }, square)
                }
            };
            let right = &mut castling_rooks[color.index()][wing as usize];
            match right.replace(rook) {
                None => {}
                Some(before) if before == rook => return Err(FenError::CastlingTwice { letter }),
                Some(_) => return Err(FenError::CastlingRights { found: quoted(self.castling) }),
            }
        }
        Ok(castling_rooks)
    }

    /// shakmaty's judgement in our words: the first thing to put right.
    fn error_for(&self, faults: PositionErrorKinds, men: &Men) -> Option<FenError> {
        if faults.is_empty() {
            return None;
        }
        let has = |kind| faults.contains(kind);
        let kings = |color| men.of(color, PieceType::King).count();
        let mover = self.side_to_move;
        if has(PositionErrorKinds::EMPTY_BOARD) {
            return Some(FenError::EmptyBoard);
        }
        if has(PositionErrorKinds::MISSING_KING)
            && let Some(color) = Color::ALL.into_iter().find(|&color| kings(color) == 0)
        {
            return Some(FenError::MissingKing { color });
        }
        if has(PositionErrorKinds::TOO_MANY_KINGS)
            && let Some(color) = Color::ALL.into_iter().find(|&color| kings(color) > 1)
        {
            return Some(FenError::TooManyKings { color, found: kings(color) });
        }
        if has(PositionErrorKinds::PAWNS_ON_BACKRANK)
            && let Some(square) = men.pawn_on_back_rank()
        {
            return Some(FenError::PawnOnBackRank { square });
        }
        if has(PositionErrorKinds::OPPOSITE_CHECK)
            && let Some(white) = men.of(Color::White, PieceType::King).first()
            && let Some(black) = men.of(Color::Black, PieceType::King).first()
            && white.distance(black) == 1
        {
            return Some(FenError::KingsTouch { white, black });
        }
        if has(PositionErrorKinds::OPPOSITE_CHECK)
            && let Some(king) = men.of(!mover, PieceType::King).first()
            && let Some(attacker) = men.attackers(king, mover).first()
        {
            return Some(FenError::OppositeCheck { mover, king, attacker });
        }
        if has(PositionErrorKinds::IMPOSSIBLE_CHECK)
            && let Some(king) = men.of(mover, PieceType::King).first()
        {
            let checkers: Vec<String> =
                men.attackers(king, !mover).into_iter().map(|square| square.to_string()).collect();
            return Some(FenError::ImpossibleCheck { king, checkers: checkers.join(", ") });
        }
        if has(PositionErrorKinds::INVALID_CASTLING_RIGHTS) {
            return Some(FenError::CastlingRights { found: quoted(self.castling) });
        }
        // Judged by our own bounds instead, in `Men::too_many`.
        let other = faults - PositionErrorKinds::TOO_MUCH_MATERIAL;
        (!other.is_empty()).then(|| FenError::Impossible { reason: format!("{other:?}") })
    }
}

/// What a byte of the first field does.
#[derive(Clone, Copy)]
struct Stroke {
    /// The piece it puts on the next square.
    piece: Option<Piece>,
    /// Its index, or that of the empty squares.
    set: u8,
    /// The squares it goes forward.
    squares: u8,
    /// Whether it ends a rank.
    ends_rank: bool,
    /// Whether it has no business there.
    foreign: bool,
}

/// `// [byte]`
const STROKES: [Stroke; 256] = {
    let empty = Piece::ALL.len() as u8;
    let mut table = [Stroke { piece: None, set: empty, squares: 0, ends_rank: false, foreign: true }; 256];
    let mut index = 0;
    while index < Piece::ALL.len() {
        let piece = Piece::ALL[index];
        table[piece.letter() as usize] =
            Stroke { piece: Some(piece), set: index as u8, squares: 1, ends_rank: false, foreign: false };
        index += 1;
    }
    let mut squares = 1;
    while squares <= 8 {
        table[(b'0' + squares) as usize] =
            Stroke { piece: None, set: empty, squares, ends_rank: false, foreign: false };
        squares += 1;
    }
    table[b'/' as usize] = Stroke { piece: None, set: empty, squares: 0, ends_rank: true, foreign: false };
    table
};

#[inline(always)]
fn read_men(field: &str) -> Result<Men, FenError> {
    match flawless_men_at_front(field) {
        Some((men, "")) => Ok(men),
        _ => explain_pieces(field).map(Men::new),
    }
}

/// One pass over a first field without mistakes, up to a byte that cannot belong to it; answers with the text from
/// there on. No branch asks what a byte does: that is nothing a processor could guess, and millions of positions are read
/// for tuning.
#[inline(always)]
pub(super) fn flawless_men_at_front(text: &str) -> Option<(Men, &str)> {
    let mut pieces = [None; 64];
    let mut sets = [0u64; Piece::ALL.len() + 1];
    let (mut place, mut ranks, mut fault) = (0usize, 0usize, false);
    let mut length = 0;
    for byte in text.bytes() {
        let stroke = &STROKES[usize::from(byte)];
        if stroke.foreign {
            break;
        }
        length += 1;
        // From a8 to h1, as the field goes.
        let square = (place ^ 56) % 64;
        pieces[square] = stroke.piece;
        sets[usize::from(stroke.set)] |= 1 << square;
        place += usize::from(stroke.squares);
        ranks += usize::from(stroke.ends_rank);
        fault |= stroke.ends_rank & (place != 8 * ranks);
    }
    (!fault && place == 64 && ranks == 7).then(|| (Men::of_sets(pieces, &sets), &text[length..]))
}

/// The same with time to say what is wrong.
fn explain_pieces(field: &str) -> Result<[Option<Piece>; 64], FenError> {
    let ranks = field.split('/').count();
    if ranks != 8 {
        return Err(FenError::RankCount { found: ranks });
    }
    let mut pieces = [None; 64];
    for (from_top, text) in field.split('/').enumerate() {
        let rank = 7 - from_top as u8;
        let mut file = 0usize;
        for character in text.chars() {
            if let Some(empty @ 1..=8) = character.to_digit(10) {
                file += empty as usize;
                continue;
            }
            let Some(kind) = PieceType::from_letter(character) else {
                return Err(FenError::PieceLetter { rank: rank + 1, found: quoted(&character.to_string()) });
            };
            let color = if character.is_ascii_uppercase() { Color::White } else { Color::Black };
            if file < 8 {
                pieces[Square::at(file as u8, rank).index()] = Some(Piece::new(color, kind));
            }
            file += 1;
        }
        if file != 8 {
            return Err(FenError::RankLength { rank: rank + 1, text: quoted(text), found: file });
        }
    }
    Ok(pieces)
}

/// The men on the board, before it is known whether they make a position.
pub(super) struct Men {
    /// `// [square]`
    pieces: [Option<Piece>; 64],
    /// `// [kind]`
    kinds: [Bitboard; 6],
    /// `// [color]`
    colors: [Bitboard; 2],
}

impl Men {
    fn new(pieces: [Option<Piece>; 64]) -> Men {
        let (kinds, colors) = Board::sets_of(&pieces);
        Men { pieces, kinds, colors }
    }

    /// From the squares of every piece, `// [piece]`; what follows those is not looked at.
    fn of_sets(pieces: [Option<Piece>; 64], sets: &[u64; Piece::ALL.len() + 1]) -> Men {
        let (kinds, colors) = Board::merged(sets);
        Men { pieces, kinds, colors }
    }

    /// As a board keeps them.
    fn sets(&self) -> ([Bitboard; 6], [Bitboard; 2]) {
        (self.kinds, self.colors)
    }

    fn of(&self, color: Color, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()] & self.colors[color.index()]
    }

    #[inline(always)]
    fn attackers(&self, square: Square, by: Color) -> Bitboard {
        attacks::choose_fast_path();
        let occupied = self.colors[0] | self.colors[1];
        let queens = self.of(by, PieceType::Queen);
        (attacks::pawn(!by, square) & self.of(by, PieceType::Pawn))
            | (attacks::knight(square) & self.of(by, PieceType::Knight))
            | (attacks::king(square) & self.of(by, PieceType::King))
            | (attacks::bishop(square, occupied) & (self.of(by, PieceType::Bishop) | queens))
            | (attacks::rook(square, occupied) & (self.of(by, PieceType::Rook) | queens))
    }

    fn pawn_on_back_rank(&self) -> Option<Square> {
        let pawns = Color::ALL.map(|color| self.of(color, PieceType::Pawn));
        ((pawns[0] | pawns[1]) & (Bitboard::rank(0) | Bitboard::rank(7))).first()
    }

    /// What shakmaty finds wrong with a setup of these men.
    fn faults(&self, setup: &Setup) -> PositionErrorKinds {
        let mut board = shakmaty::Board::empty();
        for square in Square::all() {
            if let Some(piece) = self.pieces[square.index()] {
                board.set_piece_at(to_shakmaty(square), shakmaty_piece(piece));
            }
        }
        let rooks = setup.castling_rooks.iter().flatten().flatten();
        let setup = shakmaty::Setup {
            board,
            turn: shakmaty_color(setup.side_to_move),
            castling_rights: rooks.map(|&rook| to_shakmaty(rook)).collect(),
            ep_square: setup.en_passant.map(to_shakmaty),
            ..shakmaty::Setup::empty()
        };
        match Chess::from_setup(setup, CastlingMode::Chess960) {
            Ok(_) => PositionErrorKinds::empty(),
            Err(error) => error.kinds(),
        }
    }

    /// The bounds of the board; see the head of this file.
    fn too_many(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            let count = |kind| self.of(color, kind).count();
            let pawns = count(PieceType::Pawn);
            if pawns > 8 {
                return Err(FenError::TooManyPawns { color, found: pawns });
            }
            let all = self.colors[color.index()].count();
            if all > 16 {
                return Err(FenError::TooManyPieces { color, found: all });
            }
            let queens = count(PieceType::Queen) + pawns;
            if queens > 9 {
                return Err(FenError::TooManyQueens { color, found: queens });
            }
        }
        Ok(())
    }
}

fn to_shakmaty(square: Square) -> shakmaty::Square {
    shakmaty::Square::new(square.index() as u32)
}

fn shakmaty_color(color: Color) -> shakmaty::Color {
    shakmaty::Color::from_white(color == Color::White)
}

fn shakmaty_role(kind: PieceType) -> shakmaty::Role {
    match kind {
        PieceType::Pawn => shakmaty::Role::Pawn,
        PieceType::Knight => shakmaty::Role::Knight,
        PieceType::Bishop => shakmaty::Role::Bishop,
        PieceType::Rook => shakmaty::Role::Rook,
        PieceType::Queen => shakmaty::Role::Queen,
        PieceType::King => shakmaty::Role::King,
    }
}

fn shakmaty_piece(piece: Piece) -> shakmaty::Piece {
    shakmaty::Piece { color: shakmaty_color(piece.color()), role: shakmaty_role(piece.kind()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fen(text: &str) -> String {
        Board::from_fen(text).unwrap_or_else(|error| panic!("{text}: {error}")).fen()
    }

    #[test]
    fn a_glance_lets_nothing_through_that_shakmaty_refuses() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(8);
        let (mut plain, mut judged, mut refused) = (0, 0, 0);
        let rights = ["-", "KQkq", "K", "Qk", "q"];
        for _ in 0..60_000 {
            // Some twenty men anywhere, kings and castling rooks more often at home than not.
            let mut pieces = [None; 64];
            for _ in 0..rng.random_range(2..24) {
                let piece = Piece::ALL[rng.random_range(0..Piece::ALL.len())];
                let wanted = piece.kind() == PieceType::King;
                pieces[rng.random_range(0..64)] = Some(piece).filter(|_| !wanted || rng.random_bool(0.1));
            }
            for (square, piece) in [(4, 'K'), (60, 'k'), (0, 'R'), (7, 'R'), (56, 'r'), (63, 'r')] {
                if rng.random_bool(0.9) {
                    pieces[square] = STROKES[piece as usize].piece;
                }
            }
            let fields = PositionFields {
                men: Men::new(pieces),
                side_to_move: if rng.random() { Color::White } else { Color::Black },
                castling: rights[rng.random_range(0..rights.len())],
                en_passant: None,
            };
            let men = &fields.men;
            let Ok(castling_rooks) = fields.castling_rooks(men) else { continue };
            let setup = Setup {
                pieces,
                side_to_move: fields.side_to_move,
                castling_rooks,
                en_passant: None,
                halfmove_clock: 0,
                fullmove_number: 1,
            };
            let faults = men.faults(&setup);
            if fields.is_plainly_possible(men) {
                assert!(fields.error_for(faults, men).is_none(), "{faults:?}: {setup:?}");
                plain += 1;
            } else if fields.error_for(faults, men).is_some() || men.too_many().is_err() {
                refused += 1;
            } else {
                judged += 1;
            }
        }
        assert!(plain > 1_000 && refused > 1_000, "{plain} at a glance, {judged} judged, {refused} refused");
    }

    #[test]
    fn a_flawless_field_of_pieces_reads_as_with_time_to_explain() {
        for field in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "8/8/8/8/8/8/8/8",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/",
            "rnbqkbnr/pppppppp/8/9/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/7/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/44p/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppp\u{e9}ppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "8888888888888888888888888888888888888888",
            "",
        ] {
            let at_once =
                flawless_men_at_front(field).filter(|(_, rest)| rest.is_empty()).map(|(men, _)| men);
            let explained = explain_pieces(field).ok().map(Men::new);
            let facts = |men: Men| (men.pieces, men.kinds, men.colors);
            assert_eq!(at_once.map(facts), explained.map(facts), "{field}");
        }
    }

    #[test]
    fn writes_what_it_read() {
        for text in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "4k3/8/8/8/8/8/8/4K3 b - - 9999 9999",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w KQkq - 0 1",
        ] {
            assert_eq!(fen(text), text);
        }
    }

    #[test]
    fn castling_in_all_three_spellings() {
        // Two rooks on the h side: K is the outer one, and the inner one needs its file.
        let outer = Board::from_fen("4k3/8/8/8/8/8/8/R3KR1R w KQ - 0 1").unwrap();
        assert_eq!(outer.shredder_fen(), "4k3/8/8/8/8/8/8/R3KR1R w HA - 0 1");
        assert_eq!(fen("4k3/8/8/8/8/8/8/R3KR1R w HA - 0 1"), outer.fen());
        let inner = Board::from_fen("4k3/8/8/8/8/8/8/R3KR1R w FA - 0 1").unwrap();
        assert_eq!(inner.fen(), "4k3/8/8/8/8/8/8/R3KR1R w FQ - 0 1");
        assert_eq!(inner.castling_setup().rook(Color::White, Wing::King), Square::F1);
        assert_ne!(inner.key(), outer.key());
    }

    #[test]
    fn forgives_what_programs_send() {
        let bare = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let start = Board::start().fen();
        assert_eq!(fen(bare), start);
        assert_eq!(fen(&format!("{bare} 0")), start);
        assert_eq!(fen(&format!("  {bare}\t0 0\r\n")), start);
        // Nobody can take on e3, no pawn passed over e6, and black did not just move a pawn to give check.
        for (text, expected) in [
            ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
            ("4k3/8/8/8/4P3/8/8/4K3 w - e6 0 1", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1"),
            ("4k3/8/8/3pP3/8/3n4/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/3n4/8/4K3 w - - 0 1"),
        ] {
            assert_eq!(fen(text), expected);
        }
        // Three knights and eight pawns: no game leads there, but nothing stands against playing on.
        let odd = "rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/RNBQKBN1 w Qkq - 0 1";
        assert_eq!(fen(odd), odd);
    }

    #[test]
    fn a_legal_en_passant_square_survives_odd_material() {
        let three_knights = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNNQKBNR w KQkq f6 0 3";
        assert_eq!(fen(three_knights), three_knights);
    }
}
