//! `selfplay judge`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use selfplay::arena::sprt::{Sprt, SprtState};
use selfplay::arena::stats::{Pentanomial, WinDrawLoss};
use serde_json::{Value, json};

/// Add up rounds of a match and say what they prove together.
///
/// Rounds are reports of `selfplay match --json` between the same two engines, each from openings of its own
/// (another --seed). Whole rounds have the same results however many run at once and wherever they run, so a test
/// that is judged after each of them ends with the same verdict everywhere.
#[derive(Args)]
#[command(after_help = "Example:
  selfplay match --engine self:weights=new.toml --engine self: --games 200 --nodes 5000 --seed 1 --json >round1.json
  selfplay match --engine self:weights=new.toml --engine self: --games 200 --nodes 5000 --seed 2 --json >round2.json
  selfplay judge --sprt elo0=0,elo1=5 round1.json round2.json")]
pub struct JudgeArgs {
    /// Reports of `selfplay match --json`, each of two engines
    #[arg(required = true, value_name = "ROUND.json")]
    rounds: Vec<PathBuf>,

    /// The test, as for `selfplay match`
    #[arg(long, value_name = "TEST", default_value = "elo0=0,elo1=5,alpha=0.05,beta=0.05")]
    sprt: Sprt,

    /// Write the judgement as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// What a round says: who played, and how the first of them did.
struct Round {
    names: [String; 2],
    games: WinDrawLoss,
    pairs: Pentanomial,
}

/// Runs the command.
pub fn run(args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    let rounds: Vec<Round> = args.rounds.iter().map(|path| read(path)).collect::<anyhow::Result<_>>()?;
    let names = &rounds[0].names;
    let (mut games, mut pairs) = (WinDrawLoss::default(), Pentanomial::default());
    for (round, path) in rounds.iter().zip(&args.rounds) {
        let [first, second] = &round.names;
        ensure!(
            &round.names == names,
            "{}: {first} against {second}, not {} against {} as before; rounds of one match only",
            path.display(),
            names[0],
            names[1]
        );
        games.wins += round.games.wins;
        games.draws += round.games.draws;
        games.losses += round.games.losses;
        for (sum, count) in pairs.0.iter_mut().zip(round.pairs.0) {
            *sum += count;
        }
    }
    let elo = pairs.elo();
    let state = args.sprt.state(&pairs);
    let (lower, upper) = args.sprt.bounds();
    if args.json {
        let elo = elo
            .map(|elo| json!({"value": elo.value, "low": elo.low, "high": elo.high, "error": elo.error()}));
        let judgement = json!({
            "first": names[0],
            "second": names[1],
            "rounds": rounds.len(),
            "results": games,
            "score": games.score(),
            "pentanomial": pairs,
            "elo": elo,
            "superiority": pairs.likelihood_of_superiority(),
            "sprt": {
                "test": args.sprt,
                "llr": args.sprt.llr(&pairs),
                "lower": lower,
                "upper": upper,
                "state": state,
            },
        });
        println!("{}", serde_json::to_string_pretty(&judgement)?);
        return Ok(ExitCode::SUCCESS);
    }
    let verdict = match state {
        SprtState::Running => "undecided",
        SprtState::AcceptH0 => "H0 accepted",
        SprtState::AcceptH1 => "H1 accepted",
    };
    println!("{} against {}: {} rounds", names[0], names[1], rounds.len());
    println!("+{} ={} -{}  pairs {:?}", games.wins, games.draws, games.losses, pairs.0);
    if let Some(elo) = elo {
        println!("Elo {:+.1} [{:+.1}, {:+.1}]", elo.value, elo.low, elo.high);
    }
    let Sprt { elo0, elo1, .. } = args.sprt;
    println!(
        "SPRT elo0 {elo0} elo1 {elo1}: LLR {:.3} [{lower:.3}, {upper:.3}], {verdict}",
        args.sprt.llr(&pairs)
    );
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> anyhow::Result<Round> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| {
        format!("{}: no report of one `selfplay match --json` between two engines", path.display())
    })
}

fn parse(text: &str) -> anyhow::Result<Round> {
    let report: Value = serde_json::from_str(text)?;
    let encounters = report["encounters"].as_array().context("no encounters")?;
    ensure!(encounters.len() == 1, "{} encounters", encounters.len());
    let encounter = &encounters[0];
    let name = |key: &str| encounter[key].as_str().map(str::to_owned).with_context(|| format!("no `{key}`"));
    let count = |value: &Value| value.as_u64().context("a count is missing");
    let pairs = encounter["pentanomial"].as_array().filter(|counts| counts.len() == 5);
    let mut pentanomial = Pentanomial::default();
    for (class, value) in pentanomial.0.iter_mut().zip(pairs.context("no pentanomial counts")?) {
        *class = count(value)?;
    }
    let results = &encounter["results"];
    let games = WinDrawLoss {
        wins: count(&results["wins"])?,
        draws: count(&results["draws"])?,
        losses: count(&results["losses"])?,
    };
    Ok(Round { names: [name("first")?, name("second")?], games, pairs: pentanomial })
}
