//! Draws text onto pictures with the font Noto Sans Mono.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use unicode_width::UnicodeWidthChar as _;

use super::canvas::{blend, fill, row_part};
use crate::Name;
use crate::math::as_index;
use crate::render::Picture;

/// The character that replaces the middle of a text that is too long.
const ELLIPSIS: char = '…';

/// The size of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSize {
    /// Lines of 16 pixels.
    Small,
    /// Lines of 24 pixels.
    Large,
}

impl TextSize {
    const fn raster(self) -> RasterHeight {
        match self {
            Self::Small => RasterHeight::Size16,
            Self::Large => RasterHeight::Size24,
        }
    }

    /// Returns the distance between two lines, in pixels.
    pub const fn line_height(self) -> u32 {
        match self {
            Self::Small => 16,
            Self::Large => 24,
        }
    }

    /// Returns the width of a character, in pixels.
    pub fn character_width(self) -> u32 {
        u32::try_from(get_raster_width(FontWeight::Regular, self.raster())).unwrap_or(u32::MAX)
    }
}

/// Returns a text from a file as one line of at most `width` pixels.
///
/// Control characters and characters that change the reading direction are escaped. If the line is
/// too long, an ellipsis replaces its middle, because the start and the end of a name tell most.
pub fn fitted(text: &str, size: TextSize, width: u32) -> String {
    let is_drawn = |character: &char| character.width() != Some(0);
    let line: Vec<char> = Name::new(text.as_bytes()).to_string().chars().filter(is_drawn).collect();
    let room = as_index(width.checked_div(size.character_width()).unwrap_or(0));
    if line.len() <= room {
        return line.into_iter().collect();
    }
    let kept = room.saturating_sub(1);
    let tail = kept / 2;
    let head = line.iter().take(kept.saturating_sub(tail));
    let middle = (room > 0).then_some(&ELLIPSIS);
    head.chain(middle).chain(line.iter().skip(line.len().saturating_sub(tail))).collect()
}

/// Returns the caption of a file as one line of at most `width` pixels.
///
/// If the caption is too long, an ellipsis replaces `common`, the start of the names of all files,
/// before other characters are left out.
pub fn fitted_caption(text: &str, common: &str, size: TextSize, width: u32) -> String {
    let fits = line_width(&fitted(text, size, u32::MAX), size) <= width;
    match text.strip_prefix(common) {
        Some(rest) if !fits && !common.is_empty() => fitted(&format!("{ELLIPSIS}{rest}"), size, width),
        _ => fitted(text, size, width),
    }
}

/// Returns the start that all names share, up to the last character that separates words.
pub fn common_start(names: &[String]) -> &str {
    let [first, rest @ ..] = names else { return "" };
    let shared = rest.iter().fold(first.len(), |shared, name| {
        let equal = first.char_indices().zip(name.chars()).find(|((_, one), other)| one != other);
        shared.min(equal.map_or(name.len(), |((at, _), _)| at))
    });
    let shared = first.get(..shared).filter(|_| !rest.is_empty()).unwrap_or_default();
    let end = shared.rfind(['_', '-', '.', ' ']).map_or(0, |at| at.saturating_add(1));
    shared.get(..end).unwrap_or_default()
}

/// Returns the width of a line in pixels.
pub fn line_width(line: &str, size: TextSize) -> u32 {
    u32::try_from(line.chars().count()).unwrap_or(u32::MAX).saturating_mul(size.character_width())
}

/// Draws a line of text with its left top corner at a point. Characters that the font lacks are
/// drawn as U+FFFD.
pub fn draw_line(picture: &mut Picture, [x, y]: [u32; 2], line: &str, size: TextSize, color: [u8; 4]) {
    let mut left = x;
    for character in line.chars() {
        let place = [left, y];
        match character {
            ELLIPSIS => draw_ellipsis(picture, place, size, color),
            character => draw_character(picture, place, character, size, color),
        }
        left = left.saturating_add(size.character_width());
    }
}

fn draw_character(picture: &mut Picture, [x, y]: [u32; 2], character: char, size: TextSize, color: [u8; 4]) {
    let glyph = |character| get_raster(character, FontWeight::Regular, size.raster());
    let Some(glyph) = glyph(character).or_else(|| glyph(char::REPLACEMENT_CHARACTER)) else { return };
    for (y, coverages) in (y..=u32::MAX).zip(glyph.rows()) {
        let pixels = row_part(picture, [x, y], size.character_width());
        for (pixel, coverage) in pixels.iter_mut().zip(coverages) {
            blend(pixel, color, *coverage);
        }
    }
}

/// Draws three dots on the base line. The font crate has no ellipsis.
fn draw_ellipsis(picture: &mut Picture, [x, y]: [u32; 2], size: TextSize, color: [u8; 4]) {
    let dot = size.line_height() / 12;
    let base = y.saturating_add(size.line_height().saturating_mul(3) / 4).saturating_sub(dot / 2);
    for number in [1, 3, 5_u32] {
        let center = size.character_width().saturating_mul(number) / 6;
        fill(picture, [x.saturating_add(center).saturating_sub(dot / 2), base], [dot, dot], color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: [u8; 4] = [255; 4];
    const BLACK: [u8; 4] = [0, 0, 0, 255];

    fn ink(line: &str, size: TextSize) -> usize {
        let mut picture = Picture::new([line_width(line, size), size.line_height()], WHITE).unwrap();
        draw_line(&mut picture, [0, 0], line, size, BLACK);
        picture.pixels().iter().filter(|pixel| **pixel != WHITE).count()
    }

    #[test]
    fn long_lines_lose_their_middle() {
        let width = |characters: u32| TextSize::Small.character_width() * characters;
        for (text, characters, line) in [
            ("guard.mesh", 10, "guard.mesh"),
            ("guard.mesh", 9, "guar…mesh"),
            ("guard.mesh", 4, "gu…h"),
            ("guard.mesh", 1, "…"),
            ("guard.mesh", 0, ""),
            ("", 5, ""),
            ("caf\u{e9} e\u{301}", 9, "caf\u{e9} e"),
            ("\u{65e5}\u{672c}", 2, "\u{65e5}\u{672c}"),
        ] {
            assert_eq!(fitted(text, TextSize::Small, width(characters)), line);
        }
        assert_eq!(fitted("ab", TextSize::Small, width(2) - 1), "…");
    }

    #[test]
    fn captions_keep_what_differs() {
        let names = ["fortress_wall_north_a", "fortress_wall_north_b", "fortress_wall_south"].map(str::to_owned);
        let common = common_start(&names);
        assert_eq!(common, "fortress_wall_");
        let width = |characters: u32| TextSize::Small.character_width() * characters;
        let caption = |characters| fitted_caption(&names[0], common, TextSize::Small, width(characters));
        assert_eq!([30, 12, 5].map(caption), ["fortress_wall_north_a", "…north_a", "…n…_a"]);
        assert_eq!(fitted_caption("other_name_of_a_level", common, TextSize::Small, width(9)), "othe…evel");
        for (names, common) in [(&["a_b"][..], ""), (&["a_b", "a_b"], "a_"), (&["é_x", "è_x"], ""), (&["ab", "ac"], "")]
        {
            assert_eq!(common_start(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()), common);
        }
        assert_eq!(common_start(&[]), "");
    }

    #[test]
    fn names_are_untrusted() {
        let wide = |text: &str| fitted(text, TextSize::Large, 10_000);
        assert_eq!(wide("a\u{1b}[2J\n\u{202e}b"), "a\\u{1b}[2J\\u{a}\\u{202e}b");
        let long = fitted(&"x".repeat(10_000_000), TextSize::Large, 300);
        assert!(line_width(&long, TextSize::Large) <= 300 && long.contains(ELLIPSIS));
    }

    #[test]
    fn every_character_leaves_ink() {
        for size in [TextSize::Small, TextSize::Large] {
            for text in ["A", "z", "0", ".", "\u{e9}", "\u{17e}", "…", "\u{65e5}", "\u{1f600}", "\u{fffd}"] {
                assert!(ink(text, size) > 0, "{text} of {size:?}");
            }
            assert_eq!(ink(" ", size), 0);
        }
        assert_eq!(ink("\u{65e5}", TextSize::Small), ink("\u{fffd}", TextSize::Small));
    }

    #[test]
    fn text_outside_of_a_picture_is_cut() {
        let mut picture = Picture::new([20, 5], WHITE).unwrap();
        draw_line(&mut picture, [15, 0], "MMMM", TextSize::Small, BLACK);
        draw_line(&mut picture, [u32::MAX - 1, u32::MAX - 1], "M…", TextSize::Large, BLACK);
        assert!(picture.rows().all(|row| row[..15].iter().all(|pixel| *pixel == WHITE)));
    }
}
