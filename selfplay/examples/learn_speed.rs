//! How fast games are learned once they are decoded, on one thread, in CPU time.
//!
//!     cargo run --release --example learn_speed -- FILE.tgr [rounds]

use std::time::Duration;

use anyhow::Context;
use engine::board::zobrist::Key;
use engine::book::experience::Rule;
use selfplay::learn::{Discount, Ledger, episode_of};
use selfplay::record::{GameRecord, Reader};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().context("which record? Give FILE.tgr")?;
    let rounds: u32 = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let reader = Reader::open(&path)?;
    let mut games: Vec<(GameRecord, Vec<Key>)> = Vec::new();
    let mut decoding = Duration::ZERO;
    for number in 0..reader.blocks().len() {
        let before = cpu()?;
        games.extend(reader.decode_with_keys(number)?);
        decoding += cpu()? - before;
    }
    let positions: usize = games.iter().map(|(game, _)| game.plies.len()).sum();
    for rule in [Rule::Mean, Rule::Td] {
        let before = cpu()?;
        for _ in 0..rounds {
            let mut ledger = Ledger::new(rule, Discount::default());
            ledger.expect(positions);
            let episodes = games.iter().filter_map(|(game, keys)| episode_of(game, keys));
            episodes.for_each(|episode| ledger.learn(&episode, |_| None));
            std::hint::black_box(ledger.into_sorted());
        }
        let learning = (cpu()? - before) / rounds;
        let rate = |time: Duration| positions as f64 / time.as_secs_f64();
        println!(
            "{}: {:.0} positions a CPU second learned, {:.0} with decoding ({positions} positions)",
            rule.name(),
            rate(learning),
            rate(learning + decoding)
        );
    }
    Ok(())
}

/// The CPU time of this thread.
fn cpu() -> anyhow::Result<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").context("CPU time needs Linux")?;
    let first = text.split_whitespace().next().context("no number in schedstat")?;
    Ok(Duration::from_nanos(first.parse()?))
}
