//! `dump`: decoded values of one attribute.

use std::io::{self, BufWriter, Write};
use std::ops::Range;

use clap::{Args, ValueEnum};
use meshpeek::{Model, Surface};
use serde_json::json;

use crate::opened::Opened;
use crate::output::{self, Misuse, Outcome, SCHEMA, number, with};
use crate::pose::Pose;
use crate::secondlife::{self, Place};
use crate::unreal::Moments;
use crate::values::{Axis, Values};
use crate::{Global, OneFile, ezmesh, input, unigine};

const HELP: &str = "\
One value per line: a vector's components are separated by blanks, a vertex's influences (bone and weight) by commas. \
With --raw, the numbers that are stored: a frame's quaternion for normals, tangents and bitangents, bytes for colours, \
integers for weights, for the positions of Unreal meshes, which all surfaces share, and for all of Second Life's; of EZ-Mesh \
files, colours as one number, 0xAARRGGBB, and all four places of a vertex's weights. Normals, tangents and bitangents \
are of unit length (those of Unreal meshes are computed, those of EZ-Mesh files as they are stored); v grows downwards, in Second Life \
meshes upwards; colours are 0 to 1.

Examples:
  meshpeek dump model.mesh --surface 3 --attribute positions --range 1000..1010
  meshpeek dump model.mesh --attribute weights --json
  meshpeek dump Models/box --clip 2 --frame 0.5 --placed
  meshpeek dump tree.llmesh --lod low --attribute weights --raw
  meshpeek dump walk.anim --pose 10 --onto walker.mesh --json
  meshpeek dump walk.anim --time 0.5 --rate 30 --model";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Dump {
    #[command(flatten)]
    file: OneFile,
    /// The surface's number
    #[arg(long, default_value_t = 0, value_name = "N")]
    surface: usize,
    /// What to print
    #[arg(long, value_enum, default_value_t = Attribute::Positions)]
    attribute: Attribute,
    /// Which items: A..B, A.., ..B, or one number; all by default
    #[arg(long, value_name = "A..B", value_parser = parse_range)]
    range: Option<Asked>,
    /// The morph target whose positions or frames to print; 0 is the base shape
    #[arg(long, default_value_t = 0, value_name = "N")]
    target: usize,
    /// Print the numbers that are stored
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    moments: Moments,
    #[command(flatten)]
    pose: Pose,
    #[command(flatten)]
    place: Place,
}

#[allow(clippy::enum_variant_names, reason = "the names are the command line's")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Attribute {
    Positions,
    Normals,
    Tangents,
    Bitangents,
    Uv0,
    Uv1,
    Uv2,
    Uv3,
    Colors,
    Weights,
    Indices,
    AttributeIndices,
    /// Type byte of each polygon (Unreal)
    Types,
    /// Texture number of each polygon (Unreal)
    Textures,
    /// Unused colour byte of each polygon (Unreal)
    ColorBytes,
    /// Unused flags byte of each polygon (Unreal)
    Flags,
    /// Points of a convex hull, whose number --surface gives (Second Life)
    Hull,
    /// Points of the convex hull around everything (Second Life)
    BoundingHull,
    /// For each triangle, which of its edges stand out: bit k for the one opposite corner k (UNIGINE ms14, ms15)
    Edges,
    /// First corners of triangles, in the order of the tree's leaves (UNIGINE ms14, ms15)
    TreeCorners,
    /// Nodes of the spatial tree: axis, left, right, start, end (UNIGINE ms14, ms15)
    TreeNodes,
    /// Boxes of the nodes: least x, y, z, greatest x, y, z (UNIGINE ms14, ms15)
    TreeBoxes,
    /// Where nodes are split (UNIGINE ms14, ms15)
    TreeSplits,
    /// A distance for each vertex (EZ-Mesh)
    Radius,
    /// What is to be interpolated, as all to interp8 (EZ-Mesh)
    Interp1,
    Interp2,
    Interp3,
    Interp4,
    Interp5,
    Interp6,
    Interp7,
    Interp8,
}

impl Attribute {
    /// Tells whether each morph target has its own.
    const fn has_targets(self) -> bool {
        matches!(self, Self::Positions | Self::Normals | Self::Tangents | Self::Bitangents)
    }

    /// Returns the number, from 0, of an attribute that is to be interpolated.
    pub const fn interp(self) -> Option<u8> {
        Some(match self {
            Self::Interp1 => 0,
            Self::Interp2 => 1,
            Self::Interp3 => 2,
            Self::Interp4 => 3,
            Self::Interp5 => 4,
            Self::Interp6 => 5,
            Self::Interp7 => 6,
            Self::Interp8 => 7,
            _ => return None,
        })
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// A range whose ends may be left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    start: usize,
    end: Option<usize>,
}

fn parse_range(text: &str) -> Result<Asked, String> {
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text:?}: {error}"));
    let Some((start, end)) = text.split_once("..") else {
        let start = number(text)?;
        return Ok(Asked { start, end: start.checked_add(1) });
    };
    let start = if start.is_empty() { 0 } else { number(start)? };
    let end = if end.is_empty() { None } else { Some(number(end)?) };
    if end.is_some_and(|end| end < start) {
        return Err(format!("expected an end of {start} or more"));
    }
    Ok(Asked { start, end })
}

impl Dump {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let opened = input::open_indexed(path, self.place.asset, global)?;
        self.dump(&opened, global).map_err(|error| opened.blame_any(error, path))
    }

    fn dump(&self, opened: &Opened, global: &Global) -> anyhow::Result<Outcome> {
        if self.target != 0 && !self.attribute.has_targets() {
            let name = self.attribute.name();
            return Err(Misuse(format!("--target: every shape has the same {name}; leave it out")).into());
        }
        let mut out = BufWriter::new(io::stdout().lock());
        if self.pose.is_asked() {
            let stray = self.moments.asked().filter(|option| *option != "--clip").or_else(|| self.place.asked());
            if let Some(option) = stray {
                return Err(Misuse(format!("{option}: does not go with a pose; leave it out")).into());
            }
            self.print_pose(opened, global, &mut out)?;
            opened.check()?;
            return Ok(Outcome::Fine);
        }
        if let Some(option) = self.pose.stray() {
            return Err(Misuse(format!("{option}: goes with --pose or --time; alone it means nothing")).into());
        }
        if let Model::UnigineAnimation(_) = &opened.model {
            let text = "an animation has no surface; --pose N prints where its bones are at frame N";
            return Err(Misuse(text.to_owned()).into());
        }
        let detail = match &opened.model {
            Model::SecondLife(mesh) => Some(self.place.detail(mesh)?),
            _ => None,
        };
        if let Model::SecondLife(mesh) = &opened.model {
            self.place.note(mesh, &self.file.file, global);
        }
        if self.target != 0 {
            // Where there is no such shape, this says so.
            opened.model.geometry().positions(self.surface, self.target)?;
        }
        let particular = match &opened.model {
            Model::Unreal(mesh) if self.moments.uv_listing => {
                mesh.write_uv_listing(&mut out)?;
                opened.check()?;
                return Ok(Outcome::Fine);
            }
            Model::Unreal(mesh) => self.moments.locate(mesh, self.surface, self.attribute, self.raw)?,
            Model::Unigine(mesh) => unigine::locate(mesh, self.surface, self.attribute)?,
            Model::EzMesh(system) => ezmesh::locate(system, self.surface, self.attribute, self.raw)?,
            _ => match &detail {
                Some(detail) => secondlife::locate(detail, self.surface, self.attribute)?,
                None => None,
            },
        };
        if let (Some(option), false) = (self.moments.asked(), matches!(opened.model, Model::Unreal(_))) {
            let what = match (&opened.model, option) {
                (Model::EzMesh(_) | Model::Unigine(_), "--clip") => {
                    "with --pose it chooses the animation; alone it means nothing here"
                }
                _ => "only an Unreal vertex mesh has that; leave it out",
            };
            return Err(Misuse(format!("{option}: {what}")).into());
        }
        if let (Some(option), None) = (self.place.asked(), &detail) {
            return Err(Misuse(format!("{option}: only a Second Life mesh has that; leave it out")).into());
        }
        let geometry = detail.as_ref().map_or(opened.model.geometry(), |detail| detail);
        let surface = Surface::new(geometry, self.surface);
        let values = match particular {
            Some(values) => values,
            None => self.locate(&surface)?.ok_or_else(|| self.absent())?,
        };
        let range = self.range(values.len())?;
        self.print(&mut out, &values, range, global)?;
        opened.check()?;
        Ok(Outcome::Fine)
    }

    fn locate<'a>(&self, surface: &Surface<'a>) -> meshpeek::Result<Option<Values<'a>>> {
        use Attribute as A;
        Ok(match self.attribute {
            A::Positions => Some(Values::Positions(surface.target_positions(self.target)?)),
            A::Normals => self.normals(surface)?,
            A::Tangents => self.frames(surface, Axis::Tangent)?,
            A::Bitangents => self.frames(surface, Axis::Bitangent)?,
            A::Uv0 => surface.uvs(0)?.map(Values::Uvs),
            A::Uv1 => surface.uvs(1)?.map(Values::Uvs),
            A::Uv2 => surface.uvs(2)?.map(Values::Uvs),
            A::Uv3 => surface.uvs(3)?.map(Values::Uvs),
            A::Colors => surface.colors()?.map(Values::Colors),
            A::Weights => surface.weights()?.map(Values::Weights),
            A::Indices => Some(Values::Indices(surface.indices()?)),
            A::AttributeIndices => Some(Values::Indices(surface.attribute_indices()?)),
            // Each of some other format.
            _ => None,
        })
    }

    fn print_pose(&self, opened: &Opened, global: &Global, out: &mut dyn Write) -> anyhow::Result<()> {
        let clip = self.moments.clip().unwrap_or_default();
        let head = json!({ "schema": SCHEMA, "path": self.file.file.to_string_lossy() });
        let mut head = output::extend(head, &self.pose.told(opened.model.geometry(), clip));
        match &opened.model {
            Model::EzMesh(system) if system.view().bone_count() == 0 => {
                let frame = self.pose.whole_frame()?;
                return ezmesh::print_tracks(frame, clip, system, head, global.json, out);
            }
            Model::EzMesh(_) | Model::Unigine(_) | Model::UnigineAnimation(_) => {}
            _ => {
                let text = "--pose: this format has no animations of bones that are read by frames";
                return Err(Misuse(text.to_owned()).into());
            }
        }
        let motion = opened.model.geometry();
        let Some(path) = &self.pose.onto else { return self.pose.print(clip, motion, None, head, global.json, out) };
        let mesh = input::open(path, global)?;
        head = with(head, "onto", path.to_string_lossy().into());
        self.pose.print(clip, motion, Some(mesh.model.geometry()), head, global.json, out)?;
        Ok(mesh.check().map_err(|error| mesh.locate_error(error, path))?)
    }

    fn absent(&self) -> Misuse {
        let (surface, name) = (self.surface, self.attribute.name());
        Misuse(format!("surface {surface} has no {name}; `meshpeek info` tells what it has"))
    }

    /// Locates the normals: of tangent frames, with the rest of each.
    fn normals<'a>(&self, surface: &Surface<'a>) -> meshpeek::Result<Option<Values<'a>>> {
        match self.frames(surface, Axis::Normal)? {
            Some(frames) => Ok(Some(frames)),
            None => Ok(surface.target_normals(self.target)?.map(Values::Normals)),
        }
    }

    fn frames<'a>(&self, surface: &Surface<'a>, axis: Axis) -> meshpeek::Result<Option<Values<'a>>> {
        Ok(surface.target_frames(self.target)?.map(|frames| Values::Frames(frames, axis)))
    }

    fn range(&self, len: usize) -> anyhow::Result<Range<usize>> {
        let Asked { start, end } = self.range.unwrap_or(Asked { start: 0, end: None });
        let range = start..end.unwrap_or(len);
        if range.end > len || range.start > len {
            let text = format!("--range: expected a part of 0..{len}, found {}..{}", range.start, range.end);
            return Err(Misuse(text).into());
        }
        Ok(range)
    }

    fn print(&self, out: &mut dyn Write, values: &Values<'_>, range: Range<usize>, global: &Global) -> io::Result<()> {
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
        let head = match self.moments.frame() {
            Some(frame) => with(head, "frame", number(frame)),
            None => head,
        };
        let head = match self.place.key() {
            Some(lod) => with(head, "lod", lod.into()),
            None => head,
        };
        let head = match self.place.asset {
            Some(asset) => with(head, "asset", asset.into()),
            None => head,
        };
        // The values may be many: they are printed as they are decoded, into the open object.
        let head = head.to_string();
        write!(out, "{},\"values\":[", head.strip_suffix('}').unwrap_or(&head))?;
        let mut first = true;
        values.visit(range, self.raw, &mut |item| {
            write!(out, "{}", if std::mem::replace(&mut first, false) { "\n" } else { ",\n" })?;
            item.json(out)
        })?;
        writeln!(out, "\n]}}")?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges() {
        let asked = |start, end| Ok(Asked { start, end });
        assert_eq!(parse_range("3..7"), asked(3, Some(7)));
        assert_eq!(parse_range("3.."), asked(3, None));
        assert_eq!(parse_range("..7"), asked(0, Some(7)));
        assert_eq!(parse_range("5"), asked(5, Some(6)));
        assert!(parse_range("7..3").is_err() && parse_range("a..b").is_err() && parse_range("").is_err());
    }
}
