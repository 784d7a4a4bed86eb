//! The kinds of meshes that `bench` generates.

use clap::ValueEnum;

/// A kind of mesh to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SampleKind {
    /// ms13: mapped as it is
    UnigineStatic,
    /// ms13 with bone weights
    UnigineSkinned,
    /// ms14: a block to inflate for each surface
    UnigineCompressed,
    /// A classic vertex mesh of many frames
    Unreal,
    /// A skinned asset of four levels of detail
    SecondLife,
    /// .ezm
    EzmeshText,
    /// .ezb
    EzmeshBinary,
}

impl SampleKind {
    /// Returns the name that the command line and JSON have for it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::UnigineStatic => "unigine-static",
            Self::UnigineSkinned => "unigine-skinned",
            Self::UnigineCompressed => "unigine-compressed",
            Self::Unreal => "unreal",
            Self::SecondLife => "second-life",
            Self::EzmeshText => "ezmesh-text",
            Self::EzmeshBinary => "ezmesh-binary",
        }
    }

    /// Returns the memory that the copying loader needs while it loads, divided by the file's size: measured on
    /// generated meshes of 100 MB, rounded up.
    pub const fn growth(self) -> u64 {
        match self {
            Self::UnigineStatic | Self::UnigineSkinned | Self::EzmeshBinary | Self::EzmeshText => 3,
            Self::UnigineCompressed => 4,
            Self::Unreal => 5,
            Self::SecondLife => 6,
        }
    }
}
