//! Writes the description of a file as JSON.

use std::io;
use std::path::Path;

use crate::formats::mesh_files::MeshFiles;
use crate::model::Properties;
use serde_json::{Value, json};

use super::clips::ClipSummary;
use super::fields::Fields;
use super::file_summary::FileSummary;
use super::placed::PlacedBounds;
use crate::program::formats::{GpuSize, LevelSummary, SurfaceLod, SurfaceSummary};
use crate::program::input::InputAsset;
use crate::program::output::JsonWriter;
use crate::program::output::json::{self};

impl FileSummary {
    /// Writes the entry of the file in a list of entries. If the file has changed since it was
    /// opened, the entry ends with the error, and the error is returned. `end_properties` is called
    /// before the object `properties` ends.
    pub fn write_json(
        &self,
        asset: &InputAsset,
        path: &Path,
        fields: &Fields,
        out: &mut JsonWriter<'_>,
        end_properties: impl FnOnce(&JsonWriter<'_>),
    ) -> io::Result<Option<crate::Error>> {
        let lods = self.described.blocks.iter().filter(|block| block.is_lod);
        let mut bounds = json::bounds(&self.bounds);
        if let Some(sphere) = &self.sphere {
            bounds.insert("center".into(), json::numbers(&sphere.center));
            bounds.insert("radius".into(), json::number(sphere.radius));
        }
        let mut fault = None;
        let is_field = |name: &str| fields.has_json(name);
        out.object(|out| {
            out.field("path", path.to_string_lossy())?;
            for (name, value) in self.scalars() {
                if is_field(name) {
                    out.field(name, value)?;
                }
            }
            if is_field("bounds") {
                out.field("bounds", bounds)?;
            }
            if is_field("bones") {
                let bones = self.bones.iter().map(|(name, parent)| json!({ "name": name, "parent": parent }));
                out.key("bones").values(bones)?;
            }
            if is_field("lods") {
                let levels = self.levels.iter().map(LevelSummary::json);
                out.key("lods").values(lods.map(|block| block.record().into()).chain(levels))?;
            }
            if is_field("surfaces") {
                self.write_surfaces(asset, out.key("surfaces"))?;
            }
            if is_field("clips") {
                out.key("clips").values(self.clips.iter().map(|clip| self.clip_json(clip)))?;
            }
            if is_field("properties") {
                self.write_properties(asset, out.key("properties"), end_properties)?;
            }
            if is_field("findings") {
                out.key("findings").values(json::findings(&self.findings, &self.files))?;
            }
            if let Some(mesh) = asset.mesh_name() {
                out.field("mesh", mesh)?;
            }
            fault = out.fault.take().or_else(|| asset.check().err()).map(|fault| asset.locate_error(fault, path));
            fault.as_ref().map_or(Ok(()), |fault| out.field("error", json::error(fault)))
        })?;
        Ok(fault)
    }

    /// Returns the fields whose values are small, in the order of the output.
    fn scalars(&self) -> Vec<(&'static str, Value)> {
        let gpu = self.gpu();
        let mut fields = vec![
            ("kind", self.kind().into()),
            ("format", self.format.into()),
            ("version", self.version.into()),
            ("bytes", self.bytes.into()),
            ("touched_bytes", self.touched.into()),
            ("triangles", self.is_inflated().then(|| self.triangles()).into()),
            ("gpu_vertices", gpu.map(|gpu| gpu.vertices).into()),
            ("gpu_bytes", gpu.as_ref().map(GpuSize::bytes).into()),
            ("bounds_stored", self.stores_bounds.into()),
            ("drawn_bounds", json::optional_bounds(&self.drawn_bounds)),
        ];
        if let Some(PlacedBounds { bounds, metres_per_unit }) = &self.placed {
            let placed = json::with(
                json::optional_bounds(bounds),
                "metres_per_unit",
                Value::from(metres_per_unit.map(json::number)),
            );
            fields.push(("placed_bounds", placed));
        }
        fields
    }

    /// Returns the names of the bones with the given numbers.
    pub fn bone_names<'s>(&'s self, numbers: &'s [u32]) -> impl Iterator<Item = &'s str> {
        let name = |number: &u32| Some(self.bones.get(usize::try_from(*number).ok()?)?.0.as_str());
        numbers.iter().filter_map(name)
    }

    fn clip_json(&self, ClipSummary { name, frames, bones, rate, seconds, moved }: &ClipSummary) -> Value {
        json!({
            "name": name,
            "frames": frames,
            "bones": bones,
            "rate": rate.map(json::number),
            "seconds": seconds.map(json::number),
            "moved_bones": moved.as_ref().map(|moved| self.bone_names(moved).collect::<Value>()),
        })
    }

    /// Writes the list of surfaces.
    pub fn write_surfaces(&self, asset: &InputAsset, out: &mut JsonWriter<'_>) -> io::Result<()> {
        out.list(|out| {
            for surface in &self.surfaces {
                out.object(|out| {
                    out.fields(&surface_json(surface))?;
                    if let Some(in_block) = surface.in_block {
                        return out.fields(&in_block.json());
                    }
                    let file = asset.model.file();
                    file.surface_properties(surface.index, &mut Properties::new(out)).unwrap_or_else(|fault| {
                        out.fail(fault);
                        Ok(())
                    })
                })?;
                if out.fault.is_some() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Writes the numbers of assets, of surfaces and of joints that are not described.
    fn write_left_out(&self, out: &mut JsonWriter<'_>) -> io::Result<()> {
        let [assets, surfaces, joints] = self.left_out_blocks;
        if [assets, surfaces, joints] == [0; 3] {
            return Ok(());
        }
        out.key("left_out").object(|out| {
            out.field("members", assets)?;
            out.field("surfaces", surfaces)?;
            if joints == 0 { Ok(()) } else { out.field("bones", joints) }
        })
    }

    /// Writes the object `properties`, or `null` if the header of a Second Life file is damaged.
    pub fn write_properties(
        &self,
        asset: &InputAsset,
        out: &mut JsonWriter<'_>,
        end_properties: impl FnOnce(&JsonWriter<'_>),
    ) -> io::Result<()> {
        if !asset.model.file().has_properties() {
            return out.value(&Value::Null);
        }
        out.object(|out| {
            if let Some(pair) = &asset.pair {
                out.field("files", files(pair))?;
            }
            asset.model.file().properties(&self.described, &mut Properties::new(out))?;
            self.write_left_out(out)?;
            if self.left_out > 0 && asset.pair.is_some() {
                out.field("left_out", json!({ "surfaces": self.left_out }))?;
            }
            end_properties(out);
            Ok(())
        })
    }
}

/// Returns the paths of the files of a mesh as a JSON object.
fn files(pair: &MeshFiles) -> Value {
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    json!({ "data": shown(&pair.data), "aniv": shown(&pair.aniv), "script": pair.script.as_deref().map(shown) })
}

/// Returns the description of a surface as a JSON object, without the fields that exist only in its
/// format.
fn surface_json(surface: &SurfaceSummary) -> Value {
    let SurfaceSummary { index, lod, name, material, bounds, counts, drawn, gpu, .. } = surface;
    let lod = lod.map(|lod| match lod {
        SurfaceLod::Block(name) => Value::from(name),
        SurfaceLod::Number(number) => number.into(),
    });
    let object = json!({
        "index": index,
        "name": name,
        "lod": lod,
        "vertices": counts.vertices,
        "attribute_vertices": counts.attribute_vertices,
        "corners": counts.corners,
        "triangles": counts.corners / 3,
        "gpu_vertices": gpu.map(|gpu| gpu.vertices),
        "gpu_bytes": gpu.as_ref().map(GpuSize::bytes),
        "index_widths": counts.index_widths,
        "uv_sets": counts.uv_sets,
        "colors": counts.colors,
        "weights": counts.weights,
        "morph_targets": counts.targets,
        "material": material,
        "drawn": drawn,
        "bounds": json::bounds(bounds),
    });
    if surface.is_whole {
        return object;
    }
    let [width, _] = counts.index_widths;
    let unknown = json!({
        "attribute_vertices": null,
        "index_widths": [width, null],
        "uv_sets": null,
        "colors": null,
        "weights": null,
    });
    json::extend(object, &unknown)
}
