//! How fast queries run: positions a second and core, on a record and on PGN, and how long pgn-extract takes for
//! the same question. The games of a small record are taken again and again until there are two million positions.
//!
//!     cargo run --release --example query_speed -- FILE.tgr [FILE.pgn]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context;
use selfplay::query::{Limits, compile, execute};
use selfplay::record::{GameRecord, Reader, write_record};

/// Questions to the record, from the cheapest to the dearest.
const ON_RECORDS: [(&str, &str); 7] = [
    ("stored results", "where drawn count"),
    ("stored results and plies", "where drawn and ply >= 20 and ply < 60 count"),
    ("stored, grouped", "group by ending select count, mean(length)"),
    ("one game by its number", "where game = 0 count"),
    ("scores", "where score > 200 count"),
    ("boards: men", "where men <= 12 count"),
    ("boards: squares", "where any(pieces(white, knight) & attacked(black)) count"),
];

/// A question that pgn-extract can answer too: a rook ending with a pawn each.
const MATERIAL: &str = "where material(\"KRPvKRP\") once count";

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let record = arguments.next().context("which record? Give FILE.tgr")?;
    let directory = tempfile::tempdir()?;
    let large = directory.path().join("large.tgr");
    enlarge(Path::new(&record), &large)?;
    let record = large.display();
    let all = timed(&format!("games \"{record}\" count"), 1)?;
    println!("{record}: {} positions", all.rows);
    for (name, query) in ON_RECORDS {
        let text = format!("games \"{record}\" {query}");
        let (one, two) = (timed(&text, 1)?, timed(&text, 2)?);
        println!(
            "{name:<26} {:>8.2} M positions/s on one core, {:.2} times as fast on two",
            all.rows / one.cpu.as_secs_f64() / 1e6,
            one.cpu.as_secs_f64() / two.busiest.as_secs_f64(),
        );
    }
    if let Some(pgn) = arguments.next() {
        on_pgn(&pgn)?;
    }
    Ok(())
}

/// Writes the games of a record until there are enough positions.
fn enlarge(record: &Path, target: &Path) -> anyhow::Result<()> {
    const POSITIONS: usize = 2_000_000;
    let reader = Reader::open(record)?;
    let mut header = reader.header().clone();
    let games: Vec<GameRecord> = reader.into_games().collect::<Result<_, _>>()?;
    let positions: usize = games.iter().map(|game| game.length() + 1).sum();
    let rounds = POSITIONS.div_ceil(positions.max(1));
    header.games = 0..(rounds * games.len()) as u64;
    let all = (0..rounds).flat_map(|_| &games).enumerate();
    write_record(target, &header, all.map(|(id, game)| Ok(GameRecord { id: id as u64, ..game.clone() })))?;
    Ok(())
}

fn on_pgn(pgn: &str) -> anyhow::Result<()> {
    let text = format!("games \"{pgn}\" {MATERIAL}");
    let all = timed(&format!("games \"{pgn}\" count"), 1)?;
    let one = timed(&text, 1)?;
    let rate = all.rows / one.cpu.as_secs_f64() / 1e6;
    println!(
        "{pgn}: material on one core {rate:.2} M positions/s, {:.3} s, {} games",
        one.cpu.as_secs_f64(),
        one.rows
    );
    let directory = tempfile::tempdir()?;
    let pattern = directory.path().join("material.txt");
    // A rook and a pawn each, for a ply at least.
    std::fs::write(&pattern, "1 rp rp\n")?;
    // Debian puts it among the games, which not every PATH has.
    let debian = Path::new("/usr/games/pgn-extract");
    let mut command = Command::new(if debian.exists() { debian } else { Path::new("pgn-extract") });
    command.arg("-s").arg(format!("-z{}", pattern.display())).arg("-o/dev/null").arg(pgn);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let before = children_cpu();
    match command.status() {
        Err(error) => println!("skipped: pgn-extract cannot be run: {error}"),
        Ok(_) => {
            let cpu = children_cpu().saturating_sub(before);
            let ratio = cpu.as_secs_f64() / one.cpu.as_secs_f64();
            println!(
                "pgn-extract: {:.3} s of CPU time: the query is {ratio:.2} times as fast",
                cpu.as_secs_f64()
            );
        }
    }
    Ok(())
}

/// What a run took, in CPU time: what other processes do does not count.
struct Timing {
    rows: f64,
    /// Of all threads.
    cpu: Duration,
    /// Of the thread that worked longest: a machine with idle cores waits for this one.
    busiest: Duration,
}

/// Runs a query on so many threads, the best of three.
fn timed(text: &str, threads: usize) -> anyhow::Result<Timing> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let plans = compile(text).map_err(|problem| anyhow::anyhow!("{}", problem.render(text)))?;
    let mut best: Option<Timing> = None;
    for _ in 0..3 {
        let before = threads_cpu();
        let found = pool.install(|| execute(&plans, &Limits::default(), |_| {}))?;
        let spent: Vec<Duration> = threads_cpu()
            .into_iter()
            .map(|(thread, cpu)| cpu.saturating_sub(before.get(&thread).copied().unwrap_or_default()))
            .collect();
        let (cpu, busiest) = (spent.iter().sum(), spent.iter().copied().max().unwrap_or_default());
        let rows = found[0].rows[0][0].to_string().parse().unwrap_or(0.0);
        if best.as_ref().is_none_or(|best| busiest < best.busiest) {
            best = Some(Timing { rows, cpu, busiest });
        }
    }
    best.context("no run")
}

/// CPU time of each thread of this process.
fn threads_cpu() -> BTreeMap<String, Duration> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return BTreeMap::new() };
    let times = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
        Some((thread.file_name().to_string_lossy().into_owned(), Duration::from_nanos(nanoseconds)))
    });
    times.collect()
}

/// CPU time of processes that were waited for, in hundredths of a second.
fn children_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<u64> = after_name.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
    // Fields 16 and 17 of the line; the first two are before the bracket.
    let ticks: u64 = fields.iter().skip(13).take(2).sum();
    Duration::from_millis(ticks * 10)
}
