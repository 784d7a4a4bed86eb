//! Constants of the EZ-Mesh format: its name, the tag at the start of a binary file, and the sizes
//! of the records of a binary file.

use super::validate::rules::rule_of;
use crate::error::FormatName;

/// The name of the EZ-Mesh format in error values.
pub(super) const FORMAT: &FormatName = &FormatName::new("ezmesh", rule_of);

/// The tag of a binary EZ-Mesh file: a string that identifies the format. At the start of a binary
/// file, the tag follows two fields of four bytes: the version of the format, and the length of the
/// tag.
pub(super) const TAG: &[u8] = b"EZMESH";
/// Offset of the first field after the tag of a binary file, in bytes.
pub(super) const FIELDS_AT: u64 = 14;

/// Size of a bounding box in a binary file, in bytes: three minimum and three maximum coordinates,
/// each a float of four bytes.
pub(super) const BOX_SIZE: u32 = 24;
/// Size of a transform in a binary file, in bytes: a position, a rotation and a scale, ten floats
/// in total.
pub(super) const TRANSFORM_SIZE: u32 = 40;
/// The name of the element type of a vertex, whose columns the file declares.
pub(super) const VERTEX: &str = "vertex";
/// Size of a triangle in a binary file, in bytes: three indices of four bytes.
pub(super) const TRIANGLE_SIZE: u32 = 12;
