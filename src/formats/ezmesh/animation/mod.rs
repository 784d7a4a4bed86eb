//! Animations: what the file has of each, and the poses of the neutral view.

mod animations;
pub(crate) mod clip;
pub(crate) mod track;

pub use clip::{Animation, Timing};
pub use track::{Keys, Track};
