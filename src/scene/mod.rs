//! The surfaces of a mesh file at their places, in one shape and in chosen conventions: what is
//! exported or drawn.

pub(crate) mod input;
pub(crate) mod normals;
pub(crate) mod options;
pub(crate) mod shape;
mod vertex_colors;

use std::cell::{Cell, RefCell};
use std::ops::Range;

pub(crate) use crate::model::contents::inflated_bytes;
pub(crate) use crate::model::draw_list::is_bound;
pub use input::SceneInput;
pub(crate) use input::whole_frames;
use input::{OutputSize, SceneLoad};
pub use normals::NormalChoice;
use normals::NormalInput;
pub(crate) use options::{Adjustment, SceneOptions};
pub use options::{LevelChoice, OutputSpace};
use shape::{ScenePose, SurfaceShape};
pub(crate) use vertex_colors::{ColorRole, ColorUse};

use crate::error::{Cause, Error, Field, Result, expect_at_most};
use crate::math::{as_index, as_u64};
use crate::model::animation::{Affine, Animations};
use crate::model::draw_list::{in_conventions, known_space};
use crate::model::{Asset, Colors, Contents, Geometry, Space, SpaceConversion, Surface, VertexPool};
use crate::parse::filled;

/// The greatest number of instances in a file. Every real file has fewer than a thousand.
const MAX_INSTANCES: u64 = 1 << 16;

/// A place of an asset in the scene of the file: a copy of an [`Instance`](crate::model::Instance).
#[derive(Clone, Debug)]
pub(crate) struct InstancePlace {
    /// The name of the instance, or `None` if the file stores no name.
    pub(crate) name: Option<String>,
    /// The index of the asset.
    pub(crate) asset: usize,
    /// The indices of the surfaces that the instance shows, or `None` for all surfaces.
    pub(crate) surfaces: Option<Range<usize>>,
    /// The map from stored positions to the scene of the file, with the adjustment.
    pub(crate) transform: Affine,
    /// The map that the options add to the placements of the file.
    pub(crate) adjustment: Affine,
    /// The indices of the materials that belong to the instance.
    pub(crate) materials: Range<usize>,
}

/// What is exported or drawn of a mesh file.
pub(crate) struct PlacedScene<'a> {
    pub(crate) input: SceneInput<'a>,
    pub(crate) contents: &'a dyn Contents,
    pub(crate) options: SceneOptions,
    /// The conventions of the output.
    pub(crate) target: Space,
    /// The places of the chosen assets, in file order.
    pub(crate) places: Vec<InstancePlace>,
    /// The number of surfaces that were read until the load was exceeded, or `None` if all were
    /// read.
    pub(crate) cut: Cell<Option<u64>>,
    /// The damaged levels of detail that are left out, as texts.
    pub(crate) damaged: RefCell<Vec<String>>,
}

/// One surface at one place.
pub(crate) struct PlacedSurface<'s> {
    /// The surface, which may be lent.
    pub(crate) surface: Surface<'s>,
    /// The shape of the surface.
    pub(crate) shape: SurfaceShape<'s>,
    /// The map from stored values to the output. It includes the transform of the place.
    pub(crate) conversion: SpaceConversion,
    /// The place.
    pub(crate) place: &'s InstancePlace,
    /// What is read.
    pub(crate) input: SceneInput<'s>,
    /// The index of the place among the chosen places.
    pub(crate) place_number: usize,
    /// The vertex pool of the surface.
    pub(crate) pool: VertexPool,
    /// The number of vertex frames of the mesh.
    pub(crate) frame_count: usize,
    /// How vertex colours are used.
    pub(crate) color_use: ColorUse,
}

/// The place and the pool of vertices. Surfaces with equal keys share vertices in the output.
pub(crate) type PoolKey = (usize, VertexPool);

impl PlacedSurface<'_> {
    /// Returns the key of the positions.
    pub(crate) const fn position_pool(&self) -> PoolKey {
        (self.place_number, self.pool)
    }

    /// Returns the input of the computed normals.
    pub(crate) const fn normal_input(&self) -> NormalInput<'_, '_> {
        NormalInput {
            pool: self.position_pool(),
            surface: &self.surface,
            shape: self.shape,
            conversion: &self.conversion,
        }
    }

    /// Returns the key of the attributes, or `None` if they may belong to this surface only.
    /// Surfaces of a pool with two index streams share positions, but may have their own
    /// attributes.
    pub(crate) fn attribute_pool(&self) -> Result<Option<PoolKey>> {
        Ok(self.surface.is_single_stream()?.then_some(self.position_pool()))
    }
}

impl<'s> PlacedSurface<'s> {
    /// Finds the vertex colours of the surface and their role.
    pub(crate) fn colors(&self) -> Result<Option<(Colors<'s>, ColorRole)>> {
        self.color_use.colors(&self.surface)
    }

    /// Finds the vertex colours of the surface if a program that multiplies by them shows the
    /// surface as it is meant.
    pub(crate) fn harmless_colors(&self) -> Result<Option<Colors<'s>>> {
        Ok(self.colors()?.filter(|(_, role)| role.is_harmless()).map(|(colors, _)| colors))
    }
}

impl<'a> PlacedScene<'a> {
    /// Finds the places of the chosen assets. `target` is the conventions of the output format.
    pub(crate) fn new(input: &SceneInput<'a>, options: SceneOptions, target: Space) -> Result<Self> {
        let (contents, asset) = (input.contents, options.asset);
        let target = match options.space {
            OutputSpace::Target => target,
            OutputSpace::Stored => Space::UNKNOWN,
        };
        let mut scene = Self {
            input: *input,
            contents,
            options,
            target,
            places: Vec::new(),
            cut: Cell::new(None),
            damaged: RefCell::default(),
        };
        let count = contents.instance_count()?;
        let field = Field::new("instances");
        expect_at_most(contents.format(), field, "instances", MAX_INSTANCES, as_u64(count))?;
        for instance in 0..count {
            let instance = contents.instance(instance)?;
            if asset.is_none_or(|asset| asset == instance.asset) {
                scene.places.push(InstancePlace {
                    name: instance.name.map(|name| name.to_string_lossy()),
                    asset: instance.asset,
                    surfaces: instance.surfaces,
                    transform: instance.transform,
                    adjustment: Affine::IDENTITY,
                    materials: instance.materials,
                });
            }
        }
        if let Some(asset) = asset.filter(|_| scene.places.is_empty()) {
            drop(contents.asset(asset)?);
            let transform = Affine::IDENTITY;
            scene.places.push(InstancePlace {
                name: None,
                asset,
                surfaces: None,
                transform,
                adjustment: Affine::IDENTITY,
                materials: 0..contents.material_count()?,
            });
        }
        scene.adjust()?;
        scene.check_clip()?;
        Ok(scene)
    }

    /// Adds the adjustment of the options to the places.
    fn adjust(&mut self) -> Result<()> {
        if self.options.adjustment.is_identity() {
            return Ok(());
        }
        let mut known: Option<(usize, Affine)> = None;
        for index in 0..self.places.len() {
            let Some(asset) = self.places.get(index).map(|place| place.asset) else { break };
            let map = match known.filter(|(own, _)| *own == asset) {
                Some((_, map)) => map,
                None => self.adjustment_of(asset)?,
            };
            known = Some((asset, map));
            if let Some(place) = self.places.get_mut(index) {
                place.transform = place.transform.then(&map);
                place.adjustment = map;
            }
        }
        Ok(())
    }

    /// Returns the map that the options add to the placements of an asset.
    pub(crate) fn adjustment_of(&self, asset: usize) -> Result<Affine> {
        if self.options.adjustment.is_identity() {
            return Ok(Affine::IDENTITY);
        }
        let asset = self.contents.asset(asset)?;
        let Some(level) = self.levels(&*asset)?.first().copied() else { return Ok(Affine::IDENTITY) };
        self.options.adjustment.map(&*asset.level(level)?)
    }

    /// Returns an error if no asset has the chosen clip. The clip of a frame is one of the other
    /// file, if there is one.
    fn check_clip(&self) -> Result<()> {
        let Some(clip) = self.options.clip else { return Ok(()) };
        if let Some((_, animations)) = self.input.clips.first().filter(|_| self.options.frame.is_some()) {
            return animations.clip(clip).map(drop);
        }
        let mut missing = Ok(());
        for asset in self.assets()? {
            match self.contents.asset(asset)?.animations().clip(clip) {
                Ok(_) => return Ok(()),
                Err(error) => missing = Err(error),
            }
        }
        missing
    }

    /// Returns the indices of the assets of all places, in ascending order and without repetition.
    pub(crate) fn assets(&self) -> Result<impl Iterator<Item = usize> + use<>> {
        let mut has_place = filled("scene", "assets", self.contents.asset_count()?, false)?;
        for place in &self.places {
            has_place.iter_mut().skip(place.asset).take(1).for_each(|asset| *asset = true);
        }
        Ok(has_place.into_iter().enumerate().filter_map(|(asset, has_place)| has_place.then_some(asset)))
    }

    /// Returns whether a surface is chosen.
    pub(crate) fn shows(&self, geometry: &dyn Geometry, surface: usize) -> Result<bool> {
        match &self.options.surfaces {
            Some(chosen) => Ok(chosen.contains(&surface)),
            None => geometry.surface(surface)?.is_drawn(),
        }
    }

    /// Returns an error if a chosen surface does not exist.
    pub(crate) fn check_surfaces(&self, geometry: &dyn Geometry) -> Result<()> {
        for surface in self.options.surfaces.iter().flatten() {
            geometry.surface(*surface)?;
        }
        Ok(())
    }

    /// Returns the conventions of a mesh, in which unknown ones are assumed, with another
    /// placement.
    pub(crate) fn space(geometry: &dyn Geometry, placement: Affine) -> Space {
        known_space(geometry).placed(placement)
    }

    /// Returns the map from the stored positions of an asset to the scene of the file at a place.
    ///
    /// An asset with stored inverse bind matrices is placed by its joints: the transform of the
    /// instance does not apply, and the map is the placement of the mesh.
    pub(crate) fn placement(place: &InstancePlace, geometry: &dyn Geometry, animations: &dyn Animations) -> Affine {
        if is_bound(animations) { geometry.space().placement.then(&place.adjustment) } else { place.transform }
    }

    /// Returns the map from the space of the bones of an asset to the scene of the file at a place.
    pub(crate) fn bone_placement(place: &InstancePlace, animations: &dyn Animations) -> Affine {
        if is_bound(animations) { place.adjustment } else { place.transform }
    }

    /// Returns the conversion of stored values to the output at a place.
    pub(crate) fn conversion(&self, geometry: &dyn Geometry, placement: Affine) -> Result<SpaceConversion> {
        in_conventions(&self.target, geometry, placement)
    }

    /// Returns the conversion of the vertices of an asset without the transform of an instance: the
    /// joints that place an asset do so at every instance.
    pub(crate) fn vertex_conversion(
        &self,
        geometry: &dyn Geometry,
        animations: &dyn Animations,
        adjustment: &Affine,
    ) -> Result<SpaceConversion> {
        let placement = if is_bound(animations) { geometry.space().placement } else { Affine::IDENTITY };
        self.conversion(geometry, placement.then(adjustment))
    }

    /// Returns the load that the scene may have.
    pub(crate) fn load(&self) -> SceneLoad {
        if self.options.is_limited { SceneLoad::of_file(self.contents.file_bytes()) } else { SceneLoad::unlimited() }
    }

    /// Calls `visit` for each chosen surface at each place, in file order, until the load is
    /// exceeded. Only one surface of a format that compresses surfaces is in memory at a time. An
    /// asset is opened once for all its places that follow one another.
    pub(crate) fn each_surface(&self, visit: &mut dyn FnMut(&PlacedSurface<'_>) -> Result<()>) -> Result<()> {
        let (mut load, mut size) = (self.load(), OutputSize::new(self.options.max_bytes));
        let mut is_known = filled("scene", "assets", self.contents.asset_count()?, false)?;
        let mut first = 0_usize;
        for places in self.places.chunk_by(|one, other| one.asset == other.asset) {
            let index = places.first().map_or(0, |place| place.asset);
            if !load.take_place() {
                break;
            }
            let asset = self.contents.asset(index)?;
            for level in self.levels(&*asset)? {
                let geometry = asset.level(level)?;
                self.each_surface_of((first, places), (&*geometry, &*asset), (&mut load, &mut size), visit)?;
            }
            if !load.take_inflated(inflated_bytes(&asset)) {
                break;
            }
            if is_known.get_mut(index).is_some_and(|known| std::mem::replace(known, true)) {
                size.add_again(asset.inflated_bytes())?;
            }
            first = first.saturating_add(places.len());
        }
        self.cut.set(load.cut());
        Ok(())
    }

    fn each_surface_of(
        &self,
        (first, places): (usize, &[InstancePlace]),
        (geometry, asset): (&dyn Geometry, &dyn Asset),
        (load, size): (&mut SceneLoad, &mut OutputSize),
        visit: &mut dyn FnMut(&PlacedSurface<'_>) -> Result<()>,
    ) -> Result<()> {
        self.check_surfaces(geometry)?;
        let frame_count = as_index(whole_frames(geometry, 0)?);
        let pose = ScenePose::new(geometry, asset.animations(), self.input.clips, &self.options)?;
        for (place_number, place) in (first..).zip(places) {
            if !load.take_place() {
                break;
            }
            let placement = match pose {
                ScenePose::Bones(_) => Self::bone_placement(place, asset.animations()),
                ScenePose::Base | ScenePose::Frames(_) => Self::placement(place, geometry, asset.animations()),
            };
            let conversion = self.conversion(geometry, placement)?;
            for number in place.surfaces.clone().unwrap_or(0..geometry.surface_count()?) {
                if !load.take_hidden() {
                    break;
                }
                if !self.shows(geometry, number)? {
                    continue;
                }
                let lent = geometry.lend(number)?;
                let (surface, shape) = (lent.surface(), pose.shape());
                let pool = surface.vertex_pool()?;
                size.add_surface(&surface)?;
                let (input, color_use) = (self.input, self.options.colors);
                let shown = PlacedSurface {
                    surface,
                    shape,
                    conversion,
                    place,
                    input,
                    place_number,
                    pool,
                    frame_count,
                    color_use,
                };
                if !load.take_surface(&shown) {
                    break;
                }
                visit(&shown)?;
            }
        }
        Ok(())
    }

    pub(crate) fn fault(&self, name: &'static str, cause: Cause) -> Error {
        Error::without_offset(self.contents.format(), Field::new(name), cause)
    }
}
