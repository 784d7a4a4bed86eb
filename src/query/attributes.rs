//! Interpolated attributes (position, normal, UVs, colour, weights) at a point of a triangle.

// Rule: this file sorts and maps by copies only.

use crate::array::Array;
use crate::decode::Influence;
use crate::error::Result;
use crate::error::debug::{items, short_debug};
use crate::io::PrefetchList;
use crate::math::{as_index, cross, narrow, subtract, unit_of_wide};
use crate::model::{Colors, Corner, Corners, Normals, Positions, Surface, Uvs, Weights};

/// The maximum number of UV sets of a surface. No supported format has more than four UV sets.
const UV_SETS: usize = 4;

/// The attribute arrays of a surface, with methods that interpolate them at a point of a triangle.
///
/// An interpolated value is the sum of the values at the three corners of the triangle, where each
/// value is multiplied by the barycentric coordinate for its corner.
///
/// The position index of a corner selects its position and its bone weights. The attribute index of
/// a corner selects its normal, its UVs and its colour. A point is specified by the index of its
/// triangle and by its barycentric coordinates for the second and the third corner of the triangle.
/// The barycentric coordinate for the first corner is 1 minus the sum of the other two coordinates.
/// If a barycentric coordinate is below 0 or above 1, the point is outside the triangle. Every
/// method returns `None` if the index of the triangle is out of range, if a corner of the triangle
/// has an index that is out of range in the array to be read, or if a barycentric coordinate is not
/// finite. Interpolated values are computed in `f64` and rounded to `f32` once, at the end.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::query::Attributes;
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let attributes = Attributes::new(&mesh.surface(0)?)?;
/// // The middle of the edge from the second corner of the first triangle to the third.
/// let middle = [0.5, 0.5];
/// println!("normal {:?}, UVs {:?}", attributes.normal(0, middle), attributes.uv(0, 0, middle));
/// assert!(attributes.normal(0, middle).is_some() && attributes.color(0, middle).is_none());
/// assert_eq!(attributes.normal(12, middle), None, "a cube has 12 triangles");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    corners: Corners<'a>,
    positions: Positions<'a>,
    normals: Option<Normals<'a>>,
    uvs: [Option<Uvs<'a>>; UV_SETS],
    colors: Option<Colors<'a>>,
    weights: Option<Weights<'a>>,
}

/// The interpolated values of all attributes of a surface at one point.
#[derive(Clone, PartialEq)]
pub struct PointAttributes {
    /// The position of the point, in scene units.
    pub position: [f32; 3],
    /// The interpolated normal at the point, of unit length.
    ///
    /// The normal is `None` if the surface has no normals, or if the weighted sum of the normals at
    /// the corners is zero.
    pub normal: Option<[f32; 3]>,
    /// The UV coordinates of the point, with one entry for each UV set. An entry is `None` if the
    /// surface does not have that UV set.
    pub uvs: [Option<[f32; 2]>; UV_SETS],
    /// The interpolated colour at the point, or `None` if the surface has no colours.
    pub color: Option<[f32; 4]>,
    /// The bones that move the point and their weights, in order of decreasing weight.
    ///
    /// `influences` is empty if the surface has no weights.
    pub influences: Vec<Influence>,
}

short_debug!(PointAttributes: |point| {
    position: point.position, normal: point.normal, uvs: point.uvs, color: point.color,
    influences: items(&point.influences),
});

/// A point, given by the three corners of its triangle and by its three barycentric coordinates.
#[derive(Clone, Copy)]
struct TrianglePoint {
    corners: [Corner; 3],
    parts: [f64; 3],
}

impl<'a> Attributes<'a> {
    /// Locates the arrays of a surface without reading their items.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Surface::corners`] and as the methods of [`Surface`] that
    /// locate each array.
    pub fn new(surface: &Surface<'a>) -> Result<Self> {
        let mut uvs = [None; UV_SETS];
        for (set, uvs) in uvs.iter_mut().enumerate() {
            *uvs = surface.uvs(set)?;
        }
        Ok(Self {
            corners: surface.corners()?,
            positions: surface.positions()?,
            normals: surface.normals()?,
            uvs,
            colors: surface.colors()?,
            weights: surface.weights()?,
        })
    }

    /// Prefetches the attributes at the corners of some triangles, such as the triangles that a
    /// batch of rays has hit.
    ///
    /// The bytes are requested from the disk in two requests: all vertex indices, and then all
    /// attributes that they refer to ([`PrefetchList`]). Bones and weights are not prefetched.
    pub fn prefetch(&self, triangles: &[u32]) {
        let corners = || {
            let first = triangles.iter().map(|triangle| as_index(*triangle).saturating_mul(3));
            first.flat_map(|first| first..first.saturating_add(3))
        };
        let mut list = PrefetchList::default();
        corners().for_each(|corner| self.corners.list_item(corner, &mut list));
        list.prefetch();
        let mut list = PrefetchList::default();
        for Corner { position, attribute } in corners().filter_map(|corner| self.corners.get(corner)) {
            let (position, attribute) = (as_index(position), as_index(attribute));
            self.positions.list_item(position, &mut list);
            self.normals.iter().for_each(|normals| normals.list_item(attribute, &mut list));
            self.uvs.iter().flatten().for_each(|uvs| uvs.list_item(attribute, &mut list));
            self.colors.iter().for_each(|colors| colors.list_item(attribute, &mut list));
        }
        list.prefetch();
    }

    /// Returns the number of triangles of the surface.
    #[doc(hidden)]
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        as_index(self.corners.triangle_count())
    }

    /// Returns the interpolated values of all attributes at a point of triangle `triangle`.
    ///
    /// Returns `None` if a corner of the triangle has an index that is out of range in any
    /// attribute array of the surface.
    #[doc(hidden)]
    #[must_use]
    pub fn at(&self, triangle: usize, barycentric: [f32; 2]) -> Option<PointAttributes> {
        let place = self.place(triangle, barycentric)?;
        let mut uvs = [None; UV_SETS];
        for (here, array) in uvs.iter_mut().zip(&self.uvs) {
            *here = of_any(array.as_ref(), |uvs| place.attribute(|index| uvs.get(index)))?;
        }
        let direction = of_any(self.normals.as_ref(), |normals| place.attribute_sum(|index| normals.get(index)))?;
        let color = of_any(self.colors.as_ref(), |colors| place.attribute(|index| colors.get(index)))?;
        let influences = of_any(self.weights.as_ref(), |weights| place.influences(weights))?.unwrap_or_default();
        let position = place.position(|index| self.positions.get(index))?;
        Some(PointAttributes { position, normal: direction.and_then(unit_of_wide), uvs, color, influences })
    }

    /// Returns the interpolated position of a point of triangle `triangle`, in scene units.
    #[doc(hidden)]
    #[must_use]
    pub fn position(&self, triangle: usize, barycentric: [f32; 2]) -> Option<[f32; 3]> {
        self.place(triangle, barycentric)?.position(|index| self.positions.get(index))
    }

    /// Returns the interpolated normal at a point of triangle `triangle`, as a unit vector.
    ///
    /// The normal is interpolated from the stored normals of the triangle's corners. The
    /// interpolated normal approximates the normal of the smooth surface that the flat triangles
    /// approximate. Returns `None` if the surface has no normals, if the weighted sum of the
    /// normals at the corners is zero, or if the triangle or one of its indices is out of range.
    #[must_use]
    pub fn normal(&self, triangle: usize, barycentric: [f32; 2]) -> Option<[f32; 3]> {
        let normals = self.normals?;
        self.place(triangle, barycentric)?.attribute_sum(|index| normals.get(index)).and_then(unit_of_wide)
    }

    /// Returns the unit vector that is perpendicular to the plane of a triangle.
    ///
    /// The geometric normal points to the side of the triangle from which its corners appear in
    /// counter-clockwise order. Returns `None` if the triangle has no area or has a corner with
    /// a coordinate that is not finite.
    #[doc(hidden)]
    #[must_use]
    pub fn geometric_normal(&self, triangle: usize) -> Option<[f32; 3]> {
        let [a, b, c] = self.triangle(triangle)?.map(|corner| corner.map(f64::from));
        unit_of_wide(cross(subtract(b, a), subtract(c, a)))
    }

    /// Returns the positions of the three corners of a triangle, in scene units.
    #[doc(hidden)]
    #[must_use]
    pub fn triangle(&self, triangle: usize) -> Option<[[f32; 3]; 3]> {
        let [a, b, c] = self
            .corners
            .triangle(u32::try_from(triangle).ok()?)?
            .map(|corner| self.positions.get(as_index(corner.position)));
        Some([a?, b?, c?])
    }

    /// Returns the interpolated coordinates of UV set `set` at a point of triangle `triangle`.
    ///
    /// Returns `None` if the surface does not have UV set `set`, or if the triangle or one of its
    /// indices is out of range.
    #[must_use]
    pub fn uv(&self, set: usize, triangle: usize, barycentric: [f32; 2]) -> Option<[f32; 2]> {
        let uvs = self.uvs.get(set)?.as_ref()?;
        self.place(triangle, barycentric)?.attribute(|index| uvs.get(index))
    }

    /// Returns the interpolated colour at a point of triangle `triangle`.
    ///
    /// The colour is the weighted mean of the colours stored at the corners, computed in the colour
    /// space in which the file stores them. Returns `None` if the surface has no colours,
    /// or if the triangle or one of its indices is out of range.
    #[must_use]
    pub fn color(&self, triangle: usize, barycentric: [f32; 2]) -> Option<[f32; 4]> {
        let colors = self.colors?;
        self.place(triangle, barycentric)?.attribute(|index| colors.get(index))
    }

    /// Returns the bones that move a point of triangle `triangle`, in order of decreasing weight.
    ///
    /// The weight of a bone at the point is the sum of its weights at the three corners, where each
    /// weight is multiplied by the barycentric coordinate for its corner. Bones whose weight at the
    /// point is 0 are omitted. Returns `None` if the surface has no weights,
    /// or if the triangle or one of its indices is out of range.
    ///
    /// The weights of each corner are read with one call of [`Weights::get`]. The number of
    /// returned bones is at most the sum of the numbers of influences at the three corners.
    #[must_use]
    pub fn weights(&self, triangle: usize, barycentric: [f32; 2]) -> Option<Vec<Influence>> {
        let weights = self.weights?;
        self.place(triangle, barycentric)?.influences(&weights)
    }

    fn place(&self, triangle: usize, barycentric: [f32; 2]) -> Option<TrianglePoint> {
        let [second, third] = barycentric.map(f64::from);
        let parts = [1.0 - second - third, second, third];
        let corners = self.corners.triangle(u32::try_from(triangle).ok()?)?;
        parts.iter().all(|part| part.is_finite()).then_some(TrianglePoint { corners, parts })
    }
}

impl TrianglePoint {
    fn position<const N: usize>(&self, get: impl Fn(usize) -> Option<[f32; N]>) -> Option<[f32; N]> {
        self.sum(|corner| get(as_index(corner.position))).map(|sum| sum.map(narrow))
    }

    fn attribute<const N: usize>(&self, get: impl Fn(usize) -> Option<[f32; N]>) -> Option<[f32; N]> {
        self.attribute_sum(get).map(|sum| sum.map(narrow))
    }

    fn attribute_sum<const N: usize>(&self, get: impl Fn(usize) -> Option<[f32; N]>) -> Option<[f64; N]> {
        self.sum(|corner| get(as_index(corner.attribute)))
    }

    /// Returns an interpolated value: the sum of the values that `get` returns for the three
    /// corners, each multiplied by the barycentric coordinate for its corner.
    fn sum<const N: usize>(&self, get: impl Fn(&Corner) -> Option<[f32; N]>) -> Option<[f64; N]> {
        let mut sum = [0.0; N];
        for (corner, part) in self.corners.iter().zip(self.parts) {
            for (sum, value) in sum.iter_mut().zip(get(corner)?) {
                *sum += part * f64::from(value);
            }
        }
        Some(sum)
    }

    /// Returns the weight of each bone at the point: the sum of the bone's weights at the three
    /// corners, where each weight is multiplied by the barycentric coordinate for its corner.
    ///
    /// The bones are sorted by decreasing weight. Bones with equal weights are sorted by their
    /// indices.
    fn influences(&self, weights: &Weights<'_>) -> Option<Vec<Influence>> {
        let mut all = Vec::new();
        for (corner, part) in self.corners.iter().zip(self.parts) {
            let influences = weights.get(corner.position)?;
            all.extend(influences.iter().map(|influence| (influence.bone, part * f64::from(influence.weight))));
        }
        // The influences are sorted by bone to sum the weights of each bone quickly, even if a file
        // has very many influences per vertex.
        all.sort_by_key(|(bone, _)| *bone);
        let summed = all.chunk_by(|(one, _), (other, _)| one == other).filter_map(|run| {
            let weight = narrow(run.iter().map(|(_, weight)| weight).sum());
            run.first().filter(|_| weight != 0.0).map(|(bone, _)| Influence { bone: *bone, weight })
        });
        let mut summed: Vec<Influence> = summed.collect();
        summed.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        Some(summed)
    }
}

/// Reads one value from an optional array of a surface, such as the array of normals. Returns
/// `Some(None)` if the surface does not have the array, and `None` if the array exists but the
/// value cannot be read.
#[allow(clippy::option_option, reason = "a missing array is not an error")]
fn of_any<T, V>(array: Option<&T>, read: impl FnOnce(&T) -> Option<V>) -> Option<Option<V>> {
    match array {
        Some(array) => read(array).map(Some),
        None => Some(None),
    }
}

#[cfg(test)]
#[cfg(feature = "internals")]
#[allow(clippy::float_cmp, reason = "values at a corner are exact")]
mod tests {
    use super::*;
    use crate::decode::TangentFrame;
    use crate::formats::Model;
    use crate::formats::unigine::Generation;
    use crate::model::Geometry;
    use crate::query::random::Random;
    use crate::test_builder::{self as builder, MorphTarget};

    /// The position indices of the two triangles of the test mesh.
    const INDICES: [u8; 6] = [0, 1, 2, 2, 1, 0];

    /// The attribute indices of the two triangles of the test mesh, which differ from the position
    /// indices.
    const ATTRIBUTE_INDICES: [u8; 6] = [2, 0, 1, 1, 0, 2];

    /// Returns the bytes of a test mesh with two triangles, and with normals, UVs, colours and
    /// weights.
    fn written() -> Vec<u8> {
        let normals = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let tangents = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
        let frames =
            normals.into_iter().zip(tangents).map(|(normal, tangent)| TangentFrame::from_axes(normal, tangent, 1.0));
        let target = MorphTarget {
            positions: vec![[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]],
            frames: frames.collect(),
            ..MorphTarget::default()
        };
        let of = |bone: i32, weight: f32| Influence { bone, weight };
        let weights = vec![vec![of(0, 1.0)], vec![of(1, 1.0)], vec![of(0, 0.6), of(1, 0.4)]];
        let surface = builder::Surface {
            name: String::from("one"),
            targets: vec![target],
            weights,
            uvs: [vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], Vec::new()],
            colors: vec![[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]],
            indices: INDICES.map(u32::from).to_vec(),
            attribute_indices: ATTRIBUTE_INDICES.map(u32::from).to_vec(),
            ..builder::Surface::default()
        };
        let bone =
            |name: &str| builder::Bone { name: name.into(), parent: -1, bind: crate::model::Transform::default() };
        let bones = vec![bone("a"), bone("b")];
        let mesh = builder::Mesh { bones, surfaces: vec![surface], ..builder::Mesh::new(Generation::Ms13) };
        mesh.to_bytes().unwrap()
    }

    /// Returns the test mesh with one damaged index stream: the fifth index of the stream that
    /// consists of `indices` is replaced by 9, which is out of range.
    fn spoilt(indices: [u8; 6]) -> crate::formats::unigine::Mesh<Vec<u8>> {
        let mut bytes = written();
        let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(&indices)).collect();
        let [place] = places[..] else { panic!("{places:?}") };
        bytes[place + 4] = 9;
        crate::formats::unigine::Mesh::open(bytes).unwrap()
    }

    fn expect_near<const N: usize>(found: Option<[f32; N]>, expected: [f32; N]) {
        let near = |(found, expected): (f32, f32)| (found - expected).abs() < 1e-4;
        assert!(found.is_some_and(|found| found.into_iter().zip(expected).all(near)), "{found:?} {expected:?}");
    }

    #[test]
    fn mixes_what_the_corners_have() {
        let mesh = crate::formats::unigine::Mesh::open(written()).unwrap();
        let attributes = Attributes::new(&Surface::new(&mesh, 0).unwrap()).unwrap();
        assert_eq!(attributes.triangle_count(), 2);
        // The barycentric coordinates of the test point are 0.5 for the first corner of the
        // triangle, and 0.25 for the second and the third corner. The attribute indices of the
        // three corners of triangle 0 of the test mesh are 2, 0, 1.
        let parts = [0.25, 0.25];
        let here = attributes.at(0, parts).unwrap();
        assert_eq!(here.position, [1.0, 1.0, 0.0]);
        let even = 1.0 / 6.0_f32.sqrt();
        expect_near(here.normal, [even, even, 2.0 * even]);
        expect_near(here.uvs[0], [0.25, 0.5]);
        assert_eq!(here.uvs[1..], [None; 3]);
        expect_near(here.color, [0.25, 0.25, 0.5, 1.0]);
        let [one, other] = here.influences[..] else { panic!("{here:?}") };
        assert_eq!((one.bone, other.bone), (0, 1));
        expect_near(Some([one.weight, other.weight]), [0.65, 0.35]);
        assert_eq!(attributes.geometric_normal(0), Some([0.0, 0.0, 1.0]));
        assert_eq!(attributes.triangle(0), Some([[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]));
        assert_eq!(attributes.weights(0, [1.0, 0.0]).unwrap().len(), 1, "a bone without weight is left out");
        assert_eq!(attributes.weights(0, [0.75, 0.25]).unwrap()[0].bone, 1);
    }

    /// Checks that the methods for single attributes, such as `normal`, return the same values as
    /// `at`, which returns all attributes.
    fn expect_same(attributes: &Attributes<'_>, triangle: usize, parts: [f32; 2]) {
        let all = attributes.at(triangle, parts);
        let here = all.as_ref();
        assert_eq!(attributes.position(triangle, parts), here.map(|here| here.position));
        assert_eq!(attributes.normal(triangle, parts), here.and_then(|here| here.normal));
        for set in 0..UV_SETS {
            assert_eq!(attributes.uv(set, triangle, parts), here.and_then(|here| here.uvs[set]));
        }
        assert_eq!(attributes.uv(UV_SETS, triangle, parts), None);
        assert_eq!(attributes.color(triangle, parts), here.and_then(|here| here.color));
        let influences = attributes.weights(triangle, parts);
        assert_eq!(influences.unwrap_or_default(), all.map(|here| here.influences).unwrap_or_default());
    }

    /// Checks that the interpolated attributes at every triangle corner of every surface are equal
    /// to the values in the attribute arrays.
    fn expect_corners(mesh: &dyn Geometry) -> [usize; 5] {
        let mut seen = [0; 5];
        let mut random = Random::new(10);
        for surface in Surface::all(mesh).unwrap() {
            let attributes = Attributes::new(&surface).unwrap();
            for (number, corner) in surface.corners().unwrap().iter().enumerate() {
                let (triangle, parts) = (number / 3, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][number % 3]);
                let here = attributes.at(triangle, parts).unwrap();
                let (position, attribute) = (as_index(corner.position), as_index(corner.attribute));
                assert_eq!(Some(here.position), surface.positions().unwrap().get(position));
                let normals = surface.normals().unwrap();
                let expected = normals.and_then(|normals| normals.get(attribute)).and_then(crate::math::unit);
                assert_eq!(here.normal, expected);
                for (set, uv) in here.uvs.into_iter().enumerate() {
                    let uvs = surface.uvs(set).unwrap();
                    assert_eq!(uv, uvs.and_then(|uvs| uvs.get(attribute)));
                }
                let colors = surface.colors().unwrap();
                assert_eq!(here.color, colors.and_then(|colors| colors.get(attribute)));
                let weights = surface.weights().unwrap().and_then(|weights| weights.get(corner.position));
                let mut expected: Vec<Influence> = weights.map(|list| list.iter().collect()).unwrap_or_default();
                expected.retain(|influence| influence.weight != 0.0);
                expected.sort_by(|one, other| other.weight.total_cmp(&one.weight).then(one.bone.cmp(&other.bone)));
                assert_eq!(here.influences, expected);
                let has = [here.normal.is_some(), here.uvs[0].is_some(), here.uvs[1].is_some(), here.color.is_some()];
                for (seen, has) in seen.iter_mut().zip(has.into_iter().chain([!here.influences.is_empty()])) {
                    *seen += usize::from(has);
                }
                let parts = [random.between(0.0, 0.5), random.between(0.0, 0.5)];
                expect_same(&attributes, triangle, parts);
            }
            for beyond in [attributes.triangle_count(), usize::MAX / 3, usize::MAX] {
                expect_same(&attributes, beyond, [0.5, 0.5]);
                assert_eq!(attributes.at(beyond, [0.5, 0.5]), None);
                assert_eq!((attributes.geometric_normal(beyond), attributes.triangle(beyond)), (None, None));
            }
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                for parts in [[bad, 0.0], [0.0, bad], [bad, bad], [bad, -bad]] {
                    expect_same(&attributes, 0, parts);
                    assert_eq!(attributes.at(0, parts), None);
                }
            }
            expect_same(&attributes, 0, [f32::MAX, f32::MIN]);
        }
        seen
    }

    fn read(path: &str) -> Vec<u8> {
        std::fs::read(format!("{}/data/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    #[test]
    fn a_corner_has_what_the_arrays_have() {
        // For each test file: the number of triangle corners that have a normal, UV set 0, UV set
        // 1, a colour, and weights.
        for (path, expected) in [
            ("unigine/room_ms11.mesh", [456, 420, 36, 36, 0]),
            ("unigine/skinned_ms12.mesh", [36, 36, 0, 0, 36]),
            ("unigine/cube_ms15.mesh", [36, 36, 0, 0, 0]),
            ("secondlife/arm.llmesh", [252, 252, 0, 0, 252]),
            ("ezmesh/flag.ezm", [48, 48, 0, 48, 48]),
            ("ezmesh/flag101.ezb", [48, 48, 0, 48, 48]),
        ] {
            let model = Model::open(read(path)).unwrap();
            assert_eq!(expect_corners(model.geometry()), expected, "{path}");
        }
        for (stem, corners) in [("guard", 39), ("box", 36), ("crate64", 36)] {
            let [data, aniv] = ["d", "a"].map(|part| read(&format!("unreal/{stem}_{part}.3d")));
            let mesh = crate::formats::unreal::Mesh::open(data, aniv).unwrap();
            let [normals, uvs, rest @ ..] = expect_corners(&mesh);
            assert_eq!((normals, uvs, rest), (0, corners, [0; 3]), "{stem}");
        }
    }

    #[test]
    fn an_index_out_of_range_is_nothing() {
        let parts = [0.25, 0.25];
        let mesh = spoilt(INDICES);
        let attributes = Attributes::new(&Surface::new(&mesh, 0).unwrap()).unwrap();
        assert!(attributes.at(0, parts).is_some() && attributes.at(1, parts).is_none());
        assert_eq!((attributes.position(1, parts), attributes.weights(1, parts)), (None, None));
        assert_eq!((attributes.triangle(1), attributes.geometric_normal(1)), (None, None));
        assert!(attributes.uv(0, 1, parts).is_some(), "it uses the other index stream");
        let mesh = spoilt(ATTRIBUTE_INDICES);
        let attributes = Attributes::new(&Surface::new(&mesh, 0).unwrap()).unwrap();
        assert_eq!(attributes.at(1, parts), None);
        assert_eq!(
            (attributes.normal(1, parts), attributes.color(1, parts), attributes.uv(0, 1, parts)),
            (None, None, None)
        );
        assert!(attributes.position(1, parts).is_some() && attributes.weights(1, parts).is_some());
    }
}
