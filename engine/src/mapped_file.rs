//! A file mapped into memory that may become shorter while it is in use.
//!
//! Our own programs replace files by renaming, but another program may cut one short in place. Reading a page that
//! no longer exists raises `SIGBUS`, which ends a process. Here a handler puts a page of zeros in its place and notes
//! that the file was cut: the reader finds nothing, says so, and the engine plays on.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;

use crate::regular_file;

/// The bytes of a regular file, read when they are touched.
pub struct MappedFile {
    map: Mmap,
    file: File,
    /// Shared with the signal handler, hence never freed: a few bytes a file that was ever opened.
    watch: &'static Watch,
    told: AtomicBool,
}

/// What the signal handler knows of a map.
struct Watch {
    from: usize,
    to: usize,
    /// Cleared before the memory is given back.
    is_mapped: AtomicBool,
    was_cut: AtomicBool,
    next: Option<&'static Watch>,
}

impl MappedFile {
    /// Maps a regular file. An empty one has no bytes.
    pub fn open(path: &Path) -> io::Result<MappedFile> {
        let file = regular_file::open(path)?;
        // SAFETY: the map is only read, and its readers take any bytes: they check what they read before they rely on
        // it. A file that is cut short is caught by the handler that `watch` installs.
        let map = unsafe { Mmap::map(&file)? };
        let watch = guard::watch(map.as_ptr() as usize, map.len())?;
        Ok(MappedFile { map, file, watch, told: AtomicBool::new(false) })
    }

    /// Says that places will be read in no order.
    pub fn advise_random(&self) {
        // Only a hint.
        #[cfg(unix)]
        let _ = self.map.advise(memmap2::Advice::Random);
    }

    /// Whether a page was touched that the file no longer has.
    #[inline]
    pub fn was_cut(&self) -> bool {
        self.watch.was_cut.load(Ordering::Relaxed)
    }

    /// Whether the file has become shorter, touched or not.
    pub fn is_cut(&self) -> bool {
        self.was_cut() || self.file.metadata().is_ok_and(|now| now.len() < self.map.len() as u64)
    }

    /// True once, after the file has become shorter.
    pub fn is_newly_cut(&self) -> bool {
        self.is_cut() && !self.told.swap(true, Ordering::Relaxed)
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        self.watch.is_mapped.store(false, Ordering::Release);
    }
}

/// The handler of `SIGBUS`, and the list of maps it looks at.
#[cfg(unix)]
mod guard {
    use std::io;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Mutex, OnceLock, PoisonError};

    use super::Watch;

    /// The newest watch. The list only grows, so that the handler can walk it without a lock.
    static WATCHES: AtomicPtr<Watch> = AtomicPtr::new(std::ptr::null_mut());
    /// Who dealt with the signal before us.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
    static PAGE: AtomicUsize = AtomicUsize::new(4096);

    pub(super) fn watch(from: usize, len: usize) -> io::Result<&'static Watch> {
        static GROWING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = GROWING.lock().unwrap_or_else(PoisonError::into_inner);
        install()?;
        // SAFETY: null, or a watch that was leaked below.
        let next = unsafe { WATCHES.load(Ordering::Acquire).as_ref() };
        let is_mapped = AtomicBool::new(true);
        let was_cut = AtomicBool::new(false);
        let watch: &'static Watch =
            Box::leak(Box::new(Watch { from, to: from + len, is_mapped, was_cut, next }));
        WATCHES.store(std::ptr::from_ref(watch).cast_mut(), Ordering::Release);
        Ok(watch)
    }

    fn install() -> io::Result<()> {
        if BEFORE.get().is_some() {
            return Ok(());
        }
        let succeeded = |code: libc::c_int| if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
        // SAFETY: plain calls of the C library with pointers to live values; all zeros is a valid `sigaction`. The
        // handler does only what a signal handler may do, and runs on the alternate stack where a thread has one.
        unsafe {
            PAGE.store((libc::sysconf(libc::_SC_PAGESIZE) as usize).max(1), Ordering::Relaxed);
            let mut before: libc::sigaction = std::mem::zeroed();
            succeeded(libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut before))?;
            BEFORE.get_or_init(|| before);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_bus_error as extern "C" fn(_, _, _) as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            succeeded(libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut()))
        }
    }

    /// Runs in the thread that touched the page, in the middle of anything: only atomics and system calls.
    extern "C" fn on_bus_error(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the kernel hands us a valid `info`, and a `SIGBUS` has an address. The list holds leaked watches.
        let (address, mut next) =
            unsafe { ((*info).si_addr() as usize, WATCHES.load(Ordering::Acquire).as_ref()) };
        while let Some(watch) = next {
            let is_here =
                (watch.from..watch.to).contains(&address) && watch.is_mapped.load(Ordering::Acquire);
            if is_here && put_zeros(address) {
                watch.was_cut.store(true, Ordering::Relaxed);
                return;
            }
            next = watch.next;
        }
        // Not ours: whoever was here before us gets the signal when the instruction is tried again.
        if let Some(before) = BEFORE.get() {
            // SAFETY: `before` came from the same call.
            unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
        }
    }

    /// Puts a page of zeros in the place of one that is gone.
    fn put_zeros(address: usize) -> bool {
        let page = PAGE.load(Ordering::Relaxed);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let place = (address - address % page) as *mut libc::c_void;
        // SAFETY: the page lies in a map of ours that is only ever read and outlives its readers. Nothing was
        // readable there, so nothing is lost.
        unsafe { libc::mmap(place, page, libc::PROT_READ, flags, -1, 0) != libc::MAP_FAILED }
    }
}

/// Elsewhere a file that is mapped cannot be cut short.
#[cfg(not(unix))]
mod guard {
    use super::{AtomicBool, Watch, io};

    pub(super) fn watch(from: usize, len: usize) -> io::Result<&'static Watch> {
        let (is_mapped, was_cut) = (AtomicBool::new(true), AtomicBool::new(false));
        Ok(Box::leak(Box::new(Watch { from, to: from + len, is_mapped, was_cut, next: None })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_cut_short_reads_as_zeros_and_says_so_once() {
        let path = std::env::temp_dir().join(format!("tabula mapped file {}", std::process::id()));
        std::fs::write(&path, vec![7; 100_000]).unwrap();
        let mapped = MappedFile::open(&path).unwrap();
        let other = MappedFile::open(&path).unwrap();
        assert_eq!((mapped.len(), mapped[99_999], mapped.is_cut()), (100_000, 7, false));
        File::options().write(true).open(&path).unwrap().set_len(10_000).unwrap();
        assert!(mapped.is_cut() && !mapped.was_cut(), "seen by its length before a page is touched");
        let sum: u64 = mapped.iter().map(|&byte| u64::from(byte)).sum();
        assert_eq!(sum, 70_000, "what is left, and zeros");
        assert!(mapped.was_cut() && !other.was_cut(), "each map for itself");
        assert_eq!((mapped.is_newly_cut(), mapped.is_newly_cut()), (true, false));
        drop(mapped);
        assert_eq!(other[50_000], 0);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn an_empty_file_has_no_bytes_and_a_folder_is_refused() {
        let path = std::env::temp_dir().join(format!("tabula empty mapped file {}", std::process::id()));
        std::fs::write(&path, b"").unwrap();
        assert!(MappedFile::open(&path).unwrap().is_empty());
        std::fs::remove_file(&path).unwrap();
        assert!(MappedFile::open(&std::env::temp_dir()).is_err());
    }
}
