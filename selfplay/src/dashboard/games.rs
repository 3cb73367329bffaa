//! Every game that a night kept, as lists that a page can filter: records of self-play and of lines, and the gates' PGN.

use std::path::{Path, PathBuf};

use engine::Board;
use engine::types::{Color, Move};
use serde_json::{Value, json};

use super::place::{Folder, Place};
use super::problem::Problem;
use super::stage::Plan;
use crate::pgn::{PgnGame, split_games};
use crate::record::{GameRecord, Reader};
use crate::style::GameProfile;

/// Games of a PGN file that are listed together; records come in blocks of their own.
const PGN_CHUNK: usize = 500;
/// A larger PGN file is not opened for a page.
const LARGEST_PGN: u64 = 256 << 20;
/// Games of different files of a set are told apart by their millions.
pub const FILE_STEP: u64 = 1_000_000;
/// Half-moves of a beginning that a list shows.
const SHOWN_OPENING: usize = 6;

/// A set of games: what the address of its page says.
pub enum Set {
    /// Games or lines of a generation.
    Records(Vec<PathBuf>),
    /// Games of a match.
    Pgn(Vec<PathBuf>),
}

/// The sets of a night that have files: name, what it is, the files' bytes.
pub fn set_names(night: &Folder, plan: &Plan) -> Vec<Value> {
    let mut names = Vec::new();
    for generation in 1..=plan.generations {
        for kind in &plan.kinds {
            names.push((format!("{kind}-{generation}"), *kind));
        }
        for arm in &plan.arms {
            names.push((format!("gate-{generation}-{arm}"), "gate"));
        }
    }
    let of = |(name, kind): (String, &str)| {
        let set = find(night, &name).ok()?;
        let bytes: u64 =
            set.files().iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
        Some(json!({"name": name, "kind": kind, "bytes": bytes}))
    };
    names.into_iter().filter_map(of).collect()
}

/// The files of a set.
pub fn find(night: &Folder, name: &str) -> Result<Set, Problem> {
    let unknown = || Problem::Unknown(format!("{} keeps no games called {name}", night.name()));
    let mut parts = name.splitn(3, '-');
    let (kind, generation, arm) = (parts.next(), parts.next().ok_or_else(unknown)?, parts.next());
    let place = format!("generation-{}", generation.parse::<u32>().map_err(|_| unknown())?);
    let with = |parts: &[&str], ending: &str| -> Vec<PathBuf> {
        let names = night.names(parts).into_iter().filter(|name| name.ends_with(ending));
        names.filter_map(|name| night.file(&[parts, &[name.as_str()]].concat()).ok()).collect()
    };
    let set = match (kind, arm) {
        (Some(kind @ ("games" | "lines")), None) => {
            match night.file(&[&place, "merge", &format!("{kind}.tgr")]) {
                Ok(merged) => Set::Records(vec![merged]),
                Err(_) => Set::Records(with(&[&place, kind], ".tgr")),
            }
        }
        (Some("gate"), Some(arm)) => Set::Pgn(with(&[&place, "gate", arm], ".pgn")),
        _ => return Err(unknown()),
    };
    if set.files().is_empty() { Err(unknown()) } else { Ok(set) }
}

impl Set {
    fn files(&self) -> &[PathBuf] {
        match self {
            Set::Records(files) | Set::Pgn(files) => files,
        }
    }
}

/// How many parts the list of a set has, and one of them.
pub fn page(place: &Place, night: &str, name: &str, chunk: usize) -> Result<Value, Problem> {
    let night = place.night(night)?;
    let (chunks, rows) = match find(&night, name)? {
        Set::Records(files) => record_chunk(&files, chunk)?,
        Set::Pgn(files) => pgn_chunk(&files, chunk)?,
    };
    Ok(json!({"night": night.name(), "set": name, "chunk": chunk, "chunks": chunks, "rows": rows}))
}

fn open(path: &Path) -> Result<Reader, Problem> {
    Reader::open(path).map_err(|error| Problem::of_file(path, error))
}

fn record_chunk(files: &[PathBuf], chunk: usize) -> Result<(usize, Vec<Value>), Problem> {
    let (mut chunks, mut rows) = (0, Vec::new());
    for path in files {
        let reader = open(path)?;
        let blocks = reader.blocks().len();
        if (chunks..chunks + blocks).contains(&chunk) {
            let games = reader.decode(chunk - chunks).map_err(|error| Problem::of_file(path, error))?;
            rows = games.iter().map(record_row).collect();
        }
        chunks += blocks;
    }
    Ok((chunks, rows))
}

fn record_row(game: &GameRecord) -> Value {
    let profile = GameProfile::of_record("", game);
    let moves = game.opening.iter().copied().chain(game.plies.iter().map(|ply| ply.played));
    let beginning = beginning(game.start.board(), moves);
    row(game.id, &profile, game.ending.words(), &beginning, game.opening.len())
}

fn pgn_chunk(files: &[PathBuf], chunk: usize) -> Result<(usize, Vec<Value>), Problem> {
    let (mut chunks, mut rows) = (0, Vec::new());
    for (number, path) in files.iter().enumerate() {
        let text = read_pgn(path)?;
        let games: Vec<&str> = split_games(&text).map(|(_, text)| text).collect();
        let here = games.len().div_ceil(PGN_CHUNK);
        if (chunks..chunks + here).contains(&chunk) {
            let first = (chunk - chunks) * PGN_CHUNK;
            let part = games.iter().enumerate().skip(first).take(PGN_CHUNK);
            rows.extend(
                part.filter_map(|(place, text)| pgn_row(number as u64 * FILE_STEP + place as u64, text)),
            );
        }
        chunks += here;
    }
    Ok((chunks, rows))
}

fn pgn_row(id: u64, text: &str) -> Option<Value> {
    let game = PgnGame::parse(text).ok()?;
    let profile = GameProfile::of(&game)?;
    let tag =
        |name: &str| game.tags.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
    let first =
        game.first_fen.as_deref().and_then(|fen| Board::from_fen(fen).ok()).unwrap_or_else(Board::start);
    let beginning = beginning(first, game.moves.iter().copied());
    let mut row = row(id, &profile, tag("Termination"), &beginning, 0);
    if let Some(cells) = row.as_array_mut() {
        cells.push(json!(tag("White")));
        cells.push(json!(tag("Black")));
    }
    Some(row)
}

/// Number, White's half points, half-moves, ending, beginning, half-moves of the opening, pawns that White and Black
/// gave, percentage of White's and Black's middlegame moves that attack the king; players, where they have names.
fn row(id: u64, profile: &GameProfile, ending: &str, beginning: &str, opening: usize) -> Value {
    let [white, black] = &profile.sides;
    let share = |part: u32, all: u32| (100 * part).checked_div(all).unwrap_or(0);
    json!([
        id,
        profile.outcome.half_points(Color::White),
        profile.plies,
        ending,
        beginning,
        opening,
        white.given,
        black.given,
        share(white.attacking_moves, white.middlegame_moves),
        share(black.attacking_moves, black.middlegame_moves),
    ])
}

fn beginning(mut board: Board, moves: impl Iterator<Item = Move>) -> String {
    let mut words = Vec::new();
    for m in moves.take(SHOWN_OPENING) {
        words.push(board.san(m));
        board.make(m);
    }
    words.join(" ")
}

/// A file of games, unless it is too large for a page.
pub fn read_pgn(path: &Path) -> Result<String, Problem> {
    let size = std::fs::metadata(path).map_err(|error| Problem::of_file(path, error))?.len();
    if size > LARGEST_PGN {
        return Err(Problem::of_file(
            path,
            format!("{size} bytes are too many for a page; open it in a chess program"),
        ));
    }
    let bytes = std::fs::read(path).map_err(|error| Problem::of_file(path, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
