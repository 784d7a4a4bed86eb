//! Lowering to the neutral view: a level of detail as surfaces, one to a submesh.

use super::asset_part::AssetPart;
use super::asset_view::AssetView;
use super::file::Mesh;
use super::layout::FORMAT;
use super::level::Level;
use super::surface::{Submesh, SubmeshKey};
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::{Colors, Counts, FormatVersion, Geometry, Indices, Normals, Positions, TangentFrames, Uvs, Weights};
use crate::parse::Name;

/// What surfaces are called that have no material's name: by their number, as scripts in the world count them.
const FACES: [&str; 8] = ["face 0", "face 1", "face 2", "face 3", "face 4", "face 5", "face 6", "face 7"];

/// One level of detail of an asset, as a mesh: the neutral view of it. The [`Mesh`] itself is seen as its highest level.
///
/// Texture coordinates grow upwards, other than in most formats; bones have no parents in the file.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::secondlife::{LevelGeometry, Lod, Mesh};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// let low = LevelGeometry::new(mesh.view(), Lod::Low.part());
/// for surface in meshpeek::Surface::all(&low) {
///     println!("{}: {} triangles", surface.name()?, surface.corners()?.triangle_count());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LevelGeometry<'a> {
    view: AssetView<'a>,
    part: AssetPart,
}

impl<'a> LevelGeometry<'a> {
    /// Looks at a block of submeshes: a level of detail, or the triangles to collide with. Whether it is there shows when
    /// something is asked of it; [`level`](Self::level) asks.
    #[must_use]
    pub const fn new(view: AssetView<'a>, part: AssetPart) -> Self {
        Self { view, part }
    }

    /// Returns the block as submeshes.
    ///
    /// # Errors
    ///
    /// As [`AssetView::level`].
    pub fn level(&self) -> Result<Level<'a>> {
        if let Some(lod) = self.part.lod() {
            return self.view.level(lod);
        }
        self.view.block(self.part)?.map_or_else(
            || {
                let kind = ErrorKind::Missing { expected: format!("a block `{}`", self.part.key()).into() };
                Err(Error::new(FORMAT, Field::new(self.part.key()), self.view.start(), kind))
            },
            |block| block.level(),
        )
    }

    /// Returns the asset that it is of.
    #[must_use]
    pub const fn view(&self) -> AssetView<'a> {
        self.view
    }
}

/// An asset of which one level of detail is shown: by a [`Mesh`] the highest, by a [`LevelGeometry`] any.
pub trait ShownAsset: FormatVersion + Send + Sync {
    /// Returns the asset.
    fn asset(&self) -> AssetView<'_>;
    /// Returns the level that is shown.
    ///
    /// # Errors
    ///
    /// As [`AssetView::level`].
    fn shown_level(&self) -> Result<Level<'_>>;
}

impl<D: AsRef<[u8]> + Send + Sync> ShownAsset for Mesh<D> {
    fn asset(&self) -> AssetView<'_> {
        self.view()
    }

    fn shown_level(&self) -> Result<Level<'_>> {
        self.view().highest_level()
    }
}

impl ShownAsset for LevelGeometry<'_> {
    fn asset(&self) -> AssetView<'_> {
        self.view
    }

    fn shown_level(&self) -> Result<Level<'_>> {
        self.level()
    }
}

impl FormatVersion for LevelGeometry<'_> {
    fn format(&self) -> &'static str {
        FORMAT
    }

    fn version(&self) -> &'static str {
        self.view.version()
    }
}

impl<A: ShownAsset> Geometry for A {
    /// The box around all positions of the level.
    fn bounds(&self) -> Bounds {
        self.shown_level().map_or(Bounds::EMPTY, |level| {
            let boxes = level.submeshes().map(|submesh| submesh.map_or(Bounds::EMPTY, |submesh| bounds(&submesh)));
            boxes.fold(Bounds::EMPTY, |sum, one| sum.union(&one))
        })
    }

    fn sphere(&self) -> Option<Sphere> {
        None
    }

    /// Those of the level; none where it is damaged.
    fn surface_count(&self) -> usize {
        self.shown_level().map_or(0, |level| level.len())
    }

    /// The material's name, where the asset has a list of them; otherwise the number of the face.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        let material = self.surface_material(surface)?;
        let face = FACES.get(surface).copied().unwrap_or("face");
        Ok(material.unwrap_or(Name::new(face.as_bytes())))
    }

    /// The box around the positions: the one that the file gives is that of all surfaces together.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        self.shown_level()?.submesh(surface)?.positions().map(|array| Positions::MinMax16(array).bounds())
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        self.shown_level()?.submesh(surface).map(|_| None)
    }

    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        self.shown_level()?.submesh(surface)?;
        Ok(self.asset().material(surface))
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        let submesh = self.shown_level()?.submesh(surface)?;
        let [vertices, corners] = [submesh.vertex_count(), submesh.triangle_count().saturating_mul(3)]
            .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Ok(Counts {
            vertices,
            attribute_vertices: vertices,
            corners,
            index_widths: [2, 2],
            uv_sets: submesh.get(SubmeshKey::TexCoord0).is_some().into(),
            colors: false,
            weights: submesh.get(SubmeshKey::Weights).is_some(),
            targets: 1,
        })
    }

    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
        base_shape(target)?;
        self.shown_level()?.submesh(surface)?.positions().map(Positions::MinMax16)
    }

    /// Assets have normals, and no tangent frames.
    fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>> {
        base_shape(target)?;
        self.shown_level()?.submesh(surface).map(|_| None)
    }

    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        base_shape(target)?;
        Ok(self.shown_level()?.submesh(surface)?.normals()?.map(Normals::Unit16))
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        let submesh = self.shown_level()?.submesh(surface)?;
        if set > 0 {
            return Ok(None);
        }
        Ok(submesh.uvs()?.map(Uvs::MinMax16))
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        self.shown_level()?.submesh(surface).map(|_| None)
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        self.shown_level()?.submesh(surface)?.weights()
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        self.shown_level()?.submesh(surface)?.indices().map(Indices::U16)
    }

    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        self.shown_level()?.submesh(surface).map(|_| None)
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error {
        let submesh = self.shown_level().and_then(|level| level.submesh(surface));
        match submesh {
            Ok(submesh) => fault(&submesh, name, into, kind),
            Err(_) => Error::without_offset(FORMAT, Field::new(name).in_list("surface", as_u64(surface)), kind),
        }
    }
}

fn bounds(submesh: &Submesh<'_>) -> Bounds {
    submesh.positions().map_or(Bounds::EMPTY, |array| Positions::MinMax16(array).bounds())
}

fn base_shape(target: usize) -> Result<()> {
    if target == 0 { Ok(()) } else { Err(no_such("target", 1, target)) }
}

pub(super) fn no_such(list: &'static str, count: usize, index: usize) -> Error {
    let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(index) };
    Error::without_offset(FORMAT, Field::new("").in_list(list, as_u64(index)), kind)
}

/// Makes an error about a byte of an array, by the array's neutral name.
fn fault(submesh: &Submesh<'_>, name: &'static str, into: u64, kind: ErrorKind) -> Error {
    let key = match name.split('.').next() {
        Some("positions") => SubmeshKey::Position,
        Some("frames" | "normals") => SubmeshKey::Normal,
        Some("uv0") => SubmeshKey::TexCoord0,
        Some("weights") => SubmeshKey::Weights,
        _ => SubmeshKey::TriangleList,
    };
    // Behind the marker and the length.
    let start = submesh.get(key).map_or(submesh.at(), |(at, _)| at.saturating_add(5));
    submesh.fault(key, start.saturating_add(usize::try_from(into).unwrap_or(usize::MAX)), kind)
}
