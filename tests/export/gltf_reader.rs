//! Reads glTF files with the crate `gltf`, and evaluates nodes, skins and animations.

use std::collections::BTreeMap;

use gltf::animation::Property;
use gltf::animation::util::ReadOutputs;
use gltf::mesh::util::ReadColors;
use gltf::{Document, Gltf, Semantic};
use serde_json::Value;

/// The columns of a matrix. The last column is the translation.
pub type Matrix = [[f64; 4]; 4];

pub const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// A glTF file with its buffers.
pub struct Reader {
    pub document: Document,
    pub json: Value,
    pub buffers: Vec<Vec<u8>>,
}

/// The vertices and triangles of a primitive.
pub struct Part {
    pub name: Option<String>,
    pub positions: Vec<[f32; 3]>,
    pub normals: Option<Vec<[f32; 3]>>,
    pub tangents: Option<Vec<[f32; 4]>>,
    pub uvs: Vec<Vec<[f32; 2]>>,
    pub colors: Option<Vec<[u8; 4]>>,
    /// The attribute `_COLOR_0`.
    pub color_data: Option<Vec<[u8; 4]>>,
    /// The joints and weights of each vertex, in sets of four.
    pub sets: Vec<Vec<([u16; 4], [f32; 4])>>,
    pub indices: Vec<u32>,
    /// The differences of positions and normals of each morph target.
    pub targets: Vec<[Option<Vec<[f32; 3]>>; 3]>,
}

/// A node of a skin, with its inverse bind matrix.
pub struct Joint {
    pub node: usize,
    pub inverse_bind: Matrix,
}

/// The transform of a node relative to its parent.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    pub translation: [f64; 3],
    pub rotation: [f64; 4],
    pub scale: [f64; 3],
}

/// The transforms of all nodes and the weights of all morph targets at one moment.
#[derive(Clone)]
pub struct Moment {
    pub locals: Vec<Local>,
    pub weights: BTreeMap<usize, Vec<f64>>,
}

/// The keys of a channel of an animation.
pub struct Track {
    node: usize,
    path: Property,
    pub times: Vec<f32>,
    /// The numbers of each key.
    values: Vec<Vec<f64>>,
}

impl Reader {
    /// Reads a GLB file. Every file that requires no extension must pass the validation of the
    /// crate `gltf`.
    pub fn glb(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8), &bytes[16..20]), (&b"glTF"[..], 2, bytes.len(), &b"JSON"[..]));
        let (json, rest) = bytes[20..].split_at(word(12));
        let mut buffers = Vec::new();
        if !rest.is_empty() {
            let at = 20 + json.len();
            assert_eq!((word(at), &rest[4..8]), (rest.len() - 8, &b"BIN\0"[..]));
            buffers.push(rest[8..].to_vec());
        }
        assert!(json.len().is_multiple_of(4) && rest.len().is_multiple_of(4), "chunks end at multiples of 4");
        Self::new(bytes, json, buffers)
    }

    /// Reads a `.gltf` file. The other files are its buffers, with their names.
    pub fn gltf(json: &[u8], others: &BTreeMap<String, Vec<u8>>) -> Self {
        let value: Value = serde_json::from_slice(json).unwrap();
        let buffers = list(&value, "buffers").iter().map(|buffer| others[buffer["uri"].as_str().unwrap()].clone());
        Self::new(json, json, buffers.collect())
    }

    fn new(bytes: &[u8], json: &[u8], buffers: Vec<Vec<u8>>) -> Self {
        let json: Value = serde_json::from_slice(json).unwrap();
        let checked = if json.get("extensionsRequired").is_none() { Gltf::from_slice(bytes).map(drop) } else { Ok(()) };
        match checked {
            // The crate `gltf` does not know accessors without a view, which have only zeros.
            Err(gltf::Error::Validation(errors))
                if errors.iter().all(|(path, _)| {
                    path.as_str().starts_with("accessors[") && path.as_str().ends_with("].bufferView")
                }) => {}
            other => other.unwrap(),
        }
        let gltf = Gltf::from_slice_without_validation(bytes).unwrap();
        Self { document: gltf.document, json, buffers }
    }

    /// Returns the primitives of a mesh.
    pub fn parts(&self, mesh: &gltf::Mesh<'_>) -> Vec<Part> {
        mesh.primitives().map(|primitive| self.part(&primitive)).collect()
    }

    fn part(&self, primitive: &gltf::Primitive<'_>) -> Part {
        let reader = primitive.reader(|buffer| self.buffers.get(buffer.index()).map(Vec::as_slice));
        let extras = primitive.extras().as_ref().map(|raw| serde_json::from_str::<Value>(raw.get()).unwrap());
        let sets = (0..).map_while(|set| {
            let joints = reader.read_joints(set)?.into_u16();
            Some(joints.zip(reader.read_weights(set)?.into_f32()).collect())
        });
        let targets = primitive.morph_targets().zip(reader.read_morph_targets());
        Part {
            name: extras.and_then(|extras| extras["name"].as_str().map(str::to_owned)),
            positions: reader.read_positions().unwrap().collect(),
            normals: reader.read_normals().map(Iterator::collect),
            tangents: reader.read_tangents().map(Iterator::collect),
            uvs: (0..).map_while(|set| Some(reader.read_tex_coords(set)?.into_f32().collect())).collect(),
            colors: reader.read_colors(0).map(|colors| match colors {
                ReadColors::RgbaU8(colors) => colors.collect(),
                _ => panic!("expected colours of four bytes"),
            }),
            color_data: primitive.get(&Semantic::Extras("COLOR_0".to_owned())).map(|accessor| {
                assert_eq!((accessor.size(), accessor.normalized()), (4, true));
                let data = |buffer: gltf::Buffer<'_>| self.buffers.get(buffer.index()).map(Vec::as_slice);
                gltf::accessor::Iter::new(accessor, data).unwrap().collect()
            }),
            sets: sets.collect(),
            indices: reader.read_indices().map(|indices| indices.into_u32().collect()).unwrap_or_default(),
            targets: targets
                .map(|(target, (positions, normals, tangents))| {
                    // An accessor without a view has only zeros, and the crate `gltf` does not read
                    // it.
                    let zeros = |count: usize| vec![[0.0; 3]; count];
                    let positions = positions.map(Iterator::collect).or(target.positions().map(|a| zeros(a.count())));
                    let normals = normals.map(Iterator::collect).or(target.normals().map(|a| zeros(a.count())));
                    let tangents = tangents.map(Iterator::collect).or(target.tangents().map(|a| zeros(a.count())));
                    [positions, normals, tangents]
                })
                .collect(),
        }
    }

    /// Returns the joints of a skin.
    pub fn joints(&self, skin: &gltf::Skin<'_>) -> Vec<Joint> {
        let reader = skin.reader(|buffer| self.buffers.get(buffer.index()).map(Vec::as_slice));
        let matrices = reader.read_inverse_bind_matrices().unwrap();
        assert_eq!(matrices.len(), skin.joints().count());
        let wide = |matrix: [[f32; 4]; 4]| matrix.map(|column| column.map(f64::from));
        skin.joints()
            .zip(matrices)
            .map(|(node, matrix)| Joint { node: node.index(), inverse_bind: wide(matrix) })
            .collect()
    }

    /// Returns the channels of an animation.
    pub fn tracks(&self, animation: &gltf::Animation<'_>) -> Vec<Track> {
        let read = |channel: gltf::animation::Channel<'_>| {
            let reader = channel.reader(|buffer| self.buffers.get(buffer.index()).map(Vec::as_slice));
            let times: Vec<f32> = reader.read_inputs().unwrap().collect();
            let wide = |values: &[f32]| values.iter().copied().map(f64::from).collect::<Vec<_>>();
            let values: Vec<Vec<f64>> = match reader.read_outputs().unwrap() {
                ReadOutputs::Translations(values) => values.map(|value| wide(&value)).collect(),
                ReadOutputs::Scales(values) => values.map(|value| wide(&value)).collect(),
                ReadOutputs::Rotations(values) => values.into_f32().map(|value| wide(&value)).collect(),
                ReadOutputs::MorphTargetWeights(values) => {
                    let all: Vec<f32> = values.into_f32().collect();
                    assert!(all.len().is_multiple_of(times.len()));
                    all.chunks_exact(all.len() / times.len()).map(wide).collect()
                }
            };
            assert_eq!(times.len(), values.len());
            let target = channel.target();
            Track { node: target.node().index(), path: target.property(), times, values }
        };
        animation.channels().map(read).collect()
    }

    /// Returns the transforms that the nodes have without an animation.
    pub fn rest(&self) -> Moment {
        let local = |node: gltf::Node<'_>| {
            let (translation, rotation, scale) = node.transform().decomposed();
            let translation = translation.map(f64::from);
            Local { translation, rotation: rotation.map(f64::from), scale: scale.map(f64::from) }
        };
        Moment { locals: self.document.nodes().map(local).collect(), weights: BTreeMap::new() }
    }

    /// Returns the world transforms of all nodes.
    pub fn worlds(&self, moment: &Moment) -> Vec<Matrix> {
        let mut parents = vec![None; moment.locals.len()];
        for node in self.document.nodes() {
            for child in node.children() {
                parents[child.index()] = Some(node.index());
            }
        }
        let world = |node| {
            let (mut world, mut next) = (IDENTITY, Some(node));
            while let Some(at) = next {
                world = multiply(&matrix_of(&moment.locals[at]), &world);
                next = parents[at];
            }
            world
        };
        (0..parents.len()).map(world).collect()
    }
}

/// Sets the properties that the channels of an animation change, with linear interpolation.
pub fn animate(moment: &mut Moment, tracks: &[Track], time: f64) {
    for track in tracks {
        let after = track.times.iter().position(|key| f64::from(*key) > time).unwrap_or(track.times.len());
        let [from, to] = [after.saturating_sub(1), after.min(track.times.len() - 1)];
        let [start, end] = [from, to].map(|key| f64::from(track.times[key]));
        let fraction = if end > start && time > start { (time - start) / (end - start) } else { 0.0 };
        let [from, to] = [&track.values[from], &track.values[to]];
        let mixed: Vec<f64> = match track.path {
            Property::Rotation => slerp(from[..].try_into().unwrap(), to[..].try_into().unwrap(), fraction).to_vec(),
            _ => from.iter().zip(to).map(|(from, to)| from + (to - from) * fraction).collect(),
        };
        let local = &mut moment.locals[track.node];
        match track.path {
            Property::Translation => local.translation = mixed.try_into().unwrap(),
            Property::Rotation => local.rotation = mixed.try_into().unwrap(),
            Property::Scale => local.scale = mixed.try_into().unwrap(),
            Property::MorphTargetWeights => {
                moment.weights.insert(track.node, mixed);
            }
        }
    }
}

/// Interpolates between two rotations as appendix C of glTF describes it.
fn slerp(from: [f64; 4], to: [f64; 4], fraction: f64) -> [f64; 4] {
    let cosine: f64 = from.iter().zip(to).map(|(one, other)| one * other).sum();
    let angle = cosine.abs().min(1.0).acos();
    let mut shares = [1.0 - fraction, fraction];
    if angle > 1e-6 {
        shares = shares.map(|share| (share * angle).sin() / angle.sin());
    }
    let [keep, take] = shares;
    let mixed: [f64; 4] = std::array::from_fn(|part| from[part] * keep + to[part] * take * cosine.signum());
    let length = mixed.iter().map(|part| part * part).sum::<f64>().sqrt();
    mixed.map(|part| part / length)
}

/// Returns the list with a name, or an empty list.
pub fn list<'v>(json: &'v Value, name: &str) -> &'v [Value] {
    json.get(name).map_or(&[], |value| value.as_array().unwrap())
}

/// Returns the matrix that applies `first`, and then `next`.
pub fn multiply(next: &Matrix, first: &Matrix) -> Matrix {
    std::array::from_fn(|column| {
        std::array::from_fn(|row| (0..4).map(|inner| next[inner][row] * first[column][inner]).sum())
    })
}

pub fn apply(matrix: &Matrix, point: [f32; 3]) -> [f64; 3] {
    let [x, y, z] = point.map(f64::from);
    std::array::from_fn(|row| matrix[0][row] * x + matrix[1][row] * y + matrix[2][row] * z + matrix[3][row])
}

pub fn matrix_of(local: &Local) -> Matrix {
    let [x, y, z, w] = local.rotation;
    let axes = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let mut matrix = IDENTITY;
    for ((column, axis), scale) in matrix.iter_mut().zip(axes).zip(local.scale) {
        column[..3].copy_from_slice(&axis.map(|part| part * scale));
    }
    matrix[3][..3].copy_from_slice(&local.translation);
    matrix
}
