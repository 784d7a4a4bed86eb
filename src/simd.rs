//! Which instructions the processor has, the kernels that are compiled for several generations of them, stores that pass
//! the cache by, and asking for memory ahead of its use.
//!
//! A kernel is a plain safe function. It is written once and left to the compiler, or by hand where that gives up
//! vectors, in safe functions under `#[target_feature]`: since Rust 1.87 only those intrinsics are unsafe that take
//! pointers, and loads and stores are casts of arrays. So what is unsafe is a call, of a function compiled for
//! instructions that the processor must be known to have; the calls are here, each behind the one detection.
//!
//! `multiversion` makes the same calls and is used where no path has to be called by name. A crate of safe tokens in
//! its place would spare the two calls, and not the streaming store, which is this file's reason to exist.
//! Processors other than x86-64, and Miri, take the portable bodies.

#![allow(
    unsafe_code,
    reason = "calls of functions compiled for detected instructions, streaming stores and prefetching; this is their only home"
)]

use half::f16;
use zerocopy::little_endian::{I16, U16, U32};

use crate::decode::frame::{self, Basis, BasisOf, Frame, NormalOf, Quat7, Quat8, RawQuat7, RotationOf};
use crate::decode::influence::{self, RawInfluence};
use crate::decode::joint::{self, RawJoint};
use crate::decode::{
    Influence, boxed16, domain16, form, half as half_floats, index, one_by_one, packed32, packed64, tangent16, unit,
    unorm,
};
#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::decode::{narrow, vectors};

/// A generation of instructions.
#[cfg(any(test, all(target_arch = "x86_64", not(miri))))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Those that every processor of the architecture has.
    Portable,
    /// AVX2, fused multiplication and half floats: x86-64 since 2013.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    Avx2,
    /// AVX-512 with permutations of bytes: since 2019, 2022 at the other maker. Earlier ones lower their clock for it.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    Avx512,
}

#[cfg(any(test, all(target_arch = "x86_64", not(miri))))]
impl Level {
    /// Returns the best one that the processor has.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline]
    pub(crate) fn best() -> Self {
        #[cfg(test)]
        if let Some(level) = LOWERED.get() {
            return level.min(Self::detect());
        }
        Self::detect()
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline]
    fn detect() -> Self {
        macro_rules! has {
            ($($feature:tt)*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
        }
        if !has!("avx2" "bmi1" "bmi2" "fma" "f16c" "lzcnt" "popcnt") {
            Self::Portable
        } else if has!("avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi") {
            Self::Avx512
        } else {
            Self::Avx2
        }
    }

    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    #[inline]
    const fn detect() -> Self {
        Self::Portable
    }
}

#[cfg(test)]
thread_local! {
    static LOWERED: std::cell::Cell<Option<Level>> = const { std::cell::Cell::new(None) };
}

/// CountedRuns a test once at each level that the processor has.
#[cfg(test)]
pub(crate) fn at_each_level(mut test: impl FnMut(Level)) {
    let best = Level::detect();
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    let all = [Level::Portable, Level::Avx2, Level::Avx512];
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let all = [Level::Portable];
    for level in all.into_iter().filter(|level| *level <= best) {
        LOWERED.set(Some(level));
        test(level);
    }
    LOWERED.set(None);
}

/// Makes a function of three bodies: for every processor, for AVX2, and for AVX-512. A body is a function that is always
/// inlined, and so compiled for the level it is called at, or one written for that level.
macro_rules! kernels {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $type:ty),*) = $portable:expr, $avx2:expr, $avx512:expr;)*) => {$(
        $(#[$meta])*
        pub(crate) fn $name($($arg: $type),*) {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            {
                #[target_feature(enable = "avx2,bmi2,fma,f16c")]
                fn avx2($($arg: $type),*) {
                    $avx2($($arg),*);
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,bmi2,fma,f16c")]
                fn avx512($($arg: $type),*) {
                    $avx512($($arg),*);
                }
                match Level::best() {
                    // SAFETY: `Level::detect` gave this level or a higher one, and does so only where the processor has
                    // all features that the function is compiled for.
                    Level::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    Level::Avx2 => return unsafe { avx2($($arg),*) },
                    Level::Portable => {}
                }
            }
            $portable($($arg),*);
        }
    )*};
}

kernels! {
    /// Decodes codes over intervals, [`domain16`].
    fn domain16(raw: &[U16], out: &mut [f32], least: &domain16::Lanes, extent: &domain16::Lanes) =
        domain16::all::<false>, domain16::all::<true>, domain16::all::<true>;
    /// Decodes codes over boxes, [`boxed16`].
    fn boxed16(raw: &[U16], out: &mut [f32], least: &boxed16::Lanes, size: &boxed16::Lanes) =
        boxed16::all::<false>, boxed16::all::<true>, boxed16::all::<true>;
    /// Decodes components of unit normals, [`unit`](mod@unit).
    fn unit16(raw: &[U16], out: &mut [f32]) = unit::all::<false>, unit::all::<true>, unit::all::<true>;
    /// Decodes tangents, [`tangent16`].
    fn tangent16(raw: &[U16], out: &mut [f32]) =
        tangent16::all::<false>, tangent16::all::<true>, vectors::tangent16_avx512;
    /// Decodes bytes that stand for 0 to 1, [`unorm`].
    fn unorm8(raw: &[u8], out: &mut [f32]) = unorm::all::<false>, unorm::all::<true>, unorm::all::<true>;
    /// Decodes words of 11, 11 and 10 bits, [`packed32`].
    fn packed32(raw: &[U32], out: &mut [[f32; 3]]) = packed32::all, vectors::packed32_avx2, vectors::packed32_avx512;
    /// Decodes three integers and a pad, [`packed64`].
    fn packed64(raw: &[[I16; 4]], out: &mut [[f32; 3]]) = packed64::all, vectors::packed64_avx2, vectors::packed64_avx512;
    /// Widens indices, [`index`].
    fn index8(raw: &[u8], out: &mut [u32]) = index::bytes, index::bytes, index::bytes;
    /// Widens indices, [`index`].
    fn index16(raw: &[U16], out: &mut [u32]) = index::words, index::words, index::words;
    /// Widens half floats, [`half`](mod@half_floats).
    fn half_to_float(raw: &[U16], out: &mut [f32]) = half_floats::all, vectors::half_avx2, vectors::half_avx512;
    /// Decodes influences of four bytes, [`influence`].
    fn weight16(raw: &[RawInfluence], out: &mut [Influence]) =
        influence::all::<false>, influence::all::<true>, influence::all::<true>;
    /// Decodes influences of three bytes, [`joint`].
    fn joint16(raw: &[RawJoint], out: &mut [Influence]) = joint::all::<false>, joint::all::<true>, vectors::joint16_avx512;
    /// Decodes raw quaternions of eight bytes, [`frame`].
    fn rotation8(raw: &[[I16; 4]], out: &mut [[f32; 4]]) =
        frame::components::<false>, frame::components::<true>, frame::components::<true>;
    /// Decodes raw quaternions of seven bytes, [`frame`].
    fn rotation7(raw: &[RawQuat7], out: &mut [[f32; 4]]) =
        |raw, out| one_by_one(&RotationOf(Quat7), raw, out), frame::avx2::rotations7, frame::avx512::rotations7;
    /// Decodes frames of eight bytes.
    fn frame8(raw: &[[I16; 4]], out: &mut [Frame]) =
        |raw, out| one_by_one(&Quat8, raw, out), |raw, out| one_by_one(&Quat8, raw, out), frame::avx512::frames8;
    /// Decodes frames of seven bytes.
    fn frame7(raw: &[RawQuat7], out: &mut [Frame]) =
        |raw, out| one_by_one(&Quat7, raw, out), |raw, out| one_by_one(&Quat7, raw, out), frame::avx512::frames7;
    /// Decodes the normals of frames of eight bytes.
    fn normal8(raw: &[[I16; 4]], out: &mut [[f32; 3]]) =
        |raw, out| one_by_one(&NormalOf(Quat8), raw, out), |raw, out| one_by_one(&NormalOf(Quat8), raw, out), frame::avx512::normals8;
    /// Decodes the normals of frames of seven bytes.
    fn normal7(raw: &[RawQuat7], out: &mut [[f32; 3]]) =
        |raw, out| one_by_one(&NormalOf(Quat7), raw, out), |raw, out| one_by_one(&NormalOf(Quat7), raw, out), frame::avx512::normals7;
    /// Decodes normals, tangents and signs of frames of eight bytes.
    fn basis8(raw: &[[I16; 4]], out: &mut [Basis]) =
        |raw, out| one_by_one(&BasisOf(Quat8), raw, out), |raw, out| one_by_one(&BasisOf(Quat8), raw, out), frame::avx512::bases8;
    /// Decodes normals, tangents and signs of frames of seven bytes.
    fn basis7(raw: &[RawQuat7], out: &mut [Basis]) =
        |raw, out| one_by_one(&BasisOf(Quat7), raw, out), |raw, out| one_by_one(&BasisOf(Quat7), raw, out), frame::avx512::bases7;
    /// Narrows floats to half floats, [`form`].
    fn float_to_half(values: &[f32], out: &mut [f16]) = half_floats::narrow_all, narrow::half_avx2, narrow::half_avx512;
    /// Rounds floats to codes of 0 to 1, [`form`].
    fn float_to_unorm8(values: &[f32], out: &mut [u8]) =
        form::unorm8, narrow::unorm8_avx2, narrow::unorm8_avx512;
    /// Rounds floats to codes of 0 to 1, [`form`].
    fn float_to_unorm16(values: &[f32], out: &mut [u16]) =
        form::unorm16, narrow::unorm16_avx2, narrow::unorm16_avx512;
    /// Rounds floats to codes of −1 to 1, [`form`].
    fn float_to_snorm8(values: &[f32], out: &mut [i8]) =
        form::snorm8, narrow::snorm8_avx2, narrow::snorm8_avx512;
    /// Rounds floats to codes of −1 to 1, [`form`].
    fn float_to_snorm16(values: &[f32], out: &mut [i16]) =
        form::snorm16, narrow::snorm16_avx2, narrow::snorm16_avx512;
    /// Brings positions to 0..1 of a box, [`form`].
    fn within(values: &mut [f32], min: &form::Lanes, scale: &form::Lanes) = form::within, form::within, form::within;
}

/// Defines a function that is compiled for several generations of processors and runs the newest one supported.
///
/// Each arm is an expression, compiled with the instructions of its generation. It calls functions that are always inlined,
/// or functions written for these instructions. Arms stand newest first; `_` is for every processor.
///
/// ```ignore
/// kernel! {
///     fn unorm8(raw: &[u8], out: &mut [f32]) {
///         avx512 => decode::<true>(raw, out),
///         avx2 => decode::<true>(raw, out),
///         _ => decode::<false>(raw, out),
///     }
/// }
/// ```
///
/// A body without arms is compiled for each generation:
///
/// ```ignore
/// kernel! {
///     fn sum(bytes: &[u8]) -> u64 {
///         bytes.iter().map(|byte| u64::from(*byte)).sum()
///     }
/// }
/// ```
macro_rules! kernel {
    (@arms $signature:tt $($generation:ident => $body:expr,)* _ => $portable:expr $(,)?) => {{
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            let level = $crate::simd::Level::best();
            $($crate::simd::kernel!(@arm $generation level $signature $body);)*
        }
        $portable
    }};
    (@arms $signature:tt $($body:tt)*) => {
        $crate::simd::kernel!(@arms $signature avx512 => { $($body)* }, avx2 => { $($body)* }, _ => { $($body)* })
    };
    (@arm avx512 $level:ident $signature:tt $body:expr) => {
        $crate::simd::kernel!(
            @compiled "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,bmi1,bmi2,fma,f16c,lzcnt,popcnt"
            Avx512 $level $signature $body
        )
    };
    (@arm avx2 $level:ident $signature:tt $body:expr) => {
        $crate::simd::kernel!(@compiled "avx2,bmi1,bmi2,fma,f16c,lzcnt,popcnt" Avx2 $level $signature $body)
    };
    (@compiled $features:literal $needed:ident $level:ident { [$($generics:tt)*] $args:tt [$($value:tt)*] } $body:expr) => {
        if $level >= $crate::simd::Level::$needed {
            #[target_feature(enable = $features)]
            fn compiled $($generics)* $args $($value)* {
                $body
            }
            // SAFETY: `Level::best` returned this level or a higher one. `Level::detect` returns a level only if the processor
            // supports all features of it and of the lower ones, and `$features` are those.
            #[allow(unsafe_code, reason = "the call of a function compiled for detected instructions")]
            return unsafe { $crate::simd::kernel!(@call compiled $args) };
        }
    };
    (@call $function:ident ($($arg:ident: $type:ty),* $(,)?)) => { $function($($arg),*) };
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $(<$generic:ident: $bound:path>)? ($($args:tt)*) $(-> $value:ty)? { $($arms:tt)* }
    ) => {
        $(#[$meta])*
        $vis fn $name $(<$generic: $bound>)? ($($args)*) $(-> $value)? {
            $crate::simd::kernel!(@arms { [$(<$generic: $bound>)?] ($($args)*) [$(-> $value)?] } $($arms)*)
        }
    };
}
pub(crate) use kernel;

/// What numbers are divided by: itself, its reciprocal as an `f32`, and what that is short of.
pub(crate) struct Divisor {
    number: f32,
    pub(crate) reciprocal: f32,
    pub(crate) rest: f32,
}

/// What codes of 16 bits are divided by.
pub(crate) const BY_65535: Divisor = Divisor::new(65535.0);
/// What components with a sign are divided by.
pub(crate) const BY_32767: Divisor = Divisor::new(32767.0);
/// What codes of 8 bits are divided by.
pub(crate) const BY_255: Divisor = Divisor::new(255.0);

impl Divisor {
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounded to the nearest")]
    #[allow(clippy::cast_lossless, reason = "constants have no other way")]
    const fn new(number: f32) -> Self {
        let reciprocal = 1.0 / number;
        Self { number, reciprocal, rest: (1.0 / number as f64 - reciprocal as f64) as f32 }
    }

    /// Divides as the division itself rounds. Where there is a fused multiplication, one that adds the product with the
    /// rest of the reciprocal; where there is none, calling for it would be slow, and it divides.
    ///
    /// Both products are off by less than 2^-47 of the quotient. A number of 16 bits, divided by one of as many, is no
    /// nearer than 2^-41 of it to where rounding changes, unless it is a float itself. Tests compare all codes.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn divide<const FUSED: bool>(&self, number: f32) -> f32 {
        if FUSED { number.mul_add(self.reciprocal, number * self.rest) } else { number / self.number }
    }
}

/// Bytes of a line of the cache.
pub(crate) const LINE: usize = 64;

/// Stores that do not fetch the lines they write to, nor leave them in the cache. In a destination that the cache holds
/// they take twice the time of ordinary ones.
///
/// What was stored is visible to other threads when this is dropped, as after ordinary stores; it is dropped before the
/// function ends that borrows the destination.
pub(crate) struct PastCache(());

impl PastCache {
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl PastCache {
    /// Copies `from` to the start of `out`, as much as fits. Meanwhile the cache is asked for the bytes of `next`, so that
    /// reading goes on while this writes.
    #[allow(clippy::unused_self, reason = "what fences when it is dropped has to be there")]
    pub(crate) fn store(&self, out: &mut [u8], from: &[u8], next: &[u8]) {
        use std::arch::x86_64::{__m128i, _MM_HINT_T0, _mm_prefetch, _mm_stream_si128};

        let count = out.len().min(from.len());
        let (out, from) = (out.get_mut(..count).unwrap_or_default(), from.get(..count).unwrap_or_default());
        let head = out.as_ptr().align_offset(LINE).min(count);
        let Some(((first, out), (from_first, from))) = out.split_at_mut_checked(head).zip(from.split_at_checked(head))
        else {
            return;
        };
        first.copy_from_slice(from_first);
        let (lines, last) = out.as_chunks_mut::<LINE>();
        let (from_lines, from_last) = from.as_chunks::<LINE>();
        let mut ahead = next.iter().step_by(LINE);
        for (line, from) in lines.iter_mut().zip(from_lines) {
            let parts: [__m128i; 4] = bytemuck::cast(*from);
            let target: *mut __m128i = line.as_mut_ptr().cast();
            for (part, place) in parts.into_iter().zip(0..) {
                // SAFETY: a line is four times sixteen bytes, borrowed for writing, and `place` is 0 to 3. It starts at
                // a multiple of 64: `align_offset` gave the bytes before the first such address, or all of `out`, and
                // then there is no line. The instruction is of every x86-64 processor. Nobody looks at the line before the
                // fence of `drop`: the callers in `piece` hold the output borrowed for as long as they hold this.
                unsafe { _mm_stream_si128(target.wrapping_add(place), part) };
            }
            if let Some(byte) = ahead.next() {
                // SAFETY: an instruction of every x86-64 processor, which changes nothing but what the cache holds.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
            }
        }
        last.copy_from_slice(from_last);
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl Drop for PastCache {
    fn drop(&mut self) {
        // SAFETY: an instruction of every x86-64 processor, without operands. Streaming stores are not ordered with
        // others: it makes them visible before whatever this thread stores next.
        unsafe { std::arch::x86_64::_mm_sfence() };
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
impl PastCache {
    /// Copies `from` to the start of `out`, as much as fits.
    #[allow(clippy::unused_self, reason = "as where there is something to fence")]
    pub(crate) fn store(&self, out: &mut [u8], from: &[u8], _next: &[u8]) {
        out.iter_mut().zip(from).for_each(|(out, from)| *out = *from);
    }
}

/// Asks the processor for the first lines of what is about to be read. Changes nothing but how long that takes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction for each line of the cache")]
pub(crate) fn fetch(bytes: &[u8], lines: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in 0..lines {
            // SAFETY: as in `fetch_ahead`.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().cast::<i8>().wrapping_add(line.wrapping_mul(LINE)));
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (bytes, lines);
}

/// Asks the processor for the line in which an item of an array begins.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction")]
pub(crate) fn fetch_item<T>(array: &[T], index: u32) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let item = array.as_ptr().wrapping_add(crate::math::as_index(index));
        // SAFETY: as in `fetch_ahead`.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(item.cast());
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (array, index);
}

/// How far ahead, in bytes: a page, which is where processors stop fetching by themselves.
const AHEAD: usize = 4096;

/// Asks the processor for the memory that lies a page behind a block of an array which is gone through from its start to its
/// end. Changes nothing but how long that takes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction for each line of the cache")]
pub(crate) fn fetch_ahead<T>(block: &[T]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = block.as_ptr().cast::<i8>().wrapping_add(AHEAD);
        for line in (0..size_of_val(block)).step_by(64) {
            // SAFETY: every processor of this architecture has the instruction. It is a hint that may name any address: it
            // reads nothing that the program can see, and where nothing is mapped it does nothing.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line));
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (block, AHEAD);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_past_the_cache_to_any_place() {
        let from: Vec<u8> = (0..400_u16).map(|at| (at % 251).to_le_bytes()[0] + 1).collect();
        for at in 0..64 {
            for length in (0..200).chain([320, 330]) {
                let mut out = vec![0; 500];
                PastCache::new().store(&mut out[at..at + length], &from[at % 7..], &from[..length]);
                assert!(out[..at].iter().chain(&out[at + length..]).all(|byte| *byte == 0), "{at} {length}");
                assert_eq!(out[at..at + length], from[at % 7..at % 7 + length]);
                // No more than there is.
                PastCache::new().store(&mut out[at..], &[9; 3], &[]);
                assert_eq!(out[at..at + 3], [9; 3]);
                assert_eq!(out.get(at + 3), Some(&from[at % 7 + 3]).filter(|_| length > 3).or(Some(&0)));
            }
        }
    }

    #[test]
    fn divides_as_division_does() {
        at_each_level(|_| {});
        for (divisor, last) in [(BY_65535, 65535), (BY_32767, 32768), (BY_255, 255)] {
            for code in 0..=last {
                let number = f32::from(u16::try_from(code).unwrap());
                for number in [number, -number] {
                    let found = divisor.divide::<true>(number);
                    assert!(found.to_bits() == (number / divisor.number).to_bits() || number == 0.0, "{number}");
                }
            }
        }
    }
}
