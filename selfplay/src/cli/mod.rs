//! The command line: text becomes what the library understands, results become text.

mod book_command;
mod cat_command;
mod epd_command;
mod export;
mod fairy_command;
mod games;
mod gate_command;
mod gate_report;
mod generate_command;
mod learn_command;
mod library_command;
mod match_command;
mod match_report;
mod merge_command;
mod openings_command;
mod pgn_command;
mod progress;
mod query_command;
mod query_prompt;
mod serve_command;
mod show_command;
mod spsa_command;
mod standings;
mod stats_command;
mod style_command;
mod suite_command;
mod verify_command;
mod viriformat_command;
mod worth_command;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, ensure};
use clap::{Parser, Subcommand};
use engine::syzygy::Tablebases;
use selfplay::games::registry::GAMES;

/// Tabula plays: itself, and anyone who speaks UCI.
#[derive(Parser)]
#[command(version, max_term_width = 110, after_help = OTHER_GAMES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play engines against each other and say what the results prove.
    Match(Box<match_command::MatchArgs>),
    /// Tune the numbers of the search by games, many at once.
    Spsa(Box<spsa_command::SpsaArgs>),
    /// Say whether a candidate is better than the champion, by one sequential test.
    Gate(Box<gate_command::GateArgs>),
    /// Ask an engine for its move in positions whose best moves are known.
    Suite(Box<suite_command::SuiteArgs>),
    /// Say how players play: sacrifices, attacks, short wins, needless draws.
    Style(Box<style_command::StyleArgs>),
    /// Let the engine play itself and keep the games.
    Generate(Box<generate_command::GenerateArgs>),
    /// Write the ways to begin that a search finds level.
    Openings(openings_command::OpeningsArgs),
    /// Check every byte of game records and replay every game.
    Verify(verify_command::VerifyArgs),
    /// Say what is in game records.
    Stats(stats_command::StatsArgs),
    /// Join the shards of a run into one record.
    Merge(merge_command::MergeArgs),
    /// Step through a game in the terminal.
    Show(show_command::ShowArgs),
    /// Write games as PGN.
    Pgn(pgn_command::PgnArgs),
    /// Write positions as EPD.
    Epd(epd_command::EpdArgs),
    /// Write games as JSON, one a line.
    Cat(cat_command::CatArgs),
    /// Ask questions of games and positions.
    Query(Box<query_command::QueryArgs>),
    /// Learn an Experience Book from game records.
    Learn(learn_command::LearnArgs),
    /// Look into Experience Books, add them, mend them, turn them into other things.
    Book(book_command::BookArgs),
    /// Keep a catalogue of game records: add, list, take, drop, verify, merge.
    Library(library_command::LibraryArgs),
    /// Show nights, matches and games in a browser.
    Serve(serve_command::ServeArgs),
    /// Write games in viriformat.
    Viriformat(viriformat_command::ViriformatArgs),
    /// Fairy chess: price every piece of a variant by self-play.
    Worth(worth_command::WorthArgs),
    /// Fairy chess: pieces, Betza notation, node counts, speed.
    Fairy(fairy_command::FairyArgs),
    /// Another game than chess: play against the engine in the terminal.
    Play(games::PlayArgs),
    /// Another game than chess: fit the weights of its evaluation to game records.
    Fit(games::FitArgs),
    /// Another game than chess: play, learn, fit and gate, round after round.
    GameNight(games::NightArgs),
    /// Another game than chess: measure how fast it is played and searched.
    GameBench(games::BenchArgs),
}

const OTHER_GAMES: &str = "\
generate, verify, show, learn and match take --game nim:3-4-5 (or tictactoe, dominions, fairy:FILE) for games other than chess, with
options of their own: selfplay generate --game nim --help";

/// What a command that was interrupted returns to the shell.
const INTERRUPTED: u8 = 130;

/// Reads the command line and runs it.
pub fn run() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if games::is_meant(&arguments) {
        selfplay::pipe::end_when_nobody_reads();
        return ended(games::run());
    }
    let command = Cli::parse().command;
    // A dead engine at the other end of a pipe is a result to record, not the end of a match; so is a reader who left.
    if !matches!(command, Command::Match(_) | Command::Gate(_) | Command::Suite(_) | Command::Serve(_)) {
        selfplay::pipe::end_when_nobody_reads();
    }
    let result = match command {
        Command::Match(args) => match_command::run(&args),
        Command::Spsa(args) => spsa_command::run(&args),
        Command::Gate(args) => gate_command::run(&args),
        Command::Suite(args) => suite_command::run(&args),
        Command::Style(args) => style_command::run(&args),
        Command::Generate(args) => generate_command::run(&args),
        Command::Openings(args) => openings_command::run(&args),
        Command::Verify(args) => verify_command::run(&args),
        Command::Stats(args) => stats_command::run(&args),
        Command::Merge(args) => merge_command::run(&args),
        Command::Show(args) => show_command::run(&args),
        Command::Pgn(args) => pgn_command::run(&args),
        Command::Epd(args) => epd_command::run(&args),
        Command::Cat(args) => cat_command::run(&args),
        Command::Query(args) => query_command::run(&args),
        Command::Learn(args) => learn_command::run(&args),
        Command::Book(args) => book_command::run(&args),
        Command::Library(args) => library_command::run(&args),
        Command::Serve(args) => serve_command::run(&args),
        Command::Viriformat(args) => viriformat_command::run(&args),
        Command::Worth(args) => worth_command::run(&args),
        Command::Fairy(args) => fairy_command::run(&args),
        Command::Play(_) | Command::Fit(_) | Command::GameNight(_) | Command::GameBench(_) => {
            Err(anyhow::anyhow!("this is for games other than chess: give --game {}", GAMES))
        }
    };
    ended(result)
}

/// The exit code of a command; what went wrong is said.
fn ended(result: anyhow::Result<ExitCode>) -> ExitCode {
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

/// Opens the tablebases of an option; what is wrong with some of them is said, and no table at all refused.
fn open_tablebases(option: &str, path: &str) -> anyhow::Result<Arc<Tablebases>> {
    let tablebases = Tablebases::open(&Tablebases::folders(path));
    for complaint in tablebases.take_complaints() {
        eprintln!("selfplay: {option}: {complaint}");
    }
    ensure!(tablebases.max_pieces() > 0, "{option} {path}: no Syzygy tables (*.rtbw) found there");
    Ok(Arc::new(tablebases))
}
