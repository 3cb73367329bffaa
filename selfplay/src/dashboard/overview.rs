//! All nights in one table, and the curve of strength over them.

use std::collections::HashMap;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::lineage::Lineage;
use super::place::{Folder, Place};
use super::stage::{Plan, states};

/// Rows of nights that have ended, by name and the time of their end: they do not change any more.
#[derive(Default)]
pub struct Overview {
    ended: Mutex<HashMap<String, (u64, Value)>>,
}

impl Overview {
    /// The page.
    pub fn page(&self, place: &Place, now: f64) -> Value {
        let nights = place.nights();
        let rows: Vec<Value> =
            nights.iter().map(|(night, manifest)| self.row(night, manifest, now)).collect();
        let lineage = Lineage::of(&nights);
        json!({
            "nights": rows,
            "now": now,
            "ratings": lineage.ratings(),
            "champions": champions(place),
            "library": super::library::summary(&place.nights),
            "more": place.more.len(),
            "other_games": super::other_games::list(place),
        })
    }

    fn row(&self, night: &Folder, manifest: &Value, now: f64) -> Value {
        let ended = night.changed(&["finished.json"]).map(|time| (time * 1000.0) as u64);
        let mut known = self.ended.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let (Some(ended), Some((time, row))) = (ended, known.get(&night.name()))
            && ended == *time
        {
            return row.clone();
        }
        let row = row(night, manifest, now);
        if let Some(ended) = ended {
            known.insert(night.name(), (ended, row.clone()));
        }
        row
    }
}

fn row(night: &Folder, manifest: &Value, now: f64) -> Value {
    let plan = Plan::of(manifest);
    let finished = night.has(&["finished.json"]);
    // A night that has ended has no state any more, and there are many of them.
    let (stages, is_alive) = if finished { (Vec::new(), false) } else { states(night, manifest, now) };
    let [seconds, cpu] = worked(night, now);
    let done: u64 = stages.iter().filter_map(|row| row["done"].as_u64()).sum();
    let tasks: u64 = stages.iter().filter_map(|row| row["tasks"].as_u64()).sum();
    let (mut games, mut positions, mut gate_games, mut outcome) = (0, 0, 0, Vec::new());
    for generation in 1..=plan.generations {
        let place = format!("generation-{generation}");
        for kind in &plan.kinds {
            let stats = night.json_or_null(&[&place, "merge", &format!("{kind}.json")]);
            games += stats["games"].as_u64().unwrap_or(0);
            positions += stats["positions"].as_u64().unwrap_or(0);
        }
        let arms: Vec<Value> =
            plan.arms.iter().filter_map(|arm| arm_row(night, &place, arm, &mut gate_games)).collect();
        let choice = night.json_or_null(&[&place, "promote", "choice.json"]);
        if !arms.is_empty() {
            outcome.push(json!({
                "arms": arms, "promoted": choice["arm"], "refused": choice["refused"],
                "outsider": outsider(night, &place, &choice),
            }));
        }
    }
    let runs = stages.iter().find(|row| row["runs"] == true).cloned();
    json!({
        "name": night.name(), "begun": manifest["begun"], "finished": finished, "alive": is_alive,
        "from_zero": plan.settings["from_zero"] == true, "nodes": plan.settings["nodes"],
        "games": games, "positions": positions, "gate_games": gate_games,
        "seconds": seconds, "cpu": cpu, "done": done, "tasks": tasks, "runs": runs,
        "generations": outcome,
    })
}

/// Seconds that all tasks of a night took so far, and their CPU time.
fn worked(night: &Folder, now: f64) -> [f64; 2] {
    let times = night.names(&["times"]);
    times.iter().fold([0.0; 2], |[seconds, cpu], name| {
        let told = night.json_or_null(&["times", name]);
        let begun = told["begun"].as_f64().unwrap_or(now);
        let ended = told["ended"].as_f64().unwrap_or(now);
        [seconds + (ended - begun).max(0.0), cpu + told["cpu"].as_f64().unwrap_or(0.0)]
    })
}

/// Name, verdict, Elo, error.
fn arm_row(night: &Folder, place: &str, arm: &str, games: &mut u64) -> Option<Value> {
    let verdict = night.json(&[place, "gate", arm, "verdict.json"]).ok()??;
    let part = &verdict["parts"][0];
    let results = &part["results"];
    let of = |what: &str| results[what].as_u64().unwrap_or(0);
    *games += of("wins") + of("draws") + of("losses");
    Some(json!([arm, verdict["verdict"], part["elo"]["value"], part["elo"]["error"]]))
}

/// How whoever reigns after a generation did against an engine that never saw ours: name, score, Elo, error.
fn outsider(night: &Folder, place: &str, choice: &Value) -> Value {
    let said = &choice["outsider"];
    let who = if choice["arm"].is_null() { "champion" } else { "candidate" };
    let rated = night.json_or_null(&[place, "rate", "ratings.json"]);
    let (name, part) = match said[who].is_object() {
        true => (said["name"].clone(), said[who].clone()),
        false => (json!("outsider"), rated["outsider"].clone()),
    };
    if part["score"].is_null() {
        return Value::Null;
    }
    json!([name, part["score"], part["elo"]["value"], part["elo"]["error"], said["objects"]])
}

/// The champions in the order of their promotion, and which of them reigns.
fn champions(place: &Place) -> Value {
    let names = place.nights.names(&["history"]);
    let entries: Vec<Value> = (names.iter())
        .filter(|name| !name.contains(".part-"))
        .map(|name| {
            let origin = place.nights.json_or_null(&["history", name, "origin.json"]);
            let match_before = &origin["against_the_champion_before"];
            json!({
                "name": name, "night": origin["night"], "generation": origin["generation"], "arm": origin["promoted"],
                "results": match_before["results"], "elo": match_before["elo"], "weights": origin["weights_sha256"],
                "book": origin["book_sha256"],
            })
        })
        .collect();
    let reigning = place.nights.folder(&["champion"]).map(|folder| folder.name()).ok();
    json!({"entries": entries, "reigning": reigning})
}
