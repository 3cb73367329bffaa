//! Drives the real binary over pipes, as a GUI does.

mod common;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use common::driven_engine::{Engine, PATIENCE, PROGRAM, PROMPT};
use engine::Board;
use engine::book::polyglot::{PolyglotBuilder, PolyglotEntry};
use engine::uci::command::{Command as UciCommand, parse};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn count(lines: &[String], beginning: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(beginning)).count()
}

#[test]
fn handshake() {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.read_until("uciok");
    assert!(lines[0].starts_with("id name Tabula "), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    assert!(lines[2..lines.len() - 1].iter().all(|line| line.starts_with("option name ")), "{lines:?}");
    assert!(count(&lines, "option name Hash type spin default 64 min 1 max 32768") == 1);
    assert_eq!(engine.ask("ucinewgame"), Vec::<String>::new());
    assert_eq!(engine.quit(), Vec::<String>::new());
}

#[test]
fn every_announced_option_takes_its_default() {
    let mut engine = Engine::start();
    engine.send("uci");
    for line in engine.read_until("uciok") {
        let Some(rest) = line.strip_prefix("option name ") else { continue };
        let (name, kind) = rest.split_once(" type ").expect("every option has a type");
        let value =
            kind.split_once(" default ").map(|(_, rest)| rest.split_whitespace().next().unwrap_or(""));
        let command = match value {
            Some(value) => format!("setoption name {} value {value}", name.to_uppercase()),
            None => format!("setoption name {name}"),
        };
        assert_eq!(engine.ask(&command), Vec::<String>::new(), "{command}");
    }
}

#[test]
fn bad_options_are_refused_and_named() {
    let mut engine = Engine::start();
    assert!(engine.info_string("setoption name Hash value 0").contains("from 1 to 32768"));
    assert!(engine.info_string("setoption name Hash value lots").contains("'lots'"));
    assert!(engine.info_string("setoption name Threads value 257").contains("from 1 to 256"));
    assert!(engine.info_string("setoption name UCI_ShowWDL value perhaps").contains("'perhaps'"));
    assert!(engine.info_string("setoption name Wisdom value 1").contains("'Wisdom'"));
    assert!(engine.info_string("setoption Hash 5").contains("setoption name <name>"));
    engine.send("go depth 2");
    engine.read_until("bestmove");
}

#[test]
fn options_show_in_the_search() {
    let mut engine = Engine::start();
    for option in [
        "name multipv value 3",
        "name UCI_ShowWDL value true",
        "name UCI_Chess960 value true",
        "name Hash value 2",
        "name Threads value 2",
    ] {
        assert_eq!(engine.ask(&format!("setoption {option}")), Vec::<String>::new());
    }
    engine.send("position fen r3k2r/8/8/8/8/8/8/4K2R w Kkq - 0 1");
    engine.send("go depth 4 searchmoves e1g1");
    let lines = engine.read_until("bestmove");
    assert!(lines[lines.len() - 1].starts_with("bestmove e1h1"), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains(" wdl ")), "{lines:?}");
    engine.send("position startpos");
    engine.send("go depth 4");
    let lines = engine.read_until("bestmove");
    for number in 1..=3 {
        assert!(lines.iter().any(|line| line.contains(&format!(" multipv {number} "))), "{lines:?}");
    }
}

#[test]
fn limited_strength_varies_from_game_to_game_and_full_strength_comes_back() {
    let mut engine = Engine::start();
    assert_eq!(engine.ask("setoption name UCI_LimitStrength value true"), Vec::<String>::new());
    assert_eq!(engine.ask("setoption name UCI_Elo value 1400"), Vec::<String>::new());
    let mut first_moves = std::collections::BTreeSet::new();
    for _ in 0..12 {
        engine.send("ucinewgame");
        engine.send("position startpos");
        // A minute on the clock, and still an answer at once: the level ends the search.
        engine.send("go wtime 60000 btime 60000");
        let lines = engine.read_until_within("bestmove", PROMPT);
        assert!(lines.iter().all(|line| !line.contains(" multipv 2 ")), "{lines:?}");
        first_moves.insert(lines[lines.len() - 1].split_whitespace().nth(1).map(str::to_string));
    }
    assert!(first_moves.len() > 1, "always {first_moves:?}");
    assert_eq!(engine.ask("setoption name UCI_LimitStrength value false"), Vec::<String>::new());
    let bests: Vec<String> = (0..2)
        .map(|_| {
            engine.send("ucinewgame");
            engine.send("go depth 6");
            engine.read_until("bestmove").pop().expect("the line waited for")
        })
        .collect();
    assert_eq!(bests[0], bests[1], "full strength does not vary");
}

#[test]
fn a_search_says_what_the_protocol_asks() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4");
    engine.send("go depth 6");
    let lines = engine.read_until("bestmove");
    let last_info = lines.iter().rev().find(|line| line.starts_with("info depth")).expect("a report");
    for word in
        ["depth 6", "seldepth", "multipv 1", "score cp", "nodes", "nps", "hashfull", "tbhits", "time", "pv"]
    {
        assert!(last_info.contains(&format!(" {word} ")), "no {word} in {last_info}");
    }
    assert_eq!(count(&lines, "bestmove"), 1);
}

#[test]
fn mate_is_announced_in_moves() {
    let mut engine = Engine::start();
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
    engine.send("go mate 1");
    let lines = engine.read_until("bestmove");
    assert_eq!(lines[lines.len() - 1].split_whitespace().nth(1), Some("a1a8"));
    assert!(lines.iter().any(|line| line.contains(" score mate 1 ")), "{lines:?}");
}

#[test]
fn without_a_legal_move_there_is_still_an_answer() {
    let mut engine = Engine::start();
    for (fen, score) in
        [("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0")]
    {
        engine.send(&format!("position fen {fen}"));
        engine.send("go depth 5");
        let lines = engine.read_until("bestmove");
        assert_eq!(lines[lines.len() - 1], "bestmove (none)");
        assert!(lines[0].contains(&format!(" score {score}")), "{lines:?}");
    }
}

#[test]
fn stop_ends_an_infinite_search_and_isready_is_answered_meanwhile() {
    let mut engine = Engine::start();
    engine.ask("position startpos");
    engine.send("go infinite");
    engine.read_until("info depth 3");
    engine.send("isready");
    let lines = engine.read_until_within("readyok", PROMPT);
    assert_eq!(count(&lines, "bestmove"), 0);
    engine.send("stop");
    let lines = engine.read_until_within("bestmove", PROMPT);
    assert_eq!(count(&lines, "bestmove"), 1);
    engine.send("stop");
    assert_eq!(engine.ask(""), Vec::<String>::new(), "a second stop says nothing");
    assert_eq!(engine.quit(), Vec::<String>::new());
}

#[test]
fn an_infinite_search_that_is_done_waits_for_stop() {
    let mut engine = Engine::start();
    engine.send("position fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1");
    engine.send("go infinite");
    engine.expect_silence(Duration::from_millis(300));
    engine.send("stop");
    assert_eq!(count(&engine.read_until_within("bestmove", PROMPT), "bestmove (none)"), 1);
    engine.send("position startpos");
    engine.send("go infinite depth 2");
    engine.read_until("info depth 2");
    engine.expect_silence(Duration::from_millis(300));
    engine.send("stop");
    engine.read_until_within("bestmove", PROMPT);
}

#[test]
fn pondering_ends_after_ponderhit_or_stop_and_not_before() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4 e7e5");
    engine.send("go ponder wtime 1000 btime 1000");
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1500) {
        match engine.lines.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => assert!(!line.starts_with("bestmove"), "the clock does not run yet: {line}"),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => panic!("the engine ended"),
        }
    }
    engine.send("ponderhit");
    engine.read_until_within("bestmove", PROMPT);
    engine.send("go ponder depth 2");
    engine.read_until("info depth 2");
    engine.expect_silence(Duration::from_millis(300));
    engine.send("ponderhit");
    engine.read_until_within("bestmove", PROMPT);
    engine.send("go ponder movetime 100");
    engine.send("stop");
    engine.read_until_within("bestmove", PROMPT);
    assert!(engine.info_string("ponderhit").contains("pondering"));
}

#[test]
fn a_second_go_is_refused_and_the_first_one_answers() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.send("go depth 1");
    engine.send("perft 2");
    engine.send("ucinewgame");
    engine.send("setoption name Hash value 8");
    engine.send("isready");
    let lines = engine.read_until("readyok");
    for word in ["go:", "perft:", "ucinewgame:", "Hash:"] {
        assert_eq!(count(&lines, &format!("info string {word}")), 1, "{word} in {lines:?}");
    }
    engine.send("stop");
    engine.read_until("bestmove");
    engine.send("go depth 1");
    engine.read_until("bestmove");
    assert_eq!(count(&engine.quit(), "bestmove"), 0);
}

#[test]
fn a_game_of_quick_moves_never_meets_a_search_that_has_not_ended() {
    let mut engine = Engine::start();
    for _ in 0..300 {
        engine.send("position startpos moves e2e4");
        engine.send("go nodes 1");
        let lines = engine.read_until("bestmove");
        assert_eq!(count(&lines, "info string"), 0, "{lines:?}");
    }
}

#[test]
fn illegal_input_is_answered_and_survived() {
    let mut engine = Engine::start();
    let fen_line = |engine: &mut Engine| {
        let lines = engine.ask("d");
        lines.into_iter().find(|line| line.starts_with("Fen: ")).expect("d shows the FEN")
    };
    let start = fen_line(&mut engine);
    assert!(engine.info_string("xyzzy").contains("'xyzzy'"));
    assert!(engine.info_string("position fen 8/8 w - - 0 1").contains("the last position stays"));
    assert_eq!(fen_line(&mut engine), start);
    let complaint = engine.info_string("position startpos moves e2e4 e7e5 e1e3 g8f6");
    assert!(complaint.contains("'e1e3'") && complaint.contains("no. 3"), "{complaint}");
    assert!(fen_line(&mut engine).contains("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"));
    assert!(engine.info_string("debug perhaps").contains("'perhaps'"));
    assert!(engine.info_string("perft").contains("depth"));
    assert!(engine.info_string("eval 8/8/8/8/8/8/8/8 w - - 0 1").contains("king"));
    assert_eq!(engine.ask("  \t "), Vec::<String>::new());
    assert_eq!(engine.ask("register later"), Vec::<String>::new());
    // Bytes that are no UTF-8, and a very long line.
    engine.input.as_mut().expect("open").write_all(b"\xff\xfe go\xff\n").expect("the engine reads");
    engine.read_until("info string");
    assert!(engine.info_string(&"long ".repeat(20_000)).len() < 500);
    engine.send("go depth nonsense");
    let lines = engine.read_until("bestmove");
    assert!(lines.iter().any(|line| line.contains("'nonsense'")), "{lines:?}");
    engine.send("go wtime -20 btime 99999999999999999999 depth 3 spoon");
    engine.read_until("bestmove");
}

#[test]
fn tools_work_inside_a_session_and_can_be_stopped() {
    let mut engine = Engine::start();
    engine.send("go perft 3");
    let lines = engine.read_until("Time: ");
    assert!(lines.contains(&"e2e4: 600".to_string()), "{lines:?}");
    assert!(lines.contains(&"Nodes searched: 8902".to_string()), "{lines:?}");
    engine.send("perft 12");
    engine.send("isready");
    engine.read_until_within("readyok", PROMPT);
    engine.send("stop");
    engine.read_until_within("info string perft: stopped", PROMPT);
    engine.send("bench 60");
    engine.send("stop");
    engine.read_until_within("info string bench: stopped", PROMPT);
    // A go after a tool waits for it and is answered.
    engine.send("perft 4");
    engine.send("go depth 2");
    let lines = engine.read_until("bestmove");
    assert!(lines.contains(&"Nodes searched: 197281".to_string()), "{lines:?}");
}

#[test]
fn the_end_of_the_input_ends_a_search() {
    for go in ["go infinite", "go ponder wtime 100000 btime 100000", "perft 12", "bench 60"] {
        let mut engine = Engine::start();
        engine.send(go);
        std::thread::sleep(Duration::from_millis(50));
        engine.input = None;
        let (code, lines) = engine.wait();
        assert_eq!(code, Some(0), "{go}");
        assert_eq!(count(&lines, "bestmove"), usize::from(go.starts_with("go")), "{go}: {lines:?}");
    }
}

#[test]
fn quit_ends_a_search() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.read_until("info depth 2");
    assert_eq!(count(&engine.quit(), "bestmove"), 1);
}

#[test]
fn a_broken_pipe_ends_the_program_quietly() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_tabula"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(process.stdout.take());
    let mut input = process.stdin.take().expect("piped");
    // It may be gone before it has read all.
    let _ = input.write_all(b"uci\ngo infinite\n");
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = process.try_wait().expect("it is our child") {
            assert_eq!(status.code(), Some(0));
            break;
        }
        assert!(Instant::now() < deadline, "it goes on though nobody listens");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut errors = String::new();
    process.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
    assert_eq!(errors, "");
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabula"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts")
}

#[test]
fn the_same_lines_work_as_arguments() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    for (arguments, expected) in [
        (&["go", "depth", "3"][..], "bestmove "),
        (&["perft", "4"], "Nodes searched: 197281"),
        (
            &["perft", "3", "--fen", kiwipete, "--divide", "--threads", "2", "--hash", "8"],
            "Nodes searched: 97862",
        ),
        (&["perft", "2", "--fen", kiwipete, "--divide"], "e1g1: 43"),
        (&["eval", kiwipete], "Evaluation: "),
        (&["bench", "2"], " nps"),
        (&["--version"], "Tabula "),
        (&["--help"], "tabula perft 6"),
        (&["help"], "MoveOverhead"),
        (&["d"], "Fen: rnbqkbnr"),
        (&["uci"], "uciok"),
        (&["position startpos moves e2e4", "setoption name Hash value 4", "go depth 2"], "bestmove "),
        (&["position startpos", "go infinite depth 2"], "bestmove "),
    ] {
        let output = run(arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert!(text.contains(expected), "{arguments:?}: {text}");
        assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
    }
}

#[test]
fn the_last_line_of_bench_is_nodes_and_speed() {
    let output = run(&["bench", "1", "1", "1"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = text.lines().last().expect("it speaks").split(' ').collect();
    let [nodes, "nodes", speed, "nps"] = words[..] else { panic!("{words:?}") };
    assert!(nodes.parse::<u64>().is_ok_and(|n| n > 0) && speed.parse::<u64>().is_ok(), "{words:?}");
}

#[test]
fn slips_in_arguments_end_with_two_and_name_the_argument() {
    for (arguments, named) in [
        (&["frobnicate"][..], "'frobnicate'"),
        (&["perft"], "depth"),
        (&["perft", "5", "--fast"], "'--fast'"),
        (&["perft", "3", "--fen", "8/8/8"], "'8/8/8'"),
        (&["go", "depht", "3"], "'depht'"),
        (&["eval", "nonsense"], "'nonsense'"),
        (&["position startpos moves e2e5", "go depth 1"], "'e2e5'"),
        (&["setoption name Hash value 0", "go depth 1"], "from 1 to 32768"),
        (&[""], "empty"),
    ] {
        let output = run(arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(text.contains(named) && text.contains("tabula help"), "{arguments:?}: {text}");
    }
}

/// A line that some program or person might send, right or wrong.
fn random_line(rng: &mut Pcg64Mcg) -> String {
    const POSITIONS: &[&str] = &[
        "startpos",
        "startpos moves e2e4 e7e5 g1f3 b8c6 f1b5",
        "startpos moves e2e4 e2e4",
        "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1",
        "fen 8/8/1KP5/3r4/8/8/8/k7 w - -",
        "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1",
        "fen bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w DFdf - 0 1",
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "fen k7/8/8/8/8/8/8/K7 w - - 99 200 moves a1a2 a8a7",
        "fen",
        "",
    ];
    const LIMITS: &[&str] = &[
        "depth 1",
        "depth 4",
        "depth 0",
        "depth 1000000",
        "nodes 1",
        "nodes 5000",
        "nodes 0",
        "movetime 1",
        "movetime 20",
        "movetime -5",
        "mate 1",
        "mate 0",
        "infinite",
        "ponder",
        "ponder wtime 100 btime 100",
        "wtime 100 btime 100",
        "wtime -100 btime 0 winc 5 binc 5",
        "wtime 500 btime 500 movestogo 1",
        "wtime 99999999999999999999 btime 1 movestogo 0 depth 2",
        "searchmoves e2e4 d2d4",
        "searchmoves a1a1",
        "perft 2",
        "perft 3",
        "depth",
        "wtime",
        "nonsense",
        "",
    ];
    const OPTIONS: &[&str] = &[
        "Hash value 1",
        "Hash value 8",
        "Hash value 33",
        "Hash value 99999999",
        "Threads value 1",
        "Threads value 2",
        "Threads value 4",
        "Threads value 0",
        "MultiPV value 1",
        "MultiPV value 4",
        "MultiPV value 256",
        "MoveOverhead value 0",
        "MoveOverhead value 5000",
        "MoveOverhead value 10",
        "Ponder value true",
        "UCI_Chess960 value true",
        "UCI_Chess960 value false",
        "UCI_ShowWDL value true",
        "UCI_LimitStrength value true",
        "UCI_LimitStrength value false",
        "UCI_Elo value 1400",
        "UCI_Elo value 2200",
        "UCI_Elo value 4000",
        "Style value Tal",
        "Style value Petrosian",
        "Style value Normal",
        "EvalFile value no/such/file",
        "StyleFile value <empty>",
        "BookFile value no/such/book.bin",
        "BookMode value Best",
        "BookSeed value 7",
        "SyzygyPath value no/such/folder",
        "SyzygyPath value <empty>",
        "SyzygyProbeLimit value 4",
        "Syzygy50MoveRule value false",
        "Clear Hash",
        "No Such Option value 3",
    ];
    const OTHERS: &[&str] = &[
        "uci",
        "isready",
        "ucinewgame",
        "ponderhit",
        "d",
        "eval",
        "debug on",
        "debug off",
        "",
        "perft 2",
        "bench 1",
        "help",
    ];
    fn pick<'a>(rng: &mut Pcg64Mcg, from: &[&'a str]) -> &'a str {
        from[rng.random_range(0..from.len())]
    }
    match rng.random_range(0..100) {
        0..25 => format!("go {} {}", pick(rng, LIMITS), if rng.random() { pick(rng, LIMITS) } else { "" }),
        25..50 => "stop".to_string(),
        50..65 => format!("position {}", pick(rng, POSITIONS)),
        65..80 => format!("setoption name {}", pick(rng, OPTIONS)),
        80..95 => pick(rng, OTHERS).to_string(),
        _ => {
            // Words and letters in no order.
            let letters = "go stop position fen moves e2e4 \u{e9}\u{265e} 12 -9 value name ";
            let letters: Vec<char> = letters.chars().collect();
            (0..rng.random_range(1..40)).map(|_| letters[rng.random_range(0..letters.len())]).collect()
        }
    }
}

/// A file that goes when the test does.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Scratch {
        let path = std::env::temp_dir().join(format!("tabula {} {name}", std::process::id()));
        std::fs::write(&path, bytes).expect("the temporary folder is writable");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it cannot be removed, it stays in the temporary folder; no reason to fail.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A book with two moves of the initial position, and an entry that is none.
fn small_book() -> Vec<u8> {
    let start = Board::start();
    let mut builder = PolyglotBuilder::new();
    for (text, weight) in [("a2a3", 9), ("h2h4", 1)] {
        builder.add(&start, start.parse_uci(text).expect("legal"), weight);
    }
    let key = engine::book::polyglot::key(&start);
    builder.add_entry(PolyglotEntry { key, move_bits: 0xFFFF, weight: 500, learn: 0 });
    builder.sorted().iter().flat_map(|entry| entry.to_bytes()).collect()
}

#[test]
fn a_book_move_is_played_and_named() {
    let book = Scratch::new("small book.bin", &small_book());
    let mut engine = Engine::start();
    assert_eq!(
        engine.ask(&format!("setoption name BookFile value {}", book.0.display())),
        Vec::<String>::new()
    );
    assert_eq!(engine.ask("setoption name BookMode value best"), Vec::<String>::new());
    engine.send("go wtime 60000 btime 60000");
    let lines = engine.read_until("bestmove");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("info string book ") && lines[0].contains("a2a3 with weight 9 of 10, 2 known")
    );
    assert!(lines[0].ends_with("1 entry is no legal move here and was skipped"), "{lines:?}");
    assert_eq!(lines[1], "bestmove a2a3");
    // The same seed chooses the same moves.
    engine.ask("setoption name BookMode value Uniform");
    let mut choices = || -> Vec<String> {
        engine.ask("setoption name BookSeed value 12");
        let one = |_| {
            engine.send("go depth 1");
            engine.read_until("bestmove").pop().expect("the best move")
        };
        (0..12).map(one).collect()
    };
    let first = choices();
    assert_eq!(first, choices());
    assert!(["bestmove a2a3", "bestmove h2h4"].iter().all(|m| first.iter().any(|chosen| chosen == m)));
    // Not a book's business: another position, an analysis, chosen moves, a late move, no book.
    let searched = |engine: &mut Engine, lines: &[&str]| {
        lines.iter().for_each(|line| engine.send(line));
        let said = engine.read_until("bestmove");
        assert!(
            count(&said, "info depth") > 0 && count(&said, "info string book") == 0,
            "{lines:?}: {said:?}"
        );
    };
    searched(&mut engine, &["position startpos moves e2e4", "go depth 2"]);
    searched(&mut engine, &["position startpos", "go infinite", "stop"]);
    searched(&mut engine, &["go depth 2 searchmoves e2e4"]);
    engine.ask("setoption name BookDepth value 0");
    searched(&mut engine, &["go depth 2"]);
    engine.ask("setoption name BookDepth value 1");
    engine.ask("setoption name BookFile value <empty>");
    searched(&mut engine, &["go depth 2"]);
    assert_eq!(engine.quit(), Vec::<String>::new());
}

#[test]
fn files_that_are_no_books_are_named_and_the_game_goes_on() {
    let whole = small_book();
    let random: Vec<u8> = {
        let mut rng = Pcg64Mcg::seed_from_u64(3);
        (0..16 * 100).map(|_| rng.random()).collect()
    };
    let files = [
        (Scratch::new("empty.bin", &[]), "is empty"),
        (Scratch::new("cut off.bin", &whole[..whole.len() - 5]), "no multiple of 16"),
        (Scratch::new("random.bin", &random), "is not sorted"),
    ];
    let mut engine = Engine::start();
    for (file, cause) in &files {
        let told = engine.info_string(&format!("setoption name BookFile value {}", file.0.display()));
        assert!(told.contains(cause) && told.contains(&file.0.display().to_string()), "{told}");
    }
    assert!(
        engine.info_string("setoption name BookFile value no/such/book.bin").contains("no/such/book.bin")
    );
    engine.send("go depth 2");
    engine.read_until("bestmove");
}

#[test]
fn tablebases_that_are_missing_or_damaged_are_told_once() {
    let mut engine = Engine::start();
    let lines = engine.ask("setoption name SyzygyPath value no/such/folder");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("no/such/folder") && lines[1].ends_with("no tables found"), "{lines:?}");
    let folder = Scratch::new("tables", &[]);
    std::fs::remove_file(&folder.0).expect("just made");
    std::fs::create_dir_all(&folder.0).expect("the temporary folder is writable");
    // It begins as a table of king and queen against king does, and goes on with nonsense.
    let mut table = vec![0x71, 0xE8, 0x23, 0x5D, 1];
    table.resize(64 * 4 + 16, 0xFF);
    std::fs::write(folder.0.join("KQvK.rtbw"), &table).expect("the temporary folder is writable");
    std::fs::write(folder.0.join("KRvK.rtbw"), &table[..100]).expect("the temporary folder is writable");
    let lines = engine.ask(&format!("setoption name SyzygyPath value {}", folder.0.display()));
    assert!(lines[0].contains("KRvK.rtbw") && lines[0].contains("cut off"), "{lines:?}");
    assert!(lines[1].ends_with("1 WDL and 0 DTZ tables, up to 3 men"), "{lines:?}");
    engine.send("position fen 8/8/8/8/8/2k5/8/K2Q4 w - - 0 1");
    for times in [1, 0] {
        engine.send("go depth 3");
        let lines = engine.read_until("bestmove");
        assert_eq!(
            count(&lines, "info string SyzygyPath: the WDL table KQvK is damaged"),
            times,
            "{lines:?}"
        );
    }
    assert_eq!(engine.ask("setoption name SyzygyPath value <empty>"), Vec::<String>::new());
    assert_eq!(engine.quit(), Vec::<String>::new());
    std::fs::remove_dir_all(&folder.0).expect("made above");
}

#[test]
fn two_thousand_random_commands_at_random_moments() {
    // Another mixture can be tried with TABULA_STRESS_SEED.
    let seed = std::env::var("TABULA_STRESS_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    println!("seed {seed}");
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut engine = Engine::start();
    let (mut said, mut searches_asked) = (Vec::new(), 0);
    for number in 0..2000 {
        let line = random_line(&mut rng);
        searches_asked += usize::from(matches!(parse(&line).command, Some(UciCommand::Go(_))));
        engine.send(&line);
        if rng.random_range(0..4) == 0 {
            std::thread::sleep(Duration::from_micros(rng.random_range(0..8000)));
        }
        if number % 50 == 0 {
            engine.send("isready");
            said.extend(engine.read_until("readyok"));
        }
    }
    // Every search that was not refused says one best move, the last one after this.
    let is_due = |said: &[String]| searches_asked - count(said, "info string go: a search is running");
    let deadline = Instant::now() + PATIENCE;
    loop {
        engine.send("stop");
        engine.send("isready");
        said.extend(engine.read_until("readyok"));
        let (bestmoves, due) = (count(&said, "bestmove"), is_due(&said));
        if bestmoves == due {
            break;
        }
        assert!(Instant::now() < deadline, "{bestmoves} best moves for {due} searches");
        std::thread::sleep(Duration::from_millis(20));
    }
    engine.send("position startpos");
    engine.send("go depth 3");
    searches_asked += 1;
    said.extend(engine.read_until("bestmove"));
    said.extend(engine.quit());
    assert_eq!(
        count(&said, "bestmove"),
        searches_asked - count(&said, "info string go: a search is running")
    );
    assert!(count(&said, "bestmove") > 20, "the mixture searches a good deal, on a busy machine too");
}

/// A limit on memory leaves room for some of the threads: those search.
#[test]
#[cfg(target_os = "linux")]
fn a_search_runs_with_the_threads_it_gets() {
    let limited = format!("ulimit -v 1048576; exec '{PROGRAM}'");
    let mut engine = Engine::start_as(Command::new("sh").args(["-c", &limited]));
    let mut told = engine.ask("setoption name Threads value 256");
    engine.send("go movetime 300");
    told.extend(engine.read_until("bestmove"));
    assert!(told.iter().any(|line| line.starts_with("info string Threads: the")), "{told:#?}");
    engine.send("perft 3 --threads 256");
    engine.read_until("Nodes searched: 8902");
    engine.quit();
}

#[test]
fn a_game_of_any_length_is_read() {
    let mut engine = Engine::start();
    let there_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves: Vec<&str> = there_and_back.iter().copied().cycle().take(140_000).collect();
    let drawn = engine.ask(&format!("position startpos moves {}", moves.join(" ")));
    assert!(drawn.is_empty(), "{drawn:?}");
    let drawn = engine.ask("d").join("\n");
    assert!(drawn.contains(" 65535 65535"), "{drawn}");
    engine.send("go depth 3");
    engine.read_until("bestmove");
    engine.quit();
}

#[test]
fn a_go_of_unknown_words_ends_by_itself() {
    let mut engine = Engine::start();
    for line in ["go foo", "go depth abc", "go foo bar 7"] {
        engine.send(line);
        let told = engine.read_until_within("bestmove", PROMPT);
        assert!(told.iter().any(|line| line.contains("ends at depth 1")), "{line}: {told:#?}");
    }
    // What was meant is still done.
    engine.send("go infinite foo");
    engine.read_until("info depth 2");
    engine.send("stop");
    engine.read_until("bestmove");
    engine.quit();
}

/// The answer to a line is no longer than somebody reads, however long the line.
#[test]
fn answers_are_bounded_whatever_the_line() {
    let mut engine = Engine::start();
    let many = |word: &str| format!("{word} ").repeat(200_000);
    let long = "x".repeat(1_000_000);
    for line in [
        format!("go {}", many("foo")),
        format!("go depth 1 searchmoves {}", many("e2e5")),
        format!("go depth 1 {}", many("movetime")),
        format!("go depth 1 {}", many(&long[..50])),
        format!("perft 1 {}", many("foo")),
        format!("setoption name EvalFile value {long}"),
        format!("setoption name StyleFile value {long}"),
        format!("setoption name BookFile value {long}"),
        format!("setoption name ExperienceFile value {long}"),
        format!("setoption name ExperienceLog value /nowhere/{long}"),
        format!("setoption name SyzygyPath value {}", many("/nowhere:").replace(' ', "")),
        format!("setoption name {long} value {long}"),
        format!("position fen {long}"),
        format!("position startpos moves {long}"),
        format!("experience {long}"),
        format!("debug {long}"),
        long.clone(),
    ] {
        let shown: String = line.chars().take(40).collect();
        engine.send(&line);
        engine.send("isready");
        let mut told = engine.read_until("readyok");
        if line.starts_with("go ") && count(&told, "bestmove") == 0 {
            told.extend(engine.read_until("bestmove"));
        }
        let bytes: usize = told.iter().map(String::len).sum();
        assert!(bytes < 60_000, "{shown}: {bytes} bytes");
    }
    engine.quit();
}
