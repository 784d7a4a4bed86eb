//! Lowering to the neutral view.

use super::check::RULES;
use super::mesh::Mesh;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::animation::{Animations, Clip};
use crate::model::{
    Bone, Colors, Counts, FormatVersion, Frames, Geometry, Indices, MeshFile, Positions, SpatialTree, Transform, Uvs,
    Weights,
};
use crate::parse::{AccessLog, Finding, Name, OpenOptions, Region, Rule};
use crate::sidecar::{Builder, Sidecar};
use std::io::Write;
use std::sync::Arc;

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Mesh<D> {
    fn format(&self) -> &'static str {
        "unigine"
    }

    fn version(&self) -> &'static str {
        self.generation().magic()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Animations for Mesh<D> {
    fn bone_count(&self) -> usize {
        Self::bone_count(self)
    }

    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        Self::bone(self, bone)
    }

    fn clip_count(&self) -> usize {
        self.animation_count()
    }

    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        self.animation(clip).map(|view| view.clip())
    }

    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        self.animation(clip)?.pose_at(frame, out)
    }

    fn moves(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        self.animation(clip)?.moves(out)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Mesh<D> {
    fn bounds(&self) -> Bounds {
        Self::bounds(self).map_or(Bounds::EMPTY, |(bounds, _)| bounds)
    }

    fn sphere(&self) -> Option<Sphere> {
        Self::bounds(self).ok().map(|(_, sphere)| sphere)
    }

    fn surface_count(&self) -> usize {
        Self::surface_count(self)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        self.head(surface).map(|head| head.name)
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        self.head(surface).map(|head| head.bounds.bounds())
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        self.head(surface).map(|head| Some(head.bounds.sphere()))
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        match self.seen_counts(surface) {
            Some(counts) => Ok(counts),
            None => self.surface(surface)?.counts(),
        }
    }

    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
        self.surface(surface)?.target(target)?.positions().map(Positions::F32)
    }

    fn frames(&self, surface: usize, target: usize) -> Result<Option<Frames<'_>>> {
        self.surface(surface)?.target(target)?.frames().map(Some)
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        Ok(self.surface(surface)?.uvs(set)?.map(Uvs::F32))
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        Ok(self.surface(surface)?.colors()?.map(Colors::Unorm8))
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        self.surface(surface)?.weights()
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        self.surface(surface)?.indices()
    }

    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        self.surface(surface)?.attribute_indices().map(Some)
    }

    fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
        Ok(self.tree(surface)?.map(|tree| -> Box<dyn SpatialTree + '_> { Box::new(tree) }))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error {
        let field = Field::new(name).in_list("surface", as_u64(surface));
        match self.surface(surface) {
            Ok(view) => view.fault(name, into, kind),
            Err(_) => Error::without_offset(self.generation().format(), field, kind),
        }
    }
}

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn options(&self) -> &OpenOptions {
        self.file.options()
    }

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then(|| self.data())
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.file.access_log().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        Self::regions(self, visit)
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.survey(report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        Self::validate(self, report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        Self::write_to(self, out)
    }

    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        if sidecar.is_of(self.header_bytes()) {
            self.file.set_sidecar(sidecar);
        }
    }

    fn index(&self, builder: &mut Builder) -> Result<()> {
        Self::index(self, builder)
    }

    fn geometry(&self) -> Option<&dyn Geometry> {
        Some(self)
    }

    fn animations(&self) -> Option<&dyn Animations> {
        Some(self)
    }
}
