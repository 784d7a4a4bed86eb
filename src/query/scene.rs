//! A scene: several surfaces that are queried together, each with a bounding volume hierarchy.

use std::borrow::Cow;
use std::sync::Arc;

use zerocopy::IntoBytes as _;

use crate::array::Bounds;
use crate::bvh::build::MAX_ROOT_LEAF_TRIANGLES;
use crate::bvh::reserve::{reserve_one, try_with_capacity};
use crate::bvh::tree::Tree;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::error::debug::short_debug;
use crate::io;
use crate::model::{Geometry, Surface};
use crate::query::scene_surface::{SceneSurface, SceneSurfaces, TriangleList};
use crate::query::surface_trees::{SceneTree, SurfaceTrees, fits};
use crate::sidecar::Sidecar;

/// The maximum number of surfaces for which a scene allocates memory before it reads them.
const MAX_EARLY_SURFACES: usize = 1 << 16;

/// The greatest number of bytes for each query of a batch that are prefetched.
///
/// A query at random reads about a dozen pages, which takes as long as reading 256 KiB in order.
const MAX_BYTES_PER_QUERY: usize = 256 << 10;

/// A set of surfaces that are queried together, each with a tree over its triangles.
///
/// Every query returns the same result as a test of every triangle, regardless of how the trees of
/// the scene were made. If a ray has several hits at the same distance, the triangle that comes
/// first in the file is returned. Queries ignore a triangle if it has a coordinate that is not
/// finite or beyond ±2^60, or an index that is out of range. A ray whose direction is zero or not
/// finite hits nothing. A nearest-point query returns `None` if the query point is not finite or
/// beyond ±2^60.
///
/// The first of [`ray`](Self::ray), [`is_hit`](Self::is_hit), [`nearest`](Self::nearest) and
/// [`nearest_n_into`](Self::nearest_n_into) builds a small tree over the bounding boxes of the
/// surfaces, with which these queries find the few surfaces that they need.
///
/// A scene borrows from the owner of the mesh. A struct that contains the owner and its trees holds
/// [`SceneTrees`](crate::query::SceneTrees), which lend a scene for a batch of queries.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::query::Ray;
///
/// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let scene = model.scene()?;
/// let hit = scene.ray(&Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0])).expect("the ray hits the cube");
/// assert_eq!(hit.point, [0.1, 0.2, 0.5]);
/// assert!(scene.nearest([0.0, 0.0, 9.0], f32::INFINITY).is_some());
/// # Ok(())
/// # }
/// ```
pub struct Scene<'a> {
    /// The trees of the surfaces, sorted by the indices of the surfaces.
    trees: Cow<'a, SurfaceTrees>,
    /// The triangles of the same surfaces, in the same order.
    triangles: TriangleList<'a>,
    /// Queries test the surfaces whose mask has a bit in common with this one.
    pub(super) mask: u32,
}

short_debug!(Scene<'_>: |scene| {
    surfaces: scene.triangles.len(),
    triangles: scene.triangles.iter().map(|one| u64::from(one.len())).fold(0, u64::saturating_add),
});

impl<'a> Scene<'a> {
    /// Makes a scene of all surfaces of a file that are [drawn](Surface::is_drawn), in their base
    /// shape, and builds a tree for each surface.
    ///
    /// # Errors
    ///
    /// Returns an error if the arrays of a surface cannot be located. Returns
    /// [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory) if there is not enough
    /// memory.
    #[doc(hidden)]
    pub fn new(geometry: &'a dyn Geometry) -> Result<Self> {
        Self::from_surfaces(drawn_surfaces(geometry)?, None)
    }

    /// Makes a scene of all surfaces of a file that are [drawn](Surface::is_drawn), in their base
    /// shape, with the trees that `sidecar` stores.
    ///
    /// If the sidecar has no tree for a surface, a new tree is built for this surface.
    ///
    /// A sidecar that another user can change may have been manipulated, so it is not trusted.
    /// Each tree of an untrusted sidecar is first compared with all triangles of its
    /// surface. If a tree of the sidecar does not match the triangles of its surface, a new tree is
    /// built.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Scene::new`](Self::new).
    #[doc(hidden)]
    pub fn indexed(geometry: &'a dyn Geometry, sidecar: &Arc<Sidecar>) -> Result<Self> {
        Self::from_surfaces(drawn_surfaces(geometry)?, Some(sidecar))
    }

    /// Makes a scene of some surfaces, which all must come from the same model or level of detail.
    /// The [`surface`](crate::query::Hit::surface) of a hit is the index of the surface in its file.
    ///
    /// A tree over the triangles of each surface is built, unless `sidecar` has it, such as
    /// [`Model::sidecar`](crate::Model::sidecar). A sidecar that another user can change is not
    /// trusted: each of its trees is first compared with all triangles of its surface, and built
    /// again if it does not match them.
    ///
    /// A sidecar has the trees of [`Model::surfaces`](crate::Model::surfaces). Pass `None` for
    /// surfaces of another asset or level of detail: a tree of a trusted sidecar is compared with
    /// the number of triangles only, and a query can miss triangles in a wrong tree.
    ///
    /// # Errors
    ///
    /// Returns an error if the arrays of a surface cannot be located. Returns
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is not enough memory.
    pub fn from_surfaces(
        surfaces: impl IntoIterator<Item = Surface<'a>>,
        sidecar: Option<&Arc<Sidecar>>,
    ) -> Result<Self> {
        let surfaces = surfaces.into_iter();
        let (least, most) = surfaces.size_hint();
        let mut scene = Self::with_room(most.unwrap_or(least))?;
        for surface in surfaces {
            let triangles = Triangles::new(&surface)?;
            let stored = sidecar.and_then(|sidecar| {
                Tree::from_sidecar(sidecar, surface.index(), triangles.len())
                    .filter(|tree| fits(tree, &triangles, sidecar.trust()))
            });
            scene.add_or_build(surface.index(), triangles, stored, u32::MAX)?;
        }
        Ok(scene)
    }

    /// Makes a scene of triangles, such as those of a pose or of arrays in memory, and builds a
    /// tree over each. Their number is the [`surface`](crate::query::Hit::surface) of a hit.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::query::{Ray, Scene, Triangles};
    /// let model = meshpeek::open("data/unigine/morph_ms13.mesh")?;
    /// let surface = model.surface(0)?;
    /// let target = Triangles::with_positions(&surface, surface.target_positions(1)?)?;
    /// let scene = Scene::from_triangles([(0, target)])?;
    /// println!("{:?}", scene.ray(&Ray::toward([0.1, 0.2, 9.0], [0.1, 0.2, 0.0])));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is not enough
    /// memory.
    pub fn from_triangles(triangles: impl IntoIterator<Item = (usize, Triangles<'a>)>) -> Result<Self> {
        let mut scene = Self::empty();
        for (surface, triangles) in triangles {
            scene.add_or_build(surface, triangles, None, u32::MAX)?;
        }
        Ok(scene)
    }

    /// Makes a scene of all surfaces of a file that are [drawn](Surface::is_drawn), in their base
    /// shape, with trees that are converted from the spatial trees in the file.
    ///
    /// If the file has no spatial tree for a surface, or one that cannot be converted, a tree is
    /// built. Queries in converted trees return the same results as queries in built trees.
    /// Converting a tree takes less time than building a tree, but queries in it are slower.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`from_surfaces`](Self::from_surfaces). A spatial tree that cannot
    /// be read from the file is not an error: a new tree is built instead.
    pub fn from_file_trees(geometry: &'a dyn Geometry) -> Result<Self> {
        let mut scene = Self::with_room(geometry.surface_count()?)?;
        for surface in drawn_surfaces(geometry)? {
            let triangles = Triangles::new(&surface)?;
            let stored = match surface.partition() {
                Ok(Some(spatial_tree)) if triangles.len() > MAX_ROOT_LEAF_TRIANGLES => {
                    Tree::from_spatial_tree(&triangles, &*spatial_tree)?
                }
                _ => None,
            };
            scene.add_or_build(surface.index(), triangles, stored, u32::MAX)?;
        }
        Ok(scene)
    }

    /// Makes a scene without surfaces.
    #[doc(hidden)]
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            trees: Cow::Owned(SurfaceTrees::new(Vec::new())),
            triangles: TriangleList::owned(Vec::new()),
            mask: u32::MAX,
        }
    }

    /// Adds a surface to the scene. The results of queries contain `surface` as the index of the
    /// added surface.
    ///
    /// The vertex positions in `triangles` may differ from the positions in the file, for example
    /// in a pose of the surface. The tree must be [built](Tree::new) for `triangles`, or
    /// [refitted](Tree::refit) to `triangles`.
    #[doc(hidden)]
    pub fn add(&mut self, surface: usize, triangles: Triangles<'a>, tree: Arc<Tree>) {
        self.insert(triangles, SceneTree::new(surface, &triangles, tree));
    }

    fn insert(&mut self, triangles: Triangles<'a>, tree: SceneTree) {
        let place = self.trees.partition_point(|one| one.surface <= tree.surface);
        self.trees.to_mut().to_mut().insert(place, tree);
        self.triangles.to_mut().insert(place, triangles);
    }

    /// Combines trees with the triangles that they were made for. `trees` is sorted by surface, and
    /// `triangles` has the same order.
    pub(crate) const fn lent(trees: &'a SurfaceTrees, triangles: Vec<Triangles<'a>>) -> Self {
        Self { trees: Cow::Borrowed(trees), triangles: TriangleList::owned(triangles), mask: u32::MAX }
    }

    /// Returns the trees of the scene, which borrow nothing.
    pub(crate) fn into_trees(self) -> SurfaceTrees {
        let mut trees = self.trees.into_owned();
        for tree in trees.to_mut() {
            tree.mask &= self.mask;
        }
        trees
    }

    /// Makes a scene without surfaces, with memory for `count` surfaces.
    ///
    /// A few bytes of a compressed block can be a surface without vertices, so the memory for more
    /// than [`MAX_EARLY_SURFACES`] is only allocated when it is needed.
    fn with_room(count: usize) -> Result<Self> {
        let count = count.min(MAX_EARLY_SURFACES);
        let (trees, triangles) = (try_with_capacity(count)?, try_with_capacity(count)?);
        Ok(Self {
            trees: Cow::Owned(SurfaceTrees::new(trees)),
            triangles: TriangleList::owned(triangles),
            mask: u32::MAX,
        })
    }

    /// Adds a surface to the scene with the given tree. If `tree` is `None`, builds a new tree for
    /// the surface, or none if the surface has at most 8 triangles. A surface without vertices and
    /// triangles is not added, because no query can find it.
    fn add_or_build(&mut self, surface: usize, triangles: Triangles<'a>, tree: Option<Tree>, mask: u32) -> Result<()> {
        if triangles.is_empty() && triangles.vertex_count() == 0 {
            return Ok(());
        }
        reserve_one(self.trees.to_mut().to_mut())?;
        reserve_one(self.triangles.to_mut())?;
        let mut tree = match tree {
            Some(tree) => SceneTree::new(surface, &triangles, Arc::new(tree)),
            None if triangles.len() <= MAX_ROOT_LEAF_TRIANGLES => SceneTree::small(surface, &triangles),
            None => SceneTree::new(surface, &triangles, Arc::new(Tree::new(&triangles)?)),
        };
        tree.mask = mask;
        self.insert(triangles, tree);
        Ok(())
    }

    /// Makes a new scene of the surfaces in this scene with other vertex positions, such as the
    /// positions in a pose. It keeps the nodes of each tree, and adjusts the bounding boxes of the
    /// nodes to the new vertex positions. The masks of the surfaces stay.
    ///
    /// The closure `triangles` receives the index of a surface, and returns the triangles of this
    /// surface with the new vertex positions. If the tree of a surface cannot be refitted, a new
    /// tree is built.
    ///
    /// # Errors
    ///
    /// Returns the error of the closure `triangles`, if the closure returns an error for a surface.
    /// Returns [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory) if there is not
    /// enough memory.
    pub fn refit<'b>(&self, mut triangles: impl FnMut(usize) -> Result<Triangles<'b>>) -> Result<Scene<'b>> {
        let mut scene = Scene { mask: self.mask, ..Scene::with_room(self.trees.len())? };
        for one in self.trees.iter() {
            let moved = triangles(one.surface)?;
            scene.add_or_build(one.surface, moved, one.tree().and_then(|tree| tree.refit(&moved)), one.mask)?;
        }
        Ok(scene)
    }

    /// Returns an iterator over the trees of the scene, each with the index of its surface.
    ///
    /// A surface with at most 8 triangles has no tree, unless it was [added](Self::add) with one.
    #[doc(hidden)]
    pub fn trees(&self) -> impl Iterator<Item = (usize, &Tree)> {
        self.trees.iter().filter_map(|one| Some((one.surface, &**one.tree()?)))
    }

    /// Returns the triangles of the surface with the index `surface`, or `None` if the scene has no
    /// such surface or made none of it, because it has neither vertices nor triangles.
    #[must_use]
    pub fn triangles(&self, surface: usize) -> Option<&Triangles<'a>> {
        self.find(surface).map(|one| one.triangles)
    }

    pub(super) fn find(&self, surface: usize) -> Option<SceneSurface<'_, 'a>> {
        let place = self.trees.partition_point(|one| one.surface < surface);
        self.surfaces().get(place).filter(|one| one.index() == surface)
    }

    pub(crate) fn surfaces(&self) -> SceneSurfaces<'_, 'a> {
        SceneSurfaces { trees: &self.trees, triangles: &self.triangles }
    }

    /// Returns the bounding box of all valid triangles of the scene, or an empty box if the scene
    /// has no valid triangle.
    ///
    /// A triangle is valid if its indices are in range and its coordinates are finite and not
    /// beyond ±2^60.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.trees.iter().fold(Bounds::EMPTY, |all, one| all.union(&one.bounds))
    }

    /// Prefetches the trees, indices and positions of all surfaces if reading all of them from the
    /// disk takes less time than reading them page by page in `queries` queries at random: if they
    /// have less than 256 KiB for each query.
    ///
    /// Call `prefetch_for` before a batch of queries on mapped files that may not be in memory. A
    /// single query reads about a dozen pages, and needs no prefetching.
    pub fn prefetch_for(&self, queries: usize) {
        if self.surfaces().bytes() < queries.saturating_mul(MAX_BYTES_PER_QUERY) {
            for surface in self.surfaces().iter() {
                io::prefetch(surface.tree.view().pages.as_bytes());
                surface.triangles.stored_bytes().for_each(io::prefetch);
            }
        }
    }

    /// Lends the scene for queries of the surfaces whose mask has a bit in common with `mask`. A
    /// ray also has a mask: [`Ray::with_mask`](crate::query::Ray::with_mask). The bounds, and the
    /// triangles and neighbours of a vertex, are those of the whole scene.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::query::Ray;
    ///
    /// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// let scene = mesh.scene()?.with_masks(|_| 0b01);
    /// let ray = Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0]);
    /// assert!(scene.is_hit(&ray.with_mask(0b11)) && !scene.is_hit(&ray.with_mask(0b10)));
    /// assert!(scene.masked(0b01).nearest([0.0; 3], 9.0).is_some());
    /// assert!(scene.masked(0b10).nearest([0.0; 3], 9.0).is_none());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn masked(&self, mask: u32) -> Scene<'_> {
        let (trees, triangles) = (Cow::Borrowed(&*self.trees), TriangleList::lent(&self.triangles));
        Scene { trees, triangles, mask: self.mask & mask }
    }

    /// Sets the mask of each surface. The closure `mask` receives the index of a surface.
    ///
    /// A query tests a surface if the mask of the surface and the mask of the query have a bit in
    /// common. All bits of the mask of a surface are set at first. A scene that was lent by
    /// [`SceneTrees`](crate::query::SceneTrees) copies its list of trees in this call. Set the masks
    /// before its trees are [taken](crate::query::SceneTrees::new) instead.
    #[must_use]
    pub fn with_masks(mut self, mut mask: impl FnMut(usize) -> u32) -> Self {
        self.trees.to_mut().to_mut().iter_mut().for_each(|tree| tree.mask = mask(tree.surface));
        self
    }
}

/// Returns the surfaces that are drawn. If this cannot be read, the surface is returned, too: its
/// error is reported when its arrays are located.
fn drawn_surfaces(geometry: &dyn Geometry) -> Result<impl Iterator<Item = Surface<'_>>> {
    Ok(geometry.surfaces()?.filter(|surface| surface.is_drawn().unwrap_or(true)))
}
