//! Copies of data in large memory pages, for data that is read at random addresses.
//!
//! The processor caches the physical addresses of only a few small pages, and has to look up the
//! address of any other page.

use memmap2::MmapMut;

/// Size of a large page, in bytes. A copy of less data than this saves too little time.
const LARGE: usize = 2 << 20;

/// A copy of bytes in memory, in large pages if the operating system provides them.
pub(crate) struct Huge(MmapMut);

impl Huge {
    /// Copies `bytes`. Returns `None` if `bytes` is smaller than a large page, or if the allocation
    /// fails.
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
