//! SPSA: tuning many numbers of the search at once by games.
//!
//! A pair of games from one opening is one iteration. Every parameter is moved by its step at random up or down;
//! the player with these values (*plus*) meets the one with the opposite changes (*minus*), with both colours; and
//! every parameter moves a little the way the winner had it. No single parameter is measured, yet on average all of
//! them climb.
//!
//! The values of a pair depend on the results of all pairs but the last [`LAG`] before it. So as many pairs can be
//! played at the same time, and what comes out does not depend on how many threads there are.
//!
//! With [`Settings::screen`] nothing moves, and the same games say what each parameter's two values are worth
//! against each other: a factorial experiment. A parameter that switches a technique on or off is screened between
//! 0 and 1, any other between a step down and a step up, or between the values of two files.

mod journal;
mod report;
mod run;
mod state;

pub use journal::{Journal, JournalError};
pub use report::{chart, parameter_file, table};
pub use run::{Match, play};
pub use state::{Effect, State};

use engine::search::params::{ALL, Parameter, ParameterError, SearchParams, find};

/// How many pairs may be under way at once.
pub const LAG: usize = 16;

/// Spall's exponents: how the gain and the steps shrink.
const GAIN_EXPONENT: f64 = 0.602;
const STEP_EXPONENT: f64 = 0.101;
/// The stability constant, as a share of all pairs.
const STABILITY: f64 = 0.1;

/// What is tuned, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The parameters that move.
    pub tuned: Vec<&'static Parameter>,
    /// Where all parameters begin.
    pub start: SearchParams,
    /// How many pairs of games.
    pub pairs: usize,
    /// How far a won pair moves a parameter at the end of the run, in steps.
    pub rate: f64,
    /// Decides the directions.
    pub seed: u64,
    /// Only measure: nothing moves.
    pub screen: bool,
    /// With `screen`: measure these values against those of the start, instead of a step up against a step down.
    pub against: Option<SearchParams>,
}

impl Settings {
    /// How far a won pair moves a parameter if nobody says: so far that the noise of all games together moves it by
    /// about half a step.
    pub fn usual_rate(pairs: usize) -> f64 {
        0.6 / (pairs.max(1) as f64).sqrt()
    }

    /// The parameters that a text names: `all` numbers, all `switches`, or names separated by commas.
    pub fn parameters(text: &str) -> Result<Vec<&'static Parameter>, ParameterError> {
        match text {
            "all" => Ok(ALL.iter().filter(|p| !p.is_switch() && !p.name.starts_with("time_")).collect()),
            "switches" => Ok(ALL.iter().filter(|p| p.is_switch()).collect()),
            names => names.split(',').map(|name| find(name.trim())).collect(),
        }
    }

    /// The parameters whose values differ between two sets.
    pub fn differing(one: &SearchParams, other: &SearchParams) -> Vec<&'static Parameter> {
        ALL.iter().filter(|parameter| one.get(parameter.name) != other.get(parameter.name)).collect()
    }

    /// Everything that decides the run, for its journal.
    pub fn identity(&self) -> Vec<(String, String)> {
        let names: Vec<&str> = self.tuned.iter().map(|parameter| parameter.name).collect();
        vec![
            ("--params".to_string(), names.join(",")),
            ("--from".to_string(), self.start.to_text()),
            ("--games".to_string(), (2 * self.pairs).to_string()),
            ("--rate".to_string(), self.rate.to_string()),
            ("--seed".to_string(), self.seed.to_string()),
            ("--screen".to_string(), self.screen.to_string()),
            ("--against".to_string(), self.against.as_ref().map_or(String::new(), SearchParams::to_text)),
        ]
    }
}
