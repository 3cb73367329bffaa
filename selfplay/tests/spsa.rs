//! `selfplay spsa`: the same bytes for any number of threads and however often it is killed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const FILES: [&str; 4] = ["journal.txt", "tuned.params", "paths.svg", "table.txt"];

fn command(arguments: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    command.arg("spsa").args(arguments.split_whitespace()).arg("--out").arg(out);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &str, out: &Path) -> Output {
    command(arguments, out).output().unwrap()
}

fn contents(out: &Path) -> Vec<Vec<u8>> {
    FILES.iter().map(|name| fs::read(out.join(name)).unwrap_or_default()).collect()
}

const RUN: &str = "--params all --games 160 --nodes 300 --hash 1 --seed 5";

#[test]
fn killed_twenty_times_it_ends_with_the_bytes_of_an_undisturbed_run() {
    let whole = tempfile::tempdir().unwrap();
    let output = run(&format!("{RUN} --threads 1"), whole.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = contents(whole.path());
    assert_eq!(fs::read_to_string(whole.path().join("journal.txt")).unwrap().lines().count(), 81);
    assert!(fs::read_to_string(whole.path().join("tuned.params")).unwrap().lines().count() > 10, "it moves");

    let killed = tempfile::tempdir().unwrap();
    let mut kills = 0;
    while kills < 20 {
        let before = lines(killed.path());
        let mut child = command(&format!("{RUN} --threads 3"), killed.path()).spawn().unwrap();
        // A kill counts only if it comes in the middle of the work: after a few more pairs.
        if wait_for_progress(&mut child, killed.path(), before + 1 + kills % 3) {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
        if lines(killed.path()) >= 81 {
            assert!(kills > 0);
            assert_eq!(contents(killed.path())[0], expected[0], "after {kills} kills");
            fs::remove_dir_all(killed.path()).unwrap();
        }
    }
    let output = run(&format!("{RUN} --threads 2"), killed.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(contents(killed.path()), expected);
}

fn lines(out: &Path) -> usize {
    fs::read_to_string(out.join("journal.txt")).map_or(0, |text| text.lines().count())
}

/// Whether the run came so far before it ended.
fn wait_for_progress(child: &mut Child, out: &Path, wanted: usize) -> bool {
    while child.try_wait().unwrap().is_none() {
        if lines(out) >= wanted {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}

#[test]
fn screening_measures_and_moves_nothing() {
    let out = tempfile::tempdir().unwrap();
    let output = run("--screen --params rfp,nmp --games 8 --nodes 200 --hash 1", out.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("rfp") && table.contains("Elo"), "{table}");
    assert_eq!(fs::read_to_string(out.path().join("tuned.params")).unwrap().lines().count(), 1);
}

#[test]
fn what_makes_no_sense_is_refused_and_says_what_would() {
    let out = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        ("--params rfp_margn --games 10 --nodes 100", "there are: aspiration_window"),
        ("--params rfp --games 10 --nodes 100", "--screen"),
        ("--params all --games 11 --nodes 100", "must be even"),
        ("--params all --games 10", "--soft-nodes 40000"),
        ("--params all --games 10 --nodes 100 --tc 1+0.01", "Give one of"),
        ("--params all --games 10 --nodes 100 --threads 40", "1 to 16"),
        ("--params all --games 10 --nodes 100 --from /nowhere", "cannot read"),
        ("--params all --games 10 --nodes 100 --rate 0", "--rate"),
    ] {
        let output = run(arguments, out.path());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(expected), "{arguments}: {message}");
    }
    assert!(!out.path().join("journal.txt").exists(), "nothing was begun");
    run("--params all --games 4 --nodes 100 --hash 1", out.path());
    let output = run("--params all --games 6 --nodes 100 --hash 1", out.path());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("not of this run"), "{message}");
}
