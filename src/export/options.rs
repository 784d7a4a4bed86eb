//! The options of an export.

use super::source::SourceFacts;
use crate::parse::option_setters;
use crate::scene::{Adjustment, ColorUse, LevelChoice, NormalChoice, OutputSpace, SceneOptions};

/// The glTF extension that declares compressed buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `EXT_meshopt_compression`.
    Ext,
    /// `KHR_meshopt_compression`.
    Khr,
}

/// The rates of clips that are exported, in frames per second. With another rate, the times of
/// frames could be infinite or equal.
pub(crate) const RATES: std::ops::RangeInclusive<f32> = 1e-6..=1e6;

/// The rate of clips if neither the file nor the program has one in [`RATES`].
const DEFAULT_RATE: f32 = 30.0;

/// Returns the rate of a clip: the stored one if it is in [`RATES`], or else the assumed one. Also
/// returns whether it is the stored one.
pub(crate) fn clip_rate(stored: Option<f32>, assumed: f32) -> (f32, bool) {
    let valid = |rate: &f32| RATES.contains(rate);
    match stored.filter(valid) {
        Some(stored) => (stored, true),
        None => (Some(assumed).filter(valid).unwrap_or(DEFAULT_RATE), false),
    }
}

/// The options of an [`Export`](super::Export).
///
/// The default exports all assets of the file and all of their visible surfaces, at the most
/// detailed level, with all clips, in the conventions of the output format.
///
/// ```
/// use meshpeek::export::{ExportOptions, LevelChoice};
/// let options = ExportOptions::default().with_levels(LevelChoice::One(1)).with_allow_loss(true);
/// assert_eq!((options.levels, options.asset), (LevelChoice::One(1), None));
/// ```
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent options")]
#[non_exhaustive]
pub struct ExportOptions {
    /// The index of the only asset to export, or `None` for all assets.
    pub asset: Option<usize>,
    /// The indices of the surfaces to export, in file order, or `None` for all visible surfaces.
    pub surfaces: Option<Vec<usize>>,
    /// The levels of detail to export.
    pub levels: LevelChoice,
    /// The index of the only clip to export, or `None` for all clips.
    pub clip: Option<usize>,
    /// The animation frame whose shape is exported, without animations, or `None` for the base
    /// shape with animations. A fraction is a moment between two frames. The frame belongs to
    /// `clip`, or else to the first clip; without a clip, it is the index of a vertex frame.
    pub frame: Option<f32>,
    /// How vertex colours are used.
    pub(crate) colors: ColorUse,
    /// The rate of clips for which the file stores no rate, in frames per second: 30 by default.
    pub rate: f32,
    /// The normals that are exported, or `None` for stored ones, and for computed ones of surfaces
    /// without stored ones.
    pub normals: Option<NormalChoice>,
    /// The coordinate conventions of the output.
    pub space: OutputSpace,
    /// How the placed mesh is turned and scaled.
    pub(crate) adjustment: Adjustment,
    /// Whether quantized integers are copied as they are stored, where glTF can hold them.
    pub quantized: bool,
    /// The extension for compressed buffers, or `None` for no compression.
    pub compression: Option<Compression>,
    /// Whether collision shapes are exported.
    pub hulls: bool,
    /// Whether data that the output format could hold may be left out, such as triangles with an
    /// index that is out of range. What a format can never hold is left out without it.
    pub allow_loss: bool,
    /// The greatest size of a `.bin` file of a `.gltf` file, in bytes: 4 GiB - 4 by default. A
    /// single larger array still has a file of its own.
    pub split: u64,
    /// The greatest size of a file of the output, in bytes. A larger one is the error
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) with the name `output`. In glTF, all arrays
    /// count together, each node, mesh, accessor, buffer view, channel and event as 256 bytes, and
    /// each surface as 1,024. There is no limit by default.
    pub max_bytes: u64,
    /// What the output states about the mesh file.
    pub source: SourceFacts,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            asset: None,
            surfaces: None,
            levels: LevelChoice::Best,
            clip: None,
            frame: None,
            colors: ColorUse::default(),
            rate: DEFAULT_RATE,
            normals: None,
            space: OutputSpace::Target,
            adjustment: Adjustment::default(),
            quantized: false,
            compression: None,
            hulls: false,
            allow_loss: false,
            split: 0xFFFF_FFFC,
            max_bytes: u64::MAX,
            source: SourceFacts::default(),
        }
    }
}

impl ExportOptions {
    option_setters! {
        with_asset(asset: Option<usize>);
        with_surfaces(surfaces: Option<Vec<usize>>);
        with_levels(levels: LevelChoice);
        with_clip(clip: Option<usize>);
        with_frame(frame: Option<f32>);
        with_rate(rate: f32);
        with_normals(normals: Option<NormalChoice>);
        with_space(space: OutputSpace);
        with_quantized(quantized: bool);
        with_compression(compression: Option<Compression>);
        with_hulls(hulls: bool);
        with_allow_loss(allow_loss: bool);
        with_split(split: u64);
        with_max_bytes(max_bytes: u64);
        with_source(source: SourceFacts);
    }

    /// Returns these options with another use of vertex colours.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the program chooses"))]
    pub(crate) fn with_colors(self, colors: ColorUse) -> Self {
        Self { colors, ..self }
    }

    /// Returns these options with a turn and a scale of the placed mesh.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the program chooses"))]
    pub(crate) fn with_adjustment(self, adjustment: Adjustment) -> Self {
        Self { adjustment, ..self }
    }

    /// Returns the options that choose what is exported.
    pub(crate) fn scene(&self) -> SceneOptions {
        SceneOptions {
            asset: self.asset,
            surfaces: self.surfaces.clone(),
            levels: self.levels,
            enough_triangles: None,
            clip: self.clip,
            frame: self.frame,
            colors: self.colors,
            space: self.space,
            adjustment: self.adjustment,
            max_bytes: self.max_bytes,
            is_limited: false,
        }
    }
}
