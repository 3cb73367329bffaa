//! What a fit changed: two sets of weights side by side, in words that people use for pieces and squares.

use std::path::Path;

use engine::eval::{EvalParams, Field};
use serde_json::{Value, json};

use super::place::{Folder, Place};
use super::problem::Problem;
use crate::arena::self_player::read_weights;

const KINDS: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];
const PAIRS: [&str; 10] = [
    "knight, pawn",
    "bishop, pawn",
    "bishop, knight",
    "rook, pawn",
    "rook, knight",
    "rook, bishop",
    "queen, pawn",
    "queen, knight",
    "queen, bishop",
    "queen, rook",
];

/// The sets of weights there are: those of nights, and the champions of all nights.
pub fn list(place: &Place) -> Value {
    let mut found = vec![json!({"id": "shipped", "name": "compiled into this program"})];
    for name in place.nights.names(&["history"]) {
        if place.nights.has(&["history", &name, "weights.toml"]) {
            found.push(json!({"id": format!("history~{name}"), "name": format!("champion {name}")}));
        }
    }
    for (night, manifest) in place.nights().iter().rev() {
        let name = night.name();
        let mut add = |way: &[&str], words: String| {
            if night.has(&[way, &["weights.toml"]].concat()) {
                let id = [&["night", name.as_str()], way].concat().join("~");
                found.push(json!({"id": id, "name": words}));
            }
        };
        add(&["player"], format!("{name}: the player at its beginning"));
        for generation in 1..=super::stage::Plan::of(manifest).generations {
            add(
                &[&format!("generation-{generation}"), "tune"],
                format!("{name}: fitted in generation {generation}"),
            );
        }
    }
    json!({"weights": found})
}

/// The page of a fit: how the loss fell, how true its predictions are, what moved.
pub fn page(place: &Place, night: &str, generation: u64) -> Result<Value, Problem> {
    let folder = place.night(night)?;
    let tune = format!("generation-{generation}");
    if !folder.has(&[&tune, "tune"]) {
        return Err(Problem::Unknown(format!("{night} has not tuned in generation {generation}")));
    }
    let figures = folder.json_or_null(&[&tune, "tune", "report", "fit.json"]);
    let before = match generation {
        1 => vec!["player".to_string()],
        _ => vec![format!("generation-{}", generation - 1), "promote".to_string(), "player".to_string()],
    };
    let before: Vec<&str> = before.iter().map(String::as_str).chain(["weights.toml"]).collect();
    let [before, after] = [folder.file(&before), folder.file(&[&tune, "tune", "weights.toml"])]
        .map(|path| path.and_then(|path| read(&path)));
    let moved = match (before, after) {
        (Ok(before), Ok(after)) => differences(&before, &after),
        _ => Value::Null,
    };
    Ok(json!({
        "night": night, "generation": generation, "fit": folder.json_or_null(&[&tune, "tune", "tethers.json"]),
        "curve": figures["curve"], "calibration": figures["calibration"], "phases": figures["phases"], "moved": moved,
    }))
}

/// Two sets of weights, by the names that [`list`] gives them.
pub fn compare(place: &Place, one: &str, other: &str) -> Result<Value, Problem> {
    let (before, after) = (find(place, one)?, find(place, other)?);
    Ok(json!({"one": one, "other": other, "moved": differences(&before, &after)}))
}

fn find(place: &Place, id: &str) -> Result<EvalParams, Problem> {
    if id == "shipped" {
        return Ok(EvalParams::embedded());
    }
    let unknown = || Problem::Unknown(format!("there are no weights {id}"));
    let parts: Vec<&str> = id.split('~').collect();
    let (folder, way): (Folder, &[&str]) = match parts.as_slice() {
        ["history", _] => (place.nights.clone(), &parts),
        ["night", name, way @ ..] if !way.is_empty() => (place.night(name)?, way),
        _ => return Err(unknown()),
    };
    read(&folder.file(&[way, &["weights.toml"]].concat())?)
}

fn read(path: &Path) -> Result<EvalParams, Problem> {
    read_weights(path).map_err(|error| Problem::of_file(path, error))
}

/// Tables of pieces and squares as boards, all else as rows: what it is, before, after.
fn differences(before: &EvalParams, after: &EvalParams) -> Value {
    let (before, after) = (before.to_vec(), after.to_vec());
    let (mut boards, mut rows, mut changed) = (Vec::new(), Vec::new(), 0);
    for field in EvalParams::FIELDS {
        let halves = |place: usize| {
            let (one, other) = (before[field.first + place], after[field.first + place]);
            [one.mg(), one.eg(), other.mg(), other.eg()]
        };
        let moved = |place: usize| {
            let [mg, eg, new_mg, new_eg] = halves(place);
            mg != new_mg || eg != new_eg
        };
        changed += (0..field.count).filter(|&place| moved(place)).count();
        match board_names(field) {
            Some(names) => boards.extend(names.iter().enumerate().filter_map(|(number, name)| {
                let size = field.count / names.len();
                let squares: Vec<_> = (0..size).map(|square| halves(number * size + square)).collect();
                let any = (0..size).any(|square| moved(number * size + square));
                any.then(|| json!({"name": name, "squares": squares}))
            })),
            None => rows.extend(
                (0..field.count)
                    .filter(|&place| moved(place))
                    .map(|place| json!([readable(field, place), field.section, halves(place)])),
            ),
        }
    }
    json!({"boards": boards, "rows": rows, "changed": changed, "all": before.len()})
}

/// The names of the boards that a line of the list of weights holds.
fn board_names(field: &Field) -> Option<Vec<String>> {
    match (field.name, field.shape.extents()) {
        (name, [5, 64]) => {
            let where_kings = if name.contains("apart") { ", kings on opposite wings" } else { "" };
            Some(KINDS.iter().map(|kind| format!("{kind}{where_kings}")).collect())
        }
        ("king_square", [32]) => Some(vec!["king".to_string()]),
        _ => None,
    }
}

/// `mobility_bishop[3]` is "mobility bishop: 3".
pub fn readable(field: &Field, place: usize) -> String {
    let words = field.name.replace('_', " ");
    match field.shape.extents() {
        [] => words,
        [5] if field.name == "piece_value" || field.name.starts_with("threat_by") => {
            format!("{words}: {}", KINDS[place])
        }
        [6] => format!("{words}: rank {}", place + 2),
        [5] if field.name == "pawn_guarded" => format!("{words}: rank {}", place + 3),
        [10] if field.name.starts_with("material") => format!("{words}: {}", PAIRS[place]),
        [64] => format!("{words}: {}", engine::types::Square::from_index(place)),
        [_] if field.name.starts_with("mobility") => format!("{words}: {place} squares"),
        _ => {
            let indices = field.shape.indices(place);
            let numbers = indices.trim_matches(['[', ']']).replace("][", ", ");
            format!("{words}: {numbers}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_names_that_people_use() {
        let before = EvalParams::embedded();
        let mut after = before.to_vec();
        let field = |name: &str| EvalParams::FIELDS.iter().find(|field| field.name == name).unwrap();
        after[field("psqt").first + 2 * 64 + 10] += engine::eval::Score::new(7, -3);
        after[field("bishop_pair").first] += engine::eval::Score::new(1, 1);
        let told = differences(&before, &EvalParams::from_vec(&after));
        assert_eq!((told["changed"].as_u64(), told["boards"][0]["name"].as_str()), (Some(2), Some("bishop")));
        let square = &told["boards"][0]["squares"][10];
        assert_eq!(square[2].as_i64().unwrap() - square[0].as_i64().unwrap(), 7, "c2");
        assert_eq!(told["rows"][0][0], "bishop pair");
        assert_eq!(readable(field("piece_value"), 1), "piece value: knight");
    }
}
