//! One of the two meshes that are compared.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::both::Both;
use crate::program::args::Global;
use crate::program::input::{Data, InputAsset, open};
use crate::program::output::{counted, mesh_suffix, shown};
use crate::{Error, Result};

/// The number of bytes of two files that are compared before the memory of their pages is released.
const COMPARED_AT_ONCE: usize = 64 << 20;

/// One of the two meshes.
#[derive(Debug)]
pub struct DiffSide {
    pub path: PathBuf,
    /// The path that is printed. It differs from `path` for a temporary file of another program.
    pub label: PathBuf,
    pub asset: InputAsset,
}

impl DiffSide {
    pub fn open(path: &Path, label: &Path, global: &Global) -> anyhow::Result<Self> {
        let asset = open(path, global)?;
        Ok(Self { path: path.to_owned(), label: label.to_owned(), asset })
    }

    pub fn format(&self) -> &'static str {
        self.asset.model.format()
    }

    pub fn version(&self) -> &'static str {
        self.asset.model.version()
    }

    /// Returns the line about the mesh at the start of the text output, without its mark.
    pub fn heading(&self) -> String {
        let (path, mesh) = (shown(&self.label), mesh_suffix(self.asset.mesh_name().as_deref()));
        format!("{path}{mesh}: {} {}, {}", self.format(), self.version(), counted(self.asset.size(), "byte"))
    }

    /// Returns the JSON object about the mesh.
    pub fn json(&self) -> Value {
        json!({
            "path": self.label.to_string_lossy(),
            "format": self.format(),
            "version": self.version(),
            "bytes": self.asset.size(),
            "mesh": self.asset.mesh_name(),
        })
    }

    /// Adds the path of the mesh to an error of the library.
    pub fn locate<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| self.locate_error(error))
    }

    /// Returns an error of the library with the path of the mesh.
    pub fn locate_error(&self, error: Error) -> Error {
        self.asset.locate_error(error, &self.path)
    }

    /// Returns an error if a file of the mesh changed after it was opened.
    pub fn check(&self) -> Result<()> {
        self.locate(self.asset.check())
    }

    fn sources(&self) -> impl Iterator<Item = &Data> {
        let file = self.asset.model.file();
        (0..file.source_count()).filter_map(move |source| file.source(source))
    }
}

impl Both<&DiffSide> {
    /// Returns whether the two meshes have the same format.
    pub fn have_same_format(&self) -> bool {
        let Both { a, b } = self.map(DiffSide::format);
        a == b
    }

    /// Returns whether all files of the two meshes have the same bytes. A file is not read if both
    /// paths are the same file.
    pub fn are_identical(&self) -> bool {
        let Self { a, b } = self;
        let counts = self.map(|side| side.asset.model.file().source_count());
        if !self.have_same_format() || counts.a != counts.b || a.asset.mesh_name() != b.asset.mesh_name() {
            return false;
        }
        let keys = self.map(|side| side.asset.key.as_ref());
        if keys.a.is_some() && keys.a == keys.b {
            return true;
        }
        a.sources().zip(b.sources()).all(|(a, b)| is_same(a, b))
    }
}

/// Returns whether two files have the same bytes.
fn is_same(a: &Data, b: &Data) -> bool {
    let (in_a, in_b) = (a.as_ref(), b.as_ref());
    let parts = in_a.chunks(COMPARED_AT_ONCE).zip(in_b.chunks(COMPARED_AT_ONCE));
    in_a.len() == in_b.len()
        && parts.into_iter().all(|(part_a, part_b)| {
            let is_same = part_a == part_b;
            if in_a.len() > COMPARED_AT_ONCE {
                a.release_part(part_a);
                b.release_part(part_b);
            }
            is_same
        })
}
