//! Writes EZ-Mesh files by hand: texts element by element, and one description in both forms.

use meshpeek::decode::ByteOrder;

/// Returns an element: its tag with the given attributes, and its content.
pub fn element(tag: &str, inner: &str) -> String {
    let name = tag.split_whitespace().next().unwrap();
    format!("<{tag}>{inner}</{name}>")
}

/// Returns the element of a vertex buffer.
pub fn vertices(count: u32, ctype: &str, semantic: &str, data: &str) -> String {
    element(&format!("vertexbuffer count=\"{count}\" ctype=\"{ctype}\" semantic=\"{semantic}\""), data)
}

/// Returns a vertex buffer with three positions, which form a triangle.
pub fn corner_vertices() -> String {
    vertices(3, "fff", "position", "0 0 0, 1 0 0, 0 2 0,")
}

/// Returns the element of an index buffer.
pub fn triangles(count: u32, data: &str) -> String {
    element(&format!("indexbuffer triangle_count=\"{count}\""), data)
}

/// Returns the element of a mesh section.
pub fn section(material: &str, inner: &str) -> String {
    element(&format!("MeshSection material=\"{material}\""), inner)
}

/// Returns the element of a mesh in the first dialect.
pub fn mesh(name: &str, inner: &str) -> String {
    element(&format!("Mesh name=\"{name}\" skeleton=\"\" submesh_count=\"1\""), inner)
}

/// Returns a file with the given content.
pub fn system(inner: &str) -> String {
    format!("<?xml version=\"1.0\"?>\r\n{}\r\n", element("MeshSystem asset_name=\"a\"", inner))
}

/// Returns a file of one mesh with one section.
pub fn simple(vertices: &str, triangles: &str) -> String {
    system(&element("Meshes count=\"1\"", &mesh("m", &format!("{vertices}{}", section("s", triangles)))))
}

/// Returns the offset of a text in another text, which must contain it exactly once.
pub fn place(text: &str, part: &str) -> u64 {
    let at = text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
    assert_eq!(text.rfind(part), Some(at), "{part} occurs twice");
    u64::try_from(at).unwrap()
}

/// The content of a file, independent of its form.
#[derive(Clone, Debug, Default)]
pub struct Description {
    pub skeletons: Vec<Skeleton>,
    pub animations: Vec<Animation>,
    pub materials: Vec<[&'static str; 2]>,
    pub meshes: Vec<RawMesh>,
    pub instances: Vec<(&'static str, [f32; 10])>,
}

/// A skeleton.
///
/// Its bones have names, parents in the same skeleton, and transforms as position, rotation, scale.
#[derive(Clone, Debug)]
pub struct Skeleton {
    pub name: &'static str,
    pub bones: Vec<(&'static str, i32, [f32; 10])>,
}

/// An animation: tracks with the names of bones, and keys.
#[derive(Clone, Debug)]
pub struct Animation {
    pub name: &'static str,
    pub tracks: Vec<(&'static str, Vec<[f32; 10]>)>,
}

/// A mesh whose vertices are generated from the flags of their columns.
#[derive(Clone, Debug)]
pub struct RawMesh {
    pub name: &'static str,
    pub skeleton: &'static str,
    pub flags: u32,
    pub vertices: u32,
    pub sections: Vec<(&'static str, Vec<u32>)>,
}

/// A number of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Float(f32),
    Short(u16),
    Word(u32),
}

/// The encoding of each flag in text: words, the codes of their types, and the number of values.
const WORDS: [(&str, &str, usize); 19] = [
    ("position", "fff", 3),
    ("normal", "fff", 3),
    ("color", "x4", 1),
    ("texcoord1", "ff", 2),
    ("texcoord2", "ff", 2),
    ("texcoord3", "ff", 2),
    ("texcoord4", "ff", 2),
    ("tangent", "fff", 3),
    ("binormal", "fff", 3),
    ("blendweights blendindices", "ffff hhhh", 8),
    ("radius", "f", 1),
    ("interp1", "ffff", 4),
    ("interp2", "ffff", 4),
    ("interp3", "ffff", 4),
    ("interp4", "ffff", 4),
    ("interp5", "ffff", 4),
    ("interp6", "ffff", 4),
    ("interp7", "ffff", 4),
    ("interp8", "ffff", 4),
];

/// Returns the numbers of a vertex for one flag, in the order of a text.
///
/// Each number is different.
fn numbers(bit: usize, vertex: u32) -> Vec<Number> {
    let short = u16::try_from(vertex).unwrap();
    match bit {
        2 => vec![Number::Word(0x8000_0000 | vertex << 16 | vertex << 8 | 7)],
        9 => {
            // An influence without weight also names a bone.
            let weights = if vertex.is_multiple_of(2) { [0.5, 0.0, 0.25, 0.25] } else { [1.0, 0.0, 0.0, 0.0] };
            let bones = [short % 2, 9, 1, 0];
            weights.map(Number::Float).into_iter().chain(bones.map(Number::Short)).collect()
        }
        _ => {
            let float = |part: usize| {
                let sign = if part % 2 == 1 { -1.0 } else { 1.0 };
                Number::Float(sign * (f32::from(short) + (bit * 4 + part) as f32 / 128.0))
            };
            (0..WORDS[bit].2).map(float).collect()
        }
    }
}

fn bits(flags: u32) -> impl Iterator<Item = usize> {
    (0..WORDS.len()).filter(move |bit| flags & (1 << bit) != 0)
}

impl RawMesh {
    /// Returns all numbers of a vertex, in the order of a text.
    pub fn vertex(&self, vertex: u32) -> Vec<Number> {
        bits(self.flags).flat_map(|bit| numbers(bit, vertex)).collect()
    }
}

fn floats(all: &[f32]) -> String {
    all.iter().map(f32::to_string).collect::<Vec<_>>().join(" ")
}

impl Description {
    /// Encodes the description as a text.
    pub fn text(&self) -> String {
        let list =
            |name: &str, items: Vec<String>| element(&format!("{name} count=\"{}\"", items.len()), &items.concat());
        let skeletons = self.skeletons.iter().map(|skeleton| {
            let bones = skeleton.bones.iter().map(|(name, parent, all)| {
                let parent = usize::try_from(*parent).map_or(String::new(), |parent| {
                    format!(" parent=\"{}\"", skeleton.bones[parent].0)
                });
                let [position, rotation, scale] = [floats(&all[..3]), floats(&all[3..7]), floats(&all[7..])];
                format!("<Bone name=\"{name}\"{parent} orientation=\"{rotation}\" position=\"{position}\" scale=\"{scale}\"/>")
            });
            let tag = format!("Skeleton name=\"{}\" count=\"{}\"", skeleton.name, skeleton.bones.len());
            element(&tag, &bones.collect::<String>())
        });
        let animations = self.animations.iter().map(|animation| {
            let tracks = animation.tracks.iter().map(|(name, keys)| {
                let data: String = keys.iter().map(|key| floats(key) + ",\r\n").collect();
                element(&format!("AnimTrack name=\"{name}\" count=\"{}\" has_scale=\"true\"", keys.len()), &data)
            });
            let frames = animation.tracks.iter().map(|(_, keys)| keys.len()).max().unwrap_or(0);
            let tag = format!(
                "Animation name=\"{}\" trackcount=\"{}\" framecount=\"{frames}\" duration=\"2\" dtime=\"0.5\"",
                animation.name,
                animation.tracks.len()
            );
            element(&tag, &tracks.collect::<String>())
        });
        let materials =
            self.materials.iter().map(|[name, data]| format!("<Material name=\"{name}\" meta_data=\"{data}\"/>"));
        let meshes = self.meshes.iter().map(|mesh| {
            let (words, types): (Vec<&str>, Vec<&str>) =
                bits(mesh.flags).map(|bit| (WORDS[bit].0, WORDS[bit].1)).unzip();
            let rows: String = (0..mesh.vertices)
                .map(|vertex| {
                    let numbers = mesh.vertex(vertex).into_iter().map(|number| match number {
                        Number::Float(float) => float.to_string(),
                        Number::Short(short) => short.to_string(),
                        Number::Word(word) => format!("{word:08X}"),
                    });
                    numbers.collect::<Vec<_>>().join(" ") + ",\r\n"
                })
                .collect();
            let sections = mesh.sections.iter().map(|(material, indices)| {
                let indices = indices.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
                let count = u32::try_from(indices.split_whitespace().count() / 3).unwrap();
                section(material, &triangles(count, &indices))
            });
            let tag = format!(
                "Mesh name=\"{}\" skeleton=\"{}\" submesh_count=\"{}\"",
                mesh.name,
                mesh.skeleton,
                mesh.sections.len()
            );
            let vertices = vertices(mesh.vertices, &types.join(" "), &words.join(" "), &rows);
            element(
                &tag,
                &format!("<MeshAABB min=\"-1 -2 -3\" max=\"1,2,3\"/>{vertices}{}", sections.collect::<String>()),
            )
        });
        let instances = self.instances.iter().map(|(mesh, all)| {
            let [position, rotation, scale] =
                [floats(&all[..3]), floats(&all[3..7]), floats(&all[7..])].map(|all| all.replace(' ', ","));
            format!("<MeshInstance mesh=\"{mesh}\" position=\"{position}\" rotation=\"{rotation}\" scale=\"{scale}\"/>")
        });
        let inner = [
            "<MeshAABB min=\"-1,-2,-3\" max=\"1 2 3\"/>".to_owned(),
            list("Skeletons", skeletons.collect()),
            list("Animations", animations.collect()),
            list("Materials", materials.collect()),
            list("Meshes", meshes.collect()),
            list("MeshInstances", instances.collect()),
        ];
        let attributes =
            "asset_name=\"asset\" asset_info=\"info\" mesh_system_version=\"1\" mesh_system_asset_version=\"-3\"";
        format!("<?xml version=\"1.0\"?>\r\n{}\r\n", element(&format!("MeshSystem {attributes}"), &inner.join("\r\n")))
    }

    /// Encodes the description in the binary form, and adds a texture, user data and user binary
    /// data.
    pub fn binary(&self, order: ByteOrder) -> Vec<u8> {
        let mut out = Fields { order, bytes: Vec::new() };
        out.number(if order == ByteOrder::Little { 100 } else { 101 });
        out.text("EZMESH").text("asset").text("info").number(1).number((-3_i32).cast_unsigned());
        out.floats(&[-1.0, -2.0, -3.0, 1.0, 2.0, 3.0]);
        out.number(1).text("picture").number(2).number(1).number(3).text("RGBrgb");
        out.number(0).count(self.skeletons.len());
        for skeleton in &self.skeletons {
            out.text(skeleton.name).count(skeleton.bones.len());
            for (name, parent, all) in &skeleton.bones {
                out.text(name).number(parent.cast_unsigned()).floats(all);
            }
        }
        out.count(self.animations.len());
        for animation in &self.animations {
            let frames = animation.tracks.iter().map(|(_, keys)| keys.len()).max().unwrap_or(0);
            out.text(animation.name).count(animation.tracks.len()).count(frames).floats(&[2.0, 0.5]);
            for (name, keys) in &animation.tracks {
                out.text(name).count(keys.len()).floats(&[1.5, 0.25]).floats(keys.as_flattened());
            }
        }
        out.count(self.materials.len());
        for text in self.materials.iter().flatten() {
            out.text(text);
        }
        out.number(1).text("key").text("value");
        out.number(1).text("blob").text("\0\x01\x02").count(self.meshes.len());
        for mesh in &self.meshes {
            out.mesh(mesh);
        }
        out.count(self.instances.len());
        for (mesh, all) in &self.instances {
            out.text(mesh).floats(all);
        }
        out.number(0).floats(&[0.0, 1.0, 0.0, -4.0]);
        out.bytes
    }
}

/// The fields of a binary file while it is written.
#[derive(Debug)]
pub struct Fields {
    pub order: ByteOrder,
    pub bytes: Vec<u8>,
}

impl Fields {
    pub fn number(&mut self, number: u32) -> &mut Self {
        self.bytes.extend(self.order.put(number));
        self
    }

    pub fn count(&mut self, count: usize) -> &mut Self {
        self.number(u32::try_from(count).unwrap())
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.count(text.len()).bytes.extend(text.as_bytes());
        self
    }

    pub fn floats(&mut self, all: &[f32]) -> &mut Self {
        for float in all {
            self.number(float.to_bits());
        }
        self
    }

    fn mesh(&mut self, mesh: &RawMesh) {
        self.text(mesh.name).text(mesh.skeleton).floats(&[-1.0, -2.0, -3.0, 1.0, 2.0, 3.0]).count(mesh.sections.len());
        for (material, indices) in &mesh.sections {
            self.text(material).floats(&[0.0; 6]).number(mesh.flags).count(indices.len() / 3);
            for index in indices {
                self.number(*index);
            }
        }
        self.number(mesh.flags).number(mesh.vertices);
        for vertex in 0..mesh.vertices {
            for bit in bits(mesh.flags) {
                let mut numbers = numbers(bit, vertex);
                // The binary form stores bones before weights.
                numbers.rotate_left(if bit == 9 { 4 } else { 0 });
                for number in numbers {
                    match number {
                        Number::Float(float) => {
                            self.number(float.to_bits());
                        }
                        Number::Word(word) => {
                            self.number(word);
                        }
                        Number::Short(short) => self.bytes.extend(self.order.put_u16(short)),
                    }
                }
            }
        }
    }
}

/// Returns a description with several items of every kind.
///
/// Skeletons have bones with the same names, meshes use either skeleton, and animations move bones
/// of both.
pub fn everything() -> Description {
    let turned = |x: f32| [x, -0.5, 0.25, 0.0, 0.6, 0.0, 0.8, 1.0, 2.0, 0.5];
    let keys = |start: f32, count: u8| (0..count).map(|frame| turned(start + f32::from(frame))).collect::<Vec<_>>();
    let mesh = |name, skeleton, flags, sections| RawMesh { name, skeleton, flags, vertices: 6, sections };
    Description {
        skeletons: vec![
            Skeleton {
                name: "one",
                // A child before its parent.
                bones: vec![("tip", 1, turned(1.0)), ("root", -1, turned(2.0)), ("arm", 1, turned(3.0))],
            },
            Skeleton { name: "two", bones: vec![("root", -1, turned(4.0)), ("leg", 0, turned(5.0))] },
        ],
        animations: vec![
            Animation { name: "wave", tracks: vec![("arm", keys(10.0, 3)), ("leg", keys(20.0, 2))] },
            Animation { name: "stand", tracks: vec![("tip", keys(30.0, 1)), ("nobody", keys(40.0, 1))] },
            Animation { name: "nothing", tracks: Vec::new() },
        ],
        materials: vec![["wood", "a=%20b%20"], ["stone", ""]],
        meshes: vec![
            mesh("first", "two", 0x7_ffff, vec![("wood", vec![0, 1, 2, 2, 1, 3]), ("stone", vec![3, 4, 5])]),
            mesh("second", "one", 539, vec![("stone", vec![5, 4, 3])]),
            mesh("third", "null", 1 | 1 << 2, vec![("", vec![]), ("wood", vec![0, 0, 5])]),
        ],
        instances: vec![("first", turned(7.0)), ("third", turned(8.0))],
    }
}

/// Returns a text with one collision shape: a hull of [`corner_vertices`] and one triangle.
pub fn hull() -> String {
    let points = corner_vertices() + &triangles(1, "2 1 0");
    let elements = [
        ("MeshCollisionConvex", points.as_str()),
        ("MeshCollision name=\"c\" type=\"CONVEX\"", ""),
        ("MeshCollisionRepresentation name=\"r\"", ""),
        ("MeshCollisionRepresentations count=\"1\"", ""),
    ];
    system(&elements.iter().fold(String::new(), |inner, (tag, own)| element(tag, &(inner + own))))
}
