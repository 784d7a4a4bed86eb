//! `info`: what is in a file.

use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;
use clap::Args;
use meshpeek::surface::Counts;
use meshpeek::{Bounds, Finding, Model, Surface};
use serde_json::{Value, json};

use crate::input::{self, Data};
use crate::output::{self, Outcome};
use crate::{Files, Global};

const HELP: &str = "\
Looks at headers, counts, and one byte per skinned vertex; never at a vertex itself, so it takes milliseconds \
however large the file is. The findings it shows are those that the structure alone gives; `validate` looks at \
every value.

Examples:
  meshpeek info model.mesh
  meshpeek info assets --json | jq '.files[] | {path, version, bytes}'";

/// Surfaces, bones and clips that are listed unless --verbose asks for all.
const LISTED: usize = 16;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Info {
    #[command(flatten)]
    files: Files,
}

impl Info {
    pub fn run(&self, global: Global) -> anyhow::Result<Outcome> {
        let mut entries = Vec::new();
        let outcome = input::each(&self.files.files, global, |path, opened| {
            let summary = opened.and_then(|model| Summary::of(&model).map_err(|error| error.at_path(path)));
            match &summary {
                Ok(summary) if global.json => entries.push(summary.json(path)),
                Ok(summary) => summary.print(&mut anstream::stdout().lock(), path, global)?,
                Err(error) if global.json => entries.push(output::unreadable(path, error)),
                Err(error) => output::complain(error),
            }
            Ok(summary.map_or(Outcome::Unreadable, |summary| output::judge(&summary.findings)))
        })?;
        if global.json {
            output::print_json(&output::document(json!({ "files": entries })))?;
        }
        Ok(outcome)
    }
}

/// What is told of a file, copied out of it: by the time it is printed, the file has been seen to be unchanged.
struct Summary {
    format: &'static str,
    version: &'static str,
    bytes: u64,
    touched: u64,
    bounds: Bounds,
    sphere: Option<meshpeek::surface::Sphere>,
    bones: Vec<(String, i32)>,
    surfaces: Vec<SurfaceSummary>,
    clips: Vec<ClipSummary>,
    properties: Value,
    findings: Vec<Finding>,
}

struct SurfaceSummary {
    name: String,
    bounds: Bounds,
    counts: Counts,
}

struct ClipSummary {
    name: String,
    frames: u32,
    bones: u32,
    rate: Option<f32>,
}

impl Summary {
    fn of(model: &Model<Data>) -> meshpeek::Result<Self> {
        let geometry = model.geometry();
        let mut findings = Vec::new();
        model.survey(&mut |finding| findings.push(finding))?;
        let bones = (0..geometry.bone_count()).map(|bone| {
            let bone = geometry.bone(bone)?;
            Ok((bone.name.to_string_lossy(), bone.parent))
        });
        let surfaces = Surface::all(geometry).map(|surface| {
            let (name, bounds, counts) = (surface.name()?.to_string_lossy(), surface.bounds()?, surface.counts()?);
            Ok(SurfaceSummary { name, bounds, counts })
        });
        let clips = (0..geometry.clip_count()).map(|clip| {
            let meshpeek::Clip { name, frames, bones, rate, .. } = geometry.clip(clip)?;
            Ok(ClipSummary { name: name.to_string_lossy(), frames, bones, rate })
        });
        let mut summary = Self {
            format: geometry.format(),
            version: geometry.version(),
            bytes: model.data().as_ref().len().try_into().unwrap_or(u64::MAX),
            touched: 0,
            bounds: geometry.bounds(),
            sphere: geometry.sphere(),
            bones: bones.collect::<meshpeek::Result<_>>()?,
            surfaces: surfaces.collect::<meshpeek::Result<_>>()?,
            clips: clips.collect::<meshpeek::Result<_>>()?,
            properties: properties(model)?,
            findings,
        };
        summary.touched = model.touched().map_or(0, meshpeek::Touched::bytes);
        model.data().check()?;
        Ok(summary)
    }

    fn json(&self, path: &Path) -> Value {
        let mut bounds = output::bounds(&self.bounds);
        if let Some(sphere) = &self.sphere {
            bounds.insert("center".into(), output::numbers(&sphere.center));
            bounds.insert("radius".into(), output::number(sphere.radius));
        }
        let bones = self.bones.iter().map(|(name, parent)| json!({ "name": name, "parent": parent }));
        let clips = self.clips.iter().map(|ClipSummary { name, frames, bones, rate }| {
            json!({ "name": name, "frames": frames, "bones": bones, "rate": rate.map(output::number) })
        });
        json!({
            "path": path.to_string_lossy(),
            "format": self.format,
            "version": self.version,
            "bytes": self.bytes,
            "touched_bytes": self.touched,
            "bounds": bounds,
            "bones": bones.collect::<Value>(),
            "lods": [],
            "surfaces": self.surfaces.iter().enumerate().map(|(index, surface)| surface.json(index)).collect::<Value>(),
            "clips": clips.collect::<Value>(),
            "properties": self.properties,
            "findings": self.findings.iter().map(output::finding).collect::<Value>(),
        })
    }

    fn print(&self, out: &mut dyn Write, path: &Path, global: Global) -> io::Result<()> {
        let bold = Style::new().bold();
        let Self { format, version, bytes, touched, .. } = self;
        let path = output::shown(path);
        writeln!(out, "{bold}{path}{bold:#}: {format} {version}, {bytes} bytes, {touched} of them looked at")?;
        self.print_bounds(out)?;
        let listed = if global.verbose { usize::MAX } else { LISTED };
        self.print_surfaces(out, listed)?;
        self.print_skeleton(out, listed)?;
        output::print_findings(out, &self.findings)
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
            |of: fn(&Counts) -> u32| self.surfaces.iter().map(|surface| u64::from(of(&surface.counts))).sum::<u64>();
        let (vertices, attributes) = (sum(|counts| counts.vertices), sum(|counts| counts.attribute_vertices));
        let triangles = sum(|counts| counts.corners / 3);
        let count = self.surfaces.len();
        writeln!(
            out,
            "  surfaces  {count}: {vertices} vertices, {attributes} attribute vertices, {triangles} triangles"
        )?;
        for (index, SurfaceSummary { name, counts, .. }) in self.surfaces.iter().enumerate().take(listed) {
            let name = meshpeek::Name::new(name.as_bytes());
            let Counts { vertices, attribute_vertices, corners, index_widths: [first, second], .. } = counts;
            let triangles = corners / 3;
            write!(out, "    {index:>3} {name}: {vertices} vertices, {attribute_vertices} attribute vertices, ")?;
            writeln!(out, "{triangles} triangles, indices of {first} and {second} bytes{}", extras(counts))?;
        }
        print_rest(out, count, listed)
    }

    fn print_skeleton(&self, out: &mut dyn Write, listed: usize) -> io::Result<()> {
        if !self.bones.is_empty() {
            writeln!(out, "  bones     {}", self.bones.len())?;
            for (index, (name, parent)) in self.bones.iter().enumerate().take(listed) {
                writeln!(out, "    {index:>3} {}, parent {parent}", meshpeek::Name::new(name.as_bytes()))?;
            }
            print_rest(out, self.bones.len(), listed)?;
        }
        if !self.clips.is_empty() {
            writeln!(out, "  clips     {}", self.clips.len())?;
            for (index, ClipSummary { name, frames, bones, rate }) in self.clips.iter().enumerate().take(listed) {
                let rate = rate.map_or_else(|| "no rate".to_owned(), |rate| format!("{rate} frames per second"));
                let name = meshpeek::Name::new(name.as_bytes());
                writeln!(out, "    {index:>3} {name}: {frames} frames of {bones} bones, {rate}")?;
            }
            print_rest(out, self.clips.len(), listed)?;
        }
        Ok(())
    }
}

impl SurfaceSummary {
    fn json(&self, index: usize) -> Value {
        let Self { name, bounds, counts } = self;
        json!({
            "index": index,
            "name": name,
            "lod": null,
            "vertices": counts.vertices,
            "attribute_vertices": counts.attribute_vertices,
            "corners": counts.corners,
            "triangles": counts.corners / 3,
            "index_widths": counts.index_widths,
            "uv_sets": counts.uv_sets,
            "colors": counts.colors,
            "weights": counts.weights,
            "morph_targets": counts.targets,
            "material": null,
            "bounds": output::bounds(bounds),
        })
    }
}

/// What only this format has.
fn properties(model: &Model<Data>) -> meshpeek::Result<Value> {
    let Model::Unigine(mesh) = model else { return Ok(json!({})) };
    let lightmaps: Vec<Option<[u8; 2]>> =
        mesh.surfaces().map(|surface| Ok(surface?.lightmap())).collect::<meshpeek::Result<_>>()?;
    let lightmaps: Vec<[u8; 2]> = lightmaps.into_iter().flatten().collect();
    if lightmaps.is_empty() {
        return Ok(json!({}));
    }
    let channels: Vec<u8> = lightmaps.iter().map(|[channel, _]| *channel).collect();
    let codes: Vec<u8> = lightmaps.iter().map(|[_, code]| *code).collect();
    Ok(json!({ "lightmap_channel": channels, "lightmap_resolution_code": codes }))
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
    if counts.targets > 1 {
        return format!("{text}, {} shapes", counts.targets);
    }
    text
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
