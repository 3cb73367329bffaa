//! `selfplay gate`.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use engine::eval::EvalParams;
use engine::types::Color;
use selfplay::arena::engine_spec::{EngineKind, SelfSpec};
use selfplay::arena::journal::MatchIdentity;
use selfplay::arena::scoreboard::GameSummary;
use selfplay::arena::self_player::read_weights;
use selfplay::arena::uci_player::Patience;
use selfplay::arena::{
    Adjudication, DrawRule, EngineSpec, Format, Journal, MoveLimit, OpeningBook, ResignRule, Schedule, Sprt,
    TimeControl, Tournament, Trial, TrialState,
};
use selfplay::calendar::Date;
use selfplay::play::Shard;

use super::gate_report::{GateReport, PartReport};
use super::match_command::{
    LEVEL_LIMIT, book_of, checksum, game_text, identity_of_engines, identity_of_openings,
};
use super::progress::Progress;
use super::{INTERRUPTED, listen_for_interrupt};

const EXAMPLES: &str = "\
Examples:
  Do new weights play better? One folder holds everything; the same command goes on after any interruption:
    selfplay gate --candidate self:weights=new.toml --champion self: --soft-nodes 5000 --out gate --concurrency 2
  The same, and the candidate must not lose at a clock either:
    selfplay gate --candidate self:book=new.exp --champion self: --soft-nodes 5000 --tc 2+0.02 --out gate
  A part of the games, as one of eight tasks of a cluster; then the verdict of all:
    selfplay gate --candidate self:weights=new.toml --champion self: --soft-nodes 5000 --out gate --shard 3/8
    selfplay gate --candidate self:weights=new.toml --champion self: --soft-nodes 5000 --out gate --json";

/// Say whether a candidate is better than the champion, by one sequential test.
///
/// First a part with limited nodes asks for a gain: with the default test a candidate that is 15 Elo better passes
/// with a probability of at least 0.9, and one that is no better with at most 0.05. With --tc a part at a clock follows,
/// in which the candidate must not be weaker. Pairs of games count in the order of their numbers, so the verdict of the
/// first part is the same with any number of threads and shards. Every verdict ends with exit code 0; 1 is an error, 130
/// an interruption. Where candidate and champion are the same, no game is played.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: selfplay gate --help")]
pub struct GateArgs {
    /// What should be better, as for `selfplay match --engine`
    #[arg(long, value_name = "ENGINE")]
    candidate: EngineSpec,

    /// What it should be better than
    #[arg(long, value_name = "ENGINE")]
    champion: EngineSpec,

    /// Folder of journals and games; it is made if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Nodes for each move
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Nodes after which no further iteration begins; for engines in process
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    soft_nodes: Option<u64>,

    /// The test of this part
    #[arg(long, value_name = "TEST", default_value = "elo0=0,elo1=15,alpha=0.04,beta=0.05")]
    sprt: Sprt,

    /// The most games of this part
    #[arg(long, value_name = "N", default_value_t = 8000)]
    games: usize,

    /// Play a second part at this clock: [MOVES/]SECONDS[+INCREMENT]
    #[arg(long, value_name = "TC")]
    tc: Option<TimeControl>,

    /// The test of the second part
    #[arg(long, value_name = "TEST", default_value = "elo0=-20,elo1=0,alpha=0.05,beta=0.05")]
    clock_sprt: Sprt,

    /// The most games of the second part
    #[arg(long, value_name = "N", default_value_t = 4000)]
    clock_games: usize,

    /// Where games begin: `random`, FILE.epd or FILE.pgn, either of them zipped
    #[arg(long, value_name = "BOOK", default_value = "random")]
    openings: String,

    /// Take only random openings that a search finds within so many centipawns of level; 0 takes every one
    #[arg(long, value_name = "CP", default_value_t = LEVEL_LIMIT, value_parser = clap::value_parser!(i32).range(0..=30_000))]
    opening_limit: i32,

    /// Decides the openings
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Play only a part of the games: the i-th of n, as in 3/8
    #[arg(long, value_name = "i/n", default_value = "1/1")]
    shard: Shard,

    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,

    /// Call level games a draw
    #[arg(long, value_name = "RULE", default_value = "movenumber=60,movecount=12,score=8")]
    draw: DrawRule,

    /// Call lost games lost
    #[arg(long, value_name = "RULE", default_value = "movecount=4,score=900,twosided")]
    resign: ResignRule,

    /// Check everything and play nothing
    #[arg(long)]
    dry_run: bool,

    /// Write the verdict as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// The openings of a file come round again with so many percent more nodes.
const GROWTH_PERCENT: u32 = 7;
/// And so often at most: at twice the nodes it is another test.
const MOST_ROUNDS: usize = 15;
/// Seconds after which the journals of other shards are read again.
const LOOK_AROUND: f64 = 2.0;

/// One of the two parts.
struct Part {
    name: &'static str,
    limit: MoveLimit,
    test: Sprt,
    games: usize,
    /// The second part plays other openings.
    seed: u64,
}

impl GateArgs {
    fn parts(&self) -> anyhow::Result<Vec<Part>> {
        let limit = self.soft_nodes.map(MoveLimit::SoftNodes).or(self.nodes.map(MoveLimit::Nodes));
        let limit = limit.context("give --soft-nodes or --nodes")?;
        let mut parts =
            vec![Part { name: "nodes", limit, test: self.sprt, games: self.games, seed: self.seed }];
        if let Some(tc) = self.tc {
            let limit = MoveLimit::Clock(tc);
            let seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            parts.push(Part { name: "clock", limit, test: self.clock_sprt, games: self.clock_games, seed });
        }
        for part in &parts {
            ensure!(
                part.games >= 2 && part.games.is_multiple_of(2),
                "{} games with limited {}: an even number, as every opening is played with both colours",
                part.games,
                part.name
            );
        }
        Ok(parts)
    }

    fn engines(&self) -> anyhow::Result<Vec<EngineSpec>> {
        let (mut candidate, mut champion) = (self.candidate.clone(), self.champion.clone());
        if candidate.name == champion.name {
            candidate.name = "candidate".to_string();
            champion.name = "champion".to_string();
        }
        let outside =
            |spec: &&EngineSpec| matches!(spec.kind, EngineKind::Process(_)) && spec.limit.is_none();
        if let Some(spec) = [&candidate, &champion].into_iter().find(outside) {
            ensure!(
                self.soft_nodes.is_none(),
                "--soft-nodes is for engines in process, not for {}",
                spec.name
            );
        }
        Ok(vec![candidate, champion])
    }

    fn tournament(&self, part: &Part, engines: &[EngineSpec]) -> anyhow::Result<Tournament> {
        let book = book_of(&self.openings, self.opening_limit, part.seed, false)?;
        let pairs = most_pairs(part, &book);
        if 2 * pairs < part.games {
            eprintln!(
                "selfplay: {} openings are good for {} games at most",
                book.len().unwrap_or(0),
                2 * pairs
            );
        }
        book.check(pairs)?;
        Ok(Tournament {
            engines: engines.to_vec(),
            schedule: Schedule::new(Format::Gauntlet, 2, pairs),
            book,
            limit: part.limit,
            growth_percent: GROWTH_PERCENT,
            margin: Duration::from_millis(50),
            adjudication: Adjudication {
                draw: Some(self.draw),
                resign: Some(self.resign),
                ..Adjudication::default()
            },
            concurrency: usize::from(self.concurrency),
            patience: Patience::default(),
            chess960: false,
            log_directory: None,
        })
    }

    /// Everything that decides the games of a part, and what they prove; not which shard plays them.
    fn identity(&self, part: &Part, engines: &[EngineSpec]) -> anyhow::Result<MatchIdentity> {
        let mut identity = identity_of_engines(engines)?;
        identity.extend(identity_of_openings(&self.openings, self.opening_limit)?);
        let mut add = |name: &str, value: String| identity.push((name.to_string(), value));
        add("the limit", part.limit.to_string());
        add("the test", format!("{:?}", part.test));
        add("the most games", part.games.to_string());
        add("--seed", self.seed.to_string());
        add("the adjudication", format!("{:?} {:?}", self.draw, self.resign));
        Ok(identity)
    }

    fn journal(&self, part: &Part) -> PathBuf {
        let (index, count) = (self.shard.index(), self.shard.count());
        self.out.join(format!("{}-{index}-of-{count}.journal", part.name))
    }
}

fn most_pairs(part: &Part, book: &OpeningBook) -> usize {
    let openings = book.len().map_or(usize::MAX, |openings| openings.saturating_mul(MOST_ROUNDS));
    (part.games / 2).min(openings)
}

/// Runs the command.
pub fn run(args: &GateArgs) -> anyhow::Result<ExitCode> {
    let (parts, engines) = (args.parts()?, args.engines()?);
    let unchanged = are_the_same(&engines[0], &engines[1])?;
    let mut report = GateReport::new(&engines, unchanged);
    if args.dry_run || unchanged {
        parts.iter().try_for_each(|part| args.tournament(part, &engines).map(drop))?;
    }
    if !args.dry_run && !unchanged {
        let stop = Arc::new(AtomicBool::new(false));
        let interrupted = Arc::new(AtomicBool::new(false));
        listen_for_interrupt(&stop, &interrupted)?;
        std::fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
        for part in &parts {
            let trial = Gate { args, part, engines: &engines }.play(&stop)?;
            report.parts.push(PartReport { name: part.name, limit: part.limit.to_string(), trial });
            if interrupted.load(Ordering::Relaxed) {
                eprint!("{}", report.text());
                eprintln!("selfplay: interrupted; the same command goes on from here");
                return Ok(ExitCode::from(INTERRUPTED));
            }
            if report.state() != TrialState::Passed {
                break;
            }
            stop.store(false, Ordering::Relaxed);
        }
        report.missing_parts = parts.len() - report.parts.len();
    }
    if args.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.text());
    }
    Ok(ExitCode::SUCCESS)
}

/// A part that is being played.
struct Gate<'a> {
    args: &'a GateArgs,
    part: &'a Part,
    engines: &'a [EngineSpec],
}

impl Gate<'_> {
    fn play(&self, stop: &Arc<AtomicBool>) -> anyhow::Result<Trial> {
        let tournament = self.args.tournament(self.part, self.engines)?;
        let identity = self.args.identity(self.part, self.engines)?;
        let path = self.args.journal(self.part);
        let (mut journal, before) = Journal::open(&path, &identity, Some(&path.with_extension("pgn")))?;
        let pairs = tournament.schedule.games() / 2;
        let mut trial = Trial::new(self.part.test, pairs);
        before.games.iter().for_each(|(game, summary)| add(&mut trial, *game, summary));
        self.look_around(&path, &identity, &mut trial)?;
        if !before.games.is_empty() {
            eprintln!("selfplay: going on after {} games ({})", before.games.len(), path.display());
        }
        if trial.state() != TrialState::Running {
            return Ok(trial);
        }
        let done = self.not_ours(&trial, pairs);
        tournament.try_engines(stop)?;
        let progress = Progress::new(Some(2 * pairs), "games");
        let (today, started) = (Date::today().pgn(), Instant::now());
        let mut looked = 0.0;
        let outcome = tournament.run(&done, stop, &mut |pairing, game| {
            let (summary, elapsed) = (GameSummary::from(game), started.elapsed().as_secs_f64());
            journal.record(
                pairing.game,
                &summary,
                &game_text(&tournament, &today, pairing, game),
                elapsed,
            )?;
            add(&mut trial, pairing.game, &summary);
            if elapsed - looked > LOOK_AROUND {
                looked = elapsed;
                self.look_around(&path, &identity, &mut trial).map_err(std::io::Error::other)?;
            }
            progress.show(trial.games().games(), &GateReport::one_line(&trial));
            Ok(match trial.state() {
                TrialState::Running => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            })
        });
        progress.finish();
        outcome?;
        self.look_around(&path, &identity, &mut trial)?;
        Ok(trial)
    }

    /// Games that other processes played.
    fn look_around(&self, own: &Path, identity: &MatchIdentity, trial: &mut Trial) -> anyhow::Result<()> {
        let folder = &self.args.out;
        let named = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&format!("{}-", self.part.name)) && name.ends_with(".journal") && path != own
        };
        let listed =
            std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut others: Vec<PathBuf> =
            listed.filter_map(|entry| Some(entry.ok()?.path())).filter(named).collect();
        others.sort();
        for path in others {
            let games = Journal::peek(&path, identity)?;
            games.iter().for_each(|(game, summary)| add(trial, *game, summary));
        }
        Ok(())
    }

    /// What this process does not play: pairs of other shards, and games that are known.
    fn not_ours(&self, trial: &Trial, pairs: usize) -> HashSet<usize> {
        let (index, count) = (self.args.shard.index() - 1, self.args.shard.count());
        let ours = |pair: usize| pair as u64 % count == index;
        (0..2 * pairs).filter(|&game| !ours(game / 2) || trial.knows(game)).collect()
    }
}

/// The candidate is named first, and the first has White in the first game of each pair.
fn add(trial: &mut Trial, game: usize, summary: &GameSummary) {
    let color = if game.is_multiple_of(2) { Color::White } else { Color::Black };
    trial.add(game, summary.outcome.half_points(color));
}

/// Whether two engines are the same player: no match could tell them apart.
fn are_the_same(candidate: &EngineSpec, champion: &EngineSpec) -> anyhow::Result<bool> {
    if candidate.limit != champion.limit {
        return Ok(false);
    }
    match (&candidate.kind, &champion.kind) {
        (EngineKind::InProcess(candidate), EngineKind::InProcess(champion)) => {
            let rest = |spec: &SelfSpec| (spec.experience_weight, spec.style.clone(), spec.hash_mb);
            let params =
                |spec: &SelfSpec| spec.weights.as_deref().map_or(Ok(EvalParams::embedded()), read_weights);
            let book = |spec: &SelfSpec| spec.book.as_deref().map(checksum).transpose();
            Ok(rest(candidate) == rest(champion)
                && params(candidate)?.hash() == params(champion)?.hash()
                && book(candidate)? == book(champion)?)
        }
        (candidate, champion) => Ok(candidate == champion),
    }
}
