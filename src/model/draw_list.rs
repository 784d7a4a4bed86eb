//! What is drawn of a file: its visible surfaces at their places.

use super::animation::{Affine, Animations};
use super::contents::{Asset, Contents, Material, MaybeOwned};
use super::conversion::SpaceConversion;
use super::geometry::{Geometry, LentSurface};
use super::material_index::MaterialIndex;
use super::space::{Axis, Handedness, Space, Winding};
use crate::array::Bounds;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result, no_such};
use crate::math::as_u64;

/// The greatest number of surfaces at all places of a file. Real files have at most a thousand.
const MAX_DRAWS: usize = 1 << 17;

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

/// What is drawn of a file: each [visible](crate::Surface::is_drawn) surface of each instance, in
/// file order. [`Model::draw_list`](crate::Model::draw_list) makes it.
///
/// The list keeps every asset that it inflates until it is dropped. A mesh whose format and file
/// define no conventions is taken to be right-handed, with y up and counter-clockwise triangles.
///
/// The bones of a draw are those of its asset: `model.asset(draw.asset)?.animations()`.
/// [`Pose::palette`](crate::Pose::palette) with `draw.conversion` makes their palette for the
/// converted vertices.
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
///     println!("at {:?} in {:?}", draw.transform.columns_f32(), list.bounds(draw)?);
/// }
/// # Ok(())
/// # }
/// ```
pub struct DrawList<'m> {
    contents: &'m dyn Contents,
    /// The assets that instances show.
    assets: Vec<Option<MaybeOwned<'m, dyn Asset + 'm>>>,
    draws: Vec<DrawItem>,
    target: Space,
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
    /// also then.
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
        let mut list = Self { contents, assets, draws: Vec::new(), target: *target };
        let materials = MaterialIndex::new(contents)?;
        for number in 0..contents.instance_count()? {
            list.add_instance(number, level, &materials)?;
        }
        Ok(list)
    }

    fn add_instance(&mut self, number: usize, level: Option<usize>, materials: &MaterialIndex) -> Result<()> {
        let instance = self.contents.instance(number)?;
        let Some(slot) = self.assets.get_mut(instance.asset) else {
            return Err(no_such(self.contents.format(), "asset", self.assets.len(), instance.asset));
        };
        let asset = match slot {
            Some(asset) => asset,
            None => slot.insert(self.contents.asset(instance.asset)?),
        };
        let level = chosen_level(&**asset, level)?;
        let geometry = asset.level(level)?;
        let is_bound = is_bound(asset.animations());
        let conversion = in_conventions(&self.target, &*geometry, Affine::IDENTITY)?;
        let placement = if is_bound { geometry.space().placement } else { instance.transform };
        // A conversion between conventions has an inverse.
        let transform = conversion.transform(&placement).unwrap_or(placement);
        for index in instance.surfaces.unwrap_or(0..geometry.surface_count()?) {
            let surface = geometry.surface(index)?;
            if !surface.is_drawn()? {
                continue;
            }
            if self.draws.len() >= MAX_DRAWS {
                let (allowed, asked) = (as_u64(MAX_DRAWS), as_u64(MAX_DRAWS).saturating_add(1));
                let cause = Cause::Limit { name: "draws", allowed, asked };
                return Err(Error::without_offset(self.contents.format(), Field::new("draws"), cause));
            }
            let material = surface.material()?.and_then(|name| materials.find(&instance.materials, name));
            self.draws.push(DrawItem {
                instance: number,
                asset: instance.asset,
                level,
                surface: index,
                material,
                conversion,
                transform,
                is_bound,
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
    /// It contains the [bounds](crate::Surface::bounds) of the surface, which are stored or computed
    /// from the positions of the base shape.
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
        let asset = self.assets.get(draw.asset).and_then(Option::as_ref);
        let asset = asset.ok_or_else(|| no_such(self.contents.format(), "asset", self.assets.len(), draw.asset))?;
        asset.level(draw.level)
    }
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
