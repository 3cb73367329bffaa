//! The commands for games other than chess. `--game` chooses them: they have the names of the commands of chess, and only
//! the options that mean something for any game.

mod bench;
mod fit;
mod generate;
mod learn;
mod matches;
mod night;
mod play;
mod show;
mod verify;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use selfplay::games::registry::{UnknownGame, WithGame, check, with_game};

pub use bench::BenchArgs;
pub use fit::FitArgs;
pub use night::NightArgs;
pub use play::PlayArgs;
pub use show::show_record;
pub use verify::verify_record;

const ABOUT: &str = "\
Any game of perfect information, played, learned and judged as chess is.

Games: nim:3-4-5, nim:1-3-5-7-misere (or other heaps), tictactoe, dominions, fairy:FILE.toml or fairy:NAME (selfplay fairy list).";

/// The command line where `--game` names a game that is not chess.
#[derive(Parser)]
#[command(name = "selfplay", version, max_term_width = 110, about = ABOUT)]
struct GameCli {
    #[command(subcommand)]
    command: GameCommand,
}

#[derive(Subcommand)]
enum GameCommand {
    /// Let a player play itself and keep the games.
    Generate(generate::GenerateArgs),
    /// Check every byte of game records and replay every game.
    Verify(verify::VerifyArgs),
    /// Step through a game in the terminal.
    Show(show::ShowArgs),
    /// Learn an Experience Book from game records.
    Learn(learn::LearnArgs),
    /// Fit the weights of a game's evaluation to game records.
    Fit(FitArgs),
    /// Play two players against each other and say what the results prove.
    Match(matches::MatchArgs),
    /// Play against the engine in the terminal.
    Play(PlayArgs),
    /// Play, learn, fit and gate, round after round; goes on after any interruption.
    GameNight(NightArgs),
    /// Measure how fast a game is played, searched and played out.
    GameBench(BenchArgs),
}

/// The game named by `--game` on a command line, if it is not chess. `show --game 5` of chess is a number.
pub fn is_meant(arguments: &[OsString]) -> bool {
    let texts: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let of_pair = texts.windows(2).find(|pair| pair[0] == "--game").map(|pair| pair[1].to_string());
    let of_one = texts.iter().find_map(|text| text.strip_prefix("--game=").map(str::to_string));
    of_pair.or(of_one).is_some_and(|game| game != "chess" && game.parse::<u64>().is_err())
}

/// Reads the command line and runs it.
pub fn run() -> anyhow::Result<ExitCode> {
    match GameCli::parse().command {
        GameCommand::Generate(args) => generate::run(args),
        GameCommand::Verify(args) => verify::run(&args),
        GameCommand::Show(args) => show::run(&args),
        GameCommand::Learn(args) => learn::run(args),
        GameCommand::Fit(args) => fit::run(args),
        GameCommand::Match(args) => matches::run(args),
        GameCommand::Play(args) => play::run(args),
        GameCommand::GameNight(args) => night::run(args),
        GameCommand::GameBench(args) => bench::run(args),
    }
}

/// A game as it is typed, checked.
#[derive(Clone)]
struct GameName(String);

impl std::str::FromStr for GameName {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<GameName, UnknownGame> {
        check(text).map(|()| GameName(text.to_string()))
    }
}

impl GameName {
    /// Does something with the game.
    fn with<T>(&self, work: impl WithGame<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
        with_game(&self.0, work)?
    }
}

/// A share from 0 to 1, in millionths.
fn parse_share(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok((share * 1e6).round() as u32),
        _ => Err("not a number from 0 to 1".to_string()),
    }
}

/// A file as the header of a record names it.
fn name_of_book(book: Option<&Path>) -> anyhow::Result<String> {
    use anyhow::Context;
    let Some(path) = book else { return Ok("none".to_string()) };
    selfplay::games::generate::name_and_hash(path).with_context(|| format!("cannot read {}", path.display()))
}
