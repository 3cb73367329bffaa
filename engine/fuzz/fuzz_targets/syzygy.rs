//! Damaged tablebases are complained about and never end the program. The first byte of the input chooses the
//! ending, the second says where the WDL table ends and the DTZ table begins.
#![no_main]

#[allow(dead_code)] // each target uses its own property
#[path = "../../tests/common/file_properties.rs"]
mod file_properties;

use std::path::PathBuf;
use std::sync::LazyLock;

use engine::Board;
use libfuzzer_sys::fuzz_target;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("tabula fuzzed tables {}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    folder
});

/// Two positions each, with either side to move.
const ENDINGS: [(&str, [&str; 2]); 3] = [
    ("KQvK", ["8/8/8/8/8/2k5/8/K2Q4 w - - 0 1", "8/8/8/8/8/2k5/8/K2Q4 b - - 0 1"]),
    ("KPvKP", ["8/5p2/8/8/2k5/8/1P6/K7 w - - 0 1", "8/5p2/8/8/2k5/8/1P6/K7 b - - 0 1"]),
    ("KRvKN", ["8/8/8/8/3n4/1k6/8/K2R4 w - - 0 1", "8/8/8/2n5/8/1k6/8/K6R b - - 0 1"]),
];

fuzz_target!(|bytes: &[u8]| {
    let [choice, cut, rest @ ..] = bytes else { return };
    let (ending, fens) = ENDINGS[usize::from(*choice) % ENDINGS.len()];
    let positions = fens.map(|fen| Board::from_fen(fen).expect("our own positions are right"));
    let (wdl, dtz) = rest.split_at(rest.len() * usize::from(*cut) / 255);
    if let Err(what) = file_properties::syzygy(&FOLDER, ending, wdl, dtz, &positions) {
        panic!("{what}");
    }
});
