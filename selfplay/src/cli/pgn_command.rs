//! `selfplay pgn`.

use std::process::ExitCode;

use clap::Args;
use selfplay::record::export::pgn;

use super::export::{ExportArgs, export};

/// Write games as PGN, score and depth after each move.
#[derive(Args)]
pub struct PgnArgs {
    #[command(flatten)]
    export: ExportArgs,
}

/// Runs the command.
pub fn run(args: &PgnArgs) -> anyhow::Result<ExitCode> {
    export(&args.export, |header, game| pgn(header, game).into_bytes())
}
