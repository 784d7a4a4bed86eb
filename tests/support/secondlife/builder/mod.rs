//! Builds Second Life assets from lists of floats, without the writer of the crate.
//!
//! The encoding is that of a viewer: keys are sorted, blocks are in the viewer's order, floats are
//! rounded to the nearest 16-bit code, and zlib compresses at its highest level. The values are not
//! checked.

mod asset;
mod encode;
mod values;

pub use values::{Asset, Convex, Header, Joint, Level, Skin, Submesh};
