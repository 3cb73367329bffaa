//! Are the labels written from the side that they are read from? Having more material wins more often than
//! not: where labels say the opposite, they are somebody else's.

use crate::label::{Label, Side};

/// How far from chance a sum must be, in standard deviations, before it is believed.
const BELIEVED: f64 = 5.0;

/// How labels go with material, `// [white to move, black to move]`.
#[derive(Clone, Default, Debug)]
pub struct Viewpoint {
    results: [Sum; 2],
    scores: [Sum; 2],
}

/// A sum of products and of their squares.
#[derive(Clone, Copy, Default, Debug)]
struct Sum {
    sum: f64,
    squares: f64,
}

impl Sum {
    fn add(&mut self, product: f64) {
        self.sum += product;
        self.squares += product * product;
    }

    /// In standard deviations of what chance would give.
    fn evidence(self) -> f64 {
        if self.squares > 0.0 { self.sum / self.squares.sqrt() } else { 0.0 }
    }
}

/// What looks wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Suspicion {
    /// Positions with White and with Black to move contradict each other.
    #[error(
        "the {what}s go with material when one side is to move and against it when the other is: fitted to \
         them, material would come out worthless. They seem to be written for {seems}: give --{what}-side {option}"
    )]
    MixedUp {
        /// `result` or `score`.
        what: &'static str,
        /// Whose they seem to be.
        seems: &'static str,
        /// The option that reads them so.
        option: &'static str,
    },
    /// They all say the opposite.
    #[error(
        "the {what}s go against material: fitted to them, the value of the pieces would come out negative. \
         They seem to be written for the other side: give --{what}-side {option}"
    )]
    TurnedRound {
        /// `result` or `score`.
        what: &'static str,
        /// The option that reads them so.
        option: &'static str,
    },
}

impl Viewpoint {
    /// Takes note of a position.
    pub fn look(&mut self, white_to_move: bool, material_white: i32, label_white: Label) {
        let mover = usize::from(!white_to_move);
        let material = f64::from(material_white.clamp(-9, 9));
        if let Some(result) = label_white.result {
            self.results[mover].add(material * (f64::from(result) - 0.5));
        }
        if let Some(score) = label_white.score {
            self.scores[mover].add(material * f64::from(score.clamp(-1_000, 1_000)));
        }
    }

    /// Adds what another looked at.
    pub fn merge(&mut self, other: &Viewpoint) {
        for mover in 0..2 {
            for (own, other) in [(&mut self.results, &other.results), (&mut self.scores, &other.scores)] {
                own[mover].sum += other[mover].sum;
                own[mover].squares += other[mover].squares;
            }
        }
    }

    /// What looks wrong, given how labels were read.
    pub fn suspicion(&self, results: Side, scores: Side) -> Option<Suspicion> {
        [("result", self.results, results), ("score", self.scores, scores)].into_iter().find_map(
            |(what, sums, read_as)| {
                let [white, black] = sums.map(Sum::evidence);
                if white < -BELIEVED && black < -BELIEVED {
                    let option = if read_as == Side::White { "black" } else { "white" };
                    return Some(Suspicion::TurnedRound { what, option });
                }
                let contradict = white.abs() > BELIEVED && black.abs() > BELIEVED && white * black < 0.0;
                contradict.then_some(match read_as {
                    Side::Stm => Suspicion::MixedUp { what, seems: "White", option: "white" },
                    _ => Suspicion::MixedUp { what, seems: "the side to move", option: "stm" },
                })
            },
        )
    }
}
