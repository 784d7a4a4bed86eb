//! The types of meshes that `bench` generates.

use crate::Model;
use crate::formats::FormatFile;
use clap::ValueEnum;

use crate::program::args::value_name;

/// A type of mesh that `bench` can generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SampleKind {
    /// ms13, which is read directly from the memory map
    UnigineStatic,
    /// ms13 with bone weights
    UnigineSkinned,
    /// ms14, in which each surface is a block to inflate
    UnigineCompressed,
    /// Classic Unreal vertex mesh with many frames
    Unreal,
    /// Skinned asset with four levels of detail
    SecondLife,
    /// EZ-Mesh text (.ezm)
    EzmeshText,
    /// EZ-Mesh binary (.ezb)
    EzmeshBinary,
}

impl SampleKind {
    /// Returns the type of mesh that is most similar to an open model.
    pub fn of<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>) -> Self {
        match model.format_file() {
            FormatFile::Unigine(mesh) if mesh.generation().is_compressed() => Self::UnigineCompressed,
            FormatFile::Unigine(mesh) if mesh.bone_count() > 0 => Self::UnigineSkinned,
            FormatFile::Unreal(_) => Self::Unreal,
            FormatFile::SecondLife(_) => Self::SecondLife,
            FormatFile::EzMesh(mesh) if mesh.dialect().is_some() => Self::EzmeshText,
            FormatFile::EzMesh(_) => Self::EzmeshBinary,
            _ => Self::UnigineStatic,
        }
    }

    /// Returns the name of the mesh type on the command line and in JSON, such as `unreal`.
    pub fn id(self) -> String {
        value_name(&self)
    }

    /// Returns the memory that the copying loader needs while it loads a mesh of this type, as a
    /// multiple of the file size. The memory was measured with generated meshes of 100 MB, and its
    /// quotient by the file size was rounded up to an integer.
    pub const fn growth(self) -> u64 {
        match self {
            Self::UnigineStatic | Self::UnigineSkinned | Self::EzmeshBinary | Self::EzmeshText => 3,
            Self::UnigineCompressed => 4,
            Self::Unreal => 5,
            Self::SecondLife => 6,
        }
    }
}
