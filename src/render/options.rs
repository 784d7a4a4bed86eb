//! The options of a picture.

use super::camera::Camera;
use super::framing::Framing;
use crate::parse::options;
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

options! {
    /// The options of a picture.
    ///
    /// ```
    /// use meshpeek::render::{Camera, PictureOptions};
    /// let options = PictureOptions::default().with_size([256, 256]).with_camera(Camera::orbit(0.0, 0.0));
    /// # let _ = options;
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct PictureOptions {
        /// The width and the height in pixels: 1024 × 1024 by default.
        size: [u32; 2] = [1024, 1024], pub with_size;
        /// The camera.
        camera: Camera = Camera::default(), pub with_camera;
        /// What is in the picture where there is no mesh.
        background: Background = Background::default(), pub with_background;
        /// How the surfaces are shaded.
        shading: Shading = Shading::default(), pub with_shading;
        /// The normals of smooth surfaces, or `None` for stored ones, and for computed ones of
        /// surfaces without stored ones.
        normals: Option<NormalChoice> = None, pub with_normals;
        /// What is drawn over the surfaces.
        overlays: Vec<Overlay> = Vec::new(), pub with_overlays;
        /// The UV set of the UV layout.
        uv_set: usize = 0, pub with_uv_set;
        /// Whether the colours of materials, textures and vertex colours are left out.
        plain: bool = false, pub with_plain;
        /// The index of the only asset to draw, or `None` for all assets.
        asset: Option<usize> = None, pub with_asset;
        /// The indices of the surfaces to draw, or `None` for all visible surfaces.
        surfaces: Option<Vec<usize>> = None, pub with_surfaces;
        /// The index of the level of detail, or `None` for the most detailed level of each asset of
        /// which the file has the bytes.
        level: Option<usize> = None, pub with_level;
        /// If no level is chosen, the number of triangles of an asset that is enough for the
        /// picture: the least detailed level with as many triangles is drawn.
        enough_triangles: Option<u64> = None, pub with_enough_triangles;
        /// The index of the clip of `frame`.
        clip: Option<usize> = None, pub with_clip;
        /// The frame of the clip whose shape is drawn, or `None` for the base shape. A fraction is
        /// a moment between two frames.
        frame: Option<f32> = None, pub with_frame;
        /// How vertex colours are used.
        colors: ColorUse = ColorUse::default(), pub(crate) with_colors;
        /// How the placed mesh is turned and scaled.
        adjustment: Adjustment = Adjustment::default(), pub(crate) with_adjustment;
        /// What all pictures of a series show, or `None` if this is the only picture. A camera at a
        /// point does not need it.
        framing: Option<Framing> = None, pub with_framing;
    }
}

impl PictureOptions {
    /// Returns whether an overlay is drawn.
    pub(crate) fn shows(&self, overlay: Overlay) -> bool {
        self.overlays.contains(&overlay)
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
