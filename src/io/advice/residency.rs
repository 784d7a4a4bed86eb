//! Detects whether bytes of a memory map are in memory.

use crate::math::as_u64;

/// The size of the parts from each of which [`seem_cached`] reads one page, in bytes.
const STRATUM: usize = 1 << 20;

/// The least number of pages that [`seem_cached`] reads of bytes of more than 256 KiB, of more than
/// 64 KiB, and of fewer bytes. The operating system reads 64 KiB and more at once.
const LEAST_SAMPLES: [usize; 3] = [7, 3, 1];

/// Returns whether all pages of a sample of `parts` are in memory, in which case all of `parts` is
/// probably in memory.
///
/// The sample has one page of each MiB of each part, and a few more of small parts. The pages are
/// at irregular places, because the pages at the start and at the end of a part have often been
/// read already by the parser of the file. If a page outside the sample is not in memory, the
/// operating system reads it from the disk when the program accesses it.
pub(super) fn seem_cached<'b>(parts: &(impl Iterator<Item = &'b [u8]> + Clone)) -> bool {
    let Some(most) = parts.clone().map(<[u8]>::len).max() else { return true };
    let [large, small, least] = LEAST_SAMPLES;
    let samples = match most / (STRATUM / 16) {
        0 => least,
        1..4 => small,
        _ => large.max(most / STRATUM),
    };
    let sample = |number: usize| parts.clone().filter_map(move |part| part.get(place(part, number, samples)..));
    are_cached(samples, |number| sample(number).for_each(touch))
}

/// Returns whether the pages of a sample are in memory. `read` reads the page with the given
/// number, which is below `count`.
///
/// The number of system calls is logarithmic in `count`: it is asked after 1, 3, 7, 15 pages and so
/// on whether the thread has waited for the disk.
pub(super) fn are_cached(count: usize, mut read: impl FnMut(usize)) -> bool {
    let Some(before) = pages_from_disk() else { return false };
    let mut group = 0..1;
    while group.start < count {
        (group.start..group.end.min(count)).for_each(&mut read);
        if pages_from_disk() != Some(before) {
            return false;
        }
        group = group.end..group.end.saturating_mul(2).saturating_add(1);
    }
    true
}

/// Reads the first of `bytes`, which loads its page.
pub(super) fn touch(bytes: &[u8]) {
    std::hint::black_box(bytes.first().copied());
}

/// Returns an irregular place in stratum `number` of `count` equal strata of `part`.
fn place(part: &[u8], number: usize, count: usize) -> usize {
    irregular(number, part.len().checked_div(count).unwrap_or_default())
}

/// Returns an irregular number in the range with the given number, where all ranges have `length`
/// numbers. A list may repeat itself, and every number at regular distances may be of one kind.
pub(super) fn irregular(range: usize, length: usize) -> usize {
    let mixed = as_u64(range).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32;
    let place = mixed.checked_rem(as_u64(length)).unwrap_or_default();
    range.saturating_mul(length).saturating_add(usize::try_from(place).unwrap_or_default())
}

/// Returns how many times this thread has waited for a page from the disk, or `None` if the
/// operating system does not report this number.
#[cfg(all(target_os = "linux", not(miri)))]
fn pages_from_disk() -> Option<libc::c_long> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: If `getrusage` succeeds, it writes a whole `rusage` structure. Zero is an allowed
    // value of each field of `rusage`, so `usage` is initialised even if `getrusage` fails.
    let (refused, usage) = unsafe { (libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()), usage.assume_init()) };
    (refused == 0).then_some(usage.ru_majflt)
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn pages_from_disk() -> Option<i64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_every_stratum() {
        let bytes = vec![0_u8; 10 * STRATUM + 77];
        let places: Vec<usize> = (0..10).map(|number| place(&bytes, number, 10)).collect();
        assert!(places.iter().zip(0..).all(|(place, number)| place / (bytes.len() / 10) == number), "{places:?}");
        let [first, second] = [places[0], places[1] - bytes.len() / 10];
        assert_ne!(first, second);
        assert_eq!(place(&[1, 2], 5, 7), 0);
    }
}
