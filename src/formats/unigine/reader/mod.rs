//! Reads UNIGINE files field by field and section by section.
//!
//! | file | contents |
//! |---|---|
//! | `fields` | reads one field after another; each field is reported as a region |
//! | `locate` | the start offsets of sections; each section is read only once |
//! | `file_reader` | reads the data that exists in both meshes and animation files |
//! | `mesh_reader` | reads a mesh; the reader of animation files is in `animation/reader` |
//! | `arrays` | locates the arrays of a surface, in file order |
//! | `surface_cache` | the cached results for a surface |

pub(crate) mod arrays;
pub(crate) mod fields;
pub(crate) mod file_reader;
pub(crate) mod locate;
pub(crate) mod mesh_reader;
pub(crate) mod surface_cache;
