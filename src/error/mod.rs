//! Errors, with messages that contain advice for the user.
//!
//! An [`Error`] always contains the name of the file format and the name of the [`Field`] that the
//! error is about. An error about the bytes of a file also contains the byte offset, the expected
//! value and the value that was found. The message of an error ends with advice for the user.

mod cause;
pub(crate) mod debug;
mod field;
mod kind;
mod rule;
mod shown;

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fmt, io};

pub use field::Field;
pub(crate) use field::PathSegment;
pub use kind::ErrorKind;
pub(crate) use rule::{Breaking, NO_FORMAT, rules};
pub use rule::{RewriteEffect, Rule, Severity};
pub(crate) use shown::{MAX_SHOWN_BYTES, Shown, copy_text, counted, is_text_control, is_utf8};
pub(crate) use shown::{numbered_noun, show_bytes};

internal_use!(cause::Cause, rule::FormatName);

/// The result type of all fallible functions in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a file, or one of its values, could not be read or written.
///
/// An `Error` has the size of one pointer, which keeps the size of every `Result` small.
#[derive(Clone, Debug)]
pub struct Error(Box<Detail>);

#[derive(Clone, Debug)]
struct Detail {
    path: Option<PathBuf>,
    format: &'static str,
    /// The format whose rules the error is about, or [`NO_FORMAT`] for an error about no rule.
    rules: &'static FormatName,
    /// The rule that the reader of the file named.
    rule: Option<&'static Rule>,
    field: Field,
    offset: Option<u64>,
    inflated: Option<u64>,
    source: usize,
    extent: Extent,
    cause: Cause,
}

impl Error {
    /// Makes an error of code outside the crate, such as an implementation of
    /// [`RangeSource`](crate::io::RangeSource). `message` contains the expected value and the value that was
    /// found, such as `expected a number below 3, found 7`.
    #[must_use]
    pub fn custom(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Cause::Custom { kind, text: message.into() }.unlocated()
    }

    /// Sets the format, the field and the byte offset in the file that the error is about.
    ///
    /// `offset` is `None` if the error is caused by the file system or by an argument of a
    /// function, and not by a byte of the file.
    ///
    /// ```
    /// use meshpeek::{Error, ErrorKind, Field};
    /// let error = Error::custom(ErrorKind::NoSuch, "expected a number below 3, found 7");
    /// let error = error.located("terrain", Field::new("").in_list("surface", 7), None);
    /// assert!(error.to_string().starts_with("terrain: surface[7]: expected a number below 3, found 7; "));
    /// ```
    #[doc(hidden)]
    #[must_use]
    pub fn located(mut self, format: &'static str, field: Field, offset: Option<u64>) -> Self {
        self.0.format = format;
        self.0.rules = NO_FORMAT;
        self.0.rule = None;
        self.0.field = field;
        self.0.offset = offset;
        self
    }

    /// Sets the format, the field and the byte offset in a file of one of the formats of the crate.
    pub(crate) fn located_in(self, format: &'static FormatName, field: Field, offset: Option<u64>) -> Self {
        let mut error = self.located(format.name(), field, offset);
        error.0.rules = format;
        error
    }

    /// Makes an error about `field`, which is at byte `offset` of a file in the format `format`.
    pub(crate) fn new(format: &'static FormatName, field: Field, offset: u64, cause: Cause) -> Self {
        cause.unlocated().located_in(format, field, Some(offset))
    }

    /// Makes an error that has no byte offset.
    ///
    /// An error without an offset is caused by the file system or by an argument of a function, and
    /// not by a byte of the file.
    pub(crate) fn without_offset(format: &'static str, field: Field, cause: Cause) -> Self {
        let (path, rules, rule, extent) = (None, NO_FORMAT, None, Extent::OfKind);
        let (offset, inflated, source) = (None, None, 0);
        Self(Box::new(Detail { path, format, rules, rule, field, offset, inflated, source, extent, cause }))
    }

    /// Sets the rule that the file breaks. Without it, the format and the kind of the error
    /// determine the rule.
    pub(crate) fn breaking(mut self, rule: &'static Rule) -> Self {
        self.0.rule = Some(rule);
        self
    }

    /// Returns the rule that the file breaks, or `None` if the bytes of the file are not the cause.
    pub(crate) fn rule(&self) -> Option<&'static Rule> {
        self.0.offset?;
        self.0.rule.or_else(|| (self.0.rules.rule_of)(self.kind(), self.0.inflated.is_some()))
    }

    /// Returns the text of a finding about the error.
    pub(crate) fn finding_text(&self) -> impl fmt::Display {
        FindingText(&self.0)
    }

    /// Adds to the error the offset of the wrong byte from the start of the inflated content of a
    /// compressed block.
    ///
    /// For an error in a compressed block, [`offset`](Self::offset) is the offset of the compressed
    /// block in the file.
    pub(crate) fn at_inflated(mut self, at: u64) -> Self {
        self.0.inflated = Some(at);
        self
    }

    /// Adds the path of the file to the error, unless the error already has a path.
    #[must_use]
    pub fn at_path(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Returns the path of the file that caused the error, or `None` if the path is not known.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Returns the name of the file format, with the format version if the version is known.
    ///
    /// The name of the format is `file` if the error occurred before a format was recognised.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.0.format
    }

    /// Returns the field that the error is about, with its path, such as `surface[3].positions`.
    #[must_use]
    pub fn field(&self) -> Field {
        self.0.field
    }

    /// Returns the offset of the wrong byte from the start of the file, or `None` if the error is
    /// not about a byte of the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Returns the offset of the wrong byte in the inflated content of the compressed block at
    /// [`offset`](Self::offset).
    ///
    /// Returns `None` if the error is not about inflated bytes of a compressed block.
    #[must_use]
    pub fn inflated_offset(&self) -> Option<u64> {
        self.0.inflated
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.cause.kind()
    }

    /// Returns the error of the operating system, or `None` if the kind is not [`ErrorKind::Io`].
    #[must_use]
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.0.cause {
            Cause::Io(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the part of the message with the expected value and the value that was found, such
    /// as `expected a number below 3, found 7`.
    ///
    /// The `Display` text of an error also contains the path, the field, the offset and advice.
    #[must_use]
    pub fn message(&self) -> impl fmt::Display {
        &self.0.cause
    }

    /// Returns the cause of the error, with the expected value and the value that was found.
    pub(crate) fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// Returns the cause of the error without its format, field and offset.
    pub(crate) fn into_cause(self) -> Cause {
        self.0.cause
    }
}

/// How the needed byte range of an [`Error`] is known.
#[derive(Clone, Debug)]
enum Extent {
    /// The kind of the error and its offset determine the byte range.
    OfKind,
    /// The reader stored the byte range.
    Known(Range<u64>),
    /// More bytes at the end of the file would not help.
    None,
}

impl Error {
    /// Returns the byte range that the reader needed, if the file ended too early, or `None` for
    /// every other error.
    ///
    /// A program with I/O of its own can open the start of a file, load the file up to the end of
    /// the returned range, and try again. Each attempt needs more bytes than the one before it. If
    /// the whole file does not contain the range, the file is damaged.
    ///
    /// If the reader cannot know how many bytes are missing, as in text, the range ends one byte
    /// after the end of the loaded bytes. The program should then load more than this byte.
    /// [`source_index`](Self::source_index) returns the file that the range belongs to.
    ///
    /// An error in the content of a compressed block has no needed range, because more bytes at the
    /// end of the file do not change the content.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let bytes = meshpeek::read("data/unigine/cube_ms12.mesh")?;
    /// let error = meshpeek::Model::open(&bytes[..3]).unwrap_err();
    /// assert_eq!(error.needed_range(), Some(0..4)); // the magic number
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn needed_range(&self) -> Option<Range<u64>> {
        match &self.0.extent {
            Extent::Known(range) => Some(range.clone()),
            Extent::OfKind if self.0.inflated.is_none() => self.range_of_kind(),
            Extent::OfKind | Extent::None => None,
        }
    }

    /// Returns the index of the file that the error is about, among the sources of a
    /// [`Model`](crate::Model).
    ///
    /// The index is 0 for a mesh of one file.
    #[must_use]
    pub fn source_index(&self) -> usize {
        self.0.source
    }

    fn range_of_kind(&self) -> Option<Range<u64>> {
        let start = self.0.offset?;
        let size = match self.0.cause {
            Cause::Empty => 1,
            Cause::UnexpectedEnd { needed, .. } => needed,
            Cause::Count { count, size, .. } => count.saturating_mul(size),
            _ => return None,
        };
        Some(start..start.saturating_add(size))
    }

    /// Stores the byte range that the reader needed.
    #[must_use]
    pub(crate) fn needing(mut self, range: Range<u64>) -> Self {
        self.0.extent = Extent::Known(range);
        self
    }

    /// Marks the error as one of a part of the file whose end is known, such as a block. More bytes
    /// at the end of the file would not help.
    #[must_use]
    pub(crate) fn at_fixed_end(mut self) -> Self {
        self.0.extent = Extent::None;
        self
    }

    /// Stores the index of the file that the error is about.
    #[must_use]
    pub(crate) fn of_source(mut self, source: usize) -> Self {
        self.0.source = source;
        self
    }
}

/// The text of a finding about an error.
struct FindingText<'e>(&'e Detail);

impl fmt::Display for FindingText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.0.rules.inflated;
        write!(out, "{}", self.0.cause)?;
        self.0.inflated.map_or(Ok(()), |at| write!(out, "{before}{at}{after}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detail { path, format, field, offset, inflated, cause, .. } = &*self.0;
        if let Some(path) = path {
            write!(out, "{}: ", crate::error::shown::Shown(path.as_os_str().as_encoded_bytes()))?;
        }
        // A file of another program has neither fields nor a known format.
        if let Cause::Foreign { advice, .. } = cause {
            return write!(out, "{cause}; {advice}");
        }
        // If the field name and the format name are equal, as in an error before the format is
        // recognised, the message contains the name only once.
        match field.to_string() {
            field if field == *format => out.write_str(format)?,
            field => write!(out, "{format}: {field}")?,
        }
        if let Some(offset) = offset {
            write!(out, " at byte {offset}")?;
        }
        if let Some(inflated) = inflated {
            write!(out, ", inflated byte {inflated}")?;
        }
        write!(out, ": {cause}; {}", cause.advice())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.io_error()?)
    }
}

impl From<io::Error> for Error {
    /// Makes an error about a file whose path is not known yet.
    fn from(error: io::Error) -> Self {
        Cause::from(error).unlocated()
    }
}

/// Returns an error if `index` is not the index of the only item of a list.
///
/// # Errors
///
/// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if `index` is not 0.
pub fn expect_only(format: &'static str, list: &'static str, index: usize) -> Result<()> {
    if index == 0 { Ok(()) } else { Err(no_such(format, list, 1, index)) }
}

/// Returns [`ErrorKind::Limit`] if more is asked than is allowed. `name` is the name of the limit.
pub(crate) fn expect_at_most(
    format: &'static str,
    field: Field,
    name: &'static str,
    allowed: u64,
    asked: u64,
) -> Result<()> {
    if asked <= allowed {
        return Ok(());
    }
    Err(Error::without_offset(format, field, Cause::Limit { name, allowed, asked }))
}

/// Makes the error for an index that is out of range.
#[must_use]
pub fn no_such(format: &'static str, list: &'static str, count: usize, index: usize) -> Error {
    let [count, index] = [count, index].map(|number| u64::try_from(number).unwrap_or(u64::MAX));
    Error::without_offset(format, Field::new("").in_list(list, index), Cause::NoSuch { count, index })
}
