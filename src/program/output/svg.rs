//! Writes SVG pictures: the primitives and the style that all pictures of the program share. A
//! picture needs no external files, and its colours adapt to a light or dark page.

use std::fmt::Write as _;

use super::escape::xml_text;

/// The style of every picture on a light page: text, small text (`s`), headings (`h`), the page
/// itself (`p`) and grid lines (`g`).
const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#222}.s{font-size:11px;fill:#555}.h{font-size:15px;font-weight:600}.p{fill:#fff}.g{stroke:#ccc}";
/// The style of every picture on a dark page.
const DARK_STYLE: &str = "text{fill:#eee}.s{fill:#aaa}.p{fill:#161b22}.g{stroke:#444}";

/// The end of a text that lies at its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// Returns the style sheet of a picture. `own` and `dark` are the rules that only this picture has,
/// for a light and for a dark page.
pub fn style_sheet(own: &str, dark: &str) -> String {
    format!("{STYLE}{own}@media(prefers-color-scheme:dark){{{DARK_STYLE}{dark}}}")
}

/// An SVG picture that is drawn piece by piece. All sizes and coordinates are in pixels.
pub struct SvgPicture {
    text: String,
}

impl SvgPicture {
    /// Starts a picture with a page that fills it. `style` is its style sheet, or `None` if the
    /// document that contains the picture has the style sheet.
    pub fn new([width, height]: [f64; 2], title: &str, style: Option<&str>) -> Self {
        let mut picture = Self { text: String::new() };
        let title = xml_text(title);
        let style = style.map(|style| format!("<style>{style}</style>")).unwrap_or_default();
        picture.push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{title}</title>{style}\
             <rect class=\"p\" width=\"100%\" height=\"100%\"/>"
        ));
        picture
    }

    /// Writes a text. An empty class means the style of ordinary text.
    pub fn text(&mut self, class: &str, [x, y]: [f64; 2], anchor: Anchor, text: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        self.push(format_args!("<text{class} x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>", xml_text(text)));
    }

    /// Draws a rectangle, given by its left top corner and its size.
    pub fn rect(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2], title: Option<&str>) {
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\""
        ));
        self.close("rect", title);
    }

    /// Draws a line between two points.
    pub fn line(&mut self, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        self.push(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" x2=\"{x2:.1}\" y1=\"{y1:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// Draws lines from each point to the next point.
    pub fn polyline(&mut self, class: &str, points: impl Iterator<Item = [f64; 2]>) {
        self.push(format_args!("<polyline class=\"{class}\" points=\""));
        points.for_each(|[x, y]| self.push(format_args!("{x:.1},{y:.1} ")));
        self.push(format_args!("\"/>"));
    }

    /// Draws several rectangles of the same height as one shape with one title. Each rectangle is
    /// given by its left top corner and its width.
    pub fn rects(&mut self, class: &str, rects: impl Iterator<Item = [f64; 3]>, height: f64, title: &str) {
        self.push(format_args!("<path class=\"{class}\" d=\""));
        rects.for_each(|[x, y, width]| self.push(format_args!("M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z")));
        self.push(format_args!("\""));
        self.close("path", Some(title));
    }

    /// Ends the picture and returns it.
    pub fn finish(mut self) -> String {
        self.push(format_args!("</svg>\n"));
        self.text
    }

    /// Ends the start tag of `element`, and the element after its title.
    fn close(&mut self, element: &str, title: Option<&str>) {
        match title {
            Some(title) => self.push(format_args!("><title>{}</title></{element}>", xml_text(title))),
            None => self.push(format_args!("/>")),
        }
    }

    fn push(&mut self, part: std::fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = self.text.write_fmt(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_texts_and_titles() {
        let mut picture = SvgPicture::new([10.0, 20.0], "<a>", Some(&style_sheet(".x{fill:#123}", "")));
        picture.text("s", [1.0, 2.25], Anchor::End, "a<b>&\u{1}");
        picture.rect("x", [0.0, 1.0], [2.0, 3.0], Some("\"q\""));
        picture.rects("x", [[0.0, 0.0, 1.5]].into_iter(), 4.0, "t");
        let text = picture.finish();
        assert!(!SvgPicture::new([1.0; 2], "a", None).finish().contains("<style>"));
        assert!(text.contains("<title>&lt;a&gt;</title>") && text.contains(".x{fill:#123}@media"));
        assert!(
            text.contains("<text class=\"s\" x=\"1.0\" y=\"2.2\" text-anchor=\"end\">a&lt;b&gt;&amp;\\u{1}</text>")
        );
        assert!(text.contains("height=\"3.0\"><title>&quot;q&quot;</title></rect>"));
        assert!(text.ends_with("<path class=\"x\" d=\"M0.0 0.0h1.5v4.0h-1.5z\"><title>t</title></path></svg>\n"));
    }
}
