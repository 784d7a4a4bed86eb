//! The queries of a scene.

// Rule: this file sorts and maps by copies only.

use crate::array::Bounds;
use crate::query::batch;
use crate::query::frustum::Frustum;
use crate::query::probed_scene::ProbedScene;
use crate::query::ray::{Hit, Nearest, Ray};
use crate::query::scene::Scene;

impl<'a> Scene<'a> {
    fn all(&self) -> ProbedScene<'_, 'a, ()> {
        ProbedScene::new(self, ())
    }

    /// Returns the hit of a ray that is nearest to the start of the ray's range, on any surface of
    /// the scene.
    #[must_use]
    pub fn ray(&self, ray: &Ray) -> Option<Hit> {
        self.all().ray(ray)
    }

    /// Returns whether a ray hits any surface of the scene.
    #[must_use]
    pub fn is_hit(&self, ray: &Ray) -> bool {
        self.all().is_hit(ray)
    }

    /// Replaces the content of `hits` by all hits of a ray on all surfaces of the scene, sorted by
    /// the ray parameter `t`, with the least `t` first.
    ///
    /// Like all methods of the scene whose names end with `_into`, this method allocates memory
    /// only if the capacity of the list is too small.
    pub fn all_hits_into(&self, ray: &Ray, hits: &mut Vec<Hit>) {
        self.all().all_hits_into(ray, hits);
    }

    /// Returns the nearest hit of each ray, like [`ray`](Self::ray). The results are in the order
    /// of `rays`.
    ///
    /// One call for many rays is faster than one call of [`ray`](Self::ray) for each ray. With the
    /// feature `rayon`, `rays` uses all processors. During the call, `rays` needs about 100 bytes
    /// of memory for each ray, or about 400 bytes with the feature `rayon`.
    #[must_use]
    pub fn rays(&self, rays: &[Ray]) -> Vec<Option<Hit>> {
        batch::first_hits(rays, &self.bounds(), |rays| {
            rays.iter_mut().flatten().for_each(|ray| ray.query.mask &= self.mask);
            for (number, surface) in self.surfaces().iter().enumerate() {
                surface.cast_batch(rays);
                batch::keep_nearest(rays, number);
            }
        })
        .into_iter()
        .zip(rays)
        .map(|(hit, ray)| {
            let (number, hit) = hit?;
            Some(self.surfaces().get(number)?.hit(ray, &hit))
        })
        .collect()
    }

    /// Returns the point on any surface of the scene that is nearest to `point`.
    ///
    /// `limit` is the maximum distance of the returned point from `point`, in scene units. Returns
    /// `None` if no surface has a point within the distance `limit` of `point`.
    #[must_use]
    pub fn nearest(&self, point: [f32; 3], limit: f32) -> Option<Nearest> {
        self.all().nearest(point, limit)
    }

    /// Replaces the content of `list` by the `count` triangles that are nearest to `point`, each
    /// with its nearest point.
    ///
    /// The list is sorted by `distance`, and triangles at the same `distance` are in the order of
    /// the file. It has fewer than `count` items if fewer triangles are within the distance `limit`
    /// of `point`. If `count` is [`usize::MAX`], it has all triangles within this distance. During
    /// the call, the list has up to twice `count` items.
    pub fn nearest_n_into(&self, point: [f32; 3], limit: f32, count: usize, list: &mut Vec<Nearest>) {
        self.all().nearest_n_into(point, limit, count, list);
    }

    /// Replaces the content of `list` by the triangles that overlap a box, as sorted pairs: the
    /// index of the surface, and the index of the triangle in that surface.
    ///
    /// A triangle that only touches the box also counts as overlapping.
    pub fn overlapping_box_into(&self, bounds: &Bounds, list: &mut Vec<(usize, u32)>) {
        self.all().overlapping_box_into(bounds, list);
    }

    /// Replaces the content of `list` by the triangles that overlap a frustum, as sorted pairs: the
    /// index of the surface, and the index of the triangle in that surface.
    ///
    /// A triangle that only touches the frustum also counts as overlapping.
    pub fn overlapping_frustum_into(&self, frustum: &Frustum, list: &mut Vec<(usize, u32)>) {
        self.all().overlapping_frustum_into(frustum, list);
    }

    /// Replaces the content of `list` by the indices of the triangles of a surface that have the
    /// vertex `vertex` as a corner, in file order. Invalid triangles, which have an index out of
    /// range or a coordinate that is not finite or beyond ±2^60, are not included.
    ///
    /// The method searches the tree of the surface at the position of the vertex, and does not test
    /// every triangle of the surface.
    pub fn triangles_around_into(&self, surface: usize, vertex: u32, list: &mut Vec<u32>) {
        list.clear();
        let Some(one) = self.find(surface) else { return };
        let Some(point) = one.triangles.point(vertex) else { return };
        one.overlapping(&Bounds { min: point, max: point }, list, |triangle| triangle, &mut ());
        list.retain(|triangle| one.triangles.corners(*triangle).is_some_and(|corners| corners.contains(&vertex)));
        list.sort_unstable();
    }

    /// Replaces the content of `list` by the indices of the vertices that are connected to the
    /// vertex `vertex` by an edge of a triangle, in ascending order. Edges of invalid triangles,
    /// which have an index out of range or a coordinate that is not finite or beyond ±2^60, are not
    /// used.
    pub fn neighbors_into(&self, surface: usize, vertex: u32, list: &mut Vec<u32>) {
        self.triangles_around_into(surface, vertex, list);
        let Some(triangles) = self.triangles(surface) else { return };
        let count = list.len();
        for place in 0..count {
            let corners = list.get(place).and_then(|triangle| triangles.corners(*triangle));
            list.extend(corners.into_iter().flatten().filter(|corner| *corner != vertex));
        }
        list.drain(..count);
        list.sort_unstable();
        list.dedup();
    }
}
