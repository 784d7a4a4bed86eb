//! The owner of a mesh file's bytes. It has no lifetime and can be stored; views are made from it in about a hundred
//! instructions each.

use std::io::Write;
use std::sync::Arc;

use super::animation::view::AnimationView;
use super::blocks::block::BlockLocation;
use super::blocks::buffer::InflateBuffer;
use super::blocks::tree::SurfaceTree;
use super::blocks::write::Storage;
use super::layout::Generation;
use super::reader::mesh_reader::{MeshFileState, MeshReader};
use super::surface::SurfaceView;
use super::{regions, validate, write};
use crate::array::{Bounds, Sphere};
use crate::error::Result;
use crate::model::animation::Animations;
use crate::model::{Bone, Counts, FormatVersion, Geometry, MeshFile};
use crate::parse::{AccessLog, Finding, OpenOptions, Region, Rule};
use crate::sidecar::{Builder, Sidecar, SidecarSlot};

/// A UNIGINE mesh of generation ms10 to ms15, over any owner of bytes: a [`Map`](crate::io::Map), a `Vec<u8>`,
/// an `Arc<[u8]>`, a `&[u8]`.
///
/// | call | order | looks at | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | bones + surfaces | the header | 8 bytes per bone, 32 per animation, 88 per surface, 168 of ms14 and ms15 |
/// | [`surface`](Self::surface) | surfaces not yet located | their counts; 1 byte per skinned vertex | nothing |
/// | [`surface`](Self::surface) of ms14, ms15, first time | bytes of its block | the table, once; its block | its inflated bytes |
/// | [`surface`](Self::surface) again | 1 | one header entry | nothing |
/// | an array of a [`SurfaceView`] | the arrays before it | their counts | nothing |
/// | [`check`](Self::check) | surfaces + skinned vertices | every count; of ms14 and ms15, every block of geometry | the largest of them |
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
#[derive(Debug)]
pub struct Mesh<D> {
    data: D,
    state: MeshFileState,
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reads the header, and nothing else.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Empty`](crate::ErrorKind::Empty), [`ErrorKind::Unknown`](crate::ErrorKind::Unknown) or
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for what is not such a mesh; otherwise the header's first
    /// fault, by field and offset.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Reads the header, with options.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let state = MeshFileState::open(data.as_ref(), options)?;
        Ok(Self { data, state })
    }

    pub(super) fn reader(&self) -> MeshReader<'_> {
        MeshReader { bytes: self.as_bytes(), state: &self.state }
    }

    /// Returns the generation: which layout the file has.
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.state.header.generation
    }

    /// Returns the file's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Returns the owner of the bytes.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Gives the owner of the bytes back.
    #[must_use]
    pub fn into_inner(self) -> D {
        self.data
    }

    /// Returns the box and sphere around the whole mesh, as stored.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn bounds(&self) -> Result<(Bounds, Sphere)> {
        self.reader().raw_bounds().map(|raw| (raw.bounds(), raw.sphere()))
    }

    /// Returns how many triangles the engine wanted in a leaf of a surface's tree: 4 in every file seen. Of compressed
    /// generations only.
    #[must_use]
    pub fn leaf_triangles(&self) -> Option<u32> {
        self.state.header.compressed.map(|compressed| compressed.leaf)
    }

    /// Returns how many bytes of memory the engine reckons that the mesh takes. Of compressed generations only; by which
    /// formula is unknown.
    #[must_use]
    pub fn memory_estimate(&self) -> Option<i64> {
        self.state.header.compressed.map(|compressed| compressed.memory)
    }

    /// Returns the number of bones.
    #[must_use]
    pub const fn bone_count(&self) -> usize {
        self.state.file.header.bones.len()
    }

    /// Returns bone `index`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) where there is no such bone.
    pub fn bone(&self, index: usize) -> Result<Bone<'_>> {
        self.reader().file().bone(index)
    }

    /// Returns the number of embedded animations.
    #[must_use]
    pub const fn animation_count(&self) -> usize {
        self.state.file.animations.len()
    }

    /// Locates embedded animation `index`: looks at the flags of every key of it and of those before it, once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch), or the first fault on the way, by field and offset.
    pub fn animation(&self, index: usize) -> Result<AnimationView<'_>> {
        self.reader().animation(index)
    }

    /// Returns the number of surfaces.
    #[must_use]
    pub const fn surface_count(&self) -> usize {
        self.state.header.surfaces.len()
    }

    /// Locates surface `index`. Surfaces before it that nobody asked for yet are walked over: their counts are looked
    /// at and, where they are skinned, one byte per vertex. Where it starts is remembered.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch), or the first fault on the way, by field and offset.
    pub fn surface(&self, index: usize) -> Result<SurfaceView<'_>> {
        self.reader().surface(index)
    }

    /// Returns the lightmap bytes of surface `index`, as [`SurfaceView::lightmap`] does, without locating it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) where there is no such surface.
    pub fn lightmap(&self, index: usize) -> Result<Option<[u8; 2]>> {
        self.reader().surface_header(index).map(|head| head.lightmap)
    }

    /// Returns all surfaces in file order, each located as the iterator reaches it.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Result<SurfaceView<'_>>> {
        (0..self.surface_count()).map(|index| self.surface(index))
    }

    /// Locates surface `index` and inflates its geometry into a buffer, unless the mesh holds it already, or it is stored
    /// as it is. The mesh keeps nothing of it. Of the generations before ms14, this is [`surface`](Self::surface).
    ///
    /// # Errors
    ///
    /// As [`surface`](Self::surface).
    pub fn surface_in<'b>(&'b self, index: usize, buffer: &'b mut InflateBuffer) -> Result<SurfaceView<'b>> {
        self.reader().surface_in(index, buffer)
    }

    /// Inflates the geometry of several surfaces now, in parallel with the feature `rayon`: what
    /// [`surface`](Self::surface) does for each of them when it is first asked for. Of the generations before ms14, it
    /// locates them.
    ///
    /// # Errors
    ///
    /// The first failure in the order of `surfaces`; the others are inflated all the same.
    pub fn inflate(&self, surfaces: &[usize]) -> Result<()>
    where
        D: Sync,
    {
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;
            // What fails here is asked for again below, so that the first in order is told.
            surfaces.par_iter().for_each(|surface| drop(self.surface(*surface)));
        }
        let mut first = Ok(());
        for surface in surfaces {
            first = first.and(self.surface(*surface).map(drop));
        }
        first
    }

    /// Lends the spatial tree and the edge records that the engine stored with surface `index`; inflates them the first
    /// time, and nothing else. `None` in the generations before ms14.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch), or a fault of the tree's block, by field and offset.
    pub fn tree(&self, index: usize) -> Result<Option<SurfaceTree<'_>>> {
        self.reader().tree(index)
    }

    /// Returns where the blocks of surface `index` stand, geometry and tree, and how large they are; inflates nothing.
    /// `None` in the generations before ms14.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch), or a fault on the way to them, by field and offset.
    pub fn blocks(&self, index: usize) -> Result<Option<[BlockLocation; 2]>> {
        self.reader().blocks(index)
    }

    /// Counts what the header says that surface `index` has, and inflates nothing: positions, corners and shapes, and the
    /// bytes of an index into the positions; the rest is 0. `None` in the generations before ms14, whose headers say
    /// nothing of it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) where there is no such surface.
    pub fn header_counts(&self, index: usize) -> Result<Option<Counts>> {
        self.reader().header_counts(index)
    }

    /// Returns how many bytes inflated blocks hold.
    #[must_use]
    pub fn inflated_bytes(&self) -> u64 {
        self.state.blocks.inflated_bytes()
    }

    /// Writes a mesh of a compressed generation with its blocks as they are, verbatim, or compressed anew; the table says
    /// where they come to lie. A mesh of the generations before is written as [`write_to`](Self::write_to) does.
    ///
    /// # Errors
    ///
    /// The first fault of the file, by field and offset, or what the output refuses; part of it may be written then.
    pub fn write_stored(&self, out: impl Write, storage: Storage) -> Result<()> {
        write::mesh(self.reader(), out, storage)
    }

    /// Returns the offset of the byte after the closing magic; bytes from there on belong to no field.
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset.
    pub fn end(&self) -> Result<u64> {
        self.reader().end()
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

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then_some(&self.data)
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.state.file.context.access_log().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        self.reader().check()
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        regions::of_mesh(self.reader(), visit)
    }

    fn rules(&self) -> &'static [Rule] {
        validate::RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::mesh_structure(self.reader(), report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::mesh(self.reader(), report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        write::mesh(self.reader(), out, Storage::Kept)
    }

    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        if sidecar.matches(self.reader().file().header_bytes()) {
            self.state.file.context.sidecar = SidecarSlot::new(sidecar);
        }
    }

    fn index(&self, builder: &mut Builder) -> Result<()> {
        self.reader().index(builder)
    }

    fn geometry(&self) -> Option<&dyn Geometry> {
        Some(self)
    }

    fn animations(&self) -> Option<&dyn Animations> {
        Some(self)
    }
}
