//! Meshes of several files: their paths, and the scripts that list them.

pub(crate) use super::unreal::companions::{Finder, MissingMesh, Pair as MeshFiles, PairOpener as FilesOpener};
pub(crate) use super::unreal::half_names::{data_of, is_aniv, is_data, lower};
pub(crate) use super::unreal::script::Script;
