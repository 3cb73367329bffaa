//! Nights and records of games other than chess: listed, and shown ply by ply as text boards.

use serde_json::{Value, json};

use super::place::{Folder, Place};
use super::problem::Problem;
use crate::games::Game;
use crate::games::codec::GameCodec;
use crate::games::registry::{WithGame, with_game};
use crate::record::{Reader, VERSION};

/// Folders are searched so deep, and so many records are listed.
const DEPTH: usize = 4;
const MOST_RECORDS: usize = 500;

/// The records of other games below the folders that are shown.
pub fn list(place: &Place) -> Value {
    let mut found = Vec::new();
    for (number, folder) in folders(place).into_iter().enumerate() {
        walk(&folder, &[], number, &mut found);
    }
    json!(found)
}

/// The folders in which other games may lie, in an order that numbers them.
fn folders(place: &Place) -> Vec<Folder> {
    std::iter::once(place.nights.clone()).chain(place.more.iter().cloned()).collect()
}

fn walk(folder: &Folder, way: &[&str], number: usize, found: &mut Vec<Value>) {
    // A night of chess has its own page, and thousands of files.
    if folder.has(&[way, &["manifest.json"]].concat()) {
        return;
    }
    for name in folder.names(way) {
        if found.len() >= MOST_RECORDS
            || matches!(name.as_str(), "history" | "champion" | "player" | "library")
        {
            continue;
        }
        let inner = [way, &[name.as_str()]].concat();
        if name.ends_with(".tgr") {
            let Some(header) = folder.file(&inner).ok().and_then(|path| Reader::head(&path).ok()) else {
                continue;
            };
            if header.version != VERSION {
                found.push(json!({
                    "id": format!("{number}~{}", inner.join("~")), "game": header.game(), "file": inner.join("/"),
                    "first": header.games.start, "end": header.games.end,
                }));
            }
        } else if way.len() < DEPTH && folder.folder(&inner).is_ok() {
            walk(folder, &inner, number, found);
        }
    }
}

/// One game, ply by ply.
pub fn game(place: &Place, record: &str, id: u64) -> Result<Value, Problem> {
    let unknown = || Problem::Unknown(format!("there is no record {record}"));
    let mut parts = record.split('~');
    let number: usize = parts.next().and_then(|number| number.parse().ok()).ok_or_else(unknown)?;
    let folder = folders(place).into_iter().nth(number).ok_or_else(unknown)?;
    let path = folder.file(&parts.collect::<Vec<_>>())?;
    let reader = Reader::open_any(&path).map_err(|error| Problem::of_file(&path, error))?;
    let name = reader.header().game();
    with_game(&name, Show { reader, id }).map_err(|error| Problem::of_file(&path, error))?
}

struct Show {
    reader: Reader,
    id: u64,
}

impl WithGame for Show {
    type Output = Result<Value, Problem>;

    fn run<G: Game>(self, game: G) -> Result<Value, Problem> {
        let missing = || Problem::Unknown(format!("there is no game {} in this record", self.id));
        let holds = |first: u64, games: u32| (first..first + u64::from(games)).contains(&self.id);
        let block =
            self.reader.blocks().position(|head| holds(head.first, head.games)).ok_or_else(missing)?;
        let games = self.reader.decode_by(&GameCodec(game.clone()), block);
        let games = games.map_err(|error| Problem::of_file(self.reader.path(), error))?;
        let played = games.into_iter().find(|played| played.id == self.id).ok_or_else(missing)?;
        let mut state = game.start();
        let views = |state: &G::State| -> Value {
            G::VIEWS.iter().map(|&view| (view.to_string(), json!(game.view(state, view)))).collect()
        };
        let mut plies = vec![json!({"views": views(&state)})];
        for (ply, action) in played.actions().enumerate() {
            let mover = game.mover(&state);
            let text = game.action_text(&state, action);
            let searched = ply.checked_sub(played.opening.len()).and_then(|number| played.plies.get(number));
            game.apply(&mut state, action);
            plies.push(json!({
                "side": mover.index(), "text": text, "score": searched.map(|ply| ply.score_stm),
                "depth": searched.map(|ply| ply.depth), "explored": searched.is_some_and(|ply| ply.explored),
                "views": views(&state),
            }));
        }
        Ok(json!({
            "game": crate::games::full_name(&game), "id": played.id, "result": played.outcome.pgn(),
            "ending": played.ending.words(), "plies": plies,
            "views": G::VIEWS, "games": [self.reader.header().games.start, self.reader.header().games.end],
        }))
    }
}
