//! The trait of facts that are specific to one format and that the commands need.

use std::io::Write;

use meshpeek::model::{Counts, Transform};
use meshpeek::unreal::companions::Pair;
use meshpeek::{Error, Finding, Geometry, Surface};
use serde_json::{Value, json};

use super::sample::SampleKind;
use super::secondlife::level_args::{LevelArgs, LodFilter, LodLevel};
use super::summary::BlockSurvey;
use super::unigine::block_args::BlockStorage;
use super::unreal::frame_args::FrameArgs;
use crate::args::Attribute;
use crate::render::values::Values;

/// The attribute, surface and options for which `dump` requests values.
pub struct DumpRequest<'a> {
    pub surface: usize,
    pub attribute: Attribute,
    pub raw: bool,
    pub frame: &'a FrameArgs,
    pub level: &'a LevelArgs,
}

/// Limits on the surfaces that `info` lists, for files in which a surface takes almost no bytes.
#[derive(Clone, Copy, Debug)]
pub struct ListLimits {
    pub surfaces: usize,
    /// The maximum number of bytes of a surface name that are listed.
    pub name_bytes: usize,
}

/// The endings of the file names of a mesh that consists of two files and a script.
#[derive(Clone, Copy, Debug)]
pub struct PairEndings {
    pub data: &'static str,
    pub aniv: &'static str,
    pub script: &'static str,
}

/// One level of detail, written as a separate file.
pub struct LevelFile {
    pub level: &'static str,
    pub bytes: Vec<u8>,
    /// The skin or collision shapes that could not be copied, each as an error with the reason.
    pub left_out: Vec<Error>,
}

/// The facts that are specific to one format. The default methods are for formats without the
/// corresponding feature.
pub trait FormatFacts {
    /// Returns the type of generated mesh that is most similar to this mesh.
    fn sample(&self) -> SampleKind;

    /// Returns the `properties` object of `info`. `pair` contains the paths of a mesh that consists
    /// of several files.
    fn properties(&self, pair: Option<&Pair>) -> meshpeek::Result<Value>;

    /// Returns the JSON fields of a surface that only this format has.
    fn surface_properties(&self, _surface: usize) -> meshpeek::Result<Value> {
        Ok(json!({}))
    }

    /// Returns a text that describes how renderers draw a surface.
    fn drawing_style(&self, _surface: usize) -> meshpeek::Result<String> {
        Ok(String::new())
    }

    /// Returns additional lines that `info` prints: a heading and a text for each line.
    fn remarks(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the number of vertex frames, and the number of vertices in each vertex frame.
    fn vertex_frames(&self) -> Option<(usize, usize)> {
        None
    }

    /// Returns whether the file contains animations and no surface.
    fn is_animation(&self) -> bool {
        false
    }

    /// Returns whether a surface has the same vertices as the surface before it.
    fn shares_vertices(&self, _surface: usize) -> bool {
        false
    }

    /// Returns the maximum number of surfaces that `info` lists, and the maximum length of their
    /// names.
    fn list_limits(&self) -> ListLimits {
        ListLimits { surfaces: usize::MAX, name_bytes: usize::MAX }
    }

    /// Returns the formats, as they are named in errors, in which the rest of the file stays
    /// readable if one block is damaged.
    fn independent_parts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Checks only the header of the file. Returns `None` for formats in which surfaces are not
    /// compressed blocks.
    fn check_header(&self) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns the counts of a surface from the header of its compressed block. Returns `None` for
    /// formats in which surfaces are not compressed blocks.
    fn header_counts(&self, _surface: &Surface<'_>) -> Option<meshpeek::Result<Counts>> {
        None
    }

    /// Describes a file whose compressed blocks are inflated on request. Returns `None` for other
    /// formats.
    fn survey_blocks(&self, _levels: LodFilter) -> Option<BlockSurvey> {
        None
    }

    /// Returns the number of assets in the file.
    fn asset_count(&self) -> usize {
        1
    }

    /// Returns the level of detail that the options choose, or `None` for formats without levels of
    /// detail.
    fn level(&self, _options: &LevelArgs) -> meshpeek::Result<Option<Box<dyn Geometry + '_>>> {
        Ok(None)
    }

    /// Extracts one level of detail. Returns `None` for formats without levels of detail.
    fn extract_level(&self, _level: LodLevel, _nearest: bool) -> Option<meshpeek::Result<LevelFile>> {
        None
    }

    /// Returns the values of an attribute that only this format has, or `None` if every format may
    /// have the attribute.
    fn values(&self, _request: &DumpRequest<'_>) -> anyhow::Result<Option<Box<dyn Values + '_>>> {
        Ok(None)
    }

    /// Writes the texture coordinates in the format of the published listing. Returns `None` for
    /// formats other than Unreal.
    fn write_uv_listing(&self, _out: &mut dyn Write) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns whether the file may have bone animations whose frames can be read by their number.
    fn has_bone_animations(&self) -> bool {
        false
    }

    /// Returns whether the file has animation tracks but no skeleton.
    fn has_tracks_only(&self) -> bool {
        false
    }

    /// Returns the transform of every animation track at a whole frame, for a file without a
    /// skeleton.
    fn track_pose(&self, _clip: usize, _frame: usize) -> meshpeek::Result<Vec<(String, Transform)>> {
        Ok(Vec::new())
    }

    /// Reports the findings of the mesh without the findings of its script. Returns `None` for
    /// formats without scripts.
    fn mesh_findings(&self, _values: bool, _report: &mut dyn FnMut(Finding)) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns the rules about data that the writer writes in a different encoding.
    fn respelled_rules(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the rules about data that the writer does not write.
    fn dropped_rules(&self) -> &'static [&'static str] {
        &[]
    }

    /// Writes the file, with its blocks compressed or stored as `storage` requires. Returns `None`
    /// if the file has no compressed blocks.
    fn write_blocks(&self, _storage: BlockStorage, _out: &mut dyn Write) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns the endings of the names of the two files of a mesh, or `None` if a mesh of this
    /// format is a single file.
    fn pair_endings(&self) -> Option<PairEndings> {
        None
    }

    /// Returns a script for this mesh, in which the mesh has a new name.
    fn script_named(&self, _stem: &str) -> meshpeek::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// The facts of a model whose format has no specific facts in the program.
pub struct NoFacts;

impl FormatFacts for NoFacts {
    fn sample(&self) -> SampleKind {
        SampleKind::UnigineStatic
    }

    fn properties(&self, _pair: Option<&Pair>) -> meshpeek::Result<Value> {
        Ok(json!({}))
    }
}
