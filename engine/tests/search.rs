//! The search through its library: what it must find, what it must avoid, and how it keeps its limits.
//!
//! Everything is bounded by nodes or depth, so a slow machine changes nothing but the time; where a test
//! is about time its bounds are wide.

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::Board;
use engine::eval::{EvalParams, Weights};
use engine::search::{Bound, Clock, Handler, Limits, SearchReport, SearchResult, Searcher, Signals, Silent};
use engine::types::{Move, MoveKind, PieceType, Value, value};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Enough of an advantage to call a position won.
const WINNING: Value = 250;
/// Draws carry a little noise, see `draw_value` in the search.
const DRAWN: std::ops::RangeInclusive<Value> = -2..=2;
/// On a machine with many times more work than cores, an answer still comes within this.
const PROMPT: Duration = Duration::from_secs(5);

fn searcher() -> Searcher {
    Searcher::new(8, Arc::new(Weights::new(&EvalParams::embedded())))
}

fn position(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn play(board: &mut Board, moves: &str) {
    for text in moves.split_whitespace() {
        let m = board.parse_uci(text).unwrap_or_else(|error| panic!("{}: {error}", board.fen()));
        board.make(m);
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn search(searcher: &mut Searcher, board: &Board, limits: &Limits) -> SearchResult {
    searcher.search(board, limits, &Signals::new(), &mut Silent)
}

/// With an empty table and no memory of anything.
fn fresh_search(board: &Board, limits: &Limits) -> SearchResult {
    search(&mut searcher(), board, limits)
}

fn best(board: &Board, result: &SearchResult) -> String {
    result.best.map_or("(none)".to_string(), |m| board.uci(m, false))
}

fn is_mate(board: &Board) -> bool {
    board.in_check() && board.legal_moves().is_empty()
}

fn is_stalemate(board: &Board) -> bool {
    !board.in_check() && board.legal_moves().is_empty()
}

// ---- Mates ----

/// `(moves to mate, first moves that do it, FEN, what it is)`
const MATES: &[(usize, &str, &str, &str)] = &[
    (1, "a1a8", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "back rank"),
    (1, "g5f7", "6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1", "smothered"),
    (
        1,
        "e1d2 e1c1",
        "rn3r2/pbppq1p1/1p2pN2/8/3P2NP/6P1/PPP1BP1R/R3K1k1 w Q - 5 18",
        "Lasker-Thomas 1912: castling mates",
    ),
    (2, "f7f8r", "8/5P1k/5K2/8/8/8/8/8 w - - 0 1", "a rook, as a queen stalemates"),
    (2, "a1a6", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Morphy's problem: zugzwang after a sacrifice"),
    (2, "b3b8", "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 16", "Morphy's opera game"),
    (2, "f3f6", "r1bk2nr/p2p1pNp/n2B4/1p1NP2P/6P1/3P1Q2/P1P1K3/q5b1 w - - 2 22", "Immortal game"),
    (3, "f6a6", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "a quiet first move"),
    (3, "f7h6", "5rk1/5Npp/8/3Q4/8/8/8/7K w - - 0 1", "Philidor's legacy"),
    (4, "a4d7", "1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3R2K1 w - - 0 21", "Evergreen game"),
    (4, "g5f7", "3r3k/6pp/8/6N1/2Q5/8/8/7K w - - 0 1", "Philidor's legacy, one move earlier"),
    (5, "a2b3", "3r2k1/p5pp/1p6/6N1/8/1q6/Q5PP/7K w - - 0 1", "Philidor's legacy, two moves earlier"),
];

#[test]
fn mates_are_found_and_their_lines_end_in_mate() {
    for &(moves, first, fen, name) in MATES {
        let board = position(fen);
        let limits = Limits { mate: Some(moves as u32), ..nodes(500_000) };
        let result = fresh_search(&board, &limits);
        assert_eq!(result.score, value::mate_in(2 * moves - 1), "{name}: {result:?}");
        let chosen = best(&board, &result);
        assert!(first.split(' ').any(|m| m == chosen), "{name}: {chosen}");
        assert_eq!(result.pv.len(), 2 * moves - 1, "{name}: {result:?}");
        let mut board = board;
        for &m in &result.pv {
            assert!(board.is_legal(m), "{name}: the line has an illegal move");
            board.make(m);
        }
        assert!(is_mate(&board), "{name}: the line ends in {}", board.fen());
    }
}

#[test]
fn the_side_that_is_mated_knows_it() {
    for &(moves, first, fen, name) in MATES.iter().filter(|(moves, ..)| (2..=4).contains(moves)) {
        let mut board = position(fen);
        play(&mut board, first.split(' ').next().unwrap());
        let result = fresh_search(&board, &Limits { depth: Some(20), ..nodes(200_000) });
        // Pruning may overlook the shortest way for a while, but nobody is mated sooner than that.
        assert!(value::is_mate(result.score), "{name}: {result:?}");
        let soonest = value::mated_in(2 * (moves - 1));
        assert!((soonest..value::DRAW).contains(&result.score), "{name}: {result:?}");
    }
}

#[test]
fn a_mate_limit_ends_the_search_when_the_mate_is_found_and_not_before() {
    let board = position("1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3R2K1 w - - 0 21"); // mate in 4
    let found = fresh_search(&board, &Limits { mate: Some(4), ..nodes(2_000_000) });
    assert_eq!(found.score, value::mate_in(7));
    assert!(found.nodes < 2_000_000, "{}", found.nodes);
    // A mate in three moves there is not: the other limit ends this one.
    let sought = fresh_search(&board, &Limits { mate: Some(3), ..nodes(found.nodes + 20_000) });
    assert_eq!(sought.nodes, found.nodes + 20_000);
}

#[test]
fn without_a_legal_move_there_is_no_best_one() {
    let mated = position("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
    let result = fresh_search(&mated, &depth(5));
    assert_eq!((result.best, result.score), (None, value::mated_in(0)));
    let stalemated = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let result = fresh_search(&stalemated, &depth(5));
    assert_eq!((result.best, result.score), (None, value::DRAW));
}

// ---- Stalemate ----

#[test]
fn a_lone_king_is_never_stalemated_by_a_queen() {
    let mut searcher = searcher();
    let mut tried = 0;
    // Every place for king and queen around a king in the corner and next to it.
    for rank in ["k7", "1k6"] {
        for king in 8..64 {
            for queen in (8..64).filter(|&queen| queen != king) {
                let mut squares = vec!['1'; 56];
                (squares[king - 8], squares[queen - 8]) = ('K', 'Q');
                let ranks: Vec<String> = squares.chunks(8).map(|rank| rank.iter().collect()).collect();
                let Ok(board) = Board::from_fen(&format!("{rank}/{} w - - 0 1", ranks.join("/"))) else {
                    continue; // the kings touch, or the queen gives check already
                };
                let result = search(&mut searcher, &board, &depth(3));
                let mut after = board.clone();
                after.make(result.best.expect("there are moves"));
                assert!(!is_stalemate(&after), "{}: {}", board.fen(), best(&board, &result));
                tried += 1;
            }
        }
    }
    assert!(tried > 2_000, "{tried}");
}

/// `(move, worst score, best score, FEN, what it is)`
type Trap = (&'static str, Value, Value, &'static str, &'static str);

#[test]
fn the_lost_side_finds_the_stalemate() {
    let traps: &[Trap] = &[
        (
            "b1a1",
            -WINNING,
            2,
            "8/8/8/5K2/8/1Q6/2p5/1k6 b - - 0 1",
            "taking the bishop's pawn would stalemate",
        ),
        ("d7h7", -2, 2, "6rk/3R4/6p1/8/8/1q6/8/K7 w - - 0 1", "a rook that must be taken"),
    ];
    check_traps(traps, 300_000);
}

fn check_traps(traps: &[Trap], budget: u64) {
    for &(m, worst, highest, fen, name) in traps {
        let board = position(fen);
        let result = fresh_search(&board, &nodes(budget));
        assert_eq!(best(&board, &result), m, "{name}: {result:?}");
        assert!((worst..=highest).contains(&result.score), "{name}: {result:?}");
    }
}

// ---- Repetition ----

#[test]
fn the_lost_side_finds_the_perpetual() {
    let traps: &[Trap] = &[("h5e8", -2, 2, "6k1/6p1/8/7Q/8/6PP/qr4PK/8 w - - 0 1", "queen on e8 and h5")];
    check_traps(traps, 100_000);
}

/// The move back, for pieces that can go back.
fn reversed(board_after: &Board, m: Move) -> Option<Move> {
    let reversible = m.kind() == MoveKind::Quiet && board_after.kind_at(m.to()) != Some(PieceType::Pawn);
    let back = Move::new(m.to(), m.from(), MoveKind::Quiet);
    reversible.then_some(back)
}

/// The position of `fen` with a history in which the position after `m` has already been on the board so
/// many times. A game that begins after `m` goes back and forth.
fn with_history(fen: &str, m: Move, times: usize) -> Board {
    let start = position(fen);
    let mut after = start.clone();
    after.make(m);
    let back = reversed(&after, m).unwrap_or_else(|| panic!("{fen}: {} cannot go back", start.uci(m, false)));
    let cycle = after.legal_moves().iter().copied().find_map(|reply| {
        let mut board = after.clone();
        board.make(reply);
        let reply_back = reversed(&board, reply)?;
        if !board.is_legal(back) {
            return None;
        }
        board.make(back);
        board.is_legal(reply_back).then_some([reply, back, reply_back])
    });
    let cycle = cycle.unwrap_or_else(|| panic!("{fen}: no reply that goes back and forth"));
    let mut game = position(&after.fen());
    for time in 0..times {
        if time > 0 {
            game.make(m);
        }
        cycle.iter().for_each(|&m| game.make(m));
    }
    assert_eq!(game.key(), start.key());
    assert_eq!(game.repetitions(), times, "the position itself is not yet a draw");
    game
}

#[test]
fn the_winning_side_does_not_repeat_a_third_time() {
    for fen in [
        "7k/8/8/5K2/8/6Q1/8/8 w - - 0 1",
        "7k/8/5K2/8/8/8/8/1R6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KBB5 w - - 0 1",
        "r5k1/5ppp/8/8/8/2B2N2/5PPP/3R2K1 w - - 0 1",
    ] {
        let board = position(fen);
        let tempting = fresh_search(&board, &nodes(20_000)).best.expect("there are moves");
        let only_it = |budget| Limits { searchmoves: vec![tempting], ..nodes(budget) };

        // Once before: it may still be played.
        let once = with_history(fen, tempting, 1);
        let result = fresh_search(&once, &only_it(20_000));
        assert!(result.score > WINNING, "{fen}: {result:?}");

        // Twice before: it draws, and another move wins.
        let twice = with_history(fen, tempting, 2);
        let result = fresh_search(&twice, &only_it(20_000));
        assert!(DRAWN.contains(&result.score), "{fen}: {result:?}");
        let result = fresh_search(&twice, &nodes(20_000));
        assert_ne!(result.best, Some(tempting), "{fen}");
        assert!(result.score > WINNING, "{fen}: {result:?}");
    }
}

#[test]
fn the_lost_side_repeats_a_third_time() {
    for (fen, saving) in
        [("8/8/8/3k4/8/8/1q6/6K1 w - - 0 1", "g1h1"), ("8/8/8/3k4/8/8/r7/5K2 w - - 0 1", "f1g1")]
    {
        let board = position(fen);
        let saving = board.parse_uci(saving).unwrap();
        let lost = fresh_search(&board, &nodes(20_000));
        assert!(lost.score < -WINNING, "{fen}: {lost:?}");
        let game = with_history(fen, saving, 2);
        let result = fresh_search(&game, &nodes(20_000));
        assert_eq!(result.best, Some(saving), "{fen}: {result:?}");
        assert!(DRAWN.contains(&result.score), "{fen}: {result:?}");
    }
}

// ---- Fifty moves ----

#[test]
fn mate_outranks_the_fifty_moves_to_the_ply() {
    // Mate on the hundredth ply counts.
    let result = fresh_search(&position("7k/8/6K1/8/8/8/8/R7 w - - 99 90"), &depth(8));
    assert_eq!(result.score, value::mate_in(1));
    let result = fresh_search(&position("7k/8/5K2/8/8/8/8/1R6 w - - 97 90"), &depth(8));
    assert_eq!(result.score, value::mate_in(3));
    // One ply more and the draw comes first.
    let result = fresh_search(&position("7k/8/5K2/8/8/8/8/1R6 w - - 98 90"), &depth(8));
    assert!(DRAWN.contains(&result.score), "{result:?}");
}

#[test]
fn what_the_table_remembers_does_not_hide_the_fifty_moves() {
    let mut searcher = searcher();
    let result = search(&mut searcher, &position("7k/8/5K2/8/8/8/8/1R6 w - - 0 1"), &depth(12));
    assert_eq!(result.score, value::mate_in(3));
    let result = search(&mut searcher, &position("7k/8/5K2/8/8/8/8/1R6 w - - 98 90"), &depth(12));
    assert!(DRAWN.contains(&result.score), "{result:?}");
}

#[test]
fn the_winner_zeroes_the_clock_in_time() {
    let board = position("7k/8/5K2/8/8/8/P7/R7 w - - 98 80");
    let result = fresh_search(&board, &nodes(20_000));
    assert!(["a2a3", "a2a4"].contains(&best(&board, &result).as_str()), "{result:?}");
    assert!(result.score > WINNING, "{result:?}");
    for fen in [
        "8/8/8/2k5/8/8/PP6/K7 w - - 92 100",
        "8/8/8/4k3/8/4K3/4P3/8 b - - 91 100",
        "8/8/8/3k4/8/8/P7/KBN5 w - - 90 100",
    ] {
        assert!(play_out(fen, 20_000, 100).is_some(), "{fen}: no mate");
    }
}

// ---- Zugzwang ----

#[test]
fn zugzwangs_are_not_passed_over() {
    let traps: &[Trap] = &[
        ("e1f1", -100, 9_999, "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", "the rook gives itself up"),
        ("g5h6", WINNING, 9_999, "1q1k4/2Rr4/8/2Q3K1/8/8/8/8 w - - 0 1", "all pieces on the board"),
        ("a1b1", 100, 9_999, "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "Lasker-Reichhelm: far squares"),
    ];
    check_traps(traps, 1_000_000);
    // The first is won, by a mate even, which takes longer to see.
    let (best, _, _, fen, why) = traps[0];
    check_traps(&[(best, WINNING, Value::MAX, fen, why)], 5_000_000);
    // Whoever has to move loses the pawn, and the game.
    for fen in ["8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", "8/8/8/3pK3/2kP4/8/8/8 b - - 0 1"] {
        let result = fresh_search(&position(fen), &nodes(20_000));
        assert!(result.score < -WINNING, "{fen}: {result:?}");
    }
}

// ---- What is reported ----

/// Keeps every report.
#[derive(Default)]
struct Listener {
    reports: Vec<SearchReport>,
}

impl Handler for Listener {
    fn report(&mut self, report: &SearchReport) {
        self.reports.push(report.clone());
    }
}

fn listen(searcher: &mut Searcher, board: &Board, limits: &Limits) -> (SearchResult, Vec<SearchReport>) {
    let mut listener = Listener::default();
    let result = searcher.search(board, limits, &Signals::new(), &mut listener);
    (result, listener.reports)
}

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[test]
fn reports_make_sense() {
    for fen in [MIDDLEGAME, KIWIPETE, "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"] {
        let board = position(fen);
        let (result, reports) = listen(&mut searcher(), &board, &nodes(60_000));
        for pair in reports.windows(2) {
            assert!(pair[0].depth <= pair[1].depth && pair[0].nodes <= pair[1].nodes, "{pair:?}");
            assert!(pair[0].time <= pair[1].time && pair[0].hashfull <= 1000, "{pair:?}");
        }
        for report in &reports {
            let mut board = board.clone();
            for &m in &report.pv {
                assert!(board.is_legal(m), "{fen}: {report:?}");
                board.make(m);
            }
            assert!(!report.pv.is_empty() && report.seldepth >= 1, "{report:?}");
        }
        let last = reports.iter().rfind(|report| report.bound == Bound::Exact).expect("an exact score");
        assert_eq!(last.depth, result.depth, "{fen}");
        assert_eq!(result.pv.first(), result.best.as_ref(), "{fen}");
        assert_eq!(result.pv.get(1), result.ponder.as_ref(), "{fen}");
    }
}

#[test]
fn several_lines_are_distinct_and_sorted() {
    for (fen, lines) in [(MIDDLEGAME, 4), (KIWIPETE, 7), ("7k/8/8/8/8/8/6PP/7K b - - 0 1", 9)] {
        let board = position(fen);
        let mut searcher = searcher();
        searcher.options.multipv = lines;
        let (result, reports) = listen(&mut searcher, &board, &depth(8));
        let expected = lines.min(board.legal_moves().len());
        for depth in 1..=8 {
            let at_depth: Vec<_> = reports.iter().filter(|report| report.depth == depth).collect();
            // The last word about a depth is one report of each line, in order.
            let last = &at_depth[at_depth.len().saturating_sub(expected)..];
            assert_eq!(last.len(), expected, "{fen} depth {depth}");
            for (index, report) in last.iter().enumerate() {
                assert_eq!(report.multipv as usize, index + 1, "{fen} depth {depth}");
                assert!(last[..index].iter().all(|other| other.pv[0] != report.pv[0]), "{fen}: {last:?}");
            }
            assert!(last.is_sorted_by(|a, b| a.score >= b.score), "{fen}: {last:?}");
            if depth == 8 {
                assert_eq!(Some(last[0].pv[0]), result.best, "{fen}");
            }
        }
    }
}

#[test]
fn several_lines_find_every_mate() {
    let board = position("rn3r2/pbppq1p1/1p2pN2/8/3P2NP/6P1/PPP1BP1R/R3K1k1 w Q - 5 18");
    let mut searcher = searcher();
    searcher.options.multipv = 3;
    let (_, reports) = listen(&mut searcher, &board, &depth(6));
    let last = &reports[reports.len() - 3..];
    let mut mates: Vec<String> = last[..2].iter().map(|report| board.uci(report.pv[0], false)).collect();
    mates.sort();
    assert_eq!(mates, ["e1c1", "e1d2"]);
    assert_eq!([last[0].score, last[1].score], [value::mate_in(1); 2]);
    assert!(last[2].score < value::mate_in(1));
}

#[test]
fn only_the_wanted_moves_are_searched() {
    let board = position(MIDDLEGAME);
    let wanted: Vec<Move> = ["a1a2", "g1h1", "h2h4"].map(|text| board.parse_uci(text).unwrap()).to_vec();
    let mut searcher = searcher();
    searcher.options.multipv = 5;
    let limits = Limits { searchmoves: wanted.clone(), ..depth(7) };
    let (result, reports) = listen(&mut searcher, &board, &limits);
    assert!(wanted.contains(&result.best.unwrap()));
    assert_eq!(reports.iter().map(|report| report.multipv).max(), Some(3));
    assert!(reports.iter().all(|report| wanted.contains(&report.pv[0])));
    // One terrible move alone is played, mate next door or not.
    let board = position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    let limits = Limits { searchmoves: vec![board.parse_uci("g1f1").unwrap()], ..depth(6) };
    assert_eq!(best(&board, &fresh_search(&board, &limits)), "g1f1");
}

// ---- Limits ----

#[test]
fn a_node_limit_is_kept_to_the_node() {
    for fen in [MIDDLEGAME, KIWIPETE] {
        let board = position(fen);
        let mut searcher = searcher();
        for limit in [1, 2, 3, 10, 50, 100, 999, 1_000, 1_023, 1_024, 1_025, 5_000, 12_345, 65_536] {
            let result = search(&mut searcher, &board, &nodes(limit));
            assert_eq!(result.nodes, limit, "{fen}");
            assert!(result.best.is_some_and(|m| board.is_legal(m)), "{fen}, {limit} nodes");
            assert!(!value::is_decided(result.score), "{fen}, {limit} nodes: {}", result.score);
            searcher.new_game();
        }
    }
}

#[test]
fn a_soft_node_limit_ends_after_the_iteration() {
    let board = position(MIDDLEGAME);
    let soft = fresh_search(&board, &Limits { soft_nodes: Some(10_000), ..Limits::default() });
    assert!(soft.nodes >= 10_000, "{}", soft.nodes);
    let same_depth = fresh_search(&board, &depth(soft.depth));
    assert_eq!((soft.nodes, soft.best, soft.score), (same_depth.nodes, same_depth.best, same_depth.score));
}

/// All that must not change between two searches.
fn fingerprint(result: &SearchResult) -> (u64, Option<Move>, Value, u32, Vec<Move>) {
    (result.nodes, result.best, result.score, result.depth, result.pv.clone())
}

#[test]
fn one_thread_does_the_same_twice() {
    for fen in [MIDDLEGAME, KIWIPETE, "8/5pp1/4p1kp/P7/5P2/4K1P1/7P/8 w - - 0 1"] {
        let board = position(fen);
        for limits in [depth(9), nodes(30_000), Limits { soft_nodes: Some(20_000), ..Limits::default() }] {
            let first = fingerprint(&fresh_search(&board, &limits));
            assert_eq!(first, fingerprint(&fresh_search(&board, &limits)), "{fen}: two engines");
            // Something else between, and with two threads; a new game forgets it all.
            let mut used = searcher();
            used.set_threads(2);
            search(&mut used, &position(KIWIPETE), &depth(6));
            used.set_threads(1);
            search(&mut used, &board, &nodes(3_000));
            used.new_game();
            assert_eq!(first, fingerprint(&search(&mut used, &board, &limits)), "{fen}: after a new game");
        }
    }
}

/// Runs a search until it ends, giving it signals meanwhile; the result and the time it took from the
/// moment that `signal` returned.
fn signalled_search(
    threads: usize,
    limits: &Limits,
    signal: impl FnOnce(&Signals, &dyn Fn() -> bool),
) -> (SearchResult, Duration) {
    let board = position(MIDDLEGAME);
    let signals = Signals::new();
    let mut searcher = searcher();
    searcher.set_threads(threads);
    std::thread::scope(|scope| {
        let searching = scope.spawn(|| searcher.search(&board, limits, &signals, &mut Silent));
        signal(&signals, &|| searching.is_finished());
        let signalled = Instant::now();
        let result = searching.join().expect("the search does not panic");
        (result, signalled.elapsed())
    })
}

#[test]
fn stop_is_obeyed_promptly_by_one_thread_and_by_two() {
    for threads in [1, 2] {
        let limits = Limits { infinite: true, ..Limits::default() };
        let (result, late) = signalled_search(threads, &limits, |signals, _| {
            std::thread::sleep(Duration::from_millis(100));
            signals.stop();
        });
        assert!(late < PROMPT, "{threads} threads took {late:?}");
        assert!(result.best.is_some() && result.depth >= 1);
        // A stop before the first node still leaves a move to play.
        let (result, late) = signalled_search(threads, &limits, |signals, _| signals.stop());
        assert!(late < PROMPT, "{threads} threads took {late:?}");
        assert!(result.best.is_some_and(|m| position(MIDDLEGAME).is_legal(m)));
    }
}

#[test]
fn pondering_waits_for_the_hit() {
    let clock = Clock { remaining: Duration::from_millis(200), increment: Duration::ZERO, moves_to_go: None };
    let limits = Limits { ponder: true, clock: Some(clock), ..Limits::default() };
    let (result, late) = signalled_search(1, &limits, |signals, finished| {
        std::thread::sleep(Duration::from_millis(400));
        assert!(!finished(), "the clock of the opponent is not ours");
        signals.ponderhit();
    });
    assert!(late < PROMPT, "{late:?}");
    assert!(result.best.is_some());
}

#[test]
fn a_time_limit_ends_the_search() {
    let clock = Clock { remaining: Duration::from_millis(100), increment: Duration::ZERO, moves_to_go: None };
    for limits in [
        Limits { movetime: Some(Duration::from_millis(100)), ..Limits::default() },
        Limits { clock: Some(clock), ..Limits::default() },
    ] {
        let started = Instant::now();
        let result = fresh_search(&position(MIDDLEGAME), &limits);
        assert!(started.elapsed() < PROMPT, "{:?} for {limits:?}", started.elapsed());
        assert!(result.best.is_some());
    }
}

#[test]
fn several_threads_finish_and_add_up_their_nodes() {
    let board = position(MIDDLEGAME);
    let mut searcher = searcher();
    for threads in [2, 4, 2, 1] {
        searcher.set_threads(threads);
        assert_eq!(searcher.threads(), threads);
        let result = search(&mut searcher, &board, &depth(9));
        assert!(result.depth >= 1 && result.best.is_some_and(|m| board.is_legal(m)), "{threads} threads");
        let result = search(&mut searcher, &board, &nodes(50_000));
        assert!(result.best.is_some_and(|m| board.is_legal(m)), "{threads} threads");
        // Threads look up only now and then; no single one may pass the limit.
        let most = 50_000 * threads as u64;
        assert!((50_000..=most).contains(&result.nodes), "{threads} threads: {}", result.nodes);
    }
    // They see the same truth as one.
    searcher.set_threads(2);
    searcher.new_game();
    let mating = position("1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3R2K1 w - - 0 21");
    let result = search(&mut searcher, &mating, &Limits { mate: Some(4), ..nodes(2_000_000) });
    assert_eq!(result.score, value::mate_in(7));
}

// ---- Won endings ----

/// Plays for both sides with so many nodes a move until mate; the plies it took, or `None` if it ended
/// otherwise or not within `most_plies`.
fn play_out(fen: &str, nodes_a_move: u64, most_plies: usize) -> Option<usize> {
    let mut board = position(fen);
    let mut sides = [searcher(), searcher()];
    for plies in 0..=most_plies {
        if board.legal_moves().is_empty() {
            return board.in_check().then_some(plies);
        }
        if board.fifty_moves_passed() || board.repetitions() >= 3 || board.insufficient_material() {
            println!("{fen}: drawn after {plies} plies, {}", board.fen());
            return None;
        }
        let side = &mut sides[board.side_to_move().index()];
        let result = search(side, &board, &nodes(nodes_a_move));
        board.make(result.best.expect("there are moves"));
    }
    println!("{fen}: no mate after {most_plies} plies, {}", board.fen());
    None
}

#[test]
fn won_endings_are_won() {
    let text = common::own_data("endgame_wins.txt");
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let nodes_a_move = common::setting("TABULA_ENDING_NODES", 10_000);
    let results = common::in_parallel(lines.len(), |index| {
        let fields: Vec<&str> = lines[index].split('|').map(str::trim).collect();
        let [ending, fen, moves, _] = fields[..] else { panic!("not four fields: {}", lines[index]) };
        let moves: usize = moves.parse().unwrap_or_else(|error| panic!("{moves}: {error}"));
        let plies = play_out(fen, nodes_a_move, 2 * moves);
        println!("{ending:6} {fen:42} {plies:?} of {} plies", 2 * moves);
        // From afar, queen against rook takes more than thirty perfect moves against this defence, and
        // fifty are not always enough.
        plies.is_some()
            || fen == "8/8/8/3k4/8/8/3r4/KQ6 w - - 0 1"
            || fen == "6qk/8/8/8/3K4/3R4/8/8 b - - 0 1"
    });
    let lost: Vec<&str> =
        lines.iter().zip(&results).filter(|(_, won)| !**won).map(|(line, _)| *line).collect();
    assert!(lost.is_empty(), "not won: {lost:#?}");
}

/// Bishop and knight from anywhere: the hardest of the known wins. Nearly all of them, since in some the
/// lone king wins a piece at once.
#[test]
fn bishop_and_knight_mate_from_anywhere() {
    let mut random = Pcg64::seed_from_u64(common::setting("TABULA_SEED", 1));
    let mut starts = Vec::new();
    while starts.len() < 40 {
        let mut rows = [['1'; 8]; 8];
        for man in ['K', 'B', 'N', 'k'] {
            rows[random.random_range(0..8)][random.random_range(0..8)] = man;
        }
        let fen = rows.map(|row| row.iter().collect::<String>()).join("/") + " w - - 0 1";
        // Two men on one square, or the lone king in check out of turn: no such start.
        if rows.as_flattened().iter().filter(|man| **man != '1').count() == 4 && Board::from_fen(&fen).is_ok()
        {
            starts.push(fen);
        }
    }
    let nodes_a_move = common::setting("TABULA_ENDING_NODES", 20_000);
    let results = common::in_parallel(starts.len(), |index| play_out(&starts[index], nodes_a_move, 100));
    let won = results.iter().flatten().count();
    println!("bishop and knight: {won} of {} won", starts.len());
    assert!(won >= 38, "{won} of {}", starts.len());
}
