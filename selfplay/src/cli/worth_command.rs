//! `selfplay worth`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::Args;
use engine::search::Signals;
use selfplay::games::Game;
use selfplay::games::fairy::worth::{PUBLISHED, Prices, Pricing, price};
use selfplay::games::fairy::{Fairy, shipped};
use serde_json::json;

use super::INTERRUPTED;
use super::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  The pieces of a variant, a picture beside the table:
    selfplay worth capablanca --plot worth.svg
  A file of your own, more games for smaller errors:
    selfplay worth my-variant.toml --games 4000
  One piece in Betza notation: it stands in the place of the queen of chess, and replaces pieces at random:
    selfplay worth --betza BN";

/// Price every piece of a fairy variant in pawns, with error bars, by self-play and a fit.
///
/// Games begin with uneven armies: each piece is missing with some chance, or replaced by another one. Prices are what explains
/// the results best; the first round is played with values from mobility, each later one with the prices of the one before.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: selfplay worth --help")]
pub struct WorthArgs {
    /// A variant that is shipped, or a variant file
    #[arg(value_name = "VARIANT", required_unless_present = "betza")]
    variant: Option<String>,

    /// Price a piece in Betza notation instead
    #[arg(long, value_name = "PIECE", conflicts_with = "variant")]
    betza: Option<String>,

    /// Games of a round
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    games: u64,

    /// Rounds
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20))]
    rounds: u32,

    /// Nodes for each move
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    nodes: u64,

    /// The chance in a hundred of each piece to be missing at the beginning
    #[arg(long, value_name = "PERCENT", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=90))]
    missing: u64,

    /// Decides everything that is random
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Write the prices with their error bars as a picture
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,

    /// Write the result as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &WorthArgs) -> anyhow::Result<ExitCode> {
    let fairy = match (&args.betza, &args.variant) {
        (Some(betza), _) => with_piece(betza)?,
        (None, Some(name)) => shipped::open(name).map_err(|reason| anyhow!(reason))?,
        (None, None) => unreachable!("clap asks for one of them"),
    };
    let pricing = Pricing {
        games: args.games,
        rounds: args.rounds,
        nodes: args.nodes,
        missing: args.missing,
        opening_plies: 4,
        max_plies: 200,
        seed: args.seed,
    };
    let signals = Arc::new(Signals::new());
    let handler = signals.clone();
    ctrlc::set_handler(move || handler.stop()).context("cannot listen for Ctrl-C")?;
    let progress = Progress::new(Some(args.games as usize * args.rounds as usize), "games");
    let prices = price(&fairy, &pricing, &signals, &mut |round, number| {
        progress.show(u64::from(round - 1) * args.games + number, &format!("round {round}"));
    });
    progress.finish();
    let Some(prices) = prices else {
        eprintln!("selfplay: interrupted; nothing is kept");
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if let Some(path) = &args.plot {
        let mut file =
            std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        file.write_all(picture(&fairy.variant.name, &prices).as_bytes())?;
    }
    print!("{}", if args.json { as_json(&fairy, &prices)? } else { table(&fairy, &prices) });
    Ok(ExitCode::SUCCESS)
}

/// Chess with one more type of piece, which stands where the queens do.
fn with_piece(betza: &str) -> anyhow::Result<Fairy> {
    if let Err(error) = selfplay::games::fairy::betza::parse(betza) {
        return Err(anyhow!("--betza, {}", error.shown(betza)));
    }
    let chess = shipped::SHIPPED.iter().find(|(name, _)| *name == "orthodox").map_or("", |file| file.1);
    let text = chess
        .replace("rnbqkbnr", "rnbxkbnr")
        .replace("RNBQKBNR", "RNBXKBNR")
        .replace("\"orthodox\"", "\"piece\"");
    let text = format!("{text}\n[pieces.X]\nname = \"{betza}\"\nbetza = \"{betza}\"\n");
    Fairy::from_text(&text).map_err(|error| anyhow!("--betza {betza}: {error}"))
}

/// What people say a piece of this name is worth.
fn published(name: &str) -> &'static str {
    PUBLISHED.iter().find(|(known, _)| *known == name).map_or("", |(_, pawns)| pawns)
}

fn table(fairy: &Fairy, prices: &Prices) -> String {
    let mut text = format!(
        "{}: {} games, {} positions; unit {} (two standard errors)\n\n  piece                 worth          mobility  published\n",
        fairy.rules(),
        prices.games,
        prices.positions,
        prices.unit
    );
    let most = prices.pieces.iter().map(|worth| worth.pawns).fold(1.0, f64::max);
    for worth in &prices.pieces {
        let bar = "#".repeat((worth.pawns.max(0.0) / most * 30.0).round() as usize);
        text += &format!(
            "  {} {:18} {:6.2} ± {:5.2}  {:8.2}  {:12} {bar}\n",
            worth.letter,
            worth.name,
            worth.pawns,
            worth.error,
            worth.mobility,
            published(&worth.name)
        );
    }
    text
}

fn as_json(fairy: &Fairy, prices: &Prices) -> anyhow::Result<String> {
    let pieces: Vec<_> = prices
        .pieces
        .iter()
        .map(|worth| {
            json!({
                "letter": worth.letter, "name": worth.name, "worth": worth.pawns, "error": worth.error,
                "mobility": worth.mobility, "published": published(&worth.name),
            })
        })
        .collect();
    let all = json!({
        "variant": fairy.rules(), "unit": prices.unit, "games": prices.games, "positions": prices.positions,
        "pieces": pieces,
    });
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}

/// Bars with whiskers.
fn picture(name: &str, prices: &Prices) -> String {
    let high = prices.pieces.iter().map(|worth| worth.pawns + worth.error).fold(1.0, f64::max);
    let (left, scale, step) = (150.0, 520.0 / high, 26.0);
    let height = 50.0 + step * prices.pieces.len() as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"22\">{}: what pieces are worth, in units of {}; two standard errors</text>\n",
        escaped(name),
        prices.unit
    );
    for (number, worth) in prices.pieces.iter().enumerate() {
        let y = 40.0 + step * number as f64;
        let (end, low, top) = (
            left + worth.pawns.max(0.0) * scale,
            left + (worth.pawns - worth.error).max(0.0) * scale,
            left + (worth.pawns + worth.error) * scale,
        );
        text += &format!(
            "<text x=\"10\" y=\"{:.0}\">{}</text>\n<rect x=\"{left}\" y=\"{y:.0}\" width=\"{:.1}\" height=\"16\" \
             fill=\"#7a9cc6\"/>\n<path d=\"M{low:.1} {mid:.0}H{top:.1}\" stroke=\"black\"/>\n<text x=\"{:.1}\" \
             y=\"{:.0}\">{:.2}</text>\n",
            y + 13.0,
            escaped(&worth.name),
            end - left,
            top + 6.0,
            y + 13.0,
            worth.pawns,
            mid = y + 8.0,
        );
    }
    text + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
