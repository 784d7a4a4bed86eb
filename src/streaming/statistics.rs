//! The numbers that a streamer counts.

/// The work for one request, or for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The number of bytes that requests needed and that were neither resident nor being loaded.
    pub wanted: u64,
    /// The number of bytes that were read from the disk or from another source.
    pub read: u64,
    /// The number of bytes that compressed blocks were inflated to.
    pub inflated: u64,
    /// The number of bytes that were mapped or decoded.
    pub touched: u64,
    /// The time in which a worker waited for bytes, in microseconds.
    pub stalled: u64,
    /// The number of bytes that were evicted.
    pub evicted: u64,
}

impl Work {
    /// Adds other work to this.
    #[doc(hidden)]
    pub fn add(&mut self, other: &Self) {
        let Self { wanted, read, inflated, touched, stalled, evicted } = self;
        *wanted = wanted.saturating_add(other.wanted);
        *read = read.saturating_add(other.read);
        *inflated = inflated.saturating_add(other.inflated);
        *touched = touched.saturating_add(other.touched);
        *stalled = stalled.saturating_add(other.stalled);
        *evicted = evicted.saturating_add(other.evicted);
    }
}

/// What a streamer has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of requests.
    pub requests: u64,
    /// The number of requests that ended with [`StreamOutcome::Done`](super::StreamOutcome::Done).
    pub done: u64,
    /// The number of requests that ended with [`StreamOutcome::Failed`](super::StreamOutcome::Failed).
    pub failed: u64,
    /// The number of requests that ended with [`StreamOutcome::Cancelled`](super::StreamOutcome::Cancelled).
    pub cancelled: u64,
    /// The work for all requests.
    pub work: Work,
    /// The number of bytes of resident items, and of items that are being published.
    pub resident: u64,
    /// The greatest value that `resident` had.
    pub peak_resident: u64,
    /// The number of polls that found loaded items, but no items to evict for them.
    pub full_polls: u64,
    /// The number of polls that left the results of the workers to the next poll, because a worker
    /// was changing the list.
    pub contended_polls: u64,
}
