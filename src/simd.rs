//! Access to processor instructions that not every processor supports, such as AVX2 and AVX-512.
//!
//! This module detects which vector instruction sets the current processor supports, and compiles
//! functions for several SIMD levels: portable, AVX2 and AVX-512. This module also contains memory
//! stores that bypass the processor's cache, and functions that prefetch memory into the cache.
//!
//! A kernel is a safe function that processes many items with vector instructions. Usually the
//! compiler vectorises the loop of a kernel automatically. A kernel is written with intrinsics, in
//! safe functions with `#[target_feature]`, if the automatically vectorised loop is slower. The
//! intrinsics need no unsafe code: since Rust 1.87 only the intrinsics that take pointers are
//! unsafe, and the kernels load and store vectors by casting arrays. Calling a function that is
//! compiled for AVX2 or AVX-512 is unsafe, because the processor may not support these
//! instructions. The macro [`kernel`] contains the unsafe call, after a check of the detected SIMD
//! level. The source files that define kernels therefore contain no unsafe code.
//!
//! On processors other than x86-64, and under Miri, each kernel runs in its portable version
//! without AVX2 and AVX-512.

#![allow(
    unsafe_code,
    reason = "only this module calls functions compiled for detected instructions, has streaming stores and prefetching, initialises memory, and loads several records after one check"
)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// A SIMD level: a set of vector instruction sets that a function is compiled for.
#[cfg(any(test, all(target_arch = "x86_64", not(miri))))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CpuLevel {
    /// Only the instructions that every processor of the target architecture supports.
    Portable,
    /// AVX2, fused multiply-add (FMA) and half-float conversion (F16C), as in x86-64 processors
    /// since 2013.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    Avx2,
    /// AVX-512 with byte permutations (VBMI), as in Intel processors since 2019 and AMD since 2022.
    ///
    /// Older processors that support AVX-512 without VBMI use the AVX2 level, because they lower
    /// their clock frequency while they execute AVX-512 instructions.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    Avx512,
}

#[cfg(any(test, all(target_arch = "x86_64", not(miri))))]
impl CpuLevel {
    /// Returns the highest SIMD level that the processor supports.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline]
    pub(crate) fn best() -> Self {
        static BEST: std::sync::OnceLock<CpuLevel> = std::sync::OnceLock::new();

        let best = *BEST.get_or_init(Self::detect);
        #[cfg(any(test, feature = "internals"))]
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

/// Returns the name of the highest SIMD level that the processor supports. The kernels use it.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the bench of the program uses it"))]
pub(crate) fn level_name() -> &'static str {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    match CpuLevel::best() {
        CpuLevel::Portable => "portable",
        CpuLevel::Avx2 => "AVX2",
        CpuLevel::Avx512 => "AVX-512",
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    "portable"
}

#[cfg(any(test, all(feature = "internals", target_arch = "x86_64", not(miri))))]
thread_local! {
    static LOWERED: std::cell::Cell<Option<CpuLevel>> = const { std::cell::Cell::new(None) };
}

/// Runs the closure `test` once for each SIMD level that the processor supports.
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

/// Runs the closure `job` with the kernels for AVX2. Returns `None`, and does not run it, if the
/// processor does not support AVX-512.
#[cfg(feature = "internals")]
pub(crate) fn without_avx512<T>(job: impl FnOnce() -> T) -> Option<T> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if CpuLevel::best() == CpuLevel::Avx512 {
        LOWERED.set(Some(CpuLevel::Avx2));
        let result = job();
        LOWERED.set(None);
        return Some(result);
    }
    let _ = job;
    None
}

/// Defines a function that is compiled for several SIMD levels.
///
/// At run time, the defined function calls the version that is compiled for the highest SIMD level
/// that the processor supports.
///
/// Each arm of the macro consists of the names of SIMD levels and an expression that is compiled
/// for these levels. The expression of a macro arm calls functions that are always inlined, or
/// functions that are written with the intrinsics of the SIMD levels of the arm. The macro arm of
/// the highest SIMD level comes first. The macro arm `_` is compiled for every processor.
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
/// In each expression, `Store` is the [`StreamingStore`] of the SIMD level.
///
/// The function in a macro call without arms is compiled for each SIMD level:
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
        $crate::simd::kernel!(@store Store128);
        $portable
    }};
    (@store $store:ident) => {
        #[allow(dead_code, reason = "only a kernel that decodes to large outputs uses it")]
        type Store = $crate::simd::$store;
    };
    (@arms $signature:tt $($body:tt)*) => {
        $crate::simd::kernel!(@arms $signature avx512 | avx2 => { $($body)* }, _ => { $($body)* })
    };
    (@arm avx512 $level:ident $signature:tt $body:expr) => {
        $crate::simd::kernel!(
            @compiled "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,bmi1,bmi2,fma,f16c,lzcnt,popcnt"
            Avx512 Store512 $level $signature $body
        )
    };
    (@arm avx2 $level:ident $signature:tt $body:expr) => {
        $crate::simd::kernel!(@compiled "avx2,bmi1,bmi2,fma,f16c,lzcnt,popcnt" Avx2 Store256 $level $signature $body)
    };
    (@compiled $features:literal $needed:ident $store:ident $level:ident { [$($generics:tt)*] $args:tt [$($value:tt)*] } $body:expr) => {
        if $level >= $crate::simd::CpuLevel::$needed {
            #[target_feature(enable = $features)]
            fn compiled $($generics)* $args $($value)* {
                $crate::simd::kernel!(@store $store);
                $body
            }
            // SAFETY: `CpuLevel::best` returned the SIMD level `$needed` or a higher level.
            // `CpuLevel::detect` returns a level only if the processor supports all features of
            // that level and of all lower levels. `$features` are the features of the level
            // `$needed`.
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

/// Size of a cache line, in bytes.
pub(crate) const LINE: usize = 64;

/// The memory of a cache line.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct CacheLine([u8; LINE]);

/// The instruction of a SIMD level that stores a cache line or a part of it past the cache.
pub(crate) trait StreamingStore {
    /// Returns whether the processor has the instruction.
    fn is_supported() -> bool;

    /// Writes a cache line past the cache.
    ///
    /// # Safety
    ///
    /// The processor has the instruction, and the thread executes a store fence before any code
    /// reads the line.
    unsafe fn store(line: &mut CacheLine, bytes: [u8; LINE]);
}

/// Defines the streaming stores: the vector type, the intrinsic, and the SIMD level that has it.
macro_rules! streaming_stores {
    ($($(#[$meta:meta])* $name:ident: $vector:ident $stream:ident $needed:ident;)*) => {$(
        $(#[$meta])*
        pub(crate) struct $name;

        impl StreamingStore for $name {
            #[inline(always)]
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            fn is_supported() -> bool {
                CpuLevel::best() >= CpuLevel::$needed
            }

            #[inline(always)]
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            unsafe fn store(line: &mut CacheLine, bytes: [u8; LINE]) {
                use std::arch::x86_64::{$stream, $vector};

                let parts: [$vector; LINE / size_of::<$vector>()] = bytemuck::cast(bytes);
                let places: *mut $vector = line.0.as_mut_ptr().cast();
                for (part, place) in parts.into_iter().zip(0..) {
                    // SAFETY: the parts of a line have 64 bytes together, so each store is in the
                    // bounds of `line`, which is borrowed mutably. The address is a multiple of the
                    // size of a part, because `CacheLine` is aligned to 64 bytes. The caller makes
                    // sure that the processor has the instruction and that a store fence follows.
                    unsafe { $stream(places.wrapping_add(place), part) };
                }
            }

            #[cfg(not(all(target_arch = "x86_64", not(miri))))]
            fn is_supported() -> bool {
                true
            }

            #[cfg(not(all(target_arch = "x86_64", not(miri))))]
            unsafe fn store(line: &mut CacheLine, bytes: [u8; LINE]) {
                line.0 = bytes;
            }
        }
    )*};
}

streaming_stores! {
    /// Stores of 16 bytes, which every x86-64 processor has. Other processors use ordinary stores.
    Store128: __m128i _mm_stream_si128 Portable;
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
streaming_stores! {
    /// Stores of 32 bytes.
    Store256: __m256i _mm256_stream_si256 Avx2;
    /// Stores of whole cache lines.
    Store512: __m512i _mm512_stream_si512 Avx512;
}

/// Memory stores that bypass the cache (streaming stores).
///
/// A streaming store does not load the cache line that it writes, and does not keep this line in
/// the cache.
///
/// If the cache already holds the destination, a store that bypasses the cache takes twice the time
/// of an ordinary store.
///
/// Dropping a `PastCache` executes a store fence, which makes the streaming stores visible to other
/// threads like ordinary stores. A fence waits for the stores before it, so one `PastCache` serves
/// a whole output. A `PastCache` must be dropped before the mutable borrow of the destination ends.
pub(crate) struct PastCache(());

impl PastCache {
    pub(crate) const fn new() -> Self {
        Self(())
    }

    /// Returns the stores of a SIMD level, or `None` if the processor does not have them.
    #[inline]
    #[allow(clippy::unused_self, reason = "the stores borrow `self`, whose drop fences them")]
    pub(crate) fn stores<S: StreamingStore>(&self) -> Option<LineStores<'_, S>> {
        S::is_supported().then_some(LineStores(PhantomData))
    }
}

impl Drop for PastCache {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: every x86-64 processor has the `sfence` instruction, which has no operands.
        // `sfence` makes the streaming stores visible before all later stores of this thread.
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        unsafe {
            std::arch::x86_64::_mm_sfence();
        };
    }
}

/// Stores of whole cache lines that bypass the cache.
pub(crate) struct LineStores<'a, S>(PhantomData<(&'a PastCache, S)>);

impl<S: StreamingStore> LineStores<'_, S> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is one instruction, which needs the target features of its caller")]
    #[allow(clippy::unused_self, reason = "`self` is the proof that the processor has the instruction")]
    pub(crate) fn store(&self, line: &mut CacheLine, bytes: [u8; LINE]) {
        // SAFETY: `PastCache::stores` has made sure that the processor has the instruction. No code
        // reads the line before the store fence in the drop of the `PastCache`, because the callers
        // borrow the output mutably while they hold the `PastCache`.
        unsafe { S::store(line, bytes) };
    }
}

/// Memory that is initialised from its start to its end, a block of bytes at a time. The memory is
/// never read.
pub(crate) struct UninitBytes<'a> {
    out: &'a mut [MaybeUninit<u8>],
    /// The number of bytes at the start of `out` that are initialised.
    filled: usize,
}

impl<'a> UninitBytes<'a> {
    pub(crate) const fn new(out: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { out, filled: 0 }
    }

    /// Copies `bytes` to the memory after the initialised bytes, up to the end of the memory.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let rest = self.out.get_mut(self.filled..).unwrap_or_default();
        let count = rest.len().min(bytes.len());
        for (place, byte) in rest.iter_mut().zip(bytes) {
            place.write(*byte);
        }
        self.filled = self.filled.saturating_add(count);
    }

    /// Returns the initialised bytes.
    pub(crate) fn finish(self) -> &'a mut [u8] {
        let filled = self.out.get_mut(..self.filled).unwrap_or_default();
        // SAFETY: `push` has written the first `self.filled` bytes of `self.out`, one after
        // another, and no other code changes `self.filled` or the memory. `MaybeUninit<u8>` has the
        // size and the alignment of `u8`. The pointer and the length are those of a slice that is
        // borrowed mutably for the lifetime of the result.
        unsafe { std::slice::from_raw_parts_mut(filled.as_mut_ptr().cast(), filled.len()) }
    }
}

/// Prefetches the first `lines` cache lines of `bytes` into the cache.
///
/// Prefetching changes only the speed of the program, and not its results.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction for each cache line")]
pub(crate) fn prefetch_lines(bytes: &[u8], lines: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in 0..lines {
            // SAFETY: every x86-64 processor has the prefetch instruction, which accepts any
            // address.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().cast::<i8>().wrapping_add(line.wrapping_mul(LINE)));
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (bytes, lines);
}

/// Prefetches the cache line that contains the first byte of item `index` of an array.
///
/// `index` may be out of range, because a prefetch accepts any address.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction")]
pub(crate) fn prefetch_item<T>(array: &[T], index: u32) {
    prefetch_items(array, usize::try_from(index).unwrap_or(usize::MAX), 1);
}

/// Prefetches `lines` cache lines from the first byte of item `index` of an array on.
///
/// `index` may be out of range, because a prefetch accepts any address.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction for each cache line")]
pub(crate) fn prefetch_items<T>(array: &[T], index: usize, lines: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let item = array.as_ptr().wrapping_add(index).cast::<i8>();
        for line in 0..lines {
            // SAFETY: every x86-64 processor has the prefetch instruction, which accepts any
            // address.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(item.wrapping_add(line.wrapping_mul(LINE)));
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (array, index, lines);
}

/// Records of `STRIDE` bytes, given by their numbers, of which the first `SIZE` bytes are loaded.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Records<'a, const STRIDE: usize, const SIZE: usize> {
    /// Contains the `SIZE` bytes from `number * STRIDE` on for each of `numbers`.
    bytes: &'a [u8],
    numbers: &'a [[u32; 12]; 2],
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl<'a, const STRIDE: usize, const SIZE: usize> Records<'a, STRIDE, SIZE> {
    /// Returns the records with the given numbers. `SIZE` may be greater than `STRIDE`.
    ///
    /// Returns `None` if a byte of a record would be after the last byte of `bytes`.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the vector instructions of the caller find the greatest number")]
    pub(crate) fn new(bytes: &'a [u8], numbers: &'a [[u32; 12]; 2]) -> Option<Self> {
        let greatest = numbers.as_flattened().iter().fold(0, |greatest: u32, number| greatest.max(*number));
        let end = usize::try_from(greatest).ok()?.checked_mul(STRIDE)?.checked_add(SIZE)?;
        (end <= bytes.len()).then_some(Self { bytes, numbers })
    }

    /// Loads the first twelve of the records, or the last twelve.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the records are loaded to vectors of the caller")]
    pub(crate) fn load(&self, is_last: bool) -> [[u8; SIZE]; 12] {
        let [first, last] = self.numbers;
        let mut records = [[0; SIZE]; 12];
        for (place, number) in records.iter_mut().zip(if is_last { last } else { first }) {
            let start = usize::try_from(*number).unwrap_or(0).wrapping_mul(STRIDE);
            // SAFETY: `new` has compared the end of the record with the greatest number with the
            // length of `bytes`, so the `SIZE` bytes from `start` on are in `bytes`. An array of
            // bytes has no alignment and no invalid values.
            *place = unsafe { self.bytes.as_ptr().add(start).cast::<[u8; SIZE]>().read_unaligned() };
        }
        records
    }
}

/// Returns the distance from an address that a loop reads to the address that it prefetches, in
/// bytes.
///
/// The hardware prefetcher of most processors does not prefetch beyond the current page, so the
/// distance is one memory page (4,096 bytes). AMD's prefetcher does, and prefetches of the next
/// page would take a fifth of its read rate, so the distance is four cache lines there.
pub(crate) fn prefetch_distance() -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        static DISTANCE: std::sync::OnceLock<usize> = std::sync::OnceLock::new();

        *DISTANCE.get_or_init(|| {
            // SAFETY: every x86-64 processor has the `cpuid` instruction, and leaf 0.
            #[allow(unused_unsafe, reason = "the intrinsic is unsafe in older versions of Rust")]
            let vendor = unsafe { std::arch::x86_64::__cpuid(0) }.ebx.to_le_bytes();
            if vendor == *b"Auth" { LINE.saturating_mul(4) } else { 4096 }
        })
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    0
}

/// Prefetches the memory that lies `distance` bytes after the items of `block`.
///
/// Call `prefetch_ahead` in a loop that reads an array from its start to its end. Prefetching
/// changes only the speed of the program, and not its results.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction for each cache line")]
pub(crate) fn prefetch_ahead<T>(block: &[T], distance: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = block.as_ptr().cast::<i8>().wrapping_add(distance);
        for line in (0..size_of_val(block)).step_by(LINE) {
            // SAFETY: every x86-64 processor has the prefetch instruction. The prefetch instruction
            // is a hint and accepts any address. A prefetch has no effect that the program can
            // observe, and does nothing if the address is not mapped.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line));
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (block, distance);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[test]
    fn loads_records_that_are_in_bounds() {
        let bytes: [u8; 20] = std::array::from_fn(|at| u8::try_from(at).unwrap());
        for place in 0..24 {
            let mut numbers = [[0; 12]; 2];
            numbers.as_flattened_mut()[place] = 5;
            let four = Records::<3, 4>::new(&bytes, &numbers).unwrap().load(place >= 12);
            let five = Records::<3, 5>::new(&bytes, &numbers).unwrap().load(place >= 12);
            assert_eq!(four[place % 12], [15, 16, 17, 18]);
            assert_eq!(five[place % 12], [15, 16, 17, 18, 19], "up to the last byte");
            for number in [6, u32::MAX] {
                numbers.as_flattened_mut()[place] = number;
                assert!(Records::<3, 4>::new(&bytes, &numbers).is_none(), "after the last byte");
            }
        }
    }

    #[test]
    fn returns_only_the_initialised_bytes() {
        let mut memory = [MaybeUninit::uninit(); 5];
        assert!(UninitBytes::new(&mut memory).finish().is_empty());
        let mut bytes = UninitBytes::new(&mut memory);
        bytes.push(&[1, 2]);
        bytes.push(&[]);
        bytes.push(&[3]);
        assert_eq!(bytes.finish(), [1, 2, 3]);
        let mut bytes = UninitBytes::new(&mut memory);
        bytes.push(&[4; 4]);
        bytes.push(&[5; 4]);
        bytes.push(&[6; 4]);
        assert_eq!(bytes.finish(), [4, 4, 4, 4, 5]);
    }
}
