//! `selfplay generate`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Args;
use engine::book::polyglot::PolyglotBook;
use engine::eval::{EvalParams, Style, Weights};
use engine::search::Signals;
use engine::types::Color;
use selfplay::arena::self_player::{find_style, read_experience, read_weights};
use selfplay::arena::{DrawRule, OpeningBook, ResignRule};
use selfplay::games::generate;
use selfplay::play::{
    DeepLabels, EndRules, Exploration, Generator, Judge, OpeningSource, Played, Settings, Shard,
    engine_fingerprint,
};
use selfplay::record::statistics::Accuracy;
use selfplay::record::{Header, Opened, Statistics, VERSION, Writer};
use serde_json::json;

use super::progress::Progress;
use super::{INTERRUPTED, open_tablebases};

const EXAMPLES: &str = "\
Examples:
  A thousand games on two threads; the same command goes on after an interruption:
    selfplay generate --games 1000 --threads 2 --out games
  The third of eight shards of a night's work; the eight files merge to the file of one run:
    selfplay generate --games 1000000 --seed 20250131 --shard 3/8 --threads 16 --out games
  Half of the games cut short when decided; the other half says how often that was right:
    selfplay generate --games 1000 --adjudicate 0.5 --win movecount=5,score=1000,twosided \\
        --draw movenumber=40,movecount=8,score=8 --out games
  More variety: shuffled back ranks, and moves drawn among the three best at first:
    selfplay generate --games 1000 --openings dfrc --explore plies=12,temperature=30,lines=3 --out games
  Quick moves, and one in seven searched deeply, as a label; a tenth of the games from shuffled back ranks:
    selfplay generate --games 1000 --nodes 600 --deep share=0.15,nodes=5000 --dfrc-share 0.1 --out games
  From the initial position, away from what a book knows well:
    selfplay generate --games 1000 --openings start --book games.exp \\
        --explore plies=16,temperature=30,visits=8 --out games";

/// Let the engine play itself and keep the games.
///
/// Games are numbered; everything random in game g is decided by (seed, g), so a shard's file has the
/// same bytes on every machine and for every number of threads. Searches are limited by nodes, never by
/// time. Every finished game is saved at once: after Ctrl-C, a crash or kill -9 the same command goes on.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: selfplay generate --help")]
pub struct GenerateArgs {
    /// Games of the whole run, all shards together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    games: u64,

    /// Directory of the record; it is made if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Begin no further iteration of a search after so many nodes
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,

    /// Give a game's searches up to so many percent more nodes, drawn for each game: an engine that gets the same
    /// number each time plays the same game again and again
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    vary_nodes: u32,

    /// Cut a search off at so many times --nodes
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1000))]
    hard_multiple: u64,

    /// Decides everything that is random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Play only a part of the games: the i-th of n, as in 3/8
    #[arg(long, value_name = "i/n", default_value = "1/1")]
    shard: Shard,

    /// Games at the same time
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Megabytes of hash for each game
    #[arg(long, value_name = "MB", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=4096))]
    hash: u16,

    /// Where games begin: `random` moves, random moves from double-Fischer positions (`dfrc`), a file
    /// (FILE.epd, FILE.pgn, either of them zipped), or `start` with --book FILE.bin or --explore
    #[arg(long, value_name = "OPENINGS", default_value = "random")]
    openings: String,

    /// A Polyglot book (.bin): go on with an opening by its moves, drawn by their weights, with `--openings
    /// start` from the initial position. Or an Experience Book (.exp): the searches ask it
    #[arg(long, value_name = "FILE.bin|FILE.exp")]
    book: Option<PathBuf>,

    /// Random moves of an opening: so many or one more
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=40))]
    opening_plies: u32,

    /// Play only openings that a search finds within so many centipawns of level, for either side
    #[arg(long, value_name = "CP", default_value_t = 150, value_parser = clap::value_parser!(i32).range(1..=30000))]
    opening_limit: i32,

    /// Nodes of that search [default: as --nodes, or those of --deep]; 0 plays every opening
    #[arg(long, value_name = "N")]
    opening_nodes: Option<u64>,

    /// Weights instead of those compiled in
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// Play in a style: a name or a file
    #[arg(long, value_name = "STYLE")]
    style: Option<String>,

    /// Draw moves in the first plies after the opening: plies=8,temperature=40,lines=4; with an Experience
    /// Book visits=8 makes a move that it has 8 games of half as likely
    #[arg(long, value_name = "HOW")]
    explore: Option<Exploration>,

    /// One side is the pupil: it alone asks the Experience Book and draws moves, the other plays what the engine
    /// plays without a book. Each opening is played from either side in turn
    #[arg(long)]
    sparring: bool,

    /// Record what a search of this move alone finds, not what the player thought, for each move of the first plies
    /// after the opening: plies=16,nodes=10000. Quick games then teach what a patient player sees
    #[arg(long, value_name = "HOW")]
    judge: Option<Judge>,

    /// Search only this share of the moves with so many nodes, and the others with --nodes: share=0.15,nodes=5000. Only
    /// these moves are labels for `tune extract`: games cost little, and what they teach is what a long search sees
    #[arg(long, value_name = "HOW", conflicts_with = "judge")]
    deep: Option<DeepLabels>,

    /// With --openings random: begin this share of the games with a double-Fischer position
    #[arg(long, value_name = "0..1", default_value_t = 0.0)]
    dfrc_share: f64,

    /// End this share of the games early by --win, --draw and --tb; the rest is played out
    #[arg(long, value_name = "0..1", default_value_t = 0.0)]
    adjudicate: f64,

    /// A won game: movecount=5,score=1000[,twosided]
    #[arg(long, value_name = "RULE", default_value = "movecount=5,score=1000,twosided")]
    win: ResignRule,

    /// A drawn game: movenumber=40,movecount=8,score=8
    #[arg(long, value_name = "RULE", default_value = "movenumber=40,movecount=8,score=8")]
    draw: DrawRule,

    /// Folders of Syzygy tablebases that end games, separated by ':' (';' on Windows)
    #[arg(long, value_name = "PATH")]
    tb: Option<String>,

    /// A game of so many plies is drawn
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u16).range(20..=10_000))]
    max_plies: u16,

    /// Write the report as JSON to standard output
    #[arg(long)]
    json: bool,
}

impl GenerateArgs {
    /// What was typed becomes what it means.
    fn generator(&self) -> anyhow::Result<(Generator, u64)> {
        ensure!(
            (0.0..=1.0).contains(&self.adjudicate),
            "--adjudicate {}: a share of the games lies between 0 and 1",
            self.adjudicate
        );
        ensure!(
            self.adjudicate > 0.0 || self.tb.is_none(),
            "--tb ends no game as long as --adjudicate is 0: give --adjudicate 0.5, say"
        );
        let tablebases = self.tb.as_deref().map(|path| open_tablebases("--tb", path)).transpose()?;
        let params = match &self.weights {
            Some(path) => read_weights(path)?,
            None => EvalParams::embedded(),
        };
        let (weights, style) = self.styled(&params)?;
        let (openings, openings_name) = self.opening_source()?;
        let is_experience = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "exp");
        let experience_file = self.book.as_ref().filter(is_experience);
        let opening_file = self.book.as_ref().filter(|path| !is_experience(path));
        let book = opening_file.map(|path| PolyglotBook::open(path)).transpose()?;
        let experience = experience_file.map(|path| read_experience(path)).transpose()?;
        let exploration = self.explore.unwrap_or(Exploration::NONE);
        ensure!(
            exploration.visits == 0 || experience.is_some(),
            "--explore visits={} counts games of an Experience Book: give --book FILE.exp",
            exploration.visits
        );
        ensure!(
            self.openings != "start" || book.is_some() || exploration.plies > 0,
            "--openings start plays one game again and again: give --book FILE.bin, --explore plies=8, or other \
             openings"
        );
        let settings = Settings {
            nodes: self.nodes,
            vary_nodes: self.vary_nodes,
            hard_multiple: self.hard_multiple,
            hash_mb: usize::from(self.hash),
            openings: openings_name,
            opening_plies: self.opening_plies,
            book: opening_file.map_or(Ok("none".to_string()), |path| name_and_hash(path))?,
            experience: experience_file.map_or(Ok(String::new()), |path| name_and_hash(path))?,
            opening_limit: self.opening_limit,
            opening_nodes: self.opening_nodes.or(self.deep.map(|deep| deep.nodes)).unwrap_or(self.nodes),
            style,
            sparring: self.sparring,
            judge: self.judge,
            deep: self.deep,
            exploration,
            rules: EndRules {
                share: (self.adjudicate * 1e6).round() as u32,
                win: Some(self.win),
                draw: Some(self.draw),
                tablebase_men: tablebases.as_ref().map_or(0, |tables| tables.max_pieces()),
                max_plies: usize::from(self.max_plies),
            },
        };
        let threads = usize::from(self.threads);
        let seed = self.seed;
        let generator =
            Generator { settings, openings, book, experience, tablebases, seed, weights, threads };
        Ok((generator, params.hash()))
    }

    /// The weights for each side, and the style in words.
    fn styled(&self, params: &EvalParams) -> anyhow::Result<([Arc<Weights>; 2], String)> {
        let Some(name) = &self.style else {
            let weights = Arc::new(Weights::new(params));
            return Ok(([weights.clone(), weights], "normal".to_string()));
        };
        let style = find_style(name)?;
        let weights = Color::ALL.map(|own| Arc::new(Weights::with_style(params, &style, own)));
        // Two styles of one name need not be the same style: the weights they lead to tell.
        let as_white = &weights[Color::White.index()];
        let sides = Color::ALL.map(|color| as_white.side(color).hash());
        let Style { name, contempt, temper, .. } = &style;
        let temper = format!("{} {} {}", temper.simplify, temper.gambit, temper.offer);
        Ok((weights, format!("{name} {:016x} {:016x} {contempt} {temper}", sides[0], sides[1])))
    }

    /// The openings, and what to call them in the header.
    fn opening_source(&self) -> anyhow::Result<(OpeningSource, String)> {
        ensure!(
            (0.0..=1.0).contains(&self.dfrc_share),
            "--dfrc-share {}: a share of the games lies between 0 and 1",
            self.dfrc_share
        );
        let share = (self.dfrc_share * 1e6).round() as u32;
        ensure!(
            share == 0 || self.openings == "random",
            "--dfrc-share is a share of random openings, not of {}",
            self.openings
        );
        Ok(match self.openings.as_str() {
            "random" if share > 0 => (OpeningSource::Mixed(share), format!("random dfrc-millionths={share}")),
            "random" => (OpeningSource::Random, "random".to_string()),
            "dfrc" => (OpeningSource::DoubleFischer, "dfrc".to_string()),
            "start" => (OpeningSource::Initial, "start".to_string()),
            name => {
                let path = Path::new(name);
                let described = name_and_hash(path).with_context(|| {
                    format!("--openings {name}: neither `random`, `dfrc` nor `start`, and no file that can be read")
                })?;
                let book = OpeningBook::open(path, self.seed, true)?;
                book.check(usize::MAX)?;
                (OpeningSource::Book(book), described)
            }
        })
    }
}

/// Runs the command.
pub fn run(args: &GenerateArgs) -> anyhow::Result<ExitCode> {
    let range = args.shard.range(args.games);
    ensure!(!range.is_empty(), "--shard leaves no game: there are more shards than games");
    let (generator, weights) = args.generator()?;
    let header = Header {
        version: VERSION,
        engine: engine_fingerprint(),
        weights,
        seed: args.seed,
        games: range.clone(),
        settings: generator.settings.to_text(),
    };
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make the directory {}", args.out.display()))?;
    let path = args.out.join(header.file_name());
    let mut writer = match Writer::open(&path, &header)? {
        Opened::Finished => {
            eprintln!("selfplay: {} is there and whole: nothing to do", path.display());
            return report(args, &path, Duration::ZERO, &Tally::default());
        }
        Opened::Going(writer) => writer,
    };
    let total = range.end - range.start;
    if writer.saved() > 0 {
        eprintln!("selfplay: going on: {} of {total} games were saved before", writer.saved());
    }

    let signals = Arc::new(Signals::new());
    let handler = signals.clone();
    ctrlc::set_handler(move || handler.stop()).context("cannot listen for Ctrl-C")?;
    let progress = Progress::new(Some(total as usize), "games");
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut done = writer.saved();
    let outcome = generator.run(&mut writer, &signals, &mut |played| {
        tally.add(played, args.deep, args.seed);
        done += 1;
        progress.show(done, &tally.rates(started.elapsed()));
    });
    progress.finish();
    outcome?;
    if writer.saved() < total {
        eprintln!(
            "selfplay: interrupted; {} of {total} games are saved, the same command goes on",
            writer.saved()
        );
        return Ok(ExitCode::from(INTERRUPTED));
    }
    writer.finish()?;
    report(args, &path, started.elapsed(), &tally)
}

/// What a file is called and a hash of its bytes, for the header.
fn name_and_hash(path: &Path) -> anyhow::Result<String> {
    generate::name_and_hash(path).with_context(|| format!("cannot read {}", path.display()))
}

/// What this run has done.
#[derive(Default)]
struct Tally {
    games: u64,
    positions: u64,
    labels: u64,
    nodes: u64,
}

impl Tally {
    fn add(&mut self, played: &Played, deep: Option<DeepLabels>, seed: u64) {
        self.games += 1;
        self.positions += played.game.plies.len() as u64;
        self.labels += DeepLabels::count(deep, seed, played.game);
        self.nodes += played.nodes;
    }

    fn rates(&self, elapsed: Duration) -> String {
        let rate = |count: u64| count as f64 / elapsed.as_secs_f64().max(1e-9);
        format!(
            "{:.2} games/s, {:.0} positions/s, {:.0} labels/s, {:.0} nodes/s",
            rate(self.games),
            rate(self.positions),
            rate(self.labels),
            rate(self.nodes)
        )
    }
}

/// Reads the finished file once more and says what is in it.
fn report(args: &GenerateArgs, path: &Path, elapsed: Duration, tally: &Tally) -> anyhow::Result<ExitCode> {
    let statistics = Statistics::of(&[path])?;
    if statistics.games == 0 {
        bail!("{} holds no game", path.display());
    }
    let Accuracy { played_out, wins, draws } = statistics.accuracy;
    if args.json {
        let text = serde_json::to_string_pretty(&json!({
            "file": path,
            "games": statistics.games,
            "positions": statistics.positions,
            "bytes": statistics.bytes,
            "bytes_a_position": statistics.bytes_a_position(),
            "adjudication": {
                "played_out": played_out,
                "wins_called": wins.0, "wins_right": wins.1,
                "draws_called": draws.0, "draws_right": draws.1,
            },
            "this_run": {
                "games": tally.games, "positions": tally.positions, "labels": tally.labels, "nodes": tally.nodes,
                "seconds": elapsed.as_secs_f64(), "threads": args.threads,
            },
        }))?;
        println!("{text}");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", path.display());
    println!(
        "{} games, {} positions, {} bytes: {:.3} bytes a position",
        statistics.games,
        statistics.positions,
        statistics.bytes,
        statistics.bytes_a_position()
    );
    if tally.games > 0 {
        println!("{} games in {elapsed:.1?}: {}", tally.games, tally.rates(elapsed));
    }
    println!("{}", accuracy_line(&statistics.accuracy));
    Ok(ExitCode::SUCCESS)
}

/// How often the rules of adjudication would have been right.
pub fn accuracy_line(accuracy: &Accuracy) -> String {
    let Accuracy { played_out, wins, draws } = accuracy;
    format!(
        "adjudication, tried on the {played_out} games that were played out: {} of {} wins right, {} of {} \
         draws right",
        wins.1, wins.0, draws.1, draws.0
    )
}
