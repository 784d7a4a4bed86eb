//! `info`: describes the content of a file.

mod render;
mod skeletons;
mod summary;

use clap::Args;
use serde_json::{Value, json};

use crate::args::{Files, Global};
use crate::formats::options::LodFilter;
use crate::formats::{describe_missing, describe_unopened};
use crate::input::asset::InputAsset;
use crate::input::open::each;
use crate::outcome::Outcome;
use crate::render::json::{document, of_mesh, print_json, unreadable, with};
use crate::render::text::complain;

use skeletons::Skeletons;
use summary::FileSummary;

const HELP: &str = "\
Reads headers, counts, and one byte for each skinned vertex and each key of a bone. It reads no vertices, so it takes milliseconds \
even for a large file. There are two exceptions: Unreal meshes store no bounding box, and those in EZ-Mesh files are unreliable. Their \
bounding boxes are computed from the vertices (in Unreal meshes, from those of frame 0).

Compressed blocks are inflated one after another to read their counts. With --lod none, nothing is inflated, and the counts are those \
in the header. The findings are those about the structure of the file; `validate` checks every value. A script is described mesh by mesh.

Examples:
  meshpeek info model.mesh
  meshpeek info assets --json | jq '.files[] | {path, version, bytes}'";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct InfoArgs {
    #[command(flatten)]
    files: Files,
    /// Level of detail to describe; `none` prints only the header and inflates nothing
    ///
    /// If an asset lacks the level, the level that a viewer would show instead is described. `none`
    /// also applies to UNIGINE ms14 and ms15 meshes; the other levels apply to Second Life meshes
    /// only.
    #[arg(long, value_enum, default_value_t = LodFilter::High, help_heading = "Meshes of compressed blocks")]
    lod: LodFilter,
}

impl InfoArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let mut entries = Vec::new();
        // An animation is printed together with the mesh that it moves. The descriptions of
        // animations are therefore kept in memory until all meshes have been opened.
        let (mut skeletons, mut animations) = (Skeletons::default(), Vec::new());
        let (outcome, missing) = each(&self.files.files, global, |path, asset| {
            let mesh = asset.as_ref().ok().and_then(InputAsset::mesh_name);
            let summary = asset.and_then(|asset| {
                FileSummary::of(&asset, self.lod, global.json).map_err(|error| asset.locate_error(error, path))
            });
            let outcome =
                summary.as_ref().map_or_else(Outcome::of_error, |summary| Outcome::of_findings(&summary.findings));
            match summary {
                Ok(summary) if summary.is_animation => {
                    entries.push(Value::Null);
                    animations.push((entries.len(), path.to_owned(), summary));
                }
                Ok(summary) => {
                    skeletons.add(path, &summary.bones);
                    if global.json {
                        entries.push(of_mesh(summary.json(path), mesh));
                    } else {
                        summary.print(&mut anstream::stdout().lock(), path, mesh.as_deref(), global)?;
                    }
                }
                Err(error) if global.json => entries.push(describe_unopened(unreadable(path, &error), path, &error)),
                Err(error) => complain(&error),
            }
            Ok(outcome)
        })?;
        for (number, path, mut animation) in animations {
            animation.add_mesh(&skeletons);
            if let Some(entry) = entries.get_mut(number.saturating_sub(1)) {
                *entry = animation.json(&path);
            }
            if !global.json {
                animation.print(&mut anstream::stdout().lock(), &path, None, global)?;
            }
        }
        if global.json {
            let mut files = json!({ "files": entries });
            if !missing.is_empty() {
                files = with(files, "unresolved", missing.iter().map(describe_missing).collect());
            }
            print_json(&document(files))?;
        }
        Ok(outcome)
    }
}
