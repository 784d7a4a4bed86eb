//! `dump`: prints the decoded values of one attribute, or writes arrays to a file.

mod arrays;
mod attribute;
mod csv;
mod influences;
mod mesh_arrays;
mod npz;
mod outputs;
mod pose;
mod pose_table;
mod selection;

use std::io::{self, BufWriter, Write};
use std::ops::Range;

use crate::model::ItemOwner;
use crate::{Animations, Geometry};
use clap::Args;
use serde_json::{Value, json};

use crate::program::args::{Global, OneFile};
use crate::program::formats::{LevelArgs, Selector, surfaces};
use crate::program::input::{InputAsset, open, open_indexed};
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::json::{extend, number, with};
use crate::program::output::{JsonWriter, Values, progress};

use arrays::{ArrayContext, FrameArgs};
use attribute::{Attribute, AttributeParser, NeutralAttribute};
use mesh_arrays::MeshArrays;
use outputs::{ArrayFormat, OutputArgs};
use pose::PoseArgs;
use pose_table::{PoseTable, TableBone};
use selection::{ArraySelection, IndexRange, all_attributes, hull_number, parse_range, vertex_attributes};

const HELP: &str = "\
Prints one value per line. The components of a vector are separated by blanks, the influences on a vertex (bone and weight) by commas. \
Normals, tangents and bitangents have unit length: those of Unreal meshes are computed, those of EZ-Mesh files are printed as they are \
stored. Colours are 0 to 1. The texture coordinate v grows downwards; in Second Life meshes it grows upwards.

--raw prints the stored numbers. These are the quaternion of the tangent frame for normals, tangents and bitangents, bytes for \
colours, and integers for weights. All surfaces of an Unreal mesh share its positions, which are integers. Every attribute of a Second \
Life mesh is stored as integers. In EZ-Mesh files, a colour is one number with the hexadecimal digits AARRGGBB, and a vertex has four \
influences, including those with weight 0.

-o writes arrays to a file. The extension .npy is one array, .npz all arrays of all surfaces, and .csv a table with one row for each \
item. The keys of an .npz file are names such as surface0.positions and surface0.uv0.

Examples:
  meshpeek dump data/unigine/room_ms11.mesh --surface box --attribute positions --range 0..4
  meshpeek dump data/unigine/skinned_ms12.mesh --attribute weights --json
  meshpeek dump data/unreal/guard --clip Walk --frame 0.5 --placed
  meshpeek dump data/secondlife/arm.llmesh --lod low --attribute weights --raw
  meshpeek dump data/unigine/bend_an10.anim --pose 1 --onto data/unigine/skinned_ms12.mesh --json
  meshpeek dump data/unigine/wave_an10.anim --time 0.5 --rate 30 --model
  meshpeek dump data/ezmesh/flag.ezm -o flag.npz
  meshpeek dump data/unigine/room_ms11.mesh --attribute positions,uv0 -o room.csv";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct DumpArgs {
    #[command(flatten)]
    file: OneFile,
    /// Number of the surface, from 0, or its name; 0 by default, and for .npz and .csv all
    ///
    /// `meshpeek info` lists the surfaces. .npz and .csv take several, such as 0,2. A name of
    /// digits is taken as a number.
    #[arg(long, value_name = "N")]
    surface: Vec<Selector>,
    /// Attribute to print; positions by default, and for .npz and .csv all
    ///
    /// .npz and .csv take several, such as positions,uv0.
    #[arg(long, value_parser = AttributeParser, value_delimiter = ',')]
    attribute: Vec<Attribute>,
    /// Items to print: A..B (without B), A.., ..B, or one number; all by default
    ///
    /// Items are counted from 0. Example: --range 1000..1010
    #[arg(long, value_name = "A..B", value_parser = parse_range)]
    range: Option<IndexRange>,
    /// Number of the morph target whose positions, normals, tangents or bitangents to print; 0 is
    /// the base shape
    #[arg(long, default_value_t = 0, value_name = "N")]
    target: usize,
    /// Print the stored numbers instead of the decoded values
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    frame: FrameArgs,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    level: LevelArgs,
}

impl DumpArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let format = self.output.format()?;
        let asset = open_indexed(path, self.level.asset, global)?;
        let done = self.dump(&asset, format, global);
        done.map_err(|error| asset.locate_any_error(self.output.locate_error(error), path))?;
        Ok(Outcome::Fine)
    }

    fn dump(&self, asset: &InputAsset, format: Option<ArrayFormat>, global: &Global) -> anyhow::Result<()> {
        if self.target != 0 && !self.attribute.is_empty() && !self.attribute.iter().any(|one| one.has_targets()) {
            let names: Vec<String> = self.attribute.iter().map(|one| one.name()).collect();
            usage!("--target: all morph targets share the same {}; leave it out", names.join(", "));
        }
        if self.pose.is_set() {
            let other = self.frame.first_option().filter(|option| *option != "--clip");
            if let Some(option) = other.or_else(|| self.level.first_option()) {
                usage!("{option}: does not go with --pose or --time; leave it out");
            }
            return self.dump_pose(asset, format, global);
        }
        if let Some(option) = self.pose.option_without_pose() {
            usage!("{option}: needs --pose or --time; add one of them or leave it out");
        }
        self.dump_arrays(asset, format, global)
    }

    fn dump_arrays(&self, asset: &InputAsset, format: Option<ArrayFormat>, global: &Global) -> anyhow::Result<()> {
        let model = &asset.model;
        if !model.file().has_surfaces() {
            usage!("an animation has no surface; --pose N prints the positions of its bones at frame N");
        }
        let level = self.level.geometry(model)?;
        let geometry: &dyn Geometry = &*level;
        asset.note_other_assets(self.level.asset, &self.file.file, global);
        if let (true, Some(mesh)) = (self.frame.uv_listing, geometry.vertex_mesh()) {
            mesh.write_uv_listing(&mut BufWriter::new(io::stdout().lock()))?;
            return Ok(asset.check()?);
        }
        let animations = model.animations();
        self.check_options(geometry, animations)?;
        let clip = self.frame.clip.as_ref().map(|clip| clip.clip(animations)).transpose()?;
        let chosen = model.contents().asset(self.level.asset.unwrap_or_default())?;
        let (target, raw, frame) = (self.target, self.raw, &self.frame);
        let context = ArrayContext { geometry, animations, asset: &*chosen, target, raw, frame, clip };
        match format {
            Some(format) => self.write_arrays(&context, asset, format, global),
            None => self.print_array(&context, asset, global),
        }
    }

    /// Prints the values of one attribute of one surface.
    fn print_array(&self, context: &ArrayContext<'_>, asset: &InputAsset, global: &Global) -> anyhow::Result<()> {
        let attribute = self.only_attribute("give one, or write all to a file with -o and .npz or .csv")?;
        let surface =
            self.only_surface(context, attribute, "give one, or write all to a file with -o and .npz or .csv")?;
        self.check_target(context, &[surface])?;
        let arrays = context.arrays(surface);
        let Some(values) = arrays.values(attribute)? else { return Err(arrays.missing(attribute)) };
        let range = self.range.unwrap_or(IndexRange::ALL).within(values.count())?;
        progress::end();
        let out = BufWriter::new(io::stdout().lock());
        let chosen = (surface, attribute, range);
        self.output.limit(asset).write(out, |out| Ok(self.print(out, &*values, chosen, global)?))?;
        Ok(asset.check()?)
    }

    /// Writes the arrays that the command line chooses to a file.
    fn write_arrays(
        &self,
        context: &ArrayContext<'_>,
        asset: &InputAsset,
        format: ArrayFormat,
        global: &Global,
    ) -> anyhow::Result<()> {
        let selection = if format == ArrayFormat::Npy {
            let text = "a file .npy holds one array; give one, or end the path with .npz";
            let attribute = self.only_attribute(text)?;
            let surface = self.only_surface(context, attribute, text)?;
            let mut selection = ArraySelection::new(&[], &[attribute], &[], context)?;
            selection.numbers = vec![surface];
            selection
        } else {
            let default = if format == ArrayFormat::Npz { all_attributes() } else { vertex_attributes() };
            ArraySelection::new(&self.surface, &self.attribute, &default, context)?
        };
        if self.range.is_some() && selection.attributes.len() != 1 {
            usage!("--range: applies to one attribute; give one with --attribute, or leave it out");
        }
        self.check_target(context, &selection.numbers)?;
        let arrays = MeshArrays { context, selection, range: self.range };
        self.output.write(&arrays, format, asset, &self.file.file, global)
    }

    /// Returns an error if a surface does not have the chosen morph target.
    fn check_target(&self, context: &ArrayContext<'_>, surfaces: &[usize]) -> anyhow::Result<()> {
        if self.target != 0 {
            for surface in surfaces {
                context.geometry.lend(*surface)?.surface().target_positions(self.target)?;
            }
        }
        Ok(())
    }

    /// Returns the attribute on the command line, or an error with `text` if there are several.
    fn only_attribute(&self, text: &str) -> Result<Attribute, UsageError> {
        match *self.attribute {
            [] => Ok(Attribute::Neutral(NeutralAttribute::Positions)),
            [only] => Ok(only),
            _ => usage!("--attribute: found several attributes; {text}"),
        }
    }

    /// Returns the number of the surface or hull on the command line, or an error with `text` if
    /// there are several.
    fn only_surface(&self, context: &ArrayContext<'_>, attribute: Attribute, text: &str) -> anyhow::Result<usize> {
        let numbers = match attribute.owner() {
            ItemOwner::Hull => self.surface.iter().map(hull_number).collect::<Result<_, _>>()?,
            _ => surfaces(&self.surface, context.geometry)?,
        };
        match *numbers {
            [] => Ok(0),
            [only] => Ok(only),
            _ => usage!("--surface: found several surfaces; {text}"),
        }
    }

    /// Returns an error if the command line contains an option that does not apply to the format of
    /// the file.
    fn check_options(&self, geometry: &dyn Geometry, animations: &dyn Animations) -> anyhow::Result<()> {
        let Some(option) = self.frame.first_option() else { return Ok(()) };
        if geometry.vertex_mesh().is_some() {
            return Ok(());
        }
        let text = if option == "--clip" && animations.has_bone_clips() {
            "only --pose and --time use it for this format; add one of them or leave it out"
        } else {
            "applies to Unreal vertex meshes only; leave it out"
        };
        usage!("{option}: {text}")
    }

    fn dump_pose(&self, asset: &InputAsset, format: Option<ArrayFormat>, global: &Global) -> anyhow::Result<()> {
        let animations = asset.model.animations();
        let clip = self.frame.clip.as_ref().map_or(Ok(0), |clip| clip.clip(animations))?;
        let onto = self.pose.onto.as_ref().map(|path| anyhow::Ok((path, open(path, global)?))).transpose()?;
        let table = self.pose_table(asset, clip, onto.as_ref().map(|(_, mesh)| mesh))?;
        if let Some((path, mesh)) = &onto {
            mesh.check().map_err(|error| mesh.locate_error(error, path))?;
        }
        if let Some(format) = format {
            return self.output.write(&table, format, asset, &self.file.file, global);
        }
        let mut out = BufWriter::new(io::stdout().lock());
        if global.json {
            let head = json!({ "path": self.file.file.to_string_lossy() });
            let head = extend(head, &self.pose.json(animations, clip));
            let head = with(head, "onto", self.pose.onto.as_ref().map(|path| path.to_string_lossy().into()));
            table.print_json(&head, &mut out)?;
        } else {
            table.print(&mut out)?;
        }
        Ok(asset.check()?)
    }

    /// Returns the transforms of the bones of the file, or of another mesh.
    fn pose_table(&self, asset: &InputAsset, clip: usize, onto: Option<&InputAsset>) -> anyhow::Result<PoseTable> {
        let animations = asset.model.animations();
        let has_bone_clips = animations.has_bone_clips();
        if self.frame.clip.is_none() && has_bone_clips && animations.clip_count()? == 0 {
            usage!("{}: expected animation[0], found 0 animations", self.pose);
        }
        if animations.bone_count()? == 0 {
            let frame = self.pose.whole_frame();
            let tracks = animations.track_pose(clip, frame.as_ref().copied().unwrap_or_default());
            if !matches!(tracks, Ok(None)) {
                frame?;
                let tracks = tracks?.into_iter().flatten();
                let bones = tracks.map(|(name, track)| TableBone::local(name, -1, &track)).collect();
                return Ok(PoseTable { bones, is_model: false });
            }
        }
        if !has_bone_clips {
            usage!("--pose: this format has no bone animations");
        }
        let onto = onto.map(|mesh| mesh.model.animations());
        self.pose.table(clip, animations, onto)
    }

    fn print(
        &self,
        out: &mut dyn Write,
        values: &dyn Values,
        (surface, attribute, range): (usize, Attribute, Range<usize>),
        global: &Global,
    ) -> io::Result<()> {
        if !global.json {
            values.visit(range, self.raw, &mut |item| {
                item.text(out)?;
                writeln!(out)
            })?;
            return out.flush();
        }
        let head = json!({
            "path": self.file.file.to_string_lossy(),
            "surface": surface,
            "attribute": attribute.name(),
            "range": [range.start, range.end],
        });
        let head = with(head, "frame", self.frame.frame.as_ref().map(|frame| number(frame.value)));
        let head = with(head, "lod", self.level.key().map(Value::from));
        let head = with(head, "asset", self.level.asset.map(Value::from));
        // An array may be too large to be collected as JSON in memory, so each value is printed
        // when it is decoded.
        let mut json = JsonWriter::compact(out);
        json.start()?;
        json.fields(&head)?;
        json.open_lines("values")?;
        values.visit(range, self.raw, &mut |item| item.json(&mut json))?;
        json.close_lines()?;
        json.end()
    }
}
