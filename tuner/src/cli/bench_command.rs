//! `tune bench`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use tuner::curvature::Scaling;
use tuner::fit::{Descent, FitOptions, Optimizer, Step};
use tuner::objective::{Objective, labels};
use tuner::sigmoid::{DEFAULT_K, Sigmoid};
use tuner::starts;

use super::positions::PositionArgs;
use super::{use_threads, weights};

#[derive(Args)]
#[command(after_help = "Example:\n  tune bench --texel quiet.epd.zst --holdout 0 --threads 1")]
pub struct BenchArgs {
    #[command(flatten)]
    positions: PositionArgs,

    /// Weights to start from
    #[arg(long, value_name = "WEIGHTS", default_value = "default")]
    start: String,

    /// How near to the least loss counts as there
    #[arg(long, value_name = "X", default_value_t = 1e-6)]
    near: f64,

    /// A loss that a longer descent, or one from elsewhere, came down to: counts as the least if it is less
    #[arg(long, value_name = "LOSS")]
    least: Option<f64>,

    /// The most iterations of L-BFGS with diagonal scaling; it is there to compare
    #[arg(long, value_name = "N", default_value_t = 200)]
    iterations: u64,

    /// The most epochs of Adam
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    epochs: u64,

    /// Threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// A descent of the race.
struct Runner {
    name: &'static str,
    curve: Vec<Step>,
    passes: u64,
}

impl Runner {
    fn least(&self) -> f64 {
        self.curve.iter().map(|step| step.loss).fold(f64::INFINITY, f64::min)
    }

    /// The first step that is near enough.
    fn arrival(&self, goal: f64) -> Option<&Step> {
        self.curve.iter().find(|step| step.loss <= goal)
    }
}

pub fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    use_threads(args.threads)?;
    let start = weights::named(&args.start)?;
    let (data, load_cost) = args.positions.load(&start)?;
    let positions = data.train.len();
    println!(
        "{positions} positions; load and trace {:.2} CPU-s, {:.0} positions a second and core",
        load_cost.cpu,
        (positions + data.holdout.len()) as f64 / load_cost.cpu
    );
    let anchor = starts::pairs(&start);
    let mut from = anchor.clone();
    let free = vec![true; anchor.len()];
    starts::wake_danger(&mut from, &free);
    let fitted = Sigmoid::fit(&Objective::values(&data.train, &anchor), &labels(&data.train));
    let sigmoid = fitted.unwrap_or(Sigmoid { k: DEFAULT_K });
    let objective = Objective::exact(&data.train, sigmoid);
    let stop = AtomicBool::new(false);
    let descent =
        Descent { objective, holdout: None, anchor: &anchor, from: &from, free: &free, stop: &stop };
    // Far beyond what anyone needs: the least loss of all is the goal.
    let thorough = FitOptions { tolerance: args.near / 500.0, max_iters: 150, ..FitOptions::default() };
    let name = "L-BFGS, full scaling";
    let mut show = |step: &Step, _: &[_]| {
        if step.iteration.is_multiple_of(25) {
            eprintln!("{name} {:>4}: loss {:.9}, {:.1} CPU-s", step.iteration, step.loss, step.cpu);
        }
    };
    let fit = descent.run(&thorough, &mut show);
    eprintln!("{name}: {}", fit.ended);
    let first = Runner { name, curve: fit.curve, passes: fit.passes };
    let least = args.least.map_or(first.least(), |known| known.min(first.least()));
    let goal = least + args.near;
    let mut runners = vec![first];
    // The others run until they are there.
    let diagonal = FitOptions { scaling: Scaling::Diagonal, max_iters: args.iterations, ..thorough.clone() };
    let adam =
        FitOptions { optimizer: Optimizer::Adam, max_iters: args.epochs, tolerance: 0.0, ..thorough.clone() };
    for (name, options) in [("L-BFGS, diagonal scaling", diagonal), ("Adam, full batches", adam)] {
        let mut watch = |step: &Step, _: &[_]| {
            if step.loss <= goal {
                stop.store(true, Ordering::Relaxed);
            }
            if step.iteration.is_multiple_of(50) {
                let above = step.loss - least;
                eprintln!("{name} {:>5}: {above:.2e} above the least, {:.1} CPU-s", step.iteration, step.cpu);
            }
        };
        let fit = descent.run(&options, &mut watch);
        stop.store(false, Ordering::Relaxed);
        runners.push(Runner { name, curve: fit.curve, passes: fit.passes });
    }

    println!("least loss found {least:.9}; goal: within {:e} of it", args.near);
    println!(
        "{:<26} {:>10} {:>12} {:>16} {:>14}",
        "", "iterations", "CPU-s", "CPU-s a million", "loss at end"
    );
    for runner in &runners {
        let (iterations, cpu, million) = match runner.arrival(goal) {
            Some(step) => (
                step.iteration.to_string(),
                format!("{:.2}", step.cpu),
                format!("{:.2}", step.cpu / positions as f64 * 1e6),
            ),
            None => {
                let last = runner.curve.last();
                let spent = last.map_or(0.0, |step| step.cpu);
                (
                    format!("> {}", last.map_or(0, |step| step.iteration)),
                    format!("> {spent:.2}"),
                    format!("> {:.2}", spent / positions as f64 * 1e6),
                )
            }
        };
        println!("{:<26} {iterations:>10} {cpu:>12} {million:>16} {:>14.9}", runner.name, runner.least());
    }
    if let (Some(first), Some(last)) = (runners.first(), runners.last())
        && let Some(there) = first.arrival(goal)
        && let Some(spent) = last.arrival(goal).or(last.curve.last())
    {
        let more = if last.arrival(goal).is_none() { "more than " } else { "" };
        println!("Adam takes {more}{:.1} times the CPU of L-BFGS", spent.cpu / there.cpu);
        println!("passes over the positions: {} to the very end, Adam {}", first.passes, last.passes);
    }
    Ok(ExitCode::SUCCESS)
}
