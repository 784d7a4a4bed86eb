//! Instructions that not every processor has: which ones the processor at hand supports, functions compiled for several
//! generations of it, stores that bypass the cache, and prefetching.
//!
//! A kernel is a safe function. The compiler vectorises it, or it is written by hand where that is slower, in safe functions
//! under `#[target_feature]`: since Rust 1.87 only the intrinsics that take pointers are unsafe, and loads and stores are
//! casts of arrays. What is unsafe is the call of a function that is compiled for instructions which the processor must
//! support. The macro [`kernel`] makes that call after the one detection, so that files with kernels have no unsafe code.
//!
//! Processors other than x86-64, and Miri, run the portable bodies.

#![allow(
    unsafe_code,
    reason = "calls of functions compiled for detected instructions, streaming stores and prefetching; this is their only home"
)]

/// A generation of instructions.
#[cfg(any(test, all(target_arch = "x86_64", not(miri))))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CpuLevel {
    /// The instructions of every processor of the architecture.
    Portable,
    /// AVX2, fused multiplication and half floats: x86-64 since 2013.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    Avx2,
    /// AVX-512 with byte permutations: Intel since 2019, AMD since 2022. Earlier processors lower their clock for AVX-512.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    Avx512,
}

#[cfg(any(test, all(target_arch = "x86_64", not(miri))))]
impl CpuLevel {
    /// Returns the highest level that the processor supports.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline]
    pub(crate) fn best() -> Self {
        static BEST: std::sync::OnceLock<CpuLevel> = std::sync::OnceLock::new();

        let best = *BEST.get_or_init(Self::detect);
        #[cfg(test)]
        if let Some(level) = LOWERED.get() {
            return level.min(best);
        }
        best
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
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
    const fn detect() -> Self {
        Self::Portable
    }
}

#[cfg(test)]
thread_local! {
    static LOWERED: std::cell::Cell<Option<CpuLevel>> = const { std::cell::Cell::new(None) };
}

/// Runs a test once at each level that the processor supports.
#[cfg(test)]
pub(crate) fn at_each_level(mut test: impl FnMut(CpuLevel)) {
    let best = CpuLevel::detect();
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    let all = [CpuLevel::Portable, CpuLevel::Avx2, CpuLevel::Avx512];
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let all = [CpuLevel::Portable];
    for level in all.into_iter().filter(|level| *level <= best) {
        LOWERED.set(Some(level));
        test(level);
    }
    LOWERED.set(None);
}

/// Defines a function that is compiled for several generations of processors and runs the newest one supported.
///
/// Each arm is an expression, compiled with the instructions of its generation. It calls functions that are always inlined,
/// or functions written for these instructions. Arms stand newest first; `_` is for every processor.
///
/// ```text
/// kernel! {
///     fn unorm8(raw: &[u8], out: &mut [f32]) {
///         avx512 | avx2 => decode::<true>(raw, out),
///         _ => decode::<false>(raw, out),
///     }
/// }
/// ```
///
/// A body without arms is compiled for each generation:
///
/// ```text
/// kernel! {
///     fn sum(bytes: &[u8]) -> u64 {
///         bytes.iter().map(|byte| u64::from(*byte)).sum()
///     }
/// }
/// ```
macro_rules! kernel {
    (@arms $signature:tt $($($generation:ident)|+ => $body:expr,)* _ => $portable:expr $(,)?) => {{
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            let level = $crate::simd::CpuLevel::best();
            $($($crate::simd::kernel!(@arm $generation level $signature $body);)+)*
        }
        $portable
    }};
    (@arms $signature:tt $($body:tt)*) => {
        $crate::simd::kernel!(@arms $signature avx512 | avx2 => { $($body)* }, _ => { $($body)* })
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
        if $level >= $crate::simd::CpuLevel::$needed {
            #[target_feature(enable = $features)]
            fn compiled $($generics)* $args $($value)* {
                $body
            }
            // SAFETY: `CpuLevel::best` returned this level or a higher one. `CpuLevel::detect` returns a level only if the processor
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

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// Stores that bypass the cache: they neither load the lines they write nor keep them. They take twice the time of ordinary
/// stores if the cache holds the destination.
///
/// Dropping this makes the stores visible to other threads, as ordinary stores are. It is dropped before the borrow of the
/// destination ends.
pub(crate) struct PastCache(());

impl PastCache {
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl PastCache {
    /// Copies `from` to the start of `out`, as much as fits. Prefetches `next` meanwhile, which keeps reading and writing
    /// busy together.
    #[allow(clippy::unused_self, reason = "dropping it fences the stores")]
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
                // then there is no line. Every x86-64 processor has the instruction. No code reads the line before the fence
                // of `drop`: the callers borrow the output mutably for as long as they hold this.
                unsafe { _mm_stream_si128(target.wrapping_add(place), part) };
            }
            if let Some(byte) = ahead.next() {
                // SAFETY: an instruction of every x86-64 processor that changes nothing but the contents of the cache.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
            }
        }
        last.copy_from_slice(from_last);
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl Drop for PastCache {
    fn drop(&mut self) {
        // SAFETY: an instruction of every x86-64 processor, without operands. It makes the streaming stores visible before
        // the stores that follow in this thread.
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

/// Prefetches the first cache lines of some bytes. Has no effect but on time.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction for each line of the cache")]
pub(crate) fn prefetch_lines(bytes: &[u8], lines: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in 0..lines {
            // SAFETY: as in `prefetch_ahead`.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().cast::<i8>().wrapping_add(line.wrapping_mul(LINE)));
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (bytes, lines);
}

/// Prefetches the cache line in which an item of an array begins. The index may be out of range.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction")]
pub(crate) fn prefetch_item<T>(array: &[T], index: u32) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let item = array.as_ptr().wrapping_add(usize::try_from(index).unwrap_or(usize::MAX));
        // SAFETY: as in `prefetch_ahead`.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(item.cast());
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (array, index);
}

/// Distance of prefetching in bytes: a page, because processors prefetch no further on their own.
const AHEAD: usize = 4096;

/// Prefetches the memory one page after a block, for a loop over an array from its start to its end. Has no effect but on
/// time.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction for each line of the cache")]
pub(crate) fn prefetch_ahead<T>(block: &[T]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = block.as_ptr().cast::<i8>().wrapping_add(AHEAD);
        for line in (0..size_of_val(block)).step_by(64) {
            // SAFETY: every processor of this architecture has the instruction. It is a hint and takes any address: it reads
            // nothing that the program can observe, and does nothing if the address is not mapped.
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
}
