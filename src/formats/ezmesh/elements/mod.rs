//! The elements of an EZ-Mesh file, such as meshes, skeletons and materials.
//!
//! Each method call on an element reads the element's tag in a text file, or the element's fields
//! in a binary file.
//!
//! | file | contents |
//! |---|---|
//! | `reader` | reads one element: its attributes and numbers in a text file, its fields in a binary file |
//! | `vertex_buffer`, `index_buffer` | located vertices and triangles, and the ways to read them |
//! | `mesh`, `skeleton`, `material` | elements of most files |
//! | `instance`, `collision`, `tetra_mesh` | elements of few text files |
//! | `embedded_data` | elements of binary files only |

mod collision;
mod embedded_data;
pub(crate) mod index_buffer;
mod instance;
mod lists;
mod material;
mod mesh;
pub(crate) mod reader;
pub(crate) mod skeleton;
pub(crate) mod tetra_mesh;
pub(crate) mod vertex_buffer;

#[cfg(feature = "internals")]
pub use embedded_data::EmbeddedPixels;
pub use lists::{
    Animation, Collision, Instance, Material, MeshElement, Representation, Skeleton, TetraMesh, Texture, UserBinary,
    UserData,
};
