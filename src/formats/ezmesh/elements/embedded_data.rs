//! Data that only a binary file can contain: textures and user data.

use super::{Texture, UserBinary, UserData};
use crate::error::Result;
use crate::error::debug::{items, short_debug};
use crate::parse::Name;

/// The name, size and pixels of a texture in a binary file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EmbeddedPixels<'a> {
    /// The name of the texture.
    pub name: Name<'a>,
    /// Width of the texture, in pixels.
    pub width: u32,
    /// Height of the texture, in pixels.
    pub height: u32,
    /// Size of a pixel, in bytes.
    pub pixel_size: u32,
    /// The bytes of all pixels of the texture.
    pub pixels: &'a [u8],
}

short_debug!(EmbeddedPixels<'_>: |picture| {
    name: picture.name, width: picture.width, height: picture.height, pixel_size: picture.pixel_size,
    pixels: items(picture.pixels),
});

impl<'a> Texture<'a> {
    /// Returns the name, size and pixels of the texture, or `None` for a text file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn picture(&self) -> Result<Option<EmbeddedPixels<'a>>> {
        let Some(mut reader) = self.element.fields()? else { return Ok(None) };
        let name = reader.text("name")?;
        let [width, height, pixel_size] = [reader.u32("width")?, reader.u32("height")?, reader.u32("pixel_size")?];
        let length = reader.u32("pixels")?;
        let pixels = reader.lend(length.into(), 1, "pixels")?;
        Ok(Some(EmbeddedPixels { name, width, height, pixel_size, pixels }))
    }
}

impl<'a> UserData<'a> {
    /// Returns the key and the value of the pair, as stored in the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn pair(&self) -> Result<[Name<'a>; 2]> {
        let Some(mut reader) = self.element.fields()? else { return Ok([Name::default(); 2]) };
        Ok([reader.text("key")?, reader.text("value")?])
    }
}

impl<'a> UserBinary<'a> {
    /// Returns the name and the bytes of the binary user data.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn content(&self) -> Result<(Name<'a>, &'a [u8])> {
        let Some(mut reader) = self.element.fields()? else { return Ok((Name::default(), &[])) };
        let name = reader.text("name")?;
        let length = reader.u32("bytes")?;
        Ok((name, reader.lend(length.into(), 1, "bytes")?))
    }
}
