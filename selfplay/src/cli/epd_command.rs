//! `selfplay epd`.

use std::process::ExitCode;

use clap::Args;
use selfplay::record::export::{EpdFilter, epd_lines};

use super::export::{ExportArgs, export};

/// Write positions as EPD: result `c9`, score `ce` for the side to move, depth `acd`, move played `pm`.
#[derive(Args)]
pub struct EpdArgs {
    #[command(flatten)]
    export: ExportArgs,

    /// Leave out checks, positions in which a capture or promotion was played, and mate scores
    #[arg(long)]
    quiet: bool,

    /// Leave out the first so many positions after the opening
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    /// Take only every so-manieth position of a game
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
}

/// Runs the command.
pub fn run(args: &EpdArgs) -> anyhow::Result<ExitCode> {
    let filter = EpdFilter { quiet_only: args.quiet, skip: args.skip, every: args.every };
    export(&args.export, |_, game| epd_lines(game, filter).into_bytes())
}
