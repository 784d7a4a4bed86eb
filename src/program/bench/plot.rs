//! Draws the measured times as an SVG picture. The picture needs no external files, and its colours
//! adapt to a light or dark page.

use std::fmt::Write as _;

use super::measure::FileMeasurement;
use super::question::Contestant;
use super::spread::{Spread, spent};
use crate::program::render::units::significant;

/// Sizes in the SVG picture, in pixels. The constants are, in this order: the left end of the time
/// axes, the length of the time axes, the height of a row, the space above the plot of a mesh, the
/// space below the plot of a mesh, the width of the picture, and the height of the legend.
const LEFT: f64 = 300.0;
const LENGTH: f64 = 560.0;
const ROW: f64 = 42.0;
const HEAD: f64 = 50.0;
const FOOT: f64 = 44.0;
const WIDTH: f64 = 1010.0;
const LEGEND: f64 = 64.0;
/// The bars of a row: the class of the style, the contestant, and the distance from the top of the
/// row.
const BARS: [(&str, Contestant, f64); 3] =
    [("m", Contestant::Meshpeek, 2.0), ("c", Contestant::Copying, 14.0), ("r", Contestant::Reading, 26.0)];
/// The range of the exponents for the ends of a time axis: a time axis starts and ends at a power
/// of ten, in seconds.
const DECADES: std::ops::RangeInclusive<i32> = -7..=4;

const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#222}.s{font-size:11px;fill:#555}.h{font-size:15px;font-weight:600}.p{fill:#fff}\
.m{fill:#1b6ca8}.c{fill:#d9822b}.r{fill:#8a5fbf}.w{stroke:#222;stroke-width:1.5}.g{stroke:#ccc}\
@media(prefers-color-scheme:dark){text{fill:#eee}.s{fill:#aaa}.p{fill:#161b22}.m{fill:#58a6e0}.c{fill:#f0a35a}.r{fill:#b493e0}.w{stroke:#eee}\
.g{stroke:#444}}";

/// Returns an SVG picture with one plot for each measured mesh. The SVG picture shows the plots of
/// the meshes from top to bottom.
///
/// A plot has one bar for each measured combination of query, loader and warm or cold page cache.
/// The length of a bar is proportional to the logarithm of the median time. A thin line at the end
/// of each bar of the plot extends from the minimum to the maximum time.
pub fn draw(files: &[FileMeasurement]) -> String {
    let rows = |file: &FileMeasurement| file.questions.iter().fold(0.0, |height, _| height + ROW);
    let height = files.iter().fold(LEGEND, |height, file| height + HEAD + rows(file) + FOOT);
    let mut svg = String::new();
    // Writing to a `String` cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\
         <title>meshpeek against two loaders that copy</title><style>{STYLE}</style>\
         <rect class=\"p\" width=\"100%\" height=\"100%\"/>\
         <text class=\"h\" x=\"16\" y=\"26\">Seconds to an answer, logarithmic: shorter is better</text>\
         <rect class=\"m\" x=\"16\" y=\"38\" width=\"12\" height=\"12\"/><text x=\"34\" y=\"49\">meshpeek</text>\
         <rect class=\"c\" x=\"116\" y=\"38\" width=\"12\" height=\"12\"/><text x=\"134\" y=\"49\">copying loader</text>\
         <rect class=\"r\" x=\"250\" y=\"38\" width=\"12\" height=\"12\"/><text x=\"268\" y=\"49\">reading loader</text>\
         <text class=\"s\" x=\"384\" y=\"49\">bars end at the median, whiskers reach from the least to the most; \
         numbers are best rival / meshpeek</text>"
    );
    let mut top = LEGEND;
    for file in files {
        panel(&mut svg, file, top);
        top += HEAD + rows(file) + FOOT;
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, file: &FileMeasurement, top: f64) {
    let each = file.questions.iter().flat_map(|measured| Contestant::ALL.map(|by| measured.seconds(by)));
    let (least, most) = each
        .flatten()
        .fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), time| (least.min(time.least), most.max(time.most)));
    let start_decade = DECADES.rev().find(|decade| 10_f64.powi(*decade) <= least).unwrap_or(*DECADES.start());
    let end_decade = DECADES.into_iter().find(|decade| 10_f64.powi(*decade) >= most).unwrap_or(*DECADES.end());
    let decades = f64::from(end_decade.saturating_sub(start_decade).max(1));
    let at = |seconds: f64| LEFT + ((seconds.log10() - f64::from(start_decade)) / decades).clamp(0.0, 1.0) * LENGTH;
    let name = escaped(&file.subject.name);
    let _ = write!(svg, "<text class=\"h\" x=\"16\" y=\"{}\">{name}</text>", top + 26.0);
    let start = top + HEAD;
    let end = file.questions.iter().fold(start, |end, _| end + ROW);
    for decade in start_decade..=end_decade {
        let x = at(10_f64.powi(decade));
        let label = axis(decade);
        let _ = write!(
            svg,
            "<line class=\"g\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{end:.1}\"/>\
             <text class=\"s\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            start - 4.0,
            end + 16.0
        );
    }
    let mut y = start;
    for measured in &file.questions {
        let title = format!("{}, {}", escaped(measured.question.title()), measured.cache());
        let _ = write!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{title}</text>", LEFT - 10.0, y + 23.0);
        for (class, by, below) in BARS {
            bar(svg, class, measured.seconds(by), y + below, &at);
        }
        if let Some(ratio) = measured.ratio() {
            let ratio = significant(ratio.median);
            let _ =
                write!(svg, "<text class=\"s\" x=\"{}\" y=\"{:.1}\">× {ratio}</text>", LEFT + LENGTH + 12.0, y + 23.0);
        }
        y += ROW;
    }
}

fn bar(svg: &mut String, class: &str, time: Option<Spread>, y: f64, at: &impl Fn(f64) -> f64) {
    let Some(time) = time else { return };
    let [median, least, most] = [time.median, time.least, time.most].map(at);
    let (width, middle) = ((median - LEFT).max(1.0), y + 5.5);
    let _ = write!(
        svg,
        "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"11\"><title>{}</title></rect>\
         <line class=\"w\" x1=\"{least:.1}\" x2=\"{most:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\"/>",
        spent(Some(time))
    );
}

/// Returns the axis label for a time of 10 to the power `decade` seconds.
fn axis(decade: i32) -> String {
    let (unit, under) = match decade {
        ..-6 => ("ns", 9),
        -6..-3 => ("µs", 6),
        -3..0 => ("ms", 3),
        _ => ("s", 0),
    };
    format!("{} {unit}", 10_f64.powi(decade.saturating_add(under)))
}

pub fn escaped(text: &str) -> String {
    let control = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    let text: String = text.chars().map(control).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_powers_of_ten() {
        assert_eq!([-7, -6, -5, -3, 0, 2].map(axis), ["100 ns", "1 µs", "10 µs", "1 ms", "1 s", "100 s"]);
        assert_eq!(escaped("a<b>&\u{1}"), "a&lt;b&gt;&amp;\u{fffd}");
    }
}
