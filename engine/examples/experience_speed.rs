//! How fast the Experience Book answers and what it costs the search, beside two plain ways to keep the same
//! rows: a `HashMap` and a sorted `Vec`, both loaded with bincode. Each runs in a process of its own, so that
//! its memory can be told. Linux only.
//!
//!     cargo run --release --package engine --example experience_speed [-- ROWS]
//!
//! `scripts/bench book` runs it.

use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::Board;

use engine::book::experience::{ExperienceBook, ExperienceEntry, Header, Row, write_book};
use engine::eval::{EvalParams, Weights};
use engine::search::{Limits, Searcher, Signals, Silent};
use engine::tools::bench;
use engine::types::Move;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

type Outcome<T> = Result<T, Box<dyn Error>>;
/// A row as bincode writes it: key, move, games, wins, draws, depths, scores.
type Plain = (u64, u16, u32, u32, u32, u32, i64);

const LOOKUPS: usize = 1_000_000;
const DEFAULT_ROWS: u64 = 10_000_000;
const SEARCH_NODES: u64 = 150_000;
const SEARCH_ROUNDS: usize = 7;
/// Where instructions are counted, which takes fifty times as long.
const COUNTED_NODES: u64 = 10_000;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => compare(DEFAULT_ROWS),
        [rows] => compare(rows.parse()?),
        ["--book", folder] => measure_book(Path::new(folder)),
        ["--map", folder] => measure_map(Path::new(folder)),
        ["--vec", folder] => measure_vec(Path::new(folder)),
        ["--search", folder] => measure_search(Path::new(folder)),
        ["--search-off", _] => search_outside(&mut searcher(None)?, COUNTED_NODES).map(|_| ()),
        ["--search-on", folder] => {
            search_outside(&mut searcher(Some(Path::new(folder)))?, COUNTED_NODES).map(|_| ())
        }
        _ => Err("usage: experience_speed [ROWS]".into()),
    }
}

/// A folder that vanishes.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn compare(rows: u64) -> Outcome<()> {
    let scratch = Scratch(std::env::temp_dir().join(format!("tabula-experience-{}", std::process::id())));
    fs::create_dir_all(&scratch.0)?;
    let begun = Instant::now();
    let written = write_book(&book_file(&scratch.0), &Header::default(), synthetic(rows))?;
    println!("a book of {written} rows, written in {:.1?}", begun.elapsed());
    let plain: Vec<Plain> = synthetic(rows).map(plain_of).collect();
    let mut file = BufWriter::new(File::create(plain_file(&scratch.0))?);
    bincode::encode_into_std_write(&plain, &mut file, bincode::config::standard())?;
    file.into_inner()?.sync_all()?;
    drop(plain);
    println!("{:<34}{:>10}{:>14}{:>10}{:>10}", "", "open, ms", "resident, MB", "hit, ns", "miss, ns");
    for mode in ["--book", "--map", "--vec", "--search"] {
        let status = Command::new(std::env::current_exe()?).arg(mode).arg(&scratch.0).status()?;
        if !status.success() {
            return Err(format!("{mode} failed").into());
        }
    }
    Ok(())
}

fn book_file(folder: &Path) -> PathBuf {
    folder.join("synthetic.exp")
}

fn plain_file(folder: &Path) -> PathBuf {
    folder.join("synthetic.bincode")
}

/// The keys of the synthetic book, in order: two thirds as many as rows, so that positions have one move or
/// two.
fn keys(rows: u64) -> Vec<u64> {
    let mut random = Pcg64::seed_from_u64(1);
    let mut keys: Vec<u64> = (0..rows * 2 / 3).map(|_| random.next_u64()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn synthetic(rows: u64) -> impl Iterator<Item = Row> {
    let mut moves: Vec<Move> = Board::start().legal_moves().to_vec();
    moves.sort_unstable_by_key(|m| m.bits());
    let row = move |(number, key): (usize, u64)| {
        let games = 1 + (number % 50) as u32;
        let pair = [moves[number % 10], moves[10 + number % 10]];
        let of = move |m| Row {
            key,
            m,
            games,
            wins: games / 3,
            draws: games / 4,
            depth_sum: 9 * games,
            score_sum: i64::from(games) * 256 * (number as i64 % 200 - 100),
        };
        let count = 1 + number % 2;
        pair.into_iter().take(count).map(of)
    };
    keys(rows).into_iter().enumerate().flat_map(row)
}

fn plain_of(row: Row) -> Plain {
    (row.key, row.m.bits(), row.games, row.wins, row.draws, row.depth_sum, row.score_sum)
}

/// Known keys and unknown ones, in random order.
fn questions(rows: u64) -> [Vec<u64>; 2] {
    let keys = keys(rows);
    let mut random = Pcg64::seed_from_u64(2);
    let hits = (0..LOOKUPS).map(|_| keys[random.next_u64() as usize % keys.len()]).collect();
    let misses = (0..LOOKUPS).map(|_| random.next_u64()).collect();
    [hits, misses]
}

/// Resident memory of this process in MB.
fn resident() -> Outcome<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: f64 = line.split_whitespace().next().ok_or("no number")?.parse()?;
    Ok(kilobytes / 1024.0)
}

/// Nanoseconds for each of the questions, CPU time.
fn time_each(questions: &[u64], mut answer: impl FnMut(u64) -> i64) -> Outcome<f64> {
    let before = cpu()?;
    let sum: i64 = questions.iter().map(|&key| answer(key)).fold(0, i64::wrapping_add);
    black_box(sum);
    Ok((cpu()? - before).as_nanos() as f64 / questions.len() as f64)
}

fn cpu() -> Outcome<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(Duration::from_nanos(text.split_whitespace().next().ok_or("no number")?.parse()?))
}

fn print(name: &str, open: Duration, resident: f64, hit: f64, miss: f64) {
    println!("{name:<34}{:>10.2}{resident:>14.1}{hit:>10.0}{miss:>10.0}", open.as_secs_f64() * 1e3);
}

fn measure_book(folder: &Path) -> Outcome<()> {
    let before = resident()?;
    let begun = Instant::now();
    let book = ExperienceBook::open(&book_file(folder))?;
    let open = begun.elapsed();
    let grown = resident()? - before;
    let [hits, misses] = questions(book.len());
    // A lookup as the search makes it: all moves of the position.
    let answer = |key| book.lookup(key).map(|row| i64::from(row.score())).sum();
    let first = time_each(&hits, answer)?;
    let first_miss = time_each(&misses, answer)?;
    print("Experience Book, blocks unseen", open, grown, first, first_miss);
    let (hit, miss) = (time_each(&hits, answer)?, time_each(&misses, answer)?);
    print("Experience Book", open, grown, hit, miss);
    let known =
        hits.iter().filter(|&&key| book.entry(key).is_some_and(|e: ExperienceEntry| e.games_played > 0));
    assert_eq!(known.count(), hits.len(), "every known key is found");
    Ok(())
}

fn load(folder: &Path) -> Outcome<Vec<Plain>> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(plain_file(folder))?);
    Ok(bincode::decode_from_std_read(&mut file, bincode::config::standard())?)
}

fn measure_map(folder: &Path) -> Outcome<()> {
    let before = resident()?;
    let begun = Instant::now();
    let rows = load(folder)?;
    let mut map: HashMap<u64, Vec<Plain>> = HashMap::new();
    for row in &rows {
        map.entry(row.0).or_default().push(*row);
    }
    let count = rows.len() as u64;
    drop(rows);
    let open = begun.elapsed();
    let grown = resident()? - before;
    let [hits, misses] = questions(count);
    let answer = |key| map.get(&key).map_or(0, |rows| rows.iter().map(|row| row.6 / i64::from(row.2)).sum());
    print("HashMap of Vec, bincode", open, grown, time_each(&hits, answer)?, time_each(&misses, answer)?);
    Ok(())
}

fn measure_vec(folder: &Path) -> Outcome<()> {
    let before = resident()?;
    let begun = Instant::now();
    let rows = load(folder)?;
    let open = begun.elapsed();
    let grown = resident()? - before;
    let [hits, misses] = questions(rows.len() as u64);
    let answer = |key| {
        let first = rows.partition_point(|row| row.0 < key);
        rows[first..].iter().take_while(|row| row.0 == key).map(|row| row.6 / i64::from(row.2)).sum()
    };
    print("sorted Vec, bincode", open, grown, time_each(&hits, answer)?, time_each(&misses, answer)?);
    Ok(())
}

/// With the book of a folder, or without one.
fn searcher(book: Option<&Path>) -> Outcome<Searcher> {
    let mut searcher = Searcher::new(16, Arc::new(Weights::new(&EvalParams::embedded())));
    if let Some(folder) = book {
        searcher.set_experience(Some(Arc::new(ExperienceBook::open(&book_file(folder))?)));
    }
    Ok(searcher)
}

/// Searches positions that are not in the book; the nodes visited.
fn search_outside(searcher: &mut Searcher, nodes: u64) -> Outcome<u64> {
    let mut visited = 0;
    for (fen, _) in bench::POSITIONS.iter().take(12) {
        searcher.new_game();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        visited += searcher.search(&Board::from_fen(fen)?, &limits, &Signals::new(), &mut Silent).nodes;
    }
    Ok(visited)
}

/// The same searches with the book on and off, in turn; positions are not in it, so the trees must be equal.
fn measure_search(folder: &Path) -> Outcome<()> {
    // [off, on]
    let mut searchers = [searcher(None)?, searcher(Some(folder))?];
    let mut times = [Vec::new(), Vec::new()];
    let mut nodes = [0; 2];
    for _ in 0..SEARCH_ROUNDS {
        for which in 0..2 {
            let before = cpu()?;
            nodes[which] = search_outside(&mut searchers[which], SEARCH_NODES)?;
            times[which].push(cpu()? - before);
        }
    }
    if nodes[0] != nodes[1] {
        return Err(format!("the book changed a search outside of it: {nodes:?} nodes").into());
    }
    let mut ratios: Vec<f64> = times[0]
        .iter()
        .zip(&times[1])
        .map(|(off, on)| 100.0 * off.as_secs_f64() / on.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    times.iter_mut().for_each(|times| times.sort_unstable());
    let speed = [0, 1].map(|which: usize| nodes[0] as f64 / times[which][0].as_secs_f64());
    println!(
        "search outside the book: {:.0} nodes a CPU second without it, {:.0} with it ({:.2}%; best of \
         {SEARCH_ROUNDS}); each pair of runs {:.2}% to {:.2}%, median {:.2}%",
        speed[0],
        speed[1],
        100.0 * speed[1] / speed[0],
        ratios[0],
        ratios[SEARCH_ROUNDS - 1],
        ratios[SEARCH_ROUNDS / 2]
    );
    match [instructions(folder, "--search-off"), instructions(folder, "--search-on")] {
        [Some(off), Some(on)] => println!(
            "instructions of the same searches with {COUNTED_NODES} nodes each: {off} without it, {on} with it \
             ({:.3}% of the speed)",
            100.0 * off as f64 / on as f64
        ),
        _ => println!("instructions are not counted: that needs valgrind"),
    }
    Ok(())
}

/// What callgrind counts in a process of its own. Busy machines count the same as idle ones.
fn instructions(folder: &Path, mode: &str) -> Option<u64> {
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .arg(mode)
        .arg(folder)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    let line = text.lines().find(|line| line.contains("Collected"))?;
    line.split_whitespace().last()?.parse().ok()
}
