//! Items of varying length, one after another, and a compact index that makes them random-access.
//!
//! A run is a few records. [Counted](Runs) runs start with a count byte, [ended](Ended) ones with a mark after the last
//! record. Either way the next run is found only by looking at this one, so run *i* is reached by a walk over all runs
//! before it: nothing is decoded, and little looked at. A [`RunIndex`] is built by one such walk and then finds any run in
//! constant time, at 0.625 bytes per run.

mod counted;
mod ended;
mod index;
mod walk;

pub use counted::{Extent, Iter, Runs};
pub use ended::{Ended, EndedIter};
pub use index::RunIndex;
