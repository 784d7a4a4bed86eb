//! Rays.

/// A half-line, or a part of one: what points lie from an origin in a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts, in scene units.
    pub origin: [f32; 3],
    /// Where it goes, of any length but 0. A place on the ray is told by how many such lengths it is from the origin: its t.
    pub direction: [f32; 3],
    /// The least and the greatest t that count, both included; 0 and infinity of a half-line. Below 0 lies what is behind
    /// the origin.
    pub range: [f32; 2],
}

impl Ray {
    /// Starts a half-line at `origin`.
    #[must_use]
    pub const fn new(origin: [f32; 3], direction: [f32; 3]) -> Self {
        Self { origin, direction, range: [0.0, f32::INFINITY] }
    }

    /// Starts a half-line at `from` that is at `target` when t is 1, as nearly as the difference of the two can be stored.
    #[must_use]
    pub fn toward(from: [f32; 3], target: [f32; 3]) -> Self {
        Self::new(from, crate::math::subtract(target, from))
    }

    /// Returns the part of it, or of the line that it lies on, whose t is in `range`.
    #[must_use]
    pub const fn within(mut self, range: [f32; 2]) -> Self {
        self.range = range;
        self
    }

    /// Returns the place on it at `t`, in scene units.
    #[must_use]
    pub fn at(&self, t: f64) -> [f64; 3] {
        let [[ox, oy, oz], [dx, dy, dz]] = [self.origin, self.direction].map(|part| part.map(f64::from));
        [ox + t * dx, oy + t * dy, oz + t * dz]
    }
}
