//! The neutral view of animation: what a file says of its clips, which moment of one lies between which frames, and where
//! that puts the vertices.
//!
//! A file with bones implements [`Animations`]. From there to vertices it is four steps, each a call with a cost of its own:
//! a [`Pose`] holds every bone relative to its parent, at a frame or between two; a [`Skeleton`] resolves the parents and
//! makes an [`Affine`] map of each bone into the model; its [`palette`](Skeleton::palette) is what bones do to vertices at
//! their bind; and [`SkinnedSurface`] moves a surface's positions by one. A [`Retarget`] plays the clip of one file on the bones
//! of another.

mod affine;
mod animations;
mod clip;
mod interpolate;
mod pose;
mod retarget;
#[cfg(test)]
mod rig;
mod skeleton;
mod skinning;

pub use affine::{Affine, SkinMatrix};
pub use animations::{Animations, Event};
pub use clip::{Clip, FrameBlend};
pub use pose::Pose;
pub use retarget::Retarget;
pub use skeleton::Skeleton;
pub use skinning::SkinnedSurface;
