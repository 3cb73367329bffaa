//! The vocabulary: small `Copy` types that every other room speaks in.

mod bitboard;
mod moves;
mod piece;
mod square;
pub mod value;

pub use bitboard::Bitboard;
pub use moves::{Move, MoveKind, MoveList};
pub use piece::{Color, Piece, PieceType};
pub use square::{File, Rank, Square};
pub use value::{MAX_PLY, Value};

#[cfg(test)]
mod tests;
