//! Lists of runs, which are groups of records with varying length, and a compact index for random
//! access to the runs.
//!
//! A run is a group of a few records, such as the bone weights of one vertex.
//! [Counted](CountedRuns) runs start with a count byte. [Terminated](TerminatedRuns) runs end with
//! a mark after the last record. In both encodings, the start of the next run can only be computed
//! from the bytes of the current run. So run *i* is found by a walk over all runs before it, which
//! decodes no records and reads few bytes. One walk over all runs builds a [`RunIndex`]. The index
//! then locates any run in constant time, and takes 0.625 bytes per run.

mod checkpoints;
mod counted;
mod terminated;
mod totals;
mod walk;

pub use checkpoints::RunIndex;
pub use counted::{CountedRuns, CountedRunsIter};
pub use terminated::{TerminatedRuns, TerminatedRunsIter};
pub use totals::RunTotals;
