//! What the process has used so far.

/// CPU seconds of all threads, user and system. Unlike wall time they do not depend on who else is busy.
#[cfg(unix)]
pub fn cpu_seconds() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    getrusage(UsageWho::RUSAGE_SELF).map_or(0.0, |usage| {
        (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
    })
}

/// The most memory it ever held, in bytes.
#[cfg(unix)]
pub fn peak_memory() -> u64 {
    use nix::sys::resource::{UsageWho, getrusage};
    // Linux counts in kilobytes.
    getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.max_rss() as u64 * 1024)
}

/// Wall time, where the system does not say.
#[cfg(not(unix))]
pub fn cpu_seconds() -> f64 {
    static BEGAN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGAN.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// Unknown, where the system does not say.
#[cfg(not(unix))]
pub fn peak_memory() -> u64 {
    0
}

/// Gives memory that was freed back to the system. glibc keeps what lies below some megabytes: after the positions were read
/// that is a tenth of what they take.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        nix::libc::malloc_trim(0);
    }
}
