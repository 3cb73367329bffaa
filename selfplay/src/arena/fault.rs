//! What an engine can do wrong.

/// A fault that loses the game for the engine that commits it, and gets its process replaced.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The process ended, or its pipes did.
    #[error("crashed: {0}")]
    Crash(String),
    /// No answer for so long that it was killed.
    #[error("hung: {0}")]
    Hang(String),
    /// A move that the rules forbid.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// An answer that is no move at all.
    #[error("garbage: {0}")]
    Garbage(String),
}

/// Why a player gave no move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoMove {
    /// It is at fault.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The match is being stopped: nobody is at fault and the game does not count.
    #[error("the match was stopped")]
    Stopped,
}
