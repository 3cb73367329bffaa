//! The prompt of `selfplay query`: lines with history and completion, an answer after each query.

use std::io;
use std::process::ExitCode;

use anyhow::Context as _;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use selfplay::query::{AGGREGATES, FIELDS, FUNCTIONS, Format, Limits, Plan};

use super::query_command::{answer, compile, words};

/// Words that are no names.
const KEYWORDS: [&str; 26] = [
    "games",
    "positions",
    "position",
    "random",
    "plies",
    "times",
    "seed",
    "where",
    "once",
    "walk",
    "prune with",
    "search depth",
    "search nodes",
    "lines",
    "follow",
    "perft",
    "group by",
    "order by",
    "take",
    "select",
    "histogram",
    "as json",
    "as csv",
    "as svg",
    "as epd",
    "as pgn",
];

/// Completes the word before the cursor.
struct Words;

impl Completer for Words {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let start = line[..at]
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(0, |place| place + line[place..].chars().next().map_or(1, char::len_utf8));
        let begun = &line[start..at];
        let names = FIELDS.iter().map(|word| word.name);
        let functions = FUNCTIONS.iter().chain(AGGREGATES).map(|function| function.name);
        let mut known: Vec<&str> = KEYWORDS.into_iter().chain(names).chain(functions).collect();
        known.sort_unstable();
        known.dedup();
        let pair = |word: &&str| Pair { display: word.to_string(), replacement: word.to_string() };
        Ok((
            start,
            known.iter().filter(|word| !begun.is_empty() && word.starts_with(begun)).map(pair).collect(),
        ))
    }
}

impl Hinter for Words {
    type Hint = String;
}
impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

/// Asks for queries until there are no more.
pub fn run(limits: &Limits, format: Format) -> anyhow::Result<ExitCode> {
    let mut editor: Editor<Words, DefaultHistory> = Editor::new().context("cannot use the terminal")?;
    editor.set_helper(Some(Words));
    let history = std::env::var_os("HOME").map(|home| std::path::Path::new(&home).join(".tabula_queries"));
    if let Some(path) = &history {
        // There is none the first time.
        let _ = editor.load_history(path);
    }
    println!("A query, or `words`, `explain QUERY`, `quit`. Tab completes, Ctrl-C stops a query.");
    loop {
        let line = match editor.readline("query> ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error).context("cannot read from the terminal"),
        };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let _ = editor.add_history_entry(line);
        match line.split_once(' ').unwrap_or((line, "")) {
            ("quit" | "exit", _) => break,
            ("words", _) => print!("{}", words()),
            ("explain", query) => show(compile(query).map(|plans| plans.iter().map(Plan::explain).collect())),
            _ => {
                limits.reset();
                let result =
                    compile(line).and_then(|plans| answer(&plans, limits, format, &mut io::stdout()));
                show(result.map(|_| String::new()));
            }
        }
    }
    if let Some(path) = &history {
        // A history that cannot be written is no reason to end badly.
        let _ = editor.save_history(path);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(result: anyhow::Result<String>) {
    match result {
        Ok(text) => print!("{text}"),
        Err(error) => eprintln!("{error:#}"),
    }
}
