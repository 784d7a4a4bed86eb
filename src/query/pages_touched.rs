//! Which pages of memory a query has looked at.

use std::collections::BTreeSet;

use crate::bvh::probe::Probe;
use crate::math::as_u64;
use crate::parse::PAGE;

/// The pages of 4,096 bytes that queries have looked at: of the mesh, and of the trees over it.
///
/// What is counted is what answers take: nodes, indices and positions. Of a mapped file these are its pages.
#[derive(Clone, Debug, Default)]
pub struct PagesTouched {
    mesh: BTreeSet<u64>,
    tree: BTreeSet<u64>,
}

impl PagesTouched {
    /// Returns how many pages of the mesh there are so far.
    #[must_use]
    pub fn mesh(&self) -> usize {
        self.mesh.len()
    }

    /// Returns how many pages of trees there are so far.
    #[must_use]
    pub fn tree(&self) -> usize {
        self.tree.len()
    }

    /// Returns how many there are of both.
    #[must_use]
    pub fn total(&self) -> usize {
        self.mesh().saturating_add(self.tree())
    }
}

/// Adds the pages that bytes lie in.
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
