//! The options: one table that says what exists, what it takes, and what it does.
//!
//! To add an option, add a line to [`OPTIONS`] with the function that puts it into effect; the
//! handshake, the checks, the error messages and `help` follow from the table. Only options that work
//! are in it.
//!
//! An option takes effect from the next `go`. What belongs to [`Settings`] is copied into each search
//! when it starts; what belongs to the searcher ([`Change`]) stands in the worker's queue behind a search
//! that is running. So no search ever changes under way, whenever the option arrives.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::command::quoted;
use super::game_keeper::GameKeeper;
use super::worker::fresh_seed;
use crate::book::BookMode;
use crate::book::experience::{ExperienceBook, ExperienceError};
use crate::book::polyglot::PolyglotBook;
use crate::eval::{EvalParams, Style, Weights};
use crate::regular_file;
use crate::search::SyzygyOptions;
use crate::search::experience;
use crate::search::params::SearchParams;
use crate::search::strength::{self, Strength};
use crate::syzygy::{MAX_MEN, Tablebases};
use crate::types::Color;

/// A line of the table.
pub struct OptionSpec {
    /// As announced. Compared without regard to case and spaces.
    pub name: &'static str,
    /// For `help`.
    pub about: &'static str,
    /// What values it takes, and what a value does.
    pub kind: Kind,
}

/// The protocol's five types, each with the function that a checked value is given to.
pub enum Kind {
    /// A whole number in a range.
    Spin {
        /// At the start.
        default: i64,
        /// The least allowed.
        min: i64,
        /// The most allowed.
        max: i64,
        /// Puts it into effect.
        set: fn(&mut Settings, i64) -> Effect,
    },
    /// True or false.
    Check {
        /// At the start.
        default: bool,
        /// Puts it into effect.
        set: fn(&mut Settings, bool) -> Effect,
    },
    /// One of a few words.
    Combo {
        /// At the start.
        default: &'static str,
        /// All of them.
        vars: &'static [&'static str],
        /// Puts it into effect; may fail for reasons outside the table.
        set: fn(&mut Settings, &'static str) -> Result<Effect, String>,
    },
    /// Any text; `<empty>` stands for none.
    Text {
        /// Puts it into effect; may fail, for example on a file.
        set: fn(&mut Settings, &str) -> Result<Effect, String>,
    },
    /// Does something once.
    Button {
        /// Does it.
        press: fn(&mut Settings) -> Effect,
    },
}

/// What is left to do after an option was set.
pub enum Effect {
    /// Nothing: each search copies the settings when it starts.
    NextSearch,
    /// The worker has something to do, after a search that is running.
    Queue(Change),
}

/// A change to the searcher, carried out by the thread that owns it.
pub enum Change {
    /// Another size of the transposition table, in MB.
    Hash(usize),
    /// Another number of search threads.
    Threads(usize),
    /// Forget everything that was searched.
    ClearHash,
    /// Other weights or another style.
    Evaluation(Box<Evaluation>),
    /// The tablebases of these folders; none: none.
    Tablebases(Vec<PathBuf>),
    /// Another stream of chance for book moves.
    BookSeed(u64),
    /// Another Experience Book, or none.
    Experience(Option<Arc<ExperienceBook>>),
}

/// The values that a search copies when it starts.
#[derive(Clone)]
pub struct Settings {
    /// How many best lines to report.
    pub multipv: usize,
    /// Time a move loses on its way to the other side.
    pub move_overhead: Duration,
    /// Castling is written as king takes rook.
    pub chess960: bool,
    /// `info` lines carry chances.
    pub show_wdl: bool,
    /// Play at the level of `elo`.
    pub limit_strength: bool,
    /// The rating to play at, if strength is limited.
    pub elo: u32,
    /// Weights and style.
    pub evaluation: Evaluation,
    /// The opening book.
    pub book: Option<Arc<PolyglotBook>>,
    /// How a move is chosen from it.
    pub book_mode: BookMode,
    /// The last move number it is asked about.
    pub book_depth: u16,
    /// The say of the Experience Book, in hundredths.
    pub experience_weight: u32,
    /// How tablebases are used.
    pub syzygy: SyzygyOptions,
    /// The numbers of the search.
    pub params: SearchParams,
    named_style: Option<Style>,
    style_from_file: Option<Style>,
    /// Used while `use_experience` says so.
    experience: Option<Arc<ExperienceBook>>,
    use_experience: bool,
    /// Keeps the games played, if asked to.
    pub keeper: GameKeeper,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            multipv: 1,
            move_overhead: Duration::from_millis(80),
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: DEFAULT_ELO,
            evaluation: Evaluation::default(),
            book: None,
            book_mode: BookMode::default(),
            book_depth: MAX_BOOK_DEPTH,
            experience_weight: experience::DEFAULT_WEIGHT,
            syzygy: SyzygyOptions::default(),
            params: SearchParams::default(),
            named_style: None,
            style_from_file: None,
            experience: None,
            use_experience: true,
            keeper: GameKeeper::default(),
        }
    }
}

/// The weights of the evaluation and the style laid over them.
#[derive(Clone)]
pub struct Evaluation {
    params: EvalParams,
    /// `None`: Normal, the weights as they are.
    style: Option<Style>,
}

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation { params: EvalParams::embedded(), style: None }
    }
}

impl Evaluation {
    /// The weights as they are used when the engine plays `own`.
    pub fn weights(&self, own: Color) -> Arc<Weights> {
        Arc::new(match &self.style {
            None => Weights::new(&self.params),
            Some(style) => Weights::with_style(&self.params, style, own),
        })
    }

    /// Whether the weights differ by the side the engine plays.
    pub fn depends_on_side(&self) -> bool {
        self.style.is_some()
    }
}

/// The size of the transposition table before anyone sets it, in MB.
pub const DEFAULT_HASH_MB: usize = 64;
/// The largest that can be asked for, in MB.
pub const MAX_HASH_MB: usize = 32_768;
/// The rating before anyone sets it: a club player's.
pub const DEFAULT_ELO: u32 = 1500;
/// The last move number that a book can be asked about; also the default: the whole book.
pub const MAX_BOOK_DEPTH: u16 = 255;
/// The most threads that can be asked for.
pub const MAX_THREADS: usize = 256;

/// All options, in the order they are announced.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "Hash",
        about: "size of the transposition table in MB",
        kind: Kind::Spin {
            default: DEFAULT_HASH_MB as i64,
            min: 1,
            max: MAX_HASH_MB as i64,
            set: |_, megabytes| Effect::Queue(Change::Hash(megabytes as usize)),
        },
    },
    OptionSpec {
        name: "Clear Hash",
        about: "forget everything that was searched",
        kind: Kind::Button { press: |_| Effect::Queue(Change::ClearHash) },
    },
    OptionSpec {
        name: "Threads",
        about: "threads that search together",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: MAX_THREADS as i64,
            set: |_, threads| Effect::Queue(Change::Threads(threads as usize)),
        },
    },
    OptionSpec {
        name: "MultiPV",
        about: "how many best lines to search and report",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: 256,
            set: |settings, lines| {
                settings.multipv = lines as usize;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "MoveOverhead",
        about: "milliseconds a move loses between engine and clock",
        kind: Kind::Spin {
            default: 80,
            min: 0,
            max: 5000,
            set: |settings, millis| {
                settings.move_overhead = Duration::from_millis(millis as u64);
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "Ponder",
        about: "tells the other side that 'go ponder' is understood; pondering itself needs no setting",
        kind: Kind::Check { default: false, set: |_, _| Effect::NextSearch },
    },
    OptionSpec {
        name: "UCI_Chess960",
        about: "write castling as king takes rook (both forms are always read)",
        kind: Kind::Check {
            default: false,
            set: |settings, on| {
                settings.chess960 = on;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "UCI_ShowWDL",
        about: "add chances of win, draw and loss to the score",
        kind: Kind::Check {
            default: false,
            set: |settings, on| {
                settings.show_wdl = on;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "UCI_LimitStrength",
        about: "play at the strength of UCI_Elo",
        kind: Kind::Check {
            default: false,
            set: |settings, on| {
                settings.limit_strength = on;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "UCI_Elo",
        about: "the rating to play at with UCI_LimitStrength, on the scale of the CCRL blitz list",
        kind: Kind::Spin {
            default: DEFAULT_ELO as i64,
            min: strength::MIN_ELO as i64,
            max: strength::MAX_ELO as i64,
            set: |settings, elo| {
                settings.elo = elo as u32;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "Style",
        about: "how the engine likes to play; StyleFile outranks it",
        kind: Kind::Combo { default: "Normal", vars: &["Normal", "Tal", "Petrosian"], set: set_style },
    },
    OptionSpec {
        name: "StyleFile",
        about: "a style of your own, instead of Style; empty: none",
        kind: Kind::Text { set: set_style_file },
    },
    OptionSpec {
        name: "EvalFile",
        about: "weights of the evaluation; empty: those in the program",
        kind: Kind::Text { set: set_eval_file },
    },
    OptionSpec {
        name: "ParamFile",
        about: "numbers of the search, a line NAME = VALUE each; empty: the shipped ones",
        kind: Kind::Text { set: set_param_file },
    },
    OptionSpec {
        name: "BookFile",
        about: "an opening book in Polyglot's format (.bin); empty: none",
        kind: Kind::Text { set: set_book_file },
    },
    OptionSpec {
        name: "BookMode",
        about: "how a book move is chosen: by weight, the best, or each alike",
        kind: Kind::Combo {
            default: BookMode::NAMES[0],
            vars: &BookMode::NAMES,
            set: |settings, name| {
                settings.book_mode = BookMode::named(name).ok_or_else(|| format!("no mode {name}"))?;
                Ok(Effect::NextSearch)
            },
        },
    },
    OptionSpec {
        name: "BookDepth",
        about: "the last move number the book is used for",
        kind: Kind::Spin {
            default: MAX_BOOK_DEPTH as i64,
            min: 0,
            max: MAX_BOOK_DEPTH as i64,
            set: |settings, moves| {
                settings.book_depth = moves as u16;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "BookSeed",
        about: "decides the chance in book moves; 0: other moves each time",
        kind: Kind::Spin {
            default: 0,
            min: 0,
            max: i32::MAX as i64,
            set: |_, seed| Effect::Queue(Change::BookSeed(seed as u64)),
        },
    },
    OptionSpec {
        name: "UseExperienceBook",
        about: "let what earlier games taught (ExperienceFile) have a say in the choice of moves",
        kind: Kind::Check {
            default: true,
            set: |settings, on| {
                settings.use_experience = on;
                settings.change_of_experience()
            },
        },
    },
    OptionSpec {
        name: "ExperienceFile",
        about: "an Experience Book (.exp); until it is set: experience.exp beside the program, if it is there",
        kind: Kind::Text { set: set_experience_file },
    },
    OptionSpec {
        name: "ExperienceWeight",
        about: "how much the Experience Book has to say; 0: it only orders moves",
        kind: Kind::Spin {
            default: experience::DEFAULT_WEIGHT as i64,
            min: 0,
            max: 100,
            set: |settings, weight| {
                settings.experience_weight = weight as u32;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "ExperienceLog",
        about: "a folder in which games played are kept for 'selfplay learn'; empty: they are not",
        kind: Kind::Text { set: set_experience_log },
    },
    OptionSpec {
        name: "SyzygyPath",
        about: if cfg!(windows) {
            "folders of Syzygy tablebases, separated by ';'; empty: none"
        } else {
            "folders of Syzygy tablebases, separated by ':'; empty: none"
        },
        kind: Kind::Text { set: set_syzygy_path },
    },
    OptionSpec {
        name: "SyzygyProbeDepth",
        about: "the largest tables are asked only at this depth or more",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: 100,
            set: |settings, depth| {
                settings.syzygy.probe_depth = depth as i32;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "SyzygyProbeLimit",
        about: "the most men that tables are asked about; 0: they are not used",
        kind: Kind::Spin {
            default: MAX_MEN as i64,
            min: 0,
            max: MAX_MEN as i64,
            set: |settings, men| {
                settings.syzygy.probe_limit = men as u32;
                Effect::NextSearch
            },
        },
    },
    OptionSpec {
        name: "Syzygy50MoveRule",
        about: "count wins that the fifty-move rule takes away as draws",
        kind: Kind::Check {
            default: true,
            set: |settings, on| {
                settings.syzygy.fifty_move_rule = on;
                Effect::NextSearch
            },
        },
    },
];

fn set_book_file(settings: &mut Settings, path: &str) -> Result<Effect, String> {
    settings.book = match path {
        "" => None,
        path => Some(Arc::new(PolyglotBook::open(Path::new(path)).map_err(|error| error.to_string())?)),
    };
    Ok(Effect::NextSearch)
}

fn set_experience_file(settings: &mut Settings, path: &str) -> Result<Effect, String> {
    settings.experience = match path {
        "" => None,
        path => Some(open_experience(Path::new(path)).map_err(|error| format!("{path}: {error}"))?),
    };
    Ok(settings.change_of_experience())
}

fn set_experience_log(settings: &mut Settings, path: &str) -> Result<Effect, String> {
    let folder = (!path.is_empty()).then(|| Path::new(path));
    settings.keeper.keep_in(folder, fresh_seed())?;
    Ok(Effect::NextSearch)
}

fn open_experience(path: &Path) -> Result<Arc<ExperienceBook>, ExperienceError> {
    ExperienceBook::open(path).map(Arc::new)
}

/// Takes an Experience Book into use that nobody asked for, if it is there.
pub fn find_experience(settings: &mut Settings, path: &Path) -> Result<Option<Effect>, String> {
    match open_experience(path) {
        Ok(book) => {
            settings.experience = Some(book);
            Ok(Some(settings.change_of_experience()))
        }
        Err(ExperienceError::Io(cause)) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}; playing without it", path.display())),
    }
}

fn set_syzygy_path(_: &mut Settings, path: &str) -> Result<Effect, String> {
    Ok(Effect::Queue(Change::Tablebases(Tablebases::folders(path))))
}

fn set_style(settings: &mut Settings, name: &'static str) -> Result<Effect, String> {
    settings.named_style = match name {
        "Normal" => None,
        name => Some(Style::named(name).ok_or_else(|| format!("no style {name} in this program"))?),
    };
    Ok(settings.change_of_style())
}

fn set_style_file(settings: &mut Settings, path: &str) -> Result<Effect, String> {
    settings.style_from_file = match path {
        "" => None,
        path => Some(Style::load(Path::new(path)).map_err(|error| error.to_string())?),
    };
    Ok(settings.change_of_style())
}

fn set_eval_file(settings: &mut Settings, path: &str) -> Result<Effect, String> {
    settings.evaluation.params = match path {
        "" => EvalParams::embedded(),
        path => {
            let text = regular_file::read_text(Path::new(path))
                .map_err(|error| format!("cannot read {path}: {error}"))?;
            EvalParams::from_toml(&text).map_err(|error| format!("{path}: {error}"))?
        }
    };
    Ok(settings.change_of_evaluation())
}

fn set_param_file(settings: &mut Settings, path: &str) -> Result<Effect, String> {
    settings.params = match path {
        "" => SearchParams::default(),
        path => {
            let text = regular_file::read_text(Path::new(path))
                .map_err(|error| format!("cannot read {path}: {error}"))?;
            SearchParams::from_text(&text).map_err(|error| format!("{path}: {error}"))?
        }
    };
    Ok(Effect::NextSearch)
}

impl Settings {
    /// The level to play at, if strength is limited; the seed decides where it errs.
    pub fn strength(&self, seed: u64) -> Option<Strength> {
        self.limit_strength.then(|| Strength::of_elo(self.elo, seed))
    }

    fn change_of_experience(&self) -> Effect {
        Effect::Queue(Change::Experience(self.experience.clone().filter(|_| self.use_experience)))
    }

    fn change_of_style(&mut self) -> Effect {
        self.evaluation.style = self.style_from_file.as_ref().or(self.named_style.as_ref()).cloned();
        self.change_of_evaluation()
    }

    fn change_of_evaluation(&self) -> Effect {
        Effect::Queue(Change::Evaluation(Box::new(self.evaluation.clone())))
    }
}

/// Checks a value and puts it into effect. An error says what is wrong and what would be right, and
/// leaves everything as it was.
pub fn set(settings: &mut Settings, name: &str, value: Option<&str>) -> Result<Effect, String> {
    let Some(option) = find(name) else {
        let names: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
        return Err(format!("setoption: no option {}; there are {}", quoted(name), names.join(", ")));
    };
    let refuse = |expected: &dyn std::fmt::Display| {
        let found = value.map_or("no value".to_string(), quoted);
        format!("setoption {}: {found} refused, expected {expected}; unchanged", option.name)
    };
    let given = value.map(str::trim).unwrap_or_default();
    match &option.kind {
        Kind::Spin { min, max, set, .. } => match given.parse::<i64>() {
            Ok(number) if (*min..=*max).contains(&number) => Ok(set(settings, number)),
            _ => Err(refuse(&format_args!("a whole number from {min} to {max}"))),
        },
        Kind::Check { set, .. } => match given.to_ascii_lowercase().as_str() {
            "true" => Ok(set(settings, true)),
            "false" => Ok(set(settings, false)),
            _ => Err(refuse(&"'true' or 'false'")),
        },
        Kind::Combo { vars, set, .. } => match vars.iter().find(|var| var.eq_ignore_ascii_case(given)) {
            Some(var) => set(settings, var).map_err(|error| refuse_cause(option, &error)),
            None => Err(refuse(&format_args!("one of {}", vars.join(", ")))),
        },
        Kind::Text { set } => {
            let text = if given == "<empty>" { "" } else { given };
            set(settings, text).map_err(|error| refuse_cause(option, &error))
        }
        Kind::Button { press } => Ok(press(settings)),
    }
}

fn refuse_cause(option: &OptionSpec, cause: &str) -> String {
    format!("setoption {}: {cause}; unchanged", option.name)
}

fn find(name: &str) -> Option<&'static OptionSpec> {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
    };
    OPTIONS.iter().find(|option| plain(option.name) == plain(name))
}

/// The lines of the handshake, one an option.
pub fn announcements() -> impl Iterator<Item = String> {
    OPTIONS.iter().map(OptionSpec::announcement)
}

impl OptionSpec {
    /// The line of the handshake that announces it.
    pub fn announcement(&self) -> String {
        let name = self.name;
        match &self.kind {
            Kind::Spin { default, min, max, .. } => {
                format!("option name {name} type spin default {default} min {min} max {max}")
            }
            Kind::Check { default, .. } => format!("option name {name} type check default {default}"),
            Kind::Combo { default, vars, .. } => {
                format!("option name {name} type combo default {default} var {}", vars.join(" var "))
            }
            Kind::Text { .. } => format!("option name {name} type string default <empty>"),
            Kind::Button { .. } => format!("option name {name} type button"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, value: Option<&str>) -> String {
        set(&mut Settings::default(), name, value).err().expect("a refusal")
    }

    #[test]
    fn announcements_follow_the_protocol() {
        let lines: Vec<String> = OPTIONS.iter().map(OptionSpec::announcement).collect();
        for line in [
            "option name Hash type spin default 64 min 1 max 32768",
            "option name Threads type spin default 1 min 1 max 256",
            "option name MultiPV type spin default 1 min 1 max 256",
            "option name MoveOverhead type spin default 80 min 0 max 5000",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name UCI_LimitStrength type check default false",
            "option name Style type combo default Normal var Normal var Tal var Petrosian",
            "option name EvalFile type string default <empty>",
            "option name BookFile type string default <empty>",
            "option name BookMode type combo default Weighted var Weighted var Best var Uniform",
            "option name SyzygyPath type string default <empty>",
            "option name SyzygyProbeLimit type spin default 7 min 0 max 7",
            "option name Syzygy50MoveRule type check default true",
        ] {
            assert!(lines.iter().any(|announced| announced == line), "missing: {line}");
        }
    }

    #[test]
    fn only_measured_ratings_are_announced_and_taken() {
        let (min, max) = (strength::MIN_ELO, strength::MAX_ELO);
        let line = find("UCI_Elo").expect("an option").announcement();
        assert_eq!(line, format!("option name UCI_Elo type spin default {DEFAULT_ELO} min {min} max {max}"));
        for outside in [min - 1, max + 1] {
            let message = refused("UCI_Elo", Some(&outside.to_string()));
            assert!(message.contains(&format!("from {min} to {max}")), "{message}");
        }
        let mut settings = Settings::default();
        for (name, value) in [("UCI_Elo", max.to_string()), ("UCI_LimitStrength", "true".to_string())] {
            assert!(set(&mut settings, name, Some(&value)).is_ok());
        }
        assert_eq!(settings.strength(3), Some(Strength::of_elo(max, 3)));
    }

    #[test]
    fn the_settings_start_where_the_table_says() {
        let mut settings = Settings {
            multipv: 9,
            move_overhead: Duration::ZERO,
            chess960: true,
            show_wdl: true,
            limit_strength: true,
            elo: 0,
            book_depth: 3,
            syzygy: SyzygyOptions { probe_depth: 9, probe_limit: 3, fifty_move_rule: false },
            ..Settings::default()
        };
        for option in OPTIONS {
            match &option.kind {
                Kind::Spin { default, min, max, set } => {
                    assert!(min <= default && default <= max, "{}", option.name);
                    set(&mut settings, *default);
                }
                Kind::Check { default, set } => {
                    set(&mut settings, *default);
                }
                Kind::Combo { default, vars, .. } => assert!(vars.contains(default), "{}", option.name),
                Kind::Text { .. } | Kind::Button { .. } => {}
            }
        }
        let start = Settings::default();
        assert_eq!(
            (settings.multipv, settings.move_overhead, settings.chess960, settings.show_wdl),
            (start.multipv, start.move_overhead, start.chess960, start.show_wdl)
        );
        assert_eq!((settings.limit_strength, settings.elo), (start.limit_strength, start.elo));
        assert_eq!((settings.book_depth, settings.syzygy), (start.book_depth, start.syzygy));
        assert!(start.strength(1).is_none(), "full strength is the default");
    }

    #[test]
    fn names_are_found_in_any_case_and_spacing() {
        for name in ["hash", "HASH", "clear hash", "ClearHash", "Move Overhead", "uci_chess960"] {
            assert!(find(name).is_some(), "{name}");
        }
        assert!(find("Hush").is_none());
    }

    #[test]
    fn every_style_of_the_table_exists() {
        let mut settings = Settings::default();
        for name in ["Normal", "tal", "PETROSIAN"] {
            assert!(set(&mut settings, "Style", Some(name)).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_bad_value_is_refused_with_the_range() {
        for value in ["0", "32769", "-1", "many", "", "99999999999999999999"] {
            let message = refused("Hash", Some(value));
            assert!(message.contains("from 1 to 32768") && message.contains("unchanged"), "{message}");
        }
        assert!(refused("Hash", None).contains("no value"));
        assert!(refused("Ponder", Some("maybe")).contains("'true' or 'false'"));
        assert!(refused("Style", Some("Wild")).contains("Normal, Tal, Petrosian"));
        assert!(refused("Nonsense", Some("1")).contains("there are Hash"));
    }

    #[test]
    fn a_bad_value_changes_nothing() {
        let mut settings = Settings::default();
        assert!(set(&mut settings, "MultiPV", Some("4")).is_ok());
        assert!(set(&mut settings, "MultiPV", Some("0")).is_err());
        assert_eq!(settings.multipv, 4);
    }

    #[test]
    fn a_file_that_is_missing_or_wrong_is_named() {
        let message = refused("EvalFile", Some("no such folder/weights.toml"));
        assert!(message.contains("no such folder/weights.toml"), "{message}");
        let path = std::env::temp_dir().join(format!("tabula wrong weights {}.toml", std::process::id()));
        std::fs::write(&path, "not weights").expect("the temporary folder is writable");
        let text = path.display().to_string();
        for option in ["EvalFile", "StyleFile", "ParamFile", "BookFile"] {
            let message = refused(option, Some(&text));
            assert!(message.contains(&text) && message.contains("unchanged"), "{message}");
        }
        std::fs::remove_file(&path).expect("written above");
    }
}
