//! The header entries of an asset that is edited, and the blocks of these entries.

use std::borrow::Cow;
use std::ops::Range;

use super::super::asset_view::AssetView;
use super::super::header::Header;
use super::super::layout::{AssetPart, FORMAT};
use super::super::llsd::LlsdMap;
use crate::error::{Cause, Error, Field};
use crate::math::as_u64;

/// An entry of the header of an asset that is edited.
#[derive(Clone, Debug)]
pub(super) struct HeaderEntry<'a> {
    /// The bytes of the header entry's key, without the LLSD encoding.
    pub(super) name: Cow<'a, [u8]>,
    /// The header entry's key in LLSD encoding.
    pub(super) key: Cow<'a, [u8]>,
    /// The header entry's value in LLSD encoding. For a header entry that refers to a block, the
    /// encoded value is not used.
    pub(super) value: Cow<'a, [u8]>,
    /// The header entry's value as an LLSD map, or `None` if the value in the original asset is not
    /// a map.
    pub(super) map: Option<LlsdMap<'a>>,
    /// The block that the header entry refers to, or `None` if the header entry has no block.
    pub(super) block: Option<BlockSource>,
}

/// The compressed bytes of a block to write, or the error that explains why the bytes are not
/// available.
#[derive(Clone, Debug)]
pub(super) enum BlockSource {
    /// The byte range of the original asset from which the block is copied.
    Kept(Range<usize>),
    /// The bytes of the block are not available: the header entry is damaged, or the original asset
    /// does not contain the bytes.
    Damaged {
        error: Error,
        /// Byte offset in the original asset at which the damaged block would end.
        end: usize,
    },
}

/// Returns the block of a header entry with a known key, or `None` if the header has no block with
/// this key.
pub(super) fn known(view: &AssetView<'_>, header: &Header<'_>, part: AssetPart) -> Option<BlockSource> {
    match header.block(part) {
        Ok(None) => None,
        Err(error) => Some(BlockSource::Damaged { error, end: 0 }),
        Ok(Some(stored)) => {
            let at = |offset: u64| usize::try_from(offset.saturating_sub(view.start())).unwrap_or(usize::MAX);
            Some(match view.stored(part) {
                Ok(_) => BlockSource::Kept(at(stored.start)..at(stored.end)),
                Err(error) => BlockSource::Damaged { error, end: at(stored.end) },
            })
        }
    }
}

/// Returns the block of a header entry with an unknown or repeated key, or `None` if the map of the
/// entry does not have an offset and a size.
pub(super) fn unknown(map: LlsdMap<'_>, header: &Header<'_>, asset: &[u8], start: u64) -> Option<BlockSource> {
    let [offset, size] = ["offset", "size"].map(|key| u64::try_from(map.get(key)?.value.integer()?).ok());
    let (from, size) = (header.len().saturating_add(offset?), size.filter(|size| *size > 0)?);
    let range = usize::try_from(from).ok().zip(usize::try_from(from.saturating_add(size)).ok());
    Some(match range {
        Some((from, end)) if end <= asset.len() => BlockSource::Kept(from..end),
        _ => {
            let left = as_u64(asset.len()).saturating_sub(from);
            let kind = Cause::UnexpectedEnd { needed: size, left };
            let at = start.saturating_add(from.min(as_u64(asset.len())));
            let error = Error::new(FORMAT, Field::new("header"), at, kind);
            BlockSource::Damaged { error, end: asset.len() }
        }
    })
}
