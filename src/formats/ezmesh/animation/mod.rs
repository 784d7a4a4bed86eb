//! Bone animations: the tracks and times that a file stores, and the implementation of the
//! format-independent trait `Animations`.

mod animations;
pub(crate) mod clip;
pub(crate) mod track;
mod track_keys;

pub use clip::Animation;
pub use track::Track;
