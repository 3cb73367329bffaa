//! Zobrist keys. Files are keyed by them, so they are **frozen for ever**: they come from a fixed seed
//! and a test pins their fingerprint.

use crate::types::{File, Piece, Square};

/// A hash of a position.
pub type Key = u64;

/// All the random numbers that keys are made of.
pub struct ZobristKeys {
    /// `// [piece][square]`
    pieces: [[Key; 64]; 12],
    /// One for each square of a rook that may still castle: rights are rook squares, so that two
    /// Chess960 positions that differ only in which rook may castle get different keys.
    castling_rook: [Key; 64],
    /// `// [file]`
    en_passant: [Key; 8],
    /// Mixed in when Black is to move.
    pub black_to_move: Key,
}

/// The keys of this program and of every file it wrote or will write.
pub static ZOBRIST: ZobristKeys = ZobristKeys::from_seed(0x7461_6275_6C61_2031); // "tabula 1"

impl ZobristKeys {
    const fn from_seed(seed: u64) -> ZobristKeys {
        let mut keys = ZobristKeys {
            pieces: [[0; 64]; 12],
            castling_rook: [0; 64],
            en_passant: [0; 8],
            black_to_move: 0,
        };
        let mut state = seed;
        let mut piece = 0;
        while piece < 12 {
            let mut square = 0;
            while square < 64 {
                keys.pieces[piece][square] = splitmix64(&mut state);
                square += 1;
            }
            piece += 1;
        }
        let mut square = 0;
        while square < 64 {
            keys.castling_rook[square] = splitmix64(&mut state);
            square += 1;
        }
        let mut file = 0;
        while file < 8 {
            keys.en_passant[file] = splitmix64(&mut state);
            file += 1;
        }
        keys.black_to_move = splitmix64(&mut state);
        keys
    }

    /// The key of a piece on a square.
    #[inline(always)]
    pub const fn piece(&self, piece: Piece, square: Square) -> Key {
        self.pieces[piece.index()][square.index()]
    }

    /// The key of the right to castle with the rook on a square.
    #[inline(always)]
    pub const fn castling_rook(&self, square: Square) -> Key {
        self.castling_rook[square.index()]
    }

    /// The key of an en passant capture that is possible on a file.
    #[inline(always)]
    pub const fn en_passant(&self, file: File) -> Key {
        self.en_passant[file as usize & 7]
    }

    /// One number that stands for all the keys: files carry it in their header, so that a book made
    /// with other keys is refused instead of misread.
    pub const fn fingerprint(&self) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325;
        let mut piece = 0;
        while piece < 12 {
            hash = fold(hash, &self.pieces[piece]);
            piece += 1;
        }
        hash = fold(hash, &self.castling_rook);
        hash = fold(hash, &self.en_passant);
        fold(hash, &[self.black_to_move])
    }
}

/// FNV-1a over eight-byte words.
const fn fold(mut hash: u64, words: &[u64]) -> u64 {
    let mut i = 0;
    while i < words.len() {
        hash = (hash ^ words[i]).wrapping_mul(0x0000_0100_0000_01B3);
        i += 1;
    }
    hash
}

/// Vigna's SplitMix64: every seed gives a full-period, well-mixed stream.
pub(crate) const fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, every experience book and game record in the world has become unreadable.
    /// Do not change the number: put the keys back.
    #[test]
    fn the_keys_are_frozen() {
        assert_eq!(ZOBRIST.fingerprint(), 0x4CBC_7647_31EB_759C);
    }
}
