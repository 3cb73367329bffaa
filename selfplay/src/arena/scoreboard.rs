//! The results so far, and what they say.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::game::{Ending, FinishedGame};
use super::schedule::Pairing;
use super::stats::{Pentanomial, WinDrawLoss};
use crate::Outcome;

/// What of a game the statistics need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameSummary {
    /// Who won.
    pub outcome: Outcome,
    /// Its length in half-moves.
    pub plies: u32,
    /// What the loser did wrong, if that is why it lost.
    pub failure: Option<Failure>,
    /// Whether the score rules ended it.
    pub adjudicated: bool,
}

/// Ways to lose without being mated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The flag fell.
    Time,
    /// The process ended.
    Crash,
    /// The process was killed because it did not answer.
    Hang,
    /// An illegal move.
    IllegalMove,
    /// An answer that is no move.
    Garbage,
}

impl From<&FinishedGame> for GameSummary {
    fn from(game: &FinishedGame) -> GameSummary {
        let failure = match &game.ending {
            Ending::TimeForfeit(_) => Some(Failure::Time),
            Ending::Fault(Fault::Crash(_)) => Some(Failure::Crash),
            Ending::Fault(Fault::Hang(_)) => Some(Failure::Hang),
            Ending::Fault(Fault::IllegalMove(_)) => Some(Failure::IllegalMove),
            Ending::Fault(Fault::Garbage(_)) => Some(Failure::Garbage),
            _ => None,
        };
        GameSummary {
            outcome: game.outcome,
            plies: game.plies() as u32,
            failure,
            adjudicated: game.ending == Ending::Adjudicated,
        }
    }
}

/// How often an engine failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FailureCounts {
    /// Losses on time.
    pub time_losses: u64,
    /// Losses by the end of the process.
    pub crashes: u64,
    /// Losses by not answering.
    pub hangs: u64,
    /// Losses by an illegal move.
    pub illegal_moves: u64,
    /// Losses by an answer that is no move.
    pub garbage: u64,
}

impl FailureCounts {
    fn add(&mut self, failure: Failure) {
        *match failure {
            Failure::Time => &mut self.time_losses,
            Failure::Crash => &mut self.crashes,
            Failure::Hang => &mut self.hangs,
            Failure::IllegalMove => &mut self.illegal_moves,
            Failure::Garbage => &mut self.garbage,
        } += 1;
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.time_losses + self.crashes + self.hangs + self.illegal_moves + self.garbage
    }
}

/// Two engines and their games, counted from the first one.
#[derive(Clone, Debug)]
pub struct Encounter {
    /// Which engines.
    pub engines: [usize; 2],
    /// Single games.
    pub games: WinDrawLoss,
    /// Games in which the first engine had White.
    pub as_white: WinDrawLoss,
    /// Finished pairs.
    pub pairs: Pentanomial,
    /// Half-moves of all games.
    pub plies: u64,
    /// Games ended by the score rules.
    pub adjudicated: u64,
    /// Half points of the games whose partner is still being played, by the number of the pair.
    open_pairs: HashMap<usize, u8>,
}

impl Encounter {
    fn new(engines: [usize; 2]) -> Encounter {
        Encounter {
            engines,
            games: WinDrawLoss::default(),
            as_white: WinDrawLoss::default(),
            pairs: Pentanomial::default(),
            plies: 0,
            adjudicated: 0,
            open_pairs: HashMap::new(),
        }
    }

    /// An encounter of which nothing but the results is known.
    pub fn of_results(engines: [usize; 2], games: WinDrawLoss, pairs: Pentanomial) -> Encounter {
        Encounter { games, pairs, ..Encounter::new(engines) }
    }

    /// The mean length of a game in moves; `None` without a game.
    pub fn mean_moves(&self) -> Option<f64> {
        (self.games.games() > 0).then(|| self.plies as f64 / 2.0 / self.games.games() as f64)
    }
}

/// All encounters of a tournament.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    encounters: Vec<Encounter>,
    /// `// [engine]`
    failures: Vec<FailureCounts>,
}

impl Scoreboard {
    /// Empty, for these encounters of so many engines.
    pub fn new(encounters: &[[usize; 2]], engines: usize) -> Scoreboard {
        Scoreboard {
            encounters: encounters.iter().map(|&engines| Encounter::new(engines)).collect(),
            failures: vec![FailureCounts::default(); engines],
        }
    }

    /// Counts a game.
    pub fn record(&mut self, pairing: &Pairing, game: &GameSummary) {
        use engine::types::Color;
        let [white, black] = pairing.by_color();
        if let Some(failure) = game.failure {
            let loser = if game.outcome == Outcome::WhiteWins { black } else { white };
            self.failures[loser].add(failure);
        }
        let Some(encounter) = self.encounters.iter_mut().find(|known| known.engines == pairing.engines)
        else {
            return;
        };
        let color = if pairing.first_is_white { Color::White } else { Color::Black };
        let half_points = game.outcome.half_points(color);
        encounter.games.add(half_points);
        if pairing.first_is_white {
            encounter.as_white.add(half_points);
        }
        encounter.plies += u64::from(game.plies);
        encounter.adjudicated += u64::from(game.adjudicated);
        match encounter.open_pairs.remove(&pairing.pair) {
            Some(other) => encounter.pairs.add(other + half_points),
            None => {
                encounter.open_pairs.insert(pairing.pair, half_points);
            }
        }
    }

    /// Who met whom, and how it went.
    pub fn encounters(&self) -> &[Encounter] {
        &self.encounters
    }

    /// How often an engine failed.
    pub fn failures(&self, engine: usize) -> &FailureCounts {
        &self.failures[engine]
    }

    /// All games counted.
    pub fn games(&self) -> u64 {
        self.encounters.iter().map(|encounter| encounter.games.games()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Format, Schedule};
    use super::*;

    #[test]
    fn pairs_close_in_any_order_and_points_are_the_first_engines() {
        let schedule = Schedule::new(Format::Gauntlet, 2, 2);
        let mut board = Scoreboard::new(schedule.encounters(), 2);
        let mut play = |game: usize, outcome, failure| {
            let summary = GameSummary { outcome, plies: 10, failure, adjudicated: false };
            board.record(&schedule.pairing(game).unwrap(), &summary);
        };
        // Engine 0 is White in games 0 and 2.
        play(3, Outcome::BlackWins, Some(Failure::Crash));
        play(0, Outcome::WhiteWins, None);
        play(2, Outcome::WhiteWins, None);
        play(1, Outcome::Draw, None);
        let encounter = &board.encounters()[0];
        assert_eq!(encounter.games, WinDrawLoss { wins: 3, draws: 1, losses: 0 });
        assert_eq!(encounter.as_white, WinDrawLoss { wins: 2, draws: 0, losses: 0 });
        assert_eq!(encounter.pairs, Pentanomial([0, 0, 0, 1, 1]));
        assert_eq!((board.failures(0).total(), board.failures(1).crashes), (0, 1));
        assert_eq!(encounter.mean_moves(), Some(5.0));
    }
}
