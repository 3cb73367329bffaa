//! A child process and its pipes: lines in, lines out, and an end without leftovers.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::engine_spec::ProcessSpec;
use super::fault::{Fault, NoMove};
use super::leftovers::Mark;

/// A line longer than this is cut: an engine that never ends its line must not fill the memory.
const LONGEST_LINE: u64 = 64 * 1024;
/// Lines that may wait to be read; a flood beyond that waits in the pipe, where it blocks its sender.
const WAITING_LINES: usize = 1024;
/// How much of the conversation is kept for the log of faults.
const KEPT_TRAFFIC: usize = 60;
/// How long a process may take to end after `quit`.
const GRACE_TO_QUIT: Duration = Duration::from_millis(500);
/// How often a wait looks at the stop flag.
const STOP_POLL: Duration = Duration::from_millis(100);

/// A line, and when it was read: the clock of the game is that of the reader, not of whoever is
/// scheduled later to look at the line.
pub struct StampedLine {
    pub at: Instant,
    pub text: String,
}

/// A running engine process. Dropping it ends it, together with its children, and reaps it.
pub struct UciProcess {
    child: Child,
    mark: Mark,
    stdin: Option<ChildStdin>,
    lines: Receiver<StampedLine>,
    recent: VecDeque<String>,
    started: Instant,
}

impl UciProcess {
    /// Starts the process. Its standard error is appended to `stderr_file`, or dropped.
    pub fn start(spec: &ProcessSpec, stderr_file: Option<&Path>) -> io::Result<UciProcess> {
        let [program, arguments @ ..] = spec.command.as_slice() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command"));
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(match stderr_file {
            Some(path) => File::options().create(true).append(true).open(path)?.into(),
            None => Stdio::null(),
        });
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        // A group of its own: Ctrl-C in the terminal is for us, and we can end the whole group.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mark = Mark::put_on(&mut command);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let (sender, lines) = sync_channel(WAITING_LINES);
        if let Some(stdout) = child.stdout.take() {
            std::thread::Builder::new()
                .name(format!("reader of {program}"))
                .spawn(move || read_lines(stdout, &sender))?;
        }
        let recent = VecDeque::with_capacity(KEPT_TRAFFIC);
        Ok(UciProcess { child, mark, stdin, lines, recent, started: Instant::now() })
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        self.keep("→", line);
        let mut text = String::with_capacity(line.len() + 1);
        text.push_str(line);
        text.push('\n');
        let sent = match &mut self.stdin {
            Some(stdin) => stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        sent.map_err(|_| self.death())
    }

    /// The next line, waiting until `deadline`; `None` when there is none by then.
    pub fn next_line(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<Option<StampedLine>, NoMove> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(NoMove::Stopped);
            }
            let wait = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(wait.min(STOP_POLL)) {
                Ok(line) => {
                    self.keep("←", &line.text);
                    return Ok(Some(line));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.death().into()),
                Err(RecvTimeoutError::Timeout) if wait <= STOP_POLL => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The last lines in both directions.
    pub fn recent_traffic(&self) -> String {
        let mut text = String::new();
        for line in &self.recent {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    fn keep(&mut self, arrow: &str, line: &str) {
        if self.recent.len() == KEPT_TRAFFIC {
            self.recent.pop_front();
        }
        let shown: String = line.chars().take(300).collect();
        self.recent.push_back(format!("{:10.3} {arrow} {shown}", self.started.elapsed().as_secs_f64()));
    }

    /// The pipes have ended: says how the process did.
    fn death(&mut self) -> Fault {
        match wait_for(&mut self.child, GRACE_TO_QUIT) {
            Some(status) => Fault::Crash(format!("the process ended ({status})")),
            None => Fault::Crash("the process closed its pipes".to_string()),
        }
    }

    /// Ends the process and everything it started.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Ok(id) = i32::try_from(self.child.id()) {
            // An error means that nobody is left in the group.
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(id), nix::sys::signal::SIGKILL);
        }
        let _ = self.child.kill();
        self.mark.kill_all();
    }
}

impl Drop for UciProcess {
    fn drop(&mut self) {
        // Politely, for engines that write files at the end; a hung one may have a full pipe, so the
        // line is only sent if the process is alive, and the pipe closes in any case.
        if let Ok(None) = self.child.try_wait() {
            let _ = self.send("quit");
        }
        self.stdin = None;
        if wait_for(&mut self.child, GRACE_TO_QUIT).is_none() {
            self.kill();
            let _ = self.child.wait();
        } else {
            // The leader is gone; a script's children may not be.
            self.kill();
        }
    }
}

/// Waits for the end of a process, but not for ever.
fn wait_for(child: &mut Child, patience: Duration) -> Option<std::process::ExitStatus> {
    let deadline = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            _ => return None,
        }
    }
}

/// Reads lines until the pipe or the receiver ends.
fn read_lines(stdout: ChildStdout, sender: &SyncSender<StampedLine>) {
    let mut reader = BufReader::new(stdout);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        let text = String::from_utf8_lossy(&bytes).trim().to_string();
        if sender.send(StampedLine { at, text }).is_err() {
            return;
        }
    }
}
