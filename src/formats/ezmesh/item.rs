//! How one item of a file is read: by its tag and attributes, or by its fields.

use std::sync::OnceLock;

use super::FORMAT;
use super::binary::Reader;
use super::block::{Text, Unfolded};
use super::markup::tag::{Tag, Value};
use super::number::Tokens;
use super::outline::Kind;
use super::system::Slot;
use super::view::View;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::Name;

/// Bytes of a block with its tag from which on its error is kept.
const SHORT: u64 = 4096;

/// What names an item when something is wrong with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    pub(super) view: View<'a>,
    pub(super) kind: Kind,
    /// Its number among all of its kind.
    pub(super) index: usize,
    /// Where it stands in the structure.
    pub(super) place: Field,
}

impl<'a> View<'a> {
    /// Returns the tag that starts at an offset.
    pub(super) fn tag(&self, start: u64) -> Result<Tag<'a>> {
        let tag = usize::try_from(start).ok().and_then(|start| Tag::at(self.bytes, start));
        tag.ok_or_else(|| Error::without_offset(FORMAT, Field::new("element"), ErrorKind::Changed))
    }

    pub(super) fn missing(start: u64, field: Field, attribute: &'static str) -> Error {
        let kind = ErrorKind::Value { expected: format!("an attribute {attribute}").into(), found: "none".into() };
        Error::new(FORMAT, field, start, kind)
    }

    /// Makes a reader of an attribute's numbers; `None` where markup stands in it, which is none in an attribute.
    fn tokens(&self, value: Value<'a>) -> Option<Tokens<'a>> {
        let longest = usize::try_from(self.state.context.options.limits.number).unwrap_or(usize::MAX);
        memchr::memchr(b'<', value.bytes).is_none().then(|| Tokens::new(self.bytes, value.range(), longest))
    }

    fn misread(value: Value<'a>, field: Field, expected: String) -> Error {
        let found = crate::error::show_bytes(value.bytes.get(..32).unwrap_or(value.bytes));
        Error::new(FORMAT, field, as_u64(value.at), ErrorKind::Value { expected: expected.into(), found: found.into() })
    }

    /// Reads an attribute of `N` floats, and nothing else.
    pub(super) fn floats<const N: usize>(&self, value: Value<'a>, field: Field) -> Result<[f32; N]> {
        let mut floats = [0.0; N];
        let read = self.tokens(value).and_then(|mut tokens| {
            tokens.floats_into(&mut floats).ok()?;
            tokens.is_done().ok().filter(|done| *done)
        });
        if read.is_some() {
            return Ok(floats);
        }
        let expected = if N == 1 { "a number".to_owned() } else { format!("{N} numbers") };
        Err(Self::misread(value, field, expected))
    }

    /// Reads an attribute that is an integer.
    pub(super) fn integer(&self, value: Value<'a>, field: Field) -> Result<i64> {
        let number = self.tokens(value).and_then(|mut tokens| {
            let number = tokens.integer().ok()?;
            (tokens.is_done() == Ok(true)).then_some(number)
        });
        number.ok_or_else(|| Self::misread(value, field, "an integer".to_owned()))
    }

    /// Reads an attribute that counts something: not negative, and of 32 bits.
    pub(super) fn counting(&self, value: Value<'a>, field: Field) -> Result<u32> {
        let number = self.integer(value, field).ok().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| Self::misread(value, field, "a count, 0 to 4294967295".to_owned()))
    }

    /// Returns a block of text, unfolded the first time.
    pub(super) fn unfolded(
        &self,
        kind: Kind,
        index: usize,
        unfold: impl Fn() -> Result<Unfolded>,
    ) -> Result<&'a Unfolded> {
        let changed = || Error::without_offset(FORMAT, Field::new("element"), ErrorKind::Changed);
        let blocks = self.state.blocks.get(kind.number()).ok_or_else(changed)?;
        let slots = if let Some(slots) = blocks.get() {
            slots
        } else {
            let mut slots: Vec<Slot> = Vec::new();
            let count = self.count(kind);
            slots.try_reserve_exact(count).map_err(|_| {
                let asked = as_u64(count).saturating_mul(as_u64(size_of::<Slot>()));
                Error::without_offset(FORMAT, Field::new("element"), ErrorKind::OutOfMemory { asked })
            })?;
            slots.resize_with(count, OnceLock::new);
            blocks.get_or_init(|| slots.into_boxed_slice())
        };
        let slot = slots.get(index).ok_or_else(changed)?;
        // An error takes some hundred bytes. Of a short block none is kept: it is soon read again, and such blocks may be many.
        let is_short = || {
            let outline = &self.state.outline;
            let length = outline
                .end(kind, index)
                .zip(outline.start(kind, index))
                .map(|(end, start)| as_u64(end).saturating_sub(start));
            length.is_none_or(|length| length < SHORT)
        };
        // A lack of memory may be over the next time.
        let is_lasting = |error: &Error| !matches!(error.kind(), ErrorKind::OutOfMemory { .. });
        let keep = |error: Error| (is_lasting(&error) && !is_short()).then_some(error);
        match &**slot.get_or_init(|| Box::new(unfold().map_err(keep))) {
            Ok(unfolded) => Ok(unfolded),
            Err(Some(error)) => Err(error.clone()),
            Err(None) => Err(unfold().err().unwrap_or_else(changed)),
        }
    }

    /// Returns a block, if it was unfolded before.
    pub(super) fn seen(&self, kind: Kind, index: usize) -> Option<&'a Unfolded> {
        let slots = self.state.blocks.get(kind.number())?.get()?;
        slots.get(index)?.get()?.as_ref().as_ref().ok()
    }
}

impl<'a> Item<'a> {
    /// Returns where it starts.
    pub(super) fn start(&self) -> Result<u64> {
        let start = self.view.state.outline.start(self.kind, self.index);
        start.ok_or_else(|| {
            let kind = ErrorKind::NoSuch { count: as_u64(self.view.count(self.kind)), index: as_u64(self.index) };
            Error::without_offset(FORMAT, self.place, kind)
        })
    }

    /// Returns the tag of a text file.
    pub(super) fn tag(&self) -> Result<Tag<'a>> {
        self.view.tag(self.start()?)
    }

    /// Returns a reader at its first field, of a binary file.
    pub(super) fn reader(&self) -> Result<Option<Reader<'a>>> {
        let start = self.start()?;
        self.view.order().map(|order| self.view.reader(order, start, self.place)).transpose()
    }

    /// Returns an attribute of a text file that is a name.
    pub(super) fn name(&self, attribute: &str) -> Result<Name<'a>> {
        Ok(self.tag()?.value(attribute).map(Value::name).unwrap_or_default())
    }

    /// Returns an attribute of a text file that counts something, if it is there.
    pub(super) fn counted(&self, attribute: &'static str) -> Result<Option<u32>> {
        let value = self.tag()?.value(attribute);
        value.map(|value| self.view.counting(value, self.place.named(attribute))).transpose()
    }

    /// Returns an attribute of a text file that is `N` floats, if it is there.
    pub(super) fn floats<const N: usize>(&self, attribute: &'static str) -> Result<Option<[f32; N]>> {
        let value = self.tag()?.value(attribute);
        value.map(|value| self.view.floats(value, self.place.named(attribute))).transpose()
    }

    /// Returns the text of its block.
    pub(super) fn text(&self, name: &'static str, what: &'static str) -> Result<Text<'a>> {
        let tag = self.tag()?;
        let end = self.view.state.outline.end(self.kind, self.index).unwrap_or_default();
        let start = tag.end().map_or(end, |tag| tag.end.min(end));
        let options = &self.view.state.context.options;
        Ok(Text {
            bytes: self.view.bytes,
            content: start..end,
            field: self.place.named(name),
            longest: usize::try_from(options.limits.number).unwrap_or(usize::MAX),
            strict: options.strict,
            what,
        })
    }
}
