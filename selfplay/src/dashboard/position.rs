//! A position: what the evaluation counts in it, what each piece is worth there, what the Experience Book knows.

use std::sync::Arc;

use engine::Board;
use engine::eval::{EvalParams, FULL_PHASE, Score, Weights, evaluate_white, explain};
use engine::types::{Color, PieceType, Square};
use serde_json::{Value, json};

use super::game_page::book_rows;
use super::place::{Folder, Place};
use super::problem::Problem;
use crate::arena::self_player::read_weights;

/// No FEN is longer.
const LONGEST_FEN: usize = 120;

/// Reads a position from outside.
pub fn read_fen(text: &str) -> Result<Board, Problem> {
    if text.len() > LONGEST_FEN {
        return Err(Problem::Refused(format!("a FEN has at most {LONGEST_FEN} characters")));
    }
    match text.trim() {
        "" | "startpos" => Ok(Board::start()),
        fen => Board::from_fen(fen).map_err(|error| Problem::Refused(error.to_string())),
    }
}

/// Whose eyes a position is seen with: the champion after a night, or what the engine ships.
pub struct Judge {
    /// Its weights.
    pub weights: Arc<Weights>,
    /// Its book.
    pub book: Option<std::sync::Arc<engine::book::experience::ExperienceBook>>,
    /// Who that is.
    pub name: String,
}

impl Judge {
    /// Of the night of this name; without one, what reigns, or what is shipped.
    pub fn of(place: &Place, night: Option<&str>) -> Result<Judge, Problem> {
        let folder = match night {
            Some(name) => Some((last_champion(&place.night(name)?), format!("the champion after {name}"))),
            None => place.nights.folder(&["champion"]).ok().map(|folder| {
                let name = format!("the champion {}", folder.name());
                (Some(folder), name)
            }),
        };
        let Some((Some(folder), name)) = folder else {
            let weights = Arc::new(Weights::new(&EvalParams::embedded()));
            return Ok(Judge { weights, book: None, name: "what the engine ships".to_string() });
        };
        let params = match folder.file(&["weights.toml"]) {
            Ok(path) => read_weights(&path).map_err(|error| Problem::of_file(&path, error))?,
            Err(_) => EvalParams::embedded(),
        };
        let book = folder.file(&["experience.exp"]).ok();
        let book = book.and_then(|path| crate::arena::self_player::read_experience(&path).ok());
        Ok(Judge { weights: Arc::new(Weights::new(&params)), book, name })
    }
}

/// The champion at the end of a night, or the one it began with.
fn last_champion(night: &Folder) -> Option<Folder> {
    let generations = night
        .names(&[])
        .into_iter()
        .filter_map(|name| name.strip_prefix("generation-").and_then(|number| number.parse::<u32>().ok()));
    let mut generations: Vec<u32> = generations.collect();
    generations.sort_unstable_by_key(|&number| std::cmp::Reverse(number));
    let promoted = generations
        .iter()
        .find_map(|number| night.folder(&[&format!("generation-{number}"), "promote"]).ok());
    promoted.or_else(|| night.folder(&["start"]).ok())
}

/// The page of a position.
pub fn page(place: &Place, fen: &str, night: Option<&str>) -> Result<Value, Problem> {
    let board = read_fen(fen)?;
    let judge = Judge::of(place, night)?;
    let told = explain::explain(&board, &judge.weights);
    let pair = |score: Score| json!([score.mg(), score.eg()]);
    let sections: Vec<Value> = (told.sections().into_iter())
        .map(|title| {
            let rows = told.rows.iter().filter(|row| row.field.section == title);
            let rows: Vec<Value> =
                rows.map(|row| json!([row.field.name, pair(row.sides[0]), pair(row.sides[1])])).collect();
            let [white, black] = told.section(title);
            json!({"title": title, "white": pair(white), "black": pair(black), "rows": rows})
        })
        .collect();
    let moves: Vec<String> = board.legal_moves().iter().map(|&m| board.uci(m, false)).collect();
    Ok(json!({
        "fen": board.fen(), "judge": judge.name, "value_white": told.assembly.value_white,
        "phase": told.phase, "full_phase": FULL_PHASE, "scale": pair(told.assembly.scale),
        "initiative": pair(told.assembly.with_initiative_white - told.assembly.sum_white),
        "sections": sections, "pieces": worth(&board, &judge.weights),
        "book": book_rows(judge.book.as_deref(), &board), "moves": moves,
    }))
}

/// What the evaluation would miss without each piece, in White's centipawns: square, worth.
fn worth(board: &Board, weights: &Weights) -> Vec<Value> {
    let mut setup = board.setup();
    // Rights and en passant would name pieces that are gone.
    setup.castling_rooks = [[None; 2]; 2];
    setup.en_passant = None;
    let whole = evaluate_white(&Board::from_setup(&setup), weights);
    let mut worth = Vec::new();
    for square in (0..64).map(Square::from_index) {
        let Some(piece) = setup.pieces[square.index()] else { continue };
        if piece.kind() == PieceType::King {
            continue;
        }
        let mut without = setup.clone();
        without.pieces[square.index()] = None;
        let board = Board::from_setup(&without);
        let side = if piece.color() == Color::White { "white" } else { "black" };
        worth.push(json!([square.to_string(), whole - evaluate_white(&board, weights), side]));
    }
    worth
}
