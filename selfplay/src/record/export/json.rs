//! A game as one line of JSON, everything the record knows.

use serde_json::json;

use crate::record::{GameRecord, Start};

/// One line, without its line feed. Moves as UCI writes them in Chess960 (castling takes the rook).
pub fn json_line(game: &GameRecord) -> String {
    let mut board = game.start.board();
    let fen = matches!(game.start, Start::Position(_)).then(|| board.shredder_fen());
    let mut next = |m| {
        let text = board.uci(m, true);
        board.make(m);
        text
    };
    let opening: Vec<String> = game.opening.iter().map(|&m| next(m)).collect();
    let moves: Vec<String> = game.plies.iter().map(|ply| next(ply.played)).collect();
    let scores: Vec<i16> = game.plies.iter().map(|ply| ply.score_stm).collect();
    let depths: Vec<u8> = game.plies.iter().map(|ply| ply.depth).collect();
    let explored: Vec<usize> =
        game.plies.iter().enumerate().filter(|(_, ply)| ply.explored).map(|(number, _)| number).collect();
    json!({
        "id": game.id,
        "fen": fen,
        "result": game.outcome.pgn(),
        "ending": game.ending.words(),
        "opening": opening,
        "moves": moves,
        "scores_stm": scores,
        "depths": depths,
        "explored_plies": explored,
    })
    .to_string()
}
