//! Meshes of any size that `bench` generates, with the writers of the crate.
//!
//! For a large generated file, one mesh element or surface is built in memory, and its bytes are
//! written repeatedly. The generated file has the same bytes as if all its meshes or surfaces had
//! been built in memory.

pub(in crate::formats) mod height_field;

use std::io::{self, Write};

use crate::error::Result;

/// Creates a file of a generated mesh, whose name ends with the given text.
pub(crate) type CreateFile<'c> = &'c mut dyn FnMut(&str) -> io::Result<Box<dyn Write>>;

/// Writes a small asset of about the given number of bytes.
pub(crate) type WriteAsset = fn(u64, &mut dyn Write) -> Result<()>;

/// A type of mesh that `bench` can generate. Each format describes its own types.
#[derive(Debug)]
pub(crate) struct SampleKind {
    /// The name of the type on the command line and in JSON, such as `unreal`.
    pub(crate) id: &'static str,
    pub(crate) help: &'static str,
    /// The memory that a copying loader needs while it loads a mesh of this type, as a multiple of
    /// the file size. The memory was measured with generated meshes of 100 MB, and its quotient by
    /// the file size was rounded up to an integer.
    pub(crate) growth: u64,
    /// The approximate maximum size of a generated mesh in bytes, and the reason for this maximum.
    /// `None` if generated meshes may have any size.
    pub(crate) max_size: Option<(u64, &'static str)>,
    /// Writes a mesh of about the given number of bytes. The first file that is created is the one
    /// by which the mesh is opened.
    pub(crate) write: fn(u64, CreateFile<'_>) -> Result<()>,
    /// For a format of small assets with levels of detail: the extension of an asset, and a
    /// function that writes one.
    pub(crate) asset: Option<(&'static str, WriteAsset)>,
}
