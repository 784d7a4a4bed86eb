//! Vertices that were found: how many, what they are made of, and the ways to read them.

use crate::array::Array;
use std::ops::Range;

use super::FORMAT;
use super::block::{Cell, Text, interp_width};
use super::item::Item;
use super::layout::{Column, Layout, words};
use super::outline::Kind;
use super::semantic::{Scalar, Semantic};
use super::vertices::Vertices;
use super::view::View;
use crate::decode::EndianFloats;
use crate::error::{Error, ErrorKind, Result};
use crate::math::{as_index, as_u64};
use crate::parse::Name;

/// Vertices that were found in a file, and not read yet.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// use meshpeek::ezmesh::{MeshSystem, Semantic};
/// let system = MeshSystem::open(meshpeek::read("data/ezmesh/flag.ezm")?)?;
/// let buffer = system.mesh(0)?.vertex_buffer()?.expect("its sections share them");
/// let mut uvs = vec![[0.0; 2]; buffer.count() as usize];
/// buffer.floats_into(Semantic::Texcoord(0), &mut uvs)?; // one pass over the text, no allocation
/// let vertices = buffer.vertices()?; // unfolded once, lent from then on
/// assert_eq!(vertices.uvs(0).unwrap().get(3), Some(uvs[3]));
/// # Ok(())
/// # }
/// ```
///
/// Finding them fails as [`ErrorKind::Value`] where a text file's `count`, `ctype` or `semantic` is missing or makes no sense.
#[derive(Clone, Copy, Debug)]
pub struct VertexBuffer<'a> {
    item: Item<'a>,
    count: u32,
    layout: Layout,
    /// The floats of what is to be interpolated, where they are not as many as are declared.
    interp_width: Option<u8>,
    semantic: Name<'a>,
    ctype: Name<'a>,
}

impl<'a> VertexBuffer<'a> {
    pub(super) fn locate(item: Item<'a>) -> Result<Self> {
        if let Some(mut reader) = item.reader()? {
            let (layout, count) = (reader.layout()?, reader.u32("vertices")?);
            let none = Name::default();
            return Ok(Self { item, count, layout, interp_width: None, semantic: none, ctype: none });
        }
        // Each section of a mesh asks for what all of them share.
        let located = if item.kind == Kind::MeshVertices {
            item.view.state.located.get_or(item.index, || Located::of(&item))
        } else {
            Located::of(&item)
        };
        let Located { count, layout, interp_width, ctype, semantic } = located?;
        let [ctype, semantic] =
            [ctype, semantic].map(|place| Name::new(item.view.bytes.get(place).unwrap_or_default()));
        Ok(Self { item, count, layout, interp_width, semantic, ctype })
    }

    pub(super) const fn item(&self) -> &Item<'a> {
        &self.item
    }

    pub(super) fn text(&self) -> Result<Text<'a>> {
        self.item.text("vertexbuffer", "vertices")
    }

    /// Returns how many vertices there are.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Returns what a vertex is made of.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the `ctype` and the `semantic` of a text file, as they stand there.
    #[must_use]
    pub const fn types(&self) -> [Name<'a>; 2] {
        [self.ctype, self.semantic]
    }

    /// Returns how many floats what is to be interpolated has, where they are not as many as are declared: readers and writers
    /// disagree.
    #[must_use]
    pub const fn interp_width(&self) -> Option<u8> {
        self.interp_width
    }

    /// Returns the word that a file has for a group; in binary files, the word that text would have.
    #[must_use]
    pub fn word(&self, column: &Column) -> Name<'a> {
        let written = words(self.semantic.as_bytes()).nth(column.word.into()).map(Name::new);
        let standard = || column.semantic.word().map(|word| Name::new(word.as_bytes())).unwrap_or_default();
        written.unwrap_or_else(standard)
    }

    /// Returns the offset of the first vertex in the file, or of the text that they stand in.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn offset(&self) -> Result<u64> {
        match self.item.reader()? {
            Some(reader) => Ok(reader.offset().saturating_add(8)),
            None => Ok(as_u64(self.text()?.content.start)),
        }
    }

    /// Records that the positions of a binary file were looked at; text was when it was opened.
    pub(super) fn note_positions(&self) {
        let touched = self.item.view.state.context.access_log().filter(|_| self.item.view.order().is_some());
        if let Some(touched) = touched
            && let Ok(start) = self.offset()
        {
            let (end, count) = (start.saturating_add(as_u64(self.byte_count())), u64::from(self.count));
            touched.note_spread(start, end, count.saturating_mul(12));
        }
    }

    /// Returns the offset of the words for what vertices are made of; of a binary file, of the flags.
    pub(super) fn types_at(&self) -> Result<u64> {
        let start = self.item.start()?;
        let semantic = match self.item.view.order() {
            Some(_) => None,
            None => self.item.tag()?.value("semantic"),
        };
        Ok(semantic.map_or(start, |semantic| as_u64(semantic.at)))
    }

    /// Returns where it stands in the structure.
    pub(super) const fn place(&self) -> crate::error::Field {
        self.item.place
    }

    /// Returns the vertices: lent from a binary file, unfolded the first time from text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there are fewer numbers than are counted, or one is none; with
    /// [`OpenOptions::strict`](crate::OpenOptions::strict), where there are more.
    pub fn vertices(&self) -> Result<Vertices<'a>> {
        let rows = as_index(self.count);
        if let (Some(mut reader), Some(order)) = (self.item.reader()?, self.item.view.order()) {
            reader.lend(2, 4, "flags")?;
            let bytes = reader.lend(self.count.into(), self.layout.size().into(), "vertices")?;
            return Ok(Vertices::of_records(&self.layout, rows, bytes, order));
        }
        let unfolded = self
            .item
            .view
            .unfolded(self.item.kind, self.item.index, || self.text()?.unfold(&self.layout, rows, self.interp_width))?;
        let end = self.item.view.state.outline.end(self.item.kind, self.item.index).unwrap_or_default();
        let text = self.item.view.bytes.get(..end).unwrap_or_default();
        Ok(Vertices::of_columns(text, &self.layout, rows, &unfolded.data))
    }

    /// Tells whether the text holds more numbers than are counted, once they were read.
    pub(super) fn has_more(&self) -> bool {
        self.item.view.seen(self.item.kind, self.item.index).is_some_and(|unfolded| unfolded.has_more)
    }

    /// Decodes all positions straight into a buffer, and keeps nothing. Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`vertices`](Self::vertices); [`ErrorKind::Missing`] where vertices have no positions, [`ErrorKind::Buffer`] where the
    /// buffer is not of [`count`](Self::count) items.
    pub fn positions_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        self.floats_into(Semantic::Position, out)
    }

    /// Decodes one group of `N` floats of every vertex straight into a buffer, and keeps nothing. Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`positions_into`](Self::positions_into).
    pub fn floats_into<const N: usize>(&self, semantic: Semantic, out: &mut [[f32; N]]) -> Result<()> {
        let column = self.layout.column(semantic).filter(|column| {
            let scalars = self.layout.scalars(column);
            scalars.len() == N && scalars.iter().all(|scalar| *scalar == Scalar::Float)
        });
        let Some(column) = column else {
            let expected = format!("{N} floats for {}", semantic.word().unwrap_or("that")).into();
            return Err(Error::without_offset(
                FORMAT,
                self.item.place.named("semantic"),
                ErrorKind::Missing { expected },
            ));
        };
        self.fits(out.len())?;
        if self.item.view.order().is_none() {
            return self.text()?.column_into(&self.layout, column, out);
        }
        let vertices = self.vertices()?;
        match vertices.strided(column, EndianFloats::<N>(vertices.order())) {
            Some(array) => array.decode_into(out),
            None => Ok(()),
        }
    }

    /// Decodes all numbers straight into a buffer of [`byte_count`](Self::byte_count) bytes, and keeps nothing: each group
    /// becomes a little-endian array of its own, and these stand one after another. Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`vertices`](Self::vertices); [`ErrorKind::Buffer`].
    pub fn columns_into(&self, out: &mut [u8]) -> Result<()> {
        if out.len() != self.byte_count() {
            let kind = ErrorKind::Buffer { needed: as_u64(self.byte_count()), given: as_u64(out.len()) };
            return Err(Error::without_offset(FORMAT, self.item.place.named("out"), kind));
        }
        if self.item.view.order().is_none() {
            return self.text()?.columns_into(&self.layout, as_index(self.count), out).map(|_| ());
        }
        self.vertices()?.columns_into(out);
        Ok(())
    }

    /// Returns the bytes of all numbers, unfolded.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        as_index(self.count).saturating_mul(self.layout.size().into())
    }

    /// Reads every number, one after another, and shows it with its vertex's number and its own within the vertex. Allocates
    /// nothing.
    ///
    /// # Errors
    ///
    /// As [`vertices`](Self::vertices).
    pub fn for_each(&self, see: &mut dyn FnMut(usize, usize, Cell<'a>)) -> Result<()> {
        if self.item.view.order().is_none() {
            return self.text()?.visit(&self.layout, as_index(self.count), see);
        }
        let vertices = self.vertices()?;
        for row in 0..vertices.len() {
            for (number, cell) in vertices.cells(row).enumerate() {
                see(row, number, cell);
            }
        }
        Ok(())
    }

    fn fits(&self, given: usize) -> Result<()> {
        if given == as_index(self.count) {
            return Ok(());
        }
        let kind = ErrorKind::Buffer { needed: self.count.into(), given: as_u64(given) };
        Err(Error::without_offset(FORMAT, self.item.place.named("out"), kind))
    }
}

/// What the tag of a text file says of vertices, and the number of their numbers. Words are places in the file.
#[derive(Clone, Debug)]
pub(super) struct Located {
    count: u32,
    layout: Layout,
    interp_width: Option<u8>,
    ctype: Range<usize>,
    semantic: Range<usize>,
}

impl Located {
    fn of(item: &Item<'_>) -> Result<Self> {
        let tag = item.tag()?;
        let [count, ctype, semantic] = tag.values(["count", "ctype", "semantic"]);
        let field = item.place.named("vertexbuffer");
        let missing = |name| View::missing(widen_start(item), field, name);
        let count = item.view.counting(count.ok_or_else(|| missing("count"))?, item.place.named("count"))?;
        let [ctype, semantic] = [ctype.ok_or_else(|| missing("ctype"))?, semantic.ok_or_else(|| missing("semantic"))?];
        let mut layout = Layout::parse(ctype.bytes, semantic.bytes).map_err(|misfit| {
            let at = if misfit.attribute == "ctype" { ctype.at } else { semantic.at };
            Error::new(FORMAT, item.place.named(misfit.attribute), as_u64(at), misfit.kind)
        })?;
        // Whoever unfolded the block has counted its numbers.
        let interp_width = match item.view.seen(item.kind, item.index) {
            Some(unfolded) => unfolded.interp_width,
            None => interp_width(&item.text("vertexbuffer", "vertices")?, &layout, as_index(count))?,
        };
        if let Some(wide) = interp_width.and_then(|width| layout.with_interp_width(width)) {
            layout = wide;
        }
        Ok(Self { count, layout, interp_width, ctype: ctype.range(), semantic: semantic.range() })
    }
}

fn widen_start(item: &Item<'_>) -> u64 {
    item.start().unwrap_or_default()
}
