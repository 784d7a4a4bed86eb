//! Builds a glTF file from a scene: runs over all assets, levels and surfaces in order.

// Rule: this file sorts and maps by copies only.

use super::buffers::BufferSink;
use super::clips::ClipInput;
use super::document::Document;
use super::keys::KeyTable;
use super::materials::MaterialTable;
use super::nodes::LevelRoots;
use super::skeleton::SkeletonPlan;
use super::surface::{LevelInput, OrderCache, PrimitivePlan, SurfaceWriter};
use super::targets::TargetPlan;
use crate::error::Result;
use crate::export::loss::{ForeignClips, LossKind, LossList};
use crate::export::options::ExportScene;
use crate::model::animation::{Affine, Animations, bones_by_name};
use crate::model::{Asset, Geometry, SpaceConversion};
use crate::scene::normals::{ComputedNormals, NormalInput};
use crate::scene::shape::{ScenePose, SurfaceShape};
use crate::scene::{is_bound, whole_frames};

/// Runs over everything that is exported. The arrays go to `sink`, and the JSON objects are
/// returned.
pub(super) fn build(
    scene: &ExportScene<'_>,
    sink: &mut dyn BufferSink,
    cache: &OrderCache<'_>,
    losses: &mut LossList,
) -> Result<Document> {
    let mut builder = Builder {
        scene,
        surfaces: SurfaceWriter::new(sink, cache),
        losses,
        document: Document::default(),
        materials: MaterialTable::default(),
        levels: LevelRoots::default(),
        keys: KeyTable::default(),
        visited: 0,
    };
    let mut assets: Vec<usize> = scene.placed.places.iter().map(|place| place.asset).collect();
    assets.sort_unstable();
    assets.dedup();
    for asset in assets {
        builder.asset(asset)?;
    }
    builder.document.is_quantized = builder.surfaces.uses_quantization;
    builder.document.scenes.extend(builder.levels.scenes());
    Ok(builder.document)
}

pub(super) struct Builder<'b, 'a> {
    pub(super) scene: &'b ExportScene<'a>,
    pub(super) surfaces: SurfaceWriter<'b>,
    pub(super) losses: &'b mut LossList,
    pub(super) document: Document,
    pub(super) materials: MaterialTable,
    pub(super) levels: LevelRoots,
    /// The keys of the clip that is written.
    keys: KeyTable,
    /// The number of surfaces that were visited. Each counts as four objects, even if nothing of it
    /// is written.
    visited: usize,
}

/// The primitives of a level of detail.
pub(super) struct BuiltLevel {
    /// The index of the level in its asset.
    pub(super) number: usize,
    pub(super) name: Option<String>,
    pub(super) plans: Vec<PrimitivePlan>,
    pub(super) targets: TargetPlan,
}

/// What the nodes of an asset need.
pub(super) struct BuiltAsset {
    pub(super) conversion: SpaceConversion,
    /// Whether the written vertices are placed already: the transforms of instances do not apply.
    pub(super) is_bound: bool,
    /// The map that has placed the written vertices.
    pub(super) bind: Affine,
    pub(super) levels: Vec<BuiltLevel>,
    pub(super) skeleton: Option<SkeletonPlan>,
    /// The accessor of the inverse bind matrices, if a surface has weights.
    pub(super) inverse_binds: Option<u32>,
}

impl Builder<'_, '_> {
    fn asset(&mut self, index: usize) -> Result<()> {
        let scene = self.scene;
        let asset = scene.placed.contents.asset(index)?;
        let mut built = self.levels(&*asset)?;
        if let Some(skeleton) = &built.skeleton
            && built.levels.iter().flat_map(|level| &level.plans).any(|plan| plan.is_skinned)
        {
            let sink = &mut *self.surfaces.sink;
            built.inverse_binds = Some(skeleton.inverse_binds(sink, self.losses)?);
        }
        let (mut skeletons, mut meshes) = (Vec::new(), Vec::new());
        for place in scene.placed.places.iter().filter(|place| place.asset == index) {
            self.place(&*asset, place, &built, &mut skeletons, &mut meshes)?;
        }
        if scene.options.frame.is_some() {
            return Ok(());
        }
        let bones: Vec<u32> = skeletons.iter().map(|nodes| nodes.first).collect();
        self.clips(asset.animations(), &built, &bones, &meshes)
    }

    /// Adds the surfaces of all levels of an asset.
    fn levels(&mut self, asset: &dyn Asset) -> Result<BuiltAsset> {
        let mut built = None;
        for level in self.scene.placed.levels(asset)? {
            let geometry = asset.level(level)?;
            let geometry: &dyn Geometry = &*geometry;
            self.scene.placed.check_surfaces(geometry)?;
            let bones = self.scene.placed.conversion(geometry, Affine::IDENTITY)?;
            // Viewers ignore the transforms of nodes with a skin, so the vertices are placed. Those
            // in a pose are where the joints are.
            let is_bound = is_bound(asset.animations());
            let conversion = match self.scene.options.frame {
                None => self.scene.placed.vertex_conversion(geometry, asset.animations(), &Affine::IDENTITY)?,
                Some(_) => bones,
            };
            let built = if let Some(built) = &mut built {
                built
            } else {
                let skeleton = match self.scene.options.frame {
                    None => SkeletonPlan::new(asset.animations(), bones, self.losses)?,
                    Some(_) => None,
                };
                let is_placed = is_bound && self.scene.options.frame.is_none();
                let bind = if is_placed { geometry.space().placement } else { Affine::IDENTITY };
                built.insert(BuiltAsset {
                    conversion,
                    is_bound,
                    bind,
                    levels: Vec::new(),
                    skeleton,
                    inverse_binds: None,
                })
            };
            let mut plans = Vec::new();
            let targets = self.level(asset, geometry, conversion, &mut built.skeleton, &mut plans)?;
            let name = asset.level_name(level)?.map(|name| name.to_string_lossy());
            built.levels.push(BuiltLevel { number: level, name, plans, targets });
        }
        match built {
            Some(built) => Ok(built),
            None => Err(self.scene.placed.fault("levels", crate::error::Cause::NoSuch { count: 0, index: 0 })),
        }
    }

    fn level(
        &mut self,
        asset: &dyn Asset,
        geometry: &dyn Geometry,
        conversion: SpaceConversion,
        skeleton: &mut Option<SkeletonPlan>,
        plans: &mut Vec<PrimitivePlan>,
    ) -> Result<TargetPlan> {
        let scene = self.scene;
        self.visited = self.visited.saturating_add(geometry.surface_count()?);
        self.check_objects()?;
        let mut shown = Vec::new();
        for surface in 0..geometry.surface_count()? {
            if scene.placed.shows(geometry, surface)? {
                shown.push(surface);
            }
        }
        let pose = ScenePose::new(geometry, asset.animations(), scene.placed.input.clips, &scene.placed.options)?;
        let targets = self.targets(geometry, asset.animations(), &shown, &pose.shape())?.check(shown.len())?;
        let shape = first_frame(&pose, targets);
        let normals = self.normals(geometry, &shown, shape, conversion)?;
        let (is_quantized, colors) = (scene.options.quantized, scene.options.colors);
        let is_bound = is_bound(asset.animations());
        let level = LevelInput { conversion, shape, targets, is_quantized, is_bound, colors, normals: &normals };
        for number in shown {
            let lent = geometry.lend(number)?;
            self.surfaces.surface(&lent.surface(), &level, skeleton, self.losses, plans)?;
        }
        self.surfaces.end_level();
        Ok(targets)
    }

    /// Reads the triangles of the surfaces whose normals are computed.
    fn normals(
        &self,
        geometry: &dyn Geometry,
        surfaces: &[usize],
        shape: SurfaceShape<'_>,
        conversion: SpaceConversion,
    ) -> Result<ComputedNormals> {
        let mut normals = ComputedNormals::new(self.scene.options.normals);
        if normals.are_packed(geometry)? {
            return Ok(normals);
        }
        for number in surfaces.iter().copied() {
            let lent = geometry.lend(number)?;
            let surface = lent.surface();
            let pool = (0, surface.vertex_pool()?);
            normals.add(&NormalInput { pool, surface: &surface, shape, conversion: &conversion })?;
        }
        Ok(normals)
    }

    /// Chooses the shapes that become morph targets.
    fn targets(
        &mut self,
        geometry: &dyn Geometry,
        animations: &dyn Animations,
        surfaces: &[usize],
        shape: &SurfaceShape<'_>,
    ) -> Result<TargetPlan> {
        if !matches!(shape, SurfaceShape::Base) {
            return Ok(TargetPlan::None);
        }
        let frames = self.whole_frames(geometry, surfaces)?;
        if frames == 0 {
            return TargetPlan::of_targets(geometry, surfaces, &self.scene.placed.input);
        }
        let clip = self.scene.options.clip.map(|clip| animations.clip(clip)).transpose()?;
        let (first, count) = match clip.and_then(|clip| clip.first_vertex_frame.zip(Some(clip.frames))) {
            Some((first, count)) => (first.min(frames.saturating_sub(1)), count),
            None => (0, frames),
        };
        Ok(TargetPlan::Frames { first, count: count.min(frames.saturating_sub(first)) })
    }

    /// Returns the number of vertex frames. Those that the file contains only in part are left out.
    fn whole_frames(&mut self, geometry: &dyn Geometry, surfaces: &[usize]) -> Result<u32> {
        let count = whole_frames(geometry, surfaces.first().copied().unwrap_or_default())?;
        let all = geometry.vertex_frame_count()?;
        self.losses.add_incomplete_frames(count, all);
        Ok(count)
    }

    /// Adds the clips of an asset, and those of other files.
    fn clips(&mut self, own: &dyn Animations, built: &BuiltAsset, bones: &[u32], meshes: &[u32]) -> Result<()> {
        let options = self.scene.options;
        let chosen = |clip: usize| options.clip.is_none_or(|chosen| chosen == clip);
        let count = own.clip_count()?;
        let bone_count = built.skeleton.as_ref().map_or(0, SkeletonPlan::bone_count);
        let identity: Vec<Option<usize>> = (0..bone_count).map(Some).collect();
        for clip in (0..count).filter(|clip| chosen(*clip)) {
            let input = ClipInput { animations: own, clip, name: options.source.name(), rate: options.rate };
            if !self.clip(&input, built, &identity, bones, meshes)? {
                let stored = own.clip(clip)?;
                let name = stored.name.to_string_lossy();
                let shown = if name.is_empty() { clip.to_string() } else { format!("`{name}`") };
                if stored.frames == 0 {
                    self.losses.add(LossKind::Metadata, None, format!("clip {shown}, which has no frames"));
                } else if !name.is_empty() && stored.frames > 1 {
                    self.losses.add(LossKind::Metadata, None, format!("clip {shown}, which moves nothing"));
                }
            }
        }
        self.other_clips(own, built, bones, meshes)
    }

    /// Adds the clips of other files. A file whose bones are not those of the mesh is left out.
    fn other_clips(&mut self, own: &dyn Animations, built: &BuiltAsset, bones: &[u32], meshes: &[u32]) -> Result<()> {
        let mut foreign = ForeignClips::default();
        for &(name, animations) in self.scene.placed.input.clips {
            let count = animations.clip_count()?;
            let has_bones = built.skeleton.as_ref().is_some_and(|skeleton| skeleton.bone_count() > 0);
            let map = if has_bones { different_bones(own, animations)? } else { Vec::new() };
            // Vertex frames fit their own mesh only.
            let has_frames = count > 0 && animations.clip(0)?.first_vertex_frame.is_some();
            if has_frames || map.iter().all(Option::is_none) {
                foreign.add(name, count);
                continue;
            }
            for clip in 0..count {
                let rate = self.scene.options.rate;
                let input = ClipInput { animations, clip, name: Some(name), rate };
                if self.clip(&input, built, &map, bones, meshes)? {
                    foreign.moves_mesh = true;
                    continue;
                }
                let is_empty = animations.clip(clip)?.frames == 0;
                let why = if is_empty { "has no frames" } else { "moves no bone of the mesh" };
                let text = format!("clip {clip} of {name}, which {why}");
                self.losses.add(LossKind::Metadata, None, text);
            }
        }
        foreign.finish(self.losses);
        Ok(())
    }

    /// Adds a clip. `map` has the bone of the mesh for each bone of the file of the clip. Returns
    /// `false` if the clip moves nothing.
    fn clip(
        &mut self,
        input: &ClipInput<'_>,
        built: &BuiltAsset,
        map: &[Option<usize>],
        bones: &[u32],
        meshes: &[u32],
    ) -> Result<bool> {
        let sink = &mut *self.surfaces.sink;
        let targets = built.levels.first().map_or(TargetPlan::None, |level| level.targets);
        let animation = match (targets, &built.skeleton) {
            (TargetPlan::Frames { first, .. }, _) if targets.count() > 0 => {
                input.vertex_frames(first, targets.count(), meshes, sink, self.losses)?
            }
            (_, Some(skeleton)) => input.bones(skeleton, map, bones, &mut self.keys, sink, self.losses)?,
            _ => None,
        };
        let is_added = animation.is_some();
        if let Some(animation) = animation {
            self.document.add_animation(animation);
        }
        self.check_objects()?;
        Ok(is_added)
    }

    /// Returns an error if the objects alone are too large for the output.
    fn check_objects(&mut self) -> Result<()> {
        let count = self.document.object_count().saturating_add(self.visited.saturating_mul(4));
        self.surfaces.sink.check_objects(count)
    }
}

/// Returns the bone of `own` with the name of each bone of `source`. If several bones of `source`
/// have one name, only the first has a bone of `own`.
fn different_bones(own: &dyn Animations, source: &dyn Animations) -> Result<Vec<Option<usize>>> {
    let (mut map, mut is_taken) = (bones_by_name(own, source)?, vec![false; own.bone_count()?]);
    for bone in &mut map {
        let taken = bone.and_then(|bone| is_taken.get_mut(bone));
        *bone = bone.filter(|_| taken.is_some_and(|taken| !std::mem::replace(taken, true)));
    }
    Ok(map)
}

/// Returns the shape of the base: the pose, or the first vertex frame of the targets.
fn first_frame(pose: &ScenePose, targets: TargetPlan) -> SurfaceShape<'_> {
    match targets {
        TargetPlan::Frames { first, .. } if first > 0 => {
            SurfaceShape::Frames(crate::model::animation::FrameBlend { from: first, to: first, fraction: 0.0 })
        }
        _ => pose.shape(),
    }
}
