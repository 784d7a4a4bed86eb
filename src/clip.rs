//! The neutral view of animation: what a file says of its clips.

use crate::name::Name;

/// An animation of a mesh file: how long it is, and how much it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Frames.
    pub frames: u32,
    /// Bones that it moves.
    pub bones: u32,
    /// Frames per second, where the file says so.
    pub rate: Option<f32>,
}
