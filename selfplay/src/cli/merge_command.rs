//! `selfplay merge`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{bail, ensure};
use clap::Args;
use selfplay::record::{Header, Reader, games, write_record};

/// Join the shards of a run into one record.
///
/// The result has the bytes that one run over all the games would have written. Records of different
/// seeds, settings, weights or engines stay apart: every command takes many files.
#[derive(Args)]
pub struct MergeArgs {
    /// Shards, in any order; together their games must have no gap
    #[arg(required = true, value_name = "FILE.tgr")]
    files: Vec<PathBuf>,

    /// The record to write; it must not exist
    #[arg(long, short, value_name = "FILE.tgr")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(args: &MergeArgs) -> anyhow::Result<ExitCode> {
    ensure!(!args.output.exists(), "{} exists already; choose another name", args.output.display());
    let mut shards: Vec<(Header, &PathBuf)> = Vec::new();
    for path in &args.files {
        shards.push((Reader::open(path)?.header().clone(), path));
    }
    shards.sort_by_key(|(header, _)| header.games.start);
    for pair in shards.windows(2) {
        let [(before, first), (after, second)] = pair else { continue };
        let (first, second) = (first.display(), second.display());
        if !before.same_source(after) {
            bail!("{first} and {second} come from different runs (seed, settings, weights or engine)");
        }
        let (end, start) = (before.games.end, after.games.start);
        ensure!(end == start, "{first} ends before game {end}, {second} begins with game {start}");
    }
    let (Some((first, _)), Some((last, _))) = (shards.first(), shards.last()) else {
        bail!("nothing to merge");
    };
    let header = Header { games: first.games.start..last.games.end, ..first.clone() };
    let paths = shards.iter().map(|(_, path)| path);
    write_record(&args.output, &header, games(paths))?;
    println!(
        "{}: games {} to {} of {} files",
        args.output.display(),
        header.games.start,
        header.games.end - 1,
        shards.len()
    );
    Ok(ExitCode::SUCCESS)
}
