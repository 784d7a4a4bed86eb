//! The visible surfaces of a file at their places.

use std::ops::Range;

use super::animation::{Affine, Animations};
use super::contents::{Asset, Contents, Material, MaterialIndex, MaybeOwned, inflated_bytes};
use super::conversion::SpaceConversion;
use super::geometry::Geometry;
use super::space::{Axis, Handedness, Space, Winding};
use super::surface::LentSurface;
use crate::array::Bounds;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result, expect_at_most, no_such};
use crate::math::as_u64;

/// The greatest number of surfaces at all places of a file. Real files have at most a thousand.
const MAX_DRAWS: u64 = 1 << 17;
/// The greatest number of bytes that are inflated for all instances together.
pub(crate) const MAX_INFLATED: u64 = 512 << 20;

/// The conventions of a mesh whose format and file define none.
const ASSUMED: Space = Space {
    up: Some(Axis::Y),
    handedness: Some(Handedness::Right),
    winding: Some(Winding::CounterClockwise),
    ..Space::UNKNOWN
};

/// Returns the conventions of a mesh, in which unknown ones are assumed.
pub(crate) fn known_space(geometry: &dyn Geometry) -> Space {
    geometry.space().or(&ASSUMED)
}

/// Returns whether the joints of an asset place it: the file stores the matrices that bind the
/// vertices to the joints.
pub(crate) fn is_bound(animations: &dyn Animations) -> bool {
    animations.bone_count().is_ok_and(|count| count > 0) && animations.inverse_bind(0).is_ok_and(|bind| bind.is_some())
}

/// The [visible](crate::Surface::is_drawn) surfaces of each instance of a file, in file order.
/// [`Model::draw_list`](crate::Model::draw_list) makes the list.
///
/// The list keeps every asset that it inflates until it is dropped: at most 512 MiB, and at most
/// 131,072 draws. One damaged asset or instance is an error of the whole list. A mesh whose format
/// and file define no conventions is taken to be right-handed, with y up and counter-clockwise
/// triangles.
///
/// The bones of a draw are those of its asset: `let asset = model.asset(draw.asset)?` has
/// `asset.animations()`, of which [`Skeleton::new`](crate::Skeleton::new) makes the skeleton.
/// [`Pose::palette`](crate::Pose::palette) with `draw.conversion` makes their palette for the
/// converted vertices. [`InstancedScene`](crate::query::InstancedScene) has an example of rays.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::gpu::{IndexFormat, Semantic, VertexFormat, VertexLayout};
/// use meshpeek::model::Space;
///
/// let layout = VertexLayout::packed(&[(Semantic::Position, VertexFormat::Float32x3)])?;
/// let model = meshpeek::open("data/secondlife/model.slm")?;
/// let list = model.draw_list(&Space::GLTF)?;
/// for draw in list.draws() {
///     let lent = list.surface(draw)?;
///     let drawable = lent.surface().drawable()?;
///     let vertices = drawable.vertices(&layout)?.in_space(draw.conversion);
///     let indices = drawable.indices(IndexFormat::Uint32)?.in_space(draw.conversion);
///     println!("{} vertices, {} indices", vertices.vertex_count(), indices.index_count());
///     println!("at {:?} in {:?}", draw.transform.columns(), list.bounds(draw)?);
/// }
/// # Ok(())
/// # }
/// ```
pub struct DrawList<'m> {
    contents: &'m dyn Contents,
    /// The assets that instances show.
    assets: Vec<Option<DrawnAsset<'m>>>,
    draws: Vec<DrawItem>,
    target: Space,
    /// The bytes of the inflated blocks of all assets.
    inflated: u64,
}

/// An asset in a level of detail.
struct DrawnAsset<'m> {
    asset: MaybeOwned<'m, dyn Asset + 'm>,
    level: usize,
    /// The visible surfaces, in ascending order.
    surfaces: Vec<usize>,
    conversion: SpaceConversion,
    /// The placement of the mesh if its bones place it.
    bound: Option<Affine>,
}

short_debug!(DrawList<'_>: |list| { draws: list.draws.len(), target: list.target });

/// One surface at one place.
///
/// Draws with equal `asset`, `level` and `surface` have equal vertices, so a program uploads them
/// once.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DrawItem {
    /// The index of the instance in [`Model::instances`](crate::Model::instances).
    pub instance: usize,
    /// The index of the asset in [`Model::assets`](crate::Model::assets).
    pub asset: usize,
    /// The level of detail of the asset.
    pub level: usize,
    /// The index of the surface in the level of detail.
    pub surface: usize,
    /// The index of the material in [`Model::materials`](crate::Model::materials), or `None` if the
    /// file does not describe it. [`Surface::material`](crate::Surface::material) returns its name
    /// in both cases.
    pub material: Option<usize>,
    /// The conversion of the stored vertices and indices to the conventions of the list, without
    /// the placement, which is in `transform`.
    pub conversion: SpaceConversion,
    /// The map from converted vertices to the scene. If its determinant is negative, the caller
    /// draws the triangles with the opposite winding: the indices do not take it into account.
    pub transform: Affine,
    /// Whether the bones place the surface, because the file stores inverse bind matrices. A posed
    /// vertex is then `palette * vertex`, and otherwise `transform * palette * vertex`.
    pub is_bound: bool,
}

impl<'m> DrawList<'m> {
    /// Lists the surfaces of the given level of detail, or of the most detailed one that can be
    /// read.
    pub(crate) fn new(contents: &'m dyn Contents, level: Option<usize>, target: &Space) -> Result<Self> {
        let assets = std::iter::repeat_with(|| None).take(contents.asset_count()?).collect();
        let mut list = Self { contents, assets, draws: Vec::new(), target: *target, inflated: 0 };
        let materials = MaterialIndex::new(contents)?;
        for number in 0..contents.instance_count()? {
            list.add_instance(number, level, &materials)?;
        }
        Ok(list)
    }

    fn add_instance(&mut self, number: usize, level: Option<usize>, materials: &MaterialIndex) -> Result<()> {
        let (format, count) = (self.contents.format(), self.assets.len());
        let instance = self.contents.instance(number)?;
        let slot = self.assets.get_mut(instance.asset);
        let slot = slot.ok_or_else(|| no_such(format, "asset", count, instance.asset))?;
        let drawn = if let Some(drawn) = slot {
            drawn
        } else {
            let drawn = DrawnAsset::new(self.contents.asset(instance.asset)?, level, &self.target)?;
            self.inflated = self.inflated.saturating_add(inflated_bytes(&drawn.asset));
            expect_at_most(format, Field::new("inflated"), "inflated", MAX_INFLATED, self.inflated)?;
            slot.insert(drawn)
        };
        let surfaces = drawn.visible(instance.surfaces);
        let asked = as_u64(self.draws.len().saturating_add(surfaces.len()));
        expect_at_most(format, Field::new("draws"), "draws", MAX_DRAWS, asked)?;
        let placement = drawn.bound.unwrap_or(instance.transform);
        let transform = drawn.conversion.transform(&placement).ok_or_else(|| no_inverse(&self.target))?;
        let geometry = drawn.asset.level(drawn.level)?;
        for surface in surfaces.iter().copied() {
            let name = geometry.surface(surface)?.material()?;
            self.draws.push(DrawItem {
                instance: number,
                asset: instance.asset,
                level: drawn.level,
                surface,
                material: name.and_then(|name| materials.find(&instance.materials, name)),
                conversion: drawn.conversion,
                transform,
                is_bound: drawn.bound.is_some(),
            });
        }
        Ok(())
    }

    /// Returns the surfaces at their places, in the order of the instances.
    #[must_use]
    pub fn draws(&self) -> &[DrawItem] {
        &self.draws
    }

    /// Lends the surface of a draw of this list: see [`Model::lend`](crate::Model::lend).
    ///
    /// # Errors
    ///
    /// Returns the error of the surface if it cannot be inflated, and
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the draw is not of this list.
    pub fn surface(&self, draw: &DrawItem) -> Result<LentSurface<'_>> {
        match self.level(draw)? {
            MaybeOwned::Borrowed(geometry) => geometry.lend(draw.surface),
            MaybeOwned::Owned(geometry) => {
                geometry.surface(draw.surface)?;
                Ok(LentSurface::owned(geometry, draw.surface))
            }
        }
    }

    /// Returns the material of a draw, or `None` if the file does not describe it.
    ///
    /// # Errors
    ///
    /// Returns the error of a material that is damaged.
    pub fn material(&self, draw: &DrawItem) -> Result<Option<Material<'m>>> {
        draw.material.map(|index| self.contents.material(index)).transpose()
    }

    /// Returns the bounding box of a draw in the scene, in the conventions of the list.
    ///
    /// It contains the [bounds](crate::Surface::bounds) of the surface, which are stored or
    /// computed from the base shape, up to the rounding of `f32`. A pose is not considered.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`surface`](Self::surface) and of the positions.
    pub fn bounds(&self, draw: &DrawItem) -> Result<Bounds> {
        let lent = self.surface(draw)?;
        let placed = draw.conversion.map().then(&draw.transform);
        let in_scene = Space::UNKNOWN.placed(placed).conversion_to(&Space::UNKNOWN)?;
        Ok(in_scene.bounds(&lent.surface().bounds()?))
    }

    fn level(&self, draw: &DrawItem) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        let drawn = self.assets.get(draw.asset).and_then(Option::as_ref);
        let drawn = drawn.ok_or_else(|| no_such(self.contents.format(), "asset", self.assets.len(), draw.asset))?;
        drawn.asset.level(draw.level)
    }
}

impl<'m> DrawnAsset<'m> {
    fn new(asset: MaybeOwned<'m, dyn Asset + 'm>, level: Option<usize>, target: &Space) -> Result<Self> {
        let level = chosen_level(&*asset, level)?;
        let geometry = asset.level(level)?;
        let mut surfaces = Vec::new();
        for surface in geometry.surfaces()? {
            if surface.is_drawn()? {
                surfaces.push(surface.index());
            }
        }
        let conversion = in_conventions(target, &*geometry, Affine::IDENTITY)?;
        let bound = is_bound(asset.animations()).then(|| geometry.space().placement);
        drop(geometry);
        Ok(Self { asset, level, surfaces, conversion, bound })
    }

    /// Returns the visible surfaces of an instance, which shows those in `range` or all.
    fn visible(&self, range: Option<Range<usize>>) -> &[usize] {
        let Some(range) = range else { return &self.surfaces };
        let [start, end] = [range.start, range.end].map(|end| self.surfaces.partition_point(|surface| *surface < end));
        self.surfaces.get(start..end).unwrap_or_default()
    }
}

/// Returns the error of conventions whose unit has no length.
fn no_inverse(target: &Space) -> Error {
    let cause = Cause::value("a finite length above 0", format!("{:?}", target.metres_per_unit));
    Error::without_offset("space", Field::new("metres_per_unit"), cause)
}

/// Returns the chosen level of detail of an asset, or the least detailed one if it has fewer. If no
/// level is chosen, returns the most detailed one that can be read.
fn chosen_level(asset: &dyn Asset, chosen: Option<usize>) -> Result<usize> {
    let count = asset.level_count()?;
    Ok(match chosen {
        Some(level) => level.min(count.saturating_sub(1)),
        None => (0..count).find(|level| asset.check_level(*level).is_ok()).unwrap_or_default(),
    })
}

/// Returns the conversion of the stored values of a mesh with a placement to other conventions.
pub(crate) fn in_conventions(target: &Space, geometry: &dyn Geometry, placement: Affine) -> Result<SpaceConversion> {
    let mut target = *target;
    if target.winding.is_none() {
        // A map that mirrors must not turn the triangles inside out.
        target.winding = known_space(geometry).placed(Affine::IDENTITY).winding;
    }
    known_space(geometry).placed(placement).conversion_to(&target)
}
