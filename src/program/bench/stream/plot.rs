//! Draws a flight as an SVG picture: holes, polls and memory over the frames.

use super::flight::{FRAMES_PER_POINT, Flight};
use super::report::FlightSubject;
use crate::program::output::svg::{Anchor, SvgPicture, style_sheet};
use crate::program::output::units::{bytes, ratio, significant, thousands, whole};

/// Sizes in pixels: the left end and the length of the axes, the height of a plot, the space
/// between two plots, and the height of the title.
const LEFT: f64 = 90.0;
const LENGTH: f64 = 860.0;
const HEIGHT: f64 = 90.0;
const GAP: f64 = 44.0;
const HEAD: f64 = 40.0;

/// The style of the curves and of the limit, on a light and on a dark page.
const STYLE: &str = ".l{fill:none;stroke:#1b6ca8;stroke-width:1.5}.b{stroke:#d9822b;stroke-dasharray:4 3}";
const DARK_STYLE: &str = ".l{stroke:#58a6e0}.b{stroke:#f0a35a}";

/// Returns an SVG picture of a flight.
pub fn draw(subject: &FlightSubject, flight: &Flight) -> String {
    let points = || flight.points.iter();
    let resident: Vec<f64> = points().map(|(_, _, resident)| ratio(*resident, 1)).collect();
    let polls: Vec<f64> = points().map(|(_, poll, _)| *poll).collect();
    let holes: Vec<f64> = points().map(|(holes, _, _)| ratio(*holes, 1)).collect();
    let size = |number: f64| bytes(whole(number));
    let height = HEAD + 3.0 * (HEIGHT + GAP);
    let mut svg = SvgPicture::new([1000.0, height], "a streamed flight", Some(&style_sheet(STYLE, DARK_STYLE)));
    let heading = format!("{}: {} frames", subject.name, thousands(flight.frames.into()));
    svg.text("h", [16.0, 24.0], Anchor::Start, &heading);
    let budget = Some(ratio(subject.budget, 1));
    panel(&mut svg, 0.0, "resident memory of the items, and the budget", &resident, budget, &size);
    let micro = |number: f64| format!("{} µs", significant(number));
    panel(&mut svg, 1.0, &format!("slowest of {FRAMES_PER_POINT} polls"), &polls, None, &micro);
    let count = |number: f64| thousands(whole(number));
    panel(&mut svg, 2.0, &format!("holes in {FRAMES_PER_POINT} frames"), &holes, None, &count);
    svg.finish()
}

fn panel(
    svg: &mut SvgPicture,
    row: f64,
    title: &str,
    values: &[f64],
    limit: Option<f64>,
    shown: &dyn Fn(f64) -> String,
) {
    let top = HEAD + row * (HEIGHT + GAP) + 16.0;
    let most = values.iter().copied().chain(limit).fold(0.0, f64::max);
    let scale = if most > 0.0 { HEIGHT / most } else { 0.0 };
    let (end, right) = (top + HEIGHT, LEFT + LENGTH);
    let step = LENGTH / ratio(u64::try_from(values.len()).unwrap_or(u64::MAX).saturating_sub(1).max(1), 1);
    svg.text("", [LEFT, top - 4.0], Anchor::Start, title);
    for (y, value) in [(end, 0.0), (top, most)] {
        svg.line("g", [LEFT, y], [right, y]);
        let label = if value > 0.0 { shown(value) } else { "0".to_owned() };
        svg.text("s", [LEFT - 6.0, y + 4.0], Anchor::End, &label);
    }
    let mut x = LEFT - step;
    let points = values.iter().map(|value| {
        x += step;
        [x, end - value * scale]
    });
    svg.polyline("l", points);
    if let Some(limit) = limit {
        let y = end - limit * scale;
        svg.line("b", [LEFT, y], [right, y]);
    }
}
