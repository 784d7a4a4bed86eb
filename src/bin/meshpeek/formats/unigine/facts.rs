//! Implements [`FormatFacts`] for UNIGINE meshes and UNIGINE animations.

use std::io::{self, Write};

use meshpeek::Finding;
use meshpeek::Surface;
use meshpeek::model::Counts;
use meshpeek::unigine::{Animation, Mesh};
use meshpeek::unreal::companions::Pair;
use serde_json::Value;

use super::block_args::BlockStorage;
use super::{properties, values};
use crate::formats::facts::{DumpRequest, FormatFacts};
use crate::formats::sample::SampleKind;
use crate::formats::summary::DescribedBlocks;
use crate::render::json_writer::JsonWriter;
use crate::render::values::Values;

/// The ids of the rules about data whose encoding the UNIGINE writer changes when it writes a file
/// again.
const RESPELLED_RULES: [&str; 2] = ["UG14", "UG20"];
/// The ids of the rules about data that the UNIGINE writer leaves out when it writes a file again.
const DROPPED_RULES: [&str; 1] = ["UG24"];

impl<D: AsRef<[u8]> + Send + Sync> FormatFacts for Mesh<D> {
    fn sample(&self) -> SampleKind {
        if self.generation().is_compressed() {
            SampleKind::UnigineCompressed
        } else if self.bone_count() > 0 {
            SampleKind::UnigineSkinned
        } else {
            SampleKind::UnigineStatic
        }
    }

    fn write_properties(
        &self,
        _pair: Option<&Pair>,
        _blocks: &DescribedBlocks<'_>,
        out: &mut JsonWriter<'_>,
    ) -> io::Result<()> {
        properties::write_properties(self, out)
    }

    fn surface_properties(&self, surface: usize) -> meshpeek::Result<Value> {
        Ok(properties::surface_properties(self, surface))
    }

    fn remarks(&self) -> Vec<(&'static str, String)> {
        properties::blocks_in_words(self).map(|blocks| ("blocks", blocks)).into_iter().collect()
    }

    fn independent_parts(&self) -> &'static [&'static str] {
        &["unigine ms14", "unigine ms15"]
    }

    fn check_header(&self) -> Option<meshpeek::Result<()>> {
        self.generation().is_compressed().then(|| self.end().map(|_| ()))
    }

    fn header_counts(&self, surface: &Surface<'_>) -> Option<meshpeek::Result<Counts>> {
        let counts = || self.header_counts(surface.index()).map(Option::unwrap_or_default);
        self.generation().is_compressed().then(counts)
    }

    fn values(&self, request: &DumpRequest<'_>) -> anyhow::Result<Option<Box<dyn Values + '_>>> {
        Ok(values::values(self, request.surface, request.attribute)?)
    }

    fn has_bone_animations(&self) -> bool {
        true
    }

    fn respelled_rules(&self) -> &'static [&'static str] {
        &RESPELLED_RULES
    }

    fn is_dropped(&self, finding: &Finding) -> bool {
        DROPPED_RULES.contains(&finding.rule)
    }

    fn write_blocks(&self, storage: BlockStorage, out: &mut dyn Write) -> Option<meshpeek::Result<()>> {
        self.generation().is_compressed().then(|| self.write_stored(out, storage.storage()))
    }
}

impl<D: AsRef<[u8]> + Send + Sync> FormatFacts for Animation<D> {
    fn sample(&self) -> SampleKind {
        SampleKind::UnigineStatic
    }

    fn write_properties(
        &self,
        _pair: Option<&Pair>,
        _blocks: &DescribedBlocks<'_>,
        out: &mut JsonWriter<'_>,
    ) -> io::Result<()> {
        properties::write_animation_properties(self, out)
    }

    fn remarks(&self) -> Vec<(&'static str, String)> {
        let skeleton = self.skeleton().ok().flatten();
        let shown = skeleton.map(|[guid, path]| ("skeleton", format!("{path}, GUID {guid}")));
        shown.into_iter().collect()
    }

    fn is_animation(&self) -> bool {
        true
    }

    fn has_bone_animations(&self) -> bool {
        true
    }

    fn respelled_rules(&self) -> &'static [&'static str] {
        &RESPELLED_RULES
    }

    fn is_dropped(&self, finding: &Finding) -> bool {
        DROPPED_RULES.contains(&finding.rule)
    }
}
