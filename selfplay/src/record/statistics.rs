//! What a heap of games looks like: results, endings, diversity, and how true the scores were.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use engine::Board;

use super::error::RecordError;
use super::frame::COLUMNS;
use super::game::{Ending, GameRecord};
use super::header::Header;
use super::reader::{Reader, map_blocks};
use crate::Outcome;
use crate::arena::EngineScore;
use crate::arena::adjudication::Adjudicator;
use crate::play::Settings;

/// Plies, from the first position on, at which different positions are counted.
pub const DIVERSITY_PLIES: [usize; 3] = [8, 16, 24];
/// The lower ends of the score ranges for the calibration, in centipawns for the side to move; the first
/// has none.
pub const SCORE_RANGES: [i32; 14] =
    [-10_000, -1000, -500, -300, -200, -100, -50, 0, 50, 100, 200, 300, 500, 1000];

/// The figures.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Games.
    pub games: u64,
    /// Moves that the engine made.
    pub positions: u64,
    /// Moves of the openings.
    pub opening_plies: u64,
    /// White's wins, draws, Black's wins.
    pub results: [u64; 3],
    /// `// [ending]`
    pub endings: [u64; Ending::ALL.len()],
    /// Half-moves of the shortest and the longest game.
    pub length: Option<(usize, usize)>,
    /// Moves that were drawn and not chosen.
    pub explored: u64,
    /// The sum of all depths.
    pub depth_sum: u64,
    /// `// [score range]` positions, and half points of the side to move in their games
    pub calibration: [(u64, u64); SCORE_RANGES.len()],
    /// `// [ply of DIVERSITY_PLIES]` keys of the positions there
    seen: [HashSet<u64>; DIVERSITY_PLIES.len()],
    /// `// [ply of DIVERSITY_PLIES]` games that lasted so long
    pub reached: [u64; DIVERSITY_PLIES.len()],
    /// How often adjudication would have been right.
    pub accuracy: Accuracy,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes of each column. `// [column of COLUMNS]`
    pub column_bytes: [u64; COLUMNS.len()],
}

/// The rules of adjudication, tried on games that were played out: where would they have ended the game,
/// and with the right result?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Games that were played out.
    pub played_out: u64,
    /// Wins called, and how many of them were won by that side.
    pub wins: (u64, u64),
    /// Draws called, and how many of them were drawn.
    pub draws: (u64, u64),
}

impl Statistics {
    /// Reads files on all cores.
    pub fn of<P: AsRef<Path>>(paths: &[P]) -> Result<Statistics, RecordError> {
        let mut total = Statistics::default();
        map_blocks(paths, Statistics::of_games, |part| {
            total.merge(part);
            ControlFlow::Continue(())
        })?;
        for path in paths {
            let reader = Reader::open(path)?;
            total.bytes += reader.size() as u64;
            for number in 0..reader.blocks().len() {
                for (sum, size) in total.column_bytes.iter_mut().zip(reader.column_sizes(number)?) {
                    *sum += size as u64;
                }
            }
        }
        Ok(total)
    }

    fn of_games(header: &Header, games: Vec<GameRecord>) -> Statistics {
        let mut statistics = Statistics::default();
        games.iter().for_each(|game| statistics.add(header, game));
        statistics
    }

    fn add(&mut self, header: &Header, game: &GameRecord) {
        self.games += 1;
        self.positions += game.plies.len() as u64;
        self.opening_plies += game.opening.len() as u64;
        let result = match game.outcome {
            Outcome::WhiteWins => 0,
            Outcome::Draw => 1,
            Outcome::BlackWins => 2,
        };
        self.results[result] += 1;
        self.endings[game.ending as usize] += 1;
        let (least, most) = self.length.unwrap_or((usize::MAX, 0));
        self.length = Some((least.min(game.length()), most.max(game.length())));

        let mut adjudicator = Adjudicator::new(Settings::score_rules(&header.settings));
        let mut verdict = None;
        let mut board = game.start.board();
        for &m in &game.opening {
            self.note_position(&board);
            board.make(m);
        }
        for ply in &game.plies {
            self.note_position(&board);
            self.explored += u64::from(ply.explored);
            self.depth_sum += u64::from(ply.depth);
            let mover = board.side_to_move();
            let range = SCORE_RANGES.iter().rposition(|&from| ply.value_stm() >= from).unwrap_or(0);
            self.calibration[range].0 += 1;
            self.calibration[range].1 += u64::from(game.outcome.half_points(mover));
            let score = EngineScore::from_value(ply.value_stm());
            let decided = adjudicator.decide(mover, u32::from(board.fullmove_number()), Some(score));
            verdict = verdict.or(decided);
            board.make(ply.played);
        }
        if !game.ending.is_adjudicated() {
            self.accuracy.add(verdict, game.outcome);
        }
    }

    /// Counts a position if it stands at one of the plies that are asked for.
    fn note_position(&mut self, board: &Board) {
        if let Some(place) = DIVERSITY_PLIES.iter().position(|&ply| ply == board.plies_made()) {
            self.seen[place].insert(board.key());
            self.reached[place] += 1;
        }
    }

    /// Adds the figures of other games.
    pub fn merge(&mut self, other: Statistics) {
        let add =
            |sum: &mut [u64], more: &[u64]| sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        self.games += other.games;
        self.positions += other.positions;
        self.opening_plies += other.opening_plies;
        self.explored += other.explored;
        self.depth_sum += other.depth_sum;
        self.bytes += other.bytes;
        add(&mut self.results, &other.results);
        add(&mut self.endings, &other.endings);
        add(&mut self.reached, &other.reached);
        add(&mut self.column_bytes, &other.column_bytes);
        self.length = match (self.length, other.length) {
            (Some((least, most)), Some((less, more))) => Some((least.min(less), most.max(more))),
            (ours, theirs) => ours.or(theirs),
        };
        for (ours, theirs) in self.calibration.iter_mut().zip(other.calibration) {
            *ours = (ours.0 + theirs.0, ours.1 + theirs.1);
        }
        for (ours, theirs) in self.seen.iter_mut().zip(other.seen) {
            ours.extend(theirs);
        }
        self.accuracy.merge(other.accuracy);
    }

    /// Different positions at each ply of [`DIVERSITY_PLIES`].
    pub fn distinct(&self) -> [usize; DIVERSITY_PLIES.len()] {
        std::array::from_fn(|place| self.seen[place].len())
    }

    /// Bytes of file for each move that the engine made.
    pub fn bytes_a_position(&self) -> f64 {
        self.bytes as f64 / self.positions.max(1) as f64
    }
}

impl Accuracy {
    fn add(&mut self, verdict: Option<Outcome>, outcome: Outcome) {
        self.played_out += 1;
        let right = u64::from(verdict == Some(outcome));
        match verdict {
            None => {}
            Some(Outcome::Draw) => self.draws = (self.draws.0 + 1, self.draws.1 + right),
            Some(_) => self.wins = (self.wins.0 + 1, self.wins.1 + right),
        }
    }

    fn merge(&mut self, other: Accuracy) {
        self.played_out += other.played_out;
        self.wins = (self.wins.0 + other.wins.0, self.wins.1 + other.wins.1);
        self.draws = (self.draws.0 + other.draws.0, self.draws.1 + other.draws.1);
    }
}
