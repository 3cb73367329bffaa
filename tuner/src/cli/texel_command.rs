//! `tune --texel`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use clap::Args;
use engine::eval::gradient::Pair;
use engine::eval::{EvalParams, Header};
use engine::unfinished_file;
use selfplay::calendar::Date;
use serde_json::{Value, json};
use tuner::checkpoint::Checkpoint;
use tuner::cpu::{cpu_seconds, peak_memory};
use tuner::curvature::{Scaling, survey};
use tuner::evidence::Evidence;
use tuner::fit::{Descent, Ended, Fit, FitOptions, Optimizer, Step};
use tuner::load::{Dataset, display};
use tuner::objective::{Objective, labels};
use tuner::report::Report;
use tuner::sanity::{self, Warning};
use tuner::selection::Selection;
use tuner::sigmoid::Sigmoid;
use tuner::starts;
use tuner::store::Store;

use super::positions::{LoadCost, PositionArgs};
use super::tether::{Tether, Tie, Tried};
use super::{INTERRUPTED, Interrupt, not_negative, use_threads, weights};

#[derive(Args)]
pub struct TexelArgs {
    #[command(flatten)]
    positions: PositionArgs,

    /// Weights to start from: a file, `default` (shipped), `hand` (the first day's) or `material`
    #[arg(long, value_name = "WEIGHTS", default_value = "default")]
    start: String,

    /// Where the tuned weights go
    #[arg(long, value_name = "FILE", default_value = "tuned.toml")]
    out: PathBuf,

    /// A directory for pictures and tables of what happened
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    /// Tune only the weights whose names match (* is any text; may be given again)
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,

    /// Leave the weights whose names match as they are
    #[arg(long, value_name = "GLOB")]
    freeze: Vec<String>,

    /// What moving a weight by 100 centipawns from the start costs, in loss; `auto` weighs it against the
    /// number of positions, for files too small to fit every weight freely. With commas between: all are tried, and the
    /// positions held out choose
    #[arg(long, value_name = "X|auto", default_value = "1e-6", value_delimiter = ',', value_parser = Tether::parse)]
    l2: Vec<Tether>,

    /// What the weights of the start were fitted to (written by --evidence): weights that were often seen are held more
    /// firmly than others
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,

    /// How much of --prior counts. With commas between: all are tried with the first --l2, besides every --l2 without it
    #[arg(long, value_name = "X", default_value = "0.1,1", value_delimiter = ',', value_parser = not_negative, requires = "prior")]
    prior_share: Vec<f64>,

    /// Write what the weights were fitted to, half of --prior included, for the next fit
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,

    /// K of the evaluation [default: fitted with the weights of the start]
    #[arg(long, value_name = "K")]
    k: Option<f64>,

    /// The minimiser
    #[arg(long, value_name = "NAME", default_value = "lbfgs")]
    optimizer: Optimizer,

    /// How L-BFGS rescales its variables
    #[arg(long, value_name = "HOW", default_value = "full")]
    scaling: Scaling,

    /// The most iterations (epochs of Adam) [default: 200, Adam 5000]
    #[arg(long, value_name = "N")]
    max_iters: Option<u64>,

    /// Stop when no more than this much loss can be left to gain
    #[arg(long, value_name = "X", default_value = "1e-7", value_parser = not_negative)]
    tolerance: f64,

    /// Stop when the hold-out loss did not improve for so many iterations [default: 12, Adam 200]
    #[arg(long, value_name = "N")]
    patience: Option<u64>,

    /// Write the figures as JSON to standard output
    #[arg(long)]
    json: bool,

    /// Go on from a checkpoint (written beside --out after every iteration)
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Threads [default: all cores]; the result is the same with any number
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// The curve as people write it.
const SIGMOID: &str = "1 / (1 + 10^(-k v / 400))";

/// Loss on the positions fitted to, and on those held out.
#[derive(Clone, Copy)]
struct Losses {
    train: f64,
    holdout: Option<f64>,
    report: Option<f64>,
}

impl Losses {
    fn of(data: &Dataset, weights: &[Pair], sigmoid: Sigmoid) -> Losses {
        let loss = |store: &Store| Objective::exact(store, sigmoid).loss(weights);
        let some = |store: &Store| (!store.is_empty()).then(|| loss(store));
        Losses { train: loss(&data.train), holdout: some(&data.holdout), report: some(&data.report) }
    }
}

impl std::fmt::Display for Losses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.8}", self.train)?;
        if let Some(holdout) = self.holdout {
            write!(f, " (held out {holdout:.8})")?;
        }
        match self.report {
            Some(report) => write!(f, ", not seen by any choice {report:.8}"),
            None => Ok(()),
        }
    }
}

/// Runs the command.
pub fn run(args: &TexelArgs) -> anyhow::Result<ExitCode> {
    use_threads(args.threads)?;
    let interrupt = Interrupt::listen()?;
    let free = Selection { only: args.only.clone(), freeze: args.freeze.clone() }.free()?;
    let start = weights::named(&args.start)?;
    let resumed = args.resume.as_deref().map(Checkpoint::load).transpose()?;
    check_writable(&args.out)?;
    let prior = args.prior.as_deref().map(Evidence::load).transpose()?;
    let ties = Tie::all(&args.l2, if prior.is_some() { &args.prior_share } else { &[] });
    ensure!(
        ties.len() == 1 || args.resume.is_none(),
        "--resume goes on with one fit: give one --l2 and no --prior"
    );
    let (data, load_cost) = args.positions.load(&start)?;
    ensure!(
        ties.len() == 1 || !data.holdout.is_empty(),
        "{} fits to choose from, and no positions held out to choose by; raise --holdout",
        ties.len()
    );
    let positions = data.positions();
    let bytes = data.bytes() as f64 / positions as f64;
    eprintln!(
        "{positions} positions, {} held out by {}; {bytes:.1} bytes each; loaded and traced in {:.2} CPU-s \
         ({:.2} s), {:.0} a second and core",
        data.holdout.len(),
        if data.games_known { "game" } else { "position" },
        load_cost.cpu,
        load_cost.wall,
        positions as f64 / load_cost.cpu
    );

    let (fit_cpu, fit_wall) = (cpu_seconds(), Instant::now());
    let anchor = starts::pairs(&start);
    let mut from = resumed.as_ref().map_or_else(|| anchor.clone(), |checkpoint| checkpoint.weights.clone());
    let sigmoid = first_sigmoid(args, &data, &anchor, resumed.as_ref())?;
    let mut warnings = Vec::new();
    if starts::wake_danger(&mut from, &free) {
        warnings.push(Warning::DangerWoken);
    }
    let objective = Objective::exact(&data.train, sigmoid);
    let surveyed = survey(&objective, &from);
    warnings.extend(sanity::before(&surveyed, &free, data.train.len() as u64));
    let before = Losses::of(&data, &anchor, sigmoid);
    eprintln!("K {:.6}; loss {before}", sigmoid.k);
    let hash = format!("{:016x}", data.hash);
    if let Some(checkpoint) = &resumed
        && checkpoint.data_hash != hash
    {
        eprintln!("tune: the checkpoint was made with other positions ({})", checkpoint.data_hash);
    }

    let checkpoint_path = with_suffix(&args.out, ".checkpoint");
    let earlier = resumed.as_ref().map_or(0, |checkpoint| checkpoint.iteration);
    let mut checkpoint_error = None;
    let mut see = |step: &Step, weights: &[Pair]| {
        show(step, args.optimizer);
        let checkpoint = Checkpoint {
            iteration: earlier + step.iteration,
            k: sigmoid.k,
            loss: step.loss,
            holdout: step.holdout,
            data_hash: hash.clone(),
            weights: weights.to_vec(),
        };
        if let Err(error) = checkpoint.save(&checkpoint_path) {
            checkpoint_error.get_or_insert(error);
        }
    };
    interrupt.keep();
    let descent = Descent {
        objective,
        holdout: (!data.holdout.is_empty()).then_some(Objective::exact(&data.holdout, sigmoid)),
        anchor: &anchor,
        from: &from,
        free: &free,
        stop: &interrupt.stop,
    };
    let choose =
        |fit: &Fit| Losses::of(&data, &starts::pairs(&starts::rounded(&fit.weights).0), sigmoid).holdout;
    let mut tried = Vec::new();
    let mut best: Option<(Fit, Tie)> = None;
    for tie in ties {
        let fit = descent.run(&options(args, tie, prior.as_ref(), data.train.len()), &mut see);
        let held_out = choose(&fit);
        let better = |than: &Tried| held_out.unwrap_or(0.0) < than.held_out.unwrap_or(f64::INFINITY);
        if tried.iter().all(better) {
            best = Some((fit, tie));
        }
        tried.push(Tried { tie, held_out });
        if interrupt.stop.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
    }
    let Some((fit, tie)) = best else { bail!("nothing was fitted") };
    if let Some(error) = checkpoint_error {
        eprintln!("tune: {error}: the fit could not have gone on from there");
    }

    let (params, cut) = starts::rounded(&fit.weights);
    warnings.extend(sanity::after(&anchor, &fit.weights, &surveyed, &free, &cut));
    let after = Losses::of(&data, &starts::pairs(&params), sigmoid);
    let fit_cost = LoadCost { cpu: cpu_seconds() - fit_cpu, wall: fit_wall.elapsed().as_secs_f64() };
    let outcome = Outcome {
        args,
        data: &data,
        fit: &fit,
        start: &start,
        params: &params,
        sigmoid,
        losses: [before, after],
        costs: [load_cost, fit_cost],
        pieces: sanity::piece_values(&fit.weights, &surveyed),
        warnings: warnings.iter().map(Warning::to_string).collect(),
        earlier,
        tie,
        tried: &tried,
        evidence: Evidence::of(&survey(&objective, &fit.weights), data.train.len()),
        prior: prior.as_ref(),
    };
    outcome.write()?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&outcome.figures())?);
        warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    } else {
        outcome.print();
    }
    if fit.ended == Ended::Interrupted {
        eprintln!(
            "tune: interrupted; the best weights so far are in {}. To go on, give the same options and\n  --resume {}",
            args.out.display(),
            checkpoint_path.display()
        );
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let _ = std::fs::remove_file(&checkpoint_path);
    Ok(ExitCode::SUCCESS)
}

/// The share of a prior that the evidence of a fit to further positions takes over.
const OLDER_EVIDENCE: f64 = 0.5;

fn options(args: &TexelArgs, tie: Tie, prior: Option<&Evidence>, positions: usize) -> FitOptions {
    let adam = args.optimizer == Optimizer::Adam;
    FitOptions {
        optimizer: args.optimizer,
        scaling: args.scaling,
        l2: tie.l2.per_position(positions),
        prior: tie.precision(prior, positions),
        max_iters: args.max_iters.unwrap_or(if adam { 5_000 } else { 200 }),
        tolerance: args.tolerance,
        patience: args.patience.unwrap_or(if adam { 200 } else { 12 }),
    }
}

/// The curve that the whole fit uses: given, taken from a checkpoint, or fitted to the start.
fn first_sigmoid(
    args: &TexelArgs,
    data: &Dataset,
    anchor: &[Pair],
    resumed: Option<&Checkpoint>,
) -> anyhow::Result<Sigmoid> {
    if let Some(k) = args.k.or(resumed.map(|checkpoint| checkpoint.k)) {
        ensure!(k > 0.0 && k.is_finite(), "K is {k}; it must be above zero");
        return Ok(Sigmoid { k });
    }
    let values = Objective::values(&data.train, anchor);
    match Sigmoid::fit(&values, &labels(&data.train)) {
        Some(sigmoid) if sigmoid.k > 0.0 => Ok(sigmoid),
        Some(sigmoid) => bail!(
            "the labels go against the evaluation of the start (K {:.3}): fitted to them, the value of the pieces \
             would come out negative. Are they written from the other side? See --result-side and --score-side",
            sigmoid.k
        ),
        None => bail!(
            "the start evaluates every position as level: nothing can be fitted from there; try --start hand"
        ),
    }
}

fn show(step: &Step, optimizer: Optimizer) {
    // Adam has thousands of epochs.
    if optimizer == Optimizer::Adam && !step.iteration.is_multiple_of(100) {
        return;
    }
    let holdout = step.holdout.map_or(String::new(), |holdout| format!("  held out {holdout:.8}"));
    eprintln!("{:>5}  loss {:.8}{holdout}  {:.2} CPU-s", step.iteration, step.loss, step.cpu);
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Better to know now than after the fit.
fn check_writable(out: &Path) -> anyhow::Result<()> {
    let probe = with_suffix(out, ".checkpoint.new");
    unfinished_file::begin(&probe).with_context(|| format!("cannot write beside {}", out.display()))?;
    let _ = std::fs::remove_file(&probe);
    Ok(())
}

/// Whole or as it was, also after a power cut.
fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    unfinished_file::write_whole(path, ".new", text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// All that is to be told.
struct Outcome<'a> {
    args: &'a TexelArgs,
    data: &'a Dataset,
    fit: &'a Fit,
    start: &'a EvalParams,
    params: &'a EvalParams,
    sigmoid: Sigmoid,
    /// `// [before, after]`
    losses: [Losses; 2],
    /// `// [load, fit]`
    costs: [LoadCost; 2],
    pieces: Vec<f64>,
    warnings: Vec<String>,
    earlier: u64,
    /// The one that was chosen,
    tie: Tie,
    /// of all these.
    tried: &'a [Tried],
    /// What the weights were fitted to now,
    evidence: Evidence,
    /// and before.
    prior: Option<&'a Evidence>,
}

impl Outcome<'_> {
    fn positions(&self) -> u64 {
        self.data.positions()
    }

    fn labels(&self) -> String {
        let lambda = self.args.positions.lambda();
        let (low, high) = self.data.label_range;
        let mixed = self.data.files.iter().any(|file| file.scored > 0) && lambda < 1.0;
        let what =
            if mixed { format!("{lambda} result + {} score", 1.0 - lambda) } else { "result".to_owned() };
        format!("{what}, from {low} to {high}")
    }

    fn header(&self) -> Header {
        let names: Vec<String> = self
            .args
            .positions
            .texel
            .iter()
            .map(|path| {
                path.file_name().map_or_else(|| display(path), |name| name.to_string_lossy().into_owned())
            })
            .collect();
        Header {
            made_by: format!(
                "tune --texel, {} iterations of {:?} from {} ({:016x}), l2 {:e}",
                self.earlier + self.fit.best_iteration,
                self.args.optimizer,
                Path::new(&self.args.start)
                    .file_name()
                    .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
                self.start.hash(),
                self.tie.l2.per_position(self.data.train.len())
            ),
            date: Date::of_the_work().iso(),
            data: names.join(" + "),
            positions: self.positions(),
            loss: Some(self.losses[1].train),
            loss_before: Some(self.losses[0].train),
            loss_holdout: self.losses[1].holdout,
            k: Some(self.sigmoid.k),
            sigmoid: Some(SIGMOID.to_owned()),
            labels: Some(self.labels()),
            data_hash: Some(format!("{:016x}", self.data.hash)),
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let [load, fit] = &self.costs;
        let pieces: Vec<String> = self.pieces.iter().map(|worth| format!("{worth:.0}")).collect();
        let pair = |name: &str, value: String| (name.to_owned(), value);
        vec![
            pair("positions", format!("{}, of which {} held out", self.positions(), self.data.holdout.len())),
            pair("labels", self.labels()),
            pair("K", format!("{:.6} in {SIGMOID}, fitted to the start and kept", self.sigmoid.k)),
            pair(
                "tied",
                format!(
                    "l2 {:e}, {} of the prior; {} fits tried",
                    self.tie.l2.per_position(self.data.train.len()),
                    self.tie.prior_share,
                    self.tried.len()
                ),
            ),
            pair("loss before", self.losses[0].to_string()),
            pair("loss after", format!("{}, weights rounded", self.losses[1])),
            pair(
                "descent",
                format!(
                    "{} iterations, {} passes, best at {}: {}",
                    self.fit.curve.last().map_or(0, |step| step.iteration),
                    self.fit.passes,
                    self.fit.best_iteration,
                    self.fit.ended
                ),
            ),
            pair("P N B R Q", format!("{} (mean square and mobility included)", pieces.join(" "))),
            pair("load and trace", format!("{:.2} CPU-s, {:.2} s", load.cpu, load.wall)),
            pair("fit", format!("{:.2} CPU-s, {:.2} s", fit.cpu, fit.wall)),
            pair(
                "memory",
                format!(
                    "{:.1} bytes a position, {:.1} MB at most in all",
                    self.bytes_a_position(),
                    peak_memory() as f64 / 1e6
                ),
            ),
            pair("data hash", format!("{:016x}", self.data.hash)),
        ]
    }

    fn report(&self) -> Report<'_> {
        let judged = if self.data.holdout.is_empty() { &self.data.train } else { &self.data.holdout };
        Report {
            facts: self.facts(),
            warnings: self.warnings.clone(),
            curve: &self.fit.curve,
            before: (self.start, self.sigmoid),
            after: (self.params, self.sigmoid),
            positions: judged,
        }
    }

    /// All of it for programs.
    fn figures(&self) -> Value {
        let losses = |losses: Losses| json!({ "fitted": losses.train, "held_out": losses.holdout, "reported": losses.report });
        let [load, fit] = &self.costs;
        let tie = |tried: &Tried| json!({ "tie": tried.tie.json(self.data.train.len()), "held_out": tried.held_out });
        let tried: Vec<Value> = self.tried.iter().map(tie).collect();
        let mut figures = json!({
            "positions": self.positions(),
            "held_out": self.data.holdout.len(),
            "held_out_by": if self.data.games_known { "game" } else { "position" },
            "labels": self.labels(),
            "k": self.sigmoid.k,
            "loss_before": losses(self.losses[0]),
            "loss_after": losses(self.losses[1]),
            "ended": self.fit.ended.to_string(),
            "iterations": self.earlier + self.fit.curve.last().map_or(0, |step| step.iteration),
            "best_iteration": self.earlier + self.fit.best_iteration,
            "passes": self.fit.passes,
            "load": { "cpu_seconds": load.cpu, "seconds": load.wall },
            "fit": { "cpu_seconds": fit.cpu, "seconds": fit.wall },
            "bytes_a_position": self.bytes_a_position(),
            "peak_bytes": peak_memory(),
            "data_hash": format!("{:016x}", self.data.hash),
            "warnings": self.warnings,
            "out": self.args.out,
            "reported": self.data.report.len(),
            "tie": self.tie.json(self.data.train.len()),
            "tried": tried,
        });
        if let (Some(all), Value::Object(more)) = (figures.as_object_mut(), self.report().figures()) {
            all.extend(more);
        }
        figures
    }

    fn bytes_a_position(&self) -> f64 {
        self.data.bytes() as f64 / self.positions() as f64
    }

    fn write(&self) -> anyhow::Result<()> {
        // Whole or not at all: somebody may be playing with the old ones.
        write_whole(&self.args.out, &self.params.to_toml(&self.header()))?;
        if let Some(path) = &self.args.evidence {
            let evidence = self.evidence.clone();
            let all = self.prior.map_or(evidence.clone(), |prior| evidence.with(prior, OLDER_EVIDENCE));
            write_whole(path, &all.to_text()?)?;
        }
        if let Some(directory) = &self.args.report {
            let fail = || format!("cannot write the report to {}", directory.display());
            self.report().write(directory).with_context(fail)?;
            let figures = serde_json::to_string_pretty(&self.figures())?;
            std::fs::write(directory.join("fit.json"), figures + "\n").with_context(fail)?;
        }
        Ok(())
    }

    fn print(&self) {
        for (name, value) in self.facts() {
            println!("{name:<16} {value}");
        }
        for warning in &self.warnings {
            println!("warning: {warning}");
        }
        println!("written: {}", self.args.out.display());
        if let Some(directory) = &self.args.report {
            println!("report: {}", directory.join("index.html").display());
        }
    }
}
