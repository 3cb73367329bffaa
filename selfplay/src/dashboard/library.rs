//! The catalogue of all games, summed up.

use serde_json::{Value, json};

use super::place::Folder;
use crate::library::Catalogue;

/// How many games there are in all, and how many of them are still kept; nothing without a library.
pub fn summary(nights: &Folder) -> Value {
    let names = nights.names(&["library"]);
    let is_file = nights.file(&["library"]);
    let path = match (is_file, names.iter().find(|name| name.contains("catalogue"))) {
        (Ok(path), _) => Ok(path),
        (_, Some(name)) => nights.file(&["library", name]),
        _ => return Value::Null,
    };
    let Some(catalogue) = path.ok().and_then(|path| Catalogue::read(&path).ok()) else { return Value::Null };
    let (mut games, mut labels, mut bytes, mut kept, mut records) = (0, 0, 0, 0, 0);
    for entry in catalogue.entries() {
        games += entry.games;
        labels += entry.labels;
        bytes += entry.bytes;
        records += 1;
        kept += if entry.is_kept() { entry.games } else { 0 };
    }
    json!({"games": games, "labels": labels, "bytes": bytes, "kept": kept, "records": records})
}
