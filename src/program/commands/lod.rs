//! `lod`: writes one level of detail of a mesh to a new file.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::model::{LevelFile, Lod};
use clap::Args;
use serde_json::{Value, json};

use crate::program::args::{Global, OneFile, STDIN};
use crate::program::atomic_write::PendingOutput;
use crate::program::formats::{check_extension, lod_parser};
use crate::program::input::{InputAsset, at_output, open_asset};
use crate::program::outcome::{Outcome, usage};
use crate::program::output::json::{document, error};
use crate::program::output::{counted, note, print_json, shown};

const HELP: &str = "\
The new asset has only this level, stored as its highest. The block of the level is copied as it is stored, and so are the skin, the \
collision shapes and all other fields of the header. Only Second Life meshes have levels of detail.

Examples:
  meshpeek lod data/secondlife/arm.llmesh --lod low -o arm_low.llmesh
  meshpeek lod data/secondlife/model.slm --asset 1 --lod lowest --nearest -o far.llmesh
  meshpeek lod data/secondlife/arm.llmesh --lod lowest -o arm_lowest.llmesh --json";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct LodArgs {
    #[command(flatten)]
    file: OneFile,
    /// Level of detail to write
    #[arg(long = "lod", value_parser = lod_parser(), value_name = "LOD")]
    level: Lod,
    /// Path of the new file, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// If the level is missing, write the one that a viewer shows instead: the nearest lower, else
    /// the nearest higher
    #[arg(long)]
    nearest: bool,
    /// Number of the asset in an .slm container, from 0
    #[arg(long, value_name = "N")]
    asset: Option<usize>,
    /// Leave out a skin or collision shapes that are incomplete in the file, instead of failing
    #[arg(long)]
    allow_loss: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl LodArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let asset = open_asset(path, self.asset, global)?;
        let done = self.extract(&asset, global);
        done.map_err(|error| asset.locate_any_error(at_output(error, &self.output), path))
    }

    fn extract(&self, asset: &InputAsset, global: &Global) -> anyhow::Result<Outcome> {
        let Some(file) = asset.model.file().blocks() else {
            let format = asset.model.format();
            usage!(
                "lod: expected a Second Life mesh, because only these store levels as blocks, found {format}; `convert --lod` writes one level of others"
            );
        };
        check_extension(&self.output, &["llmesh", "asset"], "lod")?;
        let level = file.opened().level_file(self.level, self.nearest)?;
        if let Some(loss) = level.left_out.first().filter(|_| !self.allow_loss) {
            let loss = asset.locate_error(loss.clone(), &self.file.file);
            usage!("{loss}; --allow-loss leaves it out");
        }
        asset.note_other_assets(self.asset, &self.file.file, global);
        for loss in &level.left_out {
            note(&format!("left out: {loss}"), global);
        }
        if self.output == Path::new(STDIN) {
            let mut out = std::io::stdout().lock();
            asset.check()?;
            out.write_all(&level.bytes)?;
            out.flush()?;
            return Ok(Outcome::Fine);
        }
        let file = PendingOutput::write(&self.output, self.force, |file| Ok(file.write_whole(&level.bytes)?))?;
        asset.check()?;
        file.finish()?;
        self.print(&level, global)?;
        Ok(Outcome::Fine)
    }

    fn print(&self, level: &LevelFile, global: &Global) -> std::io::Result<()> {
        let LevelFile { block: level, bytes, left_out, .. } = level;
        if global.json {
            return print_json(&document(&json!({
                "path": self.file.file.to_string_lossy(),
                "output": self.output.to_string_lossy(),
                "lod": level,
                "bytes": bytes.len(),
                "left_out": left_out.iter().map(error).collect::<Value>(),
            })));
        }
        if global.quiet {
            return Ok(());
        }
        writeln!(anstream::stdout().lock(), "{}: {level}, {}", shown(&self.output), counted(bytes.len(), "byte"))
    }
}
