//! The edges of the triangles, drawn over their fragments.
//!
//! The distance of a fragment from an edge is computed on the screen, so an edge has the same width
//! at every depth. Edges of triangles that are smaller than a few pixels are faint, which keeps a
//! dense mesh legible.

use super::light::{FragmentBlock, VectorLanes};
use crate::math::narrow;
use crate::render::lanes::{LANES, Lanes, map, zip, zip3};
use crate::render::raster::projection::Projection;
use crate::render::srgb::linear;
use crate::simd::kernel;

/// The colour of edges in sRGB.
const INK: [u8; 3] = [24, 27, 33];
/// The opacity of edges over shaded surfaces.
const OVER: f32 = 0.62;
/// The altitude of a triangle, in pixels, from which its edges have their full strength.
const DENSE: f32 = 4.5;
/// The least width of an edge in pixels.
const THINNEST: f64 = 1.4;
/// The least strength of an edge.
const FAINTEST: f32 = 0.18;

/// How the edges of triangles are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeStyle {
    /// Half the width of an edge, in pixels.
    half: f32,
    /// The linear colour.
    ink: [f32; 3],
    /// Whether only the edges are drawn, without the surfaces.
    is_alone: bool,
}

impl EdgeStyle {
    /// Makes the style for lines of a width in pixels. Thinner lines than [`THINNEST`] become
    /// wider: each triangle draws only its half of an edge.
    pub(crate) fn new(width: f64, is_alone: bool) -> Self {
        Self { half: narrow(width.max(THINNEST) / 2.0), ink: linear(INK), is_alone }
    }
}

kernel! {
    /// Draws the edges of the triangles of fragments, whose colours are already computed.
    pub(crate) fn draw_edges(style: &EdgeStyle, projection: &Projection, blocks: &mut [FragmentBlock]) {
        for block in blocks {
            draw_block(style, projection, block);
        }
    }
}

#[inline(always)]
fn draw_block(style: &EdgeStyle, projection: &Projection, block: &mut FragmentBlock) {
    let strength = edge_strength(style.half, &corners(projection, block));
    if style.is_alone {
        block.color = style.ink.map(|ink| [ink; LANES]);
        block.coverage = strength;
        return;
    }
    for (color, ink) in block.color.iter_mut().zip(style.ink) {
        *color = zip(*color, strength, |color, strength| color + (ink - color) * (strength * OVER));
    }
}

/// Returns x, y and w of the corners on the screen, where x and y are relative to the point of the
/// fragment and multiplied by w.
#[inline(always)]
fn corners(projection: &Projection, block: &FragmentBlock) -> [VectorLanes; 3] {
    let [ox, oy, oz] = projection.origin;
    let [rx, ry, _, rw] = projection.rows;
    let [px, py] = block.point;
    block.positions.map(|[x, y, z]| {
        let (x, y, z) = (map(x, |x| x - ox), map(y, |y| y - oy), map(z, |z| z - oz));
        let [x, y, w] = [rx, ry, rw].map(|[a, b, c, d]| zip3(x, y, z, |x, y, z| (a * x + b * y) + (c * z + d)));
        [zip3(x, w, px, |x, w, p| x - w * p), zip3(y, w, py, |y, w, p| y - w * p), w]
    })
}

/// Returns how strong the edges are at the point of each fragment, from 0 to 1.
#[inline(always)]
fn edge_strength(half: f32, [a, b, c]: &[VectorLanes; 3]) -> Lanes<f32> {
    let lines = [(b, c), (c, a), (a, b)].map(|(from, to)| line(from, to));
    // The determinant of the corners: their area on the screen times the product of their w.
    let mut volume = [0.0; LANES];
    for ([_, offset], [.., w]) in lines.iter().zip([a, b, c]) {
        volume = zip3(volume, *offset, *w, |sum, offset, w| sum + offset * w);
    }
    let mut strongest = [0.0; LANES];
    for ([length, offset], [.., w]) in lines.iter().zip([a, b, c]) {
        let distance = zip(*offset, *length, |offset, length| offset.abs() / (length * 16.0));
        let altitude = zip3(volume, *length, *w, |volume, length, w| volume.abs() / (length * w.abs() * 16.0));
        let strength = zip(distance, altitude, |distance, altitude| {
            let fade = altitude / DENSE;
            let fade = if fade > FAINTEST { fade } else { FAINTEST };
            let fade = if fade < 1.0 { fade } else { 1.0 };
            let cover = half + 0.5 - distance;
            let cover = if cover > 0.0 { cover } else { 0.0 };
            (if cover < 1.0 { cover } else { 1.0 }) * fade
        });
        strongest = zip(strongest, strength, |most, strength| if strength > most { strength } else { most });
    }
    strongest
}

/// Returns the line through two corners: the length of its normal, and the product of this length
/// and the distance from the point of the fragment.
#[inline(always)]
fn line([ax, ay, aw]: &VectorLanes, [bx, by, bw]: &VectorLanes) -> [Lanes<f32>; 2] {
    let minus = |p: &Lanes<f32>, q: &Lanes<f32>, r: &Lanes<f32>, s: &Lanes<f32>| {
        zip(zip(*p, *q, |p, q| p * q), zip(*r, *s, |r, s| r * s), |one, other| one - other)
    };
    let (x, y, offset) = (minus(ay, bw, aw, by), minus(aw, bx, ax, bw), minus(ax, by, ay, bx));
    [zip(x, y, |x, y| (x * x + y * y).sqrt()), offset]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The strength at the middle of a pixel of the triangle with corners in pixels.
    fn strength(corners: [[f32; 2]; 3], [x, y]: [f32; 2]) -> f32 {
        let lanes = corners.map(|[cx, cy]| [[(cx - x) * 16.0; LANES], [(cy - y) * 16.0; LANES], [1.0; LANES]]);
        edge_strength(0.75, &lanes)[0]
    }

    #[test]
    fn draws_the_edges_and_not_the_inside() {
        let triangle = [[0.0, 0.0], [40.0, 0.0], [0.0, 40.0]];
        assert!((strength(triangle, [10.0, 0.0]) - 1.0).abs() < 1e-6);
        assert!((strength(triangle, [0.5, 20.0]) - 0.75).abs() < 1e-6);
        assert!(strength(triangle, [12.0, 12.0]) == 0.0);
    }

    #[test]
    fn small_triangles_have_faint_edges() {
        let triangle = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];
        assert!(strength(triangle, [0.5, 0.5]) < 0.5);
        assert!(strength([[0.0; 2]; 3], [0.5, 0.5]) <= FAINTEST);
        assert!(strength([[f32::NAN; 2]; 3], [0.5, 0.5]) <= FAINTEST);
    }
}
