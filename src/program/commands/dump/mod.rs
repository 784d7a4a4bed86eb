//! `dump`: prints the decoded values of one attribute.

mod pose;

use std::io::{self, BufWriter, Write};
use std::ops::Range;

use crate::formats::FormatFile;
use crate::model::{Asset, Hull, HullKind, Positions};
use crate::{Error, ErrorKind, Field, Geometry, Model, Surface};
use clap::Args;
use serde_json::json;

use crate::program::args::{Attribute, Global, OneFile};
use crate::program::formats::ezmesh::values::track_pose;
use crate::program::formats::facts::{self, DumpRequest};
use crate::program::formats::secondlife::level_args::LevelArgs;
use crate::program::formats::unreal::frame_args::FrameArgs;
use crate::program::input::asset::InputAsset;
use crate::program::input::bytes::Data;
use crate::program::input::open::{open, open_indexed};
use crate::program::outcome::{Outcome, UsageError};
use crate::program::render::arrays::{FrameAxes, FrameAxis};
use crate::program::render::json::{SCHEMA, extend, number, with};
use crate::program::render::json_writer::JsonWriter;
use crate::program::render::values::{Values, boxed};

use pose::{PoseArgs, print_bones};

const HELP: &str = "\
Prints one value per line. The components of a vector are separated by blanks, the influences on a vertex (bone and weight) by commas. \
Normals, tangents and bitangents have unit length: those of Unreal meshes are computed, those of EZ-Mesh files are printed as they are \
stored. Colours are 0 to 1. The texture coordinate v grows downwards; in Second Life meshes it grows upwards.

--raw prints the stored numbers. These are the quaternion of the tangent frame for normals, tangents and bitangents, bytes for \
colours, and integers for weights. All surfaces of an Unreal mesh share its positions, which are integers. Every attribute of a Second \
Life mesh is stored as integers. In EZ-Mesh files, a colour is one number with the hexadecimal digits AARRGGBB, and a vertex has four \
influences, including those with weight 0.

Examples:
  meshpeek dump model.mesh --surface 3 --attribute positions --range 1000..1010
  meshpeek dump model.mesh --attribute weights --json
  meshpeek dump Models/box --clip 2 --frame 0.5 --placed
  meshpeek dump tree.llmesh --lod low --attribute weights --raw
  meshpeek dump walk.anim --pose 10 --onto walker.mesh --json
  meshpeek dump walk.anim --time 0.5 --rate 30 --model";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct DumpArgs {
    #[command(flatten)]
    file: OneFile,
    /// Number of the surface, from 0; `meshpeek info` lists the surfaces
    #[arg(long, default_value_t = 0, value_name = "N")]
    surface: usize,
    /// Attribute to print
    #[arg(long, value_enum, default_value_t = Attribute::Positions)]
    attribute: Attribute,
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
    frame: FrameArgs,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    level: LevelArgs,
}

/// A range of item indices. `None` as the end means that the range extends to the last item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IndexRange {
    start: usize,
    end: Option<usize>,
}

fn parse_range(text: &str) -> Result<IndexRange, String> {
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text:?}: {error}"));
    let Some((start, end)) = text.split_once("..") else {
        let start = number(text)?;
        return Ok(IndexRange { start, end: start.checked_add(1) });
    };
    let start = if start.is_empty() { 0 } else { number(start)? };
    let end = if end.is_empty() { None } else { Some(number(end)?) };
    if end.is_some_and(|end| end < start) {
        return Err(format!("expected an end of at least {start}"));
    }
    Ok(IndexRange { start, end })
}

impl DumpArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let asset = open_indexed(path, self.level.asset, global)?;
        self.dump(&asset, global).map_err(|error| asset.locate_any_error(error, path))
    }

    fn dump(&self, asset: &InputAsset, global: &Global) -> anyhow::Result<Outcome> {
        if self.target != 0 && !self.attribute.has_targets() {
            let name = self.attribute.name();
            return Err(UsageError(format!("--target: all morph targets share the same {name}; leave it out")).into());
        }
        let mut out = BufWriter::new(io::stdout().lock());
        if self.pose.is_set() {
            let other = self.frame.first_option().filter(|option| *option != "--clip");
            if let Some(option) = other.or_else(|| self.level.first_option()) {
                return Err(UsageError(format!("{option}: does not go with --pose or --time; leave it out")).into());
            }
            self.print_pose(asset, global, &mut out)?;
            asset.check()?;
            return Ok(Outcome::Fine);
        }
        if let Some(option) = self.pose.option_without_pose() {
            return Err(UsageError(format!("{option}: needs --pose or --time; add one of them or leave it out")).into());
        }
        self.dump_attribute(asset, global, &mut out)?;
        Ok(Outcome::Fine)
    }

    fn dump_attribute(&self, asset: &InputAsset, global: &Global, out: &mut dyn Write) -> anyhow::Result<()> {
        let model = &asset.model;
        if matches!(model.format_file(), FormatFile::UnigineAnimation(_)) {
            let text = "an animation has no surface; --pose N prints the positions of its bones at frame N";
            return Err(UsageError(text.to_owned()).into());
        }
        let level = self.level.geometry(model)?;
        asset.note_other_assets(self.level.asset, &self.file.file, global);
        if self.target != 0 {
            // `positions` is called only to return its error if the surface does not have the
            // chosen morph target.
            model.positions(self.surface, self.target)?;
        }
        if let (true, FormatFile::Unreal(mesh)) = (self.frame.uv_listing, model.format_file()) {
            mesh.write_uv_listing(out)?;
            return Ok(asset.check()?);
        }
        let Self { surface, attribute, raw, .. } = *self;
        let request = DumpRequest { surface, attribute, raw, frame: &self.frame };
        let values = facts::values(model, level.as_ref(), &request)?;
        self.check_options(model)?;
        let geometry: &dyn Geometry = match &level {
            Some(level) => level,
            None => model,
        };
        let surface = Surface::new(geometry, self.surface);
        let chosen = model.contents().asset(self.level.asset.unwrap_or_default())?;
        let values = match values {
            Some(values) => values,
            None => match self.neutral_values(&surface, &*chosen)? {
                Some(values) => values,
                None => return Err(self.missing_attribute(&surface)),
            },
        };
        let range = self.range(values.count())?;
        self.print(out, &*values, range, global)?;
        Ok(asset.check()?)
    }

    /// Returns an error if the command line contains an option that does not apply to the format of
    /// the file.
    fn check_options(&self, model: &Model<Data>) -> anyhow::Result<()> {
        let Some(option) = self.frame.first_option() else { return Ok(()) };
        let text = match model.format_file() {
            FormatFile::Unreal(_) => return Ok(()),
            _ if option == "--clip" && has_bone_animations(model) => {
                "only --pose and --time use it for this format; add one of them or leave it out"
            }
            _ => "applies to Unreal vertex meshes only; leave it out",
        };
        Err(UsageError(format!("{option}: {text}")).into())
    }

    fn print_pose(&self, asset: &InputAsset, global: &Global, out: &mut dyn Write) -> anyhow::Result<()> {
        let clip = self.frame.clip.unwrap_or_default();
        let animations = asset.model.animations()?;
        let has_bone_animations = has_bone_animations(&asset.model);
        if self.frame.clip.is_none() && has_bone_animations && animations.clip_count()? == 0 {
            return Err(UsageError(format!("{}: expected animation[0], found 0 animations", self.pose)).into());
        }
        let head = json!({ "schema": SCHEMA, "path": self.file.file.to_string_lossy() });
        let head = extend(head, &self.pose.json(animations, clip));
        if let FormatFile::EzMesh(mesh) = asset.model.format_file()
            && animations.bone_count()? == 0
        {
            let tracks = track_pose(mesh, clip, self.pose.whole_frame()?)?;
            return Ok(print_bones(tracks.into_iter(), &head, global.json, out)?);
        }
        if !has_bone_animations {
            let text = "--pose: this format has no bone animations";
            return Err(UsageError(text.to_owned()).into());
        }
        let Some(path) = &self.pose.onto else {
            return self.pose.print(clip, animations, None, &head, global.json, out);
        };
        let mesh = open(path, global)?;
        let head = with(head, "onto", path.to_string_lossy().into());
        self.pose.print(clip, animations, Some(mesh.model.animations()?), &head, global.json, out)?;
        Ok(mesh.check().map_err(|error| mesh.locate_error(error, path))?)
    }

    /// Returns the error that the surface does not exist, or that it does not have the attribute.
    fn missing_attribute(&self, surface: &Surface<'_>) -> anyhow::Error {
        // For a hull, --surface is the number of the hull.
        if let Err(error) = surface.name()
            && self.attribute != Attribute::Hull
        {
            return error.into();
        }
        let (surface, name) = (self.surface, self.attribute.name());
        UsageError(format!("surface {surface} has no {name}; `meshpeek info` lists the attributes of each surface"))
            .into()
    }

    /// Returns the values of an attribute that exists in several formats, such as positions.
    /// Returns `None` if the surface or the asset does not have the attribute.
    fn neutral_values<'a>(
        &self,
        surface: &Surface<'a>,
        asset: &'a dyn Asset,
    ) -> crate::Result<Option<Box<dyn Values + 'a>>> {
        use Attribute as A;
        Ok(match self.attribute {
            A::Positions => Some(Box::new(surface.target_positions(self.target)?)),
            A::Normals => match self.frame_axes(surface, FrameAxis::Normal)? {
                Some(frames) => Some(frames),
                None => boxed(surface.target_normals(self.target)?),
            },
            A::Tangents => self.frame_axes(surface, FrameAxis::Tangent)?,
            A::Bitangents => self.frame_axes(surface, FrameAxis::Bitangent)?,
            A::Uv0 => boxed(surface.uvs(0)?),
            A::Uv1 => boxed(surface.uvs(1)?),
            A::Uv2 => boxed(surface.uvs(2)?),
            A::Uv3 => boxed(surface.uvs(3)?),
            A::Colors => boxed(surface.colors()?),
            A::Weights => boxed(surface.weights()?),
            A::Indices => Some(Box::new(surface.indices()?)),
            A::AttributeIndices => Some(Box::new(surface.attribute_indices()?)),
            A::Hull | A::BoundingHull => boxed(self.hull_points(asset)?),
            // [`facts::values`] returns the values of an attribute that exists in one format only.
            _ => None,
        })
    }

    /// Returns the points of the collision hull with the number `--surface`, or of the hull around
    /// the whole asset, which is the last hull of an asset and has no number on the command line.
    fn hull_points<'a>(&self, asset: &'a dyn Asset) -> crate::Result<Option<Positions<'a>>> {
        let Some(last) = asset.hull_count()?.checked_sub(1) else { return Ok(None) };
        let (found, is_bounding) = (asset.hull(last), |hull: &Hull<'_>| hull.kind == HullKind::Bounding);
        if self.attribute == Attribute::BoundingHull {
            return Ok(Some(found?).filter(is_bounding).and_then(|hull| hull.points));
        }
        if self.surface >= last && found.as_ref().is_ok_and(is_bounding) {
            let text = format!("expected a number below {last}, found {}", self.surface);
            let field = Field::new("").in_list("hull", self.surface.try_into().unwrap_or(u64::MAX));
            return Err(Error::custom(ErrorKind::NoSuch, text).located(asset.format(), field, None));
        }
        Ok(asset.hull(self.surface)?.points)
    }

    fn frame_axes<'a>(&self, surface: &Surface<'a>, axis: FrameAxis) -> crate::Result<Option<Box<dyn Values + 'a>>> {
        Ok(boxed(surface.target_tangent_frames(self.target)?.map(|frames| FrameAxes(frames, axis))))
    }

    fn range(&self, len: usize) -> anyhow::Result<Range<usize>> {
        let IndexRange { start, end } = self.range.unwrap_or(IndexRange { start: 0, end: None });
        let range = start..end.unwrap_or(len);
        if range.end > len || range.start > len {
            let text = format!("--range: expected a range within 0..{len}, found {}..{}", range.start, range.end);
            return Err(UsageError(text).into());
        }
        Ok(range)
    }

    fn print(&self, out: &mut dyn Write, values: &dyn Values, range: Range<usize>, global: &Global) -> io::Result<()> {
        if !global.json {
            values.visit(range, self.raw, &mut |item| {
                item.text(out)?;
                writeln!(out)
            })?;
            return out.flush();
        }
        let head = json!({
            "schema": SCHEMA,
            "path": self.file.file.to_string_lossy(),
            "surface": self.surface,
            "attribute": self.attribute.name(),
            "range": [range.start, range.end],
        });
        let head = match &self.frame.frame {
            Some(frame) => with(head, "frame", number(frame.value)),
            None => head,
        };
        let head = match self.level.key() {
            Some(lod) => with(head, "lod", lod.into()),
            None => head,
        };
        let head = match self.level.asset {
            Some(asset) => with(head, "asset", asset.into()),
            None => head,
        };
        // An array may be too large to be collected as JSON in memory. Each value of the array is
        // therefore printed immediately after it is decoded, before the closing brace of the JSON
        // object is printed.
        let mut json = JsonWriter::compact(out);
        json.open(b"{")?;
        json.fields(&head)?;
        json.start_field("values")?;
        out.write_all(b"[")?;
        let mut first = true;
        values.visit(range, self.raw, &mut |item| {
            write!(out, "{}", if std::mem::replace(&mut first, false) { "\n" } else { ",\n" })?;
            item.json(out)
        })?;
        writeln!(out, "\n]}}")?;
        out.flush()
    }
}

/// Returns whether the format supports bone animations whose frames can be read by their index.
const fn has_bone_animations(model: &Model<Data>) -> bool {
    !matches!(model.format_file(), FormatFile::Unreal(_) | FormatFile::SecondLife(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges() {
        let range = |start, end| Ok(IndexRange { start, end });
        assert_eq!(parse_range("3..7"), range(3, Some(7)));
        assert_eq!(parse_range("3.."), range(3, None));
        assert_eq!(parse_range("..7"), range(0, Some(7)));
        assert_eq!(parse_range("5"), range(5, Some(6)));
        assert!(parse_range("7..3").is_err() && parse_range("a..b").is_err() && parse_range("").is_err());
    }
}
