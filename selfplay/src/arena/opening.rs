//! Where games begin: positions from EPD, lines from PGN, both plain or zipped, or random walks.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Board;
use engine::board::Wing;
use engine::eval::{EvalParams, Weights};
use engine::types::{Color, Move, Square};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use crate::Level;
use crate::pgn::{self, PgnGame};
use crate::random_opening::random_opening;

/// A first position and moves already made from it.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The first position; `None`: the initial one.
    fen: Option<String>,
    /// Played before the engines take over.
    moves: Vec<Move>,
}

impl Opening {
    /// The initial position.
    pub fn start() -> Opening {
        Opening { fen: None, moves: Vec::new() }
    }

    /// A position, with no moves made from it.
    pub fn at(board: &Board) -> Opening {
        let fen = board.fen();
        Opening { fen: (fen != Board::start().fen()).then_some(fen), moves: Vec::new() }
    }

    /// The FEN of the first position, unless it is the initial one.
    pub fn fen(&self) -> Option<&str> {
        self.fen.as_deref()
    }

    /// The moves of the book.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The first position.
    pub fn first_board(&self) -> Board {
        let board = self.fen.as_deref().map(Board::from_fen);
        // The FEN was read once already when the opening was made.
        board.and_then(Result::ok).unwrap_or_else(Board::start)
    }
}

/// Why a book gives no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("cannot read the openings {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The archive cannot be read.
    #[error("cannot unpack the openings {path}: {reason}")]
    Zip {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The name says neither EPD nor PGN.
    #[error("openings {path}: the name must end in .epd, .fen or .pgn (or in .zip, around one of these)")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// There is nothing in it.
    #[error("openings {path}: not a single opening in it")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Random ones are all lopsided.
    #[error(
        "opening {number}: no random opening is within ±{limit} centipawns of level; raise --opening-limit"
    )]
    NoneLevel {
        /// From 0.
        number: usize,
        /// Centipawns.
        limit: i32,
    },
    /// One opening is wrong.
    #[error("openings {path}, line {line}: {reason}")]
    Opening {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// An opening as it stands in a file, not yet understood: books have hundreds of thousands of lines,
/// a match needs a few hundred of them.
struct Entry {
    line: usize,
    text: String,
}

enum Source {
    Start,
    Random { seed: u64, level: Option<(Level, Arc<Weights>)> },
    Positions { path: PathBuf, entries: Vec<Entry> },
    Lines { path: PathBuf, entries: Vec<Entry> },
}

/// A supply of openings, numbered from 0; the same seed gives the same openings.
pub struct OpeningBook {
    source: Source,
    chess960: bool,
}

impl OpeningBook {
    /// Always the initial position.
    pub fn start_only() -> OpeningBook {
        OpeningBook { source: Source::Start, chess960: false }
    }

    /// Random walks of 8 or 9 plies.
    pub fn random(seed: u64) -> OpeningBook {
        OpeningBook { source: Source::Random { seed, level: None }, chess960: false }
    }

    /// Random walks of 8 or 9 plies whose end a search with the compiled-in weights finds level: the players, of
    /// whom one may be a candidate, have no say in it.
    pub fn random_level(seed: u64, level: Level) -> OpeningBook {
        let weights = Arc::new(Weights::new(&EvalParams::embedded()));
        OpeningBook { source: Source::Random { seed, level: Some((level, weights)) }, chess960: false }
    }

    /// Reads a file and shuffles it.
    pub fn open(path: &Path, seed: u64, chess960: bool) -> Result<OpeningBook, OpeningError> {
        let bytes = fs::read(path).map_err(|source| OpeningError::Read { path: path.into(), source })?;
        let (name, bytes) = if has_ending(path, "zip") { unzip(path, bytes)? } else { (path.into(), bytes) };
        let text = String::from_utf8_lossy(&bytes);
        let (mut entries, is_pgn) = if has_ending(&name, "epd") || has_ending(&name, "fen") {
            (epd_entries(&text), false)
        } else if has_ending(&name, "pgn") {
            (pgn_entries(&text), true)
        } else {
            return Err(OpeningError::UnknownFormat { path: path.into() });
        };
        if entries.is_empty() {
            return Err(OpeningError::Empty { path: path.into() });
        }
        entries.shuffle(&mut Pcg64::seed_from_u64(seed));
        let path = path.into();
        let source = match is_pgn {
            true => Source::Lines { path, entries },
            false => Source::Positions { path, entries },
        };
        Ok(OpeningBook { source, chess960 })
    }

    /// How many different openings there are; `None`: no end of them.
    pub fn len(&self) -> Option<usize> {
        match &self.source {
            Source::Start => Some(1),
            Source::Random { .. } => None,
            Source::Positions { entries, .. } | Source::Lines { entries, .. } => Some(entries.len()),
        }
    }

    /// Whether there is none; a book that could be opened has at least one.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// Reads the first `count` openings, so that a bad one is found before the match and not in it.
    pub fn check(&self, count: usize) -> Result<(), OpeningError> {
        let in_file = if matches!(self.source, Source::Random { .. }) { 0 } else { self.len().unwrap_or(0) };
        (0..count.min(in_file)).try_for_each(|number| self.opening(number).map(drop))
    }

    /// The opening with this number; beyond the last one they start over.
    pub fn opening(&self, number: usize) -> Result<Opening, OpeningError> {
        let (path, entries) = match &self.source {
            Source::Start => return Ok(Opening::start()),
            Source::Random { seed, level } => {
                let found = random_opening(*seed, number as u64, level.as_ref());
                let moves = found.map_err(|limit| OpeningError::NoneLevel { number, limit })?;
                return Ok(Opening { fen: None, moves });
            }
            Source::Positions { path, entries } | Source::Lines { path, entries } => (path, entries),
        };
        let entry = &entries[number % entries.len()];
        let opening = match &self.source {
            Source::Positions { .. } => position_from_epd(&entry.text),
            _ => line_from_pgn(&entry.text),
        };
        opening.and_then(|opening| self.judge(opening)).map_err(|reason| OpeningError::Opening {
            path: path.clone(),
            line: entry.line,
            reason,
        })
    }

    /// Refuses openings that cannot be played.
    fn judge(&self, opening: Opening) -> Result<Opening, String> {
        let mut board = opening.first_board();
        if !self.chess960 && !castles_as_usual(&board) {
            return Err("king or rooks castle from Chess960 squares; add --chess960".to_string());
        }
        for &m in &opening.moves {
            board.make(m);
        }
        if board.count_legal_moves() == 0 {
            return Err("the game is over in this position".to_string());
        }
        Ok(opening)
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
}

/// The most bytes of a file in an archive: larger collections are unpacked by hand.
const MOST_UNPACKED: u64 = 1 << 31;

/// The first EPD, FEN or PGN file of an archive: its name and its bytes.
pub(crate) fn unzip(path: &Path, bytes: Vec<u8>) -> Result<(PathBuf, Vec<u8>), OpeningError> {
    unzip_at_most(path, bytes, MOST_UNPACKED)
}

/// A small archive may unpack to any size.
fn unzip_at_most(path: &Path, bytes: Vec<u8>, most: u64) -> Result<(PathBuf, Vec<u8>), OpeningError> {
    let refused = |reason: String| OpeningError::Zip { path: path.into(), reason };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| refused(e.to_string()))?;
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).map_err(|e| refused(e.to_string()))?;
        let name = PathBuf::from(file.name());
        if ["epd", "fen", "pgn"].iter().any(|ending| has_ending(&name, ending)) {
            let mut unpacked = Vec::new();
            file.by_ref().take(most + 1).read_to_end(&mut unpacked).map_err(|e| refused(e.to_string()))?;
            if unpacked.len() as u64 > most {
                return Err(refused(format!(
                    "{} in it has more than {most} bytes: unpack it",
                    name.display()
                )));
            }
            return Ok((name, unpacked));
        }
    }
    Err(refused("no .epd, .fen or .pgn file in it".to_string()))
}

fn epd_entries(text: &str) -> Vec<Entry> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(number, line)| Entry { line: number + 1, text: line.trim().to_string() })
        .collect()
}

fn pgn_entries(text: &str) -> Vec<Entry> {
    pgn::split_games(text).map(|(line, game)| Entry { line, text: game.to_string() }).collect()
}

fn position_from_epd(line: &str) -> Result<Opening, String> {
    let epd = Board::from_epd(line).map_err(|e| e.to_string())?;
    Ok(Opening::at(&epd.board))
}

fn line_from_pgn(text: &str) -> Result<Opening, String> {
    let game = PgnGame::parse(text).map_err(|e| e.to_string())?;
    Ok(Opening { fen: game.first_fen, moves: game.moves })
}

/// Whether all castling that is still possible is that of standard chess.
fn castles_as_usual(board: &Board) -> bool {
    let rooks = board.setup().castling_rooks;
    Color::ALL.into_iter().all(|color| {
        let rooks = rooks[color.index()];
        let at_home = |square: Square| square.relative(color);
        let standard = [(Wing::King, Square::H1), (Wing::Queen, Square::A1)];
        let rooks_at_home = standard
            .into_iter()
            .all(|(wing, home)| rooks[wing as usize].is_none_or(|square| at_home(square) == home));
        let may_castle = rooks.iter().any(Option::is_some);
        !may_castle || (rooks_at_home && at_home(board.king(color)) == Square::E1)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn an_archive_that_unpacks_to_too_much_is_refused() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("openings.epd", zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, &vec![b'x'; 1 << 20]).unwrap();
        let bytes = archive.finish().unwrap().into_inner();
        assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
        let path = Path::new("small.zip");
        assert_eq!(unzip_at_most(path, bytes.clone(), 1 << 20).unwrap().1.len(), 1 << 20);
        let error = unzip_at_most(path, bytes, (1 << 20) - 1).unwrap_err().to_string();
        assert!(error.contains("small.zip") && error.contains("more than 1048575 bytes"), "{error}");
    }

    #[test]
    fn random_openings_repeat_with_the_seed_and_differ_without() {
        let keys = |seed: u64| -> Vec<u64> {
            let book = OpeningBook::random(seed);
            let opening = |number| book.opening(number).unwrap();
            (0..200)
                .map(|number| {
                    let mut board = Board::start();
                    for &m in opening(number).moves() {
                        assert!(board.is_legal(m));
                        board.make(m);
                    }
                    assert!([8, 9].contains(&board.plies_made()));
                    board.key()
                })
                .collect()
        };
        let first = keys(1);
        assert_eq!(first, keys(1));
        let different: HashSet<u64> = first.iter().copied().chain(keys(2)).collect();
        assert!(different.len() > 390, "{} of 400 are different", different.len());
    }

    #[test]
    fn epd_lines_with_operations_and_with_clocks() {
        let opening = position_from_epd("7k/8/8/8/8/8/8/K6R b - - c0 \"a comment\"; id 7;").unwrap();
        assert_eq!(opening.fen(), Some("7k/8/8/8/8/8/8/K6R b - - 0 1"));
        let opening = position_from_epd("7k/8/8/8/8/8/8/K6R b - - 12 34").unwrap();
        assert_eq!(opening.fen(), Some("7k/8/8/8/8/8/8/K6R b - - 12 34"));
        assert!(position_from_epd("7k/8/8/8/8/8/8/K6R b").is_err());
        assert!(position_from_epd("8/8/8/8/8/8/8/K6R b - -").is_err());
    }

    #[test]
    fn chess960_positions_are_told_apart() {
        let standard = |fen: &str| castles_as_usual(&Board::from_fen(fen).unwrap());
        assert!(standard("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
        assert!(standard("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1"));
        assert!(!standard("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"));
        assert!(!standard("4k3/8/8/8/8/8/8/R2K4 w Q - 0 1"));
    }
}
