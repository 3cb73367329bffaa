//! Everything a game of self-play depends on besides the seed, the engine and its weights.

use std::fmt::Write;
use std::str::FromStr;

use super::deep_labels::DeepLabels;
use crate::arena::{Adjudication, DrawRule, ResignRule};

/// The settings of a run. Their text goes into the header of the record.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Begin no further iteration of a search after this many nodes.
    pub nodes: u64,
    /// A game's searches get up to so many hundredths more, drawn for each game; 0: none.
    pub vary_nodes: u32,
    /// Cut a search off at so many times the soft limit.
    pub hard_multiple: u64,
    /// Megabytes of each searcher's table.
    pub hash_mb: usize,
    /// What the openings are: `random`, `dfrc`, or a book's name and the hash of its bytes.
    pub openings: String,
    /// Random plies of an opening: so many or one more.
    pub opening_plies: u32,
    /// The book that goes on with an opening, `none` or its name and the hash of its bytes.
    pub book: String,
    /// The Experience Book that the searches ask: its name and the hash of its bytes; empty: none.
    pub experience: String,
    /// An opening is played only if a search gives neither side more centipawns than this.
    pub opening_limit: i32,
    /// Nodes of that search; 0: none is made.
    pub opening_nodes: u64,
    /// The style's name or `normal`, and the hash of its rules.
    pub style: String,
    /// One side is the pupil: it alone asks the Experience Book and draws moves. The other plays what the
    /// engine plays without a book.
    pub sparring: bool,
    /// Who says what the first moves were worth; `None`: the searches that chose them.
    pub judge: Option<Judge>,
    /// Moves that are searched longer than the others, and are the only labels; `None`: all alike.
    pub deep: Option<DeepLabels>,
    /// Moves drawn instead of chosen.
    pub exploration: Exploration,
    /// When to end decided games early.
    pub rules: EndRules,
}

/// Moves that are drawn among the best instead of the best being chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exploration {
    /// In the first so many plies after the opening; 0: never.
    pub plies: u32,
    /// A move this many centipawns worse than the best is e times less likely.
    pub temperature: u32,
    /// Among so many best moves.
    pub lines: usize,
    /// A move that the Experience Book has so many games of is half as likely as a new one; 0: that does
    /// not matter.
    pub visits: u32,
}

impl Exploration {
    /// Always the best move.
    pub const NONE: Exploration = Exploration { plies: 0, temperature: 0, lines: 1, visits: 0 };
}

/// Why a text says nothing about exploration.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}': write plies=8,temperature=40,lines=4[,visits=8] with plies of 1 or more, a temperature of 1 to \
     10000 centipawns and 2 to 64 lines"
)]
pub struct ExplorationError(String);

impl FromStr for Exploration {
    type Err = ExplorationError;

    fn from_str(text: &str) -> Result<Exploration, ExplorationError> {
        let refused = || ExplorationError(text.to_string());
        let mut exploration = Exploration { plies: 8, temperature: 40, lines: 4, visits: 0 };
        for part in text.split(',') {
            let (key, number) = part.split_once('=').ok_or_else(refused)?;
            let number: u32 = number.parse().map_err(|_| refused())?;
            match key {
                "plies" => exploration.plies = number,
                "temperature" => exploration.temperature = number,
                "lines" => exploration.lines = number as usize,
                "visits" => exploration.visits = number,
                _ => return Err(refused()),
            }
        }
        let sensible = exploration.plies > 0
            && (1..=10_000).contains(&exploration.temperature)
            && (2..=64).contains(&exploration.lines);
        sensible.then_some(exploration).ok_or_else(refused)
    }
}

/// A search of its own for each move that was made, of that move alone: what it finds is recorded instead of what
/// the player thought. So games are those of quick players, and what they teach is what a patient one sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judge {
    /// In the first so many plies after the opening.
    pub plies: u32,
    /// Nodes of the search.
    pub nodes: u64,
}

/// Why a text says nothing about a judge.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}': write plies=16,nodes=10000, both 1 or more")]
pub struct JudgeError(String);

impl FromStr for Judge {
    type Err = JudgeError;

    fn from_str(text: &str) -> Result<Judge, JudgeError> {
        let parse = || {
            let (plies, nodes) = text.strip_prefix("plies=")?.split_once(",nodes=")?;
            let judge = Judge { plies: plies.parse().ok()?, nodes: nodes.parse().ok()? };
            (judge.plies > 0 && judge.nodes > 0).then_some(judge)
        };
        parse().ok_or_else(|| JudgeError(text.to_string()))
    }
}

/// When games end before the rules of chess end them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EndRules {
    /// The rules apply to this share of the games, in millionths; the others are played out.
    pub share: u32,
    /// A win, when the loser says so for long enough.
    pub win: Option<ResignRule>,
    /// A draw, when both say so for long enough.
    pub draw: Option<DrawRule>,
    /// As soon as tablebases know the result; the most men that they know, 0: there are none.
    pub tablebase_men: u32,
    /// Every game, played out or not, is drawn at this length.
    pub max_plies: usize,
}

impl EndRules {
    /// The rules on scores, for whoever follows a game.
    pub fn on_scores(&self) -> Adjudication {
        Adjudication { draw: self.draw, resign: self.win, ..Adjudication::default() }
    }
}

impl Settings {
    /// One `key=value` a line, in a fixed order: equal settings have equal text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: String| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{key}={value}");
        };
        line("nodes", self.nodes.to_string());
        if self.vary_nodes > 0 {
            line("vary-nodes", self.vary_nodes.to_string());
        }
        line("hard-multiple", self.hard_multiple.to_string());
        line("hash", self.hash_mb.to_string());
        line("openings", self.openings.clone());
        line("opening-plies", self.opening_plies.to_string());
        line("book", self.book.clone());
        if !self.experience.is_empty() {
            line("experience", self.experience.clone());
        }
        line("opening-limit", self.opening_limit.to_string());
        line("opening-nodes", self.opening_nodes.to_string());
        line("style", self.style.clone());
        if self.sparring {
            line("sparring", "yes".to_string());
        }
        if let Some(Judge { plies, nodes }) = self.judge {
            line("judge", format!("plies={plies},nodes={nodes}"));
        }
        if let Some(deep) = self.deep {
            line("deep", deep.to_text());
        }
        let Exploration { plies, temperature, lines, visits } = self.exploration;
        if plies > 0 {
            let visits = if visits == 0 { String::new() } else { format!(",visits={visits}") };
            line("explore", format!("plies={plies},temperature={temperature},lines={lines}{visits}"));
        }
        let EndRules { share, win, draw, tablebase_men, max_plies } = self.rules;
        line("adjudicate-millionths", share.to_string());
        if let Some(ResignRule { move_count, score, two_sided }) = win {
            line("win", format!("movecount={move_count},score={score},twosided={two_sided}"));
        }
        if let Some(DrawRule { move_number, move_count, score }) = draw {
            line("draw", format!("movenumber={move_number},movecount={move_count},score={score}"));
        }
        line("tablebase-men", tablebase_men.to_string());
        line("max-plies", max_plies.to_string());
        text
    }

    /// The rules on scores that a header's settings name, whether or not they were applied.
    pub fn score_rules(text: &str) -> Adjudication {
        let value = |wanted: &str| {
            text.lines().filter_map(|line| line.split_once('=')).find(|(key, _)| *key == wanted)
        };
        Adjudication {
            resign: value("win").and_then(|(_, rule)| rule.parse().ok()),
            draw: value("draw").and_then(|(_, rule)| rule.parse().ok()),
            ..Adjudication::default()
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn quick() -> Settings {
        Settings {
            nodes: 200,
            vary_nodes: 0,
            hard_multiple: 8,
            hash_mb: 1,
            openings: "random".to_string(),
            opening_plies: 8,
            book: "none".to_string(),
            experience: String::new(),
            opening_limit: 300,
            opening_nodes: 200,
            style: "normal".to_string(),
            sparring: false,
            judge: None,
            deep: None,
            exploration: Exploration::NONE,
            rules: EndRules {
                share: 500_000,
                win: Some("movecount=4,score=900,twosided".parse().unwrap()),
                draw: Some("movenumber=30,movecount=6,score=10".parse().unwrap()),
                tablebase_men: 0,
                max_plies: 200,
            },
        }
    }

    #[test]
    fn exploration_is_read_or_refused() {
        let explore = Exploration { plies: 12, temperature: 30, lines: 4, visits: 0 };
        assert_eq!("plies=12,temperature=30".parse(), Ok(explore));
        assert_eq!("plies=12,temperature=30,visits=6".parse(), Ok(Exploration { visits: 6, ..explore }));
        for text in ["", "plies", "plies=0", "lines=1", "temperature=0", "depth=3", "plies=-1"] {
            assert!(text.parse::<Exploration>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_judge_is_read_or_refused() {
        assert_eq!("plies=16,nodes=500".parse(), Ok(Judge { plies: 16, nodes: 500 }));
        for text in [
            "",
            "plies=16",
            "nodes=500",
            "plies=16,nodes=0",
            "plies=0,nodes=5",
            "plies=x,nodes=5",
            "plies=1,nodes=5,",
        ] {
            assert!(text.parse::<Judge>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_rules_can_be_read_back_from_the_text() {
        let settings = quick();
        let rules = |adjudication: Adjudication| (adjudication.resign, adjudication.draw);
        assert_eq!(rules(Settings::score_rules(&settings.to_text())), rules(settings.rules.on_scores()));
        assert_eq!(rules(Settings::score_rules("nodes=1\n")), (None, None));
    }
}
