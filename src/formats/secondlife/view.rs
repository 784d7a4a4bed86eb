//! An asset, as a view: the header from the file's bytes, and each block inflated when somebody first asks for it.

use std::sync::atomic::Ordering;

use super::block::{Block, Buffer, Held};
use super::header::{Header, Stored, blame};
use super::layout::{FORMAT, Lod, Part};
use super::level::Level;
use super::llsd::{self, Rules, Value};
use super::mesh::State;
use super::physics::{Convex, PhysicsShape};
use super::skin::Skin;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::{Budget, Name};

/// An asset, borrowed from its [`Mesh`](super::Mesh).
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) state: &'a State,
}

impl<'a> View<'a> {
    /// Returns the bytes of the asset: of a container or a cache file, a part of the file.
    #[must_use]
    pub fn asset(&self) -> &'a [u8] {
        self.bytes.get(self.state.asset.clone()).unwrap_or_default()
    }

    /// Returns the offset of the asset in the file.
    #[must_use]
    pub fn start(&self) -> u64 {
        as_u64(self.state.asset.start)
    }

    /// Returns the offset in the file of the byte after the asset.
    #[must_use]
    pub fn end(&self) -> u64 {
        as_u64(self.state.asset.end)
    }

    /// Returns the header. Allocates nothing.
    ///
    /// # Errors
    ///
    /// Where a container's asset has none, or the owner's bytes are no longer those that were opened.
    pub fn header(&self) -> Result<Header<'a>> {
        self.state.check()?;
        Header::parse(self.asset(), self.start(), &self.state.context.options.limits)
            .map_err(|fault| blame(fault, self.start()))
    }

    /// Returns where a block lies and its stored bytes; `None` where the header names none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the header's entry is damaged; [`ErrorKind::UnexpectedEnd`] where the block lies beyond the
    /// end of the asset; [`ErrorKind::Missing`] where it was not fetched yet.
    pub fn stored(&self, part: Part) -> Result<Option<(Stored, &'a [u8])>> {
        let places = if let Some(places) = self.state.places.get() {
            places
        } else {
            let header = self.header()?;
            self.state.places.get_or_init(|| header.places())
        };
        let place = places.get(part.number()).cloned().transpose()?.flatten();
        let Some(stored) = place else { return Ok(None) };
        let field = Field::new(part.key());
        let not_fetched = || {
            let expected = format!("bytes {}..{}, which were not fetched yet", stored.start, stored.end).into();
            // It may lie beyond the bytes that there are.
            Error::new(FORMAT, field, stored.start.min(self.end()), ErrorKind::Missing { expected })
        };
        if let (Some(fetched), Some(flag)) = (self.state.fetched, part.cache_flag())
            && fetched & flag == 0
        {
            return Err(not_fetched());
        }
        let within = |offset: u64| usize::try_from(offset).ok().filter(|at| *at <= self.state.asset.end);
        let range = within(stored.start).zip(within(stored.end));
        let bytes = range.and_then(|(start, end)| self.bytes.get(start..end));
        match bytes {
            Some(bytes) => Ok(Some((stored, bytes))),
            None if self.state.context.options.partial => Err(not_fetched()),
            None => {
                let left = self.end().saturating_sub(stored.start);
                let kind = ErrorKind::UnexpectedEnd { needed: stored.len(), left };
                let field = Field::new("size").inside(part.key());
                Err(Error::new(FORMAT, field, stored.start.min(self.end()), kind))
            }
        }
    }

    /// Returns a block; `None` where the header names none. It is inflated the first time, and kept; of two threads that
    /// ask for it first at the same moment, both inflate it, and one of the results is kept.
    ///
    /// # Errors
    ///
    /// As [`stored`](Self::stored); [`ErrorKind::Value`], [`ErrorKind::UnexpectedEnd`] where it is no whole zlib stream of one
    /// LLSD value; [`ErrorKind::Limit`] where it would inflate to more than is allowed.
    pub fn block(&self, part: Part) -> Result<Option<Block<'a>>> {
        let Some(place) = self.state.blocks.get(part.number()) else { return Ok(None) };
        if let Some(held) = place.get() {
            return held.as_ref().as_ref().map(|held| Some(Block::new(held))).map_err(Clone::clone);
        }
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.note(&stored);
        let limits = self.limits();
        let held = Held::new(part, bytes, stored.start, &limits, Budget::of(&self.state.alive, limits.asset));
        if let Err(error) = &held
            && matches!(error.kind(), ErrorKind::Limit { name: "asset", .. } | ErrorKind::OutOfMemory { .. })
        {
            // Later there may be room.
            return Err(error.clone());
        }
        if let Err(late) = place.set(Box::new(held)) {
            // Another thread asked for the same block, and was first.
            self.state.alive.fetch_sub(late.as_ref().as_ref().map_or(0, Held::size), Ordering::Relaxed);
        }
        let Some(held) = place.get() else { return Ok(None) };
        held.as_ref().as_ref().map(|held| Some(Block::new(held))).map_err(Clone::clone)
    }

    /// Inflates a block into a buffer that the caller lends, whether or not it is kept, too; `None` where the header names
    /// none.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn block_into<'b>(&self, part: Part, buffer: &'b mut Buffer) -> Result<Option<Block<'b>>> {
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.note(&stored);
        buffer.fill(part, bytes, stored.start, &self.limits()).map(Some)
    }

    /// Tells whether a block was inflated and is kept.
    #[must_use]
    pub fn is_inflated(&self, part: Part) -> bool {
        let place = self.state.blocks.get(part.number()).and_then(|place| place.get());
        place.is_some_and(|held| held.is_ok())
    }

    /// Returns a level of detail.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block); [`ErrorKind::Choice`] where the asset does not have the level, which names those that it
    /// has; [`ErrorKind::Missing`] where it has none at all.
    pub fn level(&self, lod: Lod) -> Result<Level<'a>> {
        match self.block(lod.part())? {
            Some(block) => block.level(),
            None => Err(self.no_level(Some(lod))),
        }
    }

    /// Returns the level that a viewer shows where `lod` is asked for: it, else the nearest lower one that is there, else
    /// the nearest higher.
    ///
    /// # Errors
    ///
    /// As [`level`](Self::level).
    pub fn nearest_level(&self, lod: Lod) -> Result<Level<'a>> {
        let header = self.header()?;
        let nearest = lod.nearest(|lod| header.has(lod.part()));
        nearest.map_or_else(|| Err(self.no_level(None)), |lod| self.level(lod))
    }

    /// Makes the error for a level that is not there.
    fn no_level(&self, asked: Option<Lod>) -> Error {
        let header = match self.header() {
            Ok(header) => header,
            Err(error) => return error,
        };
        let names: Vec<&str> = header.lods().map(Lod::name).collect();
        let kind = if names.is_empty() {
            let stub = if header.is_stub() { ", which this stub of an asset that does not exist has not" } else { "" };
            ErrorKind::Missing { expected: format!("a level of detail{stub}").into() }
        } else {
            let found = asked.map_or("none of them", Lod::name).into();
            ErrorKind::Choice { names: names.join(", "), found }
        };
        Error::new(FORMAT, Field::new(asked.map_or("high_lod", |lod| lod.part().key())), self.start(), kind)
    }

    /// Returns an item of the list of materials, where it is a name.
    pub(super) fn material(&self, number: usize) -> Option<Name<'a>> {
        // Whoever asks for one asks for all: the header is gone through once.
        let starts = self.state.materials.get_or_init(|| self.find_materials().unwrap_or_default());
        let rules = Rules::from(&self.state.context.options.limits);
        let item =
            starts.get(number).and_then(|at| llsd::read_at(self.asset(), usize::try_from(*at).ok()?, &rules).ok());
        match item?.value {
            Value::String(name) => Some(name.name()),
            _ => None,
        }
    }

    /// Finds where the names of materials stand.
    fn find_materials(&self) -> Result<Vec<u32>> {
        let list = self.header()?.material_list();
        let mut starts = Vec::new();
        let count = list.map_or(0, |list| list.len());
        starts.try_reserve_exact(count).map_err(|_| {
            let kind = ErrorKind::OutOfMemory { asked: as_u64(count).saturating_mul(4) };
            Error::without_offset(FORMAT, Field::new("material_list"), kind)
        })?;
        let items = list.into_iter().flat_map(|list| list.iter());
        starts.extend(items.map_while(|item| u32::try_from(item.at).ok()));
        Ok(starts)
    }

    /// Returns the skin; `None` where there is none.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn skin(&self) -> Result<Option<Skin<'a>>> {
        self.block(Part::Skin)?.map(Skin::new).transpose()
    }

    /// Returns the convex hulls; `None` where there are none, as of a sub-model.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn convex(&self) -> Result<Option<Convex<'a>>> {
        self.block(Part::PhysicsConvex)?.map_or(Ok(None), Convex::new)
    }

    /// Returns the triangles to collide with, by their new name or else their old one; `None` where there are none.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn physics_mesh(&self) -> Result<Option<Level<'a>>> {
        let block = match self.block(Part::PhysicsMesh)? {
            Some(block) => Some(block),
            None => self.block(Part::PhysicsShape)?,
        };
        block.map(|block| block.level()).transpose()
    }

    /// Chooses what to collide with: a list of hulls, else triangles, else the hull around everything. `None` where there
    /// is none of them.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn physics_shape(&self) -> Result<Option<PhysicsShape<'a>>> {
        let convex = self.convex()?;
        if let Some(convex) = convex
            && convex.hull_sizes()?.is_some_and(|sizes| !sizes.is_empty())
        {
            return Ok(Some(PhysicsShape::Hulls(convex)));
        }
        if let Some(level) = self.physics_mesh()? {
            return Ok(Some(PhysicsShape::Mesh(level)));
        }
        let Some(convex) = convex else { return Ok(None) };
        Ok(convex.bounding_points()?.is_some().then_some(PhysicsShape::BoundingHull(convex)))
    }

    /// Compares the MD5 that a simulator noted of a block with that of its stored bytes; `None` where none was noted.
    ///
    /// # Errors
    ///
    /// As [`stored`](Self::stored).
    pub fn verify_hash(&self, part: Part) -> Result<Option<bool>> {
        let header = self.header()?;
        if header.hash(part).is_none() {
            return Ok(None);
        }
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.note(&stored);
        Ok(header.matches_hash(part, bytes))
    }

    /// Returns what a tree of values may cost.
    pub(super) fn rules(&self) -> Rules {
        Rules::from(&self.state.context.options.limits)
    }

    /// Returns the limits of one block: the asset's is at least four times the file.
    fn limits(&self) -> crate::parse::Limits {
        let limits = self.state.context.options.limits;
        crate::parse::Limits { asset: limits.asset.max(as_u64(self.bytes.len()).saturating_mul(4)), ..limits }
    }

    fn note(&self, stored: &Stored) {
        if let Some(touched) = self.state.context.access_log() {
            touched.note(stored.start, stored.end.min(self.end()));
        }
    }
}
