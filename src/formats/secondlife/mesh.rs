//! The owner of a file's bytes. It has no lifetime and can be stored; views are made from it when they are asked for.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use super::block::{Block, Held};
use super::container::{Container, stored};
use super::header::{Header, Places, blame, check_size};
use super::layout::{FORMAT, Lod, Part, RawPreamble};
use super::level::Level;
use super::llsd;
use super::physics::{Convex, PhysicsShape};
use super::skin::Skin;
use super::view::View;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::FileContext;
use crate::parse::{Cursor, Limits, OpenOptions};

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
    state: State,
    /// The file's assets, where it is a container.
    assets: Option<usize>,
}

/// What is known of an asset, without its bytes.
#[derive(Debug)]
pub(super) struct State {
    pub(super) context: FileContext,
    /// Which bytes of the file are the asset.
    pub(super) asset: Range<usize>,
    /// The flags of a cache file.
    pub(super) fetched: Option<u32>,
    /// Whether the asset is one of a container's.
    pub(super) in_container: bool,
    /// Why the asset's header cannot be read.
    fault: Option<Error>,
    pub(super) blocks: [OnceLock<Box<Result<Held>>>; Part::ALL.len()],
    /// Bytes that the inflated blocks hold.
    pub(super) alive: AtomicU64,
    /// Where the names of materials stand, once somebody asked for one.
    pub(super) materials: OnceLock<Vec<u32>>,
    /// Where the blocks lie, once somebody asked for one.
    pub(super) places: OnceLock<Places>,
    /// The highest level of detail, once somebody looked at it.
    pub(super) highest: OnceLock<Lod>,
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reads the header, and nothing else; of a container, the first asset's.
    ///
    /// # Errors
    ///
    /// The first fault of the header, by field and offset; [`ErrorKind::Unsupported`] for a newer version. A container opens even
    /// if the header of its asset is damaged: whoever asks for something of it gets the fault.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Reads the header, under options of your own.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); [`ErrorKind::NoSuch`] for an asset that the container does not have.
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let bytes = data.as_ref();
        if bytes.is_empty() {
            return Err(Error::new(FORMAT, Field::new("header"), 0, ErrorKind::Empty));
        }
        let preamble = preamble(bytes);
        let start = if preamble.is_some() { size_of::<RawPreamble>() } else { 0 };
        let asset = bytes.get(start..).unwrap_or_default();
        let header =
            Header::parse(asset, as_u64(start), &options.limits).map_err(|fault| blame(fault, as_u64(start)))?;
        let container = Container::of(&header).filter(|_| preamble.is_none());
        let count = container.map_or(1, |container| container.len());
        if options.asset >= count && options.asset > 0 {
            return Err(no_such_asset(options.asset, count));
        }
        let fetched = preamble.map(|preamble| preamble.flags.get());
        let mut state = State::new(options, start..bytes.len(), fetched, container.is_some());
        if let Some(container) = container {
            if let Some(touched) = state.context.access_log() {
                let strings = container.items().filter_map(|item| stored(&item)).map(|(_, bytes)| as_u64(bytes.len()));
                let strings = strings.fold(0, u64::saturating_add);
                touched.note_spread(0, header.len(), header.len().saturating_sub(strings));
            }
            state.choose(bytes, find_asset(&container, options.asset));
        } else {
            check_size(&header, &options.limits)?;
            header.check_version()?;
        }
        let assets = container.map(|container| container.len());
        let mesh = Self { data, state, assets };
        mesh.note_header();
        Ok(mesh)
    }

    /// Notes that the header was read, and what stands before it in a cache file.
    fn note_header(&self) {
        if let (Some(touched), Ok(header)) = (self.state.context.access_log(), self.header()) {
            let start = if self.state.fetched.is_some() { 0 } else { as_u64(self.state.asset.start) };
            touched.note(start, header.base());
        }
    }

    /// Returns the owner of the bytes.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Returns which bytes of the file are the asset.
    #[must_use]
    pub fn asset_range(&self) -> Range<usize> {
        self.state.asset.clone()
    }

    /// Returns the record in front of an asset that comes from a viewer's disk cache.
    #[must_use]
    pub fn preamble(&self) -> Option<&RawPreamble> {
        preamble(self.data.as_ref())
    }

    /// Returns the container that the asset is in.
    #[must_use]
    pub fn container(&self) -> Option<Container<'_>> {
        self.assets?;
        let item = Header::parse(self.data.as_ref(), 0, &self.state.context.options.limits).ok()?;
        Container::of(&item)
    }

    /// Returns the number of assets in the file: 1, unless it is a container.
    #[must_use]
    pub fn asset_count(&self) -> usize {
        self.assets.unwrap_or(1)
    }

    /// Opens each asset of the file by itself, borrowed from it: one, unless it is a container. Each keeps its own inflated
    /// blocks and its own record of what was looked at, and its offsets are those in the file.
    pub fn assets(&self) -> impl Iterator<Item = Mesh<&[u8]>> {
        let bytes = self.data.as_ref();
        let container = self.container();
        let alone = container.is_none().then(|| self.state.asset.clone());
        let items = container.into_iter().flat_map(|container| container.items());
        let ranges = items.map(|item| range_of(&item)).chain(alone.map(Ok));
        ranges.enumerate().map(move |(asset, range)| {
            let options = OpenOptions { asset, ..self.state.context.options };
            let mut state = State::new(&options, 0..0, self.state.fetched, self.assets.is_some());
            match range {
                // What is no container was looked at when it was opened.
                Ok(range) if self.assets.is_none() => state.asset = range,
                range => state.choose(bytes, range),
            }
            let mesh = Mesh { data: bytes, state, assets: self.assets };
            mesh.note_header();
            mesh
        })
    }

    /// Returns everything there is of the asset, as a view that can be copied.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { bytes: self.data.as_ref(), state: &self.state }
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
    /// As [`View::level`].
    pub fn level(&self, lod: Lod) -> Result<Level<'_>> {
        self.view().level(lod)
    }

    /// Returns a block, inflated the first time; `None` where the header names none.
    ///
    /// # Errors
    ///
    /// As [`View::block`].
    pub fn block(&self, part: Part) -> Result<Option<Block<'_>>> {
        self.view().block(part)
    }

    /// Drops an inflated block, so that others have room within [`Limits::asset`]. It is inflated anew when it is asked for
    /// again.
    pub fn release(&mut self, part: Part) {
        let held = self.state.blocks.get_mut(part.number()).and_then(OnceLock::take);
        if let Some(Ok(held)) = held.map(|held| *held) {
            *self.state.alive.get_mut() = self.state.alive.get_mut().saturating_sub(held.size());
        }
    }

    /// Returns the skin; `None` where there is none.
    ///
    /// # Errors
    ///
    /// As [`View::block`].
    pub fn skin(&self) -> Result<Option<Skin<'_>>> {
        self.view().skin()
    }

    /// Returns the convex hulls; `None` where there are none.
    ///
    /// # Errors
    ///
    /// As [`View::block`].
    pub fn convex(&self) -> Result<Option<Convex<'_>>> {
        self.view().convex()
    }

    /// Returns the triangles to collide with; `None` where there are none.
    ///
    /// # Errors
    ///
    /// As [`View::block`].
    pub fn physics_mesh(&self) -> Result<Option<Level<'_>>> {
        self.view().physics_mesh()
    }

    /// Chooses what to collide with.
    ///
    /// # Errors
    ///
    /// As [`View::block`].
    pub fn physics_shape(&self) -> Result<Option<PhysicsShape<'_>>> {
        self.view().physics_shape()
    }
}

impl State {
    fn new(options: &OpenOptions, asset: Range<usize>, fetched: Option<u32>, in_container: bool) -> Self {
        Self {
            context: FileContext::new(options),
            asset,
            fetched,
            in_container,
            fault: None,
            blocks: Default::default(),
            alive: AtomicU64::new(0),
            materials: OnceLock::new(),
            places: OnceLock::new(),
            highest: OnceLock::new(),
        }
    }

    /// Turns to the asset in a range of the file, and keeps what is wrong with its header. Where there is no range, it has no
    /// bytes.
    fn choose(&mut self, bytes: &[u8], range: Result<Range<usize>>) {
        self.asset = 0..0;
        let check = range.and_then(|range| {
            self.asset = range;
            check_inner(bytes, self)
        });
        self.fault = check.err();
    }

    pub(super) fn check(&self) -> Result<()> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}

/// Tells the record in front of an asset in a viewer's disk cache.
pub(super) fn preamble(bytes: &[u8]) -> Option<&RawPreamble> {
    let mut cursor = Cursor::new(bytes, FORMAT);
    let preamble: &RawPreamble = cursor.read("preamble").ok()?;
    let plausible =
        preamble.version.get() == 1 && (1..=Limits::default().header).contains(&preamble.header_size.get().into());
    (plausible && cursor.rest().starts_with(b"{")).then_some(preamble)
}

/// Finds an asset of a container.
fn find_asset(container: &Container<'_>, asset: usize) -> Result<Range<usize>> {
    let item = container.items().nth(asset).ok_or_else(|| no_such_asset(asset, container.len()))?;
    range_of(&item)
}

/// Returns which bytes of the file an asset of a container is.
fn range_of(item: &llsd::Item<'_>) -> Result<Range<usize>> {
    let found = stored(item).and_then(|(start, bytes)| {
        let start = usize::try_from(start).ok()?;
        Some(start..start.checked_add(bytes.len())?)
    });
    found.ok_or_else(|| {
        let expected = "a whole asset, as a string with a length".into();
        let kind = ErrorKind::Value { expected, found: item.value.kind().into() };
        Error::new(FORMAT, Field::new("mesh"), as_u64(item.at), kind)
    })
}

/// Tests the header of an asset in a container.
fn check_inner(bytes: &[u8], state: &State) -> Result<()> {
    let header = View { bytes, state }.header()?;
    if Container::of(&header).is_some() {
        let kind = ErrorKind::Value { expected: "a mesh asset".into(), found: "another container".into() };
        return Err(Error::new(FORMAT, Field::new("mesh"), as_u64(state.asset.start), kind));
    }
    check_size(&header, &state.context.options.limits)?;
    header.check_version()
}

fn no_such_asset(asset: usize, count: usize) -> Error {
    let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(asset) };
    Error::without_offset(FORMAT, Field::new("").of("asset", as_u64(asset)), kind)
}

/// Tells whether bytes are those of a mesh asset, a container or a viewer's cache file, as far as their first bytes show.
#[must_use]
pub fn is_known(bytes: &[u8]) -> bool {
    let bytes =
        if preamble(bytes).is_some() { bytes.get(size_of::<RawPreamble>()..).unwrap_or_default() } else { bytes };
    if llsd::marker_line(bytes).is_ok_and(|line| line > 0) {
        return true;
    }
    let Some(&[mark, a, b, c, d]) = bytes.first_chunk::<5>() else { return false };
    // A text that begins with a brace has letters, quotes or blanks behind it.
    let is_text = [a, b, c, d].iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    mark == b'{' && !is_text && matches!(bytes.get(5), None | Some(b'k' | b'\'' | b'"' | b'}'))
}
