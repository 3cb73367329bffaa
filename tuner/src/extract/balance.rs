//! Games have more of some positions than a fit needs: level ones, and those with most pieces on the board.

use engine::types::{Color, PieceType};

use crate::packed::PackedPosition;
use crate::random::splitmix;

/// Phases are told apart in so many steps,
const PHASES: usize = 6;
/// and material in so many: level, a pawn, up to three, more.
const MATERIALS: usize = 4;

/// No kind of position may be more frequent than this many times the median.
const MOST: usize = 2;

/// Which kind of position it is.
fn kind(position: &PackedPosition) -> usize {
    let (mut phase, mut material) = (0, 0i32);
    for piece in position.setup.pieces.iter().flatten() {
        let (weight, worth) = match piece.kind() {
            PieceType::Pawn => (0, 1),
            PieceType::Knight | PieceType::Bishop => (1, 3),
            PieceType::Rook => (2, 5),
            PieceType::Queen => (4, 9),
            PieceType::King => (0, 0),
        };
        phase += weight;
        material += if piece.color() == Color::White { worth } else { -worth };
    }
    let phase = (phase.min(24) * (PHASES - 1)) / 24;
    let material = match material.abs() {
        0 => 0,
        1 => 1,
        2..=3 => 2,
        _ => 3,
    };
    phase * MATERIALS + material
}

/// Leaves out positions of the most frequent kinds, drawn by lot; the order stays.
pub fn balanced(positions: Vec<PackedPosition>, seed: u64) -> Vec<PackedPosition> {
    let kinds: Vec<usize> = positions.iter().map(kind).collect();
    let mut counts = [0usize; PHASES * MATERIALS];
    for &kind in &kinds {
        counts[kind] += 1;
    }
    let mut sorted: Vec<usize> = counts.iter().copied().filter(|&count| count > 0).collect();
    sorted.sort_unstable();
    let Some(median) = sorted.get(sorted.len() / 2) else { return positions };
    let most = median * MOST;
    let mut seen = 0u64;
    positions
        .into_iter()
        .zip(kinds)
        .filter(|&(_, kind)| {
            seen += 1;
            let lot = splitmix(seed ^ splitmix(seen)) % counts[kind].max(1) as u64;
            (lot as usize) < most
        })
        .map(|(position, _)| position)
        .collect()
}
