//! `rewrite`: reads a mesh file and writes it again.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;
use serde_json::{Value, json};

use crate::export::Loss;
use crate::model::Storage;
use crate::program::args::{Global, OneFile, STDIN, named_values};
use crate::program::atomic_write::{PendingOutput, open_folder};
use crate::program::formats::check_extension;
use crate::program::input::{InputAsset, SourceFile, at_output, open, open_source_file};
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::json::{document, with};
use crate::program::output::{counted, loss_line, losses_json, print_json, refuse, shown};

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
    /// Storage of the blocks of surfaces in the written file
    #[arg(long, value_parser = storages(), default_value = "kept", help_heading = "UNIGINE meshes, ms14 and ms15")]
    blocks: Storage,
    /// Also write a script for the pair
    #[arg(long, requires = "pair", help_heading = "Unreal vertex meshes")]
    script: bool,
}

fn storages() -> impl TypedValueParser<Value = Storage> {
    let raw =
        "Store blocks without compression: the file grows, but its arrays can be used directly from the memory map";
    named_values(vec![
        (Storage::Kept, "kept", "Keep blocks as they are: a sound file is written byte for byte"),
        (Storage::Raw, "raw", raw),
        (Storage::Lz4, "lz4", "Compress all blocks again with LZ4"),
    ])
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
            SourceFile::Model(asset) if self.blocks != Storage::Kept => {
                if !file.written_form().has_blocks {
                    usage!("--blocks: only UNIGINE ms14 and ms15 meshes have blocks; leave it out");
                }
                Ok(asset.model.file().write_with(self.blocks, out)?)
            }
            file => Ok(file.write_to(out)?),
        }
    }

    fn rewrite(&self, file: &SourceFile, global: &Global) -> anyhow::Result<Outcome> {
        if !self.pair {
            check_extension(&self.output, file.written_form().extensions, "rewrite")?;
        }
        let losses = self.losses(file)?;
        // The output must have the bytes of the input, unless a change is requested or listed.
        let must_be_same = !file.written_form().is_text && losses.is_empty() && self.blocks == Storage::Kept;
        if let (true, SourceFile::Model(asset)) = (self.pair, file) {
            let written = self.write_pair(asset)?;
            self.print(file, &written, &losses, global)?;
        } else if self.output == Path::new(STDIN) {
            if must_be_same {
                // Standard output cannot be taken back, so the output is compared before it is
                // written.
                let mut out = ComparingWriter::new(io::sink(), file.bytes());
                self.write(file, &mut out)?;
                out.expect_same()?;
            }
            let mut out = BufWriter::new(io::stdout().lock());
            self.write(file, &mut out)?;
            out.flush()?;
            file.check()?;
            // Because standard output contains the mesh, the list of changes is written to standard
            // error.
            if !global.quiet {
                print_changes(file, &losses, &mut anstream::stderr().lock())?;
            }
        } else {
            let write = |out: &mut dyn Write| self.write(file, out);
            let (temporary, written) = self.write_compared(file.bytes(), &self.output, must_be_same, write)?;
            file.check()?;
            temporary.finish()?;
            self.print(file, &[written], &losses, global)?;
        }
        Ok(Outcome::Fine)
    }

    /// Returns the data of the input file that the writer leaves out, or whose encoding it changes.
    ///
    /// Returns an error if the writer would omit data and the command line does not contain
    /// `--allow-loss`.
    fn losses(&self, file: &SourceFile) -> anyhow::Result<Vec<Loss>> {
        let mut losses = Vec::new();
        if let Some(model) = file.model() {
            model.file().rewrite_losses(&mut |loss| losses.push(loss))?;
        }
        refuse(&losses, self.allow_loss, |first, _| {
            format!("{first}; --allow-loss writes the file without this data")
        })?;
        Ok(losses)
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
        let (mut bytes, mut identical) = (0, false);
        let file = PendingOutput::write(path, self.force, |file| {
            if must_be_same {
                file.reserve(original.len())?;
            }
            let mut out = ComparingWriter::new(BufWriter::new(file), original);
            write(&mut out)?;
            if must_be_same {
                out.expect_same()?;
            }
            (bytes, identical) = (out.bytes, out.is_same());
            Ok(out.flush()?)
        })?;
        let written = OutputFile { path: path.to_owned(), bytes, identical, is_script: false };
        Ok((file, written))
    }

    /// Writes all files of a mesh of several files, and with the option `--script` also a script.
    /// All files are completely written before the first of them is renamed.
    fn write_pair(&self, asset: &InputAsset) -> anyhow::Result<Vec<OutputFile>> {
        let mesh = asset.model.file();
        let endings = mesh.written_form().endings;
        let Some((script_ending, file_endings)) = endings.split_last() else {
            usage!("--pair: applies to Unreal vertex meshes only, which are pairs of files; leave it out");
        };
        let stem = stem(&self.output, endings)?;
        // If the folder of the files is missing, no single file is to blame.
        open_folder(&self.output, &self.output)?;
        let named = |end: &str| self.output.with_file_name(format!("{stem}{end}"));
        let files = file_endings.iter().enumerate().rev().map(|(source, ending)| {
            let write = |out: &mut dyn Write| Ok(mesh.write_to(source, out)?);
            self.write_compared(asset.source_bytes(source), &named(ending), true, write)
        });
        let mut all = files.collect::<anyhow::Result<Vec<_>>>()?;
        if let Some(script) = if self.script { asset.model.contents().script_named(&stem)? } else { None } {
            let path = named(script_ending);
            let file = PendingOutput::write(&path, self.force, |file| Ok(file.write_whole(&script)?))?;
            all.push((file, OutputFile { path, bytes: script.len(), identical: false, is_script: true }));
        }
        asset.check()?;
        let (temporaries, written): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        PendingOutput::finish_all(temporaries)?;
        Ok(written)
    }

    fn print(&self, file: &SourceFile, written: &[OutputFile], losses: &[Loss], global: &Global) -> io::Result<()> {
        if global.json {
            let outputs = written.iter().map(
                |file| json!({ "path": file.path.to_string_lossy(), "bytes": file.bytes, "identical": file.identical }),
            );
            let dialect = file.written_form().dialects.map(|[from, to]| json!({ "from": from, "to": to }));
            let written = document(&json!({
                "path": self.file.file.to_string_lossy(),
                "output": self.output.to_string_lossy(),
                "identical": written.iter().all(|file| file.identical || file.is_script),
                "outputs": outputs.collect::<Value>(),
                "changes": losses_json(losses),
            }));
            return print_json(&with(written, "dialect", dialect));
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
        print_changes(file, losses, &mut out)
    }
}

/// Prints what the output has in place of the input.
fn print_changes(file: &SourceFile, losses: &[Loss], out: &mut dyn Write) -> io::Result<()> {
    if let Some([from, to]) = file.written_form().dialects {
        writeln!(out, "  changed the dialect: the root element is {to}, and was {from}")?;
    }
    losses.iter().try_for_each(|loss| writeln!(out, "{}", loss_line("", loss)))
}

/// Returns the common stem of the files of a mesh. If the path OUT ends with the ending of one of
/// these files, such as `_d.3d`, the ending is removed.
fn stem(output: &Path, endings: &[&str]) -> anyhow::Result<String> {
    let name = output.file_name().and_then(|name| name.to_str()).filter(|_| output != Path::new(STDIN));
    let Some(name) = name else {
        usage!("-o: expected the stem of two files, such as new/box");
    };
    let lower = name.to_ascii_lowercase();
    let ending = endings.iter().find(|ending| lower.ends_with(**ending)).copied().unwrap_or_default();
    Ok(name.get(..name.len().saturating_sub(ending.len())).unwrap_or(name).to_owned())
}

/// A writer that passes bytes to another writer and compares them with the original file.
struct ComparingWriter<'a, W> {
    out: W,
    /// The bytes of the original file that have not been compared yet.
    original: &'a [u8],
    /// The offset of the first written byte that differs from the original file.
    differs: Option<usize>,
    /// The number of bytes that have been written.
    bytes: usize,
}

impl<'a, W> ComparingWriter<'a, W> {
    const fn new(out: W, original: &'a [u8]) -> Self {
        Self { out, original, differs: None, bytes: 0 }
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
        usage!(
            "the output would differ from the input at byte {at}, and no rule describes the change; nothing was written"
        )
    }
}

impl<W: Write> Write for ComparingWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.add(bytes.get(..written).unwrap_or(bytes));
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
            let mut comparison = ComparingWriter::new(io::sink(), original);
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
