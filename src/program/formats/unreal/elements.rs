//! Decodes the polygon records of Unreal vertex meshes, for `map --at`.

use crate::decode::{Decode, PolygonIndices, PolygonUvs};
use crate::formats::unreal::{RawPolygon, UvDivisor};
use zerocopy::FromBytes;

use crate::program::render::decoded::DecodedValue;

/// Returns the fields of a polygon.
pub fn polygon(bytes: &[u8], divisor: UvDivisor) -> Option<DecodedValue> {
    let raw = RawPolygon::read_from_bytes(bytes).ok()?;
    let uvs = match divisor {
        UvDivisor::By255 => PolygonUvs::<255>.decode(&raw),
        UvDivisor::By256 => PolygonUvs::<256>.decode(&raw),
    };
    let byte = |value: u8| DecodedValue::Integer(value.into());
    Some(DecodedValue::record([
        ("vertices", DecodedValue::integers(PolygonIndices.decode(&raw))),
        ("type", byte(raw.kind)),
        ("color", byte(raw.color)),
        ("uvs", DecodedValue::List(uvs.into_iter().map(DecodedValue::floats).collect())),
        ("texture", byte(raw.texture)),
        ("flags", byte(raw.flags)),
    ]))
}
