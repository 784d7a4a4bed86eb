//! `rewrite`: through reader and writer.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use meshpeek::{Error, Finding, Model};
use serde_json::{Value, json};

use crate::input::{self, Data};
use crate::output::{self, Misuse, Outcome, shown};
use crate::{Global, OneFile};

const HELP: &str = "\
A sound file comes out byte for byte. What the format's own engine never writes comes out in its form, and is listed. \
The output is written beside its destination and renamed when it is whole; where the destination is a link, what it \
points to is replaced.

Examples:
  meshpeek rewrite model.mesh -o again.mesh
  meshpeek rewrite model.mesh -o model.mesh --force";

/// Rules whose findings say what the writer spells otherwise.
const RESPELLED: &str = "UG14";
/// The rule whose finding says what the writer leaves out.
const DROPPED: &str = "UG24";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Rewrite {
    #[command(flatten)]
    file: OneFile,
    /// Where to write, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Write even if something is left out; it is listed
    #[arg(long)]
    allow_loss: bool,
}

impl Rewrite {
    pub fn run(&self, global: Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let model = input::open(path, global)?;
        self.rewrite(&model, global).map_err(|error| match error.downcast::<Error>() {
            Ok(error) => error.at_path(path).into(),
            Err(other) => other,
        })
    }

    fn rewrite(&self, model: &Model<Data>, global: Global) -> anyhow::Result<Outcome> {
        let mut changes = Vec::new();
        model.survey(&mut |finding| {
            if [RESPELLED, DROPPED].contains(&finding.rule) {
                changes.push(finding);
            }
        })?;
        if let Some(loss) = changes.iter().find(|change| change.rule == DROPPED).filter(|_| !self.allow_loss) {
            let text = format!("{} at byte {}: {}; --allow-loss leaves them out", loss.field, loss.offset, loss.text);
            return Err(Misuse(text).into());
        }
        let mut compared = Compared { original: model.data().as_ref(), same: true };
        if self.output == Path::new("-") {
            let mut out = BufWriter::new(io::stdout().lock());
            model.write_to(&mut Tee { out: &mut out, compared: &mut compared })?;
            out.flush()?;
            model.data().check()?;
            // Standard output has the mesh, so the list goes where notes go.
            if !global.quiet {
                output::print_findings(&mut anstream::stderr().lock(), &changes)?;
            }
            return Ok(Outcome::Fine);
        }
        replace(&self.output, self.force, |file| {
            model.write_to(&mut Tee { out: &mut BufWriter::new(file), compared: &mut compared })?;
            Ok(model.data().check()?)
        })?;
        let identical = compared.same && compared.original.is_empty();
        self.tell(model, identical, &changes, global)?;
        Ok(Outcome::Fine)
    }

    fn tell(&self, model: &Model<Data>, identical: bool, changes: &[Finding], global: Global) -> io::Result<()> {
        if global.json {
            return output::print_json(&output::document(json!({
                "path": self.file.file.to_string_lossy(),
                "output": self.output.to_string_lossy(),
                "identical": identical,
                "changes": changes.iter().map(output::finding).collect::<Value>(),
            })));
        }
        if global.quiet {
            return Ok(());
        }
        let bytes = model.data().as_ref().len();
        let mut out = anstream::stdout().lock();
        let verdict = if identical { format!("byte-identical, {bytes} bytes") } else { "changed".to_owned() };
        writeln!(out, "{}: {verdict}", shown(&self.output))?;
        output::print_findings(&mut out, changes)
    }
}

/// The bytes of the original that have not been met yet.
struct Compared<'a> {
    original: &'a [u8],
    same: bool,
}

/// Writes, and compares what is written with the original.
struct Tee<'o, 'c, 'a> {
    out: &'o mut dyn Write,
    compared: &'c mut Compared<'a>,
}

impl Write for Tee<'_, '_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
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

/// Writes a file whole or not at all: into a temporary beside it, to the disk, then renamed.
fn replace(path: &Path, force: bool, write: impl FnOnce(&mut File) -> anyhow::Result<()>) -> anyhow::Result<()> {
    // A link stays a link: what it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return Err(Misuse(format!("{}: expected a file to write, found something else", shown(path))).into());
    }
    if existing.is_some() && !force {
        return Err(Misuse(format!("{}: exists; --force replaces it", shown(path))).into());
    }
    let context = || format!("{}: cannot be written", shown(path));
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".meshpeek-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder).with_context(context)?;
    write(temporary.as_file_mut())?;
    if let Some(existing) = existing {
        temporary.as_file().set_permissions(existing.permissions()).with_context(context)?;
    }
    temporary.as_file().sync_all().with_context(context)?;
    let renamed = if force { temporary.persist(&target) } else { temporary.persist_noclobber(&target) };
    renamed.map_err(|error| error.error).with_context(context)?;
    // The rename itself must reach the disk, too; systems that cannot sync a folder do it on their own.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
