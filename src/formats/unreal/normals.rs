//! Normals, which the format does not store: computed on request.

use super::file::Mesh;
use super::layout::{DATA, PolygonType, RawPolygon};
use super::transform::Placement;
use crate::array::Array;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{add, as_u64, facet, unit};
use crate::model::Positions;

/// Which normal a corner gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shading {
    /// That of its triangle's plane where the triangle is flagged as flat, the smooth one otherwise.
    #[default]
    Flagged,
    /// The mean of all triangles that share its vertex, larger ones weighing more.
    Smooth,
    /// That of its triangle's plane.
    Facet,
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Computes the normals of a frame, after placing it: one for each corner of every polygon in file order, of unit
    /// length, or zero for what has no normal (a triangle without area; a corner whose vertex is out of range).
    ///
    /// Stored axes differ in scale, so normals are those of a [`Placement`] in which they do not: a script's, or
    /// [`Placement::author`]'s. They point to the side from which corners go round counter-clockwise with axes drawn
    /// right-handed, which is outward in nearly every closed mesh. Triangles that are not drawn shade nothing.
    ///
    /// Two passes over the polygons, one look at each vertex; allocates 12 bytes per vertex while it runs, and the result.
    ///
    /// # Errors
    ///
    /// As [`frame`](Self::frame); [`ErrorKind::OutOfMemory`].
    pub fn normals(&self, frame: usize, shading: Shading, placement: &Placement) -> Result<Vec<[f32; 3]>> {
        let (polygons, positions) = (self.polygons()?, self.frame(frame)?.positions());
        self.note_polygons();
        self.note_aniv(self.header.frame_at(as_u64(frame)), as_u64(positions.as_bytes().len()));
        let mut smooth: Vec<[f32; 3]> = zeros(self.vertex_count())?;
        let mut normals = zeros(polygons.len().saturating_mul(3))?;
        let plane = |polygon: &RawPolygon| plane(polygon, &positions, placement).unwrap_or_default();
        if shading != Shading::Facet {
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
            let flat = shading == Shading::Facet
                || shading == Shading::Flagged && PolygonType(polygon.kind).has(PolygonType::FLAT);
            let flat = flat.then(|| plane(polygon));
            for (corner, vertex) in corners.iter_mut().zip(polygon.vertices) {
                let sum = flat.or_else(|| smooth.get(usize::from(vertex.get())).copied());
                *corner = sum.and_then(unit).unwrap_or_default();
            }
        }
        Ok(normals)
    }
}

/// Returns a triangle's normal, twice its area long.
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
    let fault = |_| Error::without_offset(DATA, Field::new("normals"), ErrorKind::OutOfMemory { asked });
    list.try_reserve_exact(count).map_err(fault)?;
    list.resize(count, [0.0; 3]);
    Ok(list)
}
