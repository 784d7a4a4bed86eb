//! Compares each function with its decoder, for all codes of 8 and 16 bits and for random bytes.

use std::cell::Cell;

use meshpeek::Decode;
use meshpeek::decode::{
    Argb8, ByteOrder, EndianFloats, Floats, Influence3, Influence4, MinMax16, NormalOf, Packed32, Packed64, Quat7,
    Quat8, Unit16, Unorm8,
};
use meshpeek::gpu::wgsl;
use zerocopy::FromBytes;

use crate::evaluator::{Evaluator, Rounding, Value};
use crate::support::cases;
use crate::support::random::Random;

/// The number of random items for each function, and the part of all items that a quick run tests.
const RANDOM: usize = 1_000_000;
const ONE_IN: usize = 50;
/// The number of items that are evaluated together.
const LANES: usize = 4096;
/// The number of random items for each function, if the rounding is loose.
const LOOSE: usize = RANDOM / 5;

/// Returns bytes in which each 16-bit code is in each 16-bit component of an item, and each byte is
/// in each byte of an item, followed by random items. `front` bytes come first.
fn any_bytes(front: usize, size: usize, random_items: usize) -> Vec<u8> {
    let mut bytes = vec![0x5a; front];
    let random_items = cases::number(random_items, ONE_IN);
    let codes = || (0..=u16::MAX).step_by(if cases::all() { 1 } else { ONE_IN - 1 });
    for code in codes() {
        // Odd factors permute the codes, so each component has each code.
        let words = [1_u16, 40_503, 25_173, 64_007].map(|factor| code.wrapping_mul(factor).to_le_bytes());
        bytes.extend_from_slice(&words.as_flattened()[..size.min(8)]);
        bytes.resize(bytes.len() + size - size.min(8), 0x3f);
    }
    if size % 2 == 1 {
        // The codes after an odd number of bytes.
        for code in codes() {
            bytes.push(code.to_le_bytes()[0]);
            bytes.extend(code.to_le_bytes().iter().chain(&[0x80; 8]).take(size - 1));
        }
    }
    let mut random = Random::new(size as u64);
    if matches!(size, 7 | 8) {
        // Quaternions of unit length whose w is nearly 0.
        for _ in 0..cases::number(RANDOM / 10, ONE_IN) {
            let direction = [0; 3].map(|_| f64::from(random.unit()));
            let length = direction.iter().map(|part| part * part).sum::<f64>().sqrt().max(1.0e-3);
            let codes = direction.map(|part| ((part / length * 32767.0).round() as i16).to_le_bytes());
            bytes.extend_from_slice(codes.as_flattened());
            bytes.extend(random.next().to_le_bytes().iter().take(size - 6));
        }
    }
    bytes.extend((0..(random_items * size).div_ceil(8)).flat_map(|_| random.next().to_le_bytes()));
    let items = (bytes.len() - front) / size;
    bytes.truncate(front + items * size);
    bytes
}

/// Calls a function for all items in `bytes`, and passes each result with the bytes of its item to
/// `compare`.
pub(super) fn for_each_item(
    evaluator: &Evaluator,
    function: &str,
    constants: Option<[[f32; 4]; 2]>,
    offsets: &[usize],
    mut compare: impl FnMut(usize, &[u32]),
) {
    for chunk in offsets.chunks(LANES) {
        let mut arguments = vec![Value::scalar('u', chunk.iter().map(|at| u32::try_from(*at).unwrap()))];
        for vector in constants.into_iter().flatten() {
            let component = |value: f32| Value::scalar('f', chunk.iter().map(|_| value.to_bits()));
            let components = vector.into_iter().flat_map(|value| component(value).components).collect();
            arguments.push(Value { components, ..component(0.0) });
        }
        let result = evaluator.call(function, arguments, chunk.len());
        for (lane, at) in chunk.iter().enumerate() {
            let mut bits = [0; 4];
            bits.iter_mut().zip(&result.components).for_each(|(bits, component)| *bits = component[lane]);
            compare(*at, &bits[..result.components.len()]);
        }
    }
}

/// Decodes the bytes of an item.
type DecodeItem<'t> = Box<dyn Fn(&[u8]) -> Vec<f32> + 't>;

/// A function with its decoder.
struct Twin<'t> {
    function: &'static str,
    /// The bytes of an item.
    size: usize,
    constants: Option<[[f32; 4]; 2]>,
    decode: DecodeItem<'t>,
    /// The largest difference that [`wgsl`] states.
    difference: f32,
}

fn twin<'t, D: Decode + 't>(
    function: &'static str,
    decoder: D,
    difference: f32,
    floats: impl Fn(D::Value) -> Vec<f32> + 't,
) -> Twin<'t> {
    let decode = move |bytes: &[u8]| floats(decoder.decode(D::Raw::ref_from_bytes(bytes).unwrap()));
    Twin { function, size: size_of::<D::Raw>(), constants: None, decode: Box::new(decode), difference }
}

/// Makes the twins of a decoder of intervals.
fn min_max<'t, const N: usize>(function: &'static str, min: [f32; N], max: [f32; N]) -> Twin<'t> {
    let pad = |values: [f32; N]| std::array::from_fn(|axis| values.get(axis).copied().unwrap_or(9.0));
    let scale: [f32; N] = std::array::from_fn(|axis| max[axis] - min[axis]);
    let largest = min.into_iter().chain(scale).fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let twin = twin(function, MinMax16::new(min, max), largest * 2.0_f32.powi(-21), Vec::from);
    Twin { constants: Some([pad(min), pad(scale)]), ..twin }
}

fn twins() -> Vec<Twin<'static>> {
    use ByteOrder::{Big, Little};
    let influence = |one: meshpeek::decode::Influence| vec![one.bone as f32, one.weight];
    let tangent = |frame: meshpeek::decode::TangentFrame| {
        let [x, y, z] = frame.tangent();
        vec![x, y, z, frame.handedness]
    };
    vec![
        twin("meshpeek_unpack_f32x2", Floats::<2>, 0.0, Vec::from),
        twin("meshpeek_unpack_f32x3", Floats::<3>, 0.0, Vec::from),
        twin("meshpeek_unpack_f32x2", EndianFloats::<2>(Little), 0.0, Vec::from),
        twin("meshpeek_unpack_f32x3", EndianFloats::<3>(Little), 0.0, Vec::from),
        twin("meshpeek_unpack_f32x2_big_endian", EndianFloats::<2>(Big), 0.0, Vec::from),
        twin("meshpeek_unpack_f32x3_big_endian", EndianFloats::<3>(Big), 0.0, Vec::from),
        twin("meshpeek_unpack_packed32", Packed32, 0.0, Vec::from),
        twin("meshpeek_unpack_packed64", Packed64, 0.0, Vec::from),
        min_max("meshpeek_unpack_min_max16x2", [0.0, -3.5], [1.0, 1000.25]),
        min_max("meshpeek_unpack_min_max16x2", [0.1, 5.0], [0.1, -5.0]),
        min_max("meshpeek_unpack_min_max16x3", [-0.5; 3], [0.5; 3]),
        min_max("meshpeek_unpack_min_max16x3", [-0.3, 1.0e6, 1.0e-7], [77.7, 1.0e6, 3.0]),
        twin("meshpeek_unpack_unit16", Unit16, 2.0_f32.powi(-24), Vec::from),
        twin("meshpeek_unpack_quat8_normal", NormalOf(Quat8), 1.0e-5, Vec::from),
        twin("meshpeek_unpack_quat8_tangent", Quat8, 1.0e-5, tangent),
        twin("meshpeek_unpack_quat7_normal", NormalOf(Quat7), 0.002, Vec::from),
        twin("meshpeek_unpack_quat7_tangent", Quat7, 0.002, tangent),
        twin("meshpeek_unpack_unorm8x4", Unorm8::<4>, 0.0, Vec::from),
        twin("meshpeek_unpack_argb8", Argb8(Little), 0.0, Vec::from),
        twin("meshpeek_unpack_argb8_big_endian", Argb8(Big), 0.0, Vec::from),
        twin("meshpeek_unpack_influence4", Influence4, 0.0, influence),
        twin("meshpeek_unpack_influence3", Influence3, 0.0, influence),
    ]
}

/// Evaluates a function for many items, and returns the largest difference from the decoder.
fn largest_difference(twin: &Twin<'_>, front: usize, random_items: usize, rounding: Rounding) -> f32 {
    let bytes = any_bytes(front, twin.size, random_items);
    let evaluator = Evaluator::new(wgsl::SOURCE, &bytes, rounding);
    let offsets: Vec<usize> = (front..bytes.len()).step_by(twin.size).collect();
    let mut largest = 0.0_f32;
    for_each_item(&evaluator, twin.function, twin.constants, &offsets, |at, found| {
        let expected = (twin.decode)(&bytes[at..at + twin.size]);
        assert_eq!(found.len(), expected.len(), "{}", twin.function);
        for (found, expected) in found.iter().map(|bits| f32::from_bits(*bits)).zip(expected) {
            let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            largest = largest.max(if is_same { 0.0 } else { (found - expected).abs().max(f32::MIN_POSITIVE) });
        }
    });
    largest
}

#[test]
fn equal_their_decoders_bit_for_bit() {
    for (number, twin) in twins().iter().enumerate() {
        // The first item is at each offset from the start of a word.
        let largest = largest_difference(twin, number % 4, RANDOM, Rounding::Nearest);
        assert_eq!(largest, 0.0, "{}", twin.function);
        for front in 0..4 {
            assert_eq!(largest_difference(twin, front, 0, Rounding::Nearest), 0.0, "{} at {front}", twin.function);
        }
    }
}

#[test]
fn differ_by_the_stated_bound_if_a_gpu_rounds_loosely() {
    for twin in twins() {
        let largest = largest_difference(&twin, 1, LOOSE, Rounding::Loose(Cell::new(7)));
        println!("{}: {largest:e} of {:e}", twin.function, twin.difference);
        assert!(largest <= twin.difference, "{}: {largest:e} of {:e}", twin.function, twin.difference);
    }
}

#[test]
fn have_the_names_of_the_documentation() {
    let evaluator = Evaluator::new(wgsl::SOURCE, &[], Rounding::Nearest);
    let names: Vec<&str> = evaluator.names().collect();
    for (number, name) in names.iter().enumerate() {
        assert!(name.starts_with("meshpeek_unpack_") && !names[..number].contains(name), "{name}");
    }
    assert!(twins().iter().all(|twin| names.contains(&twin.function)));
}
