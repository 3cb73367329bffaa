//! How long an engine may think about a move.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Time for a number of moves (or for the whole game), and some for every move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// Time at the start, and again every `moves` moves.
    pub base: Duration,
    /// Added after every move.
    pub increment: Duration,
    /// After so many moves `base` is added again; `None`: never.
    pub moves: Option<u32>,
}

/// Why a time control was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no time control: write seconds for the game (10), with an increment (8+0.08), \
     or for a number of moves (40/60+0.5)"
)]
pub struct TimeControlError(String);

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let refused = || TimeControlError(text.to_string());
        let (moves, times) = match text.split_once('/') {
            Some((moves, times)) => (Some(moves.parse().map_err(|_| refused())?), times),
            None => (None, text),
        };
        let (base, increment) = times.split_once('+').unwrap_or((times, "0"));
        let seconds = |text: &str| -> Option<Duration> {
            let number: f64 = text.parse().ok()?;
            // A week for a game is surely a slip, and keeps the milliseconds far from overflow.
            (0.0..=604_800.0).contains(&number).then(|| Duration::from_secs_f64(number))
        };
        let base = seconds(base).ok_or_else(refused)?;
        let increment = seconds(increment).ok_or_else(refused)?;
        if base + increment < Duration::from_millis(1) || moves == Some(0) {
            return Err(refused());
        }
        Ok(TimeControl { base, increment, moves })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// The limit of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveLimit {
    /// A chess clock.
    Clock(TimeControl),
    /// The same time for every move.
    MoveTime(Duration),
    /// A number of nodes that is never passed.
    Nodes(u64),
    /// A number of nodes after which no new iteration begins; only our engine in process knows it.
    SoftNodes(u64),
    /// A search depth.
    Depth(u32),
}

impl MoveLimit {
    /// So many percent more nodes; other limits stay as they are.
    pub fn grown(self, percent: u64) -> MoveLimit {
        let more = |nodes: u64| nodes + nodes.saturating_mul(percent) / 100;
        match self {
            MoveLimit::Nodes(nodes) => MoveLimit::Nodes(more(nodes)),
            MoveLimit::SoftNodes(nodes) => MoveLimit::SoftNodes(more(nodes)),
            other => other,
        }
    }
}

impl fmt::Display for MoveLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveLimit::Clock(control) => write!(f, "{control}"),
            MoveLimit::MoveTime(time) => write!(f, "{} s/move", time.as_secs_f64()),
            MoveLimit::Nodes(nodes) => write!(f, "{nodes} nodes/move"),
            MoveLimit::SoftNodes(nodes) => write!(f, "{nodes} soft nodes/move"),
            MoveLimit::Depth(depth) => write!(f, "depth {depth}"),
        }
    }
}

/// A clock in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    /// Time left for the moves to come.
    pub remaining: Duration,
    moves_made: u32,
}

impl Clock {
    /// A clock at the start of a game.
    pub fn new(control: TimeControl) -> Clock {
        Clock { control, remaining: control.base + control.increment, moves_made: 0 }
    }

    /// What every move adds.
    pub fn increment(&self) -> Duration {
        self.control.increment
    }

    /// Moves until time is added again.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.control.moves.map(|moves| moves - self.moves_made % moves)
    }

    /// Takes the time of a move off the clock. `false`: more than `margin` too late.
    pub fn spend(&mut self, elapsed: Duration, margin: Duration) -> bool {
        if elapsed > self.remaining + margin {
            self.remaining = Duration::ZERO;
            return false;
        }
        self.remaining = self.remaining.saturating_sub(elapsed) + self.control.increment;
        self.moves_made += 1;
        if self.control.moves.is_some_and(|moves| self.moves_made.is_multiple_of(moves)) {
            self.remaining += self.control.base;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn time_controls_read_and_written() {
        for text in ["10", "8+0.08", "40/60+0.5", "40/60", "0+1"] {
            assert_eq!(control(text).to_string(), text);
        }
        for text in ["", "+", "x", "-1+1", "0/10", "1e9", "8+-1", "0", "NaN", "inf", "8+0.1+2"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_clock_runs_down_and_is_filled_again() {
        let ms = Duration::from_millis;
        let mut clock = Clock::new(control("2/1+0.1"));
        assert_eq!((clock.remaining, clock.moves_to_go()), (ms(1100), Some(2)));
        assert!(clock.spend(ms(600), ms(0)));
        assert_eq!((clock.remaining, clock.moves_to_go()), (ms(600), Some(1)));
        assert!(clock.spend(ms(605), ms(5)), "inside the margin");
        assert_eq!((clock.remaining, clock.moves_to_go()), (ms(1100), Some(2)));
        assert!(!clock.spend(ms(1101), ms(0)));
    }
}
