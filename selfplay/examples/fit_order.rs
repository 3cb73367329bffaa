//! Fits the weights of the frozen order of moves (`record/order.rs`) to games, and prints
//! `record/order_weights.rs`. Kept to show where the numbers come from; a new set of numbers is a new
//! version of the file format.
//!
//!     cargo run --release --example fit_order -- games/*.tgr > selfplay/src/record/order_weights.rs

use engine::types::Move;
use selfplay::record::order::{FEATURES, Glance, Trail};
use selfplay::record::{GameRecord, games};

const EPOCHS: usize = 12;
const BATCH: usize = 256;
const RATE: f32 = 0.02;
/// Pulls weights that nothing speaks for to zero.
const DECAY: f32 = 2e-6;
/// Weights are written in sixteenths.
const GRAIN: f32 = 16.0;
/// Every so-manieth game is kept aside to see what the weights are worth.
const HELD_OUT: u64 = 10;

/// A position: the features of each legal move one after the other, where those of each end, and which
/// move was played.
struct Sample {
    features: Vec<u16>,
    ends: Vec<usize>,
    played: usize,
}

fn main() -> anyhow::Result<()> {
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for game in games(std::env::args().skip(1)) {
        let game = game?;
        let set = if game.id % HELD_OUT == 0 { &mut test } else { &mut train };
        samples(&game, set);
    }
    anyhow::ensure!(!train.is_empty() && !test.is_empty(), "give some records of ten games or more");
    eprintln!("{} positions to fit, {} held out, {FEATURES} weights", train.len(), test.len());
    let weights = fit(&train, &test);
    let rounded: Vec<i8> =
        weights.iter().map(|weight| (weight * GRAIN).round().clamp(-127.0, 127.0) as i8).collect();
    let as_read: Vec<f32> = rounded.iter().map(|&weight| f32::from(weight) / GRAIN).collect();
    eprintln!("rounded: {:.4} bits a move held out", mean_bits(&test, &as_read));
    print!("{}", source(&rounded));
    Ok(())
}

fn samples(game: &GameRecord, set: &mut Vec<Sample>) {
    let mut board = game.start.board();
    let mut trail = Trail::default();
    let moves = game.opening.iter().copied().chain(game.plies.iter().map(|ply| ply.played));
    for (ply, m) in moves.enumerate() {
        if ply >= game.opening.len() {
            let glance = Glance::new(&board, trail);
            let legal: Vec<Move> = board.legal_moves().to_vec();
            let mut sample = Sample { features: Vec::new(), ends: Vec::new(), played: 0 };
            for (number, &candidate) in legal.iter().enumerate() {
                let mut note = |feature: usize| sample.features.push(feature as u16);
                let origin = glance.origin(candidate.from(), &mut note);
                glance.features(&origin, candidate, note);
                sample.ends.push(sample.features.len());
                if candidate == m {
                    sample.played = number;
                }
            }
            set.push(sample);
        }
        trail = trail.followed_by(m);
        board.make(m);
    }
}

/// Adam on the negative logarithm of the chance that the move played was given.
fn fit(train: &[Sample], test: &[Sample]) -> Vec<f32> {
    let mut weights = vec![0.0; FEATURES];
    let (mut mean, mut square) = (vec![0.0f32; FEATURES], vec![0.0f32; FEATURES]);
    let mut step = 0;
    for epoch in 0..EPOCHS {
        let rate = RATE * (1.0 - epoch as f32 / EPOCHS as f32);
        for batch in train.chunks(BATCH) {
            let mut gradient: Vec<f32> = weights.iter().map(|weight| DECAY * BATCH as f32 * weight).collect();
            for sample in batch {
                loss(sample, &weights, Some(&mut gradient));
            }
            step += 1;
            let corrections = (1.0 - 0.9f32.powi(step), 1.0 - 0.999f32.powi(step));
            for n in 0..FEATURES {
                mean[n] = 0.9 * mean[n] + 0.1 * gradient[n];
                square[n] = 0.999 * square[n] + 0.001 * gradient[n] * gradient[n];
                weights[n] -= rate * (mean[n] / corrections.0) / ((square[n] / corrections.1).sqrt() + 1e-6);
            }
        }
        eprintln!("epoch {epoch}: {:.4} bits a move held out", mean_bits(test, &weights));
    }
    weights
}

fn mean_bits(samples: &[Sample], weights: &[f32]) -> f64 {
    let total: f64 = samples.iter().map(|sample| f64::from(loss(sample, weights, None))).sum();
    total / samples.len() as f64 / std::f64::consts::LN_2
}

fn loss(sample: &Sample, weights: &[f32], gradient: Option<&mut [f32]>) -> f32 {
    let starts = || std::iter::once(0).chain(sample.ends.iter().copied());
    let features = |(start, &end): (usize, &usize)| &sample.features[start..end];
    let sums: Vec<f32> = starts()
        .zip(&sample.ends)
        .map(|range| features(range).iter().map(|&feature| weights[feature as usize]).sum())
        .collect();
    let best = sums.iter().copied().fold(f32::MIN, f32::max);
    let whole: f32 = sums.iter().map(|sum| (sum - best).exp()).sum();
    if let Some(gradient) = gradient {
        for (number, range) in starts().zip(&sample.ends).enumerate() {
            let chance = (sums[number] - best).exp() / whole;
            let error = chance - if number == sample.played { 1.0 } else { 0.0 };
            features(range).iter().for_each(|&feature| gradient[feature as usize] += error);
        }
    }
    whole.ln() + best - sums[sample.played]
}

fn source(weights: &[i8]) -> String {
    let mut text = "\
//! The weights of the features of [`super::order`], in sixteenths: fitted once to games of self-play by
//! `examples/fit_order.rs`, and frozen with version 1 of the format.

use super::order::FEATURES;

#[rustfmt::skip]
pub const WEIGHTS: [i8; FEATURES] = [
"
    .to_string();
    let mut line = String::from("   ");
    for weight in weights {
        let word = format!(" {weight},");
        if line.len() + word.len() > 108 {
            text.push_str(&line);
            text.push('\n');
            line = String::from("   ");
        }
        line.push_str(&word);
    }
    text + &line + "\n];\n"
}
