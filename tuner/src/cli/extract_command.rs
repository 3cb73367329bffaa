//! `tune extract`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use clap::Args;
use engine::eval::Weights;
use engine::types::Color;
use selfplay::play::DeepLabels;
use selfplay::record::{GameRecord, map_blocks};
use tuner::extract::{
    Collector, ExtractOptions, LeafFinder, PlayedGame, PlayedPly, Tally, positions, write_packed,
};
use tuner::packed::PackedPosition;

use super::{use_threads, weights};

const EXAMPLES: &str = "\
Examples:
  tune extract games/ --out positions.tps
  tune extract games/*.tgr --per-game 20 --balance --resolve --out positions.tps
  tune extract games/ --out positions.tps --parquet positions.parquet";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ExtractArgs {
    /// Game records (.tgr), or directories of them; of a position that comes again the first label counts, so name the
    /// newest first
    #[arg(value_name = "DIR", required = true)]
    games: Vec<PathBuf>,

    /// Where the positions go, for `tune --texel`
    #[arg(long, value_name = "FILE", default_value = "positions.tps")]
    out: PathBuf,

    /// A table of the positions beside it, for polars and notebooks
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,

    /// Half-moves at the beginning of a game that are left out
    #[arg(long, value_name = "N", default_value_t = 16)]
    skip_plies: usize,

    /// Scores beyond this many centipawns are decided and left out, as mates are
    #[arg(long, value_name = "CP", default_value_t = 1_500)]
    max_score: i32,

    /// The most positions of one game; 0 for all
    #[arg(long, value_name = "N", default_value_t = 12)]
    per_game: usize,

    /// Leave out positions of the most frequent kinds (phase and material)
    #[arg(long)]
    balance: bool,

    /// Play out the captures that a search of one ply expects, and take the position at their end
    #[arg(long)]
    resolve: bool,

    /// Weights of that search: a file, or `default` (shipped), `hand`, `material`
    #[arg(long, value_name = "WEIGHTS", default_value = "default")]
    weights: String,

    /// Decides what is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads [default: all cores]; the result is the same with any number
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

pub fn run(args: &ExtractArgs) -> anyhow::Result<ExitCode> {
    ensure!(
        args.parquet.is_none() || cfg!(feature = "frames"),
        "--parquet: this `tune` was built without tables, because polars takes minutes to build; with them:\n  \
         cargo build --profile frames --package tuner --features frames    (target/frames/tune)"
    );
    use_threads(args.threads)?;
    let files = records(&args.games)?;
    let options = ExtractOptions {
        skip_plies: args.skip_plies,
        largest_score: args.max_score,
        per_game: args.per_game,
        seed: args.seed,
    };
    let weights = Arc::new(Weights::new(&weights::named(&args.weights)?));
    let began = Instant::now();
    let mut collector = Collector::default();
    map_blocks(
        &files,
        |header, games| {
            let deep = DeepLabels::of_settings(&header.settings);
            let mut finder = args.resolve.then(|| LeafFinder::new(weights.clone()));
            let mut tally = Tally::default();
            let kept: Vec<_> = games
                .iter()
                .flat_map(|game| {
                    positions(&played(game, header.seed, deep), &options, finder.as_mut(), &mut tally)
                })
                .collect();
            (kept, tally)
        },
        |(kept, tally)| {
            collector.take(kept, &tally);
            ControlFlow::Continue(())
        },
    )
    .context("cannot read the games")?;
    if args.balance {
        collector.balance(args.seed);
    }
    ensure!(!collector.positions.is_empty(), "no position of {} files is worth keeping", files.len());
    write_packed(&args.out, &collector.positions)?;
    if let Some(path) = &args.parquet {
        write_table(path, &collector.positions)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    print(&collector.tally, began.elapsed().as_secs_f64());
    println!("written: {}", args.out.display());
    Ok(ExitCode::SUCCESS)
}

#[cfg(feature = "frames")]
fn write_table(path: &Path, positions: &[PackedPosition]) -> anyhow::Result<()> {
    Ok(tuner::extract::frames::write_parquet(path, positions)?)
}

/// Never called: the command line was refused.
#[cfg(not(feature = "frames"))]
fn write_table(_: &Path, _: &[PackedPosition]) -> anyhow::Result<()> {
    bail!("built without tables")
}

/// The records named, directories opened, in order.
fn records(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).with_context(|| format!("cannot open {}", path.display()))?;
        let mut inside = Vec::new();
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", path.display()))?.path();
            if entry.extension() == Some("tgr".as_ref()) {
                inside.push(entry);
            }
        }
        ensure!(!inside.is_empty(), "no game records (.tgr) in {}", path.display());
        inside.sort();
        files.extend(inside);
    }
    if let Some(missing) = files.iter().find(|path| !path.exists()) {
        bail!("{} is not there", missing.display());
    }
    Ok(files)
}

/// A recorded game as the extraction sees it.
fn played(game: &GameRecord, seed: u64, deep: Option<DeepLabels>) -> PlayedGame {
    let labelled = |ply| deep.is_none_or(|deep| deep.includes(seed, game.id, ply));
    PlayedGame {
        number: game.id,
        start: game.first_searched(),
        result_white: f32::from(game.outcome.half_points(Color::White)) / 2.0,
        plies: game
            .plies
            .iter()
            .enumerate()
            .map(|(number, ply)| PlayedPly {
                played: ply.played,
                score_stm: ply.value_stm(),
                explored: ply.explored,
                labelled: labelled(number),
            })
            .collect(),
    }
}

fn print(tally: &Tally, seconds: f64) {
    println!("{} games, {} positions in {seconds:.1} s", tally.games, tally.positions);
    for (what, number) in [
        ("too early", tally.early),
        ("searched too briefly for a label", tally.unlabelled),
        ("in check", tally.in_check),
        ("the move takes, promotes or was drawn by lot", tally.noisy),
        ("decided", tally.decided),
        ("not drawn from their game", tally.not_drawn),
        ("there already", tally.repeated),
        ("too many of their kind", tally.unbalanced),
        ("kept", tally.kept),
    ] {
        println!("{number:>12} {what}");
    }
}
