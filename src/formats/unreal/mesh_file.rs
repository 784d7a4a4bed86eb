//! Implements the trait [`MeshFile`] for meshes.

use super::file::Mesh;
use super::layout::POLYGON;
use super::script::Script;
use super::validate::rules::RULES;
use super::validate::{validate_script, validate_structure, validate_vertices};
use super::{properties, region_values, regions, write};
use crate::error::Result;
use crate::model::{DescribedBlocks, MeshFile, Properties, WrittenForm};
use crate::parse::{AccessLog, Finding, Region, RegionBytes, RegionElement, Rule};
use std::io::{self, Write};

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn source(&self, source: usize) -> Option<&D> {
        match source {
            0 => Some(self.data()),
            1 => Some(self.aniv()),
            2 => self.whole_script().map(Script::data),
            _ => None,
        }
    }

    fn source_count(&self) -> usize {
        if self.whole_script().is_some() { 3 } else { 2 }
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.access_logs.as_deref()?.get(source)
    }

    fn check(&self) -> Result<()> {
        self.groups()?;
        self.aniv_header().map(drop)
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        match (source, self.whole_script()) {
            (0, _) => regions::data_regions(self, visit),
            (1, _) => regions::aniv_regions(self, visit),
            (2, Some(script)) => script.regions(visit),
            _ => self.expect_source(source),
        }
    }

    fn element(&self, here: &RegionBytes<'_>) -> RegionElement {
        let is_polygon = here.region.element == POLYGON;
        let polygon = is_polygon.then(|| here.item(|bytes, _| region_values::polygon(bytes, self.uv_divisor())));
        polygon.flatten().unwrap_or_else(|| here.element())
    }

    fn properties(&self, _: &DescribedBlocks, out: &mut Properties<'_>) -> io::Result<()> {
        properties::of_mesh(self, out)
    }

    fn surface_properties(&self, surface: usize, out: &mut Properties<'_>) -> Result<io::Result<()>> {
        properties::of_surface(self, surface, out)
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate_structure(self, report)?;
        validate_script(self, report);
        Ok(())
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.prefetch();
        validate_structure(self, report)?;
        validate_vertices(self, report)?;
        validate_script(self, report);
        Ok(())
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        match (source, self.whole_script()) {
            (0, _) => write::write_data(self, out),
            (1, _) => write::write_aniv(self, out),
            (2, Some(script)) => script.write_to(out),
            _ => self.expect_source(source),
        }
    }

    fn frame_vertices(&self) -> Option<usize> {
        Some(self.vertex_count())
    }

    fn style_in_words(&self, surface: usize) -> Result<String> {
        properties::drawing_style(self, surface)
    }

    fn written_form(&self) -> WrittenForm {
        WrittenForm { extensions: &["3d"], endings: &["_d.3d", "_a.3d", ".uc"], ..WrittenForm::default() }
    }
}
