//! Animations: the stored tracks and times, and poses for the format-independent trait
//! `Animations`.

mod animations;
pub(crate) mod clip;
pub(crate) mod track;

pub use clip::{Animation, Timing};
pub use track::{Keys, Track};
