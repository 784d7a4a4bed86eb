//! Finds the strokes of the overlays that the options choose, and draws them.

use super::bones::add_bones;
use super::draw::StrokeRasteriser;
use super::hulls::add_hulls;
use super::normals::add_normals;
use super::stroke::{Point, StrokeInk, StrokeList};
use crate::error::Result;
use crate::render::camera::CameraView;
use crate::render::measure::WorldBox;
use crate::render::options::{Overlay, PictureOptions};
use crate::render::raster::visibility::VisibilityBuffer;
use crate::render::shade::canvas::Canvas;
use crate::render::shade::fragments::FragmentLists;
use crate::render::surfaces::SurfaceSpan;
use crate::scene::PlacedScene;

/// The length of a normal: a part of the diagonal of the mesh.
const NORMAL: f64 = 0.02;

/// The strokes of the overlays of a picture.
#[derive(Default)]
pub(crate) struct Overlays {
    /// The lists of strokes, each with a limit of its own.
    lists: [StrokeList; 4],
    /// The number of bones.
    pub(crate) bones: u64,
    /// The bounding box, if it is drawn.
    bounds: Option<WorldBox>,
    /// Whether there are no surfaces, only bones.
    is_alone: bool,
    /// The width of lines in pixels.
    width: f64,
    /// The width that the sizes of bones are relative to, in pixels.
    bone_width: f64,
}

impl Overlays {
    /// Returns the width of lines in a picture, in pixels.
    pub(crate) fn line_width([width, height]: [u32; 2]) -> f64 {
        Self::scaled_width([width, height]).max(1.0)
    }

    /// Returns the width that the sizes of bones are relative to, in pixels.
    fn scaled_width([width, height]: [u32; 2]) -> f64 {
        (f64::from(width.min(height)) * 1.5 / 1024.0).clamp(0.5, 24.0)
    }

    /// Finds the strokes. `measured` is the bounding box of the surfaces, if it is known.
    /// `is_alone` states that there are no surfaces: the bones are then shown in any case.
    pub(crate) fn new(
        scene: &PlacedScene<'_>,
        options: &PictureOptions,
        measured: Option<WorldBox>,
        is_alone: bool,
    ) -> Result<Self> {
        let bounds = measured.filter(|_| options.shows(Overlay::Bounds));
        let mut overlays = Self {
            is_alone,
            width: Self::line_width(options.size),
            bone_width: Self::scaled_width(options.size),
            bounds,
            ..Self::default()
        };
        let [edges, normals, hulls, bones] = &mut overlays.lists;
        if let Some(bounds) = &bounds {
            bounds.add_edges(edges);
        }
        if let Some(measured) = measured.filter(|_| options.shows(Overlay::Normals)) {
            add_normals(scene, options, measured.diagonal() * NORMAL, normals)?;
        }
        if options.shows(Overlay::Hulls) {
            add_hulls(scene, hulls)?;
        }
        if is_alone || options.shows(Overlay::Skeleton) {
            overlays.bones = add_bones(scene, is_alone, bones)?;
        }
        Ok(overlays)
    }

    /// Calls `visit` with the points that the camera must show besides the surfaces.
    pub(crate) fn each_point(&self, visit: &mut dyn FnMut(Point)) {
        self.bounds.iter().flat_map(WorldBox::corners).for_each(&mut *visit);
        if self.is_alone {
            let strokes = self.lists.iter().flat_map(StrokeList::as_slice);
            strokes.flat_map(|stroke| stroke.ends).for_each(visit);
        }
    }

    /// Returns the number of strokes that are known to be missing, apart from those that cannot be
    /// drawn. Of many normals, some are left out on purpose.
    pub(crate) fn missing(&self) -> u64 {
        let [edges, _, hulls, bones] = &self.lists;
        edges.missing.saturating_add(hulls.missing).saturating_add(bones.missing)
    }

    /// Draws the strokes to a visibility buffer, and adds the numbers of their triangles to
    /// `spans`: one number for each ink, from `first`. Returns the number of strokes that are left
    /// out, because strokes already cover the picture too often.
    pub(crate) fn draw(
        &self,
        view: &CameraView,
        buffer: &mut VisibilityBuffer,
        first: u32,
        spans: &mut Vec<SurfaceSpan>,
    ) -> u64 {
        let numbers = (first..u32::MAX).zip(StrokeInk::ALL);
        spans.extend(numbers.map(|(first, _)| SurfaceSpan { first, end: first.saturating_add(1) }));
        let surfaces = buffer.start_strokes();
        let mut rasteriser =
            StrokeRasteriser { view, buffer: &mut *buffer, width: self.width, bones: self.bone_width, first };
        self.lists.iter().flat_map(StrokeList::as_slice).for_each(|stroke| rasteriser.draw(stroke));
        std::mem::replace(&mut buffer.budget, surfaces).missing
    }

    /// Adds the colours of the fragments of the strokes to the canvas. `surfaces` is the number of
    /// surfaces, whose fragments come before them.
    pub(crate) fn shade(&self, lists: &FragmentLists<'_>, surfaces: usize, canvas: &mut Canvas) {
        if self.lists.iter().all(|strokes| strokes.as_slice().is_empty()) {
            return;
        }
        for (place, ink) in StrokeInk::ALL.into_iter().enumerate() {
            let color = ink.color();
            for fragment in lists.of(surfaces.saturating_add(place)) {
                let samples = u16::try_from(fragment.samples.count_ones()).unwrap_or(4);
                canvas.add(fragment.pixel, color, samples);
            }
        }
    }
}
