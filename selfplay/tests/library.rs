//! `selfplay library`: records added, merged, taken and dropped; damage named; kill -9 at any moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

fn library(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .arg("library")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", told(output)))
}

/// Three small records: seeds 1, 2 and 3; the third of quick moves with deep labels and other starts.
fn records(folder: &Path) -> Vec<PathBuf> {
    for (seed, more) in [("1", ""), ("2", ""), ("3", "--deep share=0.2,nodes=60 --dfrc-share 0.5")] {
        let output = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args([
                "generate",
                "--games",
                "8",
                "--nodes",
                "20",
                "--hash",
                "1",
                "--max-plies",
                "60",
                "--seed",
                seed,
            ])
            .args(more.split_whitespace())
            .args(["--out", "games"])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", told(&output));
    }
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("games"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "tgr"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 3);
    files
}

fn prepared() -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let files = records(folder.path());
    let names = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    (folder, names)
}

fn add(folder: &Path, library_name: &str, date: &str, night: &str, files: &[&str]) {
    let mut arguments = vec!["add", "--library", library_name, "--date", date, "--night", night];
    arguments.extend(files);
    let output = library(folder, &arguments);
    assert!(output.status.success(), "{}", told(&output));
}

#[test]
fn sites_merge_in_any_order_to_the_same_bytes() {
    let (folder, files) = prepared();
    let at = folder.path();
    add(at, "a", "100", "first", &[&files[0], &files[1]]);
    add(at, "b", "200", "second", &[&files[1], &files[2]]);
    fs::copy(&files[0], at.join("copy.tgr")).unwrap();
    add(at, "c", "50", "third", &["copy.tgr"]);
    let dropped = library(at, &["drop", "--library", "b", "--night", "second", "--reason", "a bug"]);
    assert!(dropped.status.success(), "{}", told(&dropped));
    let mut seen = Vec::new();
    for (number, order) in [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]].iter().enumerate() {
        let name = format!("all{number}");
        let merged = library(at, &[&["merge", "--library", &name], &order[..]].concat());
        assert!(merged.status.success(), "{}", told(&merged));
        seen.push(fs::read(at.join(&name)).unwrap());
    }
    assert!(seen.iter().all(|bytes| *bytes == seen[0]));
    let taken = json(&library(at, &["take", "--library", "all0", "--json"]));
    assert_eq!(taken["files"].as_array().unwrap().len(), 1, "what one site dropped is dropped: {taken}");
    let stats = json(&library(at, &["stats", "--library", "all0", "--json"]));
    assert_eq!((&stats["games"], &stats["dropped"]), (&Value::from(8), &Value::from(2)), "{stats}");
}

#[test]
fn the_newest_are_taken_and_damage_is_named() {
    let (folder, files) = prepared();
    let at = folder.path();
    for (date, file) in ["100", "300", "200"].iter().zip(&files) {
        add(at, "library", date, date, &[file]);
    }
    let names = |least: &str| -> (Vec<String>, Value, bool) {
        let output = library(at, &["take", "--least", least, "--json"]);
        let taken = json(&output);
        let listed = taken["files"].as_array().unwrap().iter();
        (
            listed.map(|file| file["file"].as_str().unwrap().to_string()).collect(),
            taken,
            output.status.success(),
        )
    };
    let (all, _, good) = names("1000");
    assert_eq!(all, [files[1].clone(), files[2].clone(), files[0].clone()]);
    assert!(good);
    // 24 games and a window of 4 · (24 / 4)^¾ = 15: two records.
    let (some, taken, _) = names("4");
    assert_eq!((some.len(), &taken["wanted"]), (2, &Value::from(15)), "{taken}");

    let stats = json(&library(at, &["stats", "--json"]));
    assert!(stats["other_starts"].as_u64().unwrap() > 0, "{stats}");
    let list = json(&library(at, &["list", "--json"]));
    let labels = |settings: &str| -> Vec<u64> {
        let matching = list.as_array().unwrap().iter();
        matching
            .filter(|entry| entry["settings"].as_str().unwrap().contains("deep=") == (settings == "deep"))
            .map(|entry| entry["labels"].as_u64().unwrap())
            .collect()
    };
    assert!(labels("deep")[0] < labels("even")[0] / 2, "{list}");

    let mut bytes = fs::read(&files[1]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&files[1], bytes).unwrap();
    fs::remove_file(&files[2]).unwrap();
    let (left, taken, good) = names("1000");
    assert_eq!(left, [files[0].clone()]);
    assert!(!good, "exit code 1 where something is left out");
    let faults = taken["left_out"].to_string();
    assert!(faults.contains(&files[1]) && faults.contains(&files[2]), "{faults}");
    let verified = library(at, &["verify"]);
    assert!(!verified.status.success() && told(&verified).contains("DAMAGED"), "{}", told(&verified));
    let again = library(at, &["add", &files[1], &files[0]]);
    let text = told(&again);
    assert!(!again.status.success() && text.contains("left out") && text.contains("added 1"), "{text}");
}

#[test]
fn a_damaged_catalogue_is_said_with_its_line() {
    let (folder, files) = prepared();
    let at = folder.path();
    add(at, "library", "100", "n", &[&files[0], &files[1]]);
    let text = fs::read_to_string(at.join("library")).unwrap();
    fs::write(at.join("library"), text.replacen("\"games\":8", "\"games\":9", 1)).unwrap();
    let output = library(at, &["list"]);
    assert!(!output.status.success() && told(&output).contains("line 2: damaged"), "{}", told(&output));
    fs::write(at.join("other"), "something else\n").unwrap();
    let output = library(at, &["list", "--library", "other"]);
    assert!(told(&output).contains("is no library"), "{}", told(&output));
}

#[test]
fn kill_9_at_any_moment_leaves_a_whole_catalogue() {
    let (folder, files) = prepared();
    let at = folder.path();
    let kills: u64 = std::env::var("TABULA_KILLS").ok().map_or(20, |text| text.parse().unwrap());
    add(at, "library", "1", "first", &[&files[0]]);
    let (mut killed, mut finished) = (0, 0);
    for round in 0..kills {
        // Always other bytes to write.
        let night = format!("night {round}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(["library", "add", "--date", &round.to_string(), "--night", &night, &files[1], &files[2]])
            .current_dir(at)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(round * 997 % 30_000));
        match child.try_wait().unwrap() {
            Some(_) => finished += 1,
            None => killed += 1,
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let listed = library(at, &["list", "--json"]);
        assert!(listed.status.success(), "{}", told(&listed));
        let count = json(&listed).as_array().unwrap().len();
        assert!(count == 1 || count == 3, "all of an addition or nothing: {count}");
    }
    assert!(killed > 0, "{finished} finished: nothing was tested");
    add(at, "library", "9", "last", &[&files[1], &files[2]]);
    assert_eq!(json(&library(at, &["list", "--json"])).as_array().unwrap().len(), 3);
}
