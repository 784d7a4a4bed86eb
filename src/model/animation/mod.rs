//! The format-independent view of animation: clips, the frames around a moment of a clip, and the
//! vertices at this moment.
//!
//! A file with bones implements [`Animations`]. To compute vertices from bones, a program uses the
//! following types, and each call on them has a separate cost. A [`Pose`] holds the transform of
//! every bone relative to its parent, at an animation frame or between two frames. A [`Skeleton`]
//! resolves the parents of the bones, and makes an [`Affine`] map from the space of each bone to
//! the space of the model. Its method [`palette`](Skeleton::palette) computes the matrix of each
//! bone that moves vertices from the bind pose. A [`SkinnedSurface`] applies these matrices to the
//! positions of a surface. A [`Retarget`] plays the clips of one file on the bones of another file.

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
