//! Decodes the entries in the headers of assets.

use super::llsd::{LlsdLimits, LlsdValue, key_at, read_at, utc, uuid};
use crate::parse::{MAX_ITEMS, MAX_TEXT, Name, RegionBytes, Value};

/// The greatest depth of arrays and maps in a decoded value.
const MAX_DEPTH: u32 = 3;
/// The largest number of bytes of binary data that are decoded.
const MAX_BINARY: usize = 64;

/// Returns the value of a header entry, or the number of entries of a header. Returns `None` for
/// brackets and for parts of an entry.
pub(super) fn header_value(here: &RegionBytes<'_>) -> Option<Value> {
    let field = here.region.field;
    if field.name() == "open" {
        return Some(Value::Integer(i32::from_be_bytes(*here.bytes.last_chunk()?).into()));
    }
    [field.outer(), field.inner()].into_iter().flatten().find(|(list, _)| *list == "header")?;
    let key = key_at(here.bytes, 0)?;
    // Before the bytes of a key are its marker and its length, or a quote on either side.
    let around = if key.quote().is_some() { 2 } else { 5 };
    let item = read_at(here.bytes, key.stored().len().checked_add(around)?, &LlsdLimits::default()).ok()?;
    Some(decoded(&item.value, MAX_DEPTH))
}

/// Converts a value. Of a long array or map, only the first items are converted.
fn decoded(value: &LlsdValue<'_>, depth: u32) -> Value {
    match value {
        LlsdValue::Undefined => Value::Missing,
        LlsdValue::Boolean(value) => Value::Integer((*value).into()),
        LlsdValue::Integer(value) => Value::Integer((*value).into()),
        LlsdValue::Real(value) => Value::Double(*value),
        LlsdValue::Uuid(value) => uuid(value).into(),
        LlsdValue::String(text) | LlsdValue::Uri(text) => Value::cut_text(&text.content()),
        LlsdValue::Date(seconds) => utc(*seconds).map_or(Value::Double(*seconds), Value::from),
        LlsdValue::Binary(bytes) => Value::hex(bytes.get(..MAX_BINARY).unwrap_or(bytes)),
        LlsdValue::Array(_) | LlsdValue::Map(_) if depth == 0 => Value::cut_text(value.kind().as_bytes()),
        LlsdValue::Array(array) => {
            let items = array.iter().take(MAX_ITEMS).map(|item| decoded(&item.value, depth.saturating_sub(1)));
            Value::List(items.collect())
        }
        LlsdValue::Map(map) => {
            let entries = map.iter().take(MAX_ITEMS).map(|entry| {
                let key = entry.key.content();
                let key = Name::new(key.get(..MAX_TEXT).unwrap_or(&key)).to_string_lossy();
                (key.into(), decoded(&entry.value, depth.saturating_sub(1)))
            });
            Value::Record(entries.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::record;

    fn value(encoded: &[u8]) -> Value {
        let item = read_at(encoded, 0, &LlsdLimits::default()).unwrap();
        decoded(&item.value, MAX_DEPTH)
    }

    #[test]
    fn decodes_and_bounds_values_of_headers() {
        let one = |value: Value| Value::List(vec![value]);
        assert_eq!(value(b"[\0\0\0\x021s\0\0\0\x01a]"), Value::List(vec![1.into(), "a".into()]));
        assert_eq!(value(b"[\0\0\0\x0210]"), Value::from([1, 0]));
        assert_eq!(value(b"{\0\0\0\x01k\0\0\0\x02a\x1bi\0\0\0\x07}"), record! { "a\u{1b}": 7 });
        assert_eq!(value(b"[\0\0\0\x01[\0\0\0\x01[\0\0\0\x01[\0\0\0\0]]]]"), one(one(one("an array".into()))));
        let long = [b"[\0\0\0\x64".to_vec(), vec![b'1'; 100], b"]".to_vec()].concat();
        assert_eq!(value(&long), Value::from([1; MAX_ITEMS]));
        assert_eq!(value(b"b\0\0\0\x02\x01\xff"), Value::from("01ff"));
    }
}
