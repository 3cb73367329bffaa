//! Matches, sequential tests and tuning runs: those of gates, and every journal in the folders that are shown besides.

use std::path::Path;

use serde_json::{Value, json};

use super::place::{Folder, Place};
use super::stage::Plan;
use crate::Outcome;
use crate::arena::journal::Look;
use crate::arena::{GameSummary, Journal, MatchIdentity, Pentanomial, Sprt, SprtState, Trial, WinDrawLoss};

/// Folders are searched so deep, and so many journals are read.
const DEPTH: usize = 3;
const MOST_JOURNALS: usize = 500;
/// A larger journal is not read for a page.
const LARGEST_JOURNAL: u64 = 64 << 20;

/// All of them: the gates of nights, newest first, then the other journals.
pub fn page(place: &Place) -> Value {
    let mut gates = Vec::new();
    for (night, manifest) in place.nights().iter().rev() {
        let plan = Plan::of(manifest);
        for generation in (1..=plan.generations).rev() {
            let folder = format!("generation-{generation}");
            for arm in &plan.arms {
                let verdict = night.json_or_null(&[&folder, "gate", arm, "verdict.json"]);
                let told = match verdict.is_null() {
                    false => verdict,
                    true => running_gate(night, &plan, &[&folder, "gate", arm]).unwrap_or(Value::Null),
                };
                if !told.is_null() {
                    gates.push(gate_row(&night.name(), generation, arm, &told));
                }
            }
        }
    }
    let mut journals = Vec::new();
    for folder in &place.more {
        walk(folder, &[], &mut journals);
    }
    json!({"gates": gates, "journals": journals})
}

fn gate_row(night: &str, generation: u64, arm: &str, verdict: &Value) -> Value {
    let parts: Vec<Value> = verdict["parts"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .map(|part| {
            json!({
                "name": part["name"], "results": part["results"], "pentanomial": part["pentanomial"],
                "elo": part["elo"], "llr": part["sprt"]["llr"], "lower": part["sprt"]["lower"],
                "upper": part["sprt"]["upper"],
            })
        })
        .collect();
    json!({
        "night": night, "generation": generation, "arm": arm, "verdict": verdict["verdict"], "reason": verdict["reason"],
        "parts": parts,
    })
}

/// Where a gate stands that has no verdict yet, from its journals.
pub fn running_gate(night: &Folder, plan: &Plan, gate: &[&str]) -> Option<Value> {
    let test: Sprt = plan.settings["sprt"].as_str()?.parse().ok()?;
    let pairs = (plan.number("gate_games") / 2).min(1 << 20) as usize;
    let mut trial = Trial::new(test, pairs);
    let mut games = 0;
    for name in
        night.names(gate).iter().filter(|name| name.starts_with("nodes-") && name.ends_with(".journal"))
    {
        for (number, summary) in read(&night.file(&[gate, &[name.as_str()]].concat()).ok()?)?.1 {
            games += 1;
            // The candidate has White in the first game of a pair.
            let side =
                if number % 2 == 0 { engine::types::Color::White } else { engine::types::Color::Black };
            trial.add(number, summary.outcome.half_points(side));
        }
    }
    if games == 0 {
        return None;
    }
    let (lower, upper) = trial.test().bounds();
    let elo = trial.pairs().elo().map(|elo| json!({"value": elo.value, "error": elo.error()}));
    Some(json!({
        "verdict": "running", "reason": "games are being played",
        "parts": [{
            "name": "nodes", "results": trial.games(), "pentanomial": trial.pairs(), "elo": elo,
            "score": trial.games().score(),
            "sprt": {"llr": trial.llr(), "lower": lower, "upper": upper}, "most_games_left": trial.most_games_left(),
            "likely_games_left": trial.likely_games_left(),
        }],
    }))
}

/// What a journal of games knows: its match, and its games.
fn read(path: &Path) -> Option<Look> {
    let size = std::fs::metadata(path).ok()?.len();
    if size > LARGEST_JOURNAL {
        return None;
    }
    Journal::look(path).ok()
}

fn walk(folder: &Folder, way: &[&str], found: &mut Vec<Value>) {
    for name in folder.names(way) {
        if found.len() >= MOST_JOURNALS {
            return;
        }
        let inner = [way, &[name.as_str()]].concat();
        if name.ends_with(".journal") || name == "journal" {
            let Ok(path) = folder.file(&inner) else { continue };
            let shown = format!("{}/{}", folder.name(), inner.join("/"));
            let changed = folder.changed(&inner);
            if let Some((identity, games, finished)) = read(&path) {
                found.push(match_row(&shown, &identity, &games, finished, changed));
            } else if let Some(row) = spsa_row(&path, &shown, changed) {
                found.push(row);
            }
        } else if way.len() < DEPTH && folder.folder(&inner).is_ok() {
            walk(folder, &inner, found);
        }
    }
}

/// A match of two engines as its journal has it; of more engines only the number of games is told.
fn match_row(
    shown: &str,
    identity: &MatchIdentity,
    games: &[(usize, GameSummary)],
    finished: bool,
    changed: Option<f64>,
) -> Value {
    let mut results = WinDrawLoss::default();
    let mut pairs: std::collections::BTreeMap<usize, Vec<u8>> = Default::default();
    for (number, summary) in games {
        let side = if number % 2 == 0 { engine::types::Color::White } else { engine::types::Color::Black };
        let points = summary.outcome.half_points(side);
        results.add(points);
        pairs.entry(number / 2).or_default().push(points);
    }
    let mut pentanomial = Pentanomial::default();
    pairs.values().filter(|pair| pair.len() == 2).for_each(|pair| pentanomial.add(pair[0] + pair[1]));
    let engines = identity.iter().filter(|(name, _)| name.starts_with("engine ")).count();
    let test = identity.iter().find_map(|(_, value)| value.parse::<Sprt>().ok());
    let sprt = test.map(|test| {
        let (lower, upper) = test.bounds();
        let state = match test.state(&pentanomial) {
            SprtState::AcceptH1 => "passed",
            SprtState::AcceptH0 => "failed",
            SprtState::Running => "running",
        };
        json!({"llr": test.llr(&pentanomial), "lower": lower, "upper": upper, "state": state})
    });
    let elo = pentanomial.elo().map(|elo| json!({"value": elo.value, "error": elo.error()}));
    let draws = games.iter().filter(|(_, summary)| summary.outcome == Outcome::Draw).count();
    json!({
        "kind": "match", "file": shown, "identity": identity, "games": games.len(), "finished": finished,
        "changed": changed, "engines": engines, "draws": draws,
        "results": (engines == 2).then_some(results), "pentanomial": (engines == 2).then_some(pentanomial),
        "elo": elo.filter(|_| engines == 2), "sprt": sprt.filter(|_| engines == 2),
    })
}

/// A tuning run of search parameters: what is tuned, and how many pairs there are.
fn spsa_row(path: &Path, shown: &str, changed: Option<f64>) -> Option<Value> {
    let (identity, pairs) = crate::spsa::Journal::look(path).ok()?;
    let wanted =
        identity.iter().find(|(name, _)| name == "--games").and_then(|(_, games)| games.parse::<u64>().ok());
    Some(json!({
        "kind": "spsa", "file": shown, "identity": identity, "games": 2 * pairs.len(), "of": wanted, "changed": changed,
        "finished": wanted.is_some_and(|wanted| 2 * pairs.len() as u64 >= wanted),
    }))
}
