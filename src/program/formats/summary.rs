//! The descriptions of surfaces, levels of detail and compressed blocks that `info` prints. A
//! description of a surface or block owns its data and does not borrow from the file.

use crate::model::{Asset, Contents, Counts, Lod};
use crate::{Bounds, Surface};
use serde_json::{Value, json};

use crate::export::{LevelChoice, SceneInput, VertexCount, VertexCounter};
use crate::math::as_u64;
use crate::program::formats::level_args::{LodFilter, nearest_level};
use crate::program::output::json;

/// The size of a position on a GPU, in bytes: three 32-bit floats.
const POSITION: u64 = 12;
/// The size of a normal: three 32-bit floats.
const NORMAL: u64 = 12;
/// The size of a tangent with its sign: four 32-bit floats.
const TANGENT: u64 = 16;
/// The size of texture coordinates: two 32-bit floats.
const UV: u64 = 8;
/// The size of a colour: four bytes.
const COLOR: u64 = 4;
/// The size of four bones, of 16 bits each, with their weights, which are 32-bit floats.
const INFLUENCES: u64 = 24;
/// The number of vertices up to which an index takes two bytes.
const MAX_SHORT_INDEX: u64 = 65_535;

/// The description of one surface.
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct SurfaceSummary {
    /// The index of the surface, from 0. In a file with levels of detail, the surface indices of
    /// each level of detail start at 0.
    pub index: usize,
    /// The level of detail of the surface.
    pub lod: Option<SurfaceLod>,
    /// Whether the surface belongs to the described level of detail, whose triangles and vertices
    /// are counted.
    pub is_counted: bool,
    /// Whether the surface shares its vertices with an earlier surface.
    pub shares: bool,
    pub name: String,
    pub material: Option<String>,
    pub bounds: Bounds,
    pub counts: Counts,
    /// Whether vertex colours are data.
    pub colors_are_data: bool,
    /// Whether the counts of vertices, triangles and other elements in `counts` are complete. If
    /// `is_whole` is false, the counts come from the file header, because the surface was not
    /// inflated.
    pub is_whole: bool,
    pub drawn: bool,
    /// The size of the surface on a GPU, or `None` if it is not known without reading all indices.
    pub gpu: Option<GpuSize>,
    /// A text that describes how renderers draw the surface.
    pub style: String,
    /// For a surface of compressed blocks, the facts that only such surfaces have. `None` for all
    /// other surfaces.
    pub in_block: Option<SurfaceInBlock>,
}

impl SurfaceSummary {
    pub fn triangles(&self) -> u64 {
        (self.counts.corners / 3).into()
    }
}

/// The level of detail of a surface.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceLod {
    /// The name of the block that contains the surface.
    Block(&'static str),
    /// The number in the name of the surface.
    Number(u32),
}

/// The description of a level of detail whose surfaces are in one list with those of the others.
pub struct LevelSummary {
    pub name: String,
    pub surfaces: usize,
    pub triangles: u64,
}

impl LevelSummary {
    /// Returns the description as a JSON object.
    pub fn json(&self) -> Value {
        let Self { name, surfaces, triangles } = self;
        // The surfaces of a level are not in one block.
        json!({ "name": name, "bytes": null, "inflated_bytes": null, "surfaces": surfaces, "triangles": triangles })
    }
}

/// The size of a surface on a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuSize {
    /// The number of vertices, each of which has a position and all attributes.
    pub vertices: u64,
    /// The number of bytes of the vertices.
    pub vertex_bytes: u64,
    /// The number of bytes of the indices.
    pub index_bytes: u64,
    /// Whether the vertices are those of an earlier surface.
    pub is_repeated: bool,
}

impl GpuSize {
    /// Returns the number of bytes of the vertices and of the indices.
    pub const fn bytes(&self) -> u64 {
        self.vertex_bytes.saturating_add(self.index_bytes)
    }

    /// Returns the sum with the size of the next surface. Vertices that are repeated are counted
    /// once.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let [vertices, bytes] = if other.is_repeated { [0; 2] } else { [other.vertices, other.vertex_bytes] };
        Some(Self {
            vertices: self.vertices.checked_add(vertices)?,
            vertex_bytes: self.vertex_bytes.checked_add(bytes)?,
            index_bytes: self.index_bytes.checked_add(other.index_bytes)?,
            is_repeated: false,
        })
    }
}

/// The facts that only the surfaces of Second Life files have.
#[derive(Clone, Copy)]
pub struct SurfaceInBlock {
    /// The index of the asset in its container, or `None` if the file is not a container.
    pub asset: Option<usize>,
    pub is_placeholder: bool,
}

impl SurfaceInBlock {
    /// Returns the facts as a JSON object.
    pub fn json(self) -> Value {
        json::extend(
            json!({ "placeholder": self.is_placeholder }),
            &self.asset.map_or(Value::Null, |asset| json!({ "asset": asset })),
        )
    }
}

/// Describes the levels of detail of a mesh, which only the names of its surfaces tell. The
/// surfaces of the chosen level are counted and drawn.
pub fn describe_levels(
    mesh: &dyn Asset,
    filter: LodFilter,
    surfaces: &mut [SurfaceSummary],
) -> crate::Result<Vec<LevelSummary>> {
    let chosen = match filter {
        LodFilter::One(number) => nearest_level(mesh, number)?,
        LodFilter::All | LodFilter::None => 0,
    };
    let count = mesh.level_count()?;
    let mut levels = Vec::new();
    for level in 0..count {
        let geometry = mesh.level(level)?;
        let mut summary = LevelSummary {
            name: mesh.level_name(level)?.map(|name| name.to_string_lossy()).unwrap_or_default(),
            surfaces: 0,
            triangles: 0,
        };
        for surface in &mut *surfaces {
            let is_drawn = geometry.surface(surface.index)?.is_drawn()?;
            if is_drawn {
                summary.surfaces = summary.surfaces.saturating_add(1);
                summary.triangles = summary.triangles.saturating_add(surface.triangles());
            }
            if level == chosen {
                surface.lod = mesh.named_level(surface.index)?.map(SurfaceLod::Number);
                surface.drawn = is_drawn;
                surface.is_counted = is_drawn || filter == LodFilter::All;
            }
        }
        levels.push(summary);
    }
    Ok(if count > 1 { levels } else { Vec::new() })
}

/// Returns the level of detail that is described of the only asset of a file, or `None` if the file
/// has several.
pub fn only_level(contents: &dyn Contents, lod: Lod) -> Option<LevelChoice> {
    let asset = contents.asset(0).ok().filter(|_| contents.asset_count().is_ok_and(|count| count == 1))?;
    let has_number = |level: usize, lod: Lod| asset.level_number(level).is_ok_and(|own| own == Some(lod.number()));
    let find = |lod: Lod| (0..asset.level_count().ok()?).find(|level| has_number(*level, lod));
    lod.nearest(|lod| find(lod).is_some()).and_then(find).map(LevelChoice::One)
}

/// Counts the vertices of surfaces on a GPU, which has one index for all attributes of a vertex.
///
/// The vertices are those of glTF output. They are counted only if all indices may be read, except
/// in a surface whose attribute vertices are its corners: such a surface is small.
pub struct GpuCounter<'a> {
    input: SceneInput<'a>,
    /// Whether all indices may be read.
    counts_all: bool,
    /// The counter of the surfaces that are drawn. The others are not exported.
    drawn: VertexCounter,
}

impl<'a> GpuCounter<'a> {
    pub fn new(input: SceneInput<'a>, counts_all: bool) -> Self {
        Self { input, counts_all, drawn: VertexCounter::default() }
    }

    /// Returns the size of the next surface, or `None` if it is not known, or if the surface is
    /// damaged. `shares` is whether the surface has the vertex pool of an earlier one.
    pub fn size(&mut self, surface: &Surface<'_>, counts: &Counts, shares: bool) -> Option<GpuSize> {
        let [_, attribute_width] = counts.index_widths;
        let is_single = surface.is_single_stream().ok()?;
        let has_stored = surface.normals().ok()?.is_some();
        let (vertices, is_repeated, has_normals) = if self.counts_all || !is_single && attribute_width == 0 {
            let mut hidden = VertexCounter::default();
            let counter = if surface.is_drawn().ok()? { &mut self.drawn } else { &mut hidden };
            let VertexCount { vertices, is_repeated, has_normals } = counter.count(surface, &self.input).ok()?;
            (as_u64(vertices), is_repeated, has_normals)
        } else {
            // Computed normals split vertices at creases.
            ((is_single && has_stored).then_some(u64::from(counts.attribute_vertices))?, shares, true)
        };
        let index_size = if vertices > MAX_SHORT_INDEX { 4 } else { 2 };
        Some(GpuSize {
            vertices,
            vertex_bytes: vertices.checked_mul(vertex_bytes(surface, counts, has_normals)?)?,
            index_bytes: u64::from(counts.corners).checked_mul(index_size)?,
            is_repeated,
        })
    }
}

/// Returns the size of one vertex, with the attributes that the surface has.
fn vertex_bytes(surface: &Surface<'_>, counts: &Counts, has_normals: bool) -> Option<u64> {
    let has_tangents = surface.tangent_frames().ok()?.is_some();
    let uvs = UV.checked_mul(counts.uv_sets.into())?;
    let parts = [(has_normals, NORMAL), (has_tangents, TANGENT), (counts.colors, COLOR), (counts.weights, INFLUENCES)];
    let parts = parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, bytes)| bytes);
    Some(parts.fold(POSITION.saturating_add(uvs), u64::saturating_add))
}
