//! `lod`: one level of detail as a file of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use meshpeek::secondlife::{Lod as Level, extract_available};
use meshpeek::{Field, Model};
use serde_json::{Value, json};

use crate::opened::Opened;
use crate::output::{self, Misuse, Outcome, shown};
use crate::staged::Staged;
use crate::{Global, OneFile, input, secondlife};

const HELP: &str = "\
The level becomes the highest of the new asset, which has no other; its block is copied as it is stored, and so are \
skin, collision shapes and whatever else the header says. Second Life meshes have levels of detail.

Examples:
  meshpeek lod tree.llmesh --lod low -o tree_low.llmesh
  meshpeek lod model.slm --asset 2 --lod lowest --nearest -o -";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Lod {
    #[command(flatten)]
    file: OneFile,
    /// Which level
    #[arg(long = "lod", value_enum, value_name = "LOD")]
    level: secondlife::Level,
    /// Where to write to; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Take the level that a viewer would show instead of one that is missing: the nearest lower, else the nearest higher
    #[arg(long)]
    nearest: bool,
    /// Which asset of an .slm container
    #[arg(long, value_name = "N")]
    asset: Option<usize>,
    /// Leave out skin or collision shapes that the file does not have whole
    #[arg(long)]
    allow_loss: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl Lod {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let opened = input::open_asset(path, self.asset, global)?;
        self.extract(&opened, global).map_err(|error| match error.downcast::<meshpeek::Error>() {
            Ok(error) if error.field() == Field::new("output") => error.at_path(&self.output).into(),
            Ok(error) => opened.blame(error, path).into(),
            Err(other) => other,
        })
    }

    fn extract(&self, opened: &Opened, global: &Global) -> anyhow::Result<Outcome> {
        let Model::SecondLife(mesh) = &opened.model else {
            let format = opened.model.geometry().format();
            return Err(Misuse(format!("lod: only Second Life meshes have levels of detail, this is {format}")).into());
        };
        let view = mesh.view();
        let header = view.header()?;
        let asked = Level::from(self.level);
        let is_there = |lod: Level| header.has(lod.part());
        let lod = if self.nearest { asked.nearest(is_there).unwrap_or(asked) } else { asked };
        let (bytes, left_out) = extract_available(view, lod)?;
        if let Some(loss) = left_out.first().filter(|_| !self.allow_loss) {
            let loss = opened.blame(loss.clone(), &self.file.file);
            return Err(Misuse(format!("{loss}; --allow-loss leaves it out")).into());
        }
        if mesh.asset_count() > 1 && self.asset.is_none() {
            input::note(
                &format!("{}: asset 0 of {}; --asset chooses", shown(&self.file.file), mesh.asset_count()),
                global,
            );
        }
        for loss in &left_out {
            input::note(&format!("left out: {loss}"), global);
        }
        if self.output == Path::new("-") {
            let mut out = std::io::stdout().lock();
            opened.check()?;
            out.write_all(&bytes)?;
            out.flush()?;
            return Ok(Outcome::Fine);
        }
        let staged = Staged::write(&self.output, self.force, |file| Ok(file.write_all(&bytes)?))?;
        opened.check()?;
        staged.finish()?;
        if global.json {
            output::print_json(&output::document(json!({
                "path": self.file.file.to_string_lossy(),
                "output": self.output.to_string_lossy(),
                "lod": lod.part().key(),
                "bytes": bytes.len(),
                "left_out": left_out.iter().map(output::error).collect::<Value>(),
            })))?;
        } else if !global.quiet {
            let name = lod.part().key();
            writeln!(anstream::stdout().lock(), "{}: {name}, {} bytes", shown(&self.output), bytes.len())?;
        }
        Ok(Outcome::Fine)
    }
}
