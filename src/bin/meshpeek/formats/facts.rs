//! What the commands ask of a format beyond the neutral view.

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

/// What `dump` is to print.
pub struct DumpRequest<'a> {
    pub surface: usize,
    pub attribute: Attribute,
    pub raw: bool,
    pub frame: &'a FrameArgs,
    pub level: &'a LevelArgs,
}

/// How much `info` lists of a file whose surfaces take next to no bytes.
#[derive(Clone, Copy, Debug)]
pub struct ListLimits {
    pub surfaces: usize,
    /// Bytes of a surface's name.
    pub name_bytes: usize,
}

/// The ends of the names of a mesh that is a pair of files and a script.
#[derive(Clone, Copy, Debug)]
pub struct PairEndings {
    pub data: &'static str,
    pub aniv: &'static str,
    pub script: &'static str,
}

/// One level of detail as a file.
pub struct LevelFile {
    pub level: &'static str,
    pub bytes: Vec<u8>,
    /// Parts that could not be copied, and why.
    pub left_out: Vec<Error>,
}

/// The facts of one format that no other format has. Every default is that of a format without the feature.
pub trait FormatFacts {
    /// Returns the kind of generated mesh that is most like this one.
    fn sample(&self) -> SampleKind;

    /// Returns the `properties` of `info`. `pair` names the files of a mesh that has several.
    fn properties(&self, pair: Option<&Pair>) -> meshpeek::Result<Value>;

    /// Returns the fields of a surface that only this format has.
    fn surface_properties(&self, _surface: usize) -> meshpeek::Result<Value> {
        Ok(json!({}))
    }

    /// Returns how a surface is drawn, in words.
    fn drawing_style(&self, _surface: usize) -> meshpeek::Result<String> {
        Ok(String::new())
    }

    /// Returns further lines of `info`: a heading and a text each.
    fn remarks(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the number of vertex frames, and of vertices in each.
    fn vertex_frames(&self) -> Option<(usize, usize)> {
        None
    }

    /// Returns whether this is an animation without any surface.
    fn is_animation(&self) -> bool {
        false
    }

    /// Returns whether a surface has the vertices of the one before it.
    fn shares_vertices(&self, _surface: usize) -> bool {
        false
    }

    /// Returns how many surfaces `info` lists, and how much of their names.
    fn list_limits(&self) -> ListLimits {
        ListLimits { surfaces: usize::MAX, name_bytes: usize::MAX }
    }

    /// Returns the names in errors of formats of which a damaged part leaves the other parts readable.
    fn independent_parts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Checks the header alone, if surfaces are compressed blocks; `None` in other formats.
    fn check_header(&self) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Counts what a surface has from the header alone, if surfaces are compressed blocks; `None` in other formats.
    fn header_counts(&self, _surface: &Surface<'_>) -> Option<meshpeek::Result<Counts>> {
        None
    }

    /// Describes a file whose blocks are inflated on request; `None` in other formats.
    fn survey_blocks(&self, _levels: LodFilter) -> Option<BlockSurvey> {
        None
    }

    /// Returns the number of assets in the file.
    fn asset_count(&self) -> usize {
        1
    }

    /// Returns the level of detail that the options choose; `None` in formats without levels.
    fn level(&self, _options: &LevelArgs) -> meshpeek::Result<Option<Box<dyn Geometry + '_>>> {
        Ok(None)
    }

    /// Extracts a level of detail; `None` in formats without levels.
    fn extract_level(&self, _level: LodLevel, _nearest: bool) -> Option<meshpeek::Result<LevelFile>> {
        None
    }

    /// Locates or computes values that only this format has; `None` if the neutral view has the attribute.
    fn values(&self, _request: &DumpRequest<'_>) -> anyhow::Result<Option<Box<dyn Values + '_>>> {
        Ok(None)
    }

    /// Writes the published listing of texture coordinates; `None` in other formats.
    fn write_uv_listing(&self, _out: &mut dyn Write) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns whether the file may have animations of bones, read by frames.
    fn has_bone_animations(&self) -> bool {
        false
    }

    /// Returns whether animations are tracks of a file that has no skeleton.
    fn has_tracks_only(&self) -> bool {
        false
    }

    /// Returns every track of an animation at a whole frame, if there are tracks without a skeleton.
    fn track_pose(&self, _clip: usize, _frame: usize) -> meshpeek::Result<Vec<(String, Transform)>> {
        Ok(Vec::new())
    }

    /// Reports the findings of the mesh without those of its script; `None` in formats without scripts.
    fn mesh_findings(&self, _values: bool, _report: &mut dyn FnMut(Finding)) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns the rules whose findings tell what the writer spells differently.
    fn respelled_rules(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the rules whose findings tell what the writer leaves out.
    fn dropped_rules(&self) -> &'static [&'static str] {
        &[]
    }

    /// Writes the file with its blocks stored in another way; `None` if it has no blocks.
    fn write_blocks(&self, _storage: BlockStorage, _out: &mut dyn Write) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns how the files of a pair are named; `None` in formats of one file.
    fn pair_endings(&self) -> Option<PairEndings> {
        None
    }

    /// Returns a script for the mesh under a new name.
    fn script_named(&self, _stem: &str) -> meshpeek::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// The facts of a model of a format that the program does not know.
pub struct NoFacts;

impl FormatFacts for NoFacts {
    fn sample(&self) -> SampleKind {
        SampleKind::UnigineStatic
    }

    fn properties(&self, _pair: Option<&Pair>) -> meshpeek::Result<Value> {
        Ok(json!({}))
    }
}
