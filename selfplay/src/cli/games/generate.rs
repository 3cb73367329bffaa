//! `selfplay generate --game`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use engine::search::Signals;
use selfplay::games::Game;
use selfplay::games::generate::GameRun;
use selfplay::games::play::{GamePlayer, Variety};
use selfplay::games::player_spec::load_knowledge;
use selfplay::games::registry::WithGame;
use selfplay::games::search::SearchKind;
use selfplay::play::Shard;
use serde_json::json;

use super::{GameName, name_of_book, parse_share};
use crate::cli::INTERRUPTED;
use crate::cli::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  Two thousand games of Nim from random positions, a quarter of the moves random; the same command goes on:
    selfplay generate --game nim:3-4-5 --games 2000 --nodes 30 --opening-plies 8 --explore 0.25 --out games
  The same again, the player asking the book it has learned so far:
    selfplay generate --game nim:3-4-5 --games 2000 --nodes 30 --opening-plies 8 --explore 0.25 \\
        --book nim.exp --seed 2 --out games";

/// Let a player play itself and keep the games.
///
/// Everything random in game g is decided by (seed, g): the same bytes for every number of threads. Every finished game is
/// saved at once: after Ctrl-C, a crash or kill -9 the same command goes on.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: selfplay generate --game nim --help")]
pub struct GenerateArgs {
    /// The game: NAME or NAME:RULES
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// Games of the whole run, all shards together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,

    /// Directory of the record; it is made if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Nodes for each action
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,

    /// alphabeta, mcts or random [default: what suits the game]
    #[arg(long, value_name = "KIND")]
    search: Option<SearchKind>,

    /// The weights of the evaluation, as `selfplay fit` writes them
    #[arg(long, value_name = "FILE.toml")]
    weights: Option<PathBuf>,

    /// The Experience Book that the search asks
    #[arg(long, value_name = "FILE.exp")]
    book: Option<PathBuf>,

    /// Begin with up to so many random actions, drawn for each game
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1000))]
    opening_plies: u32,

    /// The chance of each later action to be drawn at random
    #[arg(long, value_name = "0..1", default_value = "0.1", value_parser = parse_share)]
    explore: u32,

    /// A game of so many plies is drawn
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    max_plies: u16,

    /// Decides everything that is random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Play only a part of the games: the i-th of n, as in 3/8
    #[arg(long, value_name = "i/n", default_value = "1/1")]
    shard: Shard,

    /// Games at the same time
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Write the report as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: GenerateArgs) -> anyhow::Result<ExitCode> {
    args.game.clone().with(Work(args))
}

struct Work(GenerateArgs);

impl WithGame for Work {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let args = self.0;
        let games = args.shard.range(args.games);
        ensure!(!games.is_empty(), "--shard leaves no game: there are more shards than games");
        let total = games.end - games.start;
        let run = GameRun {
            player: GamePlayer {
                search: args.search.unwrap_or_else(|| SearchKind::usual(&game)),
                nodes: args.nodes,
                knowledge: load_knowledge(&game, args.weights.as_deref(), args.book.as_deref())?,
            },
            book_name: name_of_book(args.book.as_deref())?,
            variety: Variety {
                opening_plies: args.opening_plies,
                explore: args.explore,
                max_plies: usize::from(args.max_plies),
            },
            seed: args.seed,
            games,
            threads: usize::from(args.threads),
        };
        let signals = Arc::new(Signals::new());
        let handler = signals.clone();
        ctrlc::set_handler(move || handler.stop()).context("cannot listen for Ctrl-C")?;
        let progress = Progress::new(Some(total as usize), "games");
        let (begun, mut played_now, mut plies) = (Instant::now(), 0u64, 0u64);
        let report = run.run(&game, &args.out, &signals, &mut |done, played| {
            played_now += 1;
            plies += played.game.plies.len() as u64;
            let rate = played_now as f64 / begun.elapsed().as_secs_f64().max(1e-9);
            progress.show(done, &format!("{rate:.1} games/s"));
        });
        progress.finish();
        let report = report?;
        if !report.finished {
            eprintln!(
                "selfplay: interrupted; {} of {total} games are saved, the same command goes on",
                report.saved
            );
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let seconds = begun.elapsed().as_secs_f64();
        if args.json {
            let figures = json!({
                "file": report.path, "games": total,
                "this_run": { "games": played_now, "positions": plies, "seconds": seconds },
            });
            println!("{}", serde_json::to_string_pretty(&figures)?);
        } else {
            println!("{}", report.path.display());
            println!("{total} games; {played_now} of them, {plies} positions, played now in {seconds:.1} s");
        }
        Ok(ExitCode::SUCCESS)
    }
}
