//! The options of a streamer.

use crate::parse::setters;

/// The options of a [`Streamer`](super::Streamer). All memory that depends on them is allocated
/// when the streamer is made.
///
/// ```
/// use meshpeek::streaming::StreamOptions;
/// let options = StreamOptions::default().with_workers(4).with_budget(256 << 20);
/// assert_eq!(options.lease_frames, 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamOptions {
    /// The greatest number of bytes that resident items take: 512 MiB by default.
    pub budget: u64,
    /// The part of `budget` that only pinned items take, in bytes: 0 by default. Coarse levels then
    /// find room although detailed ones that are drawn take the rest. Make the requests for them
    /// more urgent than others, because a less urgent request waits.
    pub pinned_budget: u64,
    /// The number of threads that load items: 2 by default. With 0, no thread is started, and
    /// [`Streamer::step`](super::Streamer::step) loads the items.
    pub workers: usize,
    /// Whether the workers run with a lower priority than the thread that made the streamer: `true`
    /// by default. On a busy processor, the thread that draws then runs first. Only Linux has such
    /// a priority.
    pub lower_priority: bool,
    /// The greatest number of requests that have not ended, or whose event was not taken: 4,096 by
    /// default.
    pub requests: u32,
    /// The greatest number of item ranges of a request: 8 by default.
    pub ranges_per_request: u32,
    /// The greatest number of loads that are started before the first of them has ended: 64 by
    /// default. The disk reads this many items at once. More loads make a change of priorities take
    /// effect later.
    pub loads: u32,
    /// The number of frames that an item stays resident after its last use: 3 by default. A GPU
    /// still draws earlier frames while the program makes the next.
    pub lease_frames: u32,
    /// The greatest number of bytes that become resident after one poll: 32 MiB by default. A
    /// single larger item is not held back.
    pub bytes_per_poll: u64,
    /// The time after which a poll leaves the rest of its work to the next poll, in microseconds of
    /// the [`Clock`](super::Clock): 16 by default. Each poll takes at least one step of its work. With
    /// few polls per second, a longer time lets the workers load more.
    pub poll_time: u64,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            budget: 512 << 20,
            pinned_budget: 0,
            workers: 2,
            lower_priority: true,
            requests: 4096,
            ranges_per_request: 8,
            loads: 64,
            lease_frames: 3,
            bytes_per_poll: 32 << 20,
            poll_time: 16,
        }
    }
}

impl StreamOptions {
    setters! {
        this: "options";
        with_budget(budget: u64);
        with_pinned_budget(pinned_budget: u64);
        with_workers(workers: usize);
        with_lower_priority(lower_priority: bool);
        with_requests(requests: u32);
        with_ranges_per_request(ranges_per_request: u32);
        with_loads(loads: u32);
        with_lease_frames(lease_frames: u32);
        with_bytes_per_poll(bytes_per_poll: u64);
        with_poll_time(poll_time: u64);
    }
}
