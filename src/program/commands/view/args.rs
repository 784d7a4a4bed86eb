//! The arguments of `view`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;

use crate::program::args::{
    Files, FrameIndex, STDIN, colors_parser, has_several, named_values, parse_frame_index, parse_normals,
};
use crate::program::formats::level_args::{AdjustArgs, LodFilter, level_parser};
use crate::program::formats::selectors::Selector;
use crate::program::formats::{has_extension, is_named_as_folder};
use crate::program::terminal::ProtocolChoice;
use crate::render::{Background, Camera, NormalChoice, Overlay, Picture, Shading};
use crate::scene::ColorUse;

const HELP: &str = "\
The picture is drawn by the processor: no display, graphics card or window is needed. The mesh is shown with y up, from the front, \
from 30 degrees to its right and 20 degrees above; the camera is as far away as the mesh needs. Four samples for each pixel smooth \
the edges. The same mesh and options give the same bytes on every machine.

OUT.png, OUT.webp or OUT.gif is one picture. With several meshes or a folder it is a contact sheet, with a caption for each mesh; large collections are \
drawn at a lower level of detail and on several sheets. An OUT without an extension is a folder, in which each mesh gets a picture \
of its own. A file that has bones and no surfaces, such as a UNIGINE .anim, shows its bones. An OUT that ends with .html is a page \
with all meshes, to turn and play in a browser.

Examples:
  meshpeek view data/unreal/guard -o guard.png
  meshpeek view data/unigine/cube_ms13.mesh -o cube.png --camera front --background transparent
  meshpeek view data/secondlife/arm.llmesh -o arm.png --style wireframe
  meshpeek view data/unigine/skinned_ms12.mesh -o skinned.png --overlay wireframe,skeleton
  meshpeek view data/unigine/bend_an10.anim -o bones.png --frame 2
  meshpeek view data/unreal/guard -o turn.png --turntable
  meshpeek view data/ezmesh/flag.ezm -o wave.png --animate
  meshpeek view data -o sheet.png --size 160
  meshpeek view data/unreal/guard -o guard.html";

/// The extensions of a page.
pub const HTML: [&str; 2] = ["html", "htm"];

/// Where the camera options are listed in the help.
const CAMERA: &str = "Camera";
const SHAPE: &str = "What is drawn";
const MOVIES: &str = "Movies";
const PAGE: &str = "Page";

#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ViewArgs {
    #[command(flatten)]
    pub files: Files,
    /// Path of the new file, a folder, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Width and height in pixels, such as 640x480; one number for a square
    ///
    /// By default 1024x1024 for a picture, and 256x256 for each picture of a contact sheet.
    #[arg(long, value_name = "SIZE", value_parser = parse_picture_size)]
    pub size: Option<[u32; 2]>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// Draw a contact sheet, even of a single mesh
    #[arg(long)]
    pub sheet: bool,
    /// Number of columns of a contact sheet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub columns: Option<u32>,
    /// Where the camera is: front, back, left, right, top, bottom or iso; YAW,PITCH in degrees; or
    /// six numbers for a position and the point that it looks at
    ///
    /// YAW is the angle from the front to the right of a viewer in front of the mesh, and PITCH the
    /// angle above the horizon. The six numbers are in metres with y up, or in the units of the
    /// mesh if its format defines no unit.
    #[arg(long, value_name = "CAMERA", default_value = "iso", value_parser = parse_camera, allow_hyphen_values = true,
        help_heading = CAMERA)]
    pub camera: Camera,
    /// What is where there is no mesh: studio, transparent, or a colour such as white or #336699
    #[arg(long, value_name = "COLOR", default_value = "studio", value_parser = parse_background, help_heading = CAMERA)]
    pub background: Background,
    /// How surfaces are shaded
    #[arg(long, value_name = "STYLE", default_value = "smooth", value_parser = style_parser(), help_heading = SHAPE)]
    pub style: Shading,
    /// Normals: stored for those of the file only; smooth for computed ones; flat for those of the
    /// triangles; or ANGLE for computed ones with creases at edges sharper than ANGLE degrees
    ///
    /// By default the normals of the file, or computed ones with creases at 65 degrees if it has
    /// none. Triangles with the flat flag of Unreal then have the normals of their planes.
    #[arg(long, value_parser = parse_normals, value_name = "NORMALS", help_heading = SHAPE)]
    pub normals: Option<NormalChoice>,
    /// What is drawn over the surfaces; several names are separated by commas
    #[arg(long = "overlay", value_name = "OVERLAY,..", value_parser = overlay_parser(), value_delimiter = ',',
        help_heading = SHAPE)]
    pub overlays: Vec<Overlay>,
    /// Number of the UV set that --style uv draws, from 0
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = SHAPE)]
    pub uv_set: usize,
    /// Draw clay: without the colours and textures of materials and without vertex colours
    #[arg(long, help_heading = SHAPE)]
    pub plain: bool,
    /// What vertex colours are; by default, those of UNIGINE are data and those of EZ-Mesh colours
    #[arg(long, value_parser = colors_parser(), value_name = "USE", help_heading = SHAPE)]
    pub colors: Option<ColorUse>,
    /// Number of a surface to draw, from 0, or its name; can be given several times
    #[arg(long = "surface", value_name = "N", help_heading = SHAPE)]
    pub surfaces: Vec<Selector>,
    /// Number of the clip of the frame, from 0, or its name
    #[arg(long, value_name = "N", help_heading = SHAPE)]
    pub clip: Option<Selector>,
    /// Draw the shape at this frame of the clip; 2.5 is between the frames 2 and 3
    #[arg(long, value_parser = parse_frame_index, value_name = "N", help_heading = SHAPE)]
    pub frame: Option<FrameIndex>,
    /// Files whose clips are used, such as a UNIGINE .anim: a file, a folder or a glob pattern;
    /// their bones are matched by name; can be given several times
    ///
    /// A picture shows a clip of the first file, or of the first that has the clip of --clip. A
    /// page has the clips of all files.
    #[arg(long = "animation", value_name = "FILE", help_heading = SHAPE)]
    pub animations: Vec<PathBuf>,
    #[command(flatten)]
    pub adjust: AdjustArgs,
    /// Level of detail: a number from 0, or high, medium, low or lowest, or `all` for a contact
    /// sheet of all levels; the highest existing level by default, and on a contact sheet the
    /// lowest level with enough triangles
    ///
    /// The numbers are those in the names of UNIGINE surfaces, such as `leaves_lod_1`.
    #[arg(long, value_name = "LOD", value_parser = levels_parser(), help_heading = SHAPE)]
    pub lod: Option<LodFilter>,
    /// Number of the only asset of an .slm container to draw, from 0
    #[arg(long, value_name = "N", help_heading = "Second Life meshes")]
    pub asset: Option<usize>,
    /// Write a movie in which the camera moves around the mesh once, at 24 pictures per second
    ///
    /// The movie is an APNG file, which browsers and viewers play and other programs show as a
    /// picture, or a GIF file if OUT ends with .gif. It is 512x512 pixels large by default. FRAMES
    /// is the number of pictures.
    #[arg(long, value_name = "FRAMES", num_args = 0..=1, require_equals = true, default_missing_value = "48",
        value_parser = clap::value_parser!(u32).range(1..=3600), conflicts_with = "animate", requires = "output",
        help_heading = MOVIES)]
    pub turntable: Option<u32>,
    /// Write a movie of a clip at its own speed, or at 30 frames per second if it has none
    ///
    /// It is the clip of --clip, or else the first clip, or the vertex frames of the mesh. A movie
    /// has at most 600 pictures: of a longer clip, every second frame is drawn, or every third.
    #[arg(long, conflicts_with = "frame", requires = "output", help_heading = MOVIES)]
    pub animate: bool,
    /// Write one page with all meshes to turn, light and play in a browser; also chosen by an OUT
    /// that ends with .html
    ///
    /// The page is one file and needs no network. It has the surfaces, bones and clips of each
    /// mesh, its bytes drawn to scale and its findings. More than 500 meshes or 48 MiB make several
    /// pages, and OUT is an index of them.
    #[arg(long, conflicts_with_all = ["sheet", "turntable", "animate", "thumbnail", "protocol"], help_heading = PAGE)]
    pub html: bool,
    /// Write a thumbnail for a file manager: 256x256 pixels and transparent by default
    ///
    /// It has the address and the time of the mesh file. An existing file is replaced, and only
    /// errors are printed.
    #[arg(long, requires = "output", conflicts_with_all = ["sheet", "turntable", "animate"])]
    pub thumbnail: bool,
    /// How the terminal shows pictures, if there is no OUT
    #[arg(long, value_enum, value_name = "PROTOCOL", default_value = "auto", conflicts_with = "output")]
    pub protocol: ProtocolChoice,
}

/// The kinds of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// One picture.
    Picture,
    /// A picture for each mesh, in a folder.
    Folder,
    /// Contact sheets.
    Sheet,
    /// One page.
    Page,
}

impl ViewArgs {
    /// Returns whether the output is a movie.
    pub const fn is_movie(&self) -> bool {
        self.turntable.is_some() || self.animate
    }

    /// Returns whether all levels of detail are drawn side by side.
    pub fn shows_all_levels(&self) -> bool {
        self.lod == Some(LodFilter::All)
    }

    /// Returns whether existing files are replaced.
    pub const fn replaces(&self) -> bool {
        self.force || self.thumbnail
    }

    /// Returns the background. That of a thumbnail is transparent by default.
    pub fn drawn_background(&self) -> Background {
        if self.thumbnail && self.background == Background::Studio { Background::Transparent } else { self.background }
    }

    /// Returns the kind of output for a path.
    pub fn output_kind(&self, output: &Path) -> OutputKind {
        if self.html || HTML.iter().any(|extension| has_extension(output, extension)) {
            return OutputKind::Page;
        }
        if self.sheet || self.shows_all_levels() {
            return OutputKind::Sheet;
        }
        if self.thumbnail {
            return OutputKind::Picture;
        }
        let is_folder = output.is_dir() || is_named_as_folder(output);
        if output != Path::new(STDIN) && (is_folder || output.extension().is_none()) {
            return OutputKind::Folder;
        }
        if has_several(&self.files.files) { OutputKind::Sheet } else { OutputKind::Picture }
    }
}

fn levels_parser() -> impl TypedValueParser<Value = LodFilter> {
    level_parser(LodFilter::One, &[(LodFilter::All, "all", "A contact sheet of all levels, or a page with them")])
}

fn style_parser() -> impl TypedValueParser<Value = Shading> {
    named_values(vec![
        (Shading::Smooth, "smooth", "With the normals of the mesh"),
        (Shading::Facets, "facets", "With the normals of the triangles"),
        (Shading::Wireframe, "wireframe", "Only the edges of the visible triangles"),
        (Shading::Surfaces, "surfaces", "Each surface in a colour of its own"),
        (Shading::Uv, "uv", "The UV layout: the triangles in the unit square of a texture, dark where they overlap"),
    ])
}

fn overlay_parser() -> impl TypedValueParser<Value = Overlay> {
    named_values(vec![
        (Overlay::Wireframe, "wireframe", "The edges of the visible triangles"),
        (Overlay::Normals, "normals", "The normals of the vertices, of at most 50,000"),
        (Overlay::Skeleton, "skeleton", "The bones, in front of the mesh"),
        (Overlay::Bounds, "bounds", "The bounding box"),
        (Overlay::Hulls, "hulls", "The collision shapes"),
    ])
}

/// Parses the size of a picture: `640x480`, or `256` for a square.
pub fn parse_picture_size(text: &str) -> Result<[u32; 2], String> {
    let side = |text: &str| match text.parse::<u32>() {
        Ok(side) if (1..=Picture::MAX_SIDE).contains(&side) => Ok(side),
        _ => Err(format!(
            "expected WIDTHxHEIGHT, each of 1 to {} pixels, such as 640x480, or one number",
            Picture::MAX_SIDE
        )),
    };
    match text.split_once(['x', 'X']) {
        Some((width, height)) => Ok([side(width)?, side(height)?]),
        None => side(text).map(|side| [side; 2]),
    }
}

/// Parses the place of a camera.
pub fn parse_camera(text: &str) -> Result<Camera, String> {
    let camera = match text {
        "front" => Camera::FRONT,
        "back" => Camera::BACK,
        "left" => Camera::LEFT,
        "right" => Camera::RIGHT,
        "top" => Camera::TOP,
        "bottom" => Camera::BOTTOM,
        "iso" => Camera::ISO,
        _ => return parse_numbers(text),
    };
    Ok(camera)
}

fn parse_numbers(text: &str) -> Result<Camera, String> {
    let expected = || {
        "expected front, back, left, right, top, bottom or iso; YAW,PITCH in degrees such as 30,20; or six numbers such as \
         3,2,5,0,1,0: the position of the camera, and the point that it looks at"
            .to_owned()
    };
    let parse = |part: &str| part.trim().parse().ok().filter(|number: &f64| number.is_finite() && number.abs() < 1e30);
    let numbers: Option<Vec<f64>> = text.split(',').map(parse).collect();
    match *numbers.ok_or_else(expected)? {
        [yaw, pitch] if pitch.abs() <= 90.0 => Ok(Camera::orbit(yaw, pitch)),
        [_, _] => Err("expected a PITCH of -90 to 90 degrees".to_owned()),
        [from_x, from_y, from_z, to_x, to_y, to_z] => {
            let (from, to) = ([from_x, from_y, from_z], [to_x, to_y, to_z]);
            if from.map(f64::to_bits) == to.map(f64::to_bits) {
                return Err("expected a camera that looks at another point than its position".to_owned());
            }
            Ok(Camera::look_at(from, to))
        }
        _ => Err(expected()),
    }
}

/// The basic named colours of CSS, and `orange`.
const NAMED_COLORS: [(&str, [u8; 3]); 18] = [
    ("white", [255, 255, 255]),
    ("silver", [192, 192, 192]),
    ("gray", [128, 128, 128]),
    ("grey", [128, 128, 128]),
    ("black", [0, 0, 0]),
    ("red", [255, 0, 0]),
    ("maroon", [128, 0, 0]),
    ("orange", [255, 165, 0]),
    ("yellow", [255, 255, 0]),
    ("olive", [128, 128, 0]),
    ("lime", [0, 255, 0]),
    ("green", [0, 128, 0]),
    ("aqua", [0, 255, 255]),
    ("teal", [0, 128, 128]),
    ("blue", [0, 0, 255]),
    ("navy", [0, 0, 128]),
    ("fuchsia", [255, 0, 255]),
    ("purple", [128, 0, 128]),
];

/// Parses a background: `studio`, `transparent`, the name of a colour, or its hexadecimal digits.
pub fn parse_background(text: &str) -> Result<Background, String> {
    let expected = || {
        let names: Vec<_> = NAMED_COLORS.iter().map(|(name, _)| *name).collect();
        format!("expected studio, transparent, a colour such as #336699, or one of {}", names.join(", "))
    };
    match text {
        "studio" => return Ok(Background::Studio),
        "transparent" => return Ok(Background::Transparent),
        _ => {}
    }
    if let Some((_, color)) = NAMED_COLORS.iter().find(|(name, _)| *name == text) {
        return Ok(Background::Color(*color));
    }
    let digits = text.strip_prefix('#').ok_or_else(expected)?;
    let number = u32::from_str_radix(digits, 16).map_err(|_| expected())?;
    let [_, red, green, blue] = number.to_be_bytes();
    match digits.len() {
        6 => Ok(Background::Color([red, green, blue])),
        3 => Ok(Background::Color([green & 15, blue >> 4, blue & 15].map(|digit| digit.saturating_mul(17)))),
        _ => Err(expected()),
    }
}
