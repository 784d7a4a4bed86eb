//! Decodes the polygon records of a data file.

use zerocopy::FromBytes;

use super::surface::UvDivisor;
use crate::decode::polygon::RawPolygon;
use crate::decode::{Decode, PolygonIndices, PolygonUvs};
use crate::parse::{Value, record};

/// Returns the fields of a polygon.
pub(super) fn polygon(bytes: &[u8], divisor: UvDivisor) -> Option<Value> {
    let raw = RawPolygon::read_from_bytes(bytes).ok()?;
    let uvs = match divisor {
        UvDivisor::By255 => PolygonUvs::<255>.decode(&raw),
        UvDivisor::By256 => PolygonUvs::<256>.decode(&raw),
    };
    Some(record! {
        "vertices": PolygonIndices.decode(&raw),
        "type": raw.kind,
        "color": raw.color,
        "uvs": uvs,
        "texture": raw.texture,
        "flags": raw.flags,
    })
}
