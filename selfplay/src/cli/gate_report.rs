//! What a gate says, for people and for programs.

use std::fmt::Write;

use selfplay::arena::{EngineSpec, Trial, TrialState};
use serde_json::{Value, json};

use super::match_report::plus_minus;

/// A part and its games.
pub struct PartReport {
    pub name: &'static str,
    pub limit: String,
    pub trial: Trial,
}

/// All of a gate.
pub struct GateReport {
    names: [String; 2],
    /// Candidate and champion are the same.
    unchanged: bool,
    /// Parts that were begun.
    pub parts: Vec<PartReport>,
    /// Parts that were not.
    pub missing_parts: usize,
}

impl GateReport {
    pub fn new(engines: &[EngineSpec], unchanged: bool) -> GateReport {
        let names = [0, 1].map(|engine: usize| engines[engine].name.clone());
        GateReport { names, unchanged, parts: Vec::new(), missing_parts: 0 }
    }

    /// Of the last part that was begun; those before it were passed.
    pub fn state(&self) -> TrialState {
        self.parts.last().map_or(TrialState::Running, |part| part.trial.state())
    }

    /// A word for programs.
    fn verdict(&self) -> &'static str {
        match self.state() {
            _ if self.unchanged => "unchanged",
            TrialState::Passed if self.missing_parts > 0 => "running",
            TrialState::Passed => "passed",
            TrialState::Failed => "failed",
            TrialState::Undecided => "undecided",
            TrialState::Running => "running",
        }
    }

    /// Why, in a sentence.
    fn reason(&self) -> String {
        if self.unchanged {
            return "nothing changed: candidate and champion are the same, no game is needed".to_string();
        }
        let Some(part) = self.parts.last() else { return "nothing was played yet".to_string() };
        let (games, trial) = (part.trial.games().games(), &part.trial);
        let elo =
            trial.pairs().elo().map_or("no result".to_string(), |elo| format!("{} Elo", plus_minus(&elo)));
        let (lower, upper) = trial.test().bounds();
        let llr = trial.llr();
        match trial.state() {
            TrialState::Passed => format!("better: {elo} in {games} games, LLR {llr:.2} reached {upper:.2}"),
            TrialState::Failed if part.name == "clock" => {
                format!("weaker at a clock: {elo} in {games} games, LLR {llr:.2} reached {lower:.2}")
            }
            TrialState::Failed => {
                format!("not better: {elo} in {games} games, LLR {llr:.2} reached {lower:.2}")
            }
            TrialState::Undecided => format!(
                "undecided: {games} games were not enough ({elo}), LLR {llr:.2} is between {lower:.2} and {upper:.2}"
            ),
            TrialState::Running => format!("not finished: {}", GateReport::one_line(trial)),
        }
    }

    /// How far a trial is.
    pub fn one_line(trial: &Trial) -> String {
        let games = trial.games();
        let (lower, upper) = trial.test().bounds();
        let elo = trial.pairs().elo().map_or(String::new(), |elo| format!("  Elo {}", plus_minus(&elo)));
        let likely =
            trial.likely_games_left().map_or(String::new(), |games| format!(", about {games} at this rate"));
        format!(
            "+{} ={} -{}{elo}  LLR {:.2} [{lower:.2}, {upper:.2}], at most {} games left{likely}",
            games.wins,
            games.draws,
            games.losses,
            trial.llr(),
            trial.most_games_left(),
        )
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            let [candidate, champion] = &self.names;
            let trial = &part.trial;
            // Writing to a String does not fail.
            let _ =
                writeln!(text, "{candidate} - {champion}, {}: {}", part.limit, GateReport::one_line(trial));
            let _ = writeln!(text, "  pairs {:?} (0, ½, 1, 1½, 2 points)", trial.pairs().0);
        }
        let _ = writeln!(text, "{}: {}", self.verdict(), self.reason());
        text
    }

    /// For programs.
    pub fn json(&self) -> anyhow::Result<String> {
        let parts: Vec<Value> = self.parts.iter().map(PartReport::json).collect();
        Ok(serde_json::to_string_pretty(&json!({
            "candidate": self.names[0],
            "champion": self.names[1],
            "verdict": self.verdict(),
            "reason": self.reason(),
            "parts": parts,
        }))?)
    }
}

impl PartReport {
    fn json(&self) -> Value {
        let PartReport { name, limit, trial } = self;
        let (lower, upper) = trial.test().bounds();
        let elo = trial
            .pairs()
            .elo()
            .map(|elo| json!({"value": elo.value, "low": elo.low, "high": elo.high, "error": elo.error()}));
        json!({
            "name": name,
            "limit": limit,
            "results": trial.games(),
            "score": trial.games().score(),
            "pentanomial": trial.pairs(),
            "elo": elo,
            "sprt": {
                "test": trial.test(), "llr": trial.llr(), "lower": lower, "upper": upper, "state": trial.state(),
            },
            "most_games_left": trial.most_games_left(),
            "likely_games_left": trial.likely_games_left(),
        })
    }
}
