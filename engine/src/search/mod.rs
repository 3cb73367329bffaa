//! The search. It never prints: it reports to a [`Handler`].
//!
//! `Searcher` owns what lasts from move to move (the table, each thread's histories); one call of
//! [`Searcher::search`] runs the threads and returns the move. The parts:
//! `deepen` (iterative deepening and aspiration windows), `node` (alpha-beta,
//! with `prune`, `move_loop`, `extend`, `reduce` and `reward`), `qsearch` (captures until the position is quiet),
//! `pick` (move ordering), `history` (what orders and prunes), `correction` (how wrong the evaluation was), `time`
//! (how long), `params` (the numbers), `strength` (playing below full strength), `tables` (what tablebases know),
//! `experience` (what earlier games taught).

/// A zeroed array on the heap that never stood on the stack.
macro_rules! zeroed_box {
    ($type:ty) => {{
        let layout = std::alloc::Layout::new::<$type>();
        // SAFETY: the layout is not empty, all-zero is a valid value of these nested integer arrays, and
        // the box takes over a pointer of just that layout.
        unsafe {
            let pointer = std::alloc::alloc_zeroed(layout).cast::<$type>();
            if pointer.is_null() {
                std::alloc::handle_alloc_error(layout);
            }
            Box::from_raw(pointer)
        }
    }};
}

use zeroed_box;

mod correction;
mod deepen;
pub mod experience;
mod extend;
mod history;
mod move_loop;
mod node;
pub mod params;
mod pick;
mod prune;
mod qsearch;
mod reduce;
mod reward;
pub mod strength;
mod tables;
mod thread;
mod time;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use crate::tt::{Bound, HashError};
pub use tables::SyzygyOptions;

use crate::board::Board;
use crate::book::experience::{ExperienceBook, Row};
use crate::eval::{Evaluator, Weights};
use crate::syzygy::Tablebases;
use crate::tt::Table;
use crate::types::{Move, Value};
use correction::Corrections;
use experience::ExperienceUse;
use history::Histories;
use params::{Numbers, SearchParams, Shipped};
use strength::{FirstLines, Strength};
use tables::TableUse;
use thread::{Knowledge, Shared, Thread};
use time::TimeManager;

/// When to stop. The default has no limit at all and is stopped by [`Signals::stop`].
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Not deeper than this.
    pub depth: Option<u32>,
    /// Stop at once after this many nodes.
    pub nodes: Option<u64>,
    /// Begin no further iteration after this many nodes.
    pub soft_nodes: Option<u64>,
    /// Use just this much time.
    pub movetime: Option<Duration>,
    /// Stop when a mate in this many moves is found.
    pub mate: Option<u32>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// When that clock started to run, if earlier than the search.
    pub start: Option<Instant>,
    /// Think until told to stop.
    pub infinite: bool,
    /// Think on the opponent's time: no time limit before [`Signals::ponderhit`].
    pub ponder: bool,
    /// Consider only these root moves (all, if empty).
    pub searchmoves: Vec<Move>,
}

/// The clock of the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
}

/// What a search says of itself after an iteration or a bound.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Depth of the iteration.
    pub depth: u32,
    /// The deepest line looked at.
    pub seldepth: u32,
    /// Which of several best lines this is, from 1.
    pub multipv: u32,
    /// For the side to move.
    pub score: Value,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Thousandths of the table in use.
    pub hashfull: u32,
    /// Tablebase hits.
    pub tbhits: u64,
    /// Since the start of the search.
    pub time: Duration,
    /// The line, best move first.
    pub pv: Vec<Move>,
}

/// Who hears what the search has to say.
pub trait Handler: Send {
    /// An iteration or a bound.
    fn report(&mut self, _report: &SearchReport) {}
    /// The root move that is being searched, and its number from 1.
    fn current_move(&mut self, _depth: u32, _m: Move, _number: u32) {}
    /// The system gave fewer threads than were asked for.
    fn fewer_threads(&mut self, _asked: usize, _got: usize) {}
}

/// Whether so much memory can still be had that a thread can begin and a search go on: where an allocation fails, the
/// program ends.
pub(crate) fn has_room() -> bool {
    const ROOM: usize = 256 << 20;
    let mut room: Vec<u8> = Vec::new();
    let had = room.try_reserve_exact(ROOM).is_ok();
    std::hint::black_box(&room); // or nothing would be asked for
    had
}

/// Hears nothing.
pub struct Silent;

impl Handler for Silent {}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The move to play; `None` if there is no legal move.
    pub best: Option<Move>,
    /// The reply it expects.
    pub ponder: Option<Move>,
    /// For the side to move, as the search alone found it: an Experience Book has a say in what is played
    /// and reported, not in this.
    pub score: Value,
    /// The last depth that was finished.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// The line, best move first.
    pub pv: Vec<Move>,
}

/// How the outside speaks to a running search.
#[derive(Debug, Default)]
pub struct Signals {
    stop: AtomicBool,
    ponderhit: AtomicBool,
}

impl Signals {
    /// No signal given.
    pub fn new() -> Signals {
        Signals::default()
    }

    /// Stop as soon as possible.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The opponent played the expected move: the clock runs from now.
    pub fn ponderhit(&self) {
        self.ponderhit.store(true, Ordering::Relaxed);
    }

    /// Takes all signals back. To be called before a search is started, by whoever may signal it.
    pub fn reset(&self) {
        self.stop.store(false, Ordering::Relaxed);
        self.ponderhit.store(false, Ordering::Relaxed);
    }

    /// Whether a stop was asked for.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn was_ponderhit(&self) -> bool {
        self.ponderhit.load(Ordering::Relaxed)
    }
}

/// Settings of the search that a user can change.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// How many best lines to find.
    pub multipv: usize,
    /// Time that is lost between the GUI's clock and ours, each move.
    pub move_overhead: Duration,
    /// Play at this level; `None`: as well as possible.
    pub strength: Option<Strength>,
    /// How tablebases are used, if there are any.
    pub syzygy: SyzygyOptions,
    /// The say of the Experience Book, if there is one, in hundredths; 0: it only orders moves.
    pub experience_weight: u32,
    /// The numbers of the search.
    pub params: SearchParams,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            multipv: 1,
            move_overhead: Duration::from_millis(80),
            strength: None,
            syzygy: SyzygyOptions::default(),
            experience_weight: experience::DEFAULT_WEIGHT,
            params: SearchParams::default(),
        }
    }
}

/// What one thread keeps from search to search.
struct Memory {
    evaluator: Evaluator,
    histories: Histories,
    corrections: Corrections,
}

impl Memory {
    fn new(weights: &Arc<Weights>) -> Memory {
        Memory {
            evaluator: Evaluator::new(Arc::clone(weights)),
            histories: Histories::new(),
            corrections: Corrections::new(),
        }
    }
}

/// The engine that thinks: the table and the memory of each thread.
pub struct Searcher {
    table: Table,
    weights: Arc<Weights>,
    memories: Vec<Memory>,
    tablebases: Option<Arc<Tablebases>>,
    experience: Option<Arc<ExperienceBook>>,
    /// Settings for the searches to come.
    pub options: SearchOptions,
}

impl Searcher {
    /// A searcher with one thread.
    ///
    /// # Panics
    /// If the system has not even this much memory.
    pub fn new(hash_mb: usize, weights: Arc<Weights>) -> Searcher {
        let table = Table::new(hash_mb).unwrap_or_else(|error| panic!("{error}"));
        let memories = vec![Memory::new(&weights)];
        let options = SearchOptions::default();
        Searcher { table, weights, memories, tablebases: None, experience: None, options }
    }

    /// Changes the size of the table, forgetting what is in it. On an error the old size stays.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        self.table.resize(megabytes)
    }

    /// Changes the number of threads, as far as there is memory for them: see [`Searcher::threads`].
    pub fn set_threads(&mut self, threads: usize) {
        let threads = threads.max(1);
        self.memories.truncate(threads);
        while self.memories.len() < threads && has_room() {
            self.memories.push(Memory::new(&self.weights));
        }
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.memories.len()
    }

    /// Changes the weights, and forgets everything that was found with the old ones.
    pub fn set_weights(&mut self, weights: Arc<Weights>) {
        self.weights = weights;
        self.new_game();
    }

    /// Changes the tablebases, and forgets what was found without them. They are not used while strength
    /// is limited: the levels were measured without.
    pub fn set_tablebases(&mut self, tablebases: Option<Arc<Tablebases>>) {
        self.tablebases = tablebases;
        self.new_game();
    }

    /// Changes the Experience Book, and forgets what was found with the old one. It is not used while
    /// strength is limited: the levels were measured without.
    pub fn set_experience(&mut self, experience: Option<Arc<ExperienceBook>>) {
        self.experience = experience;
        self.new_game();
    }

    /// What the Experience Book will have a say about when this position is searched: the moves that it
    /// knows, the most promising first.
    pub fn experience_of(&self, board: &Board) -> Vec<Row> {
        let experience = self.experience.as_deref().filter(|_| self.options.strength.is_none());
        ExperienceUse::new(experience, self.options.experience_weight).promising_rows(board)
    }

    /// Forgets everything: the next search knows nothing of the ones before.
    pub fn new_game(&mut self) {
        self.table.clear();
        for memory in &mut self.memories {
            *memory = Memory::new(&self.weights);
        }
    }

    /// Thinks about a position until a limit is reached or a signal stops it.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        signals: &Signals,
        handler: &mut dyn Handler,
    ) -> SearchResult {
        let asked = self.options.clone();
        match asked.strength {
            None => self.run(board, limits, &asked, signals, handler),
            Some(strength) => {
                let handler = &mut FirstLines { handler, lines: asked.multipv };
                self.run(board, &strength.limits(limits), &strength.options(&asked), signals, handler)
            }
        }
    }

    /// Runs the threads with the shipped numbers as constants, or with others as values.
    fn run(
        &mut self,
        board: &Board,
        limits: &Limits,
        options: &SearchOptions,
        signals: &Signals,
        handler: &mut dyn Handler,
    ) -> SearchResult {
        if options.params.is_default() {
            self.run_with(Shipped, board, limits, options, signals, handler)
        } else {
            self.run_with(&options.params, board, limits, options, signals, handler)
        }
    }

    /// Runs the threads, and returns what the one to believe has found.
    fn run_with<P: Numbers>(
        &mut self,
        params: P,
        board: &Board,
        limits: &Limits,
        options: &SearchOptions,
        signals: &Signals,
        handler: &mut dyn Handler,
    ) -> SearchResult {
        let start = limits.start.unwrap_or_else(Instant::now);
        // A level is what it is on any machine: with one thread, a node limit is kept to the node.
        let threads = if options.strength.is_some() { 1 } else { self.memories.len() };
        self.table.new_search(options.params.table_keep_deep != 0);
        let root_moves = thread::root_moves(board, limits);
        let tablebases = self.tablebases.as_deref().filter(|_| options.strength.is_none());
        let experience = self.experience.as_deref().filter(|_| options.strength.is_none());
        let shared = Shared::new(
            &self.table,
            Knowledge {
                tables: TableUse::new(tablebases, options.syzygy, board, &root_moves),
                experience: ExperienceUse::new(experience, options.experience_weight),
            },
            limits,
            signals,
            options,
            TimeManager::new(limits, params, options.move_overhead, start),
            threads,
        );
        let Some((main_memory, helper_memories)) = self.memories[..threads].split_first_mut() else {
            unreachable!("there is always one thread")
        };
        let helper_count = helper_memories.len();
        let mut threads: Vec<Thread<P>> = Vec::with_capacity(1 + helper_count);
        std::thread::scope(|scope| {
            let helpers: Vec<_> = helper_memories
                .iter_mut()
                .enumerate()
                .map_while(|(index, memory)| {
                    let (shared, root_moves) = (&shared, &root_moves);
                    // The system may refuse a thread: the search goes on with those it has.
                    if !has_room() {
                        return None;
                    }
                    let spawned = std::thread::Builder::new().spawn_scoped(scope, move || {
                        let mut thread =
                            Thread::new(params, board, root_moves, shared, memory, None, index + 1);
                        thread.deepen();
                        thread
                    });
                    spawned.ok()
                })
                .collect();
            if helpers.len() < helper_count {
                handler.fewer_threads(1 + helper_count, 1 + helpers.len());
            }
            let mut main = Thread::new(params, board, &root_moves, &shared, main_memory, Some(handler), 0);
            main.deepen();
            shared.stop();
            threads.push(main);
            for helper in helpers {
                match helper.join() {
                    Ok(thread) => threads.push(thread),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        let nodes = shared.nodes();
        let thread = thread::vote(&threads);
        let chosen =
            options.strength.map_or(0, |strength| strength.choose(board.key(), &thread.scored_moves()));
        thread.result(chosen, nodes)
    }
}
