//! Lists of runs (groups of records of varying length), and a compact index for random access to
//! the runs.
//!
//! A run is a group of a few records, such as the bone weights of one vertex.
//! [Counted](CountedRuns) runs start with a count byte. [Terminated](TerminatedRuns) runs end with
//! a mark after the last record. In both encodings, the start of the next run can be computed only
//! from the bytes of the current run. Finding run *i* therefore requires a scan of all runs before
//! run *i*. The scan decodes no records and reads only a few bytes of each run. A [`RunIndex`],
//! which is built by one scan of all runs, locates any run in constant time and takes 0.625 bytes
//! of memory per run, and 4 bytes more if there are at most 65,536.

mod checkpoints;
mod counted;
mod runs_ahead;
mod terminated;
mod walk;

pub use checkpoints::{RunIndex, RunTotals};
pub use counted::{CountedRuns, CountedRunsIter};
pub use terminated::{TerminatedRuns, TerminatedRunsIter};
