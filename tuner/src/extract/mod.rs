//! From games to positions worth learning from.
//!
//! Kept is what an evaluation can be asked about: positions that are quiet (no check, and the move that was
//! played takes and promotes nothing), past the opening, and not decided by a mate or a tablebase. A few are
//! drawn from each game, because positions of one game resemble each other.

mod balance;
#[cfg(feature = "frames")]
pub mod frames;
mod leaf;
mod output;

use std::collections::HashSet;

use engine::Board;
use engine::types::{Color, Move, Value, value};

pub use balance::balanced;
pub use leaf::LeafFinder;
pub use output::{OutputError, write_packed};

use crate::label::Label;
use crate::packed::PackedPosition;
use crate::random::splitmix;

/// A game as it was played, from the first move that somebody thought about.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Its number.
    pub number: u64,
    /// The position before the first of `plies`, with the history that led to it.
    pub start: Board,
    /// White's score: 1, ½ or 0.
    pub result_white: f32,
    /// What was played.
    pub plies: Vec<PlayedPly>,
}

/// A move with what the search said before it.
#[derive(Clone, Copy, Debug)]
pub struct PlayedPly {
    /// The move.
    pub played: Move,
    /// The score, in the search's own numbers.
    pub score_stm: Value,
    /// Whether the move was drawn by lot: then nobody knows which one the search preferred.
    pub explored: bool,
    /// Whether the score is a label: in games of quick moves only that of the deep searches is.
    pub labelled: bool,
}

/// What to keep.
#[derive(Clone, Debug)]
pub struct ExtractOptions {
    /// Half-moves at the beginning of a game that are left out.
    pub skip_plies: usize,
    /// Scores beyond this are decided.
    pub largest_score: Value,
    /// The most positions of one game; 0 for all of them.
    pub per_game: usize,
    /// Decides which.
    pub seed: u64,
}

impl Default for ExtractOptions {
    fn default() -> ExtractOptions {
        ExtractOptions { skip_plies: 16, largest_score: 1_500, per_game: 12, seed: 1 }
    }
}

/// Why positions were left out, and how many were kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games seen.
    pub games: u64,
    /// Positions seen.
    pub positions: u64,
    /// Too early in their game.
    pub early: u64,
    /// Searched too briefly for a label.
    pub unlabelled: u64,
    /// The side to move is in check.
    pub in_check: u64,
    /// The move that was played takes or promotes, or was drawn by lot.
    pub noisy: u64,
    /// Decided already.
    pub decided: u64,
    /// Not drawn from their game.
    pub not_drawn: u64,
    /// There already.
    pub repeated: u64,
    /// Too many of their kind.
    pub unbalanced: u64,
    /// Kept.
    pub kept: u64,
}

impl Tally {
    /// Adds another's counts.
    pub fn add(&mut self, other: &Tally) {
        self.games += other.games;
        self.positions += other.positions;
        self.early += other.early;
        self.unlabelled += other.unlabelled;
        self.in_check += other.in_check;
        self.noisy += other.noisy;
        self.decided += other.decided;
        self.not_drawn += other.not_drawn;
        self.repeated += other.repeated;
        self.unbalanced += other.unbalanced;
        self.kept += other.kept;
    }
}

/// The positions of a game that are worth keeping. With a finder they are led on to where the search's
/// forced captures end.
pub fn positions(
    game: &PlayedGame,
    options: &ExtractOptions,
    mut finder: Option<&mut LeafFinder>,
    tally: &mut Tally,
) -> Vec<PackedPosition> {
    tally.games += 1;
    let mut board = game.start.clone();
    let mut candidates = Vec::new();
    for (place, ply) in game.plies.iter().enumerate() {
        tally.positions += 1;
        if board.plies_made() < options.skip_plies {
            tally.early += 1;
        } else if !ply.labelled {
            tally.unlabelled += 1;
        } else if board.in_check() {
            tally.in_check += 1;
        } else if ply.explored || ply.played.is_capture() || ply.played.is_promotion() {
            tally.noisy += 1;
        } else if value::is_decided(ply.score_stm) || ply.score_stm.abs() > options.largest_score {
            tally.decided += 1;
        } else {
            candidates.push(place);
        }
        board.make(ply.played);
    }
    let drawn = draw(&mut candidates, options, game.number);
    tally.not_drawn += (candidates.len() - drawn) as u64;
    candidates.truncate(drawn);
    candidates.sort_unstable();

    let mut kept = Vec::with_capacity(drawn);
    let mut board = game.start.clone();
    let mut wanted = candidates.into_iter().peekable();
    for (place, ply) in game.plies.iter().enumerate() {
        if wanted.next_if_eq(&place).is_some() {
            let score_white = match board.side_to_move() {
                Color::White => ply.score_stm,
                Color::Black => -ply.score_stm,
            };
            let label = Label { result: Some(game.result_white), score: Some(score_white as i16) };
            let setup = match &mut finder {
                None => board.setup(),
                Some(finder) => finder.leaf(&board).setup(),
            };
            kept.push(PackedPosition {
                setup,
                label,
                game: game.number as u32,
                ply: board.plies_made() as u16,
            });
        }
        board.make(ply.played);
    }
    kept
}

/// Moves the positions that are drawn to the front; answers how many they are.
fn draw(candidates: &mut [usize], options: &ExtractOptions, game: u64) -> usize {
    if options.per_game == 0 || candidates.len() <= options.per_game {
        return candidates.len();
    }
    let mut state = splitmix(options.seed ^ splitmix(game));
    for place in 0..options.per_game {
        state = splitmix(state);
        let left = (candidates.len() - place) as u64;
        candidates.swap(place, place + (state % left) as usize);
    }
    options.per_game
}

/// Collects positions of many games, each position once: the first to come counts, so whoever puts the newest games first
/// keeps the newest labels.
#[derive(Default)]
pub struct Collector {
    keys: HashSet<u64>,
    /// In the order of the games.
    pub positions: Vec<PackedPosition>,
    /// What happened to all of them.
    pub tally: Tally,
}

impl Collector {
    /// Takes the positions of some games that are not there yet.
    pub fn take(&mut self, positions: Vec<PackedPosition>, tally: &Tally) {
        self.tally.add(tally);
        for position in positions {
            if self.keys.insert(Board::from_setup(&position.setup).key()) {
                self.positions.push(position);
            } else {
                self.tally.repeated += 1;
            }
        }
        self.tally.kept = self.positions.len() as u64;
    }

    /// Cuts down what there is too much of.
    pub fn balance(&mut self, seed: u64) {
        let before = self.positions.len();
        self.positions = balanced(std::mem::take(&mut self.positions), seed);
        self.tally.unbalanced += (before - self.positions.len()) as u64;
        self.tally.kept = self.positions.len() as u64;
    }
}
