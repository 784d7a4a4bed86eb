//! Animation for all file formats: clips, poses, skinning, and playing clips on other bones.
//!
//! A file with bones implements [`Animations`]. To compute vertex positions from bones, use the
//! following types. Each step of the computation of vertex positions from bones is a separate
//! method call. A [`Pose`] holds the transform of every bone relative to its parent, at an
//! animation frame or between two frames. A [`Skeleton`] resolves the parents of the bones, and
//! makes an [`Affine`] map from the space of each bone to the space of the model. The method
//! [`Skeleton::palette`] computes the skin matrix of each bone, which moves vertices from the bind
//! pose to the current pose. A [`SkinnedSurface`] applies the skin matrices to the positions of a
//! surface. A [`Retarget`] plays the clips of one file on the bones of another file.
//! [`Animations::keys`] returns the keys of a clip as the file stores them, for exporters.

pub(crate) mod affine;
mod animations;
mod clip;
mod keys;
mod pose;
mod retarget;
#[cfg(test)]
mod rig;
mod skeleton;
mod skinned_normals;
mod skinning;
mod stored_binds;

pub use affine::{Affine, SkinMatrix};
pub(crate) use animations::find_in_order;
pub use animations::{Animations, Event};
pub use clip::{Clip, FrameBlend};
pub(crate) use keys::{BoneKey, POSITION, ROTATION, SCALE, channels_of_bits};
pub use keys::{Channel, ClipKey, ClipKeys, KeyValue, Property};
pub use pose::Pose;
pub use retarget::Retarget;
pub(crate) use retarget::bones_by_name;
pub use skeleton::Skeleton;
pub use skinned_normals::{SkinnedNormals, SkinnedTangentFrames};
pub(crate) use skinning::BonePalette;
pub use skinning::SkinnedSurface;
