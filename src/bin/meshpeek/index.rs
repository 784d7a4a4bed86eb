//! `index`: builds sidecars, and removes them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use meshpeek::sidecar::{self, Builder, Kind};
use meshpeek::{Error, ErrorKind, Field, query};
use serde_json::{Map, Value, json};

use crate::input::STDIN;
use crate::opened::Opened;
use crate::output::{self, Misuse, Outcome, shown};
use crate::staged::Staged;
use crate::{Files, Global, input};

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
pub struct Index {
    #[command(flatten)]
    files: Files,
    /// Remove the sidecars instead, those beside the files included
    #[arg(long, conflicts_with = "beside")]
    clear: bool,
    /// Write beside the file instead of into the cache
    #[arg(long)]
    beside: bool,
}

impl Index {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let mut documents = Vec::new();
        let (outcome, _) = input::each(&self.files.files, global, |path, opened| {
            // A sidecar is removed whatever has become of its file.
            let done = match opened {
                Ok(_) if self.clear && path != Path::new(STDIN) => clear(path),
                Ok(opened) => self.one(path, &opened),
                Err(error) if self.clear => match clear(path) {
                    Ok(Told::Removed(places)) if places.is_empty() => Err(error.into()),
                    cleared => cleared,
                },
                Err(error) => Err(error.into()),
            };
            let told = match done {
                Ok(told) => told,
                Err(error) if global.json && error.is::<Error>() => {
                    let outcome = output::report(&error, &Global { json: false, ..global.clone() });
                    let fault = error.downcast_ref::<Error>();
                    documents.extend(fault.map(|fault| output::unreadable(path, fault)));
                    return Ok(outcome);
                }
                Err(error) => return Ok(output::report(&error, global)),
            };
            if global.json {
                documents.push(told.document(path));
            } else if !global.quiet {
                writeln!(anstream::stdout().lock(), "{}: {}", shown(path), told.line())?;
            }
            Ok(Outcome::Fine)
        })?;
        if global.json {
            output::print_json(&output::document(json!({ "files": documents })))?;
        }
        Ok(outcome)
    }

    fn one(&self, path: &Path, opened: &Opened) -> anyhow::Result<Told> {
        let blamed = |error: Error| opened.blame(error, path);
        let mut builder = Builder::default();
        opened.model.index(&mut builder).map_err(blamed)?;
        // A key speaks for one file, and those of a pair belong together.
        let geometry = opened.model.geometry();
        let trees = if opened.pair.is_none() { query::worth_storing(geometry).map_err(blamed)? } else { Vec::new() };
        opened.check()?;
        if builder.is_empty() && trees.is_empty() {
            return Ok(Told::Needless);
        }
        // Taken before the file was opened: what is written while it is read makes another key.
        let Some(key) = opened.key else {
            return Err(Misuse(format!("{}: only a file has a sidecar", shown(path))).into());
        };
        if input::identity(path) != Some(key) {
            return Err(Error::without_offset("file", Field::new("file"), ErrorKind::Changed).at_path(path).into());
        }
        let place = self.place(path)?;
        let mut size = 0;
        let staged = Staged::write(&place, true, |file| {
            let mut out = std::io::BufWriter::new(file);
            query::write_sidecar(&mut builder, geometry, &key, &mut out).map_err(|error| match error.kind() {
                ErrorKind::Io(_) => error.at_path(&place),
                _ => blamed(error),
            })?;
            out.flush()?;
            size = out.get_ref().metadata()?.len();
            Ok(())
        })?;
        // The trees were built from what it is now.
        opened.check()?;
        staged.finish()?;
        Ok(Told::Written { place, size, counts: Kind::ALL.map(|kind| (kind, builder.count(kind))) })
    }

    /// Finds where to write, and makes the folder.
    fn place(&self, path: &Path) -> anyhow::Result<PathBuf> {
        if self.beside {
            return regular(sidecar::beside(path));
        }
        let place = sidecar::place(path);
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

/// Refuses a place at which something else stands than a file: a link would be followed.
fn regular(place: PathBuf) -> anyhow::Result<PathBuf> {
    match fs::symlink_metadata(&place) {
        Ok(metadata) if !metadata.is_file() => {
            anyhow::bail!("{}: expected a sidecar or nothing, found something else; remove it", shown(&place))
        }
        _ => Ok(place),
    }
}

/// Removes what sidecars a file has.
fn clear(path: &Path) -> anyhow::Result<Told> {
    let mut removed = Vec::new();
    for place in sidecar::place(path).into_iter().chain([sidecar::beside(path)]) {
        match fs::remove_file(&place) {
            Ok(()) => removed.push(place),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be removed", shown(&place))),
        }
    }
    Ok(Told::Removed(removed))
}

/// What was done.
enum Told {
    Written { place: PathBuf, size: u64, counts: [(Kind, u64); Kind::ALL.len()] },
    Needless,
    Removed(Vec<PathBuf>),
}

impl Told {
    fn line(&self) -> String {
        match self {
            Self::Written { place, size, counts } => {
                let counts = counts.iter().filter(|(_, count)| *count > 0);
                let counts: Vec<_> =
                    counts.map(|(kind, count)| format!("{count} {}", kind.name().replace('_', " "))).collect();
                format!("{}, {size} bytes: {}", shown(place), counts.join(", "))
            }
            Self::Needless => "needs no sidecar: everything in it is found without a walk".to_owned(),
            Self::Removed(places) if places.is_empty() => "had no sidecar".to_owned(),
            Self::Removed(places) => {
                let places: Vec<_> = places.iter().map(|place| shown(place)).collect();
                format!("removed {}", places.join(", "))
            }
        }
    }

    fn document(&self, path: &Path) -> Value {
        let path = path.to_string_lossy();
        let named = |place: &PathBuf| Value::from(place.to_string_lossy());
        match self {
            Self::Written { place, size, counts } => {
                let counts: Map<_, _> =
                    counts.iter().map(|(kind, count)| (kind.name().to_owned(), (*count).into())).collect();
                json!({ "path": path, "sidecar": named(place), "bytes": size, "records": counts })
            }
            Self::Needless => json!({ "path": path, "sidecar": null }),
            Self::Removed(places) => json!({ "path": path, "removed": places.iter().map(named).collect::<Value>() }),
        }
    }
}
