//! Removes and renames blocks of an existing asset.
//!
//! The other blocks are copied in their compressed form, without inflating them.

mod entry;
mod output;

use std::borrow::Cow;
use std::ops::Range;

use self::entry::{BlockSource, HeaderEntry, known, unknown};
use super::asset_view::AssetView;
use super::layout::AssetPart;
use super::llsd::{LlsdLimits, LlsdWriter};
use crate::error::debug::{items, short_debug};
use crate::error::{Error, Result};
use crate::model::Lod;

/// A copy of an existing asset to write without some of its blocks, or with another key for one.
///
/// Blocks are copied in their compressed form: they are neither inflated nor compressed again.
/// Header entries keep their order and their encoding, including entries with unknown keys. In the
/// header, only the block offsets are encoded again. The order of the blocks does not change. If
/// two header entries refer to the same bytes, the two entries share one copy of the bytes in the
/// written asset. Unused bytes between two blocks are not written. Bytes after the last block are
/// copied. If no block was removed and the asset has no unused bytes between its blocks, the
/// written asset is identical to the original asset, byte for byte.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::secondlife::{AssetPart, Edit, Lod, Mesh};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// let smaller = Mesh::open(Edit::of(mesh.view())?.remove(AssetPart::LowestLod).to_bytes()?)?;
/// assert!(smaller.level(Lod::Low).is_ok() && smaller.level(Lod::Lowest).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Edit<'a> {
    asset: &'a [u8],
    /// Length of the LLSD marker line before the header of the asset, in bytes.
    line: usize,
    limits: LlsdLimits,
    entries: Vec<HeaderEntry<'a>>,
    /// Whether the header entries of the original asset were sorted by key.
    sorted: bool,
    /// The bytes after the last block of the asset.
    trailing: &'a [u8],
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
            None => None,
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

    /// Removes a block and the block's header entry. Does nothing if the block does not exist.
    pub fn remove(&mut self, part: AssetPart) -> &mut Self {
        self.entries.retain(|entry| entry.name != part.key().as_bytes());
        self
    }

    /// Moves the block with the key `from` to the key `to`, which the header does not have.
    ///
    /// The compressed bytes of the moved block and the values in the block's header entry do not
    /// change.
    fn rename(&mut self, from: AssetPart, to: AssetPart) {
        let name = from.key().as_bytes();
        let Some(at) = self.entries.iter().position(|entry| entry.name == name && entry.block.is_some()) else {
            return;
        };
        let moved = self.entries.remove(at);
        self.remove(from);
        let name = to.key().as_bytes();
        let greater = self.entries.iter().position(|entry| *entry.name > *name);
        let place = greater.filter(|_| self.sorted).unwrap_or(self.entries.len());
        let key = LlsdWriter::new().key(to.key()).clone().into_bytes();
        self.entries.insert(place, HeaderEntry { name: name.to_vec().into(), key: key.into(), ..moved });
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
#[cfg(feature = "internals")]
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
    if lod != Lod::High {
        edit.rename(lod.part(), AssetPart::HighLod);
    }
    Ok(edit)
}
