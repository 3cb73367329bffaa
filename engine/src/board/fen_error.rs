//! Why a FEN was refused: which field, what was found there, and what would be right.

use std::fmt;

use super::Wing;
use crate::types::{Color, Square};

/// A field of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenField {
    /// Where the pieces stand.
    Pieces = 1,
    /// Whose turn it is.
    SideToMove,
    /// Who may still castle where.
    Castling,
    /// The square a pawn just passed over.
    EnPassant,
    /// Half-moves since the last capture or pawn move.
    HalfmoveClock,
    /// The number of the move to come.
    MoveNumber,
}

impl FenField {
    const fn name(self) -> &'static str {
        match self {
            FenField::Pieces => "pieces",
            FenField::SideToMove => "side to move",
            FenField::Castling => "castling",
            FenField::EnPassant => "en passant",
            FenField::HalfmoveClock => "halfmove clock",
            FenField::MoveNumber => "move number",
        }
    }

    const fn expected(self) -> &'static str {
        match self {
            FenField::Pieces => {
                "eight ranks from the eighth down, like rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
            }
            FenField::SideToMove => "w or b",
            FenField::Castling => "- or letters like KQkq, or the files of the rooks like HAha",
            FenField::EnPassant => "- or the square a pawn just passed over, like e3",
            FenField::HalfmoveClock => "a number from 0 to 9999",
            FenField::MoveNumber => "a number from 1 to 9999",
        }
    }
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field {} ({})", *self as u8, self.name())
    }
}

/// Why a FEN was refused. Text taken over from the FEN is shortened and without control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The text ends too early.
    #[error("{field} is missing; expected {}", field.expected())]
    MissingField {
        /// The first field that is not there.
        field: FenField,
    },
    /// There is more text than a FEN has.
    #[error("{found} follows field 6; expected at most six fields")]
    TrailingText {
        /// The seventh field.
        found: String,
    },
    /// A field that cannot be read at all.
    #[error("{field} is {found}; expected {}", field.expected())]
    Unreadable {
        /// Which one.
        field: FenField,
        /// Its text.
        found: String,
    },
    /// Not eight ranks.
    #[error("field 1 (pieces): the number of ranks is {found}; expected 8, separated by /")]
    RankCount {
        /// How many there are.
        found: usize,
    },
    /// A rank that is too short or too long.
    #[error("field 1 (pieces): rank {rank} {text} covers {found} squares; expected 8")]
    RankLength {
        /// The rank, 1 to 8.
        rank: u8,
        /// Its text.
        text: String,
        /// How many squares it covers.
        found: usize,
    },
    /// A character that stands for nothing.
    #[error("field 1 (pieces): {found} in rank {rank}; expected a piece of PNBRQKpnbrqk or a digit 1 to 8")]
    PieceLetter {
        /// The rank, 1 to 8.
        rank: u8,
        /// The character.
        found: String,
    },
    /// Nothing on the board.
    #[error("field 1 (pieces): the board is empty; expected one king of each colour")]
    EmptyBoard,
    /// A side without a king.
    #[error("field 1 (pieces): {color:?} has no king; expected one {}", king_letter(*color))]
    MissingKing {
        /// The side.
        color: Color,
    },
    /// A side with several kings.
    #[error("field 1 (pieces): {color:?} has {found} kings; expected one {}", king_letter(*color))]
    TooManyKings {
        /// The side.
        color: Color,
        /// How many it has.
        found: u32,
    },
    /// A pawn where none can stand.
    #[error("field 1 (pieces): a pawn on {square}; expected pawns on ranks 2 to 7 only")]
    PawnOnBackRank {
        /// Where.
        square: Square,
    },
    /// More than eight pawns.
    #[error("field 1 (pieces): {color:?} has {found} pawns; expected at most 8")]
    TooManyPawns {
        /// The side.
        color: Color,
        /// How many it has.
        found: u32,
    },
    /// More than sixteen men.
    #[error("field 1 (pieces): {color:?} has {found} pieces and pawns; expected at most 16")]
    TooManyPieces {
        /// The side.
        color: Color,
        /// How many it has.
        found: u32,
    },
    /// More queens than pawns could have become.
    #[error("field 1 (pieces): {color:?} has {found} queens and pawns; expected at most 9 together")]
    TooManyQueens {
        /// The side.
        color: Color,
        /// How many it has.
        found: u32,
    },
    /// The side that has just moved stands in check.
    #[error(
        "field 2 (side to move) is '{}', but the king on {king} could be taken from {attacker}; \
         expected {}, or other pieces",
        side_letter(*mover), side_letter(!*mover)
    )]
    OppositeCheck {
        /// Whose turn the FEN says it is.
        mover: Color,
        /// The king that could be taken.
        king: Square,
        /// A piece that could take it.
        attacker: Square,
    },
    /// Kings side by side.
    #[error("field 1 (pieces): the kings on {white} and {black} touch; expected a square between them")]
    KingsTouch {
        /// Where White's king stands.
        white: Square,
        /// Where Black's king stands.
        black: Square,
    },
    /// Checks that no single move can have given.
    #[error(
        "field 1 (pieces): the king on {king} is in check from {checkers}, which no single move can give; \
         expected one checker, or two of which one was uncovered"
    )]
    ImpossibleCheck {
        /// The king in check.
        king: Square,
        /// The squares of the pieces that give it.
        checkers: String,
    },
    /// A castling letter twice, or two letters for one rook.
    #[error("field 3 (castling): '{letter}' names a right that was named before; expected each right once")]
    CastlingTwice {
        /// The second letter.
        letter: char,
    },
    /// A castling letter whose king is not at home.
    #[error(
        "field 3 (castling): '{letter}', but the king stands on {king}; \
         expected it on rank {}, or no right for {color:?}",
        if *color == Color::White { 1 } else { 8 }
    )]
    CastlingKingMoved {
        /// The letter.
        letter: char,
        /// Whose right it is.
        color: Color,
        /// Where its king stands.
        king: Square,
    },
    /// A castling letter without a rook on its wing.
    #[error(
        "field 3 (castling): '{letter}', but {color:?} has no rook on the {} side of its king on {king}; \
         expected one there, or no {letter}",
        wing_name(*wing)
    )]
    CastlingRookMissing {
        /// The letter.
        letter: char,
        /// Whose right it is.
        color: Color,
        /// Where to.
        wing: Wing,
        /// Where its king stands.
        king: Square,
    },
    /// A castling file without a rook on it.
    #[error(
        "field 3 (castling): '{letter}', but {color:?} has no rook on {square}; expected one there, or no {letter}"
    )]
    CastlingFileEmpty {
        /// The letter.
        letter: char,
        /// Whose right it is.
        color: Color,
        /// Where the rook ought to be.
        square: Square,
    },
    /// Castling rights that do not go together.
    #[error("field 3 (castling) is {found}; expected at most one rook on each side of each king")]
    CastlingRights {
        /// The text.
        found: String,
    },
    /// An en passant square on a rank that no pawn passes over.
    #[error("field 4 (en passant) is '{square}'; expected - or a square on rank 3 or 6")]
    EnPassantRank {
        /// The square.
        square: Square,
    },
    /// A reason that no other variant names.
    #[error("the position is impossible: {reason}")]
    Impossible {
        /// What the validator said.
        reason: String,
    },
}

const fn king_letter(color: Color) -> char {
    match color {
        Color::White => 'K',
        Color::Black => 'k',
    }
}

const fn side_letter(color: Color) -> char {
    match color {
        Color::White => 'w',
        Color::Black => 'b',
    }
}

const fn wing_name(wing: Wing) -> &'static str {
    match wing {
        Wing::King => "h",
        Wing::Queen => "a",
    }
}

/// Text from outside, fit to be shown: quoted, without control characters, not endless.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::from("'");
    for (index, character) in text.chars().enumerate() {
        if index == LONGEST {
            shown.push('…');
            break;
        }
        shown.extend(character.escape_debug());
    }
    shown.push('\'');
    shown
}
