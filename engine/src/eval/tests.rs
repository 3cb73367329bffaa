//! Tests over whole positions: random walks through games.
//!
//! `TABULA_POSITIONS` sets how many positions the long ones visit.

use std::sync::Arc;

use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64;

use super::*;
use crate::board::Setup;
use crate::types::Piece;

/// How many positions to visit: the environment's wish, or a number that takes a second or two.
fn positions(quick: usize) -> usize {
    std::env::var("TABULA_POSITIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(quick)
}

/// Plays random games and shows every position with the evaluator that followed it there.
fn random_walks(weights: Weights, positions: usize, seed: u64, mut see: impl FnMut(&Board, &mut Evaluator)) {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut evaluator = Evaluator::new(Arc::new(weights));
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

fn normal() -> Weights {
    Weights::new(&EvalParams::default())
}

/// Every weight moved a little, so that no two are equal by luck and none is zero.
fn shaken(seed: u64) -> EvalParams {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut params = EvalParams::default();
    params.visit_mut(&mut |weight| {
        let (mg, eg) = (rng.random_range(-9..10), rng.random_range(-9..10));
        *weight += Score::new(mg, eg);
    });
    params
}

/// The board with colours exchanged, White's first rank for Black's.
fn mirrored(board: &Board) -> Board {
    let setup = board.setup();
    let mut pieces = [None; 64];
    for square in crate::types::Square::all() {
        pieces[square.flip_rank().index()] =
            setup.pieces[square.index()].map(|piece| Piece::new(!piece.color(), piece.kind()));
    }
    let [white, black] = setup.castling_rooks.map(|rooks| rooks.map(|rook| rook.map(|r| r.flip_rank())));
    Board::from_setup(&Setup {
        pieces,
        side_to_move: !setup.side_to_move,
        castling_rooks: [black, white],
        en_passant: setup.en_passant.map(|square| square.flip_rank()),
        ..setup
    })
}

fn white(board: &Board, value_stm: Value) -> Value {
    if board.side_to_move() == Color::White { value_stm } else { -value_stm }
}

#[test]
fn the_incremental_accumulator_equals_the_recomputed_one() {
    random_walks(normal(), positions(20_000), 1, |board, evaluator| {
        assert_eq!(evaluator.current(), Accumulator::of(board, &evaluator.weights));
    });
}

#[test]
fn unmaking_gives_the_accumulator_back() {
    let mut board = Board::start();
    let mut evaluator = Evaluator::new(Arc::new(normal()));
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

#[test]
fn coefficients_times_weights_are_the_evaluation() {
    let params = EvalParams::default();
    random_walks(normal(), positions(100_000), 3, |board, evaluator| {
        let value_white = white(board, evaluator.evaluate(board));
        let coefficients = trace(board, &evaluator.weights);
        assert_eq!(coefficients.reconstruct(&params), value_white, "{:?}", board.setup());
    });
}

/// The tuner keeps the coefficients and changes the weights: no count may depend on a weight.
#[test]
fn coefficients_hold_for_other_weights_too() {
    let default = normal();
    for seed in 0..4 {
        let params = shaken(seed);
        random_walks(Weights::new(&params), positions(20_000) / 4, 4 + seed, |board, evaluator| {
            let value_white = white(board, evaluator.evaluate(board));
            let coefficients = trace(board, &default);
            assert_eq!(coefficients.reconstruct(&params), value_white, "{:?}", board.setup());
        });
    }
}

#[test]
fn mirrored_positions_have_mirrored_values() {
    let weights = Weights::new(&shaken(9));
    let mut mirror = Evaluator::new(Arc::new(weights.clone()));
    random_walks(weights, positions(20_000), 5, |board, evaluator| {
        let mirrored = mirrored(board);
        mirror.reset(&mirrored);
        assert_eq!(evaluator.evaluate(board), mirror.evaluate(&mirrored), "{:?}", board.setup());
    });
}

#[test]
fn what_is_cached_equals_what_is_computed() {
    let weights = Arc::new(normal());
    let mut fresh = Evaluator::new(weights.clone());
    random_walks(normal(), positions(20_000) / 10, 6, |board, evaluator| {
        fresh.clear();
        fresh.reset(board);
        assert_eq!(evaluator.evaluate(board), fresh.evaluate(board));
    });
}

/// No line of the list is dead: random games count every weight of it at some time.
#[test]
fn every_weight_is_counted_somewhere() {
    let weights = normal();
    let mut counted = vec![false; EvalParams::COUNT];
    random_walks(normal(), 60_000, 7, |board, _| {
        for coefficient in trace(board, &weights).counted {
            counted[usize::from(coefficient.index)] = true;
        }
    });
    let never: Vec<String> =
        (0..EvalParams::COUNT).filter(|&index| !counted[index]).map(EvalParams::name).collect();
    println!("{} of {} weights were never counted: {never:?}", never.len(), EvalParams::COUNT);
    for field in EvalParams::FIELDS {
        assert!(counted[field.range()].contains(&true), "{} is counted nowhere", field.name);
    }
}
