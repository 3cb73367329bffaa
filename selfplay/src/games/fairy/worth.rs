//! What a piece is worth: games from uneven armies, played by the engine against itself, and a logistic fit of their results
//! to the pieces that are on the board. Errors come from fits of resampled games.

use std::collections::BTreeMap;

use engine::search::Signals;

use super::Fairy;
use super::geometry::{cell_of, piece_of};
use super::ply::flags;
use super::position::Position;
use super::rules::How;
use super::variant::Variant;
use crate::games::Game;
use crate::games::search::{Knowledge, SearchKind, think};
use crate::games::weights::Weights;
use crate::play::Dice;
use engine::types::Color;

/// A fit's resamplings.
const RESAMPLES: u64 = 60;
/// Plies between two positions of a game that are looked at.
const EVERY: usize = 4;
/// A game is won by whom both sides' searches see so far ahead (about five pawns) …
const LONG_WON: i32 = 8_900;
/// … for so many plies.
const WON_FOR: i32 = 8;
/// How much a squared weight costs.
const PENALTY: f64 = 0.5;

/// How pieces are priced.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pricing {
    /// Games of a round.
    pub games: u64,
    /// Rounds: each is played with the values of the one before; the first with those of mobility.
    pub rounds: u32,
    /// Nodes for each move.
    pub nodes: u64,
    /// The chance in a hundred of each piece to be missing at the beginning.
    pub missing: u64,
    /// Random moves at the beginning, at most.
    pub opening_plies: u64,
    /// A game of so many plies is drawn.
    pub max_plies: usize,
    /// Decides everything that is random.
    pub seed: u64,
}

/// What a piece came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Worth {
    /// Its letter.
    pub letter: char,
    /// Its name.
    pub name: String,
    /// In pawns (or in the unit piece, where there are no pawns).
    pub pawns: f64,
    /// Two standard errors.
    pub error: f64,
    /// From mobility, in pawns.
    pub mobility: f64,
}

/// A variant's pieces with their prices.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Prices {
    /// Dearest first.
    pub pieces: Vec<Worth>,
    /// The unit.
    pub unit: char,
    /// Games of the last round.
    pub games: u64,
    /// Positions of the last round.
    pub positions: u64,
}

/// A position: which game, White's less Black's pieces and the turn, White's result.
struct Sample {
    game: u64,
    counts: Vec<f32>,
    result: f64,
}

/// Prices all pieces of a variant. `say` hears of each game.
pub fn price(
    fairy: &Fairy,
    pricing: &Pricing,
    signals: &Signals,
    say: &mut dyn FnMut(u32, u64),
) -> Option<Prices> {
    let variant = &fairy.variant;
    let priced: Vec<usize> =
        (0..variant.pieces.len()).filter(|number| !variant.pieces[*number].royal).collect();
    let mut knowledge = Knowledge::default();
    let mut prices = Prices::default();
    for round in 1..=pricing.rounds {
        let mut samples = Vec::new();
        for number in 0..pricing.games {
            if signals.stopped() {
                return None;
            }
            let game = u64::from(round) << 32 | number;
            play(fairy, pricing, &knowledge, game, &priced, &mut samples);
            say(round, number + 1);
        }
        let weights = fit(&samples, priced.len() + 1, |_| 1.0);
        prices = priced_by(fairy, pricing, &priced, &samples, &weights);
        knowledge = learned(fairy, &priced, &weights);
    }
    Some(prices)
}

/// The evaluation of the next round: the prices found, and where pieces stand as before.
fn learned(fairy: &Fairy, priced: &[usize], weights: &[f64]) -> Knowledge {
    let mut value = super::features::first_weights(&fairy.variant);
    // The first features are the counts, in the order of the types.
    for (place, (_, weight)) in priced.iter().zip(weights).enumerate() {
        value[place] = *weight as f32;
    }
    if let (Some(turn), Some(weight)) = (value.last_mut(), weights.last()) {
        *turn = *weight as f32;
    }
    Knowledge { weights: Some(std::sync::Arc::new(Weights { value, policy: Vec::new() })), book: None }
}

fn priced_by(
    fairy: &Fairy,
    pricing: &Pricing,
    priced: &[usize],
    samples: &[Sample],
    weights: &[f64],
) -> Prices {
    let variant = &fairy.variant;
    let unit = unit_of(variant, priced, weights);
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); priced.len()];
    for resample in 0..RESAMPLES {
        let mut times: BTreeMap<u64, f64> = BTreeMap::new();
        let mut dice = Dice::for_game(pricing.seed ^ 0xB007, resample);
        let games: Vec<u64> = samples.iter().map(|sample| sample.game).collect();
        let mut distinct = games.clone();
        distinct.dedup();
        for _ in 0..distinct.len() {
            *times.entry(dice.choose(&distinct)).or_default() += 1.0;
        }
        let again = fit(samples, weights.len(), |game| times.get(&game).copied().unwrap_or(0.0));
        for (ratios, weight) in ratios.iter_mut().zip(&again) {
            ratios.push(weight / again[unit].max(1e-6));
        }
    }
    let mobility = super::features::values_from_mobility(variant);
    let worth = |(place, number): (usize, &usize)| Worth {
        letter: variant.pieces[*number].letter,
        name: variant.pieces[*number].name.clone(),
        pawns: weights[place] / weights[unit],
        error: 2.0 * deviation(&ratios[place]),
        mobility: f64::from(mobility[*number]) / f64::from(mobility[priced[unit]]),
    };
    let mut pieces: Vec<Worth> = priced.iter().enumerate().map(worth).collect();
    pieces.sort_by(|one, other| other.pawns.total_cmp(&one.pawns));
    Prices {
        pieces,
        unit: variant.pieces[priced[unit]].letter,
        games: pricing.games,
        positions: samples.len() as u64,
    }
}

fn deviation(numbers: &[f64]) -> f64 {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    (numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt()
}

/// The place of the pawn; without one, of the cheapest piece.
fn unit_of(variant: &Variant, priced: &[usize], weights: &[f64]) -> usize {
    let pawn = priced.iter().position(|number| variant.pieces[*number].promotion.is_some());
    let cheapest = (0..priced.len())
        .filter(|place| weights[*place] > 0.0)
        .min_by(|one, other| weights[*one].total_cmp(&weights[*other]));
    pawn.or(cheapest).unwrap_or(0)
}

/// One game from uneven armies; its quiet positions are added.
fn play(
    fairy: &Fairy,
    pricing: &Pricing,
    knowledge: &Knowledge,
    game: u64,
    priced: &[usize],
    samples: &mut Vec<Sample>,
) {
    let mut dice = Dice::for_game(pricing.seed, game);
    let Some(beginning) = uneven(&fairy.variant, pricing.missing, &mut dice) else { return };
    let mut state = fairy.state_of(beginning);
    for _ in 0..dice.below(pricing.opening_plies + 1) {
        if state.outcome.is_none() {
            let action = fairy.random_action(&state, &mut dice);
            fairy.apply(&mut state, action);
        }
    }
    let (mut seen, mut plies, mut decided) = (Vec::new(), 0, 0);
    let mut result = 0.5;
    while plies < pricing.max_plies {
        if let Some(outcome) = state.outcome {
            result = f64::from(outcome.half_points(Color::White)) / 2.0;
            break;
        }
        let thought = think(fairy, &state, SearchKind::AlphaBeta, knowledge, pricing.nodes, &mut dice);
        let ply = state.legal[usize::from(thought.action)];
        // Where something is being taken the count says little.
        let is_quiet = ply.flags & (flags::TAKES | flags::PROMOTES) == 0
            && !fairy.variant.in_check(&state.position, state.position.side(), How::Compiled);
        if plies % EVERY == 0 && is_quiet {
            seen.push(counts(&state.position, priced));
        }
        // Games that one side has long won are not played to the end.
        let white = if state.position.side() == 0 { thought.value_stm } else { -thought.value_stm };
        decided = if white.abs() >= LONG_WON { decided + white.signum() } else { 0 };
        if i32::abs(decided) >= WON_FOR {
            result = if decided > 0 { 1.0 } else { 0.0 };
            break;
        }
        fairy.apply(&mut state, thought.action);
        plies += 1;
    }
    samples.extend(seen.into_iter().map(|counts| Sample { game, counts, result }));
}

/// White's pieces less Black's, and whose turn it is.
fn counts(position: &Position, priced: &[usize]) -> Vec<f32> {
    let mut counts = vec![0.0; priced.len() + 1];
    for square in position.occupied.into_iter().flatten() {
        let (piece, side) = piece_of(position.cells[usize::from(square)]);
        if let Some(place) = priced.iter().position(|number| *number == usize::from(piece)) {
            counts[place] += if side == 0 { 1.0 } else { -1.0 };
        }
    }
    counts[priced.len()] = if position.side() == 0 { 1.0 } else { -1.0 };
    counts
}

/// The start, each piece but royal ones missing with some chance; a third of the pieces left out is replaced by another one.
/// `None` if no playable position was found.
fn uneven(variant: &Variant, missing: u64, dice: &mut Dice) -> Option<Position> {
    let types: Vec<u8> = (0..variant.pieces.len() as u8)
        .filter(|piece| {
            let piece = &variant.pieces[usize::from(*piece)];
            !piece.royal && piece.promotion.is_none()
        })
        .collect();
    for _ in 0..50 {
        let mut position = variant.start.clone();
        for square in variant.start.occupied.into_iter().flatten() {
            let (piece, side) = piece_of(variant.start.cells[usize::from(square)]);
            let kind = &variant.pieces[usize::from(piece)];
            if kind.royal || dice.below(100) >= missing {
                continue;
            }
            let is_replaced = kind.promotion.is_none() && !types.is_empty() && dice.below(3) == 0;
            let cell = if is_replaced { cell_of(dice.choose(&types), side) } else { 0 };
            position.put(variant, square, cell);
        }
        position.tail.rights = 0;
        position.tail.side = dice.below(2) as u8;
        position.tail.left = variant.moves_a_turn;
        let side = position.side();
        let is_fair = !variant.in_check(&position, side, How::Compiled)
            && !variant.in_check(&position, 1 - side, How::Compiled);
        if is_fair
            && variant.goal_reached(&position).is_none()
            && !variant.legal(&position, How::Compiled).is_empty()
        {
            return Some(position);
        }
    }
    None
}

/// The weights that make the results most likely; each game counts as often as said.
fn fit(samples: &[Sample], weights: usize, times: impl Fn(u64) -> f64) -> Vec<f64> {
    let mut solution = vec![0.0; weights];
    for _ in 0..12 {
        let mut slope = vec![0.0; weights];
        let mut curvature = vec![vec![0.0; weights]; weights];
        for (number, weight) in solution.iter().enumerate() {
            slope[number] += PENALTY * weight;
            curvature[number][number] += PENALTY;
        }
        for sample in samples {
            let often = times(sample.game);
            if often > 0.0 {
                add(sample, often, &solution, &mut slope, &mut curvature);
            }
        }
        let step = crate::games::fit::solve(&curvature, &slope);
        let largest = step.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
        // A long step may go too far where chances are extreme.
        let scale = if largest > 1.0 { 1.0 / largest } else { 1.0 };
        solution.iter_mut().zip(&step).for_each(|(weight, step)| *weight -= scale * step);
        if largest < 1e-5 {
            break;
        }
    }
    solution
}

fn add(sample: &Sample, often: f64, solution: &[f64], slope: &mut [f64], curvature: &mut [Vec<f64>]) {
    let logit: f64 =
        solution.iter().zip(&sample.counts).map(|(weight, count)| weight * f64::from(*count)).sum();
    let chance = 1.0 / (1.0 + (-logit).exp());
    let (error, spread) = (often * (chance - sample.result), often * chance * (1.0 - chance));
    for (row, count) in sample.counts.iter().enumerate().filter(|(_, count)| **count != 0.0) {
        slope[row] += error * f64::from(*count);
        for (column, other) in sample.counts[..=row].iter().enumerate() {
            curvature[row][column] += spread * f64::from(*count) * f64::from(*other);
        }
    }
}

/// Estimates by people, in pawns, for pieces by name.
pub const PUBLISHED: &[(&str, &str)] = &[
    ("pawn", "1"),
    ("knight", "3 to 3.25"),
    ("bishop", "3 to 3.5"),
    ("rook", "5"),
    ("queen", "9 to 9.5"),
    ("archbishop", "7 to 8.25"),
    ("chancellor", "8 to 9"),
    ("amazon", "12 to 13"),
    ("nightrider", "5"),
    ("grasshopper", "1.5 to 2.5"),
];
