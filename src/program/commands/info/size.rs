//! Prints the extent of a mesh.

use std::io::{self, Write};

use super::text::{NOT_INFLATED, line};
use crate::Bounds;
use crate::model::Axis;
use crate::program::describe::file_summary::FileSummary;
use crate::program::describe::placed::PlacedBounds;
use crate::program::output::{decimals, short};

/// Prints the width, height and depth of the drawn surfaces. The height is along the axis that
/// points up, and the depth along the one that points to the front.
pub fn print_size(out: &mut dyn Write, summary: &FileSummary) -> io::Result<()> {
    if summary.is_animation {
        return Ok(());
    }
    let drawn = match &summary.placed {
        Some(placed) => placed.bounds,
        None if summary.drawn_bounds.is_empty() => summary.bounds,
        None => summary.drawn_bounds,
    };
    if drawn.is_empty() {
        return line(out, "size", if summary.is_inflated() { "nothing is drawn" } else { NOT_INFLATED });
    }
    let [x, y, z] = drawn.size();
    let [up, front] = summary.axes;
    let (size, axes) = match (up.map_or(1, number), front.map(number)) {
        (2, Some(0)) => ([y, z, x], "width y, height z, depth x"),
        (2, _) => ([x, z, y], "width x, height z, depth y"),
        (0, Some(1)) => ([z, x, y], "width z, height x, depth y"),
        (0, _) => ([y, x, z], "width y, height x, depth z"),
        (_, Some(0)) => ([z, y, x], "width z, height y, depth x"),
        _ => ([x, y, z], "width x, height y, depth z"),
    };
    let [width, height, depth] = size.map(rounded);
    let placed = match &summary.placed {
        Some(PlacedBounds { metres_per_unit: Some(metres), .. }) => format!("; placed, units of {metres} m"),
        Some(_) => "; placed".to_owned(),
        None => String::new(),
    };
    line(out, "size", &format!("{width} x {height} x {depth} ({axes}{placed})"))
}

/// Prints the bounding box, and whether it is stored in the file.
pub fn print_bounds(out: &mut dyn Write, summary: &FileSummary) -> io::Result<()> {
    if summary.is_animation || !summary.is_inflated() {
        return Ok(());
    }
    let source = if summary.stores_bounds { "stored in the file" } else { "computed" };
    if let Some(placed) = summary.placed.filter(|placed| !placed.bounds.is_empty()) {
        line(out, "placed", &corners(&placed.bounds))?;
    }
    if summary.bounds.is_empty() {
        return line(out, "bounds", "none");
    }
    line(out, "bounds", &format!("{}, {source}", corners(&summary.bounds)))?;
    let drawn = &summary.drawn_bounds;
    let has_hidden = summary.surfaces.iter().any(|surface| !surface.drawn);
    if !has_hidden || drawn == &summary.bounds || drawn.is_empty() {
        return Ok(());
    }
    line(out, "drawn", &format!("{} without the surfaces that are not drawn", corners(drawn)))
}

/// Returns the number of the coordinate along an axis.
const fn number(axis: Axis) -> usize {
    match axis {
        Axis::X | Axis::NegativeX => 0,
        Axis::Y | Axis::NegativeY => 1,
        Axis::Z | Axis::NegativeZ => 2,
    }
}

/// Returns a length with about five significant digits.
fn rounded(length: f32) -> String {
    match length.abs() {
        ..0.01 => short(length),
        ..10.0 => decimals(length, 4),
        ..1000.0 => decimals(length, 2),
        _ => decimals(length, 0),
    }
}

fn corners(Bounds { min, max }: &Bounds) -> String {
    let triple = |[x, y, z]: [f32; 3]| format!("({}, {}, {})", short(x), short(y), short(z));
    format!("{} to {}", triple(*min), triple(*max))
}
