//! The nodes of an asset at its places in the scene.

use super::build::{Builder, BuiltAsset, BuiltLevel};
use super::document::{Document, MeshObject, NodeObject, NodeScene, Primitive, SkinObject, add};
use super::hulls;
use super::skeleton::{SkeletonNodes, SkeletonPlan};
use super::surface::PrimitivePlan;
use crate::error::Result;
use crate::export::loss::{LossKind, LossList};
use crate::math::{as_index, narrow};
use crate::model::animation::Affine;
use crate::model::{Asset, SpaceConversion, Transform};
use crate::scene::InstancePlace;
use crate::scene::LevelChoice;

/// An asset at a place.
struct PlacedAsset<'p> {
    place: &'p InstancePlace,
    name: Option<&'p str>,
    /// The transform of the place, or `None` if it moves nothing.
    transform: Option<Transform>,
    conversion: &'p SpaceConversion,
    skeleton: Option<(&'p SkeletonPlan, SkeletonNodes)>,
    skin: Option<u32>,
}

/// What a node of a level of detail has. Nodes of several levels with the same part belong
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelPart {
    /// The surfaces without weights.
    Static,
    /// The surfaces with weights.
    Skinned,
    /// The quantized surface with this index.
    Quantized(usize),
    /// All quantized surfaces, at a place with a transform.
    PlacedQuantized,
}

/// The root nodes of all places, from which the scenes are made.
#[derive(Default)]
pub(super) struct LevelRoots {
    /// The number and the name of each level of detail, in ascending order.
    names: Vec<(usize, Option<String>)>,
    places: Vec<PlacedLevels>,
}

/// The root nodes at a place.
struct PlacedLevels {
    /// The number and the nodes of each level of detail, in ascending order.
    levels: Vec<(usize, Vec<u32>)>,
    /// The nodes of all levels.
    more: Vec<u32>,
}

impl LevelRoots {
    fn add_name(&mut self, level: usize, name: Option<&String>) {
        let place = self.names.iter().take_while(|(number, _)| *number < level).count();
        if self.names.get(place).is_none_or(|(number, _)| *number != level) {
            self.names.insert(place, (level, name.cloned()));
        }
    }

    /// Makes a scene of each level. A place without this level has the next better one there, or
    /// its best one.
    pub(super) fn scenes(self) -> impl Iterator<Item = NodeScene> {
        let Self { names, places } = self;
        names.into_iter().map(move |(level, name)| {
            let mut roots = Vec::new();
            for place in &places {
                let shown = place.levels.iter().rev().find(|(number, _)| *number <= level).or(place.levels.first());
                roots.extend(shown.into_iter().flat_map(|(_, nodes)| nodes));
                roots.extend(&place.more);
            }
            NodeScene { name, roots }
        })
    }
}

impl PlacedAsset<'_> {
    /// Adds the skin with the given inverse bind matrices. Returns `None` if there are none.
    fn add_skin(&self, inverse_binds: Option<u32>, document: &mut Document) -> Option<u32> {
        let (skeleton, nodes) = self.skeleton?;
        let skin = SkinObject {
            inverse_binds: inverse_binds?,
            first_joint: nodes.first,
            joint_count: u32::try_from(skeleton.bone_count()).unwrap_or(u32::MAX),
            still_joint: nodes.still,
            root: nodes.root,
        };
        Some(add(&mut document.skins, skin))
    }
}

impl BuiltAsset {
    /// Returns the map of the written vertices for the adjustment of a place, which follows the map
    /// that has placed them.
    fn adjustment(&self, place: &InstancePlace) -> Affine {
        if place.adjustment == Affine::IDENTITY {
            return Affine::IDENTITY;
        }
        let back = self.bind.inverse().unwrap_or_default();
        self.bind.then(&place.adjustment).then(&back)
    }
}

impl Builder<'_, '_> {
    /// Adds the nodes of an asset at a place.
    pub(super) fn place(
        &mut self,
        asset: &dyn Asset,
        place: &InstancePlace,
        built: &BuiltAsset,
        skeletons: &mut Vec<SkeletonNodes>,
        meshes: &mut Vec<u32>,
    ) -> Result<()> {
        let placed = if built.is_bound { built.adjustment(place) } else { place.transform };
        // Placed vertices need no transform, and rounding would give them one.
        let is_still = built.is_bound && placed == Affine::IDENTITY;
        let transform =
            if is_still { None } else { node_transform(&placed, &built.conversion, "an instance", self.losses) };
        let name = place.name.clone().or_else(|| self.scene.options.source.name().map(str::to_owned));
        let nodes = built.skeleton.as_ref().map(|skeleton| {
            let nodes = skeleton.add_nodes(&mut self.document, name.as_deref(), transform);
            skeletons.push(nodes);
            nodes
        });
        let (name, conversion) = (name.as_deref(), &built.conversion);
        let mut at = PlacedAsset {
            place,
            name,
            transform,
            conversion,
            skeleton: built.skeleton.as_ref().zip(nodes),
            skin: None,
        };
        at.skin = at.add_skin(built.inverse_binds, &mut self.document);
        let mut roots: Vec<Vec<(LevelPart, u32)>> = Vec::new();
        for level in &built.levels {
            roots.push(self.level_nodes(level, &at, meshes)?);
        }
        let more = hulls::add_nodes(
            asset,
            self.scene,
            &placed,
            conversion,
            &mut self.document,
            &mut self.surfaces,
            self.losses,
        )?;
        self.add_roots(roots, built, nodes.map(|nodes| nodes.root), &more);
        self.surfaces.sink.check_objects(self.document.object_count())
    }

    /// Adds the nodes of a level at a place: one for all surfaces without weights, one for those
    /// with weights, and one for each quantized surface.
    fn level_nodes(
        &mut self,
        level: &BuiltLevel,
        at: &PlacedAsset<'_>,
        meshes: &mut Vec<u32>,
    ) -> Result<Vec<(LevelPart, u32)>> {
        let shown = |plan: &&PrimitivePlan| at.place.surfaces.as_ref().is_none_or(|range| range.contains(&plan.number));
        let plans: Vec<&PrimitivePlan> = level.plans.iter().filter(shown).collect();
        let (mut roots, mut children) = (Vec::new(), Vec::new());
        for is_skinned in [false, true] {
            let group = plans.iter().copied().filter(|plan| plan.interval.is_none() && plan.is_skinned == is_skinned);
            let group: Vec<&PrimitivePlan> = group.collect();
            if !group.is_empty() {
                let skin = at.skin.filter(|_| is_skinned);
                let transform = at.transform.filter(|_| !is_skinned);
                let part = if is_skinned { LevelPart::Skinned } else { LevelPart::Static };
                roots.push((part, self.mesh_node(level, at, &group, skin, transform, meshes)?));
            }
        }
        for plan in plans.iter().filter(|plan| plan.interval.is_some()) {
            let own = plan.interval.map(|interval| interval.transform(at.conversion));
            let node = self.mesh_node(level, at, &[plan], None, own, meshes)?;
            if at.transform.is_none() {
                roots.push((LevelPart::Quantized(plan.number), node));
            } else {
                children.push(node);
            }
        }
        if !children.is_empty() {
            let (name, transform) = (at.name.map(str::to_owned), at.transform.map(Box::new));
            let node = NodeObject { name, transform, children, ..NodeObject::default() };
            roots.push((LevelPart::PlacedQuantized, add(&mut self.document.nodes, node)));
        }
        Ok(roots)
    }

    /// Adds a mesh with some primitives, and its node.
    fn mesh_node(
        &mut self,
        level: &BuiltLevel,
        at: &PlacedAsset<'_>,
        plans: &[&PrimitivePlan],
        skin: Option<u32>,
        transform: Option<Transform>,
        meshes: &mut Vec<u32>,
    ) -> Result<u32> {
        let mut mesh = MeshObject { target_names: level.targets.names(), ..MeshObject::default() };
        for plan in plans {
            let found = self.materials.find(self.scene, &mut self.document, &plan.material, at.place, self.losses)?;
            mesh.primitives.push(Primitive { material: Some(found), ..plan.primitive.clone() });
        }
        let names = [at.name.map(str::to_owned), level.name.clone()];
        let name = Some(names.into_iter().flatten().collect::<Vec<_>>().join(" "));
        mesh.name.clone_from(&name);
        let mesh = Some(add(&mut self.document.meshes, mesh));
        let transform = transform.map(Box::new);
        let node = add(&mut self.document.nodes, NodeObject { name, transform, mesh, skin, ..NodeObject::default() });
        meshes.push(node);
        Ok(node)
    }

    /// Adds the root nodes of a place to the scenes.
    fn add_roots(
        &mut self,
        levels: Vec<Vec<(LevelPart, u32)>>,
        built: &BuiltAsset,
        skeleton: Option<u32>,
        more: &[u32],
    ) {
        let mut placed =
            PlacedLevels { levels: Vec::new(), more: skeleton.into_iter().chain(more.iter().copied()).collect() };
        let best = built.levels.first().and_then(|level| level.name.clone());
        let nodes = |roots: Vec<(LevelPart, u32)>| roots.into_iter().map(|(_, node)| node).collect();
        match self.scene.options.levels {
            LevelChoice::Scenes => {
                for (level, roots) in built.levels.iter().zip(levels) {
                    self.levels.add_name(level.number, level.name.as_ref());
                    placed.levels.push((level.number, nodes(roots)));
                }
            }
            LevelChoice::Nodes => {
                self.levels.add_name(0, best.as_ref());
                placed.levels.push((0, nodes(self.join_levels(&levels))));
            }
            LevelChoice::Best | LevelChoice::One(_) => {
                self.levels.add_name(0, best.as_ref());
                placed.levels.extend(levels.into_iter().take(1).map(|roots| (0, nodes(roots))));
            }
        }
        self.levels.places.push(placed);
    }

    /// Adds the nodes of lower levels to the nodes of the best level. A level that lacks a part of
    /// another level gets a node without a mesh for it.
    fn join_levels(&mut self, levels: &[Vec<(LevelPart, u32)>]) -> Vec<(LevelPart, u32)> {
        let mut parts: Vec<LevelPart> = Vec::new();
        for (part, _) in levels.iter().flatten() {
            if !parts.contains(part) {
                parts.push(*part);
            }
        }
        let mut joined = Vec::new();
        for part in parts {
            let mut nodes = levels.iter().map(|level| {
                let found = level.iter().find(|(other, _)| *other == part).map(|(_, node)| *node);
                found.unwrap_or_else(|| add(&mut self.document.nodes, NodeObject::default()))
            });
            let Some(best) = nodes.next() else { continue };
            let lower: Vec<u32> = nodes.collect();
            if let Some(node) = self.document.nodes.get_mut(as_index(best)) {
                node.levels = lower;
            }
            joined.push((part, best));
        }
        joined
    }
}

/// Returns a map between stored positions as the transform of a node, or `None` if it moves
/// nothing. What a node cannot have is added to `losses`, as of `what`.
pub(super) fn node_transform(
    map: &Affine,
    conversion: &SpaceConversion,
    what: &str,
    losses: &mut LossList,
) -> Option<Transform> {
    let map = conversion.transform(map).unwrap_or_default();
    if !map.fits_f32() {
        losses.add(LossKind::Placements, None, format!("the transform of {what}, which is not finite"));
        return None;
    }
    let exact = map.to_transform().filter(Transform::is_finite);
    let transform = exact.unwrap_or_else(|| {
        losses.add(LossKind::Placements, None, format!("the transform of {what}, which is singular"));
        let [.., origin] = map.columns();
        Transform { position: origin.map(narrow), ..Transform::default() }
    });
    if exact.is_some() && !is_near(&Affine::from(&transform), &map) {
        losses.add(LossKind::Placements, None, format!("the shear of the transform of {what}"));
    }
    (transform != Transform::default()).then_some(transform)
}

/// Returns whether the axes of two maps differ by less than the rounding of an `f32`.
fn is_near(one: &Affine, other: &Affine) -> bool {
    let axes = |map: &Affine| {
        let [x, y, z, _] = map.columns();
        [x, y, z].into_iter().flatten()
    };
    let size = axes(other).fold(1e-30_f64, |size, part| size.max(part.abs()));
    axes(one).zip(axes(other)).all(|(one, other)| (one - other).abs() <= size * 1e-5)
}
