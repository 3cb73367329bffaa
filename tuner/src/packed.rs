//! Positions in 40 bytes each, as `tune extract` writes them: the file format is described in
//! docs/2-formats.md.

use std::io;

use engine::board::{FenError, Wing};
use engine::types::{Color, Piece, Square};
use engine::{Board, Setup};

use crate::label::Label;

/// A position with its label and the game it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct PackedPosition {
    /// The position.
    pub setup: Setup,
    /// Result and score, White's point of view.
    pub label: Label,
    /// Which game it is from: positions of one game go to the same side of the hold-out.
    pub game: u32,
    /// Half-moves played in that game before it.
    pub ply: u16,
}

/// A packed position that cannot be one.
#[derive(Debug, thiserror::Error)]
pub enum PackedError {
    /// A number that is no piece.
    #[error("{0} is no piece")]
    Piece(u8),
    /// More than 32 squares are taken.
    #[error("{0} men on the board")]
    Men(u32),
    /// A result that is none.
    #[error("{0} is no result")]
    Result(u8),
    /// The board is not a possible position.
    #[error(transparent)]
    Position(#[from] FenError),
}

/// Where a score is unknown.
const NO_SCORE: i16 = i16::MIN;
const NO_RESULT: u8 = 3;

impl PackedPosition {
    /// The first bytes of a file.
    pub const MAGIC: [u8; 7] = *b"TABPOS\n";
    /// The layout that is written, and the only one that is read.
    const VERSION: u8 = 1;
    /// The bytes before the compressed positions.
    pub const HEADER: usize = 8;
    /// The bytes of one position.
    pub const SIZE: usize = 40;

    /// The first bytes of a file with the version after them.
    pub fn header() -> [u8; PackedPosition::HEADER] {
        let mut header = [Self::VERSION; PackedPosition::HEADER];
        header[..7].copy_from_slice(&Self::MAGIC);
        header
    }

    /// Whether a file that begins like one of these is one that can be read.
    pub fn check_version(head: &[u8]) -> io::Result<()> {
        match head.get(7) {
            Some(&Self::VERSION) => Ok(()),
            Some(other) => Err(io::Error::other(format!(
                "positions of version {other}, and this program reads version {}: extract them again",
                Self::VERSION
            ))),
            None => Err(io::Error::other("the file ends within its header: extract it again")),
        }
    }

    /// Writes the 40 bytes.
    pub fn pack(&self) -> [u8; PackedPosition::SIZE] {
        let mut bytes = [0; PackedPosition::SIZE];
        let mut occupied = 0u64;
        let mut man = 0;
        for square in Square::all() {
            if let Some(piece) = self.setup.pieces[square.index()] {
                occupied |= 1 << square.index();
                bytes[8 + man / 2] |= (piece.index() as u8) << (4 * (man % 2));
                man += 1;
            }
        }
        bytes[..8].copy_from_slice(&occupied.to_le_bytes());
        bytes[24] = u8::from(self.setup.side_to_move == Color::Black);
        bytes[25] = self.setup.en_passant.map_or(255, |square| square.index() as u8);
        for color in Color::ALL {
            for wing in Wing::BOTH {
                let rook = self.setup.castling_rooks[color.index()][wing as usize];
                let nibble = rook.map_or(8, |square| square.file());
                bytes[26 + color.index()] |= nibble << (4 * wing as u8);
            }
        }
        bytes[28..30].copy_from_slice(&self.setup.halfmove_clock.to_le_bytes());
        bytes[30..32].copy_from_slice(&self.ply.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.game.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.label.score.unwrap_or(NO_SCORE).to_le_bytes());
        bytes[38] = self.label.result.map_or(NO_RESULT, |result| (result * 2.0).round() as u8);
        bytes
    }

    /// Reads what [`PackedPosition::pack`] wrote. The board goes through the same judgement as a FEN.
    pub fn unpack(bytes: &[u8; PackedPosition::SIZE]) -> Result<(Board, Label, u32, u16), PackedError> {
        let [b0, b1, b2, b3, b4, b5, b6, b7, ..] = *bytes;
        let occupied = u64::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7]);
        if occupied.count_ones() > 32 {
            return Err(PackedError::Men(occupied.count_ones()));
        }
        let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let mut pieces = [None; 64];
        let mut left = occupied;
        for man in 0..occupied.count_ones() as usize {
            let index = bytes[8 + man / 2] >> (4 * (man % 2)) & 15;
            let piece = Piece::ALL.get(usize::from(index)).ok_or(PackedError::Piece(index))?;
            pieces[left.trailing_zeros() as usize] = Some(*piece);
            left &= left - 1;
        }
        let mut fen = String::with_capacity(96);
        for rank in (0..8).rev() {
            let mut empty = 0u8;
            for file in 0..8 {
                match pieces[rank * 8 + file] {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            fen.push(char::from(b'0' + std::mem::take(&mut empty)));
                        }
                        fen.push(piece.letter());
                    }
                }
            }
            if empty > 0 {
                fen.push(char::from(b'0' + empty));
            }
            fen.push(if rank > 0 { '/' } else { ' ' });
        }
        fen.push(if bytes[24] == 0 { 'w' } else { 'b' });
        fen.push(' ');
        let before_castling = fen.len();
        for color in Color::ALL {
            for wing in Wing::BOTH {
                let file = bytes[26 + color.index()] >> (4 * wing as u8) & 15;
                let king = if color == Color::White { Piece::WhiteKing } else { Piece::BlackKing };
                let home = if color == Color::White { 0 } else { 56 };
                if file < 8 {
                    // The short letters are read faster; they mean the same with the king and rook of chess.
                    let standard = pieces[home + 4] == Some(king)
                        && matches!((wing, file), (Wing::King, 7) | (Wing::Queen, 0));
                    let letter = match (standard, wing) {
                        (true, Wing::King) => b'K',
                        (true, Wing::Queen) => b'Q',
                        (false, _) => b'A' + file,
                    };
                    fen.push(char::from(if color == Color::White {
                        letter
                    } else {
                        letter.to_ascii_lowercase()
                    }));
                }
            }
        }
        if fen.len() == before_castling {
            fen.push('-');
        }
        match Square::new(bytes[25]) {
            Some(square) => fen.push_str(&format!(" {square}")),
            None => fen.push_str(" -"),
        }
        let clock = number(28);
        if clock > 0 {
            fen.push_str(&format!(" {clock} 1"));
        }
        let board = Board::from_fen(&fen)?;
        let result = match bytes[38] {
            NO_RESULT => None,
            halves @ 0..=2 => Some(f32::from(halves) / 2.0),
            other => return Err(PackedError::Result(other)),
        };
        let score = i16::from_le_bytes([bytes[36], bytes[37]]);
        let label = Label { result, score: (score != NO_SCORE).then_some(score) };
        let game = u32::from_le_bytes([bytes[32], bytes[33], bytes[34], bytes[35]]);
        Ok((board, label, game, number(30)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 17 1",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1",
            "4k3/8/8/8/8/8/8/R3KR1R w FQ - 0 1",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w KQkq - 0 1",
            "8/5p1p/6pB/4P1P1/6k1/1p6/1Kb5/8 w - - 3 1",
        ] {
            let board = Board::from_fen(fen).expect("a position");
            for label in [
                Label { result: Some(0.5), score: Some(-31_000) },
                Label { result: None, score: Some(0) },
                Label { result: Some(1.0), score: None },
            ] {
                let position = PackedPosition { setup: board.setup(), label, game: 3_000_000_000, ply: 77 };
                let (again, again_label, game, ply) = PackedPosition::unpack(&position.pack()).expect(fen);
                assert_eq!((again.fen(), again_label, game, ply), (board.fen(), label, 3_000_000_000, 77));
                assert_eq!(again.key(), board.key());
            }
        }
    }

    #[test]
    fn nonsense_is_refused_and_nothing_panics() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(4);
        let good =
            PackedPosition { setup: Board::start().setup(), label: Label::default(), game: 0, ply: 0 }.pack();
        let mut refused = 0;
        for _ in 0..20_000 {
            let mut bytes = good;
            for _ in 0..rng.random_range(1..6) {
                bytes[rng.random_range(0..PackedPosition::SIZE)] = rng.random();
            }
            refused += usize::from(PackedPosition::unpack(&bytes).is_err());
        }
        assert!(refused > 5_000, "{refused} refused");
    }
}
