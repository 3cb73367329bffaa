//! `selfplay learn`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;
use engine::book::experience::Rule;
use engine::book::game_log;
use selfplay::learn::{Discount, LearnReport, Method, learn_files};
use serde_json::json;

use super::progress::Progress;

/// Learn an Experience Book from games: records of self-play, logs of the engine, PGN.
///
/// Games that the book knows already are skipped, so the same folder can be learned again and again. The
/// book is replaced in one step when all went well; a kill at any moment leaves the old one whole.
#[derive(Args)]
#[command(after_help = "Examples:
  selfplay learn --games games/ --book experience.exp
  selfplay learn --games night1.tgr --games night2.tgr --book experience.exp --rule td")]
pub struct LearnArgs {
    /// A record (.tgr), a log of the engine (.tgl) or a PGN file, or a folder whose records and logs are
    /// learned; may be given several times
    #[arg(long, required = true, value_name = "DIR|FILE")]
    games: Vec<PathBuf>,

    /// The book; made if it is not there
    #[arg(long, value_name = "FILE.exp")]
    book: PathBuf,

    #[command(flatten)]
    method: MethodArgs,

    /// Write the figures as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// How to learn.
#[derive(Args)]
pub struct MethodArgs {
    /// How scores are learned: mean (books add) or td (the running average, games in order)
    #[arg(long, default_value = "mean", value_parser = parse_rule)]
    rule: Rule,

    /// The share of what followed in a score [default: 0.8 for mean, 0.5 for td]
    #[arg(long, value_parser = parse_share)]
    alpha: Option<u16>,

    /// What a value keeps from ply to ply
    #[arg(long, default_value = "0.99", value_parser = parse_share)]
    gamma: u16,

    /// Whether a draw pulls scores towards zero; draws are counted in any case
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set, value_name = "true|false")]
    learn_draws: bool,

    /// The style that played the games, if the book is for one
    #[arg(long, default_value = "")]
    style: String,

    /// For experiments, a book that must not help: a coin for each game, decided by this number, says
    /// whether what it teaches is turned round
    #[arg(long, value_name = "SEED")]
    coin: Option<u64>,
}

impl MethodArgs {
    /// What was typed becomes what it means.
    pub fn method(&self) -> anyhow::Result<Method> {
        if self.style.len() > 16 {
            bail!("--style {}: a style's name has at most 16 bytes", self.style);
        }
        // The running average keeps the manual's number. A mean never forgets what a fooled search thought, so
        // what came of it weighs more there.
        let usual = if self.rule == Rule::Td { 500 } else { 800 };
        let discount = Discount {
            alpha_milli: self.alpha.unwrap_or(usual),
            gamma_milli: self.gamma,
            learns_draws: self.learn_draws,
        };
        Ok(Method { rule: self.rule, discount, style: self.style.clone(), coin: self.coin })
    }
}

fn parse_rule(text: &str) -> Result<Rule, String> {
    Rule::named(text).ok_or_else(|| "neither mean nor td".to_string())
}

/// A share from 0 to 1, as thousandths.
fn parse_share(text: &str) -> Result<u16, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok((share * 1000.0).round() as u16),
        _ => Err("not a number from 0 to 1".to_string()),
    }
}

/// The records and logs among files and folders, sorted by name.
pub fn find_records(places: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for place in places {
        if !place.is_dir() {
            files.push(place.clone());
            continue;
        }
        let entries = std::fs::read_dir(place).with_context(|| format!("cannot read {}", place.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read {}", place.display()))?.path();
            if path.extension().is_some_and(|ending| ending == "tgr" || ending == game_log::ENDING) {
                files.push(path);
            }
        }
    }
    files.sort();
    if files.is_empty() {
        let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
        bail!("no records (*.tgr) or logs (*.tgl) in {}; `selfplay generate` makes some", places.join(", "));
    }
    Ok(files)
}

/// Runs the command.
pub fn run(args: &LearnArgs) -> anyhow::Result<ExitCode> {
    let files = find_records(&args.games)?;
    learn(&files, &args.book, &args.method, args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// Learns files into a book and says what came of it.
pub fn learn(files: &[PathBuf], book: &Path, method: &MethodArgs, as_json: bool) -> anyhow::Result<()> {
    let method = method.method()?;
    let progress = Progress::new(None, "games");
    let (learned, begun) = (AtomicU64::new(0), Instant::now());
    let report = learn_files(book, files, &method, &|games| {
        let learned = learned.fetch_add(games, Ordering::Relaxed) + games;
        progress.show(learned, &format!("{:.0} a second", learned as f64 / begun.elapsed().as_secs_f64()));
    });
    progress.finish();
    let report = report?;
    let seconds = begun.elapsed().as_secs_f64();
    if as_json {
        let figures = json!({
            "book": book, "files": files.len(), "games": report.games, "games_known": report.known,
            "games_unusable": report.unusable, "positions": report.positions, "rows_before": report.rows_before, "rows": report.rows,
            "seconds": seconds,
        });
        println!("{}", serde_json::to_string_pretty(&figures)?);
    } else {
        print_report(book, &report, seconds);
    }
    Ok(())
}

fn print_report(book: &Path, report: &LearnReport, seconds: f64) {
    println!("{}: {} rows (before: {})", book.display(), report.rows, report.rows_before);
    println!(
        "learned {} games, {} positions in {seconds:.1} s; {} games were known",
        report.games - report.unusable,
        report.positions,
        report.known
    );
    if report.unusable > 0 {
        println!("{} games have no result or no legal moves and taught nothing", report.unusable);
    }
}
