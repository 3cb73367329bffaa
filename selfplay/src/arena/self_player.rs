//! A player that is our own engine, in this process: no pipes, no text.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::book::experience::ExperienceBook;
use engine::eval::{EvalParams, Style, Weights};
use engine::search::params::SearchParams;
use engine::search::{Clock, Handler, Limits, SearchReport, Searcher, Signals};
use engine::types::{Color, Move};

use super::engine_score::EngineScore;
use super::engine_spec::SelfSpec;
use super::fault::{Fault, NoMove};
use super::limit::MoveLimit;
use super::opening::Opening;
use super::player::{Choice, Player, Turn};

/// Megabytes of hash where none are asked for: enough for searches of thousands of nodes, and quickly
/// emptied between games.
const DEFAULT_HASH_MB: usize = 8;
/// What may pass between our clock and the referee's in one process, on a busy machine.
const MOVE_OVERHEAD: Duration = Duration::from_millis(10);
/// A soft limit may be overrun by an iteration; one that explodes is cut at so many times the limit.
const SOFT_NODES_OVERRUN: u64 = 20;

/// Why our engine could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(String);

/// Our engine, ready to play.
pub struct SelfPlayer {
    searcher: Searcher,
    /// `// [color]` the weights for playing that side: a style tells own from opponent
    weights: [Arc<Weights>; 2],
    /// The side that the searcher's weights are for.
    color: Color,
    stop: Arc<AtomicBool>,
    signals: Signals,
}

impl SelfPlayer {
    /// Reads the files that the spec names and makes a searcher.
    pub fn new(spec: &SelfSpec, stop: Arc<AtomicBool>) -> Result<SelfPlayer, SetupError> {
        let params = match &spec.weights {
            Some(path) => read_weights(path)?,
            None => EvalParams::embedded(),
        };
        let style = spec.style.as_deref().map(find_style).transpose()?;
        let weights = match &style {
            Some(style) => Color::ALL.map(|own| Arc::new(Weights::with_style(&params, style, own))),
            None => {
                let weights = Arc::new(Weights::new(&params));
                [weights.clone(), weights]
            }
        };
        let mut searcher = Searcher::new(1, weights[0].clone());
        let hash_mb = spec.hash_mb.unwrap_or(DEFAULT_HASH_MB);
        searcher.set_hash(hash_mb).map_err(|error| SetupError(format!("hash={hash_mb}: {error}")))?;
        searcher.options.move_overhead = MOVE_OVERHEAD;
        searcher.set_experience(spec.book.as_deref().map(read_experience).transpose()?);
        if let Some(weight) = spec.experience_weight {
            searcher.options.experience_weight = weight;
        }
        searcher.options.params = read_params(spec)?;
        Ok(SelfPlayer { searcher, weights, color: Color::White, stop, signals: Signals::new() })
    }

    /// Changes the numbers of the search for the games to come.
    pub fn set_params(&mut self, params: SearchParams) {
        self.searcher.options.params = params;
    }
}

/// Reads a file of weights.
pub fn read_weights(path: &Path) -> Result<EvalParams, SetupError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| SetupError(format!("cannot read the weights {}: {error}", path.display())))?;
    EvalParams::from_toml(&text)
        .map_err(|error| SetupError(format!("the weights {}: {error}", path.display())))
}

/// The search parameters of a spec: its file's, then those named one by one.
fn read_params(spec: &SelfSpec) -> Result<SearchParams, SetupError> {
    let mut params = match &spec.params {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                SetupError(format!("cannot read the search parameters {}: {error}", path.display()))
            })?;
            SearchParams::from_text(&text)
                .map_err(|error| SetupError(format!("the search parameters {}: {error}", path.display())))?
        }
        None => SearchParams::default(),
    };
    for (name, value) in &spec.own_params {
        params.set(name, &value.to_string()).map_err(|error| SetupError(error.to_string()))?;
    }
    Ok(params)
}

/// Opens an Experience Book.
pub fn read_experience(path: &Path) -> Result<Arc<ExperienceBook>, SetupError> {
    let book = ExperienceBook::open(path);
    book.map(Arc::new).map_err(|error| SetupError(format!("the Experience Book {}: {error}", path.display())))
}

/// A compiled-in style by its name, or the file that the text names.
pub fn find_style(text: &str) -> Result<Style, SetupError> {
    if let Some(style) = Style::named(text) {
        return Ok(style);
    }
    if Path::new(text).exists() {
        return Style::load(Path::new(text)).map_err(|error| SetupError(error.to_string()));
    }
    let known: Vec<String> = Style::embedded().into_iter().map(|style| style.name).collect();
    Err(SetupError(format!("style={text}: neither a file nor one of {}", known.join(", "))))
}

impl Player for SelfPlayer {
    fn new_game(&mut self, _opening: &Opening, color: Color) -> Result<(), NoMove> {
        let changes_weights = !Arc::ptr_eq(&self.weights[0], &self.weights[1]) && color != self.color;
        self.color = color;
        match changes_weights {
            true => self.searcher.set_weights(self.weights[color.index()].clone()),
            false => self.searcher.new_game(),
        }
        Ok(())
    }

    fn choose(&mut self, turn: &Turn) -> Result<Choice, NoMove> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(NoMove::Stopped);
        }
        let asked = Instant::now();
        self.signals.reset();
        let mut watch = StopWatch { stop: &self.stop, signals: &self.signals };
        let result = self.searcher.search(turn.board, &limits(turn), &self.signals, &mut watch);
        let elapsed = asked.elapsed();
        if self.stop.load(Ordering::Relaxed) {
            return Err(NoMove::Stopped);
        }
        let chosen = result.best.ok_or_else(|| Fault::IllegalMove("none found".to_string()))?;
        Ok(Choice {
            chosen,
            elapsed,
            score: Some(EngineScore::from_value(result.score)),
            depth: Some(result.depth),
            nodes: Some(result.nodes),
        })
    }
}

/// What the search may use.
fn limits(turn: &Turn) -> Limits {
    let mut limits = Limits::default();
    match turn.limit {
        MoveLimit::Clock(_) => {
            limits.clock = turn.own_clock().map(|clock| Clock {
                remaining: clock.remaining,
                increment: clock.increment(),
                moves_to_go: clock.moves_to_go(),
            });
        }
        MoveLimit::MoveTime(time) => limits.movetime = Some(time),
        MoveLimit::Nodes(nodes) => limits.nodes = Some(nodes),
        MoveLimit::SoftNodes(nodes) => {
            limits.soft_nodes = Some(nodes);
            limits.nodes = Some(nodes.saturating_mul(SOFT_NODES_OVERRUN));
        }
        MoveLimit::Depth(depth) => limits.depth = Some(depth),
    }
    limits
}

/// Passes the end of the match on to a search that is under way.
struct StopWatch<'a> {
    stop: &'a AtomicBool,
    signals: &'a Signals,
}

impl StopWatch<'_> {
    fn look(&self) {
        if self.stop.load(Ordering::Relaxed) {
            self.signals.stop();
        }
    }
}

impl Handler for StopWatch<'_> {
    fn report(&mut self, _report: &SearchReport) {
        self.look();
    }

    fn current_move(&mut self, _depth: u32, _m: Move, _number: u32) {
        self.look();
    }
}
