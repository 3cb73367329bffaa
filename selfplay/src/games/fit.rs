//! Weights from games: what makes the results, and the choices of those who did not lose, most likely.
//!
//! Both are logistic: a result is explained by the features of a position, a choice by the features of the action
//! among others that could have been done. Newton's method, with a small penalty on large weights; a few dozen weights
//! need a few steps, and there is no rate to choose.

use super::Game;
use super::record::PlayedGame;
use super::weights::Weights;
use crate::Outcome;
use crate::play::Dice;
use engine::types::Color;

/// How much a squared weight costs, as if so many examples spoke against it.
const PENALTY: f64 = 1.0;
/// Steps of Newton's method at most.
const MOST_STEPS: usize = 40;
/// Actions that a choice is compared with.
const OTHERS: u64 = 24;
/// Positions of a game that are looked at: neighbours say nearly the same.
const EVERY: usize = 2;

/// What the fit says of itself.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FitReport {
    /// Positions whose result was explained.
    pub positions: u64,
    /// The mean log loss of results: before (knowing nothing) and after, in nats.
    pub value_loss: [f64; 2],
    /// Choices that were explained.
    pub choices: u64,
    /// The mean log loss of choices: before and after.
    pub policy_loss: [f64; 2],
}

/// Loss, slope and curvature of some examples; they add.
struct Sums {
    loss: f64,
    slope: Vec<f64>,
    /// `// [row][column]`, the lower triangle
    curvature: Vec<Vec<f64>>,
}

impl Sums {
    fn new(weights: usize) -> Sums {
        Sums { loss: 0.0, slope: vec![0.0; weights], curvature: vec![vec![0.0; weights]; weights] }
    }

    /// Adds `scale` times the square of a vector to the curvature.
    fn add_square(&mut self, vector: &[f64], scale: f64) {
        for (row, line) in self.curvature.iter_mut().enumerate() {
            let factor = scale * vector[row];
            if factor != 0.0 {
                line.iter_mut().zip(&vector[..=row]).for_each(|(entry, value)| *entry += factor * value);
            }
        }
    }
}

/// Something that weights are to explain.
trait Example {
    fn add_to(&self, weights: &[f64], sums: &mut Sums);
}

/// A position and White's result, 0 to 1.
struct Result {
    counts: Vec<f32>,
    result_white: f64,
}

impl Example for Result {
    fn add_to(&self, weights: &[f64], sums: &mut Sums) {
        let counts: Vec<f64> = self.counts.iter().map(|&count| f64::from(count)).collect();
        let chance = 1.0 / (1.0 + (-dot(weights, &counts)).exp());
        let (win, loss) = (chance.max(1e-12), (1.0 - chance).max(1e-12));
        sums.loss -= self.result_white * win.ln() + (1.0 - self.result_white) * loss.ln();
        let error = chance - self.result_white;
        sums.slope.iter_mut().zip(&counts).for_each(|(slope, count)| *slope += error * count);
        sums.add_square(&counts, chance * (1.0 - chance));
    }
}

/// The action chosen, first, and others.
struct Choice {
    actions: Vec<Vec<f32>>,
}

impl Example for Choice {
    fn add_to(&self, weights: &[f64], sums: &mut Sums) {
        let actions: Vec<Vec<f64>> = self
            .actions
            .iter()
            .map(|counts| counts.iter().map(|&count| f64::from(count)).collect())
            .collect();
        let logits: Vec<f64> = actions.iter().map(|counts| dot(weights, counts)).collect();
        let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logits.iter().map(|logit| (logit - highest).exp()).sum();
        let chances: Vec<f64> = logits.iter().map(|logit| (logit - highest).exp() / total).collect();
        sums.loss -= chances[0].max(1e-12).ln();
        let mean: Vec<f64> = (0..weights.len())
            .map(|weight| chances.iter().zip(&actions).map(|(chance, counts)| chance * counts[weight]).sum())
            .collect();
        for ((slope, mean), chosen) in sums.slope.iter_mut().zip(&mean).zip(&actions[0]) {
            *slope += mean - chosen;
        }
        for (chance, counts) in chances.iter().zip(&actions) {
            let off: Vec<f64> = counts.iter().zip(&mean).map(|(count, mean)| count - mean).collect();
            sums.add_square(&off, *chance);
        }
    }
}

fn dot(weights: &[f64], counts: &[f64]) -> f64 {
    weights.iter().zip(counts).map(|(weight, count)| weight * count).sum()
}

/// Fits both kinds of weights to games. The dice that choose examples depend on the games' numbers alone.
pub fn fit<G: Game>(game: &G, games: &[PlayedGame]) -> (Weights, FitReport) {
    let mut results = Vec::new();
    let mut choices = Vec::new();
    for played in games {
        examples_of(game, played, &mut results, &mut choices);
    }
    let (value, value_loss) = minimise(game.feature_names().len(), &results);
    let (policy, policy_loss) = minimise(G::ACTION_FEATURES.len(), &choices);
    let (positions, choices) = (results.len() as u64, choices.len() as u64);
    (Weights { value, policy }, FitReport { positions, value_loss, choices, policy_loss })
}

fn examples_of<G: Game>(game: &G, played: &PlayedGame, results: &mut Vec<Result>, choices: &mut Vec<Choice>) {
    let features = game.feature_names().len();
    let mut dice = Dice::for_game(0x0F17, played.id);
    let result_white = f64::from(played.outcome.half_points(Color::White)) / 2.0;
    let mut number = 0;
    let mut actions = Vec::new();
    played.for_each_position(game, |state, ply| {
        number += 1;
        if features > 0 && number % EVERY == 0 {
            let mut counts = vec![0.0; features];
            game.features(state, &mut counts);
            results.push(Result { counts, result_white });
        }
        let lost = played.outcome == Outcome::win_for(!game.mover(state));
        if G::ACTION_FEATURES.is_empty() || ply.explored || lost {
            return;
        }
        actions.clear();
        game.actions(state, &mut actions);
        if actions.len() < 2 {
            return;
        }
        let counted = |action: u16| {
            let mut counts = vec![0.0; G::ACTION_FEATURES.len()];
            game.action_features(state, action, &mut counts);
            counts
        };
        let others = OTHERS.min(actions.len() as u64 - 1);
        let mut compared = vec![counted(ply.action)];
        while (compared.len() as u64) <= others {
            let action = dice.choose(&actions);
            if action != ply.action {
                compared.push(counted(action));
            }
        }
        choices.push(Choice { actions: compared });
    });
}

/// The weights of the least loss, and the mean loss without and with them; no weights without an example.
fn minimise(count: usize, examples: &[impl Example]) -> (Vec<f32>, [f64; 2]) {
    if count == 0 || examples.is_empty() {
        return (Vec::new(), [0.0; 2]);
    }
    let sums_at = |weights: &[f64]| {
        let mut sums = Sums::new(count);
        examples.iter().for_each(|example| example.add_to(weights, &mut sums));
        for (weight, number) in weights.iter().enumerate() {
            sums.loss += PENALTY / 2.0 * number * number;
            sums.slope[weight] += PENALTY * number;
            sums.curvature[weight][weight] += PENALTY;
        }
        sums
    };
    let mut weights = vec![0.0; count];
    let mut sums = sums_at(&weights);
    let before = sums.loss;
    for _ in 0..MOST_STEPS {
        let step = solve(&sums.curvature, &sums.slope);
        // A full step may go too far where chances are extreme: half of it, a quarter …
        let mut scale = 1.0;
        let better = loop {
            let trial: Vec<f64> =
                weights.iter().zip(&step).map(|(weight, step): (&f64, &f64)| weight - scale * step).collect();
            let there = sums_at(&trial);
            if there.loss < sums.loss {
                break Some((trial, there));
            }
            scale /= 2.0;
            if scale < 1e-3 {
                break None;
            }
        };
        let Some((trial, there)) = better else { break };
        let gained = sums.loss - there.loss;
        (weights, sums) = (trial, there);
        if gained < 1e-9 * before {
            break;
        }
    }
    let mean = |loss: f64| loss / examples.len() as f64;
    (weights.iter().map(|&weight| weight as f32).collect(), [mean(before), mean(sums.loss)])
}

/// Solves a symmetric positive system, given its lower triangle, by Cholesky's decomposition.
pub(super) fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let size = right.len();
    let mut lower = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let sum: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest: f64 = matrix[row][column] - sum;
            lower[row][column] =
                if row == column { rest.max(1e-12).sqrt() } else { rest / lower[column][column] };
        }
    }
    let mut solution = right.to_vec();
    for row in 0..size {
        let sum: f64 = (0..row).map(|k| lower[row][k] * solution[k]).sum();
        solution[row] = (solution[row] - sum) / lower[row][row];
    }
    for row in (0..size).rev() {
        let sum: f64 = (row + 1..size).map(|k| lower[k][row] * solution[k]).sum();
        solution[row] = (solution[row] - sum) / lower[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_weights_are_found_again() {
        let truth = [1.5, -0.7, 0.2];
        let mut dice = Dice::for_game(8, 0);
        let mut counts = || -> Vec<f32> { (0..3).map(|_| dice.below(2001) as f32 / 500.0 - 2.0).collect() };
        let chance = |counts: &[f32]| {
            let logit: f64 = counts.iter().zip(truth).map(|(&count, weight)| f64::from(count) * weight).sum();
            1.0 / (1.0 + (-logit).exp())
        };
        let examples: Vec<Result> = (0..4000)
            .map(|_| counts())
            .map(|counts| Result { result_white: chance(&counts), counts })
            .collect();
        let (weights, [before, after]) = minimise(3, &examples);
        for (weight, truth) in weights.iter().zip(truth) {
            assert!((f64::from(*weight) - truth).abs() < 0.02, "{weights:?}");
        }
        assert!((before - std::f64::consts::LN_2).abs() < 1e-9 && after < before);
    }

    #[test]
    fn a_choice_speaks_for_what_was_chosen() {
        let choice =
            |chosen: f32, other: f32| Choice { actions: vec![vec![chosen], vec![other], vec![other]] };
        let examples: Vec<Choice> =
            (0..90).map(|_| choice(1.0, 0.0)).chain((0..30).map(|_| choice(0.0, 1.0))).collect();
        let (weights, [before, after]) = minimise(1, &examples);
        assert!(weights[0] > 0.5 && after < before, "{weights:?}");
        assert!((before - 3f64.ln()).abs() < 1e-9);
    }
}
