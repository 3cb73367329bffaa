//! `selfplay match --game`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use engine::search::Signals;
use selfplay::arena::journal::MatchIdentity;
use selfplay::arena::{Scoreboard, Sprt, SprtState};
use selfplay::games::generate::name_and_hash;
use selfplay::games::matches::GameMatch;
use selfplay::games::play::Variety;
use selfplay::games::player_spec::PlayerSpec;
use selfplay::games::registry::WithGame;
use selfplay::games::{Game, full_name};
use serde_json::json;

use super::GameName;
use crate::cli::INTERRUPTED;
use crate::cli::match_report::{interval_json, percent, plus_minus};
use crate::cli::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  What was learned against nothing, at equal nodes:
    selfplay match --game dominions --engine self:weights=weights.toml,book=book.exp,name=learned \\
        --engine self:name=untrained --nodes 100 --games 200
  Two searches against each other, until one hypothesis is accepted:
    selfplay match --game tictactoe --engine self:search=mcts --engine self:search=alphabeta --nodes 200 \\
        --sprt elo0=0,elo1=20";

/// Play two players against each other and say what the results prove.
///
/// Games come in pairs: the same random opening with colours reversed.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: selfplay match --game nim --help")]
pub struct MatchArgs {
    /// The game: NAME or NAME:RULES
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// A player: self[:name=N,search=alphabeta|mcts|random,nodes=N,weights=FILE,book=FILE]; give it twice
    #[arg(long, value_name = "PLAYER", required = true)]
    engine: Vec<PlayerSpec>,

    /// Nodes for each action, where a player has no number of its own
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,

    /// Games at most, an even number
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,

    /// Stop when one of two hypotheses is accepted: elo0=0,elo1=5,alpha=0.05,beta=0.05
    #[arg(long, value_name = "TEST")]
    sprt: Option<Sprt>,

    /// Begin with up to so many random actions, drawn for each pair
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1000))]
    opening_plies: u32,

    /// A game of so many plies is drawn
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    max_plies: u16,

    /// Decides everything that is random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,

    /// Keep the results here, game by game: after a kill the same command goes on where it stopped
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Write the result as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: MatchArgs) -> anyhow::Result<ExitCode> {
    args.game.clone().with(Work(args))
}

struct Work(MatchArgs);

impl MatchArgs {
    /// Everything that decides the games.
    fn identity(&self, game: String) -> anyhow::Result<MatchIdentity> {
        let mut identity = vec![
            ("--game".to_string(), game),
            ("--nodes".to_string(), self.nodes.to_string()),
            ("--games".to_string(), self.games.to_string()),
            ("--sprt".to_string(), format!("{:?}", self.sprt)),
            ("--opening-plies".to_string(), self.opening_plies.to_string()),
            ("--max-plies".to_string(), self.max_plies.to_string()),
            ("--seed".to_string(), self.seed.to_string()),
        ];
        for (number, spec) in (1..).zip(&self.engine) {
            identity.push((format!("engine {number}"), format!("{spec:?}")));
            for file in spec.files() {
                let content =
                    name_and_hash(file).with_context(|| format!("cannot read {}", file.display()))?;
                identity.push((format!("the content of {}", file.display()), content));
            }
        }
        Ok(identity)
    }

    fn report(&self, board: &Scoreboard, seconds: f64) -> anyhow::Result<String> {
        let encounter = &board.encounters()[0];
        let (games, pairs) = (&encounter.games, &encounter.pairs);
        let names = [&self.engine[0].name, &self.engine[1].name];
        let sprt_words = |sprt: Sprt| match sprt.state(pairs) {
            SprtState::Running => "undecided",
            SprtState::AcceptH0 => "H0 accepted",
            SprtState::AcceptH1 => "H1 accepted",
        };
        if self.json {
            return Ok(serde_json::to_string_pretty(&json!({
                "game": self.game.0, "first": names[0], "second": names[1],
                "results": games, "score": games.score(), "pentanomial": pairs,
                "elo": pairs.elo().map(interval_json), "superiority": pairs.likelihood_of_superiority(),
                "sprt": self.sprt.map(|sprt| json!({ "llr": sprt.llr(pairs), "state": sprt.state(pairs) })),
                "seconds": seconds,
            }))? + "\n");
        }
        let (wins, draws, losses) = (games.wins, games.draws, games.losses);
        let mut text = format!(
            "{} - {}: {} games, +{wins} ={draws} -{losses}, {}\n",
            names[0],
            names[1],
            games.games(),
            percent(games.score())
        );
        if let Some(elo) = pairs.elo() {
            text += &format!("  Elo {} (95%), pairs {:?}\n", plus_minus(&elo), pairs.0);
        }
        if let Some(sprt) = self.sprt {
            let (lower, upper) = sprt.bounds();
            let llr = sprt.llr(pairs);
            text += &format!("  SPRT LLR {llr:.3} [{lower:.3}, {upper:.3}], {}\n", sprt_words(sprt));
        }
        Ok(text
            + &format!("  {seconds:.1} s, {:.1} plies a game\n", encounter.mean_moves().unwrap_or(0.0) * 2.0))
    }
}

impl WithGame for Work {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let args = self.0;
        ensure!(args.engine.len() == 2, "a match has two players: give --engine twice");
        ensure!(
            args.games >= 2 && args.games.is_multiple_of(2),
            "--games {}: must be even, at least 2",
            args.games
        );
        let played = GameMatch {
            players: [args.engine[0].load(&game, args.nodes)?, args.engine[1].load(&game, args.nodes)?],
            games: args.games,
            variety: Variety {
                opening_plies: args.opening_plies,
                explore: 0,
                max_plies: usize::from(args.max_plies),
            },
            seed: args.seed,
            sprt: args.sprt,
            threads: usize::from(args.concurrency),
        };
        let signals = Arc::new(Signals::new());
        let handler = signals.clone();
        ctrlc::set_handler(move || handler.stop()).context("cannot listen for Ctrl-C")?;
        let identity = args.identity(full_name(&game))?;
        let journal = args.journal.as_deref().map(|path| (path, &identity));
        let progress = Progress::new(Some(args.games), "games");
        let begun = Instant::now();
        let board = played.run(&game, journal, &signals, &mut |board| {
            let games = &board.encounters()[0].games;
            progress.show(board.games(), &format!("+{} ={} -{}", games.wins, games.draws, games.losses));
        });
        progress.finish();
        let board = board?;
        print!("{}", args.report(&board, begun.elapsed().as_secs_f64())?);
        if signals.stopped() {
            let goes_on = if args.journal.is_some() { "; the same command goes on" } else { "" };
            eprintln!("selfplay: interrupted after {} games{goes_on}", board.games());
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Ok(ExitCode::SUCCESS)
    }
}
