//! `selfplay cat`.

use std::process::ExitCode;

use clap::Args;
use selfplay::record::export::json_line;

use super::export::{ExportArgs, export};

/// Write games as JSON, one a line, with everything that the record knows.
#[derive(Args)]
pub struct CatArgs {
    #[command(flatten)]
    export: ExportArgs,
}

/// Runs the command.
pub fn run(args: &CatArgs) -> anyhow::Result<ExitCode> {
    export(&args.export, |_, game| {
        let mut line = json_line(game).into_bytes();
        line.push(b'\n');
        line
    })
}
