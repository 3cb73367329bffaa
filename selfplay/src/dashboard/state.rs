//! What all requests share.

use std::path::PathBuf;

use super::analysis::Analysis;
use super::overview::Overview;
use super::place::Place;

/// The folders, the engine, and what was already read.
pub struct Dashboard {
    /// What is shown.
    pub place: Place,
    /// Searches for pages.
    pub analysis: Analysis,
    /// Where games played in a page are kept; `None`: they are not.
    pub played: Option<PathBuf>,
    pub(super) overview: Overview,
}

impl Dashboard {
    /// A dashboard of these folders.
    pub fn new(place: Place, most_nodes: u64, played: Option<PathBuf>) -> Dashboard {
        Dashboard { place, analysis: Analysis::new(most_nodes), played, overview: Overview::default() }
    }
}
