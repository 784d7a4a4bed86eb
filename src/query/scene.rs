//! The surfaces that are asked together.

use std::sync::Arc;

use crate::array::Bounds;
use crate::bvh::traverse::{Unwatched, Watch};
use crate::bvh::tree::Tree;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::math::narrow;
use crate::model::{Geometry, Surface};
use crate::query::batch;
use crate::query::closest_point::{Center, Nearby};
use crate::query::frustum::Frustum;
use crate::query::overlap::Region;
use crate::query::pages_touched::PagesTouched;
use crate::query::ray::Ray;
use crate::query::ray_query::{All, Any, Cast, Found, Nearest as First};
use crate::query::scene_surface::{Part, fits};
use crate::sidecar::Sidecar;

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
    /// The parts, 0 to 1, that the second corner and the third have in the place; the first has the rest.
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
    /// The parts, 0 to 1, that the second corner and the third have in the place; the first has the rest.
    pub barycentric: [f32; 2],
}

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
    parts: Vec<Part<'a>>,
}

impl<'a> Scene<'a> {
    /// Takes all surfaces of a file in their base shape, and builds a tree of each.
    ///
    /// # Errors
    ///
    /// What locating the arrays of a surface fails with; [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn new(geometry: &'a dyn Geometry) -> Result<Self> {
        Self::of(geometry, 0..geometry.surface_count(), None)
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
        Self::of(geometry, 0..geometry.surface_count(), Some(sidecar))
    }

    /// Takes some surfaces of a file, by number: as [`indexed`](Self::indexed) where there is a sidecar, as [`new`](Self::new)
    /// where there is none.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch) where there is no surface of a number.
    pub fn of(
        geometry: &'a dyn Geometry,
        surfaces: impl IntoIterator<Item = usize>,
        sidecar: Option<&Arc<Sidecar>>,
    ) -> Result<Self> {
        let mut scene = Self::empty();
        for number in surfaces {
            let triangles = Triangles::new(&Surface::new(geometry, number))?;
            let stored = sidecar.and_then(|sidecar| {
                Tree::stored(sidecar, number).filter(|tree| fits(tree, &triangles, sidecar.trust()))
            });
            let tree = match stored {
                Some(tree) => tree,
                None => Tree::new(&triangles)?,
            };
            scene.add(number, triangles, Arc::new(tree));
        }
        Ok(scene)
    }

    /// Starts without surfaces.
    #[must_use]
    pub const fn empty() -> Self {
        Self { parts: Vec::new() }
    }

    /// Adds a surface, under the number that hits are to bear: any triangles, and a tree [built](Tree::new) of
    /// them or [refitted](Tree::refit) to them.
    pub fn add(&mut self, surface: usize, triangles: Triangles<'a>, tree: Arc<Tree>) {
        let place = self.parts.partition_point(|part| part.surface <= surface);
        self.parts.insert(place, Part::new(surface, triangles, tree));
    }

    /// Makes the scene of the same surfaces in another shape, with the same nodes over it: see [`Tree::refit`].
    ///
    /// # Errors
    ///
    /// What `triangles` fails with for the number of a surface; [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn refit<'b>(&self, mut triangles: impl FnMut(usize) -> Result<Triangles<'b>>) -> Result<Scene<'b>> {
        let mut scene = Scene::empty();
        for part in &self.parts {
            let moved = triangles(part.surface)?;
            let tree = match part.tree.refit(&moved) {
                Some(tree) => tree,
                None => Tree::new(&moved)?,
            };
            scene.add(part.surface, moved, Arc::new(tree));
        }
        Ok(scene)
    }

    /// Returns the trees, each with the number of its surface.
    #[must_use]
    pub fn trees(&self) -> impl ExactSizeIterator<Item = (usize, &Tree)> {
        self.parts.iter().map(|part| (part.surface, &*part.tree))
    }

    /// Returns the triangles of a surface.
    #[must_use]
    pub fn triangles(&self, surface: usize) -> Option<&Triangles<'a>> {
        self.parts.iter().find(|part| part.surface == surface).map(|part| &part.triangles)
    }

    /// Returns the box around all triangles that count; empty where there is none.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.parts.iter().fold(Bounds::EMPTY, |all, part| all.union(&part.bounds))
    }

    /// Returns the first place where a ray meets a surface.
    #[must_use]
    pub fn ray(&self, ray: &Ray) -> Option<Hit> {
        self.first(ray, &mut Unwatched)
    }

    /// Does as [`ray`](Self::ray), and notes which pages it looks at.
    #[must_use]
    pub fn ray_watched(&self, ray: &Ray, pages: &mut PagesTouched) -> Option<Hit> {
        self.first(ray, pages)
    }

    fn first(&self, ray: &Ray, watch: &mut impl Watch) -> Option<Hit> {
        let mut cast = Cast::new(ray)?;
        if let [part] = &*self.parts {
            let mut first = First::default();
            part.cast(&mut cast, &mut first, watch);
            return Some(part.hit(ray, &first.0?));
        }
        let mut best: Option<(&Part<'a>, Found)> = None;
        for part in self.along(&cast) {
            if best.is_some() && part.misses(&cast) {
                continue;
            }
            let mut first = First::default();
            part.cast(&mut cast, &mut first, watch);
            if let Some(found) = first.0 {
                let is_first = best.is_none_or(|(other, known)| {
                    let [near, far] = [found.crossing.t, known.crossing.t];
                    near < far || near <= far && part.surface < other.surface
                });
                if is_first {
                    best = Some((part, found));
                }
            }
        }
        best.map(|(part, found)| part.hit(ray, &found))
    }

    /// Tells whether a ray meets any surface.
    #[must_use]
    pub fn is_hit(&self, ray: &Ray) -> bool {
        self.any(ray, &mut Unwatched)
    }

    /// Does as [`is_hit`](Self::is_hit), and notes which pages it looks at.
    #[must_use]
    pub fn is_hit_watched(&self, ray: &Ray, pages: &mut PagesTouched) -> bool {
        self.any(ray, pages)
    }

    fn any(&self, ray: &Ray, watch: &mut impl Watch) -> bool {
        let Some(mut cast) = Cast::new(ray) else { return false };
        self.parts.iter().any(|part| {
            let mut any = Any::default();
            if !part.misses(&cast) {
                part.cast(&mut cast, &mut any, watch);
            }
            any.0
        })
    }

    /// Returns all places where a ray meets a surface, the nearest first.
    #[must_use]
    pub fn hits(&self, ray: &Ray) -> Vec<Hit> {
        self.all(ray, &mut Unwatched)
    }

    /// Does as [`hits`](Self::hits), and notes which pages it looks at.
    #[must_use]
    pub fn hits_watched(&self, ray: &Ray, pages: &mut PagesTouched) -> Vec<Hit> {
        self.all(ray, pages)
    }

    fn all(&self, ray: &Ray, watch: &mut impl Watch) -> Vec<Hit> {
        let Some(mut cast) = Cast::new(ray) else { return Vec::new() };
        let mut all = Vec::new();
        for part in self.along(&cast) {
            let mut found = All::default();
            part.cast(&mut cast, &mut found, watch);
            all.extend(found.0.into_iter().map(|found| (part, found)));
        }
        all.sort_by(|(one, a), (other, b)| {
            a.crossing.t.total_cmp(&b.crossing.t).then((one.surface, a.triangle).cmp(&(other.surface, b.triangle)))
        });
        all.into_iter().map(|(part, found)| part.hit(ray, &found)).collect()
    }

    /// Returns, for each ray, the first place where it meets a surface: as [`ray`](Self::ray), and faster than asking one by
    /// one, on all processors with the feature `rayon`. Takes 100 bytes for each ray while it runs.
    #[must_use]
    pub fn rays(&self, rays: &[Ray]) -> Vec<Option<Hit>> {
        batch::rays(rays, &self.bounds(), |jobs| {
            for (number, part) in self.parts.iter().enumerate() {
                part.cast_many(jobs);
                batch::note(jobs, number);
            }
        })
        .into_iter()
        .zip(rays)
        .map(|(found, ray)| {
            let (number, found) = found?;
            Some(self.parts.get(number)?.hit(ray, &found))
        })
        .collect()
    }

    /// Returns the point of a surface that is nearest to `point`, within a distance of `limit`, in scene units.
    #[must_use]
    pub fn nearest(&self, point: [f32; 3], limit: f32) -> Option<Nearest> {
        self.around(point, limit, &mut Unwatched)
    }

    /// Does as [`nearest`](Self::nearest), and notes which pages it looks at.
    #[must_use]
    pub fn nearest_watched(&self, point: [f32; 3], limit: f32, pages: &mut PagesTouched) -> Option<Nearest> {
        self.around(point, limit, pages)
    }

    fn around(&self, point: [f32; 3], limit: f32, watch: &mut impl Watch) -> Option<Nearest> {
        let mut center = Center::new(point, limit)?;
        let mut order: Vec<_> = self.parts.iter().map(|part| (center.distance_to(&part.bounds), part)).collect();
        order.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut best: Option<(&Part<'a>, Nearby)> = None;
        for (distance, part) in order {
            if distance > center.reach() {
                break;
            }
            let mut nearby = None;
            part.near(&mut center, &mut nearby, watch);
            if let Some(found) = nearby {
                let is_nearer = best.is_none_or(|(other, known)| {
                    let [near, far] = [found, known].map(|nearby| nearby.closest.distance_squared);
                    near < far || near <= far && part.surface < other.surface
                });
                if is_nearer {
                    best = Some((part, found));
                }
            }
        }
        let (part, Nearby { triangle, closest }) = best?;
        Some(Nearest {
            surface: part.surface,
            triangle,
            distance: narrow(closest.distance_squared.sqrt()),
            point: closest.point.map(narrow),
            barycentric: closest.barycentric.map(narrow),
        })
    }

    /// Returns the triangles that reach into a box, as surface and triangle, in that order. Touching counts.
    #[must_use]
    pub fn overlapping_box(&self, bounds: &Bounds, pages: &mut PagesTouched) -> Vec<(usize, u32)> {
        self.overlapping(bounds, pages)
    }

    /// Returns the triangles that reach into a frustum, as surface and triangle, in that order. Touching counts.
    #[must_use]
    pub fn overlapping_frustum(&self, frustum: &Frustum, pages: &mut PagesTouched) -> Vec<(usize, u32)> {
        self.overlapping(frustum, pages)
    }

    fn overlapping(&self, region: &impl Region, watch: &mut impl Watch) -> Vec<(usize, u32)> {
        let mut all = Vec::new();
        for part in self.parts.iter().filter(|part| region.meets(&part.bounds)) {
            let found = part.reach(region, watch);
            all.extend(found.into_iter().map(|triangle| (part.surface, triangle)));
        }
        all.sort_unstable();
        all
    }

    /// Returns the triangles of a surface that have a vertex as a corner, in file order: those that count.
    ///
    /// They are looked for around its position, through the tree: nothing is walked.
    #[must_use]
    pub fn triangles_of(&self, surface: usize, vertex: u32) -> Vec<u32> {
        let Some(part) = self.parts.iter().find(|part| part.surface == surface) else { return Vec::new() };
        let Some(point) = part.triangles.point(vertex) else { return Vec::new() };
        let mut around = part.reach(&Bounds { min: point, max: point }, &mut Unwatched);
        around.retain(|triangle| part.triangles.corners(*triangle).is_some_and(|corners| corners.contains(&vertex)));
        around.sort_unstable();
        around
    }

    /// Returns the vertices of a surface that share an edge with a vertex, by number.
    #[must_use]
    pub fn neighbors(&self, surface: usize, vertex: u32) -> Vec<u32> {
        let Some(triangles) = self.triangles(surface) else { return Vec::new() };
        let around = self.triangles_of(surface, vertex);
        let corners = around.into_iter().filter_map(|triangle| triangles.corners(triangle)).flatten();
        let mut neighbors: Vec<_> = corners.filter(|corner| *corner != vertex).collect();
        neighbors.sort_unstable();
        neighbors.dedup();
        neighbors
    }

    /// Returns the parts whose boxes a ray meets, the nearest first.
    fn along(&self, cast: &Cast) -> Vec<&Part<'a>> {
        let met = self.parts.iter().filter_map(|part| Some((cast.meets(&part.bounds)?, part)));
        let mut met: Vec<_> = met.collect();
        met.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        met.into_iter().map(|(_, part)| part).collect()
    }
}
