//! Nanoseconds an evaluation takes, caches warm: `cargo bench -p engine --bench evaluate`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use engine::Board;
use engine::eval::{EvalParams, Evaluator, Weights};

include!("../examples/positions.in");

const ROUNDS: u32 = 4_000;

fn main() {
    let boards: Vec<Board> = POSITIONS
        .iter()
        .map(|fen| Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")))
        .collect();
    let weights = Arc::new(Weights::new(&EvalParams::default()));
    // One evaluator a board: its accumulator stands there, its caches are warm.
    let mut evaluators: Vec<Evaluator> = boards
        .iter()
        .map(|board| {
            let mut evaluator = Evaluator::new(weights.clone());
            evaluator.reset(board);
            evaluator
        })
        .collect();
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let started = Instant::now();
        for _ in 0..ROUNDS / 10 {
            for (board, evaluator) in boards.iter().zip(&mut evaluators) {
                black_box(evaluator.evaluate(black_box(board)));
            }
        }
        let calls = f64::from(ROUNDS / 10) * boards.len() as f64;
        best = best.min(started.elapsed().as_nanos() as f64 / calls);
    }
    println!("{best:.0} ns an evaluation, best of ten runs over {} positions", boards.len());
}
