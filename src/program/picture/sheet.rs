//! Writes contact sheets: many small pictures with captions on one PNG.
//!
//! A row of tiles is written as soon as it is complete, so only one row is in memory. Many tiles
//! make several sheets of a size that viewers can show.

use std::io::{self, Write};

use super::canvas::{blend, draw, fill, mix, row_part};
use super::caption::{draw_line, fitted, line_width};
use super::png::PngStream;
use super::sheet_layout::SheetLayout;
use crate::render::Picture;

const DARK_INK: [u8; 4] = [34, 36, 40, 255];
const LIGHT_INK: [u8; 4] = [232, 234, 237, 255];
/// The ink on a transparent sheet, which is legible on a light and on a dark page.
const MIDDLE_INK: [u8; 4] = [118, 120, 124, 255];

/// A tile of a contact sheet.
pub struct Tile {
    /// The picture of a mesh, or a few words about the error that prevented it.
    pub content: Result<Picture, String>,
    /// The first line of the caption, such as the name of the file.
    pub name: String,
    /// The second line of the caption, such as `1,234 triangles`.
    pub detail: String,
}

/// Writes one contact sheet as PNG.
pub struct SheetWriter<'w> {
    stream: PngStream<'w>,
    layout: SheetLayout,
    background: [u8; 4],
    /// The pixels of the row of tiles that is not yet written.
    band: Picture,
    /// The number of tiles in this row.
    drawn: u32,
    /// The number of tiles that are missing on the sheet.
    missing: usize,
}

impl<'w> SheetWriter<'w> {
    /// Starts the sheet with the number `sheet`, from 0.
    pub fn new(out: &'w mut dyn Write, layout: &SheetLayout, sheet: usize, background: [u8; 4]) -> io::Result<Self> {
        let [width, _] = layout.sheet_size(sheet);
        let [.., alpha] = background;
        let mut stream = PngStream::new(out, layout.sheet_size(sheet), alpha == u8::MAX, &[])?;
        let margin = Picture::new([width, layout.margin()], background).map_err(io::Error::other)?;
        stream.add(margin.pixels())?;
        let [_, height] = layout.cell();
        let band = Picture::new([width, height], background).map_err(io::Error::other)?;
        let missing = layout.tiles(sheet).len();
        Ok(Self { stream, layout: layout.clone(), background, band, drawn: 0, missing })
    }

    /// Draws the next tile, and writes its row if it is complete. Returns an error if the sheet has
    /// all tiles.
    pub fn add(&mut self, tile: &Tile) -> io::Result<()> {
        let missing = self.missing.checked_sub(1);
        self.missing = missing.ok_or_else(|| io::Error::other("expected no more tiles on the sheet, found one"))?;
        let [cell, _] = self.layout.cell();
        let left = cell.saturating_mul(self.drawn).saturating_add(self.layout.margin());
        draw_tile(&mut self.band, left, tile, &self.layout, self.background);
        self.drawn = self.drawn.saturating_add(1);
        if self.drawn == self.layout.columns || self.missing == 0 {
            self.stream.add(self.band.pixels())?;
            self.band.pixels_mut().fill(self.background);
            self.drawn = 0;
        }
        Ok(())
    }

    /// Writes the end of the file. Returns an error if tiles are missing.
    pub fn finish(self) -> io::Result<()> {
        if self.missing > 0 {
            return Err(io::Error::other(format!("expected {} more tiles on the sheet, found none", self.missing)));
        }
        self.stream.finish()
    }
}

/// Draws a tile and its caption. A picture that is smaller than the tile is centred.
fn draw_tile(band: &mut Picture, left: u32, tile: &Tile, layout: &SheetLayout, background: [u8; 4]) {
    let [width, height] = layout.tile;
    let ink = ink(background);
    match &tile.content {
        Ok(picture) => {
            let [own_width, own_height] = picture.size();
            let x = left.saturating_add(width.saturating_sub(own_width) / 2);
            draw(band, [x, height.saturating_sub(own_height) / 2], picture);
        }
        Err(error) => draw_error(band, left, error, layout, background),
    }
    let size = layout.text_size();
    let y = height.saturating_add(layout.caption_gap());
    draw_line(band, [left, y], &fitted(&tile.name, size, width), size, ink);
    let detail = fitted(&tile.detail, size, width);
    draw_line(band, [left, y.saturating_add(size.line_height())], &detail, size, muted(background, 170));
}

/// Draws a card with a muted cross, and the error below the cross.
fn draw_error(band: &mut Picture, left: u32, error: &str, layout: &SheetLayout, background: [u8; 4]) {
    let [width, height] = layout.tile;
    fill(band, [left, 0], [width, height], muted(background, 12));
    let arm = width.min(height) / 8;
    let center = [left.saturating_add(width / 2), (height / 2).saturating_sub(arm / 2)];
    draw_cross(band, center, arm, muted(background, 90));
    let size = layout.text_size();
    let line = fitted(error, size, width.saturating_sub(layout.margin()));
    let x = left.saturating_add(width.saturating_sub(line_width(&line, size)) / 2);
    let [_, y] = center;
    let y = y.saturating_add(arm).saturating_add(size.line_height() / 2);
    if y.saturating_add(size.line_height()) <= height {
        draw_line(band, [x, y], &line, size, muted(background, 170));
    }
}

/// Draws two diagonal lines whose ends are `arm` pixels from the centre in x and in y.
fn draw_cross(band: &mut Picture, [x, y]: [u32; 2], arm: u32, color: [u8; 4]) {
    let (left, top) = (x.saturating_sub(arm), y.saturating_sub(arm));
    for row in top..=y.saturating_add(arm) {
        let pixels = row_part(band, [left, row], arm.saturating_mul(2).saturating_add(1));
        for (column, pixel) in (left..=u32::MAX).zip(pixels) {
            // The distance to the nearer diagonal is this number divided by the square root of 2.
            let coverage = match column.abs_diff(x).abs_diff(row.abs_diff(y)) {
                0 | 1 => u8::MAX,
                2 => 86,
                _ => 0,
            };
            blend(pixel, color, coverage);
        }
    }
}

/// Returns the colour of text on a background.
fn ink([red, green, blue, alpha]: [u8; 4]) -> [u8; 4] {
    let brightness = [red, green, green, blue].map(u32::from).iter().sum::<u32>();
    match alpha {
        ..128 => MIDDLE_INK,
        _ if brightness >= 512 => DARK_INK,
        _ => LIGHT_INK,
    }
}

/// Returns a colour between that of the background and that of text.
fn muted(background: [u8; 4], share: u8) -> [u8; 4] {
    mix(background, ink(background), share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::as_index;

    const PAGE: [u8; 4] = [244, 244, 242, 255];

    fn tile(number: usize) -> Tile {
        let color = [u8::try_from(number * 20).unwrap(), 90, 160, 255];
        let content =
            if number % 5 == 4 { Err("damaged file".to_owned()) } else { Ok(Picture::new([60, 64], color).unwrap()) };
        Tile {
            content,
            name: format!("a_long_name_of_a_mesh_{number}.mesh"),
            detail: format!("{number},234 triangles"),
        }
    }

    fn sheet(layout: &SheetLayout, background: [u8; 4]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = SheetWriter::new(&mut bytes, layout, 0, background).unwrap();
        for index in 0..7 {
            writer.add(&tile(index)).unwrap();
        }
        writer.finish().unwrap();
        bytes
    }

    fn decoded(bytes: &[u8]) -> ([u32; 2], Vec<u8>) {
        let mut reader = ::png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        ([reader.info().width, reader.info().height], pixels)
    }

    #[test]
    fn tiles_are_in_rows() {
        let layout = SheetLayout::new([64, 64], 7, Some(3)).unwrap();
        let (size, pixels) = decoded(&sheet(&layout, PAGE));
        assert_eq!(size, layout.sheet_size(0));
        // The picture of tile 3 is in the first column of the second row, and centred.
        let [cell, height] = layout.cell();
        let pixel = |x: u32, y: u32| {
            let at = as_index((y * size[0] + x) * 3);
            [pixels[at], pixels[at + 1], pixels[at + 2]]
        };
        let y = layout.margin() + height;
        assert_eq!(pixel(layout.margin() + 2, y), [60, 90, 160]);
        assert_eq!(pixel(layout.margin() + 1, y), PAGE[..3]);
        assert_eq!(pixel(layout.margin() + cell, y), muted(PAGE, 12)[..3]);
        assert_eq!(pixel(size[0] - 1, size[1] - 1), PAGE[..3]);
    }

    #[test]
    fn wrong_and_missing_tiles_are_errors() {
        let layout = SheetLayout::new([64, 64], 500, None).unwrap();
        let mut bytes = Vec::new();
        let count = layout.tiles(1).len();
        let mut writer = SheetWriter::new(&mut bytes, &layout, 1, PAGE).unwrap();
        writer.add(&tile(0)).unwrap();
        let message = writer.finish().unwrap_err().to_string();
        assert_eq!(message, format!("expected {} more tiles on the sheet, found none", count - 1));
        let mut bytes = Vec::new();
        let mut writer = SheetWriter::new(&mut bytes, &layout, 1, PAGE).unwrap();
        for _ in 0..count {
            writer.add(&tile(0)).unwrap();
        }
        assert!(writer.add(&tile(0)).is_err());
    }

    #[test]
    fn text_is_legible_on_any_background() {
        let brightness = |[red, green, blue, _]: [u8; 4]| i32::from(red) + i32::from(green) + i32::from(blue);
        for level in 0..=255 {
            let page = [level, level, level, 255];
            assert!((brightness(ink(page)) - brightness(page)).abs() > 250, "{level}");
        }
        assert_eq!(ink([0; 4]), MIDDLE_INK);
    }

    #[test]
    fn odd_tiles_draw_what_fits() {
        for tile in [[1, 1], [3, 40], [40, 3], [480, 8]] {
            let layout = SheetLayout::new(tile, 7, None).unwrap();
            assert_eq!(decoded(&sheet(&layout, [0; 4])).0, layout.sheet_size(0));
        }
    }
}
