//! `selfplay suite`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use clap::Args;
use selfplay::arena::suite::{Answer, Problem, SuiteRun};
use selfplay::arena::uci_player::Patience;
use selfplay::arena::{EngineSpec, MoveLimit, Suite};
use serde_json::json;

use super::progress::Progress;
use super::{INTERRUPTED, listen_for_interrupt};

const EXAMPLES: &str = "\
Examples:
  One second for each position, two at a time; fail below 296:
    selfplay suite wac.epd --engine ./tabula --movetime 1000 --concurrency 2 --at-least 296
  The same result on every machine, from the engine in process:
    selfplay suite wac.epd --engine self:hash=16 --nodes 200000";

/// Ask an engine for its move in positions whose best moves are known.
///
/// Every line of the file is an EPD with `bm` (one of these moves must be played) or `am` (none of these
/// may). Each position is a new game. What counts is the move played when the limit is reached.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: selfplay suite --help")]
pub struct SuiteArgs {
    /// The positions
    #[arg(value_name = "FILE.epd")]
    file: PathBuf,

    /// The engine, described as for `selfplay match`
    #[arg(long, value_name = "ENGINE", default_value = "self:hash=16")]
    engine: EngineSpec,

    /// Milliseconds for each position
    #[arg(long, value_name = "MS", group = "limit", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    movetime: Option<u64>,

    /// Nodes for each position
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Depth of each search
    #[arg(long, value_name = "D", group = "limit", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Only the first so many positions
    #[arg(long, value_name = "N")]
    first: Option<usize>,

    /// Positions at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    concurrency: usize,

    /// End with exit code 1 if fewer are solved
    #[arg(long, value_name = "N")]
    at_least: Option<usize>,

    /// Seconds without an answer, beyond the limit, until the engine counts as hung
    #[arg(long, value_name = "S", default_value_t = 60)]
    hang_timeout: u64,

    /// Write the result as JSON to standard output
    #[arg(long)]
    json: bool,
}

impl SuiteArgs {
    fn limit(&self) -> anyhow::Result<MoveLimit> {
        let given = [
            self.movetime.map(|ms| MoveLimit::MoveTime(Duration::from_millis(ms))),
            self.nodes.map(MoveLimit::Nodes),
            self.depth.map(MoveLimit::Depth),
        ];
        match given.into_iter().flatten().next().or(self.engine.limit) {
            Some(MoveLimit::Clock(_)) => {
                bail!("a clock is for games; give --movetime 1000, --nodes 100000 or --depth 10")
            }
            Some(limit) => Ok(limit),
            None => bail!("how long may it think? Give --movetime 1000, --nodes 100000 or --depth 10"),
        }
    }

    fn patience(&self, limit: MoveLimit) -> Patience {
        let mut hang = Duration::from_secs(self.hang_timeout);
        if let MoveLimit::MoveTime(time) = limit {
            hang += time;
        }
        Patience { hang, ..Patience::default() }
    }
}

/// Runs the command.
pub fn run(args: &SuiteArgs) -> anyhow::Result<ExitCode> {
    ensure!(args.concurrency >= 1, "--concurrency must be at least 1");
    let limit = args.limit()?;
    let mut suite = Suite::open(&args.file)?;
    suite.problems.truncate(args.first.unwrap_or(usize::MAX));
    ensure!(!suite.problems.is_empty(), "--first 0 leaves nothing to solve");
    if let Some(wanted) = args.at_least {
        let there = suite.problems.len();
        ensure!(wanted <= there, "--at-least {wanted}: there are only {there} positions");
    }
    let stop = Arc::new(AtomicBool::new(false));
    let interrupted = Arc::new(AtomicBool::new(false));
    listen_for_interrupt(&stop, &interrupted)?;

    let mut results = Results::new(&suite);
    let progress = Progress::new(Some(suite.problems.len()), "positions");
    let suite_run = SuiteRun {
        engine: &args.engine,
        limit,
        concurrency: args.concurrency,
        patience: args.patience(limit),
    };
    let started = Instant::now();
    let outcome = suite.run(&suite_run, &stop, &mut |answer| {
        results.record(answer);
        progress.show(results.asked as u64, &format!("{} solved", results.solved));
    });
    progress.finish();
    outcome.map_err(|error| anyhow::Error::from(error).context(format!("engine {}", args.engine.name)))?;

    if args.json {
        println!("{}", results.json(&args.engine.name, limit, started.elapsed())?);
    } else {
        print!("{}", results.text(&args.engine.name, limit, started.elapsed()));
    }
    if interrupted.load(Ordering::Relaxed) {
        eprintln!("selfplay: interrupted after {} positions", results.asked);
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if let Some(wanted) = args.at_least
        && results.solved < wanted
    {
        eprintln!("selfplay: {} solved, {wanted} wanted", results.solved);
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// What came out.
struct Results<'a> {
    suite: &'a Suite,
    asked: usize,
    solved: usize,
    /// `(number, what was played or what went wrong)`, in the order of the file once sorted.
    unsolved: Vec<(usize, String)>,
    nodes: u64,
}

impl<'a> Results<'a> {
    fn new(suite: &'a Suite) -> Results<'a> {
        Results { suite, asked: 0, solved: 0, unsolved: Vec::new(), nodes: 0 }
    }

    fn record(&mut self, answer: Answer) {
        self.asked += 1;
        let problem = &self.suite.problems[answer.problem];
        let failure = match answer.choice {
            Ok(choice) => {
                self.nodes += choice.nodes.unwrap_or(0);
                if problem.is_solved_by(choice.chosen) {
                    self.solved += 1;
                    return;
                }
                format!("played {}", problem.board.san(choice.chosen))
            }
            Err(fault) => fault.to_string(),
        };
        let place = self.unsolved.partition_point(|(number, _)| *number < answer.problem);
        self.unsolved.insert(place, (answer.problem, failure));
    }

    fn unsolved(&self) -> impl Iterator<Item = (&'a Problem, &str)> {
        self.unsolved.iter().map(|(number, failure)| (&self.suite.problems[*number], failure.as_str()))
    }

    fn text(&self, engine: &str, limit: MoveLimit, elapsed: Duration) -> String {
        let mut text = String::new();
        for (problem, failure) in self.unsolved() {
            text.push_str(&format!("unsolved {}: {failure}, solution {}\n", problem.id, problem.solution()));
        }
        let share = 100.0 * self.solved as f64 / self.asked.max(1) as f64;
        text.push_str(&format!(
            "{engine} ({limit}): solved {} of {} ({share:.1}%) in {elapsed:.1?}, {} nodes\n",
            self.solved, self.asked, self.nodes
        ));
        text
    }

    fn json(&self, engine: &str, limit: MoveLimit, elapsed: Duration) -> serde_json::Result<String> {
        let unsolved: Vec<_> = self
            .unsolved()
            .map(|(problem, failure)| {
                json!({
                    "id": problem.id,
                    "fen": problem.board.fen(),
                    "answer": failure,
                    "solution": problem.solution(),
                })
            })
            .collect();
        serde_json::to_string_pretty(&json!({
            "engine": engine,
            "limit": limit.to_string(),
            "asked": self.asked,
            "solved": self.solved,
            "unsolved": unsolved,
            "nodes": self.nodes,
            "seconds": elapsed.as_secs_f64(),
        }))
    }
}
