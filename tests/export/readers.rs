//! Naive readers of OBJ, PLY and STL.

use std::str::FromStr;

/// The numbers of an OBJ file.
#[derive(Default)]
pub struct Obj {
    pub library: String,
    pub positions: Vec<[f32; 3]>,
    /// The colours of the positions that have one, with the indices of the positions.
    pub colors: Vec<(usize, [f32; 3])>,
    pub uvs: Vec<[f32; 2]>,
    pub normals: Vec<[f32; 3]>,
    pub objects: Vec<Object>,
}

/// An object of an OBJ file. A corner has the indices of a position, a UV and a normal, from 0.
#[derive(Default)]
pub struct Object {
    pub name: String,
    pub material: String,
    pub triangles: Vec<[[Option<usize>; 3]; 3]>,
}

fn numbers<T: FromStr>(text: &str) -> Vec<T> {
    text.split(' ').map(|number| number.parse().unwrap_or_else(|_| panic!("{text}"))).collect()
}

fn corner(text: &str) -> [Option<usize>; 3] {
    let mut parts = text.split('/').map(|part| part.parse::<usize>().ok().map(|number| number - 1));
    std::array::from_fn(|_| parts.next().flatten())
}

pub fn read_obj(bytes: &[u8]) -> Obj {
    let mut obj = Obj::default();
    for line in std::str::from_utf8(bytes).unwrap().lines().filter(|line| !line.starts_with('#')) {
        let (statement, rest) = line.split_once(' ').unwrap();
        match statement {
            "mtllib" => rest.clone_into(&mut obj.library),
            "v" => {
                let all: Vec<f32> = numbers(rest);
                if all.len() == 6 {
                    obj.colors.push((obj.positions.len(), all[3..].try_into().unwrap()));
                }
                obj.positions.push(all[..3].try_into().unwrap());
            }
            "vt" => obj.uvs.push(numbers(rest).try_into().unwrap()),
            "vn" => obj.normals.push(numbers(rest).try_into().unwrap()),
            "o" => obj.objects.push(Object { name: rest.into(), ..Object::default() }),
            "usemtl" => obj.objects.last_mut().unwrap().material = rest.into(),
            "f" => {
                let corners: Vec<_> = rest.split(' ').map(corner).collect();
                obj.objects.last_mut().unwrap().triangles.push(corners.try_into().unwrap());
            }
            _ => panic!("{line}"),
        }
    }
    obj
}

/// The contents of a PLY file.
#[derive(Default)]
pub struct Ply {
    pub properties: Vec<String>,
    /// The floats of each vertex, in the order of the properties.
    pub vertices: Vec<Vec<f32>>,
    pub colors: Vec<[u8; 4]>,
    pub faces: Vec<[u32; 3]>,
}

impl Ply {
    /// Returns the values of float properties of a vertex, or `None` if a property is absent.
    pub fn values<const N: usize>(&self, vertex: usize, names: [&str; N]) -> Option<[f32; N]> {
        let find = |name: &str| self.properties.iter().position(|property| property == name);
        let values: Option<Vec<f32>> =
            names.iter().map(|name| find(name).map(|at| self.vertices[vertex][at])).collect();
        values.map(|values| values.try_into().unwrap())
    }

    pub fn position(&self, vertex: usize) -> [f32; 3] {
        self.values(vertex, ["x", "y", "z"]).unwrap()
    }

    pub fn normal(&self, vertex: usize) -> Option<[f32; 3]> {
        self.values(vertex, ["nx", "ny", "nz"])
    }
}

pub fn read_ply(bytes: &[u8]) -> Ply {
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let (mut ply, mut counts, mut floats, mut has_colors) = (Ply::default(), Vec::new(), 0, false);
    for line in std::str::from_utf8(&bytes[..end]).unwrap().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "element" => counts.push(words[2].parse::<usize>().unwrap()),
            "property" if words[1] == "float" => floats += 1,
            "property" if words[1] == "uchar" => has_colors = true,
            _ => {}
        }
        if words[0] == "property" {
            ply.properties.push(words.last().unwrap().to_string());
        }
    }
    let mut rest = &bytes[end..];
    for _ in 0..counts[0] {
        let (vertex, tail) = rest.split_at(4 * floats);
        ply.vertices.push(vertex.chunks(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect());
        let (color, tail) = tail.split_at(if has_colors { 4 } else { 0 });
        ply.colors.extend(<[u8; 4]>::try_from(color).ok());
        rest = tail;
    }
    for face in rest.chunks(13) {
        assert_eq!(face[0], 3);
        let index = |corner: usize| u32::from_le_bytes(face[1 + 4 * corner..][..4].try_into().unwrap());
        ply.faces.push([index(0), index(1), index(2)]);
    }
    assert_eq!(ply.faces.len(), counts[1]);
    ply
}

/// The normal and the corners of each triangle of an STL file.
pub fn read_stl(bytes: &[u8]) -> Vec<[[f32; 3]; 4]> {
    assert!(!bytes.starts_with(b"solid"));
    let count = u32::from_le_bytes(bytes[80..84].try_into().unwrap()) as usize;
    assert_eq!(bytes.len(), 84 + 50 * count);
    let triangles = bytes[84..].chunks(50).map(|record| {
        let float = |at: usize| f32::from_le_bytes(record[4 * at..][..4].try_into().unwrap());
        std::array::from_fn(|vector| std::array::from_fn(|axis| float(3 * vector + axis)))
    });
    triangles.collect()
}
