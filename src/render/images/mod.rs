//! Decodes images that are used as textures. The declared size is checked before memory is
//! allocated for it.

mod pcx;
mod png;
mod tga;

use std::path::Path;

use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::parse::Limits;
use crate::render::{Picture, Texture};

/// The greatest width and height of a picture.
const MAX_SIDE: u32 = Picture::MAX_SIDE;

/// The kind of an image file, by the extension of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// PCX of `ZSoft`.
    Pcx,
    /// PNG.
    Png,
    /// Truevision TGA.
    Tga,
}

impl ImageKind {
    /// The extensions of image files, in the order in which they are looked for.
    pub const EXTENSIONS: [(&str, Self); 3] = [("png", Self::Png), ("tga", Self::Tga), ("pcx", Self::Pcx)];

    /// Returns the kind of a file, or `None` if it is no image that can be decoded.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.as_encoded_bytes();
        let found = Self::EXTENSIONS.iter().find(|(name, _)| extension.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, kind)| *kind)
    }
}

/// Decodes an image. If `with_alpha` is false, all texels are opaque. If it is true, the texels
/// have the alpha of the image, and in a PCX image with a palette, the first colour is cut out.
///
/// The memory is that of the texels and of a few rows.
///
/// # Errors
///
/// Returns an error if the image is damaged, or if it needs more bytes as RGBA than the limit
/// `block`.
pub fn decode(kind: ImageKind, bytes: &[u8], with_alpha: bool, limits: &Limits) -> Result<Texture> {
    let is_png = bytes.starts_with(b"\x89PNG\r\n\x1a\n");
    let (size, mut texels) = match if is_png { ImageKind::Png } else { kind } {
        ImageKind::Png => png::decode(bytes, limits)?,
        ImageKind::Pcx => pcx::decode(bytes, with_alpha, limits)?,
        ImageKind::Tga => tga::decode(bytes, limits)?,
    };
    if !with_alpha {
        for [.., alpha] in &mut texels {
            *alpha = u8::MAX;
        }
    }
    Texture::new(size, texels)
}

/// The width and height of an image, and its texels, row by row from the top left corner.
type Decoded = ([u32; 2], Vec<[u8; 4]>);

/// Returns the number of texels of an image, or an error if a side is 0 or the image is too large.
fn texel_count(format: &'static str, [width, height]: [u32; 2], limits: &Limits) -> Result<usize> {
    let is_side = |side: u32| (1..=MAX_SIDE).contains(&side);
    if !is_side(width) || !is_side(height) {
        let (expected, found) = (format!("a width and height of 1 to {MAX_SIDE}"), format!("{width} x {height}"));
        return Err(located(format, "size", Cause::value(expected, found)));
    }
    let count = u64::from(width).saturating_mul(height.into());
    let asked = count.saturating_mul(as_u64(size_of::<[u8; 4]>()));
    if asked > limits.block {
        return Err(located(format, "size", Cause::Limit { name: "block", allowed: limits.block, asked }));
    }
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Returns an error if the `left` bytes of compressed texels are fewer than the `needed` ones.
fn expect_bytes(format: &'static str, needed: u64, left: usize) -> Result<()> {
    if as_u64(left) >= needed {
        return Ok(());
    }
    Err(located(format, "texels", Cause::UnexpectedEnd { needed, left: as_u64(left) }))
}

fn located(format: &'static str, field: &'static str, cause: Cause) -> Error {
    Error::without_offset(format, Field::new(field), cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    /// Decodes each start of an image and copies with one changed byte. No copy may panic, and no
    /// start without its last texel may be decoded.
    pub(super) fn survives_damage(kind: ImageKind, image: &[u8], trailing: usize) {
        let limits = Limits::default().with_block(1 << 16);
        for length in 0..image.len() {
            let is_decoded = decode(kind, &image[..length], true, &limits).is_ok();
            assert!(!is_decoded || length >= image.len() - trailing, "{kind:?}: {length} of {} bytes", image.len());
        }
        for at in 0..image.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, image[at] ^ 0x10] {
                let mut damaged = image.to_vec();
                damaged[at] = value;
                let _ = decode(kind, &damaged, at % 2 == 0, &limits);
            }
        }
    }

    #[test]
    fn sizes_are_checked_before_memory_is_allocated() {
        let limits = Limits::default();
        let kind = |size| texel_count("TGA", size, &limits).map_err(|error| error.kind());
        assert_eq!(kind([4096, 4096]), Ok(1 << 24));
        assert_eq!(kind([4096, 4097]), Err(ErrorKind::Limit));
        for size in [[0, 1], [1, 0], [u32::MAX, u32::MAX], [1, 16_385]] {
            assert_eq!(kind(size), Err(ErrorKind::Value), "{size:?}");
        }
    }

    #[test]
    fn the_extension_selects_the_decoder() {
        let kind = |path: &str| ImageKind::of_path(Path::new(path));
        assert_eq!(
            [kind("a.PCX"), kind("b/a.png"), kind("a.Tga")],
            [ImageKind::Pcx, ImageKind::Png, ImageKind::Tga].map(Some)
        );
        assert_eq!([kind("a.dds"), kind("png"), kind("")], [None; 3]);
    }
}
