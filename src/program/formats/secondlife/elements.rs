//! Decodes the entries in the headers of Second Life assets, for `map --at`.

use crate::formats::secondlife::llsd::{LlsdLimits, LlsdValue, key_at, read_at};

use super::properties::{utc, uuid};
use crate::program::formats::region_bytes::RegionBytes;
use crate::program::render::decoded::{DecodedValue, MAX_ITEMS};
use crate::program::render::json::hex;

/// The greatest depth of arrays and maps in a decoded value.
const MAX_DEPTH: u32 = 3;
/// The largest number of bytes of binary data that are decoded.
const MAX_BINARY: usize = 64;

/// Returns the value of a header entry, or the number of entries of a header. Returns `None` for
/// brackets and for parts of an entry.
pub fn header_value(here: &RegionBytes<'_>) -> Option<DecodedValue> {
    let field = here.region.field;
    if field.name() == "open" {
        return Some(DecodedValue::Integer(i32::from_be_bytes(*here.bytes.last_chunk()?).into()));
    }
    [field.outer(), field.inner()].into_iter().flatten().find(|segment| segment.list == "header")?;
    let key = key_at(here.bytes, 0)?;
    // Before the bytes of a key are its marker and its length, or a quote on either side.
    let around = if key.quote().is_some() { 2 } else { 5 };
    let item = read_at(here.bytes, key.stored().len().checked_add(around)?, &LlsdLimits::default()).ok()?;
    Some(decoded(&item.value, MAX_DEPTH))
}

/// Converts a value. Of a long array or map, only the first items are converted.
fn decoded(value: &LlsdValue<'_>, depth: u32) -> DecodedValue {
    match value {
        LlsdValue::Undefined => DecodedValue::Missing,
        LlsdValue::Boolean(value) => DecodedValue::Integer((*value).into()),
        LlsdValue::Integer(value) => DecodedValue::Integer((*value).into()),
        LlsdValue::Real(value) => DecodedValue::Double(*value),
        LlsdValue::Uuid(value) => DecodedValue::Text(uuid(value).into_bytes()),
        LlsdValue::String(text) | LlsdValue::Uri(text) => DecodedValue::text(&text.content()),
        LlsdValue::Date(seconds) => {
            utc(*seconds).map_or(DecodedValue::Double(*seconds), |date| DecodedValue::Text(date.into_bytes()))
        }
        LlsdValue::Binary(bytes) => DecodedValue::Text(hex(bytes.get(..MAX_BINARY).unwrap_or(bytes)).into_bytes()),
        LlsdValue::Array(_) | LlsdValue::Map(_) if depth == 0 => DecodedValue::text(value.kind().as_bytes()),
        LlsdValue::Array(array) => {
            let items = array.iter().take(MAX_ITEMS).map(|item| decoded(&item.value, depth.saturating_sub(1)));
            DecodedValue::List(items.collect())
        }
        LlsdValue::Map(map) => {
            let entries = map.iter().take(MAX_ITEMS).map(|entry| {
                let key = DecodedValue::text(&entry.key.content());
                (key.json().as_str().unwrap_or_default().to_owned(), decoded(&entry.value, depth.saturating_sub(1)))
            });
            DecodedValue::Record(entries.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value(encoded: &[u8]) -> DecodedValue {
        let item = read_at(encoded, 0, &LlsdLimits::default()).unwrap();
        decoded(&item.value, MAX_DEPTH)
    }

    #[test]
    fn decodes_and_bounds_values_of_headers() {
        assert_eq!(value(b"[\0\0\0\x021s\0\0\0\x01a]").json(), json!([1, "a"]));
        assert_eq!(value(b"[\0\0\0\x0210]").json(), json!([1, 0]));
        assert_eq!(value(b"{\0\0\0\x01k\0\0\0\x02a\x1bi\0\0\0\x07}").json(), json!({"a\u{1b}": 7}));
        assert_eq!(value(b"[\0\0\0\x01[\0\0\0\x01[\0\0\0\x01[\0\0\0\0]]]]").json(), json!([[["an array"]]]));
        let long = [b"[\0\0\0\x64".to_vec(), vec![b'1'; 100], b"]".to_vec()].concat();
        assert_eq!(value(&long), DecodedValue::integers([1; MAX_ITEMS]));
        assert_eq!(value(b"b\0\0\0\x02\x01\xff").json(), json!("01ff"));
    }
}
