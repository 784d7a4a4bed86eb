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
//! **Text** is read lazily: opening finds every element in one pass that reads no number. A block of numbers is parsed into
//! arrays when somebody asks for one of them, or decoded straight into a buffer of the caller's, which allocates nothing.
//! Names and attributes are lent as they stand in the file; [`unescape`] decodes entities. Nothing is ever expanded or fetched.
//!
//! **Binary** files are lent as they are: a vertex is a record whose size follows from flags, so that its arrays are
//! [`Strided`](crate::array::Strided).
//!
//! Quaternions are x, y, z, w. Triangles turn counter-clockwise, seen from the side that normals point to. Axes and units are
//! not defined.

// Where things are, from the bytes up: `xml` and `binary_scan` read a file once and list its elements in an `element_index`,
// a list of offsets. `file` owns the bytes, `view` pairs them with what is known of them, `header` reads what describes the
// whole file, and `elements`, `surface` and `animation` read one element by its tag or its fields. `vertex_format` and
// `semantic` say what a vertex consists of, `vertices` lends parsed vertices, `index` finds single vertices of text.
mod animation;
mod binary_reader;
mod binary_scan;
pub mod builder;
mod checkpoints;
mod contents;
pub(super) mod detect;
mod element_index;
mod elements;
mod file;
mod form;
mod geometry;
mod header;
mod layout;
mod name_index;
mod regions;
mod semantic;
mod sidecar_index;
mod surface;
mod validate;
mod value_cache;
mod vertex_format;
mod vertices;
mod view;
mod write;
mod xml;

pub use animation::{Animation, Keys, Timing, Track};
pub use detect::is_known;
pub use elements::{
    Collision, IndexBuffer, Instance, Material, MeshElement, Picture, Representation, Skeleton, TetraMesh, Texture,
    UserBinary, UserData, VertexBuffer,
};
pub use file::Mesh;
pub use form::{Dialect, Form};
pub use semantic::{Scalar, Semantic, VertexValue};
pub use surface::Section;
pub use validate::{RULES, finding};
pub use vertex_format::{Column, MAX_SCALARS, VertexFormat};
pub use vertices::Vertices;
pub use view::View;
pub use xml::{unescape, unescape_percent};
