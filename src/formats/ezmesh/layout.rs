//! Constants of the EZ-Mesh format: its name, its tag, and the sizes of the records of a binary
//! file.

/// The name of the format in error values.
pub(super) const FORMAT: &str = "ezmesh";

/// The tag, a string that identifies a binary file. In the file, the tag follows the version and
/// the length of the tag.
pub(super) const TAG: &[u8] = b"EZMESH";
/// Offset of the first field after the tag of a binary file, in bytes.
pub(super) const FIELDS_AT: u64 = 14;

/// Size of a bounding box in a binary file, in bytes: three minimum and three maximum coordinates.
pub(super) const BOX_SIZE: u32 = 24;
/// Size of a transform in a binary file, in bytes: a position, a rotation and a scale, ten floats
/// in total.
pub(super) const TRANSFORM_SIZE: u32 = 40;
/// Size of a triangle in a binary file, in bytes: three indices of four bytes.
pub(super) const TRIANGLE_SIZE: u32 = 12;
/// Size of the plane at the end of a binary file, in bytes.
pub(super) const PLANE_SIZE: u32 = 16;
