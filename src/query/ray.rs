//! The ray, which is the input of ray queries, and the results of queries.

/// The sides of triangles that a ray can hit.
///
/// The front side of a triangle is the side from which its corners appear in counter-clockwise
/// order, in a right-handed coordinate system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faces {
    /// The ray can hit both sides.
    #[default]
    Both,
    /// The ray can hit only the front side. It passes through triangles that it meets from behind.
    Front,
    /// The ray can hit only the back side.
    Back,
}

/// A ray: a half-line from an origin in a direction, or the part of a line between two values of
/// the ray parameter `t`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ray {
    /// The origin of the ray, in scene units.
    pub origin: [f32; 3],
    /// The direction vector of the ray. The vector can have any finite length except 0.
    ///
    /// The parameter `t` of a point on the ray is the distance of the point from the origin,
    /// divided by the length of the direction vector.
    pub direction: [f32; 3],
    /// The least and the greatest ray parameter `t` of an accepted hit, both inclusive.
    ///
    /// For a half-line, the range of the ray parameter `t` is 0 to infinity. Points of the line
    /// with a negative `t` lie in the direction opposite to the direction vector, as seen from the
    /// origin.
    #[doc(hidden)]
    pub range: [f32; 2],
    /// The mask of the ray: all bits are set, unless [`with_mask`](Self::with_mask) was called.
    ///
    /// The ray is only tested against surfaces and instances whose mask has a bit in common with
    /// the mask of the ray. A ray with the mask 0 hits nothing.
    #[doc(hidden)]
    pub mask: u32,
    /// The sides of triangles that the ray can hit: both, unless [`with_faces`](Self::with_faces)
    /// was called. A side that is excluded does not hide triangles that are farther away.
    #[doc(hidden)]
    pub faces: Faces,
}

impl Faces {
    /// Returns whether a hit of the front side, or of the back side, is accepted.
    #[inline]
    pub(crate) const fn accepts(self, is_front: bool) -> bool {
        match self {
            Self::Both => true,
            Self::Front => is_front,
            Self::Back => !is_front,
        }
    }
}

impl Ray {
    /// Makes a ray that is a half-line: it starts at `origin` and has no end.
    #[must_use]
    pub const fn new(origin: [f32; 3], direction: [f32; 3]) -> Self {
        Self { origin, direction, range: [0.0, f32::INFINITY], mask: u32::MAX, faces: Faces::Both }
    }

    /// Makes a ray that starts at `from` and reaches `target` at `t` = 1, and continues without
    /// end.
    ///
    /// The direction of the ray is `target - from`, rounded to `f32`.
    #[must_use]
    pub fn toward(from: [f32; 3], target: [f32; 3]) -> Self {
        Self::new(from, crate::math::subtract(target, from))
    }

    /// Returns the same ray with another range of the ray parameter `t`, which may include negative
    /// values.
    #[must_use]
    pub const fn within(mut self, range: [f32; 2]) -> Self {
        self.range = range;
        self
    }

    /// Returns the same ray with another mask, which selects the surfaces that the ray can hit.
    #[must_use]
    pub const fn with_mask(mut self, mask: u32) -> Self {
        self.mask = mask;
        self
    }

    /// Returns the same ray restricted to some sides of triangles.
    #[must_use]
    pub const fn with_faces(mut self, faces: Faces) -> Self {
        self.faces = faces;
        self
    }

    /// Returns the point of the ray at the ray parameter `t`, in scene units.
    #[must_use]
    pub fn at(&self, t: f64) -> [f64; 3] {
        let [[ox, oy, oz], [dx, dy, dz]] = [self.origin, self.direction].map(|part| part.map(f64::from));
        [ox + t * dx, oy + t * dy, oz + t * dz]
    }
}

/// A hit of a ray on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The index of the surface that the ray hits.
    pub surface: usize,
    /// The index of the triangle that the ray hits. The triangles of a surface are counted from 0,
    /// in file order.
    pub triangle: u32,
    /// The ray parameter `t`: the distance of the hit from the ray's origin, divided by the length
    /// of the ray's direction vector.
    pub t: f32,
    /// The distance of the hit from the ray's origin, in scene units.
    pub distance: f32,
    /// The position of the hit, in scene units.
    pub point: [f32; 3],
    /// The barycentric coordinates, 0 to 1, of the hit for the second and the third corner of the
    /// triangle.
    ///
    /// The barycentric coordinate for the first corner is 1 minus the sum of the other two
    /// coordinates. The corners are those of the file. A conversion that reverses the winding
    /// exchanges the second and the third corner, and
    /// [`SpaceConversion::triangle`](crate::model::SpaceConversion::triangle) the coordinates.
    pub barycentric: [f32; 2],
    /// Whether the ray hits the front side of the triangle: the side from which its corners appear
    /// in counter-clockwise order.
    pub is_front: bool,
    /// The geometric normal of the triangle, of unit length: perpendicular to the triangle, on its
    /// front side, even if the ray hits the back side.
    ///
    /// The normal is 0 in all components if the area of the triangle is too small for an `f64`.
    pub normal: [f32; 3],
    /// The ray parameter `t` without rounding to `f32`. It determines the order of hits.
    pub(crate) exact_t: f64,
}

/// The point of a surface that is nearest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Nearest {
    /// The index of the surface that contains the nearest point.
    pub surface: usize,
    /// The index of the triangle that contains the nearest point. The triangles of a surface are
    /// counted from 0, in file order.
    pub triangle: u32,
    /// The distance from the query point to the nearest point, in scene units.
    pub distance: f32,
    /// The position of the nearest point, in scene units.
    pub point: [f32; 3],
    /// The barycentric coordinates, 0 to 1, of the nearest point for the second and the third
    /// corner of the triangle.
    ///
    /// The barycentric coordinate for the first corner is 1 minus the sum of the other two
    /// coordinates.
    pub barycentric: [f32; 2],
}
