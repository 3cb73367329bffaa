//! What a match says, for people and for programs.

use std::fmt::Write;
use std::time::Duration;

use selfplay::arena::scoreboard::{Encounter, FailureCounts};
use selfplay::arena::stats::Interval;
use selfplay::arena::{Anchor, RatingList, Scoreboard, Sprt, SprtState, Tournament};
use serde_json::{Value, json};

use super::standings::{crosstable, rating_table};

/// A view of the scoreboard.
pub struct MatchReport<'a> {
    tournament: &'a Tournament,
    board: &'a Scoreboard,
    sprt: Option<Sprt>,
    anchor: Anchor,
    reported_names: &'a [Option<String>],
    elapsed: Duration,
}

impl<'a> MatchReport<'a> {
    pub fn new(
        tournament: &'a Tournament,
        board: &'a Scoreboard,
        sprt: Option<Sprt>,
        anchor: Anchor,
        reported_names: &'a [Option<String>],
        elapsed: Duration,
    ) -> MatchReport<'a> {
        MatchReport { tournament, board, sprt, anchor, reported_names, elapsed }
    }

    /// The state of the first encounter in one line.
    pub fn one_line(&self) -> String {
        let mut text = String::new();
        if let Some(encounter) = self.board.encounters().first() {
            let games = &encounter.games;
            // Writing to a String does not fail.
            let _ = write!(text, "+{} ={} -{}", games.wins, games.draws, games.losses);
            if let Some(elo) = encounter.pairs.elo() {
                let _ = write!(text, "  Elo {}", plus_minus(&elo));
            }
            if let Some(sprt) = self.sprt {
                let (lower, upper) = sprt.bounds();
                let _ = write!(text, "  LLR {:.2} [{lower:.2}, {upper:.2}]", sprt.llr(&encounter.pairs));
            }
        }
        let engines = 0..self.tournament.engines.len();
        let failures: u64 = engines.map(|engine| self.board.failures(engine).total()).sum();
        if failures > 0 {
            let _ = write!(text, "  failures {failures}");
        }
        text
    }

    /// The whole report for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for encounter in self.board.encounters() {
            self.push_encounter(&mut text, encounter);
        }
        if self.tournament.engines.len() > 2 {
            self.push_standings(&mut text);
        }
        for (engine, spec) in self.tournament.engines.iter().enumerate() {
            let failures = self.board.failures(engine);
            let _ = writeln!(text, "{}: {}", spec.name, failure_text(failures));
        }
        let rate = self.board.games() as f64 / self.elapsed.as_secs_f64().max(1e-9) * 3600.0;
        let _ = writeln!(text, "{} games in {:.1?}, {rate:.0} an hour", self.board.games(), self.elapsed);
        text
    }

    fn ratings(&self) -> RatingList {
        RatingList::fit(self.board.encounters(), self.tournament.engines.len(), self.anchor)
    }

    fn push_standings(&self, text: &mut String) {
        let names: Vec<&str> = self.tournament.engines.iter().map(|spec| spec.name.as_str()).collect();
        let ratings = self.ratings();
        let order: Vec<usize> = ratings.lines.iter().map(|line| line.engine).collect();
        let table = rating_table(&ratings, &names);
        let _ = writeln!(text, "\n{table}\n{}", crosstable(self.board, &order, &names));
    }

    fn push_encounter(&self, text: &mut String, encounter: &Encounter) {
        let [first, second] = encounter.engines.map(|engine| self.tournament.engines[engine].name.as_str());
        let games = &encounter.games;
        let limits = encounter.engines.map(|engine| self.tournament.limit_of(engine).to_string());
        let limit = if limits[0] == limits[1] { limits[0].clone() } else { limits.join(" against ") };
        let _ = writeln!(
            text,
            "{first} - {second} ({limit}): {} games, +{} ={} -{}, {}",
            games.games(),
            games.wins,
            games.draws,
            games.losses,
            percent(games.score()),
        );
        if let (Some(elo), Some(normalised)) = (encounter.pairs.elo(), encounter.pairs.normalised_elo()) {
            let superiority = percent(encounter.pairs.likelihood_of_superiority());
            let (elo, normalised) = (plus_minus(&elo), plus_minus(&normalised));
            let _ = writeln!(text, "  Elo {elo}, normalised {normalised} (95%), superiority {superiority}");
        }
        let _ = writeln!(
            text,
            "  pairs {:?} (0, ½, 1, 1½, 2 points), level {}; draws {}; as White {}; {} moves a game; {} adjudicated",
            encounter.pairs.0,
            percent(encounter.pairs.level_pairs()),
            percent(games.draw_ratio()),
            percent(encounter.as_white.score()),
            encounter.mean_moves().map_or("-".to_string(), |moves| format!("{moves:.1}")),
            encounter.adjudicated,
        );
        if let Some(sprt) = self.sprt {
            let (lower, upper) = sprt.bounds();
            let verdict = match sprt.state(&encounter.pairs) {
                SprtState::Running => "undecided",
                SprtState::AcceptH0 => "H0 accepted",
                SprtState::AcceptH1 => "H1 accepted",
            };
            let _ = writeln!(
                text,
                "  SPRT elo0 {} elo1 {}: LLR {:.3} [{lower:.3}, {upper:.3}], {verdict}",
                sprt.elo0,
                sprt.elo1,
                sprt.llr(&encounter.pairs)
            );
        }
    }

    /// The whole report for programs.
    pub fn json(&self) -> serde_json::Result<String> {
        let engine_json = |(engine, spec): (usize, &selfplay::arena::EngineSpec)| {
            json!({
                "name": spec.name,
                "reported_name": self.reported_names.get(engine),
                "limit": self.tournament.limit_of(engine).to_string(),
                "failures": self.board.failures(engine),
            })
        };
        let engines: Vec<Value> = self.tournament.engines.iter().enumerate().map(engine_json).collect();
        let encounters = self.board.encounters().iter();
        let encounters: Vec<Value> = encounters.map(|encounter| self.encounter_json(encounter)).collect();
        serde_json::to_string_pretty(&json!({
            "engines": engines,
            "encounters": encounters,
            "ratings": self.ratings_json(),
            "games": self.board.games(),
            "seconds": self.elapsed.as_secs_f64(),
        }))
    }

    fn ratings_json(&self) -> Value {
        let ratings = self.ratings();
        let name = |engine: usize| self.tournament.engines[engine].name.as_str();
        let anchor = match self.anchor {
            Anchor::Mean => None,
            Anchor::Engine(engine) => Some(name(engine)),
        };
        let line = |line: &selfplay::arena::ratings::Rating| {
            json!({
                "name": name(line.engine),
                "elo": interval_json(line.elo),
                "results": line.games,
                "score": line.games.score(),
            })
        };
        json!({
            "anchor": anchor,
            "virtual_draws": ratings.virtual_draws,
            "list": ratings.lines.iter().map(line).collect::<Vec<Value>>(),
        })
    }

    fn encounter_json(&self, encounter: &Encounter) -> Value {
        let pairs = &encounter.pairs;
        let sprt = self.sprt.map(|sprt| {
            let (lower, upper) = sprt.bounds();
            json!({
                "test": sprt,
                "llr": sprt.llr(pairs),
                "lower": lower,
                "upper": upper,
                "state": sprt.state(pairs),
            })
        });
        json!({
            "first": self.tournament.engines[encounter.engines[0]].name,
            "second": self.tournament.engines[encounter.engines[1]].name,
            "results": encounter.games,
            "as_white": encounter.as_white,
            "score": encounter.games.score(),
            "pentanomial": pairs,
            "elo": pairs.elo().map(interval_json),
            "normalised_elo": pairs.normalised_elo().map(interval_json),
            "superiority": pairs.likelihood_of_superiority(),
            "draw_ratio": encounter.games.draw_ratio(),
            "level_pairs": pairs.level_pairs(),
            "mean_moves": encounter.mean_moves(),
            "adjudicated": encounter.adjudicated,
            "sprt": sprt,
        })
    }
}

/// Infinite ends become null: JSON has no word for them.
pub fn interval_json(interval: Interval) -> Value {
    json!({ "value": interval.value, "low": interval.low, "high": interval.high, "error": interval.error() })
}

pub fn plus_minus(interval: &Interval) -> String {
    match (interval.value.is_finite(), interval.error().is_finite()) {
        (true, true) => format!("{:+.1} ± {:.1}", interval.value, interval.error()),
        (true, false) => {
            format!("{:+.1} (from {:+.1} to {:+.1})", interval.value, interval.low, interval.high)
        }
        (false, _) => format!("{:+}", interval.value),
    }
}

pub fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_string(), |share| format!("{:.1}%", share * 100.0))
}

fn failure_text(failures: &FailureCounts) -> String {
    let FailureCounts { time_losses, crashes, hangs, illegal_moves, garbage } = failures;
    format!(
        "time losses {time_losses}, crashes {crashes}, hangs {hangs}, illegal moves {illegal_moves}, \
         garbage {garbage}"
    )
}
