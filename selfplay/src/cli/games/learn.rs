//! `selfplay learn --game`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use selfplay::games::Game;
use selfplay::games::lessons::learn_records;
use selfplay::games::registry::WithGame;
use serde_json::json;

use super::GameName;
use crate::cli::learn_command::{MethodArgs, find_records};

/// Learn an Experience Book from game records.
///
/// Each game counts once, however often it is learned. Example:
///   selfplay learn --game nim:3-4-5 --games games/ --book nim.exp
#[derive(Args)]
pub struct LearnArgs {
    /// The game: NAME or NAME:RULES
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// Records, or folders of them
    #[arg(long, required = true, num_args = 1.., value_name = "FILE.tgr|DIR")]
    games: Vec<PathBuf>,

    /// The book; made if it is not there
    #[arg(long, value_name = "FILE.exp")]
    book: PathBuf,

    #[command(flatten)]
    method: MethodArgs,

    /// Write the figures as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: LearnArgs) -> anyhow::Result<ExitCode> {
    args.game.clone().with(Work(args))
}

struct Work(LearnArgs);

impl WithGame for Work {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let args = self.0;
        let files = find_records(&args.games)?;
        let report = learn_records(&game, &args.book, &files, &args.method.method()?)?;
        if args.json {
            let figures = json!({
                "book": args.book, "files": files.len(), "games": report.games, "games_known": report.known,
                "games_unusable": report.unusable, "positions": report.positions,
                "rows_before": report.rows_before, "rows": report.rows,
            });
            println!("{}", serde_json::to_string_pretty(&figures)?);
        } else {
            println!("{}: {} rows (before: {})", args.book.display(), report.rows, report.rows_before);
            println!(
                "learned {} games, {} positions; {} games were known",
                report.games, report.positions, report.known
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}
