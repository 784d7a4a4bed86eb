//! Binary LLSD: a tree of values, each a marker byte and its payload.
//!
//! | marker | type | payload |
//! |---|---|---|
//! | `!` | undefined | – |
//! | `1`, `0` | boolean | – |
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
//! Lengths and counts are i32, big-endian, and never negative. A line `<? LLSD/Binary ?>` may stand in front.
//!
//! Nothing is built: a [`LlsdWalk`] passes over the bytes, one [`LlsdEvent`] at a time and at any depth without recursion, and a
//! [`LlsdValue`] borrows from them. Arrays and maps are ranges of bytes, whose items are found by going through them. No
//! reader here allocates; [`LlsdWriter`] gives the bytes back in the order and the form that they were read in.
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
