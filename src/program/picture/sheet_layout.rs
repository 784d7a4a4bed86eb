//! The places of the tiles on contact sheets.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::caption::TextSize;
use crate::math::as_index;
use crate::program::outcome::{UsageError, usage};
use crate::render::Picture;

/// The greatest width and height of a picture.
const MAX_SIDE: u32 = Picture::MAX_SIDE;

/// The greatest number of tiles on a sheet if the user chooses no columns. More tiles than fit on a
/// sheet make several sheets, because image viewers are slow with pictures of more than about
/// 50 million pixels.
const MAX_TILES: u32 = 400;
/// The width of a tile from which its caption has large letters.
const LARGE_TILE: u32 = 480;

/// The places of all tiles on one contact sheet or on several.
///
/// The tiles of a sheet are in rows from the top left corner. All sheets have the same columns. The
/// last sheet has only the rows that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetLayout {
    /// The width and height of a tile without its caption.
    pub tile: [u32; 2],
    count: usize,
    /// The number of tiles in a row.
    pub columns: u32,
    /// The greatest number of rows on a sheet.
    rows: u32,
}

impl SheetLayout {
    /// Arranges `count` tiles of a width and height. Without a number of columns, the sheet is a
    /// little wider than high.
    ///
    /// Returns an error if there are no tiles, or if the columns are wider than a picture may be.
    pub fn new(tile: [u32; 2], count: usize, columns: Option<u32>) -> Result<Self, UsageError> {
        if count == 0 || tile.contains(&0) {
            usage!("a contact sheet needs at least one tile of at least 1 x 1 pixels");
        }
        let mut layout = Self { tile, count, columns: 1, rows: 1 };
        let [max_columns, max_rows] = layout.most();
        if max_columns == 0 || max_rows == 0 || columns.is_some_and(|columns| columns > max_columns) {
            return Err(layout.too_large(columns));
        }
        let tiles = u32::try_from(count).unwrap_or(u32::MAX);
        let balanced = || layout.balanced(tiles.min(MAX_TILES), max_columns);
        let columns = columns.unwrap_or_else(balanced).max(1);
        // Rows that are filled from 400 tiles on are enough, and no sheet is higher than a picture.
        layout.rows = MAX_TILES.div_ceil(columns).clamp(1, max_rows);
        layout.columns = columns;
        Ok(layout)
    }

    /// Returns the greatest numbers of columns and rows of a picture.
    fn most(&self) -> [u32; 2] {
        let room = MAX_SIDE.saturating_sub(self.margin());
        self.cell().map(|side| room.checked_div(side).unwrap_or(0))
    }

    fn too_large(&self, columns: Option<u32>) -> UsageError {
        let ([width, height], [most, _]) = (self.tile, self.most());
        let columns = columns.unwrap_or(1);
        UsageError(format!(
            "a contact sheet is at most {MAX_SIDE} pixels wide and high: expected at most {most} columns of \
             {width} x {height} pixels with margins, found {columns}; use fewer columns or smaller tiles"
        ))
    }

    /// Returns the number of columns with which the sheet is near 4:3 and has few empty places.
    fn balanced(&self, tiles: u32, max_columns: u32) -> u32 {
        let penalty = |columns: &u32| {
            let [width, height] = self.cell().map(u64::from);
            let (columns, tiles) = (u64::from(*columns), u64::from(tiles));
            let rows = tiles.div_ceil(columns.max(1));
            let empty = rows.saturating_mul(columns).saturating_sub(tiles);
            let wide = width.saturating_mul(columns).saturating_mul(3);
            let high = height.saturating_mul(rows).saturating_mul(4);
            let thousandths = |part: u64, whole: u64| part.saturating_mul(1000).checked_div(whole).unwrap_or(u64::MAX);
            let aspect = thousandths(wide.max(high), wide.min(high));
            aspect.saturating_add(thousandths(empty.saturating_mul(3), tiles.saturating_mul(2)))
        };
        (1..=tiles.min(max_columns)).min_by_key(penalty).unwrap_or(1)
    }

    /// Returns the number of pixels between two tiles, and around all tiles.
    pub fn margin(&self) -> u32 {
        let [width, _] = self.tile;
        (width / 16).clamp(8, 32)
    }

    /// Returns the size of the letters of captions.
    pub const fn text_size(&self) -> TextSize {
        let [width, _] = self.tile;
        if width < LARGE_TILE { TextSize::Small } else { TextSize::Large }
    }

    /// Returns the height of the space between a tile and its caption.
    pub const fn caption_gap(&self) -> u32 {
        self.text_size().line_height() / 4
    }

    /// Returns the distances between the left top corners of two tiles, in x and in y.
    pub fn cell(&self) -> [u32; 2] {
        let [width, height] = self.tile;
        let caption = self.text_size().line_height().saturating_mul(2).saturating_add(self.caption_gap());
        let margin = self.margin();
        [width.saturating_add(margin), height.saturating_add(caption).saturating_add(margin)]
    }

    /// Returns the number of sheets.
    pub fn sheet_count(&self) -> usize {
        self.count.div_ceil(self.sheet_tiles())
    }

    /// Returns the indices of the tiles on a sheet. The range is empty if there is no such sheet.
    pub fn tiles(&self, sheet: usize) -> Range<usize> {
        let start = self.sheet_tiles().saturating_mul(sheet).min(self.count);
        start..start.saturating_add(self.sheet_tiles()).min(self.count)
    }

    fn sheet_tiles(&self) -> usize {
        as_index(self.rows.saturating_mul(self.columns)).max(1)
    }

    /// Returns the width and height of a sheet in pixels.
    pub fn sheet_size(&self, sheet: usize) -> [u32; 2] {
        let count = u32::try_from(self.tiles(sheet).len()).unwrap_or(u32::MAX);
        // The columns of the first sheet are never empty, and all sheets are equally wide.
        let columns = self.columns.min(u32::try_from(self.count).unwrap_or(u32::MAX));
        let [width, height] = self.cell();
        let sides = [width.saturating_mul(columns), height.saturating_mul(count.div_ceil(self.columns.max(1)))];
        sides.map(|side| side.saturating_add(self.margin()))
    }

    /// Returns the path of a sheet: `path` if there is one sheet, and otherwise with a number
    /// from 1, such as `sheet-1.png`.
    pub fn path(&self, path: &Path, sheet: usize) -> PathBuf {
        if self.sheet_count() <= 1 {
            return path.to_owned();
        }
        // All numbers have the same length, so that a list of names is in the order of the sheets.
        let digits = self.sheet_count().to_string().len();
        numbered_path(path, &format!("{:0digits$}", sheet.saturating_add(1)))
    }
}

/// Returns a path with a number before its extension, such as `sheet-1.png`.
pub fn numbered_path(path: &Path, number: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(count: usize, columns: Option<u32>) -> SheetLayout {
        SheetLayout::new([256, 256], count, columns).unwrap()
    }

    #[test]
    fn a_sheet_is_a_little_wider_than_high() {
        for (count, columns) in
            [(1, 1), (2, 2), (3, 3), (4, 2), (6, 3), (12, 4), (20, 5), (42, 7), (100, 13), (400, 25)]
        {
            let layout = layout(count, None);
            assert_eq!((layout.columns, layout.sheet_count()), (columns, 1), "{count} tiles");
            assert_eq!(layout.tiles(0), 0..count);
        }
        assert_eq!(layout(1, Some(9)).sheet_size(0), layout(1, None).sheet_size(0));
    }

    #[test]
    fn many_tiles_make_several_sheets_of_the_same_width() {
        let layout = layout(10_000, None);
        let sheets: Vec<_> =
            (0..layout.sheet_count()).map(|sheet| (layout.tiles(sheet), layout.sheet_size(sheet))).collect();
        assert_eq!(sheets.iter().map(|(tiles, _)| tiles.len()).sum::<usize>(), 10_000);
        for window in sheets.windows(2) {
            assert_eq!((window[0].0.end, window[0].1[0]), (window[1].0.start, window[1].1[0]));
        }
        for (_, [width, height]) in &sheets {
            assert!((*width).max(*height) <= MAX_SIDE && u64::from(*width) * u64::from(*height) <= 50_000_000);
        }
        assert!(layout.tiles(99).is_empty());
        assert_eq!(layout.path(Path::new("out/a.b.png"), 1), Path::new("out/a.b-02.png"));
        assert_eq!(self::layout(3, None).path(Path::new("a.png"), 0), Path::new("a.png"));
    }

    #[test]
    fn every_sheet_is_a_picture() {
        for side in [1, 7, 64, 256, 479, 480, 1000, 4000, 8000, 16_000] {
            for (count, columns) in [(1, None), (7, None), (999, None), (5000, Some(1)), (usize::MAX, None)] {
                let layout = SheetLayout::new([side, side], count, columns).unwrap();
                for sheet in [0, 1, layout.sheet_count() - 1] {
                    let [width, height] = layout.sheet_size(sheet);
                    assert!(width <= MAX_SIDE && height <= MAX_SIDE, "{count} of {side}: {width} x {height}");
                }
            }
        }
    }

    #[test]
    fn too_large_sheets_say_how_many_columns_fit() {
        let error = SheetLayout::new([256, 256], 100, Some(61)).unwrap_err().to_string();
        assert!(error.contains("expected at most 60 columns of 256 x 256 pixels with margins, found 61"), "{error}");
        assert!(SheetLayout::new([256, 256], 100, Some(60)).is_ok());
        for (tile, count) in
            [([256, 256], 0), ([0, 9], 1), ([u32::MAX, 1], 1), ([1, u32::MAX], 1), ([16_384, 16_384], 1)]
        {
            assert!(SheetLayout::new(tile, count, None).is_err(), "{tile:?}");
        }
        assert_eq!(layout(5, Some(0)).columns, 1);
    }
}
