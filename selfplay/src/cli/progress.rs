//! The line that shows how far a command is: a bar on a terminal, now and then a line elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps between two lines where there is no terminal; more where there is very much to do.
const STEPS_PER_LINE: u64 = 10;
/// Lines of a long run.
const MOST_LINES: u64 = 200;

/// Shows itself on standard error.
pub struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    /// What is counted.
    unit: &'static str,
    steps_per_line: u64,
}

impl Progress {
    /// For so many games (or what else the unit says); `None`: nobody knows how many it will be.
    pub fn new(total: Option<usize>, unit: &'static str) -> Progress {
        let bar = total.map_or_else(ProgressBar::no_length, |total| ProgressBar::new(total as u64));
        bar.set_draw_target(ProgressDrawTarget::stderr());
        let template = match total {
            Some(_) => "{elapsed_precise} {bar:20} {pos}/{len} ({eta})  {msg}",
            None => "{elapsed_precise} {pos} {prefix}  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(unit);
        let steps_per_line = STEPS_PER_LINE.max(total.unwrap_or(0) as u64 / MOST_LINES);
        Progress { bar, on_terminal: std::io::stderr().is_terminal(), unit, steps_per_line }
    }

    /// After a step.
    pub fn show(&self, done: u64, message: &str) {
        self.bar.set_position(done);
        self.bar.set_message(message.to_string());
        if !self.on_terminal && done.is_multiple_of(self.steps_per_line) {
            eprintln!("{done} {}: {message}", self.unit);
        }
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
