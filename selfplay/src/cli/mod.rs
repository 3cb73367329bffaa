//! The command line: text becomes what the library understands, results become text.

mod calendar;
mod match_command;
mod match_report;
mod progress;
mod standings;
mod style_command;
mod suite_command;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
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
    /// Ask an engine for its move in positions whose best moves are known.
    Suite(Box<suite_command::SuiteArgs>),
    /// Say how players play: sacrifices, attacks, short wins, needless draws.
    Style(Box<style_command::StyleArgs>),
}

/// What a command that was interrupted returns to the shell.
const INTERRUPTED: u8 = 130;

/// Reads the command line and runs it.
pub fn run() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Match(args) => match_command::run(&args),
        Command::Suite(args) => suite_command::run(&args),
        Command::Style(args) => style_command::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("selfplay: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Ctrl-C sets both flags: everything stops in order, and the command knows why.
fn listen_for_interrupt(stop: &Arc<AtomicBool>, interrupted: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let (stop, interrupted) = (stop.clone(), interrupted.clone());
    let handler = move || {
        interrupted.store(true, Ordering::Relaxed);
        stop.store(true, Ordering::Relaxed);
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")
}
