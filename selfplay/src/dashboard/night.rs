//! A night as its page shows it: stages, games, book, gates, what came of them.

use serde_json::{Value, json};

use super::games::set_names;
use super::place::{Folder, Place};
use super::problem::Problem;
use super::stage::{Plan, states};

/// More logs than this no page lists.
const MOST_LOGS: usize = 400;

/// Everything about one night but its games.
pub fn page(place: &Place, name: &str, now: f64) -> Result<Value, Problem> {
    let night = place.night(name)?;
    let Some(manifest) = night.json(&["manifest.json"])? else {
        return Err(Problem::Unknown(format!("{name} has no manifest")));
    };
    let plan = Plan::of(&manifest);
    let (stages, is_alive) = states(&night, &manifest, now);
    let generations: Vec<Value> = (1..=plan.generations)
        .map(|generation| generation_row(&night, &plan, generation))
        .filter(|row| !row.is_null())
        .collect();
    let mut logs = night.names(&["logs"]);
    logs.retain(|log| log.ends_with(".log"));
    logs.truncate(MOST_LOGS);
    Ok(json!({
        "name": name,
        "begun": manifest["begun"],
        "commit": manifest["commit"],
        "finished": night.has(&["finished.json"]),
        "alive": is_alive,
        "now": now,
        "stages": stages,
        "generations": generations,
        "settings": plan.settings,
        "earlier_games": manifest["library"]["games"],
        "archives": archives(&night),
        "logs": logs,
        "sets": set_names(&night, &plan),
        "has_report": night.has(&["report.html"]),
    }))
}

/// What of a night changes while it runs, and nothing else: this is sent to every page that follows it.
pub fn live(night: &Folder, manifest: &Value, now: f64) -> Value {
    let plan = Plan::of(manifest);
    let (stages, is_alive) = states(night, manifest, now);
    let done: u64 = stages.iter().filter_map(|row| row["done"].as_u64()).sum();
    let tasks: u64 = stages.iter().filter_map(|row| row["tasks"].as_u64()).sum();
    let runs = stages.iter().find(|row| row["runs"] == true).cloned();
    let generations: Vec<Value> =
        (1..=plan.generations).map(|generation| gates(night, &plan, generation)).collect();
    json!({
        "name": night.name(), "alive": is_alive, "finished": night.has(&["finished.json"]), "now": now,
        "done": done, "tasks": tasks, "runs": runs, "stages": stages, "gates": generations,
    })
}

fn generation_row(night: &Folder, plan: &Plan, generation: u64) -> Value {
    let place = format!("generation-{generation}");
    if !night.has(&[&place]) {
        return Value::Null;
    }
    let stats = |kind: &str| {
        let mut stats = night.json_or_null(&[&place, "merge", &format!("{kind}.json")]);
        if let Some(fields) = stats.as_object_mut() {
            fields.remove("file");
            fields.remove("files");
        }
        stats
    };
    json!({
        "generation": generation,
        "games": stats("games"),
        "lines": stats("lines"),
        "book": night.json_or_null(&[&place, "learn", "book.json"]),
        "learned": night.json_or_null(&[&place, "learn", "learned.json"]),
        "fit": night.json_or_null(&[&place, "tune", "tethers.json"]),
        "gate": gates(night, plan, generation),
        "choice": night.json_or_null(&[&place, "promote", "choice.json"]),
        "player": night.json_or_null(&[&place, "promote", "player", "origin.json"])["why"],
        "ratings": night.json_or_null(&[&place, "rate", "ratings.json"]),
    })
}

/// The verdicts of a generation; where there is none yet, what the journals know.
fn gates(night: &Folder, plan: &Plan, generation: u64) -> Value {
    let place = format!("generation-{generation}");
    let mut arms = serde_json::Map::new();
    for arm in &plan.arms {
        let verdict = night.json_or_null(&[&place, "gate", arm, "verdict.json"]);
        if !verdict.is_null() {
            arms.insert(arm.clone(), verdict);
        } else if let Some(running) = super::matches::running_gate(night, plan, &[&place, "gate", arm]) {
            arms.insert(arm.clone(), running);
        }
    }
    Value::Object(arms)
}

/// What was shipped, with its size.
fn archives(night: &Folder) -> Vec<Value> {
    let names = night.names(&["ship"]);
    let archives = names.iter().filter(|name| name.ends_with(".tar.gz"));
    archives
        .filter_map(|name| {
            let bytes = std::fs::metadata(night.file(&["ship", name]).ok()?).ok()?.len();
            Some(json!({"name": name, "bytes": bytes}))
        })
        .collect()
}
