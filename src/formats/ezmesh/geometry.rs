//! Implements the format-independent trait [`Geometry`]: each section of each mesh is one surface.

use super::element_index::ElementKind;
use super::elements::Section;
use super::file::Mesh;
use super::layout::FORMAT;
use super::layout::Semantic as S;
use super::validate::rules::VERTEX_DECLARATION;
use crate::array::{Array, Bounds};
use crate::error::{Cause, Error, Field, Result, expect_only};
use crate::math::{as_index, as_u64};
use crate::model::{
    Colors, Counts, ExtraArray, ExtraArrayInfo, Geometry, IndexEncoding, Indices, Normals, PositionEncoding, Positions,
    Space, SurfaceArrays, Uvs, VertexPool, Weights, Winding,
};
use crate::parse::Name;

/// The columns of vertices that the neutral arrays leave out.
pub const EXTRA_ARRAYS: &[ExtraArrayInfo] = &[
    ExtraArrayInfo::floats("tangents", "tangent", "Tangent of each vertex: x, y, z"),
    ExtraArrayInfo::floats("bitangents", "bitangent", "Bitangent of each vertex: x, y, z"),
    ExtraArrayInfo::floats("radius", "radius", "A distance for each vertex (EZ-Mesh)"),
    ExtraArrayInfo::floats("interp1", "interp1", INTERP),
    ExtraArrayInfo::floats("interp2", "interp2", ""),
    ExtraArrayInfo::floats("interp3", "interp3", ""),
    ExtraArrayInfo::floats("interp4", "interp4", ""),
    ExtraArrayInfo::floats("interp5", "interp5", ""),
    ExtraArrayInfo::floats("interp6", "interp6", ""),
    ExtraArrayInfo::floats("interp7", "interp7", ""),
    ExtraArrayInfo::floats("interp8", "interp8", ""),
];
const INTERP: &str = "Custom values to interpolate, 1 to 4 floats for each vertex; interp2 to interp8 are further \
    sets (EZ-Mesh)";

/// The size of two memory pages, in bytes. Reading one position may load two pages.
const TWO_PAGES: usize = 8192;

impl<D: AsRef<[u8]> + Send + Sync> Mesh<D> {
    /// Returns the same bounding box as [`Geometry::bounds`]. While the positions are read, `read`
    /// is called with the maximum number of bytes of memory pages that were read since the last
    /// call. A program can then [release](crate::Map::release) pages of a large map.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Geometry::bounds`].
    pub fn bounds_in_steps(&self, read: &mut dyn FnMut(usize)) -> Result<Bounds> {
        let view = self.view();
        let cache = &view.state.caches.bounds;
        if let Some(bounds) = cache.get() {
            return Ok(*bounds);
        }
        let own = view.sections().filter(Section::has_own_vertices).map(|section| section.vertex_buffer());
        let shared = view.meshes().filter_map(|mesh| mesh.vertex_buffer().transpose());
        // The cache is not locked while the boxes are computed, because `read` may call
        // `Geometry::bounds`.
        let mut bounds = Bounds::EMPTY;
        for buffer in shared.chain(own) {
            let buffer = buffer?;
            let Some(positions) = buffer.vertices()?.positions() else { continue };
            buffer.note_positions();
            bounds = bounds.union(&bounds_of(&positions, read));
        }
        Ok(*cache.get_or_init(|| bounds))
    }

    /// Returns the same bounding box as [`SurfaceArrays::surface_bounds`], and calls `read` like
    /// [`bounds_in_steps`](Self::bounds_in_steps).
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`SurfaceArrays::surface_bounds`].
    pub fn surface_bounds_in_steps(&self, surface: usize, read: &mut dyn FnMut(usize)) -> Result<Bounds> {
        let section = self.section(surface)?;
        let positions = self.positions(surface, 0)?;
        section.vertex_buffer()?.note_positions();
        let has_own = section.has_own_vertices();
        if has_own || section.mesh().section_range().len() == 1 {
            let view = self.view();
            let is_alone = view.count(ElementKind::Section) == 1 && view.count(ElementKind::Mesh) == 1;
            // The vertices of the only section are all vertices of the file, unless its mesh has
            // other vertices.
            if is_alone && (!has_own || section.mesh().element.inside(ElementKind::MeshVertices).is_empty()) {
                return self.bounds_in_steps(read);
            }
            return Ok(bounds_of(&positions, read));
        }
        let mut bounds = Bounds::EMPTY;
        if let Some(triangles) = section.index_buffer()? {
            triangles.note();
        }
        self.indices(surface)?.for_each_chunk(|_, indices| {
            bounds.extend(indices.iter().filter_map(|index| positions.get(as_index(*index))));
            read(indices.len().saturating_mul(TWO_PAGES));
        });
        Ok(bounds)
    }
}

/// Returns the bounding box of all positions, and calls `read` with the number of bytes of each
/// part that was read.
fn bounds_of(positions: &Positions<'_>, read: &mut dyn FnMut(usize)) -> Bounds {
    let Positions(PositionEncoding::Strided(array)) = positions else {
        let bounds = positions.bounds();
        read(positions.as_bytes().len());
        return bounds;
    };
    let stride = array.as_bytes().len().checked_div(array.len()).unwrap_or_default();
    array.bounds_in_steps(|items| read(items.saturating_mul(stride)))
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Mesh<D> {
    /// Returns conventions of which only the winding is known. The format defines no axes, no unit
    /// and no origin of texture coordinates.
    fn space(&self) -> Space {
        Space { winding: Some(Winding::CounterClockwise), ..Space::UNKNOWN }
    }

    /// Returns the bounding box of all positions, computed from the vertices. The bounding box that
    /// a file declares can be wrong.
    ///
    /// For a text file, all vertices are parsed.
    fn bounds(&self) -> Result<Bounds> {
        self.bounds_in_steps(&mut |_| ())
    }

    fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
        EXTRA_ARRAYS
    }
}

impl<D: AsRef<[u8]> + Send + Sync> SurfaceArrays for Mesh<D> {
    fn surface_count(&self) -> Result<usize> {
        Ok(self.view().count(ElementKind::Section))
    }

    /// Returns the name of the mesh that contains the surface.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        self.section(surface)?.mesh().name()
    }

    /// Returns the bounding box of the vertices that the triangles of the surface use.
    ///
    /// If no other surface uses the vertices of this surface, returns the bounding box of all
    /// vertices of the surface, including vertices that no triangle uses.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        self.surface_bounds_in_steps(surface, &mut |_| ())
    }

    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        Ok(self.section(surface)?.material_name()?.non_empty())
    }

    /// Returns a separate pool for a section with its own vertices, and one pool for all other
    /// sections of a mesh.
    fn vertex_pool(&self, surface: usize) -> Result<VertexPool> {
        let section = self.section(surface)?;
        let number = surface.saturating_mul(2);
        let shared = section.mesh().section_range().start.saturating_mul(2);
        Ok(VertexPool::new(if section.has_own_vertices() { number.saturating_add(1) } else { shared }))
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        let section = self.section(surface)?;
        let buffer = section.vertex_buffer()?;
        let corners = section.index_buffer()?.map_or(0, |triangles| triangles.index_count());
        let has = |semantic| buffer.format().column(semantic).is_some();
        let uv_sets = (0..4).rev().find(|set| has(S::Texcoord(*set))).map_or(0, |set| u32::from(set).saturating_add(1));
        Ok(Counts {
            vertices: buffer.count(),
            attribute_vertices: buffer.count(),
            corners: u32::try_from(corners).unwrap_or(u32::MAX),
            index_widths: [4, 4],
            uv_sets,
            colors: has(S::Color),
            weights: has(S::BlendWeights) && has(S::BlendIndices),
            targets: 1,
        })
    }

    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
        let section = self.section(surface)?;
        expect_only(FORMAT, "target", target)?;
        let buffer = section.vertex_buffer()?;
        buffer.vertices()?.positions().ok_or_else(|| {
            let kind = Cause::Missing { expected: "positions of three floats".into() };
            Error::new(FORMAT, buffer.element.place.named("semantic"), buffer.offset().unwrap_or_default(), kind)
                .breaking(&VERTEX_DECLARATION)
        })
    }

    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        expect_only(FORMAT, "target", target)?;
        Ok(self.section(surface)?.vertex_buffer()?.vertices()?.normals())
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        Ok(self.section(surface)?.vertex_buffer()?.vertices()?.uvs(set))
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        Ok(self.section(surface)?.vertex_buffer()?.vertices()?.colors())
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        let section = self.section(surface)?;
        let first = section.mesh().bones()?.start;
        Ok(section.vertex_buffer()?.vertices()?.weights(first))
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        match self.section(surface)?.index_buffer()? {
            Some(triangles) => triangles.indices(),
            None => Ok(Indices(IndexEncoding::Consecutive(crate::array::Consecutive::new(0)))),
        }
    }

    fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
        let Some(info) = ExtraArrayInfo::find(EXTRA_ARRAYS, name) else { return Ok(None) };
        let semantic = match name {
            "tangents" => S::Tangent,
            "bitangents" => S::Binormal,
            _ => S::of(name.as_bytes(), &mut 0),
        };
        Ok(self.section(surface)?.vertex_buffer()?.vertices()?.extra_array(info, semantic))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error {
        let field = Field::new(name).in_list("surface", as_u64(surface));
        let Ok(section) = self.section(surface) else { return error.located(FORMAT, field, None) };
        let start = match name {
            "indices" | "attribute_indices" => section.index_buffer().ok().flatten().and_then(|all| all.offset().ok()),
            _ => section.vertex_buffer().ok().and_then(|all| all.offset().ok()),
        };
        // The byte offset of a single number in a text file is not stored. Hence an error about a
        // number in a text file contains the offset at which the whole list of numbers starts.
        let into = if self.dialect().is_some() { 0 } else { into };
        error.located_in(FORMAT, field, start.map(|start| start.saturating_add(into)))
    }
}
