//! `selfplay verify`, for records of games other than chess.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use selfplay::games::registry::{WithGame, with_game};
use selfplay::games::{Game, full_name, record};
use selfplay::record::{Reader, RecordError, Verdict};

use super::GameName;
use crate::cli::verify_command;

/// Check every byte of game records and replay every game.
///
/// Exit code 0: all files are whole. 1: something is damaged, missing, or of another game.
#[derive(Args)]
pub struct VerifyArgs {
    /// The game that all of them must be of
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// Records
    #[arg(required = true, value_name = "FILE.tgr")]
    files: Vec<PathBuf>,

    /// Write the result as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    verify_command::report(&args.files, args.json, |path| {
        let reader = Reader::open_any(path)?;
        with_game(&args.game.0, OfGame(reader))
            .unwrap_or_else(|_| unreachable!("the game's name was checked"))
    })
}

/// Checks a record of any game but chess; its header says which.
pub fn verify_record(reader: &Reader) -> Verdict {
    with_game(&reader.header().game(), Work(reader)).unwrap_or_else(|error| {
        let fault = format!("{}: {error}", reader.path().display());
        Verdict { faults: vec![fault], ..Verdict::default() }
    })
}

/// A record that must be of the game named: its rules may be in a file that only the command line knows.
struct OfGame(Reader);

impl WithGame for OfGame {
    type Output = Result<Verdict, RecordError>;

    fn run<G: Game>(self, game: G) -> Result<Verdict, RecordError> {
        Ok(record::verify(&game, &self.0.of_game(&full_name(&game))?))
    }
}

struct Work<'a>(&'a Reader);

impl WithGame for Work<'_> {
    type Output = Verdict;

    fn run<G: Game>(self, game: G) -> Verdict {
        record::verify(&game, self.0)
    }
}
