//! Export of a mesh of any format as an EZ-Mesh file.
//!
//! Each surface becomes a mesh with one vertex buffer and one section, as the original importer
//! reads it. Surfaces that share their vertices become sections of one mesh. The vertices of
//! surfaces without bones are placed.

// Rule: this file sorts and maps by copies only.

mod skeleton;
mod surface;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use skeleton::AssetBones;
use surface::{MeshPlan, MeshWriter, PartWalk};

use super::builder::{Output, VERSIONS};
use crate::array::Bounds;
use crate::error::Result;
use crate::export::flat_losses::{FlatFormat, FlatLosses};
use crate::export::loss::LossList;
use crate::export::options::ExportScene;
use crate::export::{ExportOptions, Loss, LossKind, OutputWriter, SceneInput};
use crate::math::as_index;
use crate::model::{Asset, MetadataValue, Space, Transform};
use crate::scene::ColorRole;

/// What a text file cannot hold.
const TEXT: FlatFormat = FlatFormat {
    lacks: &[LossKind::MorphTargets, LossKind::VertexFrames, LossKind::Hulls, LossKind::Metadata],
    uv_sets: 4,
    draw_styles: false,
};

/// What a binary file cannot hold.
const BINARY: FlatFormat =
    FlatFormat { lacks: &[LossKind::MorphTargets, LossKind::VertexFrames, LossKind::Hulls], ..TEXT };

/// A writer of EZ-Mesh files, with the content of the file but its meshes.
pub(crate) struct EzMeshWriter<'a> {
    scene: ExportScene<'a>,
    content: ExportContent,
    bones: BTreeMap<usize, AssetBones>,
    plan: MeshPlan,
}

impl<'a> EzMeshWriter<'a> {
    /// Builds the content of the file. Stored values of a mesh without known axes are not
    /// converted, because EZ-Mesh defines no axes.
    pub(crate) fn new(
        input: &SceneInput<'a>,
        options: &'a ExportOptions,
        is_binary: bool,
    ) -> Result<(Self, Vec<Loss>)> {
        let mut losses = FlatLosses::new(if is_binary { &BINARY } else { &TEXT }, options)?;
        let has_no_axes = |asset: &dyn Asset| asset.level(0).is_ok_and(|level| level.space().up.is_none());
        let is_kept = input.contents.asset(0).is_ok_and(|asset| has_no_axes(&*asset));
        let target = if is_kept { Space::UNKNOWN } else { Space::GLTF };
        let scene = ExportScene::new(input, options, target)?.with_normals()?;
        let asset_name = text(options.source.name().unwrap_or_default().as_bytes());
        let mut content = ExportContent { asset_name, ..ExportContent::default() };
        let bones = skeleton::add(&scene, &mut content, &mut losses.list)?;
        let (mut walk, mut plan) = (PartWalk::new(&bones), MeshPlan::new(is_binary));
        scene.placed.each_surface(&mut |surface| {
            losses.surface(surface)?;
            if surface.colors()?.is_some_and(|(_, role)| role == ColorRole::Data) {
                losses.add_by_format(LossKind::DataColors, 1);
            }
            losses.values(surface)?;
            walk.visit(&scene, surface, &mut losses.list, &mut |part, losses| plan.add(part, &mut content, losses))
        })?;
        add_materials(&scene, &plan.materials, &mut content)?;
        if is_binary {
            add_metadata(&scene, &mut content)?;
        }
        let losses = losses.finish(&scene)?;
        Ok((Self { scene, content, bones, plan }, losses))
    }
}

impl OutputWriter for EzMeshWriter<'_> {
    fn write(&self, _: usize, _: &str, out: &mut dyn Write) -> Result<()> {
        let is_binary = self.plan.is_binary;
        if !is_binary {
            self.content.write(None, &mut Output::checking())?;
        }
        let mut out = Output::new(out, is_binary);
        self.content.write(Some(self.plan.bounds).filter(|_| is_binary), &mut out)?;
        let count = self.plan.sections.len();
        out.start_list("Meshes", count)?;
        let (mut walk, mut meshes) = (PartWalk::new(&self.bones), MeshWriter::new(&self.plan, &mut out));
        self.scene.placed.each_surface(&mut |surface| {
            // The losses are known already.
            walk.visit(&self.scene, surface, &mut LossList::default(), &mut |part, _| meshes.write(part))
        })?;
        out.end_list("Meshes", count)?;
        out.end_system()?;
        out.finish()
    }
}

/// Adds each material that a section refers to.
fn add_materials(scene: &ExportScene<'_>, used: &BTreeSet<Vec<u8>>, content: &mut ExportContent) -> Result<()> {
    let mut rest = used.clone();
    for index in 0..scene.placed.contents.material_count()? {
        let material = scene.placed.contents.material(index)?;
        let name = material.surface.or(material.name).map(|name| text(name.as_bytes())).unwrap_or_default();
        if rest.remove(&name) {
            let meta_data = material.text.map(|more| text(more.as_bytes())).unwrap_or_default();
            content.materials.push([name, meta_data]);
        }
    }
    content.materials.extend(rest.into_iter().map(|name| [name, Vec::new()]));
    Ok(())
}

/// Adds the metadata of the file as user data, which only a binary file can hold.
fn add_metadata(scene: &ExportScene<'_>, content: &mut ExportContent) -> Result<()> {
    scene.placed.contents.metadata(&mut |entry| {
        let key = text(entry.key.as_bytes());
        let value = match entry.value {
            MetadataValue::Text(value) => text(value.as_bytes()),
            MetadataValue::Integer(value) => value.to_string().into_bytes(),
            MetadataValue::Real(value) => value.to_string().into_bytes(),
            MetadataValue::Bytes(bytes) => {
                content.user_binary_data.push([key, bytes.to_vec()]);
                return;
            }
        };
        content.user_data.push([key, value]);
    })
}

/// Returns a name that both forms of the format can store: bytes that a reader would take for the
/// end of the name are replaced by `_`.
fn text(name: &[u8]) -> Vec<u8> {
    name.iter().map(|byte| if matches!(byte, b'"' | b'<' | b'&' | 0..=31) { b'_' } else { *byte }).collect()
}

/// The names of one kind in the file, which differ.
#[derive(Default)]
struct DistinctNames {
    taken: BTreeSet<Vec<u8>>,
    /// The number that was appended last to a name.
    last: BTreeMap<Vec<u8>, usize>,
}

impl DistinctNames {
    /// Adds a name. If it is there already, a number is appended. `empty` replaces an empty name.
    fn add(&mut self, name: &[u8], empty: &str) -> Vec<u8> {
        let name = if name.is_empty() { empty.as_bytes().to_vec() } else { text(name) };
        let mut number = self.last.get(&name).copied().unwrap_or_default().max(self.taken.len());
        let mut found = name.clone();
        while !self.taken.insert(found.clone()) {
            number = number.saturating_add(1);
            found = [name.as_slice(), b"_", number.to_string().as_bytes()].concat();
        }
        if found != name {
            self.last.insert(name, number);
        }
        found
    }
}

/// The content of a file before its meshes.
#[derive(Debug, Default)]
pub(super) struct ExportContent {
    pub(super) asset_name: Vec<u8>,
    pub(super) skeletons: Vec<SkeletonContent>,
    pub(super) animations: Vec<AnimationContent>,
    /// The name and the description of each material.
    pub(super) materials: Vec<[Vec<u8>; 2]>,
    /// Keys and values, which only a binary file contains.
    pub(super) user_data: Vec<[Vec<u8>; 2]>,
    /// Names and bytes, which only a binary file contains.
    pub(super) user_binary_data: Vec<[Vec<u8>; 2]>,
}

#[derive(Debug)]
pub(super) struct SkeletonContent {
    pub(super) name: Vec<u8>,
    pub(super) bones: Vec<BoneContent>,
}

#[derive(Debug)]
pub(super) struct BoneContent {
    pub(super) name: Vec<u8>,
    pub(super) parent: Option<u32>,
    pub(super) bind: Transform,
}

/// The name and the keys of a track.
pub(super) type TrackContent = (Vec<u8>, Vec<Transform>);

#[derive(Debug)]
pub(super) struct AnimationContent {
    pub(super) name: Vec<u8>,
    pub(super) frames: u32,
    /// The duration of the animation, and the time between two frames.
    pub(super) seconds: [f32; 2],
    pub(super) tracks: Vec<TrackContent>,
}

impl ExportContent {
    /// Writes the content, or checks the names if `out` writes nothing.
    pub(super) fn write(&self, bounds: Option<Bounds>, out: &mut Output<'_>) -> Result<()> {
        out.start_system([&self.asset_name, b""], VERSIONS, bounds)?;
        out.no_list();
        out.no_list();
        out.list(("Skeletons", "skeleton"), self.skeletons.iter(), write_skeleton)?;
        out.list(("Animations", "animation"), self.animations.iter(), write_animation)?;
        out.list(("Materials", "material"), self.materials.iter(), |out, [name, more]| out.material(name, more))?;
        [&self.user_data, &self.user_binary_data].into_iter().try_for_each(|list| {
            out.list(("", "user_data"), list.iter(), |out, [name, value]| {
                out.text("name", name).text("value", value).empty()
            })
        })
    }
}

fn write_skeleton(out: &mut Output<'_>, skeleton: &SkeletonContent) -> Result<()> {
    out.start_skeleton(&skeleton.name, skeleton.bones.len())?;
    out.items("bone", skeleton.bones.iter(), |out, bone| {
        let parent = bone.parent.and_then(|parent| Some((parent, skeleton.bones.get(as_index(parent))?)));
        out.bone(&bone.name, parent.map(|(parent, bone)| (parent, bone.name.as_slice())), &bone.bind)
    })?;
    out.close("Skeleton")
}

fn write_animation(out: &mut Output<'_>, animation: &AnimationContent) -> Result<()> {
    let counts = [animation.tracks.len(), as_index(animation.frames)];
    out.start_animation(&animation.name, counts, animation.seconds.map(Some))?;
    out.items("track", animation.tracks.iter(), |out, (name, keys)| {
        out.track((name, keys.len()), keys.iter().copied(), animation.seconds)
    })?;
    out.close("Animation")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_collide_with_numbered_names_take_few_steps() {
        let mut names = DistinctNames::default();
        let count = 20_000;
        (count..2 * count).for_each(|number| assert_eq!(names.add(format!("a_{number}").as_bytes(), "").len(), 7));
        let added: Vec<_> = (0..count).map(|_| names.add(b"a", "")).collect();
        assert_eq!(added[0], b"a");
        assert_eq!(added[1], b"a_40000");
        assert_eq!(added[count - 1], b"a_59998");
        assert_eq!(names.taken.len(), 2 * count);
    }
}
