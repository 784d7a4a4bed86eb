//! Compares every bulk decoder with a copy of the decoded values, in cache and in memory.
#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::ops::Range;
use std::rc::Rc;

use bytemuck::Pod;
use meshpeek::decode::convert::{HalfFloat, Snorm};
use meshpeek::decode::{
    Decode, Floats, Index, Influence3, Influence4, MinMax16, NormalOf, OffsetScale16, OutputFormat, Packed32, Packed64,
    Quat7, Quat8, Tangent16, Unit16, Unorm8,
};
use meshpeek::internals::without_avx512;
use meshpeek::{Array, Packed};
use zerocopy::FromBytes;
use zerocopy::little_endian::U16;

use crate::support::claims::{self, Bar, Contestant, claim};

/// The size of an output in bytes, for which the output and its source fit into the second-level
/// cache.
const CACHED: usize = 384 << 10;
/// The number of such blocks of data, each at another address.
const PLACES: usize = 8;
/// How many times a job in cache is repeated in one measurement.
const TIMES: usize = 16;
/// The size in bytes of an output that fits into no cache.
const LARGE: usize = 384 << 20;

/// A decoder, and its bars in cache and in memory.
struct Case<'a> {
    name: &'static str,
    bars: [Bar; 2],
    /// Runs the measurement that is described by the argument.
    ask: Box<dyn Fn(&Ask<'_>) + 'a>,
}

/// The contestants of a measurement.
#[derive(Clone, Copy, PartialEq)]
pub enum Rivals {
    /// Decoding, and copying the decoded values, in cache.
    CopyInCache,
    /// Decoding, and copying the decoded values, in memory.
    CopyInMemory,
    /// The kernels for AVX-512, and those for AVX2, in cache.
    Avx512,
}

/// A measurement: the source bytes, the size of the output, the number of places and of
/// repetitions.
struct Ask<'a> {
    name: &'a str,
    bytes: &'a [u8],
    written: usize,
    places: usize,
    times: usize,
    bar: Bar,
    rivals: Rivals,
}

/// Measures all decoders. `bytes` must be large enough for the largest measurement.
pub fn ask(bytes: &[u8], rivals: Rivals) {
    let in_memory = rivals == Rivals::CopyInMemory;
    let at_least = |cached: f64, large: f64| [Bar::AtLeast(cached), Bar::AtLeast(large)];
    let domain = MinMax16::new([-0.5, -0.25, 0.1], [0.5, 0.254_558_74, 7.0]);
    let boxed = OffsetScale16 { min: [-0.5, -0.25, 0.1], size: [1.0, 0.5, 6.9] };
    let cases = [
        case("float triples", Floats::<3>, [Bar::None, Bar::AtLeast(0.95)]),
        case("u16 positions (min_max16)", domain, at_least(0.8, 0.95)),
        case("u16 positions (offset_scale16)", boxed, at_least(0.3, 0.65)),
        case("u16 normals (unit16)", Unit16, at_least(0.8, 0.95)),
        case("u16 tangents (tangent16)", Tangent16, at_least(0.8, 0.95)),
        case("u8 colours (unorm8)", Unorm8::<4>, at_least(0.8, 0.95)),
        case("11/11/10 (packed32)", Packed32, at_least(0.95, 0.95)),
        case("three i16 and a pad (packed64)", Packed64, at_least(0.95, 0.95)),
        case("indices u8 to u32", Index::<u8>::new(), at_least(0.95, 0.95)),
        case("indices u16 to u32", Index::<U16>::new(), at_least(0.95, 0.95)),
        case("weights of 4 bytes", Influence4, at_least(0.8, 0.95)),
        case("weights of 3 bytes", Influence3, at_least(0.8, 0.95)),
        case("frames of 8 bytes", Quat8, at_least(0.2, 0.55)),
        case("frames of 7 bytes", Quat7, at_least(0.17, 0.42)),
        case("normals of 8 bytes", NormalOf(Quat8), at_least(0.12, 0.35)),
        case("normals of 7 bytes", NormalOf(Quat7), at_least(0.1, 0.25)),
        form("11/11/10 to half floats", Packed32, HalfFloat, at_least(0.2, 0.4)),
        form("u16 normals to snorm8", Unit16, Snorm::<i8>::new(), at_least(0.09, 0.3)),
    ];
    for case in &cases {
        let (written, places, times) = if in_memory { (LARGE, 1, 1) } else { (CACHED, PLACES, TIMES) };
        let (written, times) = if claims::testing() { (CACHED, 1) } else { (written, times) };
        let bar = case.bars[usize::from(in_memory)];
        (case.ask)(&Ask { name: case.name, bytes, written, places, times, bar, rivals });
    }
}

/// Returns a case that decodes values to their own type.
fn case<D: Decode + 'static>(name: &'static str, decode: D, bars: [Bar; 2]) -> Case<'static> {
    let ask = move |ask: &Ask<'_>| {
        let out = |array: &Packed<'_, D>, out: &mut [D::Value]| array.decode_into(out).unwrap();
        put(ask, decode, out, |raw| decode.decode(raw));
    };
    Case { name, bars, ask: Box::new(ask) }
}

/// Returns a case that decodes values to another format.
fn form<D, F, const N: usize>(name: &'static str, decode: D, form: F, bars: [Bar; 2]) -> Case<'static>
where
    D: Decode<Value = [f32; N]> + 'static,
    F: OutputFormat<N> + 'static,
{
    let ask = move |ask: &Ask<'_>| {
        let out = |array: &Packed<'_, D>, out: &mut [[F::Component; N]]| array.decode_as(form, out).unwrap();
        put(ask, decode, out, |raw| form.convert(decode.decode(raw)));
    };
    Case { name, bars, ask: Box::new(ask) }
}

/// Measures decoding to an output, and copying the same number of bytes.
fn put<D: Decode, V: Pod>(
    ask: &Ask<'_>,
    decode: D,
    decode_into: impl Fn(&Packed<'_, D>, &mut [V]),
    one: impl Fn(&D::Raw) -> V,
) {
    let size = size_of::<D::Raw>();
    // The decoded values may be smaller than the stored ones.
    let count = ask.written / size_of::<V>().max(size);
    // The data starts at offset 1, so nothing is aligned.
    let raw = <[D::Raw]>::ref_from_bytes(&ask.bytes[1..=count * ask.places * size]).unwrap();
    let expected: Rc<Vec<V>> = Rc::new(raw.iter().map(one).collect());
    let out = Rc::new(RefCell::new(expected.to_vec()));
    let places = || {
        let next = Cell::new(0);
        move || -> Range<usize> {
            // Each place is used twice: the first use loads it into the cache.
            let place = next.get() / 2;
            next.set((next.get() + 1) % (ask.places * 2));
            place * count..(place + 1) * count
        }
    };
    let same = |out: &[V], place: Range<usize>| {
        bytemuck::cast_slice::<V, u8>(out) == bytemuck::cast_slice::<V, u8>(&expected[place])
    };
    let (decodings, copies) = (places(), places());
    // The output is verified outside the measured time.
    let ours = Contestant::asked(
        "meshpeek",
        || {
            let place = decodings();
            let (array, mut out) = (Packed::new(&raw[place.clone()], decode), out.borrow_mut());
            (0..ask.times).for_each(|_| decode_into(black_box(&array), black_box(&mut out[place.clone()])));
            place
        },
        |place| same(&out.borrow()[place.clone()], place.clone()),
    );
    let copy = Contestant::asked(
        "memcpy",
        || {
            let (place, mut out) = (copies(), out.borrow_mut());
            let from = &expected[place.clone()];
            (0..ask.times).for_each(|_| black_box(&mut out[place.clone()]).copy_from_slice(black_box(from)));
            place
        },
        |place| same(&out.borrow()[place.clone()], place.clone()),
    );
    let written = (count * size_of::<V>() * ask.times) as f64 / 1e9;
    if ask.rivals == Rivals::Avx512 {
        let without = places();
        let narrow = Contestant::asked(
            "AVX2",
            || {
                let place = without();
                let (array, mut out) = (Packed::new(&raw[place.clone()], decode), out.borrow_mut());
                let job =
                    || (0..ask.times).for_each(|_| decode_into(black_box(&array), black_box(&mut out[place.clone()])));
                without_avx512(job).unwrap();
                place
            },
            |place| same(&out.borrow()[place.clone()], place.clone()),
        );
        let [wide, narrow] = claims::race(101, &[ours.again(), narrow.again()]).map(|times| times.rate(written));
        claim(&format!("{}, AVX-512 / AVX2", ask.name), wide.over(&narrow), "of its rate", Bar::AtLeast(0.95));
        return;
    }
    let in_memory = ask.rivals == Rivals::CopyInMemory;
    let (rounds, contestants) = if in_memory { (9, [ours, copy]) } else { (201, [ours.again(), copy.again()]) };
    let [ours, memcpy] = claims::race(rounds, &contestants).map(|times| times.rate(written));
    claim(&format!("{}, meshpeek", ask.name), ours.clone(), "GB/s written", Bar::None);
    claim(&format!("{}, memcpy", ask.name), memcpy.clone(), "GB/s written", Bar::None);
    let ratio = ours.over(&memcpy);
    if in_memory {
        let share = (size_of::<D::Raw>() + size_of::<V>()) as f64 / (2 * size_of::<V>()) as f64;
        claim(&format!("{}, meshpeek / memcpy", ask.name), ratio.times(share), "of its traffic", ask.bar);
    } else {
        claim(&format!("{}, meshpeek / memcpy", ask.name), ratio, "of its rate", ask.bar);
    }
}
