//! Prefetching of runs for an iterator that reads them one after another.

use crate::io::prefetch;

/// The number of bytes that are prefetched at once. If the iterator goes on, the operating system
/// gets advice for more bytes ([`prefetch`]).
const WINDOW: usize = 16 << 10;

/// The number of runs that are not worth prefetching.
const FEW: usize = 64;

/// Prefetches the runs that an iterator reads next.
#[derive(Clone, Copy)]
pub(super) struct RunsAhead {
    /// The number of bytes after the prefetched bytes. If so many or fewer bytes are left, the next
    /// bytes are prefetched.
    unread: usize,
}

impl RunsAhead {
    /// Makes the state for an iterator that has read nothing, with `runs` runs left.
    #[inline]
    pub(super) const fn new(runs: usize) -> Self {
        Self { unread: if runs <= FEW { 0 } else { usize::MAX } }
    }

    /// Prefetches the next bytes if the iterator has read all prefetched bytes. `rest` are the
    /// bytes that it has not read.
    #[inline]
    pub(super) fn pass(&mut self, rest: &[u8]) {
        if rest.len() <= self.unread {
            self.advise(rest);
        }
    }

    #[cold]
    fn advise(&mut self, rest: &[u8]) {
        let (window, unread) = rest.split_at(rest.len().min(WINDOW));
        prefetch(window);
        self.unread = unread.len();
    }
}
