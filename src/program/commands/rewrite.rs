//! `rewrite`: reads a mesh file and writes it again.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::Finding;
use crate::formats::FormatFile;
use crate::formats::unigine::Storage;
use crate::formats::unreal::builder;
use clap::Args;
use serde_json::{Value, json};

use crate::program::args::{Global, OneFile, STDIN};
use crate::program::atomic_write::{PendingOutput, open_folder};
use crate::program::formats::native_output::check_extension;
use crate::program::formats::unigine::block_args::BlockArgs;
use crate::program::formats::{DROPPED_RULES, RESPELLED_RULES};
use crate::program::input::asset::{InputAsset, at_output};
use crate::program::input::open::{open, open_source_file};
use crate::program::input::source_file::SourceFile;
use crate::program::outcome::{Outcome, UsageError};
use crate::program::render::json::{document, findings, print_json, with};
use crate::program::render::text::{counted, print_findings, shown};

const HELP: &str = "\
A sound binary file is written byte for byte as it was. Text (.ezm) is formatted again, but the bits of every number are kept. Data \
that the engine of the format never writes in this way is written as the engine writes it, and is listed as a change. The output is \
written to a temporary file in the folder of OUT, which is renamed when it is complete. If OUT is a link, the file that it refers to \
is replaced.

Of an Unreal mesh, only the named file is written. With --pair, both files are written and named after OUT: `-o new/box` writes \
new/box_d.3d and new/box_a.3d. With --script, the script new/box.uc is written, too. It holds everything that the script of the mesh \
contains about it. If the mesh has no script, a script with the published defaults is generated.

Examples:
  meshpeek rewrite data/unigine/cube_ms13.mesh -o again.mesh
  meshpeek rewrite data/unigine/cube_ms13.mesh -o again.mesh --force
  meshpeek rewrite data/unreal/box_d.3d --pair -o copy
  meshpeek rewrite data/unigine/room_ms14.mesh --blocks raw -o mapped.mesh";

#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct RewriteArgs {
    #[command(flatten)]
    file: OneFile,
    /// Path of the new file, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Write the file even if parts of it are left out, and list these parts
    #[arg(long)]
    allow_loss: bool,
    /// Write both files of an Unreal mesh; OUT is their stem, such as new/box
    #[arg(long, help_heading = "Unreal vertex meshes")]
    pair: bool,
    #[command(flatten)]
    blocks: BlockArgs,
    /// Also write a script for the pair
    #[arg(long, requires = "pair", help_heading = "Unreal vertex meshes")]
    script: bool,
}

/// One file that the `rewrite` command has written.
struct OutputFile {
    path: PathBuf,
    bytes: usize,
    identical: bool,
    /// Whether the file is a generated script. A generated script is not compared with an original
    /// file.
    is_script: bool,
}

impl RewriteArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let file =
            if self.pair { SourceFile::Model(Box::new(open(path, global)?)) } else { open_source_file(path, global)? };
        let done = self.rewrite(&file, global);
        done.map_err(|error| file.locate_any_error(at_output(error, &self.output), path))
    }

    /// Writes one input file again to `out`, with its blocks stored as `--blocks` selects. To write
    /// both files of an Unreal mesh, the command calls `write_pair` instead.
    fn write(&self, file: &SourceFile, out: &mut dyn Write) -> anyhow::Result<()> {
        match file {
            SourceFile::Model(asset) if self.blocks.blocks != Storage::Kept => {
                let text = "--blocks: only UNIGINE ms14 and ms15 meshes have blocks; leave it out";
                match asset.model.format_file() {
                    FormatFile::Unigine(mesh) if mesh.generation().is_compressed() => {
                        Ok(mesh.write_stored(out, self.blocks.blocks)?)
                    }
                    _ => Err(UsageError(text.to_owned()).into()),
                }
            }
            file => Ok(file.write_to(out)?),
        }
    }

    fn rewrite(&self, file: &SourceFile, global: &Global) -> anyhow::Result<Outcome> {
        if !self.pair {
            check_extension(&self.output, file.extensions(), "rewrite")?;
        }
        let changes = self.changes(file)?;
        let must_be_same = self.must_be_same(file, &changes);
        if let (true, SourceFile::Model(asset)) = (self.pair, file) {
            let written = self.write_pair(asset)?;
            self.print(file, &written, &changes, global)?;
        } else if self.output == Path::new(STDIN) {
            if must_be_same {
                // Standard output cannot be taken back, so the output is compared before it is
                // written.
                let mut comparison = Comparison::new(file.bytes());
                self.write(file, &mut ComparingWriter { out: &mut io::sink(), comparison: &mut comparison })?;
                comparison.expect_same()?;
            }
            let mut out = BufWriter::new(io::stdout().lock());
            self.write(file, &mut out)?;
            out.flush()?;
            file.check()?;
            // Because standard output contains the mesh, the list of changes is written to standard
            // error.
            if !global.quiet {
                print_changes(file, &changes, &mut anstream::stderr().lock())?;
            }
        } else {
            let write = |out: &mut dyn Write| self.write(file, out);
            let (temporary, written) = self.write_compared(file.bytes(), &self.output, must_be_same, write)?;
            file.check()?;
            temporary.finish()?;
            self.print(file, &[written], &changes, global)?;
        }
        Ok(Outcome::Fine)
    }

    /// Returns whether the output must be equal to the input file, byte for byte, because no change
    /// was requested or listed.
    fn must_be_same(&self, file: &SourceFile, changes: &[Finding]) -> bool {
        let is_copied = match file {
            SourceFile::Model(asset) => !is_text(asset),
            SourceFile::Script(_) => true,
        };
        is_copied && changes.is_empty() && self.blocks.blocks == Storage::Kept
    }

    /// Returns one finding for each kind of data in the input file whose encoding the writer
    /// changes, or that the writer leaves out.
    ///
    /// Returns an error if the writer would omit data and the command line does not contain
    /// `--allow-loss`.
    fn changes(&self, file: &SourceFile) -> anyhow::Result<Vec<Finding>> {
        let SourceFile::Model(asset) = file else { return Ok(Vec::new()) };
        let mut changes = Vec::new();
        // In text, the values must be parsed to find numbers that the writer changes or leaves out.
        file.findings(is_text(asset), &mut |finding| {
            if RESPELLED_RULES.contains(&finding.rule) || DROPPED_RULES.contains(&finding.rule) {
                changes.push(finding);
            }
        })?;
        let mut losses = changes.iter().filter(|change| DROPPED_RULES.contains(&change.rule));
        if let Some(loss) = losses.next().filter(|_| !self.allow_loss) {
            let text = format!(
                "{} at byte {}: {}; --allow-loss writes the file without this data",
                loss.field, loss.offset, loss.text
            );
            return Err(UsageError(text).into());
        }
        Ok(changes)
    }

    /// Writes the output to a temporary file, and compares the written bytes with the original
    /// file. If `must_be_same` is true, returns an error if the written bytes differ.
    fn write_compared(
        &self,
        original: &[u8],
        path: &Path,
        must_be_same: bool,
        write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    ) -> anyhow::Result<(PendingOutput, OutputFile)> {
        let mut comparison = Comparison::new(original);
        let file = PendingOutput::write(path, self.force, |file| {
            if must_be_same {
                file.reserve(original.len())?;
            }
            let mut out = BufWriter::new(file);
            write(&mut ComparingWriter { out: &mut out, comparison: &mut comparison })?;
            if must_be_same {
                comparison.expect_same()?;
            }
            Ok(out.flush()?)
        })?;
        let (bytes, identical) = (comparison.bytes, comparison.is_same());
        let written = OutputFile { path: path.to_owned(), bytes, identical, is_script: false };
        Ok((file, written))
    }

    /// Writes both files of an Unreal mesh, and with the option `--script` also a script. All files
    /// are completely written before the first of them is renamed.
    fn write_pair(&self, asset: &InputAsset) -> anyhow::Result<Vec<OutputFile>> {
        let FormatFile::Unreal(mesh) = asset.model.format_file() else {
            let text = "--pair: applies to Unreal vertex meshes only, which are pairs of files; leave it out";
            return Err(UsageError(text.to_owned()).into());
        };
        let stem = stem(&self.output)?;
        // If the folder of the files is missing, no single file is to blame.
        open_folder(&self.output, &self.output)?;
        let named = |end: &str| self.output.with_file_name(format!("{stem}{end}"));
        let file = |source: usize, ending: &str| {
            let write = |out: &mut dyn Write| Ok(asset.model.file().write_to(source, out)?);
            self.write_compared(asset.source_bytes(source), &named(ending), true, write)
        };
        let mut all = vec![file(1, "_a.3d")?, file(0, "_d.3d")?];
        if self.script {
            let script = match mesh.script() {
                Some(script) => builder::script::rename(&script, &stem)?,
                None => builder::script::build(mesh, &stem)?.to_bytes()?,
            };
            let path = named(".uc");
            let file = PendingOutput::write(&path, self.force, |file| Ok(file.write_whole(&script)?))?;
            all.push((file, OutputFile { path, bytes: script.len(), identical: false, is_script: true }));
        }
        asset.check()?;
        let (temporaries, written): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        PendingOutput::finish_all(temporaries)?;
        Ok(written)
    }

    fn print(&self, file: &SourceFile, written: &[OutputFile], changes: &[Finding], global: &Global) -> io::Result<()> {
        if global.json {
            let outputs = written.iter().map(
                |file| json!({ "path": file.path.to_string_lossy(), "bytes": file.bytes, "identical": file.identical }),
            );
            let dialect = changed_dialect(file).map(|(from, to)| json!({ "from": from, "to": to }));
            let written = document(json!({
                "path": self.file.file.to_string_lossy(),
                "output": self.output.to_string_lossy(),
                // The third written file, if it exists, is a generated script, which is not
                // compared with an original file.
                "identical": written.iter().take(2).all(|file| file.identical),
                "outputs": outputs.collect::<Value>(),
                "changes": findings(changes, &[]).collect::<Value>(),
            }));
            return print_json(&dialect.map_or(written.clone(), |dialect| with(written, "dialect", dialect)));
        }
        if global.quiet {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        for OutputFile { path, bytes, identical, is_script } in written {
            let verdict = match (identical, is_script) {
                (true, _) => "byte-identical",
                (false, true) => "created",
                (false, false) => "changed",
            };
            writeln!(out, "{}: {verdict}, {}", shown(path), counted(*bytes, "byte"))?;
        }
        print_changes(file, changes, &mut out)
    }
}

/// The dialect of EZ-Mesh text that the writer writes.
const WRITTEN_DIALECT: &str = "MeshSystem";

/// Prints what the output has in place of the input.
fn print_changes(file: &SourceFile, changes: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    if let Some((from, to)) = changed_dialect(file) {
        writeln!(out, "  changed the dialect: the root element is {to}, and was {from}")?;
    }
    print_findings(out, changes, &[])
}

/// Returns the names of the dialects of the input and of the output, if they differ.
fn changed_dialect(file: &SourceFile) -> Option<(&'static str, &'static str)> {
    // The writer of text knows one dialect only.
    let from = file.model()?.geometry().ok()?.version().strip_prefix("ezm ")?;
    (from != WRITTEN_DIALECT).then_some((from, WRITTEN_DIALECT))
}

/// Returns whether the writer formats the whole file again, because the file is text. Otherwise, a
/// rewritten file without listed changes is equal to the original file, byte for byte.
fn is_text(asset: &InputAsset) -> bool {
    matches!(asset.model.format_file(), FormatFile::EzMesh(mesh) if mesh.dialect().is_some())
}

/// Returns the common stem of the files of an Unreal mesh. If the path OUT ends with the ending of
/// one of these files, such as `_d.3d`, the ending is removed.
fn stem(output: &Path) -> anyhow::Result<String> {
    let name = output.file_name().and_then(|name| name.to_str()).filter(|_| output != Path::new(STDIN));
    let Some(name) = name else {
        return Err(UsageError("-o: expected the stem of two files, such as new/box".to_owned()).into());
    };
    let lower = name.to_ascii_lowercase();
    let ending = ["_d.3d", "_a.3d", ".uc"].into_iter().find(|ending| lower.ends_with(ending)).unwrap_or_default();
    Ok(name.get(..name.len().saturating_sub(ending.len())).unwrap_or(name).to_owned())
}

/// Compares the written bytes with the bytes of the original file, while they are written.
struct Comparison<'a> {
    /// The bytes of the original file that have not been compared yet.
    original: &'a [u8],
    /// The offset of the first written byte that differs from the original file.
    differs: Option<usize>,
    /// The number of bytes that have been written.
    bytes: usize,
}

impl<'a> Comparison<'a> {
    const fn new(original: &'a [u8]) -> Self {
        Self { original, differs: None, bytes: 0 }
    }

    fn add(&mut self, written: &[u8]) {
        if self.differs.is_none() {
            if let Some(rest) = self.original.strip_prefix(written) {
                self.original = rest;
            } else {
                let same = written.iter().zip(self.original).take_while(|(one, other)| one == other).count();
                self.differs = Some(self.bytes.saturating_add(same));
            }
        }
        self.bytes = self.bytes.saturating_add(written.len());
    }

    const fn is_same(&self) -> bool {
        self.differs.is_none() && self.original.is_empty()
    }

    /// Returns an error if the written bytes differ from the original file.
    fn expect_same(&self) -> Result<(), UsageError> {
        if self.is_same() {
            return Ok(());
        }
        let at = self.differs.unwrap_or(self.bytes);
        Err(UsageError(format!(
            "the output would differ from the input at byte {at}, and no rule describes the change; nothing was written"
        )))
    }
}

/// A writer that passes bytes to another writer and compares them with the original file.
struct ComparingWriter<'o, 'c, 'a> {
    out: &'o mut dyn Write,
    comparison: &'c mut Comparison<'a>,
}

impl Write for ComparingWriter<'_, '_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.comparison.add(bytes.get(..written).unwrap_or(bytes));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_byte_that_differs() {
        let differs = |original: &[u8], parts: &[&[u8]]| {
            let mut comparison = Comparison::new(original);
            for part in parts {
                comparison.add(part);
            }
            comparison
                .expect_same()
                .err()
                .map(|error| error.to_string().split(' ').nth(9).unwrap().trim_end_matches(',').to_owned())
        };
        assert_eq!(differs(b"abcd", &[b"ab", b"", b"cd"]), None);
        assert_eq!(differs(b"abcd", &[b"ab", b"xd"]).as_deref(), Some("2"));
        assert_eq!(differs(b"abcd", &[b"ax", b"cd"]).as_deref(), Some("1"));
        assert_eq!(differs(b"abcd", &[b"abc"]).as_deref(), Some("3"));
        assert_eq!(differs(b"abcd", &[b"abcd", b"e"]).as_deref(), Some("4"));
    }
}
