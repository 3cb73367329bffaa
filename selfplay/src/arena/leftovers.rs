//! What an engine started and left behind, found by a mark in its environment.
//!
//! An engine has a process group of its own, and ending the group ends its children. A child that began a session of
//! its own (a daemon) is in no group of ours any more; but it inherited the environment, in which every engine has a
//! mark that no other process has. Only a child that was started with an emptied environment escapes.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that holds the mark.
const VARIABLE: &str = "TABULA_ENGINE_PROCESS";

/// A mark of one engine process.
pub struct Mark(String);

impl Mark {
    /// Marks a process that is about to start, and everything it will start.
    pub fn put_on(command: &mut Command) -> Mark {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mark = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        command.env(VARIABLE, &mark);
        Mark(mark)
    }

    /// Ends every process that has the mark.
    #[cfg(target_os = "linux")]
    pub fn kill_all(&self) {
        use nix::sys::signal::{SIGKILL, kill};
        use nix::unistd::Pid;

        /// One that is just being started may be missed by a look, and is found by the next.
        const MOST_LOOKS: usize = 10;
        for _ in 0..MOST_LOOKS {
            let marked = self.processes();
            if marked.is_empty() {
                return;
            }
            for id in marked {
                // An error means that it has ended by itself.
                let _ = kill(Pid::from_raw(id), SIGKILL);
            }
        }
    }

    /// Elsewhere no process can see the environment of another.
    #[cfg(not(target_os = "linux"))]
    pub fn kill_all(&self) {}

    /// Zombies have no environment, so what has ended is not among them.
    #[cfg(target_os = "linux")]
    fn processes(&self) -> Vec<i32> {
        let entry = format!("{VARIABLE}={}", self.0);
        let is_marked = |id: i32| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == entry.as_bytes())
        };
        let folders = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        folders
            .filter_map(|folder| folder.file_name().to_str()?.parse().ok())
            .filter(|&id| is_marked(id))
            .collect()
    }
}
