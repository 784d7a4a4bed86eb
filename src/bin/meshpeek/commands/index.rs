//! `index`: builds sidecars, and removes them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use meshpeek::sidecar::{self, Builder, Kind};
use meshpeek::{Error, ErrorKind, Field, query};
use serde_json::{Map, Value, json};

use crate::args::{Files, Global, STDIN};
use crate::atomic_write::AtomicFile;
use crate::input::asset::InputAsset;
use crate::input::bytes::identity;
use crate::input::open::each;
use crate::outcome::{Outcome, UsageError};
use crate::render::json::{document, print_json, unreadable};
use crate::render::report::report;
use crate::render::text::shown;

const HELP: &str = "\
A sidecar holds what finding things in a file would cost a walk: where each surface and animation of a UNIGINE mesh or \
animation starts, which weights belong to which vertex, checkpoints of animations; for programs, where vertices of EZ-Mesh text start; \
and a tree over the triangles of each surface that has 1,024 or more, for query. It lies in the user's cache \
($XDG_CACHE_HOME/meshpeek, ~/.cache/meshpeek), speaks for the file as it is now, and is passed over once that has \
changed. dump and query use it; info, map and validate look at the file itself. Answers are the same with it and without, as long as nobody writes to the file through a mapping of its own, which leaves its times alone.

Second Life meshes find everything without a walk, compressed UNIGINE meshes have a table of their own: of those, only trees are \
kept. A file that needs none gets none; nor do Unreal meshes, which are pairs of files.

With --beside it lies beside the file, as FILE.mpidx, and may travel with it. Since anybody may have made such a one, it \
is compared with the whole file before it is used, which takes longer than doing without.

Examples:
  meshpeek index city.mesh
  meshpeek index 'assets/**/*.mesh' --json
  meshpeek index --clear city.mesh";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct IndexArgs {
    #[command(flatten)]
    files: Files,
    /// Remove the sidecars instead, those beside the files included
    #[arg(long, conflicts_with = "beside")]
    clear: bool,
    /// Write beside the file instead of into the cache
    #[arg(long)]
    beside: bool,
}

impl IndexArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let mut documents = Vec::new();
        let (outcome, _) = each(&self.files.files, global, |path, asset| {
            // A sidecar is removed even if its file cannot be opened.
            let done = match asset {
                Ok(_) if self.clear && path != Path::new(STDIN) => clear(path),
                Ok(asset) => self.index(path, &asset),
                Err(error) if self.clear => match clear(path) {
                    Ok(IndexResult::Removed(places)) if places.is_empty() => Err(error.into()),
                    cleared => cleared,
                },
                Err(error) => Err(error.into()),
            };
            let result = match done {
                Ok(result) => result,
                Err(error) if global.json && error.is::<Error>() => {
                    let outcome = report(&error, &Global { json: false, ..global.clone() });
                    let fault = error.downcast_ref::<Error>();
                    documents.extend(fault.map(|fault| unreadable(path, fault)));
                    return Ok(outcome);
                }
                Err(error) => return Ok(report(&error, global)),
            };
            if global.json {
                documents.push(result.json(path));
            } else if !global.quiet {
                writeln!(anstream::stdout().lock(), "{}: {}", shown(path), result.line())?;
            }
            Ok(Outcome::Fine)
        })?;
        if global.json {
            print_json(&document(json!({ "files": documents })))?;
        }
        Ok(outcome)
    }

    fn index(&self, path: &Path, asset: &InputAsset) -> anyhow::Result<IndexResult> {
        let located = |error: Error| asset.locate_error(error, path);
        let mut builder = Builder::default();
        asset.model.file().index(&mut builder).map_err(located)?;
        // A key identifies one file, and the files of a pair belong together.
        let geometry = asset.model.geometry()?;
        let trees = if asset.pair.is_none() { query::worth_storing(geometry).map_err(located)? } else { Vec::new() };
        asset.check()?;
        if builder.is_empty() && trees.is_empty() {
            return Ok(IndexResult::NotNeeded);
        }
        // The key from before the file was opened: writing to the file meanwhile changes it.
        let Some(key) = asset.key else {
            return Err(UsageError(format!("{}: only a file has a sidecar", shown(path))).into());
        };
        if identity(path) != Some(key) {
            return Err(Error::without_offset("file", Field::new("file"), ErrorKind::Changed).at_path(path).into());
        }
        let place = self.sidecar_path(path)?;
        let mut size = 0;
        let file = AtomicFile::write(&place, true, |file| {
            let mut out = std::io::BufWriter::new(file);
            query::write_sidecar(&mut builder, geometry, &key, &mut out).map_err(|error| match error.kind() {
                ErrorKind::Io(_) => error.at_path(&place),
                _ => located(error),
            })?;
            out.flush()?;
            size = out.get_ref().metadata()?.len();
            Ok(())
        })?;
        // The trees must have been built from the file as it is now.
        asset.check()?;
        file.finish()?;
        Ok(IndexResult::Written { place, size, counts: Kind::ALL.map(|kind| (kind, builder.count(kind))) })
    }

    /// Returns the path to write to, and creates its folder.
    fn sidecar_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        if self.beside {
            return regular(sidecar::adjacent_path(path));
        }
        let place = sidecar::cache_path(path);
        let place = place.with_context(|| {
            format!("{}: there is no folder for caches: set HOME or XDG_CACHE_HOME, or use --beside", shown(path))
        })?;
        if let Some(folder) = place.parent() {
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            let made = builder.recursive(true).create(folder);
            made.with_context(|| format!("{}: cannot be made", shown(folder)))?;
        }
        regular(place)
    }
}

/// Returns an error if the path exists and is no file: a link would be followed.
fn regular(place: PathBuf) -> anyhow::Result<PathBuf> {
    match fs::symlink_metadata(&place) {
        Ok(metadata) if !metadata.is_file() => {
            anyhow::bail!("{}: expected a sidecar or nothing, found something else; remove it", shown(&place))
        }
        _ => Ok(place),
    }
}

/// Removes what sidecars a file has.
fn clear(path: &Path) -> anyhow::Result<IndexResult> {
    let mut removed = Vec::new();
    for place in sidecar::cache_path(path).into_iter().chain([sidecar::adjacent_path(path)]) {
        match fs::remove_file(&place) {
            Ok(()) => removed.push(place),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be removed", shown(&place))),
        }
    }
    Ok(IndexResult::Removed(removed))
}

/// What was done with a file's sidecar.
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
                let counts: Vec<_> =
                    counts.map(|(kind, count)| format!("{count} {}", kind.name().replace('_', " "))).collect();
                format!("{}, {size} bytes: {}", shown(place), counts.join(", "))
            }
            Self::NotNeeded => "needs no sidecar: everything in it is found without a walk".to_owned(),
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
