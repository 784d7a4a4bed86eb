//! The trees of a scene without the scene: they borrow nothing and can be stored next to the mesh.

use std::fmt;

use crate::bvh::coordinates::TriangleCorners;
use crate::bvh::reserve::try_with_capacity;
use crate::bvh::triangles::Triangles;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::model::{Geometry, Surface};
use crate::query::scene::Scene;
use crate::query::scene_surface::{SceneSurface, SceneSurfaces};
use crate::query::surface_trees::{SceneTree, SurfaceTrees};

/// The maximum number of triangles that are compared each time a scene is lent.
const MAX_SAMPLES: u64 = 16;

/// The trees of the surfaces of a mesh, without the mesh. `SceneTrees` borrows nothing, so one
/// struct can contain the owner of a mesh and its trees.
///
/// [`scene`](Self::scene) lends a [`Scene`] for a batch of queries. It builds no tree: it only
/// locates the arrays of each surface. Any number of threads can share one `SceneTrees`, and each
/// thread takes its own scenes from it.
///
/// The [guide](crate::guide::library#one-struct-for-a-mesh-and-its-trees) has a struct that threads
/// share and that is opened again when its file is replaced.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Model;
/// use meshpeek::query::{Hit, Ray, SceneTrees};
///
/// struct Level {
///     model: Model<Vec<u8>>,
///     trees: SceneTrees,
/// }
///
/// impl Level {
///     fn rays(&self, rays: &[Ray]) -> meshpeek::Result<Vec<Option<Hit>>> {
///         let scene = self.trees.scene(self.model.geometry())?; // builds no tree
///         Ok(scene.rays(rays))
///     }
/// }
///
/// let model = Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let trees = model.scene_trees()?; // builds the trees
/// let level = Level { model, trees };
/// let hits = level.rays(&[Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0])])?;
/// assert!(hits[0].is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SceneTrees {
    /// The number of surfaces of the mesh, with those that have no tree.
    surface_count: usize,
    trees: SurfaceTrees,
    samples: Vec<SampledTriangle>,
}

/// A triangle that is compared each time a scene is lent.
#[derive(Clone, Copy, Debug)]
struct SampledTriangle {
    /// The position of the surface in the list of trees.
    place: usize,
    triangle: u32,
    content: TriangleContent,
}

/// The vertex indices of a triangle, and its positions if queries do not ignore it.
type TriangleContent = (Option<[u32; 3]>, Option<TriangleCorners>);

impl SceneTrees {
    /// Takes the trees of a scene of surfaces of `geometry`, in their base shape, with their masks.
    /// [`Model::scene_trees`](crate::Model::scene_trees) makes a scene of all surfaces and takes its
    /// trees.
    ///
    /// # Errors
    ///
    /// Returns the error of the reader of the format if the surfaces cannot be counted, and
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn new(geometry: &dyn Geometry, scene: Scene<'_>) -> Result<Self> {
        let samples = choose_samples(scene.surfaces())?;
        Ok(Self { surface_count: geometry.surface_count()?, trees: scene.into_trees(), samples })
    }

    /// Lends a scene of the surfaces of `geometry`, with these trees, for a batch of queries.
    ///
    /// The call locates the indices and positions of each surface, in one allocation of 112 bytes
    /// for each surface. It reads at most 16 triangles. It takes longer than casting one ray, so
    /// lend one scene for many queries. A surface of a compressed file is inflated first if it was
    /// not yet accessed. If a query finds that a tree of a sidecar is damaged, the tree is built
    /// again once, and all later scenes use the new tree.
    ///
    /// `geometry` must be the mesh that the trees were made for, or the same mesh opened again. The
    /// call compares the number of surfaces, the numbers of triangles and vertices of each surface
    /// with a tree, and up to 16 triangles of trees that do not come from a sidecar. A mesh with
    /// the same numbers that differs only in other triangles is not noticed, and queries may miss
    /// these triangles. Make new trees for each file that is opened.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OtherMesh`] if `geometry` is not the mesh that the trees were made for.
    /// Returns an error if the arrays of a surface cannot be located, and
    /// [`ErrorKind::OutOfMemory`] if there is not enough memory.
    ///
    /// [`ErrorKind::OtherMesh`]: crate::ErrorKind::OtherMesh
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn scene<'a>(&'a self, geometry: &'a dyn Geometry) -> Result<Scene<'a>> {
        self.expect_surface_count(geometry)?;
        let mut all = try_with_capacity(self.trees.len())?;
        for tree in self.trees.iter() {
            let surface = geometry.surface(tree.surface)?;
            let triangles = Triangles::new(&surface)?;
            expect_counts(tree, &surface, &triangles)?;
            all.push(triangles);
        }
        let scene = Scene::lent(&self.trees, all);
        self.samples.iter().try_for_each(|sample| sample.expect_same(geometry, scene.surfaces()))?;
        Ok(scene)
    }

    /// Returns the memory that the trees take, in bytes. Nodes that are read from a sidecar are not
    /// included. The tree over the boxes of the surfaces is included after the first query.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.trees.memory_bytes().saturating_add(as_u64(size_of_val(self.samples.as_slice())))
    }

    fn expect_surface_count(&self, geometry: &dyn Geometry) -> Result<()> {
        let found = geometry.surface_count()?;
        if found == self.surface_count {
            return Ok(());
        }
        let kind = other_mesh(as_u64(self.surface_count), as_u64(found), "surfaces");
        Err(Error::without_offset(geometry.format(), Field::new("surfaces"), kind))
    }
}

impl fmt::Debug for SceneTrees {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SceneTrees")
            .field("surfaces", &self.trees.len())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

/// Returns an error if a surface has other numbers of triangles and vertices than when its tree was
/// made.
fn expect_counts(tree: &SceneTree, surface: &Surface<'_>, triangles: &Triangles<'_>) -> Result<()> {
    if triangles.len() != tree.triangle_count {
        let kind = other_mesh(tree.triangle_count.into(), triangles.len().into(), "triangles");
        return Err(surface.fault("indices", kind));
    }
    let [known, found] = [tree.vertex_count, triangles.vertex_count()].map(as_u64);
    if found != known {
        return Err(surface.fault("positions", other_mesh(known, found, "vertices")));
    }
    Ok(())
}

fn other_mesh(expected: u64, found: u64, items: &'static str) -> Cause {
    let expected = format!("{expected} {items}, as in the mesh of the trees").into();
    Cause::OtherMesh { expected, found: found.to_string().into() }
}

/// Returns up to [`MAX_SAMPLES`] triangles at equal distances in the list of all triangles.
///
/// The triangles of a surface whose tree is in a sidecar are left out, because reading them may
/// load pages of the mesh file that no query needs.
fn choose_samples(surfaces: SceneSurfaces<'_, '_>) -> Result<Vec<SampledTriangle>> {
    let read = || surfaces.iter().enumerate().filter(|(_, surface)| !surface.tree.is_stored());
    let total = read().fold(0_u64, |total, (_, surface)| total.saturating_add(surface.triangles.len().into()));
    let mut samples = try_with_capacity(usize::try_from(total.min(MAX_SAMPLES)).unwrap_or_default())?;
    let step = total.div_ceil(MAX_SAMPLES);
    let mut next = 0_u64;
    for (place, surface) in read() {
        let count = surface.triangles.len();
        while let Some(triangle) = u32::try_from(next).ok().filter(|triangle| *triangle < count) {
            samples.push(SampledTriangle { place, triangle, content: content(surface, triangle) });
            next = next.saturating_add(step);
        }
        next = next.saturating_sub(count.into());
    }
    Ok(samples)
}

fn content(surface: SceneSurface<'_, '_>, triangle: u32) -> TriangleContent {
    (surface.triangles.corners(triangle), surface.triangles.get(triangle))
}

impl SampledTriangle {
    /// Returns an error if the triangle differs from the triangle when the tree was made.
    fn expect_same(&self, geometry: &dyn Geometry, surfaces: SceneSurfaces<'_, '_>) -> Result<()> {
        let Some(surface) = surfaces.get(self.place) else { return Ok(()) };
        if content(surface, self.triangle) == self.content {
            return Ok(());
        }
        let expected = format!("triangle {} as in the mesh of the trees", self.triangle).into();
        let kind = Cause::OtherMesh { expected, found: "another triangle".into() };
        Err(geometry.surface(surface.index())?.fault("indices", kind))
    }
}
