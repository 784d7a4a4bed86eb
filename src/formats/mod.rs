//! The supported file formats, and [`Model`], which opens a file of any supported format.

mod detect;
pub mod ezmesh;
mod model;
mod model_views;
mod open;
pub mod secondlife;
pub mod unigine;
pub mod unreal;
mod unsupported;

pub use detect::{Format, finding};
pub use model::Model;
pub use open::open;
