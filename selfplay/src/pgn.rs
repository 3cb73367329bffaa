//! Games read from PGN: tags, the main line with the evaluations in its comments, the result. Variations and
//! glyphs are passed over.

use engine::Board;
use engine::board::{FenError, MoveError};
use engine::types::{Color, Move};

use crate::Outcome;

/// A game of a PGN file.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// Names and values, in order.
    pub tags: Vec<(String, String)>,
    /// The first position, unless it is the initial one.
    pub first_fen: Option<String>,
    /// The main line.
    pub moves: Vec<Move>,
    /// What the comment behind each move says of it.
    pub thoughts: Vec<Option<Thought>>,
    /// The result; `None` when the game is unfinished.
    pub outcome: Option<Outcome>,
}

/// What whoever played a move thought of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thought {
    /// Centipawns for the side that played the move; beyond ±10,000 for a mate.
    pub value_mover: i32,
    /// The depth of the search; 0 if nothing is said.
    pub depth: u8,
}

impl Thought {
    /// Reads a comment as arenas (`+0.35/12 0.5s`, from the mover's side) and web sites (`[%eval 0.35]`,
    /// from White's side) write it.
    fn read(comment: &str, mover: Color) -> Option<Thought> {
        if let Some((_, after)) = comment.split_once("[%eval ") {
            let (value_white, depth) = read_value(after.split(']').next()?)?;
            let value_mover = if mover == Color::White { value_white } else { -value_white };
            return Some(Thought { value_mover, depth });
        }
        let (value_mover, depth) = read_value(comment.split_whitespace().next()?)?;
        Some(Thought { value_mover, depth })
    }
}

/// `+0.35/12`, `-M3`, `#-3`, `0.35,18`: centipawns and the depth.
fn read_value(text: &str) -> Option<(i32, u8)> {
    const MATE: f64 = 32_000.0;
    let (value, depth) = text.split_once(['/', ',']).unwrap_or((text, ""));
    let digits = depth.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(depth.len());
    let depth = depth[..digits].parse::<u32>().map_or(0, |depth| depth.min(255) as u8);
    let centipawns = match value.contains(['M', '#']) {
        true => {
            let moves: f64 = value.replace(['M', '#', '+'], "").parse().ok()?;
            // `-M0`, being mated, has no number that could carry its sign.
            let sign = if value.starts_with('-') || moves < 0.0 { -1.0 } else { 1.0 };
            sign * (MATE - moves.abs())
        }
        false if value.contains('.') => value.parse::<f64>().ok()? * 100.0,
        false => return None,
    };
    centipawns.is_finite().then(|| (centipawns.round().clamp(-MATE, MATE) as i32, depth))
}

/// Why a game was refused.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The FEN tag.
    #[error("the tag FEN: {0}")]
    Fen(FenError),
    /// A move.
    #[error("at {number} {reason}")]
    Move {
        /// As PGN counts, with dots for Black: `12.` or `12...`
        number: String,
        /// What is wrong with it.
        reason: MoveError,
    },
    /// A comment or a variation without its end.
    #[error("a {0} is not closed")]
    NotClosed(&'static str),
}

impl PgnGame {
    /// Reads one game; what follows its result is passed over.
    pub fn parse(text: &str) -> Result<PgnGame, PgnError> {
        PgnGame::parse_first(text).map(|(game, _)| game)
    }

    /// Reads the first game of a text, and gives what follows its result.
    pub fn parse_first(text: &str) -> Result<(PgnGame, &str), PgnError> {
        let mut tags = Vec::new();
        let mut rest = text.trim_start_matches('\u{feff}').trim_start();
        while let Some((tag, after)) = read_tag(rest) {
            tags.push(tag);
            rest = after.trim_start();
        }
        let find = |name: &str| tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let mut board = match find("FEN") {
            Some(fen) => Board::from_fen(fen).map_err(PgnError::Fen)?,
            None => Board::start(),
        };
        let first_fen = find("FEN").is_some().then(|| board.fen());
        let mut outcome = find("Result").and_then(Outcome::from_pgn);
        let mut moves = Vec::new();
        let mut thoughts: Vec<Option<Thought>> = Vec::new();
        let mut words = Words { rest, comment: None };
        loop {
            let word = words.next_word()?;
            if let Some(comment) = words.comment.take()
                && let Some(last @ None) = thoughts.last_mut()
            {
                *last = Thought::read(comment, !board.side_to_move());
            }
            let Some(word) = word else { break };
            if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
                outcome = Outcome::from_pgn(word).or(outcome);
                break;
            }
            let m = board.parse_san(word).map_err(|reason| {
                let dots = if board.side_to_move() == Color::White { "." } else { "..." };
                PgnError::Move { number: format!("{}{dots}", board.fullmove_number()), reason }
            })?;
            board.make(m);
            moves.push(m);
            thoughts.push(None);
        }
        Ok((PgnGame { tags, first_fen, moves, thoughts, outcome }, words.rest))
    }
}

/// A tag pair at the start of the text, and what follows it.
fn read_tag(text: &str) -> Option<((String, String), &str)> {
    let inside = text.strip_prefix('[')?;
    let (name, quoted) = inside.split_once('"')?;
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => value.extend(letters.next().map(|(_, letter)| letter)),
            '"' => {
                let after = quoted[at + 1..].split_once(']')?.1;
                return Some(((name.trim().to_string(), value), after));
            }
            _ => value.push(letter),
        }
    }
    None
}

/// The words of a move text that are moves or results.
struct Words<'a> {
    rest: &'a str,
    /// The last comment passed over, outside variations.
    comment: Option<&'a str>,
}

impl<'a> Words<'a> {
    fn next_word(&mut self) -> Result<Option<&'a str>, PgnError> {
        loop {
            self.rest = self.rest.trim_start();
            let Some(first) = self.rest.chars().next() else { return Ok(None) };
            match first {
                '{' => self.comment = Some(self.skip_comment()?),
                '(' => self.skip_variation()?,
                ';' | '%' => self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest),
                _ => {
                    let is_end = |letter: char| letter.is_whitespace() || "{}();".contains(letter);
                    // At least one letter, so that a stray bracket cannot stop the reading.
                    let end = self.rest[first.len_utf8()..]
                        .find(is_end)
                        .map_or(self.rest.len(), |at| at + first.len_utf8());
                    let (word, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    let word = without_number(word);
                    if !(word.is_empty() || word.starts_with('$') || word.starts_with(['!', '?'])) {
                        return Ok(Some(word));
                    }
                }
            }
        }
    }

    /// The text between the braces.
    fn skip_comment(&mut self) -> Result<&'a str, PgnError> {
        let end = self.rest.find('}').ok_or(PgnError::NotClosed("comment"))?;
        let comment = self.rest[1..end].trim();
        self.rest = &self.rest[end + 1..];
        Ok(comment)
    }

    fn skip_variation(&mut self) -> Result<(), PgnError> {
        let mut depth = 0;
        while let Some(first) = self.rest.chars().next() {
            match first {
                '{' => {
                    self.skip_comment()?;
                    continue;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.rest = &self.rest[first.len_utf8()..];
            if depth == 0 {
                return Ok(());
            }
        }
        Err(PgnError::NotClosed("variation"))
    }
}

/// `12.e4`, `12...e5` and `12.` without the number; results and castling with zeros stay whole.
fn without_number(word: &str) -> &str {
    let after_digits = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match after_digits.starts_with('.') || after_digits.is_empty() {
        true => after_digits.trim_start_matches('.'),
        false => word,
    }
}

/// The games of a file, each with the number of its first line (from 1). A game begins with the first
/// tag after moves; brackets inside comments are none.
pub fn split_games(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let (mut in_comment, mut in_tags, mut offset) = (false, false, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let content = line.trim_start_matches('\u{feff}').trim();
        if !content.is_empty() {
            let is_tag = !in_comment && content.starts_with('[');
            if starts.is_empty() || (is_tag && !in_tags) {
                starts.push((offset, number + 1));
            }
            in_tags = is_tag;
            if !is_tag {
                for letter in content.chars() {
                    match letter {
                        '{' => in_comment = true,
                        '}' => in_comment = false,
                        // The rest of the line is a comment of the other kind.
                        ';' if !in_comment => break,
                        _ => {}
                    }
                }
            }
        }
        offset += line.len();
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|start| start.0).chain([text.len()]).collect();
    starts.into_iter().zip(ends).map(move |((start, line), end)| (line, &text[start..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_with_everything_in_it() {
        let text = "[Event \"a \\\"quoted\\\" name\"]\n[Result \"1-0\"]\n\n1.e4 {[%clk 1:00] best} e5 2. Nf3! $1 (2. f4 \
                    {(} exf4 (2... d5)) 2... Nc6; to the end of the line 3. Qh5\n3. Bb5 a6 4. O-O 1-0\n";
        let game = PgnGame::parse(text).unwrap();
        assert_eq!(game.moves.len(), 7);
        assert_eq!(game.tags[0].1, "a \"quoted\" name");
        assert_eq!(game.outcome, Some(Outcome::WhiteWins));
        assert_eq!(game.first_fen, None);
    }

    #[test]
    fn comments_tell_what_was_thought() {
        let text = "1. e4 {+0.35/12 0.5s} e5 {[%eval 0.21] [%clk 1:00]} 2. Nf3 {-M3/20} Nc6 {[%eval #-4]} 3. Bb5 \
                    {a word} ({+9.99/9}) a6 {book} 4. Ba4 {-1.2,7} *";
        let thoughts = PgnGame::parse(text).unwrap().thoughts;
        let found: Vec<_> =
            thoughts.iter().map(|thought| thought.map(|t| (t.value_mover, t.depth))).collect();
        let wanted = [
            Some((35, 12)),
            Some((-21, 0)),
            Some((-31_997, 20)),
            Some((31_996, 0)),
            None,
            None,
            Some((-120, 7)),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn errors_name_the_move() {
        let error = PgnGame::parse("1. e4 e5 2. Ke3 *").unwrap_err().to_string();
        assert!(error.starts_with("at 2. move 'Ke3'"), "{error}");
        assert!(PgnGame::parse("1. e4 {open").unwrap_err().to_string().contains("comment"));
        assert!(PgnGame::parse("[FEN \"x\"]\n\n*").is_err());
    }

    #[test]
    fn files_are_split_where_tags_follow_moves() {
        let text =
            "[A \"1\"]\n[B \"2\"]\n\n1. e4 { a\n[not a tag]\n} e5 *\n\n[A \"2\"]\n1. d4 *\n[A \"3\"]\n*";
        let games: Vec<_> = split_games(text).collect();
        assert_eq!(games.iter().map(|game| game.0).collect::<Vec<_>>(), [1, 8, 10]);
        assert!(games[0].1.ends_with("*\n\n") && games[2].1.ends_with('*'));
        assert_eq!(split_games(" \n").count(), 0);
    }

    #[test]
    fn awkward_texts_end() {
        for text in ["}", ")", "( (", "[", "[x", "[x \"", "1...", "\u{feff}", "ä", "1. ä4", "$", "% x\ne4"]
        {
            let _ = PgnGame::parse(text);
        }
    }
}
