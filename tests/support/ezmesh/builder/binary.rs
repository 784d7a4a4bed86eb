//! Puts a file together in the binary form.

use meshpeek::array::Bounds;
use meshpeek::decode::ByteOrder;
use meshpeek::model::Transform;

use super::{Column, Mesh, MeshElement, Section, Values, Vertices, of_row};

/// The words of the columns that each vertex flag stands for, from the lowest.
const FLAGS: [&[&str]; 19] = [
    &["position"],
    &["normal"],
    &["color"],
    &["texcoord1"],
    &["texcoord2"],
    &["texcoord3"],
    &["texcoord4"],
    &["tangent"],
    &["binormal"],
    &["blendindices", "blendweights"],
    &["radius"],
    &["interp1"],
    &["interp2"],
    &["interp3"],
    &["interp4"],
    &["interp5"],
    &["interp6"],
    &["interp7"],
    &["interp8"],
];

struct Fields {
    bytes: Vec<u8>,
    order: ByteOrder,
}

impl Mesh {
    /// Returns the bytes of a binary file: little-endian of version 100, or big-endian of version
    /// 101. Boxes that are left out are computed.
    pub fn to_ezb(&self, order: ByteOrder) -> Vec<u8> {
        let mut fields = Fields { bytes: vec![], order };
        fields.number(if order == ByteOrder::Little { 100 } else { 101 });
        fields.texts(&[b"EZMESH", &self.asset_name, &self.asset_info]);
        fields.number(self.system_version.cast_unsigned());
        fields.number(self.asset_version.cast_unsigned());
        fields.bounds(self.bounds, &mut self.meshes.iter().flat_map(MeshElement::positions));
        fields.list(&self.textures, |fields, one| {
            fields.texts(&[&one.name]);
            for number in [one.width, one.height, one.pixel_size] {
                fields.number(number);
            }
            fields.texts(&[&one.pixels]);
        });
        fields.number(0);
        fields.list(&self.skeletons, |fields, skeleton| {
            fields.texts(&[&skeleton.name]);
            fields.list(&skeleton.bones, |fields, bone| {
                fields.texts(&[&bone.name]);
                fields.number(bone.parent.unwrap_or(u32::MAX));
                fields.transform(&bone.bind);
            });
        });
        fields.list(&self.animations, |fields, animation| {
            let seconds = [animation.duration, animation.dtime].map(Option::unwrap_or_default);
            fields.texts(&[&animation.name]);
            fields.count(animation.tracks.len());
            fields.count(animation.frames.map_or_else(|| animation.longest(), |frames| frames as usize));
            fields.floats(&seconds);
            for track in &animation.tracks {
                fields.texts(&[&track.name]);
                fields.count(track.keys.len());
                fields.floats(&track.seconds.unwrap_or(seconds));
                for key in &track.keys {
                    fields.transform(key);
                }
            }
        });
        fields.list(&self.materials, |fields, one| fields.texts(&[&one.name, &one.meta_data]));
        fields.list(&self.user_data, |fields, one| fields.texts(&[&one.key, &one.value]));
        fields.list(&self.user_binary_data, |fields, one| fields.texts(&[&one.name, &one.bytes]));
        fields.list(&self.meshes, Fields::mesh);
        fields.list(&self.instances, |fields, one| {
            fields.texts(&[&one.mesh]);
            fields.transform(&one.transform);
        });
        fields.number(0);
        fields.floats(&self.plane);
        assert!(self.tetra_meshes.is_empty() && self.representations.is_empty());
        fields.bytes
    }

    /// Leaves out what a binary file cannot store, so that `to_ezb` takes it.
    pub fn reduce_to_ezb(&mut self) {
        self.tetra_meshes.clear();
        self.representations.clear();
        for mesh in &mut self.meshes {
            mesh.vertices.iter_mut().for_each(Vertices::reduce);
            for section in &mut mesh.sections {
                (section.vertices, section.info) = (None, None);
                let count = mesh.vertices.as_ref().map_or(0, Vertices::len);
                section.triangles.retain(|triangle| triangle.iter().all(|index| (*index as usize) < count));
            }
        }
    }
}

impl MeshElement {
    fn positions(&self) -> impl Iterator<Item = [f32; 3]> {
        self.vertices.iter().filter_map(Vertices::positions).flatten().copied()
    }
}

impl Vertices {
    fn find(&self, word: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.word == word.as_bytes())
    }

    /// Returns the vertex flags that stand for the columns.
    pub(super) fn flags(&self) -> u32 {
        let is_set = |words: &[&str]| words.iter().all(|word| self.find(word).is_some());
        (0..).zip(FLAGS).fold(0, |flags, (bit, words)| flags | u32::from(is_set(words)) << bit)
    }
}

impl Vertices {
    /// Keeps the columns that a vertex flag stands for. Columns to interpolate get four floats.
    fn reduce(&mut self) {
        let mut known = FLAGS.iter().copied().flatten().collect::<Vec<_>>();
        if FLAGS[9].iter().any(|word| self.find(word).is_none()) {
            known.retain(|word| !FLAGS[9].contains(word));
        }
        let rows = self.len();
        self.columns.retain(|column| {
            let number = known.iter().position(|word| word.as_bytes() == column.word);
            number.map(|number| known.remove(number)).is_some()
        });
        for column in self.columns.iter_mut().filter(|column| column.word.starts_with(b"interp")) {
            let Values::F32(width, floats) = &column.values else { panic!() };
            let items = floats.chunks(usize::from(*width));
            let wide = items.flat_map(|item| item.iter().copied().chain([0.0; 3]).take(4));
            column.values = Values::F32(4, wide.collect());
        }
        self.bare = if self.columns.is_empty() { rows as u32 } else { 0 };
    }
}

impl Fields {
    fn number(&mut self, number: u32) {
        self.bytes.extend_from_slice(&self.order.put(number));
    }

    fn count(&mut self, count: usize) {
        self.number(u32::try_from(count).unwrap());
    }

    fn floats(&mut self, floats: &[f32]) {
        for float in floats {
            self.number(float.to_bits());
        }
    }

    fn texts(&mut self, texts: &[&[u8]]) {
        for text in texts {
            self.count(text.len());
            self.bytes.extend_from_slice(text);
        }
    }

    fn transform(&mut self, Transform { position, rotation, scale }: &Transform) {
        for floats in [&position[..], rotation, scale] {
            self.floats(floats);
        }
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.count(items.len());
        for item in items {
            write(self, item);
        }
    }

    fn bounds(&mut self, bounds: Option<Bounds>, positions: &mut dyn Iterator<Item = [f32; 3]>) {
        let around = positions.map(|at| Bounds { min: at, max: at }).reduce(|one, other| one.union(&other));
        let Bounds { min, max } = bounds.or(around).unwrap_or(Bounds { min: [0.0; 3], max: [0.0; 3] });
        self.floats(&min);
        self.floats(&max);
    }

    fn mesh(&mut self, mesh: &MeshElement) {
        let none = Vertices::default();
        let vertices = mesh.vertices.as_ref().unwrap_or(&none);
        let flags = vertices.flags();
        let ordered: Vec<_> = FLAGS.iter().copied().flatten().filter_map(|word| vertices.find(word)).collect();
        assert_eq!(ordered.len(), vertices.columns.len(), "a binary file has no flag for a column");
        self.texts(&[&mesh.name, &mesh.skeleton]);
        self.bounds(mesh.bounds, &mut mesh.positions());
        self.list(&mesh.sections, |fields, section| {
            let Section { material, bounds, triangles, .. } = section;
            let positions = vertices.positions().unwrap_or_default();
            fields.texts(&[material]);
            fields.bounds(*bounds, &mut triangles.as_flattened().iter().map(|index| positions[*index as usize]));
            fields.number(section.flags.unwrap_or(flags));
            fields.list(triangles, |fields, triangle| triangle.iter().for_each(|index| fields.number(*index)));
            assert!(section.vertices.is_none() && section.info.is_none());
        });
        self.number(flags);
        self.count(vertices.len());
        for row in 0..if ordered.is_empty() { 0 } else { vertices.len() } {
            for column in &ordered {
                match &column.values {
                    Values::F32(width, all) => self.floats(of_row(all, *width, row)),
                    Values::Hex32(width, all) => of_row(all, *width, row).iter().for_each(|one| self.number(*one)),
                    Values::U16(width, all) => {
                        let shorts = of_row(all, *width, row).iter().flat_map(|one| self.order.put_u16(*one));
                        self.bytes.extend(shorts);
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}
