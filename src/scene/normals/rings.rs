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

/// The least length of a sum of facets, as a part of their lengths. Shorter sums are rounding
/// errors.
const MIN_SUM: f64 = 1e-6;
/// The mark of the first corner of a group in a ring.
const FIRST: u32 = 1 << 31;

/// The greatest number of positions of triangles in later frames that are read to find creases.
const MAX_LATER: u32 = 1 << 20;

/// Returns the position of a vertex, or NaN.
pub(super) type PositionOf<'p> = &'p dyn Fn(u32) -> [f64; 3];

/// The shapes of a mesh in which its creases are found.
#[derive(Clone, Copy)]
pub(super) struct CreaseShapes<'p> {
    /// Returns the corners of a triangle in a vertex frame. Frame 0 is the base shape.
    pub(super) corners: &'p dyn Fn([u32; 3], u32) -> [[f64; 3]; 3],
    /// The number of vertex frames, or 0.
    pub(super) frames: u32,
}

/// The corners around each vertex of a pool, in groups that smooth edges join.
pub(super) struct Rings {
    /// For each vertex the index of its first corner, and at the end the number of corners.
    starts: Vec<u32>,
    /// The numbers of the corners in the pool, vertex by vertex and group by group. The first of
    /// each group has the mark [`FIRST`].
    corners: Vec<u32>,
}

/// The corners of the triangles of a surface.
#[derive(Default)]
pub(crate) struct CornerGroups {
    /// The normal of each corner, in the conventions of the output, or 0.
    pub(crate) normals: Vec<[f32; 3]>,
    /// The number of the group of each corner, if the mesh has several shapes. Corners of a group
    /// have equal normals in every shape.
    pub(crate) groups: Vec<u32>,
}

impl CornerGroups {
    /// Removes the groups if there are not several vertex frames.
    pub(super) fn for_frames(self, count: usize) -> Self {
        if count > 1 { self } else { Self { groups: Vec::new(), ..self } }
    }

    /// Returns whether two corners have equal normals in every shape.
    pub(crate) fn are_equal(&self, one: u32, other: u32) -> bool {
        let normal = |corner: u32| self.normals.get(as_index(corner)).map(|normal| normal.map(f32::to_bits));
        let group = |corner: u32| self.groups.get(as_index(corner));
        if self.groups.is_empty() { normal(one) == normal(other) } else { group(one) == group(other) }
    }
}

/// A triangle at a vertex.
#[derive(Clone, Copy)]
struct RingFacet {
    corner: u32,
    /// The vertices of the other corners.
    others: [u32; 2],
    /// The first frame in which the triangle has an area, or 0.
    frame: u32,
    /// The unit normal in this frame, or `None` for a triangle without area.
    normal: Option<[f64; 3]>,
}

impl Rings {
    /// Sorts the corners of triangles by their vertices, and joins the corners of a vertex over
    /// edges that are not sharper than an angle in degrees. The vertices are below `vertices`.
    pub(super) fn new(triangles: &[[u32; 3]], vertices: usize, shapes: CreaseShapes<'_>, degrees: f32) -> Result<Self> {
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
        let mut rings = Self { starts, corners };
        rings.join(triangles, shapes, degrees);
        Ok(rings)
    }

    /// Sorts the corners around each vertex by their groups.
    fn join(&mut self, triangles: &[[u32; 3]], shapes: CreaseShapes<'_>, degrees: f32) {
        let least = cosine(f64::from(degrees).clamp(0.0, 180.0).to_radians()) - TOLERANCE;
        let (mut facets, mut groups, mut later) = (Vec::new(), Vec::new(), MAX_LATER);
        let normal_in = |facet: &RingFacet, frame: u32| {
            if facet.frame == frame {
                facet.normal
            } else {
                shapes.normal(corners_from(triangles, facet.corner), frame)
            }
        };
        let Self { starts, corners } = self;
        for (start, end) in starts.iter().zip(starts.iter().skip(1)) {
            let Some(ring) = corners.get_mut(as_index(*start)..as_index(*end)) else { continue };
            if ring.len() > MAX_RING {
                for corner in ring {
                    *corner |= FIRST;
                }
                continue;
            }
            facets.clear();
            facets.extend(ring.iter().map(|corner| RingFacet::new(*corner, triangles, shapes, &mut later)));
            join(&facets, least, &normal_in, &mut groups);
            let mut left = ring.iter_mut();
            for group in 0..facets.len() {
                let members = facets.iter().zip(&groups).filter(|(_, other)| **other == group);
                for ((number, (facet, _)), place) in members.enumerate().zip(&mut left) {
                    *place = facet.corner | if number == 0 { FIRST } else { 0 };
                }
            }
        }
    }

    /// Adds up the facets of each group of the corners of the triangles `wanted`. `shape` returns
    /// the positions, and the normals are multiplied by `sign`.
    pub(super) fn normals(
        &self,
        (triangles, wanted): (&[[u32; 3]], Range<usize>),
        shape: PositionOf<'_>,
        sign: f64,
    ) -> Result<CornerGroups> {
        let (first, count) = (wanted.start.saturating_mul(3), wanted.len().saturating_mul(3));
        let mut out = CornerGroups {
            normals: filled("scene", "normals", count, [0.0; 3])?,
            groups: filled("scene", "normals", count, u32::MAX)?,
        };
        for (number, vertex) in triangles.get(wanted).unwrap_or_default().as_flattened().iter().enumerate() {
            if out.groups.get(number).is_none_or(|group| *group != u32::MAX) {
                continue;
            }
            let is_alike = |_: &u32, other: &u32| other & FIRST == 0;
            let wanted = |corner: &u32| {
                let place = as_index(corner & !FIRST).checked_sub(first)?;
                (place < count).then_some(place)
            };
            for group in self.ring(*vertex).chunk_by(is_alike) {
                let Some(lead) = group.iter().find_map(wanted) else { continue };
                let (mut sum, mut size) = ([0.0; 3], 0.0);
                for corner in group {
                    let part = weighted(corners_from(triangles, corner & !FIRST).map(shape));
                    (sum, size) = (add(sum, part), size + dot(part, part).sqrt());
                }
                let is_known = dot(sum, sum).sqrt() > MIN_SUM * size;
                let normal = unit(sum).filter(|_| is_known).map(|normal| normal.map(|part| narrow(part * sign) + 0.0));
                for corner in group {
                    let Some(place) = wanted(corner) else { continue };
                    // Facets that cancel each other out still have planes.
                    let own = || facet_normal(corners_from(triangles, corner & !FIRST).map(shape), sign);
                    let value = normal.unwrap_or_else(own);
                    out.normals.iter_mut().skip(place).take(1).for_each(|normal| *normal = value);
                    let lead = if normal.is_some() { lead } else { place };
                    let lead = u32::try_from(lead).unwrap_or_default();
                    out.groups.iter_mut().skip(place).take(1).for_each(|group| *group = lead);
                }
            }
        }
        Ok(out)
    }

    /// Returns the corners around a vertex.
    fn ring(&self, vertex: u32) -> &[u32] {
        let start = self.starts.get(as_index(vertex));
        let end = self.starts.get(as_index(vertex).saturating_add(1));
        let range = start.zip(end).map(|(start, end)| as_index(*start)..as_index(*end));
        range.and_then(|range| self.corners.get(range)).unwrap_or_default()
    }
}

/// Returns the vertices of the triangle of a corner, from that of the corner.
fn corners_from(triangles: &[[u32; 3]], corner: u32) -> [u32; 3] {
    let [a, b, c] = triangles.get(as_index(corner / 3)).copied().unwrap_or([u32::MAX; 3]);
    match corner % 3 {
        0 => [a, b, c],
        1 => [b, c, a],
        _ => [c, a, b],
    }
}

impl CreaseShapes<'_> {
    /// Returns the unit normal of a triangle in a frame, or `None` if it has no area there.
    fn normal(self, vertices: [u32; 3], frame: u32) -> Option<[f64; 3]> {
        unit(facet((self.corners)(vertices, frame)))
    }
}

impl RingFacet {
    /// Reads the triangle of a corner. `later` is the number of reads of later frames that are
    /// left.
    fn new(corner: u32, triangles: &[[u32; 3]], shapes: CreaseShapes<'_>, later: &mut u32) -> Self {
        let vertices = corners_from(triangles, corner);
        let [_, second, third] = vertices;
        let (mut frame, mut normal) = (0_u32, shapes.normal(vertices, 0));
        while normal.is_none() && frame.saturating_add(1) < shapes.frames && *later > 0 {
            (frame, *later) = (frame.saturating_add(1), later.saturating_sub(1));
            normal = shapes.normal(vertices, frame);
        }
        Self { corner, others: [second, third], frame: if normal.is_some() { frame } else { 0 }, normal }
    }

    /// Returns whether both triangles have an edge at the vertex in common.
    fn meets(&self, other: &Self) -> bool {
        self.others.iter().any(|vertex| other.others.contains(vertex))
    }
}

/// Sets the group of each facet of a vertex. Facets on both sides of a smooth edge are in one
/// group: their cosine is at least `least` in the first frame in which both have an area.
fn join(
    facets: &[RingFacet],
    least: f64,
    normal_in: &dyn Fn(&RingFacet, u32) -> Option<[f64; 3]>,
    groups: &mut Vec<usize>,
) {
    groups.clear();
    groups.extend(0..facets.len());
    let mut join = |one: usize, other: usize, is_later: bool| {
        let Some((from, to)) = groups.get(one).copied().zip(groups.get(other).copied()) else { return };
        // A triangle that grows later does not smooth a crease of the base shape beside it.
        let is_base = |wanted: usize| {
            facets.iter().zip(&*groups).any(|(one, group)| *group == wanted && one.frame == 0 && one.normal.is_some())
        };
        if is_later && from != to && is_base(from) && is_base(to) {
            return;
        }
        groups.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
    };
    let cosine = |one: &RingFacet, other: &RingFacet| {
        let frame = one.frame.max(other.frame);
        Some(dot(normal_in(one, frame)?, normal_in(other, frame)?))
    };
    // The two sides of a surface would cancel each other out.
    let is_opposite = |one, other| cosine(one, other).is_some_and(|cosine| cosine < OPPOSITE);
    let has_back = least < 0.0 && facets.iter().any(|one| facets.iter().any(|other| is_opposite(one, other)));
    let least = if has_back { 0.0 } else { least };
    let has_later = facets.iter().any(|facet| facet.frame > 0);
    for is_later in [false, true].into_iter().take(if has_later { 2 } else { 1 }) {
        for (number, one) in facets.iter().enumerate() {
            for (other_number, other) in facets.iter().enumerate().take(number).filter(|(_, other)| one.meets(other)) {
                let is_now = (one.frame.max(other.frame) > 0) == is_later;
                if is_now && cosine(one, other).is_some_and(|cosine| cosine >= least) {
                    join(number, other_number, is_later);
                }
            }
        }
    }
    // A triangle without area joins one of its neighbours: no crease disappears.
    for (number, one) in facets.iter().enumerate().filter(|(_, one)| one.normal.is_none()) {
        let mut others = facets.iter().enumerate().filter(|(_, other)| one.meets(other));
        let is_known = |(_, other): &(usize, &RingFacet)| other.normal.is_some();
        let found = others.clone().find(is_known).or_else(|| others.find(|(other, _)| *other != number));
        if let Some((other, _)) = found {
            join(number, other, false);
        }
    }
}

/// Returns the unit normal of the plane of a triangle, multiplied by `sign`, or 0 if it has no
/// area.
pub(super) fn facet_normal(corners: [[f64; 3]; 3], sign: f64) -> [f32; 3] {
    unit(facet(corners)).unwrap_or_default().map(|part| narrow(part * sign) + 0.0)
}

/// Returns the normal of a triangle, as long as twice its area.
fn facet([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    cross(subtract(b, a), subtract(c, a))
}

/// Returns the normal of a triangle, as long as twice its area, multiplied by the angle at its
/// first corner. It is 0 if a coordinate is not finite.
fn weighted([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let (ab, ac) = (subtract(b, a), subtract(c, a));
    let product = dot(ab, ab) * dot(ac, ac);
    if !(product > 0.0 && product.is_finite()) {
        return [0.0; 3];
    }
    let angle = arc_cosine(dot(ab, ac) / product.sqrt());
    cross(ab, ac).map(|part| part * angle)
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
