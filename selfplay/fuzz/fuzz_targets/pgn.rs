//! Whatever a file of games has in it, reading and judging it never panics, and what it counts adds up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selfplay::style::{StyleReport, read_games};

fuzz_target!(|text: &str| {
    let read = read_games(text);
    let report = StyleReport::of(&read.games);
    let counted: u64 = report.players.iter().map(|player| player.results.games()).sum();
    // Two sides a game, each once.
    assert_eq!(counted, 2 * (read.games.len() - report.duplicates) as u64);
});
