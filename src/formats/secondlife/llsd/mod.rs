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
//! Nothing is built: a [`Walk`] passes over the bytes, one [`Event`] at a time and at any depth without recursion, and a
//! [`Value`] borrows from them. Arrays and maps are ranges of bytes, whose items are found by going through them. No
//! reader here allocates; [`Writer`] gives the bytes back in the order and the form that they were read in.
//!
//! ```
//! use meshpeek::secondlife::llsd::{Rules, Value, read};
//! let bytes = b"{\0\0\0\x01k\0\0\0\x04sizei\0\0\0\x2a}";
//! let Value::Map(map) = read(bytes, &Rules::default())?.value else { panic!() };
//! assert!(matches!(map.get("size").unwrap().value, Value::Integer(42)));
//! # Ok::<(), meshpeek::secondlife::llsd::Fault>(())
//! ```

mod text;
mod value;
mod walk;
mod write;

pub use text::{Bytes, Text};
pub use value::{Array, Entry, Item, Map, Value, read};
pub(crate) use value::{key_at, read_at, walked_at};
pub use walk::{Event, Kind, Rules, Walk, marker_line};
pub use write::Writer;
pub(crate) use write::fits;

use crate::error::ErrorKind;

/// What is wrong with bytes that should be LLSD, and where.
#[derive(Clone, Debug, thiserror::Error)]
#[error("byte {at}: {kind}")]
pub struct Fault {
    /// Offset of the byte to blame, from the first of the bytes.
    pub at: u64,
    /// What is wrong with it.
    pub kind: ErrorKind,
}

impl Fault {
    /// Tells whether the bytes are sound as far as they go, and only end too soon: with more of them there may be a value.
    #[must_use]
    pub const fn needs_more(&self) -> bool {
        matches!(self.kind, ErrorKind::UnexpectedEnd { .. } | ErrorKind::Count { .. })
    }
}
