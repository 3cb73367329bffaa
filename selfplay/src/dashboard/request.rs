//! What a page asks for. The address becomes one of these before anything is read; what is none of them has no answer.

use super::position;
use super::problem::Problem;
use super::state::Dashboard;
use super::{game_page, games, matches, night, other_games, play, tuning};
use serde_json::{Value, json};

/// A question that JSON answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// All nights.
    Overview,
    /// One night.
    Night(String),
    /// Matches and tests.
    Tests,
    /// A part of the games of a set: night, set, part.
    Games(String, String, usize),
    /// A game: night, set, number.
    Game(String, String, u64),
    /// A game of another kind: record, number.
    Other(String, u64),
    /// The fit of a generation.
    Tuning(String, u64),
    /// Sets of weights to compare.
    Weights,
    /// Two of them.
    Compare(String, String),
    /// A position: FEN, night.
    Position(String, Option<String>),
    /// What can be chosen for a game against the engine.
    Choices,
    /// The end of a log: night, log.
    Log(String, String),
}

impl Request {
    /// From the parts of an address behind `/data/`, without `.json`; each part decoded.
    pub fn read(parts: &[&str], query: &[(String, String)]) -> Result<Request, Problem> {
        let number =
            |text: &str| text.parse::<u64>().map_err(|_| Problem::Refused(format!("{text:?} is no number")));
        let asked = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        Ok(match *parts {
            ["overview"] => Request::Overview,
            ["tests"] => Request::Tests,
            ["weights"] => Request::Weights,
            ["choices"] => Request::Choices,
            ["night", name] => Request::Night(name.to_string()),
            ["log", night, log] => Request::Log(night.to_string(), log.to_string()),
            ["games", night, set, chunk] => {
                Request::Games(night.to_string(), set.to_string(), number(chunk)? as usize)
            }
            ["game", night, set, id] => Request::Game(night.to_string(), set.to_string(), number(id)?),
            ["other", record, id] => Request::Other(record.to_string(), number(id)?),
            ["tuning", night, generation] => Request::Tuning(night.to_string(), number(generation)?),
            ["compare"] => {
                Request::Compare(asked("one").unwrap_or_default(), asked("other").unwrap_or_default())
            }
            ["position"] => Request::Position(asked("fen").unwrap_or_default(), asked("night")),
            _ => return Err(Problem::Unknown("there is no such page".to_string())),
        })
    }

    /// The address of its answer: the way of the server, and the file of an export.
    pub fn address(&self) -> String {
        match self {
            Request::Overview => "overview".to_string(),
            Request::Tests => "tests".to_string(),
            Request::Weights => "weights".to_string(),
            Request::Choices => "choices".to_string(),
            Request::Night(name) => format!("night/{name}"),
            Request::Log(night, log) => format!("log/{night}/{log}"),
            Request::Games(night, set, chunk) => format!("games/{night}/{set}/{chunk}"),
            Request::Game(night, set, id) => format!("game/{night}/{set}/{id}"),
            Request::Other(record, id) => format!("other/{record}/{id}"),
            Request::Tuning(night, generation) => format!("tuning/{night}/{generation}"),
            Request::Compare(..) => "compare".to_string(),
            Request::Position(..) => "position".to_string(),
        }
    }

    /// The answer.
    pub fn answer(&self, dashboard: &Dashboard) -> Result<Value, Problem> {
        let place = &dashboard.place;
        match self {
            Request::Overview => Ok(dashboard.overview.page(place, super::now())),
            Request::Night(name) => night::page(place, name, super::now()),
            Request::Tests => Ok(matches::page(place)),
            Request::Games(night, set, chunk) => games::page(place, night, set, *chunk),
            Request::Game(night, set, id) => game_page::page(place, night, set, *id),
            Request::Other(record, id) => other_games::game(place, record, *id),
            Request::Tuning(night, generation) => tuning::page(place, night, *generation),
            Request::Weights => Ok(tuning::list(place)),
            Request::Compare(one, other) => tuning::compare(place, one, other),
            Request::Position(fen, night) => position::page(place, fen, night.as_deref()),
            Request::Choices => Ok(play::choices()),
            Request::Log(night, log) => {
                let text = place.night(night)?.tail(&["logs", log])?;
                Ok(json!({"night": night, "log": log, "text": text}))
            }
        }
    }
}
