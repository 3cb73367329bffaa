//! Labelled positions out of nothing: random games, and results drawn by what the pieces are worth.

#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use engine::Board;
use engine::types::{Color, PieceType};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What the pieces are worth in the world of these tests.
pub const WORTH: [i32; 5] = [100, 300, 300, 500, 900];

/// A position and White's expected score in it.
pub struct Sample {
    pub board: Board,
    pub expected: f64,
    /// Drawn with that expectation: 0, ½ or 1.
    pub result: f64,
}

/// White's material less Black's, in centipawns.
pub fn material(board: &Board) -> i32 {
    let kinds = [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
    let count = |color, kind| board.pieces(color, kind).count() as i32;
    kinds
        .into_iter()
        .zip(WORTH)
        .map(|(kind, worth)| worth * (count(Color::White, kind) - count(Color::Black, kind)))
        .sum()
}

/// So many positions of random games.
pub fn samples(number: usize, seed: u64) -> Vec<Sample> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut samples = Vec::new();
    while samples.len() < number {
        let mut board = Board::start();
        for ply in 0..160 {
            let moves = board.legal_moves();
            if moves.is_empty() || board.insufficient_material() || samples.len() == number {
                break;
            }
            board.make(moves[rng.random_range(0..moves.len())]);
            if ply > 8 && !board.in_check() && rng.random_bool(0.3) {
                let expected = 1.0 / (1.0 + 10f64.powf(-f64::from(material(&board)) / 400.0));
                let lot: f64 = rng.random();
                let draws = 0.3 * (1.0 - (2.0 * expected - 1.0).abs());
                let result = if lot < expected - draws / 2.0 {
                    1.0
                } else if lot < expected + draws / 2.0 {
                    0.5
                } else {
                    0.0
                };
                samples.push(Sample { board: fresh(&board), expected, result });
            }
        }
    }
    samples
}

/// The position without its history.
fn fresh(board: &Board) -> Board {
    Board::from_setup(&board.setup())
}

/// The four fields.
pub fn fields(board: &Board) -> String {
    board.fen().split(' ').take(4).collect::<Vec<_>>().join(" ")
}

pub fn pgn(result: f64) -> &'static str {
    if result == 1.0 {
        "1-0"
    } else if result == 0.5 {
        "1/2-1/2"
    } else {
        "0-1"
    }
}

/// One line each, as most files have them.
pub fn epd(samples: &[Sample]) -> String {
    samples
        .iter()
        .map(|sample| format!("{} c9 \"{}\";\n", fields(&sample.board), pgn(sample.result)))
        .collect()
}

pub fn write(directory: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).expect("a temporary directory can be written");
    path
}

/// Runs `tune` in a directory.
pub fn tune(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tune"))
        .current_dir(directory)
        .args(arguments)
        .output()
        .expect("tune starts")
}

pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The positions that are not ours to ship, or a word about their absence.
pub fn shared(name: &str) -> Option<PathBuf> {
    let data = match std::env::var_os("TABULA_SHARED") {
        Some(shared) => PathBuf::from(shared).join("data"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    };
    let path = data.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there (shared test data)", path.display());
    None
}
