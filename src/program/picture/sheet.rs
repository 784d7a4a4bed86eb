//! Writes contact sheets: many small pictures with captions on one PNG.
//!
//! The tiles of a sheet may come in any order. A row of tiles is written as soon as it and all rows
//! above it are complete, and then its memory is freed. If the tiles come roughly in order, only a
//! few rows are in memory. Many tiles make several sheets of a size that viewers can show.

use std::collections::VecDeque;
use std::io::{self, Write};

use super::canvas::{blend, draw, fill, mix, row_part};
use super::caption::{draw_line, fitted, line_width};
use super::png::PngStream;
use super::sheet_layout::SheetLayout;
use crate::math::as_index;
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
    sheet: usize,
    background: [u8; 4],
    /// The rows of tiles that are not yet written, from the first one.
    rows: VecDeque<SheetRow>,
    /// The number of rows that are written.
    done: usize,
}

/// A row of tiles.
struct SheetRow {
    /// The pixels, or `None` until the row has a tile.
    band: Option<Picture>,
    /// The indices of the tiles that are missing.
    missing: Vec<usize>,
}

impl<'w> SheetWriter<'w> {
    /// Starts the sheet with the number `sheet`, from 0.
    pub fn new(out: &'w mut dyn Write, layout: &SheetLayout, sheet: usize, background: [u8; 4]) -> io::Result<Self> {
        let [width, _] = layout.sheet_size(sheet);
        let [.., alpha] = background;
        let mut stream = PngStream::new(out, layout.sheet_size(sheet), alpha == u8::MAX, &[])?;
        let margin = Picture::new([width, layout.margin()], background).map_err(io::Error::other)?;
        stream.add(margin.pixels())?;
        let tiles: Vec<usize> = layout.tiles(sheet).collect();
        let rows = tiles.chunks(as_index(layout.columns()).max(1));
        let rows = rows.map(|missing| SheetRow { band: None, missing: missing.to_vec() }).collect();
        Ok(Self { stream, layout: layout.clone(), sheet, background, rows, done: 0 })
    }

    /// Draws a tile, and writes the rows that are complete. `index` counts the tiles of all sheets.
    ///
    /// Returns an error if the tile is not on this sheet, or is already drawn.
    pub fn add(&mut self, index: usize, tile: &Tile) -> io::Result<()> {
        let place = index.checked_sub(self.layout.tiles(self.sheet).start);
        let columns = as_index(self.layout.columns());
        let place = place.and_then(|place| Some((place.checked_div(columns)?, place.checked_rem(columns)?)));
        let row = place.and_then(|(row, _)| self.rows.get_mut(row.checked_sub(self.done)?));
        let missing = row.and_then(|row| Some((row.missing.iter().position(|missing| *missing == index)?, row)));
        let (Some((_, column)), Some((number, row))) = (place, missing) else {
            return Err(io::Error::other(format!("expected a tile that is missing on the sheet, found tile {index}")));
        };
        row.missing.swap_remove(number);
        let band = match &mut row.band {
            Some(band) => band,
            None => row.band.insert(empty_band(&self.layout, self.sheet, self.background)?),
        };
        let [cell, _] = self.layout.cell();
        let left = cell.saturating_mul(u32::try_from(column).unwrap_or(u32::MAX)).saturating_add(self.layout.margin());
        draw_tile(band, left, tile, &self.layout, self.background);
        self.write_complete()
    }

    fn write_complete(&mut self) -> io::Result<()> {
        while let Some(SheetRow { band: Some(band), .. }) = self.rows.front().filter(|row| row.missing.is_empty()) {
            self.stream.add(band.pixels())?;
            self.rows.pop_front();
            self.done = self.done.saturating_add(1);
        }
        Ok(())
    }

    /// Writes the end of the file. Returns an error if tiles are missing.
    pub fn finish(self) -> io::Result<()> {
        let missing: usize = self.rows.iter().map(|row| row.missing.len()).sum();
        if missing > 0 {
            return Err(io::Error::other(format!("expected {missing} more tiles on the sheet, found none")));
        }
        self.stream.finish()
    }
}

fn empty_band(layout: &SheetLayout, sheet: usize, background: [u8; 4]) -> io::Result<Picture> {
    let ([width, _], [_, height]) = (layout.sheet_size(sheet), layout.cell());
    Picture::new([width, height], background).map_err(io::Error::other)
}

/// Draws a tile and its caption. A picture that is smaller than the tile is centred.
fn draw_tile(band: &mut Picture, left: u32, tile: &Tile, layout: &SheetLayout, background: [u8; 4]) {
    let [width, height] = layout.tile();
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
    let [width, height] = layout.tile();
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

    fn sheet(layout: &SheetLayout, order: &[usize], background: [u8; 4]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = SheetWriter::new(&mut bytes, layout, 0, background).unwrap();
        for index in order {
            writer.add(*index, &tile(*index)).unwrap();
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
    fn the_order_of_tiles_does_not_matter() {
        let layout = SheetLayout::new([64, 64], 7, Some(3)).unwrap();
        let bytes = sheet(&layout, &[0, 1, 2, 3, 4, 5, 6], PAGE);
        assert_eq!(bytes, sheet(&layout, &[6, 2, 4, 0, 5, 1, 3], PAGE));
        let (size, pixels) = decoded(&bytes);
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
    fn complete_rows_are_written_and_freed() {
        let layout = SheetLayout::new([64, 64], 9, Some(3)).unwrap();
        let mut bytes = Vec::new();
        let mut writer = SheetWriter::new(&mut bytes, &layout, 0, PAGE).unwrap();
        for index in 0..9 {
            writer.add(index, &tile(index)).unwrap();
            assert!(writer.rows.iter().filter(|row| row.band.is_some()).count() <= 1);
        }
        assert_eq!((writer.rows.len(), writer.done), (0, 3));
        writer.finish().unwrap();
    }

    #[test]
    fn wrong_and_missing_tiles_are_errors() {
        let layout = SheetLayout::new([64, 64], 500, None).unwrap();
        let mut bytes = Vec::new();
        let start = layout.tiles(1).start;
        let mut writer = SheetWriter::new(&mut bytes, &layout, 1, PAGE).unwrap();
        writer.add(start, &tile(0)).unwrap();
        for wrong in [0, start, start - 1, 500, usize::MAX] {
            assert!(writer.add(wrong, &tile(0)).is_err(), "{wrong}");
        }
        let message = writer.finish().unwrap_err().to_string();
        assert_eq!(message, format!("expected {} more tiles on the sheet, found none", 500 - start - 1));
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
            assert_eq!(decoded(&sheet(&layout, &[6, 5, 4, 3, 2, 1, 0], [0; 4])).0, layout.sheet_size(0));
        }
    }
}
