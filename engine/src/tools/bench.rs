//! The benchmark: a fixed set of positions, each searched to a fixed depth.
//!
//! On one thread the number of nodes is a fingerprint of search and evaluation: a change that means to
//! alter nothing must leave it as it is. Each position is searched from an empty hash table, so the
//! number does not depend on their order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::nodes_per_second;
use crate::board::Board;
use crate::eval::{EvalParams, Weights};
use crate::search::{Limits, Searcher, Signals, Silent};

/// How to run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchRequest {
    /// Depth of each search.
    pub depth: u32,
    /// Threads; with more than one the node count is no longer fixed.
    pub threads: usize,
    /// Size of the transposition table in MB.
    pub hash_mb: usize,
}

impl Default for BenchRequest {
    fn default() -> BenchRequest {
        BenchRequest { depth: 12, threads: 1, hash_mb: 16 }
    }
}

/// Searches the positions with the weights of the program and every option at its default, prints a
/// line for each, and returns the closing line: `N nodes M nps`.
pub fn run(
    request: &BenchRequest,
    signals: &Signals,
    cancel: &AtomicBool,
    print: &mut dyn FnMut(&str),
) -> Result<String, String> {
    let weights = Arc::new(Weights::new(&EvalParams::embedded()));
    let mut searcher = Searcher::new(1, weights);
    searcher.set_hash(request.hash_mb).map_err(|error| format!("bench: {error}"))?;
    searcher.set_threads(request.threads);
    let limits = Limits { depth: Some(request.depth), ..Limits::default() };
    let (mut nodes, mut time) = (0u64, Duration::ZERO);
    for (index, (fen, name)) in POSITIONS.iter().enumerate() {
        let board = Board::from_fen(fen).map_err(|error| format!("bench: position {name}: {error}"))?;
        searcher.new_game();
        let start = Instant::now();
        let result = searcher.search(&board, &limits, signals, &mut Silent);
        time += start.elapsed();
        if cancel.load(Ordering::Acquire) {
            return Err("bench: stopped before its end".to_string());
        }
        nodes += result.nodes;
        let best = result.best.map_or("(none)".to_string(), |m| board.uci(m, false));
        print(&format!("{:2}/{} {:>10} nodes  {best:<5}  {name}", index + 1, POSITIONS.len(), result.nodes));
    }
    print(&format!(
        "depth {}, {} thread(s), {} MB: {:.3} s",
        request.depth,
        request.threads,
        request.hash_mb,
        time.as_secs_f64()
    ));
    Ok(format!("{nodes} nodes {} nps", nodes_per_second(nodes, time)))
}

/// The positions as lines of EPD, for whoever wants to search them with another engine.
pub fn positions() -> impl Iterator<Item = String> {
    POSITIONS.iter().map(|(fen, name)| format!("{fen} id \"{name}\";"))
}

/// Openings from well-known lines, moments of famous games, and endings from the textbooks, with a
/// few positions made to exercise special moves. `// (FEN, what it is)`
#[rustfmt::skip]
pub const POSITIONS: &[(&str, &str)] = &[
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "the initial position"),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "Kiwipete"),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", "promotions and checks for both sides"),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", "symmetric middlegame"),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "pinned en passant pawn"),
    ("r1b1k2r/1pqnbppp/p2ppn2/6B1/3NPP2/2N2Q2/PPP3PP/2KR1B1R w kq - 5 10", "Sicilian Najdorf"),
    ("2rq1rk1/pp1bppbp/3p1np1/4n3/3NP3/1BN1BP2/PPPQ2PP/2KR3R w - - 9 12", "Sicilian Dragon, Yugoslav attack"),
    ("r1b2rk1/5ppp/p1pb4/1p1n4/3P4/1BP3Pq/PP3P1P/RNBQR1K1 w - - 1 15", "Ruy Lopez, Marshall attack"),
    ("r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1 w - - 0 9", "Berlin ending"),
    ("r1bq1rk1/ppp1n1bp/3p1np1/3Pp3/2P1Pp2/2NN1P2/PP1BB1PP/R2Q1RK1 w - - 0 13", "King's Indian, Mar del Plata"),
    ("r1bqrnk1/pp2bppp/2p2n2/3p2B1/3P4/2NBPN2/PPQ2PPP/R4RK1 w - - 8 11", "Queen's Gambit, exchange"),
    ("r1b2rk1/ppq2ppp/2n1pn2/2p5/2BP4/P1P1PN2/5PPP/R1BQ1RK1 w - - 1 11", "Nimzo-Indian, Rubinstein"),
    ("rnb1k1r1/ppq1np1Q/4p3/3pP3/3p4/P1P5/2P2PPP/R1B1KBNR w KQq - 0 10", "French, Winawer"),
    ("r2qkbnr/pp1n1pp1/2p1p2p/7P/3P4/3Q1NN1/PPP2PP1/R1B1K2R w KQkq - 0 11", "Caro-Kann, classical"),
    ("r2q1rk1/pp2ppbp/6p1/n1p5/2BPP1b1/2P1BP2/P3N1PP/R2Q1RK1 w - - 1 12", "Grünfeld, exchange"),
    ("rn1q1rk1/1bp1bppp/p3pn2/1p6/3P4/5NP1/PPQ1PPBP/RNB2RK1 w - - 2 10", "Catalan"),
    ("rnbqk2r/pp1n1pbp/3p2p1/1BpP4/4PP2/2N5/PP4PP/R1BQK1NR w KQkq - 3 9", "Benoni"),
    ("r1bqkb1r/p2n1p2/2p1pn2/1p2P1B1/2pP4/2N5/PP3PPP/R2QKB1R w KQkq - 1 11", "Slav, Botvinnik"),
    ("r1bqk2r/ppppnppp/2n5/b7/2BpP3/2P2N2/P4PPP/RNBQ1RK1 w kq - 2 8", "Evans gambit"),
    ("r1bqk2r/ppp1bppp/1nn5/4p3/8/2N2NP1/PP1PPPBP/R1BQ1RK1 w kq - 4 8", "English, reversed dragon"),
    ("rn2kb1r/p3qppp/2p2n2/1p2p1B1/2B1P3/1QN5/PPP2PPP/R3K2R w KQkq - 0 10", "Morphy's opera game, move 10"),
    ("rnb1k1nr/p2p1ppp/8/1pbN1N1P/4PBP1/3P1Q2/PqP5/R4KR1 w kq - 0 18", "Immortal game, move 18"),
    ("r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17", "Byrne-Fischer 1956, move 17"),
    ("b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 1 24", "Kasparov-Topalov 1999, move 24"),
    ("7K/8/k1P5/7p/8/8/8/8 w - - 0 1", "Réti's study"),
    ("8/8/1KP5/3r4/8/8/8/k7 w - - 0 1", "Saavedra's study"),
    ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "Lasker-Reichhelm"),
    ("1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1", "Lucena"),
    ("4k3/R7/8/3KP3/8/1r6/8/8 b - - 0 1", "Philidor's third rank"),
    ("8/R7/P4rk1/8/8/8/8/1K6 b - - 0 1", "rook pawn, rook at its side"),
    ("8/8/8/3k4/8/8/8/2BNK3 w - - 0 1", "bishop and knight mate"),
    ("8/8/3k4/8/3r4/8/1Q6/K7 w - - 0 1", "queen against rook"),
    ("8/8/8/8/4K3/8/2pk4/Q7 w - - 0 1", "queen against far pawn"),
    ("8/5b1k/5p1p/8/3BPP2/6P1/6K1/8 w - - 0 1", "opposite bishops, two pawns up"),
    ("8/ppp3k1/8/PPP5/8/8/6K1/8 w - - 0 1", "pawn breakthrough"),
    ("8/5pp1/4p1kp/P7/5P2/4K1P1/7P/8 w - - 0 1", "outside passed pawn"),
    ("8/3k1b2/2p1p1p1/1pPpPpPp/pP1P1P1P/P2K4/4N3/8 w - - 0 1", "knight against bad bishop"),
    ("8/6k1/4p1p1/7p/1r3P1P/6P1/1R2P1K1/8 b - - 0 1", "rook and four against rook and three"),
    ("6k1/5p2/6p1/3R4/1P6/P5K1/r7/8 b - - 0 1", "rook ending, two passed pawns"),
    ("2b2k2/5p1p/1p1n2p1/pN6/P7/1P3BP1/5P1P/6K1 w - - 0 1", "minor pieces, both wings"),
    ("6k1/5p1p/4q1p1/1p6/8/1P4PP/2Q2P2/6K1 w - - 0 1", "queens and open kings"),
    ("r2q1rk1/pb1nbppp/1p2pn2/8/3P4/P1NB1N2/1PQ2PPP/R1BR2K1 w - - 0 14", "isolated queen's pawn"),
    ("r1bqrnk1/pp2bppp/2p2n2/3p2B1/3P4/2NBPN2/PPQ2PPP/1R3RK1 b - - 0 11", "Carlsbad minority attack"),
    ("2kr1b1r/ppq2ppp/2n1bn2/3p4/3N1P2/2N1B3/PPP1B1PP/R2Q1RK1 w - - 0 12", "opposite castling, pawn storms"),
    ("bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1", "Chess960"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_legal_and_has_moves() {
        for (fen, name) in POSITIONS {
            let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!board.legal_moves().is_empty(), "{name}");
        }
    }

    #[test]
    fn the_list_is_epd() {
        for (line, (fen, name)) in positions().zip(POSITIONS) {
            let epd = Board::from_epd(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(epd.board, Board::from_fen(fen).expect("tested above"));
            assert_eq!(epd.operation("id").and_then(|id| id.values().next()), Some(*name));
        }
    }

    #[test]
    fn the_node_count_is_the_same_twice() {
        let request = BenchRequest { depth: 3, ..BenchRequest::default() };
        let nodes = || {
            let line = run(&request, &Signals::default(), &AtomicBool::new(false), &mut |_| {})
                .expect("not stopped");
            line.split_once(" nodes ").expect("the form of the closing line").0.to_string()
        };
        assert_eq!(nodes(), nodes());
    }

    #[test]
    fn a_stopped_run_gives_no_number() {
        let request = BenchRequest { depth: 3, ..BenchRequest::default() };
        assert!(run(&request, &Signals::default(), &AtomicBool::new(true), &mut |_| {}).is_err());
    }
}
