//! [`Mesh`]: an opened mesh file that owns the bytes of the file. A mesh has no lifetime parameter
//! and can be stored in a struct. An [`AssetView`] borrows from a mesh.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::OnceLock;

use super::asset_block::AssetBlock;
use super::asset_state::AssetState;
use super::asset_view::AssetView;
use super::container::Container;
use super::header::Header;
use super::layout::{AssetPart, FORMAT, RawPreamble};
use super::level::Level;
use super::physics::{Convex, PhysicsShape};
use super::properties;
use super::regions::visit_regions;
use super::skin::Skin;
use super::validate::{self, RULES};
use super::write::write_to;
use crate::error::Result;
use crate::error::debug::short_debug;
#[cfg(any(feature = "cli", feature = "internals"))]
use crate::model::BlockFile;
use crate::model::{DescribedBlocks, FormatVersion, Lod, MeshFile, Properties, WrittenForm};
use crate::parse::{AccessLog, Finding, OpenOptions, Region, Rule};

/// A Second Life mesh and the value that owns the bytes of its file, such as a `Vec<u8>` or a
/// memory map.
///
/// The file is a mesh asset, a mesh asset from a viewer's disk cache, or a container of several
/// mesh assets. If the file is a container, the mesh is one of the assets in the container.
///
/// | call | access order | reads from the file | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | entries of the header | the header | nothing |
/// | [`level`](Self::level), [`skin`](Self::skin), .., first call | bytes of the block | the compressed block | the inflated bytes of the block, and one slot per submesh or joint |
/// | an array of a submesh | keys of the submesh | nothing | nothing |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// use meshpeek::secondlife::{Lod, Mesh};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// for submesh in mesh.level(Lod::Lowest)?.submeshes() { // no other block is inflated
///     println!("{} vertices", submesh?.positions()?.len());
/// }
/// # Ok(())
/// # }
/// ```
pub struct Mesh<D> {
    data: D,
    state: AssetState,
}

short_debug!([D: AsRef<[u8]>] Mesh<D>: |mesh| { view: mesh.view() });

short_debug!(AssetView<'_>: |view| {
    format: FORMAT, version: view.version(), bytes: view.file().len(), asset: view.start()..view.end(),
    inflated: AssetPart::ALL.into_iter().filter(|part| view.is_inflated(*part)).count(),
});

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Opens a mesh file with the default options. Reads only the header.
    ///
    /// If the file is a container, the mesh is the first asset in the container, and
    /// [`header`](Self::header) returns the header of the first asset.
    ///
    /// # Errors
    ///
    /// Returns the first error in the header, with the name and the offset of the damaged field.
    /// Returns [`ErrorKind::Unsupported`] if the version of the asset is newer than this crate
    /// supports. If the file is a container and the header of the asset is damaged, this function
    /// returns no error, but each later access to the asset returns the error.
    ///
    /// [`ErrorKind::Unsupported`]: crate::ErrorKind::Unsupported
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Opens a mesh file with the given options. Reads only the header.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open). Returns
    /// [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch) if the file has no asset at the index
    /// [`OpenOptions::with_asset`].
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let state = AssetState::open(data.as_ref(), options)?;
        let mesh = Self { data, state };
        mesh.view().record_header();
        Ok(mesh)
    }

    /// Returns the options that the file was opened with.
    #[must_use]
    pub fn options(&self) -> &OpenOptions {
        &self.state.context.options
    }

    /// Returns the value that owns the bytes of the file.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Returns the byte range of the asset in the file.
    #[must_use]
    pub fn asset_range(&self) -> Range<usize> {
        self.state.range.clone()
    }

    /// Returns the preamble before the asset in a file of a viewer's disk cache, or `None` if the
    /// file does not come from such a cache.
    #[must_use]
    pub fn preamble(&self) -> Option<&RawPreamble> {
        self.view().preamble()
    }

    /// Returns the container that the asset is in, or `None` if the file is not a container.
    #[must_use]
    pub fn container(&self) -> Option<Container<'_>> {
        self.view().container()
    }

    /// Returns the number of assets in the file: 1 unless the file is a container.
    #[must_use]
    pub fn asset_count(&self) -> usize {
        self.state.asset_count()
    }

    /// Returns an iterator that opens each asset of the file as its own mesh, borrowed from this
    /// mesh.
    ///
    /// A file that is not a container has one asset. Each mesh that the iterator returns has its
    /// own inflated blocks and its own access log. The byte offsets that the returned meshes report
    /// count from the start of the file.
    pub fn assets(&self) -> impl Iterator<Item = Mesh<&[u8]>> {
        let data = self.data.as_ref();
        self.view().asset_states().map(move |state| {
            let mesh = Mesh { data, state };
            mesh.view().record_header();
            mesh
        })
    }

    /// Opens one asset of the file as its own mesh.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub(super) fn asset_mesh(&self, asset: usize) -> Result<Mesh<&[u8]>> {
        let mesh = Mesh { data: self.data.as_ref(), state: self.view().asset_state(asset)? };
        mesh.view().record_header();
        Ok(mesh)
    }

    /// Returns a view of the asset, borrowed from the mesh. An [`AssetView`] implements `Copy`.
    #[must_use]
    pub fn view(&self) -> AssetView<'_> {
        AssetView::new(self.data.as_ref(), &self.state)
    }

    /// Returns the header of the asset.
    ///
    /// # Errors
    ///
    /// Returns an error if the asset is in a container and its header is malformed. Also returns an
    /// error if the header's bytes were changed after the file was opened, such as in a
    /// memory-mapped file, and are malformed now.
    pub fn header(&self) -> Result<Header<'_>> {
        self.view().header()
    }

    /// Returns a level of detail. The first call inflates the block that holds the level of detail.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::level`].
    pub fn level(&self, lod: Lod) -> Result<Level<'_>> {
        self.view().level(lod)
    }

    /// Returns an inflated block, or `None` if the header has no entry for the block or the size in
    /// the entry is 0.
    ///
    /// The first call inflates the block and caches the inflated bytes.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::block`].
    pub fn block(&self, part: AssetPart) -> Result<Option<AssetBlock<'_>>> {
        self.view().block(part)
    }

    /// Removes an inflated block from the cache. The freed memory no longer counts toward the limit
    /// [`Limits::with_asset`](crate::parse::Limits::with_asset).
    ///
    /// The next access to the block inflates the block again.
    pub fn release(&mut self, part: AssetPart) {
        let block = self.state.blocks.get_mut(part.number()).and_then(OnceLock::take);
        if let Some(Ok(block)) = block.map(|block| *block) {
            let memory = self.state.block_memory.get_mut();
            *memory = memory.saturating_sub(block.size());
        }
    }

    /// Returns the skin, or `None` if the asset has no skin.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::block`].
    pub fn skin(&self) -> Result<Option<Skin<'_>>> {
        self.view().skin()
    }

    /// Returns the convex hulls for collision, or `None` if the asset has no convex hulls.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::block`].
    pub fn convex(&self) -> Result<Option<Convex<'_>>> {
        self.view().convex()
    }

    /// Returns the collision triangles, or `None` if the asset has no collision triangles.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::block`].
    pub fn physics_mesh(&self) -> Result<Option<Level<'_>>> {
        self.view().physics_mesh()
    }

    /// Returns the collision shape: the convex hulls, the collision triangles or the bounding hull,
    /// or `None` if the asset has none of these shapes.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::block`].
    pub fn physics_shape(&self) -> Result<Option<PhysicsShape<'_>>> {
        self.view().physics_shape()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Mesh<D> {
    fn format(&self) -> &'static str {
        FORMAT
    }

    fn version(&self) -> &'static str {
        self.view().version()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then_some(&self.data)
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.state.context.access_log().filter(|_| source == 0)
    }

    /// Checks the headers of all assets of the file, and inflates every block. The vertices in the
    /// inflated blocks are not read.
    fn check(&self) -> Result<()> {
        validate::check(self.view())
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        visit_regions(self.view(), visit)
    }

    fn properties(&self, described: &DescribedBlocks, out: &mut Properties<'_>) -> io::Result<()> {
        properties::of_mesh(self, described, out)
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::validate_structure(self.view(), report);
        Ok(())
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.prefetch();
        validate::validate(self.view(), report);
        Ok(())
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        write_to(self.view(), out)
    }

    #[cfg(any(feature = "cli", feature = "internals"))]
    fn blocks(&self) -> Option<&dyn BlockFile> {
        Some(self)
    }

    fn has_properties(&self) -> bool {
        self.container().is_some() || self.header().is_ok()
    }

    fn written_form(&self) -> WrittenForm {
        WrittenForm::new(&["llmesh", "slm", "asset"])
    }
}
