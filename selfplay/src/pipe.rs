//! When nobody reads what a program prints.

/// From now on a program whose reader goes away (`… | head`) ends, as other programs do; without this, printing
/// would panic. Not for programs that write to pipes of their own: a dead engine there is a result to record.
pub fn end_when_nobody_reads() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigHandler, Signal, signal};
        // SAFETY: the default action runs no code of ours.
        let _ = unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) };
    }
}
