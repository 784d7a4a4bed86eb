//! Prints the rules, and explains them.

use std::io::{self, Write};

use crate::Rule;
use serde_json::{Value, json};

use super::filter::{FindingFilter, all_rules};
use crate::program::args::Global;
use crate::program::output::json::document;
use crate::program::output::{paint, print_json};

/// The greatest number of columns of an explanation.
const WIDTH: usize = 96;

/// Lists the rules whose findings are reported.
pub fn print_rules(filter: &FindingFilter, global: &Global) -> io::Result<()> {
    let rules = all_rules().filter(|(_, rule)| filter.keeps_rule(rule));
    if global.json {
        return print_json_rules(rules);
    }
    let mut out = anstream::stdout().lock();
    for (_, Rule { id, severity, text, .. }) in rules {
        let style = paint(*severity);
        writeln!(out, "{id}  {style}{severity:<7}{style:#}  {text}")?;
    }
    Ok(())
}

/// Explains the rules whose ids start with one of the given texts.
pub fn print_explanations(prefixes: &[String], global: &Global) -> io::Result<()> {
    let rules = all_rules().filter(|(_, rule)| prefixes.iter().any(|prefix| rule.id.starts_with(&**prefix)));
    if global.json {
        return print_json_rules(rules);
    }
    let mut out = anstream::stdout().lock();
    for (number, (format, rule)) in rules.enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        print_explanation(&mut out, format, rule)?;
    }
    Ok(())
}

fn print_explanation(out: &mut dyn Write, format: &str, rule: &Rule) -> io::Result<()> {
    let Rule { id, severity, text, why, mend, .. } = rule;
    let style = paint(*severity);
    writeln!(out, "{id}  {style}{severity}{style:#}  {format}")?;
    for (title, text) in [("rule", text), ("why", why), ("mend", mend)] {
        for (number, line) in wrapped(text, WIDTH.saturating_sub(8)).iter().enumerate() {
            writeln!(out, "  {:<6}{line}", if number == 0 { title } else { "" })?;
        }
    }
    Ok(())
}

/// Divides a text at blanks into lines of at most `width` bytes, unless a word is longer.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len().saturating_add(word.len()) < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn print_json_rules<'r>(rules: impl Iterator<Item = (&'r str, &'r Rule)>) -> io::Result<()> {
    let rules = rules.map(|(format, Rule { id, severity, text, why, mend, .. })| {
        json!({ "rule": id, "severity": severity.to_string(), "text": text, "format": format, "why": why, "mend": mend })
    });
    print_json(&document(&json!({ "rules": rules.collect::<Value>() })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_blanks() {
        assert_eq!(wrapped("a bc def ghij", 6), ["a bc", "def", "ghij"]);
        assert_eq!(wrapped("a bc", 5), ["a bc"]);
        assert_eq!(wrapped("longer than", 3), ["longer", "than"]);
    }
}
