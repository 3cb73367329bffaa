//! `selfplay verify`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use selfplay::record::{Reader, RecordError, VERSION, Verdict, verify};
use serde_json::json;

use super::games::verify_record;

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

/// Runs the command. Records say themselves which game they are of.
pub fn run(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    report(&args.files, args.json, |path| {
        let reader = Reader::open_any(path)?;
        Ok(if reader.header().version == VERSION { verify(&reader) } else { verify_record(&reader) })
    })
}

/// Looks at each file and says what was found.
pub fn report(
    files: &[PathBuf],
    as_json: bool,
    look_at: impl Fn(&Path) -> Result<Verdict, RecordError>,
) -> anyhow::Result<ExitCode> {
    let mut whole = true;
    let mut results = Vec::new();
    for path in files {
        let verdict = look_at(path)
            .unwrap_or_else(|error| Verdict { faults: vec![error.to_string()], ..Default::default() });
        whole &= verdict.faults.is_empty();
        if as_json {
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
    if as_json {
        println!("{}", serde_json::to_string_pretty(&results)?);
    }
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
