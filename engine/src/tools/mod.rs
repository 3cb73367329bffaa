//! Tools that come with the engine: a benchmark of the search and a proof of the move generator.

pub mod bench;
pub mod perft;

use std::time::Duration;

/// Whole nodes per second; a search too short to time counts as one microsecond.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    (u128::from(nodes) * 1_000_000 / micros).min(u128::from(u64::MAX)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_zero_divides_nothing() {
        assert_eq!(nodes_per_second(5, Duration::ZERO), 5_000_000);
        assert_eq!(nodes_per_second(u64::MAX, Duration::ZERO), u64::MAX);
    }
}
