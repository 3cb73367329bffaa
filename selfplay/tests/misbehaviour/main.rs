//! Engines that crash, hang, cheat and babble: the match goes on, every game counts, nothing is left over.
//!
//! The test is its own naughty engine: `--engine` on its command line makes it one. That is why it has a
//! `main` instead of the usual test harness.

mod naughty_engine;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use selfplay::arena::game::Ending;
use selfplay::arena::scoreboard::{FailureCounts, GameSummary};
use selfplay::arena::uci_player::Patience;
use selfplay::arena::{
    Adjudication, Fault, Format, MoveLimit, OpeningBook, Schedule, Scoreboard, Tournament,
};

fn tournament(first: &str, second: &str, pairs: usize, limit: MoveLimit) -> Tournament {
    let engine = std::env::current_exe().unwrap();
    let spec = |name: &str, options: &str| {
        format!("cmd='{}' {options},name={name}", engine.display()).parse().unwrap()
    };
    Tournament {
        engines: vec![spec("first", first), spec("second", second)],
        schedule: Schedule::new(Format::Gauntlet, 2, pairs),
        book: OpeningBook::random(7),
        limit,
        growth_percent: 0,
        margin: Duration::from_millis(150),
        adjudication: Adjudication { max_moves: Some(30), ..Adjudication::default() },
        concurrency: 2,
        patience: Patience { startup: Duration::from_secs(30), hang: Duration::from_secs(1) },
        chess960: false,
        log_directory: None,
    }
}

fn play(tournament: &Tournament) -> (Scoreboard, HashSet<usize>, Vec<Ending>) {
    let stop = Arc::new(AtomicBool::new(false));
    let mut board = Scoreboard::new(tournament.schedule.encounters(), 2);
    let (mut numbers, mut endings) = (HashSet::new(), Vec::new());
    tournament
        .run(&HashSet::new(), &stop, &mut |pairing, game| {
            board.record(pairing, &GameSummary::from(game));
            assert!(numbers.insert(pairing.game), "game {} was counted twice", pairing.game);
            endings.push(game.ending.clone());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    (board, numbers, endings)
}

/// What is left of the engines: processes that run this program besides the test itself, and children of
/// the test in any state, zombies among them.
#[cfg(target_os = "linux")]
fn processes_left() -> Vec<String> {
    let own_id = std::process::id().to_string();
    let own_program = std::env::current_exe().unwrap();
    let is_left = |directory: &std::path::Path| -> Option<String> {
        let stat = std::fs::read_to_string(directory.join("stat")).ok()?;
        // pid (name) state parent …, and a name may have spaces in it.
        let (id, rest) = stat.split_once(' ')?;
        let parent = rest.rsplit(')').next()?.split_whitespace().nth(1)?;
        let runs_us = std::fs::read_link(directory.join("exe")).is_ok_and(|program| program == own_program);
        (id != own_id && (runs_us || parent == own_id)).then_some(stat)
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|entry| is_left(&entry.path())).collect()
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("--engine") => naughty_engine::run(),
        Some("--wrapper") => naughty_engine::wrap(),
        #[cfg(target_os = "linux")]
        Some("--leaves-a-daemon") => naughty_engine::leave_a_daemon(),
        #[cfg(target_os = "linux")]
        Some("--daemon") => naughty_engine::be_a_daemon(),
        _ => naughty_engines_lose_their_games_and_nothing_else(),
    }
}

fn naughty_engines_lose_their_games_and_nothing_else() {
    // Every kind of fault at random, against an engine that behaves.
    let faulty = "--engine,option.Crash=20,option.Illegal=20,option.Garbage=20";
    let (board, numbers, endings) = play(&tournament(faulty, "--engine", 40, MoveLimit::Nodes(1)));
    assert_eq!(numbers.len(), 80);
    assert_eq!(board.games(), 80);
    let counts = *board.failures(0);
    let faults = endings.iter().filter(|ending| matches!(ending, Ending::Fault(_))).count() as u64;
    assert_eq!(counts.total(), faults);
    assert!(counts.crashes > 5 && counts.illegal_moves > 5 && counts.garbage > 5, "{counts:?}");
    assert_eq!(*board.failures(1), FailureCounts::default(), "the other engine did nothing wrong");
    assert_eq!(board.encounters()[0].pairs.pairs(), 40);
    assert!(board.encounters()[0].games.losses >= faults);

    // An engine that hangs is killed after the patience, and again in the next game.
    let started = Instant::now();
    let (board, ..) = play(&tournament("--engine,option.Hang=1000", "--engine", 1, MoveLimit::Nodes(1)));
    assert_eq!(board.failures(0).hangs, 2);
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());

    // One that hangs behind a wrapper is killed with its wrapper.
    let (board, ..) = play(&tournament("--wrapper,option.Hang=1000", "--engine", 1, MoveLimit::Nodes(1)));
    assert_eq!(board.failures(0).hangs, 2);

    // One that is too slow loses on time and keeps its process.
    let slow = tournament(
        "--engine,option.Slow=1000",
        "--engine",
        1,
        MoveLimit::MoveTime(Duration::from_millis(50)),
    );
    let (board, _, endings) = play(&slow);
    assert_eq!(board.failures(0).time_losses, 2, "{endings:?}");

    // With a clock, a hang is a hang and not just a loss on time.
    let (_, _, endings) = play(&tournament(
        "--engine,option.Hang=1000",
        "--engine",
        1,
        MoveLimit::Clock("0.1+0".parse().unwrap()),
    ));
    assert!(endings.iter().all(|ending| matches!(ending, Ending::Fault(Fault::Hang(_)))), "{endings:?}");

    // What an engine started in a session of its own ends with it.
    #[cfg(target_os = "linux")]
    {
        let (board, ..) = play(&tournament("--leaves-a-daemon", "--engine", 1, MoveLimit::Nodes(1)));
        assert_eq!(board.games(), 2);
        assert_eq!(processes_left(), Vec::<String>::new(), "processes are left");
    }
    println!("naughty engines lose their games and nothing else: ok");
}
