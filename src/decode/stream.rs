//! Loops that write decoded values, with ordinary stores or with stores that bypass the cache.
//!
//! A loop decodes a chunk of values, which fills whole cache lines, and writes it. If the output is
//! larger than the caches, the stores bypass the cache. The chunk is then still in registers, or in
//! the first-level cache, when it is stored. Reads and writes of main memory therefore overlap. If
//! instead several kilobytes were decoded to a buffer and then copied, the memory would be idle
//! while the buffer is filled.

use bytemuck::Pod;

use crate::simd::{self, CacheLine, LINE, PastCache, StreamingStore, kernel};

/// Minimum size of an output slice that is written with stores that bypass the processor's cache,
/// in bytes.
///
/// The last-level cache of most machines cannot hold an output slice of 32 MiB or more. If the
/// cache does hold the output slice, stores that bypass the cache take twice the time of ordinary
/// stores.
const MIN_BYTES_PAST_CACHE: usize = 32 << 20;

/// Returns whether an output slice is written with stores that bypass the cache.
#[inline]
pub(crate) fn is_past_cache<V>(out: &[V]) -> bool {
    #[cfg(test)]
    if SMALL_OUTPUTS.get() {
        return !out.is_empty();
    }
    size_of_val(out) >= MIN_BYTES_PAST_CACHE
}

#[cfg(test)]
thread_local! {
    static SMALL_OUTPUTS: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs the closure `test`, in which the stores to outputs of any size bypass the cache.
#[cfg(test)]
pub(crate) fn past_cache<T>(test: impl FnOnce() -> T) -> T {
    SMALL_OUTPUTS.set(true);
    let result = test();
    SMALL_OUTPUTS.set(false);
    result
}

/// Decodes chunks of `N` records with `decode`, and the records after the last chunk with `rest`.
///
/// Stores to a large output bypass the cache if the output starts at a cache line and a chunk fills
/// whole cache lines.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(crate) fn in_chunks<S: StreamingStore, R, V: Pod, const N: usize>(
    raw: &[R],
    out: &mut [V],
    decode: impl Fn(&[R; N]) -> [V; N],
    rest: impl Fn(&[R], &mut [V]),
) {
    in_places::<S, R, V, N>(raw, out, |chunk, place| *place = decode(chunk), rest);
}

/// Decodes like [`in_chunks`], with a `decode` that may write a value of a chunk several times.
#[inline(always)]
pub(crate) fn in_places<S: StreamingStore, R, V: Pod, const N: usize>(
    raw: &[R],
    out: &mut [V],
    decode: impl Fn(&[R; N], &mut [V; N]),
    rest: impl Fn(&[R], &mut [V]),
) {
    let (chunks, last_raw) = raw.as_chunks::<N>();
    let (places, last) = out.as_chunks_mut::<N>();
    if !stream::<S, R, V, N>(chunks, places, &decode) {
        for (place, chunk) in places.iter_mut().zip(chunks) {
            decode(chunk, place);
        }
    }
    rest(last_raw, last);
}

/// Decodes records with `decode`: all at once, or `N` at a time if the stores to a large output
/// bypass the cache.
#[inline(always)]
pub(crate) fn in_blocks<S: StreamingStore, R, V: Pod, const N: usize>(
    raw: &[R],
    out: &mut [V],
    decode: impl Fn(&[R], &mut [V]),
) {
    let (chunks, last_raw) = raw.as_chunks::<N>();
    let (places, last) = out.as_chunks_mut::<N>();
    if stream::<S, R, V, N>(chunks, places, |chunk, place| decode(chunk, place)) {
        decode(last_raw, last);
    } else {
        decode(raw, out);
    }
}

/// Copies bytes, past the cache if the output is large. The two slices have the same length.
pub(crate) fn copy(from: &[u8], out: &mut [u8]) {
    if is_past_cache(out) {
        copy_past_cache(&PastCache::new(), out, from, from.get(COPY_AHEAD..).unwrap_or_default());
    } else {
        out.copy_from_slice(from);
    }
}

/// The distance from the records that [`stream`] reads to the bytes that it prefetches.
const DECODE_AHEAD: usize = 2048;
/// The distance from the bytes that [`copy`] reads to the bytes that it prefetches.
const COPY_AHEAD: usize = 1024;

/// Decodes chunks and writes them past the cache. Returns `false`, and writes nothing, if the
/// output is small, if it does not start at a cache line, or if a chunk does not fill whole lines.
#[inline(always)]
fn stream<S: StreamingStore, R, V: Pod, const N: usize>(
    chunks: &[[R; N]],
    out: &mut [[V; N]],
    decode: impl Fn(&[R; N], &mut [V; N]),
) -> bool {
    let lines = const { size_of::<[V; N]>() / LINE };
    if !const { lines_fill::<V, N>() } || !is_past_cache(out) {
        return false;
    }
    let past_cache = PastCache::new();
    let Some((stores, places)) = past_cache.stores::<S>().zip(as_lines(out)) else {
        return false;
    };
    for (places, chunk) in places.chunks_exact_mut(lines).zip(chunks) {
        simd::prefetch_ahead(chunk, DECODE_AHEAD);
        let mut values = [V::zeroed(); N];
        decode(chunk, &mut values);
        for (place, bytes) in places.iter_mut().zip(bytemuck::bytes_of(&values).as_chunks::<LINE>().0) {
            stores.store(place, *bytes);
        }
    }
    true
}

/// Returns an output as cache lines, or `None` if it does not start at a cache line or does not
/// consist of whole lines.
#[inline]
fn as_lines<V: Pod>(out: &mut [V]) -> Option<&mut [CacheLine]> {
    // Under Miri, `align_offset` takes no address for the start of a line by chance.
    let starts_line = out.as_ptr().cast::<u8>().align_offset(LINE) == 0;
    if starts_line { bytemuck::try_cast_slice_mut(out).ok() } else { None }
}

/// Returns whether `N` values fill whole cache lines.
const fn lines_fill<V, const N: usize>() -> bool {
    size_of::<[V; N]>() > 0 && size_of::<[V; N]>().is_multiple_of(LINE)
}

kernel! {
    /// Copies `from` to the start of `out` with stores that bypass the cache, up to the shorter of
    /// the two lengths.
    ///
    /// `copy_past_cache` also prefetches the bytes of `next` into the cache, to read and write main
    /// memory at the same time.
    pub(crate) fn copy_past_cache(past_cache: &PastCache, out: &mut [u8], from: &[u8], next: &[u8]) {
        copy_lines::<Store>(past_cache, out, from, next);
    }
}

#[inline(always)]
fn copy_lines<S: StreamingStore>(past_cache: &PastCache, out: &mut [u8], from: &[u8], next: &[u8]) {
    let count = out.len().min(from.len());
    let (out, from) = (out.get_mut(..count).unwrap_or_default(), from.get(..count).unwrap_or_default());
    let head = out.as_ptr().align_offset(LINE).min(count);
    let Some(((first, out), (from_first, from))) = out.split_at_mut_checked(head).zip(from.split_at_checked(head))
    else {
        return;
    };
    first.copy_from_slice(from_first);
    let (from_lines, from_last) = from.as_chunks::<LINE>();
    let (lines, last) = out.split_at_mut(from_lines.as_flattened().len());
    last.copy_from_slice(from_last);
    let mut ahead = next.chunks(LINE);
    match past_cache.stores::<S>().zip(as_lines(lines)) {
        Some((stores, lines)) => {
            for (line, bytes) in lines.iter_mut().zip(from_lines) {
                stores.store(line, *bytes);
                ahead.by_ref().take(1).for_each(|bytes| simd::prefetch_lines(bytes, 1));
            }
        }
        None => lines.copy_from_slice(from_lines.as_flattened()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_past_the_cache_to_any_place() {
        let from: Vec<u8> = (0..400_u16).map(|at| (at % 251).to_le_bytes()[0] + 1).collect();
        // Miri is slow.
        let [places, lengths] = if cfg!(miri) { [21, 37] } else { [1, 1] };
        for at in (0..64).step_by(places) {
            for length in (0..200).step_by(lengths).chain([320, 330]) {
                let mut out = vec![0; 500];
                copy_past_cache(&PastCache::new(), &mut out[at..at + length], &from[at % 7..], &from[..length]);
                assert!(out[..at].iter().chain(&out[at + length..]).all(|byte| *byte == 0), "{at} {length}");
                assert_eq!(out[at..at + length], from[at % 7..at % 7 + length]);
                // No byte after the bytes that are copied from `from` is written.
                copy_past_cache(&PastCache::new(), &mut out[at..], &[9; 3], &[]);
                assert_eq!(out[at..at + 3], [9; 3]);
                assert_eq!(out.get(at + 3), Some(&from[at % 7 + 3]).filter(|_| length > 3).or(Some(&0)));
            }
        }
    }
}
