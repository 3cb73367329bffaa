//! A UCI engine that plays random legal moves, and now and then commits a fault on purpose.
//!
//! `Crash`, `Hang`, `Illegal`, `Garbage`, `Slow` are chances in a thousand, drawn at every move.
//! A `Hang` ignores everything, `quit` and a closed pipe included.

use std::io::{BufRead, Write};
use std::process::{Command, exit};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::Board;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

#[derive(Default)]
struct Chances {
    crash: u32,
    hang: u32,
    illegal: u32,
    garbage: u32,
    slow: u32,
}

impl Chances {
    fn named(&mut self, name: &str) -> Option<&mut u32> {
        Some(match name {
            "Crash" => &mut self.crash,
            "Hang" => &mut self.hang,
            "Illegal" => &mut self.illegal,
            "Garbage" => &mut self.garbage,
            "Slow" => &mut self.slow,
            _ => return None,
        })
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// Starts the engine as a child and passes the pipes on, as a wrapper script would.
pub fn wrap() {
    let itself = std::env::current_exe().expect("a running program has a path");
    let status = Command::new(itself).arg("--engine").status().expect("the child starts");
    exit(status.code().unwrap_or(1));
}

/// Is the engine, and leaves a process behind that began a session of its own.
#[cfg(target_os = "linux")]
pub fn leave_a_daemon() {
    let itself = std::env::current_exe().expect("a running program has a path");
    let null = std::process::Stdio::null;
    let mut daemon = Command::new("setsid");
    daemon.arg(itself).arg("--daemon").stdin(null()).stdout(null()).stderr(null());
    let mut left = daemon.spawn().expect("setsid is part of every Linux");
    run();
    // Never waited for on purpose; the look whether it is there keeps the lint content.
    assert!(matches!(left.try_wait(), Ok(None)), "the daemon outlives the engine");
}

/// What it leaves behind: ignores everything, for ten minutes at most.
#[cfg(target_os = "linux")]
pub fn be_a_daemon() {
    std::thread::sleep(Duration::from_secs(600));
}

/// Speaks UCI until `quit` or the end of the input.
pub fn run() {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let mut random = Pcg64::seed_from_u64(clock ^ u64::from(std::process::id()));
    let mut chances = Chances::default();
    let mut board = Board::start();
    eprintln!("naughty engine {} is awake", std::process::id());
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["uci"] => {
                say("id name Naughty");
                for name in ["Crash", "Hang", "Illegal", "Garbage", "Slow"] {
                    say(&format!("option name {name} type spin default 0 min 0 max 1000"));
                }
                say("uciok");
            }
            ["isready"] => say("readyok"),
            ["setoption", "name", name, "value", value] => {
                if let (Some(chance), Ok(value)) = (chances.named(name), value.parse()) {
                    *chance = value;
                }
            }
            ["position", position @ ..] => board = read_position(position),
            ["go", ..] => answer(&board, &chances, &mut random),
            ["quit"] => return,
            _ => {}
        }
    }
}

fn read_position(words: &[&str]) -> Board {
    let moves_at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let mut board = match words.first() {
        Some(&"fen") => Board::from_fen(&words[1..moves_at].join(" ")).expect("the arena sends positions"),
        _ => Board::start(),
    };
    for word in words.iter().skip(moves_at + 1) {
        let m = board.parse_uci(word).expect("the arena sends legal moves");
        board.make(m);
    }
    board
}

fn answer(board: &Board, chances: &Chances, random: &mut Pcg64) {
    let mut happens = |chance: u32| random.random_range(0..1000) < chance;
    if happens(chances.crash) {
        eprintln!("crashing on purpose");
        exit(3);
    }
    if happens(chances.hang) {
        hang();
    }
    if happens(chances.slow) {
        std::thread::sleep(Duration::from_millis(400));
    }
    if happens(chances.illegal) {
        return say("bestmove a1a8");
    }
    if happens(chances.garbage) {
        say("\u{1F600} info depth");
        return say("bestmove Zz9!");
    }
    let moves = board.legal_moves();
    let m = moves[random.random_range(0..moves.len())];
    say("info depth 1 score cp 0 nodes 1");
    say("this line means nothing");
    say(&format!("bestmove {}", board.uci(m, false)));
}
