//! Weights to start from, and the way from real numbers back to weights.

use engine::eval::gradient::Pair;
use engine::eval::{EvalParams, Role, Score};

/// What danger weights begin with where all of them are zero.
const DANGER_SEED: f64 = 4.0;

/// Weights as real numbers.
pub fn pairs(params: &EvalParams) -> Vec<Pair> {
    params.to_vec().iter().map(|weight| [f64::from(weight.mg()), f64::from(weight.eg())]).collect()
}

/// The nearest weights, each half within what the engine can hold; and which had to be cut.
pub fn rounded(weights: &[Pair]) -> (EvalParams, Vec<usize>) {
    let limit = f64::from(Score::WEIGHT_LIMIT);
    let mut cut = Vec::new();
    let flat: Vec<Score> = weights
        .iter()
        .enumerate()
        .map(|(index, weight)| {
            let [mg, eg] = weight.map(|half| half.round().clamp(-limit, limit) as i32);
            if weight.iter().any(|half| half.round().abs() > limit) {
                cut.push(index);
            }
            Score::new(mg, eg)
        })
        .collect();
    (EvalParams::from_vec(&flat), cut)
}

/// Pieces at the values of the textbooks and nothing else: all advantages count in full.
pub fn material_only() -> EvalParams {
    let mut params = EvalParams::default();
    let pieces = params.piece_value;
    let mut index = 0;
    params.visit_mut(&mut |weight| {
        let full = EvalParams::ROLES[index] == Role::Scale;
        *weight = if full { Score::new(64, 64) } else { Score::ZERO };
        index += 1;
    });
    params.piece_value = pieces.map(|_| Score::ZERO);
    for (piece, worth) in params.piece_value.iter_mut().zip([100, 320, 330, 500, 900]) {
        *piece = Score::new(worth, worth);
    }
    // What is added for passed pawns, not a factor by itself.
    params.scale_opposite_bishops_passed = Score::ZERO;
    params
}

/// Danger enters squared: with all its weights at zero its slope is zero too, and nothing would ever move.
/// Gives free weights a little to begin with in that case, and says whether it did.
pub fn wake_danger(weights: &mut [Pair], free: &[bool]) -> bool {
    let danger = |index: usize| EvalParams::ROLES[index] == Role::Danger;
    let asleep = (0..weights.len()).filter(|&index| danger(index)).all(|index| weights[index] == [0.0; 2]);
    if !asleep {
        return false;
    }
    let mut woken = false;
    for index in (0..weights.len()).filter(|&index| danger(index) && free[index]) {
        weights[index] = [DANGER_SEED; 2];
        woken = true;
    }
    woken
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Board;
    use engine::eval::Weights;

    #[test]
    fn material_alone_counts_in_full() {
        let params = material_only();
        let board = Board::from_fen("4k3/ppp5/8/8/8/8/PPP5/R3K3 w - - 0 1").unwrap();
        assert_eq!(engine::eval::evaluate_white(&board, &Weights::new(&params)), 500);
        let mut weights = pairs(&params);
        assert!(wake_danger(&mut weights, &vec![true; EvalParams::COUNT]));
        assert!(!wake_danger(&mut weights, &vec![true; EvalParams::COUNT]));
    }

    #[test]
    fn rounding_cuts_what_does_not_fit_and_says_so() {
        let mut weights = pairs(&EvalParams::default());
        weights[3] = [2_600.4, 0.0];
        weights[4] = [-1.4, 1.6];
        let (params, cut) = rounded(&weights);
        let flat = params.to_vec();
        assert_eq!((flat[3].mg(), flat[4].mg(), flat[4].eg(), cut), (2_500, -1, 2, vec![3]));
    }
}
