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

/// A game with the number of its first ply that no line before it has.
pub type Line = (usize, PgnGame);

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
        let (tags, rest) = read_tags(text);
        PgnGame::parse_moves(tags, rest)
    }

    /// Reads what follows the tags of the first game of a text, and gives what follows its result.
    pub fn parse_moves(tags: Vec<(String, String)>, rest: &str) -> Result<(PgnGame, &str), PgnError> {
        let mut words = Words { rest, comments: Vec::new(), variations: None };
        let game = PgnGame::parse_line(tags, &mut words)?;
        Ok((game, words.rest))
    }

    /// As [`PgnGame::parse_moves`], with every variation as a game of its own: the moves that lead to it and its
    /// own, and the number of the first ply that is new. The main line comes first, then its variations in the
    /// order of the text, each followed by its own.
    pub fn parse_lines(tags: Vec<(String, String)>, rest: &str) -> Result<(Vec<Line>, &str), PgnError> {
        let mut words = Words { rest, comments: Vec::new(), variations: Some(Vec::new()) };
        let main = PgnGame::parse_line(tags, &mut words)?;
        let mut lines = vec![(0, main)];
        let mut waiting: Vec<(usize, usize, &str)> = words
            .variations
            .take()
            .unwrap_or_default()
            .into_iter()
            .map(|(ply, text)| (0, ply, text))
            .rev()
            .collect();
        while let Some((parent, ply, text)) = waiting.pop() {
            // A variation before the first move replaces nothing.
            let Some(kept) = ply.checked_sub(1) else { continue };
            let mut line = lines[parent].1.clone();
            line.moves.truncate(kept);
            line.thoughts.truncate(kept);
            let mut words = Words { rest: text, comments: Vec::new(), variations: Some(Vec::new()) };
            line.read_moves(&mut words)?;
            lines.push((kept + 1, line));
            let parent = lines.len() - 1;
            let inner = words.variations.take().unwrap_or_default();
            waiting.extend(inner.into_iter().map(|(ply, text)| (parent, ply, text)).rev());
        }
        Ok((lines, words.rest))
    }

    fn parse_line(tags: Vec<(String, String)>, words: &mut Words) -> Result<PgnGame, PgnError> {
        let find = |name: &str| tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let first_fen = match find("FEN") {
            Some(fen) => Some(Board::from_fen(fen).map_err(PgnError::Fen)?.fen()),
            None => None,
        };
        let outcome = find("Result").and_then(Outcome::from_pgn);
        let mut game = PgnGame { tags, first_fen, moves: Vec::new(), thoughts: Vec::new(), outcome };
        game.read_moves(words)?;
        Ok(game)
    }

    /// The position after the moves so far.
    fn board(&self) -> Result<Board, PgnError> {
        let mut board = match &self.first_fen {
            Some(fen) => Board::from_fen(fen).map_err(PgnError::Fen)?,
            None => Board::start(),
        };
        self.moves.iter().for_each(|&m| board.make(m));
        Ok(board)
    }

    /// Adds the moves of a text to those that are there.
    fn read_moves(&mut self, words: &mut Words) -> Result<(), PgnError> {
        let mut board = self.board()?;
        let first_new = self.moves.len();
        loop {
            let word = words.next_word(self.moves.len())?;
            let mover = !board.side_to_move();
            let thought = words.comments.iter().find_map(|comment| Thought::read(comment, mover));
            words.comments.clear();
            if self.moves.len() > first_new
                && let Some(last @ None) = self.thoughts.last_mut()
            {
                *last = thought;
            }
            let Some(word) = word else { return Ok(()) };
            if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
                self.outcome = Outcome::from_pgn(word).or(self.outcome);
                return Ok(());
            }
            let m = board.parse_san(word).map_err(|reason| {
                let dots = if board.side_to_move() == Color::White { "." } else { "..." };
                PgnError::Move { number: format!("{}{dots}", board.fullmove_number()), reason }
            })?;
            board.make(m);
            self.moves.push(m);
            self.thoughts.push(None);
        }
    }
}

/// The tags at the start of a text, and what follows them.
pub fn read_tags(text: &str) -> (Vec<(String, String)>, &str) {
    let mut tags = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some((tag, after)) = read_tag(rest) {
        tags.push(tag);
        rest = after.trim_start();
    }
    (tags, rest)
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
    /// The comments passed over since somebody looked, outside variations.
    comments: Vec<&'a str>,
    /// Variations passed over and the moves before each of them, if anybody wants them.
    variations: Option<Vec<(usize, &'a str)>>,
}

impl<'a> Words<'a> {
    /// The next word; so many moves came before it.
    fn next_word(&mut self, moves: usize) -> Result<Option<&'a str>, PgnError> {
        loop {
            self.rest = self.rest.trim_start();
            let Some(first) = self.rest.chars().next() else { return Ok(None) };
            match first {
                '{' => {
                    let comment = self.skip_comment()?;
                    self.comments.push(comment);
                }
                '(' => {
                    let variation = self.skip_variation()?;
                    if let Some(variations) = &mut self.variations {
                        variations.push((moves, variation));
                    }
                }
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

    /// The text between the brackets.
    fn skip_variation(&mut self) -> Result<&'a str, PgnError> {
        let all = self.rest;
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
                return Ok(&all[1..all.len() - self.rest.len() - 1]);
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
                    {a word} ({+9.99/9}) a6 {book} 4. Ba4 {-1.2,7} {agreed} *";
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
    fn variations_are_lines_of_their_own() {
        let text = "1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) 1... e5 {x} 2. Nf3 (2. f4 exf4) *";
        let (tags, rest) = read_tags(text);
        let (lines, rest) = PgnGame::parse_lines(tags, rest).unwrap();
        assert_eq!(rest, "");
        let shown: Vec<(usize, usize)> =
            lines.iter().map(|(first, line)| (*first, line.moves.len())).collect();
        assert_eq!(shown, [(0, 3), (1, 3), (2, 3), (3, 4)]);
        let main = PgnGame::parse(text).unwrap();
        assert_eq!(main.moves, lines[0].1.moves);
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
