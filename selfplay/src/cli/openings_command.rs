//! `selfplay openings`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Args;
use engine::eval::{EvalParams, Weights};
use selfplay::Level;
use selfplay::arena::self_player::read_weights;
use selfplay::play::level_beginnings;

/// Write the ways to begin that a search finds level, as EPD: the initial position, those after one move, after
/// two, and so on.
#[derive(Args)]
#[command(after_help = "Example:
  selfplay openings --plies 2 >ways.epd
  selfplay generate --games 400 --openings ways.epd --opening-nodes 0 --sparring --out games")]
pub struct OpeningsArgs {
    /// Plies of the longest lines
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=4))]
    plies: u32,

    /// Only what a search finds within so many centipawns of level, for either side
    #[arg(long, value_name = "CP", default_value_t = 25)]
    limit: i32,

    /// Nodes of that search
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// Weights instead of those compiled in
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &OpeningsArgs) -> anyhow::Result<ExitCode> {
    ensure!(args.limit >= 0, "--limit {}: at least 0", args.limit);
    let params = match &args.weights {
        Some(path) => read_weights(path)?,
        None => EvalParams::embedded(),
    };
    let level = Level { limit: args.limit, nodes: args.nodes };
    let mut output = std::io::stdout().lock();
    let mut written = Ok(());
    let count = level_beginnings(args.plies, level, &Arc::new(Weights::new(&params)), |board| {
        if written.is_ok() {
            written = writeln!(output, "{}", board.epd_position());
        }
    });
    written.context("cannot write the openings")?;
    ensure!(count > 0, "nothing is within ±{} centipawns of level; raise --limit", args.limit);
    Ok(ExitCode::SUCCESS)
}
