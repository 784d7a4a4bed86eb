//! Scenes that are placed in a world, each with a transform.

// Rule: this file sorts and maps by copies only.

use std::ops::ControlFlow;

use crate::array::Bounds;
use crate::bvh::reserve::try_with_capacity;
use crate::error::Result;
use crate::error::debug::short_debug;
use crate::math::{as_index, narrow};
use crate::query::batch;
use crate::query::box_tree::{BoxQuery, BoxTree, WideBox, overlaps, wide_box};
use crate::query::instance_search::{NearestInstance, RayInInstances};
use crate::query::instance_transform::{PlacedBox, SceneInstance};
use crate::query::ray::{Hit, Nearest, Ray};

/// Instances of scenes in one world, with a tree over their boxes. Several instances can share a
/// scene.
///
/// Queries take and return positions, directions and distances of the world. The ray parameter `t`
/// of a hit is that of the world ray. Each result comes with the `id` of its instance. A ray with a
/// mask tests the instances and the surfaces whose masks have a bit in common with it.
///
/// A ray is converted to the space of each instance in `f64`. Its origin is moved along the ray to
/// the instance and then rounded to `f32`, so a hit is as accurate as the vertices of the scene
/// are. Instances whose box in the world is not finite are ignored.
///
/// An instance takes about 500 bytes. Build a new `InstancedScene` when instances have moved, which
/// takes `O(n log n)` time for `n` instances; the trees of the scenes stay.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::animation::Affine;
/// use meshpeek::query::{InstancedScene, Ray, SceneInstance};
///
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let cube = mesh.scene()?;
/// let at = |x: f64, size: f64| Affine::new([[size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size], [x, 0.0, 0.0]]);
/// let small = SceneInstance::new(7, &cube, &at(0.0, 1.0))?;
/// let large = SceneInstance::new(8, &cube, &at(10.0, 2.0))?;
/// let world = InstancedScene::new(vec![small, large])?;
/// let (id, hit) = world.ray(&Ray::new([10.1, 0.2, 9.0], [0.0, 0.0, -1.0])).expect("the ray hits a cube");
/// assert_eq!((id, hit.t, hit.normal), (8, 8.0, [0.0, 0.0, 1.0]));
/// # Ok(())
/// # }
/// ```
///
/// The map of a [`SpaceConversion`](crate::model::SpaceConversion::map) places a scene in converted
/// space, such as that of vertices for a GPU. The surfaces of a
/// [`DrawList`](crate::model::DrawList) are placed so:
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::Space;
/// use meshpeek::query::{InstancedScene, Ray, Scene, SceneInstance};
///
/// let model = meshpeek::open("data/secondlife/model.slm")?;
/// let list = model.draw_list(&Space::GLTF)?;
/// let lent = list.draws().iter().map(|draw| list.surface(draw)).collect::<meshpeek::Result<Vec<_>>>()?;
/// let scenes = lent.iter().map(|lent| Scene::from_surfaces([lent.surface()], None));
/// let scenes = scenes.collect::<meshpeek::Result<Vec<_>>>()?;
/// let placed = list.draws().iter().zip(&scenes).zip(0..).map(|((draw, scene), id)| {
///     SceneInstance::new(id, scene, &draw.conversion.map().then(&draw.transform))
/// });
/// let world = InstancedScene::new(placed.collect::<meshpeek::Result<Vec<_>>>()?)?;
/// let center = world.bounds().center();
/// let hit = world.ray(&Ray::toward([center[0], center[1] + 100.0, center[2]], center));
/// println!("draw and hit: {hit:?}");
/// # Ok(())
/// # }
/// ```
pub struct InstancedScene<'a> {
    instances: Vec<SceneInstance<'a>>,
    tree: BoxTree,
}

short_debug!(InstancedScene<'_>: |scene| { instances: scene.instances.len() });

impl<'a> InstancedScene<'a> {
    /// Builds a tree over the world boxes of instances.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`] if there is not enough memory.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn new(instances: Vec<SceneInstance<'a>>) -> Result<Self> {
        let mut boxes = try_with_capacity(instances.len())?;
        let placed = instances.iter().zip(0..);
        boxes.extend(placed.filter_map(|(one, place)| Some((one.transform.world_box(&one.bounds)?, place))));
        Ok(Self { instances, tree: BoxTree::new(boxes)? })
    }

    /// Returns a box in the world that contains all instances. It is up to a millionth of its
    /// coordinates larger than the smallest such box, and empty if there are no triangles.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.tree.bounds().map_or(Bounds::EMPTY, |[min, max]| Bounds { min: min.map(narrow), max: max.map(narrow) })
    }

    /// Returns the hit of a ray that is nearest to the start of the ray's range, with the `id` of
    /// the hit instance.
    ///
    /// If several hits have the same ray parameter `t`, the first instance in the list is returned.
    #[must_use]
    pub fn ray(&self, ray: &Ray) -> Option<(u32, Hit)> {
        let mut search = RayInInstances::new(ray, &self.instances, false)?;
        self.tree.search(&mut search);
        search.first()
    }

    /// Returns whether a ray hits any instance.
    #[must_use]
    pub fn is_hit(&self, ray: &Ray) -> bool {
        RayInInstances::new(ray, &self.instances, true).is_some_and(|mut search| {
            self.tree.search(&mut search);
            search.is_hit()
        })
    }

    /// Returns the nearest hit of each ray, like [`ray`](Self::ray). The results are in the order
    /// of `rays`.
    ///
    /// With the feature `rayon`, `rays` uses all processors.
    #[must_use]
    pub fn rays(&self, rays: &[Ray]) -> Vec<Option<(u32, Hit)>> {
        batch::in_batches(rays, |rays, hits| hits.extend(rays.iter().map(|ray| self.ray(ray))))
    }

    /// Returns the point on any instance that is nearest to `point`, with the `id` of the instance.
    ///
    /// Only instances and surfaces whose masks have a bit in common with `mask` are searched.
    /// `limit` is the maximum distance of the returned point from `point`, in the world. Returns
    /// `None` if no instance has a point within the distance `limit` of `point`. If several points
    /// have the same distance, the first instance in the list is returned.
    #[must_use]
    pub fn nearest(&self, point: [f32; 3], limit: f32, mask: u32) -> Option<(u32, Nearest)> {
        let mut search = NearestInstance::new(point, limit, mask, &self.instances)?;
        self.tree.search(&mut search);
        search.best()
    }

    /// Replaces the content of `list` by the triangles that overlap a box in the world: for each,
    /// the `id` of its instance, the index of its surface and its index in this surface.
    ///
    /// Only instances and surfaces whose masks have a bit in common with `mask` are searched. The
    /// list is sorted. A triangle that only touches the box also counts as overlapping. The corners
    /// of triangles are rounded to `f32` in the world.
    pub fn overlapping_box_into(&self, bounds: &Bounds, mask: u32, list: &mut Vec<(u32, usize, u32)>) {
        list.clear();
        if !bounds.is_empty() {
            self.tree.search(&mut BoxInInstances { bounds, mask, instances: &self.instances, list });
        }
        list.sort_unstable();
    }
}

/// The search for the triangles of instances that overlap a box.
struct BoxInInstances<'b, 'a> {
    bounds: &'b Bounds,
    mask: u32,
    instances: &'b [SceneInstance<'a>],
    list: &'b mut Vec<(u32, usize, u32)>,
}

impl BoxQuery for BoxInInstances<'_, '_> {
    fn distance(&self, bounds: &WideBox) -> Option<f64> {
        overlaps(bounds, &wide_box(self.bounds)).then_some(0.0)
    }

    fn limit(&self) -> f64 {
        0.0
    }

    fn visit(&mut self, item: u32) -> ControlFlow<()> {
        let found = self.instances.get(as_index(item)).filter(|instance| instance.mask & self.mask != 0);
        let Some(SceneInstance { scene, transform, id, .. }) = found else { return ControlFlow::Continue(()) };
        let volume = PlacedBox { transform, bounds: self.bounds };
        for surface in scene.surfaces().masked(self.mask & scene.mask) {
            surface.overlapping(&volume, self.list, |triangle| (*id, surface.index(), triangle), &mut ());
        }
        ControlFlow::Continue(())
    }
}
