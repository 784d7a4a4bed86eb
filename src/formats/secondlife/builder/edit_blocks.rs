//! The entries of an asset that is changed, their blocks, and tests of blocks that take their place.

use std::borrow::Cow;
use std::ops::Range;

use super::super::asset_part::AssetPart;
use super::super::asset_view::AssetView;
use super::super::header::Header;
use super::super::layout::FORMAT;
use super::super::llsd::{self, LlsdLimits, LlsdMap, LlsdValue};
use super::check::refused;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// An entry of the header.
#[derive(Clone, Debug)]
pub(super) struct HeaderEntry<'a> {
    /// The key's content.
    pub(super) name: Cow<'a, [u8]>,
    /// The key as it is written.
    pub(super) key: Cow<'a, [u8]>,
    /// The value as it is written, unless there is a block.
    pub(super) value: Cow<'a, [u8]>,
    /// The value, where it is a map of the file.
    pub(super) map: Option<LlsdMap<'a>>,
    /// The block that the entry stands for.
    pub(super) block: Option<BlockSource>,
}

/// Where the stored bytes of a block come from.
#[derive(Clone, Debug)]
pub(super) enum BlockSource {
    /// From the asset.
    Kept(Range<usize>),
    /// From nowhere: the asset does not have what its header says.
    Damaged {
        error: Error,
        /// Where the block would end.
        end: usize,
    },
    /// From the caller, to take the place of what began there.
    New { stored: Vec<u8>, instead_of: Option<usize> },
}

impl BlockSource {
    /// Returns the number of stored bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Kept(range) => range.len(),
            Self::New { stored, .. } => stored.len(),
            Self::Damaged { .. } => 0,
        }
    }

    /// Returns the offset in the asset at which it begins, or began what it takes the place of.
    pub(super) fn start(&self) -> Option<usize> {
        match self {
            Self::Kept(range) => Some(range.start),
            Self::New { instead_of, .. } => *instead_of,
            Self::Damaged { .. } => None,
        }
    }
}

/// Finds the block of a known key.
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

/// Finds the block of a key that is not known, or stands a second time: that of a map with an offset and a size.
pub(super) fn unknown(map: LlsdMap<'_>, header: &Header<'_>, asset: &[u8], start: u64) -> Option<BlockSource> {
    let [offset, size] = ["offset", "size"].map(|key| u64::try_from(map.get(key)?.value.integer()?).ok());
    let (from, size) = (header.len().saturating_add(offset?), size.filter(|size| *size > 0)?);
    let range = usize::try_from(from).ok().zip(usize::try_from(from.saturating_add(size)).ok());
    Some(match range {
        Some((from, end)) if end <= asset.len() => BlockSource::Kept(from..end),
        _ => {
            let left = as_u64(asset.len()).saturating_sub(from);
            let kind = ErrorKind::UnexpectedEnd { needed: size, left };
            let at = start.saturating_add(from.min(as_u64(asset.len())));
            let error = Error::new(FORMAT, Field::new("header"), at, kind);
            BlockSource::Damaged { error, end: asset.len() }
        }
    })
}

/// Reads bytes that are one value from `start` on; returns what is wrong with others.
pub(super) fn single<'b>(bytes: &'b [u8], start: usize, limits: &LlsdLimits) -> Result<LlsdValue<'b>, String> {
    let item = llsd::read_at(bytes, start, limits).map_err(|fault| fault.to_string())?;
    match bytes.len().saturating_sub(item.end) {
        0 => Ok(item.value),
        more => Err(format!("{more} bytes behind the value")),
    }
}

/// Tests that bytes are what a block inflates to.
pub(super) fn check(part: AssetPart, inflated: &[u8], limits: &LlsdLimits) -> Result<()> {
    let expected = match part {
        _ if part.is_geometry() => "one LLSD value, an array of maps",
        AssetPart::PhysicsConvex => "one LLSD value, a map or undefined",
        AssetPart::Skin | AssetPart::PhysicsHavok => "one LLSD value, a map",
        _ => "one LLSD value",
    };
    let wrong = |found: String| refused(Field::new(part.key()), expected, found);
    let start = llsd::marker_line(inflated).map_err(|fault| wrong(fault.to_string()))?;
    let value = single(inflated, start, limits).map_err(wrong)?;
    match value {
        LlsdValue::Array(array) if part.is_geometry() => {
            let other = array.iter().find(|item| item.value.map().is_none());
            other.map_or(Ok(()), |item| Err(wrong(format!("{} in the array", item.value.kind()))))
        }
        LlsdValue::Map(_) if !part.is_geometry() => Ok(()),
        LlsdValue::Undefined if part == AssetPart::PhysicsConvex => Ok(()),
        _ if part == AssetPart::Skeleton => Ok(()),
        other => Err(wrong(other.kind().to_owned())),
    }
}
