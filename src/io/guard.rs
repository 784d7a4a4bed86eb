//! A guard for files that are shortened while they are mapped: a handler of the signal SIGBUS.
//!
//! If a program reads a page of a map that the file no longer has, Unix sends the signal SIGBUS to
//! the thread, which ends the process. After [`install`], the signal does not end the process if
//! the page is in a [`Map`](crate::Map) of this crate. The handler notes the offset of the lost
//! page, maps pages of zeros in place of the rest of the map, and lets the thread continue. The
//! thread then reads zeros, and [`Map::check`](crate::Map::check) returns
//! [`ErrorKind::Truncated`](crate::error::ErrorKind::Truncated). Call `check` after each block of
//! work, and discard the results of the block if `check` returns an error.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! meshpeek::io::guard::install()?;
//! // SAFETY: No process writes to the sample while this runs.
//! let map = unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh")? };
//! let model = meshpeek::Model::open(map)?;
//! let bounds = model.bounds()?;
//! if let Some(map) = model.source(0) {
//!     map.check()?; // now `bounds` is known to come from the whole file
//! }
//! # let _ = bounds;
//! # Ok(())
//! # }
//! ```
//!
//! # Other handlers
//!
//! A signal that no map of this crate caused goes to the handler that was installed before, or ends
//! the process as it would have without the guard. A program whose runtime or crash reporter uses
//! SIGBUS (a Java virtual machine, Go, Wasmtime) should install the guard after them. The library
//! never installs the guard unless the program calls [`install`].
//!
//! # Systems
//!
//! | system | effect of a shortened file | with the guard |
//! |---|---|---|
//! | Linux, Android, BSD | SIGBUS | an error of `check` |
//! | macOS | SIGBUS | an error of `check` |
//! | Windows | Windows refuses to shorten a mapped file; a lost network drive ends the process | [`install`] has no effect |
//!
//! A file that is cut within its last page causes no signal: the rest of the page reads as zeros.
//! `check` detects this, because the size of the file has changed.

// Rule: this file makes text of copies only.

/// The maximum number of maps that are guarded at the same time.
///
/// If the guard is installed and this number of maps exists, [`Map::open`](crate::Map::open)
/// returns [`ErrorKind::Limit`](crate::error::ErrorKind::Limit) with the name `maps`.
#[doc(hidden)]
pub const MAX_MAPS: usize = 8192;

/// Installs the handler of SIGBUS for this process. Further calls have no effect.
///
/// The guard covers the maps that are opened after the first call. On systems without SIGBUS, the
/// call has no effect.
///
/// # Errors
///
/// Returns [`ErrorKind::Io`](crate::error::ErrorKind::Io) if the operating system refuses the
/// handler.
pub fn install() -> crate::error::Result<()> {
    signals::install()
}

/// Returns whether [`install`] has installed the handler in this process.
#[must_use]
pub fn is_installed() -> bool {
    signals::is_installed()
}

pub(super) use signals::GuardedRange;

#[cfg(all(unix, not(miri)))]
mod signals {
    use std::io;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};

    use super::MAX_MAPS;
    use crate::error::{Cause, Error, Result};
    use crate::io::advice::page_mask;
    use crate::io::regular_file::FILE;
    use crate::math::as_u64;

    /// The address range of one map. The handler reads all slots, and never waits for a lock.
    struct Slot {
        taken: AtomicBool,
        /// An odd number while `start` and `length` are being changed, and a new even number
        /// afterwards.
        version: AtomicUsize,
        start: AtomicUsize,
        length: AtomicUsize,
        /// The offset of the first lost page plus 1, or 0 if no page was lost.
        lost: AtomicUsize,
    }

    impl Slot {
        const fn free() -> Self {
            Self {
                taken: AtomicBool::new(false),
                version: AtomicUsize::new(0),
                start: AtomicUsize::new(0),
                length: AtomicUsize::new(0),
                lost: AtomicUsize::new(0),
            }
        }

        fn set_range(&self, start: usize, length: usize) {
            self.version.fetch_add(1, Ordering::SeqCst);
            self.start.store(start, Ordering::SeqCst);
            self.length.store(length, Ordering::SeqCst);
            self.version.fetch_add(1, Ordering::SeqCst);
        }

        /// Returns the address and the length of the range, or `None` if another thread is changing
        /// them. The range in which a thread reads is never being changed, because the thread
        /// borrows the map.
        fn range(&self) -> Option<(usize, usize)> {
            let before = self.version.load(Ordering::SeqCst);
            let range = (self.start.load(Ordering::SeqCst), self.length.load(Ordering::SeqCst));
            fence(Ordering::SeqCst);
            (before.is_multiple_of(2) && self.version.load(Ordering::SeqCst) == before).then_some(range)
        }
    }

    static SLOTS: [Slot; MAX_MAPS] = [const { Slot::free() }; MAX_MAPS];
    /// All slots from this index on were never used.
    static USED_SLOTS: AtomicUsize = AtomicUsize::new(0);
    /// The size of a memory page minus 1. The handler must not call `sysconf`.
    static PAGE_MASK: AtomicUsize = AtomicUsize::new(0);
    /// The handler that was installed before, which is never freed.
    static PREVIOUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());
    static INSTALLED: AtomicBool = AtomicBool::new(false);

    /// The address range of a map that the handler guards. Dropping it ends the guard, so it is
    /// dropped before the map is unmapped.
    #[derive(Debug)]
    pub(in crate::io) struct GuardedRange(&'static Slot);

    impl std::fmt::Debug for Slot {
        fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.debug_struct("Slot").field("range", &self.range()).field("lost", &self.lost).finish_non_exhaustive()
        }
    }

    impl GuardedRange {
        /// Guards the bytes of a map. Returns `None` if the guard is not installed.
        pub(in crate::io) fn new(bytes: &[u8]) -> Result<Option<Self>> {
            if !is_installed() || bytes.is_empty() {
                return Ok(None);
            }
            let take =
                |slot: &Slot| slot.taken.compare_exchange(false, true, Ordering::SeqCst, Ordering::Relaxed).is_ok();
            let Some((number, slot)) = SLOTS.iter().enumerate().find(|(_, slot)| take(slot)) else {
                let allowed = as_u64(MAX_MAPS);
                let kind = Cause::Limit { name: "maps", allowed, asked: allowed.saturating_add(1) };
                return Err(Error::without_offset("file", FILE, kind));
            };
            slot.lost.store(0, Ordering::SeqCst);
            slot.set_range(bytes.as_ptr().addr(), bytes.len());
            USED_SLOTS.fetch_max(number.saturating_add(1), Ordering::SeqCst);
            Ok(Some(Self(slot)))
        }

        /// Returns the offset of the first page that was lost, or `None` if no page was lost.
        pub(in crate::io) fn lost(&self) -> Option<u64> {
            self.0.lost.load(Ordering::SeqCst).checked_sub(1).map(as_u64)
        }
    }

    impl Drop for GuardedRange {
        fn drop(&mut self) {
            self.0.set_range(0, 0);
            self.0.taken.store(false, Ordering::SeqCst);
        }
    }

    pub(super) fn is_installed() -> bool {
        INSTALLED.load(Ordering::SeqCst)
    }

    pub(super) fn install() -> Result<()> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _lock = ONE_AT_A_TIME.lock();
        if is_installed() {
            return Ok(());
        }
        PAGE_MASK.store(page_mask(), Ordering::SeqCst);
        let failed = || Err(Error::without_offset("file", FILE, io::Error::last_os_error().into()));
        // SAFETY: `sigaction` reads and writes only the given structures. A zeroed `sigaction` is a
        // valid value of the structure. `on_bus_error` has the signature that `SA_SIGINFO` needs,
        // and calls only functions that a signal handler may call. `PREVIOUS` is set before the
        // handler can run, and its target is never freed.
        unsafe {
            let mut previous: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut previous) != 0 {
                return failed();
            }
            PREVIOUS.store(Box::into_raw(Box::new(previous)), Ordering::SeqCst);
            let mut action: libc::sigaction = std::mem::zeroed();
            let handler: Handler = on_bus_error;
            action.sa_sigaction = address_of(handler);
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            if libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) != 0 {
                return failed();
            }
        }
        INSTALLED.store(true, Ordering::SeqCst);
        Ok(())
    }

    #[allow(clippy::as_conversions, reason = "the system takes the address of a function as an integer")]
    fn address_of(handler: Handler) -> libc::sighandler_t {
        handler as libc::sighandler_t
    }

    /// Returns whether an access caused the signal, and not a process that sent it. Linux gives a
    /// sent signal a code of at most 0, and other systems a code from 0x10001.
    const fn is_fault(code: libc::c_int) -> bool {
        code > 0 && code < 0x1_0000
    }

    type Handler = unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

    /// Handles SIGBUS. The system calls this function in the thread that read the lost page.
    unsafe extern "C" fn on_bus_error(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: With `SA_SIGINFO`, the system passes a valid `siginfo_t`.
        let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
        // A signal that a process sent has no address.
        if is_fault(code) && replace_lost_pages(address) {
            return;
        }
        // SAFETY: The arguments are those that the system passed.
        unsafe { call_previous(signal, code, info, context) };
    }

    /// Maps zeros in place of the lost page at `address` and of all pages of the map after it.
    /// Returns `false` if the address is in no guarded map, or if the system refuses the new pages.
    fn replace_lost_pages(address: usize) -> bool {
        let mask = PAGE_MASK.load(Ordering::SeqCst);
        let page = address & !mask;
        for slot in SLOTS.iter().take(USED_SLOTS.load(Ordering::SeqCst)) {
            let Some((start, length)) = slot.range() else { continue };
            if address.wrapping_sub(start) >= length {
                continue;
            }
            // The offset is noted before the zeros can be read. In the other order, another thread
            // could read zeros and find no lost page afterwards.
            let lost = page.wrapping_sub(start).wrapping_add(1);
            let earlier = |noted: usize| (noted == 0 || lost < noted).then_some(lost);
            let _ = slot.lost.fetch_update(Ordering::SeqCst, Ordering::SeqCst, earlier);
            let end = start.wrapping_add(length).wrapping_add(mask) & !mask;
            let (flags, rest) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED, end.wrapping_sub(page));
            let place = std::ptr::without_provenance_mut::<libc::c_void>(page);
            // SAFETY: The pages from `page` to `end` are the rest of a live private map that is
            // only read. References into it stay valid: the new pages can be read, too. The thread
            // that reads them borrows the map, so the map is not unmapped meanwhile.
            let mapped = unsafe { libc::mmap(place, rest, libc::PROT_READ, flags, -1, 0) };
            return mapped.addr() == page;
        }
        false
    }

    /// Passes the signal to the handler that was installed before.
    ///
    /// # Safety
    ///
    /// The arguments must be those that the system passed to [`on_bus_error`].
    unsafe fn call_previous(
        signal: libc::c_int,
        code: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        let previous = PREVIOUS.load(Ordering::SeqCst);
        // SAFETY: `install` sets `PREVIOUS` before it installs the handler, and the structure is
        // never freed. The system or another handler wrote the function into it, with the
        // signature that `SA_SIGINFO` tells. `sigaction` and `raise` may be called in a handler.
        unsafe {
            let (function, flags) = ((*previous).sa_sigaction, (*previous).sa_flags);
            if function == libc::SIG_IGN && !is_fault(code) {
                return;
            }
            if function == libc::SIG_DFL || function == libc::SIG_IGN {
                // With the default action, the repeated access ends the process, and a core dump
                // shows the place. A signal that a process sent is not repeated, so it is raised.
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const default, std::ptr::null_mut());
                if !is_fault(code) {
                    libc::raise(signal);
                }
            } else if flags & libc::SA_SIGINFO == 0 {
                let function = std::mem::transmute::<libc::sighandler_t, unsafe extern "C" fn(libc::c_int)>(function);
                function(signal);
            } else {
                let function = std::mem::transmute::<libc::sighandler_t, Handler>(function);
                function(signal, info, context);
            }
        }
    }
}

#[cfg(not(all(unix, not(miri))))]
mod signals {
    /// The address range of a map that the handler guards. On this system no range is guarded.
    #[derive(Debug)]
    pub(in crate::io) enum GuardedRange {}

    impl GuardedRange {
        #[allow(clippy::unnecessary_wraps, reason = "the call can fail on other systems")]
        pub(in crate::io) const fn new(_bytes: &[u8]) -> crate::error::Result<Option<Self>> {
            Ok(None)
        }

        pub(in crate::io) const fn lost(&self) -> Option<u64> {
            match *self {}
        }
    }

    pub(super) const fn is_installed() -> bool {
        false
    }

    #[allow(clippy::unnecessary_wraps, reason = "the call can fail on other systems")]
    pub(super) const fn install() -> crate::error::Result<()> {
        Ok(())
    }
}

/// Returns whether this process ignores a signal, as after a start by `nohup`.
#[cfg(all(unix, feature = "cli"))]
pub(crate) fn is_signal_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: Without a new action, the call only fills the old one, for which all bits zero are
    // valid.
    let (found, action) = unsafe {
        let found = libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        (found, action.assume_init())
    };
    found == 0 && action.sa_sigaction == libc::SIG_IGN
}
