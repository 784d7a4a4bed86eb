//! Building new files from lists, and writing either form.
//!
//! A [`System`] is a whole file as plain lists with public fields: made from nothing, or copied out of a file of either form
//! with [`System::of`]. It is tested and spelled when it is written. What the format cannot hold, and numbers that name
//! nothing, are refused before the first byte.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//! use meshpeek::decode::ByteOrder;
//! use meshpeek::ezmesh::{MeshSystem, build};
//! let columns = vec![
//!     build::Column::positions([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, 0.0]]),
//!     build::Column::texcoords(0, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
//! ];
//! let section = build::Section { material: b"red".into(), triangles: vec![[0, 1, 2]], ..Default::default() };
//! let mesh = build::Mesh {
//!     name: b"triangle".into(),
//!     vertices: Some(build::Vertices::from(columns)),
//!     sections: vec![section],
//!     ..Default::default()
//! };
//! let material = build::Material { name: b"red".into(), ..Default::default() };
//! let system = build::System { materials: vec![material], meshes: vec![mesh], ..Default::default() };
//!
//! let text = MeshSystem::open(system.to_ezm()?)?;
//! assert_eq!(build::System::of(text.view())?, system);
//! let binary = MeshSystem::open(system.to_ezb(ByteOrder::Little)?)?;
//! let positions = binary.mesh(0)?.vertex_buffer()?.unwrap().vertices()?.positions().unwrap();
//! assert_eq!(positions.get(2), Some([0.0, 0.1, 0.0]));
//! # Ok(())
//! # }
//! ```
//!
//! # What each form holds
//!
//! | | text | binary |
//! |---|---|---|
//! | vertices of a section | yes | put behind those of the mesh, if all have the same columns |
//! | columns | any | those with a [`Semantic`](super::Semantic), each in its standard type; bones and weights together |
//! | floats of what is to be interpolated | 1 to 4 | 4 |
//! | boxes that are left out | stay so | become the box around the positions |
//! | durations that are left out | stay so | become 0 |
//! | [`tetra_meshes`](System::tetra_meshes), [`representations`](System::representations) | yes | refused |
//! | [`textures`](System::textures), [`user_data`](System::user_data), [`user_binary_data`](System::user_binary_data), vertices without columns | refused | yes |
//! | [`Section::info`] | yes | left out |
//! | [`plane`](System::plane), [`Section::flags`], [`Track::seconds`] | left out | yes |
//!
//! [`System::reduce_to_ezm`] and [`System::reduce_to_ezb`] take out what a form cannot hold, and tell what that was.

mod binary;
mod check;
mod extra;
mod line;
mod merge;
mod parts;
mod read;
mod reduce;
mod text;
mod vertices;

use std::borrow::Cow;
use std::io::Write;

pub use extra::{Collision, Hull, Instance, Representation, TetraMesh, Texture, UserBinary, UserData};
pub use parts::{Animation, Bone, Material, Mesh, Section, Skeleton, Track};
pub use vertices::{Column, Values, Vertices};

use super::FORMAT;
use crate::array::Bounds;
use crate::decode::ByteOrder;
use crate::error::{Error, ErrorKind, Field, Result};

/// A file to write. Names are bytes, as files hold them.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// What the file calls itself.
    pub asset_name: Vec<u8>,
    /// What it says of itself: any text.
    pub asset_info: Vec<u8>,
    /// The version of the format: 1 in every known file, and by default.
    pub system_version: i32,
    /// The version of the asset.
    pub asset_version: i32,
    /// The box around everything. Left out, text has none, and the binary form that around all positions.
    pub bounds: Option<Bounds>,
    /// Pictures. Only the binary form has them.
    pub textures: Vec<Texture>,
    /// The skeletons.
    pub skeletons: Vec<Skeleton>,
    /// The animations.
    pub animations: Vec<Animation>,
    /// The materials.
    pub materials: Vec<Material>,
    /// Pairs of texts. Only the binary form has them.
    pub user_data: Vec<UserData>,
    /// Named bytes. Only the binary form has them.
    pub user_binary_data: Vec<UserBinary>,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// Meshes of tetrahedra. Only text has them.
    pub tetra_meshes: Vec<TetraMesh>,
    /// Meshes that are put somewhere.
    pub instances: Vec<Instance>,
    /// Shapes to collide with. Only text has them.
    pub representations: Vec<Representation>,
    /// A plane's normal and distance. Only the binary form has it; 1, 0, 0, 0 in every known file, and by default.
    pub plane: [f32; 4],
}

/// The plane of every known file.
const PLANE: [f32; 4] = [1.0, 0.0, 0.0, 0.0];

impl Default for System {
    fn default() -> Self {
        Self {
            asset_name: Vec::new(),
            asset_info: Vec::new(),
            system_version: 1,
            asset_version: 0,
            bounds: None,
            textures: Vec::new(),
            skeletons: Vec::new(),
            animations: Vec::new(),
            materials: Vec::new(),
            user_data: Vec::new(),
            user_binary_data: Vec::new(),
            meshes: Vec::new(),
            tetra_meshes: Vec::new(),
            instances: Vec::new(),
            representations: Vec::new(),
            plane: PLANE,
        }
    }
}

impl System {
    /// Writes it as text that every known reader takes: `MeshSystem` at the root, lines that end in CR LF, numbers in lines of
    /// at most 160 bytes, each number of at most 30.
    ///
    /// A float is spelled in the fewest digits that read as the same bits; infinities and what is no number as bits behind a
    /// `$`. In names, `"` becomes `&quot;` and `<` becomes `&lt;`; everything else is kept, an `&` too. Bones stay in their order:
    /// some readers know only parents that stand before their children. What is allocated does not grow with the numbers.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`], by field, for what text cannot hold: nothing is written then. What the output refuses.
    pub fn write_ezm(&self, out: &mut dyn Write) -> Result<()> {
        self.check()?;
        self.check_text()?;
        text::write(self, out)
    }

    /// Writes it in the binary form: little-endian with version 100, or big-endian with version 101.
    ///
    /// Numbers keep their bits. Vertices of sections are put behind those of their mesh, and indices are raised to match. Boxes
    /// that are left out are computed: around the positions that triangles use, or those of all vertices; around none, from
    /// 0 to 0.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`], by field, for what the form cannot hold: nothing is written then. What the output refuses.
    pub fn write_ezb(&self, order: ByteOrder, out: &mut dyn Write) -> Result<()> {
        let version = match order {
            ByteOrder::Little => 100,
            ByteOrder::Big => 101,
        };
        self.write_binary(order, version, out)
    }

    /// Writes the binary form with any version.
    pub(super) fn write_binary(&self, order: ByteOrder, version: u32, out: &mut dyn Write) -> Result<()> {
        self.check()?;
        self.check_binary()?;
        binary::write(self, order, version, out)
    }

    /// Writes it as text to memory.
    ///
    /// # Errors
    ///
    /// As [`write_ezm`](Self::write_ezm).
    pub fn to_ezm(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_ezm(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes it in the binary form to memory.
    ///
    /// # Errors
    ///
    /// As [`write_ezb`](Self::write_ezb).
    pub fn to_ezb(&self, order: ByteOrder) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_ezb(order, &mut bytes)?;
        Ok(bytes)
    }
}

fn refused(field: Field, expected: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Error {
    let kind = ErrorKind::Refused { expected: expected.into(), found: found.into() };
    Error::without_offset(FORMAT, field, kind)
}

fn failed(error: std::io::Error) -> Error {
    Error::without_offset(FORMAT, Field::new("output"), error.into())
}
