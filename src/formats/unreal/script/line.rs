//! Splits the text of a script into lines, finds the commands among the lines, and splits a command
//! into arguments.

use super::encoding::FileOffset;
use crate::error::debug::short_debug;
use crate::parse::Name;

/// The maximum length of a line in a script, in bytes. A line of more than 64 KiB is skipped.
pub(super) const MAX_LINE: usize = 64 << 10;

/// The word at the start of a command, in lower case.
pub(super) const EXEC: &[u8] = b"#exec";

/// The byte order mark that some editors write before UTF-8 text.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The classification of a line in a script: text, command or skipped line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A line that is code, a comment, or empty.
    Text,
    /// A line with a command.
    Command,
    /// A line with more than [`MAX_LINE`] bytes, which is skipped.
    TooLong,
    /// A line with a command that contains a NUL. The line is skipped.
    Nul,
}

/// The classification and the byte range of a line. The range extends from `start` up to, but not
/// including, `end`; both are offsets from the start of the script. For a line with a command, the
/// byte range contains neither the blanks before the command nor the comment after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceLine {
    pub(super) kind: LineKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Iterates over the lines of a script, in one pass over its bytes.
#[derive(Clone, Debug)]
pub(super) struct SourceLines<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The number of block comments that are open at the offset `at`. Block comments can be nested.
    depth: usize,
}

impl<'a> SourceLines<'a> {
    /// Makes an iterator that starts at the first byte of a script.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        Self { bytes, at, depth: 0 }
    }

    /// Returns whether a block comment is open at the end of the line that was returned last.
    pub(super) const fn is_in_comment(&self) -> bool {
        self.depth > 0
    }

    /// Classifies the line at offset `start`, and updates the number of open block comments.
    fn classify(&mut self, start: usize, line: &[u8]) -> SourceLine {
        let blank = skip_blanks(line, 0);
        let text = line.get(blank..).unwrap_or_default();
        let exec = self.depth == 0 && is_exec(text);
        let length = if exec { text_length(text) } else { 0 };
        self.depth = scan(text.get(length..).unwrap_or_default(), self.depth);
        let command = text.get(..length).unwrap_or_default().trim_ascii_end();
        let (kind, start, length) = match line.len() {
            length if length > MAX_LINE => (LineKind::TooLong, start, line.len()),
            _ if !exec => (LineKind::Text, start, line.len()),
            _ if command.contains(&0) => (LineKind::Nul, start.saturating_add(blank), command.len()),
            _ => (LineKind::Command, start.saturating_add(blank), command.len()),
        };
        SourceLine { kind, start, end: start.saturating_add(length) }
    }
}

impl Iterator for SourceLines<'_> {
    type Item = SourceLine;

    fn next(&mut self) -> Option<SourceLine> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let line = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        let start = self.at;
        // The two bytes CR LF are read as two line ends, with an empty line between them.
        self.at = start.saturating_add(line.len()).saturating_add(1);
        Some(self.classify(start, line))
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_exec(text: &[u8]) -> bool {
    text.split_at_checked(EXEC.len())
        .is_some_and(|(word, rest)| word.eq_ignore_ascii_case(EXEC) && rest.first().copied().is_some_and(is_blank))
}

/// Returns the offset of the first byte at or after `at` that is not a blank (space or tab).
fn skip_blanks(line: &[u8], at: usize) -> usize {
    let blanks = line.get(at..).unwrap_or_default().iter().take_while(|byte| is_blank(**byte));
    at.saturating_add(blanks.count())
}

/// Returns the offset of the comment after a command, or the length of the line if the command has
/// no comment after it. A `//` or `/*` inside quotes does not start a comment.
fn text_length(line: &[u8]) -> usize {
    let mut quoted = false;
    for (at, pair) in line.windows(2).enumerate() {
        match pair {
            [b'"', _] => quoted = !quoted,
            b"//" | b"/*" if !quoted => return at,
            _ => {}
        }
    }
    line.len()
}

/// Scans a line of program code in a script, and returns the number of block comments that are open
/// at the end of the line.
fn scan(line: &[u8], mut depth: usize) -> usize {
    let mut rest = line;
    while let [first, after @ ..] = rest {
        let pair = (*first, after.first().copied().unwrap_or_default());
        rest = match (pair, depth) {
            ((b'/', b'/'), 0) => return 0,
            ((b'/', b'*'), _) => {
                depth = depth.saturating_add(1);
                after.get(1..).unwrap_or_default()
            }
            ((b'*', b'/'), 1..) => {
                depth = depth.saturating_sub(1);
                after.get(1..).unwrap_or_default()
            }
            ((b'"', _), 0) => skip_string(after),
            _ => after,
        };
    }
    depth
}

/// Returns the bytes after a string literal in code, whose opening quote is just before `rest`. A
/// backslash escapes the next byte, and the end of the line ends the string.
fn skip_string(mut rest: &[u8]) -> &[u8] {
    loop {
        rest = match rest {
            [] => return rest,
            [b'"', after @ ..] => return after,
            [b'\\', _, after @ ..] | [_, after @ ..] => after,
        };
    }
}

/// The quotes around a value in a script: none, both quotes, or only the opening quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// The value has no quotes.
    Bare,
    /// The value is in double quotes.
    Quoted,
    /// The value has an opening quote, but no closing quote. A value without a closing quote
    /// extends to the end of the line.
    Open,
}

/// One argument of a command: `KEY=value`, or a single word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument<'a> {
    /// The key of the argument, or the word itself if the argument is a single word.
    pub key: Name<'a>,
    /// The value without its quotes, or `None` if the argument is a single word.
    pub value: Option<Name<'a>>,
    /// The quotes around the value, or around the word if the argument is a single word.
    pub quote: Quote,
    /// Offset of the argument's first byte from the start of the script file.
    pub offset: u64,
}

/// Iterates over the arguments of a command, in file order.
#[derive(Clone)]
pub struct Arguments<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The converter of offsets in the command to offsets in the script file.
    offset: FileOffset,
}

short_debug!(Arguments<'_>: |arguments| { at: arguments.at, bytes: arguments.bytes.len() });

impl<'a> Arguments<'a> {
    /// Makes an iterator over the arguments of a command, which starts at byte `at` of the command.
    /// `offset` converts the offsets of the command.
    pub(super) const fn new(bytes: &'a [u8], at: usize, offset: FileOffset) -> Self {
        Self { bytes, at, offset }
    }

    /// Returns the offset of the next byte that the iterator reads, from the start of the command.
    pub(super) const fn at(&self) -> usize {
        self.at
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the bytes from `at` up to the first byte for which `ends` returns true, and moves
    /// the iterator to that byte.
    fn take(&mut self, at: usize, ends: impl Fn(u8) -> bool) -> Name<'a> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len());
        self.at = at.saturating_add(length);
        Name::new(rest.get(..length).unwrap_or_default())
    }

    /// Returns the text between the opening quote at `at` and the closing quote, and moves the
    /// iterator past the closing quote.
    fn quoted(&mut self, at: usize) -> (Name<'a>, Quote) {
        let text = self.take(at.saturating_add(1), |byte| byte == b'"');
        let quote = if self.byte(self.at).is_some() { Quote::Quoted } else { Quote::Open };
        self.at = self.at.saturating_add(1);
        (text, quote)
    }

    /// Returns the value of an argument: the text after the `=` at offset `at`. If blanks follow
    /// the `=`, and the word after the blanks also contains a `=`, then that word is the next
    /// argument, and an empty value is returned for the first `=`.
    fn value(&mut self, at: usize) -> (Name<'a>, Quote) {
        let behind = at.saturating_add(1);
        let start = skip_blanks(self.bytes, behind);
        if self.byte(start) == Some(b'"') {
            return self.quoted(start);
        }
        let word = self.take(start, is_blank);
        if start > behind && word.as_bytes().contains(&b'=') {
            self.at = behind;
            return (Name::new(b""), Quote::Bare);
        }
        (word, Quote::Bare)
    }
}

impl<'a> Iterator for Arguments<'a> {
    type Item = Argument<'a>;

    fn next(&mut self) -> Option<Argument<'a>> {
        let start = skip_blanks(self.bytes, self.at);
        let offset = self.offset.of(self.bytes, start);
        if self.byte(start)? == b'"' {
            let (key, quote) = self.quoted(start);
            return Some(Argument { key, value: None, quote, offset });
        }
        let key = self.take(start, |byte| is_blank(byte) || matches!(byte, b'=' | b'"'));
        let equals = skip_blanks(self.bytes, self.at);
        if self.byte(equals) != Some(b'=') {
            return Some(Argument { key, value: None, quote: Quote::Bare, offset });
        }
        let (value, quote) = self.value(equals);
        Some(Argument { key, value: Some(value), quote, offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<&str> {
        let lines = SourceLines::new(text.as_bytes()).filter(|line| line.kind == LineKind::Command);
        lines.map(|line| &text[line.start..line.end]).collect()
    }

    fn arguments(text: &str) -> Vec<(String, Option<String>, Quote, u64)> {
        let shown = |name: Name<'_>| name.to_string();
        let arguments = Arguments::new(text.as_bytes(), 0, FileOffset::new(100, false));
        arguments.map(|one| (shown(one.key), one.value.map(shown), one.quote, one.offset)).collect()
    }

    #[test]
    fn finds_commands_and_no_comments() {
        assert_eq!(
            commands("\u{feff}#exec A\r\n \t#EXEC\tB // c\r#execute\n//#exec C\n#exec\n#exec D"),
            ["#exec A", "#EXEC\tB", "#exec D"]
        );
        assert_eq!(commands("//*****\n#exec A\n/* /* */\n#exec B\n*/\n#exec C"), ["#exec A", "#exec C"]);
        assert_eq!(commands("s = \"/*\";\n#exec A\ns = \"\\\"/*\";\n#exec B\n"), ["#exec A", "#exec B"]);
        assert_eq!(
            commands("#exec A /* x\n#exec B\n*/ #exec C\n#exec F=\"a//b/*\"\n#exec D"),
            ["#exec A", "#exec F=\"a//b/*\"", "#exec D"]
        );
    }

    #[test]
    fn skips_what_is_no_line_of_text() {
        let long = format!("#exec {}\n#exec A", "x".repeat(MAX_LINE));
        assert_eq!(commands(&long), ["#exec A"]);
        assert_eq!(commands("#exec A\0\n#exec B"), ["#exec B"]);
    }

    #[test]
    fn walks_arguments() {
        use Quote::{Bare, Open, Quoted};
        let pair = |key: &str, value: &str, quote, at: u64| (key.into(), Some(value.into()), quote, 100_u64 + at);
        assert_eq!(
            arguments("A=1 B = 2\tword C= D=\"x y\"E=a=b"),
            [
                pair("A", "1", Bare, 0),
                pair("B", "2", Bare, 4),
                ("word".into(), None, Bare, 110),
                pair("C", "", Bare, 15),
                pair("D", "x y", Quoted, 18),
                pair("E", "a=b", Bare, 25),
            ]
        );
        assert_eq!(
            arguments(" =x \"q\" Z=\"open A=1"),
            [pair("", "x", Bare, 1), ("q".into(), None, Quoted, 104), pair("Z", "open A=1", Open, 8),]
        );
    }
}
