//! Trees in a sidecar: writing them, page by page as they are built, and finding them again.

use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;

use zerocopy::IntoBytes as _;
use zerocopy::little_endian::F32;

use crate::array::{Array, Bounds};
use crate::bvh::build::build;
use crate::bvh::layout::{NodePage, RawTree};
use crate::bvh::pages::PageSink;
use crate::bvh::tree::{NodePages, Tree, TriangleOrder};
use crate::bvh::tree_view::TreeHeader;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::math::{as_index, as_u64};
use crate::model::{Geometry, Surface};
use crate::sidecar::{Builder, Key, Kind, NUMBERS, PAGE, ROOM, Sidecar, failed, write_page};

/// A surface of fewer triangles has no tree in a sidecar: one is built in less than a millisecond.
const MIN_TRIANGLES_TO_INDEX: usize = 1024;

/// Returns the surfaces whose trees are worth keeping: those of 1,024 triangles or more.
///
/// # Errors
///
/// What locating the arrays of a surface fails with.
pub fn worth_storing(geometry: &dyn Geometry) -> Result<Vec<usize>> {
    let mut large = Vec::new();
    for surface in Surface::all(geometry) {
        if surface.indices()?.len() / 3 >= MIN_TRIANGLES_TO_INDEX {
            large.push(surface.index());
        }
    }
    Ok(large)
}

/// Writes the sidecar of the file that `key` is of, with a tree of each surface that is [worth it](worth_storing). Pages are written as they are made:
/// beside them, memory holds what building takes, 2 to 4 bytes for each triangle of one surface, 16 where its triangles follow no order.
///
/// # Errors
///
/// What locating the arrays of a surface fails with, and what `out` fails with, [`ErrorKind::Io`](crate::error::ErrorKind::Io).
pub fn write_sidecar<W: Write + Seek>(
    builder: &mut Builder,
    geometry: &dyn Geometry,
    key: &Key,
    out: &mut W,
) -> Result<()> {
    let large = worth_storing(geometry)?;
    builder.write_around(key, out, |builder, first, out| {
        large.iter().try_fold(first, |first, surface| add(builder, &Surface::new(geometry, *surface), first, out))
    })
}

/// Writes the tree of a surface to pages from `first` on; returns the page after it.
fn add<W: Write + Seek>(builder: &mut Builder, surface: &Surface<'_>, first: usize, out: &mut W) -> Result<usize> {
    let triangles = Triangles::new(surface)?;
    let mut sink = SidecarPages { first, end: first, out };
    let (header, numbers) = build(&triangles, &mut sink)?;
    let end = sink.end;
    let order = numbers.as_deref().unwrap_or_default();
    let mut next = end;
    let mut write = |next: &mut usize| {
        out.seek(SeekFrom::Start(as_u64(end.saturating_mul(PAGE))))?;
        order.chunks(as_index(NUMBERS)).try_for_each(|numbers| {
            let numbers: Vec<_> = numbers.iter().map(|number| zerocopy::little_endian::U32::new(*number)).collect();
            write_page(numbers.as_bytes(), next, out)
        })
    };
    write(&mut next).map_err(failed)?;
    let corner = |corner: [f32; 3]| corner.map(F32::new);
    let raw = RawTree {
        surface: u32::try_from(surface.index()).unwrap_or(u32::MAX).into(),
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

/// Writes pages where they belong in a sidecar.
struct SidecarPages<'a, W> {
    first: usize,
    /// The page after the last so far.
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
    /// Finds the tree of a surface in a sidecar; `None` where it has none. Nothing of it is read but its record.
    pub(crate) fn from_sidecar(sidecar: &Arc<Sidecar>, surface: usize) -> Option<Self> {
        let surface = u32::try_from(surface).ok()?;
        let records = 0..sidecar.count(Kind::Trees);
        let mut records = records.map_while(|index| sidecar.record::<RawTree>(Kind::Trees, index));
        let raw = records.find(|raw| raw.surface == surface)?;
        let [min, max] = raw.bounds.map(|corner| corner.map(F32::get));
        let header = TreeHeader {
            triangles: raw.triangles.get(),
            cluster: raw.cluster.get(),
            root: raw.root.get(),
            nodes: raw.nodes.get(),
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
