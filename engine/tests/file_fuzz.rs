//! Damaged binary files: readers refuse them with a word or use what is right in them, and never panic.
//!
//! `TABULA_FUZZ_SECONDS` is the time for each target (1), `TABULA_SEED` chooses the damage (1).

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::file_properties::{self, Verdict};
use common::{setting, shared_data};
use engine::Board;
use engine::book::polyglot::{PolyglotBuilder, PolyglotEntry, key};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Damages bytes in one of the ways that disks, downloads and mistakes have.
fn damage(bytes: &mut Vec<u8>, rng: &mut Pcg64) {
    let length = bytes.len();
    let at = rng.random_range(0..length.max(1));
    match rng.random_range(0..9) {
        0 => bytes.truncate(at),
        1 => bytes.truncate(at / 64 * 64 + 16), // a size that a table could have
        2 => bytes.extend((0..rng.random_range(1..100)).map(|_| rng.random::<u8>())),
        3 => bytes.clear(),
        4 => bytes.iter_mut().for_each(|byte| *byte = rng.random()),
        _ if length == 0 => {}
        // Most places of a table are data; what decides how they are read is at its beginning.
        5 | 6 => bytes[at.min(rng.random_range(0..300))] ^= 1 << rng.random_range(0..8),
        7 => bytes[at] = rng.random(),
        _ => {
            let end = (at + rng.random_range(1..64)).min(length);
            bytes[at..end].fill(rng.random());
        }
    }
}

/// Asks a property until the time is up; both verdicts must come up.
fn run(target: &str, mut attempt: impl FnMut(&mut Pcg64) -> Verdict) {
    let seed = setting("TABULA_SEED", 1);
    let mut rng = Pcg64::seed_from_u64(seed);
    let end = Instant::now() + Duration::from_secs(setting("TABULA_FUZZ_SECONDS", 1));
    let (mut accepted, mut refused) = (0u64, 0u64);
    while Instant::now() < end || accepted + refused < 500 {
        let number = accepted + refused + 1;
        match catch_unwind(AssertUnwindSafe(|| attempt(&mut rng))) {
            Ok(Ok(true)) => accepted += 1,
            Ok(Ok(false)) => refused += 1,
            Ok(Err(what)) => panic!("{target}, file {number} of TABULA_SEED={seed}: {what}"),
            Err(_) => panic!("{target}, file {number} of TABULA_SEED={seed}: panicked, see above"),
        }
    }
    println!("{target}: {accepted} files used, {refused} complained about, no fault");
    assert!(accepted > 20 && refused > 20, "{target}: {accepted} used, {refused} complained about");
}

#[test]
fn polyglot() {
    run("polyglot", |rng| {
        let start = Board::start();
        let mut builder = PolyglotBuilder::new();
        for &m in start.legal_moves().iter().take(rng.random_range(0..20)) {
            builder.add(&start, m, rng.random());
        }
        for _ in 0..rng.random_range(0..40) {
            let key = if rng.random_bool(0.3) { key(&start) } else { rng.random() };
            let (move_bits, weight, learn) = (rng.random(), rng.random(), rng.random());
            builder.add_entry(PolyglotEntry { key, move_bits, weight, learn });
        }
        let mut bytes: Vec<u8> = builder.sorted().iter().flat_map(|entry| entry.to_bytes()).collect();
        for _ in 0..rng.random_range(0..3) {
            damage(&mut bytes, rng);
        }
        file_properties::polyglot(&bytes)
    });
}

/// A folder that goes when the test does.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("tabula {name} {}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it cannot be removed, it stays in the temporary folder; no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn boards(fens: &[&str]) -> Vec<Board> {
    fens.iter().map(|fen| Board::from_fen(fen).expect("a test position")).collect()
}

/// Without captures of the last man, so that no other table is needed; KPvKP has the reader's longest way.
fn endings() -> Vec<(&'static str, Vec<Board>)> {
    vec![
        (
            "KQvK",
            boards(&[
                "8/8/8/8/8/2k5/8/K2Q4 w - - 0 1",
                "8/8/8/8/8/2k5/8/K2Q4 b - - 0 1",
                "7q/8/8/8/8/1K6/8/7k b - - 0 1",
            ]),
        ),
        (
            "KPvKP",
            boards(&[
                "8/5p2/8/8/2k5/8/1P6/K7 w - - 0 1",
                "8/5p2/8/8/2k5/8/1P6/K7 b - - 0 1",
                "4k3/8/8/p7/7P/8/8/4K3 b - - 3 1",
                "4k3/3p4/8/8/8/8/P7/4K3 w - - 3 1",
            ]),
        ),
        ("KRvKN", boards(&["8/8/8/8/3n4/1k6/8/K2R4 w - - 0 1", "8/8/8/2n5/8/1k6/8/K6R b - - 0 1"])),
    ]
}

#[test]
fn syzygy() {
    let scratch = Scratch::new("damaged tables");
    let read = |folder: &Path, ending: &str, extension: &str| {
        std::fs::read(folder.join(format!("{ending}.{extension}"))).expect("a table of the folder")
    };
    let real: Vec<[Vec<u8>; 2]> = match shared_data("syzygy") {
        Some(folder) => endings()
            .iter()
            .map(|(ending, _)| ["rtbw", "rtbz"].map(|extension| read(&folder, ending, extension)))
            .collect(),
        None => return,
    };
    let endings = endings();
    run("syzygy", |rng| {
        let index = rng.random_range(0..endings.len());
        let (ending, positions) = &endings[index];
        let [mut wdl, mut dtz] = real[index].clone();
        for _ in 0..rng.random_range(0..3) {
            damage(if rng.random() { &mut wdl } else { &mut dtz }, rng);
        }
        // An ending that leads to others needs theirs; a missing one is a complaint of its own.
        file_properties::syzygy(&scratch.0, ending, &wdl, &dtz, positions)
    });
}

/// Needs no tables: bytes that begin like one and go on at random.
#[test]
fn syzygy_made_up() {
    let scratch = Scratch::new("made-up tables");
    let endings = endings();
    let mut messages = 0;
    let mut rng = Pcg64::seed_from_u64(setting("TABULA_SEED", 1));
    for _ in 0..300 {
        let (ending, positions) = &endings[rng.random_range(0..endings.len())];
        let mut made_up = |magic: [u8; 4], layout: u8| -> Vec<u8> {
            let length = 64 * rng.random_range(0..20) + 16;
            let mut bytes: Vec<u8> = (0..length).map(|_| rng.random()).collect();
            bytes[..4].copy_from_slice(&magic);
            bytes[4] = layout;
            bytes
        };
        let layout = if *ending == "KPvKP" { 2 } else { 1 };
        let wdl = made_up([0x71, 0xE8, 0x23, 0x5D], layout);
        let dtz = made_up([0xD7, 0x66, 0x0C, 0xA5], layout);
        match file_properties::syzygy(&scratch.0, ending, &wdl, &dtz, positions) {
            Ok(used) => messages += usize::from(!used),
            Err(what) => panic!("{what}"),
        }
    }
    assert!(messages > 250, "{messages} of 300 were complained about");
}
