//! The cause of an error, with the values that its message contains.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use super::shown::counted;
use super::{Error, ErrorKind, Field};

/// The cause of an [`Error`], with the values that the error message contains.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Cause {
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
    #[error("expected {}, found {left}", counted(*needed, "byte"))]
    UnexpectedEnd {
        /// Size of the value that should be read, in bytes.
        needed: u64,
        /// Number of bytes from the offset of the value to the end of the file.
        left: u64,
    },
    /// The file declares more items than its remaining bytes can hold.
    #[error("expected {} for {} of {} or more, found {left}", counted(count.saturating_mul(*size), "byte"), counted(*count, "item"), counted(*size, "byte"))]
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
    /// The file is one of another program, or was left in the place of a mesh.
    #[error("{}{name}, which {}", if *is_by_name { "by its name, " } else { "" },
            if *stands_in { "is not the mesh itself" } else { "meshpeek does not read" })]
    Foreign {
        /// The name of the kind of file with its article, such as `a PNG image`.
        name: &'static str,
        /// The name of several such files.
        plural: &'static str,
        /// Advice for the user about such a file.
        advice: &'static str,
        /// Whether such a file is left in the place of a mesh, as by a failed download.
        stands_in: bool,
        /// Whether only the name of the file tells what it is.
        is_by_name: bool,
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
    #[error("{}", out_of_range(*count, *index))]
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
    #[error("expected a buffer of {}, found {given}", counted(*needed, "item"))]
    Buffer {
        /// The number of items that the output buffer must have.
        needed: u64,
        /// The number of items that the output buffer has.
        given: u64,
    },
    /// The file was shortened after it was opened.
    #[error("expected {}, found {found}: the file was shortened while it was read", counted(*expected, "byte"))]
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
    #[error("cannot allocate {} of memory", counted(*asked, "byte"))]
    OutOfMemory {
        /// The number of bytes that could not be allocated.
        asked: u64,
    },
    /// A program outside the crate made the error, with a message of its own.
    #[error("{text}")]
    Custom {
        /// The kind of the error.
        kind: ErrorKind,
        /// The expected value and the value that was found.
        text: Cow<'static, str>,
    },
}

/// Returns the message for the index of an item that does not exist.
fn out_of_range(count: u64, index: u64) -> String {
    match count {
        0 => format!("found number {index}, but there are none"),
        _ => format!("expected a number below {count}, found {index}"),
    }
}

impl From<io::Error> for Cause {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

impl Cause {
    /// Makes the cause of an error about a value of the file.
    pub(crate) fn value(expected: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Self {
        Self::Value { expected: expected.into(), found: found.into() }
    }

    /// Returns the kind of the cause.
    pub(crate) const fn kind(&self) -> ErrorKind {
        match self {
            Self::Io(_) => ErrorKind::Io,
            Self::NotRegular { .. } => ErrorKind::NotRegular,
            Self::Empty => ErrorKind::Empty,
            Self::UnexpectedEnd { .. } => ErrorKind::UnexpectedEnd,
            Self::Count { .. } => ErrorKind::Count,
            Self::Magic { .. } => ErrorKind::Magic,
            Self::Value { .. } => ErrorKind::Value,
            Self::Refused { .. } => ErrorKind::Refused,
            Self::Unsupported { .. } | Self::Foreign { .. } => ErrorKind::Unsupported,
            Self::Unknown { .. } => ErrorKind::Unknown,
            Self::Limit { .. } => ErrorKind::Limit,
            Self::NoSuch { .. } => ErrorKind::NoSuch,
            Self::Missing { .. } => ErrorKind::Missing,
            Self::Outside { .. } => ErrorKind::Outside,
            Self::Choice { .. } => ErrorKind::Choice,
            Self::Buffer { .. } => ErrorKind::Buffer,
            Self::Truncated { .. } => ErrorKind::Truncated,
            Self::Changed => ErrorKind::Changed,
            Self::OtherMesh { .. } => ErrorKind::OtherMesh,
            Self::Unprotected => ErrorKind::Unprotected,
            Self::OutOfMemory { .. } => ErrorKind::OutOfMemory,
            Self::Custom { kind, .. } => *kind,
        }
    }

    /// Returns advice for the user, as a clause without a full stop.
    pub(super) const fn advice(&self) -> &'static str {
        match self {
            Self::Unsupported { advice, .. } | Self::Foreign { advice, .. } => advice,
            _ => self.kind().advice(),
        }
    }

    /// Makes an error with this cause whose format, field and offset are not known yet.
    pub(crate) fn unlocated(self) -> Error {
        Error::without_offset("file", Field::new("file"), self)
    }
}
