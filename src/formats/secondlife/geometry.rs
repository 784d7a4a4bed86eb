//! Conversion of a level of detail to the format-independent model, with one surface per submesh.

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

/// Names of surfaces that have no material name. The numbers are the face numbers that scripts in
/// the virtual world use.
const FACES: [&str; 8] = ["face 0", "face 1", "face 2", "face 3", "face 4", "face 5", "face 6", "face 7"];

/// The format-independent model of one level of detail of an asset.
///
/// A [`Mesh`] implements the same traits for its highest level of detail. In contrast to most
/// formats, the v coordinate of textures points up. The file stores no parents of bones.
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
    /// Makes the format-independent model of a block of submeshes: a level of detail or the
    /// collision triangles.
    ///
    /// This function does not check that the block exists. If the block does not exist, the first
    /// access to it returns an error. A call of [`level`](Self::level) is such an access.
    #[must_use]
    pub const fn new(view: AssetView<'a>, part: AssetPart) -> Self {
        Self { view, part }
    }

    /// Returns the level of detail or the collision triangles as an array of submeshes.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::level`].
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

    /// Returns the view of the asset.
    #[must_use]
    pub const fn view(&self) -> AssetView<'a> {
        self.view
    }
}

/// An asset with one visible level of detail. For a [`Mesh`], the highest level is visible. For a
/// [`LevelGeometry`], the caller selects the level.
pub trait ShownAsset: FormatVersion + Send + Sync {
    /// Returns a view of the asset.
    fn asset(&self) -> AssetView<'_>;
    /// Returns the visible level of detail.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::level`].
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
    /// Returns the bounding box of all positions of the visible level of detail.
    fn bounds(&self) -> Bounds {
        self.shown_level().map_or(Bounds::EMPTY, |level| {
            let boxes = level.submeshes().map(|submesh| submesh.map_or(Bounds::EMPTY, |submesh| bounds(&submesh)));
            boxes.fold(Bounds::EMPTY, |sum, one| sum.union(&one))
        })
    }

    fn sphere(&self) -> Option<Sphere> {
        None
    }

    /// Returns the number of submeshes of the visible level of detail, or 0 if the level is
    /// damaged.
    fn surface_count(&self) -> usize {
        self.shown_level().map_or(0, |level| level.len())
    }

    /// Returns the material name of the surface, or a name with the face number if the asset has no
    /// material name for the surface.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        let material = self.surface_material(surface)?;
        let face = FACES.get(surface).copied().unwrap_or("face");
        Ok(material.unwrap_or(Name::new(face.as_bytes())))
    }

    /// Returns the bounding box of the decoded positions of a surface. This function does not use
    /// the box in the file, because all surfaces of a level share that box.
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

    /// Returns `None`, because assets store normals but no tangent frames.
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

/// Makes an error about a byte of a vertex or index array. `name` is the array's name in the
/// format-independent model.
fn fault(submesh: &Submesh<'_>, name: &'static str, into: u64, kind: ErrorKind) -> Error {
    let key = match name.split('.').next() {
        Some("positions") => SubmeshKey::Position,
        Some("frames" | "normals") => SubmeshKey::Normal,
        Some("uv0") => SubmeshKey::TexCoord0,
        Some("weights") => SubmeshKey::Weights,
        _ => SubmeshKey::TriangleList,
    };
    // The data of the array starts after the LLSD marker and the length, which together take 5
    // bytes.
    let start = submesh.get(key).map_or(submesh.at(), |(at, _)| at.saturating_add(5));
    submesh.fault(key, start.saturating_add(usize::try_from(into).unwrap_or(usize::MAX)), kind)
}
