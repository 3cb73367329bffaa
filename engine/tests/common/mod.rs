//! What the tests share: where data lies, how much to do, how to use all cores, and random games.
#![allow(dead_code)] // each test file uses its own part

pub mod driven_engine;
pub mod file_properties;
pub mod text_properties;
pub mod walk;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A file of the test data in this repository.
pub fn own_data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A folder of data that is not part of the repository: beside the checkout, or where `TABULA_SHARED`
/// says. `None`, with a line that says so, when it is not there.
pub fn shared_data(folder: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("TABULA_SHARED") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    let path = root.join("data").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no {} (set TABULA_SHARED to the folder that holds data/{folder})", path.display());
    None
}

/// A number from the environment, or its default.
pub fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is '{text}'; expected a number")),
        Err(_) => default,
    }
}

/// Does `work` for every index below `count`, on all cores, and gives the results in order.
pub fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let take_work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, work(index)));
        }
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(take_work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("the work itself panicked")).collect()
    });
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}
