//! A look at a file: what its headers say, and what was inflated to say more.

use meshpeek::model::Counts;
use meshpeek::secondlife::{AssetPart, AssetView, Level, LevelGeometry, Lod, Mesh};
use meshpeek::{Animations as _, Bounds, Error, Finding, Surface};
use serde_json::{Value, json};

use super::{Described, told};
use crate::info::SurfaceSummary;
use crate::opened::Data;

/// The most assets, blocks and surfaces that are each described: a file of kilobytes may claim a million.
const MOST: usize = 4096;
/// The most findings by one rule.
const MOST_FINDINGS: usize = 1000;

/// What was seen of a file, copied out of it.
pub struct Look {
    pub blocks: Vec<Block>,
    pub surfaces: Vec<SurfaceSummary>,
    pub bones: Vec<(String, i32)>,
    pub bounds: Bounds,
    pub properties: Value,
    /// Faults of what was inflated.
    pub findings: Vec<Finding>,
    /// Bytes of the file that were looked at.
    pub touched: u64,
    /// Assets and surfaces that are not described.
    left_out: [usize; 2],
}

/// A block of an asset.
pub struct Block {
    /// The number of the asset, in a container.
    pub asset: Option<usize>,
    pub part: AssetPart,
    pub offset: u64,
    pub bytes: u64,
    /// What inflating it showed.
    pub inflated: Option<Inflated>,
}

pub struct Inflated {
    pub bytes: u64,
    /// Submeshes and triangles, of a block that has them.
    pub counts: Option<(usize, usize)>,
}

impl Block {
    /// Returns how many times its size it inflates to.
    #[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "a ratio, to be shown")]
    pub fn ratio(&self) -> Option<f64> {
        let inflated = self.inflated.as_ref()?;
        (self.bytes > 0).then(|| inflated.bytes as f64 / self.bytes as f64)
    }

    pub fn json(&self) -> Value {
        let counts = self.inflated.as_ref().and_then(|inflated| inflated.counts);
        let mut object = json!({
            "name": self.part.key(),
            "offset": self.offset,
            "bytes": self.bytes,
            "inflated_bytes": self.inflated.as_ref().map(|inflated| inflated.bytes),
            "ratio": self.ratio(),
            "submeshes": counts.map(|(submeshes, _)| submeshes),
            "triangles": counts.map(|(_, triangles)| triangles),
        });
        if let (Some(asset), Some(object)) = (self.asset, object.as_object_mut()) {
            object.insert("asset".into(), asset.into());
        }
        object
    }
}

impl Look {
    pub fn at(mesh: &Mesh<Data>, described: Described) -> Self {
        let mut look = Self {
            blocks: Vec::new(),
            surfaces: Vec::new(),
            bones: Vec::new(),
            bounds: Bounds::EMPTY,
            properties: Value::Null,
            findings: Vec::new(),
            touched: mesh.touched().map_or(0, meshpeek::AccessLog::bytes),
            left_out: [mesh.asset_count().saturating_sub(MOST), 0],
        };
        let mut assets = Vec::new();
        let in_container = mesh.container().is_some();
        for (number, asset) in mesh.assets().take(MOST).enumerate() {
            let number = in_container.then_some(number);
            // The first one's header was counted when the file was opened.
            let before = if number.unwrap_or_default() == mesh.options().asset { header_bytes(&asset) } else { 0 };
            assets.push(look.asset(&asset, described, number));
            let touched = asset.touched().map_or(0, meshpeek::AccessLog::bytes);
            look.touched = look.touched.saturating_add(touched.saturating_sub(before));
        }
        look.properties = match mesh.container() {
            Some(container) => told::container(&container, assets),
            None => assets.pop().unwrap_or_default(),
        };
        if let (true, Some(told)) = (look.left_out != [0, 0], look.properties.as_object_mut()) {
            let [assets, surfaces] = look.left_out;
            told.insert("left_out".into(), json!({ "members": assets, "surfaces": surfaces }));
        }
        look
    }

    /// Looks at an asset; returns its properties.
    fn asset(&mut self, asset: &Mesh<&[u8]>, described: Described, number: Option<usize>) -> Value {
        let view = asset.view();
        // What is wrong with a header is told with what all headers show, and so is a block that is not there.
        let Ok(header) = view.header() else { return Value::Null };
        let is_there = |lod: Lod| header.has(lod.part());
        let nearest = described.lod().and_then(|lod| lod.nearest(is_there)).map(Lod::part);
        let is_wanted = |part: AssetPart| match described {
            Described::None => false,
            Described::All => true,
            _ => nearest == Some(part) || matches!(part, AssetPart::Skin | AssetPart::PhysicsConvex),
        };
        let first = self.blocks.len();
        for stored in header.blocks() {
            let part = stored.part;
            let is_there = view.stored(part).is_ok();
            let inflated = if is_there && is_wanted(part) { self.inflate(view, part, number) } else { None };
            self.blocks.push(Block { asset: number, part, offset: stored.start, bytes: stored.len(), inflated });
        }
        if described != Described::None && self.bones.is_empty() {
            self.bones = bones(asset);
        }
        let blocks = self.blocks.get(first..).unwrap_or_default();
        told::asset(view, blocks, described != Described::None)
    }

    fn inflate(&mut self, view: AssetView<'_>, part: AssetPart, asset: Option<usize>) -> Option<Inflated> {
        let block = self.take(view.block(part), asset)??;
        block.validate_structure(&mut |finding| self.find(finding, asset));
        let bytes = u64::try_from(block.bytes().len()).unwrap_or(u64::MAX);
        if !part.is_geometry() {
            return Some(Inflated { bytes, counts: None });
        }
        let Some(level) = self.take(block.level(), asset) else { return Some(Inflated { bytes, counts: None }) };
        let triangles = (0..level.len()).map(|index| self.surface(view, &level, index, asset));
        let triangles = triangles.fold(0_usize, usize::saturating_add);
        Some(Inflated { bytes, counts: Some((level.len(), triangles)) })
    }

    /// Describes a submesh as far as it is sound; returns the number of its triangles.
    fn surface(&mut self, view: AssetView<'_>, level: &Level<'_>, index: usize, asset: Option<usize>) -> usize {
        let Some(submesh) = self.take(level.submesh(index), asset) else { return 0 };
        if self.surfaces.len() >= MOST {
            let [_, surfaces] = &mut self.left_out;
            *surfaces = surfaces.saturating_add(1);
            return submesh.triangle_count();
        }
        let detail = LevelGeometry::new(view, level.part());
        let surface = Surface::new(&detail, index);
        let bounds = self.take(surface.bounds(), asset).unwrap_or(Bounds::EMPTY);
        self.bounds = self.bounds.union(&bounds);
        let text = |name: meshpeek::Name<'_>| name.to_string_lossy();
        let mut particular = json!({ "placeholder": submesh.is_placeholder() });
        if let (Some(asset), Some(object)) = (asset, particular.as_object_mut()) {
            object.insert("asset".into(), asset.into());
        }
        self.surfaces.push(SurfaceSummary {
            shares: false,
            index,
            lod: Some(level.part().key()),
            name: surface.name().map(text).unwrap_or_default(),
            material: surface.material().ok().flatten().map(text),
            bounds,
            is_whole: true,
            counts: surface.counts().unwrap_or(Counts { targets: 1, ..Counts::default() }),
            drawn: level.part().lod().is_some() && !submesh.is_placeholder(),
            draws: String::new(),
            particular,
        });
        submesh.triangle_count()
    }

    /// Keeps a fault as a finding.
    fn take<T>(&mut self, looked: Result<T, Error>, asset: Option<usize>) -> Option<T> {
        match looked {
            Ok(found) => Some(found),
            Err(error) => {
                if let Some(finding) = meshpeek::finding(&error) {
                    self.find(finding, asset);
                }
                None
            }
        }
    }

    /// Keeps a finding, unless there are too many by its rule.
    fn find(&mut self, finding: Finding, asset: Option<usize>) {
        if self.findings.iter().filter(|other| other.rule == finding.rule).count() < MOST_FINDINGS {
            let asset = asset.and_then(|asset| u64::try_from(asset).ok());
            let field = asset.map_or(finding.field, |asset| finding.field.beneath("asset", asset));
            self.findings.push(Finding { field, ..finding });
        }
    }
}

fn header_bytes(asset: &Mesh<&[u8]>) -> u64 {
    let range = asset.asset_range();
    let before = if asset.preamble().is_some() { range.start } else { 0 };
    let before = u64::try_from(before).unwrap_or_default();
    asset.header().map_or(0, |header| header.len().saturating_add(before))
}

fn bones(asset: &Mesh<&[u8]>) -> Vec<(String, i32)> {
    let bones = (0..asset.bone_count()).filter_map(|bone| asset.bone(bone).ok());
    bones.map(|bone| (bone.name.to_string_lossy(), bone.parent)).collect()
}
