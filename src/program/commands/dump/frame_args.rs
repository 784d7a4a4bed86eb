//! The command line options that apply to vertex meshes only.

use crate::model::NormalShading;
use clap::Args;
use clap::builder::TypedValueParser;

use crate::program::args::{FrameIndex, first_set, named_values, parse_frame_index};
use crate::program::formats::Selector;

/// The options that choose a vertex frame, and how values are computed from it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Unreal vertex meshes")]
pub struct FrameArgs {
    /// Vertex frame of positions and normals, from 0; between two whole frames, positions are
    /// interpolated
    #[arg(long, value_name = "N", value_parser = parse_frame_index, allow_negative_numbers = true)]
    pub frame: Option<FrameIndex>,
    /// Number or name of the clip in which --frame is counted; by default, --frame counts all
    /// frames
    ///
    /// With --pose or --time, it is the number or the name of the animation.
    #[arg(long, value_name = "N")]
    pub clip: Option<Selector>,
    /// Apply the origin, scale and rotation in the script to positions and normals
    ///
    /// The options UNMIRROR, MIRROR and DROPFRAMES of an import are not applied.
    #[arg(long, conflicts_with = "raw")]
    pub placed: bool,
    /// How normals are computed, because the format stores none
    #[arg(long, value_parser = shadings(), default_value = "flagged")]
    pub shading: NormalShading,
    /// Print the texture coordinates of all polygons in the format of the published listing: six
    /// bytes on a line for each polygon
    #[arg(long, conflicts_with_all = ["raw", "attribute", "range", "surface", "frame", "clip", "target", "json", "output"])]
    pub uv_listing: bool,
}

fn shadings() -> impl TypedValueParser<Value = NormalShading> {
    let flagged = "Facet normals for polygons with the flat flag, and smooth normals for all others";
    named_values(vec![
        (NormalShading::Flagged, "flagged", flagged),
        (NormalShading::Smooth, "smooth", "The mean of the normals of the polygons around each vertex"),
        (NormalShading::Facet, "facet", "The normal of the plane of each polygon"),
    ])
}

impl FrameArgs {
    /// Returns the first option on the command line that applies to Unreal vertex meshes only, or
    /// `None` if there is no such option.
    pub fn first_option(&self) -> Option<&'static str> {
        first_set(&[
            (self.frame.is_some(), "--frame"),
            (self.clip.is_some(), "--clip"),
            (self.placed, "--placed"),
            (self.shading != NormalShading::Flagged, "--shading"),
            (self.uv_listing, "--uv-listing"),
        ])
    }
}
