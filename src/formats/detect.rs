//! Which format a file has.

use crate::error::{Error, ErrorKind, Result};
use crate::formats::{ezmesh, secondlife, unigine, unreal, unsupported};
use crate::parse::Finding;

/// A format that this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// UNIGINE 2.x `.mesh` and `.anim`.
    Unigine,
    /// Unreal 1 vertex mesh: `_d.3d`, `_a.3d` and a script. Nothing in the files tells them from others: their names do
    /// ([`unreal::companions`](mod@crate::formats::unreal::companions)).
    Unreal,
    /// Second Life mesh asset, by itself, in a viewer's disk cache, or in an `.slm` container.
    SecondLife,
    /// EZ-Mesh: `.ezm` text or its binary sibling, `.ezb`.
    EzMesh,
}

impl Format {
    /// Tells the format by a file's first bytes; the name of a file says nothing, except of Unreal's files, whose first
    /// bytes are numbers like any other.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Empty`](crate::error::ErrorKind::Empty), [`ErrorKind::Unsupported`](crate::error::ErrorKind::Unsupported) for formats that
    /// are known and not read, [`ErrorKind::Unknown`](crate::error::ErrorKind::Unknown) for the rest.
    pub fn detect(bytes: &[u8]) -> Result<Self> {
        if secondlife::is_known(bytes) {
            return Ok(Self::SecondLife);
        }
        if ezmesh::detect::is_known(bytes) {
            return Ok(Self::EzMesh);
        }
        match unigine::detect::file_kind(bytes) {
            Ok(_) => Ok(Self::Unigine),
            Err(error) if matches!(error.kind(), ErrorKind::Unknown { .. }) => match ezmesh::detect::refusal(bytes) {
                Some(refusal) => Err(refusal),
                // Text whose root does not show yet, or cannot be read: the format says why.
                None if ezmesh::detect::is_text(bytes) => Ok(Self::EzMesh),
                None => Err(unsupported::unknown("file", bytes)),
            },
            Err(error) => Err(error),
        }
    }

    /// Tells whether the first bytes are those of a mesh or animation that is known, even if it is not read.
    #[must_use]
    pub fn recognises(bytes: &[u8]) -> bool {
        unigine::detect::is_known(bytes) || secondlife::is_known(bytes) || ezmesh::detect::is_known(bytes)
    }
}

/// Returns the finding that tells of a fault in a file's bytes: what keeps a file from being opened is a breach of its
/// format's rules, too. `None` for what is no fault of the bytes.
#[must_use]
pub fn finding(fault: &Error) -> Option<Finding> {
    let of_format = [unigine::finding, unreal::finding, secondlife::finding, ezmesh::finding];
    of_format.iter().find_map(|finding| finding(fault))
}
