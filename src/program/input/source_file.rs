//! Opens one file of a mesh, or an Unreal script, without the other files of the mesh.

use std::io::Write;
use std::path::Path;

use crate::formats::mesh_files::Script;
use crate::math::as_u64;
use crate::model::WrittenForm;
use crate::{Error, Model, Region};

use super::asset::{InputAsset, locate};
use super::bytes::Data;

/// One open file, which is either a file of a mesh or an Unreal script.
pub enum SourceFile {
    Model(Box<InputAsset>),
    Script(Box<Script<Data>>),
}

/// A file whose named byte ranges are listed: a file of an open mesh, or an Unreal script.
#[derive(Clone, Copy)]
pub enum RegionFile<'f> {
    /// A mesh, and the index of one of its files.
    Mesh(&'f InputAsset, usize),
    Script(&'f Script<Data>),
}

impl<'f> RegionFile<'f> {
    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        as_u64(self.bytes().len())
    }

    fn bytes(self) -> &'f [u8] {
        match self {
            Self::Mesh(asset, source) => asset.source_bytes(source),
            Self::Script(script) => script.as_bytes(),
        }
    }

    /// Calls `visit` once for each named byte range (region) of the file.
    pub fn regions(&self, visit: &mut dyn FnMut(Region)) -> crate::Result<()> {
        match self {
            Self::Mesh(asset, source) => asset.model.file().regions(*source, visit),
            Self::Script(script) => script.regions(visit),
        }
    }
}

impl SourceFile {
    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        self.region_file().bytes()
    }

    /// Returns the open model, or `None` if the file is an Unreal script.
    pub fn model(&self) -> Option<&Model<Data>> {
        match self {
            Self::Model(asset) => Some(&asset.model),
            Self::Script(_) => None,
        }
    }

    /// Returns the file, whose byte ranges can then be listed.
    pub fn region_file(&self) -> RegionFile<'_> {
        match self {
            Self::Model(asset) => RegionFile::Mesh(asset, asset.source),
            Self::Script(script) => RegionFile::Script(script),
        }
    }

    /// Calls `visit` once for each named byte range (region) of the file.
    pub fn regions(&self, visit: &mut dyn FnMut(Region)) -> crate::Result<()> {
        self.region_file().regions(visit)
    }

    /// Writes the file again with the writer of its format.
    pub fn write_to(&self, out: &mut dyn Write) -> crate::Result<()> {
        match self {
            Self::Model(asset) => asset.model.file().write_to(asset.source, out),
            Self::Script(script) => script.write_to(out),
        }
    }

    /// Returns the form in which the file is written again.
    pub fn written_form(&self) -> WrittenForm {
        match self {
            Self::Model(asset) => asset.model.file().written_form(),
            Self::Script(_) => WrittenForm::new(&["uc"]),
        }
    }

    /// Returns an error if the file changed after it was opened.
    pub fn check(&self) -> crate::Result<()> {
        match self {
            Self::Model(asset) => asset.check(),
            Self::Script(script) => script.data().check(),
        }
    }

    /// Returns `error` with the path of the file that caused the error. If the file has changed,
    /// the error about this change is returned.
    pub fn locate_error(&self, error: Error, named: &Path) -> Error {
        match self {
            Self::Model(asset) => asset.locate_error(error, named),
            Self::Script(_) => self.check().err().unwrap_or(error).at_path(named),
        }
    }

    /// Adds a path to an error like [`InputAsset::locate_any_error`].
    pub fn locate_any_error(&self, error: anyhow::Error, named: &Path) -> anyhow::Error {
        locate(error, |error| self.locate_error(error, named), || self.check().err())
    }
}
