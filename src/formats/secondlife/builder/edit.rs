//! Changes blocks and header entries of an existing asset.
//!
//! Unchanged blocks are copied in their compressed form, without inflating them.

use std::borrow::Cow;
use std::ops::Range;

use super::super::asset_part::{AssetPart, Lod};
use super::super::asset_view::AssetView;
use super::super::layout::{FORMAT, HIGHEST_VERSION};
use super::super::llsd::{LlsdLimits, LlsdWriter};
use super::asset::deflate;
use super::check::refused;
use super::edit_blocks::{BlockSource, HeaderEntry, check, known, single, unknown};
use crate::error::debug::{items, short_debug};
use crate::error::{Cause, Error, Field, Result};

/// A copy of an existing asset to write with changes.
///
/// Blocks that are not replaced are copied in their compressed form: these blocks are neither
/// inflated nor compressed again. Header entries keep their order and their encoding, including
/// entries with unknown keys. In the header, only the block offsets and the entries of replaced
/// blocks are encoded again. The order of the blocks does not change. If two header entries refer
/// to the same bytes, the two entries share one copy of the bytes in the written asset. Unused
/// bytes between two blocks are not written. Bytes after the last block are copied. If no change
/// was made and the asset has no unused bytes between its blocks, the written asset is identical to
/// the original asset, byte for byte.
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
/// assert_eq!(mirrored.view().stored(AssetPart::LowLod)?.unwrap().1, stored); // unchanged
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Edit<'a> {
    pub(super) asset: &'a [u8],
    /// Length of the LLSD marker line before the header of the asset, in bytes.
    pub(super) line: usize,
    pub(super) limits: LlsdLimits,
    pub(super) entries: Vec<HeaderEntry<'a>>,
    /// Whether the header entries of the original asset were sorted by key.
    pub(super) sorted: bool,
    /// The bytes after the last block of the asset.
    pub(super) trailing: &'a [u8],
}

short_debug!(Edit<'_>: |edit| { asset: items(edit.asset), entries: items(&edit.entries), trailing: items(edit.trailing) });

impl<'a> Edit<'a> {
    /// Creates an [`Edit`] of an asset, without changes. Reads only the header of the asset.
    ///
    /// If the asset is in a container or a cache file, the [`Edit`] contains only the asset, and no
    /// other bytes of the file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::header`].
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

    /// Replaces a block, or adds the block if the asset does not have it.
    ///
    /// `inflated` is the LLSD value of the block, not compressed, such as the output of the
    /// [builder](mod@super). `replace` compresses `inflated` as a viewer does. In the block's
    /// header entry, all values except the offset, the size and the hash are kept. If the header
    /// entry of the block has a hash, a new hash is computed when the asset is written.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if `inflated` is not one LLSD value, or if the LLSD value has
    /// the wrong type for the block. The LLSD value of a block of geometry must be an array of
    /// maps. The LLSD value of the block of convex hulls must be a map or an undefined value.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn replace(&mut self, part: AssetPart, inflated: &[u8]) -> Result<&mut Self> {
        check(part, inflated, &self.limits)?;
        Ok(self.put(part, deflate(inflated)?))
    }

    /// Replaces a block like [`replace`](Self::replace), but with bytes that are already
    /// compressed.
    ///
    /// The bytes in `stored` can be the compressed block of another asset. `replace_stored` does
    /// not check the bytes in `stored`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if `stored` is empty, because a size of 0 in the header means
    /// that the block does not exist.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn replace_stored(&mut self, part: AssetPart, stored: Vec<u8>) -> Result<&mut Self> {
        if stored.is_empty() {
            return Err(refused(Field::new(part.key()), "a stored block of 1 byte or more", "0 bytes"));
        }
        Ok(self.put(part, stored))
    }

    /// Removes a block and the block's header entry. Does nothing if the block does not exist.
    pub fn remove(&mut self, part: AssetPart) -> &mut Self {
        self.unset(part.key())
    }

    /// Moves a block to another key of the header, for example from `low_lod` to `high_lod`.
    ///
    /// The compressed bytes of the moved block and the values in the block's header entry do not
    /// change. If the asset already has a block with the key `to`, the block with the key `to` is
    /// removed.
    ///
    /// # Errors
    ///
    /// If the asset has no block with the key `from`, returns [`ErrorKind::Choice`] with the names
    /// of the blocks that the asset has, or [`ErrorKind::Missing`] if the asset has no blocks.
    /// Returns [`ErrorKind::Refused`] if `from` or `to` is not a block of geometry.
    ///
    /// [`ErrorKind::Choice`]: crate::ErrorKind::Choice
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn rename(&mut self, from: AssetPart, to: AssetPart) -> Result<&mut Self> {
        if from == to {
            return Ok(self);
        }
        if !from.is_geometry() || !to.is_geometry() {
            let expected = format!("a block that can become `{}`", to.key());
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

    /// Sets a header entry to an integer, such as the entry `version`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`set`](Self::set).
    pub fn set_integer(&mut self, key: &str, value: i32) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().integer(value).clone().into_bytes())
    }

    /// Sets a header entry to a UUID, such as the entry `creator`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`set`](Self::set).
    pub fn set_uuid(&mut self, key: &str, value: &[u8; 16]) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().uuid(value).clone().into_bytes())
    }

    /// Sets a header entry to a date, such as the entry `date`. `seconds` is the date as the number
    /// of seconds since 1970-01-01 UTC.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`set`](Self::set).
    pub fn set_date(&mut self, key: &str, seconds: f64) -> Result<&mut Self> {
        self.set(key, LlsdWriter::new().date(seconds).clone().into_bytes())
    }

    /// Sets a header entry to an encoded LLSD value. Adds the entry if the header does not have the
    /// key.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if `value` is not one LLSD value, if `key` is the key of a
    /// block, or if `key` is `version` and `value` is an integer above 999, which readers refuse.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn set(&mut self, key: &str, value: Vec<u8>) -> Result<&mut Self> {
        if AssetPart::ALL.iter().any(|part| part.key() == key) {
            return Err(refused(Field::new("header"), "a key that does not belong to a block", format!("`{key}`")));
        }
        let written =
            single(&value, 0, &self.limits).map_err(|found| refused(Field::new("header"), "one LLSD value", found))?;
        if let (Some(version), "version") = (written.integer().filter(|version| *version > HIGHEST_VERSION), key) {
            let expected = format!("a version of at most {HIGHEST_VERSION}, because readers refuse newer formats");
            return Err(refused(Field::new("version"), expected, version.to_string()));
        }
        let place = self.place(key);
        if let Some(entry) = self.entries.get_mut(place) {
            (entry.value, entry.map, entry.block) = (value.into(), None, None);
        }
        Ok(self)
    }

    /// Removes a header entry. If the header entry refers to a block, also removes the block. Does
    /// nothing if the header does not have the key.
    pub fn unset(&mut self, key: &str) -> &mut Self {
        self.entries.retain(|entry| entry.name != key.as_bytes());
        self
    }

    /// Sets the new compressed bytes of the block `part`. If the header has no entry for the block,
    /// adds an entry.
    fn put(&mut self, part: AssetPart, stored: Vec<u8>) -> &mut Self {
        let place = self.place(part.key());
        if let Some(entry) = self.entries.get_mut(place) {
            let instead_of = entry.block.as_ref().and_then(BlockSource::start);
            entry.block = Some(BlockSource::New { stored, instead_of });
        }
        self
    }

    /// Returns the index of the first header entry with the given key. If the header does not have
    /// the key, adds an entry with the key.
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
            Cause::Missing { expected: format!("a block `{}`", part.key()).into() }
        } else {
            Cause::Choice { names, found: part.key().into() }
        };
        Error::without_offset(FORMAT, Field::new(part.key()), kind)
    }
}

/// Returns one level of detail as a separate asset, without inflating any block.
///
/// The compressed block of the level is copied to the new asset with the key `high_lod`. The new
/// asset does not contain the other levels of detail, and does not contain the bytes after the last
/// block. The new asset contains all other blocks and header entries of the original asset.
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
/// Returns the same errors as [`Edit::to_bytes`]. If the asset does not have the level of detail,
/// returns the error of [`AssetView::level`], which contains the names of the available levels.
pub fn extract(view: AssetView<'_>, lod: Lod) -> Result<Vec<u8>> {
    level_alone(view, lod)?.to_bytes()
}

/// Returns one level of detail like [`extract`], but without the blocks that are not complete in
/// the file.
///
/// For example, a block that a viewer has not fetched into its cache file is not complete. The
/// first item of the returned tuple contains the bytes of the new asset. The second item of the
/// tuple contains one error for each block that was not copied because it is not complete.
///
/// # Errors
///
/// Returns the same errors as [`extract`] if the block of the requested level is damaged or not
/// complete.
pub fn extract_available(view: AssetView<'_>, lod: Lod) -> Result<(Vec<u8>, Vec<Error>)> {
    let mut edit = level_alone(view, lod)?;
    let others = AssetPart::ALL.into_iter().filter(|part| part.lod().is_none());
    let missing: Vec<(AssetPart, Error)> = others.filter_map(|part| Some((part, view.stored(part).err()?))).collect();
    for (part, _) in &missing {
        edit.remove(*part);
    }
    Ok((edit.to_bytes()?, missing.into_iter().map(|(_, error)| error).collect()))
}

/// Returns an [`Edit`] of the asset with `lod` as the only level of detail, with the key
/// `high_lod`.
fn level_alone(view: AssetView<'_>, lod: Lod) -> Result<Edit<'_>> {
    if view.header()?.block(lod.part())?.is_none() {
        // If the level of detail does not exist, `view.level` returns an error that names the
        // available levels.
        view.level(lod)?;
    }
    let mut edit = Edit::of(view)?;
    for other in Lod::ALL.into_iter().filter(|other| *other != lod) {
        edit.remove(other.part());
    }
    // The bytes after the last block belong to no block, so they are not written.
    edit.trailing = &[];
    edit.rename(lod.part(), AssetPart::HighLod)?;
    Ok(edit)
}
