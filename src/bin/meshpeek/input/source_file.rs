//! One file without the other files of its mesh: a file of a model, or an Unreal script.

use std::io::Write;
use std::path::Path;

use meshpeek::{Error, Finding, Region};

use super::asset::InputAsset;
use super::bytes::Data;
use crate::formats::unreal::script_file::Script;

/// One open file, which is a file of a model or an Unreal script.
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

    /// Passes every region of the file to `visit`.
    pub fn regions(&self, visit: &mut dyn FnMut(Region)) -> meshpeek::Result<()> {
        match self {
            Self::Model(asset) => asset.model.file().regions(asset.source, visit),
            Self::Script(script) => script.regions(visit),
        }
    }

    /// Writes the file again with the writer of its format.
    pub fn write_to(&self, out: &mut dyn Write) -> meshpeek::Result<()> {
        match self {
            Self::Model(asset) => asset.model.file().write_to(asset.source, out),
            Self::Script(script) => script.write_to(out),
        }
    }

    /// Passes the findings about the structure of the file to `report`. A script has no such
    /// findings.
    pub fn findings(&self, report: &mut dyn FnMut(Finding)) -> meshpeek::Result<()> {
        match self {
            Self::Model(asset) => asset.findings(false, true, report),
            Self::Script(_) => Ok(()),
        }
    }

    /// Returns an error if the file changed after it was opened.
    pub fn check(&self) -> meshpeek::Result<()> {
        match self {
            Self::Model(asset) => asset.check(),
            Self::Script(script) => script.data().check(),
        }
    }

    /// Adds the path of the file that caused an error to the error.
    pub fn locate_error(&self, error: Error, named: &Path) -> Error {
        match self {
            Self::Model(asset) => asset.locate_error(error, named),
            Self::Script(_) => error.at_path(named),
        }
    }
}
