//! The real binary over pipes, as a GUI has it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The binary under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_tabula");

/// Nothing takes this long unless something hangs, on however busy a machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What "at once" may take on a busy machine.
pub const PROMPT: Duration = Duration::from_secs(10);

/// A running engine, and what it said.
pub struct Engine {
    pub process: Child,
    pub input: Option<ChildStdin>,
    pub lines: Receiver<String>,
    pub errors: Receiver<String>,
}

impl Engine {
    pub fn start() -> Engine {
        Engine::start_as(&mut Command::new(PROGRAM))
    }

    /// By a command that ends in the binary, such as a shell that sets limits first.
    pub fn start_as(command: &mut Command) -> Engine {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let (line_sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                if line_sender.send(line).is_err() {
                    return;
                }
            }
        });
        let (error_sender, errors) = channel();
        let mut error_output = process.stderr.take().expect("piped");
        std::thread::spawn(move || {
            let mut text = String::new();
            // What cannot be read is reported as an error of the engine's.
            if let Err(error) = error_output.read_to_string(&mut text) {
                text = error.to_string();
            }
            // The test may have ended without asking.
            let _ = error_sender.send(text);
        });
        let input = process.stdin.take();
        Engine { process, input, lines, errors }
    }

    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the engine reads");
    }

    /// The lines up to and with the first that begins like this.
    pub fn read_until(&mut self, beginning: &str) -> Vec<String> {
        self.read_until_within(beginning, PATIENCE)
    }

    pub fn read_until_within(&mut self, beginning: &str, patience: Duration) -> Vec<String> {
        let deadline = Instant::now() + patience;
        let mut read = Vec::new();
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    read.push(line);
                    if read[read.len() - 1].starts_with(beginning) {
                        return read;
                    }
                }
                Err(error) => panic!("waited for {beginning:?}: {error}; read so far: {read:#?}"),
            }
        }
    }

    /// Sends a line and returns what it gave rise to, `readyok` not included. For what is not a search.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let mut lines = self.read_until("readyok");
        lines.pop();
        lines
    }

    pub fn info_string(&mut self, line: &str) -> String {
        let lines = self.ask(line);
        assert!(lines.len() == 1 && lines[0].starts_with("info string "), "{lines:?}");
        lines[0].clone()
    }

    /// Nothing more is said for a moment.
    pub fn expect_silence(&mut self, moment: Duration) {
        match self.lines.recv_timeout(moment) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("expected silence, got {other:?}"),
        }
    }

    /// Whether it is still there.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Waits for the end; returns the exit code and the lines that were left.
    pub fn wait(&mut self) -> (Option<i32>, Vec<String>) {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.process.try_wait().expect("it is our child") {
                let errors = self.errors.recv_timeout(PATIENCE).expect("stderr closes with the process");
                assert_eq!(errors, "", "nothing belongs on stderr");
                return (status.code(), self.lines.iter().collect());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the engine did not end");
    }

    pub fn quit(mut self) -> Vec<String> {
        self.send("quit");
        let (code, rest) = self.wait();
        assert_eq!(code, Some(0));
        rest
    }
}

impl Drop for Engine {
    /// A failed test leaves no process behind.
    fn drop(&mut self) {
        // Both fail if it has ended, which is what is wanted.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
