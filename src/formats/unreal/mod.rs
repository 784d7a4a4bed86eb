//! Unreal Engine 1 vertex meshes: `_d.3d`, `_a.3d`, and the script that binds them.
//!
//! A triangle mesh whose vertices are stored anew for each frame, in two files that only make sense together: the *data*
//! file has the polygons, the *aniv* file the positions of every vertex in every frame. A *script* ([`script`]) gives what the
//! two do not: names of sequences, textures, scale, origin. All numbers are little-endian; there is no magic, no
//! version and no checksum, so the name of a file is what tells it ([`companions`](mod@companions)).
//!
//! # The data file: 48 + 16 × polygons bytes
//!
//! | offset | field | type |
//! |---|---|---|
//! | 0 | polygons | u16 |
//! | 2 | vertices of each frame | u16 |
//! | 4 | what nobody reads | 44 bytes |
//! | 48 | for each polygon: | 16 bytes |
//! | | – three vertices, from 0 | u16 × 3 |
//! | | – style (low three bits) and flags ([`PolygonType`]) | u8 |
//! | | – a colour that nobody reads | u8 |
//! | | – U and V of each corner, v downwards | u8 × 6 |
//! | | – texture number | u8 |
//! | | – flags that nobody reads | u8 |
//!
//! # The aniv file: 4 + frames × frame size bytes
//!
//! | offset | field | type |
//! |---|---|---|
//! | 0 | frames | u16 |
//! | 2 | bytes of each frame | u16 |
//! | 4 | every vertex of frame 0, of frame 1, .. | by [`Variant`] |
//!
//! | variant | frame size | vertex |
//! |---|---|---|
//! | classic | 4 × vertices | x, y and z as 11, 11 and 10 bits of a u32 ([`packed32`](crate::decode::packed32)) |
//! | Deus Ex | 8 × vertices | i16 x, y, z and a pad ([`packed64`](crate::decode::packed64)) |
//! | prototype | 4 × vertices + 8 | as classic, and the frame's box behind them |
//!
//! # Units and axes
//!
//! Positions are the stored whole numbers, as exact floats: the engine keeps them, too, and multiplies by the script's
//! SCALE. [`Placement`] applies that, or gives the author's units (classic: x/8, y/8, z/4; Deus Ex: /256), and nothing
//! does so unasked. Axes are x forward, y right, z up, which is left-handed. Corners go round counter-clockwise seen from
//! outside when the stored axes are *drawn right-handed*, and clockwise in the engine. To come to a right-handed space,
//! either keep axes and corners (the mesh appears mirrored), or negate one axis *and* reverse the corners.
//!
//! # Where files differ from the published page
//!
//! Header, colour and flag bytes need not be 0; type bytes have flags in bits 3 to 7; sizes and texture numbers are
//! unsigned; Deus Ex's variant is not on it. These facts were checked on hundreds of real pairs.

mod animation;
mod attachments;
pub mod builder;
pub mod companions;
mod file;
mod frame;
mod geometry;
mod header;
pub mod layout;
mod normals;
mod regions;
pub mod script;
mod surface;
mod surface_groups;
mod transform;
mod validate;
mod write;

pub use crate::decode::polygon::RawPolygon;
pub use companions::{Pair, find};
pub use file::Mesh;
pub use frame::Frame;
pub use layout::{PolygonType, Style, Variant};
pub use normals::Shading;
pub use surface::{SurfaceView, UvDivisor};
pub use transform::Placement;
pub use validate::{RULES, finding};
