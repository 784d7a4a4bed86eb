//! EZ-Mesh: `.ezm`, text in XML, and `.ezb`, its binary sibling. A format of J. W. Ratcliff and S. Melax of 2001 for
//! skeletal, animated triangle meshes.
//!
//! | fact | where from |
//! |---|---|
//! | one file is a *mesh system*: meshes, materials, skeletons, animations | the author's published specification |
//! | a mesh has sections, one material each, that share its vertices; in older files each section has its own | read in real files |
//! | three dialects of text: the root is `MeshSystem`, a bare `Mesh`, or `SceneGraph` | real files; the specification knows the first |
//! | triangles are counted by `triangle_count`, `count` or `trianglecount` | real files; the specification's list has the last, which its own importer does not know |
//! | numbers are separated by any run of blanks and commas | the author's importer |
//! | a vertex is what `ctype` and `semantic` say, group by group; `h` is an integer of two bytes | the same |
//! | `interp1` to `interp8` have as many floats as there are, whatever `ctype` says | importer and exporters disagree |
//! | a key frame has 7 floats or 10; the number of floats tells | the same |
//! | boxes, durations and times between frames are what somebody wrote once | measured: all of them wrong in some real file |
//! | `.ezb` 100 is little-endian, 101 big-endian, otherwise alike; nothing is aligned | parsed to the last byte, and written back |
//!
//! **Text** is read lazily: opening finds every element in one pass that reads no number. A block of numbers is unfolded into
//! arrays when somebody asks for one of them, or decoded straight into a buffer of the caller's, which allocates nothing.
//! Names and attributes are lent as they stand in the file; [`unescape`] decodes entities. Nothing is ever expanded or fetched.
//!
//! **Binary** files are lent as they are: a vertex is a record whose size follows from flags, so that its arrays are
//! [`Strided`](crate::array::Strided).
//!
//! Quaternions are x, y, z, w. Triangles turn counter-clockwise, seen from the side that normals point to. Axes and units are
//! not defined.

// Where things are, from the bytes up: `markup` and `binary` go through a file once and make its `outline`, a list of offsets.
// `system` owns the bytes and the outline; `view` lists what there is, `item` reads one thing of it by its tag or its fields:
// `mesh`, `skeleton`, `animation`, `material`, `extra`. Blocks of numbers: `buffer` and `triangles` find them, `semantic` and
// `layout` say what a vertex is made of, `number` reads one after another, `block` and `spread` make arrays of them, `vertices`
// lends those, and `rows` reads one of text. `names` and `last` keep what would be looked for again. `neutral`, `regions`, `check`, `write` and `build` are what
// every format has.
mod animation;
mod binary;
mod block;
mod buffer;
pub mod build;
mod check;
mod extra;
mod item;
mod last;
mod layout;
mod markup;
mod material;
mod mesh;
mod names;
mod neutral;
mod number;
mod outline;
mod regions;
mod rows;
mod semantic;
mod skeleton;
mod spread;
mod system;
mod triangles;
mod vertices;
mod view;
mod write;

pub use animation::{Animation, Keys, Timing, Track};
pub use block::Cell;
pub use buffer::VertexBuffer;
pub use check::{RULES, finding};
pub use extra::{Collision, Instance, Picture, Representation, TetraMesh, Texture, UserBinary, UserData};
pub use layout::{Column, Layout, MOST_SCALARS};
pub use markup::text::{unescape, unescape_percent};
pub use material::Material;
pub use mesh::{Mesh, Section};
pub use semantic::{Scalar, Semantic};
pub use skeleton::Skeleton;
pub use system::MeshSystem;
pub use triangles::IndexBuffer;
pub use vertices::Vertices;
pub use view::{Dialect, Form, View};

use crate::error::{Error, ErrorKind, Field};
use markup::tag::Tag;

/// The format's name.
pub(super) const FORMAT: &str = "ezmesh";

/// Tells whether bytes are those of an EZ-Mesh file, as far as they show: a binary file's first fields or, behind blanks,
/// comments and declarations, a root element that it can have.
#[must_use]
pub fn is_known(bytes: &[u8]) -> bool {
    binary::order(bytes).is_some() || root(bytes).is_some_and(|tag| markup::walk::is_root(&tag))
}

/// Returns the error for bytes that are related and not read: XML with another root, and binary of another version. `None`
/// where that does not show.
pub(crate) fn refusal(bytes: &[u8]) -> Option<Error> {
    if let Some(version) = binary::other_version(bytes) {
        let found = format!("EZ-Mesh binary of version {version}").into();
        let kind = ErrorKind::Unsupported { found, advice: "export it as version 100 or 101, or as text" };
        return Some(Error::new(FORMAT, Field::new("version"), 0, kind));
    }
    root(bytes).map(|tag| markup::walk::foreign_root(&tag))
}

/// Tells whether bytes look like XML, whatever its root.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let wide = [&b"\xff\xfe<\0"[..], b"\xfe\xff\0<", b"<\0", b"\0<"];
    wide.iter().any(|mark| bytes.starts_with(mark))
        || matches!(text.trim_ascii_start(), [b'<', b'?' | b'!' | b'_' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Returns the root element of a text, as far as the bytes go.
fn root(bytes: &[u8]) -> Option<Tag<'_>> {
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    loop {
        let rest = bytes.get(at..)?;
        let blank = rest.iter().take_while(|byte| markup::is_blank(**byte)).count();
        let rest = rest.get(blank..)?;
        at = at.saturating_add(blank);
        let end = match rest {
            [b'<', b'?', ..] => end_of(rest, b"?>")?,
            [b'<', b'!', b'-', b'-', ..] => end_of(rest, b"-->")?,
            [b'<', b'!', ..] => markup::walk::doctype_end(bytes, at)?.checked_sub(at)?,
            [b'<', ..] => return Tag::at(bytes, at),
            _ => return None,
        };
        at = at.checked_add(end)?;
    }
}

fn end_of(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, mark)?.checked_add(mark.len())
}
