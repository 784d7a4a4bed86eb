//! Reads a mesh: locates its embedded animations and its surfaces, one after another.

use std::sync::{Arc, OnceLock};

use super::arrays::{Arrays, HeaderCounts, SurfaceCache};
use super::fields::{FieldReader, NoRegions, RegionSink};
use super::file_reader::{FileReader, FileState, slots};
use crate::error::{Error, FormatName, Result};
use crate::formats::unigine::animation::stored_checkpoints::StoredCheckpoints;
use crate::formats::unigine::animation::view::AnimationView;
use crate::formats::unigine::blocks::cache::BlockState;
use crate::formats::unigine::blocks::inflated::{InflateBuffer, InflatedBlock};
use crate::formats::unigine::detect;
use crate::formats::unigine::header::{BOUNDS_AT, Header, SurfaceHeader};
use crate::formats::unigine::layout::{Generation, RawBounds};
use crate::formats::unigine::levels::LevelTable;
use crate::formats::unigine::surface::SurfaceView;
use crate::io::WalkAhead;
use crate::math::as_u64;
use crate::model::FileContext;
use crate::parse::{Cursor, Limits, Name, OpenOptions};
use crate::sidecar::Sidecar;

/// The data that an open mesh holds in addition to the bytes of the file.
#[derive(Debug)]
pub(crate) struct MeshFileState {
    /// The data that meshes and animation files have in common. In format generations before ms14,
    /// the sections of a mesh file are the embedded animations and the geometry of the surfaces.
    ///
    /// In ms14 and ms15, the sections of a mesh file are the geometry of the surfaces, a magic
    /// number, and the trees of the surfaces.
    pub(crate) file: FileState,
    pub(crate) header: Header,
    surfaces: Box<[SurfaceCache]>,
    pub(crate) blocks: BlockState,
    /// The levels of detail, which are found when they are first needed.
    pub(crate) levels: OnceLock<LevelTable>,
    /// Prefetches the sections that are passed to locate later sections.
    walk: WalkAhead,
}

impl MeshFileState {
    /// Reads the header of a mesh.
    pub(crate) fn open(bytes: &[u8], options: &OpenOptions) -> Result<Self> {
        let generation = detect::mesh(bytes)?;
        let context = FileContext::new(options);
        let cursor = Cursor::new(bytes, generation.format_name()).with_access_log(context.access_log());
        let (shared, header) = FieldReader { cursor, sink: NoRegions }.header(generation, &options.limits)?;
        let (format, animations, surfaces) = (shared.format, shared.animations.len(), header.surfaces.len());
        let blocks = if generation.is_compressed() { surfaces } else { 0 };
        let trees = if generation.is_compressed() { surfaces.saturating_add(1) } else { 0 };
        let sections = animations.saturating_add(surfaces).saturating_add(trees);
        Ok(Self {
            file: FileState::new(context, shared, sections, animations, bytes.len())?,
            header,
            surfaces: slots(format, "surfaces", surfaces)?,
            blocks: BlockState::new(format, blocks)?,
            levels: OnceLock::new(),
            walk: WalkAhead::default(),
        })
    }
}

/// The reader of a mesh, which borrows the bytes of the file and the cached results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshReader<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) state: &'a MeshFileState,
}

impl<'a> MeshReader<'a> {
    /// Returns the reader of the data that exists in both meshes and animation files.
    pub(crate) const fn file(self) -> FileReader<'a> {
        FileReader { bytes: self.bytes, state: &self.state.file }
    }

    pub(crate) const fn generation(self) -> Generation {
        self.state.header.generation
    }

    pub(crate) const fn format(self) -> &'static FormatName {
        self.file().format()
    }

    pub(crate) fn limits(self) -> &'a Limits {
        &self.state.file.context.options.limits
    }

    pub(crate) const fn surface_count(self) -> usize {
        self.state.header.surfaces.len()
    }

    pub(crate) fn no_surface(self, index: usize) -> Error {
        self.file().no_such("surface", self.surface_count(), index)
    }

    /// Returns the offset of the bounding box and bounding sphere of the whole mesh.
    pub(crate) fn bounds_at(self) -> u64 {
        self.state.header.compressed.map_or(BOUNDS_AT, |compressed| compressed.bounds_at)
    }

    pub(crate) fn raw_bounds(self) -> Result<&'a RawBounds> {
        self.file().fields(self.bounds_at())?.bounds()
    }

    /// Returns the offset of the header entry of surface `index`.
    pub(crate) fn header_at(self, index: usize) -> u64 {
        self.state.header.surfaces.get(index).copied().unwrap_or_default()
    }

    /// Reads the header entry of surface `index`, without locating the geometry of the surface.
    pub(crate) fn surface_header(self, index: usize) -> Result<SurfaceHeader<'a>> {
        let mut entry = self.file().entry("surface", &self.state.header.surfaces, index)?;
        entry.surface_header(self.generation(), self.limits())
    }

    /// Returns an iterator over the header entries of the shapes (targets) of a surface, in file
    /// order.
    pub(crate) fn targets(self, index: usize) -> Result<impl Iterator<Item = Result<(Name<'a>, Option<u32>)>>> {
        let head = self.surface_header(index)?;
        let mut fields = self.file().fields(head.target_names)?;
        let generation = self.generation();
        Ok((0..head.targets).map(move |_| fields.target(generation)))
    }

    /// Returns the offset of the longest weight list of a surface, in bytes from the first weight
    /// list, and the number of influences in the longest list.
    ///
    /// Returns `None` if the weights of the surface were not read yet.
    pub(crate) fn longest_weights(self, index: usize) -> Option<(u64, u8)> {
        self.state.surfaces.get(index)?.totals.get().map(|totals| totals.longest)
    }

    /// Returns the sidecar of the file, or `None` if the file has no sidecar or if the sidecar is
    /// not trusted and its content is wrong.
    pub(crate) fn sidecar(self) -> Option<&'a Arc<Sidecar>> {
        self.state.file.context.sidecar.get(|builder| self.index(builder))
    }

    pub(crate) fn cache(self, index: usize) -> Result<&'a SurfaceCache> {
        let cache = self.state.surfaces.get(index).ok_or_else(|| self.no_surface(index))?;
        if cache.totals.get().is_none()
            && let Some(sidecar) = self.sidecar()
        {
            Self::recall(sidecar, index, cache);
        }
        Ok(cache)
    }

    pub(crate) fn surface(self, index: usize) -> Result<SurfaceView<'a>> {
        if self.generation().is_compressed() {
            return self.view(index, Some(self.geometry(index)?));
        }
        self.view(index, None)
    }

    /// Creates the view of surface `index`. In ms14 and ms15, `block` is the geometry block of the
    /// surface, with uncompressed content. In earlier format generations, the geometry is not
    /// compressed, and `block` is `None`.
    pub(crate) fn view<'b>(self, index: usize, block: Option<&'b InflatedBlock>) -> Result<SurfaceView<'b>>
    where
        'a: 'b,
    {
        // The index is checked first, because a search beyond the last surface would name the first
        // surface that does not exist.
        self.view_with(index, block, self.cache(index)?)
    }

    /// Creates the view of surface `index`, like [`view`](Self::view). The cached results of
    /// reading the weights are in `cache`.
    pub(crate) fn view_with<'b>(
        self,
        index: usize,
        block: Option<&'b InflatedBlock>,
        cache: &'b SurfaceCache,
    ) -> Result<SurfaceView<'b>>
    where
        'a: 'b,
    {
        let start = self.locate(self.file().animation_count().saturating_add(index))?;
        let fields = self.file().fields(start)?;
        Ok(SurfaceView::new(fields, self.generation(), as_u64(index), (self.surface_header(index)?, block), cache))
    }

    /// Returns an [`Arrays`] value that locates the arrays of surface `index`. The argument
    /// `fields` is a field reader at the start of the surface's geometry.
    pub(crate) fn arrays<'b, S: RegionSink>(self, index: usize, fields: FieldReader<'b, S>) -> Result<Arrays<'b, S>>
    where
        'a: 'b,
    {
        let (head, cache) = (self.surface_header(index)?, self.cache(index)?);
        let counts = self.array_counts(&head)?;
        Ok(Arrays::new(fields, self.generation(), as_u64(index), head.targets, cache).with_counts(counts))
    }

    /// Returns the array lengths that the header stores for a surface, or `None` before ms14.
    pub(crate) fn array_counts(self, head: &SurfaceHeader<'a>) -> Result<Option<HeaderCounts<'a>>> {
        let Some(corners) = head.corners else { return Ok(None) };
        Ok(Some(HeaderCounts { targets: self.file().fields(head.target_names)?, corners }))
    }

    pub(crate) fn animation(self, index: usize) -> Result<AnimationView<'a>> {
        let file = self.file();
        let name = file.animation_name(index)?;
        let start = self.locate(index)?;
        let view = self.read_animation(&mut file.fields(start)?, index)?;
        Ok(view.named(name).resting(file.binds()?.unwrap_or_default()))
    }

    pub(crate) fn read_animation(
        self,
        fields: &mut FieldReader<'a, impl RegionSink>,
        index: usize,
    ) -> Result<AnimationView<'a>> {
        let cache = self.file().animation_cache(index)?;
        cache.recall_from(|| StoredCheckpoints::of(self.sidecar()?, index));
        fields.embedded_animation(as_u64(index), cache, self.file().bytes_per_animation())
    }

    /// Returns the number of sections of the file.
    pub(crate) fn section_count(self) -> usize {
        let surfaces = self.surface_count();
        let trees = if self.generation().is_compressed() { surfaces.saturating_add(1) } else { 0 };
        self.file().animation_count().saturating_add(surfaces).saturating_add(trees)
    }

    /// Returns the start offset of the section with the index `section`.
    pub(crate) fn locate(self, section: usize) -> Result<u64> {
        if self.generation().is_compressed() {
            return self.locate_block(section);
        }
        let pass = |known, start| {
            let end = self.pass(known, start)?;
            self.state.walk.pass(self.bytes, start..end);
            Ok(end)
        };
        self.state.file.sections.locate(section, || self.file().section_of(self.sidecar()?, section), pass)
    }

    /// Returns the end offset of the section that starts at `start`.
    fn pass(self, section: usize, start: u64) -> Result<u64> {
        let mut fields = self.file().fields(start)?;
        match section.checked_sub(self.file().animation_count()) {
            None => {
                self.read_animation(&mut fields, section)?;
                Ok(fields.cursor.offset())
            }
            Some(surface) => self.arrays(surface, fields)?.finish(),
        }
    }

    /// Reads the structure of the whole file: every count, the flags of every animation key, and
    /// the closing magic number. Returns the first error in the file.
    ///
    /// Compressed geometry is inflated, surface by surface, to read the array lengths in the
    /// geometry.
    pub(crate) fn check(self) -> Result<()> {
        if let Some(options) = self.state.file.options_without_sidecar() {
            // The sidecar may contain wrong offsets, so the check of the file structure does not
            // use the sidecar.
            return MeshReader { state: &MeshFileState::open(self.bytes, &options)?, ..self }.check();
        }
        let mut buffer = InflateBuffer::default();
        for index in 0..self.state.blocks.len() {
            self.surface_in(index, &mut buffer)?;
        }
        self.end().map(drop)
    }

    /// Returns the offset of the byte after the closing magic number.
    pub(crate) fn end(self) -> Result<u64> {
        let mut fields = self.file().fields(self.locate(self.section_count())?)?;
        if self.generation().is_compressed() {
            self.read_table(&mut fields)?;
        }
        fields.magic(self.generation().magic(), "closing_magic")?;
        Ok(fields.cursor.offset())
    }
}
