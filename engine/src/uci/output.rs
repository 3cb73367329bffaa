//! The one way out: whole lines, flushed, from any thread.

use std::fmt::Display;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Where lines go. Clones write to the same place.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Output {
    /// Writes to standard output.
    pub fn stdout() -> Output {
        Output::new(std::io::stdout())
    }

    /// Writes to anything.
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(Box::new(writer))))
    }

    /// Writes one line and flushes it, so that the reader at the other end sees it now.
    pub fn line(&self, text: impl Display) {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{text}\n");
        if writer.write_all(line.as_bytes()).and_then(|()| writer.flush()).is_err() {
            // Nobody reads any more (the GUI is gone, or `head` has seen enough). There is no one left
            // to tell, and a search nobody hears must not keep a processor busy.
            std::process::exit(0);
        }
    }

    /// Writes `info string …`, on one line whatever the text is.
    pub fn info(&self, text: impl Display) {
        self.line(format_args!("info string {}", one_line(&text.to_string())));
    }

    /// As [`Output::info`], for the panic hook: gives up if the panicking thread was just writing.
    pub(super) fn try_info(&self, text: impl Display) {
        if let Ok(mut writer) = self.0.try_lock() {
            let line = format!("info string {}\n", one_line(&text.to_string()));
            // The program ends right after this; there is nothing to do about an error.
            let _ = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
        }
    }
}

/// The text on one line, and no longer than somebody reads: it may repeat a path or a word of any length.
fn one_line(text: &str) -> String {
    const LONGEST_HEAD: usize = 1500;
    const LONGEST_TAIL: usize = 500; // it says the way back
    let line = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    if line.len() <= LONGEST_HEAD + LONGEST_TAIL {
        return line;
    }
    let head = line.floor_char_boundary(LONGEST_HEAD);
    let tail = line.ceil_char_boundary(line.len() - LONGEST_TAIL);
    format!("{} … {}", &line[..head], &line[tail..])
}
