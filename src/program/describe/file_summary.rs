//! The description of a file that `info` and `ls` print.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::array::Sphere;
use crate::export::{LevelChoice, SceneInput};
use crate::math::as_u64;
use crate::model::{Axis, Counts, DescribedBlocks, Geometry, LevelStorage, MeshFile, Space};
use crate::{Animations, Bounds, Finding, Name, Surface};

use super::block_survey::AssetSurvey;
use super::clips::{ClipSummary, clips, value_or};
use super::placed::PlacedBounds;
use super::skeletons::Skeletons;
use crate::program::formats::level_args::{LodFilter, nearest_level};
use crate::program::formats::summary::{
    GpuCounter, GpuSize, LevelSummary, SurfaceSummary, describe_levels, only_level,
};
use crate::program::input::asset::InputAsset;
use crate::program::input::bytes::Data;
use crate::program::output::JsonWriter;

/// The maximum number of surfaces of a file in which a surface may take almost no bytes.
const MAX_LISTED: usize = 4096;
/// The maximum number of bytes of a surface name that `info` prints, in a file in which many
/// surfaces may share one long name.
const MAX_NAME_BYTES: usize = 4096;
/// The number of bytes of a mapped file that are read before the memory of its pages is released. A
/// sparse file may be larger than the memory.
const RELEASE_AFTER: usize = 256 << 20;

/// The description of a file. It borrows nothing from the file. The fields that only the JSON
/// output contains are not part of it, because they may be large. They are read from the file while
/// they are printed.
pub struct FileSummary {
    pub format: &'static str,
    pub version: &'static str,
    pub bytes: u64,
    pub touched: u64,
    pub bounds: Bounds,
    /// Whether the file stores its bounds. Otherwise they are computed from the vertices.
    pub stores_bounds: bool,
    /// The bounds of the surfaces that are drawn.
    pub drawn_bounds: Bounds,
    /// The bounds in the world, if they were requested or differ from those of stored positions.
    pub placed: Option<PlacedBounds>,
    /// The axes that point up and to the front, or `None` if the format does not define them.
    pub axes: [Option<Axis>; 2],
    pub sphere: Option<Sphere>,
    pub bones: Vec<(String, i32)>,
    /// The number of vertex frames, and the number of vertices in each vertex frame.
    pub vertex_frames: Option<(usize, usize)>,
    /// Whether the file contains animations and no surface.
    pub is_animation: bool,
    /// Additional lines of the text output of `info`. Each line has a heading and a text.
    pub remarks: Vec<(&'static str, String)>,
    /// The collision shapes in a few words, if they were read.
    pub physics: Option<String>,
    pub described: DescribedBlocks,
    /// The numbers of assets, of surfaces and of joints that are not described, in a file with
    /// compressed blocks.
    pub left_out_blocks: [usize; 3],
    /// The levels of detail, if their surfaces are in one list. Empty if the mesh has only one.
    pub levels: Vec<LevelSummary>,
    pub surfaces: Vec<SurfaceSummary>,
    /// The number of surfaces that `info` does not print, because the file contains more surfaces
    /// than `info` prints at most.
    pub left_out: usize,
    pub clips: Vec<ClipSummary>,
    pub findings: Vec<Finding>,
    /// The paths of the files that the findings refer to, if the mesh consists of several files.
    pub files: Vec<PathBuf>,
}

/// The facts that a description contains only if they are requested, because they take longer.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact that takes time")]
#[derive(Clone, Copy)]
pub struct SummaryRequest {
    /// The levels of detail of compressed blocks that are described.
    pub levels: LodFilter,
    /// Whether the best whole level is described if the chosen one is damaged.
    pub replaces_damaged: bool,
    /// Whether the triangles of all levels are counted.
    pub counts_levels: bool,
    /// The maximum number of surfaces that are described.
    pub max_surfaces: usize,
    /// Whether the fields that only the JSON output contains are also read. An error in them is
    /// therefore returned before anything is printed.
    pub in_full: bool,
    /// Whether the vertices that a GPU has are counted.
    pub gpu: bool,
    /// Whether the bones that each clip moves are listed.
    pub moved_bones: bool,
    /// Whether the bounds in the world are printed even if nothing moves the stored positions.
    pub placed: bool,
}

impl FileSummary {
    /// Starts the description of a file, without its format and content.
    fn start(asset: &InputAsset) -> Self {
        Self {
            format: "",
            version: "",
            bytes: asset.size(),
            touched: 0,
            bounds: Bounds::EMPTY,
            stores_bounds: false,
            drawn_bounds: Bounds::EMPTY,
            placed: None,
            axes: [Space::UNKNOWN.up, Space::UNKNOWN.forward],
            sphere: None,
            bones: Vec::new(),
            vertex_frames: None,
            is_animation: false,
            remarks: Vec::new(),
            physics: None,
            described: DescribedBlocks::default(),
            left_out_blocks: [0; 3],
            levels: Vec::new(),
            surfaces: Vec::new(),
            left_out: 0,
            clips: Vec::new(),
            findings: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Adds the format of the file.
    fn in_format(self, geometry: &dyn Geometry) -> Self {
        let Space { up, forward, .. } = geometry.space();
        Self { format: geometry.format(), version: geometry.version(), axes: [up, forward], ..self }
    }

    /// Describes a file.
    pub fn of(asset: &InputAsset, request: &SummaryRequest) -> crate::Result<Self> {
        let SummaryRequest { levels, max_surfaces, in_full, .. } = *request;
        if let Some(file) = asset.model.file().blocks() {
            return Self::of_blocks(asset, AssetSurvey::of(asset, file, request, Self::start(asset)), request);
        }
        let geometry = asset.model.geometry();
        let mut findings = Vec::new();
        // With the option `--lod none`, only the header of a compressed file is described.
        let file = asset.model.file();
        let is_partial = file.has_independent_parts();
        let header = if levels == LodFilter::None { file.check_header() } else { Ok(false) };
        let is_header_only = header.as_ref().is_ok_and(|has_header| *has_header) || header.is_err();
        findings.extend(header.err().as_ref().and_then(crate::finding));
        if !is_header_only {
            // For each array or block of the file that cannot be read, a finding is added to the
            // description, and the other arrays and blocks are still described.
            let surveyed = asset.findings(false, false, &mut |finding| findings.push(finding));
            value_or(is_partial, surveyed, ())?;
        }
        let max_surfaces = if file.surfaces_share_names() { MAX_LISTED.min(max_surfaces) } else { max_surfaces };
        let surfaces = geometry.surfaces()?.take(max_surfaces);
        let mut unreleased = 0_usize;
        let mut read = |bytes: usize| {
            unreleased = unreleased.saturating_add(bytes);
            if unreleased >= RELEASE_AFTER {
                asset.release();
                unreleased = 0;
            }
        };
        let bounds = value_or(is_partial, file.bounds_in_steps(&mut read), Bounds::EMPTY)?;
        let mut pools = BTreeSet::new();
        let release = || asset.release();
        let mut gpu = GpuCounter::new(SceneInput::new(&asset.model).with_release(&release), request.gpu);
        let surfaces = surfaces.map(|surface| {
            let shares = !pools.insert(surface.vertex_pool()?);
            summarize_surface(file, &surface, shares, is_header_only, &mut gpu, &mut read)
        });
        let mut surfaces = surfaces.collect::<crate::Result<Vec<_>>>()?;
        let (level_choice, levels) = if asset.model.contents().level_storage() == LevelStorage::Shared {
            let choice = match levels {
                LodFilter::One(number) => LevelChoice::One(nearest_level(asset.model.opened_asset(), number)?),
                LodFilter::All => LevelChoice::Scenes,
                LodFilter::None => LevelChoice::Best,
            };
            (choice, describe_levels(asset.model.opened_asset(), levels, &mut surfaces)?)
        } else {
            (LevelChoice::Best, Vec::new())
        };
        let drawn_bounds = drawn_bounds(&surfaces);
        let placed = value_or(is_partial, PlacedBounds::of(asset.model.contents(), geometry, level_choice), None)?;
        let unchanged = request.placed.then(|| PlacedBounds::unchanged(drawn_bounds, &geometry.space()));
        let mut summary = Self {
            bounds,
            stores_bounds: file.stores_bounds(),
            drawn_bounds,
            placed: placed.or(unchanged),
            sphere: geometry.sphere()?,
            vertex_frames: match file.frame_vertices() {
                Some(vertices) => Some((geometry.vertex_frame_count()?, vertices)),
                None => None,
            },
            bones: bones(asset.model.animations(), is_partial)?,
            is_animation: !file.has_surfaces(),
            remarks: if in_full { Vec::new() } else { file.remarks() },
            levels,
            surfaces,
            left_out: geometry.surface_count()?.saturating_sub(max_surfaces),
            clips: clips(asset.model.animations(), request.moved_bones, is_partial)?,
            findings,
            files: asset.files(),
            ..Self::start(asset).in_format(geometry)
        };
        if in_full {
            summary.rehearse(asset)?;
        }
        summary.touched = file.touched_bytes().unwrap_or_default();
        asset.check()?;
        Ok(summary)
    }

    /// Returns whether the surfaces of the file were inflated, or need not be.
    pub fn is_inflated(&self) -> bool {
        self.described.blocks.is_empty() || !self.described.is_header_only
    }

    /// Returns the numbers of positions and of attribute vertices of the described level of detail.
    /// Those that several surfaces share are counted once.
    pub fn stored_vertices(&self) -> [u64; 2] {
        let own = || self.own_counts();
        let positions = match self.vertex_frames {
            Some((_, vertices)) => as_u64(vertices),
            None => own().map(|counts| u64::from(counts.vertices)).sum(),
        };
        [positions, own().map(|counts| u64::from(counts.attribute_vertices)).sum()]
    }

    /// Returns the counts of the surfaces of the described level of detail that do not share the
    /// vertices of an earlier surface.
    pub fn own_counts(&self) -> impl Iterator<Item = Counts> {
        self.counted().filter(|surface| !surface.shares).map(|surface| surface.counts)
    }

    /// Returns the surfaces of the described level of detail.
    pub fn counted(&self) -> impl Iterator<Item = &SurfaceSummary> {
        self.surfaces.iter().filter(|surface| surface.is_counted)
    }

    /// Returns the number of surfaces, including those that are not described.
    pub const fn surface_count(&self) -> usize {
        self.surfaces.len().saturating_add(self.left_out)
    }

    /// Returns the names of the first `most` different materials.
    pub fn materials(&self, most: usize) -> Vec<&str> {
        let mut names = Vec::new();
        for material in self.surfaces.iter().filter_map(|surface| surface.material.as_deref()) {
            if names.len() < most && !names.contains(&material) {
                names.push(material);
            }
        }
        names
    }

    /// Returns the number of triangles of the described level of detail.
    pub fn triangles(&self) -> u64 {
        self.counted().map(SurfaceSummary::triangles).sum()
    }

    /// Returns the size of the drawn surfaces on a GPU, or `None` if that of one is not known.
    /// Vertices that several surfaces share are counted once.
    pub fn gpu(&self) -> Option<GpuSize> {
        if !self.is_inflated() {
            return None;
        }
        let mut sizes = self.counted().filter(|surface| surface.drawn).map(|surface| surface.gpu);
        sizes.try_fold(GpuSize::default(), |sum, size| size.and_then(|size| sum.checked_add(size)))
    }

    /// Returns the kind of the file: `animation` for clips without a mesh, and `mesh` for all
    /// others.
    pub const fn kind(&self) -> &'static str {
        let has_only_clips = self.surface_count() == 0 && !self.clips.is_empty();
        if self.is_animation || has_only_clips { "animation" } else { "mesh" }
    }

    /// Returns whether the file has bones, and weights that attach vertices to them.
    pub fn is_rigged(&self) -> bool {
        !self.bones.is_empty() && self.surfaces.iter().any(|surface| surface.counts.weights)
    }

    /// Returns the number of vertex frames, or of frames of all clips together.
    pub fn frames(&self) -> u64 {
        match self.vertex_frames {
            Some((frames, _)) => as_u64(frames),
            None => self.clips.iter().map(|clip| u64::from(clip.frames)).fold(0, u64::saturating_add),
        }
    }

    /// Reads the fields that only the JSON output contains, and returns the first error in them.
    fn rehearse(&self, asset: &InputAsset) -> crate::Result<()> {
        let mut nowhere = std::io::sink();
        let mut out = JsonWriter::compact(&mut nowhere);
        // Writing to a sink cannot fail.
        let _ = self.write_surfaces(asset, &mut out);
        let _ = self.write_properties(asset, &mut out, |_| ());
        out.fault.take().map_or(Ok(()), Err)
    }

    /// Adds the path of the mesh that the animation moves to the description, if such a mesh is on
    /// the command line.
    pub fn add_mesh(&mut self, skeletons: &Skeletons) {
        let Some(fit) = skeletons.fit(&self.bones) else { return };
        self.remarks.push(("moves", fit.in_words()));
    }

    /// Describes a Second Life file, whose compressed blocks are inflated only if `--lod` selects
    /// them.
    fn of_blocks(asset: &InputAsset, mut survey: Self, request: &SummaryRequest) -> crate::Result<Self> {
        asset.findings(false, false, &mut |finding| survey.findings.push(finding))?;
        asset.check()?;
        let geometry = asset.model.geometry();
        let levels = match request.levels {
            LodFilter::One(_) if request.replaces_damaged => Some(LevelChoice::Best),
            LodFilter::One(number) => only_level(asset.model.contents(), number.lod()),
            LodFilter::All => Some(LevelChoice::Scenes),
            LodFilter::None => None,
        };
        // An error in a level of detail is a finding.
        let placed =
            levels.and_then(|levels| PlacedBounds::of(asset.model.contents(), geometry, levels).ok().flatten());
        let drawn_bounds = placed.map_or_else(|| drawn_bounds(&survey.surfaces), |placed| placed.bounds);
        let unchanged = request.placed.then(|| PlacedBounds::unchanged(drawn_bounds, &geometry.space()));
        Ok(Self { drawn_bounds, placed: placed.or(unchanged), ..survey }.in_format(geometry))
    }
}

/// Returns the bounds of the surfaces that are drawn.
fn drawn_bounds(surfaces: &[SurfaceSummary]) -> Bounds {
    let drawn = surfaces.iter().filter(|surface| surface.drawn);
    drawn.fold(Bounds::EMPTY, |sum, surface| sum.union(&surface.bounds))
}

fn summarize_surface(
    file: &dyn MeshFile<Data = Data>,
    surface: &Surface<'_>,
    shares: bool,
    is_header_only: bool,
    gpu: &mut GpuCounter<'_>,
    read: &mut dyn FnMut(usize),
) -> crate::Result<SurfaceSummary> {
    let index = surface.index();
    let bounds = file.surface_bounds_in_steps(index, read);
    let name = surface.name()?;
    let (counts, is_whole) = counts(file, surface, is_header_only)?;
    let shortened = name.as_bytes().get(..MAX_NAME_BYTES).filter(|_| file.surfaces_share_names());
    let shown = Name::new(shortened.unwrap_or(name.as_bytes()));
    Ok(SurfaceSummary {
        index,
        lod: None,
        is_counted: true,
        name: shown.to_string_lossy(),
        shares,
        material: surface.material()?.map(|material| material.to_string_lossy()),
        bounds: value_or(file.has_independent_parts(), bounds, Bounds::EMPTY)?,
        counts,
        colors_are_data: surface.colors_are_data(),
        is_whole,
        gpu: if is_whole { gpu.size(surface, &counts, shares) } else { None },
        drawn: surface.is_drawn()?,
        style: file.style_in_words(index)?,
        in_block: None,
    })
}

fn bones(animations: &dyn Animations, is_partial: bool) -> crate::Result<Vec<(String, i32)>> {
    let bones = (0..animations.bone_count()?).map(|bone| {
        let bone = animations.bone(bone).map(|bone| (bone.name.to_string_lossy(), bone.parent));
        value_or(is_partial, bone, (String::new(), -1))
    });
    bones.collect()
}

/// Returns the numbers of vertices, triangles and other elements of a surface, and whether these
/// numbers are complete.
///
/// If the compressed block of the surface is not inflated, the numbers are read from the header and
/// are incomplete.
fn counts(
    file: &dyn MeshFile<Data = Data>,
    surface: &Surface<'_>,
    is_header_only: bool,
) -> crate::Result<(Counts, bool)> {
    let counts =
        if is_header_only { None } else { value_or(file.has_independent_parts(), surface.counts().map(Some), None)? };
    if let Some(counts) = counts {
        return Ok((counts, true));
    }
    let counts = file.header_counts(surface.index())?;
    Ok((counts.unwrap_or_default(), counts.is_none()))
}
