//! Data that a binary file embeds: textures, and what a user keeps in it.

use super::reader::ElementReader;
use crate::error::{Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::view::View;
use crate::math::as_u64;
use crate::parse::Name;

/// A picture in a binary file.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    element: ElementReader<'a>,
}

/// What a binary file holds of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Pixels to the right.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Bytes of a pixel.
    pub pixel_size: u32,
    /// The pixels.
    pub pixels: &'a [u8],
}

impl<'a> Texture<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("texture", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Texture, index, place } }
    }

    /// Returns what the file holds of it; `None` in text, which has none.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn picture(&self) -> Result<Option<Picture<'a>>> {
        let Some(mut reader) = self.element.fields()? else { return Ok(None) };
        let name = reader.text("name")?;
        let [width, height, pixel_size] = [reader.u32("width")?, reader.u32("height")?, reader.u32("pixel_size")?];
        let length = reader.u32("pixels")?;
        let pixels = reader.lend(length.into(), 1, "pixels")?;
        Ok(Some(Picture { name, width, height, pixel_size, pixels }))
    }
}

/// A pair of texts that a binary file keeps for its user.
#[derive(Clone, Copy, Debug)]
pub struct UserData<'a> {
    element: ElementReader<'a>,
}

impl<'a> UserData<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("user_data", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::UserData, index, place } }
    }

    /// Returns the key and the value.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn pair(&self) -> Result<[Name<'a>; 2]> {
        let Some(mut reader) = self.element.fields()? else { return Ok([Name::default(); 2]) };
        Ok([reader.text("key")?, reader.text("value")?])
    }
}

/// Bytes that a binary file keeps for its user.
#[derive(Clone, Copy, Debug)]
pub struct UserBinary<'a> {
    element: ElementReader<'a>,
}

impl<'a> UserBinary<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("user_binary_data", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::UserBinary, index, place } }
    }

    /// Returns the name and the bytes.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn content(&self) -> Result<(Name<'a>, &'a [u8])> {
        let Some(mut reader) = self.element.fields()? else { return Ok((Name::default(), &[])) };
        let name = reader.text("name")?;
        let length = reader.u32("bytes")?;
        Ok((name, reader.lend(length.into(), 1, "bytes")?))
    }
}
