//! Every bulk decoder, some output formats, and decoding in chunks.

use std::cell::RefCell;
use std::hint::black_box;

use bytemuck::Zeroable;
use meshpeek::decode::convert::{HalfFloat, Snorm};
use meshpeek::decode::{
    Decode, Floats, Index, Influence3, Influence4, MinMax16, NormalOf, OffsetScale16, OutputFormat, Packed32, Packed64,
    Quat7, Quat8, Tangent16, Unit16, Unorm8,
};
use meshpeek::{Array, Packed};
use zerocopy::FromBytes;
use zerocopy::little_endian::{U16, U32};

use super::callgrind::{Kernel, keep, lend};
use crate::support::inputs;

/// The number of items in the shorter of two runs: a multiple of every vector width.
const ITEMS: usize = 9600;
/// The size in bytes of the output in the shorter of two runs whose output bypasses the cache:
/// slightly more than 32 MiB, and a multiple of the values of every chunk.
const PAST_CACHE: usize = 2_800_000 * 12;
/// The size of the largest record in bytes.
const LARGEST: usize = 16;

pub fn kernels() -> Vec<Kernel> {
    let words = (0..(2 * ITEMS * LARGEST / 4 + 1) as u32).flat_map(|word| inputs::random(word).to_le_bytes());
    // The data starts at offset 1, so nothing is aligned.
    let bytes = &lend(words.collect::<Vec<u8>>())[1..];
    let large = &lend(vec![0; 2 * PAST_CACHE + 1])[1..];
    let domain = MinMax16::new([-0.5, -0.25, 0.1], [0.5, 0.254_558_74, 7.0]);
    let boxed = OffsetScale16 { min: [-0.5, -0.25, 0.1], size: [1.0, 0.5, 6.9] };
    vec![
        all("decode_into, float triples", bytes, ITEMS, Floats::<3>),
        past_cache("decode_into, float triples past the cache", large, Floats::<3>),
        past_cache("decode_into, min_max16 past the cache", large, domain),
        past_cache("decode_into, offset_scale16 past the cache", large, boxed),
        past_cache("decode_into, unit16 past the cache", large, Unit16),
        past_cache("decode_into, tangent16 past the cache", large, Tangent16),
        past_cache("decode_into, unorm8 past the cache", large, Unorm8::<4>),
        past_cache("decode_into, packed32 past the cache", large, Packed32),
        past_cache("decode_into, packed64 past the cache", large, Packed64),
        past_cache("decode_into, indices u8 past the cache", large, Index::<u8>::new()),
        past_cache("decode_into, indices u16 past the cache", large, Index::<U16>::new()),
        past_cache("decode_into, weights of 4 bytes past the cache", large, Influence4),
        past_cache("decode_into, weights of 3 bytes past the cache", large, Influence3),
        all("decode_into, u16 positions (min_max16)", bytes, ITEMS, domain),
        all("decode_into, u16 positions (offset_scale16)", bytes, ITEMS, boxed),
        all("decode_into, u16 normals (unit16)", bytes, ITEMS, Unit16),
        all("decode_into, u16 tangents (tangent16)", bytes, ITEMS, Tangent16),
        all("decode_into, u8 colours (unorm8)", bytes, ITEMS, Unorm8::<4>),
        all("decode_into, 11/11/10 (packed32)", bytes, ITEMS, Packed32),
        all("decode_into, three i16 and a pad (packed64)", bytes, ITEMS, Packed64),
        all("decode_into, indices u8", bytes, ITEMS, Index::<u8>::new()),
        all("decode_into, indices u16", bytes, ITEMS, Index::<U16>::new()),
        all("decode_into, indices u32", bytes, ITEMS, Index::<U32>::new()),
        all("decode_into, weights of 4 bytes", bytes, ITEMS, Influence4),
        all("decode_into, weights of 3 bytes", bytes, ITEMS, Influence3),
        all("decode_into, frames of 8 bytes", bytes, ITEMS, Quat8),
        all("decode_into, frames of 7 bytes", bytes, ITEMS, Quat7),
        all("decode_into, normals of 8 bytes", bytes, ITEMS, NormalOf(Quat8)),
        all("decode_into, normals of 7 bytes", bytes, ITEMS, NormalOf(Quat7)),
        form("decode_as, 11/11/10 to half floats", bytes, Packed32, HalfFloat),
        form("decode_as, u16 normals to snorm8", bytes, Unit16, Snorm::<i8>::new()),
        Kernel::new("for_each_chunk, 11/11/10, nothing done", ITEMS, move |items| {
            first(bytes, items, Packed32).for_each_chunk(|_, values| keep(values.len()));
        }),
    ]
}

fn first<D: Decode>(bytes: &'static [u8], items: usize, decode: D) -> Packed<'static, D> {
    Packed::new(<[D::Raw]>::ref_from_prefix_with_elems(black_box(bytes), items).unwrap().0, decode)
}

/// Returns a kernel that decodes values to their own type.
fn all<D>(name: &'static str, bytes: &'static [u8], items: usize, decode: D) -> Kernel
where
    D: Decode<Value: 'static> + 'static,
{
    let out = RefCell::new(vec![D::Value::zeroed(); 2 * items]);
    Kernel::new(name, items, move |items| {
        first(bytes, items, decode).decode_into(black_box(&mut out.borrow_mut()[..items])).unwrap();
    })
}

/// Returns a kernel that decodes values to an output that bypasses the cache.
fn past_cache<D>(name: &'static str, bytes: &'static [u8], decode: D) -> Kernel
where
    D: Decode<Value: 'static> + 'static,
{
    all(name, bytes, PAST_CACHE / size_of::<D::Value>(), decode)
}

/// Returns a kernel that decodes values to another format.
fn form<D, F, const N: usize>(name: &'static str, bytes: &'static [u8], decode: D, form: F) -> Kernel
where
    D: Decode<Value = [f32; N]> + 'static,
    F: OutputFormat<N, Component: 'static> + 'static,
{
    let out = RefCell::new(vec![[F::Component::zeroed(); N]; 2 * ITEMS]);
    Kernel::new(name, ITEMS, move |items| {
        first(bytes, items, decode).decode_as(form, black_box(&mut out.borrow_mut()[..items])).unwrap();
    })
}
