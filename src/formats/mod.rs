//! The supported file formats, and [`Model`], which opens a file of any supported format.

mod description;
mod detect;
#[cfg(feature = "export")]
mod export;
pub mod ezmesh;
pub(crate) mod foreign;
mod model;
mod model_methods;
mod open;
#[cfg(feature = "query")]
mod open_indexed;
mod open_mapped;
#[cfg(feature = "internals")]
mod registered;
#[cfg(feature = "cli")]
mod samples;
pub mod secondlife;
#[cfg(feature = "query")]
mod sidecar_content;
pub mod unigine;
pub mod unreal;

#[cfg(feature = "internals")]
pub use description::FormatDescription;
pub use detect::{Format, finding};
#[cfg(feature = "cli")]
pub(crate) use detect::{descriptions, expect_known, foreign_error, is_mesh_name};
#[cfg(all(feature = "internals", feature = "cli"))]
pub(crate) use detect::{is_registered, register};
#[cfg(feature = "internals")]
pub use model::FormatFile;
pub use model::Model;
pub use open::open;
#[cfg(feature = "cli")]
pub(crate) use open::{open_named, unopened_properties};
#[cfg(feature = "internals")]
pub use open_mapped::MeshSources;
#[cfg(feature = "query")]
pub use open_mapped::SidecarState;
pub use open_mapped::open_mapped;
#[cfg(feature = "internals")]
pub use registered::{FileData, FileFormat, RegisteredFile};
#[cfg(feature = "cli")]
pub(crate) use {model::sample_kinds, samples::SampleKind, samples::WriteAsset};

/// Meshes of several files: their paths, and the scripts that list them.
#[cfg(feature = "cli")]
pub(crate) mod mesh_files {
    pub(crate) use crate::formats::unreal::companions::{
        Finder, MissingMesh, Pair as MeshFiles, PairOpener as FilesOpener,
    };
    pub(crate) use crate::formats::unreal::companions::{data_of, is_aniv, is_data, lower};
    pub(crate) use crate::formats::unreal::script::Script;
}
