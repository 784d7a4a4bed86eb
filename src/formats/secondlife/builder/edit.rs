//! Changing an asset: what is not touched is copied as it is stored.

use std::borrow::Cow;
use std::ops::Range;

use super::super::asset_part::{AssetPart, Lod};
use super::super::asset_view::AssetView;
use super::super::layout::FORMAT;
use super::super::llsd::{LlsdLimits, LlsdWriter};
use super::asset::deflate;
use super::check::refused;
use super::edit_blocks::{BlockSource, HeaderEntry, check, known, single, unknown};
use crate::error::{Error, ErrorKind, Field, Result};

/// An asset to be written with changes.
///
/// Blocks that nobody replaces are copied as they are stored, neither inflated nor compressed again. Entries of the header
/// keep their order and their form, those with unknown keys included; only offsets, and what belongs to a replaced
/// block, are written anew. Blocks keep their order, two entries that share bytes go on sharing them, gaps between blocks
/// are dropped, and bytes after the last block are kept. Without changes, an asset without gaps comes out as it was.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::secondlife::{Edit, Lod, Mesh, AssetPart, builder};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// let mut high = builder::Level::of(mesh.level(Lod::High)?)?;
/// for [u, _] in &mut high.submeshes[0].uvs {
///     *u = 1.0 - *u;
/// }
/// let mut edit = Edit::of(mesh.view())?;
/// edit.replace(AssetPart::HighLod, &high.to_block(AssetPart::HighLod)?)?;
/// let mirrored = Mesh::open(edit.to_bytes()?)?;
/// let stored = mesh.view().stored(AssetPart::LowLod)?.unwrap().1;
/// assert_eq!(mirrored.view().stored(AssetPart::LowLod)?.unwrap().1, stored); // as it was
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Edit<'a> {
    pub(super) asset: &'a [u8],
    /// Bytes of the marker line in front of the header.
    pub(super) line: usize,
    pub(super) limits: LlsdLimits,
    pub(super) entries: Vec<HeaderEntry<'a>>,
    /// Whether the keys were in order.
    pub(super) sorted: bool,
    /// What comes after the last block.
    pub(super) trailing: &'a [u8],
}

impl<'a> Edit<'a> {
    /// Starts with an asset as it is; of one in a container or a cache file, the asset alone. Looks at the header only.
    ///
    /// # Errors
    ///
    /// As [`AssetView::header`].
    pub fn of(view: AssetView<'a>) -> Result<Self> {
        let header = view.header()?;
        let asset = view.asset();
        let mut entries: Vec<HeaderEntry<'a>> = Vec::new();
        for entry in header.entries() {
            let name = entry.key.content();
            let first = entries.iter().all(|other| other.name != name);
            let part = AssetPart::ALL.into_iter().find(|part| first && entry.key.is(part.key()));
            let map = entry.value.map();
            let block = match part {
                Some(part) => known(&view, &header, part),
                None => map.and_then(|map| unknown(map, &header, asset, view.start())),
            };
            let bytes = |range: Range<usize>| Cow::Borrowed(asset.get(range).unwrap_or_default());
            let (key, value) = (bytes(entry.key_at..entry.at), bytes(entry.at..entry.end));
            entries.push(HeaderEntry { name, key, value, map, block });
        }
        let after = |entry: &HeaderEntry<'_>| match &entry.block {
            Some(BlockSource::Kept(range)) => Some(range.end),
            Some(BlockSource::Damaged { end, .. }) => Some((*end).min(asset.len())),
            _ => None,
        };
        let end = usize::try_from(header.len()).unwrap_or(usize::MAX);
        let last = entries.iter().filter_map(after).max().unwrap_or_default().max(end);
        Ok(Self {
            asset,
            line: usize::try_from(header.marker_line()).unwrap_or_default(),
            limits: view.llsd_limits(),
            sorted: entries.is_sorted_by(|one, other| one.name <= other.name),
            entries,
            trailing: asset.get(last..).unwrap_or_default(),
        })
    }

    /// Puts a block in the place of the one that is there, or adds it. `inflated` is its LLSD, which
    /// [`build`](mod@super) makes; it is compressed as a viewer does. What else the header says of the block is kept; a
    /// hash is computed anew.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] where `inflated` is not one LLSD value, or not of the block's kind: an array of maps for geometry, a
    /// map, or no value for convex hulls.
    pub fn replace(&mut self, part: AssetPart, inflated: &[u8]) -> Result<&mut Self> {
        check(part, inflated, &self.limits)?;
        Ok(self.put(part, deflate(inflated)?))
    }

    /// As [`replace`](Self::replace), with bytes that are compressed already, such as those of another asset's block. They are
    /// not looked at.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] for no bytes, which is how a header says that there is no block.
    pub fn replace_stored(&mut self, part: AssetPart, stored: Vec<u8>) -> Result<&mut Self> {
        if stored.is_empty() {
            return Err(refused(Field::new(part.key()), "a stored block of 1 byte or more", "0 bytes"));
        }
        Ok(self.put(part, stored))
    }

    /// Leaves a block out, and what the header says of it. Of one that is not there, nothing changes.
    pub fn remove(&mut self, part: AssetPart) -> &mut Self {
        self.unset(part.key())
    }

    /// Makes a block another one, such as `low_lod` the `high_lod`, as it is stored and with what the header says of it. What
    /// was at `to` is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Choice`] where there is no block at `from`, which names those there are, or [`ErrorKind::Missing`] where
    /// there are none; [`ErrorKind::Refused`] where the two are not of one kind.
    pub fn rename(&mut self, from: AssetPart, to: AssetPart) -> Result<&mut Self> {
        if from == to {
            return Ok(self);
        }
        if !from.is_geometry() || !to.is_geometry() {
            let expected = format!("a block that can be `{}`", to.key());
            return Err(refused(Field::new(to.key()), expected, from.key()));
        }
        let is_source = |entry: &HeaderEntry<'_>| entry.name == from.key().as_bytes() && entry.block.is_some();
        let Some(at) = self.entries.iter().position(is_source) else { return Err(self.no_block(from)) };
        let moved = self.entries.remove(at);
        self.remove(from);
        let place = self.place(to.key());
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = HeaderEntry { name: entry.name.clone(), key: entry.key.clone(), ..moved };
        }
        Ok(self)
    }

    /// Sets a whole number of the header, such as `version`.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set).
    pub fn set_integer(&mut self, key: &str, value: i32) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().integer(value).clone().into_bytes())
    }

    /// Sets a UUID of the header, such as `creator`.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set).
    pub fn set_uuid(&mut self, key: &str, value: &[u8; 16]) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().uuid(value).clone().into_bytes())
    }

    /// Sets a date of the header, such as `date`, in seconds since 1970-01-01 UTC.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set).
    pub fn set_date(&mut self, key: &str, seconds: f64) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().date(seconds).clone().into_bytes())
    }

    /// Sets an entry of the header to an LLSD value, in the place of the one that is there or as a new one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] where `value` is not one LLSD value, or the key is that of a block.
    pub fn set(&mut self, key: &str, value: Vec<u8>) -> Result<&mut Self> {
        if AssetPart::ALL.iter().any(|part| part.key() == key) {
            return Err(refused(Field::new("header"), "a key that is not that of a block", format!("`{key}`")));
        }
        single(&value, 0, &self.limits).map_err(|found| refused(Field::new("header"), "one LLSD value", found))?;
        let place = self.place(key);
        if let Some(entry) = self.entries.get_mut(place) {
            (entry.value, entry.map, entry.block) = (value.into(), None, None);
        }
        Ok(self)
    }

    /// Leaves an entry of the header out, and its block if it has one. Of a key that is not there, nothing changes.
    pub fn unset(&mut self, key: &str) -> &mut Self {
        self.entries.retain(|entry| entry.name != key.as_bytes());
        self
    }

    /// Puts a stored block into the entry for it.
    fn put(&mut self, part: AssetPart, stored: Vec<u8>) -> &mut Self {
        let place = self.place(part.key());
        if let Some(entry) = self.entries.get_mut(place) {
            let instead_of = entry.block.as_ref().and_then(BlockSource::start);
            entry.block = Some(BlockSource::New { stored, instead_of });
        }
        self
    }

    /// Returns the number of the first entry with a key, which is added if there is none.
    fn place(&mut self, key: &str) -> usize {
        let name = key.as_bytes();
        if let Some(place) = self.entries.iter().position(|entry| entry.name == name) {
            return place;
        }
        let greater = self.entries.iter().position(|entry| *entry.name > *name);
        let place = greater.filter(|_| self.sorted).unwrap_or(self.entries.len());
        let written = LlsdWriter::new().key(key).clone().into_bytes();
        let (name, value) = (name.to_vec().into(), Cow::Borrowed(b"!".as_slice()));
        self.entries.insert(place, HeaderEntry { name, key: written.into(), value, map: None, block: None });
        place
    }

    fn no_block(&self, part: AssetPart) -> Error {
        let names = AssetPart::ALL
            .into_iter()
            .map(AssetPart::key)
            .filter(|key| self.entries.iter().any(|entry| entry.name == key.as_bytes() && entry.block.is_some()));
        let names = names.collect::<Vec<_>>().join(", ");
        let kind = if names.is_empty() {
            ErrorKind::Missing { expected: format!("a block `{}`", part.key()).into() }
        } else {
            ErrorKind::Choice { names, found: part.key().into() }
        };
        Error::without_offset(FORMAT, Field::new(part.key()), kind)
    }
}

/// Returns one level of detail as an asset of its own, by copying: its block, as it is stored, becomes the `high_lod`; the
/// other levels are left out, and so is what follows the last block; everything else is kept. Nothing is inflated.
///
/// ```
/// use meshpeek::secondlife::{Lod, Mesh, extract};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// let low = Mesh::open(extract(mesh.view(), Lod::Low)?)?;
/// assert_eq!(low.level(Lod::High)?.submesh(0)?.triangle_count(), 2);
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
///
/// As [`AssetView::level`] where the asset does not have the level, which names those that it has; as [`Edit::to_bytes`].
pub fn extract(view: AssetView<'_>, lod: Lod) -> Result<Vec<u8>> {
    level_alone(view, lod)?.to_bytes()
}

/// As [`extract`], and leaves out what the header names and the file does not have whole, such as what a viewer's cache did
/// not fetch; returns why each is left out, beside the bytes.
///
/// # Errors
///
/// As [`extract`], of the level itself.
pub fn extract_available(view: AssetView<'_>, lod: Lod) -> Result<(Vec<u8>, Vec<Error>)> {
    let mut edit = level_alone(view, lod)?;
    let others = AssetPart::ALL.into_iter().filter(|part| part.lod().is_none());
    let missing: Vec<(AssetPart, Error)> = others.filter_map(|part| Some((part, view.stored(part).err()?))).collect();
    for (part, _) in &missing {
        edit.remove(*part);
    }
    Ok((edit.to_bytes()?, missing.into_iter().map(|(_, error)| error).collect()))
}

/// Makes a level the only one.
fn level_alone(view: AssetView<'_>, lod: Lod) -> Result<Edit<'_>> {
    if view.header()?.block(lod.part())?.is_none() {
        // There is nothing to inflate: only the error is made.
        view.level(lod)?;
    }
    let mut edit = Edit::of(view)?;
    for other in Lod::ALL.into_iter().filter(|other| *other != lod) {
        edit.remove(other.part());
    }
    // What belongs to no block is nobody's.
    edit.trailing = &[];
    edit.rename(lod.part(), AssetPart::HighLod)?;
    Ok(edit)
}
