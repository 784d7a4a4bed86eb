//! A triangle with its texture coordinates in one record of 16 bytes, as in the vertex meshes of
//! Unreal.
//!
//! Each record holds the vertex indices and the texture coordinates of three corners. The vertex
//! indices of a mesh are therefore not contiguous in the file, and neither are its texture
//! coordinates. [`CornerArray`](crate::array::CornerArray) reads an array of vertex indices or of
//! texture coordinates from the records.

use bytemuck::Pod;
use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::codec::Decode;

/// The 16 bytes of a stored triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawPolygon {
    /// The indices of the three vertices of the triangle. The first vertex of the mesh has the
    /// index 0.
    pub vertices: [U16; 3],
    /// The render style of the triangle in the low three bits, and flags of the triangle in the
    /// other bits.
    pub kind: u8,
    /// An unused byte of the triangle record, which is nearly always 0.
    pub color: u8,
    /// The texture coordinates U and V of each corner, in units of 1/255 or 1/256 of the image
    /// size. The texture coordinate V grows downwards in the image.
    pub uvs: [[u8; 2]; 3],
    /// Index of the texture slot that the triangle uses.
    pub texture: u8,
    /// An unused byte of the triangle record, which is nearly always 0.
    pub flags: u8,
}

const _: () = assert!(size_of::<RawPolygon>() == 16);

impl RawPolygon {
    /// A triangle record in which all bytes are 0.
    pub const EMPTY: Self =
        Self { vertices: [U16::ZERO; 3], kind: 0, color: 0, uvs: [[0; 2]; 3], texture: 0, flags: 0 };
}

/// A decoder of three adjacent values in a record, one value for each corner of a triangle.
pub trait DecodeCorners: Decode<Value = [Self::Corner; 3]> {
    /// The type of the value of one corner.
    type Corner: Pod;
    /// Offset of the first corner's value, from the start of the triangle record, in bytes.
    const AT: usize;
    /// Size of the value of one corner, in bytes.
    const SIZE: usize;
}

/// Decodes the three vertex indices of a triangle. Decoding the vertex indices is exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolygonIndices;

impl Decode for PolygonIndices {
    type Raw = RawPolygon;
    type Value = [u32; 3];

    #[inline]
    fn decode(&self, raw: &RawPolygon) -> [u32; 3] {
        raw.vertices.map(|vertex| vertex.get().into())
    }
}

impl DecodeCorners for PolygonIndices {
    type Corner = u32;
    const AT: usize = 0;
    const SIZE: usize = 2;
}

/// Decodes the texture coordinates of a triangle's three corners.
///
/// Each texture coordinate is `u / DIVISOR`, where `u` is the stored byte. The texture coordinate V
/// grows downwards in the image. If `DIVISOR` is 256, decoding a texture coordinate is exact. If
/// `DIVISOR` is 255, the error of a decoded texture coordinate is at most half a unit in the last
/// place of the float.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolygonUvs<const DIVISOR: u16>;

impl<const DIVISOR: u16> Decode for PolygonUvs<DIVISOR> {
    type Raw = RawPolygon;
    type Value = [[f32; 2]; 3];

    #[inline]
    fn decode(&self, raw: &RawPolygon) -> [[f32; 2]; 3] {
        raw.uvs.map(|uv| uv.map(|code| f32::from(code) / f32::from(DIVISOR)))
    }
}

impl<const DIVISOR: u16> DecodeCorners for PolygonUvs<DIVISOR> {
    type Corner = [f32; 2];
    const AT: usize = 8;
    const SIZE: usize = 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_place() {
        let raw: RawPolygon = zerocopy::transmute!([1_u8, 0, 2, 0, 0, 255, 7, 8, 0, 255, 51, 128, 64, 0, 200, 15]);
        assert_eq!(PolygonIndices.decode(&raw), [1, 2, 0xff00]);
        assert_eq!((raw.kind, raw.color, raw.texture, raw.flags), (7, 8, 200, 15));
        let [[u, v], [third, half], [quarter, zero]] = PolygonUvs::<256>.decode(&raw);
        assert_eq!(
            [u, v, third, half, quarter, zero].map(f32::to_bits),
            [0.0, 0.996_093_75, 0.199_218_75, 0.5, 0.25, 0.0_f32].map(f32::to_bits)
        );
        assert_eq!(PolygonUvs::<255>.decode(&raw)[0].map(f32::to_bits), [0.0, 1.0_f32].map(f32::to_bits));
    }
}
