//! Pictures between lines of text.

use std::io::{self, Write};

use super::blocks::block_lines;
use super::encode::{PicturePlace, encode};
use super::protocol::Protocol;
use crate::render::Picture;

/// The number of blanks between a picture and the text at its right.
const GAP: usize = 2;

/// Prints a picture in a number of columns and rows, and ends the line.
pub fn print_picture(
    out: &mut dyn Write,
    picture: &Picture,
    (protocol, cells): (Protocol, [u16; 2]),
) -> io::Result<()> {
    let text = encode(picture, protocol, PicturePlace { cells, id: None })?;
    writeln!(out, "{text}")
}

/// Prints a picture and lines of text: the text at the right of a picture of blocks, or below a
/// picture of another protocol.
pub fn print_with_text(
    out: &mut dyn Write,
    picture: &Picture,
    text: &[String],
    (protocol, cells): (Protocol, [u16; 2]),
) -> io::Result<()> {
    let lines = if let Protocol::Blocks(colors) = protocol {
        side_by_side(&block_lines(picture, colors), cells[0].into(), text, 0)
    } else {
        print_picture(out, picture, (protocol, cells))?;
        text.to_vec()
    };
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Returns lines with a picture at the left and text at the right.
///
/// `picture` has the lines of [`block_lines`], each `columns` wide. The first line of the text is
/// next to the line `first` of the picture. Lines of text below the picture are indented.
pub fn side_by_side(picture: &[String], columns: usize, text: &[String], first: usize) -> Vec<String> {
    let blank = " ".repeat(columns);
    let count = picture.len().max(text.len().saturating_add(first));
    let line = |index: usize| {
        let left = picture.get(index).unwrap_or(&blank);
        let right = index.checked_sub(first).and_then(|index| text.get(index)).filter(|text| !text.is_empty());
        right.map_or_else(|| left.trim_end_matches(' ').to_owned(), |right| format!("{left}{:GAP$}{right}", ""))
    };
    (0..count).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::output::base64;
    use crate::program::picture::png::png_bytes;
    use crate::program::terminal::protocol::BlockColors;

    fn texts(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn text_is_right_of_the_picture() {
        let picture = texts(&["ab", "cd", " e"]);
        assert_eq!(side_by_side(&picture, 2, &texts(&["one", ""]), 0), ["ab  one", "cd", " e"]);
        assert_eq!(side_by_side(&picture, 2, &texts(&["one"]), 1), ["ab", "cd  one", " e"]);
        let long = side_by_side(&picture[..1], 2, &texts(&["one", "", "three"]), 0);
        assert_eq!(long, ["ab  one", "", "    three"]);
        assert_eq!(side_by_side(&[], 3, &texts(&["one"]), 1), ["", "     one"]);
        assert!(side_by_side(&[], 3, &[], 0).is_empty());
    }

    #[test]
    fn text_is_below_other_pictures() {
        let picture = Picture::new([2, 2], [255; 4]).unwrap();
        let print = |protocol| {
            let mut out = Vec::new();
            print_with_text(&mut out, &picture, &texts(&["one"]), (protocol, [2, 1])).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(print(Protocol::Blocks(BlockColors::Shades)), "@@  one\n");
        let png = png_bytes(&picture).unwrap();
        let (size, digits) = (png.len(), base64(&png));
        assert_eq!(print(Protocol::Kitty), format!("\x1b_Ga=T,f=100,q=2,c=2,r=1,m=0;{digits}\x1b\\\none\n"));
        let image = format!("\x1b]1337;File=inline=1;size={size};width=2;height=1;preserveAspectRatio=1:{digits}\x07");
        assert_eq!(print(Protocol::Iterm), format!("{image}\none\n"));
    }
}
