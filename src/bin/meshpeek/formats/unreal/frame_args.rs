//! The options that only Unreal's vertex meshes have.

use clap::{Args, ValueEnum};

use crate::args::parse_frame;

/// The options that choose a vertex frame, and how to compute from it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Unreal vertex meshes")]
pub struct FrameArgs {
    /// The vertex frame of positions and normals; between two whole numbers, positions are interpolated
    #[arg(long, value_name = "N", value_parser = parse_frame, allow_negative_numbers = true)]
    pub frame: Option<f32>,
    /// The clip that --frame counts from the start of, by its number; otherwise --frame counts all frames. Of --pose, the
    /// animation
    #[arg(long, value_name = "N")]
    pub clip: Option<usize>,
    /// Apply the script's origin, scale and rotation to positions and normals; what an import flips or drops stays as stored
    #[arg(long, conflicts_with = "raw")]
    pub placed: bool,
    /// Which normals to compute, since none are stored
    #[arg(long, value_enum, default_value_t = NormalShading::Flagged)]
    pub shading: NormalShading,
    /// Print the texture coordinates of all polygons as the published listing has them: a line of six bytes for each
    #[arg(long, conflicts_with_all = ["raw", "attribute", "range", "surface", "frame", "clip", "target", "json"])]
    pub uv_listing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NormalShading {
    /// That of the plane where a polygon is flagged as flat, smooth otherwise
    Flagged,
    /// The mean of the polygons around a vertex
    Smooth,
    /// That of the polygon's plane
    Facet,
}

impl FrameArgs {
    /// Returns the first option given that only an Unreal mesh has a meaning for.
    pub fn first_option(&self) -> Option<&'static str> {
        let options = [
            (self.frame.is_some(), "--frame"),
            (self.clip.is_some(), "--clip"),
            (self.placed, "--placed"),
            (self.shading != NormalShading::Flagged, "--shading"),
            (self.uv_listing, "--uv-listing"),
        ];
        options.into_iter().find(|(is_set, _)| *is_set).map(|(_, name)| name)
    }
}
