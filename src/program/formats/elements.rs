//! Decodes the element of a region that contains one byte of a file, for `map --at`.
//!
//! The name of the element type of a region, such as `f32x3`, chooses the decoder.

use crate::Model;
use crate::decode::{ByteOrder, Decode, Packed32, Packed64, Quat7, Quat8, TangentFrame, Unorm8};
use crate::formats::FormatFile;
use crate::formats::ezmesh::Form;
use zerocopy::FromBytes;
use zerocopy::little_endian::I64;

use super::region_bytes::{RegionBytes, RegionElement};
use super::{ezmesh, secondlife, unigine, unreal};
use crate::decode::endian::RawWord;
use crate::program::render::decoded::DecodedValue;

/// Returns the element of the region that contains the byte.
///
/// `model` is the open file, or `None` for an Unreal script.
pub fn element_at<D: AsRef<[u8]> + Send + Sync>(mut here: RegionBytes<'_>, model: Option<&Model<D>>) -> RegionElement {
    if let Some(FormatFile::EzMesh(mesh)) = model.map(Model::format_file)
        && let Form::Binary { order, .. } = mesh.form()
    {
        here.order = order;
    }
    let found = match (here.region.element.size, model) {
        (1, None) => here.word(),
        (0, _) => varying(&here, model),
        _ => fixed(&here, model),
    };
    let unknown = || RegionElement { index: None, byte: here.at.try_into().unwrap_or(u64::MAX), value: None };
    found.unwrap_or_else(unknown)
}

fn fixed<D: AsRef<[u8]> + Send + Sync>(here: &RegionBytes<'_>, model: Option<&Model<D>>) -> Option<RegionElement> {
    let size = usize::try_from(here.region.element.size).ok()?;
    let index = here.at.checked_div(size)?;
    let start = index.checked_mul(size)?;
    let bytes = here.bytes.get(start..start.checked_add(size)?)?;
    let name = here.region.element.name;
    let value = match (name, model.map(Model::format_file)) {
        ("text", _) => return here.word(),
        ("llsd", _) => secondlife::elements::header_value(here),
        ("polygon", Some(FormatFile::Unreal(mesh))) => unreal::elements::polygon(bytes, mesh.uv_divisor()),
        ("vertex", Some(FormatFile::EzMesh(mesh))) => {
            ezmesh::elements::column(mesh, &here.region, index, here.at.checked_sub(start)?)
        }
        _ => decode(name, bytes, here.order),
    };
    Some(here.found(index.try_into().ok()?, start, value))
}

fn varying<D: AsRef<[u8]> + Send + Sync>(here: &RegionBytes<'_>, model: Option<&Model<D>>) -> Option<RegionElement> {
    match model?.format_file() {
        FormatFile::Unigine(mesh) => unigine::elements::varying(here, |index| mesh.animation(index).ok()),
        FormatFile::UnigineAnimation(file) => unigine::elements::varying(here, |index| file.animation(index).ok()),
        FormatFile::EzMesh(_) => {
            let name = here.bytes.get(4..).unwrap_or_default();
            Some(here.found(0, 0, Some(DecodedValue::text(name))))
        }
        _ => None,
    }
}

/// Decodes an element whose type has the given name. Returns `None` if no decoder has this name.
fn decode(name: &str, bytes: &[u8], order: ByteOrder) -> Option<DecodedValue> {
    let integer = |value: i64| Some(DecodedValue::Integer(value));
    let four = || bytes.first_chunk().copied().map(|bytes| order.u32(RawWord(bytes)));
    let two = || bytes.first_chunk().copied().map(|bytes| order.u16(bytes));
    match name {
        "u8" => integer(i64::from(*bytes.first()?)),
        "u16" => integer(two()?.into()),
        "i16" => integer(two()?.cast_signed().into()),
        "u32" => integer(four()?.into()),
        "i32" => integer(four()?.cast_signed().into()),
        "i64" => integer(I64::read_from_bytes(bytes).ok()?.get()),
        "f32" => Some(DecodedValue::Float(f32::from_bits(four()?))),
        "u8x2" => Some(DecodedValue::integers(bytes.iter().copied())),
        "u8x4" => Some(DecodedValue::floats(Unorm8::<4>.decode(bytes.first_chunk()?))),
        "u32x3" => Some(DecodedValue::integers(words(bytes, order))),
        "f32x2" | "f32x3" | "f32x4" => Some(DecodedValue::floats(floats(bytes, order))),
        "magic" => Some(DecodedValue::text(bytes)),
        "i64x2 sizes" => sizes(bytes),
        "f32x6 box" => Some(record(bytes, order, &[("min", 3), ("max", 3)])),
        "f32x3 min, f32x3 size" => Some(record(bytes, order, &[("min", 3), ("size", 3)])),
        "bounds" => Some(record(bytes, order, &[("min", 3), ("max", 3), ("center", 3), ("radius", 1)])),
        "transform" => Some(record(bytes, order, &[("position", 3), ("rotation", 4), ("scale", 3)])),
        "i16x4 quaternion" => Some(frame(&Quat8.decode(&FromBytes::read_from_bytes(bytes).ok()?))),
        "i16x3+i8 quaternion" => Some(frame(&Quat7.decode(&FromBytes::read_from_bytes(bytes).ok()?))),
        "packed 11/11/10" => Some(DecodedValue::floats(Packed32.decode(&FromBytes::read_from_bytes(bytes).ok()?))),
        "i16x4" => Some(DecodedValue::floats(Packed64.decode(&FromBytes::read_from_bytes(bytes).ok()?))),
        _ => None,
    }
}

fn words(bytes: &[u8], order: ByteOrder) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(move |word| order.u32(RawWord(*word)))
}

fn floats(bytes: &[u8], order: ByteOrder) -> impl Iterator<Item = f32> {
    words(bytes, order).map(f32::from_bits)
}

/// Returns a record of floats. Each field has a name and a number of floats. A field after the last
/// float is left out.
fn record(bytes: &[u8], order: ByteOrder, fields: &[(&str, usize)]) -> DecodedValue {
    let mut floats = floats(bytes, order).peekable();
    let mut values = Vec::new();
    for (name, count) in fields {
        let value = match count {
            1 => floats.next().map(DecodedValue::Float),
            _ => floats.peek().is_some().then(|| DecodedValue::floats(floats.by_ref().take(*count))),
        };
        values.extend(value.map(|value| ((*name).to_owned(), value)));
    }
    DecodedValue::Record(values)
}

/// Returns the two sizes at the start of a block.
fn sizes(bytes: &[u8]) -> Option<DecodedValue> {
    let [inflated, stored] = <[I64; 2]>::read_from_bytes(bytes).ok()?.map(|size| DecodedValue::Integer(size.get()));
    Some(DecodedValue::record([("inflated", inflated), ("stored", stored)]))
}

/// Returns the three axes of a tangent frame.
fn frame(frame: &TangentFrame) -> DecodedValue {
    DecodedValue::record([
        ("normal", DecodedValue::floats(frame.normal())),
        ("tangent", DecodedValue::floats(frame.tangent())),
        ("bitangent", DecodedValue::floats(frame.bitangent())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_in_both_byte_orders() {
        let decoded = |name, bytes: &[u8], order| decode(name, bytes, order).unwrap().to_string();
        assert_eq!(decoded("i16", &[0xff, 0xfe], ByteOrder::Big), "-2");
        assert_eq!(decoded("i16", &[0xfe, 0xff], ByteOrder::Little), "-2");
        assert_eq!(decoded("f32x2", &[0x3f, 0x80, 0, 0, 0xbf, 0, 0, 0], ByteOrder::Big), "1.0 -0.5");
        assert_eq!(decoded("u8x4", &[255, 0, 51, 255], ByteOrder::Little), "1.0 0.0 0.2 1.0");
        assert_eq!(decoded("bounds", &[0; 24], ByteOrder::Little), "min 0.0 0.0 0.0, max 0.0 0.0 0.0");
        assert_eq!(decode("zlib", &[0], ByteOrder::Little), None);
    }
}
