//! What only Unreal's vertex meshes have: frames, bytes of polygons, and the words of a script.

use clap::{Args, ValueEnum};
use meshpeek::model::{InterpolatedPositions, Positions};
use meshpeek::unreal::{self, Mesh, Placement, RawPolygon};
use meshpeek::{Clip, FrameBlend, Geometry, Surface};

use crate::dump::Attribute;
use crate::opened::Data;
use crate::output::Misuse;
use crate::values::Values;

/// Which moment of an Unreal mesh to look at, and how.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Unreal vertex meshes")]
pub struct Moments {
    /// The vertex frame of positions and normals; between two whole numbers, positions are interpolated
    #[arg(long, value_name = "N", value_parser = parse_frame, allow_negative_numbers = true)]
    frame: Option<f32>,
    /// The clip that --frame counts from the start of, by its number; otherwise --frame counts all frames. Of --pose, the
    /// animation
    #[arg(long, value_name = "N")]
    clip: Option<usize>,
    /// Apply the script's origin, scale and rotation to positions and normals; what an import flips or drops stays as stored
    #[arg(long, conflicts_with = "raw")]
    placed: bool,
    /// Which normals to compute, since none are stored
    #[arg(long, value_enum, default_value_t = Shading::Flagged)]
    shading: Shading,
    /// Print the texture coordinates of all polygons as the published listing has them: a line of six bytes for each
    #[arg(long, conflicts_with_all = ["raw", "attribute", "range", "surface", "frame", "clip", "target", "json"])]
    pub uv_listing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shading {
    /// That of the plane where a polygon is flagged as flat, smooth otherwise
    Flagged,
    /// The mean of the polygons around a vertex
    Smooth,
    /// That of the polygon's plane
    Facet,
}

pub fn parse_frame(text: &str) -> Result<f32, String> {
    let frame: f32 = text.parse().map_err(|error| format!("{error}"))?;
    if frame.is_finite() && frame >= 0.0 { Ok(frame) } else { Err("expected 0 or more".to_owned()) }
}

impl Moments {
    /// Returns the first of the options that only an Unreal mesh has a meaning for.
    pub fn asked(&self) -> Option<&'static str> {
        let asked = [
            (self.frame.is_some(), "--frame"),
            (self.clip.is_some(), "--clip"),
            (self.placed, "--placed"),
            (self.shading != Shading::Flagged, "--shading"),
            (self.uv_listing, "--uv-listing"),
        ];
        asked.into_iter().find(|(asked, _)| *asked).map(|(_, name)| name)
    }

    /// Returns the clip that was asked for.
    pub const fn clip(&self) -> Option<usize> {
        self.clip
    }

    /// Returns the frame that was asked for.
    pub const fn frame(&self) -> Option<f32> {
        self.frame
    }

    /// Locates or computes an attribute; `None` where any format's would do.
    pub fn locate<'a>(
        &self,
        mesh: &'a Mesh<Data>,
        surface: usize,
        attribute: Attribute,
        raw: bool,
    ) -> anyhow::Result<Option<Values<'a>>> {
        let view = mesh.surface(surface)?;
        let byte = |of: fn(&RawPolygon) -> u8| Values::Bytes(view.polygons().map(of).collect());
        Ok(Some(match attribute {
            Attribute::Types => byte(|polygon| polygon.kind),
            Attribute::Textures => byte(|polygon| polygon.texture),
            Attribute::ColorBytes => byte(|polygon| polygon.color),
            Attribute::Flags => byte(|polygon| polygon.flags),
            Attribute::Uv0 if raw => Values::BytePairs(view.polygons().flat_map(|polygon| polygon.uvs).collect()),
            Attribute::Normals if raw => {
                return Err(Misuse("--raw: no normals are stored; without it they are computed".to_owned()).into());
            }
            Attribute::Normals => Values::Computed(self.normals(mesh, surface)?),
            Attribute::Positions if mesh.frame_count() > 0 => self.positions(mesh, surface, raw)?,
            _ => return Ok(None),
        }))
    }

    /// Finds the frames around the moment, and how far it is from the one to the other.
    fn moment(&self, mesh: &Mesh<Data>) -> anyhow::Result<FrameBlend> {
        moment(mesh, self.clip, self.frame.unwrap_or_default())
    }

    fn placement(&self, mesh: &Mesh<Data>) -> anyhow::Result<Option<Placement>> {
        if !self.placed {
            return Ok(None);
        }
        let script = mesh.script().ok_or_else(|| Misuse("--placed: no script was found for the mesh".to_owned()))?;
        Ok(Some(Placement::of(&script)))
    }

    fn positions<'a>(&self, mesh: &'a Mesh<Data>, surface: usize, raw: bool) -> anyhow::Result<Values<'a>> {
        let FrameBlend { from, to, fraction } = self.moment(mesh)?;
        let surface = Surface::new(mesh, surface);
        let frame = |number: u32| surface.vertex_frame(usize::try_from(number).unwrap_or(usize::MAX));
        let placement = self.placement(mesh)?;
        // InterpolatedPositions a frame and itself there is nothing to compute.
        if fraction.to_bits() == 0 && placement.is_none() {
            return Ok(Values::Positions(frame(from)?));
        }
        if raw {
            return Err(
                Misuse("--raw: expected a whole --frame; what lies between two is not stored".to_owned()).into()
            );
        }
        Ok(Values::Between(
            InterpolatedPositions::new(frame(from)?, frame(to)?, fraction),
            placement.unwrap_or(Placement::STORED),
        ))
    }

    /// Computes the normals of a surface's corners in the nearest frame.
    fn normals(&self, mesh: &Mesh<Data>, surface: usize) -> anyhow::Result<Vec<[f32; 3]>> {
        let FrameBlend { from, to, fraction } = self.moment(mesh)?;
        let frame = if fraction < 0.5 { from } else { to };
        let shading = match self.shading {
            Shading::Flagged => unreal::Shading::Flagged,
            Shading::Smooth => unreal::Shading::Smooth,
            Shading::Facet => unreal::Shading::Facet,
        };
        // Stored axes differ in scale; unless the script's placement is asked for, the author's units even them out.
        let placement = self.placement(mesh)?.unwrap_or(Placement::author(mesh.variant()));
        let all = mesh.normals(usize::try_from(frame).unwrap_or(usize::MAX), shading, &placement)?;
        let corners = all.as_chunks::<3>().0;
        let numbers = mesh.surface(surface)?.numbers();
        Ok(numbers.iter().filter_map(|number| corners.get(usize::from(*number))).flatten().copied().collect())
    }
}

/// Finds the vertex frames around a frame of a clip, or of all frames, and how far it is from the one to the other.
pub fn moment(geometry: &dyn Geometry, clip: Option<usize>, frame: f32) -> anyhow::Result<FrameBlend> {
    let of = match clip {
        Some(clip) => geometry.clip(clip)?,
        // All frames, as a mesh without a script plays them.
        None => Clip {
            name: meshpeek::Name::default(),
            frames: geometry.vertex_frame_count().try_into().unwrap_or(u32::MAX),
            bones: 0,
            rate: None,
            first_vertex_frame: Some(0),
        },
    };
    within(&of, frame, if clip.is_some() { "the clip has" } else { "there are" })
}

/// Finds the frames around a frame of a clip; `what` begins the sentence that refuses one beyond the last.
pub fn within(clip: &Clip<'_>, frame: f32, what: &str) -> anyhow::Result<FrameBlend> {
    let last = clip.frames.saturating_sub(1);
    let beyond = f64::from(frame) > f64::from(last);
    clip.at_frame(frame, false).filter(|_| !beyond).ok_or_else(|| {
        Misuse(format!("--frame: {what} {} frames, expected 0 to {last}, found {frame}", clip.frames)).into()
    })
}

/// Returns the stored x, y and z of positions that are whole numbers.
pub fn stored(positions: &Positions<'_>, index: usize) -> Option<[i32; 3]> {
    use meshpeek::decode::{packed32, packed64};
    let stored = match positions {
        Positions::Packed32(array) => packed32::integers(array.raw().get(index)?),
        Positions::Packed64(array) => packed64::integers(array.raw().get(index)?),
        _ => return None,
    };
    Some(stored.map(i32::from))
}
