//! Positions and games that were found, for other programs.

use std::fmt::Write;

use engine::Board;
use engine::types::{Color, value};

use super::game::Game;
use super::scene::Scene;
use crate::Outcome;
use crate::arena::EngineScore;
use crate::record::Start;
use crate::record::export::{move_number, wrapped};

/// A line of EPD: the position, where it is from, and what is known about it.
pub fn epd(scene: &Scene) -> String {
    let mut line = format!("{} hmvc {};", scene.board.epd_position(), scene.board.halfmove_clock());
    // Writing to a String cannot fail.
    let _ = write!(line, " fmvn {};", scene.board.fullmove_number());
    if let Some(outcome) = scene.game.outcome {
        let _ = write!(line, " c9 \"{}\";", outcome.pgn());
    }
    if let Some(found) = scene.found {
        let _ = write!(line, " ce {}; acd {}; pm {};", found.value_stm, found.depth, found.best_san);
    } else if let Some(thought) = scene.thought() {
        let _ = write!(line, " ce {}; acd {};", thought.score_stm, thought.depth);
    }
    if let Some(leaves) = scene.leaves {
        let _ = write!(line, " acn {leaves};");
    }
    let _ = write!(
        line,
        " id \"{} game {} ply {}\";",
        scene.game.file.replace('"', "'"),
        scene.game.number,
        scene.ply
    );
    line
}

/// A whole game, a blank line at its end.
pub fn pgn(game: &Game) -> String {
    let mut text = String::with_capacity(300 + game.moves.len() * 8);
    for (name, value) in tags(game) {
        let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    text.push('\n');
    text.push_str(&wrapped(words(game)));
    text.push_str("\n\n");
    text
}

/// The tags of the game, and those that every game of PGN has.
fn tags(game: &Game) -> Vec<(String, String)> {
    let tag = |name: &str, value: &str| (name.to_string(), value.to_string());
    if !game.tags.is_empty() {
        return game.tags.clone();
    }
    let mut tags = vec![
        tag("Event", &game.file),
        tag("Site", "?"),
        tag("Date", "????.??.??"),
        tag("Round", &game.number.to_string()),
        tag("White", "?"),
        tag("Black", "?"),
        tag("Result", game.outcome.map_or("*", Outcome::pgn)),
    ];
    if let Start::Position(_) = game.start {
        let board = game.start.board();
        if Color::ALL.into_iter().any(|color| board.castling_rights().any(color)) {
            tags.push(tag("Variant", "Chess960"));
        }
        tags.push(tag("SetUp", "1"));
        tags.push(tag("FEN", &board.fen()));
    }
    tags
}

fn words(game: &Game) -> Vec<String> {
    let mut board: Board = game.start.board();
    let mut words = Vec::with_capacity(game.moves.len() * 2);
    for (ply, &m) in game.moves.iter().enumerate() {
        words.extend(move_number(&board, ply == 0));
        words.push(board.san(m));
        if let Some(thought) = game.thoughts.get(ply).copied().flatten() {
            let score = EngineScore::from_value(thought.score_stm.clamp(-value::MATE, value::MATE));
            words.push(format!("{{{score}/{}}}", thought.depth));
        }
        board.make(m);
    }
    words.push(game.outcome.map_or("*", Outcome::pgn).to_string());
    words
}
