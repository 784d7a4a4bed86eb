//! Finds the strokes of the overlays that the options choose, and draws them.

use super::draw::StrokeRasteriser;
use super::hulls::add_hulls;
use super::normals::add_normals;
use super::stroke::{Point, Stroke, StrokeInk, StrokeList, StrokeShape};
use crate::error::Result;
use crate::math::{as_u64, dot, subtract};
use crate::model::animation::{Affine, Animations};
use crate::model::{Geometry, Space};
use crate::render::camera::CameraView;
use crate::render::measure::WorldBox;
use crate::render::options::{Overlay, PictureOptions};
use crate::render::raster::visibility::VisibilityBuffer;
use crate::render::shade::canvas::Canvas;
use crate::render::shade::fragments::FragmentLists;
use crate::render::surfaces::SurfaceSpan;
use crate::scene::shape::PosedBones;
use crate::scene::{PlacedScene, inflated_bytes};

/// The length of a normal: a part of the diagonal of the mesh.
const NORMAL: f64 = 0.02;
/// The load of a place, and that of a bone.
const PLACE: u64 = 16;
const BONE: u64 = 8;

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

/// The map from the model space to the converted space and the bones of one asset at one place.
struct PlacedBones {
    bones: PosedBones,
    map: Affine,
}

/// Adds the bones of all places, and returns their number. If `is_alone` is set, there are no
/// surfaces, and a file without a chosen frame shows the first frame of its clip.
fn add_bones(scene: &PlacedScene<'_>, is_alone: bool, out: &mut StrokeList) -> Result<u64> {
    let (mut count, mut load) = (0_u64, scene.load());
    for place in &scene.places {
        if !load.take(PLACE) {
            out.miss();
            break;
        }
        let asset = scene.contents.asset(place.asset)?;
        let bones = as_u64(asset.animations().bone_count()?);
        if bones > 0 && (out.is_full() || !load.take(bones.saturating_mul(BONE))) {
            out.miss();
            break;
        }
        let Some(level) = scene.levels(&*asset)?.first().copied() else { continue };
        let geometry = asset.level(level)?;
        let space = PlacedScene::space(&*geometry, PlacedScene::bone_placement(place, asset.animations()));
        let Some(placed) = placed_bones(scene, &*geometry, asset.animations(), &space, is_alone)? else { continue };
        count = count.saturating_add(placed.add(out));
        if !load.take_inflated(inflated_bytes(&asset)) {
            out.miss();
            break;
        }
    }
    Ok(count)
}

/// Reads the bones of an asset, or returns `None` if it has none.
fn placed_bones(
    scene: &PlacedScene<'_>,
    geometry: &dyn Geometry,
    animations: &dyn Animations,
    space: &Space,
    is_alone: bool,
) -> Result<Option<PlacedBones>> {
    if animations.bone_count()? == 0 {
        return Ok(None);
    }
    let (options, clips) = (&scene.options, scene.input.clips);
    let map = *space.conversion_to(&scene.target)?.map();
    let has_vertex_frames = clips.is_empty() && geometry.vertex_frame_count()? > 0;
    let clip = options.clip.unwrap_or_default();
    let other = clips.first().map(|(_, animations)| *animations);
    let source = other.unwrap_or(animations);
    let first = is_alone && source.clip_count()? > clip && source.clip(clip)?.frames > 0;
    let frame = options.frame.filter(|_| !has_vertex_frames).or(first.then_some(0.0));
    let Some(frame) = frame else {
        return Ok(Some(PlacedBones { bones: PosedBones::at_rest(animations)?, map }));
    };
    let bones = PosedBones::at_frame(animations, clips, clip, frame)?;
    Ok(Some(PlacedBones { bones, map }))
}

/// Returns whether two points differ.
fn is_apart(one: Point, other: Point) -> bool {
    let offset = subtract(one, other);
    dot(offset, offset) > 0.0
}

impl PlacedBones {
    /// Adds the bones, and returns their number. Bones that are not finite are left out.
    fn add(&self, out: &mut StrokeList) -> u64 {
        let mut count = 0_u64;
        for bone in 0..self.bones.model.len() {
            let Some(joint) = self.joint(bone) else { continue };
            let parent = self.bones.skeleton.parent(bone).and_then(|parent| self.joint(parent));
            let mut push = |ends, shape| out.push(Stroke { ends, shape, ink: StrokeInk::Bones });
            let is_drawn = match parent.filter(|parent| is_apart(*parent, joint)) {
                Some(parent) => push([parent, joint], StrokeShape::Bone) && push([joint, parent], StrokeShape::Joint),
                None => push([joint, joint], StrokeShape::Joint),
            };
            count = count.saturating_add(u64::from(is_drawn));
        }
        count
    }

    /// Returns the place of the joint of a bone, or `None` if it is not finite.
    fn joint(&self, bone: usize) -> Option<Point> {
        let [.., place] = self.bones.model.get(bone)?.then(&self.map).columns();
        Some(place).filter(|place| place.iter().all(|part| part.is_finite() && part.abs() < 1e30))
    }
}
