//! The transposition table: what earlier searches found out about a position.
//!
//! Shared by all threads without locks. Entries are eight bytes of data and a sixteen-bit check; three
//! of them make a cluster that fills half a cache line. The check is mixed with the data, so an entry
//! torn by two threads writing at once is seen as a miss instead of being believed.

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use memmap2::{Advice, MmapOptions, MmapRaw};

use crate::board::zobrist::Key;
use crate::cpu::prefetch;
use crate::types::{Move, Value, value};

/// What kind of truth a stored value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Bound {
    /// No value, only a static evaluation.
    None = 0,
    /// The true value is at most this.
    Upper = 1,
    /// The true value is at least this.
    Lower = 2,
    /// This is the value.
    Exact = 3,
}

impl Bound {
    /// Whether the true value is known to be at least the stored one.
    #[inline(always)]
    pub fn is_lower(self) -> bool {
        self as u8 & Bound::Lower as u8 != 0
    }

    /// Whether the true value is known to be at most the stored one.
    #[inline(always)]
    pub fn is_upper(self) -> bool {
        self as u8 & Bound::Upper as u8 != 0
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best or refuting move, not yet checked for legality.
    pub best: Option<Move>,
    /// The search value, mates counted from the root of the reader; `value::NONE` if there is none.
    pub value: Value,
    /// The static evaluation, uncorrected; `value::NONE` if in check.
    pub eval: Value,
    /// How deep the value was searched.
    pub depth: i32,
    /// What the value means.
    pub bound: Bound,
    /// Whether the position was ever on a principal variation.
    pub was_pv: bool,
}

const AGES: u8 = 32;
/// Depths are stored as a byte; quiescence goes a little below zero.
const DEPTH_OFFSET: i32 = 7;

/// Layout of the eight bytes, low to high: move 16, value 16, eval 16, depth 8, bound 2, pv 1, age 5.
#[derive(Clone, Copy)]
struct Packed(u64);

impl Packed {
    fn new(entry: &Entry, stored_value: Value, age: u8) -> Packed {
        let best = entry.best.map_or(0, Move::bits);
        let depth = (entry.depth + DEPTH_OFFSET).clamp(1, 255) as u64; // zero means empty
        let flags = entry.bound as u64 | u64::from(entry.was_pv) << 2 | u64::from(age) << 3;
        Packed(
            u64::from(best)
                | u64::from(stored_value as i16 as u16) << 16
                | u64::from(entry.eval as i16 as u16) << 32
                | depth << 48
                | flags << 56,
        )
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn best(self) -> Option<Move> {
        Move::from_bits(self.0 as u16)
    }

    fn value(self) -> Value {
        Value::from((self.0 >> 16) as u16 as i16)
    }

    fn eval(self) -> Value {
        Value::from((self.0 >> 32) as u16 as i16)
    }

    fn depth(self) -> i32 {
        i32::from((self.0 >> 48) as u8) - DEPTH_OFFSET
    }

    fn bound(self) -> Bound {
        match (self.0 >> 56) & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        }
    }

    fn was_pv(self) -> bool {
        self.0 >> 58 & 1 != 0
    }

    fn age(self) -> u8 {
        (self.0 >> 59) as u8
    }

    /// The sixteen-bit check of this data under a key.
    fn check(self, key: Key) -> u16 {
        let folded = self.0 ^ self.0 >> 32;
        key as u16 ^ (folded ^ folded >> 16) as u16
    }
}

const ENTRIES: usize = 3;

#[repr(C, align(32))]
struct Cluster {
    data: [AtomicU64; ENTRIES],
    checks: [AtomicU16; ENTRIES],
}

const _: () = assert!(size_of::<Cluster>() == 32);

/// Why a table of the size asked for cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// The system says that the memory is not there.
    #[error(
        "Hash {wanted} MB does not fit: {available} MB of memory are available; the table stays at {kept} MB"
    )]
    TooLarge {
        /// What was asked for, in MB.
        wanted: usize,
        /// What the system has left, in MB.
        available: usize,
        /// The size still in use, in MB.
        kept: usize,
    },
    /// The system refused.
    #[error("the system refuses {wanted} MB for Hash ({cause}); the table stays at {kept} MB")]
    Refused {
        /// What was asked for, in MB.
        wanted: usize,
        /// What it said.
        cause: std::io::Error,
        /// The size still in use, in MB.
        kept: usize,
    },
}

/// The table.
pub struct Table {
    /// Zero pages from the system: they cost nothing until they are used. Raw, because a pointer that came
    /// from a shared slice must not be written through, not even by atomics.
    memory: MmapRaw,
    clusters: usize,
    megabytes: usize,
    age: u8,
    /// Whether a deep entry of an earlier search is kept against a shallow one of the same position.
    keep_deep: bool,
}

impl Table {
    /// A table that takes at most this many megabytes.
    pub fn new(megabytes: usize) -> Result<Table, HashError> {
        let megabytes = megabytes.max(1);
        let bytes = megabytes << 20;
        let memory = MmapOptions::new().len(bytes).map_anon().map_err(|cause| HashError::Refused {
            wanted: megabytes,
            cause,
            kept: 0,
        })?;
        // Fewer, larger pages spare the CPU most of its address look-ups. A wish, not a need.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = memory.advise(Advice::HugePage);
        Ok(Table {
            memory: memory.into(),
            clusters: bytes / size_of::<Cluster>(),
            megabytes,
            age: 0,
            keep_deep: false,
        })
    }

    /// Changes the size, forgetting everything. The old table is given back first, so that the two
    /// never stand beside each other; if the new one cannot be had, the size stays.
    pub fn resize(&mut self, megabytes: usize) -> Result<(), HashError> {
        let kept = self.megabytes;
        if let Some(available) = available_megabytes()
            && megabytes > available + kept
        {
            return Err(HashError::TooLarge { wanted: megabytes, available: available + kept, kept });
        }
        self.replace_with(1)?;
        self.replace_with(megabytes).or_else(|error| {
            self.replace_with(kept)?;
            Err(match error {
                HashError::Refused { wanted, cause, .. } => HashError::Refused { wanted, cause, kept },
                other => other,
            })
        })
    }

    fn replace_with(&mut self, megabytes: usize) -> Result<(), HashError> {
        *self = Table::new(megabytes)?;
        Ok(())
    }

    /// The size in megabytes.
    pub fn megabytes(&self) -> usize {
        self.megabytes
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        // Fresh zero pages are quicker than writing zeros, and give the memory back meanwhile.
        if self.replace_with(self.megabytes).is_err() {
            // SAFETY: the mapping is that many clusters long, and nobody else holds the table.
            unsafe { self.memory.as_mut_ptr().cast::<Cluster>().write_bytes(0, self.clusters) };
        }
    }

    /// Marks the beginning of a search: older entries give way first.
    pub fn new_search(&mut self, keep_deep: bool) {
        self.age = (self.age + 1) % AGES;
        self.keep_deep = keep_deep;
    }

    #[inline(always)]
    fn clusters(&self) -> &[Cluster] {
        // SAFETY: the mapping is page-aligned, that many clusters long, zeroed (zero is a valid atomic) and only
        // ever touched through atomics.
        unsafe { std::slice::from_raw_parts(self.memory.as_mut_ptr().cast::<Cluster>(), self.clusters) }
    }

    #[inline(always)]
    fn cluster(&self, key: Key) -> &Cluster {
        let index = ((u128::from(key) * self.clusters as u128) >> 64) as usize;
        // SAFETY: a fraction below one of all clusters is below their number.
        unsafe { self.clusters().get_unchecked(index) }
    }

    /// Asks for the cluster of a key ahead of time.
    #[inline(always)]
    pub fn prefetch(&self, key: Key) {
        prefetch(self.cluster(key));
    }

    /// What is known about a position, `ply` plies from the root.
    #[inline]
    pub fn probe(&self, key: Key, ply: usize) -> Option<Entry> {
        let cluster = self.cluster(key);
        for slot in 0..ENTRIES {
            let data = Packed(cluster.data[slot].load(Ordering::Relaxed));
            if cluster.checks[slot].load(Ordering::Relaxed) == data.check(key) && !data.is_empty() {
                return Some(Entry {
                    best: data.best(),
                    value: from_stored(data.value(), ply),
                    eval: data.eval(),
                    depth: data.depth(),
                    bound: data.bound(),
                    was_pv: data.was_pv(),
                });
            }
        }
        None
    }

    /// Remembers what was found out about a position, `ply` plies from the root.
    #[inline]
    pub fn store(&self, key: Key, ply: usize, mut entry: Entry) {
        let cluster = self.cluster(key);
        // The same position, else an empty slot, else the one that is worth least: shallow and old.
        let mut victim = 0;
        let mut least = i32::MAX;
        for slot in 0..ENTRIES {
            let data = Packed(cluster.data[slot].load(Ordering::Relaxed));
            if data.is_empty() {
                victim = slot;
                break;
            }
            if cluster.checks[slot].load(Ordering::Relaxed) == data.check(key) {
                // Keep what is deeper (and of this search, if only that is kept), unless the new value is exact.
                if entry.bound != Bound::Exact
                    && (self.keep_deep || data.age() == self.age)
                    && entry.depth + 4 + 2 * i32::from(entry.was_pv) <= data.depth()
                {
                    return;
                }
                entry.best = entry.best.or(data.best());
                victim = slot;
                break;
            }
            let age = (AGES + self.age - data.age()) % AGES;
            let worth = data.depth() - 8 * i32::from(age);
            if worth < least {
                least = worth;
                victim = slot;
            }
        }
        let packed = Packed::new(&entry, to_stored(entry.value, ply), self.age);
        cluster.data[victim].store(packed.0, Ordering::Relaxed);
        cluster.checks[victim].store(packed.check(key), Ordering::Relaxed);
    }

    /// How full the table is with entries of this search, in thousandths.
    pub fn permille_full(&self) -> u32 {
        let sample = &self.clusters()[..self.clusters.min(1000)];
        let entries = sample.iter().flat_map(|cluster| &cluster.data);
        let used = entries
            .map(|data| Packed(data.load(Ordering::Relaxed)))
            .filter(|data| !data.is_empty() && data.age() == self.age)
            .count();
        (used * 1000 / (sample.len() * ENTRIES)) as u32
    }
}

/// Mates and tablebase wins are stored as seen from the position itself, not from the root.
fn to_stored(v: Value, ply: usize) -> Value {
    if v == value::NONE {
        v
    } else if v >= value::TB_WIN_IN_MAX {
        v + ply as Value
    } else if v <= -value::TB_WIN_IN_MAX {
        v - ply as Value
    } else {
        v
    }
}

fn from_stored(v: Value, ply: usize) -> Value {
    if v == value::NONE {
        v
    } else if v >= value::TB_WIN_IN_MAX {
        v - ply as Value
    } else if v <= -value::TB_WIN_IN_MAX {
        v + ply as Value
    } else {
        v
    }
}

/// Memory that the system could still give, as far as it tells.
fn available_megabytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::zobrist::splitmix64;
    use crate::types::{MoveKind, Square};

    fn random_entry(state: &mut u64) -> Entry {
        let mut next = |n: u64| splitmix64(state) % n;
        let from = next(64) as usize;
        let best = (from != 0).then(|| {
            Move::new(
                Square::from_index(from),
                Square::from_index((from + 1 + next(62) as usize) % 64),
                MoveKind::Quiet,
            )
        });
        let bound = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact][next(4) as usize];
        Entry {
            best: best.filter(|m| m.from() != m.to()),
            value: next(64_001) as Value - 32_000,
            eval: next(60_001) as Value - 30_000,
            depth: next(130) as i32 - 5,
            bound,
            was_pv: next(2) == 1,
        }
    }

    #[test]
    fn packing_round_trips() {
        let mut state = 5;
        for _ in 0..if cfg!(miri) { 100 } else { 100_000 } {
            let entry = random_entry(&mut state);
            let age = (splitmix64(&mut state) % u64::from(AGES)) as u8;
            let packed = Packed::new(&entry, entry.value, age);
            assert_eq!(
                (
                    packed.best(),
                    packed.value(),
                    packed.eval(),
                    packed.depth(),
                    packed.bound(),
                    packed.was_pv(),
                    packed.age()
                ),
                (entry.best, entry.value, entry.eval, entry.depth, entry.bound, entry.was_pv, age)
            );
            assert!(!packed.is_empty());
        }
    }

    #[test]
    fn what_was_stored_is_found_and_mates_move_with_the_ply() {
        let mut table = Table::new(1).unwrap();
        table.new_search(false);
        let mut state = 9;
        for _ in 0..if cfg!(miri) { 100 } else { 10_000 } {
            let key = splitmix64(&mut state);
            let entry = Entry { bound: Bound::Exact, ..random_entry(&mut state) };
            let value = entry.value.clamp(-31_800, 31_800);
            table.store(key, 3, Entry { value, ..entry });
            let found = table.probe(key, 3).unwrap();
            assert_eq!(found.value, value);
            assert_eq!(found.bound, Bound::Exact);
        }
        table.store(
            42,
            5,
            Entry {
                best: None,
                value: value::mate_in(9),
                eval: 0,
                depth: 4,
                bound: Bound::Exact,
                was_pv: false,
            },
        );
        assert_eq!(table.probe(42, 5).unwrap().value, value::mate_in(9));
        assert_eq!(table.probe(42, 1).unwrap().value, value::mate_in(5));
        table.clear();
        assert!(table.probe(42, 5).is_none());
    }

    #[test]
    fn a_torn_entry_is_a_miss() {
        let table = Table::new(1).unwrap();
        let mut state = 3;
        let mut believed = 0;
        for _ in 0..if cfg!(miri) { 100 } else { 20_000 } {
            let key = splitmix64(&mut state);
            table.store(key, 0, random_entry(&mut state));
            let cluster = table.cluster(key);
            let slot = (0..ENTRIES).find(|&slot| {
                let data = Packed(cluster.data[slot].load(Ordering::Relaxed));
                cluster.checks[slot].load(Ordering::Relaxed) == data.check(key)
            });
            // Another thread's data under our check.
            cluster.data[slot.unwrap()].store(splitmix64(&mut state), Ordering::Relaxed);
            believed += usize::from(table.probe(key, 0).is_some());
            cluster.data[slot.unwrap()].store(0, Ordering::Relaxed);
        }
        assert!(believed <= 5, "{believed} of 20000 torn entries were believed; chance allows about 1");
    }

    /// Four writers and readers on a handful of clusters: whatever is found was stored whole. Miri runs
    /// it too (`scripts/miri`), and would see a data race.
    #[test]
    fn threads_never_read_what_nobody_wrote() {
        let table = Table::new(1).unwrap();
        let rounds = if cfg!(miri) { 200 } else { 200_000 };
        // Every field follows from the key, so that a reader can check them.
        let entry_of = |key: u64| Entry {
            best: None,
            value: (key >> 8) as i32 % 1000,
            eval: (key >> 20) as i32 % 1000,
            depth: (key >> 30) as i32 % 60,
            bound: Bound::Exact,
            was_pv: false,
        };
        let wrong: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|worker| {
                    let table = &table;
                    scope.spawn(move || {
                        let mut state = worker % 2;
                        let mut wrong = 0;
                        for _ in 0..rounds {
                            // The same few clusters for everybody: the high bits choose them.
                            let key = splitmix64(&mut state) % 0x0004_0000_0000_0000;
                            wrong +=
                                usize::from(table.probe(key, 0).is_some_and(|found| found != entry_of(key)));
                            table.store(key, 0, entry_of(key));
                        }
                        wrong
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        // Sixteen bits of check: one in 65,536 probes of a full cluster may be deceived.
        assert!(wrong <= 4 * 3 * rounds / 20_000 + 1, "{wrong} entries were read that nobody wrote");
    }

    #[test]
    fn a_size_that_does_not_fit_is_refused_and_the_old_one_stays() {
        let mut table = Table::new(2).unwrap();
        let error = table.resize(1 << 40).unwrap_err();
        assert!(error.to_string().contains("stays at 2 MB"), "{error}");
        assert_eq!(table.megabytes(), 2);
        table.resize(3).unwrap();
        assert_eq!(table.megabytes(), 3);
    }
}
