//! One rating of all champions from everything they played: gates, ratings, outsiders.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::place::Folder;
use super::stage::Plan;
use crate::arena::{Anchor, Encounter, Pentanomial, RatingList, WinDrawLoss};

/// Who met whom in all nights.
#[derive(Default)]
pub struct Lineage {
    numbers: HashMap<String, usize>,
    encounters: Vec<Encounter>,
    /// Night, generation, the champion after it.
    reigns: Vec<(String, u64, usize)>,
    /// The champion at the beginning of the first night.
    first: Option<usize>,
}

impl Lineage {
    /// Reads the matches of these nights. Those from zero have champions of their own and do not count.
    pub fn of(nights: &[(Folder, Value)]) -> Lineage {
        let mut lineage = Lineage::default();
        for (night, manifest) in
            nights.iter().filter(|(_, manifest)| manifest["settings"]["from_zero"] != true)
        {
            lineage.add(night, manifest);
        }
        lineage
    }

    fn add(&mut self, night: &Folder, manifest: &Value) {
        let start = &manifest["start"];
        let mut champion = self.number(&identity(&start["weights.toml"], &start["experience.exp"]));
        let start = champion;
        self.first.get_or_insert(champion);
        for generation in 1..=Plan::of(manifest).generations {
            let place = format!("generation-{generation}");
            let Ok(Some(choice)) = night.json(&[&place, "promote", "choice.json"]) else { break };
            let before = champion;
            let outsider = format!("outsider {}", choice["outsider"]["name"].as_str().unwrap_or("outsider"));
            if let Some(arm) = choice["arm"].as_str() {
                let origin = night.json_or_null(&[&place, "promote", "origin.json"]);
                let candidate = self.number(&identity(&origin["weights_sha256"], &origin["book_sha256"]));
                let verdict = night.json_or_null(&[&place, "gate", arm, "verdict.json"]);
                self.meet(candidate, before, &verdict["parts"][0]);
                self.meet_outsider(candidate, &outsider, &choice["outsider"]["candidate"]);
                if choice["refused"].is_null() {
                    champion = candidate;
                }
            }
            self.meet_outsider(before, &outsider, &choice["outsider"]["champion"]);
            let ratings = night.json_or_null(&[&place, "rate", "ratings.json"]);
            self.meet(champion, start, &ratings["start"]);
            let shipped = self.number(&identity(&manifest["shipped_weights_sha256"], &json!("as shipped")));
            self.meet(champion, shipped, &ratings["shipped"]);
            self.meet_outsider(champion, &outsider, &ratings["outsider"]);
            self.reigns.push((night.name(), generation, champion));
        }
    }

    fn number(&mut self, identity: &str) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(identity.to_string()).or_insert(next)
    }

    fn meet_outsider(&mut self, player: usize, outsider: &str, part: &Value) {
        if part.is_object() {
            let outsider = self.number(outsider);
            self.meet(player, outsider, part);
        }
    }

    /// Adds a match that the first of the two tells of.
    fn meet(&mut self, one: usize, other: usize, part: &Value) {
        let count = |what: &str| part["results"][what].as_u64();
        let (Some(wins), Some(draws), Some(losses)) = (count("wins"), count("draws"), count("losses")) else {
            return;
        };
        if one == other || wins + draws + losses == 0 {
            return;
        }
        let pairs = part["pentanomial"].as_array();
        let pair = |place: usize| pairs.and_then(|pairs| pairs.get(place)?.as_u64()).unwrap_or(0);
        let pairs = Pentanomial(std::array::from_fn(pair));
        self.encounters.push(Encounter::of_results([one, other], WinDrawLoss { wins, draws, losses }, pairs));
    }

    /// The rating of the champion after each night: name, generation, Elo above the first, low, high.
    pub fn ratings(&self) -> Value {
        let Some(first) = self.first else { return json!([]) };
        if !self.encounters.iter().any(|encounter| encounter.engines.contains(&first)) {
            return json!([]);
        }
        let list = RatingList::fit(&self.encounters, self.numbers.len(), Anchor::Engine(first));
        let of: HashMap<usize, _> = list.lines.iter().map(|line| (line.engine, line.elo)).collect();
        let round = |elo: f64| (elo * 10.0).round() / 10.0;
        let points: Vec<Value> = (self.reigns.iter())
            .filter_map(|(night, generation, champion)| {
                let elo = of.get(champion)?;
                Some(json!([night, generation, round(elo.value), round(elo.low), round(elo.high)]))
            })
            .collect();
        json!(points)
    }
}

/// Who it is, by what it plays with.
fn identity(weights: &Value, book: &Value) -> String {
    format!("{} {}", weights.as_str().unwrap_or("?"), book.as_str().unwrap_or("no book"))
}
