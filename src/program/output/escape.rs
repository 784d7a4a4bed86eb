//! Escapes text from files for CSV, Markdown and XML.
//!
//! A name in a file may contain any bytes. Each function first escapes control characters in the
//! same way as the text output, with [`Name`].

use std::fmt;

use crate::Name;

/// Returns text as a cell of a CSV file.
///
/// The cell is quoted if it contains a comma, a quote or a blank at its start or end. A cell that
/// starts with `=`, `+`, `-`, `@` starts with an apostrophe instead, because a spreadsheet program
/// would run it as a formula.
pub fn csv_cell(text: &str) -> String {
    let text = Name::new(text.as_bytes()).to_string();
    let text = if text.trim_start().starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text };
    let is_plain = !text.contains([',', '"', ';']) && text.trim() == text;
    if is_plain { text } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// A float in a CSV file: the shortest text that reads back as the same `f32`, or `nan`, `inf` or
/// `-inf`.
pub struct FloatCell(pub f32);

impl fmt::Display for FloatCell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = self;
        if value.is_nan() { out.write_str("nan") } else { write!(out, "{value:?}") }
    }
}

/// Returns text as a cell of a Markdown table. Characters that Markdown or HTML would interpret are
/// escaped.
pub fn markdown_cell(text: &str) -> String {
    let mut cell = String::new();
    for character in Name::new(text.as_bytes()).to_string().chars() {
        match character {
            '&' => cell.push_str("&amp;"),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '~' | '$' => cell.extend(['\\', character]),
            _ => cell.push(character),
        }
    }
    cell
}

/// Returns text as the content of an XML element or attribute, such as in an SVG picture.
pub fn xml_text(text: &str) -> String {
    let mut escaped = String::new();
    for character in Name::new(text.as_bytes()).to_string().chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML 1.0 does not allow these characters.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_runs_as_a_formula_or_ends_its_cell() {
        assert_eq!(csv_cell("body"), "body");
        assert_eq!(csv_cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(csv_cell(" @x"), "' @x");
        assert_eq!(csv_cell("a,\"b\"\n"), "\"a,\"\"b\"\"\\u{a}\"");
        assert_eq!(markdown_cell("a|b<i>*\u{202e}"), "a\\|b&lt;i&gt;\\*\\\\u{202e}");
        assert_eq!(xml_text("<a b='\"&\u{1b}'>"), "&lt;a b=&#39;&quot;&amp;\\u{1b}&#39;&gt;");
    }
}
