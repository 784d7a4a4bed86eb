//! The [`Mesh`] type, which holds the bytes of a mesh file.
//!
//! The type [`Mesh`] has no lifetime parameter, therefore a mesh can easily be a field of a struct.
//! Creating a [`SurfaceView`] from a mesh takes about a hundred instructions.

use std::io::Write;

use super::animation::view::AnimationView;
use super::blocks::block::BlockLocation;
use super::blocks::inflated::InflateBuffer;
use super::blocks::tree::SurfaceTree;
use super::layout::Generation;
use super::reader::mesh_reader::{MeshFileState, MeshReader};
use super::surface::SurfaceView;
use super::write;
use crate::array::{Bounds, Sphere};
use crate::error::Result;
use crate::error::debug::short_debug;
use crate::model::{Bone, Counts, FormatVersion, Storage};
use crate::parse::OpenOptions;
use crate::sidecar::Builder;

/// A UNIGINE mesh file of the format versions ms10 to ms15.
///
/// The type parameter `D` is the type of the value that holds the bytes of the file. `D` can be any
/// type that implements `AsRef<[u8]>`, such as [`Map`](crate::io::Map), `Vec<u8>`, `Arc<[u8]>` or
/// `&[u8]`.
///
/// | call | time proportional to | reads | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | bones + surfaces | the header | 8 bytes per bone, 16 per animation, 112 per surface (200 in ms14 and ms15) |
/// | [`surface`](Self::surface) | surfaces not yet located | the counts of these surfaces; 1 byte per skinned vertex | nothing |
/// | [`surface`](Self::surface) in ms14 and ms15, first call | bytes of the surface's geometry block | the block table, once; the geometry block | the inflated bytes of the block, as long as the mesh exists |
/// | [`lend`](Self::lend) in ms14 and ms15 | the same | the same | the inflated bytes of the block, until the returned value is dropped |
/// | [`Surface::counts`](crate::Surface::counts) in ms14 and ms15, first call | the same | the same | 128 KiB during the call |
/// | [`surface`](Self::surface) again | 1 | one header entry | nothing |
/// | an array of a [`SurfaceView`] | number of arrays before it | the counts of these arrays | nothing |
/// | [`check`](crate::MeshFile::check) | surfaces + skinned vertices | every count; in ms14 and ms15, every geometry block | the inflated bytes of the largest block |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let surface = mesh.surface(0)?;
/// assert_eq!(surface.name().to_string(), "cube");
/// assert_eq!(surface.positions()?.get(0), Some([0.5, 0.5, 0.5]));
/// # Ok(())
/// # }
/// ```
pub struct Mesh<D> {
    pub(super) data: D,
    pub(super) state: MeshFileState,
}

short_debug!([D: AsRef<[u8]>] Mesh<D>: |mesh| {
    format: mesh.generation().format(), bytes: mesh.as_bytes().len(), surfaces: mesh.surface_count(),
    bones: mesh.bone_count(), animations: mesh.animation_count(),
});

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Opens a mesh. Reads only the header of the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Empty`](crate::ErrorKind::Empty),
    /// [`ErrorKind::Unknown`](crate::ErrorKind::Unknown) or
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the magic number of the file is
    /// missing, unknown or not supported. If the header is damaged, returns the first error in the
    /// header, with the field name and the byte offset of the error.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Opens a mesh with the given options. Reads only the header of the file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let state = MeshFileState::open(data.as_ref(), options)?;
        Ok(Self { data, state })
    }

    pub(super) fn reader(&self) -> MeshReader<'_> {
        MeshReader { bytes: self.as_bytes(), state: &self.state }
    }

    /// Returns the format version of the file (ms10 to ms15), which determines the layout of the
    /// file.
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.state.header.generation
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Returns a reference to the value that holds the bytes of the file.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Consumes the mesh and returns the value that holds the bytes of the file.
    #[must_use]
    pub fn into_inner(self) -> D {
        self.data
    }

    /// Returns the bounding box and the bounding sphere of the whole mesh, as stored in the header.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the mesh was opened.
    pub fn bounds(&self) -> Result<(Bounds, Sphere)> {
        self.reader().raw_bounds().map(|raw| (raw.bounds(), raw.sphere()))
    }

    /// Returns the target number of triangles in a leaf of a spatial tree. The program that wrote
    /// the file built the trees with this target number.
    ///
    /// It is 4 in every known file. Returns `None` for files before ms14, which store no spatial
    /// trees.
    #[must_use]
    pub fn leaf_triangles(&self) -> Option<u32> {
        self.state.header.compressed.map(|compressed| compressed.leaf)
    }

    /// Returns the engine's estimate of the memory that the mesh takes, in bytes.
    ///
    /// The formula that the engine uses for its estimate of the memory is unknown. Returns `None`
    /// for files before ms14, which store no estimate of the memory.
    #[must_use]
    pub fn memory_estimate(&self) -> Option<i64> {
        self.state.header.compressed.map(|compressed| compressed.memory)
    }

    /// Returns the number of bones of the skeleton.
    #[must_use]
    pub const fn bone_count(&self) -> usize {
        self.state.file.header.bones.len()
    }

    /// Returns the name, the parent index and the bind transform of the bone `index`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub fn bone(&self, index: usize) -> Result<Bone<'_>> {
        self.reader().file().bone(index)
    }

    /// Returns the number of embedded animations.
    #[must_use]
    pub const fn animation_count(&self) -> usize {
        self.state.file.animations.len()
    }

    /// Locates the embedded animation `index` and returns a view of this animation.
    ///
    /// The first call for an animation reads the flags of every key of this animation and of the
    /// animations before it. Later calls use the cached offset of the animation.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    /// Returns the first error in the data before the animation, with the field name and the byte
    /// offset of the error.
    pub fn animation(&self, index: usize) -> Result<AnimationView<'_>> {
        self.reader().animation(index)
    }

    /// Returns the number of surfaces of the mesh.
    #[must_use]
    pub const fn surface_count(&self) -> usize {
        self.state.header.surfaces.len()
    }

    /// Locates the surface `index` and returns a view of this surface.
    ///
    /// The method scans the surfaces before surface `index` that are not yet located. For each
    /// scanned surface, it reads the array counts and, if the surface is skinned, one byte per
    /// position. The file offset of each located surface is cached. In ms14 and ms15, the first
    /// call for a surface inflates its geometry, and the mesh keeps the inflated geometry as long
    /// as the mesh exists. [`lend`](Self::lend) and [`surface_in`](Self::surface_in) inflate a
    /// surface without keeping it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    /// Returns the first error in the data before the surface, with the field name and the byte
    /// offset of the error.
    pub fn surface(&self, index: usize) -> Result<SurfaceView<'_>> {
        self.reader().surface(index)
    }

    /// Returns the bytes of [`SurfaceView::lightmap`] without locating the surface.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub fn lightmap(&self, index: usize) -> Result<Option<[u8; 2]>> {
        self.reader().surface_header(index).map(|head| head.lightmap)
    }

    /// Returns an iterator that locates all surfaces, one after another, in file order.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Result<SurfaceView<'_>>> {
        (0..self.surface_count()).map(|index| self.surface(index))
    }

    /// Locates surface `index`, inflates its geometry into `buffer`, and returns its view.
    ///
    /// The buffer is not used if the mesh already caches the inflated geometry, or if the geometry
    /// is stored uncompressed. The mesh does not cache the contents of the buffer. For files before
    /// ms14, `surface_in` does the same as [`surface`](Self::surface).
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`surface`](Self::surface).
    pub fn surface_in<'b>(&'b self, index: usize, buffer: &'b mut InflateBuffer) -> Result<SurfaceView<'b>> {
        self.reader().surface_in(index, buffer)
    }

    /// Returns the spatial tree and the edge records that the file stores for surface `index`.
    ///
    /// The first call for a surface inflates the tree block of the surface, but not its geometry
    /// block. Returns `None` for files before ms14, which store no spatial trees.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range, or the
    /// first error in the tree block, with the field name and the byte offset of the error.
    pub fn tree(&self, index: usize) -> Result<Option<SurfaceTree<'_>>> {
        self.reader().tree(index)
    }

    /// Returns the offsets and sizes of the geometry block and the tree block of surface `index`.
    ///
    /// The method inflates no block. Returns `None` for files before ms14, which do not store
    /// surfaces in blocks.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range, or the
    /// first error in the data before the two blocks, with the field name and the byte offset of
    /// the error.
    pub fn blocks(&self, index: usize) -> Result<Option<[BlockLocation; 2]>> {
        self.reader().blocks(index)
    }

    /// Returns the counts that the header stores for surface `index`, without inflating its
    /// geometry.
    ///
    /// The header stores the numbers of positions, triangle corners and shapes. The width of an
    /// index into the positions is computed from the number of positions. Fields of the returned
    /// [`Counts`] without a stored or computed value are 0. Returns `None` for files before ms14,
    /// because their headers do not store these counts.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub fn header_counts(&self, index: usize) -> Result<Option<Counts>> {
        self.reader().header_counts(index)
    }

    /// Returns the number of bytes of memory that the cached inflated blocks hold. Lent surfaces do
    /// not count.
    #[must_use]
    pub fn inflated_bytes(&self) -> u64 {
        self.state.blocks.inflated_bytes()
    }

    /// Writes the mesh to `out`. For ms14 and ms15, `storage` selects how the blocks are stored in
    /// the output: as in the opened file, uncompressed, or compressed again.
    ///
    /// The block table in the output contains the new offsets of the blocks. For files before ms14,
    /// `write_stored` does the same as [`write_to`](crate::MeshFile::write_to).
    ///
    /// # Errors
    ///
    /// Returns the first error in the file, with the field name and the byte offset of the error,
    /// or the I/O error of `out`. If an error occurs, a part of the output may already be written.
    pub fn write_stored(&self, out: impl Write, storage: Storage) -> Result<()> {
        write::mesh(self.reader(), out, storage)
    }

    /// Returns the offset of the first byte after the closing magic number, in bytes from the start
    /// of the file. Bytes from there on belong to no field of the mesh.
    ///
    /// # Errors
    ///
    /// Returns the first error in the data up to the closing magic number.
    pub fn end(&self) -> Result<u64> {
        self.reader().end()
    }

    /// Adds to a sidecar those byte offsets in this file that take long to find.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset, or
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn index(&self, builder: &mut Builder) -> Result<()> {
        self.reader().index(builder)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Mesh<D> {
    fn format(&self) -> &'static str {
        "unigine"
    }

    fn version(&self) -> &'static str {
        self.generation().magic()
    }
}
