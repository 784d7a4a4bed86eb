//! Parts of a mesh that are decoded into buffers of the program.

use std::ops::Range;
use std::sync::Arc;

use super::content::Content;
use super::log::Work;
use super::memory::reserved;
use super::mesh_parts::{MeshParts, array_bytes};
use super::missing_bytes::MissingBytes;
use super::request::ItemRange;
use super::vertex_buffers::{BufferTarget, Buffers, TriangleRange, decode};
use crate::error::{Cause, Error, Field, Result};
use crate::gpu::VertexLayout;
use crate::io::{Eviction, Map};
use crate::math::{as_index, as_u64};
use crate::model::{AsMeshFile, Geometry, MeshSelection};

/// The parts of a mesh, each decoded into a buffer of the program while it is resident.
///
/// An item is a part in one of several [layouts](VertexLayout). The workers weld the triangles of
/// the part and write vertices and indices to a [`BufferTarget`]. A surface in a compressed block
/// is inflated by the worker and freed after it is decoded.
pub struct PartVertices<M, T> {
    mesh: Arc<M>,
    map: Option<Arc<Map>>,
    parts: Arc<MeshParts>,
    layouts: Vec<VertexLayout>,
    target: T,
    missing: MissingBytes,
}

crate::error::debug::short_debug!([M, T] PartVertices<M, T>: |content| {
    parts: content.parts.len(), layouts: content.layouts.len(),
});

impl<M: AsMeshFile + 'static, T: BufferTarget> PartVertices<M, T> {
    /// Makes the content of all parts in all `layouts`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused) if there is no layout, or if the
    /// number of items is not below 4,294,967,295.
    pub fn new(mesh: Arc<M>, parts: Arc<MeshParts>, layouts: impl Into<Vec<VertexLayout>>, target: T) -> Result<Self> {
        let layouts = layouts.into();
        let items = as_u64(parts.len()).saturating_mul(as_u64(layouts.len()));
        if layouts.is_empty() || items >= u64::from(u32::MAX) {
            let cause = Cause::Refused {
                expected: "one layout or more, and fewer than 4294967295 items".into(),
                found: format!("{} layouts, {items} items", layouts.len()).into(),
            };
            return Err(Error::without_offset("streaming", Field::new("layouts"), cause));
        }
        let missing = MissingBytes::new(u32::try_from(items).unwrap_or(u32::MAX))?;
        Ok(Self { mesh, map: None, parts, layouts, target, missing })
    }

    /// Reads the bytes of the mesh through its map: in large pieces, before they are decoded, and
    /// unmaps them afterwards. Without a map, they should be in memory.
    #[must_use]
    pub fn with_map(self, map: Arc<Map>) -> Self {
        Self { map: Some(map), ..self }
    }

    /// Returns the mesh.
    #[doc(hidden)]
    #[must_use]
    pub const fn mesh(&self) -> &Arc<M> {
        &self.mesh
    }

    /// Returns the parts of the mesh.
    #[doc(hidden)]
    #[must_use]
    pub const fn parts(&self) -> &Arc<MeshParts> {
        &self.parts
    }

    /// Returns the item of a part in a layout. An item of a part or layout that does not exist is
    /// out of range.
    #[must_use]
    pub fn item(&self, part: u32, layout: usize) -> ItemRange {
        let count = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        let first = u32::try_from(layout).ok().and_then(|layout| layout.checked_mul(count)).unwrap_or(u32::MAX);
        ItemRange::one(if part < count { first.saturating_add(part) } else { u32::MAX })
    }

    fn part_and_layout(&self, item: u32) -> Result<(u32, &VertexLayout)> {
        let count = u32::try_from(self.parts.len()).unwrap_or(u32::MAX).max(1);
        let (part, layout) = (item.checked_rem(count), item.checked_div(count));
        let layout = layout.and_then(|layout| self.layouts.get(as_index(layout)));
        part.zip(layout).ok_or_else(|| {
            let cause = Cause::NoSuch { count: u64::from(self.item_count()), index: u64::from(item) };
            Error::without_offset("streaming", Field::new("item"), cause)
        })
    }

    fn geometry(&self) -> &dyn Geometry {
        self.mesh.file()
    }

    /// Returns the byte ranges of the file that a part needs.
    fn ranges(&self, map: &Map, part: u32) -> Result<Vec<Range<u64>>> {
        let Some(part) = self.parts.get(as_index(part)) else { return Ok(Vec::new()) };
        if part.is_whole {
            return self.mesh.file().byte_ranges(0, &MeshSelection::Surface(as_index(part.surface)));
        }
        let mut ranges = reserved(8)?;
        let surface = self.geometry().surface(as_index(part.surface))?;
        MeshParts::arrays(&surface, part, |bytes| ranges.extend(map.range_of(bytes)))?;
        Ok(ranges)
    }

    /// Reads the bytes of an item into the page cache. Returns the number of bytes that were not in
    /// it before.
    fn load(&self, map: &Map, item: u32) -> Result<u64> {
        let loaded = map.load_ranges(&self.ranges(map, self.part_and_layout(item)?.0)?)?;
        Ok(self.missing.take_with(item, loaded))
    }
}

impl<M: AsMeshFile + 'static, T: BufferTarget> Content for PartVertices<M, T> {
    type Value = Buffers<T::Buffer>;

    fn item_count(&self) -> u32 {
        u32::try_from(self.parts.len().saturating_mul(self.layouts.len())).unwrap_or(u32::MAX)
    }

    /// Returns an estimate: the size of all vertices and indices in the ranges of a part. The size
    /// of a whole surface is not known before it is loaded.
    fn item_bytes(&self, item: u32) -> u64 {
        let Ok((part, layout)) = self.part_and_layout(item) else { return 0 };
        let Some(part) = self.parts.get(as_index(part)).filter(|part| !part.is_whole) else { return 0 };
        let vertices = part.positions.len().max(part.attributes.len());
        let indices = part.triangles.len().saturating_mul(12);
        as_u64(vertices).saturating_mul(u64::from(layout.stride())).saturating_add(as_u64(indices))
    }

    fn prefetch(&self, items: &[u32]) {
        let Some(map) = &self.map else { return };
        let mut all = Vec::with_capacity(items.len().saturating_mul(8));
        for item in items {
            // An item with an error is not prefetched, and `fetch` returns the error.
            let Ok(ranges) = self.part_and_layout(*item).and_then(|(part, _)| self.ranges(map, part)) else { continue };
            if let Some(missing) = map.uncached_bytes_of(&ranges) {
                self.missing.set(*item, missing);
            }
            all.extend(ranges);
        }
        map.prefetch_ranges(&all);
    }

    fn fetch(&self, items: &[u32], work: &mut Work) -> Result<u64> {
        let mut needed = 0_u64;
        for item in items {
            if let Some(map) = &self.map {
                work.read = work.read.saturating_add(self.load(map, *item)?);
            }
            let estimate = self.item_bytes(*item);
            let part = self.parts.get(as_index(self.part_and_layout(*item)?.0));
            let counts = match part.filter(|part| part.is_whole) {
                // The counts of a block are known after it was inflated once.
                Some(part) if estimate == 0 => self.geometry().surface(as_index(part.surface))?.counts()?,
                _ => crate::model::Counts::default(),
            };
            let stride = u64::from(self.part_and_layout(*item)?.1.stride());
            let vertices = u64::from(counts.vertices.max(counts.attribute_vertices)).saturating_mul(stride);
            let whole = vertices.saturating_add(u64::from(counts.corners).saturating_mul(4));
            needed = needed.saturating_add(estimate).saturating_add(whole);
        }
        Ok(needed)
    }

    fn publish(&self, items: &[u32], values: &mut Vec<(Self::Value, u64)>, work: &mut Work) -> Result<()> {
        for item in items {
            let (number, layout) = self.part_and_layout(*item)?;
            let Some(part) = self.parts.get(as_index(number)) else { continue };
            let lent = self.geometry().lend(as_index(part.surface))?;
            let surface = lent.surface();
            if part.is_block {
                work.inflated = work.inflated.saturating_add(array_bytes(&surface)?);
            }
            let triangles = TriangleRange { surface, range: part.triangles.clone() };
            let buffers = decode(&[triangles], layout, &self.target, work)?;
            let bytes = buffers.memory();
            values.push((buffers, bytes));
            drop(lent);
            if let Some(map) = &self.map {
                self.ranges(map, number)?.into_iter().for_each(|range| map.evict(range, Eviction::Unmap));
            }
        }
        Ok(())
    }

    fn evict(&self, _: u32, value: Self::Value) {
        self.target.free(value.buffer);
    }
}
