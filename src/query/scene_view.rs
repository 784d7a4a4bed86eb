//! The queries of a scene, with a mask of its surfaces.

use crate::array::Bounds;
use crate::error::debug::short_debug;
use crate::query::frustum::Frustum;
use crate::query::hit::{Hit, Nearest};
use crate::query::probed_scene::ProbedScene;
use crate::query::ray::Ray;
use crate::query::scene_surface::SceneSurfaces;

/// A view of a [`Scene`](crate::query::Scene) whose queries test only some surfaces.
///
/// [`Scene::masked`](crate::query::Scene::masked) makes a view. Its queries are those of the scene.
#[derive(Clone, Copy)]
pub struct SceneView<'s, 'a> {
    surfaces: SceneSurfaces<'s, 'a>,
    mask: u32,
}

short_debug!(SceneView<'_, '_>: |scene| { surfaces: scene.surfaces.trees.len(), mask: scene.mask });

impl<'s, 'a> SceneView<'s, 'a> {
    pub(super) const fn new(surfaces: SceneSurfaces<'s, 'a>, mask: u32) -> Self {
        Self { surfaces, mask }
    }

    const fn unprobed(&self) -> ProbedScene<'s, 'a, ()> {
        ProbedScene::masked(self.surfaces, self.mask, ())
    }

    /// Returns the hit of a ray that is nearest to the start of the ray's range.
    #[must_use]
    pub fn ray(&self, ray: &Ray) -> Option<Hit> {
        self.unprobed().ray(ray)
    }

    /// Returns whether a ray hits any surface.
    #[must_use]
    pub fn is_hit(&self, ray: &Ray) -> bool {
        self.unprobed().is_hit(ray)
    }

    /// Replaces the content of `hits` by all hits of a ray, as
    /// [`Scene::all_hits_into`](crate::query::Scene::all_hits_into) does.
    pub fn all_hits_into(&self, ray: &Ray, hits: &mut Vec<Hit>) {
        self.unprobed().all_hits_into(ray, hits);
    }

    /// Returns the point on any surface that is nearest to `point`.
    ///
    /// `limit` is the maximum distance of the returned point from `point`, in scene units. Returns
    /// `None` if no surface has a point within the distance `limit` of `point`.
    #[must_use]
    pub fn nearest(&self, point: [f32; 3], limit: f32) -> Option<Nearest> {
        self.unprobed().nearest(point, limit)
    }

    /// Replaces the content of `list` by the triangles that are nearest to `point`, as
    /// [`Scene::nearest_n_into`](crate::query::Scene::nearest_n_into) does.
    pub fn nearest_n_into(&self, point: [f32; 3], limit: f32, count: usize, list: &mut Vec<Nearest>) {
        self.unprobed().nearest_n_into(point, limit, count, list);
    }

    /// Replaces the content of `list` by the triangles that overlap a box, as
    /// [`Scene::overlapping_box_into`](crate::query::Scene::overlapping_box_into) does.
    pub fn overlapping_box_into(&self, bounds: &Bounds, list: &mut Vec<(usize, u32)>) {
        self.unprobed().overlapping_box_into(bounds, list);
    }

    /// Replaces the content of `list` by the triangles that overlap a frustum, as
    /// [`Scene::overlapping_frustum_into`](crate::query::Scene::overlapping_frustum_into) does.
    pub fn overlapping_frustum_into(&self, frustum: &Frustum, list: &mut Vec<(usize, u32)>) {
        self.unprobed().overlapping_frustum_into(frustum, list);
    }
}
