//! The place of the camera in several pictures of a mesh: of a turn, or of the frames of a clip.

use super::camera::{DIRECTIONS, ViewShape};
use super::measure::{DirectionExtent, Reach, measure_surfaces};
use super::options::{Overlay, PictureOptions};
use super::overlay::{Overlays, WorldBox};
use crate::error::Result;
use crate::math::dot;
use crate::model::Space;
use crate::scene::{PlacedScene, SceneInput};

/// How the camera moves between the pictures of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CameraMotion {
    /// It does not move, and all pictures have the same size.
    Still,
    /// It moves around the vertical axis.
    Turning,
    /// It moves to any side.
    Free,
}

/// What all pictures of a series show, such as those of a turntable. With a framing, the camera has
/// the same distance in all of them.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::render::{Camera, CameraMotion, Framing, PictureOptions, SceneInput, draw};
///
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let input = SceneInput::new(&mesh);
/// let options = PictureOptions::default().with_size([64, 64]);
/// let framing = Framing::new(&input, &[options.clone()], CameraMotion::Turning)?;
/// let options = options.with_framing(Some(framing));
/// for yaw in [0.0, 90.0, 180.0, 270.0] {
///     let drawn = draw(&input, &options.clone().with_camera(Camera::orbit(yaw, 20.0)))?;
///     assert_eq!(drawn.picture.size(), [64, 64]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framing {
    shape: FramedShape,
    /// Whether no picture has surfaces.
    pub(crate) is_alone: bool,
}

/// A shape that contains everything that the pictures show.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FramedShape {
    /// The least dot products with the directions of the view.
    DirectionExtent([f64; DIRECTIONS]),
    /// A cylinder around a vertical axis.
    Cylinder {
        center: [f64; 3],
        radius: f64,
        half_height: f64,
    },
    Sphere {
        center: [f64; 3],
        radius: f64,
    },
}

impl Framing {
    /// Measures what all `pictures` of a mesh show: one picture, or one for each frame of a clip.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`draw`](super::draw).
    pub fn new(input: &SceneInput<'_>, pictures: &[PictureOptions], motion: CameraMotion) -> Result<Self> {
        let directions = match (motion, pictures.first()) {
            (CameraMotion::Still, Some(first)) => ViewShape::new(&first.camera, first.size).directions(),
            _ => WorldBox::DIRECTIONS,
        };
        let (mut extent, mut is_alone) = (DirectionExtent::new(directions), true);
        for options in pictures {
            is_alone &= measure_extent(input, options, &mut extent)?;
        }
        let shape = match WorldBox::new(extent.least).filter(|_| motion != CameraMotion::Still) {
            None => FramedShape::DirectionExtent(extent.least),
            Some(bounds) => turning_shape(input, pictures, &bounds, motion)?,
        };
        Ok(Self { shape, is_alone })
    }

    /// Returns the least dot products with directions.
    pub(crate) fn least(&self, directions: [[f64; 3]; DIRECTIONS]) -> [f64; DIRECTIONS] {
        match self.shape {
            FramedShape::DirectionExtent(least) => least,
            FramedShape::Cylinder { center, radius, half_height } => directions
                .map(|[x, y, z]| dot([x, y, z], center) - radius * (x * x + z * z).sqrt() - half_height * y.abs()),
            FramedShape::Sphere { center, radius } => {
                directions.map(|direction| dot(direction, center) - radius * dot(direction, direction).sqrt())
            }
        }
    }
}

/// Adds what a picture shows to an extent. Returns whether it has no surfaces.
fn measure_extent(input: &SceneInput<'_>, options: &PictureOptions, extent: &mut DirectionExtent) -> Result<bool> {
    let scene = PlacedScene::new(input, options.scene(), Space::GLTF)?;
    let (mut own, mut bounds) = (extent.cleared(), DirectionExtent::new(WorldBox::DIRECTIONS));
    measure_surfaces(&scene, &mut |positions, map| {
        own.add(positions, map)?;
        if options.shows(Overlay::Bounds) { bounds.add(positions, map) } else { Ok(()) }
    })?;
    let is_alone = own.is_empty();
    each_overlay_point(&scene, options, WorldBox::new(bounds.least), is_alone, &mut |point| own.add_point(point))?;
    extent.merge(&own);
    Ok(is_alone)
}

/// Calls `visit` with the corners of the bounding box, if it is drawn, and with the points of bones
/// without surfaces.
fn each_overlay_point(
    scene: &PlacedScene<'_>,
    options: &PictureOptions,
    bounds: Option<WorldBox>,
    is_alone: bool,
    visit: &mut dyn FnMut([f64; 3]),
) -> Result<()> {
    let bounds = bounds.filter(|_| options.shows(Overlay::Bounds));
    if is_alone || bounds.is_some() {
        let only_bounds = options.clone().with_overlays(vec![Overlay::Bounds]);
        Overlays::new(scene, &only_bounds, bounds, is_alone)?.each_point(visit);
    }
    Ok(())
}

/// Returns the cylinder or the sphere around what pictures show in a box.
fn turning_shape(
    input: &SceneInput<'_>,
    pictures: &[PictureOptions],
    bounds: &WorldBox,
    motion: CameraMotion,
) -> Result<FramedShape> {
    let [low, high] = [bounds.min, bounds.max];
    let mut center = low;
    center.iter_mut().zip(high).for_each(|(low, high)| *low = *low / 2.0 + high / 2.0);
    let mut reach = Reach::new(center);
    for options in pictures {
        let scene = PlacedScene::new(input, options.scene(), Space::GLTF)?;
        let mut is_alone = true;
        measure_surfaces(&scene, &mut |positions, map| {
            is_alone &= !reach.add(positions, map)?;
            Ok(())
        })?;
        each_overlay_point(&scene, options, Some(*bounds), is_alone, &mut |point| reach.add_point(point))?;
    }
    let ([_, bottom, _], [_, top, _]) = (low, high);
    Ok(match motion {
        CameraMotion::Free => FramedShape::Sphere { center, radius: reach.distance() },
        _ => {
            FramedShape::Cylinder { center, radius: reach.horizontal_distance(), half_height: top / 2.0 - bottom / 2.0 }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::camera::Camera;
    use crate::render::raster::projection::SUBPIXELS;

    const SIZE: [u32; 2] = [64, 64];

    /// Returns the distance of the camera from the origin, and whether it shows a cube around the
    /// origin.
    fn seen(framing: &Framing, camera: &Camera, half: f64) -> (f64, bool) {
        let shape = ViewShape::new(camera, SIZE);
        let view = shape.fit(framing.least(shape.directions())).unwrap();
        let signs = [-half, half];
        let corners = signs.map(|x| signs.map(|y| signs.map(|z| view.project([x, y, z]))));
        let is_inside = corners.as_flattened().as_flattened().iter().all(|[x, y, depth, w]| {
            let side = f64::from(SIZE[0]) * SUBPIXELS;
            [x / w, y / w].iter().all(|part| (0.0..=side).contains(part)) && *depth >= 0.0
        });
        let [.., distance] = view.project([0.0; 3]);
        (distance, is_inside)
    }

    #[test]
    fn the_camera_keeps_its_distance() {
        let mesh = crate::open("data/unigine/cube_ms13.mesh").unwrap();
        let input = SceneInput::new(&mesh);
        let options = PictureOptions::default().with_size(SIZE);
        let turning = Framing::new(&input, std::slice::from_ref(&options), CameraMotion::Turning).unwrap();
        let free = Framing::new(&input, &[options.clone(), options], CameraMotion::Free).unwrap();
        let half = match free.shape {
            FramedShape::Sphere { radius, .. } => radius / 3.0_f64.sqrt(),
            _ => 0.0,
        };
        let first = [&turning, &free].map(|framing| seen(framing, &Camera::ISO, half).0);
        for degrees in [0.0, 10.0, 45.0, 170.0, 300.0] {
            for (framing, first) in [&turning, &free].into_iter().zip(first) {
                let (distance, is_inside) = seen(framing, &Camera::ISO.turned(degrees), half);
                assert!(is_inside && (distance - first).abs() < first * 1e-6, "{degrees}: {distance} and {first}");
            }
            let (distance, is_inside) = seen(&free, &Camera::orbit(degrees, degrees * 0.5 - 80.0), half);
            assert!(is_inside && (distance - first[1]).abs() < first[1] * 1e-6, "{degrees}: {distance}");
        }
    }

    #[test]
    fn a_still_camera_shows_all_frames() {
        let mesh = crate::open("data/unreal/guard_d.3d").unwrap();
        let input = SceneInput::new(&mesh);
        let base = PictureOptions::default().with_size(SIZE);
        let pictures = [0.0, 5.0, 9.0].map(|frame| base.clone().with_frame(Some(frame)));
        let all = Framing::new(&input, &pictures, CameraMotion::Still).unwrap();
        let directions = ViewShape::new(&base.camera, SIZE).directions();
        for picture in &pictures {
            let one = Framing::new(&input, std::slice::from_ref(picture), CameraMotion::Still).unwrap();
            let parts = one.least(directions).into_iter().zip(all.least(directions));
            assert!(parts.into_iter().all(|(one, all)| all <= one));
        }
    }
}
