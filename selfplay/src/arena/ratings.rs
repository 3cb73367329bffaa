//! A rating list from all games of a tournament: the ratings under which the results are most likely.
//!
//! The model is the logistic one, a draw being half a win and half a loss (Bradley and Terry). Its errors
//! come from the pairs of games as they were played, not from the model: an opening that decides both
//! games of a pair makes results less uncertain than single games would be (the "sandwich" estimate,
//! `H⁻¹ V H⁻¹` with the curvature `H` of the likelihood and the observed variance `V` of its slope).

use serde::Serialize;

use super::scoreboard::Encounter;
use super::stats::{Interval, NORMAL_95, WinDrawLoss, score_from_elo};

/// Elo per unit of log-odds.
const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;
/// Newton's method ends when nobody moves by more than so many Elo.
const STANDSTILL: f64 = 1e-9;
/// It takes about ten steps; more means that rounding keeps it from standing still.
const MOST_STEPS: usize = 200;

/// Which rating is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// The mean of all.
    Mean,
    /// That of this engine.
    Engine(usize),
}

/// One engine's line of the list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// Its number in the tournament.
    pub engine: usize,
    /// Elo above the anchor, with its 95% interval.
    pub elo: Interval,
    /// Its games.
    pub games: WinDrawLoss,
}

/// The list, the strongest first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingList {
    /// One line for each engine that can be compared.
    pub lines: Vec<Rating>,
    /// Whether every encounter was given one more draw, because some results (all won, all lost) are
    /// most likely at an infinite distance.
    pub virtual_draws: bool,
}

/// What two engines made of each other.
#[derive(Clone, Copy)]
struct Meeting {
    engines: [usize; 2],
    games: f64,
    /// Points of the first.
    points: f64,
    /// The variance of the points as observed.
    variance: f64,
}

impl RatingList {
    /// Fits the ratings to the encounters of a tournament of so many engines. Engines that cannot be
    /// compared with the anchor (or the first engine that played), not even through others, are left out.
    pub fn fit(encounters: &[Encounter], engines: usize, anchor: Anchor) -> RatingList {
        let mut meetings: Vec<Meeting> = encounters.iter().filter_map(Meeting::of).collect();
        let root = match anchor {
            Anchor::Engine(engine) => Some(engine),
            Anchor::Mean => meetings.first().map(|meeting| meeting.engines[0]),
        };
        let Some(root) = root else { return RatingList { lines: Vec::new(), virtual_draws: false } };
        let together = reachable(root, engines, |from, to| {
            meetings.iter().any(|meeting| meeting.engines == [from, to] || meeting.engines == [to, from])
        });
        meetings.retain(|meeting| together[meeting.engines[0]]);
        let members: Vec<usize> = (0..engines).filter(|&engine| together[engine]).collect();
        let virtual_draws = !is_finite(&meetings, &members, engines);
        if virtual_draws {
            for meeting in &mut meetings {
                meeting.games += 1.0;
                meeting.points += 0.5;
                // The variance that a draw adds is none; that of a result never seen is not zero.
                meeting.variance += 0.25;
            }
        }
        let ratings = most_likely(&meetings, &members, engines);
        let covariance = sandwich(&meetings, &members, &ratings);
        let place = |engine: usize| members.iter().position(|&member| member == engine);
        let zero = match anchor {
            Anchor::Mean => members.iter().map(|&engine| ratings[engine]).sum::<f64>() / members.len() as f64,
            Anchor::Engine(engine) => ratings[engine],
        };
        let line = |(row, &engine): (usize, &usize)| {
            let variance = match anchor {
                Anchor::Mean => covariance[row][row],
                Anchor::Engine(anchor) => place(anchor).map_or(0.0, |column| {
                    covariance[row][row] + covariance[column][column] - 2.0 * covariance[row][column]
                }),
            };
            let value = ratings[engine] - zero;
            let error = NORMAL_95 * variance.max(0.0).sqrt();
            let elo = Interval { value, low: value - error, high: value + error };
            Rating { engine, elo, games: games_of(encounters, engine) }
        };
        let mut lines: Vec<Rating> = members.iter().enumerate().map(line).collect();
        lines.sort_by(|a, b| b.elo.value.total_cmp(&a.elo.value).then(a.engine.cmp(&b.engine)));
        RatingList { lines, virtual_draws }
    }
}

impl Meeting {
    /// `None` without a game.
    fn of(encounter: &Encounter) -> Option<Meeting> {
        let games = encounter.games.games() as f64;
        let score = encounter.games.score()?;
        // Per game; a game whose partner is still being played is counted like half a pair.
        let variance = match encounter.pairs.mean_and_variance() {
            Some((_, variance)) => 2.0 * variance,
            None => 0.25,
        };
        Some(Meeting { engines: encounter.engines, games, points: score * games, variance: variance * games })
    }
}

/// All games of an engine, from its side.
pub fn games_of(encounters: &[Encounter], engine: usize) -> WinDrawLoss {
    let mut sum = WinDrawLoss::default();
    for encounter in encounters {
        let WinDrawLoss { wins, draws, losses } = encounter.games;
        let (wins, losses) = match encounter.engines {
            [first, _] if first == engine => (wins, losses),
            [_, second] if second == engine => (losses, wins),
            _ => continue,
        };
        sum.wins += wins;
        sum.draws += draws;
        sum.losses += losses;
    }
    sum
}

/// Who can be reached from `root` over these edges. `// [engine]`
fn reachable(root: usize, engines: usize, edge: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut seen = vec![false; engines];
    let mut waiting = vec![root];
    while let Some(from) = waiting.pop() {
        if !std::mem::replace(&mut seen[from], true) {
            waiting.extend((0..engines).filter(|&to| edge(from, to)));
        }
    }
    seen
}

/// Whether the most likely ratings are finite: from everyone to everyone there is a chain of engines each
/// of which took something from the next (Ford's condition).
fn is_finite(meetings: &[Meeting], members: &[usize], engines: usize) -> bool {
    let took_from = |winner: usize, loser: usize| {
        meetings.iter().any(|meeting| match meeting.engines {
            [first, second] if [first, second] == [winner, loser] => meeting.points > 0.0,
            [first, second] if [second, first] == [winner, loser] => meeting.points < meeting.games,
            _ => false,
        })
    };
    let Some(&root) = members.first() else { return true };
    let forwards = reachable(root, engines, took_from);
    let backwards = reachable(root, engines, |loser, winner| took_from(winner, loser));
    members.iter().all(|&engine| forwards[engine] && backwards[engine])
}

/// The maximum of the likelihood, by Newton's method with steps that are not allowed to overshoot.
/// `// [engine]`, of those who are members
fn most_likely(meetings: &[Meeting], members: &[usize], engines: usize) -> Vec<f64> {
    const LONGEST_STEP: f64 = 200.0;
    let mut ratings = vec![0.0; engines];
    for _ in 0..MOST_STEPS {
        let mut slope = vec![0.0; engines];
        for meeting in meetings {
            let [first, second] = meeting.engines;
            let expected = score_from_elo(ratings[first] - ratings[second]);
            let surplus = (meeting.points - meeting.games * expected) / ELO_PER_LOGIT;
            slope[first] += surplus;
            slope[second] -= surplus;
        }
        let inverse = inverse_curvature(meetings, members, &ratings);
        let steps: Vec<f64> = inverse
            .iter()
            .map(|row| row.iter().zip(members).map(|(cell, &engine)| cell * slope[engine]).sum())
            .collect();
        let longest = steps.iter().fold(0.0f64, |longest, step| longest.max(step.abs()));
        let damping = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
        for (step, &engine) in steps.iter().zip(members) {
            ratings[engine] += damping * step;
        }
        if longest < STANDSTILL {
            break;
        }
    }
    ratings
}

/// `// [member][member]`, around the mean of all
fn sandwich(meetings: &[Meeting], members: &[usize], ratings: &[f64]) -> Vec<Vec<f64>> {
    let inverse = inverse_curvature(meetings, members, ratings);
    let filling = laplacian(meetings, members, |meeting| meeting.variance / ELO_PER_LOGIT.powi(2));
    multiply(&multiply(&inverse, &filling), &inverse)
}

/// The inverse of the likelihood's curvature. Only differences of ratings matter, so the curvature has
/// one flat direction, all ratings up together; that direction is made steep before inverting and taken
/// out again after it.
fn inverse_curvature(meetings: &[Meeting], members: &[usize], ratings: &[f64]) -> Vec<Vec<f64>> {
    let mut curvature = laplacian(meetings, members, |meeting| {
        let expected = score_from_elo(ratings[meeting.engines[0]] - ratings[meeting.engines[1]]);
        // Beyond 2,000 Elo the curve is flat to rounding: a trace keeps the matrix invertible.
        meeting.games * (expected * (1.0 - expected)).max(1e-9) / ELO_PER_LOGIT.powi(2)
    });
    let size = members.len();
    let steep = curvature.iter().enumerate().map(|(row, cells)| cells[row]).fold(f64::MIN_POSITIVE, f64::max);
    for row in &mut curvature {
        for cell in row {
            *cell += steep / size as f64;
        }
    }
    let mut inverse = invert(curvature);
    for row in &mut inverse {
        for cell in row {
            *cell -= 1.0 / (steep * size as f64);
        }
    }
    inverse
}

/// The matrix of a sum over meetings of `weight · (x_first − x_second)²`. `// [member][member]`
fn laplacian(meetings: &[Meeting], members: &[usize], weight: impl Fn(&Meeting) -> f64) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; members.len()]; members.len()];
    for meeting in meetings {
        let places = meeting.engines.map(|engine| members.iter().position(|&member| member == engine));
        if let [Some(first), Some(second)] = places {
            let weight = weight(meeting);
            matrix[first][first] += weight;
            matrix[second][second] += weight;
            matrix[first][second] -= weight;
            matrix[second][first] -= weight;
        }
    }
    matrix
}

fn multiply(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let cell = |row: &Vec<f64>, column: usize| row.iter().zip(right).map(|(a, b)| a * b[column]).sum();
    left.iter().map(|row| (0..right.len()).map(|column| cell(row, column)).collect()).collect()
}

/// Gauss and Jordan, with the largest pivot of each column. The matrix must be regular.
fn invert(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for (row, cells) in matrix.iter_mut().enumerate() {
        cells.extend((0..size).map(|column| f64::from(u8::from(row == column))));
    }
    for column in 0..size {
        let larger = |&a: &usize, &b: &usize| matrix[a][column].abs().total_cmp(&matrix[b][column].abs());
        let pivot = (column..size).max_by(larger).unwrap_or(column);
        matrix.swap(column, pivot);
        let scale = matrix[column][column];
        for cell in &mut matrix[column] {
            *cell /= scale;
        }
        let pivot_row = matrix[column].clone();
        for (row, cells) in matrix.iter_mut().enumerate() {
            let factor = cells[column];
            if row != column && factor != 0.0 {
                for (cell, pivot) in cells.iter_mut().zip(&pivot_row) {
                    *cell -= factor * pivot;
                }
            }
        }
    }
    matrix.into_iter().map(|row| row[size..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Format, Schedule};
    use super::super::scoreboard::{GameSummary, Scoreboard};
    use super::super::stats::elo_from_score;
    use super::*;
    use crate::Outcome;

    /// A scoreboard after pairs of games whose half points (of the first engine, both games) are given by
    /// encounter.
    fn board(format: Format, engines: usize, results: &[&[u8]]) -> Scoreboard {
        let pairs = results.iter().map(|pairs| pairs.len()).max().unwrap_or(0);
        let schedule = Schedule::new(format, engines, pairs.max(1));
        let mut board = Scoreboard::new(schedule.encounters(), engines);
        for pairing in (0..schedule.games()).filter_map(|game| schedule.pairing(game)) {
            let encounter = schedule.encounters().iter().position(|met| *met == pairing.engines).unwrap();
            let Some(&half_points) = results[encounter].get(pairing.pair) else { continue };
            // The first game gets what it can, the second the rest.
            let points =
                if pairing.first_is_white { half_points.min(2) } else { half_points - half_points.min(2) };
            let outcome = match (points, pairing.first_is_white) {
                (1, _) => Outcome::Draw,
                (2, true) | (0, false) => Outcome::WhiteWins,
                _ => Outcome::BlackWins,
            };
            board.record(&pairing, &GameSummary { outcome, plies: 80, failure: None, adjudicated: false });
        }
        board
    }

    #[test]
    fn two_engines_get_the_elo_of_their_encounter() {
        let results = [4, 2, 2, 3, 1, 2, 4, 3, 2, 2, 0, 3].repeat(20);
        let board = board(Format::Gauntlet, 2, &[&results]);
        let pairs = board.encounters()[0].pairs;
        let list = RatingList::fit(board.encounters(), 2, Anchor::Engine(1));
        assert!(!list.virtual_draws);
        let [first, second] = &list.lines[..] else { panic!("{list:?}") };
        assert_eq!((first.engine, second.engine), (0, 1));
        let elo = pairs.elo().unwrap();
        assert!((first.elo.value - elo.value).abs() < 1e-6, "{first:?} {elo:?}");
        // The slope of Elo at the score gives the same error as the encounter's interval, to first order.
        assert!((first.elo.error() / elo.error() - 1.0).abs() < 0.02, "{first:?} {elo:?}");
        assert_eq!((second.elo.value, second.elo.error()), (0.0, 0.0));
        assert_eq!(first.games.games(), 480);
    }

    #[test]
    fn a_gauntlet_is_its_encounters_put_together() {
        let board = board(Format::Gauntlet, 3, &[&[3, 2, 3, 2], &[1, 2, 2, 1, 0, 2]]);
        let list = RatingList::fit(board.encounters(), 3, Anchor::Engine(0));
        let rating = |engine| list.lines.iter().find(|line| line.engine == engine).unwrap().elo.value;
        for (other, encounter) in [(1, 0), (2, 1)] {
            let elo = elo_from_score(board.encounters()[encounter].games.score().unwrap());
            assert!((rating(other) + elo).abs() < 1e-6, "{other}");
        }
        assert_eq!(list.lines.iter().map(|line| line.engine).collect::<Vec<_>>(), [2, 0, 1]);
        let centred = RatingList::fit(board.encounters(), 3, Anchor::Mean);
        let sum: f64 = centred.lines.iter().map(|line| line.elo.value).sum();
        assert!(sum.abs() < 1e-9);
        let gap = |list: &RatingList| list.lines[0].elo.value - list.lines[2].elo.value;
        assert!((gap(&centred) - gap(&list)).abs() < 1e-6);
    }

    #[test]
    fn a_round_robin_balances_what_contradicts_itself() {
        // Everyone beats the next one by the same score, in a circle: nobody is better.
        let board = board(Format::RoundRobin, 3, &[&[3, 3, 3], &[1, 1, 1], &[3, 3, 3]]);
        let list = RatingList::fit(board.encounters(), 3, Anchor::Mean);
        assert!(list.lines.iter().all(|line| line.elo.value.abs() < 1e-6), "{list:?}");
    }

    #[test]
    fn a_clean_sweep_stays_finite_and_says_how() {
        let board = board(Format::Gauntlet, 3, &[&[4; 50], &[2, 3]]);
        let list = RatingList::fit(board.encounters(), 3, Anchor::Mean);
        assert!(list.virtual_draws);
        assert!(list.lines.iter().all(|line| line.elo.value.is_finite() && line.elo.error().is_finite()));
        assert_eq!(list.lines[0].engine, 0);
        assert!(list.lines[2].elo.value < -300.0 && list.lines[2].elo.error() > 50.0, "{list:?}");
    }

    #[test]
    fn who_has_not_played_is_not_listed() {
        let none = Scoreboard::new(&[[0, 1]], 2);
        assert!(RatingList::fit(none.encounters(), 2, Anchor::Mean).lines.is_empty());
        let board = board(Format::Gauntlet, 3, &[&[2, 3], &[]]);
        let list = RatingList::fit(board.encounters(), 3, Anchor::Mean);
        assert_eq!(list.lines.iter().map(|line| line.engine).collect::<Vec<_>>(), [0, 1]);
    }
}
