//! Playing styles: small relative rules over the weights, bound to the side the engine plays.
//!
//! ```toml
//! format = 1
//! name = "Tal"
//! about = "attacks the king"
//! contempt = 25                       # centipawns by which a draw is worse than a level position
//! rules = [
//!     "own king_attack* mg 150%",     # side, pattern of names, half, change
//!     "opponent tempo both -5",
//! ]
//!
//! [temper]                            # may be left out
//! simplify = -20                      # centipawns by which a level position is better on an emptier board
//! gambit = 10                         # what each pawn of material it is behind is worth to it
//! offer = 20                          # what it likes a move that offers material (may be left out)
//!
//! [book]
//! decisive = 50                       # -100 likes drawn lines, 100 decided ones
//! rare = 30                           # 0 plays what is proven, 100 what is seldom played
//! ```
//!
//! Rules are applied in order. A pattern is a weight's name, with or without its indices, where `*`
//! stands for any characters.

use std::path::Path;

use super::params::EvalParams;
use super::score::Score;
use super::temper::Temper;
use super::text::{Entry, LineError, Table, read};
use crate::regular_file;
use crate::types::Value;

/// The version of the layout that this engine reads.
const FORMAT: i64 = 1;

/// `// [style]` the styles that are compiled in
const EMBEDDED: [&str; 3] = [
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/styles/normal.toml")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/styles/tal.toml")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/styles/petrosian.toml")),
];

/// Why a style was refused.
#[derive(Debug, thiserror::Error)]
pub enum StyleError {
    /// The file cannot be read.
    #[error("the style file {path} cannot be read: {error}")]
    Unreadable {
        /// Which file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The file can be read, but something in it is wrong.
    #[error("the style file {path}, {error}")]
    Wrong {
        /// Which file.
        path: String,
        /// What, and on which line.
        error: LineError,
    },
}

/// A way of playing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Style {
    /// Its name, as it is chosen by.
    pub name: String,
    /// A line about it.
    pub about: String,
    /// By how many centipawns a draw is worse for the engine than a level position.
    pub contempt: Value,
    /// What it likes in a position beyond the weights.
    pub temper: Temper,
    /// What it likes in a book.
    pub book: BookTaste,
    rules: Vec<Rule>,
}

/// What a style likes in a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BookTaste {
    /// -100 likes lines that were drawn, 100 lines that were decided.
    pub decisive: i32,
    /// 0 plays what is proven, 100 what is seldom played.
    pub rare: i32,
}

/// Whose weights a rule changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Own,
    Opponent,
    Both,
}

/// Which half of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Half {
    Mg,
    Eg,
    Both,
}

/// How.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Percent(i32),
    Add(i32),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    side: Side,
    half: Half,
    change: Change,
    /// The flat indices of the weights that its pattern names.
    weights: Vec<usize>,
}

impl Style {
    /// The styles that are compiled in, `Normal` first.
    pub fn embedded() -> Vec<Style> {
        EMBEDDED.iter().map(|text| Style::parse(text).expect("a test reads the embedded styles")).collect()
    }

    /// A compiled-in style by its name, in any case.
    pub fn named(name: &str) -> Option<Style> {
        Style::embedded().into_iter().find(|style| style.name.eq_ignore_ascii_case(name))
    }

    /// Reads a style from a file of the user's.
    pub fn load(path: &Path) -> Result<Style, StyleError> {
        let shown = || path.display().to_string();
        let text =
            regular_file::read_text(path).map_err(|error| StyleError::Unreadable { path: shown(), error })?;
        Style::parse(&text).map_err(|error| StyleError::Wrong { path: shown(), error })
    }

    /// Reads a style's text.
    pub fn parse(text: &str) -> Result<Style, LineError> {
        read(text, |file| {
            let known = ["format", "name", "about", "contempt", "rules", "temper", "book"];
            file.allow_only(
                |name| known.contains(&name),
                |name| format!("`{name}` is unknown in a style: remove it"),
            )?;
            let format = file.get("format")?;
            if format.integer(0..i64::MAX)? != FORMAT {
                return Err(format.error(format!("this engine reads styles of format {FORMAT} only")));
            }
            let name = file.get("name")?;
            if name.string()?.trim().is_empty() {
                return Err(name.error("the style needs a name to be chosen by"));
            }
            Ok(Style {
                name: name.string()?.to_owned(),
                about: file.get("about")?.string()?.to_owned(),
                contempt: file.get("contempt")?.integer(-300..301)? as Value,
                rules: file.get("rules")?.array()?.iter().map(Rule::parse).collect::<Result<_, _>>()?,
                temper: match file.find("temper") {
                    Some(temper) => Temper::parse(temper.table()?)?,
                    None => Temper::default(),
                },
                book: BookTaste::parse(file.get("book")?.table()?)?,
            })
        })
    }

    /// The weights under this style, of the engine's side and of its opponent's.
    pub(super) fn apply(&self, params: &EvalParams) -> (EvalParams, EvalParams) {
        let mut own = params.to_vec();
        let mut opponent = own.clone();
        for rule in &self.rules {
            for &index in &rule.weights {
                if rule.side != Side::Opponent {
                    rule.change(&mut own[index]);
                }
                if rule.side != Side::Own {
                    rule.change(&mut opponent[index]);
                }
            }
        }
        (EvalParams::from_vec(&own), EvalParams::from_vec(&opponent))
    }
}

impl BookTaste {
    fn parse(book: Table) -> Result<BookTaste, LineError> {
        book.allow_only(
            |name| name == "decisive" || name == "rare",
            |name| format!("`{name}` is unknown in [book]: remove it"),
        )?;
        Ok(BookTaste {
            decisive: book.get("decisive")?.integer(-100..101)? as i32,
            rare: book.get("rare")?.integer(0..101)? as i32,
        })
    }
}

impl Rule {
    fn parse(entry: &Entry) -> Result<Rule, LineError> {
        let text = entry.string()?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[side, pattern, half, change] = words.as_slice() else {
            return Err(entry.error(format!(
                "the rule \"{text}\" should have four words: side, weights, half, change; for example \
                 \"own king_attack* mg 150%\""
            )));
        };
        let side = match side {
            "own" => Side::Own,
            "opponent" => Side::Opponent,
            "both" => Side::Both,
            other => return Err(entry.error(format!("`{other}` should be own, opponent or both"))),
        };
        let half = match half {
            "mg" => Half::Mg,
            "eg" => Half::Eg,
            "both" => Half::Both,
            other => return Err(entry.error(format!("`{other}` should be mg, eg or both"))),
        };
        let change = Change::parse(change).map_err(|problem| entry.error(problem))?;
        let weights: Vec<usize> = (0..EvalParams::COUNT)
            .filter(|&index| {
                matches(pattern, EvalParams::field(index).name) || matches(pattern, &EvalParams::name(index))
            })
            .collect();
        if weights.is_empty() {
            return Err(entry.error(format!(
                "no weight is named `{pattern}`: the names are those of the weights file, `*` stands for \
                 any characters"
            )));
        }
        Ok(Rule { side, half, change, weights })
    }

    fn change(&self, weight: &mut Score) {
        let (mut mg, mut eg) = (weight.mg(), weight.eg());
        if self.half != Half::Eg {
            mg = self.change.of(mg);
        }
        if self.half != Half::Mg {
            eg = self.change.of(eg);
        }
        *weight = Score::new(mg, eg);
    }
}

impl Change {
    fn parse(text: &str) -> Result<Change, String> {
        if let Some(percent) = text.strip_suffix('%') {
            return match percent.parse() {
                Ok(percent @ 0..=400) => Ok(Change::Percent(percent)),
                _ => Err(format!("`{text}` should be a whole percentage within 0%..=400%")),
            };
        }
        match text.parse() {
            Ok(add @ -500..=500) if text.starts_with(['+', '-']) => Ok(Change::Add(add)),
            _ => Err(format!("`{text}` should be a percentage like 150%, or a difference like +5 or -5")),
        }
    }

    /// The changed number, to the nearest, halves away from zero so that signs stay alike.
    fn of(self, number: i32) -> i32 {
        let changed = match self {
            Change::Percent(percent) => {
                let product = number * percent;
                (product + 50 * product.signum()) / 100
            }
            Change::Add(add) => number + add,
        };
        changed.clamp(-Score::WEIGHT_LIMIT, Score::WEIGHT_LIMIT)
    }
}

/// Whether a name fits a pattern in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).any(|skipped| rest.is_char_boundary(skipped) && matches(tail, &rest[skipped..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Weights;
    use crate::types::Color;

    const GOOD: &str = "format = 1\nname = \"Test\"\nabout = \"for tests\"\ncontempt = 10\nrules = [\n    \"own king_attack* mg 150%\",\n    \"opponent tempo both -5\",\n]\n\n[book]\ndecisive = 0\nrare = 0\n";

    #[test]
    fn patterns_match_as_people_expect() {
        assert!(matches("tempo", "tempo"));
        assert!(!matches("temp", "tempo"));
        assert!(matches("king_*", "king_attack_gap"));
        assert!(matches("*attack*", "king_attack_gap"));
        assert!(matches("*", "anything"));
        assert!(matches("psqt[0]*", "psqt[0][63]"));
        assert!(!matches("*attack", "king_attack_gap"));
    }

    #[test]
    fn rules_change_what_they_name_on_the_side_they_name() {
        let style = Style::parse(GOOD).unwrap();
        let params = EvalParams::default();
        let (own, opponent) = style.apply(&params);
        let gap = params.king_attack_gap;
        assert_eq!(own.king_attack_gap, Score::new(gap.mg() * 3 / 2, gap.eg()));
        assert_eq!(opponent.king_attack_gap, gap);
        assert_eq!(own.tempo, params.tempo);
        assert_eq!(opponent.tempo, params.tempo - Score::new(5, 5));
        let unchanged =
            own.to_vec().iter().zip(params.to_vec()).filter(|(changed, weight)| **changed == *weight).count();
        assert!(unchanged > EvalParams::COUNT - 40);
    }

    #[test]
    fn a_style_is_bound_to_the_side_the_engine_plays() {
        let style = Style::parse(GOOD).unwrap();
        let params = EvalParams::default();
        for own in Color::ALL {
            let weights = Weights::with_style(&params, &style, own);
            assert_ne!(weights.side(own).king_attack_gap, params.king_attack_gap);
            assert_eq!(weights.side(!own).king_attack_gap, params.king_attack_gap);
            assert_eq!(weights.draw_value(own), -10);
            assert_eq!(weights.draw_value(!own), 10);
        }
        assert_eq!(Weights::new(&params).draw_value(Color::White), 0);
    }

    #[test]
    fn the_embedded_styles_are_whole_and_normal_changes_nothing() {
        let styles: Vec<Style> = EMBEDDED
            .iter()
            .map(|text| Style::parse(text).unwrap_or_else(|error| panic!("{error}")))
            .collect();
        let names: Vec<&str> = styles.iter().map(|style| style.name.as_str()).collect();
        assert_eq!(names, ["Normal", "Tal", "Petrosian"]);
        let params = EvalParams::default();
        assert_eq!(styles[0].apply(&params), (params.clone(), params.clone()));
        assert_eq!((styles[0].contempt, styles[0].temper), (0, Temper::default()));
        for style in &styles[1..] {
            assert_ne!(style.apply(&params).0, params, "{}", style.name);
        }
        assert_eq!(Style::named("pETROSIAN").map(|style| style.name), Some("Petrosian".into()));
        assert_eq!(Style::named("Botvinnik"), None);
    }

    #[test]
    fn a_temper_may_be_left_out_and_is_read_with_care() {
        assert_eq!(Style::parse(GOOD).unwrap().temper, Temper::default());
        let with =
            |temper: &str| Style::parse(&GOOD.replace("[book]", &format!("[temper]\n{temper}\n[book]")));
        let temper = with("simplify = -20\ngambit = 10").unwrap().temper;
        assert_eq!(temper, Temper { simplify: -20, gambit: 10, offer: 0 });
        for (text, part) in [
            ("simplify = 10", "line 10: `gambit` is missing here"),
            ("simplify = 10\ngambit = 10\nsad = 1", "line 13: `sad` is unknown in [temper]: remove it"),
            ("simplify = 300\ngambit = 10", "line 11: "),
            ("simplify = 10\ngambit = -1", "line 12: "),
            ("simplify = 10\ngambit = 10\noffer = 101", "line 13: "),
        ] {
            let message = with(text).unwrap_err().to_string();
            assert!(message.starts_with(part), "{text}: {message}");
        }
    }

    #[test]
    fn a_broken_style_says_where_and_what() {
        let message = |replace: &str, with: &str| {
            assert!(GOOD.contains(replace), "{replace}");
            Style::parse(&GOOD.replacen(replace, with, 1)).expect_err("the style is broken").to_string()
        };
        assert_eq!(
            message("king_attack*", "king_atack*"),
            "line 6: no weight is named `king_atack*`: the names are those of the weights file, `*` stands \
             for any characters"
        );
        assert_eq!(message("own", "mine"), "line 6: `mine` should be own, opponent or both");
        assert_eq!(message("mg", "middlegame"), "line 6: `middlegame` should be mg, eg or both");
        assert_eq!(message("150%", "500%"), "line 6: `500%` should be a whole percentage within 0%..=400%");
        assert_eq!(
            message("150%", "5"),
            "line 6: `5` should be a percentage like 150%, or a difference like +5 or -5"
        );
        assert_eq!(
            message("both -5", "-5"),
            "line 7: the rule \"opponent tempo -5\" should have four words: side, weights, half, change; for \
             example \"own king_attack* mg 150%\""
        );
        assert_eq!(message("contempt = 10", "contempt = 999"), "line 4: 999 is not within -300..=300");
        assert_eq!(message("contempt = 10\n", ""), "line 1: `contempt` is missing here");
        assert_eq!(message("rare = 0", "rare = -1"), "line 12: -1 is not within 0..=100");
        assert_eq!(message("rare", "raw"), "line 12: `raw` is unknown in [book]: remove it");
        assert_eq!(message("about", "abuot"), "line 3: `abuot` is unknown in a style: remove it");
        assert_eq!(
            message("name = \"Test\"", "name = \" \""),
            "line 2: the style needs a name to be chosen by"
        );
        assert_eq!(message("format = 1", "format = 9"), "line 1: this engine reads styles of format 1 only");
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let message = Style::load(Path::new("no/such/style.toml")).unwrap_err().to_string();
        assert!(message.starts_with("the style file no/such/style.toml cannot be read: "), "{message}");
    }
}
