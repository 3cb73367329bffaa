//! EPD in and out: a position and named facts about it, such as `bm Nf3; id "x";`.
//!
//! Between the four fields and the operations the two clocks of a FEN may stand, as many collections have
//! them; `hmvc` and `fmvn` set them too and go first. Empty operations (`;;`) are skipped, and the last
//! semicolon may be missing.

use std::fmt;

use super::fen::{PositionFields, flawless_men_at_front, read_clock};
use super::fen_error::quoted;
use super::{Board, FenError, FenField, MoveError};
use crate::types::Move;

/// A position with its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    /// The position.
    pub board: Board,
    /// What is said about it, in the order of the text.
    pub operations: Vec<Operation>,
}

/// One fact about a position: what kind, and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What is said, like `bm` (best moves) or `id`.
    pub opcode: String,
    /// The values.
    pub operands: Vec<Operand>,
}

/// A value of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A bare word: a move, a number.
    Word(String),
    /// A text in quotation marks.
    Text(String),
}

impl Operand {
    /// The value, with or without quotation marks in the file.
    pub fn as_str(&self) -> &str {
        match self {
            Operand::Word(text) | Operand::Text(text) => text,
        }
    }
}

/// Why an EPD was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// The position.
    #[error(transparent)]
    Position(#[from] FenError),
    /// An operation that does not begin with a name.
    #[error("operation {number}: {found} is no opcode; expected a letter, then letters, digits or _")]
    Opcode {
        /// Its place, from 1.
        number: usize,
        /// What stands there instead.
        found: String,
    },
    /// A text that never ends.
    #[error("operation {number} ({opcode}): the text {found} has no closing quotation mark")]
    OpenText {
        /// Its place, from 1.
        number: usize,
        /// Its name.
        opcode: String,
        /// The text.
        found: String,
    },
    /// A clock (`hmvc`, `fmvn`) that is none.
    #[error("operation {number} ({opcode}) is {found}; expected one number from 0 to 9999")]
    Clock {
        /// Its place, from 1.
        number: usize,
        /// Its name.
        opcode: String,
        /// Its values.
        found: String,
    },
}

impl Board {
    /// Reads an EPD.
    pub fn from_epd(text: &str) -> Result<Epd, EpdError> {
        let mut fields = Fields { rest: text };
        let position = PositionFields::take(&mut fields)?;
        let [mut halfmove_clock, mut fullmove_number] = fields.take_clocks()?;
        let operations = Operations { rest: fields.rest, number: 0 }.collect::<Result<Vec<_>, _>>()?;
        for (index, operation) in operations.iter().enumerate() {
            let (clock, field) = match operation.opcode.as_str() {
                "hmvc" => (&mut halfmove_clock, FenField::HalfmoveClock),
                "fmvn" => (&mut fullmove_number, FenField::MoveNumber),
                _ => continue,
            };
            *clock = match operation.operands.as_slice() {
                [one] => read_clock(one.as_str(), field).ok(),
                _ => None,
            }
            .ok_or_else(|| EpdError::Clock {
                number: index + 1,
                opcode: operation.opcode.clone(),
                found: quoted(&operation.values().collect::<Vec<_>>().join(" ")),
            })?;
        }
        let board = position.board(halfmove_clock, fullmove_number, Board::new_history())?;
        Ok(Epd { board, operations })
    }

    /// The position as EPD has it: the fields of a FEN but for the clocks.
    pub fn epd_position(&self) -> String {
        let fen = self.fen();
        fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
    }

    /// Becomes the position at the front of a line, clocks included where they follow it; answers with the
    /// rest of the line. For millions of lines: no memory is asked for.
    #[inline(always)]
    pub fn set_to_front_of<'a>(&mut self, line: &'a str) -> Result<&'a str, FenError> {
        let mut fields = Fields { rest: line };
        // Looking for the end of the long first field takes as long as reading it: most often one pass does both.
        let position = match flawless_men_at_front(line) {
            Some((men, rest)) if rest.bytes().next().is_none_or(|byte| ends_field(&byte)) => {
                fields.rest = rest;
                PositionFields::take_after(men, &mut fields)?
            }
            _ => PositionFields::take(&mut fields)?,
        };
        let [halfmove_clock, fullmove_number] = fields.take_clocks()?;
        let history = std::mem::take(&mut self.history);
        *self = position.board(halfmove_clock, fullmove_number, history)?;
        Ok(fields.rest)
    }
}

impl Epd {
    /// The first operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.opcode == opcode)
    }

    /// The moves of an operation like `bm` or `am`; none if there is no such operation.
    pub fn moves(&self, opcode: &str) -> Result<Vec<Move>, MoveError> {
        match self.operation(opcode) {
            Some(operation) => operation.values().map(|text| self.board.parse_san(text)).collect(),
            None => Ok(Vec::new()),
        }
    }
}

impl Operation {
    /// Its values, with or without quotation marks in the file.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.operands.iter().map(Operand::as_str)
    }
}

impl fmt::Display for Epd {
    /// One line. Clocks that differ from those of a fresh game are written as operations.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.board.write_position(Board::x_fen_letter))?;
        let (clock, number) = (self.board.halfmove_clock(), self.board.fullmove_number());
        if clock != 0 && self.operation("hmvc").is_none() {
            write!(f, " hmvc {clock};")?;
        }
        if number != 1 && self.operation("fmvn").is_none() {
            write!(f, " fmvn {number};")?;
        }
        for operation in &self.operations {
            write!(f, " {operation};")?;
        }
        Ok(())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.opcode)?;
        for operand in &self.operands {
            match operand {
                Operand::Word(word) => write!(f, " {word}")?,
                // EPD knows no escape for a quotation mark inside a text.
                Operand::Text(text) => write!(f, " \"{}\"", text.replace('"', "'"))?,
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn ends_field(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == b';'
}

/// Takes fields off the front of a text; white space and semicolons end them.
struct Fields<'a> {
    rest: &'a str,
}

impl<'a> Fields<'a> {
    /// The two clocks of a FEN, or those of a fresh game.
    fn take_clocks(&mut self) -> Result<[u16; 2], FenError> {
        let mut clocks = [0, 1];
        if let Some(clock) = self.next_number() {
            clocks[0] = read_clock(clock, FenField::HalfmoveClock)?;
            if let Some(number) = self.next_number() {
                clocks[1] = read_clock(number, FenField::MoveNumber)?;
            }
        }
        Ok(clocks)
    }

    /// The next field if it is a number.
    fn next_number(&mut self) -> Option<&'a str> {
        let mut ahead = Fields { rest: self.rest };
        let field = ahead.next().filter(|field| field.bytes().all(|byte| byte.is_ascii_digit()))?;
        self.rest = ahead.rest;
        Some(field)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a str;

    #[inline(always)]
    fn next(&mut self) -> Option<&'a str> {
        let start = self.rest.trim_ascii_start();
        let end = start.as_bytes().iter().position(ends_field).unwrap_or(start.len());
        let (field, rest) = start.split_at(end);
        if field.is_empty() {
            return None;
        }
        self.rest = rest;
        Some(field)
    }
}

/// Reads operations off the front of a text.
struct Operations<'a> {
    rest: &'a str,
    number: usize,
}

impl Iterator for Operations<'_> {
    type Item = Result<Operation, EpdError>;

    fn next(&mut self) -> Option<Result<Operation, EpdError>> {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ';');
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let operation = self.read();
        if operation.is_err() {
            self.rest = ""; // nothing after an error can be trusted
        }
        Some(operation)
    }
}

impl Operations<'_> {
    fn read(&mut self) -> Result<Operation, EpdError> {
        let number = self.number;
        let mut fields = Fields { rest: self.rest };
        let opcode = fields.next().unwrap_or_default().to_string();
        let is_name = opcode.starts_with(|c: char| c.is_ascii_alphabetic())
            && opcode.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            return Err(EpdError::Opcode { number, found: quoted(&opcode) });
        }
        let mut operands = Vec::new();
        loop {
            fields.rest = fields.rest.trim_ascii_start();
            if let Some(text) = fields.rest.strip_prefix('"') {
                let Some((text, rest)) = text.split_once('"') else {
                    return Err(EpdError::OpenText { number, opcode, found: quoted(text) });
                };
                operands.push(Operand::Text(text.to_string()));
                fields.rest = rest;
            } else if let Some(word) = fields.next() {
                operands.push(Operand::Word(word.to_string()));
            } else {
                break;
            }
        }
        self.rest = fields.rest;
        Ok(Operation { opcode, operands })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    #[test]
    fn operations_keep_their_order_and_kind() {
        let text = format!("{START} bm Nf3 e4; id \"a; b\"; c9 \"1-0\"; ce 60;");
        let epd = Board::from_epd(&text).unwrap();
        assert_eq!(epd.to_string(), text);
        assert_eq!(epd.board, Board::start());
        let opcodes: Vec<&str> = epd.operations.iter().map(|operation| operation.opcode.as_str()).collect();
        assert_eq!(opcodes, ["bm", "id", "c9", "ce"]);
        assert_eq!(epd.operation("id").unwrap().operands, [Operand::Text("a; b".into())]);
        let best: Vec<String> = epd.moves("bm").unwrap().iter().map(|&m| epd.board.uci(m, false)).collect();
        assert_eq!(best, ["g1f3", "e2e4"]);
        assert_eq!(epd.moves("am"), Ok(vec![]));
    }

    #[test]
    fn clocks_in_the_line_or_in_operations() {
        for text in [
            format!("{START} 7 12 ;D1 20 ;D2 400"),
            format!("{START} 7 12; D1 20; D2 400;"),
            format!("{START} hmvc 7; fmvn 12; D1 20; D2 400"),
        ] {
            let epd = Board::from_epd(&text).unwrap();
            assert_eq!((epd.board.halfmove_clock(), epd.board.fullmove_number()), (7, 12), "{text}");
            assert_eq!(epd.operation("D2").unwrap().values().collect::<Vec<_>>(), ["400"], "{text}");
            assert_eq!(Board::from_epd(&epd.to_string()).unwrap().board, epd.board, "{text}");
        }
    }

    #[test]
    fn errors_name_the_operation() {
        for (operations, message) in [
            ("bm Nf3; 9x 1;", "operation 2: '9x' is no opcode; expected a letter, then letters, digits or _"),
            ("id \"open;", "operation 1 (id): the text 'open;' has no closing quotation mark"),
            ("hmvc x;", "operation 1 (hmvc) is 'x'; expected one number from 0 to 9999"),
            ("id 1; fmvn;", "operation 2 (fmvn) is ''; expected one number from 0 to 9999"),
        ] {
            let error = Board::from_epd(&format!("{START} {operations}")).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        let error = Board::from_epd("8/8/8/8/8/8/8/8 w - ; bm e4").unwrap_err();
        assert_eq!(
            error.to_string(),
            "field 4 (en passant) is missing; expected - or the square a pawn just passed over, like e3"
        );
    }
}
