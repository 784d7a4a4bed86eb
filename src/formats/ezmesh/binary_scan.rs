//! Walks over the fields of a binary file in file order, as the layout states them, and builds the
//! [`ElementIndex`] of the file.

use super::binary_reader::BinaryReader;
use super::element_index::{ElementIndex, ElementKind};
use super::layout::{FIELDS_AT, FILE, PLANE, RecordLayout, RecordPart, STRING, U32, VERTEX};
use super::validate::rules::INVALID_BINARY_FIELD;
use crate::decode::ByteOrder;
use crate::error::{Cause, Field, Result};
use crate::io::WalkAhead;
use crate::math::as_u64;
use crate::parse::{AccessLog, Element, Limits};

/// Finds all elements of a binary file.
pub(super) fn scan(
    bytes: &[u8],
    order: ByteOrder,
    limits: &Limits,
    touched: Option<&AccessLog>,
) -> Result<ElementIndex> {
    let reader = BinaryReader::at(bytes, order, 0, touched)?;
    let mut scan = BinaryScan { bytes, elements: ElementIndex::new(), limits, ahead: WalkAhead::default() };
    scan.elements.root = FIELDS_AT;
    scan.elements.plane = walk(reader, limits, &mut scan)?;
    Ok(scan.elements)
}

struct BinaryScan<'a, 'l> {
    bytes: &'a [u8],
    elements: ElementIndex,
    limits: &'l Limits,
    ahead: WalkAhead,
}

impl BinaryVisitor for BinaryScan<'_, '_> {
    fn start(&mut self, kind: ElementKind, reader: &BinaryReader<'_>) -> Result<()> {
        let offset = reader.offset();
        if self.elements.push(kind, offset) {
            return Ok(());
        }
        let asked = self.elements.size().saturating_mul(2);
        Err(reader.error_at(offset, "", Cause::OutOfMemory { asked }))
    }

    fn end(&mut self, kind: ElementKind, start: u64, reader: &BinaryReader<'_>) {
        if kind == ElementKind::Mesh {
            self.ahead.pass(self.bytes, start..reader.offset());
        }
    }

    fn room(&self, kind: ElementKind) -> u64 {
        self.limits.items.saturating_sub(as_u64(self.elements.count(kind)))
    }

    fn field(&mut self, _: Field, _: Element, _: u32, _: u64) {}
}

/// Sees the fields of a binary file.
pub(super) trait BinaryVisitor {
    /// Sees that an element starts at the offset of the reader.
    fn start(&mut self, kind: ElementKind, reader: &BinaryReader<'_>) -> Result<()>;

    /// Sees that a record which started at an offset has ended at the offset of the reader.
    fn end(&mut self, kind: ElementKind, start: u64, reader: &BinaryReader<'_>);

    /// Returns how many elements of a kind may still follow.
    fn room(&self, kind: ElementKind) -> u64;

    /// Sees a field with some values, or a string that ends at an offset.
    fn field(&mut self, field: Field, element: Element, count: u32, end: u64);
}

/// Calls a visitor with all fields of a binary file, and returns the offset of the plane.
///
/// The length fields of lists, strings and arrays are read, and the contents of the strings and
/// arrays are skipped.
pub(super) fn walk(reader: BinaryReader<'_>, limits: &Limits, visitor: &mut impl BinaryVisitor) -> Result<u64> {
    let (mut walk, top) = (BinaryWalk { reader, limits, visitor }, Field::new(""));
    walk.reader.u32("version")?;
    walk.see(top.named("version"), U32, 1);
    walk.reader.text("tag")?;
    walk.see(top.named("tag"), STRING, 1);
    walk.parts(FILE, top)?;
    let plane = walk.reader.offset();
    walk.reader.lend(4, 4, "plane")?;
    walk.see(top.named("plane"), PLANE, 1);
    Ok(plane)
}

struct BinaryWalk<'a, 'w, V> {
    reader: BinaryReader<'a>,
    limits: &'w Limits,
    visitor: &'w mut V,
}

impl<V: BinaryVisitor> BinaryWalk<'_, '_, V> {
    fn see(&mut self, field: Field, element: Element, count: u32) {
        self.visitor.field(field, element, count, self.reader.offset());
    }

    /// Skips the parts of the record at `place`.
    fn parts(&mut self, parts: &[RecordPart], place: Field) -> Result<()> {
        let mut count = 0;
        for part in parts {
            match part {
                RecordPart::Text(name) => {
                    self.reader.skip_text(name)?;
                    self.see(place.named(name), STRING, 1);
                }
                RecordPart::Number(name, region, element) => {
                    count = self.reader.u32(name)?;
                    self.see(place.named(region), *element, 1);
                }
                RecordPart::Fixed(name, [count, size], fields) => {
                    self.reader.lend((*count).into(), (*size).into(), name)?;
                    fields.iter().for_each(|(name, element, count)| self.see(place.named(name), *element, *count));
                }
                RecordPart::Count(name, region, element, record) => {
                    count = self.reader.count(record.least, self.visitor.room(record.kind), name)?;
                    self.see(place.named(region), *element, 1);
                }
                RecordPart::Items(record) => {
                    (0..count.into()).try_for_each(|index| self.record(record, place, index))?;
                    self.reader.set_place(place);
                }
                RecordPart::Array(name, region, element) => {
                    self.reader.lend(count.into(), element.size.into(), name)?;
                    self.see(place.named(region), *element, count);
                }
                RecordPart::Start(kind) => self.visitor.start(*kind, &self.reader)?,
                RecordPart::Empty(name, region) => {
                    self.none(name)?;
                    self.see(place.named(region), U32, 1);
                }
                RecordPart::Vertices => self.vertices(place)?,
            }
        }
        Ok(())
    }

    fn record(&mut self, record: &RecordLayout, around: Field, index: u64) -> Result<()> {
        let place = match around.outer() {
            Some(_) => around.in_inner_list(record.name, index),
            None => around.in_list(record.name, index),
        };
        let start = self.reader.offset();
        self.reader.set_place(place);
        self.visitor.start(record.kind, &self.reader)?;
        self.parts(record.parts, place)?;
        self.visitor.end(record.kind, start, &self.reader);
        Ok(())
    }

    /// Reads the length of a list that is empty in every published version of the format, and
    /// returns an error if the length is not 0.
    fn none(&mut self, name: &'static str) -> Result<()> {
        let offset = self.reader.offset();
        let count = self.reader.u32(name)?;
        if count == 0 {
            return Ok(());
        }
        let kind = Cause::Unsupported {
            found: format!("{count} {}", name.replace('_', " ")).into(),
            advice: "no published version writes these; please report which program wrote the file",
        };
        Err(self.reader.error_at(offset, name, kind).breaking(&INVALID_BINARY_FIELD))
    }

    fn vertices(&mut self, place: Field) -> Result<()> {
        let format = self.reader.format()?;
        self.see(place.named("flags"), U32, 1);
        let counted = self.reader.offset();
        let vertices = self.reader.u32("vertices")?;
        self.see(place.named("vertices.count"), U32, 1);
        let most = self.limits.items;
        if format.size() == 0 && u64::from(vertices) > most {
            let kind = Cause::Limit { name: "items", allowed: most, asked: vertices.into() };
            return Err(self.reader.error_at(counted, "vertices", kind));
        }
        self.reader.lend(vertices.into(), format.size().into(), "vertices")?;
        self.see(place.named("vertexbuffer"), Element::new(VERTEX, format.size().into(), 4), vertices);
        Ok(())
    }
}
