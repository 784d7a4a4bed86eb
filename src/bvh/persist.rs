//! Writes trees to a sidecar file and locates trees in a sidecar file. Each page of a tree is
//! written as soon as it is complete, while the tree is built.

use std::cmp::Ordering;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::Arc;

use zerocopy::IntoBytes as _;
use zerocopy::little_endian::{F32, U32};

use crate::array::{Array, Bounds};
use crate::bvh::build::build;
use crate::bvh::layout::{NodePage, RawTree};
use crate::bvh::pages::PageSink;
use crate::bvh::reserve::reserve_one;
use crate::bvh::tree::{NodePages, Tree, TriangleOrder};
use crate::bvh::tree_view::TreeHeader;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::math::{as_index, as_u64};
use crate::model::Geometry;
use crate::sidecar::{Builder, Key, Kind, NUMBERS, PAGE, ROOM, Sidecar, Trust, failed, write_page};

/// The minimum number of triangles that a surface must have for its tree to be stored in a sidecar.
///
/// For a surface with fewer than 1,024 triangles, building a tree takes less than a millisecond.
const MIN_TRIANGLES_TO_INDEX: usize = 1024;

/// Returns the indices of all surfaces with 1,024 triangles or more.
///
/// The trees of surfaces with fewer than 1,024 triangles are not worth storing in a sidecar.
///
/// # Errors
///
/// Returns an error if the arrays of a surface cannot be located. Returns
/// [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory) if there is not enough memory.
pub fn worth_storing(geometry: &dyn Geometry) -> Result<Vec<usize>> {
    let mut large = Vec::new();
    for surface in 0..geometry.surface_count()? {
        if geometry.lend(surface)?.surface().indices()?.len() / 3 >= MIN_TRIANGLES_TO_INDEX {
            reserve_one(&mut large)?;
            large.push(surface);
        }
    }
    Ok(large)
}

/// Writes a sidecar that contains the trees of a mesh file. `key` identifies the mesh file.
///
/// The sidecar contains a tree for each surface that is [large enough](worth_storing). Each page of
/// a tree is written as soon as it is complete. At any time, only the data for building the tree of
/// one surface is therefore in memory. The data for building a tree takes 2 to 4 bytes per
/// triangle, or 16 bytes per triangle if consecutive triangles of the surface are not close in
/// space. The surface is lent, so its inflated geometry is freed after its tree
/// is written.
///
/// # Errors
///
/// Returns an error if the arrays of a surface cannot be located. Returns
/// [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory) if there is not enough memory,
/// and [`ErrorKind::Io`](crate::error::ErrorKind::Io) if writing to `out` fails.
pub fn write_sidecar<W: Write + Seek>(
    builder: &mut Builder,
    geometry: &dyn Geometry,
    key: &Key,
    out: &mut W,
) -> Result<()> {
    let large = worth_storing(geometry)?;
    builder.write_around(key, out, |builder, first, out| {
        large.iter().try_fold(first, |first, surface| add(builder, geometry, *surface, first, out))
    })
}

/// Builds the tree of a surface and writes it to the sidecar, starting at page `first`. Returns the
/// index of the page after the last page of the tree.
fn add<W: Write + Seek>(
    builder: &mut Builder,
    geometry: &dyn Geometry,
    surface: usize,
    first: usize,
    out: &mut W,
) -> Result<usize> {
    let lent = geometry.lend(surface)?;
    let triangles = Triangles::new(&lent.surface())?;
    let mut sink = SidecarPages { first, end: first, out };
    let (header, numbers) = build(&triangles, &mut sink)?;
    let end = sink.end;
    let order = numbers.as_deref().unwrap_or_default();
    let mut next = end;
    let mut page = [U32::ZERO; ROOM / size_of::<U32>()];
    let mut write = |next: &mut usize| {
        out.seek(SeekFrom::Start(as_u64(end.saturating_mul(PAGE))))?;
        order.chunks(as_index(NUMBERS)).try_for_each(|numbers| {
            for (place, number) in page.iter_mut().zip(numbers) {
                *place = U32::new(*number);
            }
            write_page(page.get(..numbers.len()).unwrap_or_default().as_bytes(), next, out)
        })
    };
    write(&mut next).map_err(failed)?;
    let corner = |corner: [f32; 3]| corner.map(F32::new);
    let raw = RawTree {
        surface: u32::try_from(surface).unwrap_or(u32::MAX).into(),
        triangles: header.triangles.into(),
        cluster: header.cluster.into(),
        root: header.root.into(),
        first_page: as_u64(first).into(),
        pages: as_u64(end.saturating_sub(first)).into(),
        order_page: as_u64(end).into(),
        ordered: u32::try_from(order.len()).unwrap_or(u32::MAX).into(),
        unused: 0.into(),
        nodes: header.nodes.into(),
        bounds: [corner(header.bounds.min), corner(header.bounds.max)],
    };
    builder.push(Kind::Trees, &raw)?;
    Ok(next)
}

/// A page sink that writes each page of a tree to its offset in a sidecar.
struct SidecarPages<'a, W> {
    first: usize,
    /// The index of the page after the last page that was written so far.
    end: usize,
    out: &'a mut W,
}

impl<W: Write + Seek> PageSink for SidecarPages<'_, W> {
    fn put(&mut self, number: usize, page: &NodePage) -> Result<()> {
        let mut number = self.first.saturating_add(number);
        let content = page.as_bytes().get(..ROOM).unwrap_or_default();
        let place = SeekFrom::Start(as_u64(number.saturating_mul(PAGE)));
        let written = self.out.seek(place).and_then(|_| write_page(content, &mut number, self.out));
        self.end = self.end.max(number);
        written.map_err(failed)
    }
}

impl Tree {
    /// Locates the tree of a surface with `triangles` triangles in a sidecar. Returns `None` if the
    /// sidecar has no tree for this surface, or if the surface is too [small](worth_storing).
    ///
    /// `from_sidecar` finds the record of the tree by binary search, and does not read the nodes of
    /// the tree. In an untrusted sidecar, the pages of the tree must not be pages of the trees in
    /// the records before and after it.
    pub(crate) fn from_sidecar(sidecar: &Arc<Sidecar>, surface: usize, triangles: u32) -> Option<Self> {
        if as_index(triangles) < MIN_TRIANGLES_TO_INDEX {
            return None;
        }
        let index = find(sidecar, u32::try_from(surface).ok()?)?;
        let raw = record(sidecar, index)?;
        if raw.triangles.get() != triangles || sidecar.trust() == Trust::Untrusted && !has_own_pages(sidecar, index) {
            return None;
        }
        let [min, max] = raw.bounds.map(|corner| corner.map(F32::get));
        let header = TreeHeader {
            triangles: raw.triangles.get(),
            cluster: raw.cluster.get(),
            root: raw.root.get(),
            root_is_leaf: false,
            // The builder never creates more nodes than triangles, because a node has at least two
            // children. This limit bounds the work in a tree whose nodes form a cycle.
            nodes: raw.nodes.get().min(u64::from(triangles)),
            bounds: Bounds { min, max },
        };
        let pages =
            NodePages::Sidecar { sidecar: Arc::clone(sidecar), first: raw.first_page.get(), count: raw.pages.get() };
        let order = match raw.ordered.get() {
            0 => TriangleOrder::File,
            count => TriangleOrder::Sidecar { first: raw.order_page.get(), count },
        };
        Some(Self { pages, order, header })
    }
}

fn record(sidecar: &Sidecar, index: u64) -> Option<&RawTree> {
    sidecar.record(Kind::Trees, index)
}

/// Returns the index of the record of a surface's tree, or `None` if the sidecar has no such
/// record.
///
/// The records are sorted by surface. In a sidecar with unsorted records, some records are not
/// found.
fn find(sidecar: &Sidecar, surface: u32) -> Option<u64> {
    let (mut low, mut high) = (0, Kind::Trees.count_in(sidecar));
    while low < high {
        let middle = low.midpoint(high);
        match record(sidecar, middle)?.surface.get().cmp(&surface) {
            Ordering::Less => low = middle.saturating_add(1),
            Ordering::Equal => return Some(middle),
            Ordering::Greater => high = middle,
        }
    }
    None
}

/// Returns whether the pages of a tree follow the pages of the tree in the record before it, and
/// precede the pages of the tree in the record after it.
///
/// Only these two records are read, so trees whose records are further apart may have pages in
/// common. The work stays bounded: the check of a tree visits at most one node for each triangle of
/// its surface.
fn has_own_pages(sidecar: &Sidecar, index: u64) -> bool {
    let follows = |before: u64, after: u64| {
        let [before, after] = [before, after].map(|index| record(sidecar, index));
        before.zip(after).is_some_and(|(before, after)| {
            let ends = pages_of(before).zip(pages_of(after));
            before.surface.get() < after.surface.get() && ends.is_some_and(|(before, after)| before.end <= after.start)
        })
    };
    let next = index.saturating_add(1);
    index.checked_sub(1).is_none_or(|before| follows(before, index))
        && (next >= Kind::Trees.count_in(sidecar) || follows(index, next))
}

/// Returns the page indices of a tree: its nodes, and its list of triangle indices after them.
/// Returns `None` if the list of triangle indices is not after the nodes.
fn pages_of(raw: &RawTree) -> Option<Range<u64>> {
    let [start, order] = [raw.first_page.get(), raw.order_page.get()];
    let end = start.checked_add(raw.pages.get())?;
    let order_end = order.checked_add(u64::from(raw.ordered.get().div_ceil(NUMBERS)))?;
    (end <= order).then_some(start..order_end)
}
