//! Builds a glTF file from a scene: runs over all assets, levels and surfaces in order.

use super::buffers::BufferSink;
use super::clips::ClipInput;
use super::document::{Document, MeshObject, Node, NodeScene, Skin, add};
use super::hulls;
use super::materials::MaterialTable;
use super::skeleton::{SkeletonNodes, SkeletonPlan};
use super::surface::{LevelInput, PrimitivePlan, SurfaceCache, SurfaceWriter};
use super::targets::TargetPlan;
use crate::error::Result;
use crate::export::loss::{LossKind, LossList};
use crate::export::options::LevelChoice;
use crate::export::scene::{Place, Scene};
use crate::export::shape::{ExportPose, Shape};
use crate::math::as_index;
use crate::model::animation::{Affine, Animations};
use crate::model::{Asset, Geometry, SpaceConversion, Surface, Transform};

/// Runs over everything that is exported. The arrays go to `sink`, and the JSON objects are
/// returned.
pub(super) fn build(
    scene: &Scene<'_>,
    sink: &mut dyn BufferSink,
    cache: &SurfaceCache<'_>,
    losses: &mut LossList,
) -> Result<Document> {
    let mut builder = Builder {
        scene,
        surfaces: SurfaceWriter::new(sink, cache),
        losses,
        document: Document::default(),
        materials: MaterialTable::default(),
    };
    let mut assets: Vec<usize> = scene.places.iter().map(|place| place.asset).collect();
    assets.sort_unstable();
    assets.dedup();
    for asset in assets {
        builder.asset(asset)?;
    }
    Ok(builder.document)
}

struct Builder<'b, 'a> {
    scene: &'b Scene<'a>,
    surfaces: SurfaceWriter<'b>,
    losses: &'b mut LossList,
    document: Document,
    materials: MaterialTable,
}

/// The primitives of a level of detail.
struct BuiltLevel {
    name: Option<String>,
    plans: Vec<PrimitivePlan>,
    targets: TargetPlan,
}

/// What the nodes of an asset need.
struct BuiltAsset {
    conversion: SpaceConversion,
    levels: Vec<BuiltLevel>,
    skeleton: Option<SkeletonPlan>,
    /// The accessor of the inverse bind matrices, if a surface has weights.
    inverse_binds: Option<u32>,
}

impl Builder<'_, '_> {
    fn asset(&mut self, index: usize) -> Result<()> {
        let scene = self.scene;
        let asset = scene.contents.asset(index)?;
        let mut built = self.levels(&*asset)?;
        if let Some(skeleton) = &built.skeleton
            && built.levels.iter().flat_map(|level| &level.plans).any(|plan| plan.is_skinned)
        {
            // Written vertices are converted, so the way back is the inverse of the conversion.
            let stored = built.conversion.map().inverse().unwrap_or_default();
            let matrices = skeleton.inverse_binds(&stored, &mut *self.surfaces.sink, self.losses)?;
            built.inverse_binds = Some(matrices);
        }
        let (mut skeletons, mut meshes) = (Vec::new(), Vec::new());
        for place in scene.places.iter().filter(|place| place.asset == index) {
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
        for level in self.scene.levels(asset)? {
            let geometry = asset.level(level)?;
            let geometry: &dyn Geometry = &*geometry;
            self.scene.check_surfaces(geometry)?;
            let conversion = self.scene.conversion(geometry, Affine::IDENTITY)?;
            let built = match &mut built {
                Some(built) => built,
                None => {
                    let skeleton = match self.scene.options.frame {
                        None => SkeletonPlan::new(asset.animations(), conversion)?,
                        Some(_) => None,
                    };
                    built.insert(BuiltAsset { conversion, levels: Vec::new(), skeleton, inverse_binds: None })
                }
            };
            let mut plans = Vec::new();
            let targets = self.level(asset, geometry, conversion, &mut built.skeleton, &mut plans)?;
            let name = asset.level_name(level)?.map(|name| name.to_string_lossy());
            built.levels.push(BuiltLevel { name, plans, targets });
        }
        match built {
            Some(built) => Ok(built),
            None => Err(self.scene.fault("levels", crate::error::Cause::NoSuch { count: 0, index: 0 })),
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
        let mut shown = Vec::new();
        for surface in 0..geometry.surface_count()? {
            if scene.shows(geometry, surface)? {
                shown.push(surface);
            }
        }
        let pose = ExportPose::new(geometry, asset.animations(), scene.options)?;
        let targets = self.targets(geometry, asset.animations(), &shown, &pose.shape())?.check(shown.len())?;
        let level = LevelInput { conversion, shape: first_frame(&pose, targets), targets };
        for number in shown {
            let lent = geometry.lend(number)?;
            self.surfaces.surface(&Surface::new(&*lent, 0), number, &level, skeleton, self.losses, plans)?;
        }
        self.surfaces.end_level();
        Ok(targets)
    }

    /// Chooses the shapes that become morph targets.
    fn targets(
        &mut self,
        geometry: &dyn Geometry,
        animations: &dyn Animations,
        surfaces: &[usize],
        shape: &Shape<'_>,
    ) -> Result<TargetPlan> {
        if !matches!(shape, Shape::Base) {
            return Ok(TargetPlan::None);
        }
        let frames = self.whole_frames(geometry, surfaces)?;
        if frames == 0 {
            return TargetPlan::of_targets(geometry, surfaces, &self.scene.input);
        }
        let clip = self.scene.options.clip.map(|clip| animations.clip(clip)).transpose()?;
        let (first, count) = match clip.and_then(|clip| clip.first_vertex_frame.zip(Some(clip.frames))) {
            Some((first, count)) => (first.min(frames.saturating_sub(1)), count),
            None => (0, frames),
        };
        Ok(TargetPlan::Frames { first, count: count.min(frames.saturating_sub(first)) })
    }

    /// Returns the number of vertex frames. The last frame is left out if the file contains only a
    /// part of it.
    fn whole_frames(&mut self, geometry: &dyn Geometry, surfaces: &[usize]) -> Result<u32> {
        let count = u32::try_from(geometry.vertex_frame_count()?).unwrap_or(u32::MAX);
        let last = count.checked_sub(1).filter(|last| *last > 0).zip(surfaces.first());
        let Some((last, surface)) = last else { return Ok(count) };
        if geometry.vertex_frame(*surface, as_index(last)).is_ok() {
            return Ok(count);
        }
        self.losses.add(LossKind::Values, None, format!("vertex frame {last}, of which the file has only a part"));
        Ok(last)
    }

    /// Adds the nodes of an asset at a place.
    fn place(
        &mut self,
        asset: &dyn Asset,
        place: &Place,
        built: &BuiltAsset,
        skeletons: &mut Vec<SkeletonNodes>,
        meshes: &mut Vec<u32>,
    ) -> Result<()> {
        let transform = self.transform(place, &built.conversion);
        let name = place.name.clone().or_else(|| self.scene.options.source.name().map(str::to_owned));
        let nodes = built.skeleton.as_ref().map(|skeleton| {
            let nodes = skeleton.add_nodes(&mut self.document, name.as_deref(), transform);
            skeletons.push(nodes);
            nodes
        });
        let skin = built.inverse_binds.zip(nodes).zip(built.skeleton.as_ref()).map(|((matrices, nodes), skeleton)| {
            let joint_count = u32::try_from(skeleton.bone_count()).unwrap_or(u32::MAX);
            let skin = Skin {
                inverse_binds: matrices,
                first_joint: nodes.first,
                joint_count,
                still_joint: nodes.still,
                root: nodes.root,
            };
            add(&mut self.document.skins, skin)
        });
        let mut roots: Vec<Vec<u32>> = Vec::new();
        for level in &built.levels {
            roots.push(self.level_nodes(level, place, name.as_deref(), transform, skin, meshes)?);
        }
        let more = hulls::add_nodes(asset, self.scene, &built.conversion, &mut self.document, &mut self.surfaces)?;
        self.add_roots(roots, built, nodes.map(|nodes| nodes.root), &more);
        Ok(())
    }

    /// Returns the transform of a place as a transform of a node, or `None` if it moves nothing.
    fn transform(&mut self, place: &Place, conversion: &SpaceConversion) -> Option<Transform> {
        let map = conversion.transform(&place.transform).unwrap_or_default();
        let transform = map.to_transform().unwrap_or_else(|| {
            self.losses.add(LossKind::Placements, None, "the transform of an instance, which is singular");
            Transform::default()
        });
        if !is_near(&Affine::from(&transform), &map) {
            self.losses.add(LossKind::Placements, None, "the shear of the transform of an instance");
        }
        (transform != Transform::default()).then_some(transform)
    }

    /// Adds the nodes of a level at a place: one for all skinned surfaces, and one for all others.
    fn level_nodes(
        &mut self,
        level: &BuiltLevel,
        place: &Place,
        name: Option<&str>,
        transform: Option<Transform>,
        skin: Option<u32>,
        meshes: &mut Vec<u32>,
    ) -> Result<Vec<u32>> {
        let mut nodes = Vec::new();
        for is_skinned in [false, true] {
            let shown = |plan: &&PrimitivePlan| {
                plan.is_skinned == is_skinned
                    && place.surfaces.as_ref().is_none_or(|range| range.contains(&plan.number))
            };
            let mut mesh = MeshObject { target_names: level.targets.names(), ..MeshObject::default() };
            for plan in level.plans.iter().filter(shown) {
                let found = self.materials.find(self.scene, &mut self.document, &plan.material, &place.materials)?;
                let mut primitive = plan.primitive.clone();
                primitive.material = Some(found);
                mesh.primitives.push(primitive);
            }
            if mesh.primitives.is_empty() {
                continue;
            }
            let names = [name.map(str::to_owned), level.name.clone()];
            let full = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
            mesh.name = Some(full.clone());
            let mesh = add(&mut self.document.meshes, mesh);
            let transform = transform.filter(|_| !is_skinned).map(Box::new);
            let skin = skin.filter(|_| is_skinned);
            let node = Node { name: Some(full), transform, mesh: Some(mesh), skin, ..Node::default() };
            let node = add(&mut self.document.nodes, node);
            meshes.push(node);
            nodes.push(node);
        }
        Ok(nodes)
    }

    /// Adds the root nodes of a place to the scenes.
    fn add_roots(&mut self, levels: Vec<Vec<u32>>, built: &BuiltAsset, skeleton: Option<u32>, more: &[u32]) {
        let scene_count = if self.scene.options.levels == LevelChoice::Scenes { levels.len() } else { 1 };
        while self.document.scenes.len() < scene_count {
            let name = built.levels.get(self.document.scenes.len()).and_then(|level| level.name.clone());
            self.document.scenes.push(NodeScene { name, roots: Vec::new() });
        }
        let mut levels = levels.into_iter();
        if self.scene.options.levels == LevelChoice::Nodes {
            let best = levels.next().unwrap_or_default();
            for level in levels {
                for (node, lower) in best.iter().zip(level) {
                    let node = usize::try_from(*node).ok().and_then(|node| self.document.nodes.get_mut(node));
                    node.into_iter().for_each(|node| node.levels.push(lower));
                }
            }
            levels = vec![best].into_iter();
        }
        for (scene, roots) in self.document.scenes.iter_mut().zip(levels) {
            scene.roots.extend(roots);
            scene.roots.extend(skeleton);
            scene.roots.extend(more);
        }
    }

    /// Adds the clips of an asset, and those of other files.
    fn clips(&mut self, own: &dyn Animations, built: &BuiltAsset, bones: &[u32], meshes: &[u32]) -> Result<()> {
        let options = self.scene.options;
        let chosen = |clip: usize| options.clip.is_none_or(|chosen| chosen == clip);
        let count = own.clip_count()?;
        if let Some(clip) = options.clip {
            own.clip(clip)?;
        }
        let identity: Vec<Option<usize>> = (0..own.bone_count()?).map(Some).collect();
        for clip in (0..count).filter(|clip| chosen(*clip)) {
            let input = ClipInput { animations: own, clip, name: options.source.name(), rate: options.rate };
            self.clip(&input, built, &identity, bones, meshes)?;
        }
        for source in self.scene.input.clips {
            let mut map = Vec::new();
            for bone in 0..source.animations.bone_count()? {
                map.push(own.find_bone(source.animations.bone(bone)?.name.as_bytes())?);
            }
            for clip in 0..source.animations.clip_count()? {
                let input =
                    ClipInput { animations: source.animations, clip, name: Some(source.name), rate: options.rate };
                self.clip(&input, built, &map, bones, meshes)?;
            }
        }
        Ok(())
    }

    fn clip(
        &mut self,
        input: &ClipInput<'_>,
        built: &BuiltAsset,
        map: &[Option<usize>],
        bones: &[u32],
        meshes: &[u32],
    ) -> Result<()> {
        let sink = &mut *self.surfaces.sink;
        let targets = built.levels.first().map_or(TargetPlan::None, |level| level.targets);
        let animation = match (targets, &built.skeleton) {
            (TargetPlan::Frames { first, .. }, _) if targets.count() > 0 => {
                input.vertex_frames(first, targets.count(), meshes, sink)?
            }
            (_, Some(skeleton)) => input.bones(skeleton, map, bones, sink, self.losses)?,
            _ => None,
        };
        self.document.animations.extend(animation);
        Ok(())
    }
}

/// Returns the shape of the base: the pose, or the first vertex frame of the targets.
fn first_frame(pose: &ExportPose, targets: TargetPlan) -> Shape<'_> {
    match targets {
        TargetPlan::Frames { first, .. } if first > 0 => {
            Shape::Frames(crate::model::animation::FrameBlend { from: first, to: first, fraction: 0.0 })
        }
        _ => pose.shape(),
    }
}

/// Returns whether two maps differ by less than the rounding of an `f32`.
fn is_near(one: &Affine, other: &Affine) -> bool {
    let size = other.columns().as_flattened().iter().fold(1e-30_f64, |size, part| size.max(part.abs()));
    let pairs = one.columns().into_iter().flatten().zip(other.columns().into_iter().flatten());
    pairs.into_iter().all(|(one, other)| (one - other).abs() <= size * 1e-5)
}
