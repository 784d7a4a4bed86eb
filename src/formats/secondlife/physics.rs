//! What others collide with: convex hulls, or triangles.

use zerocopy::FromBytes as _;
use zerocopy::little_endian::U16;

use super::asset_block::AssetBlock;
use super::asset_part::AssetPart;
use super::layout::DEFAULT_DOMAIN;
use super::level::Level;
use super::llsd::LlsdMap;
use super::surface::read_domain;
use crate::array::{Array, Packed};
use crate::decode::MinMax16;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{cross, dot, subtract};

/// What a simulator collides with when an object's shape is set to that of its mesh.
#[derive(Clone, Copy, Debug)]
pub enum PhysicsShape<'a> {
    /// Each of the convex hulls.
    Hulls(Convex<'a>),
    /// The triangles.
    Mesh(Level<'a>),
    /// The one convex hull around everything.
    BoundingHull(Convex<'a>),
}

/// What a simulator noted of the cost of colliding with a mesh, each number as far as it did.
#[derive(Clone, Copy, Debug)]
pub struct PhysicsCost<'a> {
    map: LlsdMap<'a>,
}

impl<'a> PhysicsCost<'a> {
    pub(super) const fn new(map: LlsdMap<'a>) -> Self {
        Self { map }
    }

    /// Returns the map that it is, with the keys that are not known, too.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the cost as the one hull around everything.
    #[must_use]
    pub fn hull(&self) -> Option<f64> {
        self.map.get("hull")?.value.number()
    }

    /// Returns the vertices of that hull that count.
    #[must_use]
    pub fn hull_discounted_vertices(&self) -> Option<i32> {
        self.integer("hull_discounted_vertices")
    }

    /// Returns the nine numbers that give the cost as triangles, which depends on the object's size.
    #[must_use]
    pub fn mesh(&self) -> Option<[f64; 9]> {
        self.map.get("mesh")?.value.array()?.numbers()
    }

    /// Returns the triangles that count.
    #[must_use]
    pub fn mesh_triangles(&self) -> Option<i32> {
        self.integer("mesh_triangles")
    }

    /// Returns the cost as a list of hulls.
    #[must_use]
    pub fn decomposition(&self) -> Option<f64> {
        self.map.get("decomposition")?.value.number()
    }

    /// Returns the hulls of that list.
    #[must_use]
    pub fn decomposition_hulls(&self) -> Option<i32> {
        self.integer("decomposition_hulls")
    }

    /// Returns the vertices of those hulls that count.
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
    /// Looks at it as convex hulls; `None` where it holds no value, as that of a sub-model.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no map.
    pub fn convex(&self) -> Result<Option<Convex<'a>>> {
        Convex::new(*self)
    }
}

impl<'a> Convex<'a> {
    pub(super) fn new(block: AssetBlock<'a>) -> Result<Option<Self>> {
        Ok(block.map()?.map(|map| Self { block, map }))
    }

    /// Returns the block that it is.
    #[must_use]
    pub const fn block(&self) -> AssetBlock<'a> {
        self.block
    }

    /// Returns the map that it is, with the keys that are not known, too.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the box that all points are coded over: ±0.5 where it is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is not two times three numbers.
    pub fn domain(&self) -> Result<MinMax16<3>> {
        let [min, max] = DEFAULT_DOMAIN;
        read_domain(self.map, MinMax16::new([min; 3], [max; 3]))
            .map_err(|(at, found)| self.block.wrong(field("Min"), at, "three numbers", &found))
    }

    /// Locates the points of the hull around everything; `None` where there is none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they are not whole.
    pub fn bounding_points(&self) -> Result<Option<Packed<'a, MinMax16<3>>>> {
        self.points("BoundingVerts")
    }

    /// Locates the points of all hulls, one hull after another; `None` where there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they are not whole.
    pub fn hull_points(&self) -> Result<Option<Packed<'a, MinMax16<3>>>> {
        self.points("Positions")
    }

    /// Returns the stored sizes of the hulls: points of each, where 0 stands for 256. `None` where there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they are no binary data.
    pub fn hull_sizes(&self) -> Result<Option<&'a [u8]>> {
        Ok(self.binary("HullList")?.map(|(_, bytes)| bytes))
    }

    /// Goes through the hulls, as far as there are points for them: of each, its points.
    ///
    /// # Errors
    ///
    /// As [`hull_points`](Self::hull_points) and [`hull_sizes`](Self::hull_sizes).
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

    fn points(&self, key: &'static str) -> Result<Option<Packed<'a, MinMax16<3>>>> {
        let Some((at, bytes)) = self.binary(key)? else { return Ok(None) };
        let raw = <[[U16; 3]]>::ref_from_bytes(bytes).map_err(|_| {
            let kind =
                ErrorKind::Value { expected: "a multiple of 6 bytes".into(), found: bytes.len().to_string().into() };
            self.error(key, at, kind)
        })?;
        Ok(Some(Packed::new(raw, self.domain()?)))
    }

    /// Returns the binary data of a key, and where it stands.
    pub(super) fn binary(&self, key: &'static str) -> Result<Option<(usize, &'a [u8])>> {
        let Some(entry) = self.map.get(key) else { return Ok(None) };
        match entry.value.binary() {
            Some(bytes) => Ok(Some((entry.at, bytes))),
            None => Err(self.block.wrong(field(key), entry.at, "binary data", entry.value.kind())),
        }
    }

    fn error(&self, key: &'static str, at: usize, kind: ErrorKind) -> Error {
        self.block.error(field(key), at, kind)
    }
}

fn field(key: &'static str) -> Field {
    Field::new(key).in_struct(AssetPart::PhysicsConvex.key())
}

/// Returns the number of points that a stored size stands for.
#[must_use]
pub fn hull_size(stored: u8) -> usize {
    if stored == 0 { 256 } else { usize::from(stored) }
}

/// Why a triangle to collide with would be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degeneracy {
    /// It has no area to speak of.
    Flat,
    /// It has, but one edge is more than ten times another, and less area than such a triangle must have.
    Sliver,
}

/// Tells whether a triangle is degenerate as the viewer tests it before an upload, with positions of half the size, in
/// `f32`; and whether that is because it is flat, or a mere sliver, as real uploads have them.
///
/// ```
/// use meshpeek::secondlife::{Degeneracy, degeneracy};
/// assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]), None);
/// assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.5, 0.0, 0.0]]), Some(Degeneracy::Flat));
/// ```
#[must_use]
#[allow(clippy::float_cmp, reason = "the viewer compares exactly")]
pub fn degeneracy([first, second, third]: [[f32; 3]; 3]) -> Option<Degeneracy> {
    /// The least that the square of a cross product must be.
    const UNEVEN: f32 = 1e-7;
    const EVEN: f32 = UNEVEN * 1e-4;
    let edges = [subtract(first, second), subtract(first, third), subtract(third, second)];
    let [one, two, three] = edges.map(|edge| dot(edge, edge));
    // No edge is more than ten times another, as it is coded.
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
        // Small but even passes; as small and a sliver does not.
        assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 0.01, 0.0]]), None);
        assert_eq!(degeneracy([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.001, 0.0]]), Some(Sliver));
    }

    #[test]
    fn a_size_of_0_is_256() {
        assert_eq!([0, 1, 255].map(hull_size), [256, 1, 255]);
    }
}
