//! The collision shapes of a mesh asset: convex hulls, collision triangles or a bounding hull.

use std::ops::Range;

use zerocopy::FromBytes as _;
use zerocopy::little_endian::U16;

use super::asset_block::AssetBlock;
use super::block_index::{HullIndex, PointRange};
use super::layout::{AssetPart, DEFAULT_DOMAIN};
use super::level::Level;
use super::llsd::LlsdMap;
use super::surface::read_domain;
use super::validate::rules;
use crate::array::{Array, Packed};
use crate::decode::MinMax16;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_u64, cross, dot, subtract};

/// The collision shape that a mesh asset gives to an object in the virtual world.
#[derive(Clone, Copy, Debug)]
pub enum PhysicsShape<'a> {
    /// The convex hulls into which the mesh is decomposed.
    Hulls(Convex<'a>),
    /// The collision triangles, grouped into submeshes.
    Mesh(Level<'a>),
    /// One convex hull around the whole mesh.
    BoundingHull(Convex<'a>),
}

/// The physics cost of a mesh, as a simulator has stored it in the asset header.
///
/// Each value of the physics cost may be absent from the file.
#[derive(Clone, Copy, Debug)]
pub struct PhysicsCost<'a> {
    map: LlsdMap<'a>,
}

impl<'a> PhysicsCost<'a> {
    pub(super) const fn new(map: LlsdMap<'a>) -> Self {
        Self { map }
    }

    /// Returns the LLSD map with all values of the physics cost, including unknown keys.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the physics cost of the mesh for the case that the collision shape is one bounding
    /// hull.
    #[must_use]
    pub fn hull(&self) -> Option<f64> {
        self.map.get("hull")?.value.number()
    }

    /// Returns the number of bounding hull vertices from which the simulator computed the physics
    /// cost of the bounding hull.
    #[must_use]
    pub fn hull_discounted_vertices(&self) -> Option<i32> {
        self.integer("hull_discounted_vertices")
    }

    /// Returns the nine numbers, stored by a simulator, from which the physics cost is computed if
    /// the collision shape consists of triangles.
    ///
    /// The physics cost of a triangle shape depends on the size of the object in the virtual world.
    #[must_use]
    pub fn mesh(&self) -> Option<[f64; 9]> {
        self.map.get("mesh")?.value.array()?.numbers()
    }

    /// Returns the number of collision triangles from which the simulator computed the physics
    /// cost.
    #[must_use]
    pub fn mesh_triangles(&self) -> Option<i32> {
        self.integer("mesh_triangles")
    }

    /// Returns the physics cost of the mesh for the case that the collision shape is an array of
    /// convex hulls.
    #[must_use]
    pub fn decomposition(&self) -> Option<f64> {
        self.map.get("decomposition")?.value.number()
    }

    /// Returns the number of convex hulls from which the simulator computed the physics cost.
    #[must_use]
    pub fn decomposition_hulls(&self) -> Option<i32> {
        self.integer("decomposition_hulls")
    }

    /// Returns the total number of vertices of the convex hulls from which the simulator computed
    /// the physics cost.
    #[must_use]
    pub fn decomposition_discounted_vertices(&self) -> Option<i32> {
        self.integer("decomposition_discounted_vertices")
    }

    fn integer(&self, key: &str) -> Option<i32> {
        self.map.get(key)?.value.integer()
    }
}

/// The convex hulls of a mesh, borrowed from the inflated block.
#[derive(Clone, Copy, Debug)]
pub struct Convex<'a> {
    block: AssetBlock<'a>,
    map: LlsdMap<'a>,
}

impl<'a> AssetBlock<'a> {
    /// Returns the convex hulls in the block, or `None` if the LLSD value of the block is
    /// undefined. The value is undefined in a sub-model (one of several meshes of a split model).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the LLSD value of the block is neither a map nor undefined.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn convex(&self) -> Result<Option<Convex<'a>>> {
        Convex::new(*self)
    }
}

impl<'a> Convex<'a> {
    pub(super) fn new(block: AssetBlock<'a>) -> Result<Option<Self>> {
        Ok(block.map()?.map(|map| Self { block, map }))
    }

    /// Returns the block that holds the convex hulls.
    #[must_use]
    pub const fn block(&self) -> AssetBlock<'a> {
        self.block
    }

    /// Returns the LLSD map of the block of convex hulls, including unknown keys.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the box whose minimum and maximum the decoder uses to convert 16-bit hull
    /// coordinates to floats.
    ///
    /// If the block stores no box for the hull coordinates, the result is -0.5 to 0.5 on each axis.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the minimum or the maximum of the box is not an array of
    /// three numbers.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn domain(&self) -> Result<MinMax16<3>> {
        let [min, max] = DEFAULT_DOMAIN;
        read_domain(self.map, MinMax16::new([min; 3], [max; 3]))
            .map_err(|(at, found)| self.block.wrong(&rules::INVALID_DOMAIN, field("Min"), at, "three numbers", found))
    }

    /// Returns the points of the bounding hull, or `None` if the block has no bounding hull.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the data of the points is not binary, or if its length is
    /// not a multiple of 6 bytes. Also returns the errors of [`domain`](Self::domain).
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn bounding_points(&self) -> Result<Option<Packed<'a, MinMax16<3>>>> {
        Ok(self.index()?.bounding.clone()?.and_then(|place| self.points_at(place)))
    }

    /// Returns the points of all convex hulls, one hull after another, or `None` if the block
    /// stores only a bounding hull or no hulls. The result does not include the points of the
    /// bounding hull.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the data of the points is not binary, or if its length is
    /// not a multiple of 6 bytes. Also returns the errors of [`domain`](Self::domain).
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn hull_points(&self) -> Result<Option<Packed<'a, MinMax16<3>>>> {
        Ok(self.index()?.points.clone()?.and_then(|place| self.points_at(place)))
    }

    /// Returns the encoded sizes of the convex hulls, one byte per hull, or `None` if the block
    /// stores no sizes.
    ///
    /// Each byte of the result is the number of points of one hull, and the byte 0 means 256
    /// points.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the sizes of the hulls are not binary data.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn hull_sizes(&self) -> Result<Option<&'a [u8]>> {
        Ok(self.index()?.sizes.clone()?.and_then(|sizes| self.block.bytes().get(sizes)))
    }

    /// Returns an iterator over the convex hulls. Each item of the iterator is the array of the
    /// points of one hull.
    ///
    /// The iterator ends before the first hull whose size is greater than the number of remaining
    /// points in the block.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`hull_points`](Self::hull_points) and
    /// [`hull_sizes`](Self::hull_sizes).
    pub fn hulls(&self) -> Result<impl Iterator<Item = Packed<'a, MinMax16<3>>> + Clone + use<'a>> {
        let sizes = self.hull_sizes()?.unwrap_or_default();
        let points = self.hull_points()?;
        let mut at = 0_usize;
        Ok(sizes.iter().map_while(move |size| {
            let start = at;
            at = start.saturating_add(hull_size(*size));
            points?.slice(start..at)
        }))
    }

    /// Returns the points of one convex hull, or `None` if the index is out of range.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`hulls`](Self::hulls). Returns [`ErrorKind::UnexpectedEnd`] if
    /// the block has fewer points than the hull and those before it need.
    ///
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    pub(super) fn hull(&self, hull: usize) -> Result<Option<Packed<'a, MinMax16<3>>>> {
        let sizes = self.hull_sizes()?.unwrap_or_default();
        let Some(size) = sizes.get(hull) else { return Ok(None) };
        let start = self.index()?.start(sizes, hull);
        let end = start.saturating_add(hull_size(*size));
        let points = self.hull_points()?;
        points.and_then(|points| points.slice(start..end)).map(Some).ok_or_else(|| {
            let found = points.map_or(0, |points| points.len());
            let kind = Cause::UnexpectedEnd { needed: as_u64(end), left: as_u64(found) };
            self.fault("Positions", hull, kind)
        })
    }

    /// Returns the places of the arrays, which the first call for the block finds.
    fn index(&self) -> Result<&'a HullIndex> {
        let slot = self.block.hull_index();
        if let Some(index) = slot.get() {
            return Ok(index);
        }
        let sizes = self.place("HullList");
        let stored = sizes.as_ref().ok().cloned().flatten().and_then(|sizes| self.block.bytes().get(sizes));
        let stored = stored.unwrap_or_default();
        let index = HullIndex::new(stored, sizes, self.find_points("Positions"), self.find_points("BoundingVerts"))?;
        Ok(slot.get_or_init(|| index))
    }

    /// Returns the byte range of the binary data under a key, in the inflated block.
    fn place(&self, key: &'static str) -> Result<Option<Range<usize>>> {
        let data = self.binary(key)?;
        // The marker byte and the length field come before the data.
        let first = data.map(|(at, bytes)| (at.saturating_add(5), bytes.len()));
        Ok(first.map(|(first, length)| first..first.saturating_add(length)))
    }

    fn find_points(&self, key: &'static str) -> Result<Option<PointRange>> {
        let Some(bytes) = self.place(key)? else { return Ok(None) };
        if !bytes.len().is_multiple_of(size_of::<[U16; 3]>()) {
            let kind = Cause::value("a multiple of 6 bytes", bytes.len().to_string());
            return Err(self.block.error(&rules::HULL_SIZES, field(key), bytes.start.saturating_sub(5), kind));
        }
        Ok(Some(PointRange { bytes, domain: self.domain()? }))
    }

    fn points_at(&self, place: PointRange) -> Option<Packed<'a, MinMax16<3>>> {
        let raw = <[[U16; 3]]>::ref_from_bytes(self.block.bytes().get(place.bytes)?).ok()?;
        Some(Packed::new(raw, place.domain))
    }

    /// Returns the binary data under a key of the convex hulls' LLSD map, and the offset in the
    /// inflated block of the LLSD value that contains the data.
    pub(super) fn binary(&self, key: &'static str) -> Result<Option<(usize, &'a [u8])>> {
        let Some(entry) = self.map.get(key) else { return Ok(None) };
        match entry.value.binary() {
            Some(bytes) => Ok(Some((entry.at, bytes))),
            None => Err(self.block.wrong(&rules::HULL_SIZES, field(key), entry.at, "binary data", entry.value.kind())),
        }
    }

    /// Makes an error about the points of a hull.
    pub(super) fn fault(&self, key: &'static str, hull: usize, kind: Cause) -> Error {
        let at = self.map.get(key).map_or(0, |entry| entry.at);
        self.block.error(&rules::HULL_SIZES, field(key).in_inner_list("hull", as_u64(hull)), at, kind)
    }
}

fn field(key: &'static str) -> Field {
    Field::new(key).in_struct(AssetPart::PhysicsConvex.key())
}

/// Decodes the stored size of a convex hull to a number of points: 256 if `stored` is 0.
#[must_use]
pub fn hull_size(stored: u8) -> usize {
    if stored == 0 { 256 } else { usize::from(stored) }
}

/// The reason why viewers reject a collision triangle as degenerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degeneracy {
    /// The triangle has almost no area, or two of its edges are parallel.
    Flat,
    /// The first edge of the triangle is more than ten times longer or shorter than another edge,
    /// and the triangle's area is small but not almost zero: the squared length of the cross
    /// product of two edges is at least 1e-11 and below 1e-7.
    Sliver,
}

/// Returns the reason why a collision triangle is degenerate, or `None` if the triangle is not
/// degenerate.
///
/// This function does, in `f32`, the same test for degenerate triangles that a viewer does before
/// the upload of a mesh. The caller must multiply the vertex positions by one half before it calls
/// this function. The returned [`Degeneracy`] distinguishes flat triangles from slivers, because
/// slivers occur in real uploads.
///
/// ```
/// use meshpeek::secondlife::{Degeneracy, degeneracy};
/// assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]), None);
/// assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.5, 0.0, 0.0]]), Some(Degeneracy::Flat));
/// ```
#[must_use]
#[allow(clippy::float_cmp, reason = "the viewer compares exactly")]
pub fn degeneracy([first, second, third]: [[f32; 3]; 3]) -> Option<Degeneracy> {
    /// The minimum squared length of the cross product of two edges, for a triangle whose first
    /// edge is more than ten times longer or shorter than another edge.
    const UNEVEN: f32 = 1e-7;
    const EVEN: f32 = UNEVEN * 1e-4;
    let edges = [subtract(first, second), subtract(first, third), subtract(third, second)];
    let [one, two, three] = edges.map(|edge| dot(edge, edge));
    // `even` is true if the first edge of the triangle is at most ten times longer and at most ten
    // times shorter than each of the other two edges. The comparisons of the edge lengths are the
    // same as in the source code of the viewer.
    let even = one <= 100.0 * two && one <= 100.0 * three && two <= 100.0 * one && three <= 100.0 * one;
    let [to_second, to_third, across] = edges;
    let areas = [cross(to_second, to_third), cross(subtract(second, first), subtract(second, third))];
    let least = areas.map(|area| dot(area, area)).into_iter().fold(f32::INFINITY, f32::min);
    let along = dot(to_second, across);
    let parallel = dot(to_second, to_second) * dot(across, across) - along * along == 0.0;
    if least < EVEN || parallel {
        Some(Degeneracy::Flat)
    } else {
        (!even && least < UNEVEN).then_some(Degeneracy::Sliver)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_triangles_that_are_none() {
        use Degeneracy::{Flat, Sliver};
        assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.25, 0.0, 0.0], [0.5, 0.0, 0.0]]), Some(Flat));
        assert_eq!(degeneracy([[0.1; 3]; 3]), Some(Flat));
        assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]), None);
        // A small triangle with edges of similar length is not degenerate. A thin triangle is
        // degenerate even if its area is similar to the area of a small triangle with edges of
        // similar length.
        assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 0.01, 0.0]]), None);
        assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.001, 0.0]]), Some(Sliver));
    }

    #[test]
    fn a_size_of_0_is_256() {
        assert_eq!([0, 1, 255].map(hull_size), [256, 1, 255]);
    }
}
