//! Asking surfaces through the trees that their file has.

use std::sync::Arc;

use crate::bvh::tree::Tree;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::model::{Geometry, Surface};
use crate::query::scene::Scene;

impl<'a> Scene<'a> {
    /// Takes all surfaces of a file in their base shape, each with the tree that the file itself stores where there is a
    /// sound one: see [`Tree::from_partition`]. The others are built, as by [`new`](Self::new). Answers are the same; they
    /// come later and the scene is there sooner.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); a stored tree that cannot be read is passed over.
    pub fn of_partitions(geometry: &'a dyn Geometry) -> Result<Self> {
        let mut scene = Self::empty();
        for surface in Surface::all(geometry) {
            let triangles = Triangles::new(&surface)?;
            let stored = match surface.partition() {
                Ok(Some(partition)) => Tree::from_partition(&triangles, &*partition)?,
                _ => None,
            };
            let tree = match stored {
                Some(tree) => tree,
                None => Tree::new(&triangles)?,
            };
            scene.add(surface.index(), triangles, Arc::new(tree));
        }
        Ok(scene)
    }
}
