//! What can go wrong, said so that a user can act on it.
//!
//! An [`Error`] always knows the format it was reading, the [`Field`] by name, the byte offset, what was needed and
//! what was there. Its text ends with what to do.

mod field;
mod shown;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

pub use field::{Field, PathSegment};
pub(crate) use shown::{MAX_SHOWN_BYTES, Shown, show_bytes};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a file, or a part of it, could not be read or written.
///
/// One pointer wide, so that a `Result` of a view stays small.
#[derive(Clone, Debug)]
pub struct Error(Box<Detail>);

#[derive(Clone, Debug)]
struct Detail {
    path: Option<PathBuf>,
    format: &'static str,
    field: Field,
    offset: Option<u64>,
    inflated: Option<u64>,
    kind: ErrorKind,
}

/// The kinds of failure. [`ErrorKind::id`] gives each a stable name.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused.
    #[error("{0}")]
    Io(Arc<io::Error>),
    /// The path leads to something that is not a regular file.
    #[error("expected a regular file, found {found}")]
    NotRegular {
        /// What the path leads to, with its article.
        found: &'static str,
    },
    /// The file has no bytes at all.
    #[error("expected a mesh, found an empty file")]
    Empty,
    /// The bytes end before the value does.
    #[error("expected {needed} bytes, found {left}")]
    UnexpectedEnd {
        /// Bytes the value takes.
        needed: u64,
        /// Bytes there are from its offset to the end of the file.
        left: u64,
    },
    /// A count asks for more than the bytes left can hold.
    #[error("expected at most {left} bytes' worth, found {count} items of at least {size} bytes each")]
    Count {
        /// Items claimed.
        count: u64,
        /// Least bytes one item takes.
        size: u64,
        /// Bytes left in the file.
        left: u64,
    },
    /// A marker is not what it must be.
    #[error("expected {expected:?}, found {found}")]
    Magic {
        /// The marker that belongs here.
        expected: &'static str,
        /// The bytes found, printable or as hexadecimal.
        found: String,
    },
    /// A value lies outside what the format allows.
    #[error("expected {expected}, found {found}")]
    Value {
        /// What the format allows.
        expected: Cow<'static, str>,
        /// What the file holds.
        found: Cow<'static, str>,
    },
    /// What is to be written cannot be.
    #[error("expected {expected}, found {found}")]
    Refused {
        /// What the format can hold.
        expected: Cow<'static, str>,
        /// What was to be written.
        found: Cow<'static, str>,
    },
    /// The bytes belong to a format, or a generation of one, that is known and not read.
    #[error("expected a mesh that this version reads, found {found}")]
    Unsupported {
        /// What the file is.
        found: Cow<'static, str>,
        /// What its owner can do about it.
        advice: &'static str,
    },
    /// The bytes belong to no format this crate knows.
    #[error("expected a mesh, found {found} at its start")]
    Unknown {
        /// The first bytes, printable or as hexadecimal.
        found: String,
    },
    /// A limit of [`Limits`](crate::parse::Limits) would be exceeded.
    #[error("expected {name} of at most {allowed}, found {asked}")]
    Limit {
        /// The limit's field.
        name: &'static str,
        /// What it allows.
        allowed: u64,
        /// What the file asks for.
        asked: u64,
    },
    /// There is no such item.
    #[error("expected a number below {count}, asked for {index}")]
    NoSuch {
        /// Items there are.
        count: u64,
        /// The number asked for.
        index: u64,
    },
    /// Something that belongs to a file is not where it was looked for.
    #[error("expected {expected}, found none")]
    Missing {
        /// What was looked for, and where.
        expected: Cow<'static, str>,
    },
    /// A path that a file holds leads to where the file has no say.
    #[error("expected a path below the script's own folders, found {path}")]
    Outside {
        /// The path, as the file holds it.
        path: String,
    },
    /// One of several things must be named, and none of them was.
    #[error("expected one of {names}, found {found}")]
    Choice {
        /// The names there are.
        names: String,
        /// What was named instead.
        found: Cow<'static, str>,
    },
    /// The caller's buffer does not fit.
    #[error("expected a buffer of {needed} items, found {given}")]
    Buffer {
        /// Items the data has.
        needed: u64,
        /// Items the buffer has.
        given: u64,
    },
    /// The file was shortened after it was opened.
    #[error("expected {expected} bytes, found {found}: the file was cut while it was read")]
    Truncated {
        /// Its size when it was opened.
        expected: u64,
        /// Its size now.
        found: u64,
    },
    /// The file was written to after it was opened.
    #[error("expected the file as it was opened, found it changed")]
    Changed,
    /// The memory for a result could not be had.
    #[error("expected {asked} bytes of memory, found less")]
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
    },
}

impl From<io::Error> for ErrorKind {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

impl ErrorKind {
    /// Returns the kind's stable name, as the JSON output has it.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::NotRegular { .. } => "not-regular",
            Self::Empty => "empty",
            Self::UnexpectedEnd { .. } => "unexpected-end",
            Self::Count { .. } => "count",
            Self::Magic { .. } => "magic",
            Self::Value { .. } => "value",
            Self::Refused { .. } => "refused",
            Self::Unsupported { .. } => "unsupported",
            Self::Unknown { .. } => "unknown",
            Self::Limit { .. } => "limit",
            Self::NoSuch { .. } => "no-such",
            Self::Missing { .. } => "missing",
            Self::Outside { .. } => "outside",
            Self::Choice { .. } => "choice",
            Self::Buffer { .. } => "buffer",
            Self::Truncated { .. } => "truncated",
            Self::Changed => "changed",
            Self::OutOfMemory { .. } => "out-of-memory",
        }
    }

    /// Returns what the user can do about it, as a clause without a full stop.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Io(_) => "check the path and its permissions",
            Self::NotRegular { .. } => "name a file, or pipe the bytes in through `-`",
            Self::Empty => "fetch or export the file again",
            Self::UnexpectedEnd { .. } | Self::Count { .. } => {
                "the file is cut short or this count is damaged; fetch or export it again"
            }
            Self::Magic { .. } | Self::Value { .. } => "the file is damaged here; fetch or export it again",
            Self::Refused { .. } => "change what is to be written",
            Self::Unsupported { advice, .. } => advice,
            Self::Unknown { .. } => "check that this is a mesh and not a renamed or encrypted file",
            Self::Limit { .. } => "raise the limit if you trust the file",
            Self::NoSuch { .. } => "`meshpeek info` lists what there is",
            Self::Missing { .. } => "supply what is missing, too",
            Self::Outside { .. } => "name the files themselves, if you trust them",
            Self::Choice { .. } => "name one of them",
            Self::Buffer { .. } => "pass a buffer of that length",
            Self::Truncated { .. } | Self::Changed => "read it again when nobody writes to it",
            Self::OutOfMemory { .. } => "ask for a part of the data",
        }
    }
}

impl Error {
    /// Makes an error about `field`, at byte `offset` of a file of `format`.
    #[must_use]
    pub fn new(format: &'static str, field: Field, offset: u64, kind: ErrorKind) -> Self {
        Self(Box::new(Detail { path: None, format, field, offset: Some(offset), inflated: None, kind }))
    }

    /// Makes an error that no byte of the file is to blame for: the file system's, or the caller's.
    #[must_use]
    pub fn without_offset(format: &'static str, field: Field, kind: ErrorKind) -> Self {
        Self(Box::new(Detail { path: None, format, field, offset: None, inflated: None, kind }))
    }

    /// Adds that the byte to blame is byte `at` of what the compressed block at the error's offset inflates to.
    #[must_use]
    pub fn at_inflated(mut self, at: u64) -> Self {
        self.0.inflated = Some(at);
        self
    }

    /// Adds the file's path, unless it is known already.
    #[must_use]
    pub fn at_path(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Returns the path, where a file was named.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Returns the format's name, with its version once that is known; `file` while nothing has been recognised.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.0.format
    }

    /// Returns the field by its place in the file's structure.
    #[must_use]
    pub fn field(&self) -> Field {
        self.0.field
    }

    /// Returns the byte offset from the start of the file, where a byte is to blame.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Returns the offset within what the compressed block at [`offset`](Self::offset) inflates to, where the byte to blame
    /// is in there.
    #[must_use]
    pub fn inflated_offset(&self) -> Option<u64> {
        self.0.inflated
    }

    /// Returns the kind of failure.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detail { path, format, field, offset, inflated, kind } = &*self.0;
        if let Some(path) = path {
            write!(out, "{}: ", crate::error::shown::Shown(path.as_os_str().as_encoded_bytes()))?;
        }
        // What fails before any format is recognised is about the file as a whole.
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
        write!(out, ": {kind}; {}", kind.advice())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) => Some(&**error),
            _ => None,
        }
    }
}
