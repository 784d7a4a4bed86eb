//! What queries answer: where a ray meets a surface, and the point of a surface nearest to another.

/// Where a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The number of the surface.
    pub surface: usize,
    /// The number of the triangle among those of the surface, in file order.
    pub triangle: u32,
    /// Lengths of the ray's direction from its origin.
    pub t: f32,
    /// The distance from the ray's origin, in scene units.
    pub distance: f32,
    /// The place, in scene units.
    pub point: [f32; 3],
    /// The surfaces, 0 to 1, that the second corner and the third have in the place; the first has the rest.
    pub barycentric: [f32; 2],
    /// Whether the ray comes from the side from which the corners go round counter-clockwise.
    pub is_front: bool,
}

/// The point of a surface that is nearest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The number of the surface.
    pub surface: usize,
    /// The number of the triangle among those of the surface, in file order.
    pub triangle: u32,
    /// The distance between the points, in scene units.
    pub distance: f32,
    /// The place, in scene units.
    pub point: [f32; 3],
    /// The surfaces, 0 to 1, that the second corner and the third have in the place; the first has the rest.
    pub barycentric: [f32; 2],
}
