//! The supported file formats, and [`Model`], which opens a file of any supported format.

mod description;
mod detect;
mod export;
pub mod ezmesh;
pub(crate) mod foreign;
#[cfg(feature = "cli")]
pub(crate) mod mesh_files;
mod model;
mod model_views;
mod open;
mod open_indexed;
pub mod secondlife;
mod sidecar_content;
mod sidecar_place;
pub mod unigine;
#[cfg(feature = "cli")]
mod unopened;
pub mod unreal;

#[cfg(feature = "cli")]
pub(crate) use detect::foreign_error;
pub use detect::{Format, finding};
#[cfg(any(feature = "cli", feature = "internals"))]
pub use model::FormatFile;
pub use model::Model;
pub use open::open;
#[cfg(feature = "cli")]
pub(crate) use open::open_named;
pub use open_indexed::{IndexedModel, open_indexed};
pub use sidecar_content::SidecarContent;
pub use sidecar_place::SidecarState;
#[cfg(feature = "cli")]
pub(crate) use unopened::unopened_properties;
