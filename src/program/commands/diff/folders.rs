//! Compares the meshes in two folders, which are paired by their paths in the folders.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::AnsiColor;
use serde_json::Value;

use super::both::Both;
use super::options::DiffOptions;
use super::report::{DiffDetail, print_text, write_error, write_json};
use super::side::DiffSide;
use crate::program::args::{Global, WalkArgs};
use crate::program::input::mesh_paths;
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::{
    JsonWriter, ProgressMeter, complain_about, is_pipe_closed, print_document, shown, suspended,
};

/// The files of both folders, by their paths in the folders.
type FilesByPath = BTreeMap<PathBuf, Both<Option<PathBuf>>>;

/// The comparison of two folders.
struct FolderComparison<'c> {
    options: &'c DiffOptions,
    detail: DiffDetail,
    global: &'c Global,
    worst: Outcome,
}

/// Compares two folders, and prints the differences.
pub fn run(
    folders: Both<&Path>,
    walk: &WalkArgs,
    options: &DiffOptions,
    detail: DiffDetail,
    global: &Global,
) -> anyhow::Result<Outcome> {
    let files = files_by_path(folders, walk, global)?;
    if files.is_empty() {
        let [a, b] = [folders.a, folders.b].map(shown);
        usage!("{a} and {b}: expected a mesh in one of the folders, found none");
    }
    let mut comparison = FolderComparison { options, detail, global, worst: Outcome::Fine };
    if global.json {
        comparison.print_json(folders, &files)?;
    } else {
        comparison.print_text(&files)?;
    }
    Ok(comparison.worst)
}

/// Finds the meshes of two folders.
fn files_by_path(folders: Both<&Path>, walk: &WalkArgs, global: &Global) -> Result<FilesByPath, UsageError> {
    let mut files = FilesByPath::new();
    for (folder, is_a) in [(folders.a, true), (folders.b, false)] {
        for path in mesh_paths(folder, walk, global)? {
            let found = files.entry(path.strip_prefix(folder).unwrap_or(&path).to_owned()).or_default();
            *if is_a { &mut found.a } else { &mut found.b } = Some(path);
        }
    }
    Ok(files)
}

impl FolderComparison<'_> {
    fn print_text(&mut self, files: &FilesByPath) -> anyhow::Result<()> {
        let bar = ProgressMeter::of_items(files.len().try_into().unwrap_or(u64::MAX), "files", self.global);
        let mut out = io::BufWriter::new(anstream::stdout().lock());
        for (path, files) in files {
            bar.set_message(shown(path));
            let outcome = suspended(|| self.print_file(path, files, &mut out));
            self.worst = self.worst.max(outcome?);
            bar.add(1);
        }
        drop(bar);
        Ok(())
    }

    /// Prints the differences between two files, or that one of them does not exist.
    fn print_file(&self, path: &Path, files: &Both<Option<PathBuf>>, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let Both { a: Some(a), b: Some(b) } = files else {
            let is_in_a = files.a.is_some();
            let (mark, side, color) = if is_in_a { ('-', 'A', AnsiColor::Red) } else { ('+', 'B', AnsiColor::Green) };
            let style = color.on_default();
            if self.detail != DiffDetail::Nothing {
                writeln!(out, "{style}{mark} {}: only in {side}{style:#}", shown(path))?;
            }
            out.flush()?;
            return Ok(Outcome::Differences);
        };
        let detail = if self.detail == DiffDetail::Full { DiffDetail::Differing } else { self.detail };
        let done = self.open(a, b).and_then(|sides| print_text(sides.as_ref(), self.options, detail, out));
        out.flush()?;
        // If two files cannot be compared, the other files of the folders are still compared.
        done.or_else(|error| if is_pipe_closed(&error) { Err(error) } else { Ok(complain_about(&error)) })
    }

    /// Opens the files of a pair.
    fn open(&self, a: &Path, b: &Path) -> anyhow::Result<Both<DiffSide>> {
        Ok(Both { a: DiffSide::open(a, a, self.global)?, b: DiffSide::open(b, b, self.global)? })
    }

    fn print_json(&mut self, folders: Both<&Path>, files: &FilesByPath) -> anyhow::Result<()> {
        print_document(|out| {
            out.field("a", folders.a.to_string_lossy())?;
            out.field("b", folders.b.to_string_lossy())?;
            out.key("files").open(b"[")?;
            for (path, files) in files {
                out.open(b"{")?;
                out.field("path", path.to_string_lossy())?;
                let outcome = self.write_file(files, out)?;
                self.worst = self.worst.max(outcome);
                out.close(b"}")?;
            }
            out.close(b"]")?;
            Ok(out.field("equal", self.worst == Outcome::Fine)?)
        })
    }

    /// Writes the fields of the entry of two files.
    fn write_file(&self, files: &Both<Option<PathBuf>>, out: &mut JsonWriter<'_>) -> anyhow::Result<Outcome> {
        let Both { a: Some(a), b: Some(b) } = files else {
            out.field("only", if files.a.is_some() { "a" } else { "b" })?;
            return Ok(Outcome::Differences);
        };
        out.field("only", Value::Null)?;
        match self.open(a, b) {
            Ok(sides) => write_json(sides.as_ref(), self.options, out),
            Err(error) => write_error(&error, out),
        }
    }
}
