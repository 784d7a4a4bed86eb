//! The kinds of errors.

/// The kind of an [`Error`](super::Error). The message of the error contains the expected value and
/// the value that was found.
///
/// [`ErrorKind::id`] returns a stable name for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ErrorKind {
    /// An operating system call failed.
    Io,
    /// The path leads to a directory, a pipe, a socket or a device, and not to a regular file.
    NotRegular,
    /// The file is empty: it has 0 bytes.
    Empty,
    /// The file ends before the last byte of the value that should be read.
    UnexpectedEnd,
    /// The file declares more items than its remaining bytes can hold.
    Count,
    /// The magic number at the start of the file or block is wrong.
    Magic,
    /// The format does not allow the value in the file.
    Value,
    /// The file format cannot store the data that should be written.
    Refused,
    /// The crate recognises the file, but does not support its format, its version or a kind of
    /// data in it.
    Unsupported,
    /// The first bytes of the file match no known format.
    Unknown,
    /// Reading the file would exceed one of the maximum values in [`Limits`](crate::parse::Limits).
    Limit,
    /// The requested index of an item is out of range: it is not less than the number of items.
    NoSuch,
    /// A companion file, a block or a value that the operation needs was not found.
    Missing,
    /// A path that is stored in a file leads outside the folders that this file may refer to.
    Outside,
    /// The user has to choose one of several names, but gave another name or no name.
    Choice,
    /// The output buffer that was passed to a function has the wrong length.
    Buffer,
    /// The file was shortened after it was opened.
    Truncated,
    /// The file was modified after it was opened.
    Changed,
    /// The mesh is not the one whose trees are used
    /// ([`SceneTrees::scene`](crate::query::SceneTrees::scene)).
    OtherMesh,
    /// The file could be changed by a process while it is mapped
    /// ([`Map::open_protected`](crate::Map::open_protected)).
    Unprotected,
    /// The allocation of memory for a result failed.
    OutOfMemory,
    /// Code outside the crate panicked while a [`Streamer`](crate::streaming::Streamer) loaded an
    /// item.
    Panicked,
}

impl ErrorKind {
    /// Returns the stable name of this kind of error, as used in the JSON output, such as
    /// `unexpected-end`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::NotRegular => "not-regular",
            Self::Empty => "empty",
            Self::UnexpectedEnd => "unexpected-end",
            Self::Count => "count",
            Self::Magic => "magic",
            Self::Value => "value",
            Self::Refused => "refused",
            Self::Unsupported => "unsupported",
            Self::Unknown => "unknown",
            Self::Limit => "limit",
            Self::NoSuch => "no-such",
            Self::Missing => "missing",
            Self::Outside => "outside",
            Self::Choice => "choice",
            Self::Buffer => "buffer",
            Self::Truncated => "truncated",
            Self::Changed => "changed",
            Self::OtherMesh => "other-mesh",
            Self::Unprotected => "unprotected",
            Self::OutOfMemory => "out-of-memory",
            Self::Panicked => "panicked",
        }
    }

    /// Returns advice for the user about this kind of error, as a clause without a full stop.
    pub(super) const fn advice(self) -> &'static str {
        match self {
            Self::Io => "check the path and its permissions",
            Self::NotRegular => "pass a regular file, or pipe the bytes in through `-`",
            Self::Empty => "fetch or export the file again",
            Self::UnexpectedEnd | Self::Count => {
                "the file is truncated or this count is damaged; fetch or export it again"
            }
            Self::Magic | Self::Value => "the file is damaged here; fetch or export it again",
            Self::Refused => "change the data to be written",
            Self::Unsupported => "use a version that can read it",
            Self::Unknown => {
                "check that this is a mesh and not a renamed or encrypted file; meshes of several files, such as `_d.3d`, are \
                 recognised by name and opened by path"
            }
            Self::Limit => {
                "the limit keeps damaged files from filling the memory; a program that trusts the file can raise it in \
                 `Limits`"
            }
            Self::NoSuch => "`meshpeek info` lists the available items",
            Self::Missing => "provide the missing part, too",
            Self::Outside => "pass the files directly if you trust them",
            Self::Choice => "name one of them",
            Self::Buffer => "pass a buffer of that length",
            Self::Truncated | Self::Changed => "read it again when no program writes to it",
            Self::OtherMesh => "the trees belong to another mesh; build trees of this mesh",
            Self::Unprotected => "copy the file with `read`, or call the unsafe `Map::open`",
            Self::OutOfMemory => "request only a part of the data",
            Self::Panicked => "report the panic to the author of the program",
        }
    }
}
