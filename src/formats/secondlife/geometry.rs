//! The [`Geometry`] trait for mesh assets. Through [`Geometry`], a mesh asset shows one level of
//! detail, with one surface per submesh.

use super::asset_view::AssetView;
use super::block_index::AVATAR_AXES;
use super::file::Mesh;
use super::layout::{AssetPart, FORMAT};
use super::level::Level;
use super::surface::{Submesh, SubmeshKey};
use crate::array::Bounds;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::model::{
    Counts, ExtraArray, ExtraArrayInfo, FormatVersion, Geometry, Handedness, IndexEncoding, Indices, ItemOwner,
    NormalEncoding, Normals, NumberType, PositionEncoding, Positions, Space, SurfaceArrays, TangentFrames, UvEncoding,
    UvOrigin, Uvs, Weights, Winding,
};
use crate::parse::Name;

/// The coordinate conventions of all mesh assets.
pub(super) const SPACE: Space = Space {
    up: Some(AVATAR_AXES.0),
    forward: Some(AVATAR_AXES.1),
    handedness: Some(Handedness::Right),
    winding: Some(Winding::CounterClockwise),
    uv_origin: Some(UvOrigin::BottomLeft),
    ..Space::UNKNOWN
};
/// Surface names for submeshes without a material name. The number in a surface name is the face
/// number by which scripts in the virtual world identify the submesh.
const FACES: [&str; 8] = ["face 0", "face 1", "face 2", "face 3", "face 4", "face 5", "face 6", "face 7"];

/// The tangents of a surface, and the points of the hulls of an asset.
pub const EXTRA_ARRAYS: &[ExtraArrayInfo] = &[
    ExtraArrayInfo {
        stored: Some(NumberType::I32),
        encoding: "integers of 16 bits",
        ..ExtraArrayInfo::floats("tangents", "tangent", "Tangent of each vertex: x, y, z and the side of the bitangent")
    },
    ExtraArrayInfo { owner: ItemOwner::Hull, ..ExtraArrayInfo::floats("hull", "point", HULL) },
    ExtraArrayInfo {
        owner: ItemOwner::BoundingHull,
        ..ExtraArrayInfo::floats("bounding-hull", "point", BOUNDING_HULL)
    },
];
const HULL: &str = "Points of one collision hull; --surface is the number of the hull (Second Life, EZ-Mesh)";
const BOUNDING_HULL: &str = "Points of the convex hull around the whole mesh (Second Life)";

/// One level of detail, or the collision triangles, of an asset as format-independent geometry.
///
/// A [`Mesh`] and a [`LevelGeometry`] implement the same format-independent traits, but a [`Mesh`]
/// always shows its highest level of detail. In contrast to most mesh formats, the texture
/// coordinate v points up.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::secondlife::{LevelGeometry, Lod, Mesh};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// let low = LevelGeometry::new(mesh.view(), Lod::Low.part());
/// for surface in meshpeek::Surface::all(&low)? {
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
    /// Creates the format-independent geometry of one block of submeshes: a level of detail or the
    /// collision triangles.
    ///
    /// This function does not check that the asset has the block. If the asset does not have the
    /// block, each later access, such as a call of [`level`](Self::level), returns an error.
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
                let kind = Cause::Missing { expected: format!("a block `{}`", self.part.key()).into() };
                Err(Error::new(FORMAT, Field::new(self.part.key()), self.view.start(), kind))
            },
            |block| block.level(),
        )
    }
}

/// An asset that implements the format-independent traits for one block of submeshes, which is
/// called the visible level of detail.
///
/// The visible level of detail of a [`Mesh`] is its highest level of detail. That of a
/// [`LevelGeometry`] is the block that was passed to [`LevelGeometry::new`].
pub trait ShownAsset: FormatVersion + Send + Sync {
    /// Returns a view of the asset.
    fn asset(&self) -> AssetView<'_>;
    /// Returns the level of detail that the format-independent traits read.
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
    /// Returns right-handed conventions with z up and x forward. The placement of an asset with a
    /// skin is the bind shape matrix, because viewers draw the mesh on the joints of an avatar. If
    /// the inverse bind matrices turn all joints in the same way, the axes are those of the joints.
    ///
    /// The unit is unknown, because the positions lie in a cube with a side of 1 unit. Each object
    /// in the virtual world stretches this cube to its own size.
    fn space(&self) -> Space {
        let Some(skin) = self.asset().skin().ok().flatten() else { return SPACE };
        let (up, forward) = skin.axes();
        Space { up: Some(up), forward: Some(forward), ..SPACE }.placed(skin.placement())
    }

    /// Returns the bounding box of all positions of the level of detail that
    /// `ShownAsset::shown_level` returns.
    fn bounds(&self) -> Result<Bounds> {
        let mut boxes = self.shown_level()?.submeshes().map(|submesh| bounds(&submesh?));
        boxes.try_fold(Bounds::EMPTY, |sum, one| Ok(sum.union(&one?)))
    }

    fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
        EXTRA_ARRAYS
    }
}

impl<A: ShownAsset> SurfaceArrays for A {
    /// Returns the number of submeshes of the level of detail that `ShownAsset::shown_level`
    /// returns.
    fn surface_count(&self) -> Result<usize> {
        self.shown_level().map(|level| level.len())
    }

    /// Returns the material name of the surface, or a name such as `face 3` if the asset has no
    /// material name for the surface.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        let material = self.surface_material(surface)?;
        let face = FACES.get(surface).copied().unwrap_or("face");
        Ok(material.unwrap_or(Name::new(face.as_bytes())))
    }

    /// Returns the bounding box of the decoded positions of a surface. This function does not use
    /// the quantization box in the file, because all surfaces of a level of detail share one
    /// quantization box.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        bounds(&self.shown_level()?.submesh(surface)?)
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
        self.shown_level()?.submesh(surface)?.positions().map(|array| Positions(PositionEncoding::MinMax16(array)))
    }

    /// Returns `None`, because mesh assets store normals but no tangent frames.
    fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>> {
        base_shape(target)?;
        self.shown_level()?.submesh(surface).map(|_| None)
    }

    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        base_shape(target)?;
        Ok(self.shown_level()?.submesh(surface)?.normals()?.map(|array| Normals(NormalEncoding::Unit16(array))))
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        let submesh = self.shown_level()?.submesh(surface)?;
        if set > 0 {
            return Ok(None);
        }
        Ok(submesh.uvs()?.map(|array| Uvs(UvEncoding::MinMax16(array))))
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        self.shown_level()?.submesh(surface)?.weights()
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        self.shown_level()?.submesh(surface)?.indices().map(|array| Indices(IndexEncoding::U16(array)))
    }

    fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
        let info = ExtraArrayInfo::find(EXTRA_ARRAYS, name).filter(|info| info.owner == ItemOwner::Vertex);
        let Some(info) = info else { return Ok(None) };
        let Some(tangents) = self.shown_level()?.submesh(surface)?.tangents()? else { return Ok(None) };
        let stored = move |index: usize| tangents.raw().get(index).map(|codes| codes.map(|code| code.get().into()));
        Ok(Some(ExtraArray::floats(info, tangents).with_stored(stored)))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error {
        let submesh = self.shown_level().and_then(|level| level.submesh(surface));
        match submesh {
            Ok(submesh) => fault(&submesh, name, into, error.into_cause()),
            Err(_) => error.located(FORMAT, Field::new(name).in_list("surface", as_u64(surface)), None),
        }
    }
}

fn bounds(submesh: &Submesh<'_>) -> Result<Bounds> {
    submesh.positions().map(|array| Positions(PositionEncoding::MinMax16(array)).bounds())
}

fn base_shape(target: usize) -> Result<()> {
    if target == 0 { Ok(()) } else { Err(no_such("target", 1, target)) }
}

pub(super) fn no_such(list: &'static str, count: usize, index: usize) -> Error {
    crate::error::no_such(FORMAT, list, count, index)
}

/// Creates an error about a byte of a vertex or index array. The argument `name` is the name of the
/// array in the format-independent model, such as `positions`.
fn fault(submesh: &Submesh<'_>, name: &'static str, into: u64, kind: Cause) -> Error {
    let key = match name.split('.').next() {
        Some("positions") => SubmeshKey::Position,
        Some("frames" | "normals") => SubmeshKey::Normal,
        Some("uv0") => SubmeshKey::TexCoord0,
        Some("weights") => SubmeshKey::Weights,
        _ => SubmeshKey::TriangleList,
    };
    // The LLSD marker byte (1 byte) and the length field (4 bytes) come before the data of the
    // array.
    let start = submesh.get(key).map_or(submesh.at(), |(at, _)| at.saturating_add(5));
    submesh.fault(key, start.saturating_add(usize::try_from(into).unwrap_or(usize::MAX)), kind)
}
