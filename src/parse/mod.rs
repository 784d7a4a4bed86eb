//! Code that the parsers of all formats share: bounds-checked reads, names, limits on memory, named
//! byte ranges of a file ([`Region`]) and violations of format rules ([`Finding`]).

mod access_log;
pub(crate) mod cursor;
mod finding;
mod loss;
mod memory_budget;
mod name;
mod open_options;
mod options;
mod region;
mod value;

#[doc(hidden)]
pub use crate::error::RewriteEffect;
pub use crate::error::{Rule, Severity};
pub use finding::Finding;
pub use loss::Loss;
internal_use!(loss::LossKind);
pub use name::Name;
pub use open_options::{Limits, OpenOptions};
pub use region::{ElementType, Region};
#[doc(hidden)]
pub use region::{RegionBytes, RegionElement};
pub use value::Value;

internal_use!(access_log::AccessLog, access_log::PAGE, cursor::Cursor, cursor::Record, region::Walk);

pub(crate) use crate::error::rules;

pub(crate) use memory_budget::{MemoryBudget, expect_length, filled, room};
pub(crate) use name::{NameCopy, SortedNames};
pub(crate) use options::options;
pub(crate) use region::word;
pub(crate) use value::{MAX_ITEMS, MAX_TEXT, hex, record};
