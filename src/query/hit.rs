//! The results of queries: the hit of a ray on a surface, and the point of a surface that is
//! nearest to a query point.

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
