//! The options of a streamer.

use crate::parse::options;

options! {
    /// The options of a [`Streamer`](super::Streamer). All memory that depends on them is allocated
    /// when the streamer is made.
    ///
    /// ```
    /// use meshpeek::streaming::StreamOptions;
    /// let options = StreamOptions::default().with_workers(4).with_budget(256 << 20);
    /// # let _ = options;
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct StreamOptions {
        /// The greatest number of bytes that resident items take: 512 MiB by default.
        budget: u64 = 512 << 20, pub with_budget;
        /// The part of `budget` that only pinned items take, in bytes: 0 by default. Coarse levels
        /// then find room although detailed ones that are drawn take the rest. Make the requests
        /// for them more urgent than others, because a less urgent request waits.
        pinned_budget: u64 = 0, pub with_pinned_budget;
        /// The number of threads that load items: 2 by default. With 0, no thread is started, and
        /// [`Streamer::step`](super::Streamer::step) loads the items.
        workers: usize = 2, pub with_workers;
        /// Whether the workers run with a lower priority than the thread that made the streamer:
        /// `true` by default. On a busy processor, the thread that draws then runs first. Only
        /// Linux has such a priority.
        lower_priority: bool = true, pub with_lower_priority;
        /// The greatest number of requests that have not ended, or whose event was not taken: 4,096
        /// by default.
        requests: u32 = 4096, pub with_requests;
        /// The greatest number of item ranges of a request: 8 by default.
        ranges_per_request: u32 = 8, pub with_ranges_per_request;
        /// The greatest number of loads that are started before the first of them has ended: 64 by
        /// default. The disk reads this many items at once. More loads make a change of priorities
        /// take effect later.
        loads: u32 = 64, pub with_loads;
        /// The number of frames that an item stays resident after its last use: 3 by default. A GPU
        /// still draws earlier frames while the program makes the next.
        lease_frames: u32 = 3, pub with_lease_frames;
        /// The greatest number of bytes that become resident after one poll: 32 MiB by default. A
        /// single larger item is not held back.
        bytes_per_poll: u64 = 32 << 20, pub with_bytes_per_poll;
        /// The time after which a poll leaves the rest of its work to the next poll, in
        /// microseconds: 16 by default. Each poll takes at least one
        /// step of its work. With few polls per second, a longer time lets the workers load more.
        poll_time: u64 = 16, pub with_poll_time;
    }
}
