//! What an engine says about its own position.

use std::fmt;

use engine::types::value;

/// A score as UCI reports it, from the side of the engine that says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineScore {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative: it is being mated.
    Mate(i32),
}

impl EngineScore {
    /// One number for comparisons: a mate is beyond every evaluation, a nearer mate further out.
    pub fn centipawns(self) -> i32 {
        const MATE: i32 = 100_000;
        match self {
            EngineScore::Centipawns(score) => score.clamp(-MATE / 2, MATE / 2),
            EngineScore::Mate(moves) if moves > 0 => MATE - moves.min(1000),
            EngineScore::Mate(moves) => -MATE - moves.max(-1000),
        }
    }

    /// From a value of our own search.
    pub fn from_value(value_stm: value::Value) -> EngineScore {
        if !value::is_mate(value_stm) {
            return EngineScore::Centipawns(value_stm);
        }
        let plies = value::MATE - value_stm.abs();
        let moves = (plies + 1) / 2;
        EngineScore::Mate(if value_stm > 0 { moves } else { -moves })
    }
}

impl fmt::Display for EngineScore {
    /// As PGN comments have it: `+0.35`, `-M3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            EngineScore::Centipawns(score) => write!(f, "{:+.2}", f64::from(score) / 100.0),
            EngineScore::Mate(moves) if moves > 0 => write!(f, "+M{moves}"),
            EngineScore::Mate(moves) => write!(f, "-M{}", moves.unsigned_abs()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EngineScore::{Centipawns, Mate};
    use super::*;

    #[test]
    fn scores_are_ordered_from_mated_to_mating() {
        let rising = [Mate(-1), Mate(-9), Centipawns(-900), Centipawns(0), Centipawns(900), Mate(9), Mate(1)];
        assert!(rising.is_sorted_by(|a, b| a.centipawns() < b.centipawns()));
    }

    #[test]
    fn mate_values_become_moves() {
        assert_eq!(EngineScore::from_value(value::mate_in(1)), Mate(1));
        assert_eq!(EngineScore::from_value(value::mate_in(5)), Mate(3));
        assert_eq!(EngineScore::from_value(value::mated_in(2)), Mate(-1));
        assert_eq!(EngineScore::from_value(-35).to_string(), "-0.35");
        assert_eq!(Mate(-3).to_string(), "-M3");
    }
}
