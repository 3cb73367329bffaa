//! PGN, with score and depth in a comment after each move of the engine.

use std::fmt::Write;

use engine::Board;
use engine::types::Color;

use crate::arena::EngineScore;
use crate::record::{GameRecord, Header, Start};

/// The widest a line of moves gets.
const LINE_WIDTH: usize = 100;

/// A whole game, a blank line at its end. Scores are the mover's, in pawns, as match runners write them.
pub fn pgn(header: &Header, game: &GameRecord) -> String {
    let mut text = String::with_capacity(400 + game.length() * 20);
    let mut tag = |name: &str, value: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    tag("Event", &format!("Tabula self-play, seed {}", header.seed));
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", &game.id.to_string());
    tag("White", "Tabula");
    tag("Black", "Tabula");
    tag("Result", game.outcome.pgn());
    if let Start::Position(_) = game.start {
        let board = game.start.board();
        if board.castling_rights().any(Color::White) || board.castling_rights().any(Color::Black) {
            tag("Variant", "Chess960");
        }
        tag("SetUp", "1");
        tag("FEN", &board.fen());
    }
    tag("PlyCount", &game.length().to_string());
    tag("Termination", if game.ending.is_adjudicated() { "adjudication" } else { "normal" });
    text.push('\n');
    text.push_str(&wrapped(words(game)));
    text.push_str("\n\n");
    text
}

/// Words with spaces and line feeds between them.
pub fn wrapped(words: impl IntoIterator<Item = String>) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if width > 0 {
            let breaks = width + 1 + length > LINE_WIDTH;
            text.push(if breaks { '\n' } else { ' ' });
            width = if breaks { 0 } else { width + 1 };
        }
        text.push_str(&word);
        width += length;
    }
    text
}

fn words(game: &GameRecord) -> Vec<String> {
    let mut words = Vec::with_capacity(3 * game.length() + 2);
    let mut board = game.start.board();
    let opening = game.opening.iter().map(|&m| (m, "book".to_string()));
    let played = game.plies.iter().map(|ply| {
        let score = EngineScore::from_value(ply.value_stm());
        let drawn = if ply.explored { ", explored" } else { "" };
        (ply.played, format!("{score}/{}{drawn}", ply.depth))
    });
    for (ply, (m, comment)) in opening.chain(played).enumerate() {
        words.extend(move_number(&board, ply == 0));
        words.push(board.san(m));
        words.push(format!("{{{comment}}}"));
        board.make(m);
    }
    words.push(format!("{{{}}}", game.ending.words()));
    words.push(game.outcome.pgn().to_string());
    words
}

/// The number that stands before a move: White's always, Black's where nothing is before it.
pub fn move_number(board: &Board, is_first: bool) -> Option<String> {
    match board.side_to_move() {
        Color::White => Some(format!("{}.", board.fullmove_number())),
        Color::Black => is_first.then(|| format!("{}...", board.fullmove_number())),
    }
}
