//! The options of an export, and what is exported: the chosen part of a mesh file.

use super::loss::LossList;
use super::source::SourceInfo;
use super::{VertexParts, WrittenPart};
use crate::error::Result;
use crate::model::Space;
use crate::parse::options;
use crate::scene::normals::{ComputedNormals, CornerGroups, NormalSource};
use crate::scene::{
    Adjustment, ColorUse, LevelChoice, NormalChoice, OutputSpace, PlacedScene, PlacedSurface, SceneInput, SceneOptions,
};

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

options! {
    /// The options of an [`Export`](super::Export).
    ///
    /// The default exports all assets of the file and all of their visible surfaces, at the most
    /// detailed level, with all clips, in the conventions of the output format.
    ///
    /// ```
    /// use meshpeek::export::{ExportOptions, LevelChoice};
    /// let options = ExportOptions::default().with_levels(LevelChoice::One(1)).with_allow_loss(true);
    /// # let _ = options;
    /// ```
    #[derive(Clone, Debug)]
    #[allow(clippy::struct_excessive_bools, reason = "independent options")]
    pub struct ExportOptions {
        /// The index of the only asset to export, or `None` for all assets.
        asset: Option<usize> = None, pub with_asset;
        /// The indices of the surfaces to export, in file order, or `None` for all visible
        /// surfaces.
        surfaces: Option<Vec<usize>> = None, pub with_surfaces;
        /// The levels of detail to export.
        levels: LevelChoice = LevelChoice::Best, pub with_levels;
        /// The index of the only clip to export, or `None` for all clips.
        clip: Option<usize> = None, pub with_clip;
        /// The animation frame whose shape is exported, without animations, or `None` for the base
        /// shape with animations. A fraction is a moment between two frames. The frame belongs to
        /// `clip`, or else to the first clip; without a clip, it is the index of a vertex frame.
        frame: Option<f32> = None, pub with_frame;
        /// How vertex colours are used.
        colors: ColorUse = ColorUse::default(), pub(crate) with_colors;
        /// The rate of clips for which the file stores no rate, in frames per second: 30 by
        /// default.
        rate: f32 = DEFAULT_RATE, pub with_rate;
        /// The normals that are exported, or `None` for stored ones, and for computed ones of
        /// surfaces without stored ones.
        normals: Option<NormalChoice> = None, pub with_normals;
        /// The coordinate conventions of the output.
        space: OutputSpace = OutputSpace::Target, pub with_space;
        /// How the placed mesh is turned and scaled.
        adjustment: Adjustment = Adjustment::default(), pub(crate) with_adjustment;
        /// Whether quantized integers are copied as they are stored, where glTF can hold them.
        quantized: bool = false, pub with_quantized;
        /// The extension for compressed buffers, or `None` for no compression.
        compression: Option<Compression> = None, pub with_compression;
        /// Whether collision shapes are exported.
        hulls: bool = false, pub with_hulls;
        /// Whether data that the output format could hold may be left out, such as triangles with
        /// an index that is out of range. What a format can never hold is left out without it.
        allow_loss: bool = false, pub with_allow_loss;
        /// The greatest size of a `.bin` file of a `.gltf` file, in bytes: 4 GiB - 4 by default. A
        /// single larger array still has a file of its own.
        split: u64 = 0xFFFF_FFFC, pub with_split;
        /// The greatest size of a file of the output, in bytes. A larger one is the error
        /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) with the name `output`. In glTF, all
        /// arrays count together, each node, mesh, accessor, buffer view, channel and event as 256
        /// bytes, and each surface as 1,024. There is no limit by default.
        max_bytes: u64 = u64::MAX, pub with_max_bytes;
        /// What the output states about the mesh file.
        source: SourceInfo = SourceInfo::default(), pub(crate) with_source;
    }
}

impl ExportOptions {
    /// Sets the name of the mesh: the file name without its extension. The output names the mesh so
    /// if the file stores no name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { source: self.source.with_name(name), ..self }
    }

    /// Sets the names of the PNG and JPEG files in the folder of the output, without their folder.
    /// The output refers to an image only if its name is in this list.
    #[must_use]
    pub fn with_images(self, images: Vec<String>) -> Self {
        Self { source: self.source.with_images(images), ..self }
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

/// What is exported of a mesh file.
pub(crate) struct ExportScene<'a> {
    /// The surfaces at their places.
    pub(crate) placed: PlacedScene<'a>,
    pub(crate) options: &'a ExportOptions,
    /// The normals of surfaces without stored ones, if [`with_normals`](Self::with_normals) has
    /// found them.
    pub(crate) normals: ComputedNormals,
}

impl<'a> ExportScene<'a> {
    /// Finds the places of the exported assets. `target` is the conventions of the output format.
    pub(crate) fn new(input: &SceneInput<'a>, options: &'a ExportOptions, target: Space) -> Result<Self> {
        let placed = PlacedScene::new(input, options.scene(), target)?;
        Ok(Self { placed, options, normals: ComputedNormals::new(options.normals) })
    }

    /// Reads the triangles of the surfaces whose normals are computed.
    pub(crate) fn with_normals(mut self) -> Result<Self> {
        let Some(place) = self.placed.places.first() else { return Ok(self) };
        let asset = self.placed.contents.asset(place.asset)?;
        if let Some(level) = self.placed.levels(&*asset)?.first()
            && self.normals.are_packed(&*asset.level(*level)?)?
        {
            return Ok(self);
        }
        let normals = &mut self.normals;
        self.placed.each_surface(&mut |surface| {
            normals.add(&surface.normal_input())?;
            surface.input.release();
            Ok(())
        })?;
        Ok(self)
    }

    /// Returns whether a surface is exported with normals, stored or computed.
    pub(crate) fn has_normals(&self, surface: &PlacedSurface<'_>) -> Result<bool> {
        Ok(match self.normals.source(&surface.normal_input())? {
            NormalSource::Stored(_) => true,
            NormalSource::Computed(_) => self.normals.has(&surface.normal_input())?,
            NormalSource::None => false,
        })
    }

    /// Returns whether a surface is exported with the normals of the file.
    pub(crate) fn stores_normals(&self, surface: &PlacedSurface<'_>) -> Result<bool> {
        Ok(matches!(self.normals.source(&surface.normal_input())?, NormalSource::Stored(_)))
    }

    /// Computes the normal of each corner of a surface, or returns `None` if they are stored or
    /// missing.
    pub(crate) fn corner_normals(&self, surface: &PlacedSurface<'_>) -> Result<Option<CornerGroups>> {
        self.normals.corners(&surface.normal_input())
    }

    /// Calls `visit` with the vertices of each part of a surface. Triangles that are left out are
    /// added to `losses`.
    pub(crate) fn each_part(
        &self,
        surface: &PlacedSurface<'_>,
        losses: &mut LossList,
        visit: &mut dyn FnMut(&WrittenPart, &mut LossList) -> Result<()>,
    ) -> Result<()> {
        let (view, shape, normals) = (&surface.surface, surface.shape, self.corner_normals(surface)?);
        let parts = VertexParts::new(view, shape, &surface.input)?.for_normals(view, normals.is_some())?;
        parts.ranges().try_for_each(|triangles| {
            visit(&parts.order(view, (shape, normals.as_ref()), triangles, losses, surface.surface.index())?, losses)
        })
    }
}
