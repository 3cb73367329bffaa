//! `selfplay style`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use engine::types::Color;
use selfplay::style::{GameProfile, PlayerStyle, SACRIFICE_SIZES, StyleReport, read_games, read_record};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  Who plays for the king? All players of two files with enough games to tell:
    selfplay style games.pgn more.pgn --min-games 50
  Two of them, for a program:
    selfplay style games.pgn --player Tal --player Normal --json
  Does a style show in its own games?
    selfplay generate --games 1000 --style Tal --out tal && selfplay style tal/*.tgr
  What each side did in each game, one JSON object a line, for statistics of your own:
    selfplay style games.pgn --per-game games.jsonl

The columns:
  sac      wins after being down material for 4 half-moves, in percent of the wins; then by size:
           P a pawn, X two (an exchange), N a piece, R a rook, Q a queen
  short    wins in few moves, in percent of the wins
  bad      draws before an endgame or after having been ahead, in percent of the draws
  attack   moves after which two pieces or more bear on the enemy king, in percent of the middlegame's
  checks   in a hundred moves
  storms   pawns pushed beyond the middle towards a king on a wing, a game
  avoid    moves that could have been a sound capture and were something else, in percent
  queens   moves with both queens on the board, in percent
  EAS      the Engine Aggressiveness Score after Stefan Pohl's definition, version 6; it wants 50 wins and
           30 draws to be reliable";

/// Say how players play: sacrifices, attacks, short wins, needless draws.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples and the columns: selfplay style --help")]
pub struct StyleArgs {
    /// Games: PGN, or records of self-play
    #[arg(value_name = "FILE.pgn|FILE.tgr", required = true)]
    files: Vec<PathBuf>,

    /// Show only this player; may be given several times
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    /// Show only players with so many games
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u64,

    /// Write what each side did in each game, one JSON object a line
    #[arg(long, value_name = "FILE")]
    per_game: Option<PathBuf>,

    /// Write the figures as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Refused games that are named one by one, a file.
const NAMED_REFUSALS: usize = 5;

/// Runs the command.
pub fn run(args: &StyleArgs) -> anyhow::Result<ExitCode> {
    let mut games = Vec::new();
    let (mut unfinished, mut refused) = (0, 0);
    for path in &args.files {
        if path.extension().is_some_and(|ending| ending == "tgr") {
            games.extend(read_record(path)?);
            continue;
        }
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        // Names in an older encoding are no reason to refuse the games.
        let read = read_games(&String::from_utf8_lossy(&bytes));
        for (line, reason) in read.refused.iter().take(NAMED_REFUSALS) {
            eprintln!("selfplay: {}, the game at line {line} is left out: {reason}", path.display());
        }
        if read.refused.len() > NAMED_REFUSALS {
            let more = read.refused.len() - NAMED_REFUSALS;
            eprintln!("selfplay: {}: {more} more games are left out", path.display());
        }
        unfinished += read.unfinished;
        refused += read.refused.len();
        games.extend(read.games);
    }
    ensure!(
        !games.is_empty(),
        "not a single game with a result ({unfinished} unfinished, {refused} refused)"
    );
    let mut report = StyleReport::of(&games);
    for name in &args.player {
        let known = report.players.iter().any(|player| player.name == *name);
        ensure!(known, "--player {name}: nobody has this name in these games");
    }
    report.players.retain(|player| {
        let is_named = args.player.is_empty() || args.player.contains(&player.name);
        is_named && player.results.games() >= args.min_games
    });
    if let Some(path) = &args.per_game {
        write_per_game(path, &games).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.json {
        let counts = json!({ "games": games.len(), "unfinished": unfinished, "refused": refused });
        let text = json!({ "counts": counts, "style": report, "sacrifice_sizes": SACRIFICE_SIZES });
        println!("{}", serde_json::to_string_pretty(&text)?);
    } else {
        print!("{}", table(&report));
        println!(
            "{} games, {unfinished} unfinished, {refused} refused, {} there twice; wins are short up to {} \
             moves (decided games: {} on average)",
            games.len(),
            report.duplicates,
            report.yardstick.short_win,
            report.yardstick.moves_of_all,
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn write_per_game(path: &Path, games: &[GameProfile]) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for (number, game) in games.iter().enumerate() {
        for color in Color::ALL {
            let side = json!({
                "game": number + 1,
                "round": game.round,
                "player": game.names[color.index()],
                "opponent": game.names[(!color).index()],
                "white": color == Color::White,
                "result": game.result_of(color),
                "plies": game.plies,
                "by_accident": game.by_accident,
                "bad_draw": game.is_bad_draw_of(color),
                "reached_endgame": game.reached_endgame,
                "men": game.men,
                "own": game.sides[color.index()],
                "theirs": game.sides[(!color).index()],
            });
            writeln!(file, "{side}")?;
        }
    }
    file.flush()?;
    Ok(())
}

fn table(report: &StyleReport) -> String {
    let width = report.players.iter().map(|player| player.name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:width$} {:>6} {:>17} {:>6} {:>6} {:>5} {:>24} {:>5} {:>5} {:>6} {:>6} {:>6} {:>5} {:>6} {:>8}\n",
        "player",
        "games",
        "+ = -",
        "moves",
        "wins",
        "sac",
        "P/X/N/R/Q",
        "short",
        "bad",
        "attack",
        "checks",
        "storms",
        "avoid",
        "queens",
        "EAS",
    );
    for player in &report.players {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{:width$} {}", player.name, figures(player));
    }
    text
}

fn figures(player: &PlayerStyle) -> String {
    let results = &player.results;
    let share = |part: u64, all: u64| match all {
        0 => "-".to_string(),
        _ => format!("{:.1}", 100.0 * part as f64 / all as f64),
    };
    let sizes: Vec<String> = player.sacrifices.iter().map(u64::to_string).collect();
    format!(
        "{:>6} {:>17} {:>6.1} {:>6.1} {:>5} {:>24} {:>5} {:>5} {:>6.1} {:>6.1} {:>6.2} {:>5.1} {:>6.1} {:>8}",
        results.games(),
        format!("{}/{}/{}", results.wins, results.draws, results.losses),
        player.moves,
        player.moves_of_wins,
        share(player.wins_by_sacrifice(), results.wins),
        sizes.join("/"),
        share(player.short_wins, results.wins),
        share(player.bad_draws, results.draws),
        100.0 * player.attacking,
        player.checks,
        player.storms,
        100.0 * player.captures_avoided,
        100.0 * player.queens_on,
        player.aggressiveness.score,
    )
}
