//! The surfaces that are queried together.

use std::sync::Arc;

use crate::array::Bounds;
use crate::bvh::probe::{NoProbe, Probe};
use crate::bvh::tree::Tree;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::model::{Geometry, Surface};
use crate::query::batch;
use crate::query::frustum::Frustum;
use crate::query::hit::{Hit, Nearest};
use crate::query::probed_scene::ProbedScene;
use crate::query::ray::Ray;
use crate::query::scene_surface::{SceneSurface, fits};
use crate::sidecar::Sidecar;

/// Surfaces that are asked together, each with a tree over its triangles.
///
/// Answers are those of a loop over all triangles, whatever tree there is: of hits as near as each other, the first in the file
/// counts. Triangles with a coordinate that is not finite, or beyond ±2^60, or with an index that is out of range, are not
/// there. A ray whose direction is zero or not finite hits nothing, and nothing is nearest to a point that is not finite.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::query::{Ray, Scene};
///
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let scene = Scene::new(&mesh)?;
/// let hit = scene.ray(&Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0])).expect("the cube is there");
/// assert_eq!(hit.point, [0.1, 0.2, 0.5]);
/// assert!(scene.nearest([0.0, 0.0, 9.0], f32::INFINITY).is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Scene<'a> {
    surfaces: Vec<SceneSurface<'a>>,
}

impl<'a> Scene<'a> {
    /// Takes all surfaces of a file in their base shape, and builds a tree of each.
    ///
    /// # Errors
    ///
    /// What locating the arrays of a surface fails with; [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn new(geometry: &'a dyn Geometry) -> Result<Self> {
        Self::from_surfaces(geometry, 0..geometry.surface_count(), None)
    }

    /// Takes all surfaces of a file in their base shape, with the trees of its sidecar; those that it does not have are built.
    ///
    /// Of a sidecar that may have been made to deceive ([`Trust::Untrusted`](crate::sidecar::Trust::Untrusted)), each tree is first
    /// compared with all its triangles, and built where it is not right.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn indexed(geometry: &'a dyn Geometry, sidecar: &Arc<Sidecar>) -> Result<Self> {
        Self::from_surfaces(geometry, 0..geometry.surface_count(), Some(sidecar))
    }

    /// Takes some surfaces of a file, by number: as [`indexed`](Self::indexed) where there is a sidecar, as [`new`](Self::new)
    /// where there is none.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch) where there is no surface of a number.
    pub fn from_surfaces(
        geometry: &'a dyn Geometry,
        surfaces: impl IntoIterator<Item = usize>,
        sidecar: Option<&Arc<Sidecar>>,
    ) -> Result<Self> {
        let mut scene = Self::empty();
        for number in surfaces {
            let triangles = Triangles::new(&Surface::new(geometry, number))?;
            let stored = sidecar.and_then(|sidecar| {
                Tree::from_sidecar(sidecar, number).filter(|tree| fits(tree, &triangles, sidecar.trust()))
            });
            scene.add_or_build(number, triangles, stored)?;
        }
        Ok(scene)
    }

    /// Takes all surfaces of a file in their base shape, each with the tree that the file itself stores if there is a
    /// sound one: see [`Tree::from_spatial_tree`]. The others are built, as by [`new`](Self::new). Answers are the same; they
    /// come later and the scene is there sooner.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); a stored tree that cannot be read is ignored.
    pub fn from_file_trees(geometry: &'a dyn Geometry) -> Result<Self> {
        let mut scene = Self::empty();
        for surface in Surface::all(geometry) {
            let triangles = Triangles::new(&surface)?;
            let stored = match surface.partition() {
                Ok(Some(spatial_tree)) => Tree::from_spatial_tree(&triangles, &*spatial_tree)?,
                _ => None,
            };
            scene.add_or_build(surface.index(), triangles, stored)?;
        }
        Ok(scene)
    }

    /// Starts without surfaces.
    #[must_use]
    pub const fn empty() -> Self {
        Self { surfaces: Vec::new() }
    }

    /// Adds a surface, under the number that hits are to bear: any triangles, and a tree [built](Tree::new) of
    /// them or [refitted](Tree::refit) to them.
    pub fn add(&mut self, surface: usize, triangles: Triangles<'a>, tree: Arc<Tree>) {
        let place = self.surfaces.partition_point(|one| one.surface <= surface);
        self.surfaces.insert(place, SceneSurface::new(surface, triangles, tree));
    }

    /// Adds a surface with its tree; one is built if there is none.
    fn add_or_build(&mut self, surface: usize, triangles: Triangles<'a>, tree: Option<Tree>) -> Result<()> {
        let tree = tree.map_or_else(|| Tree::new(&triangles), Ok)?;
        self.add(surface, triangles, Arc::new(tree));
        Ok(())
    }

    /// Makes the scene of the same surfaces in another shape, with the same nodes over it: see [`Tree::refit`].
    ///
    /// # Errors
    ///
    /// What `triangles` fails with for the number of a surface; [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn refit<'b>(&self, mut triangles: impl FnMut(usize) -> Result<Triangles<'b>>) -> Result<Scene<'b>> {
        let mut scene = Scene::empty();
        for one in &self.surfaces {
            let moved = triangles(one.surface)?;
            scene.add_or_build(one.surface, moved, one.tree.refit(&moved))?;
        }
        Ok(scene)
    }

    /// Returns the trees, each with the number of its surface.
    #[must_use]
    pub fn trees(&self) -> impl ExactSizeIterator<Item = (usize, &Tree)> {
        self.surfaces.iter().map(|one| (one.surface, &*one.tree))
    }

    /// Returns the triangles of a surface.
    #[must_use]
    pub fn triangles(&self, surface: usize) -> Option<&Triangles<'a>> {
        self.surfaces.iter().find(|one| one.surface == surface).map(|one| &one.triangles)
    }

    /// Returns the box around all triangles that count; empty where there is none.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.surfaces.iter().fold(Bounds::EMPTY, |all, one| all.union(&one.bounds))
    }

    /// Asks the same questions, and reports to a probe which bytes they read.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::query::{PagesTouched, Ray, Scene};
    ///
    /// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
    /// let scene = Scene::new(&mesh)?;
    /// let mut pages = PagesTouched::default();
    /// assert!(scene.probed(&mut pages).is_hit(&Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0])));
    /// assert!(pages.mesh() > 0);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn probed<'s, P: Probe>(&'s self, probe: &'s mut P) -> ProbedScene<'s, 'a, P> {
        ProbedScene::new(&self.surfaces, probe)
    }

    /// Returns the first place where a ray meets a surface.
    #[must_use]
    pub fn ray(&self, ray: &Ray) -> Option<Hit> {
        self.probed(&mut NoProbe).ray(ray)
    }

    /// Returns whether a ray meets any surface.
    #[must_use]
    pub fn is_hit(&self, ray: &Ray) -> bool {
        self.probed(&mut NoProbe).is_hit(ray)
    }

    /// Returns all places where a ray meets a surface, the nearest first.
    #[must_use]
    pub fn all_hits(&self, ray: &Ray) -> Vec<Hit> {
        self.probed(&mut NoProbe).all_hits(ray)
    }

    /// Returns, for each ray, the first place where it meets a surface: as [`ray`](Self::ray), and faster than asking one by
    /// one, on all processors with the feature `rayon`. Takes 100 bytes for each ray while it runs.
    #[must_use]
    pub fn rays(&self, rays: &[Ray]) -> Vec<Option<Hit>> {
        batch::first_hits(rays, &self.bounds(), |rays| {
            for (number, surface) in self.surfaces.iter().enumerate() {
                surface.cast_batch(rays);
                batch::keep_nearest(rays, number);
            }
        })
        .into_iter()
        .zip(rays)
        .map(|(hit, ray)| {
            let (number, hit) = hit?;
            Some(self.surfaces.get(number)?.hit(ray, &hit))
        })
        .collect()
    }

    /// Returns the point of a surface that is nearest to `point`, within a distance of `limit`, in scene units.
    #[must_use]
    pub fn nearest(&self, point: [f32; 3], limit: f32) -> Option<Nearest> {
        self.probed(&mut NoProbe).nearest(point, limit)
    }

    /// Returns the triangles that reach into a box, as surface and triangle, in that order. Touching counts.
    #[must_use]
    pub fn overlapping_box(&self, bounds: &Bounds) -> Vec<(usize, u32)> {
        self.probed(&mut NoProbe).overlapping_box(bounds)
    }

    /// Returns the triangles that reach into a frustum, as surface and triangle, in that order. Touching counts.
    #[must_use]
    pub fn overlapping_frustum(&self, frustum: &Frustum) -> Vec<(usize, u32)> {
        self.probed(&mut NoProbe).overlapping_frustum(frustum)
    }

    /// Returns the triangles of a surface that have a vertex as a corner, in file order: those that count.
    ///
    /// They are looked for around its position, through the tree: nothing is walked.
    #[must_use]
    pub fn triangles_around(&self, surface: usize, vertex: u32) -> Vec<u32> {
        let Some(one) = self.surfaces.iter().find(|one| one.surface == surface) else { return Vec::new() };
        let Some(point) = one.triangles.point(vertex) else { return Vec::new() };
        let mut around = one.overlapping(&Bounds { min: point, max: point }, &mut NoProbe);
        around.retain(|triangle| one.triangles.corners(*triangle).is_some_and(|corners| corners.contains(&vertex)));
        around.sort_unstable();
        around
    }

    /// Returns the vertices of a surface that share an edge with a vertex, by number.
    #[must_use]
    pub fn neighbors(&self, surface: usize, vertex: u32) -> Vec<u32> {
        let Some(triangles) = self.triangles(surface) else { return Vec::new() };
        let around = self.triangles_around(surface, vertex);
        let corners = around.into_iter().filter_map(|triangle| triangles.corners(triangle)).flatten();
        let mut neighbors: Vec<_> = corners.filter(|corner| *corner != vertex).collect();
        neighbors.sort_unstable();
        neighbors.dedup();
        neighbors
    }
}
