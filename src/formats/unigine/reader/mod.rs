//! Reads UNIGINE files field by field and section by section.
//!
//! | file | contents |
//! |---|---|
//! | `fields` | reads one field after another; each field is reported as a region |
//! | `file_reader` | reads the data that exists in both meshes and animation files, and finds their sections; each section is read only once |
//! | `mesh_reader` | reads a mesh; the reader of animation files is in `animation/reader` |
//! | `arrays` | locates the arrays of a surface, in file order, and caches their totals |

pub(crate) mod arrays;
pub(crate) mod fields;
pub(crate) mod file_reader;
pub(crate) mod mesh_reader;
