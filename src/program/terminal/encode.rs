//! Text that shows a picture, in each protocol.

use std::fmt::Write as _;
use std::io;

use super::blocks::block_lines;
use super::protocol::Protocol;
#[cfg(feature = "sixel")]
use super::sixel::sixel_image;
use crate::program::output::base64;
use crate::program::picture::png::png_bytes;
use crate::render::Picture;

/// The most base64 digits in one sequence.
const CHUNK: usize = 4096;

/// A place for a picture at the cursor.
#[derive(Clone, Copy, Debug)]
pub struct PicturePlace {
    /// The columns and rows of the picture.
    pub cells: [u16; 2],
    /// The id by which kitty can remove the picture, or `None` if it remains.
    pub id: Option<u32>,
}

/// Returns the text that shows a picture at the cursor, without a line break at its end.
pub fn encode(picture: &Picture, protocol: Protocol, place: PicturePlace) -> io::Result<String> {
    Ok(match protocol {
        Protocol::Blocks(colors) => block_lines(picture, colors).join("\n"),
        Protocol::Kitty => kitty_image(&png_bytes(picture)?, place.cells, place.id),
        Protocol::Iterm => iterm_image(&png_bytes(picture)?, place.cells),
        #[cfg(feature = "sixel")]
        Protocol::Sixel => sixel_image(picture),
    })
}

/// Returns the sequences that show a PNG file at the cursor in kitty, in `columns` by `rows` cells.
///
/// A picture with an id can be removed with [`remove_image`], and leaves the cursor where it is. A
/// picture without an id remains in the scrolled text, and the cursor moves to its last row. The
/// terminal sends no answer (`q=2`), because it would arrive as keys.
fn kitty_image(png: &[u8], [columns, rows]: [u16; 2], id: Option<u32>) -> String {
    let digits = base64(png);
    let mut text = String::with_capacity(digits.len().saturating_add(digits.len() / 256).saturating_add(64));
    let mut keys = format!("a=T,f=100,q=2,c={columns},r={rows}");
    if let Some(id) = id {
        // Writing to a `String` does not fail.
        let _ = write!(keys, ",i={id},C=1");
    }
    let mut rest = digits.as_str();
    loop {
        let (chunk, more) = rest.split_at_checked(CHUNK).unwrap_or((rest, ""));
        let _ = write!(text, "\x1b_G{keys},m={};{chunk}\x1b\\", u8::from(!more.is_empty()));
        if more.is_empty() {
            return text;
        }
        rest = more;
        "q=2".clone_into(&mut keys);
    }
}

/// Returns the sequence that removes a picture from the screen and from the memory of the terminal.
pub fn remove_image(id: u32) -> String {
    format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\")
}

/// Returns the sequence that shows a PNG file at the cursor in iTerm2, in at most `columns` by
/// `rows` cells.
fn iterm_image(png: &[u8], [columns, rows]: [u16; 2]) -> String {
    let size = png.len();
    let digits = base64(png);
    format!("\x1b]1337;File=inline=1;size={size};width={columns};height={rows};preserveAspectRatio=1:{digits}\x07")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_one_chunk_or_several() {
        assert_eq!(kitty_image(b"foo", [4, 2], None), "\x1b_Ga=T,f=100,q=2,c=4,r=2,m=0;Zm9v\x1b\\");
        let long = kitty_image(&[0; 3072 * 2 + 1], [1, 1], Some(7));
        let digits = "A".repeat(4096);
        let expected = format!(
            "\x1b_Ga=T,f=100,q=2,c=1,r=1,i=7,C=1,m=1;{digits}\x1b\\\x1b_Gq=2,m=1;{digits}\x1b\\\x1b_Gq=2,m=0;AA==\x1b\\"
        );
        assert_eq!(long, expected);
        let exact = kitty_image(&[0; 3072], [1, 1], None);
        assert_eq!(exact.matches("\x1b_G").count(), 1);
    }

    #[test]
    fn removes_by_id() {
        assert_eq!(remove_image(9), "\x1b_Ga=d,d=I,i=9,q=2\x1b\\");
    }

    #[test]
    fn names_size_and_cells() {
        let expected = "\x1b]1337;File=inline=1;size=3;width=4;height=2;preserveAspectRatio=1:Zm9v\x07";
        assert_eq!(iterm_image(b"foo", [4, 2]), expected);
    }
}
