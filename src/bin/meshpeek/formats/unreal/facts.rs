//! Implements [`FormatFacts`] for Unreal vertex meshes, with vertex frames, clips, attachment
//! points and scripts.

use std::io::{self, Write};

use meshpeek::unreal::companions::Pair;
use meshpeek::unreal::{Mesh, builder};
use meshpeek::{Finding, MeshFile as _};
use serde_json::Value;

use super::{properties, values};
use crate::formats::facts::{DumpRequest, FormatFacts, PairEndings};
use crate::formats::sample::SampleKind;
use crate::formats::summary::DescribedBlocks;
use crate::render::json_writer::JsonWriter;
use crate::render::values::Values;

impl<D: AsRef<[u8]> + Send + Sync> FormatFacts for Mesh<D> {
    fn sample(&self) -> SampleKind {
        SampleKind::Unreal
    }

    fn write_properties(
        &self,
        pair: Option<&Pair>,
        _blocks: &DescribedBlocks<'_>,
        out: &mut JsonWriter<'_>,
    ) -> io::Result<()> {
        properties::write_properties(self, pair, out)
    }

    fn surface_properties(&self, surface: usize) -> meshpeek::Result<Value> {
        properties::surface_properties(self, surface)
    }

    fn drawing_style(&self, surface: usize) -> meshpeek::Result<String> {
        properties::drawing_style(self, surface)
    }

    fn vertex_frames(&self) -> Option<(usize, usize)> {
        Some((self.frame_count(), self.vertex_count()))
    }

    fn values(&self, request: &DumpRequest<'_>) -> anyhow::Result<Option<Box<dyn Values + '_>>> {
        values::values(self, request)
    }

    fn write_uv_listing(&self, out: &mut dyn Write) -> Option<meshpeek::Result<()>> {
        Some(self.write_uv_listing(out))
    }

    fn mesh_findings(&self, values: bool, report: &mut dyn FnMut(Finding)) -> Option<meshpeek::Result<()>> {
        let mut of_pair = |finding: Finding| {
            if finding.source < 2 {
                report(finding);
            }
        };
        Some(if values { self.validate(&mut of_pair) } else { self.validate_structure(&mut of_pair) })
    }

    fn pair_endings(&self) -> Option<PairEndings> {
        Some(PairEndings { data: "_d.3d", aniv: "_a.3d", script: ".uc" })
    }

    fn script_named(&self, stem: &str) -> meshpeek::Result<Vec<u8>> {
        match self.script() {
            Some(script) => builder::script::rename(&script, stem),
            None => builder::script::build(self, stem)?.to_bytes(),
        }
    }
}
