//! The description of a file that `info` prints.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::array::Sphere;
use crate::formats::FormatFile;
use crate::formats::unigine::Mesh;
use crate::model::Counts;
use crate::{Animations, Bounds, Clip, Finding, Model, Name, Surface};

use super::skeletons::Skeletons;
use crate::program::formats::ezmesh::properties::{MAX_LISTED, MAX_NAME_BYTES};
use crate::program::formats::facts::remarks;
use crate::program::formats::secondlife::level_args::LodFilter;
use crate::program::formats::secondlife::survey::AssetSurvey;
use crate::program::formats::summary::{BlockSurvey, DescribedBlocks, SurfaceSummary};
use crate::program::formats::unreal::properties::drawing_style;
use crate::program::input::asset::InputAsset;
use crate::program::input::bytes::Data;
use crate::program::render::json_writer::JsonWriter;

/// The number of bytes of a mapped file that are read before the memory of its pages is released. A
/// sparse file may be larger than the memory.
const RELEASE_AFTER: usize = 256 << 20;
/// The formats, as in [`Error::format`](crate::Error::format), whose files remain readable
/// except for a damaged block.
const INDEPENDENT_PARTS: [&str; 3] = ["unigine ms14", "unigine ms15", "ezmesh"];

/// The description of a file. It borrows nothing from the file. The fields that only the JSON
/// output contains are not part of it, because they may be large. They are read from the file while
/// they are printed.
pub struct FileSummary {
    pub format: &'static str,
    pub version: &'static str,
    pub bytes: u64,
    pub touched: u64,
    pub bounds: Bounds,
    pub sphere: Option<Sphere>,
    pub bones: Vec<(String, i32)>,
    /// The number of vertex frames, and the number of vertices in each vertex frame.
    pub vertex_frames: Option<(usize, usize)>,
    /// Whether the file contains animations and no surface.
    pub is_animation: bool,
    /// Additional lines of the text output of `info`. Each line has a heading and a text.
    pub remarks: Vec<(&'static str, String)>,
    pub described: DescribedBlocks,
    pub surfaces: Vec<SurfaceSummary>,
    /// The number of surfaces that `info` does not print, because the file contains more surfaces
    /// than `info` prints at most.
    pub left_out: usize,
    pub clips: Vec<ClipSummary>,
    pub findings: Vec<Finding>,
    /// The paths of the files that the findings refer to, if the mesh consists of several files.
    pub files: Vec<PathBuf>,
}

/// The description of an animation.
pub struct ClipSummary {
    pub name: String,
    pub frames: u32,
    pub bones: u32,
    pub rate: Option<f32>,
}

impl FileSummary {
    /// Describes a file, with at most `max_surfaces` of its surfaces. If `in_full` is true, the
    /// fields that only the JSON output contains are also read. An error in them is therefore
    /// returned before anything is printed.
    pub fn of(asset: &InputAsset, levels: LodFilter, max_surfaces: usize, in_full: bool) -> crate::Result<Self> {
        if let FormatFile::SecondLife(mesh) = asset.model.format_file() {
            return Self::of_blocks(asset, AssetSurvey::of(mesh, levels));
        }
        let geometry = asset.model.geometry()?;
        let mut findings = Vec::new();
        // With the option `--lod none`, only the header of a compressed file is described.
        let header = header_of(&asset.model).filter(|_| levels == LodFilter::None);
        if let Some(header) = header {
            findings.extend(header.end().err().as_ref().and_then(crate::finding));
        } else {
            // For each array or block of the file that cannot be read, a finding is added to the
            // description, and the other arrays and blocks are still described.
            let surveyed = asset.findings(false, false, &mut |finding| findings.push(finding));
            value_or(surveyed, ())?;
        }
        let max_surfaces = if is_ezmesh(&asset.model) { MAX_LISTED.min(max_surfaces) } else { max_surfaces };
        let surfaces = Surface::all(geometry)?.take(max_surfaces);
        let mut unreleased = 0_usize;
        let mut read = |bytes: usize| {
            unreleased = unreleased.saturating_add(bytes);
            if unreleased >= RELEASE_AFTER {
                asset.release();
                unreleased = 0;
            }
        };
        let bounds = match asset.model.format_file() {
            FormatFile::EzMesh(mesh) => mesh.bounds_in_steps(&mut read),
            _ => geometry.bounds(),
        };
        let bounds = value_or(bounds, Bounds::EMPTY)?;
        let mut pools = BTreeSet::new();
        let surfaces = surfaces.map(|surface| {
            let shares = !pools.insert(surface.vertex_pool()?);
            summarize_surface(&asset.model, &surface, shares, header.is_some(), &mut read)
        });
        let mut summary = Self {
            format: geometry.format(),
            version: geometry.version(),
            bytes: asset.size(),
            touched: 0,
            bounds,
            sphere: geometry.sphere()?,
            vertex_frames: match asset.model.format_file() {
                FormatFile::Unreal(mesh) => Some((mesh.frame_count(), mesh.vertex_count())),
                _ => None,
            },
            bones: bones(asset.model.animations()?)?,
            is_animation: matches!(asset.model.format_file(), FormatFile::UnigineAnimation(_)),
            remarks: if in_full { Vec::new() } else { remarks(&asset.model) },
            described: DescribedBlocks { blocks: Vec::new(), levels, left_out: [0, 0, 0] },
            surfaces: surfaces.collect::<crate::Result<_>>()?,
            left_out: geometry.surface_count()?.saturating_sub(max_surfaces),
            clips: clips(asset.model.animations()?)?,
            findings,
            files: asset.files(),
        };
        if in_full {
            summary.rehearse(asset)?;
        }
        summary.touched = asset.model.file().touched_bytes().unwrap_or_default();
        asset.check()?;
        Ok(summary)
    }

    /// Reads the fields that only the JSON output contains, and returns the first error in them.
    fn rehearse(&self, asset: &InputAsset) -> crate::Result<()> {
        let mut nowhere = std::io::sink();
        let mut out = JsonWriter::compact(&mut nowhere);
        // Writing to a sink cannot fail.
        let _ = self.write_surfaces(asset, &mut out);
        let _ = self.write_properties(asset, &mut out, |_| ());
        out.take_fault().map_or(Ok(()), Err)
    }

    /// Adds the path of the mesh that the animation moves to the description, if such a mesh is on
    /// the command line.
    pub fn add_mesh(&mut self, skeletons: &Skeletons) {
        let Some(fit) = skeletons.fit(&self.bones) else { return };
        self.remarks.push(("moves", fit.in_words()));
    }

    /// Describes a Second Life file, whose compressed blocks are inflated only if `--lod` selects
    /// them.
    fn of_blocks(asset: &InputAsset, survey: BlockSurvey) -> crate::Result<Self> {
        let BlockSurvey { described, surfaces, bones, bounds, mut findings, touched } = survey;
        asset.findings(false, false, &mut |finding| findings.push(finding))?;
        asset.check()?;
        let geometry = asset.model.geometry()?;
        Ok(Self {
            format: geometry.format(),
            version: geometry.version(),
            bytes: asset.size(),
            touched,
            bounds,
            sphere: None,
            bones,
            vertex_frames: None,
            is_animation: false,
            remarks: Vec::new(),
            described,
            surfaces,
            left_out: 0,
            clips: Vec::new(),
            findings,
            files: Vec::new(),
        })
    }
}

/// Returns the mesh if its surfaces are stored in compressed blocks, which its header describes.
fn header_of(model: &Model<Data>) -> Option<&Mesh<Data>> {
    match model.format_file() {
        FormatFile::Unigine(mesh) if mesh.generation().is_compressed() => Some(mesh),
        _ => None,
    }
}

const fn is_ezmesh(model: &Model<Data>) -> bool {
    matches!(model.format_file(), FormatFile::EzMesh(_))
}

fn summarize_surface(
    model: &Model<Data>,
    surface: &Surface<'_>,
    shares: bool,
    is_header_only: bool,
    read: &mut dyn FnMut(usize),
) -> crate::Result<SurfaceSummary> {
    let index = surface.index();
    let bounds = match model.format_file() {
        FormatFile::EzMesh(mesh) => mesh.surface_bounds_in_steps(index, read),
        _ => surface.bounds(),
    };
    let name = surface.name()?;
    let (counts, is_whole) = counts(model, surface, is_header_only)?;
    let shortened = name.as_bytes().get(..MAX_NAME_BYTES).filter(|_| is_ezmesh(model));
    let shown = Name::new(shortened.unwrap_or(name.as_bytes()));
    Ok(SurfaceSummary {
        index,
        lod: None,
        name: shown.to_string_lossy(),
        shares,
        material: surface.material()?.map(|material| material.to_string_lossy()),
        bounds: value_or(bounds, Bounds::EMPTY)?,
        counts,
        is_whole,
        drawn: surface.is_drawn()?,
        style: match model.format_file() {
            FormatFile::Unreal(mesh) => drawing_style(mesh, index)?,
            _ => String::new(),
        },
        in_block: None,
    })
}

fn bones(animations: &dyn Animations) -> crate::Result<Vec<(String, i32)>> {
    let bones = (0..animations.bone_count()?).map(|bone| {
        let bone = animations.bone(bone).map(|bone| (bone.name.to_string_lossy(), bone.parent));
        value_or(bone, (String::new(), -1))
    });
    bones.collect()
}

fn clips(animations: &dyn Animations) -> crate::Result<Vec<ClipSummary>> {
    let clips = (0..animations.clip_count()?).map(|clip| {
        let empty = Clip { name: Name::default(), frames: 0, bones: 0, rate: None, first_vertex_frame: None };
        let Clip { name, frames, bones, rate, .. } = value_or(animations.clip(clip), empty)?;
        Ok(ClipSummary { name: name.to_string_lossy(), frames, bones, rate })
    });
    clips.collect()
}

/// Returns the numbers of vertices, triangles and other elements of a surface, and whether these
/// numbers are complete.
///
/// If the compressed block of the surface is not inflated, the numbers are read from the header and
/// are incomplete.
fn counts(model: &Model<Data>, surface: &Surface<'_>, is_header_only: bool) -> crate::Result<(Counts, bool)> {
    let counts = if is_header_only { None } else { value_or(surface.counts().map(Some), None)? };
    match counts {
        Some(counts) => Ok((counts, true)),
        None => match header_of(model) {
            Some(header) => Ok((header.header_counts(surface.index())?.unwrap_or_default(), false)),
            None => Ok((Counts::default(), true)),
        },
    }
}

/// Returns the value of `result`. If `result` is an error that does not prevent reading the other
/// parts of the file, returns `otherwise`, and the `validate` command reports the error as a
/// finding.
fn value_or<T>(result: crate::Result<T>, otherwise: T) -> crate::Result<T> {
    match result {
        Err(error) if INDEPENDENT_PARTS.contains(&error.format()) && crate::finding(&error).is_some() => Ok(otherwise),
        result => result,
    }
}
