//! Reads one element of a file: its tag and attributes in a text file, or its fields in a binary
//! file.

use std::ops::Range;

use crate::array::Bounds;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result};
use crate::formats::ezmesh::binary::BinaryReader;
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::layout::{FORMAT, RECORDS};
use crate::formats::ezmesh::validate::rules::{NUMBER_TYPE, VERTEX_DECLARATION};
use crate::formats::ezmesh::view::{NameIndex, View};
use crate::formats::ezmesh::xml::number_block::{NumberBlock, ParsedBlock};
use crate::formats::ezmesh::xml::numbers::Tokens;
use crate::formats::ezmesh::xml::tag::{AttributeValue, Tag};
use crate::math::{as_index, as_u64};
use crate::model::Transform;
use crate::parse::{AccessLog, Name};

/// An element of a file, with the path of the element for error messages.
#[derive(Clone, Copy)]
pub(crate) struct ElementReader<'a> {
    pub(crate) view: View<'a>,
    pub(crate) kind: ElementKind,
    /// The index of the element among all elements of the same type in the file.
    pub(crate) index: usize,
    /// The path of the element in the structure of the file, such as the second section of the
    /// first mesh.
    pub(crate) place: Field,
}

short_debug!(ElementReader<'_>: |element| { file: element.view, kind: element.kind, index: element.index });

impl<'a> View<'a> {
    /// Returns the index of the first element of a kind that has the name `name`. The first call
    /// for a kind reads the names of all its elements.
    pub(crate) fn find(&self, kind: ElementKind, name: Name<'_>) -> Option<usize> {
        let names = self.state.caches.names.get(kind.number())?.get_or_init(|| {
            let name = |number| {
                let element = ElementReader { view: *self, kind, index: as_index(number), place: Field::new("") };
                element.text("name").unwrap_or_default().as_bytes()
            };
            NameIndex::of((0..u32::try_from(self.count(kind)).unwrap_or(u32::MAX)).map(|one| (0, name(one), one)))
        });
        names.find(0, name.as_bytes()).map(as_index)
    }

    pub(crate) fn missing(start: u64, field: Field, attribute: &'static str) -> Error {
        let kind = Cause::value(format!("an attribute {attribute}"), "none");
        Error::new(FORMAT, field, start, kind).breaking(&VERTEX_DECLARATION)
    }

    /// Reads numbers from the value of an attribute. Returns `None` if `read` does, if the value
    /// contains more numbers, or if it contains `<`, because it must not contain markup.
    fn parse<T>(&self, value: AttributeValue<'a>, read: impl FnOnce(&mut Tokens<'a>) -> Option<T>) -> Option<T> {
        let longest = usize::try_from(self.state.context.options.limits.number).unwrap_or(usize::MAX);
        memchr::memchr(b'<', value.bytes).is_none().then_some(())?;
        let mut tokens = Tokens::new(self.bytes, value.range(), longest);
        read(&mut tokens).filter(|_| tokens.is_done() == Ok(true))
    }

    fn misread(value: AttributeValue<'a>, field: Field, expected: String) -> Error {
        let found = crate::error::show_bytes(value.bytes.get(..32).unwrap_or(value.bytes));
        Error::new(FORMAT, field, as_u64(value.at), Cause::value(expected, found)).breaking(&NUMBER_TYPE)
    }

    /// Parses an attribute value that must contain exactly `N` floats.
    pub(crate) fn floats<const N: usize>(&self, value: AttributeValue<'a>, field: Field) -> Result<[f32; N]> {
        let mut floats = [0.0; N];
        self.parse(value, |tokens| tokens.floats_into(&mut floats).ok()).ok_or_else(|| {
            let expected = if N == 1 { "a number".to_owned() } else { format!("{N} numbers") };
            Self::misread(value, field, expected)
        })?;
        Ok(floats)
    }

    /// Parses an attribute value that must be an integer.
    pub(crate) fn integer(&self, value: AttributeValue<'a>, field: Field) -> Result<i64> {
        let number = self.parse(value, |tokens| tokens.integer_within(i64::MIN..=i64::MAX).ok());
        number.ok_or_else(|| Self::misread(value, field, "an integer".to_owned()))
    }

    /// Parses an attribute value that must be a count: an integer from 0 to the largest `u32`.
    pub(crate) fn counting(&self, value: AttributeValue<'a>, field: Field) -> Result<u32> {
        let number = self.integer(value, field).ok().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| {
            Self::misread(value, field, "a count, 0 to 4294967295".to_owned()).breaking(&VERTEX_DECLARATION)
        })
    }
}

impl<'a> ElementReader<'a> {
    /// Creates a reader for an element of a kind, which may belong to an element around it. Errors
    /// name the lists of both by the names beside the kinds.
    pub(crate) fn new(
        view: View<'a>,
        outer: Option<(ElementKind, &'static str)>,
        (kind, name): (ElementKind, &'static str),
        index: usize,
    ) -> Self {
        let place = match outer {
            None => Field::new("").in_list(name, as_u64(index)),
            Some((outer, outer_name)) => {
                let start = view.state.elements.start(kind, index).unwrap_or_default();
                let around = view.state.elements.around(outer, start).unwrap_or_default();
                let number = index.saturating_sub(view.state.elements.within(kind, outer, around).start);
                Field::new("").in_list(outer_name, as_u64(around)).in_inner_list(name, as_u64(number))
            }
        };
        Self { view, kind, index, place }
    }

    /// Returns the indices of the elements of a kind that are inside this element.
    pub(crate) fn inside(&self, kind: ElementKind) -> Range<usize> {
        self.view.state.elements.within(kind, self.kind, self.index)
    }

    /// Returns the first element of a kind inside this element. Errors name it by this element.
    pub(crate) fn first(&self, kind: ElementKind) -> Option<Self> {
        self.inside(kind).next().map(|index| Self { kind, index, ..*self })
    }

    /// Reads the bounding box that this element is.
    pub(crate) fn bounds(self) -> Result<Bounds> {
        if let Some(mut reader) = self.fields()? {
            return Ok(Bounds { min: reader.floats("bounds.min")?, max: reader.floats("bounds.max")? });
        }
        let ([min, max], field) = (self.tag()?.values(["min", "max"]), self.place.named("MeshAABB"));
        let corner = |value: Option<AttributeValue<'a>>, name: &'static str| match value {
            Some(value) => self.view.floats::<3>(value, field),
            None => Err(View::missing(self.start()?, field, name)),
        };
        Ok(Bounds { min: corner(min, "min")?, max: corner(max, "max")? })
    }

    /// Returns the access log in which the arrays of a binary file are recorded. Opening a text
    /// file records all its bytes.
    pub(crate) fn array_log(&self) -> Option<&'a AccessLog> {
        self.view.state.context.access_log().filter(|_| self.view.order().is_some())
    }

    /// Returns the field path of the element, and the byte offset at which it starts.
    pub(crate) fn located(&self) -> (Field, u64) {
        (self.place, self.start().unwrap_or_default())
    }

    /// Returns the byte offset in the file at which the element starts.
    pub(crate) fn start(&self) -> Result<u64> {
        let start = self.view.state.elements.start(self.kind, self.index);
        start.ok_or_else(|| {
            let kind = Cause::NoSuch { count: as_u64(self.view.count(self.kind)), index: as_u64(self.index) };
            Error::without_offset(FORMAT, self.place, kind)
        })
    }

    /// Returns the tag of the element in a text file.
    pub(crate) fn tag(&self) -> Result<Tag<'a>> {
        self.view.tag(self.start()?)
    }

    /// Returns a reader at the first field of the element in a binary file, or `None` for a text
    /// file.
    pub(crate) fn fields(&self) -> Result<Option<BinaryReader<'a>>> {
        let start = self.start()?;
        self.view.order().map(|order| self.view.binary_reader(order, start, self.place)).transpose()
    }

    /// Returns the string in the element's first field in a binary file, or in the element's
    /// attribute `name` in a text file.
    pub(crate) fn text(&self, name: &'static str) -> Result<Name<'a>> {
        match self.fields_from(name)? {
            Some(mut reader) => reader.text(name),
            None => self.name(name),
        }
    }

    /// Creates a reader at the field `name` in a binary file, or returns `None` for a text file.
    pub(crate) fn fields_from(&self, name: &str) -> Result<Option<BinaryReader<'a>>> {
        let Some(mut reader) = self.fields()? else { return Ok(None) };
        if let Some(record) = RECORDS.iter().find(|record| record.kind == self.kind) {
            reader.pass_to(record.parts, name)?;
        }
        Ok(Some(reader))
    }

    /// Returns the value of an attribute of the element in a text file, as a [`Name`] without
    /// conversion.
    pub(crate) fn name(&self, attribute: &str) -> Result<Name<'a>> {
        Ok(self.tag()?.value(attribute).map(AttributeValue::name).unwrap_or_default())
    }

    /// Returns the value of an attribute of the element in a text file as an unsigned integer, or
    /// `None` if the attribute is missing.
    pub(crate) fn counted(&self, attribute: &'static str) -> Result<Option<u32>> {
        let value = self.tag()?.value(attribute);
        value.map(|value| self.view.counting(value, self.place.named(attribute))).transpose()
    }

    /// Returns a number that the element declares: the field `field` of a binary file, or an
    /// attribute of a text file. Returns `None` if the attribute is missing.
    pub(crate) fn declared(&self, field: &'static str, attribute: &'static str) -> Result<Option<u32>> {
        match self.fields_from(field)? {
            Some(mut reader) => reader.u32(field).map(Some),
            None => self.counted(attribute),
        }
    }

    /// Returns the value of an attribute of the element in a text file as `N` floats, or `None` if
    /// the attribute is missing.
    pub(crate) fn floats<const N: usize>(&self, attribute: &'static str) -> Result<Option<[f32; N]>> {
        let value = self.tag()?.value(attribute);
        value.map(|value| self.view.floats(value, self.place.named(attribute))).transpose()
    }

    /// Returns the transform in three attributes of the element in a text file. A missing position,
    /// rotation or scale has the identity value: 0, no rotation, or 1.
    pub(crate) fn transform(
        &self,
        values: [Option<AttributeValue<'a>>; 3],
        names: [&'static str; 3],
    ) -> Result<Transform> {
        let rest = Transform::default();
        Ok(Transform {
            position: self.floats_or(values[0], names[0], rest.position)?,
            rotation: self.floats_or(values[1], names[1], rest.rotation)?,
            scale: self.floats_or(values[2], names[2], rest.scale)?,
        })
    }

    fn floats_or<const N: usize>(
        &self,
        value: Option<AttributeValue<'a>>,
        name: &'static str,
        missing: [f32; N],
    ) -> Result<[f32; N]> {
        value.map_or(Ok(missing), |value| self.view.floats(value, self.place.named(name)))
    }

    /// Returns a [`NumberBlock`] that reads the numbers in the text of the element in a text file.
    pub(crate) fn block(&self, name: &'static str, what: &'static str) -> Result<NumberBlock<'a>> {
        let tag = self.tag()?;
        let end = self.view.state.elements.end(self.kind, self.index).unwrap_or_default();
        let start = tag.end().map_or(end, |tag| tag.end.min(end));
        let options = &self.view.state.context.options;
        Ok(NumberBlock {
            bytes: self.view.bytes,
            content: start..end,
            field: self.place.named(name),
            longest: usize::try_from(options.limits.number).unwrap_or(usize::MAX),
            strict: options.strict,
            what,
        })
    }

    /// Returns the parsed numbers of the element from the cache. The first call parses the text of
    /// the element.
    pub(crate) fn parsed_block(&self, parse: impl FnOnce() -> Result<ParsedBlock>) -> Result<&'a ParsedBlock> {
        let slot = self.view.state.blocks.get(self.kind.number()).and_then(|slots| slots.get(self.index));
        let slot = slot.ok_or_else(|| Error::without_offset(FORMAT, Field::new("element"), Cause::Changed))?;
        slot.get_or_init(|| Box::new(parse())).as_ref().as_ref().map_err(Clone::clone)
    }

    /// Returns the parsed numbers of the element from the cache, or `None` if the text of the
    /// element has not been parsed yet.
    pub(crate) fn known_block(&self) -> Option<&'a ParsedBlock> {
        let slots = self.view.state.blocks.get(self.kind.number())?;
        slots.get(self.index)?.get()?.as_ref().as_ref().ok()
    }
}
