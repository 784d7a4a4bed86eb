//! Implements [`FormatFacts`] for EZ-Mesh files.

use std::io;

use meshpeek::ezmesh::Mesh;
use meshpeek::model::Transform;
use meshpeek::unreal::companions::Pair;
use meshpeek::{Animations as _, Bounds, Finding};
use serde_json::Value;

use super::{properties, values};
use crate::formats::facts::{DumpRequest, FormatFacts, ListLimits};
use crate::formats::sample::SampleKind;
use crate::formats::summary::DescribedBlocks;
use crate::render::json_writer::JsonWriter;
use crate::render::values::Values;

/// The maximum number of bytes of a surface name that `info` prints. Without a maximum name length,
/// a small file in which many surfaces share one long name would produce a very long output.
const MAX_NAME_BYTES: usize = 4096;
/// The ids of the rules about data whose encoding the EZ-Mesh writer changes when it writes a file
/// again.
const RESPELLED_RULES: [&str; 7] = ["EZ11", "EZ13", "EZ20", "EZ31", "EZ34", "EZ37", "EZ44"];
/// The ids of the rules about data that the EZ-Mesh writer leaves out when it writes a file again.
const DROPPED_RULES: [&str; 9] = ["EZ08", "EZ14", "EZ28", "EZ29", "EZ30", "EZ36", "EZ38", "EZ40", "EZ43"];

impl<D: AsRef<[u8]> + Send + Sync> FormatFacts for Mesh<D> {
    fn sample(&self) -> SampleKind {
        if self.form().name().starts_with("ezb") { SampleKind::EzmeshBinary } else { SampleKind::EzmeshText }
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
        properties::surface_properties(self, surface)
    }

    fn remarks(&self) -> Vec<(&'static str, String)> {
        properties::composition(self).into_iter().map(|mesh| ("mesh", mesh)).collect()
    }

    fn shares_vertices(&self, surface: usize) -> bool {
        properties::shares_vertices(self, surface)
    }

    fn bounds_in_steps(&self, read: &mut dyn FnMut(usize)) -> Option<meshpeek::Result<Bounds>> {
        Some(Self::bounds_in_steps(self, read))
    }

    fn surface_bounds_in_steps(&self, surface: usize, read: &mut dyn FnMut(usize)) -> Option<meshpeek::Result<Bounds>> {
        Some(Self::surface_bounds_in_steps(self, surface, read))
    }

    fn list_limits(&self) -> ListLimits {
        ListLimits { surfaces: properties::MAX_LISTED, name_bytes: MAX_NAME_BYTES }
    }

    fn independent_parts(&self) -> &'static [&'static str] {
        &["ezmesh"]
    }

    fn values(&self, request: &DumpRequest<'_>) -> anyhow::Result<Option<Box<dyn Values + '_>>> {
        Ok(values::values(self, request.surface, request.attribute, request.raw)?)
    }

    fn has_bone_animations(&self) -> bool {
        true
    }

    fn has_tracks_only(&self) -> bool {
        self.view().bone_count() == 0
    }

    fn track_pose(&self, clip: usize, frame: usize) -> meshpeek::Result<Vec<(String, Transform)>> {
        // `pose` is called here to return an error if the frame index is out of range.
        self.pose(clip, frame, &mut [])?;
        let mut bones = Vec::new();
        for track in self.animation(clip)?.tracks() {
            let keys = track.keys()?;
            let last = keys.len().saturating_sub(1);
            bones.push((track.name()?.to_string_lossy(), keys.get(frame.min(last)).unwrap_or_default()));
        }
        Ok(bones)
    }

    fn is_formatted_again(&self) -> bool {
        self.dialect().is_some()
    }

    fn respelled_rules(&self) -> &'static [&'static str] {
        &RESPELLED_RULES
    }

    fn is_dropped(&self, finding: &Finding) -> bool {
        DROPPED_RULES.contains(&finding.rule)
    }
}
