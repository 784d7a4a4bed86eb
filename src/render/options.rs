//! The options of a picture.

use super::camera::Camera;
use super::framing::Framing;
use crate::parse::option_setters;
use crate::scene::{Adjustment, ColorUse, LevelChoice, NormalChoice, OutputSpace, SceneOptions};

/// How the surfaces of a picture are shaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shading {
    /// With the normals of the mesh. If the mesh has none, they are computed from its triangles,
    /// with creases at sharp edges.
    #[default]
    Smooth,
    /// With the normals of the triangles.
    Facets,
    /// Only the edges of the triangles.
    Wireframe,
    /// Each surface in a colour of its own.
    Surfaces,
    /// The UV layout instead of the mesh: the triangles in the unit square of a texture.
    Uv,
}

/// What is drawn over the surfaces of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overlay {
    /// The edges of the visible triangles.
    Wireframe,
    /// The normal of each vertex, as a short line. Of more than 50,000 vertices, some are left out.
    Normals,
    /// The bones.
    Skeleton,
    /// The edges of the bounding box of what is drawn.
    Bounds,
    /// The edges of the collision shapes.
    Hulls,
}

/// What is in the picture where there is no mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Background {
    /// A quiet gray, lighter in the middle.
    #[default]
    Studio,
    /// Nothing: the picture is transparent.
    Transparent,
    /// A colour in sRGB.
    Color([u8; 3]),
}

/// The options of a picture.
///
/// ```
/// use meshpeek::render::{Camera, PictureOptions};
/// let options = PictureOptions::default().with_size([256, 256]).with_camera(Camera::FRONT);
/// assert_eq!(options.size, [256, 256]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PictureOptions {
    /// The width and the height in pixels: 1024 × 1024 by default.
    pub size: [u32; 2],
    /// The camera.
    pub camera: Camera,
    /// What is in the picture where there is no mesh.
    pub background: Background,
    /// How the surfaces are shaded.
    pub shading: Shading,
    /// The normals of smooth surfaces, or `None` for stored ones, and for computed ones of surfaces
    /// without stored ones.
    pub normals: Option<NormalChoice>,
    /// What is drawn over the surfaces.
    pub overlays: Vec<Overlay>,
    /// The UV set of the UV layout.
    pub uv_set: usize,
    /// Whether the colours of materials, textures and vertex colours are left out.
    pub plain: bool,
    /// The index of the only asset to draw, or `None` for all assets.
    pub asset: Option<usize>,
    /// The indices of the surfaces to draw, or `None` for all visible surfaces.
    pub surfaces: Option<Vec<usize>>,
    /// The index of the level of detail, or `None` for the most detailed level of each asset of
    /// which the file has the bytes.
    pub level: Option<usize>,
    /// If no level is chosen, the number of triangles of an asset that is enough for the picture:
    /// the least detailed level with as many triangles is drawn.
    pub enough_triangles: Option<u64>,
    /// The index of the clip of `frame`.
    pub clip: Option<usize>,
    /// The frame of the clip whose shape is drawn, or `None` for the base shape. A fraction is a
    /// moment between two frames.
    pub frame: Option<f32>,
    /// How vertex colours are used.
    pub(crate) colors: ColorUse,
    /// How the placed mesh is turned and scaled.
    pub(crate) adjustment: Adjustment,
    /// What all pictures of a series show, or `None` if this is the only picture.
    pub(crate) framing: Option<Framing>,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            size: [1024, 1024],
            camera: Camera::default(),
            background: Background::default(),
            shading: Shading::default(),
            normals: None,
            overlays: Vec::new(),
            uv_set: 0,
            plain: false,
            asset: None,
            surfaces: None,
            level: None,
            enough_triangles: None,
            clip: None,
            frame: None,
            colors: ColorUse::default(),
            adjustment: Adjustment::default(),
            framing: None,
        }
    }
}

impl PictureOptions {
    option_setters! {
        with_size(size: [u32; 2]);
        with_camera(camera: Camera);
        with_background(background: Background);
        with_shading(shading: Shading);
        with_normals(normals: Option<NormalChoice>);
        with_overlays(overlays: Vec<Overlay>);
        with_uv_set(uv_set: usize);
        with_plain(plain: bool);
        with_asset(asset: Option<usize>);
        with_surfaces(surfaces: Option<Vec<usize>>);
        with_level(level: Option<usize>);
        with_enough_triangles(enough_triangles: Option<u64>);
        with_clip(clip: Option<usize>);
        with_frame(frame: Option<f32>);
    }

    /// Returns whether an overlay is drawn.
    pub(crate) fn shows(&self, overlay: Overlay) -> bool {
        self.overlays.contains(&overlay)
    }

    /// Returns these options with a framing. A camera at a point does not need it.
    #[must_use]
    pub fn with_framing(self, framing: Framing) -> Self {
        let framing = matches!(self.camera, Camera::Orbit { .. }).then_some(framing);
        Self { framing, ..self }
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

    /// Returns the options that choose what is drawn.
    pub(crate) fn scene(&self) -> SceneOptions {
        SceneOptions {
            asset: self.asset,
            surfaces: self.surfaces.clone(),
            levels: self.level.map_or(LevelChoice::Best, LevelChoice::One),
            enough_triangles: self.enough_triangles,
            clip: self.clip,
            frame: self.frame,
            colors: self.colors,
            adjustment: self.adjustment,
            space: OutputSpace::Target,
            max_bytes: u64::MAX,
            is_limited: true,
        }
    }
}
