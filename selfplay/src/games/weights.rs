//! The weights of a game's linear evaluation and of its priors, and their file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use xxhash_rust::xxh64::xxh64;

use super::{Game, full_name};

/// Priors are fitted to the choices of searches that followed priors, so they come out too sure: they are softened.
const PRIOR_TEMPER: f32 = 2.0;

/// What was fitted. Both lists may be empty: then nothing is known of that kind.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Weights {
    /// `// [feature]` logits of White winning
    pub value: Vec<f32>,
    /// `// [action feature]` logits of an action being chosen
    pub policy: Vec<f32>,
}

/// Why a file holds no weights of a game.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The system would not.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Not what it should be.
    #[error("{path}: {reason}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Weights {
    /// The expected result of a position for White, from -1 to 1; `None` without weights.
    pub fn value_white<G: Game>(&self, game: &G, state: &G::State) -> Option<f32> {
        if self.value.is_empty() {
            return None;
        }
        let mut counts = vec![0.0; self.value.len()];
        game.features(state, &mut counts);
        Some((dot(&self.value, &counts) / 2.0).tanh())
    }

    /// How likely each action is to be chosen.
    pub fn priors<G: Game>(&self, game: &G, state: &G::State, actions: &[u16]) -> Vec<f32> {
        let mut counts = vec![0.0; self.policy.len()];
        let logit = |&action: &u16| {
            counts.fill(0.0);
            game.action_features(state, action, &mut counts);
            dot(&self.policy, &counts) / PRIOR_TEMPER
        };
        let mut priors: Vec<f32> = actions.iter().map(logit).collect();
        let highest = priors.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        priors.iter_mut().for_each(|prior| *prior = (*prior - highest).exp());
        let sum: f32 = priors.iter().sum();
        priors.iter_mut().for_each(|prior| *prior /= sum);
        priors
    }

    /// As a file has it.
    pub fn to_text<G: Game>(&self, game: &G) -> String {
        let mut text = format!("game = \"{}\"\n", full_name(game));
        for (title, names, numbers) in
            [("value", game.feature_names(), &self.value), ("policy", policy_names::<G>(), &self.policy)]
        {
            // Writing to a String does not fail.
            let _ = writeln!(text, "\n[{title}]");
            for (name, number) in names.iter().zip(numbers) {
                let _ = writeln!(text, "{name} = {number:?}");
            }
        }
        text
    }

    /// From the text of a file: every weight of the game once, and no other.
    pub fn parse<G: Game>(game: &G, text: &str) -> Result<Weights, String> {
        let table = DeTable::parse(text).map_err(|error| error.to_string())?.into_inner();
        let wanted = full_name(game);
        match table.get("game").map(Spanned::get_ref) {
            Some(DeValue::String(found)) if *found == wanted => {}
            Some(DeValue::String(found)) => return Err(format!("weights of {found}, not of {wanted}")),
            _ => return Err("it does not say game = \"…\": these are no weights of a game".to_string()),
        }
        let known = |key: &str| ["game", "value", "policy"].contains(&key);
        if let Some(other) = table.keys().map(|key| key.get_ref()).find(|key| !known(key)) {
            return Err(format!("unknown entry '{other}'"));
        }
        Ok(Weights {
            value: numbers(&table, "value", &game.feature_names())?,
            policy: numbers(&table, "policy", &policy_names::<G>())?,
        })
    }

    /// Reads a file.
    pub fn read<G: Game>(game: &G, path: &Path) -> Result<Weights, WeightsError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| WeightsError::Io { path: path.to_path_buf(), source })?;
        Weights::parse(game, &text)
            .map_err(|reason| WeightsError::Content { path: path.to_path_buf(), reason })
    }

    /// A hash of the numbers.
    pub fn hash(&self) -> u64 {
        let bytes: Vec<u8> =
            self.value.iter().chain(&self.policy).flat_map(|number| number.to_le_bytes()).collect();
        xxh64(&bytes, self.value.len() as u64)
    }

    /// The same numbers at other places, drawn by a seed: a control that must gain nothing.
    pub fn shuffled(&self, seed: u64) -> Weights {
        let mut dice = crate::play::Dice::for_game(seed, 0);
        let mut weights = self.clone();
        dice.shuffle(&mut weights.value);
        dice.shuffle(&mut weights.policy);
        weights
    }
}

fn policy_names<G: Game>() -> Vec<String> {
    G::ACTION_FEATURES.iter().map(|name| (*name).to_string()).collect()
}

fn dot(weights: &[f32], counts: &[f32]) -> f32 {
    weights.iter().zip(counts).map(|(weight, count)| weight * count).sum()
}

/// The numbers of a table in the order of their names; none at all if the table is empty or missing.
fn numbers(table: &DeTable, title: &str, names: &[String]) -> Result<Vec<f32>, String> {
    let Some(value) = table.get(title) else { return Ok(Vec::new()) };
    let DeValue::Table(part) = value.get_ref() else {
        return Err(format!("{title} is no table: write [{title}]"));
    };
    if part.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(other) =
        part.keys().map(|key| key.get_ref()).find(|key| !names.iter().any(|name| name == key.as_ref()))
    {
        return Err(format!("[{title}] has an unknown weight '{other}'"));
    }
    let number = |name: &String| {
        let value = part.get(name.as_str()).ok_or_else(|| format!("[{title}] lacks '{name}'"))?;
        let number: Option<f64> = match value.get_ref() {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite() && number.abs() < 1e6);
        number
            .map(|number| number as f32)
            .ok_or_else(|| format!("[{title}] {name}: not a number below a million"))
    };
    names.iter().map(number).collect()
}
