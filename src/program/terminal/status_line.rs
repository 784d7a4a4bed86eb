//! The last line of the viewer: the mesh and the keys.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::view_state::{TerminalScene, ViewState};
use crate::Name;

/// The blanks between two parts of the line.
const GAP: &str = "  ";

/// Returns the text of the status line in at most `columns` columns.
///
/// Keys that have no effect are left out, and so are parts that have no room.
pub fn status_line(scene: &dyn TerminalScene, view: &ViewState, error: Option<&anyhow::Error>, columns: u16) -> String {
    let (count, duration) = (scene.mesh_count(), scene.duration(view));
    let mut parts = vec![scene.caption(view)];
    if let Some(error) = error {
        parts = vec![format!("{}: {error:#}", parts.concat())];
    }
    if count > 1 {
        parts.push(format!("{}/{count}", view.mesh.saturating_add(1)));
    }
    if let Some(duration) = duration {
        parts.push(format!("{:.1}/{duration:.1} s", view.seconds));
    }
    let keys = [
        (true, "q quit"),
        (count > 1, "n/p next"),
        (duration.is_some(), "space play"),
        (true, "arrows turn"),
        (true, "+/- zoom"),
        (true, "w wireframe"),
        (true, "home reset"),
    ];
    parts.extend(keys.iter().filter(|(applies, _)| *applies).map(|(_, text)| (*text).to_owned()));
    let shown: Vec<String> = parts.iter().map(|part| Name::new(part.as_bytes()).to_string()).collect();
    fitted(&shown, columns.into())
}

/// Returns the parts that fit in a number of columns. The first part may be cut.
fn fitted(parts: &[String], columns: usize) -> String {
    let (first, others) = parts.split_first().map_or(("", parts), |(first, others)| (first.as_str(), others));
    let mut line = cut(first, columns);
    for part in others {
        let width = line.width().saturating_add(GAP.len()).saturating_add(part.width());
        if width <= columns {
            line.push_str(GAP);
            line.push_str(part);
        }
    }
    line
}

/// Returns the start of a text that takes at most a number of columns.
fn cut(text: &str, columns: usize) -> String {
    let mut left = columns;
    let fits = |character: &char| {
        let rest = left.checked_sub(character.width().unwrap_or_default());
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_columns() {
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("a\u{4e2d}b", 2), "a");
        assert_eq!(cut("a\u{4e2d}b", 3), "a\u{4e2d}");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn leaves_out_what_has_no_room() {
        let parts = ["name", "q quit", "long text", "w"].map(str::to_owned);
        for (columns, line) in
            [(99, "name  q quit  long text  w"), (15, "name  q quit  w"), (14, "name  q quit"), (3, "nam"), (0, "")]
        {
            assert_eq!(fitted(&parts, columns), line);
        }
        assert_eq!(fitted(&[], 9), "");
    }
}
