//! How fast an Experience Book is learned, in positions a second of CPU time of one thread: what other processes do does
//! not count. Linux only.
//!
//!     cargo run --release --example learn_speed -- FILE.tgr [rounds]
//!
//! `scripts/bench learn` runs it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use engine::book::experience::Rule;
use selfplay::learn::{Discount, Method, learn_files};
use selfplay::record::Reader;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path: PathBuf = arguments.next().context("which record? Give FILE.tgr")?.into();
    let rounds: u32 = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    // One thread does everything, so that its time is all of it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        let mut best = [Duration::MAX; 3];
        let mut positions = 0;
        for round in 0..rounds {
            let book = |rule: Rule| folder.path().join(format!("{}{round}.exp", rule.name()));
            let before = cpu()?;
            positions = decode(&path)?;
            let decoded = cpu()?;
            learn(&path, &book(Rule::Mean), Rule::Mean)?;
            let mean = cpu()?;
            learn(&path, &book(Rule::Td), Rule::Td)?;
            let times = [decoded - before, mean - decoded, cpu()? - mean];
            best = std::array::from_fn(|n| best[n].min(times[n]));
        }
        let [decoding, mean, td] = best.map(|time| positions as f64 / time.as_secs_f64());
        println!(
            "{positions} positions, best of {rounds}, positions a CPU second: decoding alone {decoding:.0}, \
             from the file to the book {mean:.0} by the rule mean, {td:.0} by td"
        );
        Ok(())
    })
}

/// Reads all games and forgets them.
fn decode(path: &Path) -> anyhow::Result<usize> {
    let reader = Reader::open(path)?;
    let mut positions = 0;
    for number in 0..reader.blocks().len() {
        positions += reader.decode_with_keys(number)?.iter().map(|(game, _)| game.plies.len()).sum::<usize>();
    }
    Ok(positions)
}

fn learn(path: &Path, book: &Path, rule: Rule) -> anyhow::Result<()> {
    let method = Method { rule, discount: Discount::default(), style: String::new(), coin: None };
    learn_files(book, &[path.to_path_buf()], &method, &|_| {})?;
    Ok(())
}

/// The CPU time of this thread.
fn cpu() -> anyhow::Result<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").context("CPU time needs Linux")?;
    let first = text.split_whitespace().next().context("no number in schedstat")?;
    Ok(Duration::from_nanos(first.parse()?))
}
