//! First positions other than the initial one, square by square.

use std::fmt::Write;

use engine::types::{Color, Piece, Square};
use engine::{Board, Setup};

use super::coder::{Chance, Coder};
use super::game::Start;
use super::models::Magnitude;

/// What stands on which square, and all else that a FEN says.
pub struct PositionModel {
    /// `// [square][four bits: 0 empty, else a piece and one]`
    pieces: Box<[[Chance; 16]; 64]>,
    black_moves: Chance,
    /// `// [color][wing]`
    castles: [[Chance; 2]; 2],
    /// `// [wing][file]`
    rook_files: [[Chance; 8]; 2],
    en_passant: Chance,
    clocks: [Magnitude<1>; 2],
}

/// No clock of a FEN is larger.
const LARGEST_CLOCK: u32 = 9_999;

impl PositionModel {
    pub fn new() -> PositionModel {
        PositionModel {
            pieces: Box::new([[Chance::EVEN; 16]; 64]),
            black_moves: Chance::EVEN,
            castles: [[Chance::EVEN; 2]; 2],
            rook_files: [[Chance::EVEN; 8]; 2],
            en_passant: Chance::EVEN,
            clocks: [Magnitude::new(), Magnitude::new()],
        }
    }

    /// Writes the start that is known, or reads one; what is read is a position that chess allows.
    pub fn code(&mut self, coder: &mut impl Coder, known: Option<&Start>) -> Result<Start, String> {
        let known = known.map(|start| start.board().setup());
        let setup = self.setup(coder, known.as_ref())?;
        if known.is_some() {
            return Ok(Start::Position(Box::new(setup)));
        }
        let board = Board::from_fen(&fen(&setup)).map_err(|error| format!("its first position: {error}"))?;
        match board.setup() == setup {
            true => Ok(Start::Position(Box::new(setup))),
            false => Err("its first position contradicts itself".to_string()),
        }
    }

    fn setup(&mut self, coder: &mut impl Coder, known: Option<&Setup>) -> Result<Setup, String> {
        let mut setup = Setup::EMPTY;
        for (square, chances) in self.pieces.iter_mut().enumerate() {
            let piece = known.and_then(|known| known.pieces[square]);
            match tree(coder, chances, 4, piece.map_or(0, |piece| piece.index() + 1)) {
                0 => {}
                code @ 1..=12 => setup.pieces[square] = Some(Piece::ALL[code - 1]),
                code => return Err(format!("unknown piece {code}")),
            }
        }
        if coder.code(&mut self.black_moves, known.is_some_and(|known| known.side_to_move == Color::Black)) {
            setup.side_to_move = Color::Black;
        }
        for color in Color::ALL {
            for wing in 0..2 {
                let rook = known.and_then(|known| known.castling_rooks[color.index()][wing]);
                if coder.code(&mut self.castles[color.index()][wing], rook.is_some()) {
                    let file = rook.map_or(0, |rook| rook.file() as usize);
                    let file = tree(coder, &mut self.rook_files[wing], 3, file);
                    setup.castling_rooks[color.index()][wing] =
                        Some(Square::at(file as u8, 0).relative(color));
                }
            }
        }
        let passed = known.and_then(|known| known.en_passant);
        if coder.code(&mut self.en_passant, passed.is_some()) {
            let wanted = passed.map_or(0, |square| square.file() as usize);
            let mut file = 0;
            for bit in (0..3).rev() {
                file = file << 1 | u8::from(coder.code_at(1 << 15, wanted >> bit & 1 != 0));
            }
            setup.en_passant = Some(Square::at(file, 2).relative(!setup.side_to_move));
        }
        let known_clocks = known.map_or([0, 1], |known| [known.halfmove_clock, known.fullmove_number]);
        let mut clocks = [0; 2];
        for ((clock, model), known) in clocks.iter_mut().zip(&mut self.clocks).zip(known_clocks) {
            let read = model.code(coder, 0, u32::from(known));
            if read > LARGEST_CLOCK {
                return Err(format!("a clock at {read}"));
            }
            *clock = read as u16;
        }
        [setup.halfmove_clock, setup.fullmove_number] = clocks;
        Ok(setup)
    }
}

/// Codes a number of so many bits, from the highest down; each bit's chance depends on those above it.
fn tree<const N: usize>(
    coder: &mut impl Coder,
    chances: &mut [Chance; N],
    bits: u32,
    wanted: usize,
) -> usize {
    let mut code = 1;
    for bit in (0..bits).rev() {
        code = code << 1 | usize::from(coder.code(&mut chances[code], wanted >> bit & 1 != 0));
    }
    code - (1 << bits)
}

/// The FEN of facts that may not be a position, castling rights by the files of the rooks.
fn fen(setup: &Setup) -> String {
    let mut text = String::with_capacity(90);
    for rank in (0..8).rev() {
        for file in 0..8 {
            match setup.pieces[Square::at(file, rank).index()] {
                Some(piece) => text.push(piece.letter()),
                None => text.push('1'),
            }
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text = text_with_runs(&text);
    text.push_str(if setup.side_to_move == Color::White { " w " } else { " b " });
    let before = text.len();
    for color in Color::ALL {
        for rook in setup.castling_rooks[color.index()].iter().flatten() {
            let letter = char::from(b'a' + rook.file());
            text.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if text.len() == before {
        text.push('-');
    }
    let passed = setup.en_passant.map_or("-".to_string(), |square| square.to_string());
    // Writing to a String cannot fail.
    let _ = write!(text, " {passed} {} {}", setup.halfmove_clock, setup.fullmove_number);
    text
}

/// Ones in a row become their number.
fn text_with_runs(ones: &str) -> String {
    (2..=8).rev().fold(ones.to_string(), |text, run| text.replace(&"1".repeat(run), &run.to_string()))
}
