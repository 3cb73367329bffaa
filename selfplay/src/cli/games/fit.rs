//! `selfplay fit --game`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::Args;
use selfplay::games::Game;
use selfplay::games::fit::fit;
use selfplay::games::night::write_whole;
use selfplay::games::record::games_of;
use selfplay::games::registry::WithGame;
use selfplay::games::weights::Weights;
use serde_json::json;

use super::GameName;
use crate::cli::learn_command::find_records;

/// Fit the weights of a game's evaluation to game records.
///
/// The evaluation learns who wins from a position, the priors what is chosen by those who do not lose. Example:
///   selfplay fit --game dominions --games games/ -o weights.toml
#[derive(Args)]
pub struct FitArgs {
    /// The game: NAME or NAME:RULES
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// Records, or folders of them
    #[arg(long, num_args = 1.., value_name = "FILE.tgr|DIR", required_unless_present = "shuffle")]
    games: Vec<PathBuf>,

    /// Instead of fitting, write these weights in another order: a control that must gain nothing
    #[arg(long, value_name = "FILE.toml", conflicts_with = "games")]
    shuffle: Option<PathBuf>,

    /// Decides that order
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The weights
    #[arg(short, long, value_name = "FILE.toml")]
    out: PathBuf,

    /// Write the figures as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: FitArgs) -> anyhow::Result<ExitCode> {
    args.game.clone().with(Work(args))
}

struct Work(FitArgs);

impl WithGame for Work {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let args = self.0;
        ensure!(
            !game.feature_names().is_empty() || !G::ACTION_FEATURES.is_empty(),
            "{} has no features to be weighed; `selfplay learn` makes a book for it",
            G::NAME
        );
        let write = |weights: &Weights| write_whole(&args.out, &weights.to_text(&game));
        if let Some(path) = &args.shuffle {
            write(&Weights::read(&game, path)?.shuffled(args.seed))?;
            return Ok(ExitCode::SUCCESS);
        }
        let games = games_of(&game, &find_records(&args.games)?)?;
        let (weights, report) = fit(&game, &games);
        write(&weights)?;
        let ([value_before, value_after], [policy_before, policy_after]) =
            (report.value_loss, report.policy_loss);
        if args.json {
            let figures = json!({
                "weights": args.out, "games": games.len(),
                "positions": report.positions, "value_loss": report.value_loss,
                "choices": report.choices, "policy_loss": report.policy_loss,
            });
            println!("{}", serde_json::to_string_pretty(&figures)?);
        } else {
            println!("{}: from {} games", args.out.display(), games.len());
            println!("results: {} positions, loss {value_before:.4} to {value_after:.4}", report.positions);
            println!("choices: {}, loss {policy_before:.4} to {policy_after:.4}", report.choices);
        }
        Ok(ExitCode::SUCCESS)
    }
}
