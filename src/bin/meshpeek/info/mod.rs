//! `info`: what is in a file.

use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;
use clap::Args;
use meshpeek::surface::Counts;
use meshpeek::{Bounds, Finding, Model, Surface};
use serde_json::{Value, json};

use crate::ezmesh;
use crate::facts;
use crate::input;
use crate::opened::Opened;
use crate::output::{self, Outcome};
use crate::secondlife::{self, Block, Described, Look};
use crate::{Files, Global};

const HELP: &str = "\
Looks at headers, counts, and one byte per skinned vertex; never at a vertex itself, so it takes milliseconds \
however large the file is. The findings it shows are those that the structure alone gives; `validate` looks at \
every value. Unreal meshes have no box in their files: of them, the vertices of frame 0 are looked at, too. A script is \
described mesh by mesh.

Examples:
  meshpeek info model.mesh
  meshpeek info assets --json | jq '.files[] | {path, version, bytes}'";

/// Surfaces, bones and clips that are listed unless --verbose asks for all.
const LISTED: usize = 16;
/// Bytes of a surface's name that are told where surfaces may share it.
const LONGEST_NAME: usize = 4096;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Info {
    #[command(flatten)]
    files: Files,
    /// The level of detail to describe; where an asset lacks it, the one that a viewer would show
    #[arg(long, value_enum, default_value_t = Described::High, help_heading = "Second Life meshes")]
    lod: Described,
}

impl Info {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let mut entries = Vec::new();
        let (outcome, absent) = input::each(&self.files.files, global, |path, opened| {
            let mesh = opened.as_ref().ok().and_then(Opened::mesh_name);
            let summary = opened.and_then(|opened| {
                Summary::of(&opened, self.lod, global.json).map_err(|error| opened.blame(error, path))
            });
            match &summary {
                Ok(summary) if global.json => entries.push(output::of_mesh(summary.json(path), mesh)),
                Ok(summary) => summary.print(&mut anstream::stdout().lock(), path, mesh.as_deref(), global)?,
                Err(error) if global.json => {
                    let entry = facts::with_script(output::unreadable(path, error), path);
                    entries.push(secondlife::with_header(entry, path, error));
                }
                Err(error) => output::complain(error),
            }
            Ok(summary.map_or_else(|error| output::failed(&error), |summary| output::judge(&summary.findings)))
        })?;
        if global.json {
            let mut document = json!({ "files": entries });
            if !absent.is_empty() {
                document = output::with(document, "unresolved", absent.iter().map(facts::unresolved).collect());
            }
            output::print_json(&output::document(document))?;
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
    /// How many vertex frames there are, and of how many vertices.
    vertex_frames: Option<(usize, usize)>,
    /// What vertices are made of, mesh by mesh.
    composition: Vec<String>,
    /// Compressed blocks.
    blocks: Vec<Block>,
    surfaces: Vec<SurfaceSummary>,
    /// Surfaces that are not told.
    left_out: usize,
    clips: Vec<ClipSummary>,
    properties: Value,
    findings: Vec<Finding>,
    /// The files that the findings are about, where there are several.
    files: Vec<std::path::PathBuf>,
}

pub struct SurfaceSummary {
    /// Its number, in its level of detail where there are several.
    pub index: usize,
    /// The block of its level of detail.
    pub lod: Option<&'static str>,
    /// Whether its vertices are those of the surface before it.
    pub shares: bool,
    pub name: String,
    pub material: Option<String>,
    pub bounds: Bounds,
    pub counts: Counts,
    pub drawn: bool,
    /// How it is drawn, in words.
    pub draws: String,
    /// What only the format has.
    pub particular: Value,
}

struct ClipSummary {
    name: String,
    frames: u32,
    bones: u32,
    rate: Option<f32>,
}

impl Summary {
    fn of(opened: &Opened, described: Described, in_full: bool) -> meshpeek::Result<Self> {
        let model = &opened.model;
        if let Model::SecondLife(mesh) = model {
            return Self::of_blocks(opened, Look::at(mesh, described));
        }
        let geometry = model.geometry();
        let mut findings = Vec::new();
        opened.findings(false, false, &mut |finding| findings.push(finding))?;
        let bones = (0..geometry.bone_count()).map(|bone| {
            let bone = geometry.bone(bone).map(|bone| (bone.name.to_string_lossy(), bone.parent));
            unless_told(bone, (String::new(), -1))
        });
        // Many surfaces may share one long name.
        let (most, longest) = match model {
            Model::EzMesh(_) => (ezmesh::MOST_TOLD, LONGEST_NAME),
            _ => (usize::MAX, usize::MAX),
        };
        let surfaces = Surface::all(geometry).take(most).map(|surface| {
            let name = surface.name()?;
            let told = meshpeek::Name::new(name.as_bytes().get(..longest).unwrap_or(name.as_bytes()));
            Ok(SurfaceSummary {
                index: surface.index(),
                lod: None,
                name: told.to_string_lossy(),
                shares: matches!(model, Model::EzMesh(system) if ezmesh::shares(system, surface.index())),
                material: surface.material()?.map(|material| material.to_string_lossy()),
                bounds: unless_told(surface.bounds(), Bounds::EMPTY)?,
                counts: unless_told(surface.counts(), Counts::default())?,
                drawn: surface.is_drawn()?,
                draws: facts::draws(model, surface.index())?,
                particular: if in_full { facts::of_surface(model, surface.index())? } else { Value::Null },
            })
        });
        let clips = (0..geometry.clip_count()).map(|clip| {
            let none = meshpeek::Clip {
                name: meshpeek::Name::default(),
                frames: 0,
                bones: 0,
                rate: None,
                first_vertex_frame: None,
            };
            let meshpeek::Clip { name, frames, bones, rate, .. } = unless_told(geometry.clip(clip), none)?;
            Ok(ClipSummary { name: name.to_string_lossy(), frames, bones, rate })
        });
        let mut summary = Self {
            format: geometry.format(),
            version: geometry.version(),
            bytes: opened.size(),
            touched: 0,
            bounds: geometry.bounds(),
            sphere: geometry.sphere(),
            vertex_frames: facts::vertex_frames(model),
            bones: bones.collect::<meshpeek::Result<_>>()?,
            composition: match model {
                Model::EzMesh(system) if !in_full => ezmesh::composition(system),
                _ => Vec::new(),
            },
            blocks: Vec::new(),
            surfaces: surfaces.collect::<meshpeek::Result<_>>()?,
            left_out: geometry.surface_count().saturating_sub(most),
            clips: clips.collect::<meshpeek::Result<_>>()?,
            properties: if in_full { facts::properties(opened)? } else { Value::Null },
            findings,
            files: opened.files(),
        };
        summary.touched = model.touched_bytes().unwrap_or_default();
        opened.check()?;
        Ok(summary)
    }

    /// Tells of a file whose blocks are inflated on request.
    fn of_blocks(opened: &Opened, look: Look) -> meshpeek::Result<Self> {
        let Look { blocks, surfaces, bones, bounds, properties, mut findings, touched, .. } = look;
        opened.findings(false, false, &mut |finding| findings.push(finding))?;
        opened.check()?;
        let geometry = opened.model.geometry();
        Ok(Self {
            format: geometry.format(),
            version: geometry.version(),
            bytes: opened.size(),
            touched,
            bounds,
            sphere: None,
            bones,
            vertex_frames: None,
            composition: Vec::new(),
            blocks,
            surfaces,
            left_out: 0,
            clips: Vec::new(),
            properties,
            findings,
            files: Vec::new(),
        })
    }

    fn json(&self, path: &Path) -> Value {
        let lods = self.blocks.iter().filter(|block| block.part.lod().is_some());
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
            "lods": lods.map(Block::json).collect::<Value>(),
            "surfaces": self.surfaces.iter().map(SurfaceSummary::json).collect::<Value>(),
            "clips": clips.collect::<Value>(),
            "properties": self.properties,
            "findings": output::findings(&self.findings, &self.files),
        })
    }

    fn print(&self, out: &mut dyn Write, path: &Path, mesh: Option<&str>, global: &Global) -> io::Result<()> {
        let bold = Style::new().bold();
        let Self { format, version, bytes, touched, .. } = self;
        let mesh = output::mesh_shown(mesh);
        let path = output::shown(path);
        writeln!(out, "{bold}{path}{mesh}{bold:#}: {format} {version}, {bytes} bytes, {touched} of them looked at")?;
        self.print_bounds(out)?;
        secondlife::print_blocks(out, &self.blocks)?;
        let listed = if global.verbose { usize::MAX } else { LISTED };
        for mesh in self.composition.iter().take(listed) {
            writeln!(out, "  mesh      {mesh}")?;
        }
        print_rest(out, self.composition.len(), listed)?;
        self.print_surfaces(out, listed)?;
        self.print_skeleton(out, listed)?;
        output::print_findings(out, &self.findings, &self.files)
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
        // Vertices that several surfaces share are counted once.
        let vertices = sum(|surface| if surface.shares { 0 } else { surface.counts.vertices });
        let attributes = sum(|surface| if surface.shares { 0 } else { surface.counts.attribute_vertices });
        let triangles = sum(|surface| surface.counts.corners / 3);
        let count = self.surfaces.len().saturating_add(self.left_out);
        match self.vertex_frames {
            // All surfaces share the vertices of a frame.
            Some((frames, vertices)) => {
                writeln!(out, "  frames    {frames}, of {vertices} vertices each")?;
                writeln!(out, "  surfaces  {count}: {attributes} corners, {triangles} triangles")?;
            }
            None => writeln!(
                out,
                "  surfaces  {count}: {vertices} vertices, {attributes} attribute vertices, {triangles} triangles"
            )?,
        }
        for surface in self.surfaces.iter().take(listed) {
            let name = meshpeek::Name::new(surface.name.as_bytes());
            let asset = surface.particular.get("asset").map(|asset| format!("asset {asset}, ")).unwrap_or_default();
            let lod = surface.lod.map(|lod| format!("{asset}{lod}, ")).unwrap_or_default();
            let material = surface.material.as_deref().filter(|material| *material != surface.name);
            let material = material.map(|material| format!(", {}", meshpeek::Name::new(material.as_bytes())));
            write!(out, "    {:>3} {lod}{name}{}: ", surface.index, material.unwrap_or_default())?;
            match self.vertex_frames {
                Some(_) => writeln!(out, "{} triangles, {}", surface.counts.corners / 3, surface.draws)?,
                None => surface.print_counts(out)?,
            }
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
                let of_bones = if *bones == 0 { String::new() } else { format!(" of {bones} bones") };
                let name = if name.to_string().is_empty() { "(no name)".to_owned() } else { name.to_string() };
                writeln!(out, "    {index:>3} {name}: {frames} frames{of_bones}, {rate}")?;
            }
            print_rest(out, self.clips.len(), listed)?;
        }
        Ok(())
    }
}

/// Returns what was read of a part or, where the part is damaged in a file whose other parts are not, `otherwise`: the
/// findings tell of it.
fn unless_told<T>(read: meshpeek::Result<T>, otherwise: T) -> meshpeek::Result<T> {
    match read {
        Err(error) if error.format() == "ezmesh" && meshpeek::finding(&error).is_some() => Ok(otherwise),
        read => read,
    }
}

impl SurfaceSummary {
    fn print_counts(&self, out: &mut dyn Write) -> io::Result<()> {
        let Counts { vertices, attribute_vertices, corners, index_widths: [first, second], .. } = self.counts;
        let triangles = corners / 3;
        write!(out, "{vertices} vertices, {attribute_vertices} attribute vertices, {triangles} triangles, ")?;
        writeln!(out, "indices of {first} and {second} bytes{}", extras(&self.counts))
    }

    fn json(&self) -> Value {
        let Self { index, lod, name, material, bounds, counts, drawn, particular, .. } = self;
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
            "bounds": output::bounds(bounds),
        });
        output::extend(object, particular)
    }
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
