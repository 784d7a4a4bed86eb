//! The element types that several formats have in their regions, with their decoders.

use zerocopy::FromBytes;
use zerocopy::little_endian::I64;

use super::endian::{ByteOrder, RawWord};
use super::{Decode, Packed32, Packed64, Quat7, Quat8, TangentFrame, Unorm8};
use crate::parse::{ElementType, RegionBytes, RegionElement, Value, record};

impl ElementType {
    /// An unsigned integer of 8 bits.
    #[doc(hidden)]
    pub const U8: Self = Self::new("u8", 1, 1).decoded_by(|here| item(here, |bytes, _| bytes.first().copied()));
    /// An unsigned integer of 16 bits.
    #[doc(hidden)]
    pub const U16: Self = Self::new("u16", 2, 2).decoded_by(|here| item(here, two));
    /// A signed integer of 16 bits.
    #[doc(hidden)]
    pub const I16: Self =
        Self::new("i16", 2, 2).decoded_by(|here| item(here, |bytes, order| two(bytes, order).map(u16::cast_signed)));
    /// An unsigned integer of 32 bits.
    #[doc(hidden)]
    pub const U32: Self = Self::new("u32", 4, 4).decoded_by(|here| item(here, four));
    /// A signed integer of 32 bits.
    #[doc(hidden)]
    pub const I32: Self =
        Self::new("i32", 4, 4).decoded_by(|here| item(here, |bytes, order| four(bytes, order).map(u32::cast_signed)));
    /// A float of 32 bits.
    #[doc(hidden)]
    pub const F32: Self =
        Self::new("f32", 4, 4).decoded_by(|here| item(here, |bytes, order| four(bytes, order).map(f32::from_bits)));
    /// Two floats of 32 bits, such as texture coordinates.
    #[doc(hidden)]
    pub const F32X2: Self = Self::new("f32x2", 8, 4).decoded_by(float_list);
    /// Three floats of 32 bits, such as a position.
    #[doc(hidden)]
    pub const F32X3: Self = Self::new("f32x3", 12, 4).decoded_by(float_list);
    /// Four floats of 32 bits, such as a plane.
    #[doc(hidden)]
    pub const F32X4: Self = Self::new("f32x4", 16, 4).decoded_by(float_list);
    /// Three unsigned integers of 32 bits, such as the indices of a triangle.
    #[doc(hidden)]
    pub const U32X3: Self =
        Self::new("u32x3", 12, 4).decoded_by(|here| item(here, |bytes, order| Some(Value::list(words(bytes, order)))));
    /// The bytes at the start of a file that tell its format, as text.
    #[doc(hidden)]
    pub const MAGIC: Self =
        Self::new("magic", 4, 1).decoded_by(|here| item(here, |bytes, _| Some(Value::cut_text(bytes))));

    /// A little-endian signed integer of 64 bits.
    pub(crate) const I64: Self =
        Self::new("i64", 8, 8).decoded_by(|here| item(here, |bytes, _| Some(I64::read_from_bytes(bytes).ok()?.get())));
    /// The inflated and the stored size of a block.
    pub(crate) const SIZES: Self =
        Self::new("i64x2 sizes", 16, 8).decoded_by(|here| item(here, |bytes, _| sizes(bytes)));
    /// Two unsigned integers of 8 bits.
    pub(crate) const U8X2: Self =
        Self::new("u8x2", 2, 1).decoded_by(|here| item(here, |bytes, _| Some(Value::list(bytes.iter().copied()))));
    /// Red, green, blue and alpha, of 8 bits each.
    pub(crate) const U8X4: Self = Self::new("u8x4", 4, 1)
        .decoded_by(|here| item(here, |bytes, _| Some(Value::from(Unorm8::<4>.decode(bytes.first_chunk()?)))));
    /// The least corner and the size of a box.
    pub(crate) const MIN_SIZE: Self = Self::new("f32x3 min, f32x3 size", 24, 4)
        .decoded_by(|here| item(here, |bytes, order| Some(record(bytes, order, &[("min", 3), ("size", 3)]))));
    /// The least and the greatest corner of a box.
    pub(crate) const MIN_MAX: Self = Self::new("f32x6 box", 24, 4)
        .decoded_by(|here| item(here, |bytes, order| Some(record(bytes, order, &[("min", 3), ("max", 3)]))));
    /// A tangent frame as a quaternion of four 16-bit integers.
    pub(crate) const QUATERNION_8: Self = Self::new("i16x4 quaternion", 8, 2)
        .decoded_by(|here| item(here, |bytes, _| Some(frame(&Quat8.decode(&FromBytes::read_from_bytes(bytes).ok()?)))));
    /// A tangent frame as a quaternion of three 16-bit integers and an 8-bit integer.
    pub(crate) const QUATERNION_7: Self = Self::new("i16x3+i8 quaternion", 7, 2)
        .decoded_by(|here| item(here, |bytes, _| Some(frame(&Quat7.decode(&FromBytes::read_from_bytes(bytes).ok()?)))));
    /// A position in 11, 11 and 10 bits.
    pub(crate) const PACKED_32: Self = Self::new("packed 11/11/10", 4, 4).decoded_by(|here| {
        item(here, |bytes, _| Some(Value::from(Packed32.decode(&FromBytes::read_from_bytes(bytes).ok()?))))
    });
    /// A position in three 16-bit integers, followed by padding.
    #[doc(hidden)]
    pub const PACKED_64: Self = Self::new("i16x4", 8, 2).decoded_by(|here| {
        item(here, |bytes, _| Some(Value::from(Packed64.decode(&FromBytes::read_from_bytes(bytes).ok()?))))
    });

    /// Makes the type of a bounding box of `size` bytes, which a sphere may follow.
    pub(crate) const fn bounds(size: u32) -> Self {
        const FIELDS: &[(&str, usize)] = &[("min", 3), ("max", 3), ("center", 3), ("radius", 1)];
        Self::new("bounds", size, 4).decoded_by(|here| item(here, |bytes, order| Some(record(bytes, order, FIELDS))))
    }

    /// Makes the type of a transform of `size` bytes.
    pub(crate) const fn transform(size: u32) -> Self {
        const FIELDS: &[(&str, usize)] = &[("position", 3), ("rotation", 4), ("scale", 3)];
        Self::new("transform", size, 4).decoded_by(|here| item(here, |bytes, order| Some(record(bytes, order, FIELDS))))
    }
}

/// Returns the element of a known size, which `decode` decodes in the byte order of the file.
fn item<T: Into<Value>>(
    here: &RegionBytes<'_>,
    decode: impl FnOnce(&[u8], ByteOrder) -> Option<T>,
) -> Option<RegionElement> {
    let order = if here.is_big_endian { ByteOrder::Big } else { ByteOrder::Little };
    here.item(|bytes, _| decode(bytes, order).map(Into::into))
}

fn two(bytes: &[u8], order: ByteOrder) -> Option<u16> {
    bytes.first_chunk().copied().map(|bytes| order.u16(bytes))
}

fn four(bytes: &[u8], order: ByteOrder) -> Option<u32> {
    bytes.first_chunk().copied().map(|bytes| order.u32(RawWord(bytes)))
}

fn words(bytes: &[u8], order: ByteOrder) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(move |word| order.u32(RawWord(*word)))
}

fn floats(bytes: &[u8], order: ByteOrder) -> impl Iterator<Item = f32> {
    words(bytes, order).map(f32::from_bits)
}

fn float_list(here: &RegionBytes<'_>) -> Option<RegionElement> {
    item(here, |bytes, order| Some(Value::list(floats(bytes, order))))
}

/// Returns a record of floats. Each field has a name and a number of floats. A field after the last
/// float is left out.
fn record(bytes: &[u8], order: ByteOrder, fields: &[(&'static str, usize)]) -> Value {
    let mut floats = floats(bytes, order).peekable();
    let mut values = Vec::new();
    for (name, count) in fields {
        let value = match count {
            1 => floats.next().map(Value::Float),
            _ => floats.peek().is_some().then(|| Value::list(floats.by_ref().take(*count))),
        };
        values.extend(value.map(|value| ((*name).into(), value)));
    }
    Value::Record(values)
}

/// Returns the two sizes at the start of a block.
fn sizes(bytes: &[u8]) -> Option<Value> {
    let [inflated, stored] = <[I64; 2]>::read_from_bytes(bytes).ok()?.map(I64::get);
    Some(record! { "inflated": inflated, "stored": stored })
}

/// Returns the three axes of a tangent frame.
fn frame(frame: &TangentFrame) -> Value {
    record! { "normal": frame.normal(), "tangent": frame.tangent(), "bitangent": frame.bitangent() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Field;
    use crate::parse::Region;

    /// Decodes the only element of a region.
    fn decoded(element: ElementType, bytes: &[u8], is_big_endian: bool) -> String {
        let end = bytes.len().try_into().unwrap();
        let region = Region { field: Field::new("x"), start: 0, end, element, count: 1 };
        let mut here = RegionBytes::new(bytes, region, 0).unwrap();
        here.is_big_endian = is_big_endian;
        here.element().value.unwrap().to_string()
    }

    #[test]
    fn decodes_in_both_byte_orders() {
        assert_eq!(decoded(ElementType::I16, &[0xff, 0xfe], true), "-2");
        assert_eq!(decoded(ElementType::I16, &[0xfe, 0xff], false), "-2");
        assert_eq!(decoded(ElementType::F32X2, &[0x3f, 0x80, 0, 0, 0xbf, 0, 0, 0], true), "1.0 -0.5");
        assert_eq!(decoded(ElementType::U8X4, &[255, 0, 51, 255], false), "1.0 0.0 0.2 1.0");
        assert_eq!(decoded(ElementType::bounds(24), &[0; 24], false), "min 0.0 0.0 0.0, max 0.0 0.0 0.0");
    }
}
