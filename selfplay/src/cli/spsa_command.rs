//! `selfplay spsa`: tunes the numbers of the search by games.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use clap::Args;
use engine::search::params::SearchParams;
use engine::unfinished_file;
use selfplay::arena::engine_spec::SelfSpec;
use selfplay::arena::{Adjudication, DrawRule, MoveLimit, OpeningBook, ResignRule, TimeControl};
use selfplay::spsa::{self, Journal, Match, Settings, State};

use super::progress::Progress;
use super::{INTERRUPTED, listen_for_interrupt};

const EXAMPLES: &str = "\
Examples:
  Every number of the search, 30,000 games:
    selfplay spsa --params all --games 30000 --soft-nodes 40000 --threads 2 --out target/spsa
  Some of them, on the clock, from values found before:
    selfplay spsa --params rfp_margin,lmr_base,lmr_factor --from target/spsa/tuned.params --games 4000 \\
        --tc 2+0.02 --threads 2 --out target/spsa-lmr
  What is each switch of the search worth? Nothing moves; the same games measure all of them:
    selfplay spsa --screen --params switches --games 4000 --soft-nodes 40000 --threads 2 --out target/screen
  What is each value of a file worth by itself? A table of many changes from the same games:
    selfplay spsa --screen --against new.params --games 4000 --nodes 100000 --threads 2 --out target/screen
  Killed or interrupted: the same command goes on where it stopped.";

/// Tune the numbers of the search by games, many at once
///
/// A pair of games is played between two random changes of all parameters, and each parameter moves a little the
/// way the winner had it (SPSA). With a node limit the result is the same for every number of threads. The
/// folder gets journal.txt, tuned.params, paths.svg and table.txt.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: selfplay spsa --help")]
pub struct SpsaArgs {
    /// What to tune: names separated by commas, `all` (every number but those of time), or `switches`
    #[arg(long, value_name = "LIST", required_unless_present = "against")]
    params: Option<String>,
    /// With --screen: measure the values of this file against those of the start, each parameter by itself
    #[arg(long, value_name = "FILE", requires = "screen", conflicts_with = "params")]
    against: Option<PathBuf>,
    /// Begin with the values of this file instead of the shipped ones
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Games in all, an even number
    #[arg(long, value_name = "N")]
    games: usize,
    /// Nodes after which no further iteration begins
    #[arg(long, value_name = "N")]
    soft_nodes: Option<u64>,
    /// Nodes for each move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Clock: SECONDS[+INCREMENT]
    #[arg(long, value_name = "TC")]
    tc: Option<TimeControl>,
    /// Pairs of games at the same time, at most 16
    #[arg(long, value_name = "T", default_value_t = 1)]
    threads: usize,
    /// The folder of the run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Where games begin: FILE.epd, FILE.pgn, either of them zipped, or `random`
    #[arg(long, value_name = "BOOK", default_value = "random")]
    openings: String,
    /// Decides the openings and the changes
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How far a won pair moves a parameter at the end of the run, in steps [default: 0.6 / √pairs]
    #[arg(long, value_name = "R")]
    rate: Option<f64>,
    /// Megabytes of hash for each player
    #[arg(long, value_name = "MB", default_value_t = 8)]
    hash: usize,
    /// Only measure what each parameter is worth one step up against one step down
    #[arg(long)]
    screen: bool,
}

impl SpsaArgs {
    fn settings(&self) -> anyhow::Result<Settings> {
        ensure!(self.games >= 2 && self.games.is_multiple_of(2), "--games {}: must be even", self.games);
        let start = read_params("--from", self.from.as_deref())?.unwrap_or_default();
        let against = read_params("--against", self.against.as_deref())?;
        let tuned = match (&self.params, &against) {
            (Some(names), _) => Settings::parameters(names).context("--params")?,
            (None, Some(against)) => Settings::differing(&start, against),
            (None, None) => bail!("what to tune? Give --params LIST"),
        };
        ensure!(!tuned.is_empty(), "--against has the values of the start: nothing to measure");
        if !self.screen
            && let Some(switch) = tuned.iter().find(|parameter| parameter.is_switch())
        {
            bail!("--params: {} is on or off and cannot be tuned; measure it with --screen", switch.name);
        }
        let pairs = self.games / 2;
        let rate = self.rate.unwrap_or_else(|| Settings::usual_rate(pairs));
        ensure!(rate > 0.0 && rate < 10.0, "--rate {rate}: must be above 0 and below 10");
        Ok(Settings { tuned, start, pairs, rate, seed: self.seed, screen: self.screen, against })
    }

    fn limit(&self) -> anyhow::Result<MoveLimit> {
        match (self.soft_nodes, self.nodes, self.tc) {
            (Some(nodes), None, None) => Ok(MoveLimit::SoftNodes(nodes)),
            (None, Some(nodes), None) => Ok(MoveLimit::Nodes(nodes)),
            (None, None, Some(control)) => Ok(MoveLimit::Clock(control)),
            _ => {
                bail!("how long may they think? Give one of --soft-nodes 40000, --nodes 40000 or --tc 2+0.02")
            }
        }
    }

    fn games(&self) -> anyhow::Result<Match> {
        ensure!((1..=spsa::LAG).contains(&self.threads), "--threads {}: 1 to {}", self.threads, spsa::LAG);
        let book = match self.openings.as_str() {
            "random" => OpeningBook::random(self.seed),
            path => OpeningBook::open(path.as_ref(), self.seed, false)?,
        };
        Ok(Match {
            spec: SelfSpec { hash_mb: Some(self.hash), ..SelfSpec::default() },
            book,
            limit: self.limit()?,
            adjudication: Adjudication {
                draw: Some(DrawRule { move_number: 40, move_count: 8, score: 10 }),
                resign: Some(ResignRule { move_count: 4, score: 600, two_sided: true }),
                max_moves: None,
                tablebases: None,
            },
            threads: self.threads,
        })
    }
}

/// The file of parameters that an option names.
fn read_params(option: &str, path: Option<&Path>) -> anyhow::Result<Option<SearchParams>> {
    let Some(path) = path else { return Ok(None) };
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {option} {}", path.display()))?;
    let params = SearchParams::from_text(&text).with_context(|| format!("{option} {}", path.display()))?;
    Ok(Some(params))
}

/// Runs the command.
pub fn run(args: &SpsaArgs) -> anyhow::Result<ExitCode> {
    let (settings, games) = (args.settings()?, args.games()?);
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    let mut identity = settings.identity();
    identity.push(("the limit".to_string(), games.limit.to_string()));
    identity.push(("--openings".to_string(), args.openings.clone()));
    identity.push(("--hash".to_string(), args.hash.to_string()));
    let (mut journal, before) = Journal::open(&args.out.join("journal.txt"), &identity)?;
    let mut state = State::new(settings);
    ensure!(before.len() <= state.settings().pairs, "the journal has more pairs than the run");
    before.iter().for_each(|&half_points| state.apply(half_points));
    if !before.is_empty() {
        eprintln!("selfplay: going on after {} games", 2 * before.len());
    }

    let (stop, interrupted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    listen_for_interrupt(&stop, &interrupted)?;
    let progress = Progress::new(Some(2 * state.settings().pairs), "games");
    let written = Mutex::new(Instant::now());
    let observe = |state: &State| {
        progress.show(2 * state.applied() as u64, &headline(state));
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.elapsed().as_secs() >= 30 {
            *written = Instant::now();
            let _ = write_reports(&args.out, state);
        }
    };
    let result = spsa::play(&games, &mut state, &mut journal, &stop, &observe);
    progress.finish();
    write_reports(&args.out, &state)?;
    result?;
    print!("{}", spsa::table(&state, usize::MAX));
    if interrupted.load(Ordering::Relaxed) {
        eprintln!("selfplay: interrupted after {} games; the same command goes on", 2 * state.applied());
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if !args.screen {
        println!(
            "\nIs it better? Ask at a longer control than the one it was tuned at:\n  selfplay match \
             --engine self:params={},name=tuned --engine self: --tc 8+0.08 --concurrency {} \
             --sprt elo0=0,elo1=5,alpha=0.05,beta=0.05",
            args.out.join("tuned.params").display(),
            args.threads
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// What moved most, for the line of progress.
fn headline(state: &State) -> String {
    let table = spsa::table(state, 3);
    let rows = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    rows.collect::<Vec<_>>().join("; ")
}

/// Each file is whole at every moment: written beside its place, then moved there.
fn write_reports(out: &Path, state: &State) -> anyhow::Result<()> {
    let files = [
        ("tuned.params", spsa::parameter_file(state)),
        ("paths.svg", spsa::chart(state)),
        ("table.txt", spsa::table(state, usize::MAX)),
    ];
    for (name, text) in files {
        unfinished_file::write_whole(&out.join(name), ".part", text.as_bytes())
            .with_context(|| format!("cannot write {} in {}", name, out.display()))?;
    }
    Ok(())
}
