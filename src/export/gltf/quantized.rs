//! Quantized vertices: integers that are copied as the file stores them, and directions in 16 bits.

use std::io::Write;

use zerocopy::little_endian::U16;

use super::attributes::{SUBSTITUTE, VertexInput, VertexNormals, known};
use super::buffers::{BufferSink, FloatBlock};
use super::document::{AccessorType, ArraySpec, ComponentType};
use crate::array::{Array, Packed};
use crate::decode::MinMax16;
use crate::decode::convert::{OutputFormat, Snorm};
use crate::error::Result;
use crate::math::{as_index, dot, narrow, unit};
use crate::model::{PositionEncoding, Positions, SpaceConversion, Surface, Transform, UvEncoding, Uvs};
use crate::scene::shape::SurfaceShape;

/// The size of a block of bytes that is written at once.
const BLOCK: usize = 32 << 10;

/// The interval of the quantized positions of a surface. The codes 0 and 65535 represent its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct QuantizedBox {
    min: [f32; 3],
    size: [f32; 3],
}

impl QuantizedBox {
    /// Returns the interval of a surface whose positions glTF can hold as they are stored, or
    /// `None` for any other surface.
    ///
    /// Directions of a surface that is flat along an axis cannot be expressed in its interval, so
    /// such a surface is not quantized.
    pub(super) fn of(
        surface: &Surface<'_>,
        shape: SurfaceShape<'_>,
        conversion: &SpaceConversion,
    ) -> Result<Option<Self>> {
        let Positions(PositionEncoding::MinMax16(array)) = surface.positions()? else { return Ok(None) };
        let decoder = array.decoder();
        let (min, mut size) = (decoder.min(), decoder.max());
        size.iter_mut().zip(min).for_each(|(size, min)| *size -= min);
        let is_valid = size.iter().chain(&min).all(|part| part.is_finite()) && size.iter().all(|size| *size > 0.0);
        let is_base = matches!(shape, SurfaceShape::Base) && !conversion.is_mirrored();
        Ok(Some(Self { min, size }).filter(|this| is_valid && is_base && this.transform(conversion).is_finite()))
    }

    /// Returns the transform of a node that maps written positions to the conventions of the
    /// output.
    pub(super) fn transform(&self, conversion: &SpaceConversion) -> Transform {
        let Transform { rotation, scale, .. } = conversion.map().to_transform().unwrap_or_default();
        let mut size = self.size;
        size.iter_mut().zip(scale).for_each(|(size, scale)| *size *= scale);
        Transform { position: conversion.position(self.min), rotation, scale: size }
    }

    /// Returns a stored normal relative to the interval, to unit length.
    fn normal(&self, normal: [f32; 3]) -> [f32; 3] {
        let mut scaled = normal;
        scaled.iter_mut().zip(self.size).for_each(|(part, size)| *part *= size);
        unit(scaled).unwrap_or(SUBSTITUTE)
    }
}

impl VertexInput<'_, '_> {
    /// Writes the codes of the positions.
    pub(super) fn position_codes(&self, sink: &mut dyn BufferSink) -> Result<u32> {
        let elements = [AccessorType::normalized(ComponentType::U16, 3)];
        let spec = ArraySpec::vertices(&elements, self.count).with_bounds();
        let Positions(PositionEncoding::MinMax16(array)) = self.surface.positions()? else {
            return sink.array(&spec, &mut |_| Ok(()));
        };
        let raw = array.raw();
        sink.array(&spec, &mut |out| {
            self.write_bytes(out, |vertex| {
                let codes = raw.get(as_index(self.order.corner(vertex).position)).copied().unwrap_or_default();
                let mut bytes = [0; 8];
                put_codes(&codes.map(U16::get), &mut bytes);
                bytes
            })
        })
    }

    /// Writes the normals in 16 bits, relative to the interval of the positions.
    pub(super) fn short_normals(&self, interval: Option<&QuantizedBox>, sink: &mut dyn BufferSink) -> Result<u32> {
        let elements = [AccessorType::normalized(ComponentType::I16, 3)];
        let spec = ArraySpec::vertices(&elements, self.count);
        let normals = self.stored_normals()?;
        let [x_axis, y_axis, z_axis, _] = self.conversion.map().columns().map(|column| column.map(narrow));
        sink.array(&spec, &mut |out| {
            self.write_bytes(out, |vertex| {
                if let (VertexNormals::Computed(computed, _), None) = (self.normals, interval) {
                    let [x, y, z] = known(&computed.values, vertex);
                    return shorts([x, y, z, 0.0]);
                }
                let stored = match self.normals {
                    // Normals are converted with the cofactors: the transposed map converts back.
                    VertexNormals::Computed(computed, _) => {
                        Some([x_axis, y_axis, z_axis].map(|axis| dot(axis, known(&computed.values, vertex))))
                    }
                    _ => normals.and_then(|normals| normals.get(as_index(self.order.corner(vertex).attribute))),
                };
                let stored = stored.unwrap_or_default();
                let normal = match interval {
                    Some(interval) => interval.normal(stored),
                    None => unit(self.conversion.normal(stored)).unwrap_or(SUBSTITUTE),
                };
                let [x, y, z] = normal;
                shorts([x, y, z, 0.0])
            })
        })
    }

    /// Writes the tangents in 16 bits.
    pub(super) fn short_tangents(&self, sink: &mut dyn BufferSink, block: &mut FloatBlock) -> Result<u32> {
        let elements = [AccessorType::normalized(ComponentType::I16, 4)];
        let spec = ArraySpec::vertices(&elements, self.count);
        let source = self.tangent_source()?;
        sink.array(&spec, &mut |out| {
            let mut bytes = Vec::with_capacity(BLOCK);
            self.visit_tangents(&source, block, &mut |tangents| {
                bytes.clear();
                tangents.as_chunks::<4>().0.iter().for_each(|tangent| bytes.extend_from_slice(&shorts(*tangent)));
                Ok(out.write_all(&bytes)?)
            })
        })
    }

    /// Writes the texture coordinates as they are stored, if glTF can hold them so. Returns `None`
    /// otherwise.
    pub(super) fn uv_codes(&self, set: u32, sink: &mut dyn BufferSink) -> Result<Option<u32>> {
        let Some(Uvs(encoding)) = self.surface.uvs(as_index(set))? else { return Ok(None) };
        match encoding {
            UvEncoding::Polygon255(_) => self.byte_uvs(&Uvs(encoding), sink).map(Some),
            UvEncoding::MinMax16(array) if is_unit(array.decoder()) => self.short_uvs(&array, sink).map(Some),
            _ => Ok(None),
        }
    }

    fn byte_uvs(&self, uvs: &Uvs<'_>, sink: &mut dyn BufferSink) -> Result<u32> {
        let elements = [AccessorType::normalized(ComponentType::U8, 2)];
        let flips = self.conversion.flips_v();
        sink.array(&ArraySpec::vertices(&elements, self.count), &mut |out| {
            self.write_bytes(out, |vertex| {
                let [u, v] = uvs.raw_bytes(as_index(self.order.corner(vertex).attribute)).unwrap_or_default();
                [u, if flips { !v } else { v }, 0, 0]
            })
        })
    }

    fn short_uvs(&self, array: &Packed<'_, MinMax16<2>>, sink: &mut dyn BufferSink) -> Result<u32> {
        let elements = [AccessorType::normalized(ComponentType::U16, 2)];
        let (flips, raw) = (self.conversion.flips_v(), array.raw());
        sink.array(&ArraySpec::vertices(&elements, self.count), &mut |out| {
            self.write_bytes(out, |vertex| {
                let codes = raw.get(as_index(self.order.corner(vertex).attribute)).copied().unwrap_or_default();
                let [u, v] = codes.map(U16::get);
                let mut bytes = [0; 4];
                put_codes(&[u, if flips { !v } else { v }], &mut bytes);
                bytes
            })
        })
    }

    /// Writes `N` bytes for each vertex.
    pub(super) fn write_bytes<const N: usize>(
        &self,
        out: &mut dyn Write,
        get: impl Fn(usize) -> [u8; N],
    ) -> Result<()> {
        let mut bytes = Vec::with_capacity(BLOCK);
        for vertex in 0..self.count {
            bytes.extend_from_slice(&get(vertex));
            if bytes.len() >= BLOCK {
                out.write_all(&bytes)?;
                bytes.clear();
            }
        }
        Ok(out.write_all(&bytes)?)
    }
}

/// Returns whether the codes of texture coordinates represent 0 to 1.
fn is_unit(decoder: MinMax16<2>) -> bool {
    let bits = |parts: [f32; 2]| parts.map(|part| (part + 0.0).to_bits());
    bits(decoder.min()) == bits([0.0; 2]) && bits(decoder.max()) == bits([1.0; 2])
}

/// Writes codes as little-endian bytes. The other bytes do not change.
fn put_codes(codes: &[u16], bytes: &mut [u8]) {
    bytes.as_chunks_mut::<2>().0.iter_mut().zip(codes).for_each(|(place, code)| *place = code.to_le_bytes());
}

/// Returns four numbers of -1 to 1 as little-endian integers of 16 bits.
fn shorts(numbers: [f32; 4]) -> [u8; 8] {
    let mut bytes = [0; 8];
    let codes = Snorm::<i16>::new().convert(numbers);
    bytes.as_chunks_mut::<2>().0.iter_mut().zip(codes).for_each(|(place, code)| *place = code.to_le_bytes());
    bytes
}
