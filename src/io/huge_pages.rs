//! Memory of large pages, for what is read here and there: the processor knows where few small pages are, and has to look
//! up each other one.

use memmap2::MmapMut;

/// Bytes of a large page; less is not worth the copy.
const LARGE: usize = 2 << 20;

/// A copy of bytes, in large pages where the system gives them.
pub(crate) struct Huge(MmapMut);

impl Huge {
    /// Copies bytes; `None` where they are few, or there is no memory for them.
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
