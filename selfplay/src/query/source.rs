//! Sources: files become chunks, which any thread may read; a chunk becomes games.

use std::path::Path;
use std::sync::Arc;

use engine::Board;
use engine::types::value;

use super::game::{Game, Thought};
use super::problem::Problem;
use super::syntax::Source;
use crate::Outcome;
use crate::pgn::{PgnGame, read_tags, split_games};
use crate::play::Dice;
use crate::record::{Reader, RecordError};

/// Games or positions of a chunk where reading costs more than asking. Results depend on no thread, so
/// this may depend on the query but not on the machine.
const CHEAP_CHUNK: usize = 200;

/// Why a source cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file.
    #[error("cannot read {path}: {source}")]
    Io {
        /// Its name.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file that is no text.
    #[error("{path} is not text in UTF-8; is it compressed?")]
    NotText {
        /// Its name.
        path: String,
    },
    /// A record.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Something that was passed over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// The file.
    pub file: Arc<str>,
    /// The line where the game or position begins.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// A part of a source that one thread reads.
#[derive(Clone)]
pub enum Chunk {
    /// A block of a record.
    Block {
        /// The record.
        reader: Arc<Reader>,
        /// Its name.
        file: Arc<str>,
        /// Which block.
        number: usize,
    },
    /// Some games of PGN.
    Pgn {
        /// All of the file.
        text: Arc<str>,
        /// Its name.
        file: Arc<str>,
        /// Where the games are: line, from, to.
        places: Vec<(usize, usize, usize)>,
        /// The number of the first.
        first: u64,
        /// Whether variations are games too.
        variations: bool,
    },
    /// Some lines of EPD.
    Epd {
        /// All of the file.
        text: Arc<str>,
        /// Its name.
        file: Arc<str>,
        /// Where the lines are: number, from, to.
        places: Vec<(usize, usize, usize)>,
    },
    /// Some random walks.
    Random {
        /// The first and the one after the last.
        walks: (u64, u64),
        /// How far.
        plies: u64,
        /// Whatever makes them these.
        seed: u64,
    },
    /// One position.
    Position(Box<Game>),
}

/// The chunks of a source, in order. Files are opened one after the other, when their turn comes.
pub fn chunks(source: &Source, expensive: bool) -> Box<dyn Iterator<Item = Result<Chunk, SourceError>> + '_> {
    let size = if expensive { 1 } else { CHEAP_CHUNK };
    match source {
        Source::Games { files, variations } => {
            Box::new(files.iter().flat_map(move |file| game_chunks(file, *variations, size)))
        }
        Source::Game { files, .. } => {
            Box::new(files.iter().flat_map(move |file| game_chunks(file, false, size)))
        }
        Source::Positions(files) => Box::new(files.iter().flat_map(move |file| position_chunks(file, size))),
        Source::Position(fen) => Box::new(std::iter::once(Ok(position_chunk(fen.as_deref())))),
        Source::Random { plies, times, seed } => {
            let (plies, times, seed) = (*plies, *times, *seed);
            let starts = (0..times).step_by(size);
            Box::new(starts.map(move |start| {
                Ok(Chunk::Random { walks: (start, times.min(start + size as u64)), plies, seed })
            }))
        }
    }
}

type Chunks = Box<dyn Iterator<Item = Result<Chunk, SourceError>>>;

fn game_chunks(path: &str, variations: bool, size: usize) -> Chunks {
    let file: Arc<str> = path.into();
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Box::new(std::iter::once(Err(error))),
    };
    if path.ends_with(".tgr") || bytes.starts_with(b"TGR\x1a") {
        return match Reader::from_bytes(Path::new(path), bytes) {
            Ok(reader) => record_chunks(Arc::new(reader), file),
            Err(error) => Box::new(std::iter::once(Err(error.into()))),
        };
    }
    // PGN of old is Latin-1 now and then: names lose a letter, moves do not.
    let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
    let start = text.as_ptr() as usize;
    let places: Vec<(usize, usize, usize)> = split_games(&text)
        .map(|(line, game)| {
            let from = game.as_ptr() as usize - start;
            (line, from, from + game.len())
        })
        .collect();
    let parts: Vec<Vec<(usize, usize, usize)>> = places.chunks(size).map(<[_]>::to_vec).collect();
    Box::new(parts.into_iter().enumerate().map(move |(number, places)| {
        let first = (number * size) as u64 + 1;
        Ok(Chunk::Pgn { text: text.clone(), file: file.clone(), places, first, variations })
    }))
}

fn read(path: &str) -> Result<Vec<u8>, SourceError> {
    std::fs::read(path).map_err(|source| SourceError::Io { path: path.to_string(), source })
}

/// The blocks of a record; damage that was found on opening comes after what is whole.
fn record_chunks(reader: Arc<Reader>, file: Arc<str>) -> Chunks {
    let damage = reader.damage().first().map(ToString::to_string);
    let damaged = damage.map(|reason| {
        let source = std::io::Error::other(reason);
        Err(SourceError::Io { path: file.to_string(), source })
    });
    let blocks = reader.blocks().len();
    let chunks = (0..blocks)
        .map(move |number| Ok(Chunk::Block { reader: reader.clone(), file: file.clone(), number }));
    Box::new(chunks.chain(damaged))
}

fn position_chunks(path: &str, size: usize) -> Chunks {
    let file: Arc<str> = path.into();
    let text = read(path).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| SourceError::NotText { path: path.to_string() })
    });
    let text: Arc<str> = match text {
        Ok(text) => text.into(),
        Err(error) => return Box::new(std::iter::once(Err(error))),
    };
    let (mut places, mut at) = (Vec::new(), 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            places.push((number + 1, at, at + line.len()));
        }
        at += line.len();
    }
    let parts: Vec<Vec<(usize, usize, usize)>> = places.chunks(size).map(<[_]>::to_vec).collect();
    Box::new(
        parts
            .into_iter()
            .map(move |places| Ok(Chunk::Epd { text: text.clone(), file: file.clone(), places })),
    )
}

/// One position; its FEN was checked with the query.
fn position_chunk(fen: Option<&str>) -> Chunk {
    let board = fen.and_then(|fen| Board::from_fen(fen).ok()).unwrap_or_else(Board::start);
    Chunk::Position(Box::new(Game::from_board(&"".into(), 1, &board)))
}

/// A game of PGN before its moves are read.
pub struct Unread<'a> {
    /// Number, file and tags.
    pub label: Game,
    rest: &'a str,
}

impl<'a> Unread<'a> {
    /// Reads the tags of a game.
    pub fn new(file: &Arc<str>, number: u64, text: &'a str) -> Unread<'a> {
        let (tags, rest) = read_tags(text);
        Unread { label: Game { number, file: file.clone(), tags, ..Game::default() }, rest }
    }

    /// Reads the moves: of this game, and of those that follow without tags.
    pub fn games(self, variations: bool) -> (Vec<Game>, Option<String>) {
        let (mut games, mut rest, mut tags) = (Vec::new(), self.rest, self.label.tags);
        loop {
            let read = match variations {
                true => PgnGame::parse_lines(std::mem::take(&mut tags), rest),
                false => PgnGame::parse_moves(std::mem::take(&mut tags), rest)
                    .map(|(game, rest)| (vec![(0, game)], rest)),
            };
            match read {
                Ok((lines, after)) => {
                    for (first_ply, line) in lines {
                        // Tags or comments alone at the end of a file are no game.
                        if !line.moves.is_empty() || line.first_fen.is_some() {
                            let mut game = Game::from_pgn(&self.label.file, self.label.number, line);
                            game.first_ply = first_ply;
                            games.push(game);
                        }
                    }
                    rest = after.trim_start();
                }
                Err(error) => return (games, Some(error.to_string())),
            }
            if rest.is_empty() {
                return (games, None);
            }
        }
    }
}

/// A position of a line of EPD or FEN with what its operations say.
pub fn epd_game(file: &Arc<str>, number: usize, line: &str) -> Result<Game, String> {
    let epd = Board::from_epd(line.trim()).map_err(|error| error.to_string())?;
    let mut game = Game::from_board(file, number as u64, &epd.board);
    for operation in &epd.operations {
        game.tags.push((operation.opcode.clone(), operation.values().collect::<Vec<_>>().join(" ")));
    }
    game.outcome = game.tag("c9").and_then(Outcome::from_pgn);
    let number = |name: &str| game.tag(name).and_then(|text| text.parse::<i32>().ok());
    let mated = |moves: i32| moves.signum() * (value::MATE - (2 * moves.abs() - i32::from(moves > 0)).max(0));
    let score = number("ce").or_else(|| number("dm").filter(|moves| moves.abs() < 100).map(mated));
    if let Some(score_stm) = score {
        let depth = number("acd").map_or(0, |depth| depth.clamp(0, 255) as u8);
        let score_stm = score_stm.clamp(-value::INFINITE, value::INFINITE);
        game.thoughts = vec![Some(Thought { score_stm, depth, explored: false })];
    }
    Ok(game)
}

/// A random walk from the initial position; only its end is asked about.
pub fn random_game(seed: u64, walk: u64, plies: u64) -> Game {
    let mut dice = Dice::for_game(seed, walk);
    let mut board = Board::start();
    let mut moves = Vec::with_capacity(plies as usize);
    for _ in 0..plies {
        let mut legal = board.legal_moves().to_vec();
        if legal.is_empty() {
            break;
        }
        // The order in which moves are generated may change; walks must not.
        legal.sort_unstable_by_key(|m| m.bits());
        let m = dice.choose(&legal);
        board.make(m);
        moves.push(m);
    }
    let length = moves.len();
    Game { number: walk + 1, moves, length, first_ply: length, file: "".into(), ..Game::default() }
}

/// Whether a file of a query is there: said before anything is read.
pub fn missing_file(source: &Source) -> Option<Problem> {
    let files = match source {
        Source::Games { files, .. } | Source::Game { files, .. } | Source::Positions(files) => files,
        _ => return None,
    };
    let missing = files.iter().find(|file| !Path::new(file).exists())?;
    let problem = Problem::new(0..0, format!("there is no file {missing}"));
    Some(problem.with_help("file names are taken from the current folder"))
}
