//! `tune compare`.

use std::process::ExitCode;

use clap::Args;
use tuner::compare::{differences, table};

use super::weights;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tune compare data/champion/weights.toml tuned.toml\n  tune compare hand default --all"
)]
pub struct CompareArgs {
    /// Weights: a file, `default`, `hand` or `material`
    #[arg(value_name = "A")]
    before: String,

    /// Weights to compare them with
    #[arg(value_name = "B")]
    after: String,

    /// Every weight that differs, not only the first forty
    #[arg(long)]
    all: bool,
}

pub fn run(args: &CompareArgs) -> anyhow::Result<ExitCode> {
    let (before, after) = (weights::named(&args.before)?, weights::named(&args.after)?);
    let found = differences(&before, &after);
    print!("{}", table(&found, if args.all { usize::MAX } else { 40 }));
    Ok(ExitCode::SUCCESS)
}
