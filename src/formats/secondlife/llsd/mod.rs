//! Binary LLSD, a serialization format for trees of values. The encoding of each value is one
//! marker byte, followed by a payload.
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
//! Each length (in bytes) and each count (of items) is a big-endian i32 that is not negative. A
//! marker line `<? LLSD/Binary ?>` may come before the first value.
//!
//! The functions of this module do not build a tree of values in memory. A [`LlsdWalk`] iterates
//! over the encoded bytes, one [`LlsdEvent`] at a time, and supports deep nesting without
//! recursion. A [`LlsdValue`] borrows from the encoded bytes. An [`LlsdArray`] or an [`LlsdMap`]
//! stores only the byte range of the array or map, and each access to an item scans this byte range
//! from its start. Reading LLSD values does not allocate memory. [`LlsdWriter`] can write values in
//! the same order and the same encoding in which the values were read.
//!
//! ```
//! use meshpeek::secondlife::llsd::{LlsdLimits, LlsdValue, read};
//! let bytes = b"{\0\0\0\x01k\0\0\0\x04sizei\0\0\0\x2a}";
//! let LlsdValue::Map(map) = read(bytes, &LlsdLimits::default())?.value else { panic!() };
//! assert!(matches!(map.get("size").unwrap().value, LlsdValue::Integer(42)));
//! # Ok::<(), meshpeek::secondlife::llsd::LlsdFault>(())
//! ```
mod read;
mod text;
mod value;
mod walk;
mod write;
#[cfg(feature = "internals")]
pub use read::read;
pub use read::{LlsdFault, marker_line};
pub(crate) use read::{key_at, read_at, walked_at};
pub use text::LlsdText;
#[cfg(feature = "internals")]
pub use text::LlsdTextBytes;
pub use value::{ContainerKind, LlsdArray, LlsdEntry, LlsdItem, LlsdLimits, LlsdMap, LlsdValue, utc, uuid};
pub use walk::{LlsdEvent, LlsdWalk};
pub use write::LlsdWriter;
