//! Errors, with messages that contain advice for the user.
//!
//! An [`Error`] always contains the name of the file format and the name of the [`Field`] that the
//! error is about. An error about the bytes of a file also contains the byte offset, the expected
//! value and the value that was found. The message of an error ends with advice for the user.

pub(crate) mod debug;
mod field;
mod needed_range;
mod shown;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

pub use field::{Field, PathSegment};
use needed_range::Extent;
pub(crate) use shown::{MAX_SHOWN_BYTES, Shown, copy_text, is_utf8, show_bytes};

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
    field: Field,
    offset: Option<u64>,
    inflated: Option<u64>,
    source: usize,
    extent: Extent,
    kind: ErrorKind,
}

/// The cause of an [`Error`], with the values that the error message contains.
///
/// [`ErrorKind::id`] returns a stable name for each cause.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An operating system call failed.
    #[error("{0}")]
    Io(Arc<io::Error>),
    /// The path leads to a directory, a pipe, a socket or a device, and not to a regular file.
    #[error("expected a regular file, found {found}")]
    NotRegular {
        /// The type of the file at the path, with its article, such as `a directory`.
        found: &'static str,
    },
    /// The file is empty: it has 0 bytes.
    #[error("expected a mesh, found an empty file")]
    Empty,
    /// The file ends before the last byte of the value that should be read.
    #[error("expected {needed} bytes, found {left}")]
    UnexpectedEnd {
        /// Size of the value that should be read, in bytes.
        needed: u64,
        /// Number of bytes from the offset of the value to the end of the file.
        left: u64,
    },
    /// The file declares more items than its remaining bytes can hold.
    #[error("expected {} bytes for {count} items of {size} bytes or more, found {left}", count.saturating_mul(*size))]
    Count {
        /// The number of items that the file declares.
        count: u64,
        /// The minimum size of one item, in bytes.
        size: u64,
        /// The number of bytes from the offset of the first item to the end of the file.
        left: u64,
    },
    /// The magic number at the start of the file or block is wrong.
    #[error("expected {expected:?}, found {found}")]
    Magic {
        /// The expected magic number.
        expected: &'static str,
        /// The bytes at the position of the magic number: as text if all of these bytes are
        /// printable, and in hexadecimal otherwise.
        found: String,
    },
    /// The format does not allow the value in the file.
    #[error("expected {expected}, found {found}")]
    Value {
        /// A description of the values that the format allows.
        expected: Cow<'static, str>,
        /// The value that was found in the file.
        found: Cow<'static, str>,
    },
    /// The file format cannot store the data that should be written.
    #[error("expected {expected}, found {found}")]
    Refused {
        /// A description of the values that the format can store.
        expected: Cow<'static, str>,
        /// The value that should be written and that the format cannot store.
        found: Cow<'static, str>,
    },
    /// The crate recognises the file, but does not support its format, its version or a kind of
    /// data in it.
    #[error("expected a mesh that this version can read, found {found}")]
    Unsupported {
        /// A description of the format, version or kind of data that is not supported.
        found: Cow<'static, str>,
        /// Advice for the user about the unsupported file, such as how to convert it.
        advice: &'static str,
    },
    /// The first bytes of the file match no known format.
    #[error("expected a mesh, found {found} at the start of the file")]
    Unknown {
        /// The first bytes of the file: as text if all of these bytes are printable, and in
        /// hexadecimal otherwise.
        found: String,
    },
    /// Reading the file would exceed one of the maximum values in [`Limits`](crate::parse::Limits).
    #[error("expected at most {allowed} (the limit `{name}`), found at least {asked}")]
    Limit {
        /// Name of the field of [`Limits`](crate::parse::Limits), such as `items`.
        name: &'static str,
        /// The maximum value that [`Limits`](crate::parse::Limits) allows.
        allowed: u64,
        /// The minimum value of the limit with which the file can be read, or a lower bound of this
        /// minimum value.
        asked: u64,
    },
    /// The requested index of an item is out of range: it is not less than the number of items.
    #[error("expected a number below {count}, found {index}")]
    NoSuch {
        /// The number of items that exist, which is at most the requested index.
        count: u64,
        /// The requested index, which is out of range.
        index: u64,
    },
    /// A companion file, a block or a value that the operation needs was not found.
    #[error("expected {expected}, found none")]
    Missing {
        /// A description of the missing file, block or value, with its expected path or offset if
        /// this is known.
        expected: Cow<'static, str>,
    },
    /// A path that is stored in a file leads outside the folders that this file may refer to.
    #[error("expected a path inside the folders of the script, found {path}")]
    Outside {
        /// The forbidden path, as it is stored in the file.
        path: String,
    },
    /// The user has to choose one of several names, but gave another name or no name.
    #[error("expected one of {names}, found {found}")]
    Choice {
        /// The names from which the user can choose, as a list in one text.
        names: String,
        /// The name that the user gave.
        found: Cow<'static, str>,
    },
    /// The output buffer that was passed to a function has the wrong length.
    #[error("expected a buffer of {needed} items, found {given}")]
    Buffer {
        /// The number of items that the output buffer must have.
        needed: u64,
        /// The number of items that the output buffer has.
        given: u64,
    },
    /// The file was shortened after it was opened.
    #[error("expected {expected} bytes, found {found}: the file was shortened while it was read")]
    Truncated {
        /// Size of the file at the time when it was opened, in bytes.
        expected: u64,
        /// Size of the file after it was shortened, in bytes.
        found: u64,
    },
    /// The file was modified after it was opened.
    #[error("expected an unchanged file, found that it was modified after it was opened")]
    Changed,
    /// The mesh is not the one whose trees are used
    /// ([`SceneTrees::scene`](crate::query::SceneTrees::scene)).
    #[error("expected {expected}, found {found}")]
    OtherMesh {
        /// The property of the mesh that the trees belong to, such as `12 triangles`.
        expected: Cow<'static, str>,
        /// The same property of the mesh that was given.
        found: Cow<'static, str>,
    },
    /// The file could be changed by a process while it is mapped
    /// ([`Map::open_protected`](crate::Map::open_protected)).
    #[error("expected a file that the system protects from changes, found a file that programs can change")]
    Unprotected,
    /// The allocation of memory for a result failed.
    #[error("cannot allocate {asked} bytes of memory")]
    OutOfMemory {
        /// The number of bytes that could not be allocated.
        asked: u64,
    },
}

impl From<io::Error> for ErrorKind {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

impl ErrorKind {
    /// Returns the stable name of this kind of error, as used in the JSON output, such as
    /// `unexpected-end`.
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
            Self::OtherMesh { .. } => "other-mesh",
            Self::Unprotected => "unprotected",
            Self::OutOfMemory { .. } => "out-of-memory",
        }
    }

    /// Returns advice for the user about this kind of error, as a clause without a full stop.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Io(_) => "check the path and its permissions",
            Self::NotRegular { .. } => "pass a regular file, or pipe the bytes in through `-`",
            Self::Empty => "fetch or export the file again",
            Self::UnexpectedEnd { .. } | Self::Count { .. } => {
                "the file is truncated or this count is damaged; fetch or export it again"
            }
            Self::Magic { .. } | Self::Value { .. } => "the file is damaged here; fetch or export it again",
            Self::Refused { .. } => "change the data to be written",
            Self::Unsupported { advice, .. } => advice,
            Self::Unknown { .. } => {
                "check that this is a mesh and not a renamed or encrypted file; meshes of several files, such as `_d.3d`, are \
                 recognised by name and opened by path"
            }
            Self::Limit { .. } => "raise the limit if you trust the file",
            Self::NoSuch { .. } => "`meshpeek info` lists the available items",
            Self::Missing { .. } => "provide the missing part, too",
            Self::Outside { .. } => "pass the files directly if you trust them",
            Self::Choice { .. } => "name one of them",
            Self::Buffer { .. } => "pass a buffer of that length",
            Self::Truncated { .. } | Self::Changed => "read it again when no program writes to it",
            Self::OtherMesh { .. } => "the trees belong to another mesh; build trees of this mesh",
            Self::Unprotected => "copy the file with `read`, or call the unsafe `Map::open`",
            Self::OutOfMemory { .. } => "request only a part of the data",
        }
    }
}

impl Error {
    /// Makes an error about `field`, which is at byte `offset` of a file in the format `format`.
    #[must_use]
    pub fn new(format: &'static str, field: Field, offset: u64, kind: ErrorKind) -> Self {
        Self::with(format, field, Some(offset), kind)
    }

    /// Makes an error that has no byte offset.
    ///
    /// An error without an offset is caused by the file system or by an argument of a function, and
    /// not by a byte of the file.
    #[must_use]
    pub fn without_offset(format: &'static str, field: Field, kind: ErrorKind) -> Self {
        Self::with(format, field, None, kind)
    }

    fn with(format: &'static str, field: Field, offset: Option<u64>, kind: ErrorKind) -> Self {
        let extent = Extent::OfKind;
        Self(Box::new(Detail { path: None, format, field, offset, inflated: None, source: 0, extent, kind }))
    }

    /// Adds to the error the offset of the wrong byte from the start of the inflated content of a
    /// compressed block.
    ///
    /// For an error in a compressed block, [`offset`](Self::offset) is the offset of the compressed
    /// block in the file.
    #[must_use]
    pub fn at_inflated(mut self, at: u64) -> Self {
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

    /// Returns the kind of the error, with the expected value and the value that was found.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detail { path, format, field, offset, inflated, kind, .. } = &*self.0;
        if let Some(path) = path {
            write!(out, "{}: ", crate::error::shown::Shown(path.as_os_str().as_encoded_bytes()))?;
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
