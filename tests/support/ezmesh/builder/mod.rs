//! EZ-Mesh files that are built from lists, in both forms. The bytes are made without the writer of
//! the crate, so the tests compare the two.

mod binary;
mod read;
mod text;

use meshpeek::array::Bounds;
use meshpeek::ezmesh::Semantic;
use meshpeek::model::Transform;

/// The contents of a file. Text files have no textures, user data and plane, and binary files have
/// no tetrahedra and collision shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    pub asset_name: Vec<u8>,
    pub asset_info: Vec<u8>,
    pub system_version: i32,
    pub asset_version: i32,
    pub bounds: Option<Bounds>,
    pub textures: Vec<Texture>,
    pub skeletons: Vec<Skeleton>,
    pub animations: Vec<Animation>,
    pub materials: Vec<Material>,
    pub user_data: Vec<UserData>,
    pub user_binary_data: Vec<UserBinary>,
    pub meshes: Vec<MeshElement>,
    pub tetra_meshes: Vec<TetraMesh>,
    pub instances: Vec<Instance>,
    pub representations: Vec<Representation>,
    pub plane: [f32; 4],
}

impl Default for Mesh {
    fn default() -> Self {
        Self {
            asset_name: vec![],
            asset_info: vec![],
            system_version: 1,
            asset_version: 0,
            bounds: None,
            textures: vec![],
            skeletons: vec![],
            animations: vec![],
            materials: vec![],
            user_data: vec![],
            user_binary_data: vec![],
            meshes: vec![],
            tetra_meshes: vec![],
            instances: vec![],
            representations: vec![],
            plane: [1.0, 0.0, 0.0, 0.0],
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texture {
    pub name: Vec<u8>,
    pub width: u32,
    pub height: u32,
    pub pixel_size: u32,
    pub pixels: Vec<u8>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    pub name: Vec<u8>,
    pub bones: Vec<Bone>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    pub name: Vec<u8>,
    /// The index of the parent in the skeleton.
    pub parent: Option<u32>,
    pub bind: Transform,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    pub name: Vec<u8>,
    /// The number of frames, if it is not that of the longest track.
    pub frames: Option<u32>,
    pub duration: Option<f32>,
    pub dtime: Option<f32>,
    pub tracks: Vec<Track>,
}

impl Animation {
    /// Returns the number of keys of the longest track.
    pub fn longest(&self) -> usize {
        self.tracks.iter().map(|track| track.keys.len()).max().unwrap_or_default()
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    pub name: Vec<u8>,
    /// The duration and the time between frames, if they are not those of the animation.
    pub seconds: Option<[f32; 2]>,
    pub keys: Vec<Transform>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Material {
    pub name: Vec<u8>,
    pub meta_data: Vec<u8>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserData {
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserBinary {
    pub name: Vec<u8>,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshElement {
    pub name: Vec<u8>,
    pub skeleton: Vec<u8>,
    pub bounds: Option<Bounds>,
    pub vertices: Option<Vertices>,
    pub sections: Vec<Section>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    pub material: Vec<u8>,
    pub info: Option<Vec<u8>>,
    pub bounds: Option<Bounds>,
    /// The vertices of the section, which only a text file can store.
    pub vertices: Option<Vertices>,
    /// The vertex flags of a binary file, if they are not those of the mesh.
    pub flags: Option<u32>,
    pub triangles: Vec<[u32; 3]>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetraMesh {
    pub corners: Vec<[[f32; 3]; 4]>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    pub mesh: Vec<u8>,
    pub transform: Transform,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Representation {
    pub name: Vec<u8>,
    pub info: Vec<u8>,
    pub collisions: Vec<Collision>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collision {
    pub name: Vec<u8>,
    pub kind: Vec<u8>,
    pub transform: Option<[f32; 16]>,
    pub hull: Option<Hull>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    pub points: Option<Vertices>,
    pub triangles: Vec<[u32; 3]>,
}

/// The vertices of a mesh, of a section or of a hull.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertices {
    pub columns: Vec<Column>,
    /// The number of vertices without columns, which only a binary file can store.
    pub bare: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// The word for the column in the attribute `semantic`.
    pub word: Vec<u8>,
    pub values: Values,
}

/// The values of a column, with the number of values per vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    F32(u8, Vec<f32>),
    I32(u8, Vec<i32>),
    U16(u8, Vec<u16>),
    U8(u8, Vec<u8>),
    Characters(u8, Vec<u8>),
    Hex8(u8, Vec<u8>),
    Hex16(u8, Vec<u16>),
    Hex32(u8, Vec<u32>),
    Words(u8, Vec<Vec<u8>>),
    /// Parts of one type each.
    Mixed(Vec<Values>),
}

impl Default for Values {
    fn default() -> Self {
        Self::F32(1, vec![])
    }
}

impl From<Vec<Column>> for Vertices {
    fn from(columns: Vec<Column>) -> Self {
        Self { columns, bare: 0 }
    }
}

impl Vertices {
    pub fn len(&self) -> usize {
        self.columns.first().map_or(self.bare as usize, |column| column.values.len())
    }

    /// Returns the column with the standard word of a meaning.
    pub fn column(&self, semantic: Semantic) -> Option<&Column> {
        self.columns.iter().find(|column| semantic.word().is_some_and(|word| word.as_bytes() == column.word))
    }

    pub fn positions(&self) -> Option<&[[f32; 3]]> {
        match &self.column(Semantic::Position)?.values {
            Values::F32(3, floats) => Some(floats.as_chunks().0),
            _ => None,
        }
    }
}

impl Column {
    /// Makes a column with a known meaning.
    pub fn new(semantic: Semantic, values: Values) -> Self {
        Self { word: semantic.word().unwrap().into(), values }
    }

    fn floats<const N: usize>(semantic: Semantic, items: impl IntoIterator<Item = [f32; N]>) -> Self {
        Self::new(semantic, Values::F32(N as u8, items.into_iter().flatten().collect()))
    }

    pub fn positions(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Position, items)
    }

    pub fn normals(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Normal, items)
    }

    /// Makes a column of colours, each as `0xAARRGGBB`.
    pub fn colors(items: impl IntoIterator<Item = u32>) -> Self {
        Self::new(Semantic::Color, Values::Hex32(1, items.into_iter().collect()))
    }

    pub fn texcoords(set: u8, items: impl IntoIterator<Item = [f32; 2]>) -> Self {
        Self::floats(Semantic::Texcoord(set), items)
    }

    pub fn tangents(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Tangent, items)
    }

    pub fn binormals(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Binormal, items)
    }

    pub fn weights(items: impl IntoIterator<Item = [f32; 4]>) -> Self {
        Self::floats(Semantic::BlendWeights, items)
    }

    pub fn bones(items: impl IntoIterator<Item = [u16; 4]>) -> Self {
        Self::new(Semantic::BlendIndices, Values::U16(4, items.into_iter().flatten().collect()))
    }

    pub fn radii(items: impl IntoIterator<Item = f32>) -> Self {
        Self::new(Semantic::Radius, Values::F32(1, items.into_iter().collect()))
    }

    pub fn interps<const N: usize>(number: u8, items: impl IntoIterator<Item = [f32; N]>) -> Self {
        Self::floats(Semantic::Interp(number), items)
    }
}

/// Returns the values of one vertex.
fn of_row<T>(all: &[T], width: u8, row: usize) -> &[T] {
    &all[row * usize::from(width)..][..usize::from(width)]
}

impl Values {
    /// Returns the parts of one type each.
    fn parts(&self) -> &[Self] {
        match self {
            Self::Mixed(parts) => parts,
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns the code of the type, the number of values per vertex, and the number of all values.
    fn shape(&self) -> (&'static str, u8, usize) {
        match self {
            Self::F32(width, all) => ("f", *width, all.len()),
            Self::I32(width, all) => ("d", *width, all.len()),
            Self::U16(width, all) => ("h", *width, all.len()),
            Self::U8(width, all) => ("b", *width, all.len()),
            Self::Characters(width, all) => ("c", *width, all.len()),
            Self::Hex8(width, all) => ("x1", *width, all.len()),
            Self::Hex16(width, all) => ("x2", *width, all.len()),
            Self::Hex32(width, all) => ("x4", *width, all.len()),
            Self::Words(width, all) => ("p", *width, all.len()),
            Self::Mixed(parts) => parts[0].shape(),
        }
    }

    pub fn len(&self) -> usize {
        let (_, width, count) = self.shape();
        count / usize::from(width)
    }

    /// Returns the codes of the types in the attribute `ctype`.
    pub fn ctype(&self) -> String {
        let shapes = self.parts().iter().map(Self::shape);
        shapes.map(|(code, width, _)| code.repeat(width.into())).collect()
    }
}
