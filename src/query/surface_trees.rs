//! The trees of several surfaces, with a tree over the bounding boxes of the surfaces.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::array::Bounds;
use crate::bvh::reserve::try_with_capacity;
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::TreeView;
use crate::bvh::triangles::Triangles;
use crate::bvh::{check, refit};
use crate::error::Result;
use crate::math::as_u64;
use crate::query::box_tree::{BoxQuery, BoxTree, wide_box};
use crate::sidecar::Trust;

/// The trees of several surfaces, sorted by the indices of the surfaces.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceTrees {
    list: Vec<SceneTree>,
    /// The tree over the bounding boxes of the surfaces, which the first search builds. It is
    /// `None` if there was not enough memory.
    boxes: OnceLock<Option<BoxTree>>,
}

impl SurfaceTrees {
    pub(crate) const fn new(list: Vec<SceneTree>) -> Self {
        Self { list, boxes: OnceLock::new() }
    }

    /// Returns the list to change it. The next search builds the tree over the surfaces again.
    pub(crate) fn to_mut(&mut self) -> &mut Vec<SceneTree> {
        self.boxes = OnceLock::new();
        &mut self.list
    }

    /// Visits the surfaces that a query needs, with the nearest bounding boxes first. The items of
    /// the query are places in the list.
    pub(crate) fn search(&self, query: &mut impl BoxQuery) {
        match self.boxes.get_or_init(|| self.box_tree().ok()) {
            Some(boxes) => boxes.search(query),
            None => {
                let _ = (0..).zip(&self.list).try_for_each(|(place, _)| query.visit(place));
            }
        }
    }

    fn box_tree(&self) -> Result<BoxTree> {
        let mut items = try_with_capacity(self.list.len())?;
        let boxes = self.list.iter().map(|tree| tree.bounds).zip(0..);
        items.extend(boxes.filter(|(bounds, _)| !bounds.is_empty()).map(|(bounds, place)| (wide_box(&bounds), place)));
        BoxTree::new(items)
    }

    /// Returns the memory that the trees take, in bytes, without nodes that are in a sidecar.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let boxes = self.boxes.get().and_then(Option::as_ref).map_or(0, BoxTree::bytes);
        let records = boxes.saturating_add(as_u64(size_of_val(self.list.as_slice())));
        self.list.iter().fold(records, |bytes, tree| bytes.saturating_add(tree.memory_bytes()))
    }
}

impl Deref for SurfaceTrees {
    type Target = [SceneTree];

    fn deref(&self) -> &[SceneTree] {
        &self.list
    }
}

/// The tree of one surface, with the numbers of triangles and vertices that the surface had when
/// the tree was made.
#[derive(Clone, Debug)]
pub(crate) struct SceneTree {
    /// The index of the surface.
    pub(crate) surface: usize,
    pub(crate) triangle_count: u32,
    pub(crate) vertex_count: usize,
    pub(crate) bounds: Bounds,
    /// The mask of the surface. Queries test the surface if their mask has a common bit.
    pub(crate) mask: u32,
    /// The tree over the triangles, or `None` for a surface with at most 8 triangles. Queries then
    /// test all triangles of the surface.
    tree: Option<Arc<Tree>>,
    /// The tree that replaces a damaged tree. A tree that comes from a sidecar can be damaged.
    ///
    /// The first query that finds the damage builds the new tree. All later queries of the surface
    /// use it. It is `None` if there was not enough memory to build it.
    rebuilt: OnceLock<Option<Arc<Tree>>>,
}

impl SceneTree {
    pub(crate) fn new(surface: usize, triangles: &Triangles<'_>, tree: Arc<Tree>) -> Self {
        let bounds = tree.bounds();
        Self { tree: Some(tree), ..Self::without_tree(surface, triangles, bounds) }
    }

    /// Creates the record of a surface with at most 8 triangles, which needs no memory for a tree.
    pub(crate) fn small(surface: usize, triangles: &Triangles<'_>) -> Self {
        Self::without_tree(surface, triangles, triangles.bounds(0..triangles.len()))
    }

    fn without_tree(surface: usize, triangles: &Triangles<'_>, bounds: Bounds) -> Self {
        let (triangle_count, vertex_count) = (triangles.len(), triangles.vertex_count());
        Self { surface, triangle_count, vertex_count, bounds, mask: u32::MAX, tree: None, rebuilt: OnceLock::new() }
    }

    /// Returns the tree of the surface, or `None` if the surface has no tree. If a query has built
    /// a new tree because the tree was damaged, the new tree is returned.
    pub(crate) fn tree(&self) -> Option<&Arc<Tree>> {
        self.rebuilt.get().and_then(Option::as_ref).or(self.tree.as_ref())
    }

    /// Returns whether the nodes of the tree are in a sidecar.
    pub(crate) fn is_stored(&self) -> bool {
        self.tree().is_some_and(|tree| tree.is_stored())
    }

    /// Returns the memory that the trees take, in bytes, without nodes that are in a sidecar.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let trees = [self.tree.as_ref(), self.rebuilt.get().and_then(Option::as_ref)];
        trees.into_iter().flatten().fold(0, |bytes, tree| {
            let nodes = if tree.is_stored() { 0 } else { tree.bytes() };
            bytes.saturating_add(as_u64(size_of::<Tree>())).saturating_add(nodes)
        })
    }

    /// Returns whether a query has found that the tree is damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.rebuilt.get().is_some()
    }

    /// Returns the tree that replaces a damaged tree, and builds it in the first call. Returns
    /// `None` if there was not enough memory to build it.
    pub(crate) fn rebuild(&self, triangles: &Triangles<'_>) -> Option<&Arc<Tree>> {
        self.rebuilt.get_or_init(|| Tree::new(triangles).ok().map(Arc::new)).as_ref()
    }

    /// Returns the view of the tree that the surface had from the start, even if it is damaged.
    #[inline]
    pub(crate) fn view(&self) -> TreeView<'_> {
        match &self.tree {
            Some(tree) => tree.view(),
            None => TreeView::root_leaf(self.triangle_count, self.bounds),
        }
    }
}

/// Returns whether the tree `tree` from a sidecar belongs to `triangles` and may be used for
/// queries. The boxes of an untrusted tree must also be as small as those of a built tree.
pub(crate) fn fits(tree: &Tree, triangles: &Triangles<'_>, trust: Trust) -> bool {
    let view = tree.view();
    let fits = view.header.triangles == triangles.len() && matches!(view.header.cluster, 1..=8);
    fits && (trust == Trust::Trusted || {
        check::check(&view, triangles).is_ok() && refit::has_tight_boxes(&view, triangles)
    })
}
