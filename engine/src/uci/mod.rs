//! The UCI protocol: text → [`Command`] → action.
//!
//! One thread reads lines and never does anything that takes long; another ([`worker`]) owns the
//! searcher and works. So `stop`, `isready` and `quit` are heard at any moment.

mod arguments;
pub mod command;
mod game_keeper;
mod help;
pub mod options;
mod output;
pub mod report;
mod worker;

use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use command::{Command, Go, Parsed, quoted};
use options::Effect;
pub use output::Output;
use worker::{SearchJob, Worker};

use crate::board::{Board, attacks};
use crate::eval::explain;
use crate::tools::{bench, perft};

/// What the engine calls itself.
pub const NAME: &str = concat!("Tabula ", env!("CARGO_PKG_VERSION"));
/// Who wrote it.
pub const AUTHOR: &str = env!("CARGO_PKG_AUTHORS");

/// An Experience Book of this name beside the program is used without being asked for.
const EXPERIENCE_FILE: &str = "experience.exp";

/// The exit code after a panic (`EX_SOFTWARE`).
const EXIT_INTERNAL_ERROR: i32 = 70;

/// The whole program: arguments are done and that is all; without arguments lines are read until
/// `quit` or the end of the input.
pub fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let output = Output::stdout();
    report_panics(output.clone());
    let arguments: Vec<String> = arguments.collect();
    if arguments.is_empty() {
        run(std::io::stdin().lock(), output);
        return ExitCode::SUCCESS;
    }
    arguments::run(&arguments, output)
}

/// A panic in any thread ends the program, with a word to the other side: a GUI must not wait for a
/// best move that will never come.
fn report_panics(output: Output) {
    let print_to_stderr = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map_or("an unknown place".to_string(), ToString::to_string);
        let cause = panic.payload_as_str().unwrap_or("no message");
        output.try_info(format_args!(
            "internal error at {place}: {cause}; the engine ends here, please report it"
        ));
        print_to_stderr(panic);
        std::process::exit(EXIT_INTERNAL_ERROR);
    }));
}

/// Reads lines and acts on them until `quit` or the end of the input; then ends what is running.
pub fn run(mut input: impl BufRead, output: Output) {
    let mut engine = Engine::new(output);
    if let Ok(program) = std::env::current_exe() {
        engine.find_experience(&program.with_file_name(EXPERIENCE_FILE));
    }
    let mut line = Vec::new();
    loop {
        line.clear();
        // Bytes, not text: a stray byte that is no UTF-8 spoils a word, not the session.
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if engine.read(&String::from_utf8_lossy(&line)).is_break() {
            return;
        }
    }
}

impl Drop for Engine {
    /// The last game ends with the session.
    fn drop(&mut self) {
        self.worker = None;
        self.end_game();
    }
}

/// The state between lines. Dropping it ends what is running and joins its thread.
pub struct Engine {
    board: Board,
    settings: options::Settings,
    output: Output,
    debug: bool,
    /// Started when there is something for it to do: `tabula eval` needs no hash table.
    worker: Option<Worker>,
}

impl Engine {
    /// At the initial position, every option at its default.
    pub fn new(output: Output) -> Engine {
        let settings = options::Settings::default();
        Engine { board: Board::start(), settings, output, debug: false, worker: None }
    }

    /// Takes an Experience Book into use that came with the program. Only a bad one is worth a word.
    fn find_experience(&mut self, path: &Path) {
        match options::find_experience(&mut self.settings, path) {
            Ok(Some(Effect::Queue(change))) => self.worker().change(change),
            Ok(_) => {}
            Err(complaint) => self.output.info(complaint),
        }
    }

    /// Acts on one line; what is wrong with it is told as `info string`.
    pub fn read(&mut self, line: &str) -> ControlFlow<()> {
        let Parsed { command, notes } = command::parse(line);
        for note in notes {
            self.output.info(note);
        }
        let Some(command) = command else { return ControlFlow::Continue(()) };
        match self.execute(command) {
            Ok(flow) => flow,
            Err(complaint) => {
                self.output.info(complaint);
                ControlFlow::Continue(())
            }
        }
    }

    /// Acts on a command. An error says what was wrong with it; the engine goes on as before.
    pub fn execute(&mut self, command: Command) -> Result<ControlFlow<()>, String> {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.answer_ready(),
            Command::NewGame => {
                if self.is_searching() {
                    return Err("ucinewgame: a search is running; send 'stop' first".to_string());
                }
                self.end_game();
                self.worker().new_game();
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves)?,
            Command::Go(go) => self.go(&go)?,
            Command::Stop => {
                if let Some(worker) = &mut self.worker {
                    worker.stop();
                }
            }
            Command::PonderHit => {
                if !self.worker.as_mut().is_some_and(Worker::ponderhit) {
                    return Err("ponderhit: no search is pondering".to_string());
                }
            }
            Command::Quit => return Ok(ControlFlow::Break(())),
            Command::Debug(on) => self.debug = on,
            Command::Register => self.debug_note("register: nothing to register, everything is free"),
            Command::Display => self.display(),
            Command::Eval { fen } => self.eval(fen.as_deref())?,
            Command::Bench(request) => {
                self.refuse_while_searching("bench")?;
                self.worker().tool(Box::new(move |control, output| {
                    bench::run(&request, &control.signals, &control.cancel, &mut |line| output.line(line))
                }));
            }
            Command::BenchPositions => bench::positions().for_each(|line| self.output.line(line)),
            Command::Perft { request, fen } => {
                self.refuse_while_searching("perft")?;
                let board = self.board_of(fen.as_deref())?;
                let chess960 = self.settings.chess960;
                self.worker().tool(Box::new(move |control, output| {
                    perft::run(&board, &request, chess960, &control.cancel, &mut |line| output.line(line))
                }));
            }
            Command::ExperienceResult(result) => self.output.info(self.settings.keeper.result(result)?),
            Command::Help => help::lines().for_each(|line| self.output.line(line)),
            Command::Version => self.output.line(NAME),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns when what was asked for has come to its own end.
    fn wait_for_results(&self) {
        if let Some(worker) = &self.worker {
            worker.wait_for_results();
        }
    }

    fn worker(&mut self) -> &mut Worker {
        self.worker.get_or_insert_with(|| Worker::start(self.output.clone()))
    }

    fn is_searching(&mut self) -> bool {
        self.worker.as_mut().is_some_and(Worker::is_searching)
    }

    fn refuse_while_searching(&mut self, word: &str) -> Result<(), String> {
        if self.is_searching() {
            return Err(format!("{word}: a search is running; send 'stop' and wait for its bestmove first"));
        }
        Ok(())
    }

    fn debug_note(&self, text: &str) {
        if self.debug {
            self.output.info(text);
        }
    }

    fn introduce(&self) {
        self.output.line(format_args!("id name {NAME}"));
        self.output.line(format_args!("id author {AUTHOR}"));
        options::announcements().for_each(|line| self.output.line(line));
        self.output.line("uciok");
    }

    /// At once during a search, as the protocol asks; else when everything before it is done.
    fn answer_ready(&mut self) {
        let worker = self.worker();
        if !worker.is_busy() {
            worker.wait();
        }
        self.output.line("readyok");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        match options::set(&mut self.settings, name, value)? {
            Effect::NextSearch => self.debug_note(&format!("{name}: set for the next search")),
            Effect::Queue(change) => {
                if self.is_searching() {
                    self.output.info(format_args!("{name}: will be set when the search has ended"));
                }
                self.worker().change(change);
            }
        }
        Ok(())
    }

    fn board_of(&self, fen: Option<&str>) -> Result<Board, String> {
        match fen {
            None => Ok(self.board.clone()),
            Some(fen) => Board::from_fen(fen).map_err(|error| format!("FEN {}: {error}", quoted(fen))),
        }
    }

    /// A bad FEN leaves the last position standing; a bad move ends the moves before it.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), String> {
        self.board = match fen {
            None => Board::start(),
            Some(fen) => Board::from_fen(fen)
                .map_err(|error| format!("position fen {}: {error}; the last position stays", quoted(fen)))?,
        };
        let mut played = Vec::with_capacity(moves.len());
        for (index, text) in moves.iter().enumerate() {
            let m = self.board.parse_uci(text).map_err(|error| {
                format!("position: no. {} of the moves: {error}; the position before it stands", index + 1)
            })?;
            self.board.make(m);
            played.push(m);
        }
        if let Some(note) = self.settings.keeper.position(fen, &played) {
            self.output.info(note);
        }
        Ok(())
    }

    fn end_game(&self) {
        if let Some(note) = self.settings.keeper.end_game() {
            self.output.info(note);
        }
    }

    fn go(&mut self, go: &Go) -> Result<(), String> {
        self.refuse_while_searching("go")?;
        let read_at = Instant::now();
        let (mut limits, notes) = go.limits(&self.board);
        // Our clock runs since the line was read, not since the worker got round to it.
        limits.start = Some(read_at);
        for note in notes {
            self.output.info(note);
        }
        let job = SearchJob { board: self.board.clone(), limits, settings: self.settings.clone() };
        self.worker().search(job);
        Ok(())
    }

    fn display(&self) {
        for line in self.board.to_string().lines() {
            self.output.line(line);
        }
        self.output.line(format_args!("Repetitions: {}", self.board.repetitions()));
        self.output.line(format_args!("Sliders: {}", attacks::fast_path()));
    }

    fn eval(&self, fen: Option<&str>) -> Result<(), String> {
        let board = self.board_of(fen)?;
        if board.in_check() {
            self.output.line("In check: the search never asks for a static evaluation here.");
        }
        let weights = self.settings.evaluation.weights(board.side_to_move());
        self.output.line(explain::table(&board, &weights).trim_end());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHILD: &str = "TABULA_TEST_PANIC_CHILD";

    /// Does nothing in a normal run; as the child of the test below it ends the process.
    #[test]
    fn panicking_child() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        report_panics(Output::stdout());
        let searching = std::thread::spawn(|| panic!("the search has\nlost its way"));
        // Never reached: the hook ends the process while the thread panics.
        std::process::exit(i32::from(searching.join().is_ok()));
    }

    #[test]
    fn a_panic_in_a_thread_is_told_and_ends_the_process() {
        let program = std::env::current_exe().expect("the test's own program");
        let output = std::process::Command::new(program)
            .args(["--exact", "uci::tests::panicking_child", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(EXIT_INTERNAL_ERROR));
        let text = String::from_utf8_lossy(&output.stdout);
        let told =
            text.lines().find(|line| line.starts_with("info string internal error at ")).expect("a word");
        assert!(told.contains("the search has; lost its way"), "{told}");
    }
}
