//! `selfplay suite` as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tiny.epd")
}

fn suite(file: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    command.arg("suite").arg(file).args(arguments);
    command.output().expect("selfplay runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn solved_and_unsolved_are_told_and_the_exit_code_knows_the_threshold() {
    for (wanted, code) in [("4", 0), ("5", 1)] {
        let arguments =
            ["--engine", "self:hash=1", "--nodes", "3000", "--concurrency", "2", "--at-least", wanted];
        let output = suite(&tiny(), &arguments);
        let stdout = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{stdout}{}", text(&output.stderr));
        assert!(stdout.contains("solved 4 of 5 (80.0%)"), "{stdout}");
        assert!(stdout.contains("unsolved unsolvable: played Ra8#, solution Kf1"), "{stdout}");
        assert_eq!(stdout.matches("unsolved ").count(), 1, "{stdout}");
    }
}

#[test]
fn json_says_the_same() {
    let output = suite(&tiny(), &["--depth", "4", "--first", "3", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!(json["asked"], 3);
    assert_eq!(json["solved"], 3);
    assert_eq!(json["unsolved"].as_array().map(Vec::len), Some(0));
    assert_eq!(json["limit"], "depth 4");
}

#[test]
fn what_is_wrong_is_said() {
    let directory = std::env::temp_dir().join(format!("tabula-suite-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a place to write");
    let write = |name: &str, content: &str| {
        let path = directory.join(name);
        std::fs::write(&path, content).expect("a file");
        path
    };
    let no_move = write("no_move.epd", "# one\n8/8/8/8/8/8/8/8 w - - bm Ra1;\n");
    let empty = write("empty.epd", "# nothing\n\n");
    let nodes = ["--nodes", "100"];
    for (file, arguments, part) in [
        (directory.join("none.epd"), &nodes[..], "cannot read the suite"),
        (no_move, &nodes[..], "line 2"),
        (empty, &nodes[..], "not a single position"),
        (tiny(), &[][..], "how long may it think?"),
        (tiny(), &["--nodes", "100", "--at-least", "6"][..], "only 5 positions"),
        (tiny(), &["--nodes", "100", "--engine", "/no/such/engine"][..], "cannot start '/no/such/engine'"),
        (tiny(), &["--engine", "cmd=x,tc=1+0"][..], "a clock is for games"),
    ] {
        let output = suite(&file, arguments);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains(part), "{arguments:?}: {stderr}");
    }
    std::fs::remove_dir_all(&directory).expect("what was written can be removed");
}
