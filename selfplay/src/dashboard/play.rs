//! A game against the engine: the page sends the moves so far, and gets the engine's, the position and what may follow.
//! A finished game can be written to a log that `selfplay learn` reads.

use std::path::Path;

use engine::Board;
use engine::board::zobrist::Key;
use engine::book::game_log::{Evidence, GameLogWriter, GameResult, LoggedGame, LoggedPly};
use engine::eval::{Style, Weights};
use engine::search::strength::{MAX_ELO, MIN_ELO};
use engine::types::{Color, Move};
use serde_json::{Value, json};

use super::analysis::Analysis;
use super::place::Place;
use super::position::{Judge, read_fen};
use super::problem::Problem;
use crate::arena::self_player::read_weights;

/// Moves of a game that is played in a page.
const MOST_PLIES: usize = 600;
/// Nodes of a move at full strength, unless the server allows fewer.
const FULL_NODES: u64 = 200_000;

/// What the page chose.
pub struct Wish {
    /// Where the game began.
    pub fen: String,
    /// The moves so far, as UCI writes them.
    pub moves: Vec<String>,
    /// The engine's rating; nothing: full strength.
    pub level: Option<u32>,
    /// The engine's style.
    pub style: String,
    /// Whether the engine is to move now.
    pub engine_moves: bool,
    /// Who has given up: 0 White, 1 Black.
    pub resigned: Option<usize>,
}

impl Wish {
    /// From what the page sent.
    pub fn read(text: &Value) -> Result<Wish, Problem> {
        let moves = text["moves"].as_array().map(Vec::as_slice).unwrap_or_default();
        if moves.len() > MOST_PLIES {
            return Err(Problem::Refused(format!("a game in the page has at most {MOST_PLIES} half-moves")));
        }
        let moves = moves.iter().map(|m| m.as_str().unwrap_or_default().to_string()).collect();
        let level = text["level"].as_u64().map(|elo| (elo as u32).clamp(MIN_ELO, MAX_ELO));
        Ok(Wish {
            fen: text["fen"].as_str().unwrap_or_default().to_string(),
            moves,
            level,
            style: text["style"].as_str().unwrap_or("Normal").to_string(),
            engine_moves: text["engine_moves"] == true,
            resigned: text["resigned"].as_u64().map(|side| side as usize).filter(|side| *side < 2),
        })
    }
}

/// What a page may choose from.
pub fn choices() -> Value {
    let styles: Vec<Value> = Style::embedded()
        .into_iter()
        .map(|style| json!({"name": style.name, "about": style.about}))
        .collect();
    json!({"styles": styles, "lowest": MIN_ELO, "highest": MAX_ELO})
}

/// The game after the engine's move, if it has one to make.
pub fn answer(place: &Place, analysis: &Analysis, wish: &Wish) -> Result<Value, Problem> {
    let (mut board, mut moves) = replay(wish)?;
    let mut said = Value::Null;
    if wish.engine_moves && wish.resigned.is_none() && ending(&board).is_none() {
        let turn = analysis.turn()?;
        let judge = styled(Judge::of(place, None)?, place, &wish.style, board.side_to_move())?;
        let seed = wish.moves.len() as u64 ^ board.key();
        let found = analysis.reply(&turn, &board, &judge, wish.level, FULL_NODES, seed);
        let Some((best, score, depth)) = found else {
            return Err(Problem::Refused("the engine found no move here".to_string()));
        };
        let white = if board.side_to_move() == Color::White { score } else { -score };
        said = json!({
            "uci": board.uci(best, false), "san": board.san(best), "cp": white, "depth": depth,
        });
        moves.push(best);
        board.make(best);
    }
    Ok(state(wish, &board, &moves, said))
}

fn replay(wish: &Wish) -> Result<(Board, Vec<Move>), Problem> {
    let mut board = read_fen(&wish.fen)?;
    let mut moves = Vec::new();
    for text in &wish.moves {
        let m = board.parse_uci(text).map_err(|error| Problem::Refused(error.to_string()))?;
        if ending(&board).is_some() {
            return Err(Problem::Refused("the game is over; begin another one".to_string()));
        }
        moves.push(m);
        board.make(m);
    }
    Ok((board, moves))
}

/// The engine in a style. Styles are bound to the side that it plays.
fn styled(judge: Judge, place: &Place, style: &str, side: Color) -> Result<Judge, Problem> {
    let Some(style) = Style::named(style) else {
        return Err(Problem::Refused(format!("there is no style {style:?}")));
    };
    let champion = place.nights.folder(&["champion"]).and_then(|folder| folder.file(&["weights.toml"]));
    let params = champion.ok().and_then(|path| read_weights(&path).ok());
    let params = params.unwrap_or_else(engine::eval::EvalParams::embedded);
    Ok(Judge { weights: std::sync::Arc::new(Weights::with_style(&params, &style, side)), ..judge })
}

fn state(wish: &Wish, board: &Board, moves: &[Move], said: Value) -> Value {
    let mut replayed = read_fen(&wish.fen).unwrap_or_else(|_| Board::start());
    let mut plies = Vec::new();
    for &m in moves {
        let (san, uci) = (replayed.san(m), replayed.uci(m, false));
        let (side, number) = (replayed.side_to_move().index(), replayed.fullmove_number());
        replayed.make(m);
        plies.push(json!({"san": san, "uci": uci, "side": side, "number": number, "fen": replayed.fen()}));
    }
    let over = over(wish, board);
    let legal: Vec<String> = match over.is_some() {
        true => Vec::new(),
        false => board.legal_moves().iter().map(|&m| board.uci(m, false)).collect(),
    };
    json!({
        "fen": board.fen(), "side": board.side_to_move().index(), "check": board.in_check(), "legal": legal,
        "plies": plies, "engine": said,
        "result": over.map(|(result, _)| result.pgn()), "ending": over.map(|(_, words)| words),
    })
}

fn over(wish: &Wish, board: &Board) -> Option<(GameResult, &'static str)> {
    match wish.resigned {
        Some(0) => Some((GameResult::BlackWins, "White resigned")),
        Some(_) => Some((GameResult::WhiteWins, "Black resigned")),
        None => ending(board),
    }
}

/// How the rules ended the game.
fn ending(board: &Board) -> Option<(GameResult, &'static str)> {
    if board.count_legal_moves() == 0 {
        return Some(match (board.in_check(), board.side_to_move()) {
            (true, Color::White) => (GameResult::BlackWins, "checkmate"),
            (true, Color::Black) => (GameResult::WhiteWins, "checkmate"),
            (false, _) => (GameResult::Draw, "stalemate"),
        });
    }
    let drawn = |words| Some((GameResult::Draw, words));
    if board.repetitions() >= 3 {
        drawn("the same position for the third time")
    } else if board.fifty_moves_passed() {
        drawn("fifty moves without capture or pawn move")
    } else if board.insufficient_material() {
        drawn("neither side can mate")
    } else {
        None
    }
}

/// Writes a finished game to the log in a folder; answers where it is.
pub fn record(folder: &Path, source: Key, wish: &Wish) -> Result<Value, Problem> {
    let (board, moves) = replay(wish)?;
    let Some((result, _)) = over(wish, &board) else {
        return Err(Problem::Refused("the game is not over; play on, or resign".to_string()));
    };
    let evidence = if wish.resigned.is_some() { Evidence::Said } else { Evidence::Rules };
    let start = read_fen(&wish.fen)?;
    let first_fen = if start.key() == Board::start().key() { String::new() } else { start.fen() };
    let plies = moves.into_iter().map(|m| LoggedPly { m, value_mover: None, depth: 0 }).collect();
    std::fs::create_dir_all(folder).map_err(|error| Problem::of_file(folder, error))?;
    let mut log = GameLogWriter::new(folder, source);
    log.append(&LoggedGame { first_fen, plies, result, evidence })
        .map_err(|error| Problem::of_file(log.path(), error))?;
    Ok(json!({"file": log.path().display().to_string()}))
}
