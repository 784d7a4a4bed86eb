//! A probe that counts the pages of memory that queries read.

use std::collections::BTreeSet;

use crate::bvh::probe::Probe;
use crate::math::as_u64;
use crate::parse::PAGE;

/// The memory pages of 4,096 bytes that queries have read: pages of the mesh, and pages of the
/// trees over its triangles.
///
/// A page is counted if it contains bytes that a query needs: tree nodes, indices or positions. If
/// the file is memory-mapped, each counted memory page is a page of the file.
#[derive(Clone, Debug, Default)]
pub struct PagesTouched {
    mesh: BTreeSet<u64>,
    tree: BTreeSet<u64>,
}

impl PagesTouched {
    /// Returns the number of pages of the mesh that queries have read so far.
    #[must_use]
    pub fn mesh(&self) -> usize {
        self.mesh.len()
    }

    /// Returns the number of pages of the trees that queries have read so far.
    #[must_use]
    pub fn tree(&self) -> usize {
        self.tree.len()
    }

    /// Returns the total number of pages, of the mesh and of the trees, that queries have read so
    /// far.
    #[must_use]
    pub fn total(&self) -> usize {
        self.mesh().saturating_add(self.tree())
    }
}

/// Adds the pages that overlap `bytes` to the set `pages`. A page is represented by its address
/// divided by 4,096.
fn add(pages: &mut BTreeSet<u64>, bytes: &[u8]) {
    let start = bytes.as_ptr().addr();
    if let Some(last) = bytes.len().checked_sub(1) {
        let page = |at: usize| as_u64(at) / PAGE;
        pages.extend(page(start)..=page(start.saturating_add(last)));
    }
}

impl Probe for PagesTouched {
    fn read_node(&mut self, bytes: &[u8]) {
        add(&mut self.tree, bytes);
    }

    fn read_mesh(&mut self, bytes: &[u8]) {
        add(&mut self.mesh, bytes);
    }
}
