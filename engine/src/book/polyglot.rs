//! Polyglot books (`.bin`): sixteen bytes an entry, sorted by the key of the position.
//!
//! An entry is, big-endian: the key (8), the move (2), its weight (2), and four bytes for learning that
//! nobody agrees about; they are kept and not used. A move is three bits each for the target's file and
//! rank and the origin's file and rank, then three for the promotion. Castling is the king taking its own
//! rook, as everywhere in this program.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::polyglot_keys::RANDOM;
use super::{BookAnswer, BookMove};
use crate::board::{Board, Wing, attacks};
use crate::mapped_file::MappedFile;
use crate::types::{Color, Move, MoveKind, PieceType, Square};
use crate::unfinished_file;

/// Bytes an entry takes.
pub const ENTRY_BYTES: usize = 16;

/// How many places of a file are looked at to find out whether it is sorted at all. A file of other data
/// passes with a chance of 1 in 1024 factorial.
const SAMPLES: usize = 1024;

/// The key of a position, as the format defines it.
pub fn key(board: &Board) -> u64 {
    let mut key = 0;
    for square in board.occupied() {
        let piece = board.expect_piece(square);
        // Black pawn, white pawn, black knight, …
        let kind = 2 * piece.kind().index() + usize::from(piece.color() == Color::White);
        key ^= RANDOM[64 * kind + square.index()];
    }
    let rights = board.castling_rights();
    for (index, (color, wing)) in
        Color::ALL.into_iter().flat_map(|color| Wing::BOTH.map(|wing| (color, wing))).enumerate()
    {
        if rights.has(color, wing) {
            key ^= RANDOM[768 + index];
        }
    }
    if let Some(file) = en_passant_file(board) {
        key ^= RANDOM[772 + usize::from(file)];
    }
    if board.side_to_move() == Color::White {
        key ^= RANDOM[780];
    }
    key
}

/// The format counts en passant as soon as a pawn stands beside the one that made two steps, even if it
/// may not take it. The board only keeps what may be taken, so the last move is asked first.
fn en_passant_file(board: &Board) -> Option<u8> {
    if let Some(last) = board.last_move().filter(|last| last.kind() == MoveKind::DoublePush) {
        let us = board.side_to_move();
        let passed = last.to().forward(us);
        return (attacks::pawn(!us, passed) & board.pawns(us)).any().then(|| passed.file());
    }
    board.en_passant().map(|passed| passed.file())
}

/// One entry of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolyglotEntry {
    /// Of the position.
    pub key: u64,
    /// The move, as the format writes it.
    pub move_bits: u16,
    /// Only compared with other moves of the position.
    pub weight: u16,
    /// Kept as it was found.
    pub learn: u32,
}

impl PolyglotEntry {
    /// From the bytes of a file; there are sixteen of them.
    fn from_bytes(bytes: &[u8]) -> PolyglotEntry {
        let number = |from: usize, to: usize| {
            bytes[from..to].iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte))
        };
        PolyglotEntry {
            key: number(0, 8),
            move_bits: number(8, 10) as u16,
            weight: number(10, 12) as u16,
            learn: number(12, 16) as u32,
        }
    }

    /// As a file holds it.
    pub fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..8].copy_from_slice(&self.key.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.move_bits.to_be_bytes());
        bytes[10..12].copy_from_slice(&self.weight.to_be_bytes());
        bytes[12..].copy_from_slice(&self.learn.to_be_bytes());
        bytes
    }
}

/// A move as the format writes it.
pub fn move_bits(m: Move) -> u16 {
    let promotion = match m.promotion() {
        None => 0,
        Some(kind) => kind.index() as u16, // knight 1 … queen 4
    };
    m.to().index() as u16 | (m.from().index() as u16) << 6 | promotion << 12
}

/// The legal move that the bits mean here.
fn legal_move(board: &Board, bits: u16) -> Option<Move> {
    let to = Square::from_index(usize::from(bits & 63));
    let from = Square::from_index(usize::from(bits >> 6 & 63));
    let promotion = match bits >> 12 {
        0 => None,
        kind @ 1..=4 => Some(PieceType::ALL[usize::from(kind)]),
        _ => return None,
    };
    let moves = board.legal_moves();
    let exact = moves.iter().find(|m| m.from() == from && m.to() == to && m.promotion() == promotion);
    // Some programs write castling as the king's walk. No king goes two squares for another reason.
    let walked = || {
        moves.iter().find(|m| {
            m.is_castle()
                && m.from() == from
                && Wing::of(**m).king_target(board.side_to_move()) == to
                && from.distance(to) > 1
                && promotion.is_none()
        })
    };
    exact.or_else(walked).copied()
}

/// Why a file is not used as a book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// It cannot be read.
    #[error("cannot read {path}: {cause}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        cause: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {path}: {cause}")]
    Unwritable {
        /// The file.
        path: String,
        /// What the system says.
        cause: io::Error,
    },
    /// There is nothing in it.
    #[error("{path} is empty; expected a Polyglot book")]
    Empty {
        /// The file.
        path: String,
    },
    /// Its end is missing.
    #[error("{path} has {bytes} bytes, which is no multiple of 16: cut off, or no Polyglot book")]
    Truncated {
        /// The file.
        path: String,
        /// Its size.
        bytes: usize,
    },
    /// Its keys go up and down.
    #[error(
        "{path} is not sorted by position (entry {entry} is smaller than one before it): no Polyglot book"
    )]
    Unsorted {
        /// The file.
        path: String,
        /// Which entry, from 1.
        entry: usize,
    },
}

enum Bytes {
    Mapped(MappedFile),
    Owned(Vec<u8>),
}

/// A book for reading. However large the file is, opening it costs next to nothing, and a question reads
/// a few dozen places of it.
pub struct PolyglotBook {
    name: String,
    bytes: Bytes,
}

impl PolyglotBook {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<PolyglotBook, BookError> {
        let name = path.display().to_string();
        let unreadable = |cause| BookError::Unreadable { path: name.clone(), cause };
        // A file that another program writes to gives wrong moves, which are checked for legality. Books are
        // replaced, not rewritten (see `PolyglotBuilder::write`).
        let map = MappedFile::open(path).map_err(unreadable)?;
        PolyglotBook::check(PolyglotBook { name, bytes: Bytes::Mapped(map) })
    }

    /// A book that is in memory; `name` is for messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<PolyglotBook, BookError> {
        PolyglotBook::check(PolyglotBook { name: name.to_string(), bytes: Bytes::Owned(bytes) })
    }

    fn check(book: PolyglotBook) -> Result<PolyglotBook, BookError> {
        let (path, bytes) = (book.name.clone(), book.bytes().len());
        if bytes == 0 {
            return Err(BookError::Empty { path });
        }
        if !bytes.is_multiple_of(ENTRY_BYTES) {
            return Err(BookError::Truncated { path, bytes });
        }
        let samples = SAMPLES.min(book.len());
        let mut last = 0;
        for sample in 0..samples {
            let index = (sample as u128 * book.len() as u128 / samples as u128) as usize;
            let key = book.entry(index).key;
            if key < last {
                return Err(BookError::Unsorted { path, entry: index + 1 });
            }
            last = key;
        }
        Ok(book)
    }

    /// What it is called in messages: its path.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.bytes().len() / ENTRY_BYTES
    }

    /// Whether it has none. An opened book always has some.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn entry(&self, index: usize) -> PolyglotEntry {
        PolyglotEntry::from_bytes(&self.bytes()[index * ENTRY_BYTES..(index + 1) * ENTRY_BYTES])
    }

    /// All entries, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = PolyglotEntry> + '_ {
        (0..self.len()).map(|index| self.entry(index))
    }

    /// The entries of a key.
    pub fn entries(&self, key: u64) -> impl Iterator<Item = PolyglotEntry> + '_ {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle).key < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low..self.len()).map(|index| self.entry(index)).take_while(move |entry| entry.key == key)
    }

    fn mapped(&self) -> Option<&MappedFile> {
        match &self.bytes {
            Bytes::Mapped(map) => Some(map),
            Bytes::Owned(_) => None,
        }
    }

    /// True once, after its file has become shorter. Such a book says nothing any more.
    pub fn is_newly_cut(&self) -> bool {
        self.mapped().is_some_and(MappedFile::is_newly_cut)
    }

    /// What it says about a position.
    pub fn answer(&self, board: &Board) -> BookAnswer {
        let mut answer = BookAnswer::default();
        if self.mapped().is_some_and(MappedFile::is_cut) {
            return answer;
        }
        for entry in self.entries(key(board)) {
            let weight = u32::from(entry.weight);
            match legal_move(board, entry.move_bits) {
                None => answer.skipped += 1,
                Some(m) => match answer.moves.iter_mut().find(|known| known.m == m) {
                    Some(known) => known.weight = known.weight.saturating_add(weight),
                    None => answer.moves.push(BookMove { m, weight }),
                },
            }
        }
        answer
    }
}

/// Puts a book together: entries in any order, from anywhere. The same move of the same position is one
/// entry, whose weight is the sum as far as sixteen bits hold it.
#[derive(Default)]
pub struct PolyglotBuilder {
    /// `// (key, move) → (weight, learn)`
    entries: BTreeMap<(u64, u16), (u16, u32)>,
}

impl PolyglotBuilder {
    /// A book without entries.
    pub fn new() -> PolyglotBuilder {
        PolyglotBuilder::default()
    }

    /// Adds a move of a position.
    pub fn add(&mut self, board: &Board, m: Move, weight: u16) {
        self.add_entry(PolyglotEntry { key: key(board), move_bits: move_bits(m), weight, learn: 0 });
    }

    /// Adds an entry as it is.
    pub fn add_entry(&mut self, entry: PolyglotEntry) {
        let (weight, learn) = self.entries.entry((entry.key, entry.move_bits)).or_insert((0, entry.learn));
        *weight = weight.saturating_add(entry.weight);
        if *learn == 0 {
            *learn = entry.learn;
        }
    }

    /// Adds all entries of a book.
    pub fn merge(&mut self, book: &PolyglotBook) {
        book.iter().for_each(|entry| self.add_entry(entry));
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries as a file holds them: by position, the heaviest move first.
    pub fn sorted(&self) -> Vec<PolyglotEntry> {
        let entry = |(&(key, move_bits), &(weight, learn)): (&(u64, u16), &(u16, u32))| PolyglotEntry {
            key,
            move_bits,
            weight,
            learn,
        };
        let mut entries: Vec<PolyglotEntry> = self.entries.iter().map(entry).collect();
        entries.sort_by_key(|entry| (entry.key, std::cmp::Reverse(entry.weight), entry.move_bits));
        entries
    }

    /// Writes a file. It takes the place of an old one only when it is complete, so that nobody who has
    /// that one mapped sees it change.
    pub fn write(&self, path: &Path) -> Result<(), BookError> {
        let unwritable = |cause| BookError::Unwritable { path: path.display().to_string(), cause };
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        let unfinished = PathBuf::from(unfinished);
        let written = (|| {
            let mut file = io::BufWriter::new(unfinished_file::begin(&unfinished)?);
            for entry in self.sorted() {
                file.write_all(&entry.to_bytes())?;
            }
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            std::fs::rename(&unfinished, path)
        })();
        written.map_err(|cause: io::Error| {
            if cause.kind() == io::ErrorKind::ResourceBusy {
                return unwritable(cause); // it is another's
            }
            // What could not be finished is of no use; if it cannot be removed either, there is nothing to add.
            let _ = std::fs::remove_file(&unfinished);
            unwritable(cause)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The canonical positions of the format's description.
    const CANONICAL: [(&str, u64); 9] = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463B_9618_1691_FC9C),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823C_9B50_FD11_4196),
        ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_B944_61C5_0FB0),
        ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662F_AFB9_65DB_29D4),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22A4_8B5A_8E47_FF78),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 1 3", 0x652A_607C_A3F2_42C1),
        ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 2 4", 0x00FD_D303_C946_BDD9),
        ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3C81_23EA_7B06_7637),
        ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 1 4", 0x5C3F_9B82_9B27_9560),
    ];

    #[test]
    fn the_canonical_keys() {
        for (fen, expected) in CANONICAL {
            assert_eq!(key(&Board::from_fen(fen).expect("a test position")), expected, "{fen}");
        }
    }

    #[test]
    fn the_numbers_are_those_of_the_format() {
        let digest =
            RANDOM.iter().fold(0u64, |digest, &number| (digest ^ number).wrapping_mul(0x0000_0100_0000_01B3));
        assert_eq!(digest, 0x97A3_88FD_A26F_532E);
    }

    #[test]
    fn a_pawn_that_is_pinned_counts_for_en_passant_all_the_same() {
        // The pawn on e4 may not take on d3: its king would stand in the rook's way. The format's key
        // has the file nevertheless.
        let mut board = Board::from_fen("4k3/8/8/8/4p3/8/3P4/K3R3 w - - 0 1").expect("a test position");
        let push = board.parse_uci("d2d4").expect("legal");
        board.make(push);
        assert_eq!(board.en_passant(), None);
        let without = Board::from_fen("4k3/8/8/8/3Pp3/8/8/K3R3 b - - 0 1").expect("a test position");
        assert_eq!(key(&board), key(&without) ^ RANDOM[772 + 3]);
        // No pawn beside it: nothing to count.
        let mut board = Board::start();
        board.make(board.parse_uci("d2d4").expect("legal"));
        assert_eq!(en_passant_file(&board), None);
    }

    fn entry(key: u64, move_bits: u16, weight: u16) -> PolyglotEntry {
        PolyglotEntry { key, move_bits, weight, learn: 0 }
    }

    fn book(entries: &[PolyglotEntry]) -> Result<PolyglotBook, BookError> {
        PolyglotBook::from_bytes("test.bin", entries.iter().flat_map(|entry| entry.to_bytes()).collect())
    }

    fn answer(board: &Board, texts: &[&str]) -> BookAnswer {
        let mut builder = PolyglotBuilder::new();
        for text in texts {
            builder.add(board, board.parse_uci(text).expect("legal"), 3);
        }
        book(&builder.sorted()).expect("sorted").answer(board)
    }

    #[test]
    fn special_moves_survive_the_format() {
        for (fen, texts) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["e1g1", "e1c1", "e1f1", "a1a8"]),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", ["e8g8", "e8c8", "e8d7", "h8h1"]),
            ("1n5k/P7/8/8/8/8/8/K7 w - - 0 1", ["a7a8q", "a7a8r", "a7b8b", "a7a8n"]),
            ("8/8/8/k2pP3/8/8/8/K7 w - d6 0 1", ["e5d6", "e5e6", "a1a2", "a1b1"]),
        ] {
            let board = Board::from_fen(fen).expect("a test position");
            let answer = answer(&board, &texts);
            assert_eq!((answer.moves.len(), answer.skipped), (4, 0), "{fen}");
            for text in texts {
                let m = board.parse_uci(text).expect("legal");
                assert!(answer.moves.contains(&BookMove { m, weight: 3 }), "{text} in {fen}");
            }
        }
    }

    #[test]
    fn castling_written_as_a_walk_is_understood() {
        let board = Board::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("a test position");
        let walk = 6 | 4 << 6; // e1g1
        let answer = book(&[entry(key(&board), walk, 1)]).expect("one entry").answer(&board);
        assert_eq!(answer.moves, [BookMove { m: board.parse_uci("e1g1").expect("legal"), weight: 1 }]);
    }

    #[test]
    fn what_is_illegal_is_skipped_and_counted() {
        let board = Board::start();
        let e4 = board.parse_uci("e2e4").expect("legal");
        let here = key(&board);
        let entries = [
            entry(here, move_bits(e4), 2),
            entry(here, 0, 900),                     // a1a1
            entry(here, 0xFFFF, 900),                // promotion to nothing there is
            entry(here, move_bits(e4) | 4 << 12, 5), // no promotion here
            entry(here, move_bits(e4), u16::MAX),    // once more
            entry(here ^ 1, move_bits(e4), 900),     // another position
        ];
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|entry| entry.key);
        let answer = book(&sorted).expect("sorted").answer(&board);
        assert_eq!(answer.moves, [BookMove { m: e4, weight: 2 + u32::from(u16::MAX) }]);
        assert_eq!(answer.skipped, 3);
    }

    #[test]
    fn files_that_are_no_books_are_named() {
        let message = |bytes: Vec<u8>| match PolyglotBook::from_bytes("odd.bin", bytes) {
            Ok(_) => panic!("taken for a book"),
            Err(error) => error.to_string(),
        };
        assert!(message(vec![]).contains("odd.bin is empty"));
        assert!(message(vec![0; 33]).contains("33 bytes"));
        let unsorted = message([entry(7, 1, 1), entry(6, 1, 1)].iter().flat_map(|e| e.to_bytes()).collect());
        assert!(unsorted.contains("entry 2"), "{unsorted}");
    }

    #[test]
    fn what_is_written_is_read_and_merging_adds_up() {
        let board = Board::start();
        let [e4, d4] = ["e2e4", "d2d4"].map(|text| board.parse_uci(text).expect("legal"));
        let mut builder = PolyglotBuilder::new();
        builder.add(&board, e4, 10);
        builder.add(&board, d4, 65_000);
        builder.add_entry(PolyglotEntry { key: 5, move_bits: 77, weight: 1, learn: 9 });
        let path = std::env::temp_dir().join(format!("tabula merged book {}.bin", std::process::id()));
        builder.write(&path).expect("the temporary folder is writable");
        let first = PolyglotBook::open(&path).expect("written above");
        assert_eq!(first.iter().collect::<Vec<_>>(), builder.sorted());
        assert_eq!(first.entries(5).next().map(|entry| entry.learn), Some(9));

        // The same once more, over the file that is still open.
        builder.merge(&first);
        builder.write(&path).expect("the temporary folder is writable");
        let second = PolyglotBook::open(&path).expect("written above");
        let weight = |book: &PolyglotBook, m: Move| {
            book.answer(&board).moves.iter().find(|known| known.m == m).map(|known| known.weight)
        };
        assert_eq!((weight(&first, e4), weight(&first, d4)), (Some(10), Some(65_000)));
        assert_eq!((weight(&second, e4), weight(&second, d4)), (Some(20), Some(65_535)));
        assert_eq!(second.answer(&board).moves[0].m, d4, "the heaviest first");
        std::fs::remove_file(&path).expect("written above");
        assert!(!path.with_extension("bin.unfinished").exists());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = PolyglotBuilder::new().write(Path::new("no such folder/book.bin")).unwrap_err();
        assert!(error.to_string().contains("no such folder/book.bin"), "{error}");
        let error = PolyglotBook::open(Path::new("no such folder/book.bin")).err().expect("not there");
        assert!(error.to_string().contains("no such folder/book.bin"), "{error}");
    }
}
