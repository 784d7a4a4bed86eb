//! A reusable buffer for inflated blocks.

use super::inflated::InflatedBlock;
use crate::error::debug::short_debug;

/// A reusable buffer for the inflated geometry of one surface at a time.
///
/// Inflating several surfaces into the same buffer saves allocations. Geometry that is inflated
/// into an `InflateBuffer` is not cached in the mesh.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// use meshpeek::unigine::{InflateBuffer, Mesh};
/// let mesh = Mesh::open(meshpeek::read("data/unigine/room_ms14.mesh")?)?;
/// let mut buffer = InflateBuffer::default();
/// for index in 0..mesh.surface_count() {
///     let surface = mesh.surface_in(index, &mut buffer)?;
///     println!("{}: {} positions", surface.name(), surface.positions()?.len());
/// }
/// assert_eq!(mesh.inflated_bytes(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct InflateBuffer {
    pub(crate) block: InflatedBlock,
}

short_debug!(InflateBuffer: |buffer| { bytes: buffer.block.size() });
