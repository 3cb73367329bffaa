//! What an evaluation counts: pieces, where they stand, whose turn it is. Its first numbers come from mobility.

use super::geometry::{Geometry, cell_of, piece_of};
use super::position::Position;
use super::rules::How;
use super::variant::Variant;
use crate::play::Dice;

/// Logits of winning that a hundredth of a pawn is worth before anything was learned.
pub const LOGITS_A_CENTIPAWN: f32 = 0.00575;
/// Hundredths of a pawn for each square that a piece can go to on a board of middling traffic.
const CENTIPAWNS_A_MOVE: f64 = 68.0;
/// What the hope of promotion adds.
const PROMOTION: f64 = 30.0;
/// Boards on which mobility is counted.
const BOARDS: u64 = 150;

/// A number of the evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Pieces of a type.
    Count(u8),
    /// How near to the middle pieces of a type stand, from 0 to 1 each.
    Centre(u8),
    /// How far those that promote have come, from 0 to 1 each.
    Advance(u8),
    /// Whose turn it is.
    Turn,
}

impl Feature {
    /// All of a variant, in the order of its weights.
    pub fn all(variant: &Variant) -> Vec<Feature> {
        let mut all = Vec::new();
        for (number, piece) in (0..).zip(&variant.pieces) {
            if !piece.royal {
                all.push(Feature::Count(number));
            }
        }
        for (number, piece) in (0..).zip(&variant.pieces) {
            all.push(Feature::Centre(number));
            if piece.promotion.is_some() {
                all.push(Feature::Advance(number));
            }
        }
        all.push(Feature::Turn);
        all
    }

    /// As a file of weights names it.
    pub fn name(self, variant: &Variant) -> String {
        let letter = |piece: u8| variant.pieces[usize::from(piece)].letter;
        match self {
            Feature::Count(piece) => format!("count_{}", letter(piece)),
            Feature::Centre(piece) => format!("centre_{}", letter(piece)),
            Feature::Advance(piece) => format!("advance_{}", letter(piece)),
            Feature::Turn => "turn".to_string(),
        }
    }

    /// What one piece on a square adds for its own side.
    fn of(self, geometry: Geometry, piece: u8, side: u8, square: u8) -> f32 {
        match self {
            Feature::Count(of) if of == piece => 1.0,
            Feature::Centre(of) if of == piece => centrality(geometry, square),
            Feature::Advance(of) if of == piece => {
                f32::from(geometry.rank_for(square, side) - 1) / f32::from(geometry.height - 1)
            }
            _ => 0.0,
        }
    }
}

/// 1 in the middle, 0 in a corner.
fn centrality(geometry: Geometry, square: u8) -> f32 {
    let (x, y, _) = geometry.place(square);
    let off = |place: i16, size: u8| {
        let middle = f32::from(size - 1) / 2.0;
        (f32::from(place) - middle).abs() / middle
    };
    1.0 - (off(x, geometry.width) + off(y, geometry.height)) / 2.0
}

/// Counts all features, White's less Black's.
pub fn count(variant: &Variant, position: &Position, counts: &mut [f32]) {
    let features = Feature::all(variant);
    for (sign, side) in [(1.0, 0), (-1.0, 1)] {
        for square in position.occupied[side] {
            let (piece, side) = piece_of(position.cells[usize::from(square)]);
            for (feature, count) in features.iter().zip(counts.iter_mut()) {
                *count += sign * feature.of(variant.geometry, piece, side, square);
            }
        }
    }
    if let Some(turn) = counts.last_mut() {
        *turn = if position.side() == 0 { 1.0 } else { -1.0 };
    }
}

/// Weights of one who has learned nothing: values from mobility.
pub fn first_weights(variant: &Variant) -> Vec<f32> {
    let values = values_from_mobility(variant);
    let weight = |feature: &Feature| match feature {
        Feature::Count(piece) => values[usize::from(*piece)] as f32 * LOGITS_A_CENTIPAWN,
        Feature::Advance(_) => 60.0 * LOGITS_A_CENTIPAWN,
        Feature::Centre(piece) if !variant.pieces[usize::from(*piece)].royal => 15.0 * LOGITS_A_CENTIPAWN,
        _ => 0.0,
    };
    Feature::all(variant).iter().map(weight).collect()
}

/// Hundredths of a pawn for each type, from the moves it has on boards where three squares in ten are occupied.
pub fn values_from_mobility(variant: &Variant) -> Vec<i32> {
    let value = |(number, piece): (usize, &super::variant::PieceType)| {
        let mobility = mobility(variant, number as u8);
        let hope = if piece.promotion.is_some() { PROMOTION } else { 0.0 };
        (mobility * CENTIPAWNS_A_MOVE + hope).round().max(10.0) as i32
    };
    variant.pieces.iter().enumerate().map(value).collect()
}

/// The mean number of moves of a type.
fn mobility(variant: &Variant, piece: u8) -> f64 {
    let cells = variant.geometry.cells() as u64;
    let types = variant.pieces.len() as u64;
    let mut moves = 0;
    for board in 0..BOARDS {
        let mut dice = Dice::for_game(0x0B11, board);
        let mut position = Position::empty();
        let place = dice.below(cells) as u8;
        for square in 0..cells as u8 {
            let is_taken_there = variant.geometry.boards == 2
                && position.cells[usize::from(variant.geometry.other_board(square))] != 0;
            if dice.below(10) < 3 && !is_taken_there {
                let other = dice.below(types) as u8;
                position.put(variant, square, cell_of(other, dice.below(2) as u8));
            }
        }
        position.tail.last = [dice.below(types) as u8; 2];
        position.put(variant, place, cell_of(piece, 0));
        let mut plies = Vec::new();
        variant.moves_of(&position, place, How::Compiled, &mut plies);
        // Promotions to several types are one move.
        plies.dedup_by_key(|ply| (ply.src, ply.dest));
        moves += plies.len();
    }
    moves as f64 / BOARDS as f64
}

/// What each piece on each square is worth, in hundredths of a pawn: a table for the search.
pub struct Worths {
    cells: usize,
    /// `// [cell][square]`, from White's point of view
    table: Vec<i32>,
    /// For the side to move.
    pub turn: i32,
}

impl Worths {
    /// From the weights of a fit.
    pub fn of(variant: &Variant, weights: &[f32]) -> Worths {
        let features = Feature::all(variant);
        let cells = variant.geometry.cells();
        let centi = |logits: f32| (logits / LOGITS_A_CENTIPAWN).round().clamp(-20_000.0, 20_000.0) as i32;
        let mut table = vec![0; (2 * variant.pieces.len() + 1) * cells];
        for piece in 0..variant.pieces.len() as u8 {
            for side in 0..2 {
                for square in 0..cells as u8 {
                    let logits: f32 = features
                        .iter()
                        .zip(weights)
                        .map(|(feature, weight)| weight * feature.of(variant.geometry, piece, side, square))
                        .sum();
                    let sign = if side == 0 { 1 } else { -1 };
                    table[usize::from(cell_of(piece, side)) * cells + usize::from(square)] =
                        sign * centi(logits);
                }
            }
        }
        Worths { cells, table, turn: weights.last().map_or(0, |turn| centi(*turn)) }
    }

    /// What a cell on a square is worth to White.
    pub fn white(&self, cell: u8, square: u8) -> i32 {
        self.table[usize::from(cell) * self.cells + usize::from(square)]
    }

    /// A whole position, for White.
    pub fn position_white(&self, position: &Position) -> i32 {
        let all = position.occupied.into_iter().flatten();
        all.map(|square| self.white(position.cells[usize::from(square)], square)).sum()
    }
}
