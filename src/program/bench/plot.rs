//! Draws the measured times as an SVG picture.

use super::measure::FileMeasurement;
use super::question::Contestant;
use super::spread::{Spread, spent};
use crate::program::output::svg::{Anchor, SvgPicture, style_sheet};
use crate::program::output::units::significant;

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

/// The style of the bars and whiskers, on a light and on a dark page.
const STYLE: &str = ".m{fill:#1b6ca8}.c{fill:#d9822b}.r{fill:#8a5fbf}.w{stroke:#222;stroke-width:1.5}";
const DARK_STYLE: &str = ".m{fill:#58a6e0}.c{fill:#f0a35a}.r{fill:#b493e0}.w{stroke:#eee}";
/// The entries of the legend: the class of the style, the distance from the left, and the text.
const ENTRIES: [(&str, f64, &str); 3] =
    [("m", 16.0, "meshpeek"), ("c", 116.0, "copying loader"), ("r", 250.0, "reading loader")];

/// Returns an SVG picture with one plot for each measured mesh. The SVG picture shows the plots of
/// the meshes from top to bottom.
///
/// A plot has one bar for each measured combination of query, loader and warm or cold page cache.
/// The length of a bar is proportional to the logarithm of the median time. A thin line at the end
/// of each bar of the plot extends from the minimum to the maximum time.
pub fn draw(files: &[FileMeasurement]) -> String {
    let rows = |file: &FileMeasurement| file.questions.iter().fold(0.0, |height, _| height + ROW);
    let height = files.iter().fold(LEGEND, |height, file| height + HEAD + rows(file) + FOOT);
    let title = "meshpeek against two loaders that copy";
    let mut svg = SvgPicture::new([WIDTH, height], title, Some(&style_sheet(STYLE, DARK_STYLE)));
    svg.text("h", [16.0, 26.0], Anchor::Start, "Seconds to an answer, logarithmic: shorter is better");
    for (class, x, text) in ENTRIES {
        svg.rect(class, [x, 38.0], [12.0, 12.0], None);
        svg.text("", [x + 18.0, 49.0], Anchor::Start, text);
    }
    let note = "bars end at the median, whiskers reach from the least to the most; numbers are best rival / meshpeek";
    svg.text("s", [384.0, 49.0], Anchor::Start, note);
    let mut top = LEGEND;
    for file in files {
        panel(&mut svg, file, top);
        top += HEAD + rows(file) + FOOT;
    }
    svg.finish()
}

fn panel(svg: &mut SvgPicture, file: &FileMeasurement, top: f64) {
    let each = file.questions.iter().flat_map(|measured| Contestant::ALL.map(|by| measured.seconds(by)));
    let (least, most) = each
        .flatten()
        .fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), time| (least.min(time.least), most.max(time.most)));
    let start_decade = DECADES.rev().find(|decade| 10_f64.powi(*decade) <= least).unwrap_or(*DECADES.start());
    let end_decade = DECADES.into_iter().find(|decade| 10_f64.powi(*decade) >= most).unwrap_or(*DECADES.end());
    let decades = f64::from(end_decade.saturating_sub(start_decade).max(1));
    let at = |seconds: f64| LEFT + ((seconds.log10() - f64::from(start_decade)) / decades).clamp(0.0, 1.0) * LENGTH;
    svg.text("h", [16.0, top + 26.0], Anchor::Start, &file.subject.name);
    let start = top + HEAD;
    let end = file.questions.iter().fold(start, |end, _| end + ROW);
    for decade in start_decade..=end_decade {
        let x = at(10_f64.powi(decade));
        svg.line("g", [x, start - 4.0], [x, end]);
        svg.text("s", [x, end + 16.0], Anchor::Middle, &axis(decade));
    }
    let mut y = start;
    for measured in &file.questions {
        let title = format!("{}, {}", measured.question.title(), measured.cache());
        svg.text("", [LEFT - 10.0, y + 23.0], Anchor::End, &title);
        for (class, by, below) in BARS {
            bar(svg, class, measured.seconds(by), y + below, &at);
        }
        if let Some(ratio) = measured.ratio() {
            let ratio = format!("× {}", significant(ratio.median));
            svg.text("s", [LEFT + LENGTH + 12.0, y + 23.0], Anchor::Start, &ratio);
        }
        y += ROW;
    }
}

fn bar(svg: &mut SvgPicture, class: &str, time: Option<Spread>, y: f64, at: &impl Fn(f64) -> f64) {
    let Some(time) = time else { return };
    let [median, least, most] = [time.median, time.least, time.most].map(at);
    let (width, middle) = ((median - LEFT).max(1.0), y + 5.5);
    svg.rect(class, [LEFT, y], [width, 11.0], Some(&spent(Some(time))));
    svg.line("w", [least, middle], [most, middle]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_powers_of_ten() {
        assert_eq!([-7, -6, -5, -3, 0, 2].map(axis), ["100 ns", "1 µs", "10 µs", "1 ms", "1 s", "100 s"]);
    }
}
