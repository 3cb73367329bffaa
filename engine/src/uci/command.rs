//! Text becomes an enum before anything acts on it.
//!
//! The reader is tolerant, because real programs send what the protocol's text does not foresee:
//! negative clocks after a flag fell, `go infinite searchmoves …`, four-field FENs, depths of 1000,
//! limits in any order, words of later protocol versions. Whatever cannot be used is skipped with a
//! note that names the word and says what was expected; what remains still counts. A `go` above all is
//! never dropped for a bad word in it: the other side waits for its `bestmove`.

use std::time::Duration;

use crate::board::Board;
use crate::book::game_log::GameResult;
use crate::search::{Clock, Limits};
use crate::tools::bench::BenchRequest;
use crate::tools::perft::{self, PerftRequest};
use crate::types::{Color, MAX_PLY};

/// One line of input, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Say who you are and which options there are.
    Uci,
    /// Say when everything before this is done.
    IsReady,
    /// The next position belongs to another game.
    NewGame,
    /// Change an option; a button has no value.
    SetOption {
        /// As typed; the option table knows how to compare it.
        name: String,
        /// Everything after `value`, inner spaces kept.
        value: Option<String>,
    },
    /// Set up a position and play moves on it.
    Position {
        /// The FEN, or `None` for the initial position.
        fen: Option<String>,
        /// The moves as typed: whether they are legal only the board can say.
        moves: Vec<String>,
    },
    /// Search the position.
    Go(Go),
    /// End the search and say the best move.
    Stop,
    /// The move that was pondered on was played.
    PonderHit,
    /// End the program.
    Quit,
    /// Say more about what happens, or less.
    Debug(bool),
    /// A leftover of the protocol: there is nothing to register.
    Register,
    /// Draw the board.
    Display,
    /// The static evaluation of the position, or of another one.
    Eval {
        /// The other one.
        fen: Option<String>,
    },
    /// Search the fixed positions.
    Bench(BenchRequest),
    /// Print the fixed positions.
    BenchPositions,
    /// Count the lines of a length.
    Perft {
        /// How.
        request: PerftRequest,
        /// From where, if not from the present position.
        fen: Option<String>,
    },
    /// How the game that is being played ended.
    ExperienceResult(GameResult),
    /// What can be typed.
    Help,
    /// Name and version.
    Version,
}

/// What `go` asked for. `Option`s are `None` where the word did not occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Search this deep.
    pub depth: Option<u32>,
    /// Search this many nodes.
    pub nodes: Option<u64>,
    /// Search this long.
    pub movetime: Option<Duration>,
    /// Look for a mate in this many moves.
    pub mate: Option<u32>,
    /// `// [color]` time left on the clock
    pub time: [Option<Duration>; 2],
    /// `// [color]` time gained by a move
    pub increment: [Option<Duration>; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Until `stop`.
    pub infinite: bool,
    /// On the opponent's time: no end before `ponderhit` or `stop`.
    pub ponder: bool,
    /// Only these root moves, as typed.
    pub searchmoves: Vec<String>,
    /// Some word was given that could not be read and may have been a limit.
    pub unreadable_limit: bool,
}

/// A line after reading: what to do, and what to tell about words that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// `None` for a blank line and for one that makes no sense at all.
    pub command: Option<Command>,
    /// One sentence each.
    pub notes: Vec<String>,
}

/// The words that are found even behind junk, as the protocol asks ("joho debug on" is "debug on").
/// The other words of ours count only at the beginning of a line.
const PROTOCOL_WORDS: &[&str] = &[
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

const OWN_WORDS: &[&str] =
    &["d", "eval", "explain", "bench", "perft", "experience", "help", "version", "exit"];

const GO_WORDS: &[&str] = &[
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

/// Beyond this, times only invite overflow: more than three years.
const LONGEST: Duration = Duration::from_millis(100_000_000_000);

/// Reads one line.
pub fn parse(line: &str) -> Parsed {
    let mut reader = Reader { words: Words { line, at: 0 }, notes: Notes::default() };
    let command = reader.command();
    Parsed { command, notes: reader.notes.into_sentences() }
}

/// A word of the input as it may be shown again: short, on one line, in quotes.
pub fn quoted(word: &str) -> String {
    const LONGEST_WORD: usize = 60;
    let shown: String = word.chars().take(LONGEST_WORD).flat_map(char::escape_debug).collect();
    if word.chars().nth(LONGEST_WORD).is_some() { format!("'{shown}…'") } else { format!("'{shown}'") }
}

/// Sentences about words that could not be used. A line may have millions of those; a few sentences say it.
#[derive(Default)]
struct Notes {
    sentences: Vec<String>,
    left_out: usize,
}

impl Notes {
    const MOST: usize = 8;

    fn push(&mut self, sentence: String) {
        if self.sentences.len() < Notes::MOST {
            self.sentences.push(sentence);
        } else {
            self.left_out += 1;
        }
    }

    fn into_sentences(mut self) -> Vec<String> {
        if self.left_out > 0 {
            self.sentences.push(format!("and {} more like these", self.left_out));
        }
        self.sentences
    }
}

/// Splits a line into words, and remembers where it is so that the rest can be taken as it stands.
#[derive(Clone, Copy)]
struct Words<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn rest(&self) -> &'a str {
        self.line[self.at..].trim()
    }

    fn peek(&self) -> Option<&'a str> {
        self.rest().split_whitespace().next()
    }

    /// Takes everything that is left.
    fn take_rest(&mut self) -> &'a str {
        let rest = self.rest();
        self.at = self.line.len();
        rest
    }

    /// Takes the words up to the first that `ends` accepts, single spaces between them.
    fn take_until(&mut self, ends: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let mut taken = Vec::new();
        while let Some(word) = self.peek()
            && !ends(word)
        {
            self.next();
            taken.push(word);
        }
        taken
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let left = &self.line[self.at..];
        let start = self.at + (left.len() - left.trim_start().len());
        let word = self.line[start..].split_whitespace().next()?;
        self.at = start + word.len();
        Some(word)
    }
}

struct Reader<'a> {
    words: Words<'a>,
    notes: Notes,
}

impl<'a> Reader<'a> {
    fn command(&mut self) -> Option<Command> {
        let first = self.words.next()?;
        if let Some(command) = self.starting_with(first) {
            return command;
        }
        let before = self.words;
        for word in before {
            self.words.next();
            if PROTOCOL_WORDS.contains(&word) {
                self.notes
                    .push(format!("skipped what stood before '{word}', beginning with {}", quoted(first)));
                return self.starting_with(word).flatten();
            }
        }
        self.notes.push(format!(
            "{} is no command; expected one of {} (try 'help')",
            quoted(first),
            [PROTOCOL_WORDS, OWN_WORDS].concat().join(" ")
        ));
        None
    }

    /// The command that begins with this word: `None` if no command does, `Some(None)` if the rest of
    /// the line is no use.
    fn starting_with(&mut self, word: &str) -> Option<Option<Command>> {
        let command = match word {
            "uci" => Some(Command::Uci),
            "isready" => Some(Command::IsReady),
            "ucinewgame" => Some(Command::NewGame),
            "stop" => Some(Command::Stop),
            "ponderhit" => Some(Command::PonderHit),
            "quit" | "exit" => Some(Command::Quit),
            "register" => {
                self.words.take_rest();
                Some(Command::Register)
            }
            "debug" => self.debug(),
            "setoption" => self.set_option(),
            "position" => self.position(),
            "go" => Some(self.go()),
            "d" => Some(Command::Display),
            "eval" | "explain" => Some(Command::Eval { fen: self.optional_fen() }),
            "bench" => Some(self.bench()),
            "perft" => self.perft(),
            "experience" => self.experience(),
            "help" | "--help" | "-h" => {
                self.words.take_rest();
                Some(Command::Help)
            }
            "version" | "--version" | "-V" => Some(Command::Version),
            _ => return None,
        };
        if let Some(extra) = self.words.next() {
            self.notes.push(format!(
                "{word}: {} and what follows was skipped; nothing expected there",
                quoted(extra)
            ));
        }
        Some(command)
    }

    fn debug(&mut self) -> Option<Command> {
        match self.words.next() {
            Some("on") => Some(Command::Debug(true)),
            Some("off") => Some(Command::Debug(false)),
            Some(other) => {
                self.notes.push(format!("debug: {} is neither 'on' nor 'off'", quoted(other)));
                None
            }
            None => {
                self.notes.push("debug: expected 'on' or 'off'".to_string());
                None
            }
        }
    }

    fn experience(&mut self) -> Option<Command> {
        let words = self.words.take_rest();
        let mut parts = words.split_whitespace();
        let result = match (parts.next(), parts.next(), parts.next()) {
            (Some("result"), Some(result), None) => GameResult::from_pgn(result),
            _ => None,
        };
        if result.is_none() {
            let found = if words.is_empty() { "nothing".to_string() } else { quoted(words) };
            self.notes.push(format!("experience: found {found}; expected 'result 1-0', '0-1' or '1/2-1/2'"));
        }
        result.map(Command::ExperienceResult)
    }

    fn set_option(&mut self) -> Option<Command> {
        const FORM: &str = "expected 'setoption name <name> [value <value>]'";
        let first = self.words.next();
        if !first.is_some_and(|word| word.eq_ignore_ascii_case("name")) {
            let found = first.map_or("nothing".to_string(), quoted);
            self.notes.push(format!("setoption: found {found} where 'name' belongs; {FORM}"));
            self.words.take_rest();
            return None;
        }
        let name = self.words.take_until(|word| word.eq_ignore_ascii_case("value")).join(" ");
        if name.is_empty() {
            self.notes.push(format!("setoption: the option's name is missing; {FORM}"));
            self.words.take_rest();
            return None;
        }
        let value = self.words.next().map(|_value_word| self.words.take_rest().to_string());
        Some(Command::SetOption { name, value })
    }

    fn position(&mut self) -> Option<Command> {
        let fen = match self.words.peek() {
            Some("startpos") => {
                self.words.next();
                None
            }
            // "position <FEN>" without the word is a frequent slip, and cannot mean anything else.
            Some(word) if word == "fen" || word.contains('/') => {
                if word == "fen" {
                    self.words.next();
                }
                Some(self.words.take_until(|word| word == "moves").join(" "))
            }
            other => {
                let found = other.map_or("nothing".to_string(), quoted);
                self.notes.push(format!(
                    "position: found {found}; expected 'startpos' or 'fen <FEN>', then perhaps 'moves …'"
                ));
                self.words.take_rest();
                return None;
            }
        };
        let before_moves = self.words.take_until(|word| word == "moves");
        if let Some(word) = before_moves.first() {
            self.notes.push(format!("position: {} was skipped; expected 'moves'", quoted(word)));
        }
        self.words.next();
        let moves = self.words.take_until(|_| false).into_iter().map(str::to_string).collect();
        Some(Command::Position { fen, moves })
    }

    fn go(&mut self) -> Command {
        let mut go = Go::default();
        let mut perft = None;
        while let Some(word) = self.words.next() {
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    let moves = self.words.take_until(|word| GO_WORDS.contains(&word));
                    go.searchmoves.extend(moves.into_iter().map(str::to_string));
                }
                // A clock that cannot be read is taken as empty: better a quick move than none.
                "wtime" => {
                    go.time[0] = Some(self.duration(word, &mut go.unreadable_limit).unwrap_or_default())
                }
                "btime" => {
                    go.time[1] = Some(self.duration(word, &mut go.unreadable_limit).unwrap_or_default())
                }
                "winc" => go.increment[0] = self.duration(word, &mut go.unreadable_limit),
                "binc" => go.increment[1] = self.duration(word, &mut go.unreadable_limit),
                "movetime" => go.movetime = self.duration(word, &mut go.unreadable_limit),
                "movestogo" => go.moves_to_go = self.limit(word, &mut go.unreadable_limit),
                "depth" => go.depth = self.limit(word, &mut go.unreadable_limit),
                "mate" => go.mate = self.limit(word, &mut go.unreadable_limit),
                "nodes" => {
                    let nodes = self.number(word, GO_WORDS);
                    go.unreadable_limit |= nodes.is_none();
                    go.nodes = nodes.map(|n| n.max(1) as u64);
                }
                "perft" => {
                    perft =
                        self.limit(word, &mut go.unreadable_limit).map(|depth| depth.min(perft::MAX_DEPTH));
                }
                other => {
                    // It may have been meant as a limit.
                    go.unreadable_limit = true;
                    self.notes.push(format!(
                        "go: {} was skipped; expected one of {}",
                        quoted(other),
                        GO_WORDS.join(" ")
                    ));
                }
            }
        }
        match perft {
            Some(depth) => {
                let request = PerftRequest { depth, divide: true, ..PerftRequest::default() };
                Command::Perft { request, fen: None }
            }
            None => Command::Go(go),
        }
    }

    /// A limit that is a count.
    fn limit(&mut self, word: &str, unreadable: &mut bool) -> Option<u32> {
        let number = self.number(word, GO_WORDS);
        *unreadable |= number.is_none();
        number.map(|n| n.clamp(0, i64::from(u32::MAX)) as u32)
    }

    /// A limit in milliseconds; a clock below zero is an empty one.
    fn duration(&mut self, word: &str, unreadable: &mut bool) -> Option<Duration> {
        let number = self.number(word, GO_WORDS);
        *unreadable |= number.is_none();
        number.map(|millis| Duration::from_millis(millis.max(0) as u64).min(LONGEST))
    }

    /// The number that belongs to `word`. A word from `keywords` in its place is left alone: the
    /// number is missing, and the keyword still counts.
    fn number(&mut self, word: &str, keywords: &[&str]) -> Option<i64> {
        let next = self.words.peek().filter(|next| !keywords.contains(next));
        let Some(text) = next else {
            self.notes.push(format!("{word}: a whole number is missing after it"));
            return None;
        };
        self.words.next();
        let number = saturating_number(text);
        if number.is_none() {
            self.notes.push(format!("{word}: {} is not a whole number", quoted(text)));
        }
        number
    }

    fn optional_fen(&mut self) -> Option<String> {
        if matches!(self.words.peek(), Some("fen" | "--fen")) {
            self.words.next();
        }
        let words = self.words.take_until(|_| false);
        (!words.is_empty()).then(|| words.join(" "))
    }

    fn bench(&mut self) -> Command {
        if self.words.peek() == Some("--list") {
            self.words.next();
            return Command::BenchPositions;
        }
        let mut request = BenchRequest::default();
        let mut next = |word, least: i64, most: i64| {
            self.words.peek()?;
            self.number(word, &[]).map(|n| n.clamp(least, most))
        };
        if let Some(depth) = next("bench depth", 1, MAX_PLY as i64) {
            request.depth = depth as u32;
        }
        if let Some(threads) = next("bench threads", 1, 256) {
            request.threads = threads as usize;
        }
        if let Some(megabytes) = next("bench hash", 1, 32_768) {
            request.hash_mb = megabytes as usize;
        }
        Command::Bench(request)
    }

    fn perft(&mut self) -> Option<Command> {
        let mut request = PerftRequest::default();
        let (mut depth, mut fen, mut valid) = (None, None, true);
        let is_flag = |word: &str| word.starts_with("--");
        while let Some(word) = self.words.next() {
            match word {
                "--divide" => request.divide = true,
                "--fen" => fen = Some(self.words.take_until(is_flag).join(" ")),
                "--threads" => match self.number(word, &[]) {
                    Some(threads) => request.threads = threads.clamp(1, 256) as usize,
                    None => valid = false,
                },
                "--hash" => match self.number(word, &[]) {
                    Some(megabytes) => request.hash_mb = megabytes.clamp(0, 32_768) as usize,
                    None => valid = false,
                },
                number if depth.is_none() && saturating_number(number).is_some() => {
                    depth = saturating_number(number);
                }
                other => {
                    self.notes.push(format!(
                        "perft: {} is not known; expected a depth, --fen <FEN>, --divide, --threads <n> or --hash <MB>",
                        quoted(other)
                    ));
                    valid = false;
                }
            }
        }
        match depth {
            Some(depth) if (0..=i64::from(perft::MAX_DEPTH)).contains(&depth) => request.depth = depth as u32,
            Some(depth) => {
                self.notes.push(format!("perft: the depth {depth} is not in 0 to {}", perft::MAX_DEPTH));
                valid = false;
            }
            None => {
                self.notes.push("perft: a depth is missing, as in 'perft 5'".to_string());
                valid = false;
            }
        }
        valid.then_some(Command::Perft { request, fen })
    }
}

/// Reads a whole number of any length; what does not fit becomes the nearest that does. A fraction
/// (some programs send one for times) is cut off.
fn saturating_number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let whole = match digits.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        Some(_) => return None,
        None => digits,
    };
    if whole.is_empty() || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = whole.parse::<i64>().unwrap_or(i64::MAX);
    Some(if negative { -size } else { size })
}

impl Go {
    /// The limits of a search from this position, and notes on what could not be used.
    pub fn limits(&self, board: &Board) -> (Limits, Vec<String>) {
        let mut notes = Notes::default();
        let mut limits = Limits {
            depth: self.depth.map(|depth| depth.clamp(1, MAX_PLY as u32)),
            nodes: self.nodes,
            movetime: self.movetime,
            mate: self.mate.map(|moves| moves.clamp(1, MAX_PLY as u32)),
            clock: self.clock(board.side_to_move()),
            infinite: self.infinite,
            ponder: self.ponder,
            ..Limits::default()
        };
        for text in &self.searchmoves {
            match board.parse_uci(text) {
                Ok(m) if limits.searchmoves.contains(&m) => {}
                Ok(m) => limits.searchmoves.push(m),
                Err(error) => notes.push(format!("go searchmoves: skipped {error}")),
            }
        }
        if !self.searchmoves.is_empty() && limits.searchmoves.is_empty() {
            notes.push("go searchmoves: no legal move among them, so all moves are searched".to_string());
        }
        let unlimited = limits.depth.is_none()
            && limits.nodes.is_none()
            && limits.movetime.is_none()
            && limits.mate.is_none()
            && limits.clock.is_none();
        if unlimited && !self.infinite {
            if self.unreadable_limit {
                notes.push("go: no limit could be read, so the search ends at depth 1".to_string());
                limits.depth = Some(1);
            } else if !self.ponder {
                limits.infinite = true;
            }
        }
        (limits, notes.into_sentences())
    }

    /// The clock of the side to move. If only the other side's was told, it stands for both; if only
    /// increments or moves were told, the clock is empty.
    fn clock(&self, side: Color) -> Option<Clock> {
        let told = self.time.iter().chain(&self.increment).any(Option::is_some) || self.moves_to_go.is_some();
        told.then(|| Clock {
            remaining: self.time[side.index()].or(self.time[(!side).index()]).unwrap_or_default(),
            increment: self.increment[side.index()].unwrap_or_default(),
            // Some programs say 0 for "no more time controls to come".
            moves_to_go: self.moves_to_go.filter(|&moves| moves > 0),
        })
    }
}

#[cfg(test)]
mod tests;
