//! The page that shows the engine learning: a small server on this machine, and the same pages as files.
//!
//! [`place`] knows the folders that are shown and lets nothing else be read. [`request`] turns an address into a question,
//! and one file a page answers it with JSON. [`server`] speaks HTTP, [`events`] tells those who follow a running night,
//! [`export`] writes everything down. The pages themselves are in `assets/`: plain HTML, CSS and JavaScript without a
//! build step, compiled into the program. Nothing here writes into a folder that it shows.

pub mod analysis;
pub mod assets;
pub mod events;
pub mod export;
mod game_page;
mod games;
pub mod guard;
mod library;
mod lineage;
mod matches;
mod night;
mod other_games;
mod overview;
pub mod place;
mod play;
mod position;
pub mod problem;
pub mod request;
pub mod server;
mod stage;
mod state;
mod tuning;

pub use place::Place;
pub use problem::Problem;
pub use state::Dashboard;

/// Seconds since 1970.
fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
