//! The owner of a file's bytes. It has no lifetime and can be stored; views are made from it when they are asked for.

use std::io::Write;
use std::ops::Range;
use std::sync::OnceLock;

use super::asset_block::AssetBlock;
use super::asset_part::{AssetPart, Lod};
use super::asset_state::AssetState;
use super::asset_view::AssetView;
use super::container::Container;
use super::header::Header;
use super::layout::{FORMAT, RawPreamble};
use super::level::Level;
use super::physics::{Convex, PhysicsShape};
use super::regions::visit_regions;
use super::skin::Skin;
use super::validate::{self, RULES};
use super::write::write_to;
use crate::error::Result;
use crate::model::animation::Animations;
use crate::model::{FormatVersion, Geometry, MeshFile};
use crate::parse::{AccessLog, Finding, OpenOptions, Region, Rule};

/// A Second Life mesh over any owner of bytes: an asset, one from a viewer's disk cache, or one of several in a
/// container.
///
/// | call | order | looks at | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | entries of the header | the header | nothing |
/// | [`level`](Self::level), [`skin`](Self::skin), .., first time | bytes of the block | that block | its inflated bytes, and a place for each submesh or joint |
/// | an array of a submesh | keys of the submesh | nothing of the file | nothing |
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
#[derive(Debug)]
pub struct Mesh<D> {
    data: D,
    state: AssetState,
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reads the header, and nothing else; of a container, the first asset's.
    ///
    /// # Errors
    ///
    /// The first fault of the header, by field and offset; [`ErrorKind::Unsupported`] for a newer version. A container opens even
    /// if the header of its asset is damaged: whoever asks for something of it gets the fault.
    ///
    /// [`ErrorKind::Unsupported`]: crate::error::ErrorKind::Unsupported
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Reads the header, under options of your own.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch) for an asset that the container does not have.
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

    /// Returns the owner of the bytes.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Returns which bytes of the file are the asset.
    #[must_use]
    pub fn asset_range(&self) -> Range<usize> {
        self.state.range.clone()
    }

    /// Returns the record in front of an asset that comes from a viewer's disk cache.
    #[must_use]
    pub fn preamble(&self) -> Option<&RawPreamble> {
        self.view().preamble()
    }

    /// Returns the container that the asset is in.
    #[must_use]
    pub fn container(&self) -> Option<Container<'_>> {
        self.view().container()
    }

    /// Returns the number of assets in the file: 1, unless it is a container.
    #[must_use]
    pub fn asset_count(&self) -> usize {
        self.state.container_len.unwrap_or(1)
    }

    /// Opens each asset of the file by itself, borrowed from it: one, unless it is a container. Each keeps its own inflated
    /// blocks and its own record of what was looked at, and its offsets are those in the file.
    pub fn assets(&self) -> impl Iterator<Item = Mesh<&[u8]>> {
        let data = self.data.as_ref();
        self.view().asset_states().map(move |state| {
            let mesh = Mesh { data, state };
            mesh.view().record_header();
            mesh
        })
    }

    /// Returns everything there is of the asset, as a view that can be copied.
    #[must_use]
    pub fn view(&self) -> AssetView<'_> {
        AssetView::new(self.data.as_ref(), &self.state)
    }

    /// Returns the header.
    ///
    /// # Errors
    ///
    /// Where a container's asset has none, or the owner's bytes are no longer those that were opened.
    pub fn header(&self) -> Result<Header<'_>> {
        self.view().header()
    }

    /// Returns a level of detail, and inflates its block the first time.
    ///
    /// # Errors
    ///
    /// As [`AssetView::level`].
    pub fn level(&self, lod: Lod) -> Result<Level<'_>> {
        self.view().level(lod)
    }

    /// Returns a block, inflated the first time; `None` where the header names none.
    ///
    /// # Errors
    ///
    /// As [`AssetView::block`].
    pub fn block(&self, part: AssetPart) -> Result<Option<AssetBlock<'_>>> {
        self.view().block(part)
    }

    /// Drops an inflated block, so that others have room within [`Limits::asset`](crate::parse::Limits::asset). It is inflated anew when it is asked for
    /// again.
    pub fn release(&mut self, part: AssetPart) {
        let block = self.state.blocks.get_mut(part.number()).and_then(OnceLock::take);
        if let Some(Ok(block)) = block.map(|block| *block) {
            let memory = self.state.block_memory.get_mut();
            *memory = memory.saturating_sub(block.size());
        }
    }

    /// Returns the skin; `None` where there is none.
    ///
    /// # Errors
    ///
    /// As [`AssetView::block`].
    pub fn skin(&self) -> Result<Option<Skin<'_>>> {
        self.view().skin()
    }

    /// Returns the convex hulls; `None` where there are none.
    ///
    /// # Errors
    ///
    /// As [`AssetView::block`].
    pub fn convex(&self) -> Result<Option<Convex<'_>>> {
        self.view().convex()
    }

    /// Returns the triangles to collide with; `None` where there are none.
    ///
    /// # Errors
    ///
    /// As [`AssetView::block`].
    pub fn physics_mesh(&self) -> Result<Option<Level<'_>>> {
        self.view().physics_mesh()
    }

    /// Chooses what to collide with.
    ///
    /// # Errors
    ///
    /// As [`AssetView::block`].
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

    /// Tests the headers of all assets, and inflates every block; reads no vertex.
    fn check(&self) -> Result<()> {
        validate::check(self.view())
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        visit_regions(self.view(), visit)
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::validate_structure(self.view(), report);
        Ok(())
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::validate(self.view(), report);
        Ok(())
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        write_to(self.view(), out)
    }

    fn geometry(&self) -> Option<&dyn Geometry> {
        Some(self)
    }

    fn animations(&self) -> Option<&dyn Animations> {
        Some(self)
    }
}
