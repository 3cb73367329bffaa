//! Tests over whole positions: random walks through games.

use std::sync::Arc;

use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64;

use super::*;

/// Plays random games and shows every position with the evaluator that followed it there.
fn random_walks(positions: usize, seed: u64, mut see: impl FnMut(&Board, &mut Evaluator)) {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut evaluator = Evaluator::new(Arc::new(Weights::new(&EvalParams::default())));
    let mut seen = 0;
    while seen < positions {
        let mut board = Board::start();
        evaluator.reset(&board);
        for _ in 0..200 {
            let moves = board.legal_moves();
            if moves.is_empty() || seen == positions {
                break;
            }
            let m = moves[rng.random_range(0..moves.len())];
            evaluator.make(&board, m);
            board.make(m);
            see(&board, &mut evaluator);
            seen += 1;
        }
    }
}

#[test]
fn the_incremental_accumulator_equals_the_recomputed_one() {
    random_walks(20_000, 1, |board, evaluator| {
        assert_eq!(evaluator.current(), Accumulator::of(board, &evaluator.weights));
    });
}

#[test]
fn unmaking_gives_the_accumulator_back() {
    let mut board = Board::start();
    let mut evaluator = Evaluator::new(Arc::new(Weights::new(&EvalParams::default())));
    let mut rng = Pcg64::seed_from_u64(2);
    let mut before = Vec::new();
    for _ in 0..80 {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[rng.random_range(0..moves.len())];
        before.push(evaluator.current());
        evaluator.make(&board, m);
        board.make(m);
    }
    for accumulator in before.into_iter().rev() {
        board.unmake();
        evaluator.unmake();
        assert_eq!(evaluator.current(), accumulator);
    }
    assert_eq!(board, Board::start());
}
