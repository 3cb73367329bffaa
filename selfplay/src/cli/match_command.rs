//! `selfplay match`.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use engine::syzygy::Tablebases;
use selfplay::Level;
use selfplay::arena::engine_spec::EngineKind;
use selfplay::arena::journal::MatchIdentity;
use selfplay::arena::pgn_writer::{PgnHeader, pgn};
use selfplay::arena::scoreboard::GameSummary;
use selfplay::arena::uci_player::Patience;
use selfplay::arena::{
    Adjudication, Anchor, DrawRule, EngineSpec, FinishedGame, Format, Journal, MoveLimit, OpeningBook,
    Pairing, ResignRule, Schedule, Scoreboard, Sprt, SprtState, TimeControl, Tournament,
};
use selfplay::calendar::Date;

use super::match_report::MatchReport;
use super::progress::Progress;
use super::{INTERRUPTED, listen_for_interrupt, open_tablebases};

const EXAMPLES: &str = "\
Examples:
  Two engines, 100 games of 4 seconds and 0.04 a move, from a book:
    selfplay match --engine \"cmd=/usr/games/stockfish,name=sf,option.Hash=16\" --engine ./tabula \\
        --games 100 --tc 4+0.04 --openings book.epd --concurrency 2 --pgn games.pgn
  Is the new one at least 5 Elo stronger? Stop as soon as that is known:
    selfplay match --engine ./new --engine ./old --tc 8+0.08 --openings book.pgn.zip \\
        --sprt elo0=0,elo1=5,alpha=0.05,beta=0.05
  An engine with arguments, its own book off, decided games cut short:
    selfplay match --engine \"cmd=/usr/games/gnuchess --uci,name=gnu,option.OwnBook=false\" \\
        --engine ./tabula --games 20 --movetime 100 --openings random \\
        --resign movecount=4,score=800,twosided --draw movenumber=40,movecount=8,score=10
  Two sets of weights in process, thousands of games an hour:
    selfplay match --engine self:weights=new.toml --engine self:weights=old.toml --soft-nodes 5000 \\
        --games 2000 --concurrency 2
  Endings called as soon as the tablebases know them:
    selfplay match --engine ./new --engine ./old --tc 8+0.08 --games 200 --tb /tables/3-4-5:/tables/6
  Everyone against everyone, rated; killed or interrupted, the same command goes on:
    selfplay match --engine ./tabula --engine /usr/games/stockfish --engine /usr/games/toga2 \\
        --format round-robin --anchor stockfish --games 100 --tc 2+0.02 --pgn games.pgn
  Odds: an engine's own limit goes before the match's:
    selfplay match --engine \"./tabula,name=deep,nodes=20000\" --engine ./tabula --games 50 --nodes 5000";

/// Play engines against each other and say what the results prove.
///
/// Every opening is played twice, with colours reversed. An engine that crashes, hangs, plays an illegal
/// move or exceeds its time loses that game and is started anew; the match goes on.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: selfplay match --help")]
pub struct MatchArgs {
    /// An engine: a UCI command, or cmd=COMMAND[,name=…][,dir=…][,option.NAME=VALUE…][,tc=…|nodes=…|…],
    /// or our own engine in process,
    /// self:[weights=FILE][,style=NAME][,hash=MB][,param.NAME=VALUE…][,params=FILE][,name=…];
    /// give it at least twice
    #[arg(long, required = true, value_name = "ENGINE")]
    engine: Vec<EngineSpec>,

    /// Games of each encounter, an even number [default: 100; with --sprt no end]
    #[arg(long, value_name = "N")]
    games: Option<usize>,

    /// Who meets whom when there are more than two engines
    #[arg(long, value_enum, default_value = "gauntlet")]
    format: FormatName,

    /// The engine whose rating is 0 in the rating list [default: the mean of all is 0]
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,

    /// Clock: [MOVES/]SECONDS[+INCREMENT]
    #[arg(long, value_name = "TC", group = "limit")]
    tc: Option<TimeControl>,

    /// Milliseconds for each move
    #[arg(long, value_name = "MS", group = "limit", value_parser = clap::value_parser!(u64).range(1..=604_800_000))]
    movetime: Option<u64>,

    /// Nodes for each move
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Nodes after which no further iteration begins; for engines in process
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    soft_nodes: Option<u64>,

    /// Depth of each search
    #[arg(long, value_name = "D", group = "limit", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Milliseconds by which a flag may be overstepped
    #[arg(long, value_name = "MS", default_value_t = 50)]
    margin: u64,

    /// Where games begin: FILE.epd, FILE.pgn, either of them zipped, `random`, or `start`
    #[arg(long, value_name = "BOOK", default_value = "random")]
    openings: String,

    /// Take only random openings that a search finds within so many centipawns of level; 0 takes every one
    #[arg(long, value_name = "CP", default_value_t = LEVEL_LIMIT, value_parser = clap::value_parser!(i32).range(0..=30_000))]
    opening_limit: i32,

    /// Decides the order of a book's openings, or the random ones
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Castling as in Chess960
    #[arg(long)]
    chess960: bool,

    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    concurrency: usize,

    /// Stop when one of two hypotheses is accepted: elo0=0,elo1=5,alpha=0.05,beta=0.05[,model=normalised]
    #[arg(long, value_name = "TEST")]
    sprt: Option<Sprt>,

    /// Call level games a draw: movenumber=40,movecount=8,score=10
    #[arg(long, value_name = "RULE")]
    draw: Option<DrawRule>,

    /// Call lost games lost: movecount=4,score=800[,twosided]
    #[arg(long, value_name = "RULE")]
    resign: Option<ResignRule>,

    /// Call games of so many moves a draw
    #[arg(long, value_name = "N")]
    max_moves: Option<u32>,

    /// Call endings by Syzygy tablebases as soon as a capture or pawn move leads to one they know: folders,
    /// separated by ':' (';' on Windows)
    #[arg(long, value_name = "PATH")]
    tb: Option<String>,

    /// Append the games, with scores and times
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,

    /// Keep the results here, game by game: after a kill the same command goes on where it stopped
    /// [default: with --pgn FILE, FILE.journal]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Keep faults and the engines' standard errors here
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,

    /// Seconds for an engine to start
    #[arg(long, value_name = "S", default_value_t = 10)]
    startup_timeout: u64,

    /// Seconds without an answer, where no clock runs, until an engine counts as hung
    #[arg(long, value_name = "S", default_value_t = 60)]
    hang_timeout: u64,

    /// Write the result as JSON to standard output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FormatName {
    /// The first engine against each of the others
    Gauntlet,
    /// Everyone against everyone
    RoundRobin,
}

/// Centipawns within which a random opening is level, as in self-play.
pub const LEVEL_LIMIT: i32 = 150;
/// Nodes of the search that says so.
const LEVEL_NODES: u64 = 1_000;
/// With a sequential test the number of games has no natural limit; this one is never reached.
const GAMES_WITHOUT_END: usize = 10_000_000;

impl MatchArgs {
    /// What was typed becomes what it means.
    fn tournament(&self) -> anyhow::Result<Tournament> {
        let engines = self.engine.len();
        ensure!(engines >= 2, "a match needs two engines: give --engine twice");
        for (index, spec) in self.engine.iter().enumerate() {
            let same = self.engine[..index].iter().any(|other| other.name == spec.name);
            ensure!(!same, "two engines are called '{}': tell them apart with name=…", spec.name);
        }
        if self.soft_nodes.is_some() {
            let outside =
                |spec: &&EngineSpec| matches!(spec.kind, EngineKind::Process(_)) && spec.limit.is_none();
            if let Some(spec) = self.engine.iter().find(outside) {
                bail!("--soft-nodes is for engines in process (self:), not for {}: use --nodes", spec.name);
            }
        }
        for spec in &self.engine {
            let searches_trees = matches!(&spec.kind, EngineKind::InProcess(own) if own.tree_search);
            let limit = spec.limit.map_or_else(|| self.limit(), Ok)?;
            ensure!(
                !searches_trees || matches!(limit, MoveLimit::Nodes(_) | MoveLimit::SoftNodes(_)),
                "{}: search=mcts is limited by nodes alone: give --nodes",
                spec.name
            );
        }
        ensure!(self.concurrency >= 1, "--concurrency must be at least 1");
        ensure!(self.sprt.is_none() || engines == 2, "--sprt compares two engines, not {engines}");
        let games = self.games.unwrap_or(if self.sprt.is_some() { GAMES_WITHOUT_END } else { 100 });
        ensure!(
            games >= 2 && games.is_multiple_of(2),
            "--games {games}: must be even, as every opening is played with both colours"
        );
        let format = match self.format {
            FormatName::Gauntlet => Format::Gauntlet,
            FormatName::RoundRobin => Format::RoundRobin,
        };
        Ok(Tournament {
            engines: self.engine.clone(),
            schedule: Schedule::new(format, engines, games / 2),
            book: self.book()?,
            limit: self.limit()?,
            growth_percent: 0,
            margin: Duration::from_millis(self.margin),
            adjudication: Adjudication {
                draw: self.draw,
                resign: self.resign,
                max_moves: self.max_moves,
                tablebases: self.tablebases()?,
            },
            concurrency: self.concurrency,
            patience: Patience {
                startup: Duration::from_secs(self.startup_timeout),
                hang: Duration::from_secs(self.hang_timeout),
            },
            chess960: self.chess960,
            log_directory: self.log.clone(),
        })
    }

    fn tablebases(&self) -> anyhow::Result<Option<Arc<Tablebases>>> {
        self.tb.as_deref().map(|path| open_tablebases("--tb", path)).transpose()
    }

    fn journal_path(&self) -> Option<PathBuf> {
        self.journal.clone().or_else(|| {
            self.pgn.as_ref().map(|pgn| {
                let mut path = pgn.clone().into_os_string();
                path.push(".journal");
                path.into()
            })
        })
    }

    /// Everything that decides the games: two runs that agree in it are the same match.
    fn identity(&self) -> anyhow::Result<MatchIdentity> {
        let mut identity = identity_of_engines(&self.engine)?;
        let mut add = |name: String, value: String| identity.push((name, value));
        let format = self.format.to_possible_value();
        add("--format".into(), format.map_or(String::new(), |format| format.get_name().to_string()));
        add("--games".into(), self.games.map_or("without end".to_string(), |games| games.to_string()));
        add("the limit".into(), self.limit()?.to_string());
        add("--margin".into(), self.margin.to_string());
        identity.extend(identity_of_openings(&self.openings, self.opening_limit)?);
        let mut add = |name: String, value: String| identity.push((name, value));
        add("--seed".into(), self.seed.to_string());
        add("--chess960".into(), self.chess960.to_string());
        add("--sprt".into(), format!("{:?}", self.sprt));
        add("the adjudication".into(), format!("{:?} {:?} {:?}", self.draw, self.resign, self.max_moves));
        add("--tb".into(), format!("{:?}", self.tb));
        add("--pgn".into(), format!("{:?}", self.pgn));
        Ok(identity)
    }

    fn anchor(&self) -> anyhow::Result<Anchor> {
        let Some(name) = &self.anchor else { return Ok(Anchor::Mean) };
        match self.engine.iter().position(|spec| spec.name == *name) {
            Some(engine) => Ok(Anchor::Engine(engine)),
            None => {
                let names: Vec<&str> = self.engine.iter().map(|spec| spec.name.as_str()).collect();
                bail!("--anchor {name}: no engine has this name; they are called {}", names.join(", "))
            }
        }
    }

    fn limit(&self) -> anyhow::Result<MoveLimit> {
        let given = [
            self.tc.map(MoveLimit::Clock),
            self.movetime.map(|ms| MoveLimit::MoveTime(Duration::from_millis(ms))),
            self.nodes.map(MoveLimit::Nodes),
            self.soft_nodes.map(MoveLimit::SoftNodes),
            self.depth.map(MoveLimit::Depth),
        ];
        match given.into_iter().flatten().next() {
            Some(limit) => Ok(limit),
            // Everyone has a limit of its own; this one is never used.
            None if self.engine.iter().all(|spec| spec.limit.is_some()) => Ok(MoveLimit::Depth(1)),
            None => {
                bail!("how long may they think? Give --tc 8+0.08, --movetime 100, --nodes 5000 or --depth 8")
            }
        }
    }

    fn book(&self) -> anyhow::Result<OpeningBook> {
        book_of(&self.openings, self.opening_limit, self.seed, self.chess960)
    }
}

/// The openings that `--openings` names.
pub fn book_of(openings: &str, limit: i32, seed: u64, chess960: bool) -> anyhow::Result<OpeningBook> {
    match openings {
        "random" | "start" if chess960 => {
            bail!("--chess960 needs --openings FILE with Chess960 positions")
        }
        "random" if limit > 0 => Ok(OpeningBook::random_level(seed, Level { limit, nodes: LEVEL_NODES })),
        "random" => Ok(OpeningBook::random(seed)),
        "start" => Ok(OpeningBook::start_only()),
        path => Ok(OpeningBook::open(path.as_ref(), seed, chess960)?),
    }
}

/// Runs the command.
pub fn run(args: &MatchArgs) -> anyhow::Result<ExitCode> {
    let tournament = args.tournament()?;
    let anchor = args.anchor()?;
    let stop = Arc::new(AtomicBool::new(false));
    let interrupted = Arc::new(AtomicBool::new(false));
    listen_for_interrupt(&stop, &interrupted)?;
    let reported_names = match tournament.try_engines(&stop) {
        Err(_) if interrupted.load(Ordering::Relaxed) => return Ok(ExitCode::from(INTERRUPTED)),
        result => result?,
    };
    tournament.book.check(tournament.schedule.games() / 2)?;
    warn_of_repeated_openings(args, &tournament);

    let mut board = Scoreboard::new(tournament.schedule.encounters(), tournament.engines.len());
    let mut journal = None;
    let mut done = HashSet::new();
    if let Some(path) = args.journal_path() {
        let (opened, before) = Journal::open(&path, &args.identity()?, args.pgn.as_deref())?;
        for (game, summary) in &before.games {
            let pairing = tournament.schedule.pairing(*game);
            board.record(&pairing.context("the journal has a game that is not in the schedule")?, summary);
        }
        done = before.numbers();
        say_what_was_played(&opened, done.len());
        journal = Some(opened);
    }
    let seconds_before = journal.as_ref().map_or(0.0, Journal::seconds_before);
    let endless = args.games.is_none() && args.sprt.is_some();
    let progress = Progress::new((!endless).then(|| tournament.schedule.games()), "games");
    let today = Date::today().pgn();
    let started = Instant::now();
    let elapsed = || started.elapsed() + Duration::from_secs_f64(seconds_before);
    let nothing_left = is_decided(args.sprt, &board) || journal.as_ref().is_some_and(Journal::is_finished);
    let result = if nothing_left {
        Ok(())
    } else {
        tournament.run(&done, &stop, &mut |pairing, game| {
            let summary = GameSummary::from(game);
            if let Some(journal) = &mut journal {
                let text = game_text(&tournament, &today, pairing, game);
                journal.record(pairing.game, &summary, &text, started.elapsed().as_secs_f64())?;
            }
            board.record(pairing, &summary);
            let report = MatchReport::new(&tournament, &board, args.sprt, anchor, &reported_names, elapsed());
            progress.show(board.games(), &report.one_line());
            Ok(if is_decided(args.sprt, &board) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    };
    progress.finish();
    let report = MatchReport::new(&tournament, &board, args.sprt, anchor, &reported_names, elapsed());
    if args.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.text());
    }
    result?;
    if let Some(journal) = &mut journal
        && (is_decided(args.sprt, &board) || board.games() == tournament.schedule.games() as u64)
    {
        let path = journal.path().to_path_buf();
        journal.finish().with_context(|| format!("cannot write {}", path.display()))?;
    }
    if interrupted.load(Ordering::Relaxed) {
        eprintln!("selfplay: interrupted after {} games", board.games());
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// What of the engines decides their games.
pub fn identity_of_engines(engines: &[EngineSpec]) -> anyhow::Result<MatchIdentity> {
    let mut identity: MatchIdentity = Vec::new();
    for (number, spec) in (1..).zip(engines) {
        let kind = format!("{} {:?} {:?}", spec.name, spec.kind, spec.limit);
        identity.push((format!("engine {number}"), kind));
        for file in spec.files() {
            identity.push((format!("the content of {}", file.display()), checksum(&file)?));
        }
    }
    Ok(identity)
}

/// What of the openings decides the games.
pub fn identity_of_openings(openings: &str, limit: i32) -> anyhow::Result<MatchIdentity> {
    let mut identity = vec![("--openings".to_string(), openings.to_string())];
    match openings {
        "random" => identity.push(("--opening-limit".to_string(), limit.to_string())),
        "start" => {}
        path => identity.push((format!("the content of {path}"), checksum(path.as_ref())?)),
    }
    Ok(identity)
}

/// The checksum of a file's content.
pub fn checksum(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(format!("{:08x}", crc32fast::hash(&bytes)))
}

fn warn_of_repeated_openings(args: &MatchArgs, tournament: &Tournament) {
    let schedule = &tournament.schedule;
    let pairs = schedule.games() / 2 / schedule.encounters().len();
    if let Some(openings) = tournament.book.len()
        && openings < pairs
        && args.games.is_some()
    {
        eprintln!("selfplay: {openings} openings for {pairs} pairs of games: some will be played again");
    }
}

/// Whether the test, if there is one, has its answer.
fn is_decided(sprt: Option<Sprt>, board: &Scoreboard) -> bool {
    let pairs = board.encounters().first().map(|encounter| encounter.pairs).unwrap_or_default();
    sprt.is_some_and(|sprt| sprt.state(&pairs) != SprtState::Running)
}

fn say_what_was_played(journal: &Journal, games: usize) {
    let path = journal.path().display();
    if journal.is_finished() {
        eprintln!("selfplay: all games of this match are in {path} already; delete it to play them anew");
    } else if games > 0 {
        eprintln!("selfplay: going on after {games} games ({path})");
    }
}

pub fn game_text(tournament: &Tournament, date: &str, pairing: &Pairing, game: &FinishedGame) -> String {
    let by_color = pairing.by_color();
    let [white, black] = by_color.map(|engine| tournament.engines[engine].name.as_str());
    let header = PgnHeader {
        event: "selfplay match",
        date,
        round: format!("{}.{}", pairing.pair + 1, if pairing.first_is_white { 1 } else { 2 }),
        white,
        black,
        limits: by_color.map(|engine| tournament.limit_of(engine)),
        chess960: tournament.chess960,
    };
    pgn(&header, game)
}
