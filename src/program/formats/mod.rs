//! The code of the program for the parts of a mesh that only its format has. All other code uses
//! the traits for meshes of any format. The names of files tell the formats of inputs and outputs.

pub mod level_args;
pub mod selectors;
pub mod summary;

use std::path::Path;

use crate::export::ExportFormat;
use crate::formats::foreign::{self, ForeignKind};
use crate::formats::mesh_files::is_data;
use crate::formats::{descriptions, is_mesh_name};
use crate::io::read_start;
use crate::program::args::{FrameIndex, STDIN};
use crate::program::outcome::{UsageError, usage};
use crate::program::output::shown;
use crate::{Animations, Clip, Format, FrameBlend, Geometry};

pub use level_args::{
    AdjustArgs, LevelArgs, LevelNumber, LodFilter, filter_parser, level_index, level_parser, lod_parser,
};
pub use selectors::{Selector, surfaces};
pub use summary::{GpuCounter, GpuSize, LevelSummary, SurfaceInBlock, SurfaceLod, SurfaceSummary};

/// The number of bytes that are read from the start of a file to recognise its format by a magic
/// number.
const MAGIC_BYTES: u64 = 64;
/// The extensions of other files than meshes, and the command that writes each.
const WRITTEN: [(&[&str], &str); 5] = [
    (&["png", "apng", "gif", "webp", "html", "htm"], "view FILE -o"),
    (&["svg"], "map FILE --svg"),
    (&["npy", "npz", "csv"], "dump FILE -o"),
    (&["sarif"], "validate FILE --format sarif >"),
    (&["md"], "ls FOLDER --format md >"),
];
/// Extensions of meshes that no verb writes.
const MESHES: [&str; 13] =
    ["3ds", "blend", "dae", "fbx", "iqm", "max", "md3", "psa", "psk", "usd", "usda", "usdz", "x3d"];
/// Extensions of other files that no verb writes.
const OTHERS: [&str; 15] =
    ["avi", "avif", "bmp", "jpeg", "jpg", "mkv", "mov", "mp4", "pdf", "tga", "tif", "tiff", "txt", "webm", "zip"];

/// A file in a folder, by its name and its first bytes.
#[derive(Clone, Copy)]
pub enum FileInFolder {
    /// The name or the content is that of a mesh.
    Mesh,
    /// Another file, with its kind if that is known.
    Other(Option<&'static ForeignKind>),
}

/// Returns whether a file in a folder is a mesh. A file whose extension other programs use is not
/// opened.
pub fn file_in_folder(path: &Path) -> FileInFolder {
    if is_mesh_name(path) || is_data(path) {
        return FileInFolder::Mesh;
    }
    if let Some(kind) = foreign::by_name(path) {
        return FileInFolder::Other(Some(kind));
    }
    let head = read_start(path, MAGIC_BYTES).unwrap_or_default();
    if crate::Format::recognises(&head) {
        FileInFolder::Mesh
    } else {
        FileInFolder::Other(foreign::of_file(path, &head))
    }
}

/// Returns whether a file is a mesh file, according to its extension or its first bytes.
pub fn is_mesh_file(path: &Path) -> bool {
    is_mesh_name(path) || is_data(path) || is_recognised(path)
}

/// Returns the vertex frames before and after a fractional frame index, and the interpolation
/// fraction between these two vertex frames. The frame index counts from the start of the clip or,
/// if `clip` is `None`, from the first vertex frame of the mesh.
pub fn blend_vertex_frames(
    (geometry, animations): (&dyn Geometry, &dyn Animations),
    clip: Option<usize>,
    frame: &FrameIndex,
) -> anyhow::Result<FrameBlend> {
    let frames = match clip {
        Some(clip) => animations.clip(clip)?,
        // If no clip is chosen, all vertex frames of the mesh are one clip, in the order of the
        // file.
        None => Clip {
            name: crate::Name::default(),
            frames: geometry.vertex_frame_count()?.try_into().unwrap_or(u32::MAX),
            bones: 0,
            rate: None,
            first_vertex_frame: Some(0),
        },
    };
    blend_frames(&frames, frame, if clip.is_some() { "the clip has" } else { "the mesh has" })
}

/// Returns the frames of a clip before and after a fractional frame index, and the interpolation
/// fraction between these two frames. If the frame index is greater than the index of the last
/// frame, returns an error. The message of the error begins with `subject`.
pub fn blend_frames(clip: &Clip<'_>, frame: &FrameIndex, subject: &str) -> anyhow::Result<FrameBlend> {
    let last = clip.frames.saturating_sub(1);
    let beyond = f64::from(frame.value) > f64::from(last);
    clip.at_frame(frame.value, false).filter(|_| !beyond).ok_or_else(|| {
        let expected = if clip.frames > 0 { format!(", expected 0 to {last}") } else { String::new() };
        UsageError(format!("--frame: {subject} {} frames{expected}, found {frame}", clip.frames)).into()
    })
}

/// Returns the extensions of the files of all formats.
fn extensions() -> impl Iterator<Item = &'static str> {
    let wholes = descriptions().flat_map(|format| format.extensions);
    wholes.chain(descriptions().flat_map(|format| format.part_extensions)).copied()
}

/// Returns whether a path has the extension of a part of a mesh of several files.
pub fn is_part(path: &Path) -> bool {
    descriptions().flat_map(|format| format.part_extensions).any(|extension| has_extension(path, extension))
}

/// Returns whether a path has the given extension, ignoring upper and lower case.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns whether a file starts with the magic number of a known format.
pub fn is_recognised(path: &Path) -> bool {
    read_start(path, MAGIC_BYTES).is_ok_and(|head| Format::recognises(&head))
}

/// Returns an error if the output has an extension, and it is not one of `extensions`, those of the
/// files that `verb` writes.
pub fn expect_extension(output: &Path, extensions: &[&str], verb: &str) -> Result<(), UsageError> {
    let Some(extension) = output.extension().filter(|_| output != Path::new(STDIN)) else { return Ok(()) };
    if extensions.iter().any(|own| has_extension(output, own)) {
        return Ok(());
    }
    let found = extension.to_string_lossy().to_ascii_lowercase();
    let is_of_view = WRITTEN.first().is_some_and(|(pictures, _)| pictures.contains(&&*found));
    let advice = match &*found {
        "apng" if verb.contains("view") => "; --turntable and --animate make it".to_owned(),
        // The command itself writes other pictures.
        _ if verb.contains("view") && is_of_view => String::new(),
        _ => advice(output).map_or_else(String::new, |advice| format!("; {advice}")),
    };
    let (own, output) = (listed(extensions), shown(output));
    usage!("{output}: {verb} writes {own}, and not .{found}{advice}")
}

/// Returns an error if the output has the extension of another known format than the file that
/// `verb` writes. `extensions` are those of the written file. Another extension, such as `bak`, is
/// allowed, because the file has one format only.
pub fn check_extension(output: &Path, extensions: &[&str], verb: &str) -> Result<(), UsageError> {
    if is_known(output) { expect_extension(output, extensions, verb) } else { Ok(()) }
}

/// Returns whether a path ends with a separator, as only that of a folder does.
pub fn is_named_as_folder(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|last| std::path::is_separator((*last).into()))
}

/// Returns whether the extension of a path is that of a known format.
pub fn is_known(path: &Path) -> bool {
    is_exported(path) || is_native(path) || writer(path).is_some() || has_any(path, &MESHES) || has_any(path, &OTHERS)
}

fn has_any(path: &Path, extensions: &[&str]) -> bool {
    extensions.iter().any(|extension| has_extension(path, extension))
}

fn is_exported(path: &Path) -> bool {
    has_any(path, &ExportFormat::ALL.map(ExportFormat::extension))
}

fn is_native(path: &Path) -> bool {
    extensions().any(|extension| has_extension(path, extension))
}

/// Returns the command that writes files with the extension of a path, other than meshes.
fn writer(path: &Path) -> Option<&'static str> {
    WRITTEN.into_iter().find(|(extensions, _)| has_any(path, extensions)).map(|(_, command)| command)
}

/// Returns a text about the verb that writes the format of a path, or `None` if the extension is
/// unknown.
pub fn advice(output: &Path) -> Option<String> {
    let path = shown(output);
    Some(match (is_exported(output), is_native(output), writer(output)) {
        (true, true, _) => {
            format!(
                "`meshpeek convert FILE -o {path}` makes it, and `meshpeek rewrite` writes a file in its own format"
            )
        }
        (true, ..) => format!("`meshpeek convert FILE -o {path}` makes it"),
        (_, true, _) => {
            "no verb makes it of another format, and `meshpeek rewrite` writes a file again in its own".to_owned()
        }
        (.., Some(command)) => format!("`meshpeek {command} {path}` makes it"),
        _ if has_any(output, &MESHES) => {
            let all = ExportFormat::ALL.map(ExportFormat::extension).join(", ");
            format!("no verb writes it; `meshpeek convert` makes {all}")
        }
        _ if has_any(output, &OTHERS) => "no verb writes it".to_owned(),
        _ => return None,
    })
}

/// Returns extensions as text: `.npy, .npz or .csv`.
fn listed(extensions: &[&str]) -> String {
    match extensions {
        [] => String::new(),
        [only] => format!(".{only}"),
        [first @ .., last] => format!(".{} or .{last}", first.join(", .")),
    }
}
