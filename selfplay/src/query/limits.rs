//! What a query may cost, and how it is stopped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Why a query ended before its source did.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Halt {
    /// Somebody pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// Walks, searches and perft visited more positions than allowed.
    #[error(
        "walks, searches and perft visited more than {0} positions; shorten or prune them, `take` fewer rows \
         before them, or allow more with --budget"
    )]
    Budget(u64),
    /// More rows than memory should hold.
    #[error("more than {0} rows or groups to keep; add `where` or `take`, or allow more with --rows")]
    Rows(usize),
}

/// Bounds that all threads share.
#[derive(Debug)]
pub struct Limits {
    /// Rows and groups to keep.
    pub rows: usize,
    /// Positions that walks, searches and perft may visit.
    pub budget: u64,
    spent: AtomicU64,
    stop: AtomicBool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::new(1_000_000, 10_000_000_000)
    }
}

impl Limits {
    /// With so many rows and so many positions.
    pub const fn new(rows: usize, budget: u64) -> Limits {
        Limits { rows, budget, spent: AtomicU64::new(0), stop: AtomicBool::new(false) }
    }

    /// Asks all threads to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Forgets what was spent, and that somebody asked to stop.
    pub fn reset(&self) {
        self.stop.store(false, Ordering::Relaxed);
        self.spent.store(0, Ordering::Relaxed);
    }

    /// An error if somebody asked to stop.
    pub fn check(&self) -> Result<(), Halt> {
        if self.stop.load(Ordering::Relaxed) { Err(Halt::Interrupted) } else { Ok(()) }
    }

    /// Counts positions that were visited.
    pub fn spend(&self, positions: u64) -> Result<(), Halt> {
        let spent = self.spent.fetch_add(positions, Ordering::Relaxed).saturating_add(positions);
        if spent > self.budget { Err(Halt::Budget(self.budget)) } else { self.check() }
    }

    /// Positions that may still be visited.
    pub fn left(&self) -> u64 {
        self.budget.saturating_sub(self.spent.load(Ordering::Relaxed))
    }
}
