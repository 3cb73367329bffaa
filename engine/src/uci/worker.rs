//! The thread that owns the searcher and does what takes time, one job after another, while the
//! thread that reads goes on reading.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::options::{Change, DEFAULT_HASH_MB, Evaluation, Settings};
use super::output::Output;
use super::report::Reporter;
use crate::board::Board;
use crate::book::BookChance;
use crate::book::experience::ExperienceBook;
use crate::search::{Limits, Searcher, Signals};
use crate::syzygy::Tablebases;
use crate::types::{Color, Move};

/// The reader's hold on a job that takes time.
#[derive(Default)]
pub struct Control {
    /// What the search listens to.
    pub signals: Signals,
    /// What bench and perft listen to.
    pub cancel: AtomicBool,
    released: Mutex<bool>,
    on_release: Condvar,
    finished: AtomicBool,
    /// A search (one at a time), or a tool.
    is_search: bool,
    infinite: bool,
    ponder: bool,
}

impl Control {
    /// Ends the job as soon as it can.
    pub fn stop(&self) {
        self.cancel.store(true, Ordering::Release);
        self.signals.stop();
        self.release();
    }

    /// The pondered move was played: from now on the clock counts.
    fn ponderhit(&self) {
        self.signals.ponderhit();
        if !self.infinite {
            self.release();
        }
    }

    /// Lets the best move out as soon as it is found.
    fn release(&self) {
        *self.released.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.on_release.notify_all();
    }

    /// The protocol wants no best move from an infinite search before `stop`, nor from pondering
    /// before `stop` or `ponderhit`, even if the search has nothing left to do.
    fn wait_for_release(&self) {
        let mut released = self.released.lock().unwrap_or_else(PoisonError::into_inner);
        while !*released {
            released = self.on_release.wait(released).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Marks the job as done. Called **before** its closing line is printed: the other side may answer
    /// that line with the next `go` faster than this thread runs on.
    fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }

    fn is_running(&self) -> bool {
        !self.finished.load(Ordering::Acquire)
    }
}

/// A search, with everything it needs copied at its start.
pub struct SearchJob {
    /// The root, with its history.
    pub board: Board,
    /// When to end.
    pub limits: Limits,
    /// The options of this moment.
    pub settings: Settings,
}

/// A tool's work: prints as it goes and returns its closing line, or why it could not work.
pub type Tool = Box<dyn FnOnce(&Control, &Output) -> Result<String, String> + Send>;

enum Job {
    Search(Box<SearchJob>, Arc<Control>),
    Tool(Tool, Arc<Control>),
    Change(Change),
    NewGame,
    /// Answers when everything before it is done.
    Answer(Sender<()>),
}

/// The reader's end of the worker.
pub struct Worker {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// Jobs that take time and may not have ended yet.
    running: Vec<Arc<Control>>,
}

impl Worker {
    /// Starts the thread.
    pub fn start(output: Output) -> Worker {
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || Desk::new(output).work(receiver));
        Worker { jobs: Some(sender), thread: Some(thread), running: Vec::new() }
    }

    fn send(&self, job: Job) {
        // The receiver lives until this sender is dropped; if it panicked, the hook has ended the
        // program or the join below reports it.
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send(job);
        }
    }

    /// Starts a search.
    pub fn search(&mut self, job: SearchJob) {
        let (infinite, ponder) = (job.limits.infinite, job.limits.ponder);
        let control = Arc::new(Control { is_search: true, infinite, ponder, ..Control::default() });
        self.running.push(control.clone());
        self.send(Job::Search(Box::new(job), control));
    }

    /// Starts a tool, after those that are running.
    pub fn tool(&mut self, tool: Tool) {
        let control = Arc::new(Control::default());
        self.running.push(control.clone());
        self.send(Job::Tool(tool, control));
    }

    /// Changes the searcher, after what is running.
    pub fn change(&mut self, change: Change) {
        self.send(Job::Change(change));
    }

    /// Forgets the last game, after what is running.
    pub fn new_game(&mut self) {
        self.send(Job::NewGame);
    }

    /// Whether a search or a tool is running or waiting to run.
    pub fn is_busy(&mut self) -> bool {
        self.running.retain(|control| control.is_running());
        !self.running.is_empty()
    }

    /// Whether a search is running.
    pub fn is_searching(&mut self) -> bool {
        self.is_busy() && self.running.iter().any(|control| control.is_search)
    }

    /// Ends what is running.
    pub fn stop(&mut self) {
        for control in &self.running {
            control.stop();
        }
    }

    /// Tells a pondering search that its move was played; false if nothing ponders.
    pub fn ponderhit(&mut self) -> bool {
        self.is_busy();
        let pondering = self.running.iter().find(|control| control.ponder);
        if let Some(control) = pondering {
            control.ponderhit();
        }
        pondering.is_some()
    }

    /// Returns when everything asked for so far is done.
    pub fn wait(&self) {
        let (sender, receiver) = channel();
        self.send(Job::Answer(sender));
        // An error means that the thread is gone; there is nothing to wait for then.
        let _ = receiver.recv();
    }

    /// Lets what is running come to its own end, also if it was to wait for a `stop`, and returns then.
    pub fn wait_for_results(&self) {
        for control in &self.running {
            control.release();
        }
        self.wait();
    }
}

impl Drop for Worker {
    /// Ends what is running, prints what is due, and joins the thread.
    fn drop(&mut self) {
        self.stop();
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            eprintln!("tabula: the search thread ended by a panic");
        }
    }
}

/// The worker's side: the searcher and what it was told.
struct Desk {
    searcher: Searcher,
    evaluation: Evaluation,
    /// The side that the searcher's weights were made for.
    own: Color,
    /// Where a limited strength errs in this game.
    game_seed: u64,
    /// Chooses among the moves of an opening book.
    book_chance: BookChance,
    tablebases: Option<Arc<Tablebases>>,
    experience: Option<Arc<ExperienceBook>>,
    output: Output,
}

/// Another number for each game and each start of the program: a level that always erred alike could be
/// beaten by playing the same game again.
pub(super) fn fresh_seed() -> u64 {
    // The standard library seeds its hash maps from the system; that is randomness enough.
    RandomState::new().build_hasher().finish()
}

impl Desk {
    fn new(output: Output) -> Desk {
        let (evaluation, own) = (Evaluation::default(), Color::White);
        let searcher = Searcher::new(DEFAULT_HASH_MB, evaluation.weights(own));
        let book_chance = BookChance::new(fresh_seed());
        let game_seed = fresh_seed();
        let (tablebases, experience) = (None, None);
        Desk { searcher, evaluation, own, game_seed, book_chance, tablebases, experience, output }
    }

    fn work(mut self, jobs: Receiver<Job>) {
        for job in jobs {
            match job {
                Job::Search(job, control) => self.search(*job, &control),
                Job::Tool(tool, control) => {
                    let result = tool(&control, &self.output);
                    control.finish();
                    match result {
                        Ok(closing_line) => self.output.line(closing_line),
                        Err(cause) => self.output.info(cause),
                    }
                }
                Job::Change(change) => self.change(change),
                Job::NewGame => {
                    self.searcher.new_game();
                    self.game_seed = fresh_seed();
                }
                // Whoever asked may have stopped waiting.
                Job::Answer(sender) => drop(sender.send(())),
            }
        }
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Hash(megabytes) => {
                if let Err(error) = self.searcher.set_hash(megabytes) {
                    self.output.info(format_args!("setoption Hash: {error}; unchanged"));
                }
            }
            Change::Threads(threads) => {
                self.searcher.set_threads(threads);
                let had = self.searcher.threads();
                if had < threads {
                    self.output.info(format_args!("Threads: there is memory for {had} of {threads} threads"));
                }
            }
            Change::ClearHash => self.searcher.new_game(),
            Change::Evaluation(evaluation) => {
                self.evaluation = *evaluation;
                self.searcher.set_weights(self.evaluation.weights(self.own));
            }
            Change::Tablebases(folders) => {
                self.tablebases = (!folders.is_empty()).then(|| Arc::new(Tablebases::open(&folders)));
                self.tell_complaints();
                if let Some(tablebases) = &self.tablebases {
                    self.output.info(format_args!("SyzygyPath: {}", tablebases.summary()));
                }
                self.searcher.set_tablebases(self.tablebases.clone());
            }
            Change::BookSeed(seed) => {
                self.book_chance = BookChance::new(if seed == 0 { fresh_seed() } else { seed });
            }
            Change::Experience(book) => {
                self.experience.clone_from(&book);
                self.searcher.set_experience(book);
            }
        }
    }

    /// Says what is wrong with the tablebases, as far as it is new.
    fn tell_complaints(&self) {
        for complaint in self.tablebases.iter().flat_map(|tablebases| tablebases.take_complaints()) {
            self.output.info(format_args!("SyzygyPath: {complaint}"));
        }
    }

    /// Does without books whose files have become shorter, and says so.
    fn give_up_cut_books(&mut self, settings: &Settings) {
        let told = |option: &str, path: &dyn std::fmt::Display| {
            self.output.info(format_args!(
                "{option} {path} has become shorter while it was in use; playing without it until it is set again"
            ));
        };
        if let Some(book) = settings.book.as_ref().filter(|book| book.is_newly_cut()) {
            told("BookFile", &book.name());
        }
        if let Some(book) = self.experience.take_if(|book| book.is_newly_cut()) {
            told("ExperienceFile", &book.path().display());
            self.searcher.set_experience(None);
        }
    }

    /// Says what the Experience Book knows about the moves of a position.
    fn tell_experience(&self, board: &Board, chess960: bool) {
        const MOST_TOLD: usize = 3;
        let rows = self.searcher.experience_of(board);
        if rows.is_empty() {
            return;
        }
        let told: Vec<String> = rows
            .iter()
            .take(MOST_TOLD)
            .map(|row| {
                format!(
                    "{} {:+.2} in {} games (+{} ={} -{})",
                    board.uci(row.m, chess960),
                    f64::from(row.score()) / 100.0,
                    row.games,
                    row.wins,
                    row.draws,
                    row.losses()
                )
            })
            .collect();
        self.output.info(format_args!("experience: {} moves known: {}", rows.len(), told.join(", ")));
    }

    /// A move of the book, if a move is wanted and not an analysis. Says where it comes from.
    fn book_move(&mut self, board: &Board, limits: &Limits, settings: &Settings) -> Option<Move> {
        let book = settings.book.as_ref()?;
        let analysis = limits.infinite || limits.ponder || limits.mate.is_some();
        if analysis || !limits.searchmoves.is_empty() || board.fullmove_number() > settings.book_depth {
            return None;
        }
        let answer = book.answer(board);
        let skipped = match answer.skipped {
            0 => String::new(),
            1 => "; 1 entry is no legal move here and was skipped".to_string(),
            number => format!("; {number} entries are no legal moves here and were skipped"),
        };
        let Some(chosen) = self.book_chance.choose(&answer.moves, settings.book_mode) else {
            if answer.skipped > 0 {
                self.output.info(format_args!("book {}: no move{skipped}", book.name()));
            }
            return None;
        };
        let total: u64 = answer.moves.iter().map(|known| u64::from(known.weight)).sum();
        self.output.info(format_args!(
            "book {}: {} with weight {} of {total}, {} known{skipped}",
            book.name(),
            board.uci(chosen.m, settings.chess960),
            chosen.weight,
            answer.moves.len()
        ));
        Some(chosen.m)
    }

    fn search(&mut self, job: SearchJob, control: &Control) {
        let SearchJob { board, limits, settings } = job;
        self.give_up_cut_books(&settings);
        if let Some(m) = self.book_move(&board, &limits, &settings) {
            control.finish();
            self.output.line(format_args!("bestmove {}", board.uci(m, settings.chess960)));
            return;
        }
        // A style belongs to the side the engine plays: the side to move at the root.
        if self.own != board.side_to_move() && self.evaluation.depends_on_side() {
            self.own = board.side_to_move();
            self.searcher.set_weights(self.evaluation.weights(self.own));
        }
        self.searcher.options.multipv = settings.multipv;
        self.searcher.options.move_overhead = settings.move_overhead;
        self.searcher.options.strength = settings.strength(self.game_seed);
        if self.searcher.options.syzygy.fifty_move_rule != settings.syzygy.fifty_move_rule {
            self.searcher.new_game(); // what was found by the other rule is no longer true
        }
        self.searcher.options.syzygy = settings.syzygy;
        if self.searcher.options.experience_weight != settings.experience_weight {
            self.searcher.new_game(); // values have the book's say in them
        }
        self.searcher.options.experience_weight = settings.experience_weight;
        self.searcher.options.params.clone_from(&settings.params);
        self.tell_experience(&board, settings.chess960);
        let mut reporter =
            Reporter::new(board.clone(), settings.chess960, settings.show_wdl, self.output.clone());
        let result = self.searcher.search(&board, &limits, &control.signals, &mut reporter);
        self.tell_complaints();
        self.give_up_cut_books(&settings);
        if limits.infinite || limits.ponder {
            control.wait_for_release();
        }
        let closing_line = reporter.closing_line(&result);
        if let Some(m) = result.best.filter(|_| !limits.infinite) {
            settings.keeper.chosen(&board, m, result.score, result.depth);
        }
        control.finish();
        self.output.line(closing_line);
    }
}
