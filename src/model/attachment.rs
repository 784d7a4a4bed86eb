//! Attachment points of a mesh.

/// A point of a mesh where another object is attached, such as a weapon in a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attachment {
    /// The position of the point, in the same units as the vertex positions from which it was
    /// computed.
    pub position: [f32; 3],
    /// The directions of the x, y and z axes of the attached object, as unit vectors, or `None` if
    /// the mesh defines no directions.
    pub axes: Option<[[f32; 3]; 3]>,
}
