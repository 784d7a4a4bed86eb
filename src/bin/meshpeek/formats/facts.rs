//! The trait [`FormatFacts`], through which the commands access format-specific properties of a
//! mesh.

use std::io::{self, Write};

use meshpeek::model::{Counts, Transform};
use meshpeek::unreal::companions::Pair;
use meshpeek::{Bounds, Error, Finding, Geometry, Surface};
use serde_json::{Value, json};

use super::sample::SampleKind;
use super::secondlife::level_args::{LevelArgs, LodFilter, LodLevel};
use super::summary::{BlockSurvey, DescribedBlocks};
use super::unigine::block_args::BlockStorage;
use super::unreal::frame_args::FrameArgs;
use crate::args::Attribute;
use crate::render::json_writer::JsonWriter;
use crate::render::values::Values;

/// The parameters of a `dump` command: the attribute, the surface and the options.
pub struct DumpRequest<'a> {
    pub surface: usize,
    pub attribute: Attribute,
    pub raw: bool,
    pub frame: &'a FrameArgs,
    pub level: &'a LevelArgs,
}

/// The greatest number of surfaces that `info` prints, and the greatest length of their names. The
/// number of surfaces and the length of their names are limited because a surface may take almost
/// no bytes in a file.
#[derive(Clone, Copy, Debug)]
pub struct ListLimits {
    pub surfaces: usize,
    /// The greatest number of bytes of a surface name that `info` prints.
    pub name_bytes: usize,
}

/// The endings of the file names of an Unreal mesh, such as `_d.3d`. An Unreal mesh consists of a
/// data file, an aniv file and a script.
#[derive(Clone, Copy, Debug)]
pub struct PairEndings {
    pub data: &'static str,
    pub aniv: &'static str,
    pub script: &'static str,
}

/// One level of detail of a mesh, encoded as a separate mesh file.
pub struct LevelFile {
    pub level: &'static str,
    pub bytes: Vec<u8>,
    /// One error for each skin or collision shape that could not be copied to the new file. Each
    /// error in `left_out` contains the reason why the skin or collision shape could not be copied.
    pub left_out: Vec<Error>,
}

/// The format-specific properties of an open mesh. Each method has a default implementation for
/// formats that lack the feature that the method is about, such as levels of detail.
pub trait FormatFacts {
    /// Returns the type of mesh for `bench` to generate that is most similar to this mesh.
    fn sample(&self) -> SampleKind;

    /// Returns whether `info` prints an object `properties` for the file. If the result is `false`,
    /// `properties` is `null`.
    fn has_properties(&self) -> bool {
        true
    }

    /// Writes the fields of the JSON object `properties` that `info` prints for the file. `pair`
    /// contains the paths of the files of an Unreal mesh. `blocks` has the compressed blocks that
    /// [`survey_blocks`](Self::survey_blocks) described.
    fn write_properties(
        &self,
        pair: Option<&Pair>,
        blocks: &DescribedBlocks<'_>,
        out: &mut JsonWriter<'_>,
    ) -> io::Result<()>;

    /// Returns a JSON object with the fields of a surface that exist only in this format.
    fn surface_properties(&self, _surface: usize) -> meshpeek::Result<Value> {
        Ok(json!({}))
    }

    /// Returns the bounding box of the file, and calls `read` with the number of bytes of memory
    /// pages that were read since the last call. Returns `None` for formats whose bounding boxes
    /// are stored in the file or are small to compute.
    fn bounds_in_steps(&self, _read: &mut dyn FnMut(usize)) -> Option<meshpeek::Result<Bounds>> {
        None
    }

    /// Returns the bounding box of a surface, and calls `read` like
    /// [`bounds_in_steps`](Self::bounds_in_steps).
    fn surface_bounds_in_steps(
        &self,
        _surface: usize,
        _read: &mut dyn FnMut(usize),
    ) -> Option<meshpeek::Result<Bounds>> {
        None
    }

    /// Returns a text that describes how renderers draw a surface.
    fn drawing_style(&self, _surface: usize) -> meshpeek::Result<String> {
        Ok(String::new())
    }

    /// Returns additional lines for the text output of `info`. Each line has a heading and a text.
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

    /// Returns whether a surface shares its vertices with the previous surface.
    fn shares_vertices(&self, _surface: usize) -> bool {
        false
    }

    /// Returns the maximum number of surfaces that `info` lists, and the maximum length of their
    /// names.
    fn list_limits(&self) -> ListLimits {
        ListLimits { surfaces: usize::MAX, name_bytes: usize::MAX }
    }

    /// Returns the names of the formats, as in [`Error::format`], whose files remain readable
    /// except for a damaged block.
    fn independent_parts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Checks only the header of the file. Returns `None` for formats whose surfaces are not stored
    /// in compressed blocks.
    fn check_header(&self) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns the numbers of vertices and triangles of a surface from the file header, without
    /// inflating the surface. Returns `None` for formats whose surfaces are not stored in
    /// compressed blocks.
    fn header_counts(&self, _surface: &Surface<'_>) -> Option<meshpeek::Result<Counts>> {
        None
    }

    /// Describes a Second Life file, and inflates only the blocks that `levels` selects. Returns
    /// `None` for other formats.
    fn survey_blocks(&self, _levels: LodFilter) -> Option<BlockSurvey> {
        None
    }

    /// Returns the number of assets in the file, which is greater than 1 only for Second Life
    /// containers.
    fn asset_count(&self) -> usize {
        1
    }

    /// Returns the geometry of the level of detail that the options choose, or `None` for formats
    /// without levels of detail.
    fn level(&self, _options: &LevelArgs) -> meshpeek::Result<Option<Box<dyn Geometry + '_>>> {
        Ok(None)
    }

    /// Encodes one level of detail as a separate mesh file. Returns `None` for formats without
    /// levels of detail.
    fn extract_level(&self, _level: LodLevel, _nearest: bool) -> Option<meshpeek::Result<LevelFile>> {
        None
    }

    /// Returns the values of an attribute that only this format has, or `None` if the attribute is
    /// not specific to this format.
    fn values(&self, _request: &DumpRequest<'_>) -> anyhow::Result<Option<Box<dyn Values + '_>>> {
        Ok(None)
    }

    /// Writes the texture coordinates of an Unreal mesh as text, for the option `--uv-listing`.
    /// Returns `None` for formats other than Unreal.
    fn write_uv_listing(&self, _out: &mut dyn Write) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns whether the format supports bone animations whose frames can be read by their index.
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

    /// Passes the findings about an Unreal mesh, without the findings about its script, to
    /// `report`. Returns `None` for formats without scripts.
    fn mesh_findings(&self, _values: bool, _report: &mut dyn FnMut(Finding)) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns the ids of the rules about data whose encoding the writer of this format changes
    /// when it writes a file again.
    fn respelled_rules(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether a finding is about data that the writer of this format leaves out when it
    /// writes a file again.
    fn is_dropped(&self, _finding: &Finding) -> bool {
        false
    }

    /// Returns whether the writer formats the whole file again, as it does for text. If it does
    /// not, a rewritten file without listed changes is equal to the original file, byte for byte.
    fn is_formatted_again(&self) -> bool {
        false
    }

    /// Writes the file again, with its blocks compressed or uncompressed as `storage` selects.
    /// Returns `None` if the format of the file has no compressed blocks.
    fn write_blocks(&self, _storage: BlockStorage, _out: &mut dyn Write) -> Option<meshpeek::Result<()>> {
        None
    }

    /// Returns the endings of the names of the two files of a mesh, or `None` if a mesh of this
    /// format is a single file.
    fn pair_endings(&self) -> Option<PairEndings> {
        None
    }

    /// Returns the text of an Unreal script that imports this mesh under a new name.
    fn script_named(&self, _stem: &str) -> meshpeek::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// The [`FormatFacts`] of a model for whose format the program has no specific implementation.
pub struct NoFacts;

impl FormatFacts for NoFacts {
    fn sample(&self) -> SampleKind {
        SampleKind::UnigineStatic
    }

    fn write_properties(
        &self,
        _pair: Option<&Pair>,
        _blocks: &DescribedBlocks<'_>,
        _out: &mut JsonWriter<'_>,
    ) -> io::Result<()> {
        Ok(())
    }
}
