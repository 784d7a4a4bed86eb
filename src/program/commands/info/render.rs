//! Prints the output of `info` as text or JSON.

use std::io::{self, Write};
use std::path::Path;

use crate::Bounds;
use crate::formats::FormatFile;
use crate::model::Counts;
use anstyle::Style;
use serde_json::{Value, json};

use super::summary::{ClipSummary, FileSummary};
use crate::program::args::Global;
use crate::program::formats::facts::{surface_properties, write_properties};
use crate::program::formats::summary::{BlockSummary, SurfaceSummary};
use crate::program::input::asset::InputAsset;
use crate::program::render::json;
use crate::program::render::json_writer::JsonWriter;
use crate::program::render::text::{mesh_suffix, print_findings, shown};

/// The maximum number of surfaces, of bones and of clips that `info` prints without the option
/// `--verbose`.
const LISTED: usize = 16;

impl FileSummary {
    /// Writes the entry of the file in a list of entries. If the file has changed since it was
    /// opened, the entry ends with the error, and the error is returned. `end_properties` is called
    /// before the object `properties` ends.
    pub(super) fn write_json(
        &self,
        asset: &InputAsset,
        path: &Path,
        mesh: Option<String>,
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
        out.item_object(|out| {
            out.field("path", path.to_string_lossy())?;
            out.field("format", self.format)?;
            out.field("version", self.version)?;
            out.field("bytes", self.bytes)?;
            out.field("touched_bytes", self.touched)?;
            out.field("bounds", bounds)?;
            out.field_list("bones", |out| self.write_bones(out))?;
            out.field_items("lods", lods.map(BlockSummary::json))?;
            out.start_field("surfaces")?;
            self.write_surfaces(asset, out)?;
            out.field_list("clips", |out| self.write_clips(out))?;
            out.start_field("properties")?;
            self.write_properties(asset, out, end_properties)?;
            out.field_items("findings", json::findings(&self.findings, &self.files))?;
            if let Some(mesh) = mesh {
                out.field("mesh", mesh)?;
            }
            fault = out.take_fault().or_else(|| asset.check().err()).map(|fault| asset.locate_error(fault, path));
            fault.as_ref().map_or(Ok(()), |fault| out.field("error", json::error(fault)))
        })?;
        Ok(fault)
    }

    fn write_bones(&self, out: &mut JsonWriter<'_>) -> io::Result<()> {
        self.bones.iter().try_for_each(|(name, parent)| {
            out.item_object(|out| {
                out.field_text("name", name)?;
                out.field("parent", *parent)
            })
        })
    }

    fn write_clips(&self, out: &mut JsonWriter<'_>) -> io::Result<()> {
        self.clips.iter().try_for_each(|ClipSummary { name, frames, bones, rate }| {
            out.item_object(|out| {
                out.field_text("name", name)?;
                out.field("frames", *frames)?;
                out.field("bones", *bones)?;
                out.field("rate", rate.map(json::number))
            })
        })
    }

    /// Writes the list of surfaces.
    pub(super) fn write_surfaces(&self, asset: &InputAsset, out: &mut JsonWriter<'_>) -> io::Result<()> {
        out.list(|out| {
            for surface in &self.surfaces {
                let properties = match surface.in_block {
                    Some(in_block) => in_block.json(),
                    None => match surface_properties(&asset.model, surface.index) {
                        Ok(properties) => properties,
                        Err(fault) => {
                            out.fail(fault);
                            break;
                        }
                    },
                };
                out.item(&surface_json(surface, &properties))?;
            }
            Ok(())
        })
    }

    /// Writes the object `properties`, or `null` if the header of a Second Life file is damaged.
    pub(super) fn write_properties(
        &self,
        asset: &InputAsset,
        out: &mut JsonWriter<'_>,
        end_properties: impl FnOnce(&JsonWriter<'_>),
    ) -> io::Result<()> {
        if matches!(asset.model.format_file(), FormatFile::SecondLife(mesh) if mesh.container().is_none() && mesh.header().is_err())
        {
            return out.value(&Value::Null);
        }
        out.object(|out| {
            write_properties(&asset.model, asset.pair.as_ref(), &self.described, out)?;
            if self.left_out > 0 && asset.pair.is_some() {
                out.field("left_out", json!({ "surfaces": self.left_out }))?;
            }
            end_properties(out);
            Ok(())
        })
    }

    pub(super) fn print(
        &self,
        out: &mut dyn Write,
        path: &Path,
        mesh: Option<&str>,
        global: &Global,
    ) -> io::Result<()> {
        let bold = Style::new().bold();
        let Self { format, version, bytes, touched, .. } = self;
        let mesh = mesh_suffix(mesh);
        let path = shown(path);
        writeln!(out, "{bold}{path}{mesh}{bold:#}: {format} {version}, {bytes} bytes, {touched} of them read")?;
        self.print_bounds(out)?;
        print_blocks(out, &self.described.blocks)?;
        let listed = if global.verbose { usize::MAX } else { LISTED };
        for (about, remark) in self.remarks.iter().take(listed) {
            writeln!(out, "  {about:<9} {remark}")?;
        }
        print_rest(out, self.remarks.len(), listed)?;
        if !self.is_animation {
            self.print_surfaces(out, listed)?;
        }
        self.print_skeleton(out, listed)?;
        print_findings(out, &self.findings, &self.files)
    }

    fn print_bounds(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.bounds.is_empty() {
            return writeln!(out, "  bounds    nothing");
        }
        let Bounds { min, max } = self.bounds;
        write!(out, "  bounds    {} to {}", triple(min), triple(max))?;
        match &self.sphere {
            Some(sphere) => writeln!(out, ", sphere {} around {}", sphere.radius, triple(sphere.center)),
            None => writeln!(out),
        }
    }

    fn print_surfaces(&self, out: &mut dyn Write, listed: usize) -> io::Result<()> {
        let sum =
            |of: fn(&SurfaceSummary) -> u32| self.surfaces.iter().map(|surface| u64::from(of(surface))).sum::<u64>();
        // Vertices that several surfaces share are counted once in the total.
        let vertices = sum(|surface| if surface.shares { 0 } else { surface.counts.vertices });
        let attributes = sum(|surface| if surface.shares { 0 } else { surface.counts.attribute_vertices });
        let corners = sum(|surface| surface.counts.corners);
        let triangles = sum(|surface| surface.counts.corners / 3);
        let count = self.surfaces.len().saturating_add(self.left_out);
        match self.vertex_frames {
            // In a mesh with vertex frames, all surfaces share the same vertices.
            Some((frames, vertices)) => {
                writeln!(out, "  frames    {frames}, of {vertices} vertices each")?;
                writeln!(out, "  surfaces  {count}: {corners} corners, {triangles} triangles")?;
            }
            None if self.surfaces.iter().any(|surface| !surface.is_whole) => {
                let left = self.surfaces.iter().filter(|surface| !surface.is_whole).count();
                let inflated = if left == count { "none inflated".to_owned() } else { format!("{left} not inflated") };
                writeln!(out, "  surfaces  {count}: {vertices} vertices, {triangles} triangles, {inflated}")?;
            }
            None => writeln!(
                out,
                "  surfaces  {count}: {vertices} vertices, {attributes} attribute vertices, {triangles} triangles"
            )?,
        }
        for surface in self.surfaces.iter().take(listed) {
            let name = crate::Name::new(surface.name.as_bytes());
            let asset = surface
                .in_block
                .and_then(|in_block| in_block.asset)
                .map(|asset| format!("asset {asset}, "))
                .unwrap_or_default();
            let lod = surface.lod.map(|lod| format!("{asset}{lod}, ")).unwrap_or_default();
            let material = surface.material.as_deref().filter(|material| *material != surface.name);
            let material = material.map(|material| format!(", {}", crate::Name::new(material.as_bytes())));
            write!(out, "    {:>3} {lod}{name}{}: ", surface.index, material.unwrap_or_default())?;
            match self.vertex_frames {
                Some(_) => writeln!(out, "{} triangles, {}", surface.counts.corners / 3, surface.style)?,
                None => print_counts(surface, out)?,
            }
        }
        print_rest(out, count, listed)
    }

    fn print_skeleton(&self, out: &mut dyn Write, listed: usize) -> io::Result<()> {
        if !self.bones.is_empty() {
            let [_, _, not_listed] = self.described.left_out;
            let count = self.bones.len().saturating_add(not_listed);
            writeln!(out, "  bones     {count}")?;
            for (index, (name, parent)) in self.bones.iter().enumerate().take(listed) {
                writeln!(out, "    {index:>3} {}, parent {parent}", crate::Name::new(name.as_bytes()))?;
            }
            print_rest(out, count, listed.min(self.bones.len()))?;
        }
        if !self.clips.is_empty() {
            writeln!(out, "  clips     {}", self.clips.len())?;
            for (index, ClipSummary { name, frames, bones, rate }) in self.clips.iter().enumerate().take(listed) {
                let rate = rate.map_or_else(|| "no rate".to_owned(), |rate| format!("{rate} frames per second"));
                let name = crate::Name::new(name.as_bytes());
                let of_bones = if *bones == 0 { String::new() } else { format!(" of {bones} bones") };
                let name = if name.to_string().is_empty() { "(no name)".to_owned() } else { name.to_string() };
                writeln!(out, "    {index:>3} {name}: {frames} frames{of_bones}, {rate}")?;
            }
            print_rest(out, self.clips.len(), listed)?;
        }
        Ok(())
    }
}

/// Prints the compressed blocks of a file, with their stored sizes and their inflated sizes.
fn print_blocks(out: &mut dyn Write, blocks: &[BlockSummary]) -> io::Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    let inflated = blocks.iter().filter(|block| block.inflated.is_some()).count();
    writeln!(out, "  blocks    {}, {inflated} of them inflated", blocks.len())?;
    for block in blocks {
        let asset = block.asset.map(|asset| format!("asset {asset}, ")).unwrap_or_default();
        write!(out, "    {asset}{}: {} bytes", block.name, block.bytes)?;
        match (&block.inflated, block.ratio()) {
            (Some(inflated), Some(ratio)) => {
                write!(out, ", inflated {} ({ratio:.2} times)", inflated.bytes)?;
                match inflated.counts {
                    Some((submeshes, triangles)) => writeln!(out, ", {submeshes} submeshes, {triangles} triangles")?,
                    None => writeln!(out)?,
                }
            }
            _ => writeln!(out, ", not inflated")?,
        }
    }
    Ok(())
}

/// Prints the numbers of vertices, triangles and other elements of a surface.
fn print_counts(surface: &SurfaceSummary, out: &mut dyn Write) -> io::Result<()> {
    let Counts { vertices, attribute_vertices, corners, index_widths: [first, second], .. } = surface.counts;
    let triangles = corners / 3;
    if !surface.is_whole {
        return writeln!(out, "{vertices} vertices, {triangles} triangles, not inflated");
    }
    write!(out, "{vertices} vertices, {attribute_vertices} attribute vertices, {triangles} triangles, ")?;
    writeln!(out, "indices of {first} and {second} bytes{}", extras(&surface.counts))
}

/// Returns the description of a surface as a JSON object. `properties` has the fields that exist
/// only in its format.
fn surface_json(surface: &SurfaceSummary, properties: &Value) -> Value {
    let SurfaceSummary { index, lod, name, material, bounds, counts, drawn, .. } = surface;
    let object = json!({
        "index": index,
        "name": name,
        "lod": lod,
        "vertices": counts.vertices,
        "attribute_vertices": counts.attribute_vertices,
        "corners": counts.corners,
        "triangles": counts.corners / 3,
        "index_widths": counts.index_widths,
        "uv_sets": counts.uv_sets,
        "colors": counts.colors,
        "weights": counts.weights,
        "morph_targets": counts.targets,
        "material": material,
        "drawn": drawn,
        "bounds": json::bounds(bounds),
    });
    let object = json::extend(object, properties);
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

fn extras(counts: &Counts) -> String {
    let mut text = match counts.uv_sets {
        0 => ", no UVs".to_owned(),
        1 => ", 1 UV set".to_owned(),
        sets => format!(", {sets} UV sets"),
    };
    for (there, what) in [(counts.colors, ", colours"), (counts.weights, ", weights")] {
        if there {
            text.push_str(what);
        }
    }
    if counts.targets > 1 { format!("{text}, {} shapes", counts.targets) } else { text }
}

fn triple([x, y, z]: [f32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

fn print_rest(out: &mut dyn Write, count: usize, listed: usize) -> io::Result<()> {
    match count.checked_sub(listed) {
        Some(rest) if rest > 0 => writeln!(out, "    and {rest} more (--verbose lists all)"),
        _ => Ok(()),
    }
}
