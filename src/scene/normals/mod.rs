//! The normals of surfaces: stored ones, or ones that are computed from the triangles.
//!
//! A computed normal belongs to a corner of a triangle. It is the sum of the facet normals of
//! triangles around the vertex, each weighted by its area and by its angle at the vertex: of the
//! triangle itself, and of those that it reaches across smooth edges. An edge is smooth if the
//! facets on both sides differ by at most the crease angle. Triangles share a vertex if they have
//! the same position index, or the same position if the format has one index for positions and
//! attributes: its vertices are stored twice along a seam. Pictures, pages and exports use the same
//! normals.

// Rule: this file sorts and maps by copies only.

mod rings;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::PoolKey;
use super::shape::{ShapePositions, SurfaceShape};
use crate::array::{Array, Bounds};
use crate::error::Result;
use crate::math::as_index;
use crate::model::animation::FrameBlend;
use crate::model::{Geometry, NormalEncoding, Normals, SpaceConversion, Surface};
use crate::parse::{filled, room};
pub(crate) use rings::CornerGroups;
use rings::{CreaseShapes, Rings};

/// The normals of the surfaces that are drawn or exported.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NormalChoice {
    /// The normals that the file stores, and no computed ones.
    Stored,
    /// Normals that are computed from the triangles of every surface, with creases at edges that
    /// are sharper than this angle in degrees. With 0, each triangle has the normal of its plane,
    /// and with 180, all edges are smooth.
    Creased(f32),
}

/// The crease angle in degrees if none is chosen: a limb with six sides is round, and a box is not.
pub(crate) const CREASE_ANGLE: f32 = 65.0;
/// The memory for computed normals, in bytes.
const MAX_BYTES: usize = 12 << 20;
/// The memory of a triangle: its vertices, the rings of its corners, and its normals with their
/// groups.
const TRIANGLE: usize = 72;
/// The memory of a vertex.
const VERTEX: usize = 4;
/// The memory for finding the vertices with equal positions, for each vertex.
const EQUAL_VERTEX: usize = 20;
/// The memory of a pool and of a surface.
const POOL: usize = 256;

/// Where the normals of a surface come from.
pub(crate) enum NormalSource<'a> {
    /// The file stores them, one for each attribute vertex.
    Stored(Normals<'a>),
    /// They are computed, with this crease angle in degrees.
    Computed(f32),
    /// The surface has none, and is drawn with the normals of its triangles.
    None,
}

impl<'a> NormalSource<'a> {
    /// Chooses between the stored and the computed normals of a surface.
    pub(crate) fn new(surface: &Surface<'a>, shape: &SurfaceShape<'_>, choice: Option<NormalChoice>) -> Result<Self> {
        if let Some(NormalChoice::Creased(angle)) = choice {
            return Ok(Self::Computed(angle));
        }
        // Stored normals are those of the base shape.
        let stored = if matches!(shape, SurfaceShape::Frames(_)) { None } else { surface.normals()? };
        Ok(match stored {
            Some(stored) if choice.is_some() || !surface.has_meaningless_normals()? => Self::Stored(stored),
            None if choice == Some(NormalChoice::Stored) => Self::None,
            None if surface.draw_style()?.flat => Self::Computed(0.0),
            Some(_) | None => Self::Computed(CREASE_ANGLE),
        })
    }
}

/// The triangles of the surfaces whose normals are computed.
pub(crate) struct ComputedNormals {
    choice: Option<NormalChoice>,
    pools: BTreeMap<PoolKey, TrianglePool>,
    /// The bytes that are left.
    left: usize,
}

/// The triangles of the surfaces of a vertex pool.
#[derive(Default)]
struct TrianglePool {
    vertices: usize,
    /// The first vertex with the position of each vertex, or nothing if positions have an index
    /// stream of their own.
    equal: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// For each surface its number, and the number of its first triangle.
    surfaces: Vec<(usize, usize)>,
    rings: OnceCell<Rings>,
    /// Whether the pool is too large for computed normals.
    is_too_large: bool,
}

/// The surface whose normals are computed.
#[derive(Clone, Copy)]
pub(crate) struct NormalInput<'s, 'a> {
    pub(crate) pool: PoolKey,
    pub(crate) surface: &'s Surface<'a>,
    pub(crate) shape: SurfaceShape<'s>,
    pub(crate) conversion: &'s SpaceConversion,
}

impl ComputedNormals {
    pub(crate) const fn new(choice: Option<NormalChoice>) -> Self {
        Self { choice, pools: BTreeMap::new(), left: MAX_BYTES }
    }

    /// Returns the choice of normals.
    pub(crate) const fn choice(&self) -> Option<NormalChoice> {
        self.choice
    }

    /// Returns where the normals of a surface come from.
    pub(crate) fn source<'a>(&self, input: &NormalInput<'_, 'a>) -> Result<NormalSource<'a>> {
        NormalSource::new(input.surface, &input.shape, self.choice)
    }

    /// Adds the triangles of a surface if its normals are computed. All surfaces of a pool must be
    /// added before the normals of one are computed.
    pub(crate) fn add(&mut self, input: &NormalInput<'_, '_>) -> Result<()> {
        let is_smooth = !matches!(self.choice, Some(NormalChoice::Creased(angle)) if angle <= 0.0);
        let NormalSource::Computed(_) = self.source(input)? else { return Ok(()) };
        let indices = input.surface.indices()?;
        let count = indices.len() / 3;
        if !is_smooth || count == 0 {
            return Ok(());
        }
        let is_new = !self.pools.contains_key(&input.pool);
        let pool = self.pools.entry(input.pool).or_default();
        let mut asked = POOL.saturating_add(count.saturating_mul(TRIANGLE));
        let has_seams = is_new && input.surface.second_indices()?.is_none();
        if is_new {
            pool.vertices = input.shape.positions(input.surface)?.len();
            let size = if has_seams { VERTEX.saturating_add(EQUAL_VERTEX) } else { VERTEX };
            asked = asked.saturating_add(pool.vertices.saturating_mul(size));
        }
        let Some(left) = self.left.checked_sub(asked).filter(|_| !pool.is_too_large) else {
            pool.is_too_large = true;
            return Ok(());
        };
        self.left = left;
        if has_seams {
            pool.equal = equal_vertices(&SurfaceShape::Base.positions(input.surface)?, pool.vertices)?;
        }
        pool.surfaces.push((input.surface.index(), pool.triangles.len()));
        pool.triangles.reserve_exact(count);
        let mut corners = [[0; 3]; 256];
        for first in (0..count).step_by(corners.len()) {
            let end = first.saturating_add(corners.len()).min(count);
            let Some(part) = indices.slice(first.saturating_mul(3)..end.saturating_mul(3)) else { break };
            let read = corners.as_flattened_mut();
            part.fill(read);
            for vertex in read.iter_mut() {
                *vertex = pool.equal.get(as_index(*vertex)).copied().unwrap_or(*vertex);
            }
            pool.triangles.extend_from_slice(corners.get(..end.saturating_sub(first)).unwrap_or_default());
        }
        Ok(())
    }

    /// Returns whether the first surface has normals that are packed into tangent frames, and
    /// stored ones are used. All surfaces of such a format have them, and may be compressed: they
    /// need not be added.
    pub(crate) fn are_packed(&self, geometry: &dyn Geometry) -> Result<bool> {
        if matches!(self.choice, Some(NormalChoice::Creased(_))) || geometry.surface_count()? == 0 {
            return Ok(false);
        }
        let lent = geometry.lend(0)?;
        let normals = lent.surface().tangent_frames()?.and(lent.surface().normals()?);
        Ok(normals.is_some_and(|normals| !matches!(normals.0, NormalEncoding::F32(_) | NormalEncoding::Strided(_))))
    }

    /// Returns whether [`corners`](Self::corners) computes normals of a surface.
    pub(crate) fn has(&self, input: &NormalInput<'_, '_>) -> Result<bool> {
        let NormalSource::Computed(angle) = self.source(input)? else { return Ok(false) };
        Ok(angle <= 0.0 || self.find(input).is_some())
    }

    /// Returns the pool of a surface, and the number of the first triangle of the surface in it.
    fn find(&self, input: &NormalInput<'_, '_>) -> Option<(&TrianglePool, usize)> {
        let pool = self.pools.get(&input.pool).filter(|pool| !pool.is_too_large)?;
        let (_, first) = pool.surfaces.iter().find(|(number, _)| *number == input.surface.index())?;
        Some((pool, *first))
    }

    /// Computes the normal of each corner of a surface, in the order of the file and in the
    /// conventions of the output.
    ///
    /// Creases are found in the base shape, so they do not change while the mesh moves. Returns
    /// `None` if the normals are not computed, or if the mesh is too large.
    pub(crate) fn corners(&self, input: &NormalInput<'_, '_>) -> Result<Option<CornerGroups>> {
        let NormalSource::Computed(angle) = self.source(input)? else { return Ok(None) };
        let count = input.surface.indices()?.len() / 3;
        if angle <= 0.0 {
            return facets(input, count).map(Some);
        }
        let Some((pool, first)) = self.find(input) else { return Ok(None) };
        let place = |positions: &ShapePositions<'_>, index: u32| {
            positions.get(as_index(index)).map_or([f64::NAN; 3], |at| input.conversion.position(at).map(f64::from))
        };
        let rings = if let Some(rings) = pool.rings.get() {
            rings
        } else {
            let base = SurfaceShape::Base.positions(input.surface)?;
            let corners = |vertices: [u32; 3], frame| {
                let at = FrameBlend { from: frame, to: frame, fraction: 0.0 };
                let later = (frame > 0).then(|| SurfaceShape::Frames(at).positions(input.surface).ok()).flatten();
                vertices.map(|index| place(later.as_ref().unwrap_or(&base), index))
            };
            let frames = u32::try_from(input.surface.geometry.vertex_frame_count()?).unwrap_or(u32::MAX);
            let shapes = CreaseShapes { corners: &corners, frames };
            let rings = Rings::new(&pool.triangles, pool.vertices, shapes, angle)?;
            pool.rings.get_or_init(|| rings)
        };
        let (shape, sign) = (input.shape.positions(input.surface)?, input.sign());
        let wanted = first..first.saturating_add(count);
        let corners = rings.normals((&pool.triangles, wanted), &|index| place(&shape, index), sign)?;
        Ok(Some(corners.for_frames(input.surface.geometry.vertex_frame_count()?)))
    }
}

impl NormalInput<'_, '_> {
    /// Returns the factor of facet normals: -1 if the conversion reverses the corners.
    const fn sign(&self) -> f64 {
        if self.conversion.reverses_corners() { -1.0 } else { 1.0 }
    }
}

/// Returns the first vertex with the same position, for each vertex. Positions are rounded to a
/// millionth of the size of the mesh, because the two ends of a seam may be computed differently.
fn equal_vertices(positions: &ShapePositions<'_>, count: usize) -> Result<Vec<u32>> {
    let vertices = || 0..u32::try_from(count).unwrap_or(u32::MAX);
    let position = |vertex: u32| positions.get(as_index(vertex)).unwrap_or_default();
    let bounds: Bounds = vertices().map(position).collect();
    let size = bounds.size().into_iter().fold(0.0, f32::max);
    let steps = if size > 0.0 && size.is_finite() { 1e6 / size } else { 1.0 };
    let cell = |vertex: u32| {
        let mut cell = position(vertex);
        cell.iter_mut().zip(bounds.min).for_each(|(part, min)| *part = ((*part - min) * steps).round() + 0.0);
        cell.map(f32::to_bits)
    };
    let mut sorted = room("scene", "normals", count)?;
    sorted.extend(vertices().map(|vertex| (cell(vertex), vertex)));
    sorted.sort_unstable();
    let mut equal = filled("scene", "normals", count, 0)?;
    for run in sorted.chunk_by(|(one, _), (other, _)| one == other) {
        let Some((_, first)) = run.first() else { continue };
        for (_, vertex) in run {
            equal.get_mut(as_index(*vertex)).into_iter().for_each(|place| *place = *first);
        }
    }
    Ok(equal)
}

/// Returns the normal of the plane of each triangle, for each of its corners.
fn facets(input: &NormalInput<'_, '_>, count: usize) -> Result<CornerGroups> {
    let corners = count.saturating_mul(3);
    let mut out =
        CornerGroups { normals: room("scene", "normals", corners)?, groups: room("scene", "normals", corners)? };
    let (positions, indices) = (input.shape.positions(input.surface)?, input.surface.indices()?);
    for first in (0..count).map(|triangle| triangle.saturating_mul(3)) {
        let corner = |corner| {
            let position = positions.get(as_index(indices.get(first.saturating_add(corner))?))?;
            Some(input.conversion.position(position).map(f64::from))
        };
        let corners = [0, 1, 2].map(|number| corner(number).unwrap_or([f64::NAN; 3]));
        out.normals.extend([rings::facet_normal(corners, input.sign()); 3]);
        out.groups.extend([u32::try_from(first).unwrap_or(u32::MAX); 3]);
    }
    Ok(out.for_frames(input.surface.geometry.vertex_frame_count()?))
}
