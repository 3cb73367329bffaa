//! What the exporting commands have in common: games in, text or bytes out.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use selfplay::record::{GameRecord, Header, map_blocks};

/// From where to where.
#[derive(Args)]
pub struct ExportArgs {
    /// Records; their games come in this order, by id
    #[arg(required = true, value_name = "FILE.tgr")]
    files: Vec<PathBuf>,

    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only the first so many games
    #[arg(long, value_name = "N")]
    first: Option<usize>,
}

/// Writes what `convert` makes of each game. A reader that goes away (`| head`) ends it in order.
pub fn export(
    args: &ExportArgs,
    convert: impl Fn(&Header, &GameRecord) -> Vec<u8> + Sync,
) -> anyhow::Result<ExitCode> {
    let name = args.output.as_deref().unwrap_or(Path::new("standard output"));
    let output: Box<dyn Write> = match &args.output {
        Some(path) => {
            Box::new(File::create(path).with_context(|| format!("cannot create {}", path.display()))?)
        }
        None => Box::new(io::stdout().lock()),
    };
    let mut output = BufWriter::new(output);
    let mut left = args.first.unwrap_or(usize::MAX);
    let mut failure = None;
    map_blocks(
        &args.files,
        |header, games| games.iter().map(|game| convert(header, game)).collect::<Vec<_>>(),
        |texts| {
            for text in texts.iter().take(left) {
                if let Err(error) = output.write_all(text) {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            left -= left.min(texts.len());
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    )?;
    match failure.map_or_else(|| output.flush(), Err) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).with_context(|| format!("cannot write to {}", name.display()))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
