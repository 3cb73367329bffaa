//! `selfplay judge` adds rounds up and names what it cannot use.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn judge(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .arg("judge")
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

fn round(second: &str, pairs: [u64; 5]) -> Value {
    // Every pair of games as two wins, two losses or two draws of the same sum.
    let results = json!({"wins": pairs[4] * 2, "draws": pairs[2] * 2, "losses": pairs[0] * 2});
    json!({"encounters": [{"first": "new", "second": second, "results": results, "pentanomial": pairs}]})
}

#[test]
fn rounds_add_up_to_one_verdict() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (name, pairs) in
        [("a.json", [5, 0, 20, 0, 25]), ("b.json", [6, 0, 18, 0, 26]), ("c.json", [6, 0, 37, 0, 7])]
    {
        fs::write(path.join(name), round("old", pairs).to_string()).unwrap();
    }
    let judgement = |files: &[&str]| -> Value {
        let mut arguments = vec!["--sprt", "elo0=0,elo1=30", "--json"];
        arguments.extend(files);
        let output = judge(path, &arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let both = judgement(&["a.json", "b.json"]);
    assert_eq!(both["pentanomial"], json!([11, 0, 38, 0, 51]));
    assert_eq!(both["results"], json!({"wins": 102, "draws": 76, "losses": 22}));
    assert_eq!(both["sprt"]["state"], "accepth1");
    assert_eq!(judgement(&["c.json"])["sprt"]["state"], "running");
    let other_way = judgement(&["b.json", "a.json"]);
    assert_eq!(both, other_way, "the order of rounds says nothing");
}

#[test]
fn what_is_no_round_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("a.json"), round("old", [1, 0, 1, 0, 1]).to_string()).unwrap();
    fs::write(path.join("b.json"), round("older", [1, 0, 1, 0, 1]).to_string()).unwrap();
    fs::write(path.join("cut.json"), "{\"encounters\": [").unwrap();
    for (files, said) in [
        (vec!["a.json", "b.json"], "b.json: new against older, not new against old"),
        (vec!["cut.json"], "cut.json: no report of one `selfplay match --json`"),
        (vec!["missing.json"], "cannot read missing.json"),
    ] {
        let output = judge(path, &files);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && errors.contains(said), "{errors}");
    }
}
