//! Move generation against the chess crates of the Rust world, in one run.
//!
//!     scripts/bench movegen
//!     scripts/bench movegen --portable
//!
//! Every contender counts the last ply without making its moves. Rounds are interleaved and the best
//! of each is kept, so that a busy machine hurts all of them alike. Then our own parts: make/unmake,
//! static exchange, slider look-ups, each with magic and with PEXT indexing where the CPU has it.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use engine::Board;
use engine::board::attacks;
use engine::tools::perft;
use engine::types::{Bitboard, MoveList, Square};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const ROUNDS: usize = 5;

fn tabula(fen: &str, depth: u32) -> u64 {
    Board::from_fen(fen).expect("a valid FEN").perft(depth)
}

fn cozy(fen: &str, depth: u32) -> u64 {
    fn perft(board: &cozy_chess::Board, depth: u32) -> u64 {
        let mut nodes = 0;
        if depth == 1 {
            board.generate_moves(|moves| {
                nodes += moves.len() as u64;
                false
            });
        } else {
            board.generate_moves(|moves| {
                for m in moves {
                    let mut next = board.clone();
                    next.play_unchecked(m);
                    nodes += perft(&next, depth - 1);
                }
                false
            });
        }
        nodes
    }
    perft(&fen.parse().expect("a valid FEN"), depth)
}

fn chess_crate(fen: &str, depth: u32) -> u64 {
    fn perft(board: &chess::Board, depth: u32) -> u64 {
        let moves = chess::MoveGen::new_legal(board);
        if depth == 1 {
            moves.len() as u64
        } else {
            moves.map(|m| perft(&board.make_move_new(m), depth - 1)).sum()
        }
    }
    perft(&fen.parse().expect("a valid FEN"), depth)
}

fn shakmaty_crate(fen: &str, depth: u32) -> u64 {
    use shakmaty::{CastlingMode, Chess, Position, fen::Fen};
    fn perft(position: &Chess, depth: u32) -> u64 {
        let moves = position.legal_moves();
        if depth == 1 {
            moves.len() as u64
        } else {
            moves
                .iter()
                .map(|m| {
                    let mut next = position.clone();
                    next.play_unchecked(*m);
                    perft(&next, depth - 1)
                })
                .sum()
        }
    }
    let fen: Fen = fen.parse().expect("a valid FEN");
    perft(&fen.into_position(CastlingMode::Standard).expect("a valid position"), depth)
}

/// The same, shared by two threads.
fn tabula_two_threads(fen: &str, depth: u32) -> u64 {
    let board = Board::from_fen(fen).expect("a valid FEN");
    let never = AtomicBool::new(false);
    perft::divide(&board, depth, 2, None, &never).iter().map(|(_, nodes)| nodes).sum()
}

fn compare(name: &str, fen: &str, depth: u32, expected: u64) {
    type Contender = (&'static str, fn(&str, u32) -> u64);
    let contenders: [Contender; 5] = [
        ("tabula", tabula),
        ("cozy-chess", cozy),
        ("chess", chess_crate),
        ("shakmaty", shakmaty_crate),
        ("tabula, 2 threads", tabula_two_threads),
    ];
    let mut best = [f64::INFINITY; 5];
    for _ in 0..ROUNDS {
        for (best, (label, count)) in best.iter_mut().zip(&contenders) {
            let start = Instant::now();
            let nodes = count(black_box(fen), depth);
            assert_eq!(nodes, expected, "{label} miscounts {name}");
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    let fastest_peer = best[1..4].iter().copied().fold(f64::INFINITY, f64::min);
    println!("\n{name}, perft {depth} = {expected} ({ROUNDS} interleaved rounds, best of each)");
    for (seconds, (label, _)) in best.iter().zip(&contenders) {
        let speed = expected as f64 / seconds / 1e6;
        println!("  {label:<18} {speed:>8.1} Mn/s   {:>5.2} x the fastest peer", fastest_peer / seconds);
    }
    println!("  two threads over one: {:.2} x", best[0] / best[4]);
}

/// Nanoseconds a call, best of the rounds.
fn time_each(label: &str, calls: usize, mut body: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        body();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("  {label:<34} {:>7.2} ns", best * 1e9 / calls as f64);
}

fn parts() {
    println!("\nParts, on Kiwipete ({} found on this CPU)", attacks::fast_path());
    let mut board = Board::from_fen(KIWIPETE).expect("a valid FEN");
    let moves = board.legal_moves();
    let captures: Vec<_> = moves.iter().copied().filter(|m| m.is_capture()).collect();
    const TIMES: usize = 200_000;
    for pext in [true, false] {
        attacks::force_fast_path(pext);
        println!(" {}", attacks::fast_path());
        time_each("make + unmake", TIMES * moves.len(), || {
            for _ in 0..TIMES {
                for &m in moves.iter() {
                    board.make(m);
                    board.unmake();
                }
            }
        });
        time_each("all legal moves of a position", TIMES, || {
            for _ in 0..TIMES {
                black_box(board.legal_moves().len());
            }
        });
        time_each("captures of a position", TIMES, || {
            for _ in 0..TIMES {
                let mut list = MoveList::new();
                board.tacticals(&mut list);
                black_box(list.len());
            }
        });
        time_each("static exchange of a capture", TIMES * captures.len(), || {
            for _ in 0..TIMES {
                for &m in &captures {
                    black_box(board.see_ge(m, 0));
                }
            }
        });
        let occupied = board.occupied();
        time_each("queen attacks", TIMES * 64, || {
            for _ in 0..TIMES {
                let mut sum = Bitboard::EMPTY;
                for square in Square::all() {
                    sum ^= attacks::queen(square, black_box(occupied));
                }
                black_box(sum);
            }
        });
    }
}

fn main() {
    compare("start position", START, 6, 119_060_324);
    compare("Kiwipete", KIWIPETE, 5, 193_690_690);
    parts();
}
