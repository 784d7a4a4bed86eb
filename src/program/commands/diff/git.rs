//! Runs as the external diff program of Git, which passes two versions of one file.

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};

use super::both::Both;
use super::options::DiffOptions;
use super::report::{DiffDetail, print_text};
use super::side::DiffSide;
use crate::Name;
use crate::io::open_regular;
use crate::model::Counts;
use crate::program::args::Global;
use crate::program::outcome::{Outcome, usage};
use crate::program::output::{is_pipe_closed, shown};

/// The path with which Git names the missing version of a file.
const MISSING: [&str; 2] = ["/dev/null", "nul"];
/// The number of surfaces of an added or removed mesh that are listed.
const MAX_SURFACES: usize = 16;
const BOLD: Style = Style::new().bold();

/// Prints the differences between two versions of a file.
///
/// The outcome is always `Fine`, because Git stops at any other exit code. An error is printed
/// instead of the differences.
pub fn run(arguments: &[PathBuf], options: &DiffOptions, global: &Global) -> anyhow::Result<Outcome> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let (path, versions) = match arguments {
        [path] => {
            writeln!(out, "{BOLD}diff {}{BOLD:#}\nunmerged", shown(path))?;
            out.flush()?;
            return Ok(Outcome::Fine);
        }
        // After a rename, the new path and the similarity follow the usual arguments.
        [path, old, _, _, new, _, _] | [path, old, _, _, new, _, _, _, _] => (path, Both::new(old, new)),
        _ => {
            usage!("--git: expected the 7 arguments of Git, found {}", arguments.len());
        }
    };
    let new_path = arguments.get(7).unwrap_or(path);
    let labels = Both::new(path, new_path);
    let renamed = if path == new_path { String::new() } else { format!(" -> {}", shown(new_path)) };
    writeln!(out, "{BOLD}diff {}{renamed}{BOLD:#}", shown(path))?;
    if let Err(error) = compare(versions, labels, options, global, &mut out) {
        if is_pipe_closed(&error) {
            return Err(error);
        }
        // The paths of temporary files differ in each run.
        let text = error.to_string().replace(&shown(versions.a), &shown(labels.a));
        let text = text.replace(&shown(versions.b), &shown(labels.b));
        writeln!(out, "cannot be compared as meshes: {text}")?;
        write_sizes(versions, &mut out)?;
    }
    out.flush()?;
    Ok(Outcome::Fine)
}

fn compare(
    versions: Both<&PathBuf>,
    labels: Both<&PathBuf>,
    options: &DiffOptions,
    global: &Global,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let open = |path: &Path, label: &Path| -> anyhow::Result<Option<DiffSide>> {
        if is_missing(path) {
            return Ok(None);
        }
        DiffSide::open(path, label, global).map(Some)
    };
    let sides = Both { a: open(versions.a, labels.a)?, b: open(versions.b, labels.b)? };
    match (&sides.a, &sides.b) {
        (Some(a), Some(b)) => {
            print_text(Both::new(a, b), options, DiffDetail::Full, out)?;
        }
        (Some(side), None) => describe(side, '-', AnsiColor::Red.on_default(), out)?,
        (None, Some(side)) => describe(side, '+', AnsiColor::Green.on_default(), out)?,
        (None, None) => {}
    }
    Ok(())
}

fn is_missing(path: &Path) -> bool {
    MISSING.iter().any(|missing| path == Path::new(missing))
}

/// Describes an added or removed mesh.
fn describe(side: &DiffSide, mark: char, style: Style, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{style}{mark}{mark}{mark} {}{style:#}", side.heading())?;
    let model = &side.asset.model;
    let surfaces = side.locate(model.surfaces())?;
    let count = surfaces.len();
    for surface in surfaces.take(MAX_SURFACES) {
        let index = surface.index();
        let name = Name::new(side.locate(surface.name())?.as_bytes()).to_string();
        let Counts { vertices, corners, .. } = side.locate(surface.counts())?;
        let name = if name.is_empty() { name } else { format!(" ({name})") };
        writeln!(out, "{style}{mark} surface {index}{name}: {vertices} vertices, {} triangles{style:#}", corners / 3)?;
    }
    if count > MAX_SURFACES {
        writeln!(out, "{style}{mark} and {} more surfaces{style:#}", count.saturating_sub(MAX_SURFACES))?;
    }
    Ok(side.check()?)
}

/// Writes the sizes of two versions that cannot be compared as meshes.
fn write_sizes(versions: Both<&PathBuf>, out: &mut dyn Write) -> io::Result<()> {
    let size = |path: &PathBuf| match path.metadata() {
        _ if is_missing(path) => "no file".to_owned(),
        Ok(metadata) => format!("{} bytes", metadata.len()),
        Err(_) => "unreadable".to_owned(),
    };
    write!(out, "{} -> {}", size(versions.a), size(versions.b))?;
    if let Ok((differing, first)) = differing_bytes(versions)
        && let Some(first) = first
    {
        write!(out, "; {differing} bytes differ, first at {first}")?;
    }
    writeln!(out)
}

/// Returns the number of bytes that differ up to the end of the shorter file, and the offset of the
/// first of them. Only regular files are compared.
fn differing_bytes(versions: Both<&PathBuf>) -> crate::Result<(u64, Option<u64>)> {
    let read = |path: &PathBuf| -> crate::Result<_> {
        let (file, metadata) = open_regular(path)?;
        Ok(io::BufReader::new(file.take(metadata.len())).bytes())
    };
    let (a, b) = (read(versions.a)?, read(versions.b)?);
    let (mut differing, mut first) = (0_u64, None);
    for ((a, b), offset) in a.zip(b).zip(0..) {
        if a? != b? {
            differing = differing.saturating_add(1);
            first.get_or_insert(offset);
        }
    }
    Ok((differing, first))
}
