//! Computes normals for the triangle corners of a mesh, because the file format does not store
//! normals.

use std::io::Write;

use super::file::Mesh;
use super::layout::{DATA, PolygonType, RawPolygon};
use super::transform::Placement;
use crate::array::Array;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{add, as_u64, facet, unit};
use crate::model::{NormalShading, PositionMap, Positions, VertexMesh};

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Computes the normals of one animation frame. The vertices are transformed by `placement`
    /// before the normals are computed.
    ///
    /// Returns one normal for each corner of every polygon, in file order. A returned normal has
    /// unit length, or is the zero vector if the triangle has no area, or if the vertex index of
    /// the corner is out of range.
    ///
    /// In classic files, one integer step along z is twice as long as one integer step along x or
    /// y. The argument `placement` should convert positions to units that are equal along all axes:
    /// pass the placement of a script, or [`Placement::author`]. The normal of a triangle is the
    /// cross product of the edge from corner 0 to corner 1 and the edge from corner 0 to corner 2.
    /// In nearly every closed mesh, the normals point outwards. Triangles that the engine does not
    /// render do not contribute to smooth normals.
    ///
    /// `normals` reads the polygons in two passes. The first pass over the polygons, which
    /// [`NormalShading::Facet`] does not need, decodes the vertices of all rendered polygons, and
    /// the second pass decodes the vertices of flat-shaded polygons. `normals` allocates the
    /// returned vector, and a temporary buffer of 12 bytes per vertex.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`frame`](Self::frame), and [`ErrorKind::OutOfMemory`] if an
    /// allocation fails.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn normals(&self, frame: usize, shading: NormalShading, placement: &Placement) -> Result<Vec<[f32; 3]>> {
        let (polygons, positions) = (self.polygons()?, self.frame(frame)?.positions());
        self.note_polygons();
        self.note_aniv(self.header.frame_at(as_u64(frame)), as_u64(positions.as_bytes().len()));
        let mut smooth: Vec<[f32; 3]> = zeros(self.vertex_count())?;
        let mut normals = zeros(polygons.len().saturating_mul(3))?;
        let plane = |polygon: &RawPolygon| plane(polygon, &positions, placement).unwrap_or_default();
        if shading != NormalShading::Facet {
            for polygon in polygons.iter().filter(|polygon| !PolygonType(polygon.kind).has(PolygonType::WEAPON)) {
                let plane = plane(polygon);
                for vertex in polygon.vertices {
                    if let Some(sum) = smooth.get_mut(usize::from(vertex.get())) {
                        *sum = add(*sum, plane);
                    }
                }
            }
        }
        for (polygon, corners) in polygons.iter().zip(normals.as_chunks_mut::<3>().0) {
            let flat = shading == NormalShading::Facet
                || shading == NormalShading::Flagged && PolygonType(polygon.kind).has(PolygonType::FLAT);
            let flat = flat.then(|| plane(polygon));
            for (corner, vertex) in corners.iter_mut().zip(polygon.vertices) {
                let sum = flat.or_else(|| smooth.get(usize::from(vertex.get())).copied());
                *corner = sum.and_then(unit).unwrap_or_default();
            }
        }
        Ok(normals)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> VertexMesh for Mesh<D> {
    fn placing(&self) -> Option<PositionMap<'_>> {
        let placement = Placement::of(&self.script()?);
        Some(Box::new(move |position| placement.apply(position)))
    }

    /// Without a placement, the normals are computed in the units of the mesh's author, which are
    /// equal along all axes.
    fn normals(&self, surface: usize, frame: usize, shading: NormalShading, is_placed: bool) -> Result<Vec<[f32; 3]>> {
        let script = self.script().filter(|_| is_placed);
        let placement = script.map_or(Placement::author(self.variant()), |script| Placement::of(&script));
        let polygons = self.surface(surface)?.numbers();
        let all = Self::normals(self, frame, shading, &placement)?;
        let corners = all.as_chunks::<3>().0;
        Ok(polygons.iter().filter_map(|number| corners.get(usize::from(*number))).flatten().copied().collect())
    }

    fn write_uv_listing(&self, out: &mut dyn Write) -> Result<()> {
        Self::write_uv_listing(self, out)
    }
}

/// Returns the normal of a triangle, or `None` if a vertex index of the triangle is out of range.
/// The length of the normal is twice the area of the triangle.
fn plane(polygon: &RawPolygon, positions: &Positions<'_>, placement: &Placement) -> Option<[f32; 3]> {
    let place = |vertex: zerocopy::little_endian::U16| {
        positions.get(usize::from(vertex.get())).map(|position| placement.apply(position))
    };
    let [first, second, third] = polygon.vertices.map(place);
    Some(facet([first?, second?, third?]))
}

fn zeros(count: usize) -> Result<Vec<[f32; 3]>> {
    let mut list = Vec::new();
    let asked = as_u64(count.saturating_mul(size_of::<[f32; 3]>()));
    let fault = |_| Error::without_offset(DATA, Field::new("normals"), Cause::OutOfMemory { asked });
    list.try_reserve_exact(count).map_err(fault)?;
    list.resize(count, [0.0; 3]);
    Ok(list)
}
