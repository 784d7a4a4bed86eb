//! The copying loader: a UNIGINE ms13 loader as such loaders are usually written. It reads the
//! whole file, and decodes it completely into lists. It uses no code of the crate's reader. [Other
//! modules](unreal) do the same with Unreal pairs, with UNIGINE [animations](animation) and
//! [blocks], with Second Life [assets](secondlife) and with EZ-Mesh [text](text).
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::arithmetic_side_effects,
    reason = "each bench uses only a part of it, and a loader that trusts its file panics at a bad one"
)]

pub mod animation;
pub mod blocks;
pub mod secondlife;
pub mod text;
pub mod unreal;

use std::path::Path;

/// A decoded mesh.
pub struct Mesh {
    pub bones: Vec<Bone>,
    pub surfaces: Vec<Surface>,
}

/// A decoded bone.
pub struct Bone {
    pub name: String,
    pub parent: i16,
    /// Position, rotation, scale.
    pub bind: [f32; 10],
}

/// A decoded surface.
#[derive(Default)]
pub struct Surface {
    pub name: String,
    pub positions: Vec<[f32; 3]>,
    pub frames: Vec<TangentFrame>,
    /// For each position, the start of its influences in `influences`, and as last element the end
    /// of the last influences.
    pub starts: Vec<usize>,
    /// The bone and the weight.
    pub influences: Vec<(i16, f32)>,
    pub uvs: [Vec<[f32; 2]>; 2],
    pub colors: Vec<[u8; 4]>,
    pub indices: Vec<u32>,
    pub attribute_indices: Vec<u32>,
}

/// A decoded tangent frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentFrame {
    pub normal: [f32; 3],
    pub tangent: [f32; 3],
    pub bitangent: [f32; 3],
}

/// Loads a file.
pub fn load(path: &Path) -> Mesh {
    let bytes = std::fs::read(path).unwrap();
    Input { rest: &bytes }.mesh()
}

/// The rest of a file that is not read yet.
struct Input<'a> {
    rest: &'a [u8],
}

impl Input<'_> {
    fn mesh(&mut self) -> Mesh {
        self.magic();
        self.take(40);
        let mut bones: Vec<Bone> = (0..self.int()).map(|_| self.bone()).collect();
        let names: Vec<String> = (0..self.int()).map(|_| self.head()).collect();
        self.magic();
        for bone in &mut bones {
            bone.bind = floats::<40, 10>(self.item());
        }
        let surfaces = names.into_iter().map(|name| self.surface(name)).collect();
        self.magic();
        Mesh { bones, surfaces }
    }

    fn bone(&mut self) -> Bone {
        Bone { name: self.text(), parent: i16::from_le_bytes(*self.item()), bind: [0.0; 10] }
    }

    fn head(&mut self) -> String {
        let name = self.text();
        self.take(2 + 40);
        assert_eq!(self.int(), 1, "only the base shape is loaded");
        self.text();
        name
    }

    fn surface(&mut self, name: String) -> Surface {
        let mut surface = Surface { name, ..Surface::default() };
        surface.positions = self.list::<12, _>(floats);
        surface.frames = self.list(|raw| frame(*raw));
        self.weights(&mut surface);
        surface.uvs = [self.list::<8, _>(floats), self.list::<8, _>(floats)];
        surface.colors = self.list(|raw| *raw);
        surface.indices = self.indices(surface.positions.len());
        surface.attribute_indices = self.indices(surface.frames.len());
        surface
    }

    fn weights(&mut self, surface: &mut Surface) {
        let count = self.int();
        surface.starts.reserve_exact(count + 1);
        surface.starts.push(0);
        for _ in 0..count {
            let [influences] = *self.item();
            let raw = self.take(usize::from(influences) * 4);
            surface.influences.extend(raw.as_chunks().0.iter().map(|raw| influence(*raw)));
            surface.starts.push(surface.influences.len());
        }
    }

    fn indices(&mut self, items: usize) -> Vec<u32> {
        match items {
            0..=0xff => self.list(|[index]| u32::from(*index)),
            0x100..=0xffff => self.list(|raw| u32::from(u16::from_le_bytes(*raw))),
            _ => self.list(|raw| u32::from_le_bytes(*raw)),
        }
    }

    fn list<const SIZE: usize, T>(&mut self, decode: impl Fn(&[u8; SIZE]) -> T) -> Vec<T> {
        let count = self.int();
        self.take(count * SIZE).as_chunks().0.iter().map(decode).collect()
    }

    /// Reads a compact integer: 6 bits of the first byte, and 7 bits of each following byte.
    fn int(&mut self) -> usize {
        let [first] = *self.item();
        let (mut value, mut shift, mut last) = (usize::from(first & 0x3f), 6, first);
        while last & 0x80 != 0 {
            [last] = *self.item();
            value |= usize::from(last & 0x7f) << shift;
            shift += 7;
        }
        value
    }

    fn text(&mut self) -> String {
        let length = self.int();
        String::from_utf8_lossy(self.take(length).strip_suffix(&[0]).unwrap()).into_owned()
    }

    fn magic(&mut self) {
        assert_eq!(self.take(4), b"ms13");
    }

    fn item<const SIZE: usize>(&mut self) -> &[u8; SIZE] {
        let (item, rest) = self.rest.split_first_chunk().unwrap();
        self.rest = rest;
        item
    }

    fn take(&mut self, length: usize) -> &[u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

fn floats<const SIZE: usize, const COUNT: usize>(raw: &[u8; SIZE]) -> [f32; COUNT] {
    let mut values = [0.0; COUNT];
    for (value, raw) in values.iter_mut().zip(raw.as_chunks().0) {
        *value = f32::from_le_bytes(*raw);
    }
    values
}

fn influence(raw: [u8; 4]) -> (i16, f32) {
    let [low, high, weight @ ..] = raw;
    (i16::from_le_bytes([low, high]), f32::from(u16::from_le_bytes(weight)) / 65535.0)
}

/// Decodes a quaternion to the axes of its rotation. The sign of w is the sign of the bitangent.
fn frame(raw: [u8; 8]) -> TangentFrame {
    let raw = [0, 2, 4, 6].map(|at| i16::from_le_bytes([raw[at], raw[at + 1]]));
    let [x, y, z, w] = raw.map(|component| f32::from(component) / 32767.0);
    let scale = (x * x + y * y + z * z + w * w).sqrt().recip();
    let [x, y, z, w] = [x * scale, y * scale, z * scale, w * scale];
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    TangentFrame {
        normal: [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
        tangent: [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        bitangent: [2.0 * (x * y - z * w) * sign, (1.0 - 2.0 * (x * x + z * z)) * sign, 2.0 * (y * z + x * w) * sign],
    }
}
