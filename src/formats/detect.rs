//! Detects the format of a mesh file or animation file from its first bytes.

use crate::error::{Error, ErrorKind, Result};
use crate::formats::{ezmesh, secondlife, unigine, unreal, unsupported};
use crate::parse::Finding;

/// A file format that this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// UNIGINE 2.x `.mesh` and `.anim`.
    Unigine,
    /// Unreal Engine 1 vertex mesh: a `_d.3d` file, an `_a.3d` file and, optionally, a script.
    /// These files have no magic number, so this crate recognises them by their file names: see
    /// [`unreal::companions`](mod@crate::formats::unreal::companions).
    Unreal,
    /// Second Life mesh asset: as a single file, in the disk cache of a viewer, or in an `.slm`
    /// container.
    SecondLife,
    /// EZ-Mesh: `.ezm` text, or its binary form, `.ezb`.
    EzMesh,
}

impl Format {
    /// Detects the format from the first bytes of a file.
    ///
    /// The function does not use the name of the file. The function never detects an Unreal vertex
    /// mesh: the first bytes of such a mesh are plain numbers, and only the file names identify the
    /// format.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Empty`](crate::error::ErrorKind::Empty) if `bytes` is empty,
    /// [`ErrorKind::Unsupported`](crate::error::ErrorKind::Unsupported) if the format is known but
    /// this crate does not read it, and [`ErrorKind::Unknown`](crate::error::ErrorKind::Unknown)
    /// for all other bytes that match no format of this crate.
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
                // The root element of the XML text is not in these bytes, or it cannot be parsed.
                // Opening the file then reports the reason.
                None if ezmesh::detect::is_text(bytes) => Ok(Self::EzMesh),
                None => Err(unsupported::unknown("file", bytes)),
            },
            Err(error) => Err(error),
        }
    }

    /// Returns whether the first bytes of a file match a known mesh or animation format.
    ///
    /// Known formats that this crate does not read are included.
    #[must_use]
    pub fn recognises(bytes: &[u8]) -> bool {
        unigine::detect::is_known(bytes) || secondlife::is_known(bytes) || ezmesh::detect::is_known(bytes)
    }
}

/// Converts an error in the bytes of a file to a validation finding.
///
/// An error that prevents a file from being opened is also a breach of the rules of its format.
/// Returns `None` if the bytes of the file are not the cause of the error.
#[must_use]
pub fn finding(fault: &Error) -> Option<Finding> {
    let of_format = [unigine::finding, unreal::finding, secondlife::finding, ezmesh::finding];
    of_format.iter().find_map(|finding| finding(fault))
}
