//! New memory of the program: all pages at once, and copies of data in large pages.

use memmap2::MmapMut;

/// The least size of new memory for which [`populate`] makes a system call.
#[cfg(all(target_os = "linux", not(miri)))]
const LEAST: usize = 128 << 10;
/// Size of a large page, in bytes. Data that is smaller than a large page is not copied, because
/// the copy would save too little time.
const LARGE: usize = 2 << 20;

/// Makes the operating system provide all pages of new memory at once.
///
/// This takes two thirds of the time that it takes to provide one page after another while the
/// memory is filled. Large pages would take less time, but much more in a virtual machine to which
/// the host has not provided them yet.
pub(crate) fn populate<T>(memory: &mut [T]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    if size_of_val(memory) >= LEAST {
        let mask = super::advice::page_mask();
        let range = memory.as_mut_ptr_range();
        let start = range.start.wrapping_byte_add(range.start.addr().wrapping_neg() & mask);
        let end = range.end.addr() & !mask;
        // SAFETY: The range consists of whole pages of `memory`, which is borrowed mutably.
        // `MADV_POPULATE_WRITE` changes neither the contents nor the protection of a page. A failed
        // call, such as in a system without this advice, changes nothing.
        unsafe {
            libc::madvise(start.cast(), end.saturating_sub(start.addr()), libc::MADV_POPULATE_WRITE);
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = memory;
}

/// A copy of a byte slice in anonymous memory, which uses large pages if the operating system
/// provides them.
///
/// Large pages speed up reads at random addresses: the processor caches the physical addresses of a
/// limited number of pages in its TLB, and large pages (2 MiB) cover the same data with fewer
/// entries than pages of 4 KiB.
pub(crate) struct Huge(MmapMut);

impl Huge {
    /// Copies `bytes` into new memory. Returns `None` if `bytes` is smaller than a large page, or
    /// if the allocation fails.
    pub(crate) fn copy(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < LARGE {
            return None;
        }
        let mut map = MmapMut::map_anon(bytes.len()).ok()?;
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        map.copy_from_slice(bytes);
        Some(Self(map))
    }
}

impl AsRef<[u8]> for Huge {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_contents() {
        for size in [0, 1, 128 << 10, (128 << 10) + 4097, 1 << 20] {
            let mut memory = vec![0_u8; size];
            let first = 7.min(size);
            populate(&mut memory[first..]);
            assert!(memory.iter().all(|byte| *byte == 0));
            memory.fill(3);
            populate(&mut memory[first..]);
            assert!(memory.iter().all(|byte| *byte == 3));
        }
    }
}
