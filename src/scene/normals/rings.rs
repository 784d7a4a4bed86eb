//! Adds up the facet normals of the triangles around each vertex.

use std::ops::Range;

use crate::error::Result;
use crate::math::{add, as_index, cross, dot, narrow, subtract};
use crate::parse::filled;

/// The greatest number of triangles around a vertex that is smoothed. The corners of other vertices
/// have the normals of their triangles, because comparing all pairs of edges would take too long.
const MAX_RING: usize = 256;
/// The part of the cosine by which facets at exactly the crease angle may differ.
const TOLERANCE: f64 = 1e-6;
/// The cosine from which two facets are the two sides of one surface.
const OPPOSITE: f64 = -0.9999;

/// Which edges are creases.
pub(super) struct Crease {
    /// The cosine of the crease angle.
    cosine: f64,
    /// The factor of facet normals: -1 if the conversion reverses the corners.
    sign: f64,
}

impl Crease {
    pub(super) fn new(degrees: f32, reverses_corners: bool) -> Self {
        let radians = f64::from(degrees).clamp(0.0, 180.0) * (std::f64::consts::PI / 180.0);
        Self { cosine: cosine(radians) - TOLERANCE, sign: if reverses_corners { -1.0 } else { 1.0 } }
    }
}

/// The corners around each vertex of a pool.
#[derive(Default)]
pub(super) struct Rings {
    /// For each vertex the index of its first corner, and at the end the number of corners.
    starts: Vec<u32>,
    /// The numbers of the corners in the pool, vertex by vertex.
    corners: Vec<u32>,
}

/// A triangle at a vertex.
#[derive(Clone, Copy)]
struct RingFacet {
    corner: u32,
    /// The vertices of the other corners.
    others: [u32; 2],
    /// The unit normal in the base shape, or `None` for a triangle without area.
    base: Option<[f64; 3]>,
    /// The weighted normal.
    weighted: [f64; 3],
    /// The normal, as long as twice the area.
    facet: [f64; 3],
}

/// Returns the position of a vertex, or NaN.
type Place<'p> = &'p dyn Fn(u32) -> [f64; 3];

impl Rings {
    /// Sorts the corners of triangles by their vertices.
    pub(super) fn new(triangles: &[[u32; 3]], vertices: usize) -> Result<Self> {
        let indices = triangles.as_flattened();
        let mut starts = filled("scene", "normals", vertices.saturating_add(1), 0_u32)?;
        for index in indices {
            starts.get_mut(as_index(*index)).into_iter().for_each(|count| *count = count.saturating_add(1));
        }
        if let Some(others) = starts.last_mut() {
            *others = 0;
        }
        let mut sum = 0_u32;
        for start in &mut starts {
            sum = sum.saturating_add(*start);
            *start = sum;
        }
        // Each start is now the end of its vertex, and moves back to the start below.
        let mut corners = filled("scene", "normals", as_index(sum), 0_u32)?;
        for (corner, index) in indices.iter().enumerate().rev() {
            let index = as_index(*index);
            let Some(start) = starts.get_mut(index).filter(|_| index < vertices) else { continue };
            *start = start.saturating_sub(1);
            if let Some((place, corner)) = corners.get_mut(as_index(*start)).zip(u32::try_from(corner).ok()) {
                *place = corner;
            }
        }
        Ok(Self { starts, corners })
    }

    /// Computes the normals of the corners of the triangles `wanted`. `shape` returns the positions,
    /// and `base` those of the base shape if it is another one.
    pub(super) fn normals(
        &self,
        (triangles, wanted): (&[[u32; 3]], Range<usize>),
        crease: &Crease,
        (shape, base): (Place<'_>, Option<Place<'_>>),
        out: &mut [[f32; 3]],
    ) {
        let first = wanted.start.saturating_mul(3);
        let (mut facets, mut groups) = (Vec::new(), Vec::new());
        let mut is_done = vec![0_u64; out.len().div_ceil(64)];
        for (number, index) in triangles.get(wanted).unwrap_or_default().as_flattened().iter().enumerate() {
            if is_done.get(number / 64).is_none_or(|word| word & 1_u64.rotate_left(low_bits(number)) != 0) {
                continue;
            }
            let ring = self.ring(*index);
            facets.clear();
            if ring.len() <= MAX_RING {
                facets.extend(ring.iter().map(|corner| RingFacet::new(*corner, triangles, (shape, base))));
            } else {
                // The corner stays alone.
                let corner = u32::try_from(first.saturating_add(number)).unwrap_or(u32::MAX);
                facets.push(RingFacet::new(corner, triangles, (shape, base)));
            }
            crease.sum(&facets, &mut groups, &mut |corner, normal| {
                let Some(place) = as_index(corner).checked_sub(first) else { return };
                if let Some((out, word)) = out.get_mut(place).zip(is_done.get_mut(place / 64)) {
                    *out = normal;
                    *word |= 1_u64.rotate_left(low_bits(place));
                }
            });
        }
    }

    /// Returns the corners around a vertex.
    fn ring(&self, vertex: u32) -> &[u32] {
        let start = self.starts.get(as_index(vertex));
        let end = self.starts.get(as_index(vertex).saturating_add(1));
        let range = start.zip(end).map(|(start, end)| as_index(*start)..as_index(*end));
        range.and_then(|range| self.corners.get(range)).unwrap_or_default()
    }
}

/// Returns the lowest bits of a number.
fn low_bits(number: usize) -> u32 {
    u32::try_from(number % 64).unwrap_or_default()
}

impl RingFacet {
    /// Returns whether both triangles have an edge at the vertex in common.
    fn meets(&self, other: &Self) -> bool {
        self.others.iter().any(|vertex| other.others.contains(vertex))
    }

    fn new(corner: u32, triangles: &[[u32; 3]], (shape, base): (Place<'_>, Option<Place<'_>>)) -> Self {
        let [mut a, mut b, mut c] = triangles.get(as_index(corner / 3)).copied().unwrap_or([u32::MAX; 3]);
        for _ in 0..corner % 3 {
            (a, b, c) = (b, c, a);
        }
        let (weighted, facet) = weighted([a, b, c].map(shape));
        let base = base.map_or(facet, |base| self::facet([a, b, c].map(base)));
        Self { corner, others: [b, c], base: unit(base), weighted, facet }
    }
}

impl Crease {
    /// Adds up the facets of a vertex that are joined by smooth edges, and passes the normal of each
    /// corner to `visit`.
    fn sum(&self, facets: &[RingFacet], groups: &mut Vec<usize>, visit: &mut dyn FnMut(u32, [f32; 3])) {
        self.join(facets, groups);
        for (facet, group) in facets.iter().zip(groups.iter()) {
            let joined = facets.iter().zip(groups.iter()).filter(|(_, other)| *other == group);
            let sum = joined.fold([0.0; 3], |sum, (other, _)| add(sum, other.weighted));
            let normal = unit(sum).or_else(|| unit(facet.facet)).unwrap_or_default();
            visit(facet.corner, normal.map(|part| narrow(part * self.sign)));
        }
    }

    /// Sets the group of each facet of a vertex. Facets on both sides of a smooth edge are in one
    /// group.
    fn join(&self, facets: &[RingFacet], groups: &mut Vec<usize>) {
        groups.clear();
        groups.extend(0..facets.len());
        let mut join = |one: usize, other: usize| {
            let Some((from, to)) = groups.get(one).copied().zip(groups.get(other).copied()) else { return };
            groups.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        };
        let cosine = |one: &RingFacet, other: &RingFacet| Some(dot(one.base?, other.base?));
        // The two sides of a surface would cancel each other out.
        let is_opposite = |one, other| cosine(one, other).is_some_and(|cosine| cosine < OPPOSITE);
        let has_back = self.cosine < 0.0 && facets.iter().any(|one| facets.iter().any(|other| is_opposite(one, other)));
        let least = if has_back { 0.0 } else { self.cosine };
        for (number, one) in facets.iter().enumerate() {
            for (other_number, other) in facets.iter().enumerate().take(number).filter(|(_, other)| one.meets(other)) {
                if cosine(one, other).is_some_and(|cosine| cosine >= least) {
                    join(number, other_number);
                }
            }
        }
        // A triangle without area joins one of its neighbours, so that no crease disappears.
        for (number, one) in facets.iter().enumerate().filter(|(_, one)| one.base.is_none()) {
            let mut others = facets.iter().enumerate().filter(|(_, other)| one.meets(other));
            let is_known = |(_, other): &(usize, &RingFacet)| other.base.is_some();
            let found = others.clone().find(is_known).or_else(|| others.find(|(other, _)| *other != number));
            found.into_iter().for_each(|(other, _)| join(number, other));
        }
    }
}

/// Returns the unit normal of the plane of a triangle, or 0 if it has no area.
pub(super) fn facet_normal(corners: [[f64; 3]; 3]) -> [f32; 3] {
    unit(facet(corners)).unwrap_or_default().map(narrow)
}

/// Returns the normal of a triangle, as long as twice its area.
fn facet([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    cross(subtract(b, a), subtract(c, a))
}

/// Returns the normal of a triangle, as long as twice its area, multiplied by the angle at its
/// first corner, and the normal itself. Both are 0 if a coordinate is not finite.
fn weighted([a, b, c]: [[f64; 3]; 3]) -> ([f64; 3], [f64; 3]) {
    let (ab, ac) = (subtract(b, a), subtract(c, a));
    let (facet, product) = (cross(ab, ac), dot(ab, ab) * dot(ac, ac));
    if !(product > 0.0 && product.is_finite()) {
        return ([0.0; 3], [0.0; 3]);
    }
    let angle = arc_cosine(dot(ab, ac) / product.sqrt());
    (facet.map(|part| part * angle), facet)
}

fn unit(direction: [f64; 3]) -> Option<[f64; 3]> {
    let length = dot(direction, direction).sqrt();
    (length > 0.0 && length.is_finite()).then(|| direction.map(|part| part / length))
}

/// Returns the angle with a cosine, with an error of at most 2e-8.
///
/// The functions of the standard library do not give the same bits on every machine. The polynomial
/// is 4.4.46 of Abramowitz and Stegun, Handbook of Mathematical Functions.
fn arc_cosine(cosine: f64) -> f64 {
    const PARTS: [f64; 8] = [
        -0.001_262_491_1,
        0.006_670_090_1,
        -0.017_088_125_6,
        0.030_891_881_0,
        -0.050_174_304_6,
        0.088_978_987_4,
        -0.214_598_801_6,
        1.570_796_305_0,
    ];
    let x = cosine.abs().min(1.0);
    let angle = (1.0 - x).sqrt() * PARTS.into_iter().fold(0.0, |sum, part| sum * x + part);
    if cosine < 0.0 { std::f64::consts::PI - angle } else { angle }
}

/// Returns the cosine of an angle of 0 to π, with the same bits on every machine.
fn cosine(angle: f64) -> f64 {
    let (mut term, mut sum, mut count) = (1.0, 1.0, 0.0);
    for _ in 0..16 {
        count += 2.0;
        term *= -angle * angle / (count * (count - 1.0));
        sum += term;
    }
    sum
}
