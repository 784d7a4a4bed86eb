//! The code of the program for the parts of a mesh that only its format has. All other code uses
//! the traits for meshes of any format.

pub mod adjust_args;
pub mod level_args;
pub mod native_output;
pub mod selectors;
pub mod summary;

use std::path::Path;

use crate::formats::foreign::{self, ForeignKind};
use crate::formats::mesh_files::is_data;
use crate::formats::{descriptions, is_mesh_name};
use crate::io::read_start;
use crate::program::args::FrameIndex;
use crate::program::outcome::UsageError;
use crate::{Animations, Clip, Format, FrameBlend, Geometry};

/// The number of bytes that are read from the start of a file to recognise its format by a magic
/// number.
const MAGIC_BYTES: u64 = 64;

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
pub fn extensions() -> impl Iterator<Item = &'static str> {
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
