//! The reference for queries: a loop over all triangles in `f64` with bounds for the effect of
//! rounding.
//!
//! Also has meshes of only positions and indices, and random queries.

#![allow(clippy::pedantic, reason = "it is written as the mathematics are")]

use std::sync::Arc;

use meshpeek::array::{Bounds, Sphere};
use meshpeek::decode::{Floats, Index};
use meshpeek::model::SurfaceArrays;
use meshpeek::model::{
    Colors, Counts, IndexEncoding, Indices, PositionEncoding, Positions, TangentFrames, Uvs, Weights,
};
use meshpeek::query::{
    Frustum, Hit, Nearest, Probe, ProbedScene, Ray, Scene, Tree, Triangles, interleave, write_sidecar,
};
use meshpeek::sidecar::{Builder, Key};
use meshpeek::{Array, ErrorKind, Field, FormatVersion, Geometry, Name, Packed, Result, Surface};
use zerocopy::little_endian::{F32, U32};

use crate::support::random::Random;
use crate::support::{cases, changed, no_such};

/// The queries of a scene that fill a list, as methods that return a list.
pub trait Lists: Sized {
    fn all_hits(self, ray: &Ray) -> Vec<Hit>;
    fn nearest_n(self, point: [f32; 3], limit: f32, count: usize) -> Vec<Nearest>;
    fn overlapping_box(self, bounds: &Bounds) -> Vec<(usize, u32)>;
    fn overlapping_frustum(self, frustum: &Frustum) -> Vec<(usize, u32)>;
}

/// Returns the list that a query fills. The list is not empty before the query.
pub fn filled<T: Clone>(old: T, fill: impl FnOnce(&mut Vec<T>)) -> Vec<T> {
    let mut list = vec![old; 3];
    fill(&mut list);
    list
}

fn listed<T>(fill: impl FnOnce(&mut Vec<T>)) -> Vec<T> {
    let mut list = Vec::new();
    fill(&mut list);
    list
}

impl<P: Probe> Lists for ProbedScene<'_, '_, P> {
    fn all_hits(mut self, ray: &Ray) -> Vec<Hit> {
        listed(|list| self.all_hits_into(ray, list))
    }
    fn nearest_n(mut self, point: [f32; 3], limit: f32, count: usize) -> Vec<Nearest> {
        listed(|list| self.nearest_n_into(point, limit, count, list))
    }
    fn overlapping_box(mut self, bounds: &Bounds) -> Vec<(usize, u32)> {
        filled((9, 9), |list| self.overlapping_box_into(bounds, list))
    }
    fn overlapping_frustum(mut self, frustum: &Frustum) -> Vec<(usize, u32)> {
        filled((9, 9), |list| self.overlapping_frustum_into(frustum, list))
    }
}

impl Lists for &Scene<'_> {
    fn all_hits(self, ray: &Ray) -> Vec<Hit> {
        listed(|list| self.all_hits_into(ray, list))
    }
    fn nearest_n(self, point: [f32; 3], limit: f32, count: usize) -> Vec<Nearest> {
        listed(|list| self.nearest_n_into(point, limit, count, list))
    }
    fn overlapping_box(self, bounds: &Bounds) -> Vec<(usize, u32)> {
        filled((9, 9), |list| self.overlapping_box_into(bounds, list))
    }
    fn overlapping_frustum(self, frustum: &Frustum) -> Vec<(usize, u32)> {
        filled((9, 9), |list| self.overlapping_frustum_into(frustum, list))
    }
}

/// Returns the triangles around a vertex.
pub fn triangles_around(scene: &Scene<'_>, surface: usize, vertex: u32) -> Vec<u32> {
    filled(9, |list| scene.triangles_around_into(surface, vertex, list))
}

/// Returns the vertices around a vertex.
pub fn neighbors(scene: &Scene<'_>, surface: usize, vertex: u32) -> Vec<u32> {
    filled(9, |list| scene.neighbors_into(surface, vertex, list))
}

/// The corners of a triangle.
pub type Corners = [[f32; 3]; 3];
type Vector = [f64; 3];

/// The largest coordinate that queries accept.
const LARGEST: f32 = 1_152_921_504_606_846_976.0;
/// The rounding error of a few operations, relative to the magnitudes of their inputs.
const ROUNDING: f64 = 1e-14;

/// A surface that has only positions and indices.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub positions: Vec<[F32; 3]>,
    pub indices: Vec<U32>,
}

impl Shape {
    pub fn new(positions: &[[f32; 3]], indices: &[u32]) -> Self {
        let positions = positions.iter().map(|position| position.map(F32::new)).collect();
        Self { positions, indices: indices.iter().copied().map(U32::new).collect() }
    }

    /// Makes a shape whose triangles share no vertices.
    pub fn soup(triangles: &[Corners]) -> Self {
        let positions: Vec<[f32; 3]> = triangles.iter().flatten().copied().collect();
        let count = u32::try_from(positions.len()).unwrap();
        Self::new(&positions, &(0..count).collect::<Vec<_>>())
    }

    pub fn len(&self) -> usize {
        self.indices.len() / 3
    }

    pub fn triangles(&self) -> Triangles<'_> {
        let indices = Indices(IndexEncoding::U32(Packed::new(&self.indices, Index::new())));
        Triangles::from_arrays(Positions(PositionEncoding::F32(Packed::new(&self.positions, Floats))), indices)
    }

    /// Moves each position.
    pub fn mapped(&self, map: impl Fn([f32; 3]) -> [f32; 3]) -> Self {
        let positions = self.positions.iter().map(|position| map(position.map(F32::get)).map(F32::new));
        Self { positions: positions.collect(), indices: self.indices.clone() }
    }

    /// Shuffles the triangles.
    pub fn shuffled(&self, random: &mut Random) -> Self {
        let mut triangles: Vec<[U32; 3]> = self.indices.as_chunks::<3>().0.to_vec();
        for at in (1..triangles.len()).rev() {
            triangles.swap(at, random.below(at + 1));
        }
        Self { positions: self.positions.clone(), indices: triangles.concat() }
    }

    /// Returns the triangles.
    ///
    /// A triangle that queries ignore is `None`.
    pub fn faces(&self) -> Vec<Option<Corners>> {
        let point = |number: &U32| self.positions.get(number.get() as usize).map(|position| position.map(F32::get));
        let face = |[a, b, c]: &[U32; 3]| sound([point(a), point(b), point(c)]);
        self.indices.as_chunks().0.iter().map(face).collect()
    }

    /// Makes a scene of this shape only, as surface 0.
    pub fn scene(&self) -> Scene<'_> {
        let mut scene = Scene::empty();
        scene.add(0, self.triangles(), Arc::new(Tree::new(&self.triangles()).unwrap()));
        scene
    }
}

/// Returns the triangle if queries accept it.
pub fn sound(corners: [Option<[f32; 3]>; 3]) -> Option<Corners> {
    let [a, b, c] = corners;
    let corners = [a?, b?, c?];
    corners.iter().flatten().all(|part| part.abs() <= LARGEST).then_some(corners)
}

/// Returns the triangles of a surface of a file.
pub fn faces_of(positions: &Positions<'_>, indices: &Indices<'_>) -> Vec<Option<Corners>> {
    let point = |corner: usize| positions.get(indices.get(corner)? as usize);
    (0..indices.len() / 3).map(|face| sound([point(3 * face), point(3 * face + 1), point(3 * face + 2)])).collect()
}

/// A format whose files have only such surfaces.
#[derive(Clone, Debug, Default)]
pub struct Flat(pub Vec<Shape>);

impl Flat {
    fn shape(&self, surface: usize) -> Result<&Shape> {
        self.0.get(surface).ok_or_else(|| missing("surface", surface))
    }

    /// Writes the sidecar, with trees.
    pub fn sidecar(&self, key: &Key) -> Vec<u8> {
        let mut out = std::io::Cursor::new(Vec::new());
        write_sidecar(&mut Builder::default(), self, key, &mut out).unwrap();
        out.into_inner()
    }

    pub fn faces(&self) -> Vec<Vec<Option<Corners>>> {
        self.0.iter().map(Shape::faces).collect()
    }
}

fn missing(list: &'static str, index: usize) -> meshpeek::Error {
    no_such(0, index).located("flat", Field::new("").in_list(list, index as u64), None)
}

impl FormatVersion for Flat {
    fn format(&self) -> &'static str {
        "flat"
    }
    fn version(&self) -> &'static str {
        "flat"
    }
}

impl Geometry for Flat {
    fn bounds(&self) -> Result<Bounds> {
        Ok(Bounds::EMPTY)
    }
}

impl SurfaceArrays for Flat {
    fn surface_count(&self) -> Result<usize> {
        Ok(self.0.len())
    }
    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        self.shape(surface).map(|_| Name::default())
    }
    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        self.shape(surface).map(|_| Bounds::EMPTY)
    }
    fn counts(&self, surface: usize) -> Result<Counts> {
        let shape = self.shape(surface)?;
        let [vertices, corners] = [shape.positions.len(), shape.indices.len()].map(|count| count as u32);
        Ok(changed!(Counts::default(), vertices: vertices, attribute_vertices: vertices, corners: corners, targets: 1))
    }
    fn positions(&self, surface: usize, _: usize) -> Result<Positions<'_>> {
        Ok(Positions(PositionEncoding::F32(Packed::new(&self.shape(surface)?.positions, Floats))))
    }
    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        Ok(Indices(IndexEncoding::U32(Packed::new(&self.shape(surface)?.indices, Index::new()))))
    }
    fn fault(&self, surface: usize, name: &'static str, into: u64, error: meshpeek::Error) -> meshpeek::Error {
        error.located("flat", Field::new(name).in_list("surface", surface as u64), Some(into))
    }
}

fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: Vector) -> f64 {
    // The vector is scaled first, because the squares of tiny or huge lengths would underflow or
    // overflow.
    let most = a.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
    if most == 0.0 || !most.is_finite() {
        most
    } else {
        dot(a.map(|part| part / most), a.map(|part| part / most)).sqrt() * most
    }
}

/// The reference's answer to a test that may depend on rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    No,
    /// Both results are correct, because of rounding.
    Open,
    Yes,
}

/// A triangle that queries accept.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    pub surface: usize,
    pub triangle: u32,
    pub corners: [Vector; 3],
}

/// The intersection of a ray with a triangle.
///
/// `slack` is the possible error of `t`. `front` is whether the ray meets the front side, or `None`
/// if that depends on rounding.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    known: Verdict,
    t: f64,
    slack: f64,
    front: Option<bool>,
}

impl Face {
    fn meets(&self, ray: &Ray) -> Meeting {
        let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
        let last = (0..3).fold(0, |best, axis| if direction[axis].abs() > direction[best].abs() { axis } else { best });
        let (first, second) = ((last + 1) % 3, (last + 2) % 3);
        let shear = [direction[first] / direction[last], direction[second] / direction[last]];
        // Each corner relative to the ray, and the magnitudes of the numbers that were subtracted.
        let seen = self.corners.map(|corner| {
            let [x, y, z] = [first, second, last].map(|axis| corner[axis] - origin[axis]);
            let [over, up] = shear.map(|shear| shear * z);
            ([x - over, y - up, z], [x.abs() + over.abs(), y.abs() + up.abs()])
        });
        let edge = |one: usize, other: usize| {
            let (([ax, ay, _], [big_ax, big_ay]), ([bx, by, _], [big_bx, big_by])) = (seen[one], seen[other]);
            (ax * by - ay * bx, ROUNDING * (big_ax * big_by + big_ay * big_bx))
        };
        let edges = [edge(1, 2), edge(2, 0), edge(0, 1)];
        let above = edges.iter().filter(|(edge, band)| edge > band).count();
        let below = edges.iter().filter(|(edge, band)| *edge < -band).count();
        let whole: f64 = edges.iter().map(|(edge, _)| edge).sum();
        let band: f64 = edges.iter().map(|(_, band)| band).sum();
        let far = seen.iter().fold(0.0_f64, |far, ([_, _, z], _)| far.max(z.abs()));
        let scale = 1.0 / direction[last];
        let sum: f64 = edges.iter().zip(seen).map(|((edge, _), ([_, _, z], _))| edge * z).sum();
        let (t, slack) = if whole.abs() > 2.0 * band {
            (sum / whole * scale, 4.0 * (band / whole.abs() + ROUNDING) * far * scale.abs())
        } else {
            (0.0, f64::INFINITY)
        };
        let inside = match (above, below) {
            (3, 0) | (0, 3) => Verdict::Yes,
            (1.., 1..) => Verdict::No,
            _ => Verdict::Open,
        };
        let [least, greatest] = ray.range.map(f64::from);
        let known = if inside == Verdict::No || t + slack < least || t - slack > greatest {
            Verdict::No
        } else if inside == Verdict::Yes && t - slack >= least && t + slack <= greatest && slack.is_finite() {
            Verdict::Yes
        } else {
            Verdict::Open
        };
        let [a, b, c] = self.corners;
        let (ab, ac) = (subtract(b, a), subtract(c, a));
        let along = dot(cross(ab, ac), direction);
        // The magnitudes of the numbers that were subtracted.
        let far = |to: Vector| [0, 1, 2].map(|axis| a[axis].abs() + to[axis].abs());
        let [[bx, by, bz], [cx, cy, cz]] = [far(b), far(c)];
        let magnitude = [by * cz + bz * cy, bz * cx + bx * cz, bx * cy + by * cx];
        let is_exact = along.abs() > ROUNDING * dot(magnitude, direction.map(f64::abs));
        Meeting { known, t, slack, front: is_exact.then_some(along < 0.0) }
    }

    /// Returns the distance to a point.
    fn distance(&self, point: Vector) -> f64 {
        let [a, b, c] = self.corners;
        let mut least = [[a, b], [b, c], [c, a]].into_iter().fold(f64::INFINITY, |least, [from, to]| {
            let (way, off) = (subtract(to, from), subtract(point, from));
            let size = way.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            let part = if size == 0.0 {
                0.0
            } else {
                let unit = way.map(|part| part / size);
                (dot(off, unit) / size / dot(unit, unit)).clamp(0.0, 1.0)
            };
            let [x, y, z] = way.map(|along| along * part);
            least.min(length(subtract(off, [x, y, z])))
        });
        // The point is above the triangle if the foot of the perpendicular is inside of all three
        // edges.
        let size = self.corners.iter().map(|corner| length(subtract(*corner, a))).fold(0.0, f64::max);
        if size > 0.0 {
            let scaled = self.corners.map(|corner| subtract(corner, a).map(|part| part / size));
            let at = subtract(point, a).map(|part| part / size);
            let normal = cross(scaled[1], scaled[2]);
            let area = length(normal);
            let inside = (0..3).all(|edge| {
                let (from, to) = (scaled[edge], scaled[(edge + 1) % 3]);
                dot(cross(subtract(to, from), subtract(at, from)), normal) >= 0.0
            });
            if inside && area > 0.0 {
                least = least.min((dot(at, normal) / area).abs() * size);
            }
        }
        least
    }

    /// Returns whether the triangle overlaps a box.
    ///
    /// It does unless a plane separates them: one parallel to a face of either, or to an edge of
    /// each.
    fn reaches(&self, bounds: &Bounds) -> Verdict {
        let (min, max) = (bounds.min.map(f64::from), bounds.max.map(f64::from));
        if !(0..3).all(|axis| min[axis] <= max[axis]) {
            return Verdict::No;
        }
        for axis in 0..3 {
            let [a, b, c] = self.corners.map(|corner| corner[axis]);
            // These numbers come from the file and the box unchanged, so nothing is rounded.
            if a.min(b).min(c) > max[axis] || a.max(b).max(c) < min[axis] {
                return Verdict::No;
            }
        }
        if self.corners.iter().any(|corner| (0..3).all(|axis| min[axis] <= corner[axis] && corner[axis] <= max[axis])) {
            return Verdict::Yes;
        }
        // Infinite sides are replaced by those of the triangle's own box.
        let (mut low, mut high) = (min, max);
        for axis in 0..3 {
            let parts = self.corners.map(|corner| corner[axis]);
            low[axis] = low[axis].max(parts.iter().copied().fold(f64::INFINITY, f64::min));
            high[axis] = high[axis].min(parts.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
        let [a, b, c] = self.corners;
        let edges = [subtract(b, a), subtract(c, b), subtract(a, c)];
        let units = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let all = edges.iter().flat_map(|edge| units.map(|unit| (cross(*edge, unit), length(*edge))));
        let normal = (cross(edges[0], edges[2]), length(edges[0]) * length(edges[2]));
        let size = self.corners.iter().flatten().fold(0.0_f64, |most, part| most.max(part.abs()));
        let mut known = Verdict::Yes;
        for (direction, magnitude) in all.chain([normal]) {
            let of = self.corners.map(|corner| dot(corner, direction));
            let (least, most) = (of[0].min(of[1]).min(of[2]), of[0].max(of[1]).max(of[2]));
            let (mut from, mut to) = (0.0, 0.0);
            for axis in 0..3 {
                let [one, other] = [low[axis] * direction[axis], high[axis] * direction[axis]];
                from += one.min(other);
                to += one.max(other);
            }
            let band = 10.0 * ROUNDING * magnitude * size;
            if least > to + band || most < from - band {
                return Verdict::No;
            }
            if least > to - band || most < from + band {
                known = Verdict::Open;
            }
        }
        known
    }

    /// Returns whether a part of the triangle is inside six planes.
    fn is_in(&self, planes: &[[f32; 4]; 6]) -> Verdict {
        let size = self.corners.iter().flatten().fold(0.0_f64, |most, part| most.max(part.abs()));
        let left = |sign: f64| {
            let mut polygon = self.corners.to_vec();
            for plane in planes {
                let [a, b, c, more] = plane.map(f64::from);
                let band = 1e-12 * ((a.abs() + b.abs() + c.abs()) * size + more.abs());
                let inside = |point: &Vector| dot([a, b, c], *point) + more + sign * band;
                let mut kept = Vec::new();
                for (at, from) in polygon.iter().enumerate() {
                    let to = &polygon[(at + 1) % polygon.len()];
                    let (here, there) = (inside(from), inside(to));
                    if here >= 0.0 {
                        kept.push(*from);
                    }
                    if (here >= 0.0) != (there >= 0.0) {
                        let part = here / (here - there);
                        kept.push([0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * part));
                    }
                }
                polygon = kept;
            }
            !polygon.is_empty()
        };
        match (left(-1.0), left(1.0)) {
            (true, _) => Verdict::Yes,
            (false, true) => Verdict::Open,
            (false, false) => Verdict::No,
        }
    }
}

/// All triangles that queries accept, in the order of surfaces and of the file.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    pub faces: Vec<Face>,
    /// The box around all triangles, or `None` if there are none.
    pub bounds: Option<Bounds>,
    pub diagonal: f64,
}

impl Oracle {
    pub fn new(surfaces: &[Vec<Option<Corners>>]) -> Self {
        let all = surfaces.iter().enumerate().flat_map(|(surface, faces)| {
            let face = move |(triangle, corners): (u32, &Option<Corners>)| {
                corners.map(|corners| Face { surface, triangle, corners: corners.map(|corner| corner.map(f64::from)) })
            };
            (0_u32..).zip(faces).filter_map(face)
        });
        let faces: Vec<Face> = all.collect();
        let corners = surfaces.iter().flatten().flatten().flatten();
        let bounds = corners.fold(None, |all: Option<Bounds>, corner| {
            let one = Bounds { min: *corner, max: *corner };
            Some(all.map_or(one, |all| all.union(&one)))
        });
        let diagonal = bounds.map_or(0.0, |all| length(subtract(all.max.map(f64::from), all.min.map(f64::from))));
        Self { faces, bounds, diagonal }
    }

    fn face(&self, surface: usize, triangle: u32) -> &Face {
        let found = self.faces.binary_search_by_key(&(surface, triangle), |face| (face.surface, face.triangle));
        let at = found.unwrap_or_else(|_| panic!("triangle {triangle} of surface {surface} is not a valid triangle"));
        &self.faces[at]
    }

    /// Returns whether a ray can hit anything.
    fn is_cast(ray: &Ray) -> bool {
        ray.origin.iter().all(|part| part.abs() <= LARGEST)
            && ray.direction.iter().all(|part| part.is_finite())
            && ray.direction != [0.0; 3]
            && ray.range[0] <= ray.range[1]
    }

    /// Tests the fields of a hit.
    pub fn expect_hit(&self, ray: &Ray, hit: &Hit) {
        let meeting = self.face(hit.surface, hit.triangle).meets(ray);
        let direction = ray.direction.map(f64::from);
        let step = length(direction);
        let off = (f64::from(hit.t) - meeting.t).abs() * step;
        let t = meeting.t.abs() * step;
        let room = 1e-7 * self.diagonal + 2e-7 * t + meeting.slack * step + 2e-45 * step;
        // The direction is so short that `t` overflows an `f32`.
        let is_beyond = hit.t.is_infinite() && meeting.t.abs() >= f64::from(f32::MAX);
        assert!(meeting.known != Verdict::No && (is_beyond || off <= room), "{hit:?} of {ray:?} is {meeting:?}");
        assert!(ray.range[0] <= hit.t && hit.t <= ray.range[1], "{hit:?} is out of range of {ray:?}");
        if meeting.slack.is_finite() {
            assert!((f64::from(hit.distance) - t).abs() <= room + 2e-45, "{hit:?} of {ray:?} is {t} away");
            assert!(
                meeting.known != Verdict::Yes || meeting.front.is_none_or(|front| hit.is_front == front),
                "{hit:?} of {ray:?} is {meeting:?}"
            );
        }
        let [second, third] = hit.barycentric;
        assert!(second >= 0.0 && third >= 0.0 && second + third <= 1.000_001, "{hit:?}");
        if meeting.slack * step <= 1e-7 * (self.diagonal + t) {
            let at = [0, 1, 2].map(|axis| f64::from(ray.origin[axis]) + meeting.t * direction[axis]);
            let size = at.iter().chain(&ray.origin.map(f64::from)).fold(0.0_f64, |most, part| most.max(part.abs()));
            let off = length(subtract(at, hit.point.map(f64::from)));
            // At a grazing angle the position is as accurate as the distance along the ray, but not
            // more.
            assert!(off <= room + 1e-6 * (size + t), "{hit:?} of {ray:?} is at {at:?}");
        }
    }

    /// Tests the first hit of a ray and all of its hits.
    ///
    /// Returns the number of hits.
    pub fn expect_ray(&self, scene: &Scene<'_>, ray: &Ray) -> usize {
        let (first, all) = (scene.ray(ray), scene.all_hits(ray));
        assert_eq!(first.as_ref(), all.first(), "the first of all hits of {ray:?}");
        assert_eq!(scene.is_hit(ray), first.is_some(), "{ray:?}");
        if !Self::is_cast(ray) {
            assert_eq!(all, [], "{ray:?}");
            return 0;
        }
        assert!(all.is_sorted_by(|one, other| one.t <= other.t), "{all:?} of {ray:?}");
        let mut found: Vec<_> = all.iter().map(|hit| (hit.surface, hit.triangle)).collect();
        found.sort_unstable();
        assert!(found.is_sorted_by(|one, other| one < other), "a triangle occurs twice: {found:?} of {ray:?}");
        all.iter().for_each(|hit| self.expect_hit(ray, hit));
        for pair in all.windows(2) {
            let [one, other] = pair else { continue };
            let same = self.face(one.surface, one.triangle).corners == self.face(other.surface, other.triangle).corners;
            if same && one.t.to_bits() == other.t.to_bits() {
                assert!((one.surface, one.triangle) < (other.surface, other.triangle), "{one:?} {other:?}");
            }
        }
        let mut found = found.into_iter().peekable();
        for face in &self.faces {
            let name = (face.surface, face.triangle);
            let is_found = found.next_if_eq(&name).is_some();
            if !is_found {
                let meeting = face.meets(ray);
                assert_ne!(meeting.known, Verdict::Yes, "{ray:?} does not hit {face:?}: {meeting:?}");
            }
        }
        all.len()
    }

    /// Tests the result for the nearest point.
    pub fn expect_nearest(&self, found: Option<Nearest>, point: [f32; 3], limit: f32) {
        let is_asked = point.iter().all(|part| part.abs() <= LARGEST) && limit >= 0.0;
        if !is_asked {
            return assert_eq!(found, None, "{point:?} {limit}");
        }
        let (at, reach) = (point.map(f64::from), f64::from(limit));
        let least = self.faces.iter().map(|face| face.distance(at)).fold(f64::INFINITY, f64::min);
        let size = at.iter().fold(self.diagonal, |most, part| most.max(part.abs()));
        let room = 1e-7 * self.diagonal + 2e-7 * least.min(1e300) + 1e-14 * size + 2e-45;
        let Some(found) = found else {
            let is_none = self.faces.is_empty() || least + room >= reach;
            return assert!(is_none, "{point:?} within {limit}: {least}");
        };
        let face = self.face(found.surface, found.triangle);
        let distance = f64::from(found.distance);
        assert!((distance - least).abs() <= room, "{found:?} of {point:?}: {least}");
        assert!(face.distance(at) <= least + room, "{found:?} of {point:?}: {} for {least}", face.distance(at));
        assert!(distance <= reach + room, "{found:?} of {point:?} within {limit}");
        let off = length(subtract(found.point.map(f64::from), at));
        let coordinate = found.point.iter().fold(size, |most, part| most.max(f64::from(part.abs())));
        assert!((off - distance).abs() <= room + 4e-7 * coordinate, "{found:?} of {point:?} is {off} away");
        let [second, third] = found.barycentric;
        assert!(second >= 0.0 && third >= 0.0 && second + third <= 1.000_001, "{found:?}");
        for twin in self.faces.iter().filter(|twin| twin.corners == face.corners) {
            assert!((twin.surface, twin.triangle) >= (face.surface, face.triangle), "{found:?} has {twin:?}");
        }
    }

    /// Asserts that a point of a triangle has the reported distance.
    pub fn expect_point(&self, found: &Nearest, point: [f32; 3]) {
        let at = point.map(f64::from);
        let distance = self.face(found.surface, found.triangle).distance(at);
        let size = at.iter().fold(self.diagonal + distance, |most, part| most.max(part.abs()));
        assert!((f64::from(found.distance) - distance).abs() <= 1e-6 * size, "{found:?} of {point:?}: {distance}");
    }

    /// Asserts that each of these triangles overlaps a box.
    ///
    /// Triangles may be missing or occur twice.
    pub fn expect_within_box(&self, found: &[(usize, u32)], bounds: &Bounds) {
        for (surface, triangle) in found {
            assert_ne!(self.face(*surface, *triangle).reaches(bounds), Verdict::No, "{triangle} and {bounds:?}");
        }
    }

    /// Asserts that each of these triangles overlaps a frustum.
    pub fn expect_within_frustum(&self, found: &[(usize, u32)], planes: &[[f32; 4]; 6]) {
        for (surface, triangle) in found {
            assert_ne!(self.face(*surface, *triangle).is_in(planes), Verdict::No, "{triangle} and {planes:?}");
        }
    }

    fn expect_region(&self, found: &[(usize, u32)], what: &str, known: impl Fn(&Face) -> Verdict) {
        assert!(found.is_sorted_by(|one, other| one < other), "{what}: {found:?}");
        let mut left = found.iter().copied().peekable();
        for face in &self.faces {
            let is_found = left.next_if_eq(&(face.surface, face.triangle)).is_some();
            let known = known(face);
            let expected = if is_found { Verdict::Yes } else { Verdict::No };
            assert!(known == Verdict::Open || known == expected, "{what}: {face:?} is {known:?}");
        }
        assert_eq!(left.next(), None, "{what}: triangles that queries must ignore");
    }

    pub fn expect_box(&self, found: &[(usize, u32)], bounds: &Bounds) {
        self.expect_region(found, &format!("{bounds:?}"), |face| face.reaches(bounds));
    }

    pub fn expect_frustum(&self, found: &[(usize, u32)], planes: &[[f32; 4]; 6]) {
        let is_finite = planes.iter().flatten().all(|number| number.is_finite());
        let known = |face: &Face| if is_finite { face.is_in(planes) } else { Verdict::No };
        self.expect_region(found, &format!("{planes:?}"), known);
    }
}

/// The queries to run on a scene.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    pub rays: Vec<Ray>,
    pub points: Vec<([f32; 3], f32)>,
    pub boxes: Vec<Bounds>,
    pub frusta: Vec<[[f32; 4]; 6]>,
    pub vertices: Vec<(usize, u32)>,
}

fn unit(random: &mut Random) -> [f32; 3] {
    [random.unit(), random.unit(), random.unit()]
}

fn mix(one: [f32; 3], other: [f32; 3], part: f32) -> [f32; 3] {
    [0, 1, 2].map(|axis| one[axis] * (1.0 - part) + other[axis] * part)
}

impl Questions {
    /// Generates random queries around and on the triangles.
    ///
    /// There are about `count` rays, half that number of points, and a few boxes, frusta and
    /// vertices.
    pub fn new(random: &mut Random, oracle: &Oracle, surfaces: &[Vec<Option<Corners>>], count: usize) -> Self {
        let bounds = oracle.bounds.unwrap_or(Bounds { min: [-1.0; 3], max: [1.0; 3] });
        let size = (oracle.diagonal as f32).max(f32::MIN_POSITIVE);
        let corners = |random: &mut Random| {
            let faces = &oracle.faces;
            let corners = faces.get(random.below(faces.len())).map_or([[0.0; 3]; 3], |face| face.corners);
            corners.map(|corner| corner.map(|part| part as f32))
        };
        let around = |random: &mut Random, more: f32| {
            let part = unit(random);
            [0, 1, 2].map(|axis| {
                let (min, max) = (bounds.min[axis], bounds.max[axis]);
                let (middle, half) = (min * 0.5 + max * 0.5, max * 0.5 - min * 0.5);
                middle + half * part[axis] * more + size * 0.1 * part[axis] * (more - 1.0)
            })
        };
        let mut all = Self::default();
        // A quick run asks fewer.
        let count = cases::number(count, 6).max(count.min(8));
        for number in 0..count {
            let [a, b, c] = corners(random);
            let from = around(random, [2.0, 1.0, 20.0][number % 3]);
            let target = match random.below(6) {
                0 => a,
                1 => mix(a, b, 0.5),
                2 => mix(a, b, random.unit().abs()),
                3 => mix(mix(a, b, random.unit().abs()), c, random.unit().abs()),
                4 => around(random, 1.2),
                _ => mix(mix(a, b, 0.25), c, 0.25),
            };
            let mut ray = Ray::toward(from, target);
            if random.one_in(4) {
                // Along an axis, through the target.
                let axis = random.below(3);
                let sign = if random.one_in(2) { 1.0 } else { -1.0 };
                ray = Ray::new(target, [0.0; 3]);
                ray.direction[axis] = sign * size;
                ray.origin[axis] -= sign * size * [1.0, 0.0, 0.3, 5.0][random.below(4)];
            }
            match random.below(12) {
                0 => ray.range = [f32::NEG_INFINITY, f32::INFINITY],
                1 => ray.range = [-2.0, 0.5],
                2 => ray.range = [0.5, 1.5],
                3 => ray.range = [0.0, 1.0],
                4 => ray.origin = target,
                5 => ray.direction = ray.direction.map(|part| part * 1e-12),
                6 => ray.direction = ray.direction.map(|part| part * 1e12),
                7 => ray.range = [0.0, f32::MAX],
                _ => {}
            }
            all.rays.push(ray);
            if number % 2 == 0 {
                let place = match random.below(4) {
                    0 => target,
                    1 => around(random, 1.0),
                    2 => around(random, 50.0),
                    _ => from,
                };
                let limit = match random.below(6) {
                    0 => size * random.unit().abs(),
                    1 => size * 0.01,
                    2 if number % 5 == 0 => 0.0,
                    _ => f32::INFINITY,
                };
                all.points.push((place, limit));
            }
            if number % 8 == 0 {
                let (one, half) = (around(random, 1.3), unit(random).map(|part| (part * 0.3 * size).abs()));
                let corner = [0, 1, 2].map(|axis| one[axis] + half[axis]);
                let bounds = match random.below(8) {
                    0 => Bounds { min: a, max: a },
                    1 => Bounds { min: one, max: corner }.union(&Bounds { min: b, max: b }),
                    2 => Bounds { min: [one[0], f32::NEG_INFINITY, one[2]], max: [corner[0], f32::INFINITY, f32::MAX] },
                    _ => Bounds { min: one, max: corner },
                };
                all.boxes.push(bounds);
                let plane = |random: &mut Random| {
                    let ([x, y, z], at) = (unit(random), around(random, 1.5));
                    let more = -(f64::from(x) * f64::from(at[0])
                        + f64::from(y) * f64::from(at[1])
                        + f64::from(z) * f64::from(at[2]));
                    [x, y, z, more as f32]
                };
                let mut planes = [[0.0; 4]; 6];
                for place in planes.iter_mut().take(1 + random.below(6)) {
                    *place = plane(random);
                }
                all.frusta.push(planes);
            }
            if number % 8 == 1 && !surfaces.is_empty() {
                all.vertices.push((random.below(surfaces.len()), random.below(3 * surfaces.len() + 50) as u32));
            }
        }
        // With time for only a few queries, a part of the unusual ones is enough.
        all.strange(size, if count < 100 { 4 } else { 1 });
        all
    }

    /// Adds queries that have no result, or are close to having none.
    fn strange(&mut self, size: f32, step: usize) {
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0, 1.3e18, f32::MIN_POSITIVE, 1e-45];
        for (number, value) in bad.into_iter().enumerate() {
            for axis in (0..3).filter(|axis| (number + axis) % step == 0) {
                let sound = Ray::new([0.1, 0.2, 0.3].map(|part| part * size), [0.3, -0.2, 0.1].map(|part| part * size));
                let (mut from, mut to) = (sound, sound);
                from.origin[axis] = value;
                to.direction[axis] = value;
                let alone = Ray::new(sound.origin, [0, 1, 2].map(|other| if other == axis { value } else { 0.0 }));
                self.rays.extend([from, to, alone, sound.within([value, 2.0]), sound.within([0.0, value])]);
                let mut point = sound.origin;
                point[axis] = value;
                self.points.extend([(point, f32::INFINITY), (sound.origin, value), (sound.origin, -1.0)]);
                let mut bounds = Bounds { min: [-size; 3], max: [size; 3] };
                bounds.min[axis] = value;
                self.boxes.extend([bounds, Bounds { min: bounds.max, max: bounds.min }]);
                let mut planes = [[0.0; 4]; 6];
                planes[axis][axis] = value;
                self.frusta.push(planes);
            }
        }
        self.rays.push(Ray::new([0.0; 3], [0.0; 3]));
        self.rays.push(Ray::new([0.0; 3], [1.0; 3]).within([2.0, 1.0]));
        self.boxes.push(Bounds::EMPTY);
        self.boxes.push(Bounds { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] });
    }
}

/// Returns all results of a scene as bits.
pub fn ask(scene: &Scene<'_>, questions: &Questions) -> Vec<u32> {
    let mut all = Vec::new();
    let floats = |floats: &[f32]| floats.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let note = |all: &mut Vec<u32>, hit: &Hit| {
        all.extend([hit.surface as u32, hit.triangle, u32::from(hit.is_front)]);
        all.extend(floats(&[hit.t, hit.distance]));
        all.extend(floats(&hit.point));
        all.extend(floats(&hit.barycentric));
    };
    for ray in &questions.rays {
        let (first, hits) = (scene.ray(ray), scene.all_hits(ray));
        assert_eq!((first.as_ref(), first.is_some()), (hits.first(), scene.is_hit(ray)), "{ray:?}");
        all.push(hits.len() as u32);
        hits.iter().for_each(|hit| note(&mut all, hit));
    }
    for (point, limit) in &questions.points {
        all.push(u32::MAX);
        if let Some(nearest) = scene.nearest(*point, *limit) {
            all.extend([nearest.surface as u32, nearest.triangle, nearest.distance.to_bits()]);
            all.extend(floats(&nearest.point));
            all.extend(floats(&nearest.barycentric));
        }
    }
    let boxes = questions.boxes.iter().map(|bounds| scene.overlapping_box(bounds));
    let mut lists: Vec<_> = boxes.collect();
    lists.extend(questions.frusta.iter().map(|planes| scene.overlapping_frustum(&Frustum::from_planes(*planes))));
    for list in lists {
        all.push(list.len() as u32);
        all.extend(list.into_iter().flat_map(|(surface, triangle)| [surface as u32, triangle]));
    }
    for (surface, vertex) in &questions.vertices {
        for list in [triangles_around(scene, *surface, *vertex), neighbors(scene, *surface, *vertex)] {
            all.push(list.len() as u32);
            all.extend(list);
        }
    }
    all
}

/// Returns the nearest hit of each ray, with interleaved traversals, which `Scene::rays` uses only
/// in large scenes.
pub fn interleaved(scene: &Scene<'_>, rays: &[Ray]) -> Vec<Option<Hit>> {
    let mut hits = Vec::new();
    interleave(scene, rays, &mut hits);
    hits
}

/// Returns the nearest hit of each ray of a batch. Tests that it is the same if the traversals are
/// interleaved.
pub fn batch(scene: &Scene<'_>, rays: &[Ray]) -> Vec<Option<Hit>> {
    let hits = interleaved(scene, rays);
    assert_eq!(scene.rays(rays), hits);
    hits
}

/// Tests every result of a scene, and that a batch of rays gives the same hits as each ray alone.
///
/// Returns the number of hits.
pub fn expect(scene: &Scene<'_>, oracle: &Oracle, questions: &Questions) -> usize {
    let hits = questions.rays.iter().map(|ray| oracle.expect_ray(scene, ray)).sum();
    let one_by_one: Vec<_> = questions.rays.iter().map(|ray| scene.ray(ray)).collect();
    assert_eq!(batch(scene, &questions.rays), one_by_one);
    for (point, limit) in &questions.points {
        oracle.expect_nearest(scene.nearest(*point, *limit), *point, *limit);
    }
    for bounds in &questions.boxes {
        oracle.expect_box(&scene.overlapping_box(bounds), bounds);
    }
    for planes in &questions.frusta {
        oracle.expect_frustum(&scene.overlapping_frustum(&Frustum::from_planes(*planes)), planes);
    }
    for (surface, vertex) in &questions.vertices {
        expect_around(scene, oracle, *surface, *vertex);
    }
    hits
}

/// Tests the triangles and the vertices around a vertex.
fn expect_around(scene: &Scene<'_>, oracle: &Oracle, surface: usize, vertex: u32) {
    let Some(triangles) = scene.triangles(surface) else {
        assert!(oracle.faces.iter().all(|face| face.surface != surface), "surface {surface} has triangles");
        assert!(triangles_around(scene, surface, vertex).is_empty() && neighbors(scene, surface, vertex).is_empty());
        return;
    };
    let numbers = oracle.faces.iter().filter(|face| face.surface == surface).map(|face| face.triangle);
    let expected: Vec<u32> =
        numbers.filter(|triangle| triangles.corners(*triangle).unwrap().contains(&vertex)).collect();
    assert_eq!(triangles_around(scene, surface, vertex), expected, "vertex {vertex} of surface {surface}");
    let corners = expected.iter().flat_map(|triangle| triangles.corners(*triangle).unwrap());
    let expected: std::collections::BTreeSet<u32> = corners.filter(|corner| *corner != vertex).collect();
    assert!(neighbors(scene, surface, vertex).into_iter().eq(expected), "vertex {vertex} of surface {surface}");
}

/// Builds a square of `side` by `side` quads with integer `x` and `y`, and `z` = 0.
pub fn grid(side: u32) -> Shape {
    let mut positions = Vec::new();
    for y in 0..=side {
        for x in 0..=side {
            positions.push([x as f32, y as f32, 0.0]);
        }
    }
    let mut indices = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let at = |dx: u32, dy: u32| (y + dy) * (side + 1) + x + dx;
            indices.extend([at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1)]);
        }
    }
    Shape::new(&positions, &indices)
}

/// Builds a closed ball with a random radius at each vertex.
///
/// It has `rings` rings, including the poles, and twice that number of quads around.
pub fn ball(random: &mut Random, rings: u32) -> Shape {
    let around = rings * 2;
    let mut positions = Vec::new();
    for ring in 0..=rings {
        for step in 0..around {
            let (high, turn) = (ring as f64 / rings as f64, step as f64 / around as f64);
            let (up, out) = (high * std::f64::consts::PI).sin_cos();
            let (sine, cosine) = (turn * std::f64::consts::TAU).sin_cos();
            let is_pole = ring == 0 || ring == rings;
            let radius = if is_pole { 1.0 } else { f64::from(random.unit()) * 0.01 + 1.0 };
            let up = if is_pole { 0.0 } else { up };
            positions.push([up * cosine * radius, up * sine * radius, out * radius].map(|part| part as f32));
        }
    }
    let mut indices = Vec::new();
    for ring in 0..rings {
        for step in 0..around {
            let at = |down: u32, right: u32| (ring + down) * around + (step + right) % around;
            indices.extend([at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1)]);
        }
    }
    Shape::new(&positions, &indices)
}

/// Returns the triangles of all surfaces of a file.
pub fn all_faces(geometry: &dyn Geometry) -> Result<Vec<Vec<Option<Corners>>>> {
    let faces = |surface: Surface<'_>| {
        // A scene has only what is drawn.
        if !surface.is_drawn()? {
            return Ok(Vec::new());
        }
        Ok(faces_of(&surface.positions()?, &surface.indices()?))
    };
    Surface::all(geometry)?.map(faces).collect()
}
