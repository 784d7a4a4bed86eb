//! The vertices of an OBJ file, and their numbers.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::used_vertices::UsedVertices;
use crate::array::Array;
use crate::error::Result;
use crate::math::{as_index, as_u64};
use crate::scene::shape::{PlacedPositions, SurfaceShape, each_block, finite_or_zero};
use crate::scene::{PlacedSurface, PoolKey};
use crate::text::block::BlockWriter;

/// The numbers of vertices, which OBJ counts from 1 through all objects.
pub(super) struct VertexNumbers<'u> {
    /// The number of the first position, texture coordinate and normal of the surface.
    pub(super) first: [u64; 3],
    /// The next numbers.
    pub(super) next: [u64; 3],
    /// Whether the surface has texture coordinates.
    pub(super) has_uvs: bool,
    /// Whether the surface has normals.
    pub(super) has_normals: bool,
    /// The place and the pool of the positions that were written last.
    positions: Option<PoolKey>,
    /// The positions that are written of each pool, and of the last one.
    used: &'u BTreeMap<PoolKey, UsedVertices>,
    last: Option<&'u UsedVertices>,
    /// The place and the pool of the attributes that were written last, if they belong to a pool.
    attributes: Option<PoolKey>,
}

impl<'u> VertexNumbers<'u> {
    pub(super) const fn new(used: &'u BTreeMap<PoolKey, UsedVertices>) -> Self {
        Self {
            first: [1; 3],
            next: [1; 3],
            has_uvs: false,
            has_normals: false,
            positions: None,
            used,
            last: None,
            attributes: None,
        }
    }

    /// Returns the number of a position of the surface.
    pub(super) fn position(&self, index: u32) -> u64 {
        let [first, ..] = self.first;
        let place = self.last.map_or(Some(index), |used| used.get(index));
        first.saturating_add(place.unwrap_or_default().into())
    }

    /// Writes the vertices of a surface that no surface before it has written.
    ///
    /// Normals are written only if `stores_normals`, and not in a pose: they then depend on
    /// positions and attributes.
    pub(super) fn write_vertices(
        &mut self,
        surface: &PlacedSurface<'_>,
        stores_normals: bool,
        out: &mut BlockWriter<'_>,
    ) -> Result<()> {
        let (positions, attributes) = (Some(surface.position_pool()), surface.attribute_pool()?);
        if self.positions != positions {
            self.last = self.used.get(&surface.position_pool());
            self.write_positions(surface, attributes.is_some(), out)?;
            self.positions = positions;
        }
        if attributes.is_none() || self.attributes != attributes {
            self.write_attributes(surface, stores_normals, out)?;
            self.attributes = attributes;
        }
        Ok(())
    }

    fn write_positions(
        &mut self,
        surface: &PlacedSurface<'_>,
        is_single: bool,
        out: &mut BlockWriter<'_>,
    ) -> Result<()> {
        let positions = PlacedPositions::new(surface)?;
        let colors = surface.harmless_colors()?.filter(|_| is_single);
        let (mut number, used) = (0_u32, self.last);
        let is_used = |vertex| used.is_none_or(|used| used.get(vertex).is_some());
        positions.stored.each_block(&mut |block| {
            for position in block {
                let vertex = number;
                number = number.saturating_add(1);
                if !is_used(vertex) {
                    continue;
                }
                let position = surface.conversion.position(*position).map(finite_or_zero);
                out.numbers("v", &position);
                if let Some([red, green, blue, _]) = colors.and_then(|colors| colors.get(as_index(vertex))) {
                    out.numbers("", &[red, green, blue]);
                }
                out.bytes(b"\n");
            }
            out.end_record()
        })?;
        self.start(0, used.map_or(positions.stored.len(), UsedVertices::len));
        Ok(())
    }

    fn write_attributes(
        &mut self,
        surface: &PlacedSurface<'_>,
        stores_normals: bool,
        out: &mut BlockWriter<'_>,
    ) -> Result<()> {
        let (view, conversion) = (&surface.surface, surface.conversion);
        (self.has_uvs, self.has_normals) = (false, false);
        if let Some(uvs) = view.uvs(0)?.filter(|uvs| !uvs.is_empty()) {
            write_lines("vt", conversion.array(uvs), out)?;
            self.start(1, uvs.len());
            self.has_uvs = true;
        }
        let normals = view.normals()?.filter(|normals| stores_normals && !normals.is_empty());
        self.has_normals = normals.is_some();
        if let Some(normals) = normals.filter(|_| !matches!(surface.shape, SurfaceShape::Bones(_))) {
            write_lines("vn", conversion.array(normals), out)?;
            self.start(2, normals.len());
        }
        Ok(())
    }

    /// Numbers `count` items of one kind: positions, texture coordinates or normals.
    fn start(&mut self, kind: usize, count: usize) {
        for (first, next) in self.first.iter_mut().zip(&mut self.next).skip(kind).take(1) {
            *first = *next;
            *next = next.saturating_add(as_u64(count));
        }
    }

    /// Numbers the normals that are written next.
    pub(super) fn start_normals(&mut self, count: usize) {
        self.start(2, count);
    }
}

/// Writes a statement for each item of an array, in which 0 replaces a number that is not finite.
fn write_lines<const N: usize, A: Array<Item = [f32; N]>>(
    statement: &str,
    array: A,
    out: &mut BlockWriter<'_>,
) -> Result<()> {
    each_block(array, &mut |block| {
        for value in block {
            write_line(statement, &value.map(finite_or_zero), out);
        }
        out.end_record()
    })
}

/// Writes a statement with numbers.
pub(super) fn write_line(statement: &str, values: &[f32], out: &mut BlockWriter<'_>) {
    out.numbers(statement, values).bytes(b"\n");
}

/// Returns the number of attribute vertices that have all attributes of the output.
pub(super) fn attribute_count(surface: &PlacedSurface<'_>) -> Result<u32> {
    let (uvs, normals) = (surface.surface.uvs(0)?, surface.surface.normals()?);
    let lengths = [uvs.map(|uvs| uvs.len()), normals.map(|normals| normals.len())];
    let least = lengths.into_iter().flatten().filter(|length| *length > 0).min().unwrap_or(usize::MAX);
    Ok(surface.surface.counts()?.attribute_vertices.min(u32::try_from(least).unwrap_or(u32::MAX)))
}
