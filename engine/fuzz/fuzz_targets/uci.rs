//! The reader of UCI moves never panics, and accepts only legal moves that survive being written and
//! read again. The first character of the input chooses the board, the rest is the move.
#![no_main]

#[allow(dead_code)] // each target uses its own property
#[path = "../../tests/common/text_properties.rs"]
mod text_properties;

use std::sync::LazyLock;

use engine::Board;
use libfuzzer_sys::fuzz_target;

static BOARDS: LazyLock<Vec<Board>> = LazyLock::new(|| {
    let table = include_str!("../../tests/data/perft.epd");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Board::from_epd(line).expect("our own table is right").board).collect()
});

fuzz_target!(|text: &str| {
    let mut rest = text.chars();
    let Some(choice) = rest.next() else { return };
    let board = &BOARDS[choice as usize % BOARDS.len()];
    if let Err(what) = text_properties::uci(board, rest.as_str()) {
        panic!("{what}");
    }
});
