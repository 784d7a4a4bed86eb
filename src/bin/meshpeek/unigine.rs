//! What only UNIGINE files have: blocks and trees of compressed meshes, what animations say of themselves, and which mesh
//! an animation moves.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use meshpeek::unigine::{Animation, AnimationView, BlockLocation, Coding, Mesh, Storage, SurfaceTree};
use meshpeek::{Model, Name, decode};
use serde_json::{Value, json};

use crate::dump::Attribute;
use crate::opened::Data;
use crate::output::{self, numbers};
use crate::values::{Item, Values, Visit};

/// The most meshes whose skeletons are remembered, for animations to be told beside them.
const MOST_MESHES: usize = 1024;
/// The most bones that a mesh lacks which are listed.
const MOST_LACKING: usize = 64;

/// How the blocks of compressed meshes are written.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "UNIGINE meshes, ms14 and ms15")]
pub struct Blocks {
    /// How to store the blocks of surfaces
    #[arg(long, value_enum, default_value_t = Stored::Kept)]
    pub blocks: Stored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stored {
    /// As they are: a sound file comes out byte for byte
    Kept,
    /// Verbatim: the file grows, and its arrays can be lent straight from it
    Raw,
    /// Compressed anew
    Lz4,
}

impl Stored {
    pub const fn storage(self) -> Storage {
        match self {
            Self::Kept => Storage::Kept,
            Self::Raw => Storage::Raw,
            Self::Lz4 => Storage::Lz4,
        }
    }
}

/// Returns a mesh whose surfaces are blocks to inflate.
pub fn compressed(model: &Model<Data>) -> Option<&Mesh<Data>> {
    match model {
        Model::Unigine(mesh) if mesh.generation().is_compressed() => Some(mesh),
        _ => None,
    }
}

/// The lightmap bytes of each surface, and what compressed generations say besides.
pub fn properties(mesh: &Mesh<Data>) -> Value {
    let heads = (0..mesh.surface_count()).filter_map(|surface| mesh.lightmap(surface).ok().flatten());
    let lightmaps: Vec<[u8; 2]> = heads.collect();
    let mut told = json!({});
    if !lightmaps.is_empty() {
        let channels: Vec<u8> = lightmaps.iter().map(|[channel, _]| *channel).collect();
        let codes: Vec<u8> = lightmaps.iter().map(|[_, code]| *code).collect();
        told = json!({ "lightmap_channel": channels, "lightmap_resolution_code": codes });
    }
    if let (Some(leaf), Some(memory)) = (mesh.leaf_triangles(), mesh.memory_estimate()) {
        told = output::extend(told, &json!({ "leaf_triangles": leaf, "memory_estimate": memory }));
    }
    if mesh.animation_count() > 0 {
        let animations = (0..mesh.animation_count()).map(|index| animation(&mesh.animation(index)));
        told = output::with(told, "animations", animations.collect());
    }
    told
}

/// What a surface's blocks are, of compressed generations.
pub fn of_surface(mesh: &Mesh<Data>, surface: usize) -> Value {
    match mesh.blocks(surface) {
        Ok(Some([geometry, tree])) => json!({ "geometry_block": block(&geometry), "tree_block": block(&tree) }),
        // The findings tell of a block that cannot be found.
        _ => json!({}),
    }
}

fn block(block: &BlockLocation) -> Value {
    json!({ "offset": block.offset, "raw": block.raw, "stored": block.stored, "verbatim": block.is_verbatim() })
}

/// Tells in words how much the blocks of a compressed mesh hold.
pub fn blocks_in_words(mesh: &Mesh<Data>) -> Option<String> {
    mesh.leaf_triangles()?;
    let mut sums = [0_u64; 3];
    for surface in 0..mesh.surface_count() {
        for block in mesh.blocks(surface).ok().flatten()? {
            let raw = u64::try_from(block.raw).unwrap_or_default();
            let parts = [raw, block.stored, u64::from(block.is_verbatim())];
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum = sum.saturating_add(part));
        }
    }
    let [raw, stored, verbatim] = sums;
    let count = mesh.surface_count();
    Some(format!("{count} of geometry and {count} of trees: {stored} bytes hold {raw}; {verbatim} are stored verbatim"))
}

/// What an animation file says of itself.
pub fn of_animation(file: &Animation<Data>) -> meshpeek::Result<Value> {
    let animations = (0..file.animation_count()).map(|index| animation(&file.animation(index)));
    let mut told = json!({ "animations": animations.collect::<Value>() });
    if let Some([guid, path]) = file.skeleton()? {
        let tail = file.tail()?;
        let (root_motion, unknown) = tail.split_first().map_or((0, tail), |(first, rest)| (*first, rest));
        told = output::extend(
            told,
            &json!({
                "skeleton_guid": guid.to_string_lossy(),
                "skeleton_path": path.to_string_lossy(),
                "rate": file.raw_rate(),
                "root_motion": root_motion,
                "unknown": Some(output::hex(unknown)).filter(|unknown| !unknown.is_empty()),
            }),
        );
    }
    Ok(told)
}

/// What an animation is made of; nothing where it is damaged, which the findings tell.
fn animation(found: &meshpeek::Result<AnimationView<'_>>) -> Value {
    let Ok(found) = found else { return json!(null) };
    let boxes = match found.coding() {
        Coding::Quantized([positions, scales]) => [Some(boxed(&positions)), Some(boxed(&scales))],
        _ => [None, None],
    };
    let [position_box, scale_box] = boxes;
    json!({
        "name": found.name.to_string_lossy(),
        "flags": found.flags,
        "position_box": position_box,
        "scale_box": scale_box,
        "interval": found.interval(),
        "index_bytes": found.index_size(),
    })
}

fn boxed(one: &decode::OffsetScale16) -> Value {
    json!({ "min": numbers(&one.min), "size": numbers(&one.size) })
}

/// Locates an attribute that only compressed meshes have; `None` where any format's would do.
pub fn locate(mesh: &Mesh<Data>, surface: usize, attribute: Attribute) -> meshpeek::Result<Option<Values<'_>>> {
    let part = match attribute {
        Attribute::Edges => Part::Edges,
        Attribute::TreeCorners => Part::Corners,
        Attribute::TreeNodes => Part::Nodes,
        Attribute::TreeBoxes => Part::Boxes,
        Attribute::TreeSplits => Part::Splits,
        _ => return Ok(None),
    };
    Ok(mesh.tree(surface)?.map(|tree| Values::Tree(tree, part)))
}

/// A list of a tree.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    Edges,
    Corners,
    Nodes,
    Boxes,
    Splits,
}

impl Part {
    pub fn len(self, tree: &SurfaceTree<'_>) -> usize {
        match self {
            Self::Edges => tree.edges().len(),
            Self::Corners => tree.corners().len(),
            Self::Nodes | Self::Boxes | Self::Splits => tree.nodes().len(),
        }
    }

    pub fn visit(self, tree: &SurfaceTree<'_>, mut range: Range<usize>, visit: Visit<'_>) -> io::Result<()> {
        range.try_for_each(|at| match self {
            Self::Edges => tree.edges().get(at).map_or(Ok(()), |bits| visit(Item::Number((*bits).into()))),
            Self::Corners => tree.corners().get(at).map_or(Ok(()), |corner| visit(Item::Number(*corner))),
            Self::Nodes => tree.nodes().get(at).map_or(Ok(()), |node| {
                visit(Item::Integers(&[node.axis.into(), node.left, node.right, node.start, node.end]))
            }),
            Self::Boxes => tree.boxes().get(at).map_or(Ok(()), |bounds| visit(Item::Floats(&bounds))),
            Self::Splits => tree.splits().get(at).map_or(Ok(()), |[split]| visit(Item::Float(split))),
        })
    }
}

/// The skeletons of the meshes that were named, beside which animations are told.
#[derive(Debug, Default)]
pub struct Skeletons {
    meshes: Vec<(PathBuf, BTreeSet<String>)>,
}

/// The mesh that has most of an animation's bones, of those that were named.
pub struct Fit {
    mesh: PathBuf,
    matched: usize,
    bones: usize,
    lacking: Vec<String>,
}

impl Skeletons {
    /// Remembers the bones of a mesh.
    pub fn add(&mut self, path: &Path, bones: &[(String, i32)]) {
        if self.meshes.len() < MOST_MESHES && !bones.is_empty() {
            self.meshes.push((path.to_owned(), bones.iter().map(|(name, _)| name.clone()).collect()));
        }
    }

    /// Returns the mesh that has most of an animation's bones: the only one there is or, of several, the first of equals,
    /// and none that has less than half of them.
    pub fn fit(&self, bones: &[(String, i32)]) -> Option<Fit> {
        let lacks = |names: &BTreeSet<String>| bones.iter().filter(|(name, _)| !names.contains(name)).count();
        let meshes = self.meshes.iter().map(|(mesh, names)| (lacks(names), mesh, names));
        let (count, mesh, names) = meshes.min_by_key(|(count, ..)| *count)?;
        let matched = bones.len().saturating_sub(count);
        let lacking = bones.iter().filter(|(name, _)| !names.contains(name)).map(|(name, _)| name.clone());
        let lacking = lacking.take(MOST_LACKING).collect();
        let fits = self.meshes.len() == 1 || matched >= bones.len().div_ceil(2);
        fits.then(|| Fit { mesh: mesh.clone(), matched, bones: bones.len(), lacking })
    }
}

impl Fit {
    pub fn json(&self) -> Value {
        json!({
            "path": self.mesh.to_string_lossy(),
            "matched_bones": self.matched,
            "bones": self.bones,
            "lacking_bones": self.lacking,
        })
    }

    pub fn in_words(&self) -> String {
        let Self { mesh, matched, bones, lacking } = self;
        let lacking: Vec<String> = lacking.iter().map(|name| Name::new(name.as_bytes()).to_string()).collect();
        let lacking = if lacking.is_empty() { String::new() } else { format!("; it lacks {}", lacking.join(", ")) };
        format!("{} has {matched} of {bones} bones{lacking}", output::shown(mesh))
    }
}
