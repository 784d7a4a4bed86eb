//! EZ-Mesh: files with the extension `.ezm` (XML text) and `.ezb` (binary). J. W. Ratcliff and S.
//! Melax published the format EZ-Mesh in 2001 for triangle meshes with skeletal animation.
//!
//! | fact | source |
//! |---|---|
//! | one file is a *mesh system*: meshes, materials, skeletons, animations | the published specification of the author |
//! | a mesh has sections with one material each, which share its vertices; in older files each section has separate vertices | found in real files |
//! | text has three dialects: the root is `MeshSystem`, a bare `Mesh`, or `SceneGraph` | real files; the specification describes only the first |
//! | the number of triangles is `triangle_count`, `count` or `trianglecount` | real files; the specification lists the last name, which its importer does not read |
//! | numbers are separated by any run of blanks and commas | the importer of the author |
//! | `ctype` and `semantic` define the columns of a vertex; `h` is an integer of two bytes | the importer of the author |
//! | the number of floats in `interp1` to `interp8` follows from the data, even if `ctype` declares another number | importer and exporters disagree |
//! | a key frame has 7 or 10 floats, which follows from the number of floats | importer and exporters disagree |
//! | declared boxes, durations and times between frames are only what some program stored, and unreliable | measured: each of them is wrong in some real file |
//! | `.ezb` 100 is little-endian and 101 is big-endian, with the same layout; nothing is aligned | parsed to the last byte, and written back |
//!
//! **Text files** are read lazily: [`Mesh::open`] scans the file once and records the offset of
//! every XML element. Opening a text file parses no numbers. The first request for an array of
//! numbers parses the text of the XML element that contains the numbers, and caches the parsed
//! arrays. Names and attributes are borrowed from the file without decoding; [`unescape`] decodes
//! the XML entities of a name. [`unescape`] does not decode its result a second time, and the
//! reader never loads external files.
//!
//! **Binary files** are borrowed without a copy: a vertex is a record whose size follows from the
//! vertex flags. Each column of the vertices, such as the positions, is a
//! [`Strided`](crate::array::Strided) array over the vertex records.
//!
//! The components of a quaternion are in the order x, y, z, w. The vertices of a triangle are in
//! counter-clockwise order, seen from the side to which the normals point. The format does not
//! define the directions of the axes or the unit of length.

// The modules, from low level to high level: `layout` states the fields of a binary file once.
// `xml` and `binary` read a file once and record its elements in an `element_index`, which contains
// the offset of each element. `file` owns the bytes of the file, and `view` combines these
// bytes with the cached, parsed arrays, and reads the metadata of the whole file. `elements`,
// `surface` and `animation` read one element at a time: its tag in a text file, or its fields in a
// binary file. `vertex_format` and `semantic` describe the columns of a vertex, and `vertices`
// gives access to parsed vertices. `builder` puts files together in both forms, for `write` and
// `export`.
mod animation;
mod binary;
pub(crate) mod builder;
mod byte_ranges;
mod contents;
pub(super) mod detect;
mod element_index;
mod elements;
#[cfg(feature = "export")]
pub(crate) mod export;
mod file;
mod geometry;
mod layout;
mod properties;
mod regions;
#[cfg(feature = "cli")]
pub(in crate::formats) mod sample;
mod surface;
mod validate;
mod vertex_format;
mod view;
mod write;
mod xml;

use super::description::FormatDescription;

pub use file::Mesh;
#[cfg(feature = "internals")]
pub use {
    animation::track::{Keys, Timing},
    detect::is_known,
    elements::buffers::{IndexBuffer, VertexBuffer},
    elements::{
        Animation, Collision, Instance, Material, MeshElement, Representation, Section, Skeleton, TetraMesh, Texture,
        Track, UserBinary, UserData,
    },
    layout::{Scalar, Semantic, VertexValue},
    surface::Vertices,
    validate::RULES,
    vertex_format::{Column, MAX_SCALARS, VertexFormat},
    view::{Dialect, Form, View},
    xml::{unescape, unescape_percent},
};

/// The names, the file names, the rules and the extra arrays of the format.
pub(super) const DESCRIPTION: FormatDescription = FormatDescription {
    id: "ezmesh",
    title: "EZ-Mesh",
    extensions: &["ezm", "ezb"],
    part_extensions: &[],
    is_known: detect::is_known,
    rules: validate::RULES,
    extra_arrays: geometry::EXTRA_ARRAYS,
};
