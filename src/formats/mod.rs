//! The formats, and opening a file of any of them.

mod detect;
pub mod ezmesh;
mod model;
pub mod secondlife;
pub mod unigine;
pub mod unreal;
mod unsupported;

pub use detect::{Format, finding};
pub use model::Model;
