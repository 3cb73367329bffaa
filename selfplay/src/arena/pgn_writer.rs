//! Games as PGN, with scores, depths and times in the comments.

use std::fmt::Write;

use engine::types::Color;

use super::game::FinishedGame;
use super::limit::MoveLimit;

/// What the tags say besides the game itself.
pub struct PgnHeader<'a> {
    /// The name of the match.
    pub event: &'a str,
    /// `YYYY.MM.DD`
    pub date: &'a str,
    /// The round: pair and game within it.
    pub round: String,
    /// The players' names.
    pub white: &'a str,
    /// The players' names.
    pub black: &'a str,
    /// `// [color]`
    pub limits: [MoveLimit; 2],
    /// Whether castling follows Chess960.
    pub chess960: bool,
}

/// The widest a line of moves gets.
const LINE_WIDTH: usize = 100;

/// A whole game, a blank line at its end.
pub fn pgn(header: &PgnHeader, game: &FinishedGame) -> String {
    let mut text = String::with_capacity(200 + game.plies() * 24);
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a String does not fail.
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    tag("Event", header.event);
    tag("Site", "?");
    tag("Date", header.date);
    tag("Round", &header.round);
    tag("White", header.white);
    tag("Black", header.black);
    tag("Result", game.outcome.pgn());
    if header.chess960 {
        tag("Variant", "Chess960");
    }
    if let Some(fen) = game.opening.fen() {
        tag("SetUp", "1");
        tag("FEN", fen);
    }
    tag("PlyCount", &game.plies().to_string());
    tag("Termination", game.ending.termination());
    let [white, black] = header.limits.map(|limit| limit.to_string());
    match white == black {
        true => tag("TimeControl", &white),
        false => {
            tag("WhiteTimeControl", &white);
            tag("BlackTimeControl", &black);
        }
    }
    text.push('\n');
    push_moves(&mut text, game);
    text.push_str("\n\n");
    text
}

fn push_moves(text: &mut String, game: &FinishedGame) {
    let mut line = LineBreaker { text, width: 0 };
    let mut board = game.opening.first_board();
    let book = game.opening.moves().iter().map(|&m| (m, None));
    let played = game.moves.iter().map(|played| (played.played, Some(played)));
    let mut number_due = true;
    for (m, played) in book.chain(played) {
        if board.side_to_move() == Color::White {
            line.word(&format!("{}.", board.fullmove_number()));
        } else if number_due {
            line.word(&format!("{}...", board.fullmove_number()));
        }
        number_due = false;
        line.word(&board.san(m));
        board.make(m);
        line.word(&match played {
            None => "{book}".to_string(),
            Some(played) => {
                let score = played.score.map_or("?".to_string(), |score| score.to_string());
                let depth = played.depth.unwrap_or(0);
                format!("{{{score}/{depth} {:.3}s}}", played.elapsed.as_secs_f64())
            }
        });
    }
    // A brace would end the comment; engines may have put one into a fault's text.
    let reason = game.ending.describe(game.outcome).replace(['{', '}'], "?");
    line.word(&format!("{{{reason}}}"));
    line.word(game.outcome.pgn());
}

struct LineBreaker<'a> {
    text: &'a mut String,
    width: usize,
}

impl LineBreaker<'_> {
    fn word(&mut self, word: &str) {
        if self.width > 0 && self.width + 1 + word.len() > LINE_WIDTH {
            self.text.push('\n');
            self.width = 0;
        } else if self.width > 0 {
            self.text.push(' ');
            self.width += 1;
        }
        self.text.push_str(word);
        self.width += word.len();
    }
}
