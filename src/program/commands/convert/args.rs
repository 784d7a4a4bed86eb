//! The arguments of `convert`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;

use super::super::bench::parse_size;
use crate::export::{Compression, ExportFormat, ExportOptions, LevelChoice, NormalChoice, OutputSpace};
use crate::model::Asset;
use crate::program::args::{
    Files, FrameIndex, STDIN, colors_parser, has_several, named_values, parse_frame_index, parse_normals, parse_number,
};
use crate::program::formats::selectors::surfaces as selected_surfaces;
use crate::program::formats::{
    AdjustArgs, LevelNumber, Selector, advice, is_known, is_mesh_file, is_named_as_folder, level_index, level_parser,
};
use crate::program::outcome::{UsageError, usage};
use crate::program::output::shown;
use crate::scene::ColorUse;

const HELP: &str = "\
OUT is a file if there is one mesh, and its extension chooses the format: glb, gltf, obj, ply, stl, ezm, ezb or json. With several \
files, or with a folder, OUT is a folder, --to chooses the format, and each mesh is written under its own name. Missing folders are made.

Everything that the format can hold is written: surfaces with materials, UV sets, colours, tangents, bones, clips, vertex frames and \
morph targets, instances and metadata. What it can never hold is left out, and one line on standard error says what. Data that it \
could hold but that this mesh loses, such as damaged triangles, is listed, and nothing is written without --allow-loss. glTF holds \
nearly everything. Its files have y up and metres; --space stored keeps the axes and units of the mesh file.

Each file is written completely before it gets its name, so an interrupted conversion leaves the old file or none.

Examples:
  meshpeek convert data/unreal/guard_d.3d -o guard.glb
  meshpeek convert data/unigine/skinned_ms12.mesh --clip 0 -o bend.glb
  meshpeek convert data/unigine/cube_ms13.mesh -o cube.obj
  meshpeek convert data/ezmesh/flag.ezm --up z --scale 0.01 -o flag.glb
  meshpeek convert data/ezmesh --to glb -o converted";

#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub files: Files,
    /// Path of the new file, or of a folder, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Format of the output, if OUT has no extension that names it
    #[arg(long, value_parser = format_parser(), value_name = "FORMAT")]
    to: Option<ExportFormat>,
    /// Number of a surface to convert, from 0, or its name; can be given several times
    #[arg(long = "surface", value_name = "N")]
    surfaces: Vec<Selector>,
    /// Number of the only clip to convert, from 0, or its name
    #[arg(long, value_name = "N")]
    clip: Option<Selector>,
    /// Write the shape at this frame of the clip, without animations; 2.5 is between frames 2 and 3
    #[arg(long, value_parser = parse_frame_index, value_name = "N", conflicts_with = "animations")]
    frame: Option<FrameIndex>,
    /// Frames per second of clips for which the file stores no rate
    #[arg(long, value_parser = parse_rate, value_name = "RATE", default_value = "30")]
    rate: f32,
    /// Files whose clips are added, such as a UNIGINE .anim: a file, a folder or a glob pattern;
    /// their bones are matched by name; can be given several times
    #[arg(long = "animation", value_name = "FILE")]
    pub animations: Vec<PathBuf>,
    /// Coordinate conventions of the output
    #[arg(long, value_parser = space_parser(), value_name = "SPACE", default_value = "target")]
    space: OutputSpace,
    #[command(flatten)]
    adjust: AdjustArgs,
    /// What vertex colours are; by default, those of UNIGINE are data and those of EZ-Mesh colours
    #[arg(long, value_parser = colors_parser(), value_name = "USE")]
    colors: Option<ColorUse>,
    /// Normals: stored for those of the file only; smooth for computed ones; flat for those of the
    /// triangles; or ANGLE for computed ones with creases at edges sharper than ANGLE degrees
    ///
    /// By default the normals of the file, or computed ones with creases at 65 degrees if it has
    /// none. Triangles with the flat flag of Unreal then have the normals of their planes.
    #[arg(long, value_parser = parse_normals, value_name = "NORMALS")]
    normals: Option<NormalChoice>,
    /// Also write collision shapes (glTF)
    #[arg(long)]
    hulls: bool,
    /// Write the file even if parts of the mesh are left out that the format could hold
    #[arg(long)]
    pub allow_loss: bool,
    /// Greatest size of an output file, in bytes or with the suffix K, M or G; 16 MiB and 32 times
    /// the size of the input by default
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    pub max_output: Option<u64>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// Copy quantized integers as they are stored (the extension `KHR_mesh_quantization`)
    #[arg(long, help_heading = "glTF")]
    quantized: bool,
    /// Compress the arrays with meshoptimizer, by the extension `EXT_meshopt_compression`
    /// or `KHR_meshopt_compression`
    #[arg(long, value_parser = compression_parser(), value_name = "EXTENSION", num_args = 0..=1,
        default_missing_value = "ext", help_heading = "glTF")]
    #[cfg_attr(not(feature = "meshopt"), arg(hide = true))]
    compress: Option<Compression>,
    /// Greatest size of a .bin file of .gltf output, in bytes or with the suffix K, M or G
    #[arg(long, value_parser = parse_size, value_name = "SIZE", help_heading = "glTF")]
    split: Option<u64>,
    /// Level of detail: one level, such as 1 or `medium`, `all` for a glTF scene of each level, or
    /// `nodes` for glTF nodes that the extension `MSFT_lod` connects; the highest existing level by
    /// default
    #[arg(long, value_parser = levels_parser(), value_name = "LOD")]
    lod: Option<LevelName>,
    /// Number of the only asset of an .slm container to convert, from 0
    #[arg(long, value_name = "N", help_heading = "Second Life meshes")]
    pub asset: Option<usize>,
}

/// The levels of detail on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelName {
    One(LevelNumber),
    All,
    Nodes,
}

fn space_parser() -> impl TypedValueParser<Value = OutputSpace> {
    named_values(vec![
        (OutputSpace::Target, "target", "The conventions of the output format"),
        (OutputSpace::Stored, "stored", "The axes, units and texture coordinates of the mesh file"),
    ])
}

fn compression_parser() -> impl TypedValueParser<Value = Compression> {
    named_values(vec![
        (Compression::Ext, "ext", "`EXT_meshopt_compression`"),
        (Compression::Khr, "khr", "`KHR_meshopt_compression`"),
    ])
}

fn levels_parser() -> impl TypedValueParser<Value = LevelName> {
    let all = [
        (LevelName::All, "all", "Every level, each in a scene of its own"),
        (LevelName::Nodes, "nodes", "Every level, as nodes that MSFT_lod connects"),
    ];
    level_parser(LevelName::One, &all)
}

fn format_parser() -> impl TypedValueParser<Value = ExportFormat> {
    named_values(ExportFormat::ALL.map(|format| (format, format.extension(), format.names().description)).to_vec())
}

fn parse_rate(text: &str) -> Result<f32, String> {
    let range = crate::export::options::RATES;
    let expected = format!("expected a number of {} to {}", range.start(), range.end());
    parse_number(text, |rate| range.contains(rate), &expected)
}

impl ConvertArgs {
    /// Returns whether OUT is a folder, in which each mesh gets a file of its own.
    pub fn writes_to_folder(&self) -> bool {
        let is_folder = has_several(&self.files.files) || is_named_as_folder(&self.output) || self.output.is_dir();
        self.output != Path::new(STDIN) && is_folder
    }

    /// Returns the output format.
    pub fn format(&self) -> Result<ExportFormat, UsageError> {
        self.check_folder_name()?;
        let format = match self.to {
            Some(format) => {
                self.check_extension(format)?;
                format
            }
            None => self.format_of_output()?,
        };
        self.check_options(format)?;
        Ok(format)
    }

    fn format_of_output(&self) -> Result<ExportFormat, UsageError> {
        let names = || ExportFormat::ALL.map(ExportFormat::extension).join(", ");
        if self.writes_to_folder() || self.output == Path::new(STDIN) {
            let output = if self.output == Path::new(STDIN) {
                "-o -: standard output has no extension".to_owned()
            } else {
                format!("{}: each mesh gets a file of its own in this folder", shown(&self.output))
            };
            usage!("{output}; choose the format with --to: {}", names());
        }
        let path = shown(&self.output);
        if let Some(format) = self.named_format() {
            return Ok(format);
        }
        let advice = advice(&self.output).map_or_else(|| ", or --to".to_owned(), |advice| format!("; {advice}"));
        usage!("{path}: expected an extension of {}{advice}", names())
    }

    /// Returns an error if several meshes would be written into a folder with the name of a file.
    fn check_folder_name(&self) -> Result<(), UsageError> {
        // The name may be that of a mesh file in a format that is only read.
        let is_named = self.named_format().is_some() || is_mesh_file(&self.output);
        if !has_several(&self.files.files) || !is_named || self.output.is_dir() || is_named_as_folder(&self.output) {
            return Ok(());
        }
        let (path, folder) = (shown(&self.output), shown(&self.output.with_extension("")));
        let format = self.to.or_else(|| self.named_format()).unwrap_or(ExportFormat::Glb).extension();
        usage!(
            "{path}: the name of one file, but each of several meshes gets a file of its own; name a folder: `-o {folder} --to {format}`"
        )
    }

    /// Returns the output format that the extension of the output names.
    fn named_format(&self) -> Option<ExportFormat> {
        self.output.extension()?.to_str()?.parse().ok()
    }

    /// Returns an error if the output has the extension of another format than that of `--to`.
    fn check_extension(&self, format: ExportFormat) -> Result<(), UsageError> {
        if self.writes_to_folder() || self.output == Path::new(STDIN) {
            return Ok(());
        }
        if self.named_format().map_or_else(|| is_known(&self.output), |named| named != format) {
            let (path, to) = (shown(&self.output), format.extension());
            usage!("{path}: the extension is that of another format than --to {to}; end the path with .{to}");
        }
        Ok(())
    }

    /// Returns an error if an option does not apply to the format.
    fn check_options(&self, format: ExportFormat) -> Result<(), UsageError> {
        let is_gltf = matches!(format, ExportFormat::Glb | ExportFormat::Gltf);
        let has_scenes = matches!(self.lod, Some(LevelName::All | LevelName::Nodes));
        let wrong = [
            (self.quantized && !is_gltf, "--quantized", "glTF"),
            (self.compress.is_some() && !is_gltf, "--compress", "glTF"),
            (has_scenes && !is_gltf, "--lod all and --lod nodes", "glTF"),
            (self.split.is_some() && format != ExportFormat::Gltf, "--split", ".gltf"),
        ];
        if let Some((_, option, needed)) = wrong.into_iter().find(|(is_wrong, ..)| *is_wrong) {
            usage!("{option}: applies to {needed} output only; leave it out");
        }
        if self.compress.is_some() && !cfg!(feature = "meshopt") {
            usage!("--compress: this program was built without it; build it with `cargo install --features meshopt`");
        }
        Ok(())
    }

    /// Returns the options of the export of an asset.
    pub fn options(&self, asset: &dyn Asset) -> anyhow::Result<ExportOptions> {
        let levels = match self.lod {
            None => LevelChoice::Best,
            Some(LevelName::All) => LevelChoice::Scenes,
            Some(LevelName::Nodes) => LevelChoice::Nodes,
            Some(LevelName::One(number)) => LevelChoice::One(level_index(asset, number)?),
        };
        // The surfaces are those of the highest level.
        let surfaces =
            if self.surfaces.is_empty() { None } else { Some(selected_surfaces(&self.surfaces, &*asset.level(0)?)?) };
        let clip = self.clip.as_ref().map(|clip| clip.clip(asset.animations())).transpose()?;
        let options = ExportOptions::default()
            .with_asset(self.asset)
            .with_surfaces(surfaces)
            .with_levels(levels)
            .with_clip(clip)
            .with_frame(self.frame.as_ref().map(|frame| frame.value))
            .with_rate(self.rate)
            .with_colors(self.colors.unwrap_or_default())
            .with_normals(self.normals)
            .with_space(self.space)
            .with_adjustment(self.adjust.adjustment(asset)?)
            .with_quantized(self.quantized)
            .with_compression(self.compress)
            .with_hulls(self.hulls)
            .with_allow_loss(self.allow_loss);
        Ok(match self.split {
            Some(split) => options.with_split(split),
            None => options,
        })
    }
}
