//! `selfplay gate`: its power by simulation, and the command itself, killed, sharded and with nothing to do.

#[path = "common/simulated_pairs.rs"]
mod simulated_pairs;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use selfplay::arena::{Sprt, Trial, TrialState};
use serde_json::Value;
use simulated_pairs::{DRAWISH, distribution, draw};

// The defaults of the command; `the_defaults_are_those_that_were_simulated` holds them together.
const TEST: &str = "elo0=0,elo1=15,alpha=0.04,beta=0.05";
const PAIRS: usize = 4_000;
const CLOCK_TEST: &str = "elo0=-20,elo1=0,alpha=0.05,beta=0.05";
const CLOCK_PAIRS: usize = 2_000;

/// Pairs as quick games between equal players have them: of 200 pairs at 1,000 nodes 73 were won or lost twice.
const DECISIVE: [f64; 5] = [0.18, 0.09, 0.46, 0.09, 0.18];

/// Simulated gates at each strength; `TABULA_GATES` for more.
fn runs() -> u32 {
    std::env::var("TABULA_GATES").ok().map_or(1_000, |text| text.parse().expect("a number"))
}

fn passes(test: &str, pairs: usize, shares: &[f64; 5], random: &mut Pcg64Mcg) -> bool {
    let test: Sprt = test.parse().expect("a test");
    let mut trial = Trial::new(test, pairs);
    let mut game = 0;
    while trial.state() == TrialState::Running {
        let points = draw(shares, random);
        trial.add(game, points.min(2));
        trial.add(game + 1, points - points.min(2));
        game += 2;
    }
    trial.state() == TrialState::Passed
}

/// The share of candidates of a strength that pass: the first part alone, and both.
fn power(base: [f64; 5], elo: f64) -> [f64; 2] {
    let shares = distribution(base, elo);
    let mut random = Pcg64Mcg::seed_from_u64(20_261_118);
    let (mut first, mut both) = (0, 0);
    for _ in 0..runs() {
        let passed = passes(TEST, PAIRS, &shares, &mut random);
        first += u32::from(passed);
        both += u32::from(passed && passes(CLOCK_TEST, CLOCK_PAIRS, &shares, &mut random));
    }
    [first, both].map(|count| f64::from(count) / f64::from(runs()))
}

#[test]
fn a_gain_of_15_elo_passes_and_none_does_not() {
    for (name, base) in [("decisive", DECISIVE), ("drawish", DRAWISH)] {
        let [better, equal] = [15.0, 0.0].map(|elo| power(base, elo));
        println!("{name}: +15 passes {better:?}, 0 passes {equal:?} (first part, both parts)");
        assert!(better[1] >= 0.9, "{name}: {better:?} of those 15 Elo better pass");
        assert!(equal[0] <= 0.05, "{name}: {equal:?} of those no better pass");
    }
}

fn gate(out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    command.arg("gate").arg("--out").arg(out);
    command.args(["--candidate", "self:hash=1,softnodes=400,name=new", "--champion", "self:hash=1,name=old"]);
    command.args(["--soft-nodes", "100", "--sprt", "elo0=0,elo1=120", "--games", "400"]);
    command.args(["--concurrency", "2", "--json"]).args(more);
    command
}

fn verdict(output: &Output) -> Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice(&output.stdout).expect("JSON and nothing else")
}

fn finish(out: &Path, more: &[&str]) -> Value {
    verdict(&gate(out, more).output().expect("selfplay runs"))
}

fn journal_lines(journal: &Path) -> usize {
    std::fs::read_to_string(journal).map_or(0, |text| text.lines().count())
}

#[test]
fn a_gate_killed_again_and_again_and_one_in_shards_say_the_same() {
    let folder = tempfile::tempdir().expect("a place to write");
    let path = |name: &str| folder.path().join(name);
    let whole = finish(&path("whole"), &[]);
    assert_eq!(whole["verdict"], "passed", "four times the nodes: {whole}");
    assert_eq!(whole["parts"][0]["most_games_left"], 0);

    let journal = path("killed").join("nodes-1-of-1.journal");
    let mut random = Pcg64Mcg::seed_from_u64(5);
    let mut kills = 0;
    let most: u32 = std::env::var("TABULA_KILLS").ok().map_or(6, |text| text.parse().expect("a number"));
    let mut lines = 0;
    while kills < most {
        let mut child = gate(&path("killed"), &[])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("selfplay runs");
        let deadline = Instant::now() + Duration::from_secs(60);
        while journal_lines(&journal) <= lines.max(2) && Instant::now() < deadline {
            if child.try_wait().expect("it can be asked").is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_micros(random.random_range(0..20_000)));
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
        lines = journal_lines(&journal);
        kills += 1;
    }
    assert!(lines > 2, "nothing was played before the kills");
    assert_eq!(finish(&path("killed"), &[]), whole);

    for shard in ["2/3", "1/3", "3/3"] {
        let told = finish(&path("shards"), &["--shard", shard]);
        assert!(["running", "passed"].contains(&told["verdict"].as_str().unwrap_or("")), "{told}");
    }
    assert!(path("shards").join("nodes-2-of-3.journal").exists());
    assert_eq!(finish(&path("shards"), &[]), whole);
    assert!(path("shards").join("nodes-2-of-3.pgn").exists(), "games are kept");

    let refused = gate(&path("whole"), &["--seed", "9"]).output().expect("selfplay runs");
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && stderr.contains("--seed was '1' and is now '9'"), "{stderr}");
}

#[test]
fn a_handicapped_candidate_fails_and_a_clock_part_follows_a_pass() {
    let folder = tempfile::tempdir().expect("a place to write");
    let swapped = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["gate", "--candidate", "self:hash=1,softnodes=100", "--champion", "self:hash=1,softnodes=400"])
        .args(["--soft-nodes", "100", "--sprt", "elo0=0,elo1=120", "--concurrency", "2", "--json", "--out"])
        .arg(folder.path().join("weak"))
        .output()
        .expect("selfplay runs");
    let told = verdict(&swapped);
    assert_eq!(told["verdict"], "failed", "{told}");
    assert!(told["reason"].as_str().is_some_and(|reason| reason.starts_with("not better")), "{told}");

    // With limits of their own the clock does not matter: the second part plays the same uneven match.
    let both = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["gate", "--candidate", "self:hash=1,softnodes=400", "--champion", "self:hash=1,softnodes=100"])
        .args(["--soft-nodes", "100", "--sprt", "elo0=0,elo1=120", "--concurrency", "2", "--json"])
        .args(["--tc", "1+0.01", "--clock-sprt", "elo0=-120,elo1=0", "--out"])
        .arg(folder.path().join("strong"))
        .output()
        .expect("selfplay runs");
    let told = verdict(&both);
    assert_eq!((&told["verdict"], told["parts"].as_array().map(Vec::len)), (&Value::from("passed"), Some(2)));
    assert_eq!(told["parts"][1]["name"], "clock");
}

#[test]
fn nothing_changed_is_said_and_not_played() {
    let folder = tempfile::tempdir().expect("a place to write");
    let out = folder.path().join("gate");
    let same = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["gate", "--candidate", "self:", "--champion", "self", "--soft-nodes", "100", "--out"])
        .arg(&out)
        .output()
        .expect("selfplay runs");
    let text = String::from_utf8_lossy(&same.stdout);
    assert!(same.status.success() && text.starts_with("unchanged: nothing changed"), "{text}");
    assert!(!out.exists(), "no folder was made");
}

#[test]
fn the_defaults_are_those_that_were_simulated() {
    let help = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["gate", "--help"])
        .output()
        .expect("selfplay runs");
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    for default in [TEST.to_string(), (2 * PAIRS).to_string(), CLOCK_TEST.to_string()] {
        assert!(text.contains(&format!("[default: {default}]")), "{default} in {text}");
    }
    assert!(text.contains(&format!("[default: {}]", 2 * CLOCK_PAIRS)), "{text}");
}

#[test]
fn openings_of_a_file_come_round_with_more_nodes_and_not_for_ever() {
    let folder = tempfile::tempdir().expect("a place to write");
    let openings = folder.path().join("two.epd");
    std::fs::write(
        &openings,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\nrnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n",
    )
    .expect("a file");
    let openings = openings.to_str().expect("a path");
    let output = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args([
            "gate",
            "--candidate",
            "self:hash=1,softnodes=120",
            "--champion",
            "self:hash=1",
            "--nodes",
            "100",
        ])
        .args(["--sprt", "elo0=0,elo1=1", "--openings", openings, "--concurrency", "2", "--json", "--out"])
        .arg(folder.path().join("gate"))
        .output()
        .expect("selfplay runs");
    let told = verdict(&output);
    let games = told["parts"][0]["results"].as_object().expect("results");
    let played: u64 = games.values().filter_map(Value::as_u64).sum();
    assert_eq!(
        (played, &told["verdict"]),
        (60, &Value::from("undecided")),
        "two openings, fifteen rounds: {told}"
    );
}
