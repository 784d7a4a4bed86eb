//! Places on a mesh for other things.

/// A place on a mesh where something else hangs: a weapon in a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// Where, in the units of the positions it was asked for in.
    pub position: [f32; 3],
    /// The directions of x, y and z there, each of unit length; `None` where the mesh gives no direction.
    pub axes: Option<[[f32; 3]; 3]>,
}
