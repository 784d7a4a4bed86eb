//! Compares the rasteriser with one that tests each sample of each triangle.

#![allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "the coordinates are small, and the results are exact"
)]

use super::block::{Area, GUARD, ScreenBlock, lanes_of};
use super::clip::clip;
use super::kernels::{BATCH, fill, fill_one, set_up};
use super::projection::{DEPTHS, Projection};
use super::visibility::{EMPTY, SAMPLE_POSITIONS, VisibilityBuffer};
use crate::render::lanes::LANES;
use crate::simd::at_each_level;

type Triangle = [[f32; 3]; 3];

/// The map of which positions are screen coordinates.
const SCREEN: Projection = Projection {
    origin: [0.0; 3],
    rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    near: 0.5,
    back: 0.0,
};

/// A camera at the origin that looks along +z.
const CAMERA: Projection = Projection {
    origin: [0.0; 3],
    rows: [[300.0, 0.0, 300.0, 0.0], [0.0, 300.0, 300.0, 0.0], [0.0, 0.0, 4000.0, 4000.0], [0.0, 0.0, 1.0, 0.0]],
    near: 0.25,
    back: 0.0,
};

/// Sizes of pictures, and the rows that are drawn.
const PICTURES: [(u32, std::ops::Range<u32>); 6] =
    [(37, 0..21), (37, 5..13), (1, 0..1), (2, 0..3), (3, 1..2), (64, 0..2)];

/// Pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(((self.0 >> 33) * u64::from(end)) >> 31).unwrap()
    }

    /// Returns a number from `-reach` to `reach`, in quarters.
    fn around(&mut self, reach: u32) -> f32 {
        (self.below(8 * reach + 1) as f32 - 4.0 * reach as f32) / 4.0
    }

    /// Returns a triangle whose corners are at most `reach` from its middle.
    fn triangle(&mut self, reach: u32) -> Triangle {
        let (x, y) = (self.around(400) + 250.0, self.around(300) + 150.0);
        // Few depths, so that many samples have equal ones.
        [(); 3].map(|()| [x + self.around(reach), y + self.around(reach), self.below(40) as f32])
    }

    /// Returns triangles of all kinds.
    fn triangles(&mut self, count: u32) -> Vec<Triangle> {
        let kind = |number: u32, numbers: &mut Self| {
            let mut triangle = match number % 8 {
                0 => numbers.triangle(300_000),
                1 | 2 => numbers.triangle(300),
                3 | 4 => numbers.triangle(24),
                _ => numbers.triangle(9),
            };
            match number % 23 {
                1 => triangle[2] = triangle[0],
                2 => triangle[2] = [0, 1, 2].map(|axis| triangle[0][axis] * 2.0 - triangle[1][axis]),
                3 => triangle = triangle.map(|[x, _, z]| [x, triangle[0][1], z]),
                4 => triangle[1][0] = f32::NAN,
                5 => triangle[2][1] = f32::INFINITY,
                6 => triangle[0][2] = f32::NEG_INFINITY,
                7 => triangle.iter_mut().for_each(|corner| corner[2] *= 1.0e7),
                _ => {}
            }
            triangle
        };
        (0..count).map(|number| kind(number, self)).collect()
    }
}

/// Draws triangles like the surfaces of a mesh.
fn drawn(projection: &Projection, triangles: &[Triangle], (width, rows): (u32, std::ops::Range<u32>)) -> Vec<[i64; 4]> {
    let mut buffer = VisibilityBuffer::new(width, rows).unwrap();
    let area = buffer.area();
    for (part, first) in triangles.chunks(BATCH).zip((0..).step_by(BATCH)) {
        let mut corners = part.as_flattened().to_vec();
        corners.resize(3 * part.len().next_multiple_of(LANES), [0.0; 3]);
        let mut blocks = vec![ScreenBlock::EMPTY; part.len().div_ceil(LANES)];
        set_up(projection, &area, &corners, &mut blocks);
        fill(&mut buffer, &area, &blocks, first);
        for (block, first) in blocks.iter().zip((0..).step_by(LANES)) {
            for number in lanes_of(block.clipped).map(|lane| first + lane) {
                let Some(triangle) = part.get(number as usize) else { continue };
                clip(projection, *triangle, number, &mut |part| fill_one(&mut buffer, &area, part));
            }
        }
    }
    pixels(&buffer, &area)
}

/// Returns the samples of each pixel of the picture.
fn pixels(buffer: &VisibilityBuffer, area: &Area) -> Vec<[i64; 4]> {
    let pixels = buffer.samples.as_flattened().as_chunks::<4>().0;
    let rows = pixels.chunks(area.row_pixels as usize);
    rows.flat_map(|row| &row[..buffer.width as usize]).copied().collect()
}

/// Tests each sample of a picture, with the definitions of coverage and depth.
fn expected(triangles: &[Triangle], (width, rows): (u32, std::ops::Range<u32>)) -> Vec<[i64; 4]> {
    let pixels = rows.flat_map(|row| (0..width).map(move |column| [column, row]));
    let near = |number: usize, pixel: [i32; 2], sample: [i32; 2]| {
        let depth = depth(&triangles[number], pixel, sample)?;
        Some((i64::from(depth.to_bits()) << 32) | number as i64)
    };
    let pixel = |pixel: [u32; 2]| {
        let pixel = pixel.map(|part| 16 * part as i32);
        SAMPLE_POSITIONS
            .map(|sample| (0..triangles.len()).filter_map(|number| near(number, pixel, sample)).min().unwrap_or(EMPTY))
    };
    pixels.map(pixel).collect()
}

/// Returns the depth of a triangle at a sample, plus 2^23, or `None` if the triangle does not
/// contain the sample.
fn depth(triangle: &Triangle, [left, top]: [i32; 2], [dx, dy]: [i32; 2]) -> Option<f32> {
    if !triangle.as_flattened().iter().all(|part| part.is_finite()) {
        return None;
    }
    let corners = triangle.map(|[x, y, _]| [x.round_ties_even() as i64, y.round_ties_even() as i64]);
    let [a, b, c] = corners;
    let sample = [i64::from(left + dx), i64::from(top + dy)];
    let is_inside = if cross(a, b, c) > 0 {
        is_right(a, b, sample) && is_right(b, c, sample) && is_right(c, a, sample)
    } else {
        cross(a, b, c) < 0 && is_right(a, c, sample) && is_right(c, b, sample) && is_right(b, a, sample)
    };
    let [z0, z1, z2] = triangle.map(|[_, _, z]| z.clamp(0.0, DEPTHS - 1.0));
    let [px, py, qx, qy] = [b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]].map(|part| part as f32);
    let (pz, qz) = (z1 - z0, z2 - z0);
    let inverse = 1.0 / (px * qy - qx * py);
    let (zx, zy) = ((pz * qy - qz * py) * inverse, (qz * px - pz * qx) * inverse);
    let z = (z0 + zy * (i64::from(top) - a[1]) as f32) + zx * (i64::from(left) - a[0]) as f32;
    let z = z + (zx * dx as f32 + zy * dy as f32);
    is_inside.then(|| z.max(z0.min(z1).min(z2)).min(z0.max(z1).max(z2)) + DEPTHS)
}

/// Returns twice the area of a triangle.
fn cross([ax, ay]: [i64; 2], [bx, by]: [i64; 2], [cx, cy]: [i64; 2]) -> i64 {
    (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
}

/// Returns whether a point is to the right of an edge. A point on the edge counts if it is to the
/// right after a very small step to the right and a much smaller step down.
fn is_right(a: [i64; 2], b: [i64; 2], point: [i64; 2]) -> bool {
    let changes = [cross(a, b, point), a[1] - b[1], b[0] - a[0]];
    changes.into_iter().find(|change| *change != 0).is_some_and(|change| change > 0)
}

#[test]
fn finds_the_samples_of_the_definition() {
    let mut numbers = Numbers(1);
    for picture in PICTURES {
        for _ in 0..if cfg!(debug_assertions) { 1 } else { 6 } {
            let triangles = numbers.triangles(600);
            let expected = expected(&triangles, picture.clone());
            at_each_level(|level| {
                assert_eq!(drawn(&SCREEN, &triangles, picture.clone()), expected, "{picture:?} {level:?}");
            });
        }
    }
}

#[test]
fn draws_each_triangle_alone() {
    let mut numbers = Numbers(2);
    for triangle in numbers.triangles(if cfg!(debug_assertions) { 600 } else { 4000 }) {
        let expected = expected(&[triangle], (29, 0..18));
        at_each_level(|level| {
            assert_eq!(drawn(&SCREEN, &[triangle], (29, 0..18)), expected, "{triangle:?} {level:?}");
        });
    }
}

#[test]
fn neither_overlaps_nor_leaves_gaps() {
    let mut numbers = Numbers(3);
    for step in [5.0, 8.0, 16.0, 21.0, 100.0] {
        let side = 4 + (256.0 / step) as usize;
        let reach = (step / 5.0) as u32;
        let points: Vec<_> = (0..side * side)
            .map(|at| {
                [(at % side) as f32 - 1.0, (at / side) as f32 - 1.0].map(|part| part * step + numbers.around(reach))
            })
            .map(|[x, y]| [x, y, 5.0])
            .collect();
        let mut covered = vec![[0; 4]; 16 * 16];
        for at in (0..side * (side - 1)).filter(|at| at % side < side - 1) {
            let [a, b, c, d] = [at, at + 1, at + side, at + side + 1].map(|at| points[at]);
            for triangle in [[a, b, c], [d, c, b]] {
                let drawn = drawn(&SCREEN, &[triangle], (16, 0..16));
                let places = covered.as_flattened_mut().iter_mut().zip(drawn.as_flattened());
                places.for_each(|(count, sample)| *count += i32::from(*sample != EMPTY));
            }
        }
        assert!(covered.as_flattened().iter().all(|count| *count == 1), "{step}: {covered:?}");
    }
}

#[test]
fn draws_the_same_at_each_level_with_perspective() {
    let mut numbers = Numbers(4);
    for reach in [1, 3, 20, 100_000] {
        let mut point = || [numbers.around(reach) / 2.0, numbers.around(reach) / 2.0, numbers.around(2) + 1.5];
        let triangles: Vec<Triangle> = (0..400).map(|_| [point(), point(), point()]).collect();
        let mut first = None;
        at_each_level(|level| {
            let drawn = drawn(&CAMERA, &triangles, (40, 0..40));
            assert!(drawn.as_flattened().iter().any(|sample| *sample != EMPTY));
            assert_eq!(*first.get_or_insert_with(|| drawn.clone()), drawn, "{reach} {level:?}");
        });
    }
}

#[test]
fn does_not_depend_on_the_bands() {
    let mut numbers = Numbers(5);
    let triangles = numbers.triangles(2000);
    let whole = drawn(&SCREEN, &triangles, (50, 0..30));
    for height in [1, 2, 3, 7] {
        let bands = (0..30).step_by(height).map(|row| row as u32..(row + height).min(30) as u32);
        let bands: Vec<_> = bands.flat_map(|rows| drawn(&SCREEN, &triangles, (50, rows))).collect();
        assert_eq!(bands, whole, "{height}");
    }
}

const _: () = assert!(GUARD > 300_000.0);
