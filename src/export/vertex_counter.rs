//! Counts the vertices of glTF output without writing it.

use super::loss::LossList;
use super::{VertexParts, VertexRun};
use crate::array::Array as _;
use crate::error::Result;
use crate::model::{Geometry, SpaceConversion, Surface};
use crate::scene::SceneInput;
use crate::scene::normals::{ComputedNormals, NormalInput, NormalSource};
use crate::scene::shape::SurfaceShape;

/// Counts the vertices that glTF output has, surface by surface.
#[derive(Default)]
pub(crate) struct VertexCounter {
    /// The vertices of the last surface.
    last: Option<VertexRun>,
    /// The triangles of all drawn surfaces of the mesh, from the first call on.
    normals: Option<ComputedNormals>,
}

/// The vertices of a surface in glTF output.
pub(crate) struct VertexCount {
    pub(crate) vertices: usize,
    /// Whether the vertices are those of the surface before it.
    pub(crate) is_repeated: bool,
    /// Whether the vertices have normals, stored or computed.
    pub(crate) has_normals: bool,
}

impl VertexCounter {
    /// Counts the vertices of the next surface of a mesh in the base shape. All indices of the
    /// surface are read.
    pub(crate) fn count(&mut self, surface: &Surface<'_>, input: &SceneInput<'_>) -> Result<VertexCount> {
        let shape = SurfaceShape::Base;
        let normals = if let Some(normals) = &self.normals {
            normals
        } else {
            self.normals.insert(drawn_normals(surface.geometry)?)
        };
        let input_of = normal_input(surface)?;
        let corners = normals.corners(&input_of)?;
        let has_normals = corners.is_some() || matches!(normals.source(&input_of)?, NormalSource::Stored(_));
        let parts = VertexParts::new(surface, shape, input)?.for_normals(surface, corners.is_some())?;
        let mut count = VertexCount { vertices: 0, is_repeated: false, has_normals };
        for triangles in parts.ranges() {
            let (ignored, number) = (&mut LossList::default(), surface.index());
            let order = parts.order(surface, (shape, corners.as_ref()), triangles, ignored, number)?.order;
            let vertices = order.vertex_count(surface.positions()?.len());
            if vertices > 0 {
                let run = VertexRun::of(surface, &order, vertices)?;
                count.is_repeated = run.is_some() && run == self.last;
                self.last = run;
            }
            count.vertices = count.vertices.saturating_add(vertices);
        }
        Ok(count)
    }
}

/// Reads the triangles of the drawn surfaces whose normals are computed.
fn drawn_normals(geometry: &dyn Geometry) -> Result<ComputedNormals> {
    let mut normals = ComputedNormals::new(None);
    for surface in geometry.surfaces()? {
        if surface.is_drawn()? {
            normals.add(&normal_input(&surface)?)?;
        }
    }
    Ok(normals)
}

/// Returns the input of the computed normals of a surface in the base shape.
fn normal_input<'s, 'a>(surface: &'s Surface<'a>) -> Result<NormalInput<'s, 'a>> {
    let pool = (0, surface.vertex_pool()?);
    Ok(NormalInput { pool, surface, shape: SurfaceShape::Base, conversion: &SpaceConversion::IDENTITY })
}
