//! The copying loader of Second Life assets. It reads the header, inflates every block, parses it
//! into a tree, and decodes every array into a list. The tree borrows from the inflated block,
//! which is freed afterwards.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// A decoded asset.
#[derive(Debug, Default, PartialEq)]
pub struct Mesh {
    /// The levels of detail with the names of their blocks, in the order of the header.
    pub levels: Vec<(String, Vec<Submesh>)>,
    /// The triangles for collisions.
    pub physics: Vec<Submesh>,
    pub convex: Convex,
    pub skin: Skin,
    /// The total size of all inflated blocks in bytes.
    pub inflated: usize,
}

/// A decoded submesh.
#[derive(Debug, Default, PartialEq)]
pub struct Submesh {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub uvs: Vec<[f32; 2]>,
    pub indices: Vec<u32>,
    /// For each vertex, the end of its influences in `influences`.
    pub ends: Vec<u32>,
    /// The joint and the weight.
    pub influences: Vec<(i16, f32)>,
}

/// The decoded convex hulls.
#[derive(Debug, Default, PartialEq)]
pub struct Convex {
    pub bounding: Vec<[f32; 3]>,
    pub points: Vec<[f32; 3]>,
    pub sizes: Vec<u8>,
}

/// A decoded skin.
#[derive(Debug, Default, PartialEq)]
pub struct Skin {
    pub joints: Vec<String>,
    /// The bind shape matrix, then the inverse bind matrix of each joint.
    pub matrices: Vec<Vec<f32>>,
}

/// Loads an asset.
pub fn load(asset: &[u8]) -> Mesh {
    let mut input = Input { rest: asset };
    let header = input.value();
    let body = input.rest;
    let mut mesh = Mesh::default();
    for (key, entry) in header.map() {
        let (Some(offset), Some(size)) = (entry.get("offset"), entry.get("size")) else { continue };
        let stored = &body[offset.integer()..offset.integer() + size.integer()];
        let mut inflated = Vec::new();
        ZlibDecoder::new(stored).read_to_end(&mut inflated).unwrap();
        mesh.inflated += inflated.len();
        let value = Input { rest: &inflated }.value();
        match *key {
            "skin" => mesh.skin = skin(&value),
            "physics_convex" => mesh.convex = convex(&value),
            "physics_mesh" => mesh.physics = value.array().iter().map(submesh).collect(),
            name if name.ends_with("_lod") => {
                mesh.levels.push((name.to_owned(), value.array().iter().map(submesh).collect()));
            }
            _ => {}
        }
    }
    mesh
}

fn submesh(map: &Value<'_>) -> Submesh {
    let mut submesh = Submesh::default();
    if map.get("NoGeometry").is_some() {
        return submesh;
    }
    let box_around = domain(map.get("PositionDomain"), [[-0.5; 3], [0.5; 3]]);
    submesh.positions = codes(map.binary("Position"), box_around);
    submesh.normals = codes(map.binary("Normal"), [[-1.0; 3], [1.0; 3]]);
    submesh.uvs = codes(map.binary("TexCoord0"), domain(map.get("TexCoord0Domain"), [[0.0; 2], [1.0; 2]]));
    submesh.indices =
        map.binary("TriangleList").as_chunks().0.iter().map(|raw| u16::from_le_bytes(*raw).into()).collect();
    let mut rest = map.binary("Weights");
    while !rest.is_empty() {
        rest = influences(rest, &mut submesh.influences);
        submesh.ends.push(submesh.influences.len() as u32);
    }
    submesh
}

/// Decodes the influences on one vertex, and returns the bytes after them.
fn influences<'a>(mut rest: &'a [u8], out: &mut Vec<(i16, f32)>) -> &'a [u8] {
    for _ in 0..4 {
        if rest[0] == 255 {
            return &rest[1..];
        }
        out.push((rest[0].into(), f32::from(u16::from_le_bytes([rest[1], rest[2]])) / 65535.0));
        rest = &rest[3..];
    }
    rest
}

fn convex(map: &Value<'_>) -> Convex {
    let ends = [("Min", -0.5), ("Max", 0.5)].map(|(key, default)| numbers(map.get(key), [default; 3]));
    Convex {
        bounding: codes(map.binary("BoundingVerts"), ends),
        points: codes(map.binary("Positions"), ends),
        sizes: map.binary("HullList").to_vec(),
    }
}

fn skin(map: &Value<'_>) -> Skin {
    let list = |key| map.get(key).map_or(&[][..], Value::array);
    let floats = |list: &[Value<'_>]| list.iter().map(|number| number.real() as f32).collect();
    let inverse = list("inverse_bind_matrix").iter();
    Skin {
        joints: list("joint_names").iter().map(|name| String::from_utf8_lossy(name.bytes()).into_owned()).collect(),
        matrices: [list("bind_shape_matrix")].into_iter().chain(inverse.map(Value::array)).map(floats).collect(),
    }
}

fn domain<const N: usize>(map: Option<&Value<'_>>, [min, max]: [[f32; N]; 2]) -> [[f32; N]; 2] {
    map.map_or([min, max], |map| [numbers(map.get("Min"), min), numbers(map.get("Max"), max)])
}

fn numbers<const N: usize>(list: Option<&Value<'_>>, default: [f32; N]) -> [f32; N] {
    let mut numbers = default;
    for (number, value) in numbers.iter_mut().zip(list.map_or(&[][..], Value::array)) {
        *number = value.real() as f32;
    }
    numbers
}

fn codes<const N: usize>(raw: &[u8], [min, max]: [[f32; N]; 2]) -> Vec<[f32; N]> {
    let decode = |raw: &[[u8; 2]; N]| {
        let mut point = [0.0; N];
        for axis in 0..N {
            let code = f32::from(u16::from_le_bytes(raw[axis]));
            point[axis] = code / 65535.0 * (max[axis] - min[axis]) + min[axis];
        }
        point
    };
    raw.as_chunks::<2>().0.as_chunks::<N>().0.iter().map(decode).collect()
}

/// A value in a tree.
enum Value<'a> {
    Integer(i32),
    Real(f64),
    Bytes(&'a [u8]),
    Array(Vec<Value<'a>>),
    Map(Vec<(&'a str, Value<'a>)>),
    Other,
}

impl<'a> Value<'a> {
    fn get(&self, key: &str) -> Option<&Self> {
        self.map().iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    fn binary(&self, key: &str) -> &'a [u8] {
        self.get(key).map_or(&[], Value::bytes)
    }

    fn map(&self) -> &[(&'a str, Self)] {
        if let Value::Map(map) = self { map } else { &[] }
    }

    fn array(&self) -> &[Self] {
        if let Value::Array(array) = self { array } else { &[] }
    }

    fn bytes(&self) -> &'a [u8] {
        if let Value::Bytes(bytes) = self { bytes } else { &[] }
    }

    fn real(&self) -> f64 {
        if let Value::Real(number) = self { *number } else { 0.0 }
    }

    fn integer(&self) -> usize {
        if let Value::Integer(number) = self { usize::try_from(*number).unwrap() } else { 0 }
    }
}

/// The rest of the bytes of a tree that are not read yet.
struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn value(&mut self) -> Value<'a> {
        match self.take(1)[0] {
            b'i' => Value::Integer(i32::from_be_bytes(self.item())),
            b'r' => Value::Real(f64::from_be_bytes(self.item())),
            b's' | b'l' | b'b' => Value::Bytes(self.counted()),
            b'u' => Value::Bytes(self.take(16)),
            b'd' => Value::Bytes(self.take(8)),
            b'[' => {
                let count = self.int();
                let array = (0..count).map(|_| self.value()).collect();
                assert_eq!(self.take(1), b"]");
                Value::Array(array)
            }
            b'{' => {
                let count = self.int();
                let map = (0..count).map(|_| self.entry()).collect();
                assert_eq!(self.take(1), b"}");
                Value::Map(map)
            }
            _ => Value::Other,
        }
    }

    fn entry(&mut self) -> (&'a str, Value<'a>) {
        assert_eq!(self.take(1), b"k");
        (std::str::from_utf8(self.counted()).unwrap(), self.value())
    }

    fn counted(&mut self) -> &'a [u8] {
        let length = self.int();
        self.take(length)
    }

    fn int(&mut self) -> usize {
        usize::try_from(i32::from_be_bytes(self.item())).unwrap()
    }

    fn item<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        self.take(SIZE).try_into().unwrap()
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}
