//! Draws a flight as an SVG picture: holes, polls and memory over the frames.

use std::fmt::Write as _;

use super::flight::{FRAMES_PER_POINT, Flight};
use super::report::FlightSubject;
use crate::program::bench::plot::escaped;
use crate::program::render::units::{bytes, ratio, significant, thousands};

/// Sizes in pixels: the left end and the length of the axes, the height of a plot, the space
/// between two plots, and the height of the title.
const LEFT: f64 = 90.0;
const LENGTH: f64 = 860.0;
const HEIGHT: f64 = 90.0;
const GAP: f64 = 44.0;
const HEAD: f64 = 40.0;

const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#222}.s{font-size:11px;fill:#555}.h{font-size:15px;font-weight:600}.p{fill:#fff}\
.g{stroke:#ccc}.l{fill:none;stroke:#1b6ca8;stroke-width:1.5}.b{stroke:#d9822b;stroke-dasharray:4 3}\
@media(prefers-color-scheme:dark){text{fill:#eee}.s{fill:#aaa}.p{fill:#161b22}.g{stroke:#444}.l{stroke:#58a6e0}.b{stroke:#f0a35a}}";

/// Returns an SVG picture of a flight.
pub fn draw(subject: &FlightSubject, flight: &Flight) -> String {
    let points = || flight.points.iter();
    let resident: Vec<f64> = points().map(|(_, _, resident)| ratio(*resident, 1)).collect();
    let polls: Vec<f64> = points().map(|(_, poll, _)| *poll).collect();
    let holes: Vec<f64> = points().map(|(holes, _, _)| ratio(*holes, 1)).collect();
    let size = |number: f64| bytes(whole(number));
    let mut svg = String::new();
    let height = HEAD + 3.0 * (HEIGHT + GAP);
    // Writing to a `String` cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" height=\"{height}\" viewBox=\"0 0 1000 {height}\" role=\"img\">\
         <title>a streamed flight</title><style>{STYLE}</style><rect class=\"p\" width=\"100%\" height=\"100%\"/>\
         <text class=\"h\" x=\"16\" y=\"24\">{}: {} frames</text>",
        escaped(&subject.name),
        thousands(flight.frames.into()),
    );
    let budget = Some(ratio(flight.budget, 1));
    panel(&mut svg, 0.0, "resident memory of the items, and the budget", &resident, budget, &size);
    let micro = |number: f64| format!("{} µs", significant(number));
    panel(&mut svg, 1.0, &format!("slowest of {FRAMES_PER_POINT} polls"), &polls, None, &micro);
    let count = |number: f64| thousands(whole(number));
    panel(&mut svg, 2.0, &format!("holes in {FRAMES_PER_POINT} frames"), &holes, None, &count);
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, row: f64, title: &str, values: &[f64], limit: Option<f64>, shown: &dyn Fn(f64) -> String) {
    let top = HEAD + row * (HEIGHT + GAP) + 16.0;
    let most = values.iter().copied().chain(limit).fold(0.0, f64::max);
    let scale = if most > 0.0 { HEIGHT / most } else { 0.0 };
    let (end, right) = (top + HEIGHT, LEFT + LENGTH);
    let step = LENGTH / ratio(u64::try_from(values.len()).unwrap_or(u64::MAX).saturating_sub(1).max(1), 1);
    let _ = write!(
        svg,
        "<text x=\"{LEFT}\" y=\"{:.1}\">{title}</text><line class=\"g\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{end}\" y2=\"{end}\"/>\
         <line class=\"g\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{top}\" y2=\"{top}\"/>\
         <text class=\"s\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
         <text class=\"s\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">0</text><polyline class=\"l\" points=\"",
        top - 4.0,
        LEFT - 6.0,
        top + 4.0,
        shown(most),
        LEFT - 6.0,
        end + 4.0,
    );
    let mut x = LEFT;
    for value in values {
        let _ = write!(svg, "{x:.1},{:.1} ", end - value * scale);
        x += step;
    }
    svg.push_str("\"/>");
    if let Some(limit) = limit {
        let y = end - limit * scale;
        let _ = write!(svg, "<line class=\"b\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
    }
}

#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a label of an axis"
)]
const fn whole(number: f64) -> u64 {
    number as u64
}
