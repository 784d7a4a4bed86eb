//! Converts the Markdown of the guide to the format of manual pages, roff: headings, paragraphs,
//! lists, tables and code blocks.

use std::iter::Peekable;
use std::str::Lines;

/// Converts Markdown to roff.
pub fn to_roff(text: &str) -> String {
    let mut page = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            add_code(&mut page, &mut lines);
        } else if let Some(heading) = line.strip_prefix("## ") {
            page.extend([".SH \"", &inline(&heading.to_uppercase()), "\"\n"]);
        } else if line.starts_with('#') {
            page.extend([".SS \"", &inline(line.trim_start_matches('#').trim()), "\"\n"]);
        } else if line.starts_with('|') {
            add_row(&mut page, line);
        } else if let Some(item) = line.strip_prefix("- ") {
            page.extend([".IP \\(bu 2\n", &inline(item), "\n"]);
        } else if line.trim().is_empty() {
            page.push_str(".PP\n");
        } else {
            page.push_str(&protected(&inline(line.trim())));
            page.push('\n');
        }
    }
    page
}

/// Adds the lines of a code block as they are.
fn add_code(page: &mut String, lines: &mut Peekable<Lines<'_>>) {
    page.push_str(".PP\n.RS 4\n.nf\n");
    for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
        page.push_str(&protected(&escaped(line)));
        page.push('\n');
    }
    page.push_str(".fi\n.RE\n");
}

/// Adds a row of a table: its first cell as a heading, and the other cells below it.
fn add_row(page: &mut String, line: &str) {
    let is_rule = line.chars().all(|one| matches!(one, '|' | '-' | ':' | ' '));
    if is_rule {
        return;
    }
    let mut cells = line.trim().trim_matches('|').split('|').map(str::trim);
    let first = inline(cells.next().unwrap_or_default());
    let rest = cells.map(inline).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("; ");
    page.extend([".TP 16\n", &protected(&first), "\n", &protected(&rest), "\n"]);
}

/// Converts code, emphasis and links in a line.
fn inline(text: &str) -> String {
    let mut converted = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index.is_multiple_of(2) {
            converted.push_str(&escaped(&without_links(part)).replace("**", ""));
        } else {
            converted.extend(["\\fB", &escaped(part), "\\fR"]);
        }
    }
    converted
}

/// Replaces links by their texts.
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, link)) = rest.split_once("](") {
        let after = link.split_once(')').map_or("", |(_, after)| after);
        match before.rsplit_once('[') {
            Some((start, label)) => plain.extend([start, label]),
            None => plain.push_str(before),
        }
        rest = after;
    }
    plain.push_str(rest);
    plain.replace(['[', ']'], "")
}

/// Escapes the characters that roff interprets.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// Protects a line that starts like a request of roff.
fn protected(line: &str) -> String {
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_what_the_guide_uses() {
        let roff = to_roff(
            "## A b\n\nText with `code` and [a *link*](x.md#y).\n.dot\n\n- one\n\n| `x` | y |\n|---|---|\n| `a` | b-c |\n\n```json\n{\"a\\n\": 1}\n.x\n```\n### C\n",
        );
        assert_eq!(
            roff,
            ".SH \"A B\"\n.PP\nText with \\fBcode\\fR and a *link*.\n\\&.dot\n.PP\n.IP \\(bu 2\none\n.PP\n.TP 16\n\\fBx\\fR\ny\n\
             .TP 16\n\\fBa\\fR\nb\\-c\n.PP\n.PP\n.RS 4\n.nf\n{\"a\\en\": 1}\n\\&.x\n.fi\n.RE\n.SS \"C\"\n"
        );
    }
}
