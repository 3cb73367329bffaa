//! The command line: text becomes what the library understands, results become text.

mod bench_command;
mod compare_command;
mod extract_command;
mod positions;
mod start_command;
mod tether;
mod texel_command;
mod weights;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  All weights, from the shipped ones, to labelled positions (plain, gzip or zstd):
    tune --texel quiet.epd.zst more.epd.gz --out tuned.toml --report report/
  Only the king's weights, to results alone, tied more firmly to where they start:
    tune --texel quiet.epd --only \"king_*\" --lambda 1 --l2 1e-6 --out king.toml
  From material alone, to see what positions can teach:
    tune --texel quiet.epd --start material --out tuned.toml
  From a pipe:
    zstdcat quiet.epd.zst | tune --texel - --out tuned.toml
  On from where an interrupted run stood:
    tune --texel quiet.epd --resume tuned.toml.checkpoint --out tuned.toml
  Positions from self-play, then a fit to them:
    tune extract games/ --out positions.tps
    tune --texel positions.tps --out tuned.toml
  What changed:
    tune compare data/champion/weights.toml tuned.toml";

/// Fits Tabula's evaluation weights to what positions are known to be worth.
#[derive(Parser)]
#[command(version, max_term_width = 110, arg_required_else_help = true, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    texel: texel_command::TexelArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Show two sets of weights side by side.
    Compare(compare_command::CompareArgs),
    /// Make labelled positions of recorded games.
    Extract(Box<extract_command::ExtractArgs>),
    /// Write weights to start from to a file.
    Start(start_command::StartArgs),
    /// Race L-BFGS and Adam on the same positions.
    Bench(Box<bench_command::BenchArgs>),
}

/// What a command that was interrupted returns to the shell.
const INTERRUPTED: u8 = 130;

/// Reads the command line and runs it.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    selfplay::pipe::end_when_nobody_reads();
    let result = match cli.command {
        Some(Command::Compare(args)) => compare_command::run(&args),
        Some(Command::Extract(args)) => extract_command::run(&args),
        Some(Command::Start(args)) => start_command::run(&args),
        Some(Command::Bench(args)) => bench_command::run(&args),
        None => texel_command::run(&cli.texel),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("tune: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// So many threads for all passes; as many as there are cores if not given.
fn use_threads(threads: Option<usize>) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    pool.build_global().context("cannot start threads")
}

/// What Ctrl-C does.
struct Interrupt {
    /// Set by the first one, once there is something to keep.
    stop: Arc<AtomicBool>,
    /// Whether there is.
    keeping: Arc<AtomicBool>,
}

impl Interrupt {
    /// Before there is anything to keep Ctrl-C ends the program at once, and so does a second one.
    fn listen() -> anyhow::Result<Interrupt> {
        let interrupt =
            Interrupt { stop: Arc::new(AtomicBool::new(false)), keeping: Arc::new(AtomicBool::new(false)) };
        let (stop, keeping) = (interrupt.stop.clone(), interrupt.keeping.clone());
        let handler = move || {
            if !keeping.load(Ordering::Relaxed) || stop.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
            eprintln!("tune: stopping after this iteration; once more to stop at once");
        };
        ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")?;
        Ok(interrupt)
    }

    /// From now on there is something to keep.
    fn keep(&self) {
        self.keeping.store(true, Ordering::Relaxed);
    }
}

/// A share as `10%` or `0.1`.
fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&(number / unit)) => Ok(number / unit),
        _ => Err(format!("`{text}` is no share; expected something like 10% or 0.1")),
    }
}

/// A number that is not negative.
fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("`{text}` must be a number that is not negative, like 1e-7")),
    }
}
