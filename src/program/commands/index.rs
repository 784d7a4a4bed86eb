//! `index`: builds the sidecars of mesh files, or removes them.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::io::OpenFolder;
use crate::sidecar::{self, Kind, SidecarCache};
use crate::{Error, ErrorKind};
use anyhow::Context as _;
use clap::Args;
use serde_json::{Map, Value, json};

use crate::program::args::{Files, Global, STDIN};
use crate::program::atomic_write::{PendingOutput, Replace, folder, is_sidecar, open_folder};
use crate::program::describe::rows::SelectedFiles;
use crate::program::input::{InputAsset, identity};
use crate::program::outcome::{Outcome, usage};
use crate::program::output::{JsonWriter, counted, error_json, note, report, shown, suspended};

const HELP: &str = "\
A sidecar is an index of one file. Without it, some data can only be found by reading the data before it. A sidecar holds the \
offsets of the surfaces and animations in UNIGINE files, the offsets of the weights of vertices, and checkpoints of animations. It \
also holds the offsets of the vertices in EZ-Mesh text, which only programs use, and a tree over the triangles of each surface with \
1,024 triangles or more, which query uses.

It is written to the user's cache folder, $XDG_CACHE_HOME/meshpeek or ~/.cache/meshpeek. It is valid for the present state of the file, \
and is ignored once the file has changed. dump and query use it; info, map and validate read only the file itself. The answers are the \
same with and without a sidecar. There is one exception: if a program changes the file through its own memory map, the times of the \
file may stay the same. Use --clear after that.

Second Life meshes and compressed UNIGINE meshes have their own tables of offsets, so their sidecars hold only trees. No sidecar is \
written if the file needs none. Unreal meshes never have one, because they are pairs of files.

With --beside, the sidecar is written to the folder of the file as FILE.mpidx and can be moved together with it. Anyone could have \
written such a sidecar, so it is compared with the whole file before it is used. This takes longer than working without a sidecar.

Examples:
  meshpeek index data/unigine/skinned_ms12.mesh
  meshpeek index 'data/**/*.mesh' --json
  meshpeek index --clear data/unigine/skinned_ms12.mesh";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct IndexArgs {
    #[command(flatten)]
    pub files: Files,
    /// Remove the sidecars of the files, in the cache and next to the files
    #[arg(long, conflicts_with = "beside")]
    clear: bool,
    /// Write the sidecar next to the file, as FILE.mpidx, instead of to the cache
    #[arg(long)]
    beside: bool,
}

impl IndexArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let files = SelectedFiles::for_output(&self.files)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut json = if global.json { Some(JsonWriter::indented(&mut out)) } else { None };
        if let Some(json) = &mut json {
            json.start_entries()?;
        }
        let (outcome, omitted) = files.each(global, |path, asset| {
            // The sidecar is removed even if its mesh file cannot be opened.
            let done = match asset {
                Ok(_) if self.clear && path != Path::new(STDIN) => clear(path, global),
                Ok(asset) => self.index(path, &asset).map_err(|error| asset.locate_any_error(error, path)),
                Err(error) if self.clear => match clear(path, global) {
                    Ok(IndexResult::Removed(places)) if places.is_empty() => Err(error.into()),
                    cleared => cleared,
                },
                Err(error) => Err(error.into()),
            };
            let result = match done {
                Ok(result) => result,
                Err(error) => {
                    if let Some(json) = &mut json {
                        json.value(&json!({ "path": path.to_string_lossy(), "error": error_json(&error) }))?;
                    }
                    return Ok(report(&error, &Global { json: false, ..global.clone() }));
                }
            };
            if let Some(json) = &mut json {
                json.value(&result.json(path))?;
            } else if !global.quiet {
                suspended(|| writeln!(anstream::stdout().lock(), "{}: {}", shown(path), result.line()))?;
            }
            Ok(Outcome::Fine)
        })?;
        if let Some(json) = &mut json {
            json.close(b"]")?;
            json.field("passed_by", omitted.passed_by.total())?;
            json.end()?;
        }
        Ok(outcome)
    }

    fn index(&self, path: &Path, asset: &InputAsset) -> anyhow::Result<IndexResult> {
        let located = |error: Error| asset.locate_error(error, path);
        let content = asset.model.sidecar_content().map_err(located)?;
        asset.check()?;
        let Some(mut content) = content else { return Ok(IndexResult::NotNeeded) };
        // The key of the mesh file was computed before the mesh file was opened. If the mesh file
        // is changed after its key was computed, the changed file has a different key, and the
        // sidecar is not used for the changed file.
        let text = "expected an unchanged file, found that it was modified after it was opened";
        let changed = || Error::custom(ErrorKind::Changed, text).at_path(path);
        let key = match (asset.key, identity(path)) {
            (Some(key), Some(now)) if key == now => key,
            // It was not a regular file, or could not be described, when it was opened.
            (None, None) => {
                usage!("{}: only a regular file can have a sidecar", shown(path));
            }
            _ => return Err(changed().into()),
        };
        let (place, folder) = self.sidecar_path(path)?;
        // A file in the cache of the user is a sidecar even if it is damaged.
        let (replace, mode) = if self.beside { (Replace::Sidecar, None) } else { (Replace::Any, Some(0o600)) };
        let mut size = 0;
        let file = PendingOutput::write_in(folder, place.clone(), replace, mode, |file| {
            let mut out = io::BufWriter::new(file);
            content.write_to(&key, &mut out).map_err(|error| match error.kind() {
                ErrorKind::Io => error.at_path(&place),
                _ => located(error),
            })?;
            out.flush()?;
            size = out.get_ref().size()?;
            Ok(())
        })
        .map_err(|error| match error.downcast::<Error>() {
            Ok(error) => error.into(),
            Err(error) => error.context(format!("{}: cannot be written", shown(&place))),
        })?;
        // If the mesh file has changed since it was opened, the query trees in the sidecar would
        // not match its content.
        asset.check()?;
        file.finish()?;
        Ok(IndexResult::Written { place, size, counts: Kind::ALL.map(|kind| (kind, content.count(kind))) })
    }

    /// Returns the path of the sidecar to write, and its open folder. The cache folder is created
    /// if it does not exist.
    fn sidecar_path(&self, path: &Path) -> anyhow::Result<(PathBuf, OpenFolder)> {
        if self.beside {
            let place = sidecar::adjacent_path(path);
            let folder = open_folder(&place, &place)?;
            return Ok((place, folder));
        }
        let place = SidecarCache::of_user().path(path);
        let place = place.with_context(|| {
            format!("{}: no cache folder is known; set HOME or XDG_CACHE_HOME, or use --beside", shown(path))
        })?;
        let cache = folder(&place);
        OpenFolder::create(cache).with_context(|| format!("{}: cannot be created", shown(cache)))?;
        let open = OpenFolder::open_own(cache).with_context(|| format!("{}: cannot be used", shown(cache)))?;
        Ok((place, open))
    }
}

/// Removes the sidecars of a mesh file, in the cache folder and next to the file.
fn clear(path: &Path, global: &Global) -> anyhow::Result<IndexResult> {
    let mut removed = Vec::new();
    if let Some(place) = SidecarCache::of_user().path(path) {
        match OpenFolder::open_own(folder(&place)) {
            Ok(cache) => {
                let name = place.file_name().unwrap_or_default();
                let existing = cache.existing(name).with_context(|| format!("{}: cannot be read", shown(&place)))?;
                remove(&cache, place, existing.map(|existing| existing.is_regular), &mut removed, global)?;
            }
            // A cache folder of another user, or a link, is not used, so it contains nothing to
            // remove.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
                    || !fs::symlink_metadata(folder(&place)).is_ok_and(|cache| cache.is_dir()) => {}
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be opened", shown(folder(&place)))),
        }
    }
    let place = sidecar::adjacent_path(path);
    match OpenFolder::open(folder(&place)) {
        Ok(folder) => {
            let found = match is_sidecar(&folder, &place) {
                // The name of the mesh file is so long that its sidecar cannot exist.
                Err(error) if error.kind() == io::ErrorKind::InvalidFilename => None,
                found => found.with_context(|| format!("{}: cannot be read", shown(&place)))?,
            };
            remove(&folder, place, found, &mut removed, global)?;
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
        Err(error) => return Err(error).with_context(|| format!("{}: cannot be opened", shown(folder(&place)))),
    }
    Ok(IndexResult::Removed(removed))
}

/// Removes one sidecar. `found` is `None` if no file exists, and `Some(false)` if the file is not a
/// sidecar and is kept.
fn remove(
    folder: &OpenFolder,
    place: PathBuf,
    found: Option<bool>,
    removed: &mut Vec<PathBuf>,
    global: &Global,
) -> anyhow::Result<()> {
    match found {
        None => {}
        Some(false) => note(&format!("{}: is not a sidecar, and is not removed", shown(&place)), global),
        Some(true) => {
            let done = folder.remove(place.file_name().unwrap_or_default());
            done.with_context(|| format!("{}: cannot be removed", shown(&place)))?;
            removed.push(place);
        }
    }
    Ok(())
}

/// The result of the `index` command for one mesh file.
enum IndexResult {
    Written { place: PathBuf, size: u64, counts: [(Kind, u64); Kind::ALL.len()] },
    NotNeeded,
    Removed(Vec<PathBuf>),
}

impl IndexResult {
    fn line(&self) -> String {
        match self {
            Self::Written { place, size, counts } => {
                let counts = counts.iter().filter(|(_, count)| *count > 0);
                let counts = counts.map(|(kind, count)| {
                    let nouns = kind.name().replace('_', " ");
                    counted(*count, nouns.strip_suffix('s').unwrap_or(&nouns))
                });
                let counts: Vec<String> = counts.collect();
                format!("{}, {}: {}", shown(place), counted(*size, "byte"), counts.join(", "))
            }
            Self::NotNeeded => "needs no sidecar: all its data is found directly".to_owned(),
            Self::Removed(places) if places.is_empty() => "had no sidecar".to_owned(),
            Self::Removed(places) => {
                let places: Vec<_> = places.iter().map(|place| shown(place)).collect();
                format!("removed {}", places.join(", "))
            }
        }
    }

    fn json(&self, path: &Path) -> Value {
        let path = path.to_string_lossy();
        let named = |place: &PathBuf| Value::from(place.to_string_lossy());
        match self {
            Self::Written { place, size, counts } => {
                let counts: Map<_, _> =
                    counts.iter().map(|(kind, count)| (kind.name().to_owned(), (*count).into())).collect();
                json!({ "path": path, "sidecar": named(place), "bytes": size, "records": counts })
            }
            Self::NotNeeded => json!({ "path": path, "sidecar": null }),
            Self::Removed(places) => json!({ "path": path, "removed": places.iter().map(named).collect::<Value>() }),
        }
    }
}
