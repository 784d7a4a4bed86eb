//! What is exported: the chosen part of a mesh file, and the options of the export.

use super::options::ExportOptions;
use crate::error::Result;
use crate::model::Space;
use crate::scene::{PlacedScene, SceneInput};

/// What is exported of a mesh file.
pub(crate) struct ExportScene<'a> {
    /// The surfaces at their places.
    pub(crate) placed: PlacedScene<'a>,
    pub(crate) options: &'a ExportOptions,
}

impl<'a> ExportScene<'a> {
    /// Finds the places of the exported assets. `target` is the conventions of the output format.
    pub(crate) fn new(input: &SceneInput<'a>, options: &'a ExportOptions, target: Space) -> Result<Self> {
        Ok(Self { placed: PlacedScene::new(input, options.scene(), target)?, options })
    }
}
