//! What is exported: the chosen part of a mesh file, and the options of the export.

use super::loss::LossList;
use super::options::ExportOptions;
use super::{VertexParts, WrittenPart};
use crate::error::Result;
use crate::model::Space;
use crate::scene::normals::{ComputedNormals, CornerGroups, NormalSource};
use crate::scene::{PlacedScene, PlacedSurface, SceneInput};

/// What is exported of a mesh file.
pub(crate) struct ExportScene<'a> {
    /// The surfaces at their places.
    pub(crate) placed: PlacedScene<'a>,
    pub(crate) options: &'a ExportOptions,
    /// The normals of surfaces without stored ones, if [`with_normals`](Self::with_normals) has
    /// found them.
    pub(crate) normals: ComputedNormals,
}

impl<'a> ExportScene<'a> {
    /// Finds the places of the exported assets. `target` is the conventions of the output format.
    pub(crate) fn new(input: &SceneInput<'a>, options: &'a ExportOptions, target: Space) -> Result<Self> {
        let placed = PlacedScene::new(input, options.scene(), target)?;
        Ok(Self { placed, options, normals: ComputedNormals::new(options.normals) })
    }

    /// Reads the triangles of the surfaces whose normals are computed.
    pub(crate) fn with_normals(mut self) -> Result<Self> {
        let Some(place) = self.placed.places.first() else { return Ok(self) };
        let asset = self.placed.contents.asset(place.asset)?;
        if let Some(level) = self.placed.levels(&*asset)?.first()
            && self.normals.are_packed(&*asset.level(*level)?)?
        {
            return Ok(self);
        }
        let normals = &mut self.normals;
        self.placed.each_surface(&mut |surface| {
            normals.add(&surface.normal_input())?;
            surface.input.release();
            Ok(())
        })?;
        Ok(self)
    }

    /// Returns whether a surface is exported with normals, stored or computed.
    pub(crate) fn has_normals(&self, surface: &PlacedSurface<'_>) -> Result<bool> {
        Ok(match self.normals.source(&surface.normal_input())? {
            NormalSource::Stored(_) => true,
            NormalSource::Computed(_) => self.normals.has(&surface.normal_input())?,
            NormalSource::None => false,
        })
    }

    /// Returns whether a surface is exported with the normals of the file.
    pub(crate) fn stores_normals(&self, surface: &PlacedSurface<'_>) -> Result<bool> {
        Ok(matches!(self.normals.source(&surface.normal_input())?, NormalSource::Stored(_)))
    }

    /// Computes the normal of each corner of a surface, or returns `None` if they are stored or
    /// missing.
    pub(crate) fn corner_normals(&self, surface: &PlacedSurface<'_>) -> Result<Option<CornerGroups>> {
        self.normals.corners(&surface.normal_input())
    }

    /// Calls `visit` with the vertices of each part of a surface. Triangles that are left out are
    /// added to `losses`.
    pub(crate) fn each_part(
        &self,
        surface: &PlacedSurface<'_>,
        losses: &mut LossList,
        visit: &mut dyn FnMut(&WrittenPart, &mut LossList) -> Result<()>,
    ) -> Result<()> {
        let (view, shape, normals) = (&surface.surface, surface.shape, self.corner_normals(surface)?);
        let parts = VertexParts::new(view, shape, &surface.input)?.for_normals(view, normals.is_some())?;
        parts.ranges().try_for_each(|triangles| {
            visit(&parts.order(view, (shape, normals.as_ref()), triangles, losses, surface.surface.index())?, losses)
        })
    }
}
