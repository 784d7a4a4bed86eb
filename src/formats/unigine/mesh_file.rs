//! Implements the trait [`MeshFile`] for meshes.

use super::animation::key_values;
use super::file::Mesh;
use super::{properties, regions, validate, write};
use crate::error::Result;
use crate::model::{Counts, DescribedBlocks, MeshFile, Properties, Storage, WrittenForm};
use crate::parse::{AccessLog, Finding, Region, RegionBytes, RegionElement, Rule};
use crate::sidecar::{Sidecar, SidecarSlot};
use std::io::{self, Write};
use std::sync::Arc;

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then_some(&self.data)
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.state.file.context.access_log().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        self.reader().check()
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        regions::of_mesh(self.reader(), visit)
    }

    fn element(&self, here: &RegionBytes<'_>) -> RegionElement {
        key_values::element(here, |index| self.animation(index))
    }

    fn properties(&self, _: &DescribedBlocks, out: &mut Properties<'_>) -> io::Result<()> {
        properties::of_mesh(self, out)
    }

    fn surface_properties(&self, surface: usize, out: &mut Properties<'_>) -> Result<io::Result<()>> {
        Ok(properties::of_surface(self, surface, out))
    }

    fn remarks(&self) -> Vec<(&'static str, String)> {
        properties::blocks_in_words(self).map(|text| ("blocks", text)).into_iter().collect()
    }

    fn rules(&self) -> &'static [Rule] {
        validate::RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::mesh_structure(self.reader(), report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.prefetch();
        validate::mesh(self.reader(), report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        write::mesh(self.reader(), out, Storage::Kept)
    }

    fn written_form(&self) -> WrittenForm {
        let has_blocks = self.generation().is_compressed();
        WrittenForm { extensions: &["mesh"], has_blocks, ..WrittenForm::default() }
    }

    fn write_with(&self, storage: Storage, out: &mut dyn Write) -> Result<()> {
        self.write_stored(out, storage)
    }

    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        if sidecar.matches(self.reader().file().header_bytes()) {
            self.state.file.context.sidecar = SidecarSlot::new(sidecar);
        }
    }

    fn stores_bounds(&self) -> bool {
        true
    }

    fn has_independent_parts(&self) -> bool {
        self.generation().is_compressed()
    }

    fn check_header(&self) -> Result<bool> {
        let is_compressed = self.generation().is_compressed();
        if is_compressed { self.end().map(|_| true) } else { Ok(false) }
    }

    fn header_counts(&self, surface: usize) -> Result<Option<Counts>> {
        self.reader().header_counts(surface)
    }
}
