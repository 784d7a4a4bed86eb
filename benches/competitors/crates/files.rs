//! One mesh in three formats. `.glb` and `.safetensors` have one stream of indices, so their mesh
//! is welded: it has one vertex for each combination of position and texture coordinate, as any
//! exporter of these formats would write it.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;
use tempfile::TempDir;
use zerocopy::IntoBytes;

use crate::support::{claims, inputs, unigine_builder as builder};

/// The number of surfaces, and the number of quads along a side of each, for a million triangles:
/// 991,232. An index of a surface takes two bytes.
const SURFACES: usize = 16;
const SIDE: u32 = 176;

/// The files, which are removed when this value is dropped.
pub struct Files {
    folder: TempDir,
    pub triangles: usize,
    pub surfaces: usize,
}

impl Files {
    /// Writes a mesh of about `millions` million triangles, or a small mesh if the bench runs as a
    /// test.
    pub fn write(millions: usize) -> Self {
        let (surfaces, side) = if claims::testing() { (2, 8) } else { (SURFACES * millions, SIDE) };
        let mesh = inputs::mesh(surfaces, side, false);
        let triangles = mesh.surfaces.iter().map(|surface| surface.indices.len() / 3).sum();
        let files = Self { folder: tempfile::tempdir().unwrap(), triangles, surfaces };
        fs::write(files.path(".mesh"), mesh.to_bytes().unwrap()).unwrap();
        let welded: Vec<_> = mesh.surfaces.iter().map(Welded::new).collect();
        write_glb(&welded, File::create(files.path(".glb")).unwrap());
        write_safetensors(&welded, &files.path(".safetensors"));
        files
    }

    pub fn path(&self, extension: &str) -> PathBuf {
        self.folder.path().join(format!("same{extension}"))
    }
}

/// A surface with one index for all attributes of a vertex.
struct Welded {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

impl Welded {
    fn new(surface: &builder::Surface) -> Self {
        let base = &surface.targets[0];
        let mut positions = vec![[0.0; 3]; base.frames.len()];
        for (position, vertex) in surface.indices.iter().zip(&surface.attribute_indices) {
            positions[*vertex as usize] = base.positions[*position as usize];
        }
        Self {
            positions,
            normals: base.frames.iter().map(|frame| frame.normal()).collect(),
            uvs: surface.uvs[0].clone(),
            indices: surface.attribute_indices.clone(),
        }
    }

    /// Returns each array: its name in the two formats, the number of its components, and its
    /// bytes.
    fn arrays(&self) -> [(&'static str, usize, &[u8]); 4] {
        [
            ("POSITION", 3, self.positions.as_bytes()),
            ("NORMAL", 3, self.normals.as_bytes()),
            ("TEXCOORD_0", 2, self.uvs.as_bytes()),
            ("indices", 1, self.indices.as_bytes()),
        ]
    }
}

/// Writes a header, a chunk of JSON, and a chunk with all arrays, one after another. The size of
/// each is a multiple of four bytes.
fn write_glb(surfaces: &[Welded], file: File) {
    let (mut views, mut accessors, mut primitives, mut end) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for surface in surfaces {
        for (name, width, bytes) in surface.arrays() {
            views.push(json!({"buffer": 0, "byteOffset": end, "byteLength": bytes.len()}));
            accessors.push(json!({
                "bufferView": views.len() - 1,
                "componentType": if name == "indices" { 5125 } else { 5126 },
                "count": bytes.len() / 4 / width,
                "type": (["", "SCALAR", "VEC2", "VEC3"][width]),
            }));
            end += bytes.len();
        }
        let first = accessors.len() - 4;
        let [min, max] = crate::loaders::bounds(&surface.positions);
        accessors[first]["min"] = json!(min);
        accessors[first]["max"] = json!(max);
        primitives.push(json!({
            "attributes": {"POSITION": first, "NORMAL": first + 1, "TEXCOORD_0": first + 2}, "indices": first + 3,
        }));
    }
    let mut json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}], "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": end}],
    })
    .to_string();
    json.push_str(&" ".repeat(json.len().next_multiple_of(4) - json.len()));
    let mut out = BufWriter::new(file);
    let head = |words: [usize; 2]| words.map(|word| u32::try_from(word).unwrap()).as_bytes().to_vec();
    out.write_all(b"glTF").unwrap();
    out.write_all(&head([2, 12 + 8 + json.len() + 8 + end])).unwrap();
    out.write_all(&head([json.len(), u32::from_le_bytes(*b"JSON") as usize])).unwrap();
    out.write_all(json.as_bytes()).unwrap();
    out.write_all(&head([end, u32::from_le_bytes(*b"BIN\0") as usize])).unwrap();
    let arrays = surfaces.iter().flat_map(Welded::arrays);
    arrays.for_each(|(.., bytes)| out.write_all(bytes).unwrap());
}

/// Writes a tensor for each array. For example, `3.POSITION` has the positions of surface 3.
fn write_safetensors(surfaces: &[Welded], path: &std::path::Path) {
    let tensors = surfaces.iter().enumerate().flat_map(|(number, surface)| {
        surface.arrays().map(|(name, width, bytes)| {
            let kind = if name == "indices" { Dtype::U32 } else { Dtype::F32 };
            let shape = vec![bytes.len() / 4 / width, width];
            (format!("{number}.{name}"), TensorView::new(kind, shape, bytes).unwrap())
        })
    });
    safetensors::serialize_to_file(tensors, None, path).unwrap();
}
