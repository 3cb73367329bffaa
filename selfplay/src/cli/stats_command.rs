//! `selfplay stats`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use selfplay::record::statistics::{DIVERSITY_PLIES, SCORE_RANGES};
use selfplay::record::{COLUMNS, Ending, Statistics};
use serde_json::json;

use super::generate_command::accuracy_line;

/// Say what is in game records: results, endings, diversity, truth of the scores, bytes.
#[derive(Args)]
pub struct StatsArgs {
    /// Records
    #[arg(required = true, value_name = "FILE.tgr")]
    files: Vec<PathBuf>,

    /// Write the figures as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &StatsArgs) -> anyhow::Result<ExitCode> {
    let statistics = Statistics::of(&args.files)?;
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&as_json(&statistics))?),
        false => print(&statistics),
    }
    Ok(ExitCode::SUCCESS)
}

fn share(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The range of scores with this number, in words.
fn range(number: usize) -> String {
    match (number, SCORE_RANGES.get(number + 1)) {
        (0, Some(end)) => format!("below {end}"),
        (_, Some(end)) => format!("{} to {}", SCORE_RANGES[number], end - 1),
        (_, None) => format!("{} and more", SCORE_RANGES[number]),
    }
}

fn print(statistics: &Statistics) {
    let Statistics { games, positions, results: [white, draws, black], .. } = *statistics;
    println!("games            {games}");
    println!("positions        {positions} searched, {} of openings", statistics.opening_plies);
    let (shortest, longest) = statistics.length.unwrap_or((0, 0));
    let mean = (positions + statistics.opening_plies) as f64 / games.max(1) as f64;
    println!("length           {mean:.1} plies on average, {shortest} to {longest}");
    println!("mean depth       {:.2}", statistics.depth_sum as f64 / positions.max(1) as f64);
    println!(
        "results          White {white} ({:.1}%), draws {draws} ({:.1}%), Black {black} ({:.1}%)",
        share(white, games),
        share(draws, games),
        share(black, games)
    );
    println!("explored         {} moves", statistics.explored);
    for ending in Ending::ALL {
        let count = statistics.endings[ending as usize];
        if count > 0 {
            println!("  {:<22} {count:>9} ({:.1}%)", ending.words(), share(count, games));
        }
    }
    println!("{}", accuracy_line(&statistics.accuracy));
    for ((ply, distinct), reached) in
        DIVERSITY_PLIES.iter().zip(statistics.distinct()).zip(statistics.reached)
    {
        println!(
            "different at ply {ply:<3} {distinct} of {reached} ({:.2}%)",
            share(distinct as u64, reached)
        );
    }
    println!("score of the side to move, centipawns: positions, points its side made");
    for (number, (count, half_points)) in statistics.calibration.into_iter().enumerate() {
        if count > 0 {
            println!("  {:<16} {count:>9}  {:.1}%", range(number), share(half_points, 2 * count));
        }
    }
    println!("bytes            {} = {:.4} a position", statistics.bytes, statistics.bytes_a_position());
    let mut rest = statistics.bytes;
    for (name, bytes) in COLUMNS.iter().zip(statistics.column_bytes) {
        println!("  {name:<14} {bytes:>9} = {:.4}", bytes as f64 / positions.max(1) as f64);
        rest -= bytes;
    }
    println!("  {:<14} {rest:>9} = {:.4}", "headers", rest as f64 / positions.max(1) as f64);
}

fn as_json(statistics: &Statistics) -> serde_json::Value {
    let accuracy = statistics.accuracy;
    let endings: serde_json::Map<String, serde_json::Value> =
        Ending::ALL.iter().map(|&e| (e.words().to_string(), statistics.endings[e as usize].into())).collect();
    let columns: serde_json::Map<String, serde_json::Value> = COLUMNS
        .iter()
        .zip(statistics.column_bytes)
        .map(|(name, bytes)| (name.to_string(), bytes.into()))
        .collect();
    let calibration: Vec<_> = (statistics.calibration.into_iter().enumerate())
        .map(|(number, (count, half_points))| {
            json!({ "range": range(number), "positions": count, "points": half_points as f64 / 2.0 })
        })
        .collect();
    let diversity: Vec<_> = (DIVERSITY_PLIES.iter().zip(statistics.distinct()).zip(statistics.reached))
        .map(|((ply, distinct), games)| json!({ "ply": ply, "distinct": distinct, "games": games }))
        .collect();
    json!({
        "games": statistics.games,
        "positions": statistics.positions,
        "opening_plies": statistics.opening_plies,
        "white_wins": statistics.results[0],
        "draws": statistics.results[1],
        "black_wins": statistics.results[2],
        "shortest": statistics.length.map(|(shortest, _)| shortest),
        "longest": statistics.length.map(|(_, longest)| longest),
        "explored": statistics.explored,
        "mean_depth": statistics.depth_sum as f64 / statistics.positions.max(1) as f64,
        "endings": endings,
        "adjudication": {
            "played_out": accuracy.played_out,
            "wins_called": accuracy.wins.0, "wins_right": accuracy.wins.1,
            "draws_called": accuracy.draws.0, "draws_right": accuracy.draws.1,
        },
        "diversity": diversity,
        "calibration": calibration,
        "bytes": statistics.bytes,
        "bytes_a_position": statistics.bytes_a_position(),
        "column_bytes": columns,
    })
}
