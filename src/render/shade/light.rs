//! The light on fragments: a neutral studio.

use crate::math::{cross, dot, narrow};
use crate::model::SpaceConversion;
use crate::render::camera::CameraView;
use crate::render::lanes::{LANES, Lanes, each, map, zip, zip3};
use crate::render::raster::projection::Projection;
use crate::simd::kernel;

/// A vector for each lane.
pub(crate) type VectorLanes = [Lanes<f32>; 3];

/// The corners of sixteen fragments.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct FragmentBlock {
    /// The stored positions of the corners.
    pub(crate) positions: [VectorLanes; 3],
    /// The stored normals of the corners.
    pub(crate) normals: [VectorLanes; 3],
    /// The middle of the covered samples, in sixteenths of a pixel.
    pub(crate) point: [Lanes<f32>; 2],
    /// The colour of the surface: linear red, green and blue.
    pub(crate) albedo: VectorLanes,
    /// The alpha of the surface.
    pub(crate) alpha: Lanes<f32>,
    /// The perspective-correct weights of the corners, which [`weigh`] computes.
    pub(crate) weights: VectorLanes,
    /// 1 if the front of the triangle is visible, and -1 if it is the back.
    pub(crate) facing: Lanes<f32>,
    /// The linear colours, which [`light`] computes.
    pub(crate) color: VectorLanes,
    /// The part of the samples that the colours cover, from 0 to 1.
    pub(crate) coverage: Lanes<f32>,
}

impl FragmentBlock {
    pub(crate) const EMPTY: Self = Self {
        positions: [[[0.0; LANES]; 3]; 3],
        normals: [[[0.0; LANES]; 3]; 3],
        point: [[0.0; LANES]; 2],
        albedo: [[0.0; LANES]; 3],
        alpha: [1.0; LANES],
        weights: [[0.0; LANES]; 3],
        facing: [1.0; LANES],
        color: [[0.0; LANES]; 3],
        coverage: [1.0; LANES],
    };
}

/// What the shading of a surface needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LitSurface {
    pub(crate) projection: Projection,
    /// The rows of the matrix from a stored normal to the direction in the world.
    normal: [[f32; 3]; 3],
    /// The same for the normals of the corners, which may be directions in the world already.
    corner_normal: [[f32; 3]; 3],
    /// 1, or -1 if the stored triangles are wound clockwise in the world.
    winding: f32,
    /// Whether the normals of the triangles are used.
    pub(crate) is_flat: bool,
    /// The factor of the normals of the corners: -1 for stored ones if the conversion mirrors the
    /// surface.
    sign: f32,
    lights: [[f32; 3]; 3],
    /// The factors of the colour of the back.
    back: [f32; 3],
    is_unlit: bool,
}

impl LitSurface {
    /// Prepares the shading of a surface. `is_placed` states that the normals of the corners are
    /// directions in the world.
    pub(crate) fn new(
        view: &CameraView,
        conversion: &SpaceConversion,
        projection: Projection,
        is_flat: bool,
        is_placed: bool,
    ) -> Self {
        let [x, y, z, _] = conversion.map().columns();
        // A map of very small or very large scale would overflow `f32`.
        let columns = [cross(y, z), cross(z, x), cross(x, y)];
        let greatest = columns.iter().flatten().fold(0.0_f64, |most, part| most.max(part.abs()));
        let scale = if greatest > 0.0 { 1.0 / greatest } else { 1.0 };
        let [a, b, c] = columns.map(|column| column.map(|part| narrow(part * scale)));
        let ([ax, ay, az], [bx, by, bz], [cx, cy, cz]) = (a, b, c);
        let normal = [[ax, bx, cx], [ay, by, cy], [az, bz, cz]];
        Self {
            projection,
            normal,
            corner_normal: if is_placed { [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] } else { normal },
            winding: if conversion.reverses_corners() { -1.0 } else { 1.0 },
            is_flat,
            sign: if conversion.is_mirrored() && !is_placed { -1.0 } else { 1.0 },
            back: BACK,
            is_unlit: false,
            lights: LIGHTS.map(|(direction, _)| {
                let direction = view.axes.to_world(direction);
                let length = dot(direction, direction).sqrt();
                direction.map(|part| narrow(part / length))
            }),
        }
    }
}

impl LitSurface {
    /// Turns the triangles and the normals of the surface round if `is_inside_out`.
    pub(crate) fn with_inside_out(self, is_inside_out: bool) -> Self {
        let factor = if is_inside_out { -1.0 } else { 1.0 };
        Self { winding: self.winding * factor, sign: self.sign * factor, ..self }
    }

    /// Turns the triangles of the surface round if `is_reversed`, but not the normals.
    pub(crate) fn with_reversed(self, is_reversed: bool) -> Self {
        let factor = if is_reversed { -1.0 } else { 1.0 };
        Self { winding: self.winding * factor, ..self }
    }

    /// Draws the back of the triangles like the front if `is_two_sided`, and without light if
    /// `is_unlit`.
    pub(crate) fn with_style(self, is_two_sided: bool, is_unlit: bool) -> Self {
        Self { back: if is_two_sided { [1.0; 3] } else { BACK }, is_unlit, ..self }
    }
}

/// The lights of the studio: directions from the mesh to the right, up and towards the camera, and
/// linear colours. A large key light from the left and above, a fill light from the right, and a
/// rim light from above and behind.
const LIGHTS: [([f64; 3], [f32; 3]); 3] = [
    ([-0.45, 0.65, 0.75], [1.02, 1.00, 0.96]),
    ([0.85, 0.15, 0.45], [0.20, 0.22, 0.26]),
    ([0.25, 0.55, -0.85], [0.22, 0.22, 0.24]),
];
/// The light from the sky and from the floor.
const SKY: [f32; 3] = [0.26, 0.27, 0.29];
const FLOOR: [f32; 3] = [0.13, 0.12, 0.11];
/// The factors of the colour of the back of a triangle.
const BACK: [f32; 3] = [0.42, 0.44, 0.50];

kernel! {
    /// Computes the weights of the corners at the point of each fragment, and which side is
    /// visible.
    pub(crate) fn weigh(surface: &LitSurface, blocks: &mut [FragmentBlock]) {
        for block in blocks {
            weigh_block(surface, block);
        }
    }
}

kernel! {
    /// Computes the colours of fragments.
    pub(crate) fn light(surface: &LitSurface, blocks: &mut [FragmentBlock]) {
        for block in blocks {
            light_block(surface, block);
        }
    }
}

#[inline(always)]
fn weigh_block(surface: &LitSurface, block: &mut FragmentBlock) {
    let [ox, oy, oz] = surface.projection.origin;
    let [rx, ry, _, rw] = surface.projection.rows;
    let [px, py] = block.point;
    let corners = each(block.positions, |[x, y, z]| {
        let (x, y, z) = (map(x, |x| x - ox), map(y, |y| y - oy), map(z, |z| z - oz));
        let [x, y, w] = each([rx, ry, rw], |[a, b, c, d]| zip3(x, y, z, |x, y, z| (a * x + b * y) + (c * z + d)));
        // Relative to the point, so that small triangles far from the corner of the picture keep
        // their bits.
        [zip3(x, w, px, |x, w, p| x - w * p), zip3(y, w, py, |y, w, p| y - w * p)]
    });
    let [a, b, c] = corners;
    let area = |[ax, ay]: [Lanes<f32>; 2], [bx, by]: [Lanes<f32>; 2]| {
        zip(zip(ax, by, |a, b| a * b), zip(bx, ay, |a, b| a * b), |one, other| one - other)
    };
    let raw = [area(b, c), area(c, a), area(a, b)];
    let [p, q, r] = raw;
    let sum = zip3(p, q, r, |p, q, r| (p + q) + r);
    // On the screen, y points down: a counter-clockwise triangle has a negative area.
    block.facing = map(sum, |sum| if sum < 0.0 { surface.winding } else { -surface.winding });
    let positive = each(raw, |raw| {
        zip(raw, sum, |raw, sum| {
            let share = raw / sum;
            if share > 0.0 { share } else { 0.0 }
        })
    });
    let [p, q, r] = positive;
    let total = zip3(p, q, r, |p, q, r| (p + q) + r);
    block.weights = each(positive, |share| {
        zip(share, total, |share, total| {
            let weight = share / total;
            if weight >= 0.0 { weight } else { 1.0 / 3.0 }
        })
    });
}

/// Mixes the vectors of three corners.
#[inline(always)]
fn mixed(corners: [VectorLanes; 3], [p, q, r]: VectorLanes) -> VectorLanes {
    let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = corners;
    let mix = |a, b, c| {
        let (a, b, c) =
            (zip(a, p, |a: f32, p: f32| a * p), zip(b, q, |b: f32, q: f32| b * q), zip(c, r, |c: f32, r: f32| c * r));
        zip3(a, b, c, |a, b, c| (a + b) + c)
    };
    [mix(ax, bx, cx), mix(ay, by, cy), mix(az, bz, cz)]
}

/// Returns the normals of triangles, as long as twice the area of the triangle.
#[inline(always)]
fn facets([a, b, c]: [VectorLanes; 3]) -> VectorLanes {
    let minus = |one: VectorLanes, other: VectorLanes| {
        let ([x, y, z], [p, q, r]) = (one, other);
        [zip(x, p, |a, b| a - b), zip(y, q, |a, b| a - b), zip(z, r, |a, b| a - b)]
    };
    let ([ax, ay, az], [bx, by, bz]) = (minus(b, a), minus(c, a));
    let part = |p, q, r, s| zip(zip(p, q, |p: f32, q: f32| p * q), zip(r, s, |r: f32, s: f32| r * s), |a, b| a - b);
    [part(ay, bz, az, by), part(az, bx, ax, bz), part(ax, by, ay, bx)]
}

/// Turns normals to the world and scales them to unit length. A normal without a length is 0.
#[inline(always)]
fn turned(rows: &[[f32; 3]; 3], [x, y, z]: VectorLanes, sign: f32) -> VectorLanes {
    // The squares of coordinates near the limits of `f32` would overflow.
    let greatest = zip3(x, y, z, |x, y, z| x.abs().max(y.abs()).max(z.abs()));
    let scale = map(greatest, |most| if most > 0.0 { sign / most } else { 0.0 });
    let scaled = each([x, y, z], |part| zip(part, scale, |part, scale| part * scale));
    let [x, y, z] = scaled;
    let turned = each(*rows, |[a, b, c]| zip3(x, y, z, |x, y, z| (a * x + b * y) + c * z));
    let [x, y, z] = turned;
    let inverse = zip3(x, y, z, |x, y, z| {
        let square = (x * x + y * y) + z * z;
        if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 }
    });
    each(turned, |part| zip(part, inverse, |part, inverse| part * inverse))
}

#[inline(always)]
fn select(which: Lanes<bool>, one: VectorLanes, other: VectorLanes) -> VectorLanes {
    let ([x, y, z], [p, q, r]) = (one, other);
    each([(x, p), (y, q), (z, r)], |(one, other)| zip3(which, one, other, |which, a, b| if which { a } else { b }))
}

#[inline(always)]
fn light_block(surface: &LitSurface, block: &mut FragmentBlock) {
    if surface.is_unlit {
        block.color = each(block.albedo, |part| map(part, |part| if part < 1.0 { part } else { 1.0 }));
        return;
    }
    let flat = turned(&surface.normal, facets(block.positions), surface.winding);
    let normal = if surface.is_flat {
        flat
    } else {
        let smooth = turned(&surface.corner_normal, mixed(block.normals, block.weights), surface.sign);
        // A vertex without a normal has the normal of the triangle.
        let [x, y, z] = smooth;
        let is_known = zip3(x, y, z, |x, y, z| (x * x + y * y) + z * z > 0.5);
        select(is_known, smooth, flat)
    };
    let [x, y, z] = each(normal, |part| zip(part, block.facing, |part, facing| part * facing));
    let mut sum = [[0.0; LANES]; 3];
    let half = map(y, |y| 0.5 + 0.5 * y);
    for ((sum, sky), floor) in sum.iter_mut().zip(SKY).zip(FLOOR) {
        *sum = map(half, |half| floor + (sky - floor) * half);
    }
    for ([lx, ly, lz], (_, color)) in surface.lights.into_iter().zip(LIGHTS) {
        let amount = zip3(x, y, z, |x, y, z| {
            // Light that wraps around the surface softens the edge of the shade.
            let cosine = ((lx * x + ly * y) + lz * z) * 0.75 + 0.25;
            let cosine = if cosine > 0.0 { cosine } else { 0.0 };
            cosine * cosine * (0.4 + 0.6 * cosine)
        });
        for (sum, color) in sum.iter_mut().zip(color) {
            *sum = zip(*sum, amount, |sum, amount| sum + amount * color);
        }
    }
    for (((color, light), albedo), back) in block.color.iter_mut().zip(sum).zip(block.albedo).zip(surface.back) {
        *color = zip3(light, albedo, block.facing, |light, albedo, facing| {
            let color = light * albedo * if facing > 0.0 { 1.0 } else { back };
            if color < 1.0 { color } else { 1.0 }
        });
    }
}
