//! `selfplay viriformat`.

use std::process::ExitCode;

use clap::Args;
use selfplay::record::export::viriformat;

use super::export::{ExportArgs, export};

/// Write games in viriformat, which several trainers read.
#[derive(Args)]
pub struct ViriformatArgs {
    #[command(flatten)]
    export: ExportArgs,
}

/// Runs the command.
pub fn run(args: &ViriformatArgs) -> anyhow::Result<ExitCode> {
    export(&args.export, |_, game| viriformat(game))
}
