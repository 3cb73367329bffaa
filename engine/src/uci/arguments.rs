//! The same commands as arguments: `tabula go depth 20`.
//!
//! The arguments together are one line. If the first one holds a space it is a whole line itself, and
//! so is each of the others. Where a session forgives, a command line does not: a person or a script
//! is better served by an exit code than by a guess.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use super::command::{self, Command, Parsed};
use super::{Engine, Output};
use crate::search::Signals;
use crate::tools::{bench, perft};

const USAGE_ERROR: u8 = 2;

/// Does what the arguments say, waits for the results, and says how it went.
pub(super) fn run(arguments: &[String], output: Output) -> ExitCode {
    match run_lines(&lines(arguments), output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("tabula: {complaint}\ntabula: see 'tabula help' for the commands and examples");
            ExitCode::from(USAGE_ERROR)
        }
    }
}

fn lines(arguments: &[String]) -> Vec<String> {
    let several = arguments.first().is_some_and(|first| first.trim().contains(char::is_whitespace));
    if several { arguments.to_vec() } else { vec![arguments.join(" ")] }
}

fn run_lines(lines: &[String], output: Output) -> Result<(), String> {
    // All is read before anything is done: a slip in the last line is told before the first one runs.
    let commands = lines.iter().map(|line| understand(line)).collect::<Result<Vec<_>, _>>()?;
    let mut engine = Engine::new(output.clone());
    for command in commands {
        let print = &mut |line: &str| output.line(line);
        match command {
            // Tools run right here, so that their failure reaches the exit code.
            Command::Bench(request) => {
                let closing_line = bench::run(&request, &Signals::default(), &AtomicBool::new(false), print)?;
                output.line(closing_line);
            }
            Command::Perft { request, fen } => {
                let board = engine.board_of(fen.as_deref())?;
                let chess960 = engine.settings.chess960;
                let closing_line = perft::run(&board, &request, chess960, &AtomicBool::new(false), print)?;
                output.line(closing_line);
            }
            other => {
                let flow = engine.execute(other)?;
                engine.wait_for_results();
                if flow == ControlFlow::Break(()) {
                    break;
                }
            }
        }
    }
    Ok(())
}

fn understand(line: &str) -> Result<Command, String> {
    let Parsed { command, notes } = command::parse(line);
    match command {
        Some(command) if notes.is_empty() => Ok(command),
        None if notes.is_empty() => Err("an empty argument is no command".to_string()),
        _ => Err(notes.join("; ")),
    }
}
