//! The command line: text becomes what the library understands, results become text.

mod calendar;
mod match_command;
mod match_report;
mod progress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tabula plays: itself, and anyone who speaks UCI.
#[derive(Parser)]
#[command(version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play engines against each other and say what the results prove.
    Match(Box<match_command::MatchArgs>),
}

/// What a command that was interrupted returns to the shell.
const INTERRUPTED: u8 = 130;

/// Reads the command line and runs it.
pub fn run() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Match(args) => match_command::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("selfplay: {error:#}");
            ExitCode::FAILURE
        }
    }
}
