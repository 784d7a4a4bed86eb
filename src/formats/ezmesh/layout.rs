//! Constants of the files: names, and sizes of what the binary form stores.

/// The format's name, in errors.
pub(super) const FORMAT: &str = "ezmesh";

/// The word after the version of a binary file.
pub(super) const TAG: &[u8] = b"EZMESH";
/// Offset of the first field after that word.
pub(super) const FIELDS_AT: u64 = 14;

/// Bytes of a box: the smallest and the largest corner.
pub(super) const BOX_SIZE: u32 = 24;
/// Bytes of a position, a rotation and a scale.
pub(super) const TRANSFORM_SIZE: u32 = 40;
/// Bytes of a triangle: three indices.
pub(super) const TRIANGLE_SIZE: u32 = 12;
/// Bytes of the plane that a binary file ends with.
pub(super) const PLANE_SIZE: u32 = 16;
