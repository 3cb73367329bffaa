//! Playing below full strength: a small search, a few candidate moves, and a judgement that errs.
//!
//! A level has two numbers. `nodes` is how much it looks at: no iteration begins after so many, so it
//! overlooks what lies deeper. `error` is how badly it judges: each of its few candidates gets a random
//! error on top of its score, and the one that then looks best is played. So moves that are nearly as
//! good are often chosen and blunders rarely, and fewer the stronger the level: as people err.
//!
//! The error is a function of the game's seed, the position and the move. The same seed plays the same
//! game; another one errs elsewhere. Which rating a level has was found by games ([`LADDER`]).

use super::{Handler, Limits, SearchOptions, SearchReport};
use crate::board::zobrist::splitmix64;
use crate::types::{Move, Value, value};

/// How many moves are weighed against each other. People weigh a few as well; each one costs a search.
const CANDIDATES: usize = 5;

/// An iteration that explodes is cut off at so many times the nodes of the level, and a bit more for
/// the levels that hardly look at all: no move takes long, even without a clock.
const OVERRUN: u64 = 8;
const OVERRUN_BASE: u64 = 4096;

/// The worth of a mate, in centipawns, before the bonus for a near one.
const MATE_WORTH: Value = 2000;
/// What a mate is worth more for each ply that it is nearer; without it mates would only be circled.
const NEARER_MATE_WORTH: Value = 100;
/// From so many plies on a mate is worth no less for being farther.
const FAR_MATE: Value = 20;

/// From this score on a game is as good as decided, and care stops sinking.
const DECIDED: Value = 1000;

/// A measured level.
struct Rung {
    /// Its rating.
    elo: u32,
    /// No iteration begins after so many nodes.
    nodes: u32,
    /// Standard deviation of the error of judgement in a level position, in centipawns.
    error: u32,
}

/// The levels that were measured, weakest first. The ratings are those of `scripts/calibrate-elo`, which
/// reads this table, plays its levels against opponents of published rating, and prints the column anew;
/// the results and their error bars are in `docs/6-uci.md`. Between two levels everything is
/// interpolated.
#[rustfmt::skip]
const LADDER: [Rung; 9] = [
    Rung { elo:  980, nodes:   200, error: 200 },
    Rung { elo: 1130, nodes:   500, error: 120 },
    Rung { elo: 1270, nodes:   900, error:  85 },
    Rung { elo: 1360, nodes:  1400, error:  65 },
    Rung { elo: 1560, nodes:  2400, error:  50 },
    Rung { elo: 1780, nodes:  4000, error:  36 },
    Rung { elo: 1890, nodes:  7000, error:  26 },
    Rung { elo: 2180, nodes: 15000, error:  16 },
    Rung { elo: 2470, nodes: 32000, error:   8 },
];

/// The lowest rating that was measured.
pub const MIN_ELO: u32 = LADDER[0].elo;
/// The highest rating that was measured.
pub const MAX_ELO: u32 = LADDER[LADDER.len() - 1].elo;

/// A level, and the seed of its errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    nodes: u64,
    error: f64,
    seed: u64,
}

impl Strength {
    /// The level of a rating, which is moved into the measured range if it lies outside.
    pub fn of_elo(elo: u32, seed: u64) -> Strength {
        let elo = elo.clamp(MIN_ELO, MAX_ELO);
        let upper = LADDER.iter().position(|rung| rung.elo >= elo).unwrap_or(LADDER.len() - 1).max(1);
        let (low, high) = (&LADDER[upper - 1], &LADDER[upper]);
        let share = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        // Twice the nodes are worth the same wherever one starts: nodes grow by factors.
        let factor = (f64::from(high.nodes) / f64::from(low.nodes)).powf(share);
        Strength {
            nodes: (f64::from(low.nodes) * factor).round() as u64,
            error: f64::from(low.error) + share * (f64::from(high.error) - f64::from(low.error)),
            seed,
        }
    }

    /// The limits asked for, and the level's own.
    pub(super) fn limits(&self, asked: &Limits) -> Limits {
        let mut limits = asked.clone();
        limits.soft_nodes = Some(asked.soft_nodes.map_or(self.nodes, |soft| soft.min(self.nodes)));
        let most = self.nodes * OVERRUN + OVERRUN_BASE;
        limits.nodes = Some(asked.nodes.map_or(most, |nodes| nodes.min(most)));
        limits
    }

    /// The options asked for, but always the level's own number of lines: each line takes nodes from the
    /// others, and a level must not depend on how many the user wants to see.
    pub(super) fn options(&self, asked: &SearchOptions) -> SearchOptions {
        SearchOptions { multipv: CANDIDATES, ..asked.clone() }
    }

    /// The index of the move to play among the root moves and their scores, as far as they have any; 0
    /// if nothing was searched.
    pub(super) fn choose(&self, position: u64, scored: &[(Move, Option<Value>)]) -> usize {
        let with_score = |(index, &(m, score)): (usize, &(Move, Option<Value>))| Some((index, m, score?));
        let mut candidates: Vec<(usize, Move, Value)> =
            scored.iter().enumerate().filter_map(with_score).collect();
        candidates.sort_by_key(|&(_, _, score)| std::cmp::Reverse(score));
        candidates.truncate(CANDIDATES);
        let best_score = candidates.first().map_or(value::DRAW, |&(_, _, score)| score);
        // Who stands clearly better or worse looks less closely.
        let carelessness = 1.0 + f64::from(best_score.abs().min(DECIDED)) / f64::from(DECIDED);
        let perceived = |&(_, m, score): &(usize, Move, Value)| {
            f64::from(worth(score)) + self.error * carelessness * self.deviate(position, m)
        };
        let chosen = candidates.iter().max_by(|a, b| perceived(a).total_cmp(&perceived(b)));
        chosen.map_or(0, |&(index, _, _)| index)
    }

    /// Standard normal, as nearly as the sum of four even variables is: within ±3.47. No transcendental
    /// function, so that every platform errs alike.
    fn deviate(&self, position: u64, m: Move) -> f64 {
        let hash = mix(mix(self.seed ^ mix(position)) ^ u64::from(m.bits()));
        let sum: f64 = (0..4).map(|part| ((hash >> (16 * part)) & 0xFFFF) as f64 / 65_536.0).sum();
        (sum - 2.0) * 3f64.sqrt()
    }
}

/// What a score is worth to someone who compares moves: a mate is much, but not infinitely much.
fn worth(score: Value) -> Value {
    if !value::is_mate(score) {
        return score.clamp(-MATE_WORTH, MATE_WORTH);
    }
    let plies = value::MATE - score.abs();
    let worth = MATE_WORTH + NEARER_MATE_WORTH * (FAR_MATE - plies).max(0);
    if score > 0 { worth } else { -worth }
}

/// Spreads a change of any bit over all bits.
fn mix(mut bits: u64) -> u64 {
    splitmix64(&mut bits)
}

/// Passes on the lines that the user asked for, and keeps the other candidates to itself.
pub(super) struct FirstLines<'a> {
    pub(super) handler: &'a mut dyn Handler,
    pub(super) lines: usize,
}

impl Handler for FirstLines<'_> {
    fn report(&mut self, report: &SearchReport) {
        if report.multipv as usize <= self.lines {
            self.handler.report(report);
        }
    }

    fn current_move(&mut self, depth: u32, m: Move, number: u32) {
        self.handler.current_move(depth, m, number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::board::Board;
    use crate::eval::{EvalParams, Weights};
    use crate::search::{Clock, SearchResult, Searcher, Signals, Silent};
    use crate::tools::bench::POSITIONS;

    fn searcher() -> Searcher {
        Searcher::new(1, Arc::new(Weights::new(&EvalParams::embedded())))
    }

    fn search_at(searcher: &mut Searcher, elo: u32, seed: u64, fen: &str, limits: &Limits) -> SearchResult {
        let board = Board::from_fen(fen).expect("a test position");
        searcher.options.strength = Some(Strength::of_elo(elo, seed));
        searcher.search(&board, limits, &Signals::new(), &mut Silent)
    }

    fn rungs() -> impl Iterator<Item = u32> {
        LADDER.iter().map(|rung| rung.elo)
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/1Q3PPP/R5K1 w - - 0 1";

    #[test]
    fn more_rating_means_more_nodes_and_less_error() {
        for pair in LADDER.windows(2) {
            assert!(pair[0].elo < pair[1].elo);
        }
        let mut last = Strength::of_elo(MIN_ELO, 0);
        for elo in MIN_ELO + 1..=MAX_ELO {
            let here = Strength::of_elo(elo, 0);
            assert!(here.nodes >= last.nodes && here.error < last.error, "at {elo}");
            last = here;
        }
        for rung in &LADDER {
            let level = Strength::of_elo(rung.elo, 0);
            assert_eq!((level.nodes, level.error), (u64::from(rung.nodes), f64::from(rung.error)));
        }
        assert_eq!(Strength::of_elo(0, 7), Strength::of_elo(MIN_ELO, 7));
        assert_eq!(Strength::of_elo(u32::MAX, 7), Strength::of_elo(MAX_ELO, 7));
    }

    #[test]
    fn errors_are_normal_and_belong_to_seed_position_and_move() {
        let board = Board::start();
        let m = board.legal_moves()[0];
        let errors: Vec<f64> = (0..20_000).map(|seed| Strength::of_elo(1500, seed).deviate(1, m)).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / errors.len() as f64;
        let outside = errors.iter().filter(|e| e.abs() > 1.96).count() as f64 / errors.len() as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
        assert!((0.035..0.065).contains(&outside), "{outside}");
        let level = Strength::of_elo(1500, 3);
        let other = board.legal_moves()[1];
        assert_eq!(level.deviate(1, m), level.deviate(1, m));
        assert_ne!(level.deviate(1, m), level.deviate(2, m));
        assert_ne!(level.deviate(1, m), level.deviate(1, other));
    }

    #[test]
    fn only_moves_with_a_score_are_chosen_and_without_error_the_best() {
        let moves = Board::start().legal_moves();
        const UNKNOWN: Value = value::NONE;
        let scored = |scores: &[Value]| -> Vec<(Move, Option<Value>)> {
            let known = |score: Value| Some(score).filter(|&score| score != UNKNOWN);
            moves.iter().zip(scores).map(|(&m, &score)| (m, known(score))).collect()
        };
        for seed in 0..200 {
            let weak = Strength { nodes: 1, error: 1000.0, seed };
            assert_eq!(weak.choose(seed, &scored(&[UNKNOWN, UNKNOWN])), 0);
            assert_eq!(weak.choose(seed, &scored(&[UNKNOWN, -50, UNKNOWN])), 1);
            assert_ne!(weak.choose(seed, &scored(&[10, UNKNOWN, 5])), 1);
            assert!(weak.choose(seed, &scored(&[6, 5, 4, 3, 2, 1])) < CANDIDATES, "a sixth candidate");
            let exact = Strength { nodes: 1, error: 0.0, seed };
            assert_eq!(exact.choose(seed, &scored(&[-30, 20, 10])), 1);
            assert_eq!(exact.choose(seed, &scored(&[value::mate_in(3), value::mate_in(1), 900])), 1);
            assert_eq!(exact.choose(seed, &scored(&[value::mated_in(2), value::mated_in(6), -900])), 2);
        }
        assert_eq!(Strength::of_elo(1500, 1).choose(1, &[]), 0);
    }

    #[test]
    fn every_level_plays_legal_moves() {
        let mut searcher = searcher();
        for elo in rungs() {
            for (fen, name) in POSITIONS.iter().step_by(4) {
                let result = search_at(&mut searcher, elo, 1, fen, &Limits::default());
                let board = Board::from_fen(fen).expect("a bench position");
                assert!(result.best.is_some_and(|m| board.is_legal(m)), "{elo} in {name}");
                assert_eq!(result.pv.first().copied(), result.best, "{elo} in {name}");
            }
        }
    }

    #[test]
    fn searchmoves_single_moves_and_ends_of_games_are_respected() {
        let mut searcher = searcher();
        let board = Board::start();
        let wanted = ["a2a3", "h2h4"].map(|text| board.parse_uci(text).expect("legal"));
        let limits = Limits { searchmoves: wanted.to_vec(), ..Limits::default() };
        let mut seen = Vec::new();
        for seed in 0..20 {
            let best = search_at(&mut searcher, MIN_ELO, seed, START, &limits).best.expect("a move");
            assert!(wanted.contains(&best));
            seen.push(best);
        }
        assert!(wanted.iter().all(|m| seen.contains(m)), "both are played now and then");
        for elo in [MIN_ELO, MAX_ELO] {
            let single = "7k/8/8/8/8/8/1q6/K7 w - - 0 1";
            let result = search_at(&mut searcher, elo, 1, single, &Limits::default());
            assert_eq!(result.best.map(|m| board.uci(m, false)).as_deref(), Some("a1b2"));
            let mated = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
            assert_eq!(search_at(&mut searcher, elo, 1, mated, &Limits::default()).best, None);
        }
    }

    #[test]
    fn a_seed_repeats_itself_and_others_differ() {
        let play = |seed: u64| -> Vec<Option<Move>> {
            let mut searcher = searcher();
            let positions = POSITIONS.iter().take(6);
            positions
                .map(|(fen, _)| search_at(&mut searcher, 1500, seed, fen, &Limits::default()).best)
                .collect()
        };
        assert_eq!(play(5), play(5));
        assert!((6..10).any(|seed| play(seed) != play(5)));
    }

    #[test]
    fn the_threads_and_lines_of_the_user_change_no_move() {
        let mut plain = searcher();
        let mut wide = searcher();
        wide.set_threads(3);
        wide.options.multipv = 2;
        for seed in 0..4 {
            let limits = Limits::default();
            let results = [&mut plain, &mut wide].map(|s| search_at(s, 1800, seed, START, &limits));
            assert_eq!(results[0].best, results[1].best);
            assert_eq!(results[0].nodes, results[1].nodes);
        }
    }

    #[test]
    fn only_the_lines_asked_for_are_reported() {
        struct Lines(u32);
        impl Handler for Lines {
            fn report(&mut self, report: &SearchReport) {
                self.0 = self.0.max(report.multipv);
            }
        }
        for (asked, reported) in [(1, 1), (3, 3), (9, CANDIDATES as u32)] {
            let mut searcher = searcher();
            searcher.options.multipv = asked;
            searcher.options.strength = Some(Strength::of_elo(1800, 1));
            let mut lines = Lines(0);
            searcher.search(&Board::start(), &Limits::default(), &Signals::new(), &mut lines);
            assert_eq!(lines.0, reported);
        }
    }

    #[test]
    fn limits_hold_below_the_level_and_the_level_holds_without_limits() {
        let mut searcher = searcher();
        let level = Strength::of_elo(MAX_ELO, 1);
        let most = level.nodes * OVERRUN + OVERRUN_BASE;
        for limits in [Limits::default(), Limits { infinite: true, ..Limits::default() }] {
            assert!(search_at(&mut searcher, MAX_ELO, 1, START, &limits).nodes <= most);
        }
        let few = Limits { nodes: Some(50), ..Limits::default() };
        assert!(search_at(&mut searcher, MAX_ELO, 1, START, &few).nodes <= 50);
        let shallow = Limits { depth: Some(2), ..Limits::default() };
        assert_eq!(search_at(&mut searcher, MAX_ELO, 1, START, &shallow).depth, 2);
        // A clock that is all but empty ends the search after its first look.
        let clock =
            Clock { remaining: Duration::from_micros(10), increment: Duration::ZERO, moves_to_go: None };
        searcher.new_game();
        let hurried = Limits { clock: Some(clock), ..Limits::default() };
        let in_a_hurry = search_at(&mut searcher, MAX_ELO, 1, START, &hurried);
        assert!(in_a_hurry.best.is_some() && in_a_hurry.nodes < level.nodes / 4, "{}", in_a_hurry.nodes);
    }

    #[test]
    fn strong_levels_mate_in_one() {
        let mut searcher = searcher();
        let board = Board::from_fen(MATE_IN_ONE).expect("a test position");
        for seed in 0..100 {
            let best = search_at(&mut searcher, 2000, seed, MATE_IN_ONE, &Limits::default()).best;
            let mut after = board.clone();
            after.make(best.expect("a move"));
            assert!(after.in_check() && after.legal_moves().is_empty(), "seed {seed}: {best:?}");
        }
    }

    /// Levels far apart, so that the result is clear after a few games, and nothing is random: the seeds
    /// are fixed.
    #[test]
    fn a_lower_level_loses_a_match() {
        const GAMES: u64 = 12;
        let mut players = [searcher(), searcher()]; // [weak, strong]
        let mut points = 0.0;
        for game in 0..GAMES {
            let mut board = Board::start();
            players.iter_mut().for_each(Searcher::new_game);
            for (player, elo) in players.iter_mut().zip([1250, 1900]) {
                player.options.strength = Some(Strength::of_elo(elo, game));
            }
            points += loop {
                let strong_moves = board.side_to_move().index() == game as usize % 2;
                if board.legal_moves().is_empty() {
                    break if !board.in_check() {
                        0.5
                    } else if strong_moves {
                        0.0
                    } else {
                        1.0
                    };
                }
                let over = board.repetitions() >= 3 || board.fifty_moves_passed();
                if over || board.insufficient_material() || board.fullmove_number() > 150 {
                    break 0.5;
                }
                let player = &mut players[usize::from(strong_moves)];
                let result = player.search(&board, &Limits::default(), &Signals::new(), &mut Silent);
                board.make(result.best.expect("there are legal moves"));
            };
        }
        assert!(points >= 0.75 * GAMES as f64, "{points} of {GAMES}");
    }
}
