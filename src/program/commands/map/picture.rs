//! `map --svg`: draws a file to scale. The bytes of the file fill rows of equal length from left to
//! right, and each range has the colour of its kind.

use std::fmt::Write as _;

use super::kinds::{ALL, ByteKind};
use super::shapes::{ByteShape, RegionMerger};
use super::summary::{KindTotal, KindTotals};
use crate::Region;
use crate::program::input::RegionFile;
use crate::program::output::{Anchor, SvgPicture, bytes, counted, ratio, style_sheet, thousands};

/// Sizes in pixels: the left end and the length of the rows, the distance of two rows, the height
/// of a row, the height of the title, and the space below the rows.
const LEFT: f64 = 96.0;
const LENGTH: f64 = 896.0;
const PITCH: f64 = 18.0;
const HEIGHT: f64 = 16.0;
const HEAD: f64 = 66.0;
const FOOT: f64 = 24.0;
const WIDTH: f64 = 1012.0;
/// The columns of the legend, and the width of a column and the height of a line in pixels.
const LEGEND_COLUMNS: usize = 3;
const LEGEND_WIDTH: f64 = 326.0;
const LEGEND_HEIGHT: f64 = 22.0;
/// The width of a character of a label in pixels, at most.
const CHARACTER: f64 = 6.4;
/// The largest number of rows, and the smallest number of bytes in a row.
const MAX_ROWS: u64 = 48;
const MIN_ROW: u64 = 16;
/// The largest number of characters of the path in the heading.
const MAX_PATH: usize = 90;

/// The rows of a picture, which all have the same number of bytes.
#[derive(Clone, Copy, Debug)]
struct ByteRows {
    size: u64,
    each: u64,
}

/// Draws a file. `least_size` is the smallest size of a region that is a shape of its own. Without
/// `is_styled`, the picture needs a document that has the sheet of all pictures.
pub fn draw(file: RegionFile<'_>, path: &str, totals: &KindTotals, least_size: u64, is_styled: bool) -> String {
    let rows = ByteRows::new(totals.size);
    let kinds = totals.largest_first();
    let legend_lines = kinds.len().div_ceil(LEGEND_COLUMNS);
    let height = row_top(rows.count()) + FOOT + (0..legend_lines).fold(0.0, |height, _| height + LEGEND_HEIGHT);
    let title = format!("The bytes of {} by kind", shortened(path));
    let style = is_styled.then(|| style_of(kinds.iter().map(|total| total.kind)));
    let mut picture = SvgPicture::new([WIDTH, height], &title, style.as_deref());
    let heading = format!("{}: {}", shortened(path), bytes(totals.size));
    picture.text("h", [16.0, 26.0], Anchor::Start, &heading);
    rows.draw_axis(&mut picture);
    let mut see = |shape: ByteShape| rows.draw_shape(&mut picture, &shape);
    let mut merger = RegionMerger::new(least_size, &mut see);
    // An error that ends the regions was already found when the totals were added up.
    let _ = file.regions(&mut |region| merger.add(region));
    merger.finish(totals.size);
    draw_legend(&mut picture, totals, &kinds, row_top(rows.count()) + FOOT);
    picture.finish()
}

/// Returns the style sheet of all pictures.
pub fn style_of_all() -> String {
    style_of(ALL.into_iter())
}

/// Returns the style sheet of a picture with some kinds of bytes.
fn style_of(kinds: impl Iterator<Item = ByteKind>) -> String {
    let mut style = String::from(
        "path{stroke:#161b22;stroke-opacity:.4;stroke-width:.5}.l{font-size:11px;fill:#161b22;pointer-events:none}",
    );
    for kind in kinds {
        // Writing to a `String` cannot fail.
        let _ = write!(style, ".{}{{fill:{}}}", class(kind), kind.color);
    }
    style_sheet(&style, "")
}

/// Returns the class of the shapes of a kind.
fn class(kind: ByteKind) -> String {
    format!("k{}", kind.index())
}

/// Returns the end of a path that has many characters.
fn shortened(path: &str) -> String {
    let count = path.chars().count();
    match count.checked_sub(MAX_PATH) {
        None | Some(0) => path.to_owned(),
        Some(more) => format!("…{}", path.chars().skip(more).collect::<String>()),
    }
}

/// Returns the upper end of a row, in pixels.
fn row_top(row: u64) -> f64 {
    HEAD + ratio(row, 1) * PITCH
}

impl ByteRows {
    fn new(size: u64) -> Self {
        let each = size.div_ceil(MAX_ROWS).max(MIN_ROW);
        Self { size, each: each.checked_next_power_of_two().unwrap_or(each) }
    }

    fn count(&self) -> u64 {
        self.size.div_ceil(self.each)
    }

    /// Returns the number of pixels that a number of bytes takes in a row.
    fn length(&self, bytes: u64) -> f64 {
        ratio(bytes, self.each) * LENGTH
    }

    /// Writes the offset of each row to its left, and offsets in a row above the first one.
    fn draw_axis(&self, picture: &mut SvgPicture) {
        let quarter = self.each / 4;
        for offset in (0..4).map(|number| quarter.saturating_mul(number)) {
            let x = LEFT + self.length(offset);
            picture.line("g", [x, HEAD - 8.0], [x, HEAD - 2.0]);
            picture.text("s", [x + 3.0, HEAD - 8.0], Anchor::Start, &format!("+{}", thousands(offset)));
        }
        for row in 0..self.count() {
            let offset = thousands(row.saturating_mul(self.each));
            picture.text("s", [LEFT - 8.0, row_top(row) + 12.0], Anchor::End, &offset);
        }
    }

    /// Draws a shape as a rectangle in each of its rows, and its label in the longest rectangle.
    fn draw_shape(&self, picture: &mut SvgPicture, shape: &ByteShape) {
        let last = shape.end.saturating_sub(1).checked_div(self.each).unwrap_or_default();
        let rects = || {
            (shape.start.checked_div(self.each).unwrap_or_default()..=last).map(|row| {
                let start = row.saturating_mul(self.each);
                let from = shape.start.saturating_sub(start);
                let to = shape.end.saturating_sub(start).min(self.each);
                [LEFT + self.length(from), row_top(row), self.length(to.saturating_sub(from))]
            })
        };
        picture.rects(&class(shape.kind), rects(), HEIGHT, &title(shape));
        let label = label(shape);
        let needed = label.chars().fold(8.0, |width, _| width + CHARACTER);
        let widest = rects().fold([0.0; 3], |best, rect| if rect[2] > best[2] { rect } else { best });
        let [x, y, width] = widest;
        if width >= needed {
            picture.text("l", [x + width / 2.0, y + 12.0], Anchor::Middle, &label);
        }
    }
}

/// Returns the title of a shape, which a browser shows under the pointer.
fn title(ByteShape { start, end, regions, first, kind }: &ByteShape) -> String {
    let size = end.saturating_sub(*start);
    let range = format!("{}, {} to {}", counted(size, "byte"), thousands(*start), thousands(*end));
    match first {
        Some(Region { field, .. }) if *regions == 1 => format!("{field} ({}): {range}", kind.label()),
        Some(Region { field, .. }) => {
            format!("{} regions from {field} on (mostly {}): {range}", thousands(*regions), kind.label())
        }
        None => format!("{}: {range}", kind.label()),
    }
}

/// Returns the label of a shape: the last name of its region, or its kind.
fn label(shape: &ByteShape) -> String {
    let name = shape.first.map_or("", |region| region.field.name());
    if shape.regions == 1 && !name.is_empty() { name.to_owned() } else { shape.kind.label() }
}

fn draw_legend(picture: &mut SvgPicture, totals: &KindTotals, kinds: &[KindTotal], top: f64) {
    let mut y = top;
    for line in kinds.chunks(LEGEND_COLUMNS) {
        let mut x = 16.0;
        for KindTotal { kind, bytes, .. } in line {
            picture.rect(&class(*kind), [x, y], [12.0, 12.0], None);
            picture.text("", [x + 20.0, y + 11.0], Anchor::Start, &kind.label());
            let share = format!("{} bytes, {:.1} %", thousands(*bytes), totals.share(*bytes) * 100.0);
            picture.text("s", [x + LEGEND_WIDTH - 32.0, y + 11.0], Anchor::End, &share);
            x += LEGEND_WIDTH;
        }
        y += LEGEND_HEIGHT;
    }
}
