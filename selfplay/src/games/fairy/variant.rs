//! A variant: board, pieces, rules and goals, as its file says, and the tables made of them.

use super::compile::Tables;
use super::geometry::{Bits, Geometry};
use super::modifier::{Line, Types};
use super::position::{Position, mix};

/// Types of pieces at most.
pub const MOST_PIECES: usize = 26;

/// A type of piece.
#[derive(Clone, PartialEq, Debug)]
pub struct PieceType {
    /// White's letter, a capital.
    pub letter: char,
    /// A word for people.
    pub name: String,
    /// What it can do.
    pub lines: Vec<Line>,
    /// Whether its loss is not allowed.
    pub royal: bool,
    /// Moves like the piece that the other side moved last.
    pub joker: bool,
    /// Cannot be captured.
    pub iron: bool,
    /// Enemies next to it vanish.
    pub burns: bool,
    /// Enemies of these types next to it cannot move.
    pub freezes: Types,
    /// What it becomes.
    pub promotion: Option<Promotion>,
}

/// Where a piece becomes another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Promotion {
    /// Types it may become.
    pub to: Vec<u8>,
    /// From this rank on it may, as its side counts.
    pub from: u8,
    /// From this rank on it must.
    pub must: u8,
}

/// King and rook moving together, for one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Castling {
    /// As FEN has it.
    pub letter: char,
    /// Whose.
    pub side: u8,
    /// From and to.
    pub king: (u8, u8),
    /// From and to.
    pub rook: (u8, u8),
}

/// What it means when the side to move cannot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stalemate {
    /// Nobody wins.
    Draw,
    /// It loses.
    Loss,
    /// It wins.
    Win,
}

/// How a game ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Goals {
    /// No move, not in check.
    pub stalemate: Stalemate,
    /// Whoever has only royal pieces left loses.
    pub bare_king: bool,
    /// Whoever has nothing left loses.
    pub capture_all: bool,
    /// Pieces of these types on these squares (as White sees them) win.
    pub reach: Option<(Types, Bits)>,
    /// So many checks win; 0: they count nothing.
    pub checks: u8,
    /// A position for the so manieth time is a draw.
    pub repetition: u8,
    /// So many moves of each side without progress are a draw; 0: none.
    pub quiet_moves: u16,
}

/// See the module.
pub struct Variant {
    /// What it is called.
    pub name: String,
    /// A sentence.
    pub about: String,
    /// The board.
    pub geometry: Geometry,
    /// Types of pieces; their numbers are those in cells.
    pub pieces: Vec<PieceType>,
    /// Castlings of both sides; their numbers are bits of rights.
    pub castlings: Vec<Castling>,
    /// Moves in a turn: 2 in Marseillais chess.
    pub moves_a_turn: u8,
    /// How a game ends.
    pub goals: Goals,
    /// Where it begins.
    pub start: Position,
    /// A hash of the rules.
    pub hash: u64,
    /// Types that are royal.
    pub royals: Types,
    /// Whether something burns, is iron, freezes, copies.
    pub has_burners: bool,
    /// See `has_burners`.
    pub has_iron: bool,
    /// See `has_burners`.
    pub has_freezers: bool,
    /// See `has_burners`.
    pub has_jokers: bool,
    /// `// [square]` castlings that end when something changes there
    pub rights_lost: Vec<u16>,
    /// What the keys of this variant begin with.
    pub salt: u64,
    /// `// [square][cell]`
    pub keys: Vec<u64>,
    /// Compiled pieces.
    pub tables: Tables,
}

impl Variant {
    /// The part of the key that a piece on a square adds.
    pub fn key_of(&self, square: u8, cell: u8) -> u64 {
        self.keys[usize::from(square) * self.cells_a_square() + usize::from(cell)]
    }

    fn cells_a_square(&self) -> usize {
        2 * self.pieces.len() + 1
    }

    /// The letters of the types, in their order.
    pub fn letters(&self) -> Vec<char> {
        self.pieces.iter().map(|piece| piece.letter).collect()
    }

    /// Fills in what follows from the rest.
    pub fn complete(&mut self) {
        let royals = self.pieces.iter().enumerate().filter(|(_, piece)| piece.royal);
        self.royals = royals.fold(0, |types, (number, _)| types | 1 << number);
        self.has_burners = self.pieces.iter().any(|piece| piece.burns);
        self.has_iron = self.pieces.iter().any(|piece| piece.iron);
        self.has_freezers = self.pieces.iter().any(|piece| piece.freezes != 0);
        self.has_jokers = self.pieces.iter().any(|piece| piece.joker);
        self.salt = mix(self.hash);
        let count = self.geometry.cells() * self.cells_a_square();
        self.keys = (0..count as u64).map(|number| mix(number ^ self.salt.rotate_left(7))).collect();
        self.rights_lost = vec![0; self.geometry.cells()];
        for (number, castling) in self.castlings.iter().enumerate() {
            self.rights_lost[usize::from(castling.king.0)] |= 1 << number;
            self.rights_lost[usize::from(castling.rook.0)] |= 1 << number;
        }
        self.tables = Tables::of(self);
    }

    /// A piece's letter as FEN writes it.
    pub fn letter(&self, piece: u8, side: u8) -> char {
        let letter = self.pieces[usize::from(piece)].letter;
        if side == 0 { letter } else { letter.to_ascii_lowercase() }
    }

    /// Type and side of a letter.
    pub fn piece_of_letter(&self, letter: char) -> Option<(u8, u8)> {
        let piece = self.pieces.iter().position(|piece| piece.letter == letter.to_ascii_uppercase())?;
        Some((piece as u8, u8::from(letter.is_ascii_lowercase())))
    }
}
