//! Copies of data in large memory pages (2 MiB), which speed up reads at random addresses.
//!
//! The processor caches the physical addresses of a limited number of pages in its TLB, and needs a
//! slow look-up for any other page. Large pages (2 MiB) cover the same data with fewer TLB entries
//! than pages of 4 KiB.

use memmap2::MmapMut;

/// Size of a large page, in bytes. Data that is smaller than a large page is not copied, because
/// the copy would save too little time.
const LARGE: usize = 2 << 20;

/// A copy of a byte slice in anonymous memory, which uses large pages if the operating system
/// provides them.
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
