//! Text that shows a picture, in each protocol.

use super::blocks::block_lines;
use super::iterm::iterm_image;
use super::kitty::kitty_image;
use super::protocol::Protocol;
use super::scene::PngEncoder;
#[cfg(feature = "sixel")]
use super::sixel::sixel_image;
use crate::render::Picture;

/// A place for a picture at the cursor.
#[derive(Clone, Copy, Debug)]
pub struct PicturePlace {
    /// The columns and rows of the picture.
    pub cells: [u16; 2],
    /// The id by which kitty can remove the picture, or `None` if it remains.
    pub id: Option<u32>,
}

/// Returns the text that shows a picture at the cursor, without a line break at its end.
pub fn encode(
    picture: &Picture,
    protocol: Protocol,
    place: PicturePlace,
    png: PngEncoder<'_>,
) -> anyhow::Result<String> {
    Ok(match protocol {
        Protocol::Blocks(colors) => block_lines(picture, colors).join("\n"),
        Protocol::Kitty => kitty_image(&png(picture)?, place.cells, place.id),
        Protocol::Iterm => iterm_image(&png(picture)?, place.cells),
        #[cfg(feature = "sixel")]
        Protocol::Sixel => sixel_image(picture),
    })
}
