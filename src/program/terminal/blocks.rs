//! Pictures of characters: each has two pixels, one above the other.

use std::fmt::Write as _;

use super::protocol::BlockColors;
use crate::math::as_index;
use crate::render::Picture;

/// The least alpha of a pixel that is drawn. The others show the background of the terminal.
const MIN_ALPHA: u8 = 128;

/// The sequence that resets all colours.
const RESET: &str = "\x1b[0m";

/// Characters from dark to bright, for terminals without colours.
const SHADES: &[u8] = b".:-=+*#%@";

/// A colour that the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Rgb([u8; 3]),
    /// An index of the palette of 256 colours.
    Index(u8),
}

impl Ink {
    /// Returns the colour of a pixel, or `None` if the pixel is transparent.
    fn of_pixel([red, green, blue, alpha]: [u8; 4], colors: BlockColors) -> Option<Self> {
        let color = [red, green, blue];
        let ink = if colors == BlockColors::Rgb { Self::Rgb(color) } else { Self::Index(palette_index(color)) };
        (alpha >= MIN_ALPHA).then_some(ink)
    }
}

/// Returns a picture as lines of text, one for each row of cells, without line breaks.
///
/// Each line has one character for each column of pixels. It sets the colours only where they
/// change, and resets them at its end.
pub fn block_lines(picture: &Picture, colors: BlockColors) -> Vec<String> {
    let [width, _] = picture.size();
    let rows: Vec<&[[u8; 4]]> = picture.rows().collect();
    let none = vec![[0; 4]; as_index(width)];
    let cells = rows.chunks(2).map(|pair| {
        let upper = pair.first().copied().unwrap_or_default();
        let lower = pair.get(1).copied().unwrap_or(&none);
        upper.iter().zip(lower).map(|(upper, lower)| [*upper, *lower])
    });
    match colors {
        BlockColors::Shades => cells.map(|cells| cells.map(shade).collect()).collect(),
        _ => cells.map(|cells| colored_line(cells, colors)).collect(),
    }
}

/// Returns the ASCII character whose brightness is that of two pixels.
fn shade(pixels: [[u8; 4]; 2]) -> char {
    let visible: Vec<u32> = pixels.into_iter().filter(|pixel| pixel[3] >= MIN_ALPHA).map(luminance).collect();
    let Some(count) = u32::try_from(visible.len()).ok().filter(|count| *count > 0) else { return ' ' };
    let mean = visible.iter().sum::<u32>().checked_div(count).unwrap_or_default();
    let last = SHADES.len().saturating_sub(1);
    let index = as_index(mean).saturating_mul(last).saturating_add(127) / 255;
    SHADES.get(index.min(last)).copied().map_or(' ', char::from)
}

/// Returns the brightness of a pixel from 0 to 255.
fn luminance([red, green, blue, _]: [u8; 4]) -> u32 {
    let weighted = |part: u8, weight: u32| u32::from(part).saturating_mul(weight);
    let sum = weighted(red, 54).saturating_add(weighted(green, 183)).saturating_add(weighted(blue, 19));
    sum / 256
}

fn colored_line(cells: impl Iterator<Item = [[u8; 4]; 2]>, colors: BlockColors) -> String {
    let mut line = BlockLine { text: String::new(), front: None, back: None };
    cells.for_each(|pixels| line.push(pixels.map(|pixel| Ink::of_pixel(pixel, colors))));
    line.finish()
}

/// A line of cells, with the colours that are set at its end. `None` is the terminal's own colour.
struct BlockLine {
    text: String,
    front: Option<Ink>,
    back: Option<Ink>,
}

impl BlockLine {
    /// Appends a cell. A cell of one colour is a blank, because some fonts leave gaps between
    /// blocks.
    fn push(&mut self, [upper, lower]: [Option<Ink>; 2]) {
        let (front, back, character) = match (upper, lower) {
            (upper, lower) if upper == lower => (None, lower, ' '),
            (Some(_), lower) => (upper, lower, '\u{2580}'),
            (None, lower) => (lower, None, '\u{2584}'),
        };
        if self.back != back {
            self.set("48", "49", back);
            self.back = back;
        }
        if front.is_some() && self.front != front {
            self.set("38", "39", front);
            self.front = front;
        }
        self.text.push(character);
    }

    /// Appends the sequence that sets a colour. `code` starts a colour, and `default` is the code
    /// of the terminal's own colour.
    fn set(&mut self, code: &str, default: &str, ink: Option<Ink>) {
        // Writing to a `String` does not fail.
        let _ = match ink {
            None => write!(self.text, "\x1b[{default}m"),
            Some(Ink::Rgb([red, green, blue])) => write!(self.text, "\x1b[{code};2;{red};{green};{blue}m"),
            Some(Ink::Index(index)) => write!(self.text, "\x1b[{code};5;{index}m"),
        };
    }

    fn finish(mut self) -> String {
        if self.front.is_some() || self.back.is_some() {
            self.text.push_str(RESET);
        }
        self.text
    }
}

/// Returns the nearest colour among the cube and the greys of the palette of 256 colours.
fn palette_index(color: [u8; 3]) -> u8 {
    let [red, green, blue] = color.map(nearest_level);
    let cube = [red, green, blue].map(|(_, value)| value);
    let cube_index = [(red.0, 36_u8), (green.0, 6), (blue.0, 1)];
    let cube_index =
        cube_index.iter().fold(16_u8, |sum, (level, weight)| sum.saturating_add(level.saturating_mul(*weight)));
    let mean = color.iter().map(|part| u32::from(*part)).sum::<u32>() / 3;
    // The greys are 8, 18, .. 238, from index 232.
    let step = u8::try_from(mean.saturating_sub(3) / 10).unwrap_or(23).min(23);
    let grey = step.saturating_mul(10).saturating_add(8);
    if distance(color, [grey; 3]) < distance(color, cube) { step.saturating_add(232) } else { cube_index }
}

/// Returns the level of the cube that is nearest to a component, from 0 to 5, and its value.
fn nearest_level(part: u8) -> (u8, u8) {
    let levels = [(0, 0), (1, 95), (2, 135), (3, 175), (4, 215), (5, 255)];
    levels.into_iter().min_by_key(|(_, value)| part.abs_diff(*value)).unwrap_or_default()
}

fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other)).saturating_pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];
    const CLEAR: [u8; 4] = [9, 9, 9, 0];

    pub fn picture<const W: usize>(rows: &[[[u8; 4]; W]]) -> Picture {
        let size = [u32::try_from(W).unwrap(), u32::try_from(rows.len()).unwrap()];
        let mut picture = Picture::new(size, [0; 4]).unwrap();
        picture.pixels_mut().copy_from_slice(rows.as_flattened());
        picture
    }

    #[test]
    fn merges_runs_of_equal_colours() {
        let picture = picture(&[[RED, RED, RED, BLUE], [BLUE, BLUE, RED, BLUE]]);
        let expected = "\x1b[48;2;0;0;255m\x1b[38;2;255;0;0m▀▀\x1b[48;2;255;0;0m \x1b[48;2;0;0;255m \x1b[0m";
        assert_eq!(block_lines(&picture, BlockColors::Rgb), [expected]);
        let expected = "\x1b[48;5;21m\x1b[38;5;196m▀▀\x1b[48;5;196m \x1b[48;5;21m \x1b[0m";
        assert_eq!(block_lines(&picture, BlockColors::Cube), [expected]);
    }

    #[test]
    fn transparent_pixels_show_the_background() {
        let picture = picture(&[[CLEAR, RED, CLEAR, RED], [CLEAR, CLEAR, RED, RED], [RED, CLEAR, CLEAR, CLEAR]]);
        let expected = [
            " \x1b[38;2;255;0;0m▀▄\x1b[48;2;255;0;0m \x1b[0m".to_owned(),
            // An odd row has nothing below.
            "\x1b[38;2;255;0;0m▀   \x1b[0m".to_owned(),
        ];
        assert_eq!(block_lines(&picture, BlockColors::Rgb), expected);
    }

    #[test]
    fn shades_are_ascii() {
        let grey = |value| [value, value, value, 255];
        let picture = picture(&[
            [CLEAR, grey(0), grey(128), grey(255), grey(255)],
            [CLEAR, grey(0), grey(128), grey(255), CLEAR],
        ]);
        assert_eq!(block_lines(&picture, BlockColors::Shades), [" .+@@"]);
    }

    #[test]
    fn empty_pictures_have_no_cells() {
        assert!(block_lines(&Picture::new([0, 0], RED).unwrap(), BlockColors::Rgb).is_empty());
        assert!(block_lines(&Picture::new([5, 0], RED).unwrap(), BlockColors::Shades).is_empty());
    }

    #[test]
    fn finds_the_nearest_colour_of_the_palette() {
        let table = [
            ([0, 0, 0], 16),
            ([255, 255, 255], 231),
            ([128, 128, 128], 244),
            ([95, 95, 96], 59),
            ([255, 0, 0], 196),
            ([238, 238, 238], 255),
            ([8, 8, 8], 232),
        ];
        for (color, index) in table {
            assert_eq!(palette_index(color), index, "{color:?}");
        }
    }
}
