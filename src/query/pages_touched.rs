//! A probe that counts the pages of memory that queries read.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;

use crate::bvh::probe::Probe;
use crate::error::debug::short_debug;
use crate::math::as_u64;
use crate::parse::PAGE;

/// The memory pages of 4,096 bytes that queries have read: pages of the mesh, and pages of the
/// trees over its triangles.
///
/// A page is counted if it contains bytes that a query needs: tree nodes, indices or positions. If
/// the file is memory-mapped, each counted memory page is a page of the file.
#[derive(Clone, Default)]
pub struct PagesTouched {
    mesh: PageSet,
    tree: PageSet,
}

short_debug!(PagesTouched: |pages| { mesh: pages.mesh.all.len(), tree: pages.tree.all.len() });

/// The number of pages that a [`PageSet`] finds without a search.
const RECENT: usize = 1024;

/// A set of pages. A page is represented by its address divided by 4,096.
#[derive(Clone, Debug, Default)]
struct PageSet {
    all: BTreeSet<u64>,
    /// Some of the pages that were added last, or nothing before the first page is added. A page
    /// can only be in the item whose index is the remainder of the page divided by [`RECENT`]. An
    /// item 0 stands for no page, because no byte is in page 0. Queries read the same pages many
    /// times.
    recent: Vec<u64>,
}

impl PagesTouched {
    /// Returns the number of pages of the mesh that queries have read so far.
    #[must_use]
    pub fn mesh(&self) -> usize {
        self.mesh.all.len()
    }

    /// Returns the number of pages of the trees that queries have read so far.
    #[must_use]
    pub fn tree(&self) -> usize {
        self.tree.all.len()
    }

    /// Returns the total number of pages, of the mesh and of the trees, that queries have read so
    /// far.
    #[must_use]
    pub fn total(&self) -> usize {
        self.mesh().saturating_add(self.tree())
    }
}

impl PageSet {
    /// Adds the pages that overlap `bytes`.
    fn add(&mut self, bytes: &[u8]) {
        let start = bytes.as_ptr().addr();
        let Some(last) = bytes.len().checked_sub(1) else { return };
        if self.recent.is_empty() {
            self.recent.resize(RECENT, 0);
        }
        let page = |at: usize| as_u64(at) / PAGE;
        for page in page(start)..=page(start.saturating_add(last)) {
            let place = page.checked_rem(as_u64(RECENT)).and_then(|place| usize::try_from(place).ok());
            let recent = place.and_then(|place| self.recent.get_mut(place));
            if let Some(recent) = recent.filter(|recent| **recent != page) {
                *recent = page;
                self.all.insert(page);
            }
        }
    }
}

impl Probe for PagesTouched {
    fn read_node(&mut self, bytes: &[u8]) {
        self.tree.add(bytes);
    }

    fn read_mesh(&mut self, bytes: &[u8]) {
        self.mesh.add(bytes);
    }
}
