//! Reads binary files (`.ezb`): the fields of one element, or all fields in file order, as the
//! layout states them.

use super::element_index::{ElementIndex, ElementKind};
use super::layout::{FIELDS_AT, FILE, FORMAT, PLANE, RecordLayout, RecordPart, STRING, U32, VERTEX};
use super::validate::rules::INVALID_BINARY_FIELD;
use super::vertex_format::VertexFormat;
use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{Cause, Field, Result};
use crate::io::WalkAhead;
use crate::math::as_u64;
use crate::model::Transform;
use crate::parse::{AccessLog, Cursor, ElementType, Limits, Name};

/// Reads the fields of a binary file in sequence. Each returned error contains the name of the
/// field that could not be read.
#[derive(Clone, Debug)]
pub(crate) struct BinaryReader<'a> {
    pub(crate) cursor: Cursor<'a>,
    order: ByteOrder,
}

impl<'a> BinaryReader<'a> {
    /// Creates a reader that reads from a given byte offset in the file.
    pub(crate) fn at(bytes: &'a [u8], order: ByteOrder, offset: u64, touched: Option<&'a AccessLog>) -> Result<Self> {
        Ok(Self { cursor: Cursor::new(bytes, FORMAT).with_access_log(touched).at(offset)?, order })
    }

    pub(crate) fn u32(&mut self, name: &'static str) -> Result<u32> {
        Ok(self.order.u32(*self.cursor.read::<RawWord>(name)?))
    }

    pub(crate) fn i32(&mut self, name: &'static str) -> Result<i32> {
        Ok(self.u32(name)?.cast_signed())
    }

    pub(crate) fn floats<const N: usize>(&mut self, name: &'static str) -> Result<[f32; N]> {
        let words = self.cursor.read::<[RawWord; N]>(name)?;
        Ok(words.map(|word| self.order.f32(word)))
    }

    /// Reads the vertex flags: 32 bits that define the columns of a vertex.
    pub(crate) fn format(&mut self) -> Result<VertexFormat> {
        let offset = self.cursor.offset();
        let flags = self.u32("flags")?;
        VertexFormat::of_flags(flags).ok_or_else(|| {
            let kind = Cause::value("none of the bits above 18", format!("{flags:#010x}"));
            self.cursor.error_at(offset, "flags", kind).breaking(&INVALID_BINARY_FIELD)
        })
    }

    /// Reads a transform: a position, a rotation and a scale, ten floats in total.
    pub(crate) fn transform(&mut self) -> Result<Transform> {
        Ok(Transform {
            position: self.floats("position")?,
            rotation: self.floats("rotation")?,
            scale: self.floats("scale")?,
        })
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Result<Name<'a>> {
        let length = self.u32(name)?;
        Ok(Name::new(self.cursor.bytes(length.into(), name)?))
    }

    /// Skips a string and the length field of four bytes before the string.
    pub(crate) fn skip_text(&mut self, name: &'static str) -> Result<()> {
        let length = self.u32(name)?;
        self.cursor.lend(length.into(), 1, name).map(|_| ())
    }

    /// Skips the parts of a record before the field `name`.
    pub(crate) fn pass_to(&mut self, parts: &[RecordPart], name: &str) -> Result<()> {
        for part in parts {
            match part {
                RecordPart::Text(own) if *own != name => self.skip_text(own)?,
                RecordPart::Number(own, ..) | RecordPart::Count(own, ..) if *own != name => {
                    self.cursor.lend(4, 1, own)?;
                }
                RecordPart::Fixed(_, _, fields) => {
                    for (own, element, count) in *fields {
                        if *own == name {
                            return Ok(());
                        }
                        self.cursor.lend((*count).into(), element.size.into(), own)?;
                    }
                }
                RecordPart::Start(_) => {}
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Reads the number of items of the list that starts at the reading position.
    ///
    /// Returns an error if the number of items is greater than `most`. Also returns an error if the
    /// rest of the file is shorter than so many items of at least `size` bytes.
    pub(crate) fn count(&mut self, size: u64, most: u64, name: &'static str) -> Result<u32> {
        let offset = self.cursor.offset();
        let count = self.u32(name)?;
        if u64::from(count) > most {
            return Err(self.cursor.error_at(offset, name, too_many(most, count)));
        }
        self.cursor.can_hold(offset, count.into(), size, name)?;
        Ok(count)
    }
}

fn too_many(most: u64, count: u32) -> Cause {
    Cause::Limit { name: "items", allowed: most, asked: count.into() }
}

/// Walks over all fields of a binary file, and finds all its elements.
///
/// The length fields of lists, strings and arrays are read, and the contents of the strings and
/// arrays are skipped. `see` sees each field with the number of its values, and the offset at which
/// the field ends.
pub(super) fn walk(
    bytes: &[u8],
    order: ByteOrder,
    limits: &Limits,
    touched: Option<&AccessLog>,
    see: impl FnMut(Field, ElementType, u32, u64),
) -> Result<ElementIndex> {
    let reader = BinaryReader::at(bytes, order, 0, touched)?;
    let (elements, top) = (ElementIndex::default(), Field::new(""));
    let mut walk = BinaryWalk { bytes, reader, elements, limits, ahead: WalkAhead::default(), see };
    walk.elements.root = FIELDS_AT;
    walk.reader.u32("version")?;
    walk.see(top.named("version"), U32, 1);
    walk.reader.text("tag")?;
    walk.see(top.named("tag"), STRING, 1);
    walk.parts(FILE, top)?;
    walk.elements.plane = walk.reader.cursor.offset();
    walk.reader.cursor.lend(4, 4, "plane")?;
    walk.see(top.named("plane"), PLANE, 1);
    Ok(walk.elements)
}

struct BinaryWalk<'a, 'l, S> {
    bytes: &'a [u8],
    reader: BinaryReader<'a>,
    elements: ElementIndex,
    limits: &'l Limits,
    ahead: WalkAhead,
    see: S,
}

impl<S: FnMut(Field, ElementType, u32, u64)> BinaryWalk<'_, '_, S> {
    fn see(&mut self, field: Field, element: ElementType, count: u32) {
        (self.see)(field, element, count, self.reader.cursor.offset());
    }

    /// Adds an element that starts at the reading position.
    fn start(&mut self, kind: ElementKind) -> Result<()> {
        let offset = self.reader.cursor.offset();
        if self.elements.push(kind, offset) {
            return Ok(());
        }
        let asked = self.elements.size().saturating_mul(2);
        Err(self.reader.cursor.error_at(offset, "", Cause::OutOfMemory { asked }))
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
                    self.reader.cursor.lend((*count).into(), (*size).into(), name)?;
                    fields.iter().for_each(|(name, element, count)| self.see(place.named(name), *element, *count));
                }
                RecordPart::List(name, region, element, record) | RecordPart::Count(name, region, element, record) => {
                    let room = self.limits.items.saturating_sub(as_u64(self.elements.count(record.kind)));
                    count = self.reader.count(record.least, room, name)?;
                    self.see(place.named(region), *element, 1);
                    if matches!(part, RecordPart::List(..)) {
                        self.items(record, place, count)?;
                    }
                }
                RecordPart::Items(record) => self.items(record, place, count)?,
                RecordPart::Array(name, region, element) => {
                    self.reader.cursor.lend(count.into(), element.size.into(), name)?;
                    self.see(place.named(region), *element, count);
                }
                RecordPart::Start(kind) => self.start(*kind)?,
                RecordPart::Empty(name, region) => {
                    self.none(name)?;
                    self.see(place.named(region), U32, 1);
                }
                RecordPart::Vertices => self.vertices(place)?,
            }
        }
        Ok(())
    }

    fn items(&mut self, record: &RecordLayout, place: Field, count: u32) -> Result<()> {
        (0..count.into()).try_for_each(|index| self.record(record, place, index))?;
        self.reader.cursor.set_place(place);
        Ok(())
    }

    fn record(&mut self, record: &RecordLayout, around: Field, index: u64) -> Result<()> {
        let (place, start) = (around.in_next_list(record.name, index), self.reader.cursor.offset());
        self.reader.cursor.set_place(place);
        self.start(record.kind)?;
        self.parts(record.parts, place)?;
        if record.kind == ElementKind::Mesh {
            self.ahead.pass(self.bytes, start..self.reader.cursor.offset());
        }
        Ok(())
    }

    /// Reads the length of a list that is empty in every published version of the format, and
    /// returns an error if the length is not 0.
    fn none(&mut self, name: &'static str) -> Result<()> {
        let offset = self.reader.cursor.offset();
        let count = self.reader.u32(name)?;
        if count == 0 {
            return Ok(());
        }
        let kind = Cause::Unsupported {
            found: format!("{count} {}", name.replace('_', " ")).into(),
            advice: "no published version writes these; please report which program wrote the file",
        };
        Err(self.reader.cursor.error_at(offset, name, kind).breaking(&INVALID_BINARY_FIELD))
    }

    fn vertices(&mut self, place: Field) -> Result<()> {
        let format = self.reader.format()?;
        self.see(place.named("flags"), U32, 1);
        let counted = self.reader.cursor.offset();
        let vertices = self.reader.u32("vertices")?;
        self.see(place.named("vertices.count"), U32, 1);
        let most = self.limits.items;
        if format.size() == 0 && u64::from(vertices) > most {
            return Err(self.reader.cursor.error_at(counted, "vertices", too_many(most, vertices)));
        }
        self.reader.cursor.lend(vertices.into(), format.size().into(), "vertices")?;
        self.see(place.named("vertexbuffer"), ElementType::new(VERTEX, format.size().into(), 4), vertices);
        Ok(())
    }
}
