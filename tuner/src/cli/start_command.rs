//! `tune start`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use engine::eval::Header;
use selfplay::calendar::Date;

use super::weights;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tune start material --out zero.toml\n  tune start hand --out first-day.toml"
)]
pub struct StartArgs {
    /// Weights: `material` (P 100 N 320 B 330 R 500 Q 900 and nothing else), `hand` (the first day's),
    /// `default` (shipped), or a file
    #[arg(value_name = "WEIGHTS")]
    name: String,

    /// Where they go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(args: &StartArgs) -> anyhow::Result<ExitCode> {
    let params = weights::named(&args.name)?;
    let header = Header {
        made_by: format!("tune start {}", args.name),
        date: Date::of_the_work().iso(),
        data: "none".into(),
        ..Header::default()
    };
    std::fs::write(&args.out, params.to_toml(&header))
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    println!("written: {}", args.out.display());
    Ok(ExitCode::SUCCESS)
}
