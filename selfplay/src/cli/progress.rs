//! The line that shows how far a match is: a bar on a terminal, now and then a line elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Games between two lines where there is no terminal.
const GAMES_PER_LINE: u64 = 10;

/// Shows itself on standard error.
pub struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
}

impl Progress {
    /// For so many games; `None`: nobody knows how many it will be.
    pub fn new(games: Option<usize>) -> Progress {
        let bar = games.map_or_else(ProgressBar::no_length, |games| ProgressBar::new(games as u64));
        bar.set_draw_target(ProgressDrawTarget::stderr());
        let template = match games {
            Some(_) => "{elapsed_precise} {bar:20} {pos}/{len} ({eta})  {msg}",
            None => "{elapsed_precise} {pos} games  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, on_terminal: std::io::stderr().is_terminal() }
    }

    /// After a game.
    pub fn show(&self, games: u64, message: &str) {
        self.bar.set_position(games);
        self.bar.set_message(message.to_string());
        if !self.on_terminal && games.is_multiple_of(GAMES_PER_LINE) {
            eprintln!("{games} games: {message}");
        }
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
