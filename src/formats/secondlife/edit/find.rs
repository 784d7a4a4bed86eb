//! Finding the blocks of an asset, and testing those that take their place.

use super::super::build::refused;
use super::super::header::Header;
use super::super::layout::{FORMAT, Part};
use super::super::llsd::{self, Map, Rules, Value};
use super::super::view::View;
use super::Source;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// Finds the block of a known key.
pub(super) fn known(view: &View<'_>, header: &Header<'_>, part: Part) -> Option<Source> {
    match header.block(part) {
        Ok(None) => None,
        Err(error) => Some(Source::Damaged { error, end: 0 }),
        Ok(Some(stored)) => {
            let at = |offset: u64| usize::try_from(offset.saturating_sub(view.start())).unwrap_or(usize::MAX);
            Some(match view.stored(part) {
                Ok(_) => Source::Kept(at(stored.start)..at(stored.end)),
                Err(error) => Source::Damaged { error, end: at(stored.end) },
            })
        }
    }
}

/// Finds the block of a key that is not known, or stands a second time: that of a map with an offset and a size.
pub(super) fn unknown(map: Map<'_>, header: &Header<'_>, asset: &[u8], start: u64) -> Option<Source> {
    let [offset, size] = ["offset", "size"].map(|key| match map.get(key)?.value {
        Value::Integer(number) => u64::try_from(number).ok(),
        _ => None,
    });
    let (from, size) = (header.len().saturating_add(offset?), size.filter(|size| *size > 0)?);
    let range = usize::try_from(from).ok().zip(usize::try_from(from.saturating_add(size)).ok());
    Some(match range {
        Some((from, end)) if end <= asset.len() => Source::Kept(from..end),
        _ => {
            let left = as_u64(asset.len()).saturating_sub(from);
            let kind = ErrorKind::UnexpectedEnd { needed: size, left };
            let at = start.saturating_add(from.min(as_u64(asset.len())));
            let error = Error::new(FORMAT, Field::new("header"), at, kind);
            Source::Damaged { error, end: asset.len() }
        }
    })
}

/// Reads bytes that are one value from `start` on; returns what is wrong with others.
pub(super) fn single<'b>(bytes: &'b [u8], start: usize, rules: &Rules) -> Result<Value<'b>, String> {
    let item = llsd::read_at(bytes, start, rules).map_err(|fault| fault.to_string())?;
    match bytes.len().saturating_sub(item.end) {
        0 => Ok(item.value),
        more => Err(format!("{more} bytes behind the value")),
    }
}

/// Tests that bytes are what a block inflates to.
pub(super) fn check(part: Part, inflated: &[u8], rules: &Rules) -> Result<()> {
    let expected = match part {
        _ if part.is_geometry() => "one LLSD value, an array of maps",
        Part::PhysicsConvex => "one LLSD value, a map or undefined",
        Part::Skin | Part::PhysicsHavok => "one LLSD value, a map",
        _ => "one LLSD value",
    };
    let wrong = |found: String| refused(Field::new(part.key()), expected, found);
    let start = llsd::marker_line(inflated).map_err(|fault| wrong(fault.to_string()))?;
    let value = single(inflated, start, rules).map_err(wrong)?;
    match value {
        Value::Array(array) if part.is_geometry() => {
            let other = array.iter().find(|item| item.value.map().is_none());
            other.map_or(Ok(()), |item| Err(wrong(format!("{} in the array", item.value.kind()))))
        }
        Value::Map(_) if !part.is_geometry() => Ok(()),
        Value::Undefined if part == Part::PhysicsConvex => Ok(()),
        _ if part == Part::Skeleton => Ok(()),
        other => Err(wrong(other.kind().to_owned())),
    }
}
