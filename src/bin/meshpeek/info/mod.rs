//! `info`: what is in a file.

mod told;

use clap::Args;
use meshpeek::model::Counts;
use meshpeek::{Bounds, Finding, Model, Surface};
use serde_json::{Value, json};

use crate::opened::{Data, Opened};
use crate::output::{self, Outcome};
use crate::secondlife::{self, Block, Described, Look};
use crate::unigine::{self, Skeletons};
use crate::{Files, Global, ezmesh, facts, input};

const HELP: &str = "\
Looks at headers, counts, and one byte per skinned vertex or key of a bone; never at a vertex itself, so it takes \
milliseconds however large the file is. Compressed blocks are inflated to see their counts, one after another, unless \
--lod none asks for what the header says. The findings it shows are those that the structure alone gives; `validate` looks at \
every value. Unreal meshes have no box in their files: of them, the vertices of frame 0 are looked at, too. A script is \
described mesh by mesh.

Examples:
  meshpeek info model.mesh
  meshpeek info assets --json | jq '.files[] | {path, version, bytes}'";

/// Formats whose parts stand by themselves: what is wrong with one does not keep the others from being told.
const STANDING: [&str; 3] = ["ezmesh", "unigine ms14", "unigine ms15"];
/// Bytes of a surface's name that are told where surfaces may share it.
const LONGEST_NAME: usize = 4096;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Info {
    #[command(flatten)]
    files: Files,
    /// The level of detail to describe; where an asset lacks it, the one that a viewer would show. With none, nothing is
    /// inflated: of UNIGINE ms14 and ms15, too, what is told then is what the header says
    #[arg(long, value_enum, default_value_t = Described::High, help_heading = "Meshes of compressed blocks")]
    lod: Described,
}

impl Info {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let mut entries = Vec::new();
        // Animations are told beside the mesh that they move, whichever came first.
        let (mut skeletons, mut animations) = (Skeletons::default(), Vec::new());
        let (outcome, absent) = input::each(&self.files.files, global, |path, opened| {
            let mesh = opened.as_ref().ok().and_then(Opened::mesh_name);
            let summary = opened.and_then(|opened| {
                Summary::of(&opened, self.lod, global.json).map_err(|error| opened.blame(error, path))
            });
            let outcome = summary.as_ref().map_or_else(output::failed, |summary| output::judge(&summary.findings));
            if let Ok(found) = &summary
                && !found.is_animation
            {
                skeletons.add(path, &found.bones);
            }
            match &summary {
                Ok(found) if found.is_animation => {
                    entries.push(Value::Null);
                    animations.push((entries.len(), path.to_owned(), summary?));
                }
                Ok(summary) if global.json => entries.push(output::of_mesh(summary.json(path), mesh)),
                Ok(summary) => summary.print(&mut anstream::stdout().lock(), path, mesh.as_deref(), global)?,
                Err(error) if global.json => {
                    let entry = facts::with_script(output::unreadable(path, error), path);
                    entries.push(secondlife::with_header(entry, path, error));
                }
                Err(error) => output::complain(error),
            }
            Ok(outcome)
        })?;
        for (number, path, mut animation) in animations {
            animation.beside(&skeletons);
            if let Some(entry) = entries.get_mut(number.saturating_sub(1)) {
                *entry = animation.json(&path);
            }
            if !global.json {
                animation.print(&mut anstream::stdout().lock(), &path, None, global)?;
            }
        }
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
    sphere: Option<meshpeek::array::Sphere>,
    bones: Vec<(String, i32)>,
    /// How many vertex frames there are, and of how many vertices.
    vertex_frames: Option<(usize, usize)>,
    /// Whether it has bones and what moves them, and never a surface.
    is_animation: bool,
    /// What else is worth a line, and what it is about.
    remarks: Vec<(&'static str, String)>,
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
    /// Whether all of it is known, or what the header says.
    pub is_whole: bool,
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
        // What is only told inflates nothing, and so sees no more than the header.
        let uninflated = if described == Described::None { unigine::compressed(model) } else { None };
        let mut findings = Vec::new();
        if let Some(mesh) = uninflated {
            findings.extend(mesh.end().err().as_ref().and_then(meshpeek::finding));
        } else {
            // The findings tell of what cannot be read; the rest is told all the same.
            let surveyed = opened.findings(false, false, &mut |finding| findings.push(finding));
            unless_told(surveyed, ())?;
        }
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
            let (counts, is_whole) = counted(model, &surface, uninflated.is_some())?;
            let told = meshpeek::Name::new(name.as_bytes().get(..longest).unwrap_or(name.as_bytes()));
            Ok(SurfaceSummary {
                index: surface.index(),
                lod: None,
                name: told.to_string_lossy(),
                shares: matches!(model, Model::EzMesh(system) if ezmesh::shares(system, surface.index())),
                material: surface.material()?.map(|material| material.to_string_lossy()),
                bounds: unless_told(surface.bounds(), Bounds::EMPTY)?,
                counts,
                is_whole,
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
            is_animation: matches!(model, Model::UnigineAnimation(_)),
            remarks: if in_full { Vec::new() } else { facts::remarks(model) },
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

    /// Adds which mesh an animation moves, of those that were named with it.
    fn beside(&mut self, skeletons: &Skeletons) {
        let Some(fit) = skeletons.fit(&self.bones) else { return };
        self.properties = output::with(std::mem::take(&mut self.properties), "mesh", fit.json());
        self.remarks.push(("moves", fit.in_words()));
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
            is_animation: false,
            remarks: Vec::new(),
            blocks,
            surfaces,
            left_out: 0,
            clips: Vec::new(),
            properties,
            findings,
            files: Vec::new(),
        })
    }
}

/// Counts what a surface has and, where its block is not to be inflated or cannot be, what the header says of that; tells
/// whether all is known.
fn counted(model: &Model<Data>, surface: &Surface<'_>, uninflated: bool) -> meshpeek::Result<(Counts, bool)> {
    let Some(mesh) = unigine::compressed(model) else {
        return Ok((unless_told(surface.counts(), Counts::default())?, true));
    };
    let known = if uninflated { None } else { unless_told(surface.counts().map(Some), None)? };
    match known {
        Some(counts) => Ok((counts, true)),
        None => Ok((mesh.header_counts(surface.index())?.unwrap_or_default(), false)),
    }
}

/// Returns what was read of a part or, where the part is damaged in a file whose other parts are not, `otherwise`: the
/// findings tell of it.
fn unless_told<T>(read: meshpeek::Result<T>, otherwise: T) -> meshpeek::Result<T> {
    match read {
        Err(error) if STANDING.contains(&error.format()) && meshpeek::finding(&error).is_some() => Ok(otherwise),
        read => read,
    }
}
