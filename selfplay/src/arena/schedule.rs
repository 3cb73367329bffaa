//! Who plays whom, from which opening, with which colours.

/// The form of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// The first engine against each of the others.
    Gauntlet,
    /// Everyone against everyone.
    RoundRobin,
}

/// One game to play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pairing {
    /// Its number in the schedule, from 0.
    pub game: usize,
    /// The two engines of the encounter, the one named first on the command line first.
    pub engines: [usize; 2],
    /// The number of the pair of games within the encounter: the same opening with colours reversed.
    pub pair: usize,
    /// Whether the first engine has White; so it is in the first game of each pair.
    pub first_is_white: bool,
}

impl Pairing {
    /// The number of the opening: all encounters play the same ones.
    pub fn opening(&self) -> usize {
        self.pair
    }

    /// `[white, black]`
    pub fn by_color(&self) -> [usize; 2] {
        let [first, second] = self.engines;
        if self.first_is_white { [first, second] } else { [second, first] }
    }
}

/// The list of all games; computed, not stored.
#[derive(Clone, Debug)]
pub struct Schedule {
    encounters: Vec<[usize; 2]>,
    pairs: usize,
}

impl Schedule {
    /// `pairs` pairs of games for each encounter of `engines` engines.
    pub fn new(format: Format, engines: usize, pairs: usize) -> Schedule {
        let encounters = match format {
            Format::Gauntlet => (1..engines).map(|other| [0, other]).collect(),
            Format::RoundRobin => (0..engines)
                .flat_map(|first| (first + 1..engines).map(move |second| [first, second]))
                .collect(),
        };
        Schedule { encounters, pairs }
    }

    /// Who meets whom.
    pub fn encounters(&self) -> &[[usize; 2]] {
        &self.encounters
    }

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.encounters.len() * self.pairs * 2
    }

    /// The game with this number. Encounters take turns, so that a tournament that is stopped early has
    /// about as many games of each.
    pub fn pairing(&self, game: usize) -> Option<Pairing> {
        if game >= self.games() {
            return None;
        }
        let (round, first_is_white) = (game / 2, game.is_multiple_of(2));
        let engines = self.encounters[round % self.encounters.len()];
        Some(Pairing { game, engines, pair: round / self.encounters.len(), first_is_white })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_encounter_gets_every_opening_with_both_colours() {
        for (format, encounters) in [(Format::Gauntlet, 3), (Format::RoundRobin, 6)] {
            let schedule = Schedule::new(format, 4, 5);
            assert_eq!(schedule.games(), encounters * 10);
            let games: HashSet<_> = (0..schedule.games())
                .filter_map(|game| schedule.pairing(game))
                .map(|pairing| (pairing.by_color(), pairing.opening()))
                .collect();
            assert_eq!(games.len(), schedule.games());
            for &([white, black], opening) in &games {
                assert!(white != black && opening < 5 && games.contains(&([black, white], opening)));
            }
            assert_eq!(schedule.pairing(schedule.games()), None);
        }
    }
}
