//! Why the text of a move was refused.

use super::Wing;
use crate::types::{Color, PieceType, Square};

/// A move's text that could not be turned into a legal move. The text is shortened and without
/// control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {token}: {fault}")]
pub struct MoveError {
    /// The text, quoted.
    pub token: String,
    /// What is wrong with it.
    pub fault: MoveFault,
}

/// What is wrong with a move's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveFault {
    /// Not the form of a UCI move.
    #[error("expected two squares and a promotion letter where one is due, like e2e4 or e7e8q")]
    NotCoordinates,
    /// Not the form of a move in a score sheet.
    #[error("expected a move like e4, Nf3, exd5, R1a3, e8=Q or O-O")]
    NotSan,
    /// The null move, which nobody may play.
    #[error("the null move is not legal")]
    Null,
    /// The move starts nowhere.
    #[error("there is no piece on {from}")]
    EmptySquare {
        /// The square.
        from: Square,
    },
    /// The move is the opponent's.
    #[error("the {} on {from} is not {mover:?}'s, whose turn it is", kind.name())]
    NotTheMovers {
        /// The square.
        from: Square,
        /// What stands there.
        kind: PieceType,
        /// Whose turn it is.
        mover: Color,
    },
    /// An own piece stands on the target.
    #[error("an own piece stands on {to}")]
    OwnPiece {
        /// The square.
        to: Square,
    },
    /// The piece does not move like that.
    #[error("a {} does not move from {from} to {to}", kind.name())]
    OtherwiseMoving {
        /// The piece.
        kind: PieceType,
        /// Where it stands.
        from: Square,
        /// Where it cannot go.
        to: Square,
    },
    /// Something stands in between.
    #[error("the way from {from} to {to} is blocked")]
    Blocked {
        /// Where the piece stands.
        from: Square,
        /// Where it cannot go.
        to: Square,
    },
    /// A pawn takes where there is nothing to take.
    #[error("the pawn on {from} has nothing to take on {to}")]
    NothingToTake {
        /// Where the pawn stands.
        from: Square,
        /// The empty square.
        to: Square,
    },
    /// The mover is in check and stays in it.
    #[error("{mover:?} is in check and this does not answer it")]
    CheckUnanswered {
        /// Whose turn it is.
        mover: Color,
    },
    /// The move would put the own king into check.
    #[error("it would leave the king on {king} attacked")]
    KingLeftAttacked {
        /// Where the king would stand.
        king: Square,
    },
    /// A pawn reaches the last rank, and the text does not say what it becomes.
    #[error("a pawn that reaches the last rank needs its promotion: one of q, r, b, n")]
    PromotionMissing,
    /// A promotion where there is none.
    #[error("only a pawn that reaches the last rank promotes")]
    PromotionUnexpected,
    /// A letter that no pawn can become.
    #[error("{letter} is no promotion; expected one of q, r, b, n")]
    PromotionLetter {
        /// The letter, quoted.
        letter: String,
    },
    /// The right to castle is gone.
    #[error("{mover:?} has no right to castle {}", side(*wing))]
    NoCastlingRight {
        /// Whose turn it is.
        mover: Color,
        /// Where to.
        wing: Wing,
    },
    /// Something stands in the way of castling.
    #[error("castling {} is blocked", side(*wing))]
    CastlingBlocked {
        /// Where to.
        wing: Wing,
    },
    /// The king would cross or reach an attacked square.
    #[error("castling {}: the king would cross or reach an attacked square", side(*wing))]
    CastlingAttacked {
        /// Where to.
        wing: Wing,
    },
    /// No piece of that kind can go there.
    #[error("no {} of {mover:?} can legally go to {to}", kind.name())]
    Unreachable {
        /// The kind of piece.
        kind: PieceType,
        /// Whose turn it is.
        mover: Color,
        /// Where to.
        to: Square,
    },
    /// Several pieces of that kind can go there.
    #[error("it can be any of {candidates}")]
    Ambiguous {
        /// The moves it can be, in full.
        candidates: String,
    },
}

const fn side(wing: Wing) -> &'static str {
    match wing {
        Wing::King => "king side (O-O)",
        Wing::Queen => "queen side (O-O-O)",
    }
}
