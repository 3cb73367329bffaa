//! What many games said about each decision, added up.

use std::collections::HashMap;

use engine::book::experience::Rule;

use super::episode::{Discount, Episode, Fate};

/// A decision: a position and what was done in it.
pub type Place = (u64, u16);

/// The sums of one decision. See [`Row`](engine::book::experience::Row), which is the same for a chess move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums {
    /// Games.
    pub games: u32,
    /// Won by the side that decided so.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Depths of the searches.
    pub depth_sum: u32,
    /// Scores in grains of a centipawn. Under the rule `td`: the score, as often as there were games.
    pub score_sum: i64,
}

impl Sums {
    /// The mean score in grains.
    pub fn mean(&self) -> i64 {
        let games = i64::from(self.games.max(1));
        (self.score_sum.abs() + games / 2) / games * self.score_sum.signum()
    }

    fn count(&mut self, fate: Fate, depth: u8) {
        self.games += 1;
        self.wins += u32::from(fate == Fate::Win);
        self.draws += u32::from(fate == Fate::Draw);
        self.depth_sum = self.depth_sum.saturating_add(u32::from(depth));
    }

    fn add(&mut self, other: &Sums) {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.depth_sum = self.depth_sum.saturating_add(other.depth_sum);
        self.score_sum += other.score_sum;
    }
}

/// What one game says about each of its decisions by the rule `mean`; one that was repeated counts once.
pub fn decisions(episode: &Episode, discount: Discount) -> impl Iterator<Item = (Place, Sums)> {
    let returns = discount.returns(episode);
    let repeated = episode.repetitions();
    let steps = episode.steps.iter().zip(returns).enumerate();
    steps.filter(move |&(number, _)| !repeated[number]).map(|(number, (step, score_sum))| {
        let mut sums = Sums { score_sum, ..Sums::default() };
        sums.count(episode.fate(number), step.depth);
        ((step.key, step.action), sums)
    })
}

/// Takes games in and keeps the sums.
pub struct Ledger {
    rule: Rule,
    discount: Discount,
    sums: HashMap<Place, Sums, Spread>,
    steps: u64,
}

impl Ledger {
    /// Nothing learned yet.
    pub fn new(rule: Rule, discount: Discount) -> Ledger {
        Ledger { rule, discount, sums: HashMap::default(), steps: 0 }
    }

    /// Learns one game. Under the rule `td` a decision that is new to the ledger is looked up by
    /// `known`: what was learned before this ledger was opened. Under `mean` nobody asks, since sums add.
    pub fn learn(&mut self, episode: &Episode, known: impl Fn(Place) -> Option<Sums>) {
        self.steps += episode.steps.len() as u64;
        match self.rule {
            Rule::Mean => self.learn_mean(episode),
            Rule::Td => self.learn_td(episode, known),
        }
    }

    fn learn_mean(&mut self, episode: &Episode) {
        for (place, sums) in decisions(episode, self.discount) {
            self.sums.entry(place).or_default().add(&sums);
        }
    }

    /// `S' = (1 - alpha) S + alpha gamma (-S'next)`, from the end back; a decision met for the first time
    /// begins with what the search thought.
    fn learn_td(&mut self, episode: &Episode, known: impl Fn(Place) -> Option<Sums>) {
        let mut followed = self.discount.terminal(episode.fate_of_last);
        let mut next_mover = episode.steps.last().map(|step| step.mover);
        let repeated = episode.repetitions();
        for (number, step) in episode.steps.iter().enumerate().rev() {
            let followed_here = step.seen(followed, next_mover);
            next_mover = Some(step.mover);
            if repeated[number] {
                continue;
            }
            let place = (step.key, step.action);
            let sums = self.sums.entry(place).or_insert_with(|| known(place).unwrap_or_default());
            let before = if sums.games == 0 { step.thought() } else { Some(sums.mean()) };
            let score = self.discount.after(before, followed_here);
            sums.count(episode.fate(number), step.depth);
            sums.score_sum = score * i64::from(sums.games);
            followed = Some(step.undrawn().unwrap_or(score));
        }
    }

    /// What is known of a decision.
    pub fn get(&self, place: Place) -> Option<&Sums> {
        self.sums.get(&place)
    }

    /// Decisions in the games learned, repetitions included.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Decisions known.
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Everything, in the order of a book.
    pub fn into_sorted(self) -> Vec<(Place, Sums)> {
        let mut all: Vec<(Place, Sums)> = self.sums.into_iter().collect();
        all.sort_unstable_by_key(|&(place, _)| place);
        all
    }
}

/// Position keys are random already: one multiplication spreads the action over them.
#[derive(Clone, Copy, Default)]
pub struct Spread;

impl std::hash::BuildHasher for Spread {
    type Hasher = SpreadHasher;

    fn build_hasher(&self) -> SpreadHasher {
        SpreadHasher(0)
    }
}

/// See [`Spread`].
pub struct SpreadHasher(u64);

impl std::hash::Hasher for SpreadHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
}
