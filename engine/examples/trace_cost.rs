//! What tracing costs when nobody listens: nothing. To see it, count instructions with and without the
//! calls in the code:
//!
//! ```sh
//! for flags in "" "--cfg untraced"; do
//!     RUSTFLAGS="-Ctarget-cpu=x86-64-v2 $flags" cargo build --release -p engine --example trace_cost
//!     valgrind --tool=callgrind --toggle-collect='*Evaluator*evaluate*' --callgrind-out-file=/dev/null \
//!         target/release/examples/trace_cost
//! done
//! ```
//!
//! The two `Collected` numbers are equal.

use std::hint::black_box;
use std::sync::Arc;

use engine::Board;
use engine::eval::{EvalParams, Evaluator, Weights, endgame};

include!("positions.in");

const ROUNDS: usize = 100;

fn main() {
    let mut evaluator = Evaluator::new(Arc::new(Weights::new(&EvalParams::default())));
    let mut sum = 0;
    for fen in POSITIONS {
        let board = match Board::from_fen(fen) {
            Ok(board) => board,
            Err(error) => panic!("{fen}: {error}"),
        };
        evaluator.reset(&board);
        // Tables that an ending computes when first asked are none of the evaluation's cost.
        black_box(endgame::recognise(&board));
        for _ in 0..ROUNDS {
            sum += black_box(evaluator.evaluate(black_box(&board)));
        }
    }
    println!("{} evaluations, sum {sum}", ROUNDS * POSITIONS.len());
}
