//! A small fuzzer that needs nothing installed: texts that are right are damaged in ways that know the
//! grammar, and the readers must neither panic nor break a promise of `common/text_properties.rs`.
//!
//! `TABULA_FUZZ_SECONDS` is the time for each target (1), `TABULA_SEED` chooses the texts (1).
//! `engine/fuzz` has the same targets for cargo-fuzz, which measures coverage but needs a nightly compiler.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use common::text_properties::{self, Verdict};
use common::walk::{self, Rules};
use common::{own_data, setting};
use engine::Board;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What the grammars are made of, and what they are not.
const SNIPPETS: [&str; 54] = [
    "/",
    "8",
    "1",
    "7",
    "K",
    "k",
    "Q",
    "q",
    "R",
    "r",
    "B",
    "b",
    "N",
    "n",
    "P",
    "p",
    " ",
    " w ",
    " b ",
    "-",
    "KQkq",
    "HAha",
    "e3",
    "d6",
    "a1",
    "h8",
    "0",
    "9999",
    "65535",
    "65536",
    "-1",
    "x",
    "=",
    "=Q",
    "O-O",
    "0-0-0",
    "+",
    "#",
    "!?",
    "e.p.",
    ";",
    "\"",
    "bm",
    "id \"a\";",
    "hmvc 3;",
    "fmvn 0;",
    "\t",
    "\n",
    "\u{0}",
    "é",
    "♔",
    "🙂",
    "0000",
    "(Q)",
];

/// Damages a text once.
fn mutate(text: &str, others: &[String], rng: &mut Pcg64) -> String {
    let characters: Vec<char> = text.chars().collect();
    let at = rng.random_range(0..=characters.len());
    let (front, back) = characters.split_at(at);
    let (front, back): (String, String) = (front.iter().collect(), back.iter().collect());
    let mut tail = back.chars();
    match rng.random_range(0..9) {
        0 => {
            tail.next();
            format!("{front}{}", tail.as_str())
        }
        1 => format!("{front}{}{back}", SNIPPETS[rng.random_range(0..SNIPPETS.len())]),
        2 => {
            tail.next();
            format!("{front}{}{}", SNIPPETS[rng.random_range(0..SNIPPETS.len())], tail.as_str())
        }
        3 => front,
        4 => {
            // Two neighbours change places.
            let (first, second) = (tail.next(), tail.next());
            let pair: String = second.into_iter().chain(first).collect();
            format!("{front}{pair}{}", tail.as_str())
        }
        5 => {
            // One field from elsewhere.
            let other = &others[rng.random_range(0..others.len())];
            let mut fields: Vec<&str> = text.split(' ').collect();
            let donor: Vec<&str> = other.split(' ').collect();
            let place = rng.random_range(0..fields.len());
            fields[place] = donor[place.min(donor.len() - 1)];
            fields.join(" ")
        }
        6 => {
            let other = &others[rng.random_range(0..others.len())];
            let cut = rng.random_range(0..=other.chars().count());
            front.chars().chain(other.chars().skip(cut)).collect()
        }
        7 => {
            let mut fields: Vec<&str> = text.split(' ').collect();
            let (a, b) = (rng.random_range(0..fields.len()), rng.random_range(0..fields.len()));
            fields.swap(a, b);
            fields.join(" ")
        }
        _ => {
            tail.next();
            let any = char::from_u32(rng.random_range(0..0x2FFF)).unwrap_or('\u{FFFD}');
            format!("{front}{any}{}", tail.as_str())
        }
    }
}

fn damaged(others: &[String], rng: &mut Pcg64) -> String {
    let mut text = others[rng.random_range(0..others.len())].clone();
    for _ in 0..rng.random_range(0..4) {
        text = mutate(&text, others, rng);
    }
    text
}

/// Asks a property about new texts until the time is up.
fn run(target: &str, mut attempt: impl FnMut(&mut Pcg64) -> (String, Box<dyn FnOnce(&str) -> Verdict>)) {
    let seed = setting("TABULA_SEED", 1);
    let mut rng = Pcg64::seed_from_u64(seed);
    let end = Instant::now() + Duration::from_secs(setting("TABULA_FUZZ_SECONDS", 1));
    let (mut accepted, mut refused) = (0u64, 0u64);
    while Instant::now() < end {
        let (text, property) = attempt(&mut rng);
        let number = accepted + refused + 1;
        let place = || format!("{target}, text {number} of TABULA_SEED={seed}: {text:?}");
        match catch_unwind(AssertUnwindSafe(|| property(&text))) {
            Ok(Ok(true)) => accepted += 1,
            Ok(Ok(false)) => refused += 1,
            Ok(Err(what)) => panic!("{}\n  {what}", place()),
            Err(_) => panic!("{}\n  panicked, see above", place()),
        }
    }
    println!("{target}: {accepted} texts accepted, {refused} refused, no fault");
    assert!(
        accepted > 100 && refused > 100,
        "{target}: {accepted} accepted, {refused} refused: too one-sided"
    );
}

/// FENs that are right: known ones and those of random games.
fn fens(rng: &mut Pcg64) -> Vec<String> {
    let mut fens: Vec<String> = (0..400)
        .map(|index| {
            let rules = if index % 2 == 0 { Rules::Standard } else { Rules::Chess960 };
            let (board, _) = random_board(rules, rng);
            if index % 4 < 2 { board.fen() } else { board.shredder_fen() }
        })
        .collect();
    for line in own_data("malformed.tsv").lines().filter(|line| !line.starts_with('#')) {
        fens.extend(line.split('\t').next().map(String::from));
    }
    fens
}

/// A board some moves into a random game, and what the moves are called there.
fn random_board(rules: Rules, rng: &mut Pcg64) -> (Board, Vec<String>) {
    let mut board = Board::from_fen(&walk::start(rules, rng)).expect("a random start is a position");
    let mut played = Vec::new();
    for _ in 0..rng.random_range(0..60) {
        let Some(m) = walk::next_move(&board, &played, rng) else { break };
        board.make(m);
        played.push(m);
    }
    let mut names = vec![String::from("e2e4"), String::from("O-O"), String::from("Nbxd7+")];
    for &m in board.legal_moves().iter() {
        names.extend([board.uci(m, false), board.uci(m, true), board.san(m)]);
    }
    (board, names)
}

#[test]
fn fen() {
    let mut rng = Pcg64::seed_from_u64(2);
    let seeds = fens(&mut rng);
    run("fen", |rng| (damaged(&seeds, rng), Box::new(text_properties::fen)));
}

#[test]
fn epd() {
    let mut seeds: Vec<String> = own_data("perft.epd").lines().map(String::from).collect();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    seeds.push(format!("{start} bm Nf3 e4; id \"a; b\"; c9 \"1-0\"; ce 60;"));
    seeds.push(format!("{start} hmvc 7; fmvn 12; am a3; acd 20;"));
    seeds.extend(fens(&mut Pcg64::seed_from_u64(3)).into_iter().take(100));
    run("epd", |rng| (damaged(&seeds, rng), Box::new(text_properties::epd)));
}

/// Move texts need boards: a new one every so often.
fn run_moves(target: &str, property: fn(&Board, &str) -> Verdict) {
    let (mut board, mut names) = (Board::start(), vec![String::from("e2e4")]);
    let mut texts = 0;
    run(target, |rng| {
        if texts % 64 == 0 {
            let rules = if rng.random_bool(0.5) { Rules::Standard } else { Rules::Chess960 };
            (board, names) = random_board(rules, rng);
        }
        texts += 1;
        let board = board.clone();
        (damaged(&names, rng), Box::new(move |text| property(&board, text)))
    });
}

#[test]
fn uci() {
    run_moves("uci", text_properties::uci);
}

#[test]
fn san() {
    run_moves("san", text_properties::san);
}
