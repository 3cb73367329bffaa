//! Tracks: a value at every ply of a game, for questions about other moments of the game.

use engine::types::Bitboard;

use super::value::Value;

/// How a track is read from a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrackRead {
    /// The value a ply later.
    Next,
    /// The value a ply earlier.
    Previous,
    /// Whether it is true anywhere.
    Ever,
    /// Whether it is true everywhere.
    Always,
    /// How often it is true.
    Times,
    /// The first ply at which it is true.
    FirstPly,
    /// Whether it is true later, at most so many plies.
    Later(usize),
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Truth(true))
}

impl TrackRead {
    fn neighbour(self, track: &[Value], ply: usize) -> Option<&Value> {
        match self {
            TrackRead::Previous => ply.checked_sub(1).and_then(|ply| track.get(ply)),
            _ => track.get(ply + 1),
        }
    }

    /// A truth.
    pub fn truth(self, track: &[Value], ply: usize) -> bool {
        match self {
            TrackRead::Ever => track.iter().any(is_true),
            TrackRead::Always => track.iter().all(is_true),
            TrackRead::Later(within) => track.iter().skip(ply + 1).take(within).any(is_true),
            _ => self.neighbour(track, ply).is_some_and(is_true),
        }
    }

    /// A number.
    pub fn number(self, track: &[Value], ply: usize) -> f64 {
        match self {
            TrackRead::Times => track.iter().filter(|value| is_true(value)).count() as f64,
            TrackRead::FirstPly => track.iter().position(is_true).map_or(f64::NAN, |ply| ply as f64),
            _ => match self.neighbour(track, ply) {
                Some(Value::Number(number)) => *number,
                _ => f64::NAN,
            },
        }
    }

    /// Squares.
    pub fn set(self, track: &[Value], ply: usize) -> Bitboard {
        match self.neighbour(track, ply) {
            Some(Value::Set(set)) => *set,
            _ => Bitboard::EMPTY,
        }
    }

    /// A text.
    pub fn text(self, track: &[Value], ply: usize) -> Option<String> {
        match self.neighbour(track, ply) {
            Some(Value::Text(Some(text))) => Some(text.to_string()),
            _ => None,
        }
    }
}
