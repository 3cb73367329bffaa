//! Where games to learn from come from: records of self-play, the engine's own logs, anyone's PGN.

use std::fs;
use std::path::{Path, PathBuf};

use engine::Board;
use engine::board::zobrist::Key;
use engine::book::experience::Span;
use engine::book::game_log::{self, GameLog, GameResult, LoggedGame};
use engine::types::{Color, Move};
use xxhash_rust::xxh3::xxh3_64;

use super::episode::{Episode, Fate, Step};
use super::records::LearnError;
use crate::Outcome;
use crate::arena::opening;
use crate::pgn::{PgnGame, split_games};
use crate::record::{self, GameRecord, Reader, Start};

/// The games of one file, and what they are called for ever.
pub(super) struct Material {
    /// Their names: none is learned twice.
    pub(super) span: Span,
    pub(super) kind: MaterialKind,
}

pub(super) enum MaterialKind {
    /// Large: read while it is learned.
    Record(PathBuf),
    /// Small: read already. `// [game]`, `None` for a game that cannot be learned from.
    Games(Vec<Option<Episode>>),
}

impl Material {
    /// Looks at a file; its name says what it is.
    pub(super) fn of(path: &Path) -> Result<Material, LearnError> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some(game_log::ENDING) => of_log(path),
            Some("pgn" | "zip") => of_pgn(path),
            _ => of_record(path),
        }
    }

    /// Games of these that are new and cannot be learned from.
    pub(super) fn unusable(&self, new: &[Span]) -> u64 {
        let MaterialKind::Games(games) = &self.kind else { return 0 };
        let numbers = new.iter().flat_map(|span| span.first..span.end);
        numbers.filter(|&number| games.get(number as usize).is_none_or(Option::is_none)).count() as u64
    }
}

fn count(path: &Path, games: u64) -> Result<u32, LearnError> {
    u32::try_from(games).map_err(|_| LearnError::Number { path: path.to_path_buf(), game: games })
}

fn of_record(path: &Path) -> Result<Material, LearnError> {
    let reader = Reader::open(path)?;
    let span = span_of(path, reader.header())?;
    Ok(Material { span, kind: MaterialKind::Record(path.to_path_buf()) })
}

/// The games of a record: which of which run.
pub fn span_of(path: &Path, header: &record::Header) -> Result<Span, LearnError> {
    let source = record::Header { games: 0..0, ..header.clone() };
    Ok(Span {
        source: xxh3_64(&source.encode()),
        first: count(path, header.games.start)?,
        end: count(path, header.games.end)?,
    })
}

fn of_log(path: &Path) -> Result<Material, LearnError> {
    let log = GameLog::read(path)?;
    let span = Span { source: log.source, first: 0, end: count(path, log.games.len() as u64)? };
    Ok(Material { span, kind: MaterialKind::Games(log.games.iter().map(episode_of_logged).collect()) })
}

/// A PGN file is known by its bytes: change one and all of its games are new.
fn of_pgn(path: &Path) -> Result<Material, LearnError> {
    let refused = |reason: String| LearnError::Pgn { path: path.to_path_buf(), reason };
    let mut bytes = fs::read(path).map_err(|cause| refused(cause.to_string()))?;
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) {
        let (name, unpacked) = opening::unzip(path, bytes).map_err(|error| refused(error.to_string()))?;
        if !name.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pgn")) {
            return Err(refused(format!("{} in it holds no games", name.display())));
        }
        bytes = unpacked;
    }
    let text = String::from_utf8_lossy(&bytes);
    let games: Vec<Option<Episode>> = split_games(&text)
        .map(|(_, game)| PgnGame::parse(game).ok().and_then(|game| episode_of_pgn(&game)))
        .collect();
    if games.is_empty() {
        return Err(refused("not a single game in it".to_string()));
    }
    let span = Span { source: xxh3_64(&bytes), first: 0, end: count(path, games.len() as u64)? };
    Ok(Material { span, kind: MaterialKind::Games(games) })
}

/// A game of a record as the learner sees it, with the keys of the positions in which the engine moved; `None` if it
/// never did.
pub fn episode_of(game: &GameRecord, keys: &[Key]) -> Option<Episode> {
    let first = match &game.start {
        Start::Initial => Color::White,
        Start::Position(setup) => setup.side_to_move,
    };
    let mover = |ply: usize| if ply.is_multiple_of(2) { first } else { !first };
    let steps: Vec<Step> = game
        .plies
        .iter()
        .zip(keys)
        .enumerate()
        .map(|(number, (ply, &key))| Step {
            key,
            mover: mover(game.opening.len() + number),
            action: ply.played.bits(),
            value_stm: (!ply.explored).then(|| ply.value_stm()),
            depth: ply.depth,
            undrawn_stm: None,
        })
        .collect();
    let last_mover = steps.last()?.mover;
    Some(Episode { steps, fate_of_last: fate(game.outcome, last_mover) })
}

fn episode_of_pgn(game: &PgnGame) -> Option<Episode> {
    let board = match &game.first_fen {
        Some(fen) => Board::from_fen(fen).ok()?,
        None => Board::start(),
    };
    let played = game.moves.iter().zip(&game.thoughts).map(|(&m, thought)| {
        (m, thought.map(|thought| thought.value_mover), thought.map_or(0, |thought| thought.depth))
    });
    episode(board, played, game.outcome?)
}

fn episode_of_logged(game: &LoggedGame) -> Option<Episode> {
    let board = match game.first_fen.as_str() {
        "" => Board::start(),
        fen => Board::from_fen(fen).ok()?,
    };
    // The checksum says that this is what was written, not that it was chess.
    let mut walked = board.clone();
    for ply in &game.plies {
        if !walked.is_legal(ply.m) {
            return None;
        }
        walked.make(ply.m);
    }
    let outcome = match game.result {
        GameResult::WhiteWins => Outcome::WhiteWins,
        GameResult::Draw => Outcome::Draw,
        GameResult::BlackWins => Outcome::BlackWins,
    };
    episode(board, game.plies.iter().map(|ply| (ply.m, ply.value_mover, ply.depth)), outcome)
}

/// Legal moves from a position, what the search thought of each and how deep it looked.
fn episode(
    mut board: Board,
    played: impl Iterator<Item = (Move, Option<i32>, u8)>,
    outcome: Outcome,
) -> Option<Episode> {
    let mut steps = Vec::with_capacity(played.size_hint().0);
    for (m, value_stm, depth) in played {
        steps.push(Step {
            key: board.key(),
            mover: board.side_to_move(),
            action: m.bits(),
            value_stm,
            depth,
            undrawn_stm: None,
        });
        board.make(m);
    }
    let last_mover = steps.last()?.mover;
    Some(Episode { steps, fate_of_last: fate(outcome, last_mover) })
}

/// How a game with this outcome ended for a side.
pub fn fate(outcome: Outcome, of: Color) -> Fate {
    match outcome {
        Outcome::Draw => Fate::Draw,
        outcome if outcome == Outcome::win_for(of) => Fate::Win,
        _ => Fate::Loss,
    }
}
