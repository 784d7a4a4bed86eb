//! `rewrite`: through reader and writer.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use meshpeek::unreal::script;
use meshpeek::{Error, Field, Finding, Model};
use serde_json::{Value, json};

use crate::expand::has_extension;
use crate::opened::{Alone, Opened};
use crate::output::{self, Misuse, Outcome, shown};
use crate::staged::Staged;
use crate::unigine::{Blocks, Stored};
use crate::{Global, OneFile, input};

const HELP: &str = "\
A sound binary file comes out byte for byte; text (.ezm) is spelled anew, with every number's bits. What the format's own engine \
never writes comes out in its form, and is listed. \
The output is written beside its destination and renamed when it is whole; where the destination is a link, what it \
points to is replaced.

Of an Unreal mesh, the file that was named is written. With --pair both are, named after OUT: `-o new/box` writes \
new/box_d.3d and new/box_a.3d. With --script a script goes with them, new/box.uc: with all that the mesh's script \
says of it or, where it has none, made from nothing with the published defaults.

Examples:
  meshpeek rewrite model.mesh -o again.mesh
  meshpeek rewrite model.mesh -o model.mesh --force
  meshpeek rewrite Models/box_d.3d --pair -o new/box
  meshpeek rewrite model.mesh --blocks raw -o mapped.mesh";

/// Rules whose findings say what the writer spells otherwise.
const RESPELLED: [&str; 6] = ["UG14", "UG20", "EZ13", "EZ20", "EZ31", "EZ34"];
/// Rules whose findings say what the writer leaves out.
const DROPPED: [&str; 8] = ["UG24", "EZ08", "EZ28", "EZ29", "EZ30", "EZ36", "EZ38", "EZ40"];

#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Rewrite {
    #[command(flatten)]
    file: OneFile,
    /// Where to write, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Write even if something is left out; it is listed
    #[arg(long)]
    allow_loss: bool,
    /// Write both files of an Unreal mesh; OUT is their stem
    #[arg(long, help_heading = "Unreal vertex meshes")]
    pair: bool,
    #[command(flatten)]
    blocks: Blocks,
    /// Also make a script for the pair
    #[arg(long, requires = "pair", help_heading = "Unreal vertex meshes")]
    script: bool,
}

/// A file that was written.
struct Written {
    path: PathBuf,
    bytes: usize,
    identical: bool,
}

impl Rewrite {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let opened = if self.pair {
            Alone::Model(Box::new(input::open(path, global)?))
        } else {
            input::open_alone(path, global)?
        };
        self.rewrite(&opened, global).map_err(|error| match error.downcast::<Error>() {
            // What the output refuses is no fault of the input.
            Ok(error) if error.field() == Field::new("output") => error.at_path(&self.output).into(),
            Ok(error) => opened.locate_error(error, path).into(),
            Err(other) => other,
        })
    }

    /// Writes a file by itself.
    fn write(&self, opened: &Alone, out: &mut dyn Write) -> anyhow::Result<()> {
        match opened {
            Alone::Model(opened) if self.blocks.blocks != Stored::Kept => match &opened.model {
                Model::Unigine(mesh) if mesh.generation().is_compressed() => {
                    Ok(mesh.write_stored(out, self.blocks.blocks.storage())?)
                }
                _ => Err(Misuse("--blocks: only ms14 and ms15 have blocks; leave it out".to_owned()).into()),
            },
            opened => Ok(opened.write_to(out)?),
        }
    }

    fn rewrite(&self, opened: &Alone, global: &Global) -> anyhow::Result<Outcome> {
        let mut changes = Vec::new();
        opened.findings(&mut |finding| {
            if RESPELLED.contains(&finding.rule) || DROPPED.contains(&finding.rule) {
                changes.push(finding);
            }
        })?;
        if let Some(loss) = changes.iter().find(|change| DROPPED.contains(&change.rule)).filter(|_| !self.allow_loss) {
            let text = format!("{} at byte {}: {}; --allow-loss leaves them out", loss.field, loss.offset, loss.text);
            return Err(Misuse(text).into());
        }
        if let (true, Alone::Model(opened)) = (self.pair, opened) {
            let written = self.write_pair(opened)?;
            return Ok(self.tell(&written, &changes, global).map(|()| Outcome::Fine)?);
        }
        if self.output == Path::new("-") {
            let mut out = BufWriter::new(io::stdout().lock());
            self.write(opened, &mut out)?;
            out.flush()?;
            opened.check()?;
            // Standard output has the mesh, so the list goes where notes go.
            if !global.quiet {
                output::print_findings(&mut anstream::stderr().lock(), &changes, &[])?;
            }
            return Ok(Outcome::Fine);
        }
        let (staged, written) = self.stage(opened.bytes(), &self.output, |out| self.write(opened, out))?;
        opened.check()?;
        staged.finish()?;
        self.tell(&[written], &changes, global)?;
        Ok(Outcome::Fine)
    }

    /// Writes a file to a temporary beside its destination, and compares it with the original on the way.
    fn stage(
        &self,
        original: &[u8],
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    ) -> anyhow::Result<(Staged, Written)> {
        let mut compared = Compared { original, same: true, bytes: 0 };
        let staged = Staged::write(path, self.force, |file| {
            let mut out = BufWriter::new(file);
            write(&mut Tee { out: &mut out, compared: &mut compared })?;
            Ok(out.flush()?)
        })?;
        let identical = compared.same && compared.original.is_empty();
        Ok((staged, Written { path: path.to_owned(), bytes: compared.bytes, identical }))
    }

    /// Writes both files of a pair, and a script if one is asked for: all are whole before the first is renamed.
    fn write_pair(&self, opened: &Opened) -> anyhow::Result<Vec<Written>> {
        let Model::Unreal(mesh) = &opened.model else {
            return Err(Misuse("--pair: only an Unreal vertex mesh is a pair of files; leave it out".to_owned()).into());
        };
        let stem = stem(&self.output)?;
        let beside = |end: &str| self.output.with_file_name(format!("{stem}{end}"));
        let file = |source: usize, ending: &str| {
            let original = opened.model.sources().nth(source).map_or(&[][..], AsRef::as_ref);
            self.stage(original, &beside(ending), |out| Ok(opened.model.write_to(source, out)?))
        };
        let mut all = vec![file(1, "_a.3d")?, file(0, "_d.3d")?];
        if self.script {
            let script = match mesh.script() {
                Some(script) => script::rename(&script, &stem)?,
                None => script::build(mesh, &stem)?.to_bytes()?,
            };
            let path = beside(".uc");
            let staged = Staged::write(&path, self.force, |file| Ok(file.write_all(&script)?))?;
            all.push((staged, Written { path, bytes: script.len(), identical: false }));
        }
        opened.check()?;
        let (staged, written): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        staged.into_iter().try_for_each(Staged::finish)?;
        Ok(written)
    }

    fn tell(&self, written: &[Written], changes: &[Finding], global: &Global) -> io::Result<()> {
        if global.json {
            let outputs = written.iter().map(|written| {
                json!({ "path": written.path.to_string_lossy(), "bytes": written.bytes, "identical": written.identical })
            });
            return output::print_json(&output::document(json!({
                "path": self.file.file.to_string_lossy(),
                "output": self.output.to_string_lossy(),
                // A script that was made has nothing to be identical with.
                "identical": written.iter().take(2).all(|written| written.identical),
                "outputs": outputs.collect::<Value>(),
                "changes": output::findings(changes, &[]),
            })));
        }
        if global.quiet {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        for Written { path, bytes, identical } in written {
            let made = has_extension(path, "uc") && self.script;
            let verdict = match (identical, made) {
                (true, _) => format!("byte-identical, {bytes} bytes"),
                (false, true) => format!("made, {bytes} bytes"),
                (false, false) => format!("changed, {bytes} bytes"),
            };
            writeln!(out, "{}: {verdict}", shown(path))?;
        }
        output::print_findings(&mut out, changes, &[])
    }
}

/// Returns the stem that a pair's files are named after: OUT without the ending that one of them would have.
fn stem(output: &Path) -> anyhow::Result<String> {
    let name = output.file_name().and_then(|name| name.to_str()).filter(|_| output != Path::new("-"));
    let Some(name) = name else {
        return Err(Misuse("-o: expected the stem of two files, such as new/box".to_owned()).into());
    };
    let lower = name.to_ascii_lowercase();
    let ending = ["_d.3d", "_a.3d", ".uc"].into_iter().find(|ending| lower.ends_with(ending)).unwrap_or_default();
    Ok(name.get(..name.len().saturating_sub(ending.len())).unwrap_or(name).to_owned())
}

/// The bytes of the original that have not been met yet.
struct Compared<'a> {
    original: &'a [u8],
    same: bool,
    /// Bytes that were written.
    bytes: usize,
}

/// Writes, and compares what is written with the original.
struct Tee<'o, 'c, 'a> {
    out: &'o mut dyn Write,
    compared: &'c mut Compared<'a>,
}

impl Write for Tee<'_, '_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.compared.bytes = self.compared.bytes.saturating_add(written);
        let written_bytes = bytes.get(..written).unwrap_or(bytes);
        match self.compared.original.strip_prefix(written_bytes) {
            Some(rest) => self.compared.original = rest,
            None => self.compared.same = false,
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
