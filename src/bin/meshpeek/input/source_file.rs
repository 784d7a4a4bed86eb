//! One file, without the files that belong to it: that of a model, or a script.

use std::io::Write;
use std::path::Path;

use meshpeek::{Error, Finding, Region};

use super::asset::InputAsset;
use super::bytes::Data;
use crate::formats::unreal::script_file::Script;

/// One file: that of a model, or a script.
pub enum SourceFile {
    Model(Box<InputAsset>),
    Script(Box<Script<Data>>),
}

impl SourceFile {
    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Model(asset) => asset.bytes(),
            Self::Script(script) => script.as_bytes(),
        }
    }

    /// Visits every byte range of the file.
    pub fn regions(&self, visit: &mut dyn FnMut(Region)) -> meshpeek::Result<()> {
        match self {
            Self::Model(asset) => asset.model.file().regions(asset.source, visit),
            Self::Script(script) => script.regions(visit),
        }
    }

    /// Writes the file again through the format's writer.
    pub fn write_to(&self, out: &mut dyn Write) -> meshpeek::Result<()> {
        match self {
            Self::Model(asset) => asset.model.file().write_to(asset.source, out),
            Self::Script(script) => script.write_to(out),
        }
    }

    /// Reports the findings of the structure.
    pub fn findings(&self, report: &mut dyn FnMut(Finding)) -> meshpeek::Result<()> {
        match self {
            Self::Model(asset) => asset.findings(false, true, report),
            Self::Script(_) => Ok(()),
        }
    }

    /// Checks that the file is still the one that was opened.
    pub fn check(&self) -> meshpeek::Result<()> {
        match self {
            Self::Model(asset) => asset.check(),
            Self::Script(script) => script.data().check(),
        }
    }

    /// Adds to an error the file that it is about.
    pub fn locate_error(&self, error: Error, named: &Path) -> Error {
        match self {
            Self::Model(asset) => asset.locate_error(error, named),
            Self::Script(_) => error.at_path(named),
        }
    }
}
