//! `selfplay verify`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use selfplay::record::{Reader, verify};
use serde_json::json;

/// Check every byte of game records and replay every game.
///
/// Exit code 0: all files are whole. 1: something is damaged or missing; what is whole can still be read.
#[derive(Args)]
pub struct VerifyArgs {
    /// Records
    #[arg(required = true, value_name = "FILE.tgr")]
    files: Vec<PathBuf>,

    /// Write the result as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let mut whole = true;
    let mut results = Vec::new();
    for path in &args.files {
        let verdict = match Reader::open(path) {
            Ok(reader) => verify(&reader),
            Err(error) => selfplay::record::Verdict { faults: vec![error.to_string()], ..Default::default() },
        };
        whole &= verdict.faults.is_empty();
        if args.json {
            results.push(json!({
                "file": path,
                "whole": verdict.faults.is_empty(),
                "blocks": verdict.blocks,
                "games": verdict.games,
                "positions": verdict.positions,
                "faults": verdict.faults,
            }));
            continue;
        }
        verdict.faults.iter().for_each(|fault| println!("DAMAGED {fault}"));
        let state = if verdict.faults.is_empty() { "whole" } else { "damaged; readable are" };
        println!(
            "{}: {state}: {} blocks, {} games, {} positions",
            path.display(),
            verdict.blocks,
            verdict.games,
            verdict.positions
        );
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&results)?);
    }
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
