//! How long to think: a soft limit that grows and shrinks with the search, and a hard one that holds.

use std::time::{Duration, Instant};

use super::params::Numbers;
use super::{Clock, Limits};

/// The manual gives 95% of the clock to one move; we take it as the cap that it can only be.
const CLOCK_CAP: f64 = 0.95;

/// The time limits of one search.
pub(super) struct TimeManager {
    start: Instant,
    /// When to finish the iteration at hand and stop, before it is scaled. `None`: never.
    soft: Option<Duration>,
    /// When to stop at once. `None`: never.
    hard: Option<Duration>,
}

/// What the search has seen, as far as it says how much longer to think.
pub(super) struct Progress {
    /// For how many iterations the best move has been the same.
    pub stable_iterations: u32,
    /// How much the score has fallen since the iterations before, in centipawns.
    pub score_drop: i32,
    /// The share of all nodes that went into the best move, 0 to 1.
    pub best_move_share: f64,
}

impl TimeManager {
    pub(super) fn new(
        limits: &Limits,
        params: impl Numbers,
        overhead: Duration,
        start: Instant,
    ) -> TimeManager {
        let (mut soft, mut hard) = (None, None);
        if let Some(clock) = &limits.clock {
            let (s, h) = share_of_clock(params, clock, overhead);
            (soft, hard) = (Some(s), Some(h));
        }
        if let Some(movetime) = limits.movetime {
            // A fixed time is used up, less what the GUI may lose on the way.
            let usable = movetime.saturating_sub(overhead).max(movetime.min(Duration::from_millis(1)));
            hard = Some(hard.map_or(usable, |hard| hard.min(usable)));
        }
        TimeManager { start, soft, hard }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether to stop in the middle of an iteration. `pondered` is the time before the ponder hit:
    /// our clock ran only after it.
    pub(super) fn must_stop(&self, pondered: Duration) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard + pondered)
    }

    /// Whether to begin no further iteration.
    pub(super) fn enough(&self, params: impl Numbers, progress: &Progress) -> bool {
        let Some(soft) = self.soft else { return false };
        // A best move that keeps changing deserves more time, one that stands needs less.
        let stability = match progress.stable_iterations {
            0 => params.time_unstable(),
            1 => params.time_stable_1(),
            2 => params.time_stable_2(),
            3 => params.time_stable_3(),
            _ => params.time_stable(),
        };
        // A falling score means trouble that is worth understanding.
        let trouble = 1000 + params.time_drop() * progress.score_drop.clamp(-20, 80);
        // If nearly all the work went into one move, the others were refuted with ease.
        let effort = thousandths(params.time_effort_base())
            - thousandths(params.time_effort_slope()) * progress.best_move_share;
        let scaled = soft.mul_f64((thousandths(stability) * thousandths(trouble) * effort).clamp(0.2, 3.5));
        self.elapsed() >= self.hard.map_or(scaled, |hard| scaled.min(hard))
    }
}

/// Parameters of time are whole numbers of thousandths.
fn thousandths(number: i32) -> f64 {
    f64::from(number) / 1000.0
}

/// The soft and hard limit for one move on the clock.
fn share_of_clock(params: impl Numbers, clock: &Clock, overhead: Duration) -> (Duration, Duration) {
    let remaining = clock.remaining.as_secs_f64();
    let increment = clock.increment.as_secs_f64();
    let overhead = overhead.as_secs_f64();
    // What can be used at all. With almost nothing left, half of it: a move in time beats a good move.
    let usable = (remaining - overhead).max(remaining * 0.5 - 0.002).max(0.000_5);
    let gained = if params.overhead_once() != 0 {
        // Set aside once. Only when the clock comes near to what was set aside do increments go there first, so that
        // a connection that really loses so much each move does not lose the game.
        increment * (usable / (4.0 * overhead).max(0.001)).min(1.0)
    } else {
        // Every move to come loses its overhead too, so only what exceeds it is really added.
        (increment - overhead).max(0.0)
    };
    let (soft, hard) = match clock.moves_to_go {
        Some(moves) => {
            let moves = f64::from(moves.clamp(1, 60));
            let per_move = ((usable - overhead * (moves - 1.0)) / moves).max(usable / moves * 0.3);
            let soft = per_move * 0.85 + gained * 0.7;
            (soft, (per_move * 4.0 + gained).min(usable * if moves > 1.5 { 0.7 } else { CLOCK_CAP }))
        }
        None => {
            let soft =
                usable * thousandths(params.time_share()) + gained * thousandths(params.time_increment());
            let most = usable * thousandths(params.time_hard_share());
            (soft, (soft * thousandths(params.time_hard())).min(most))
        }
    };
    let hard = hard.min(usable * CLOCK_CAP).max(0.000_5);
    (Duration::from_secs_f64(soft.min(hard)), Duration::from_secs_f64(hard))
}

#[cfg(test)]
mod tests {
    use super::super::params::Shipped;
    use super::*;

    fn clock(remaining_ms: u64, increment_ms: u64, moves_to_go: Option<u32>) -> Clock {
        Clock {
            remaining: Duration::from_millis(remaining_ms),
            increment: Duration::from_millis(increment_ms),
            moves_to_go,
        }
    }

    #[test]
    fn the_hard_limit_always_leaves_the_overhead_on_the_clock() {
        for remaining in [150, 200, 1_000, 60_000, 3_600_000] {
            for increment in [0, 10, 1_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    for overhead in [0, 10, 80] {
                        let (soft, hard) = share_of_clock(
                            Shipped,
                            &clock(remaining, increment, moves_to_go),
                            Duration::from_millis(overhead),
                        );
                        assert!(soft <= hard);
                        assert!(hard + Duration::from_millis(overhead) <= Duration::from_millis(remaining));
                    }
                }
            }
        }
    }

    #[test]
    fn a_hundred_milliseconds_without_increment_last_for_many_moves() {
        let mut remaining = 100.0;
        let mut moves = 0;
        while remaining > 1.0 && moves < 200 {
            let (soft, _) =
                share_of_clock(Shipped, &clock(remaining as u64, 0, None), Duration::from_millis(10));
            remaining -= soft.as_secs_f64() * 1000.0;
            moves += 1;
        }
        assert!(moves >= 40, "{moves}");
    }

    #[test]
    fn the_whole_game_fits_when_moves_to_go_count_down() {
        let mut remaining = 10_000.0;
        for moves in (1..=40).rev() {
            let (_, hard) =
                share_of_clock(Shipped, &clock(remaining as u64, 0, Some(moves)), Duration::from_millis(20));
            let (soft, _) =
                share_of_clock(Shipped, &clock(remaining as u64, 0, Some(moves)), Duration::from_millis(20));
            assert!(hard.as_secs_f64() * 1000.0 < remaining);
            remaining -= soft.as_secs_f64() * 1000.0 + 20.0;
            assert!(remaining > 0.0, "{moves} to go");
        }
    }
}
