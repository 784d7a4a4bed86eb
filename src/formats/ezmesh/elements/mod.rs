//! The elements of a file, each read by its tag or its fields when it is asked for.
//!
//! | file | what |
//! |---|---|
//! | `reader` | how one element is read: attributes, fields, blocks of numbers |
//! | `vertex_buffer`, `index_buffer` | vertices and triangles that were located, and the ways to read them |
//! | `mesh`, `skeleton`, `material` | what most files have |
//! | `instance`, `collision`, `tetra_mesh` | what few texts have |
//! | `embedded_data` | what only binary files have |

pub(crate) mod collision;
pub(crate) mod embedded_data;
pub(crate) mod index_buffer;
pub(crate) mod instance;
pub(crate) mod material;
pub(crate) mod mesh;
pub(crate) mod reader;
pub(crate) mod skeleton;
pub(crate) mod tetra_mesh;
pub(crate) mod vertex_buffer;

pub use collision::{Collision, Representation};
pub use embedded_data::{Picture, Texture, UserBinary, UserData};
pub use index_buffer::IndexBuffer;
pub use instance::Instance;
pub use material::Material;
pub use mesh::MeshElement;
pub use skeleton::Skeleton;
pub use tetra_mesh::TetraMesh;
pub use vertex_buffer::VertexBuffer;
