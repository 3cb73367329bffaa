//! How fast records are read and written, on one thread, in CPU time: what other processes do does not
//! count.
//!
//!     cargo run --release --example decode_speed -- FILE.tgr [rounds]

use std::time::{Duration, Instant};

use anyhow::Context;
use selfplay::record::{GameRecord, Reader, write_record};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().context("which record? Give FILE.tgr")?;
    let rounds: u32 = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let reader = Reader::open(&path)?;
    let positions: u64 = reader.blocks().map(|head| u64::from(head.positions)).sum();
    let mut games: Vec<GameRecord> = Vec::new();
    let reading = measure(|| -> anyhow::Result<()> {
        for _ in 0..rounds {
            games.clear();
            for number in 0..reader.blocks().len() {
                games.extend(reader.decode(number)?);
            }
        }
        Ok(())
    })?;
    let directory = tempfile::tempdir()?;
    let target = directory.path().join("copy.tgr");
    let writing = measure(|| Ok(write_record(&target, reader.header(), games.into_iter().map(Ok))?))?;
    let rate = |positions: u64, time: Duration| positions as f64 / time.as_secs_f64();
    println!(
        "read {:.0} positions/s, write {:.0} positions/s ({positions} positions, CPU time of one thread)",
        rate(positions * u64::from(rounds), reading),
        rate(positions, writing)
    );
    Ok(())
}

/// The CPU time of a piece of work; the wall clock where the system does not tell.
fn measure(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let cpu = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().map(Duration::from_nanos).ok()
    };
    let (before, started) = (cpu(), Instant::now());
    work()?;
    Ok(match (before, cpu()) {
        (Some(before), Some(after)) => after - before,
        _ => started.elapsed(),
    })
}
