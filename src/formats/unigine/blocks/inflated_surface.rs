//! One surface of a mesh, with an inflated geometry block that the mesh does not keep.

use std::sync::{Arc, OnceLock};

use super::cache::lock;
use super::inflated::{InflateBuffer, InflatedBlock};
use super::tree::{InflatedTree, SurfaceTree};
use crate::error::Result;
use crate::formats::unigine::file::Mesh;
use crate::formats::unigine::reader::arrays::SurfaceCache;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::surface::SurfaceView;

/// One surface of a [`Mesh`], with an inflated geometry block that is freed when this value is
/// dropped.
///
/// As a [`Geometry`](crate::Geometry), it has all surfaces of the mesh. The arrays of this surface
/// are borrowed from the value, and those of other surfaces from the mesh.
///
/// The value contains the inflated geometry, and on access also the spatial tree and the index for
/// random access to the weights. The mesh keeps none of these, so a program that looks at one
/// surface after another uses memory for the largest surface only. Several threads can read the
/// same `InflatedSurface`. While one exists, [`Mesh::lend`] shares its geometry block with other
/// values of the same surface, instead of inflating the block again. If several threads lend a
/// surface at the same time, one of them inflates it, and the others wait.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::query::{Ray, Scene};
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/room_ms14.mesh")?)?;
/// let ray = Ray::toward([0.1, 0.2, 9.0], [0.1, 0.2, 0.0]);
/// for index in 0..mesh.surface_count() {
///     let lent = mesh.lend(index)?; // inflated here
///     let scene = Scene::from_surfaces([meshpeek::Surface::new(&lent, index)?], None)?;
///     println!("{}: {:?}", lent.view()?.name(), scene.ray(&ray));
/// } // freed here
/// assert_eq!(mesh.inflated_bytes(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct InflatedSurface<'a> {
    reader: MeshReader<'a>,
    index: usize,
    /// The geometry block, or `None` in format versions before ms14.
    block: Option<LentBlock<'a>>,
    /// The cached results of reading the weights, in ms14 and ms15.
    cache: SurfaceCache,
    tree: OnceLock<Box<InflatedTree>>,
    /// The level of detail that the surface was lent from.
    pub(crate) level: usize,
}

/// An inflated geometry block that an [`InflatedSurface`] reads.
#[derive(Debug)]
enum LentBlock<'a> {
    /// The block is in the cache of the mesh or in a buffer of the caller.
    Borrowed(&'a InflatedBlock),
    /// The block is freed with the last [`InflatedSurface`] that reads it.
    Shared(Arc<InflatedBlock>),
}

impl LentBlock<'_> {
    fn get(&self) -> &InflatedBlock {
        match self {
            Self::Borrowed(block) => block,
            Self::Shared(block) => block,
        }
    }
}

impl<'a> InflatedSurface<'a> {
    fn new(reader: MeshReader<'a>, index: usize, block: Option<LentBlock<'a>>) -> Result<Self> {
        let (cache, tree) = (SurfaceCache::default(), OnceLock::new());
        // The numbers of weights were counted when the block was inflated.
        if block.is_some()
            && let Some(totals) = reader.cache(index)?.totals.get()
        {
            cache.totals.get_or_init(|| *totals);
        }
        let lent = Self { reader, index, block, cache, tree, level: 0 };
        lent.view().map(drop)?;
        Ok(lent)
    }

    /// Returns the surface as one of another level of detail.
    pub(crate) const fn with_level(mut self, level: usize) -> Self {
        self.level = level;
        self
    }

    /// Returns the reader of the mesh.
    pub(crate) const fn reader(&self) -> MeshReader<'a> {
        self.reader
    }

    /// Returns the index of the surface in the file.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns a view of the surface.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the surface was lent.
    pub fn view(&self) -> Result<SurfaceView<'_>> {
        match &self.block {
            Some(block) => self.reader.view_with(self.index, Some(block.get()), &self.cache),
            None => self.reader.view(self.index, None),
        }
    }

    /// Returns the spatial tree and the edge records that the file stores for the surface. Returns
    /// `None` for files before ms14, which store no spatial trees.
    ///
    /// The first call inflates the tree block, unless the mesh has already inflated it. The
    /// inflated tree is freed with this value.
    ///
    /// # Errors
    ///
    /// Returns the first error in the tree block, with the field name and the byte offset of the
    /// error.
    pub fn tree(&self) -> Result<Option<SurfaceTree<'_>>> {
        let Some(blocks) = self.reader.state.blocks.surfaces.get(self.index) else { return Ok(None) };
        if blocks.tree.get().is_some() {
            return self.reader.tree(self.index);
        }
        let tree = if let Some(tree) = self.tree.get() {
            tree
        } else {
            let tree = self.reader.fresh_tree(self.index, &mut self.reader.alone())?;
            self.tree.get_or_init(|| Box::new(tree))
        };
        tree.view(self.reader.bytes, self.reader.format()).map(Some)
    }

    /// Returns the number of bytes of memory that the inflated blocks of this value hold. A block
    /// in the cache of the mesh or in an [`InflateBuffer`] does not count, and a block that several
    /// values share counts for each of them.
    #[must_use]
    pub fn inflated_bytes(&self) -> u64 {
        let geometry = match &self.block {
            Some(LentBlock::Shared(block)) => block.size(),
            _ => 0,
        };
        geometry.saturating_add(self.tree.get().map_or(0, |tree| tree.size()))
    }
}

impl<'a> MeshReader<'a> {
    /// Inflates the geometry of a surface, unless the mesh or another [`InflatedSurface`] has
    /// already inflated it.
    pub(crate) fn lend(self, index: usize) -> Result<InflatedSurface<'a>> {
        let Some(blocks) = self.state.blocks.surfaces.get(index) else {
            return InflatedSurface::new(self, index, None);
        };
        let mut shared = lock(&blocks.shared);
        if blocks.geometry.get().is_some() {
            drop(shared);
            return InflatedSurface::new(self, index, Some(LentBlock::Borrowed(self.geometry(index)?)));
        }
        let block = if let Some(block) = shared.upgrade() {
            block
        } else {
            let mut inflated = InflatedBlock::default();
            self.fill_geometry(index, &mut inflated, &mut self.alone())?;
            let block = Arc::new(inflated);
            *shared = Arc::downgrade(&block);
            block
        };
        drop(shared);
        InflatedSurface::new(self, index, Some(LentBlock::Shared(block)))
    }
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Lends one surface with its inflated geometry, which the mesh does not keep.
    ///
    /// The first call of [`surface`](Self::surface) for a surface of an ms14 or ms15 mesh keeps the
    /// inflated geometry as long as the mesh exists. `lend` instead returns a value that frees the
    /// geometry when it is dropped. If the mesh already keeps the geometry, the value borrows it.
    /// For files before ms14, the value borrows from the file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`surface`](Self::surface), except that
    /// [`Limits::with_asset`](crate::Limits::with_asset) limits each lent surface separately.
    pub fn lend(&self, index: usize) -> Result<InflatedSurface<'_>> {
        self.reader().lend(index)
    }

    /// Lends one surface, and inflates its geometry into `buffer`.
    ///
    /// The next surface can reuse the memory of the buffer. The buffer is not used if the mesh
    /// already keeps the inflated geometry, or if the geometry is stored uncompressed.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`lend`](Self::lend).
    pub fn lend_in<'b>(&'b self, index: usize, buffer: &'b mut InflateBuffer) -> Result<InflatedSurface<'b>> {
        let block = self.reader().block_in(index, buffer)?;
        InflatedSurface::new(self.reader(), index, block.map(LentBlock::Borrowed))
    }

    /// Inflates the geometry blocks of the given surfaces. With the feature `rayon`, the geometry
    /// blocks are inflated in parallel.
    ///
    /// `inflate` has the same effect as a first call to [`surface`](Self::surface) for each of the
    /// given surfaces. For files before ms14, `inflate` only locates the surfaces.
    ///
    /// # Errors
    ///
    /// Returns the error of the first surface, in the order of `surfaces`, that cannot be located
    /// or inflated. If one surface cannot be inflated, the other surfaces are still inflated.
    pub fn inflate(&self, surfaces: &[usize]) -> Result<()>
    where
        D: Sync,
    {
        #[cfg(feature = "rayon")]
        if crate::parallel::has_threads() {
            use rayon::prelude::*;
            // Errors of the parallel loop are ignored. The sequential loop below requests each
            // surface again and returns the error of the first surface that has one.
            surfaces.par_iter().for_each(|surface| drop(self.surface(*surface)));
        }
        let mut first = Ok(());
        for surface in surfaces {
            first = first.and(self.surface(*surface).map(drop));
        }
        first
    }
}
