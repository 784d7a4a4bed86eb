//! Tests that compare every bulk decoder with the decoder for one value, bit for bit, for each SIMD
//! instruction set that the processor supports.

#![allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "codes are exact"
)]

use bytemuck::{Pod, Zeroable};
use zerocopy::FromBytes;
use zerocopy::little_endian::{U16, U32};

use super::*;
use crate::array::bulk::{self, decode_in_chunks};
use crate::array::{Array, Packed};
use crate::decode::convert::{HalfFloat, Snorm, Unorm};
use crate::decode::endian::{ByteOrder, EndianIndex};
use crate::decode::stream::past_cache;
use crate::simd::at_each_level;

/// The output format that copies floats without conversion.
#[derive(Clone, Copy)]
struct Float;

impl<const N: usize> OutputFormat<N> for Float {
    type Component = f32;

    fn convert(&self, value: [f32; N]) -> [f32; N] {
        value
    }
}

/// The number of random records that are decoded if an encoding has too many bit patterns to test
/// all of them.
const MANY: usize = match (cfg!(miri), cfg!(debug_assertions)) {
    (true, _) => 40,
    (_, true) => 4_000,
    _ => 1_000_000,
};
/// The maximum length of the arrays in the tests, which decode arrays of 0, 1, 2 and more values.
const LENGTHS: usize = if cfg!(miri) { 10 } else { 200 };
/// The number of different input addresses in the tests.
const OFFSETS: usize = if cfg!(miri) { 2 } else { 64 };

/// Returns every 16-bit code. Under Miri, which is slow, it returns one in 1021.
pub(super) fn every_code() -> impl Iterator<Item = u16> {
    (0..=u16::MAX).step_by(if cfg!(miri) { 1021 } else { 1 })
}

/// Returns `count` pseudo-random bytes.
fn random(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..count.div_ceil(8)).flat_map(|_| next()).take(count).collect()
}

fn same<V: Pod>(found: &[V], expected: &[V], what: &str) {
    let equal = bytemuck::cast_slice::<V, u8>(found) == bytemuck::cast_slice::<V, u8>(expected);
    assert!(equal, "{what}: {} values of {}", found.len(), std::any::type_name::<V>());
}

/// Decodes an array of records with every bulk method, and compares the results with decoding one
/// record at a time.
fn agree<D: Decode>(decode: D, raw: &[D::Raw], what: &str) {
    let expected: Vec<D::Value> = raw.iter().map(|raw| decode.decode(raw)).collect();
    let mut out = vec![D::Value::zeroed(); raw.len()];
    Packed::new(raw, decode).decode_into(&mut out).unwrap();
    same(&out, &expected, what);
    out.fill(D::Value::zeroed());
    past_cache(|| Packed::new(raw, decode).decode_into(&mut out)).unwrap();
    same(&out, &expected, what);
    out.fill(D::Value::zeroed());
    decode_in_chunks(decode, raw, &mut out);
    same(&out, &expected, what);
    let mut chunked = Vec::new();
    Packed::new(raw, decode).for_each_chunk(|first, values| {
        assert_eq!(first, chunked.len());
        chunked.extend_from_slice(values);
    });
    same(&chunked, &expected, what);
}

/// Tests a decoder with each SIMD instruction set: `count` random records, and arrays of each
/// length at different input and output addresses.
fn check<D: Decode>(decode: D, count: usize) {
    let size = size_of::<D::Raw>();
    let bytes = random(count.max(LENGTHS) * size + 64);
    let raw = <[D::Raw]>::ref_from_bytes(&bytes[1..=count * size]).unwrap();
    let short = <[D::Raw]>::ref_from_bytes(&bytes[..LENGTHS * size]).unwrap();
    let values: Vec<D::Value> = short.iter().map(|raw| decode.decode(raw)).collect();
    let mut place = vec![0_u64; (LENGTHS * size_of::<D::Value>() + 128) / 8];
    at_each_level(|level| {
        agree(decode, raw, &format!("{level:?}"));
        let mut moved = bytes[..LENGTHS * size].to_vec();
        for at in 0..OFFSETS {
            moved.resize(LENGTHS * size + at, 0);
            moved[at..].copy_from_slice(&bytes[..LENGTHS * size]);
            let raw = <[D::Raw]>::ref_from_bytes(&moved[at..]).unwrap();
            let to = at / align_of::<D::Value>() * align_of::<D::Value>();
            // With an input offset of 1 byte, every array length is tested. With each other offset
            // from 0 to 63, one in 13 array lengths is tested, and also the length 200.
            for count in (0..=LENGTHS).filter(|count| at == 1 || (count + at) % 13 == 0 || *count == LENGTHS) {
                let bytes = bytemuck::cast_slice_mut::<u64, u8>(&mut place);
                bytes.fill(0xa5);
                let end = to + count * size_of::<D::Value>();
                let out = bytemuck::cast_slice_mut::<u8, D::Value>(&mut bytes[to..end]);
                decode.decode_all(&raw[..count], out);
                same(out, &values[..count], &format!("{level:?} {at} {count}"));
                bulk::decode(decode, &raw[..count], out);
                same(out, &values[..count], &format!("{level:?} {at} {count}"));
                out.fill(D::Value::zeroed());
                past_cache(|| bulk::decode(decode, &raw[..count], out));
                same(out, &values[..count], &format!("{level:?} {at} {count}"));
                assert!(bytes[..to].iter().chain(&bytes[end..]).all(|byte| *byte == 0xa5), "{level:?} {at} {count}");
            }
        }
    });
}

/// Tests a decoder with each SIMD instruction set. Each 16-bit code is tested in each component of
/// a record.
fn check_codes<D: Decode<Raw = [U16; N]>, const N: usize>(decode: D) {
    let raw: Vec<[U16; N]> = every_code()
        .map(|code| {
            let mut at = 0_u16;
            [(); N].map(|()| {
                at += 1;
                U16::new(code.wrapping_add((at - 1).wrapping_mul(21_845)))
            })
        })
        .collect();
    at_each_level(|level| agree(decode, &raw, &format!("{level:?}, all codes")));
}

#[test]
fn floats_and_indices_agree_with_their_twins() {
    check(Floats::<1>, MANY);
    check(Floats::<3>, MANY);
    check(Index::<u8>::new(), MANY);
    check(Index::<U16>::new(), MANY);
    check(Index::<U32>::new(), MANY);
    check(EndianIndex(ByteOrder::Big), MANY / 20);
    let raw: Vec<U16> = every_code().map(U16::new).collect();
    at_each_level(|level| agree(Index::<U16>::new(), &raw, &format!("{level:?}")));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn quantized_values_agree_with_their_twins() {
    let domain = MinMax16::new([-0.5, -0.25, 0.1], [0.5, 0.254_558_74, -7.0]);
    check(domain, MANY);
    check_codes(domain);
    check_codes(MinMax16::new([0.0, -0.0], [1e-30, f32::MAX]));
    check_codes(MinMax16::new([1.0; 5], [2.0; 5]));
    check(MinMax16::new([3.0; 4], [3.0, 4.0, -3.0, f32::MIN]), MANY / 10);
    check(Unit16, MANY);
    check_codes(Unit16);
    check(Tangent16, MANY);
    check_codes(Tangent16);
    check(Unorm8::<3>, MANY);
    check(Unorm8::<4>, MANY);
    check(Influence4, MANY);
    check(Influence3, MANY);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn boxed_values_agree_with_their_twins() {
    let boxes = [
        ([-1.0, 0.0, 2.5], [2.0, 65535.0, 0.0]),
        ([1e9; 3], [-2e9; 3]),
        ([-0.0, 0.0, -0.0], [-2.0, 2.0, -0.0]),
        ([-0.066_347_22, 0.1, -3.0], [4.793_492_3, 40.295_475, f32::INFINITY]),
        ([f32::MIN_POSITIVE, 1e-45, -1e-40], [1e-45, 1e-38, f32::MAX]),
    ];
    for (min, size) in boxes {
        check_codes(OffsetScale16 { min, size });
    }
    check(OffsetScale16 { min: [-1.0, 0.3, 2.5], size: [2.1, 6.7, 0.3] }, MANY);
}

#[test]
fn packed_words_agree_with_their_twins() {
    check(Packed32, MANY);
    check(Packed64, MANY);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn quaternions_agree_with_their_twins() {
    check_codes(Sixteen(Packed64));
    // Forty stored quaternions of zero length, which represent no rotation.
    let nothing = [[zerocopy::little_endian::I16::ZERO; 4]; 40];
    at_each_level(|level| {
        agree(Quat8, &nothing, &format!("{level:?}"));
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn frames_agree_with_their_twins() {
    check(Quat8, MANY);
    check(Quat7, MANY);
    check(NormalOf(Quat8), MANY);
    check(NormalOf(Quat7), MANY);
}

/// A decoder of unsigned 16-bit codes, which reinterprets each code as a signed integer and then
/// decodes it with the wrapped decoder.
#[derive(Clone, Copy)]
struct Sixteen<D>(D);

impl<D: Decode<Raw = [zerocopy::little_endian::I16; 4]>> Decode for Sixteen<D> {
    type Raw = [U16; 4];
    type Value = D::Value;

    fn decode(&self, raw: &[U16; 4]) -> D::Value {
        self.0.decode(&zerocopy::transmute!(*raw))
    }

    fn decode_all(&self, raw: &[[U16; 4]], out: &mut [D::Value]) {
        self.0.decode_all(zerocopy::transmute_ref!(raw), out);
    }
}

/// Compares the bulk conversion to an output format with the conversion of one value, for each SIMD
/// instruction set.
///
/// The inputs are random floats, the values of all half floats, and floats out of range.
fn check_format<F: OutputFormat<3>>(format: F) {
    let mut floats: Vec<f32> =
        random(MANY * 12).as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    floats.extend(every_code().map(|code| f32::from(code) / 65535.0));
    floats.extend(every_code().map(|code| (f32::from(code) + 0.5) / 32767.0 - 1.0));
    floats.extend(every_code().map(|code| ::half::f16::from_bits(code).to_f32()));
    floats.extend([f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1.000_000_1, -1.000_000_1]);
    floats.extend([0.5; 2]);
    let values = floats.as_chunks::<3>().0;
    let raw: Vec<_> = values.iter().map(|value| float::encode(*value)).collect();
    let expected: Vec<_> = values.iter().map(|value| format.convert(*value)).collect();
    at_each_level(|level| {
        let mut out = vec![Zeroable::zeroed(); values.len()];
        Packed::new(&raw, Floats::<3>).decode_as(format, &mut out).unwrap();
        same(&out, &expected, &format!("{level:?}"));
        for count in 0..LENGTHS {
            let (mut some, mut out) = (values[..count].to_vec(), vec![Zeroable::zeroed(); count]);
            format.convert_all(&mut some, &mut out);
            same(&out, &expected[..count], &format!("{level:?} {count}"));
        }
    });
}

#[test]
fn forms_agree_with_their_twins() {
    check_format(Float);
    check_format(HalfFloat);
    check_format(Unorm::<u8>::new());
    check_format(Unorm::<u16>::new());
    check_format(Snorm::<i8>::new());
    check_format(Snorm::<i16>::new());
}

#[test]
fn forms_round_to_the_nearest() {
    let forms: [fn(f32) -> i32; 4] = [
        |value| Unorm::<u8>::new().convert([value])[0].into(),
        |value| Unorm::<u16>::new().convert([value])[0].into(),
        |value| Snorm::<i8>::new().convert([value])[0].into(),
        |value| Snorm::<i16>::new().convert([value])[0].into(),
    ];
    for (form, most) in forms.into_iter().zip([255_i32, 65535, 127, 32767]) {
        for code in (0..=most).step_by(if cfg!(miri) { 51 } else { 1 }) {
            let value = (f64::from(code) / f64::from(most)) as f32;
            assert_eq!(form(value), code);
        }
        assert_eq!([f32::NAN, 2.0, f32::INFINITY, 0.4 / most as f32].map(form), [0, most, most, 0]);
    }
    assert_eq!([-1.0, -9.0, f32::NEG_INFINITY, -0.5].map(forms[3]), [-32767, -32767, -32767, -16384]);
    assert_eq!([-1.0, -0.0, f32::NEG_INFINITY].map(forms[1]), [0; 3]);
}
