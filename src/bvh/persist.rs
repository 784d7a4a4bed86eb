//! Writes trees to a sidecar file and locates trees in a sidecar file. Each page of a tree is
//! written as soon as it is complete, while the tree is built.

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
/// Returns an error if the arrays of a surface cannot be located.
pub fn worth_storing(geometry: &dyn Geometry) -> Result<Vec<usize>> {
    let mut large = Vec::new();
    for surface in Surface::all(geometry) {
        if surface.indices()?.len() / 3 >= MIN_TRIANGLES_TO_INDEX {
            large.push(surface.index());
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
/// space.
///
/// # Errors
///
/// Returns an error if the arrays of a surface cannot be located. Returns
/// [`ErrorKind::Io`](crate::error::ErrorKind::Io) if writing to `out` fails.
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

/// Builds the tree of a surface and writes it to the sidecar, starting at page `first`. Returns the
/// index of the page after the last page of the tree.
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
    /// Locates the tree of a surface in a sidecar. Returns `None` if the sidecar has no tree for
    /// this surface.
    ///
    /// `from_sidecar` reads the records that describe the trees of the sidecar, but not the nodes
    /// of the trees.
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
