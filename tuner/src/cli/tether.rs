//! How firmly a fit holds on to the weights it begins with.

use engine::eval::gradient::Pair;
use serde_json::{Value, json};
use tuner::evidence::Evidence;

use super::not_negative;

/// What moving a weight costs.
#[derive(Clone, Copy, Debug)]
pub enum Tether {
    /// So much a position.
    Given(f64),
    /// As much as suits the number of positions.
    Auto,
}

/// What `auto` costs all positions together. On 100,000 positions of self-play from a blank slate the hold-out loss was
/// 0.05814 with next to no tether, 0.05757 with 1, 0.05722 with 3, 0.05744 with 10 and 0.05765 with 30.
const AUTO_TETHER: f64 = 3.0;

impl Tether {
    /// A number or `auto`.
    pub fn parse(text: &str) -> Result<Tether, String> {
        if text == "auto" { Ok(Tether::Auto) } else { not_negative(text).map(Tether::Given) }
    }

    /// What moving a weight by a pawn costs, in loss.
    pub fn per_position(self, positions: usize) -> f64 {
        match self {
            Tether::Given(cost) => cost,
            Tether::Auto => AUTO_TETHER / positions.max(1) as f64,
        }
    }
}

/// All that holds the weights of one fit.
#[derive(Clone, Copy, Debug)]
pub struct Tie {
    /// For all weights alike.
    pub l2: Tether,
    /// How much of the prior counts.
    pub prior_share: f64,
}

/// A fit that was tried, and what those held out say of it.
pub struct Tried {
    pub tie: Tie,
    pub held_out: Option<f64>,
}

impl Tie {
    /// Every tether without a prior, and the first with each share of it.
    pub fn all(tethers: &[Tether], prior_shares: &[f64]) -> Vec<Tie> {
        let without = tethers.iter().map(|&l2| Tie { l2, prior_share: 0.0 });
        let with = tethers
            .first()
            .into_iter()
            .flat_map(|&l2| prior_shares.iter().map(move |&prior_share| Tie { l2, prior_share }));
        without.chain(with).collect()
    }

    /// `// [weight]` What the prior adds for so many positions, if it counts.
    pub fn precision(self, prior: Option<&Evidence>, positions: usize) -> Option<Vec<Pair>> {
        let prior = prior.filter(|_| self.prior_share > 0.0);
        prior.map(|prior| prior.precision(self.prior_share, positions))
    }

    /// For programs.
    pub fn json(self, positions: usize) -> Value {
        json!({ "l2": self.l2.per_position(positions), "prior_share": self.prior_share })
    }
}
