//! Reads files: field by field, and section by section.
//!
//! | file | what it reads |
//! |---|---|
//! | `fields` | one field after another; each is reported as a region |
//! | `locate` | where sections start: each is walked over once |
//! | `file_reader` | what meshes and animation files have in common |
//! | `mesh_reader` | a mesh; an animation file has its own in `animation/reader` |
//! | `arrays` | the arrays of a surface, in file order |
//! | `surface_cache` | what is remembered of a surface |

pub(crate) mod arrays;
pub(crate) mod fields;
pub(crate) mod file_reader;
pub(crate) mod locate;
pub(crate) mod mesh_reader;
pub(crate) mod surface_cache;
