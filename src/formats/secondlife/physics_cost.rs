//! The cost of collisions, as a simulator stored it in the header.

use super::llsd::{LlsdMap, LlsdValue};

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
        match self.map.get(key)?.value {
            LlsdValue::Integer(number) => Some(number),
            _ => None,
        }
    }
}
