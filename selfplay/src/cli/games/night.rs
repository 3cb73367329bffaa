//! `selfplay game-night`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Args;
use engine::search::Signals;
use selfplay::games::Game;
use selfplay::games::night::{Night, NightSettings, usual_settings};
use selfplay::games::registry::WithGame;

use super::{GameName, parse_share};
use crate::cli::INTERRUPTED;
use crate::cli::learn_command::MethodArgs;

/// Play, learn, fit and gate, round after round; goes on after any interruption.
///
/// Each round's games are played by the champion, at first a player that has learned nothing. A book is learned from all
/// games so far, weights are fitted to those of the last two rounds, and the player with both must beat the champion to
/// take its place. What is finished is skipped when the same command is given again. Example:
///   selfplay game-night --game dominions --out nights/dominions --rounds 2 --games 400 --nodes 100 --threads 2
#[derive(Args)]
pub struct NightArgs {
    /// The game: NAME or NAME:RULES
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// The folder of the night; made if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Rounds of play, learn, fit and gate [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,

    /// Games of self-play a round [default: 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: Option<u64>,

    /// Nodes for each action [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: Option<u64>,

    /// Games of a gate at most, an even number [default: 400]
    #[arg(long, value_name = "N")]
    gate_games: Option<usize>,

    /// The test of a gate [default: elo0=0,elo1=50,alpha=0.05,beta=0.05]
    #[arg(long, value_name = "TEST")]
    sprt: Option<String>,

    /// Begin with up to so many random actions [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    opening_plies: Option<u32>,

    /// The chance of a random action in self-play [default: 0.05]
    #[arg(long, value_name = "0..1", value_parser = parse_share)]
    explore: Option<u32>,

    /// Decides everything that is random [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Games at the same time
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    #[command(flatten)]
    method: MethodArgs,
}

/// Runs the command.
pub fn run(args: NightArgs) -> anyhow::Result<ExitCode> {
    args.game.clone().with(Work(args))
}

struct Work(NightArgs);

impl WithGame for Work {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let args = self.0;
        let usual = usual_settings(&game);
        let settings = NightSettings {
            rounds: args.rounds.unwrap_or(usual.rounds),
            games: args.games.unwrap_or(usual.games),
            nodes: args.nodes.unwrap_or(usual.nodes),
            gate_games: args.gate_games.unwrap_or(usual.gate_games),
            sprt: args.sprt.clone().unwrap_or(usual.sprt),
            opening_plies: args.opening_plies.unwrap_or(usual.opening_plies),
            explore: args.explore.unwrap_or(usual.explore),
            seed: args.seed.unwrap_or(usual.seed),
            ..usual
        };
        let gate_games = settings.gate_games;
        ensure!(
            gate_games >= 2 && gate_games.is_multiple_of(2),
            "--gate-games {gate_games}: must be even, at least 2"
        );
        let night =
            Night::open(&game, &args.out, settings, args.method.method()?, usize::from(args.threads))?;
        let signals = Arc::new(Signals::new());
        let handler = signals.clone();
        ctrlc::set_handler(move || handler.stop()).context("cannot listen for Ctrl-C")?;
        night.run(&signals, &mut |line| eprintln!("{line}"))?;
        if signals.stopped() {
            eprintln!("selfplay: interrupted; everything finished is saved, the same command goes on");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let champion = night.player_of(night.champion()?);
        println!("champion: {}", champion.name);
        for file in champion.files() {
            println!("  {}", file.display());
        }
        Ok(ExitCode::SUCCESS)
    }
}
