//! FEN in and out. shakmaty validates what comes from outside.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use super::{Board, Setup};
use crate::types::{Color, Piece, PieceType, Square};

/// Why a FEN was refused.
#[derive(Debug, thiserror::Error)]
pub enum FenError {
    /// The text is no position.
    #[error("{0}")]
    Invalid(String),
}

impl Board {
    /// Reads a FEN.
    pub fn from_fen(text: &str) -> Result<Board, FenError> {
        let fen: Fen = text.parse().map_err(|e| FenError::Invalid(format!("{e}")))?;
        let position: Chess =
            fen.into_position(CastlingMode::Chess960).map_err(|e| FenError::Invalid(format!("{e}")))?;
        let mut pieces = [None; 64];
        for (square, piece) in position.board() {
            let color = if piece.color.is_white() { Color::White } else { Color::Black };
            let kind = PieceType::from_letter(piece.role.char()).unwrap_or(PieceType::Pawn);
            pieces[square as usize] = Some(Piece::new(color, kind));
        }
        let convert = |square: shakmaty::Square| Square::from_index(square as usize);
        let rook = |color, side| position.castles().rook(color, side).map(convert);
        use shakmaty::CastlingSide::{KingSide, QueenSide};
        use shakmaty::Color::{Black, White};
        Ok(Board::from_setup(&Setup {
            pieces,
            side_to_move: if position.turn().is_white() { Color::White } else { Color::Black },
            castling_rooks: [
                [rook(White, KingSide), rook(White, QueenSide)],
                [rook(Black, KingSide), rook(Black, QueenSide)],
            ],
            en_passant: position.ep_square(shakmaty::EnPassantMode::Legal).map(convert),
            halfmove_clock: position.halfmoves() as u16,
            fullmove_number: position.fullmoves().get() as u16,
        }))
    }
}
