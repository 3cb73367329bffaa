//! The rating list and the crosstable of a tournament, as a user sees them.

use std::process::{Command, Output};

fn round_robin(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    command.arg("match");
    for engine in ["name=one,nodes=400", "name=two,nodes=150", "name=three,nodes=40"] {
        command.args(["--engine", &format!("self:hash=1,{engine}")]);
    }
    command.args(["--format", "round-robin", "--games", "6", "--max-moves", "60"]).args(arguments);
    command.output().expect("selfplay runs")
}

#[test]
fn a_round_robin_ends_with_a_list_and_a_crosstable() {
    let output = round_robin(&["--anchor", "two"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = text.lines().collect();
    let list = lines.iter().position(|line| line.trim_start().starts_with("rank")).expect("a rating list");
    let is_table = |line: &&str| line.contains("engine") && line.contains("points");
    let table = lines.iter().position(is_table).expect("a crosstable");
    let anchor = lines[list..table].iter().find(|line| line.contains(" two ")).expect("the anchor's line");
    assert!(anchor.contains("+0.0") && anchor.contains(" 12 "), "{text}");
    // In the crosstable what one made of another and the other of the one add up to the games.
    let order: Vec<&str> =
        lines[table + 1..table + 4].iter().filter_map(|line| line.split_whitespace().nth(1)).collect();
    let cell = |row: usize, column: usize| -> f64 {
        let cell = lines[table + 1 + row].split_whitespace().nth(3 + column).expect("a cell");
        let (points, games) = cell.split_once('/').expect("points out of games");
        assert_eq!(games, "6", "{text}");
        points.parse().expect("a number")
    };
    assert_eq!(order.len(), 3);
    for (row, column) in [(0, 1), (0, 2), (1, 2)] {
        assert_eq!(cell(row, column) + cell(column, row), 6.0, "{text}");
    }
}

#[test]
fn ratings_are_in_the_json_too_and_an_unknown_anchor_is_refused() {
    let output = round_robin(&["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    let list = json["ratings"]["list"].as_array().expect("a list");
    assert_eq!(list.len(), 3);
    let elos: Vec<f64> = list.iter().filter_map(|line| line["elo"]["value"].as_f64()).collect();
    assert!(elos.is_sorted_by(|a, b| a >= b) && elos.iter().sum::<f64>().abs() < 1e-6, "{elos:?}");
    assert!(json["ratings"]["anchor"].is_null());

    let refused = round_robin(&["--anchor", "four"]);
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr.contains("they are called one, two, three"), "{stderr}");
}
