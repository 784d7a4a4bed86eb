//! Binary LLSD: a tree of values. Each value is a marker byte, followed by a payload.
//!
//! | marker | type | payload |
//! |---|---|---|
//! | `!` | undefined | none |
//! | `1`, `0` | boolean | none |
//! | `i` | integer | i32, big-endian |
//! | `r` | real | f64, big-endian |
//! | `u` | UUID | 16 bytes |
//! | `s`, `l` | string, URI | length, bytes (which need not be UTF-8) |
//! | `'`, `"` | string, until the same quote | bytes, with `\` escapes |
//! | `d` | date | f64, **little-endian**, seconds since 1970-01-01 UTC |
//! | `b` | binary | length, bytes |
//! | `[` | array | count, values, `]` |
//! | `{` | map | count, keys (`k`, length, bytes; or quoted) each with its value, `}` |
//!
//! Lengths (in bytes) and counts (of items) are big-endian i32 numbers, and never negative. A
//! marker line `<? LLSD/Binary ?>` may come before the first value.
//!
//! The reader does not build a tree in memory. A [`LlsdWalk`] iterates over the bytes, one
//! [`LlsdEvent`] at a time, and supports deep nesting without recursion. A [`LlsdValue`] borrows
//! from the bytes. An array or a map is a byte range, and each access to an item iterates over this
//! range. No reader in this module allocates memory. [`LlsdWriter`] can write values in the same
//! order and the same encoding in which they were read.
//!
//! ```
//! use meshpeek::secondlife::llsd::{LlsdLimits, LlsdValue, read};
//! let bytes = b"{\0\0\0\x01k\0\0\0\x04sizei\0\0\0\x2a}";
//! let LlsdValue::Map(map) = read(bytes, &LlsdLimits::default())?.value else { panic!() };
//! assert!(matches!(map.get("size").unwrap().value, LlsdValue::Integer(42)));
//! # Ok::<(), meshpeek::secondlife::llsd::LlsdFault>(())
//! ```

mod fault;
mod head;
mod limits;
mod read;
mod text;
mod value;
mod walk;
mod write;

pub use fault::LlsdFault;
pub use head::marker_line;
pub use limits::LlsdLimits;
pub use read::read;
pub(crate) use read::{key_at, read_at, walked_at};
pub use text::{LlsdText, LlsdTextBytes};
pub use value::{ContainerKind, LlsdArray, LlsdEntry, LlsdItem, LlsdMap, LlsdValue};
pub use walk::{LlsdEvent, LlsdWalk};
pub use write::LlsdWriter;
pub(crate) use write::fits;
