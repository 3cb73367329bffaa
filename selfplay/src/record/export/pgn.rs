//! PGN, with score and depth in a comment after each move of the engine.

use std::fmt::Write;

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
    push_moves(&mut text, game);
    text.push_str("\n\n");
    text
}

fn push_moves(text: &mut String, game: &GameRecord) {
    let mut width = 0;
    let mut push = |word: &str| {
        let length = word.chars().count();
        if width > 0 {
            let breaks = width + 1 + length > LINE_WIDTH;
            text.push(if breaks { '\n' } else { ' ' });
            width = if breaks { 0 } else { width + 1 };
        }
        text.push_str(word);
        width += length;
    };
    let mut board = game.start.board();
    let opening = game.opening.iter().map(|&m| (m, "book".to_string()));
    let played = game.plies.iter().map(|ply| {
        let score = EngineScore::from_value(ply.value_stm());
        let drawn = if ply.explored { ", explored" } else { "" };
        (ply.played, format!("{score}/{}{drawn}", ply.depth))
    });
    for (ply, (m, comment)) in opening.chain(played).enumerate() {
        if board.side_to_move() == Color::White {
            push(&format!("{}.", board.fullmove_number()));
        } else if ply == 0 {
            push(&format!("{}...", board.fullmove_number()));
        }
        push(&board.san(m));
        push(&format!("{{{comment}}}"));
        board.make(m);
    }
    push(&format!("{{{}}}", game.ending.words()));
    push(game.outcome.pgn());
}
