//! Writes the attributes of vertices.

use std::io::Write;

use super::buffers::{BufferSink, FloatBlock};
use super::document::{AccessorType, ArraySpec, ComponentType};
use crate::error::Result;
use crate::export::{PartNormals, VertexOrder};
use crate::gpu::{IndexFormat, IndexSource, Semantic, VertexFormat, VertexLayout, VertexSource};
use crate::math::{as_index, unit};
use crate::model::{Normals, SpaceConversion, Surface, TangentFrames};
use crate::scene::normals::{ComputedNormals, CornerGroups, NormalInput};
use crate::scene::shape::{ShapePositions, SurfaceShape};

/// The greatest error of the squared length of a direction that is written as it is.
const MAX_LENGTH_ERROR: f32 = 1e-6;
/// The direction that replaces a direction without length.
pub(super) const SUBSTITUTE: [f32; 3] = [0.0, 1.0, 0.0];

/// The vertices of a surface, or of a part of it, that are written.
#[derive(Clone, Copy)]
pub(super) struct VertexInput<'s, 'a> {
    pub(super) surface: &'s Surface<'a>,
    pub(super) order: &'s VertexOrder,
    pub(super) count: usize,
    pub(super) shape: SurfaceShape<'s>,
    pub(super) conversion: SpaceConversion,
    pub(super) normals: VertexNormals<'s>,
}

/// The normals of the vertices that are written.
#[derive(Clone, Copy)]
pub(super) enum VertexNormals<'s> {
    None,
    /// The file stores them.
    Stored,
    /// They are computed.
    Computed(&'s PartNormals, &'s ComputedNormals),
}

/// Computes the normals of the corners of a surface in a shape.
pub(super) fn computed_corners(
    computed: &ComputedNormals,
    surface: &Surface<'_>,
    shape: SurfaceShape<'_>,
    conversion: &SpaceConversion,
) -> Result<Option<CornerGroups>> {
    let pool = (0, surface.vertex_pool()?);
    computed.corners(&NormalInput { pool, surface, shape, conversion })
}

impl<'a> VertexInput<'_, 'a> {
    /// Finds the normals of the file if they are written.
    pub(super) fn stored_normals(&self) -> Result<Option<Normals<'a>>> {
        if matches!(self.normals, VertexNormals::Stored) { self.surface.normals() } else { Ok(None) }
    }

    /// Finds the tangent frames of the file if its normals are written.
    pub(super) fn stored_frames(&self) -> Result<Option<TangentFrames<'a>>> {
        if matches!(self.normals, VertexNormals::Stored) { self.surface.tangent_frames() } else { Ok(None) }
    }
}

impl VertexInput<'_, '_> {
    /// Writes the positions. The file stores their bounds.
    pub(super) fn positions(&self, sink: &mut dyn BufferSink, block: &mut FloatBlock) -> Result<u32> {
        let spec = ArraySpec::vertices(AccessorType::FLOATS3, self.count).with_bounds();
        match self.shape.positions(self.surface)? {
            ShapePositions::Stored(_) if matches!(self.shape, SurfaceShape::Base) => {
                let source = self.source(Semantic::Position, VertexFormat::Float32x3)?;
                sink.array(&spec, &mut |out| write_floats(&source, block, finite, out))
            }
            positions => sink.array(&spec, &mut |out| {
                self.write_each(block, out, |vertex| {
                    let position = positions.get(as_index(self.order.corner(vertex).position)).unwrap_or_default();
                    self.conversion.position(position).map(finite_or_zero)
                })
            }),
        }
    }

    /// Writes the normals, scaled to unit length.
    pub(super) fn normals(&self, sink: &mut dyn BufferSink, block: &mut FloatBlock) -> Result<u32> {
        let spec = ArraySpec::vertices(AccessorType::FLOATS3, self.count);
        if let VertexNormals::Computed(normals, _) = self.normals {
            return sink.array(&spec, &mut |out| self.write_each(block, out, |vertex| known(&normals.values, vertex)));
        }
        if let SurfaceShape::Bones(_) = self.shape {
            let corners: Vec<_> = (0..self.count).map(|vertex| self.order.corner(vertex)).collect();
            let normals = self.shape.skinned_normals(self.surface, &corners)?.unwrap_or_default();
            return sink.array(&spec, &mut |out| {
                self.write_each(block, out, |vertex| {
                    unit(self.conversion.normal(normals.get(vertex).copied().unwrap_or_default())).unwrap_or(SUBSTITUTE)
                })
            });
        }
        let source = self.stored_source(Semantic::Normal, VertexFormat::Float32x3)?;
        let turn = DirectionMap(self.conversion.normal_columns());
        let convert = |floats: &mut [f32]| {
            floats.as_chunks_mut::<3>().0.iter_mut().for_each(|normal| *normal = turn.apply(*normal));
            unit_length::<3>(floats);
        };
        sink.array(&spec, &mut |out| write_floats(&source, block, convert, out))
    }

    /// Writes the tangents: a direction of unit length, and the sign of the bitangent in glTF.
    pub(super) fn tangents(&self, sink: &mut dyn BufferSink, block: &mut FloatBlock) -> Result<u32> {
        let spec = ArraySpec::vertices(AccessorType::FLOATS4, self.count);
        let source = self.tangent_source()?;
        sink.array(&spec, &mut |out| {
            self.visit_tangents(&source, block, &mut |tangents| write_little_endian(tangents, out))
        })
    }

    /// Finds the tangents in the conventions of the file.
    pub(super) fn tangent_source(&self) -> Result<VertexSource<'_>> {
        self.stored_source(Semantic::Tangent, VertexFormat::Float32x4)
    }

    /// Passes the converted tangents to `visit`, block by block.
    ///
    /// The directions are converted here, which is faster than converting whole tangent frames.
    pub(super) fn visit_tangents(
        &self,
        source: &VertexSource<'_>,
        block: &mut FloatBlock,
        visit: FloatVisitor<'_>,
    ) -> Result<()> {
        // In glTF, the bitangent points in the direction in which v decreases. In the neutral view,
        // it points in the direction in which v grows.
        let changes_sign = self.conversion.is_mirrored() == self.conversion.flips_v();
        let turn = DirectionMap::new(|axis| self.conversion.direction(axis));
        let convert = |floats: &mut [f32]| {
            for [x, y, z, sign] in floats.as_chunks_mut::<4>().0 {
                [*x, *y, *z] = turn.apply([*x, *y, *z]);
                *sign = if changes_sign { -*sign } else { *sign };
            }
            unit_length::<4>(floats);
        };
        visit_floats(source, block, convert, visit)
    }

    /// Writes the coordinates of a UV set.
    pub(super) fn uvs(&self, set: u32, sink: &mut dyn BufferSink, block: &mut FloatBlock) -> Result<u32> {
        let source = self.source(Semantic::Uv(set), VertexFormat::Float32x2)?;
        let spec = ArraySpec::vertices(AccessorType::FLOATS2, self.count);
        sink.array(&spec, &mut |out| write_floats(&source, block, finite, out))
    }

    /// Writes the colours, with a byte for each component.
    pub(super) fn colors(&self, sink: &mut dyn BufferSink, block: &mut FloatBlock) -> Result<u32> {
        let source = self.source(Semantic::Color, VertexFormat::Unorm8x4)?;
        let spec = ArraySpec::vertices(AccessorType::COLORS, self.count);
        sink.array(&spec, &mut |out| write_floats(&source, block, |_| {}, out))
    }

    /// Writes the indices.
    pub(super) fn indices(&self, sink: &mut dyn BufferSink) -> Result<u32> {
        let format = IndexFormat::for_vertices(self.count);
        let source = match self.order {
            VertexOrder::Stored => IndexSource::stored(self.surface, format)?,
            VertexOrder::Welded(welded) => IndexSource::welded(self.surface, welded, format),
        };
        let source = source.in_space(self.conversion);
        let component = match format {
            IndexFormat::Uint16 => ComponentType::U16,
            IndexFormat::Uint32 => ComponentType::U32,
        };
        let elements = [AccessorType::integers(component, 1)];
        let spec = ArraySpec::indices(&elements, source.index_count());
        sink.array(&spec, &mut |out| {
            let mut written = Ok(());
            source.push(0..source.index_count(), |_, bytes| {
                if written.is_ok() {
                    written = out.write_all(bytes);
                }
            })?;
            Ok(written?)
        })
    }

    /// Writes three floats for each vertex.
    pub(super) fn write_each(
        &self,
        block: &mut FloatBlock,
        out: &mut dyn Write,
        get: impl Fn(usize) -> [f32; 3],
    ) -> Result<()> {
        let step = FloatBlock::capacity(12);
        for start in (0..self.count).step_by(step) {
            let end = start.saturating_add(step).min(self.count);
            let floats = block.floats(end.saturating_sub(start).saturating_mul(3));
            for (place, vertex) in floats.as_chunks_mut::<3>().0.iter_mut().zip(start..end) {
                *place = get(vertex);
            }
            write_little_endian(floats, out)?;
        }
        Ok(())
    }

    /// Finds an attribute in the conventions of the output.
    fn source(&self, semantic: Semantic, format: VertexFormat) -> Result<VertexSource<'_>> {
        self.stored_source(semantic, format).map(|source| source.in_space(self.conversion))
    }

    /// Finds an attribute in the conventions of the file.
    fn stored_source(&self, semantic: Semantic, format: VertexFormat) -> Result<VertexSource<'_>> {
        let layout = VertexLayout::packed(&[(semantic, format)])?;
        match self.order {
            VertexOrder::Stored => VertexSource::stored(self.surface, &layout),
            VertexOrder::Welded(welded) => VertexSource::welded(self.surface, welded, &layout),
        }
    }
}

/// Returns a normal of a list, or another direction if it has no length.
pub(super) fn known(normals: &[[f32; 3]], index: usize) -> [f32; 3] {
    normals.get(index).copied().filter(|normal| normal.iter().any(|part| part.abs() > 0.0)).unwrap_or(SUBSTITUTE)
}

/// A linear map of directions, as the images of the axes.
struct DirectionMap([[f32; 3]; 3]);

impl DirectionMap {
    /// Makes the map of a conversion that scales all axes equally, without the scale.
    fn new(convert: impl Fn([f32; 3]) -> [f32; 3]) -> Self {
        Self([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(convert))
    }

    #[inline]
    fn apply(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = self.0;
        [x * xx + y * yx + z * zx, x * xy + y * yy + z * zy, x * xz + y * yz + z * zz]
    }
}

/// A function that receives decoded floats.
pub(super) type FloatVisitor<'v> = &'v mut dyn FnMut(&[f32]) -> Result<()>;

/// Writes vertices of floats, or of four bytes, after `repair` has changed them.
fn write_floats(
    source: &VertexSource<'_>,
    block: &mut FloatBlock,
    repair: impl Fn(&mut [f32]),
    out: &mut dyn Write,
) -> Result<()> {
    visit_floats(source, block, repair, &mut |floats| Ok(out.write_all(bytemuck::cast_slice(floats))?))
}

/// Passes vertices of floats to `visit`, block by block, after `repair` has changed them.
fn visit_floats(
    source: &VertexSource<'_>,
    block: &mut FloatBlock,
    repair: impl Fn(&mut [f32]),
    visit: FloatVisitor<'_>,
) -> Result<()> {
    let mut visited = Ok(());
    source.push(0..source.vertex_count(), |_, bytes| {
        let floats = block.floats(bytes.len() / 4);
        bytemuck::cast_slice_mut::<f32, u8>(floats).copy_from_slice(bytes);
        repair(floats);
        if visited.is_ok() {
            visited = visit(floats);
        }
    })?;
    visited
}

/// Writes floats as little-endian bytes.
pub(super) fn write_little_endian(floats: &[f32], out: &mut dyn Write) -> Result<()> {
    if cfg!(target_endian = "little") {
        return Ok(out.write_all(bytemuck::cast_slice(floats))?);
    }
    Ok(floats.iter().try_for_each(|float| out.write_all(&float.to_le_bytes()))?)
}

/// Replaces numbers that are not finite by 0.
fn finite(floats: &mut [f32]) {
    for float in floats {
        *float = finite_or_zero(*float);
    }
}

/// Returns a number, or 0 if it is not finite.
pub(super) fn finite_or_zero(float: f32) -> f32 {
    if float.is_finite() { float } else { 0.0 }
}

/// Scales the first three of `N` numbers to unit length.
fn unit_length<const N: usize>(floats: &mut [f32]) {
    for item in floats.as_chunks_mut::<N>().0 {
        let Some((direction, _)) = item.split_first_chunk_mut::<3>() else { continue };
        let [x, y, z] = *direction;
        if (x * x + y * y + z * z - 1.0).abs() <= MAX_LENGTH_ERROR {
            continue;
        }
        *direction = unit(*direction).unwrap_or(SUBSTITUTE);
    }
}
