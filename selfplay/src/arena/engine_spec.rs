//! An engine as the command line names it.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use engine::search::params::{ParameterError, SearchParams};

use super::limit::MoveLimit;

/// What to play with, under which name and limit.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineSpec {
    /// The name in tables and PGN.
    pub name: String,
    /// What it is.
    pub kind: EngineKind,
    /// Its own limit, where it differs from the match's.
    pub limit: Option<MoveLimit>,
}

/// Where an engine lives.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineKind {
    /// A process that speaks UCI.
    Process(ProcessSpec),
    /// Our own engine, in this process.
    InProcess(SelfSpec),
}

/// A process that speaks UCI.
#[derive(Clone, PartialEq, Debug)]
pub struct ProcessSpec {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs; here, if not given.
    pub directory: Option<PathBuf>,
    /// UCI options in the order given.
    pub options: Vec<(String, String)>,
}

/// Our own engine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SelfSpec {
    /// A weights file; the embedded ones if not given.
    pub weights: Option<PathBuf>,
    /// An Experience Book.
    pub book: Option<PathBuf>,
    /// What the book has to say, in hundredths; the engine's default if not given.
    pub experience_weight: Option<u32>,
    /// A style by name or file.
    pub style: Option<String>,
    /// Megabytes of hash.
    pub hash_mb: Option<usize>,
    /// A file of search parameters.
    pub params: Option<PathBuf>,
    /// Search parameters by name, set after the file's.
    pub own_params: Vec<(String, i32)>,
    /// Monte-Carlo tree search instead of the engine's own.
    pub tree_search: bool,
}

/// Why an engine's description was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineSpecError {
    /// Neither a command nor `self:`.
    #[error(
        "no command; write a program (--engine /usr/games/stockfish), \
         cmd=PROGRAM[,name=…,option.Hash=16], or self:[weights=FILE]"
    )]
    NoCommand,
    /// A key that means nothing here.
    #[error("unknown key '{key}'; known: {known}")]
    UnknownKey {
        /// The key.
        key: String,
        /// What could stand there.
        known: &'static str,
    },
    /// A value that cannot be read.
    #[error("'{key}={value}': {reason}")]
    BadValue {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A part without `=`.
    #[error("'{part}' is no KEY=VALUE (a comma inside a value is written \\,)")]
    NoValue {
        /// The part.
        part: String,
    },
    /// A quote that never closes.
    #[error("a quote in the command is not closed")]
    OpenQuote,
}

impl EngineSpec {
    /// The files that decide how it plays, as far as they can be known: a program found through `PATH`
    /// and a style that is compiled in are not among them.
    pub fn files(&self) -> Vec<PathBuf> {
        let named = match &self.kind {
            EngineKind::Process(process) => {
                process.command.iter().map(PathBuf::from).take(1).collect::<Vec<_>>()
            }
            EngineKind::InProcess(own) => {
                let style = own.style.as_ref().map(PathBuf::from);
                [own.weights.clone(), own.book.clone(), own.params.clone(), style]
                    .into_iter()
                    .flatten()
                    .collect()
            }
        };
        named.into_iter().filter(|path| path.is_file()).collect()
    }
}

const PROCESS_KEYS: &str = "cmd, name, dir, tc, movetime, nodes, depth, option.NAME";
const SELF_KEYS: &str = "weights, book, expweight, style, hash, params, param.NAME, search, name, tc, movetime, nodes, \
                         softnodes, depth";

/// A name as it may stand in tables, reports and PGN: one line of visible characters, not too long. It comes from
/// the command line or from the engine itself, and may be anything.
pub fn plain_name(name: &str) -> String {
    const LONGEST: usize = 100;
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let plain: String = name.trim().chars().take(LONGEST).map(visible).collect();
    if plain.trim().is_empty() { "nameless".to_string() } else { plain.trim().to_string() }
}

impl FromStr for EngineSpec {
    type Err = EngineSpecError;

    fn from_str(spec: &str) -> Result<EngineSpec, EngineSpecError> {
        match spec.strip_prefix("self:") {
            Some(rest) => self_spec(rest),
            None if spec == "self" => self_spec(""),
            None => process_spec(spec),
        }
    }
}

fn process_spec(spec: &str) -> Result<EngineSpec, EngineSpecError> {
    let mut command = Vec::new();
    let mut process = ProcessSpec { command: Vec::new(), directory: None, options: Vec::new() };
    let (mut name, mut limit) = (None, None);
    for (index, part) in split_at_commas(spec).into_iter().enumerate() {
        // A bare first part is the command itself.
        let (key, value) = match part.split_once('=') {
            Some((key, value)) if index > 0 || is_process_key(key) => (key, value),
            _ if index == 0 => ("cmd", part.as_str()),
            _ => return Err(EngineSpecError::NoValue { part }),
        };
        match key {
            "cmd" => command = split_command(value).ok_or(EngineSpecError::OpenQuote)?,
            "name" => name = Some(plain_name(value)),
            "dir" => process.directory = Some(value.into()),
            _ if key.strip_prefix("option.").is_some_and(|option| !option.is_empty()) => {
                process.options.push((key["option.".len()..].to_string(), value.to_string()));
            }
            "softnodes" => {
                let reason = "only engines in process (self:) know it; use nodes=".to_string();
                return Err(bad_value(key, value, reason));
            }
            _ => match limit_from(key, value)? {
                Some(given) => limit = Some(given),
                None => {
                    return Err(EngineSpecError::UnknownKey { key: key.to_string(), known: PROCESS_KEYS });
                }
            },
        }
    }
    let Some(program) = command.first() else { return Err(EngineSpecError::NoCommand) };
    let file_name = program.rsplit('/').next().unwrap_or(program).to_string();
    process.command = command;
    let name = name.unwrap_or_else(|| plain_name(&file_name));
    Ok(EngineSpec { name, kind: EngineKind::Process(process), limit })
}

fn is_process_key(key: &str) -> bool {
    key.starts_with("option.") || PROCESS_KEYS.split(", ").any(|known| known == key)
}

fn self_spec(rest: &str) -> Result<EngineSpec, EngineSpecError> {
    let mut own = SelfSpec::default();
    let (mut name, mut limit) = (None, None);
    for part in split_at_commas(rest) {
        if part.is_empty() {
            continue;
        }
        let Some((key, value)) = part.split_once('=') else {
            return Err(EngineSpecError::NoValue { part });
        };
        match key {
            "weights" => own.weights = Some(value.into()),
            "book" => own.book = Some(value.into()),
            "expweight" => match value.parse() {
                Ok(weight @ 0..=100) => own.experience_weight = Some(weight),
                _ => return Err(bad_value(key, value, "not a whole number from 0 to 100".to_string())),
            },
            "style" => own.style = Some(value.to_string()),
            "hash" => own.hash_mb = Some(number(key, value)? as usize),
            "params" => own.params = Some(value.into()),
            _ if key.starts_with("param.") => own.own_params.push(own_param(key, value)?),
            "search" => match value {
                "mcts" => own.tree_search = true,
                "alphabeta" => own.tree_search = false,
                _ => return Err(bad_value(key, value, "neither mcts nor alphabeta".to_string())),
            },
            "name" => name = Some(plain_name(value)),
            _ => match limit_from(key, value)? {
                Some(given) => limit = Some(given),
                None => {
                    return Err(EngineSpecError::UnknownKey { key: key.to_string(), known: SELF_KEYS });
                }
            },
        }
    }
    let name = name.unwrap_or_else(|| plain_name(&own.default_name()));
    Ok(EngineSpec { name, kind: EngineKind::InProcess(own), limit })
}

/// One search parameter of `self:param.NAME=VALUE`.
fn own_param(key: &str, value: &str) -> Result<(String, i32), EngineSpecError> {
    let refused = |error: ParameterError| bad_value(key, value, error.to_string());
    let mut params = SearchParams::default();
    let name = &key["param.".len()..];
    params.set(name, value).map_err(refused)?;
    Ok((name.to_string(), params.get(name).map_err(refused)?))
}

impl SelfSpec {
    /// `tabula`, and what sets this one apart.
    fn default_name(&self) -> String {
        let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let files = [&self.weights, &self.book, &self.params];
        let marks = files.into_iter().map(|file| file.as_ref().and_then(stem)).chain([self.style.clone()]);
        let search = self.tree_search.then(|| "mcts".to_string());
        let own = self.own_params.iter().map(|(name, value)| format!("{name}={value}"));
        let marks: Vec<String> = marks.chain([search]).flatten().chain(own).collect();
        if marks.is_empty() { "tabula".to_string() } else { format!("tabula-{}", marks.join("-")) }
    }
}

/// The limit that a key names, if it names one.
fn limit_from(key: &str, value: &str) -> Result<Option<MoveLimit>, EngineSpecError> {
    Ok(Some(match key {
        "tc" => {
            let control = value.parse();
            MoveLimit::Clock(control.map_err(|e| bad_value(key, value, format!("{e}")))?)
        }
        "movetime" => MoveLimit::MoveTime(Duration::from_millis(number(key, value)?)),
        "nodes" => MoveLimit::Nodes(number(key, value)?),
        "softnodes" => MoveLimit::SoftNodes(number(key, value)?),
        "depth" => MoveLimit::Depth(number(key, value)?.min(u64::from(u32::MAX)) as u32),
        _ => return Ok(None),
    }))
}

fn number(key: &str, value: &str) -> Result<u64, EngineSpecError> {
    match value.parse() {
        Ok(0) | Err(_) => Err(bad_value(key, value, "not a whole number above 0".to_string())),
        Ok(number) => Ok(number),
    }
}

fn bad_value(key: &str, value: &str, reason: String) -> EngineSpecError {
    EngineSpecError::BadValue { key: key.into(), value: value.into(), reason }
}

/// Splits at commas; `\,` is a comma inside a value.
fn split_at_commas(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut chars = text.chars().peekable();
    while let Some(letter) = chars.next() {
        match letter {
            ',' => parts.push(std::mem::take(&mut part)),
            '\\' if chars.next_if_eq(&',').is_some() => part.push(','),
            _ => part.push(letter),
        }
    }
    parts.push(part);
    parts
}

/// Splits a command at spaces; single and double quotes keep words together. `None`: an open quote.
fn split_command(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(text: &str) -> (EngineSpec, ProcessSpec) {
        let spec: EngineSpec = text.parse().unwrap();
        match spec.kind.clone() {
            EngineKind::Process(process) => (spec, process),
            EngineKind::InProcess(_) => panic!("{text} is a process"),
        }
    }

    #[test]
    fn names_are_one_line_of_visible_characters() {
        for (name, plain) in
            [("a\nb", "a b"), ("\u{1b}[2Jx", "[2Jx"), (" \t ", "nameless"), ("\"x\" <b>", "\"x\" <b>")]
        {
            let spec: EngineSpec = format!("self:name={name}").parse().unwrap();
            assert_eq!(spec.name, plain);
        }
        assert_eq!(plain_name(&"x".repeat(1000)).len(), 100);
    }

    #[test]
    fn a_process_with_options() {
        let (spec, process) =
            process("cmd=/usr/games/gnuchess --uci,name=gnu,option.Own Book=false,tc=4+0.04");
        assert_eq!(spec.name, "gnu");
        assert_eq!(process.command, ["/usr/games/gnuchess", "--uci"]);
        assert_eq!(process.options, [("Own Book".to_string(), "false".to_string())]);
        assert_eq!(spec.limit.unwrap().to_string(), "4+0.04");
    }

    #[test]
    fn a_bare_command_and_quotes() {
        let (spec, process) = process("'my engine/run it' --flag \"a b\" ''");
        assert_eq!(spec.name, "run it");
        assert_eq!(process.command, ["my engine/run it", "--flag", "a b", ""]);
        let (_, process) = self::process("cmd=x,option.Path=a\\,b=c");
        assert_eq!(process.options, [("Path".to_string(), "a,b=c".to_string())]);
    }

    #[test]
    fn our_own_engine() {
        let spec: EngineSpec = "self:weights=data/w2.toml,style=Tal,softnodes=5000".parse().unwrap();
        assert_eq!(spec.name, "tabula-w2-Tal");
        assert_eq!(spec.limit, Some(MoveLimit::SoftNodes(5000)));
        assert_eq!("self".parse::<EngineSpec>().unwrap().name, "tabula");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("", "no command"),
            ("cmd=", "no command"),
            ("name=x", "no command"),
            ("cmd=x,nmae=y", "unknown key 'nmae'"),
            ("cmd=x,Hash", "'Hash' is no KEY=VALUE"),
            ("cmd=x,option.=1", "unknown key 'option.'"),
            ("cmd='x", "quote"),
            ("cmd=x,nodes=many", "not a whole number above 0"),
            ("cmd=x,softnodes=5", "only engines in process"),
            ("self:weight=w", "unknown key 'weight'"),
            ("self:hash=0", "not a whole number above 0"),
            ("self:tc=soon", "'soon' is no time control"),
        ] {
            let message = text.parse::<EngineSpec>().unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
