//! A match against Stockfish whose processes are killed at random: every game counts once, nothing is left.
//!
//! `TABULA_KILLED_GAMES` is the number of games (30).
#![cfg(target_os = "linux")]

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use selfplay::pgn::{PgnGame, split_games};

const STOCKFISH: &str = "/usr/games/stockfish";
/// No process may stay a zombie for longer than this.
const LONGEST_ZOMBIE: Duration = Duration::from_secs(5);

/// The children of a process, and whether they are zombies.
fn children(parent: u32) -> Vec<(i32, bool)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let child = |directory: &Path| -> Option<(i32, bool)> {
        let stat = std::fs::read_to_string(directory.join("stat")).ok()?;
        // pid (name) state parent …, and a name may have spaces in it.
        let (id, rest) = stat.split_once(' ')?;
        let mut fields = rest.rsplit(')').next()?.split_whitespace();
        let state = fields.next()?;
        (fields.next()? == parent.to_string()).then_some((id.parse().ok()?, state == "Z"))
    };
    entries.filter_map(|entry| child(&entry.path())).collect()
}

#[test]
fn killed_players_lose_their_games_and_nothing_else() {
    if !Path::new(STOCKFISH).exists() {
        println!("skipped: no {STOCKFISH} (on Debian: apt install stockfish)");
        return;
    }
    let games: u64 = std::env::var("TABULA_KILLED_GAMES").map_or(30, |text| text.parse().expect("a number"));
    let folder = std::env::temp_dir().join(format!("tabula-killed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a place to write");
    let pgn = folder.join("games.pgn");
    let victim = format!("cmd={STOCKFISH},name=victim,option.Hash=1");
    let mut arena = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["match", "--engine", "self:hash=1,name=tabula", "--engine", &victim])
        .args(["--games", &games.to_string(), "--nodes", "200", "--max-moves", "40"])
        .args(["--concurrency", "2", "--json", "--pgn"])
        .arg(&pgn)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("selfplay runs");

    let mut random = Pcg64Mcg::seed_from_u64(11);
    let mut zombies: HashMap<i32, Instant> = HashMap::new();
    let mut seen: HashSet<i32> = HashSet::new();
    let (mut kills, mut longest_zombie) = (0u64, Duration::ZERO);
    let (mut next_kill, mut written_at_last_kill) = (Instant::now(), 0);
    while arena.try_wait().expect("a child of ours").is_none() {
        let now = Instant::now();
        let children = children(arena.id());
        zombies.retain(|id, _| children.contains(&(*id, true)));
        for &(id, is_zombie) in &children {
            seen.insert(id);
            if is_zombie {
                longest_zombie = longest_zombie.max(now - *zombies.entry(id).or_insert(now));
            }
        }
        // The first start is not tried again, on purpose: a command that cannot work must say so at once.
        // Nor is one killed again before another game has ended: ten starts in a row that fail end a match, rightly.
        let written = pgn.metadata().map_or(0, |file| file.len());
        let alive: Vec<i32> = children.iter().filter(|child| !child.1).map(|child| child.0).collect();
        if written > written_at_last_kill && now >= next_kill && !alive.is_empty() {
            let id = alive[random.random_range(0..alive.len())];
            kills += u64::from(kill(Pid::from_raw(id), Signal::SIGKILL).is_ok());
            next_kill = now + Duration::from_millis(random.random_range(0..300));
            written_at_last_kill = written;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = arena.wait_with_output().expect("a child of ours");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json["games"], games);
    let results = &json["encounters"][0]["results"];
    let count = |name: &str| results[name].as_u64().expect("a number");
    assert_eq!(count("wins") + count("draws") + count("losses"), games);
    let pairs: u64 = json["encounters"][0]["pentanomial"]
        .as_array()
        .expect("five")
        .iter()
        .filter_map(|n| n.as_u64())
        .sum();
    assert_eq!(pairs, games / 2);
    let crashes = json["engines"][1]["failures"]["crashes"].as_u64().expect("a number");
    println!(
        "{games} games, {results}; {kills} kills, {crashes} games lost by them, {} processes, longest zombie {longest_zombie:?}",
        seen.len()
    );
    assert!(kills > 0 && crashes > 0 && crashes <= kills, "{kills} kills, {crashes} crashes");
    let innocent = json["engines"][0]["failures"].as_object().expect("counts").values();
    assert_eq!(innocent.filter_map(|count| count.as_u64()).sum::<u64>(), 0);

    let text = std::fs::read_to_string(&pgn).expect("the games");
    let mut keys = HashSet::new();
    for (line, text) in split_games(&text) {
        let game = PgnGame::parse(text).unwrap_or_else(|error| panic!("line {line}: {error}"));
        assert!(game.outcome.is_some());
        let tag = |name: &str| game.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        assert!(keys.insert((tag("Round"), tag("White"))), "line {line}: played twice");
    }
    assert_eq!(keys.len() as u64, games, "every game is in the PGN once");
    assert!(longest_zombie < LONGEST_ZOMBIE, "a process stayed a zombie for {longest_zombie:?}");
    let left: Vec<&i32> = seen
        .iter()
        .filter(|id| {
            std::fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|exe| exe.ends_with("stockfish"))
        })
        .collect();
    assert!(left.is_empty(), "still running: {left:?}");
    std::fs::remove_dir_all(&folder).expect("what was written can be removed");
}
