//! Every form of every command.

use super::*;

fn clean(line: &str) -> Command {
    let Parsed { command, notes } = parse(line);
    assert_eq!(notes, Vec::<String>::new(), "{line}");
    command.unwrap_or_else(|| panic!("no command in {line:?}"))
}

fn go(line: &str) -> Go {
    match clean(line) {
        Command::Go(go) => go,
        other => panic!("{line}: {other:?}"),
    }
}

/// The command of a line that has something wrong with it, and the one note on it.
fn noted(line: &str) -> (Option<Command>, String) {
    let Parsed { command, mut notes } = parse(line);
    assert_eq!(notes.len(), 1, "{line}: {notes:?}");
    (command, notes.remove(0))
}

#[test]
fn words_that_stand_alone() {
    for (line, command) in [
        ("uci", Command::Uci),
        ("isready", Command::IsReady),
        ("ucinewgame", Command::NewGame),
        ("stop", Command::Stop),
        ("ponderhit", Command::PonderHit),
        ("quit", Command::Quit),
        ("debug on", Command::Debug(true)),
        ("debug off", Command::Debug(false)),
        ("register later", Command::Register),
        ("register name A B code 1", Command::Register),
        ("d", Command::Display),
        ("help", Command::Help),
        ("--help", Command::Help),
        ("version", Command::Version),
        ("  \t uci \r\n", Command::Uci),
    ] {
        assert_eq!(clean(line), command, "{line:?}");
    }
}

#[test]
fn blank_lines_are_nothing() {
    for line in ["", "\n", "  \t \r\n"] {
        assert_eq!(parse(line), Parsed { command: None, notes: vec![] });
    }
}

#[test]
fn junk_before_a_known_word_is_skipped_and_named() {
    let (command, note) = noted("joho debug on");
    assert_eq!(command, Some(Command::Debug(true)));
    assert!(note.contains("'joho'"), "{note}");
    // Words that are not the protocol's own count only in front.
    let (command, note) = noted("what d is this");
    assert_eq!(command, None);
    assert!(note.contains("'what'") && note.contains("isready"), "{note}");
}

#[test]
fn extra_words_are_named() {
    let (command, note) = noted("isready now please");
    assert_eq!(command, Some(Command::IsReady));
    assert!(note.contains("'now'"), "{note}");
}

#[test]
fn option_names_and_values_may_hold_spaces() {
    let option = |line| match clean(line) {
        Command::SetOption { name, value } => (name, value),
        other => panic!("{other:?}"),
    };
    let owned = |name: &str, value: Option<&str>| (name.to_string(), value.map(str::to_string));
    assert_eq!(option("setoption name Hash value 128"), owned("Hash", Some("128")));
    assert_eq!(option("setoption name Clear Hash"), owned("Clear Hash", None));
    assert_eq!(option("setoption Name Clear  Hash Value"), owned("Clear Hash", Some("")));
    assert_eq!(
        option("setoption name EvalFile value /my files/two  spaces.toml \n"),
        owned("EvalFile", Some("/my files/two  spaces.toml"))
    );
    assert_eq!(option("setoption name EvalFile value value x"), owned("EvalFile", Some("value x")));
}

#[test]
fn a_malformed_option_says_the_form() {
    for line in ["setoption", "setoption Hash 64", "setoption name", "setoption name value 3"] {
        let (command, note) = noted(line);
        assert_eq!(command, None, "{line}");
        assert!(note.contains("setoption name <name>"), "{note}");
    }
}

#[test]
fn positions() {
    let position = |fen: Option<&str>, moves: &[&str]| Command::Position {
        fen: fen.map(str::to_string),
        moves: moves.iter().map(|m| m.to_string()).collect(),
    };
    assert_eq!(clean("position startpos"), position(None, &[]));
    assert_eq!(clean("position startpos moves"), position(None, &[]));
    assert_eq!(clean("position startpos moves e2e4 e7e5"), position(None, &["e2e4", "e7e5"]));
    assert_eq!(
        clean("position fen 8/8/8/8/8/8/8/K1k5 w - - moves a1a2"),
        position(Some("8/8/8/8/8/8/8/K1k5 w - -"), &["a1a2"])
    );
    assert_eq!(clean("position 8/8/8/8/8/8/8/K1k5 w"), position(Some("8/8/8/8/8/8/8/K1k5 w"), &[]));
    let (command, note) = noted("position startpos e2e4 moves d2d4");
    assert_eq!(command, Some(position(None, &["d2d4"])));
    assert!(note.contains("'e2e4'"), "{note}");
    for line in ["position", "position moves e2e4", "position here"] {
        let (command, note) = noted(line);
        assert_eq!(command, None);
        assert!(note.contains("'startpos' or 'fen <FEN>'"), "{note}");
    }
}

#[test]
fn every_limit_in_any_order() {
    let millis = Duration::from_millis;
    assert_eq!(
        go("go wtime 300000 btime 200000 winc 2000 binc 1000 movestogo 40"),
        Go {
            time: [Some(millis(300_000)), Some(millis(200_000))],
            increment: [Some(millis(2000)), Some(millis(1000))],
            moves_to_go: Some(40),
            ..Go::default()
        }
    );
    assert_eq!(
        go("go infinite searchmoves e2e4 d2d4 depth 7 nodes 500 mate 3 movetime 100 ponder"),
        Go {
            depth: Some(7),
            nodes: Some(500),
            mate: Some(3),
            movetime: Some(millis(100)),
            infinite: true,
            ponder: true,
            searchmoves: vec!["e2e4".into(), "d2d4".into()],
            ..Go::default()
        }
    );
    assert_eq!(go("go"), Go::default());
}

#[test]
fn numbers_saturate_and_clocks_may_be_negative() {
    let go = go("go wtime -250 btime 99999999999999999999999 depth 100000000000 nodes 18446744073709551616");
    assert_eq!(go.time, [Some(Duration::ZERO), Some(LONGEST)]);
    assert_eq!(go.depth, Some(u32::MAX));
    assert_eq!(go.nodes, Some(i64::MAX as u64));
    let (limits, notes) = go.limits(&Board::start());
    assert_eq!(limits.depth, Some(MAX_PLY as u32));
    assert!(notes.is_empty());
}

#[test]
fn reading_numbers() {
    for (text, number) in [
        ("0", Some(0)),
        ("+5", Some(5)),
        ("-7", Some(-7)),
        ("1500.75", Some(1500)),
        ("99999999999999999999", Some(i64::MAX)),
        ("-99999999999999999999", Some(-i64::MAX)),
        ("", None),
        ("-", None),
        (".5", None),
        ("1.x", None),
        ("1e3", None),
        ("0x10", None),
        ("٣", None),
    ] {
        assert_eq!(saturating_number(text), number, "{text:?}");
    }
}

#[test]
fn a_bad_word_in_go_does_not_cost_the_move() {
    let (command, note) = noted("go depth 5 quickly");
    assert_eq!(command, Some(Command::Go(Go { depth: Some(5), unreadable_limit: true, ..Go::default() })));
    assert!(note.contains("'quickly'") && note.contains("movetime"), "{note}");
    // A keyword where a number belongs still counts as the keyword.
    let (command, note) = noted("go depth movetime 50");
    let Some(Command::Go(go)) = command else { panic!("{command:?}") };
    assert_eq!((go.depth, go.movetime), (None, Some(Duration::from_millis(50))));
    assert!(note.contains("depth"), "{note}");
    let (command, _) = noted("go depth deep");
    let Some(Command::Go(go)) = command else { panic!("{command:?}") };
    let (limits, notes) = go.limits(&Board::start());
    assert_eq!((limits.depth, limits.infinite, notes.len()), (Some(1), false, 1));
}

#[test]
fn limits_of_the_side_to_move() {
    let mut board = Board::start();
    let go = go("go wtime 1000 btime 2000 winc 10 binc 20 movestogo 0");
    let clock = |board: &Board| go.limits(board).0.clock.expect("clocks were told");
    assert_eq!(clock(&board).remaining, Duration::from_millis(1000));
    assert_eq!(clock(&board).moves_to_go, None);
    board.make(board.parse_uci("e2e4").expect("legal"));
    assert_eq!(clock(&board).remaining, Duration::from_millis(2000));
    assert_eq!(clock(&board).increment, Duration::from_millis(20));
}

#[test]
fn a_clock_that_is_only_half_told() {
    let clock = |line| go(line).limits(&Board::start()).0.clock.expect("a clock word occurs").remaining;
    assert_eq!(clock("go btime 700"), Duration::from_millis(700));
    assert_eq!(clock("go winc 50"), Duration::ZERO);
}

#[test]
fn no_limit_means_until_stop() {
    assert!(go("go").limits(&Board::start()).0.infinite);
    assert!(go("go searchmoves e2e4").limits(&Board::start()).0.infinite);
    assert!(!go("go ponder").limits(&Board::start()).0.infinite);
    assert!(!go("go depth 3").limits(&Board::start()).0.infinite);
}

#[test]
fn searchmoves_that_are_illegal_are_named() {
    let (limits, notes) = go("go depth 2 searchmoves e2e4 e2e5 e2e4").limits(&Board::start());
    assert_eq!(limits.searchmoves.len(), 1);
    assert!(notes.len() == 1 && notes[0].contains("'e2e5'"), "{notes:?}");
    let (limits, notes) = go("go depth 2 searchmoves e2e5").limits(&Board::start());
    assert!(limits.searchmoves.is_empty() && notes.len() == 2, "{notes:?}");
}

#[test]
fn perft_in_both_forms() {
    let request = PerftRequest { depth: 4, divide: true, ..PerftRequest::default() };
    assert_eq!(clean("go perft 4"), Command::Perft { request: request.clone(), fen: None });
    assert_eq!(clean("perft 4 --divide"), Command::Perft { request, fen: None });
    assert_eq!(
        clean("perft --threads 2 --fen 8/8/8/8/8/8/8/K1k5 w - - 0 1 --hash 64 6"),
        Command::Perft {
            request: PerftRequest { depth: 6, divide: false, threads: 2, hash_mb: 64 },
            fen: Some("8/8/8/8/8/8/8/K1k5 w - - 0 1".into())
        },
        "the depth may come last"
    );
    for (line, token) in [
        ("perft", "depth"),
        ("perft 5 --slow", "'--slow'"),
        ("perft 99", "99"),
        ("perft 3 --threads x", "'x'"),
        ("perft -1", "-1"),
    ] {
        let (command, note) = noted(line);
        assert!(command.is_none() && note.contains(token), "{line}: {note}");
    }
}

#[test]
fn bench_with_and_without_numbers() {
    assert_eq!(clean("bench"), Command::Bench(BenchRequest::default()));
    assert_eq!(clean("bench 8 2 32"), Command::Bench(BenchRequest { depth: 8, threads: 2, hash_mb: 32 }));
    assert_eq!(clean("bench --list"), Command::BenchPositions);
    let (command, note) = noted("bench deep");
    assert_eq!(command, Some(Command::Bench(BenchRequest::default())));
    assert!(note.contains("'deep'"), "{note}");
}

#[test]
fn eval_with_and_without_a_position() {
    assert_eq!(clean("eval"), Command::Eval { fen: None });
    let fen = Some("8/8/8/8/8/8/8/K1k5 w - - 0 1".to_string());
    assert_eq!(clean("eval 8/8/8/8/8/8/8/K1k5 w - - 0 1"), Command::Eval { fen: fen.clone() });
    assert_eq!(clean("explain fen 8/8/8/8/8/8/8/K1k5 w - - 0 1"), Command::Eval { fen });
}

#[test]
fn shown_words_are_short_and_on_one_line() {
    assert_eq!(quoted("a\u{7}b"), "'a\\u{7}b'");
    assert!(quoted(&"x".repeat(5000)).len() < 80);
}
