//! The groups of pixels around a triangle, its edge functions and its depths.

use std::ops::Range;

use super::block::{Area, ScreenTriangle};
use super::visibility::{GROUP, SAMPLE_POSITIONS, SAMPLES, VisibilityBuffer};
use crate::math::{as_index, fast_max, fast_min};
use crate::render::lanes::{LANES, Lanes};

/// The bound of the edge functions at the first sample of a group. Within a group, an edge function
/// changes by less.
const MAX_EDGE: i64 = 1 << 30;

/// The positions of the samples of a group relative to its left top corner, in sixteenths of a
/// pixel.
pub(super) const OFFSETS: [Lanes<i32>; 2] = offsets();

/// The positions of the samples of a group relative to the left top corner of their pixel, and the
/// x coordinates of the pixels relative to the group.
pub(super) const PIXEL_OFFSETS: [Lanes<f32>; 2] = [
    [6.0, 14.0, 2.0, 10.0, 6.0, 14.0, 2.0, 10.0, 6.0, 14.0, 2.0, 10.0, 6.0, 14.0, 2.0, 10.0],
    [2.0, 6.0, 10.0, 14.0, 2.0, 6.0, 10.0, 14.0, 2.0, 6.0, 10.0, 14.0, 2.0, 6.0, 10.0, 14.0],
];
pub(super) const PIXELS: Lanes<f32> =
    [0.0, 0.0, 0.0, 0.0, 16.0, 16.0, 16.0, 16.0, 32.0, 32.0, 32.0, 32.0, 48.0, 48.0, 48.0, 48.0];

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "at most 48")]
const fn offsets() -> [Lanes<i32>; 2] {
    let mut out = [[0; LANES]; 2];
    let mut lane = 0;
    while lane < LANES {
        let [x, y] = SAMPLE_POSITIONS[lane % SAMPLES];
        out[0][lane] = 16 * (lane / SAMPLES) as i32 + x;
        out[1][lane] = y;
        lane += 1;
    }
    out
}

/// The edge functions of a triangle, which are 0 or more inside of it.
pub(crate) struct Edges {
    /// The steps along x and y.
    pub(crate) a: [i64; 3],
    pub(crate) b: [i64; 3],
    /// The values at the origin.
    pub(crate) start: [i64; 3],
}

/// Returns the edge functions of a triangle, or `None` if it has no area.
#[inline(always)]
pub(crate) fn edges(triangle: &ScreenTriangle) -> Option<Edges> {
    let ([x0, x1, x2], [y0, y1, y2]) = (triangle.x, triangle.y);
    let [px, py, qx, qy] = [(x1, x0), (y1, y0), (x2, x0), (y2, y0)].map(|(a, b)| i64::from(a.wrapping_sub(b)));
    let area = px.wrapping_mul(qy).wrapping_sub(qx.wrapping_mul(py));
    let [x1, y1, x2, y2] = if area > 0 { [x1, y1, x2, y2] } else { [x2, y2, x1, y1] };
    let mut edges = Edges { a: [0; 3], b: [0; 3], start: [0; 3] };
    let places = edges.a.iter_mut().zip(&mut edges.b).zip(&mut edges.start);
    for (((a, b), start), [ax, ay, bx, by]) in places.zip([[x1, y1, x2, y2], [x2, y2, x0, y0], [x0, y0, x1, y1]]) {
        (*a, *b) = (i64::from(ay.wrapping_sub(by)), i64::from(bx.wrapping_sub(ax)));
        // An edge on the top or the left of the triangle contains the samples on it.
        let bias = i64::from(!(*a > 0 || (*a == 0 && *b > 0)));
        *start = a.wrapping_mul(i64::from(ax)).wrapping_add(b.wrapping_mul(i64::from(ay)));
        *start = start.wrapping_add(bias).wrapping_neg();
    }
    (area != 0).then_some(edges)
}

/// Returns the steps of the depth of a triangle along x and y.
#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "at most 2^22")]
pub(crate) fn slope(triangle: &ScreenTriangle) -> [f32; 2] {
    let ([x0, x1, x2], [y0, y1, y2], [z0, z1, z2]) = (triangle.x, triangle.y, triangle.z);
    let (px, py, pz) = (x1.wrapping_sub(x0) as f32, y1.wrapping_sub(y0) as f32, z1 - z0);
    let (qx, qy, qz) = (x2.wrapping_sub(x0) as f32, y2.wrapping_sub(y0) as f32, z2 - z0);
    let inverse = 1.0 / (px * qy - qx * py);
    [(pz * qy - qz * py) * inverse, (qz * px - pz * qx) * inverse]
}

/// Returns the least and the greatest of three numbers.
#[inline(always)]
fn extent([a, b, c]: [i32; 3]) -> [i32; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}

/// The depths of a triangle.
pub(super) struct Depths {
    /// The steps along x and y.
    pub(super) slope: [f32; 2],
    /// The least and the greatest depth.
    pub(super) range: [f32; 2],
    /// The depth of the first corner.
    first: f32,
}

impl Depths {
    #[inline(always)]
    pub(super) fn new(triangle: &ScreenTriangle) -> Self {
        let [z0, z1, z2] = triangle.z;
        let range = [fast_min(fast_min(z0, z1), z2), fast_max(fast_max(z0, z1), z2)];
        Self { slope: slope(triangle), range, first: z0 }
    }

    /// Returns the depth at the x coordinate of the first corner. `y` is relative to this corner.
    #[inline(always)]
    #[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "at most 2^22")]
    pub(super) fn at_row(&self, y: i32) -> f32 {
        let [_, zy] = self.slope;
        self.first + zy * y as f32
    }
}

/// The walk over the groups of pixels around a triangle, row by row.
pub(super) struct GroupWalk {
    /// The number of rows.
    pub(super) rows: i32,
    /// The groups of the row in the buffer.
    pub(super) groups: Range<usize>,
    /// The number of groups of all rows, which is 0 if the triangle is outside the area.
    pub(super) work: u64,
    /// Whether a row has few groups.
    pub(super) is_narrow: bool,
    /// The left top corner of the first group of the row, relative to the first corner of the
    /// triangle.
    pub(super) x: i32,
    pub(super) y: i32,
    /// The values of the edge functions there.
    pub(super) values: [i64; 3],
    /// The steps of the edge functions along x and y.
    pub(super) steps: [[i32; 3]; 2],
    /// The steps of the edge functions to the next group and to the next row.
    pub(super) across: [i64; 3],
    down: [i64; 3],
    row_groups: usize,
}

impl GroupWalk {
    /// Starts a walk, or returns `None` if the triangle has no area.
    #[inline(always)]
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a step is at most 2^22")]
    pub(super) fn new(buffer: &VisibilityBuffer, area: &Area, triangle: &ScreenTriangle) -> Option<Self> {
        let Edges { a, b, start } = edges(triangle)?;
        let ([left, top], [right, bottom]) = (area.min, area.max);
        let ([min_x, max_x], [min_y, max_y]) = (extent(triangle.x), extent(triangle.y));
        let (first_group, last_group) = (min_x.max(left) >> 6, max_x.min(right.wrapping_sub(1)) >> 6);
        let (first_row, last_row) = (min_y.max(top) >> 4, max_y.min(bottom.wrapping_sub(1)) >> 4);
        let (x, y) = (first_group.wrapping_mul(64), first_row.wrapping_mul(16));
        let mut values = start;
        for ((value, a), b) in values.iter_mut().zip(a).zip(b) {
            let along = a.wrapping_mul(i64::from(x)).wrapping_add(b.wrapping_mul(i64::from(y)));
            *value = value.wrapping_add(along);
        }
        let row_groups = as_index(buffer.groups);
        let line = as_index(first_row.wrapping_sub(top >> 4).cast_unsigned()).wrapping_mul(row_groups);
        let first = line.wrapping_add(as_index(first_group.cast_unsigned()));
        let count = last_group.wrapping_sub(first_group).wrapping_add(1);
        let ([x0, ..], [y0, ..], [a0, a1, a2], [b0, b1, b2]) = (triangle.x, triangle.y, a, b);
        let rows = last_row.wrapping_sub(first_row).wrapping_add(1);
        let [wide, high] = [count, rows].map(|count| u64::from(count.max(0).cast_unsigned()));
        Some(Self {
            rows,
            work: wide.wrapping_mul(high),
            groups: first..first.wrapping_add(as_index(count.cast_unsigned())),
            is_narrow: count <= 2,
            x: x.wrapping_sub(x0),
            y: y.wrapping_sub(y0),
            values,
            steps: [[a0 as i32, a1 as i32, a2 as i32], [b0 as i32, b1 as i32, b2 as i32]],
            across: [a0 << 6, a1 << 6, a2 << 6],
            down: [b0 << 4, b1 << 4, b2 << 4],
            row_groups,
        })
    }

    /// Goes to the next row.
    #[inline(always)]
    pub(super) fn next_row(&mut self) {
        for (value, step) in self.values.iter_mut().zip(self.down) {
            *value = value.wrapping_add(step);
        }
        self.y = self.y.wrapping_add(16);
        let Range { start, end } = self.groups;
        self.groups = start.wrapping_add(self.row_groups)..end.wrapping_add(self.row_groups);
    }
}

/// Returns the value of an edge function in 32 bits. The sign of a value beyond the limits is the
/// same at all samples of a group.
#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "at most 2^30")]
pub(super) fn limited(value: i64) -> i32 {
    value.clamp(-MAX_EDGE, MAX_EDGE) as i32
}

const _: () = assert!(GROUP == 4 && SAMPLES == 4);
